package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

// EntryID names a statement by what it says, so that what is known about it (how often it was recalled, whether it was promoted)
// stays with it when its document is rewritten. It is the same for the same statement in every document.
//
// It does not change with the kind of list marker, its number, indentation, quotation marks of Markdown, emphasis, code marks,
// escapes, comments, blanks, line breaks and where lines are broken, case, Unicode form and width, typographic quotes and dashes,
// or the punctuation at the end. It does not depend on where the statement stands, except in a list: an item says something
// else under another item, so that a nested one has its parent's identity in its own. A box that is ticked and words that are
// struck out say something else, too; an empty box says nothing.
type EntryID string

// EntryIDOf is the identity of a statement that no other one encloses, as it stands in a document. A list item may be given
// without its marker, unless it begins with what looks like another one: "- 12. May", not "12. May".
func EntryIDOf(text string) EntryID { return EntryIDUnder("", text) }

// EntryIDUnder is the identity of a statement that stands under the one with the identity parent; without one that is "".
func EntryIDUnder(parent EntryID, text string) EntryID { return entryID(parent, unmarked(text)) }

// entryID is the identity of what is said, its list marker taken off already.
func entryID(parent EntryID, said string) EntryID {
	sum := sha256.Sum256([]byte(string(parent) + "\n" + entryWords(said)))
	return EntryID(hex.EncodeToString(sum[:entryIDBytes]))
}

// entryIDBytes is how much of a hash an identity keeps: with 128 bits two statements never share one.
const entryIDBytes = 16

// EntryAt is a statement where it stands in a document.
type EntryAt struct {
	ID       EntryID
	Text     string // without list marker, indentation and, of prose, line breaks
	FromLine int    // 1-based, inclusive, of exactly this statement: without the items under it
	ToLine   int
	Heading  string // the nearest one above it; empty in front of the first
	Parent   int    // index of the statement that encloses it: of a nested item the item, of a row the head of its table; -1: none
}

// EntriesOf lists the statements of a Markdown document in order: list items, paragraphs (each of those in an item is a
// statement under it), quotations, rows of tables and blocks of code. Headings, front matter, comments and rules are none.
func EntriesOf(content string) []EntryAt {
	return scanEntries(content).statements()
}

// scanEntries reads all lines of a document.
func scanEntries(content string) *entryScan {
	lines := lineTexts(content)
	s := &entryScan{lines: lines, open: -1}
	for s.at = frontMatter(lines); s.at < len(lines); s.at++ {
		s.line(lines[s.at])
	}
	return s
}

// statements are the entries that say something, with their texts and identities.
func (s *entryScan) statements() []EntryAt {
	var out []EntryAt
	place := make([]int, len(s.entries)) // in out; of one that says nothing, its parent's
	for i, e := range s.entries {
		if e.Parent >= 0 {
			e.Parent = place[e.Parent]
		}
		e.Text = s.said[i].String()
		if place[i] = e.Parent; !SaysSomething(e.Text) {
			continue
		}
		place[i] = len(out)
		parent := EntryID("")
		if e.Parent >= 0 {
			parent = out[e.Parent].ID
		}
		e.ID = entryID(parent, e.Text)
		out = append(out, e)
	}
	return out
}

// entryScan finds the statements of a document, line by line, in linear time.
type entryScan struct {
	lines   []string
	at      int
	entries []EntryAt
	said    []*strings.Builder // texts of the entries
	heading string
	items   []openItem
	open    int    // entry that the next line may continue; -1: none
	quoted  bool   // whether that is a quotation
	fence   string // that is open
	inside  int    // column at which the contents of the item begin that encloses it
	comment bool   // that is open
	head    int    // entry that is the head of the open table; -1: no table
	table   bool
}

// openItem is a list item whose contents go on.
type openItem struct {
	column int // at which its contents begin
	entry  int // -1: it has said nothing yet
	parent int
}

// line reads the next line.
func (s *entryScan) line(line string) {
	column, rest := columnOf(line, 0)
	switch {
	case s.comment:
		s.comment = !strings.Contains(line, "-->")
		return
	case rest == "" && s.fence == "":
		s.close()
		return
	case s.inCode(column, line, rest):
		return
	case s.open >= 0 && !s.quoted && !s.table && s.continues(column, rest):
		s.add(rest)
		return
	}
	depth := len(s.items)
	for depth > 0 && s.items[depth-1].column > column {
		depth--
	}
	if level, text := headingOf(rest); level > 0 && depth == 0 && column < 4 {
		s.close()
		s.heading, s.items = text, s.items[:0]
		return
	}
	s.block(column, rest, depth)
}

// close ends the paragraph and the table.
func (s *entryScan) close() { s.open, s.quoted, s.table = -1, false, false }

// inCode reads a line of fenced code.
func (s *entryScan) inCode(column int, line, rest string) bool {
	if s.fence == "" {
		return false
	}
	if rest != "" && column < s.inside { // the item is over, and the code with it
		s.fence = ""
		s.close()
		return false
	}
	if rest == "" {
		return true
	}
	s.entries[s.open].ToLine = s.at + 1
	if closesFence(rest, s.fence) {
		s.fence = ""
		s.close()
		return true
	}
	s.write(strings.TrimRight(line, " \t"), "\n")
	return true
}

// continues reports whether a line goes on with the paragraph that is open.
func (s *entryScan) continues(column int, rest string) bool {
	if beginsBlock(rest) || !SaysSomething(rest) {
		return false
	}
	said, item := unlisted(rest)
	if !item {
		return !s.tableAhead()
	}
	// A number at the beginning of a wrapped line looks like a list item. CommonMark lets only 1 interrupt a paragraph.
	within := len(s.items) == 0 || column >= s.items[len(s.items)-1].column
	isNumber := rest[0] >= '0' && rest[0] <= '9'
	isFirst := strings.HasPrefix(rest, "1.") || strings.HasPrefix(rest, "1)")
	return within && isNumber && (said == "" || !isFirst)
}

// beginsBlock reports whether a line begins a heading, fenced code, a quotation or a comment.
func beginsBlock(line string) bool {
	level, _ := headingOf(line)
	return level > 0 || fenceOf(line) != "" || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "<!--")
}

// tableAhead reports whether the current line is the header row of a table.
func (s *entryScan) tableAhead() bool {
	return s.at+1 < len(s.lines) && strings.Contains(s.lines[s.at], "|") && isTableRule(s.lines[s.at+1])
}

// isTableRule reports whether a line is the delimiter row between the header and the body of a table.
func isTableRule(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|:- \t\r") == ""
}

// block reads a line that begins something; depth items enclose it.
func (s *entryScan) block(column int, rest string, depth int) {
	said, item := unlisted(rest)
	if item && isRuleLine(rest) {
		item = false
	}
	switch {
	case item:
		s.close()
		parent := s.enclosing(depth)
		contents, said := columnOf(said, column+len(rest)-len(said))
		s.items = append(s.items[:depth], openItem{column: contents, entry: -1, parent: parent})
		s.text(contents, said, depth+1)
	case strings.HasPrefix(rest, "<!--"):
		s.close()
		if _, behind, closed := strings.Cut(rest, "-->"); !closed {
			s.comment = true
		} else if SaysSomething(behind) {
			s.begin(depth, rest)
		}
	case s.table && strings.Contains(rest, "|"):
		if SaysSomething(rest) {
			s.put(s.head, cells(rest))
		}
	default:
		s.text(column, rest, depth)
	}
}

// text reads a line of prose, the mark of a fence, a quotation or the head of a table.
func (s *entryScan) text(column int, rest string, depth int) {
	switch quoted := strings.HasPrefix(rest, ">"); {
	case quoted:
		said := strings.TrimLeft(rest, "> \t")
		if !SaysSomething(said) {
			s.close()
		} else if s.open >= 0 && s.quoted {
			s.add(said)
		} else {
			s.close()
			s.begin(depth, said)
			s.quoted = true
		}
	case fenceOf(rest) != "":
		s.close()
		s.begin(depth, "")
		s.fence = fenceOf(rest)
		s.inside = 0
		if depth > 0 {
			s.inside = min(s.items[depth-1].column, column)
		}
	case !SaysSomething(rest):
		s.close()
	case s.quoted && s.open >= 0 && s.continues(column, rest): // a quotation may leave out its marks
		s.add(rest)
	case s.tableAhead():
		s.close()
		s.begin(depth, cells(rest))
		s.table, s.head = true, s.open
	default:
		s.close()
		s.begin(depth, rest)
	}
}

// begin adds a statement that depth items enclose.
func (s *entryScan) begin(depth int, said string) {
	s.items = s.items[:depth]
	parent := s.enclosing(depth)
	s.put(parent, said)
	if depth > 0 && s.items[depth-1].entry < 0 {
		s.items[depth-1].entry = s.open
	}
}

// put adds a statement under parent.
func (s *entryScan) put(parent int, said string) {
	s.open = len(s.entries)
	s.entries = append(s.entries, EntryAt{FromLine: s.at + 1, ToLine: s.at + 1, Heading: s.heading, Parent: parent})
	text := &strings.Builder{}
	text.WriteString(strings.TrimRight(said, " \t"))
	s.said = append(s.said, text)
}

// add goes on with the statement that is open.
func (s *entryScan) add(said string) {
	s.entries[s.open].ToLine = s.at + 1
	s.write(strings.TrimRight(said, " \t"), " ")
}

// write adds to the text of the open statement.
func (s *entryScan) write(said, separator string) {
	text := s.said[s.open]
	if text.Len() > 0 {
		text.WriteString(separator)
	}
	text.WriteString(said)
}

// enclosing is the entry of the innermost of depth items that says something; -1: none.
func (s *entryScan) enclosing(depth int) int {
	if depth == 0 {
		return -1
	}
	if item := s.items[depth-1]; item.entry >= 0 {
		return item.entry
	}
	return s.items[depth-1].parent
}

// cells is a row of a table without its outer bars, each cell without the blanks around it.
func cells(row string) string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	row = strings.TrimSuffix(row, "|")
	out := strings.Split(row, "|")
	for i, cell := range out {
		out[i] = strings.TrimSpace(cell)
	}
	return strings.Join(out, " | ")
}

// isRuleLine reports whether text is a thematic break: three or more of the same mark with blanks between them.
func isRuleLine(text string) bool {
	mark := text[:1]
	return strings.Contains("-*_", mark) && strings.Count(text, mark) >= 3 && strings.Trim(text, mark+" \t") == ""
}

// unlisted takes the marker off a list item.
func unlisted(text string) (said string, item bool) {
	marker := listMarker.FindString(text + " ")
	if marker == "" {
		return text, false
	}
	return strings.TrimLeft(text[min(len(marker), len(text)):], " \t"), true
}

// columnOf takes the blanks off the beginning of text, which stands at column from, and tells the column of what follows. A
// tab reaches to the next multiple of four.
func columnOf(text string, from int) (column int, rest string) {
	column = from
	for i := range len(text) {
		switch text[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, text[i:]
		}
	}
	return column, ""
}

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	openBox     = regexp.MustCompile(`^\[ \](?:\s+|$)`)
	tickedBox   = regexp.MustCompile(`^\[[xX]\](?:\s+|$)`)
	quoteMarks  = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]*)+`)
)

// unmarked takes off a statement what only places it: quotation marks of Markdown and one list marker.
func unmarked(text string) string {
	text = strings.TrimSpace(quoteMarks.ReplaceAllString(text, ""))
	said, _ := unlisted(text)
	return said
}

// entryWords is what a statement says, in one form for all the ways to write it.
func entryWords(said string) string {
	said = strings.TrimSpace(uncommented(said))
	said = openBox.ReplaceAllString(said, "")
	said = tickedBox.ReplaceAllString(said, "☑ ")
	said = norm.NFKC.String(said)
	said = cases.Fold().String(unstyled(said))
	said = joined(norm.NFKC.String(sameMarks.Replace(said)))
	return strings.TrimRight(said, " .,;:!。、")
}

// sameMarks brings marks together that only typography tells apart, and drops those that cannot be seen.
var sameMarks = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'",
	"‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-",
	"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "", "\ufe0e", "", "\ufe0f", "",
)

// joined writes one space for all blanks, and none beside a character of a script that has none.
func joined(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	last, blank := rune(0), false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = true
			continue
		}
		if blank && last != 0 && !spaceless(last) && !spaceless(r) {
			out.WriteByte(' ')
		}
		blank = false
		out.WriteRune(r)
		last = r
	}
	return out.String()
}

// spaceless reports whether a blank beside r only breaks a line, or sets off words of another script.
func spaceless(r rune) bool {
	return 0x2E80 <= r && r <= 0x303F || script.IsHan(r) || script.IsKana(r)
}

// unstyled takes off the marks of emphasis (one or more * or _ on both sides of words), of code, and the backslashes in front of
// marks that mean themselves. A mark between letters or by itself is a part of the text: db_port, 2*3, a * b.
func unstyled(s string) string {
	runes := []rune(s)
	drop := make([]bool, len(runes))
	opened := map[rune][]int{}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if r == '\\' && i+1 < len(runes) && runes[i+1] < unicode.MaxASCII && (unicode.IsPunct(runes[i+1]) || unicode.IsSymbol(runes[i+1])) {
			drop[i] = true
			i++
			continue
		}
		if r != '*' && r != '_' && r != '`' {
			continue
		}
		from := i
		for i+1 < len(runes) && runes[i+1] == r {
			i++
		}
		before, after := wordAt(runes, from-1), wordAt(runes, i+1)
		if before == 'w' && after == 'w' && r != '`' {
			continue
		}
		for at := from; at <= i; at++ {
			stack := opened[r]
			switch {
			case len(stack) > 0 && (before != ' ' || r == '`'):
				drop[at], drop[stack[len(stack)-1]] = true, true
				opened[r] = stack[:len(stack)-1]
			case after != ' ' || r == '`':
				opened[r] = append(stack, at)
			}
		}
	}
	out := runes[:0]
	for i, r := range runes {
		if !drop[i] {
			out = append(out, r)
		}
	}
	return string(out)
}

// wordAt tells what stands at i: 'w' for a letter, digit or mark of a script with spaces, ' ' for a blank or nothing, '.' for
// anything else.
func wordAt(runes []rune, i int) rune {
	switch {
	case i < 0 || i >= len(runes) || unicode.IsSpace(runes[i]):
		return ' '
	case unicode.In(runes[i], unicode.L, unicode.N, unicode.M) && !comparedInPairs(runes[i]):
		return 'w'
	}
	return '.'
}

// uncommented returns text without HTML comments.
func uncommented(text string) string { return htmlComment.ReplaceAllString(text, "") }
