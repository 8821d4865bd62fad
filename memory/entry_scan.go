package memory

import "strings"

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
	if mark := fenceOf(rest); mark != "" && mark[0] == s.fence[0] && len(mark) >= len(s.fence) && strings.TrimSpace(rest[len(mark):]) == "" {
		s.fence = ""
		s.close()
		return true
	}
	s.write(strings.TrimRight(line, " \t"), "\n")
	return true
}

// continues reports whether a line goes on with the paragraph that is open.
func (s *entryScan) continues(column int, rest string) bool {
	if level, _ := headingOf(rest); level > 0 || fenceOf(rest) != "" || strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "<!--") || !saysSomething(rest) {
		return false
	}
	if said, item := unlisted(rest); item {
		within := len(s.items) == 0 || column >= s.items[len(s.items)-1].column
		return within && rest[0] >= '0' && rest[0] <= '9' && (said == "" || !strings.HasPrefix(rest, "1.") && !strings.HasPrefix(rest, "1)")) // a broken line
	}
	return !s.tableAhead()
}

// tableAhead reports whether the line is the head of a table.
func (s *entryScan) tableAhead() bool {
	if s.at+1 >= len(s.lines) || !strings.Contains(s.lines[s.at], "|") {
		return false
	}
	rule := s.lines[s.at+1]
	return strings.Contains(rule, "|") && strings.Contains(rule, "-") && strings.Trim(rule, "|:- \t") == ""
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
		} else if saysSomething(behind) {
			s.begin(depth, rest)
		}
	case s.table && strings.Contains(rest, "|"):
		if saysSomething(rest) {
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
		if !saysSomething(said) {
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
	case !saysSomething(rest):
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
