package markdown

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

// EntryID identifies a statement by its words, so that what is known about it (how often it was recalled, whether it was
// promoted) stays with it when its document is rewritten. The same statement has the same id in every document.
//
// The id ignores the list marker and its number, indentation, Markdown quotation, emphasis, code marks, escapes, comments,
// white space, line breaks, case, Unicode form and width, typographic quotes and dashes, and punctuation at the end. It
// does not depend on the position in the document, with one exception: the id of a nested list item includes that of its
// parent, which changes its meaning. Ticked boxes and struck-out words count; an empty box does not.
type EntryID string

// EntryIDOf returns the id of a statement that no other one encloses. A list item may be given without its marker, unless
// its text begins with something like one: "- 12. May", not "12. May".
func EntryIDOf(text string) EntryID { return EntryIDUnder("", text) }

// EntryIDUnder returns the id of a statement under the one with the id parent, "" for none.
func EntryIDUnder(parent EntryID, text string) EntryID { return entryID(parent, unmarked(text)) }

// entryID returns the id of a statement without its list marker.
func entryID(parent EntryID, said string) EntryID {
	sum := sha256.Sum256([]byte(string(parent) + "\n" + entryWords(said)))
	return EntryID(hex.EncodeToString(sum[:entryIDBytes]))
}

// entryIDBytes is the length of an id. With 128 bits, two statements do not share one by chance.
const entryIDBytes = 16

// Entry is a statement of a document with its position.
type Entry struct {
	ID       EntryID
	Text     string // without list marker, indentation and, in prose, line breaks
	FromLine int    // 1-based, inclusive, without nested items
	ToLine   int
	Heading  string // nearest heading above; empty before the first
	Parent   int    // index of the enclosing statement (the item of a nested item, the header of a table row); -1 for none
}

// EntriesOf returns the statements of a Markdown document in order: list items, paragraphs (those within an item are
// statements under it), quotations, table rows and code blocks. Headings, front matter, comments and rules are not
// statements.
func EntriesOf(content string) []Entry {
	return scanEntries(content).statements()
}

// scanEntries reads all lines of a document.
func scanEntries(content string) *entryScan {
	lines := Lines(content)
	s := &entryScan{lines: lines, open: -1}
	for s.at = frontMatter(lines); s.at < len(lines); s.at++ {
		s.line(lines[s.at])
	}
	return s
}

// statements returns the non-empty entries with their texts and ids.
func (s *entryScan) statements() []Entry {
	var out []Entry
	place := make([]int, len(s.entries)) // index in out; for an empty entry, that of its parent
	type statement struct {
		parent EntryID
		said   string
	}
	ids := map[statement]EntryID{} // of those that are repeated
	for i, e := range s.entries {
		if e.Parent >= 0 {
			e.Parent = place[e.Parent]
		}
		e.Text = s.said[i].String()
		if place[i] = e.Parent; !HasText(e.Text) {
			continue
		}
		place[i] = len(out)
		parent := EntryID("")
		if e.Parent >= 0 {
			parent = out[e.Parent].ID
		}
		same := statement{parent, e.Text}
		if ids[same] == "" {
			ids[same] = entryID(parent, e.Text)
		}
		e.ID = ids[same]
		out = append(out, e)
	}
	return out
}

// entryScan finds the statements of a document, line by line, in linear time.
type entryScan struct {
	lines   []string
	at      int
	entries []Entry
	said    []*strings.Builder // texts of the entries
	heading string
	items   []openItem
	open    int    // entry that the next line may continue; -1 for none
	quoted  bool   // the open entry is a quotation
	fence   string // open fence of code
	inside  int    // column of the contents of the item that encloses the code
	comment bool   // a comment is open
	head    int    // entry of the open table's header; -1 for none
	table   bool
}

// openItem is a list item that further lines may belong to.
type openItem struct {
	column int // at which its contents begin
	entry  int // -1 as long as it is empty
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

// inCode reads a line of fenced code, and reports whether it was one.
func (s *entryScan) inCode(column int, line, rest string) bool {
	if s.fence == "" {
		return false
	}
	if rest != "" && column < s.inside { // the item ends, and the code with it
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

// continues reports whether a line continues the open paragraph.
func (s *entryScan) continues(column int, rest string) bool {
	if beginsBlock(rest) || !HasText(rest) {
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
	return s.at+1 < len(s.lines) && strings.Contains(s.lines[s.at], "|") && IsTableRule(s.lines[s.at+1])
}

// IsTableRule reports whether a line is the delimiter row between the header and the body of a table.
func IsTableRule(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|:- \t\r") == ""
}

// block reads a line that begins something, within depth items.
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
		} else if HasText(behind) {
			s.begin(depth, rest)
		}
	case s.table && strings.Contains(rest, "|"):
		if HasText(rest) {
			s.put(s.head, cells(rest))
		}
	default:
		s.text(column, rest, depth)
	}
}

// text reads a line of prose, a fence, a quotation or the header of a table.
func (s *entryScan) text(column int, rest string, depth int) {
	switch quoted := strings.HasPrefix(rest, ">"); {
	case quoted:
		said := strings.TrimLeft(rest, "> \t")
		if !HasText(said) {
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
	case !HasText(rest):
		s.close()
	case s.quoted && s.open >= 0 && s.continues(column, rest): // a quotation may omit its marks
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

// begin adds a statement within depth items.
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
	s.entries = append(s.entries, Entry{FromLine: s.at + 1, ToLine: s.at + 1, Heading: s.heading, Parent: parent})
	text := &strings.Builder{}
	text.WriteString(strings.TrimRight(said, " \t"))
	s.said = append(s.said, text)
}

// add continues the open statement.
func (s *entryScan) add(said string) {
	s.entries[s.open].ToLine = s.at + 1
	s.write(strings.TrimRight(said, " \t"), " ")
}

// write appends to the text of the open statement.
func (s *entryScan) write(said, separator string) {
	text := s.said[s.open]
	if text.Len() > 0 {
		text.WriteString(separator)
	}
	text.WriteString(said)
}

// enclosing returns the entry of the innermost non-empty item of depth items; -1 for none.
func (s *entryScan) enclosing(depth int) int {
	if depth == 0 {
		return -1
	}
	if item := s.items[depth-1]; item.entry >= 0 {
		return item.entry
	}
	return s.items[depth-1].parent
}

// cells returns a table row without its outer bars and without white space around its cells.
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

// isRuleLine reports whether text is a thematic break: three or more of the same mark, with only blanks between them.
func isRuleLine(text string) bool {
	mark := text[:1]
	return strings.Contains("-*_", mark) && strings.Count(text, mark) >= 3 && strings.Trim(text, mark+" \t") == ""
}

// unlisted removes a list marker, and reports whether there was one.
func unlisted(text string) (said string, item bool) {
	if text == "" || !strings.Contains("-*+0123456789", text[:1]) { // most lines of prose
		return text, false
	}
	marker := listMarker.FindString(text + " ")
	if marker == "" {
		return text, false
	}
	return strings.TrimLeft(text[min(len(marker), len(text)):], " \t"), true
}

// columnOf removes leading blanks from text, which begins at column from, and returns the column of the rest. A tab extends
// to the next multiple of four.
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

// unmarked removes Markdown quotation and one list marker.
func unmarked(text string) string {
	text = strings.TrimSpace(quoteMarks.ReplaceAllString(text, ""))
	said, _ := unlisted(text)
	return said
}

// entryWords returns the words of a statement in a form that is the same for all ways to write it.
func entryWords(said string) string {
	said = strings.TrimSpace(WithoutComments(said))
	said = openBox.ReplaceAllString(said, "")
	said = tickedBox.ReplaceAllString(said, "☑ ")
	said = norm.NFKC.String(said)
	said = cases.Fold().String(unstyled(said))
	said = joined(norm.NFKC.String(sameMarks.Replace(said)))
	return strings.TrimRight(said, " .,;:!。、")
}

// sameMarks replaces typographic variants of marks, and removes invisible characters.
var sameMarks = strings.NewReplacer(
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'",
	"‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-",
	"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "", "\ufe0e", "", "\ufe0f", "",
)

// joined collapses white space to one space, and removes it next to characters of scripts without spaces.
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

// spaceless reports whether white space next to r only breaks a line, or separates scripts.
func spaceless(r rune) bool {
	return 0x2E80 <= r && r <= 0x303F || script.IsHan(r) || script.IsKana(r)
}

// unstyled removes marks of emphasis (one or more * or _ on both sides of words), code marks, and the backslashes of
// escapes. A mark between letters or on its own is text: db_port, 2*3, a * b.
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

// wordAt classifies the character at i: 'w' for a letter, digit or mark of a script with spaces, ' ' for white space or
// none, '.' for anything else.
func wordAt(runes []rune, i int) rune {
	switch {
	case i < 0 || i >= len(runes) || unicode.IsSpace(runes[i]):
		return ' '
	case unicode.In(runes[i], unicode.L, unicode.N, unicode.M) && !comparedInPairs(runes[i]):
		return 'w'
	}
	return '.'
}

// WithoutComments returns text without HTML comments.
func WithoutComments(text string) string { return htmlComment.ReplaceAllString(text, "") }
