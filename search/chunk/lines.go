package chunk

import (
	"strings"

	"reverie/language/sentence"
)

// markdownLine is a line of a document and what a cut in front of it would do.
//
// Lines are read by a scanner of our own: a full parser takes quadratic time over deeply nested lists (half a minute for
// 36 kB), and keeps neither the marks of fences nor the definitions of links, so that its blocks do not cover the text.
type markdownLine struct {
	start, end int   // bytes, without the line break
	level      uint8 // of the heading that the line is, 1 to 6; 0: none
	blank      bool
	silent     bool  // a heading, the line under one, or a rule: no text
	cost       cost  // of a cut in front of the line
	under      int32 // number of the line, from 1, of the list item around it or of the head of its table; 0: none
}

// lineKind is what a line that is not blank belongs to.
type lineKind uint8

const (
	nothing lineKind = iota
	paragraph
	headingLine
	ruleLine
	fenceLine
	indentedCode
	tableLine
	quoteLine
	htmlLine
	matterLine
)

// lineScanner reads a document line by line.
type lineScanner struct {
	content string
	lines   []markdownLine
	at      int        // index of the line that is read
	items   []listItem // that are open, from the outermost
	last    lineKind
	lastRow int // of the line that last describes; -1: none
	gap     bool
	fence   fence  // that is open
	quoted  fence  // that is open inside a quotation
	until   string // what ends the HTML block that is open
	rows    int    // lines of the table that is open, besides its head
	head    int32  // number of its head's line, from 1
}

// listItem is a list item whose contents go on.
type listItem struct {
	column int   // at which its contents begin
	number int32 // of its line, from 1
}

// fence is code between marks.
type fence struct {
	mark   string // empty: no fence
	indent int    // column of the mark
	inside int    // column at which the enclosing list item's contents begin
}

// scanLines reads the lines of content and finds where it can be cut. It takes linear time.
func scanLines(content string) []markdownLine {
	s := lineScanner{content: content, lines: splitTextLines(content), lastRow: -1}
	if end := s.frontMatter(); end > 0 {
		for i := range end {
			s.lines[i].cost = costSoft
			s.set(i, matterLine)
		}
		s.at = end
	}
	for ; s.at < len(s.lines); s.at++ {
		s.line()
	}
	return s.lines
}

// splitTextLines finds the lines of content.
func splitTextLines(content string) []markdownLine {
	lines := make([]markdownLine, 0, strings.Count(content, "\n")+1)
	for start, end := range sentence.Lines(content) {
		lines = append(lines, markdownLine{start: start, end: end})
	}
	return lines
}

// text is line i.
func (s *lineScanner) text(i int) string { return s.content[s.lines[i].start:s.lines[i].end] }

// frontMatter is how many lines of YAML the document begins with, its two rules included.
func (s *lineScanner) frontMatter() int {
	if len(s.lines) == 0 || s.text(0) != "---" {
		return 0
	}
	for i := 1; i < len(s.lines); i++ {
		if s.text(i) == "---" {
			return i + 1
		}
	}
	return 0
}

// set says what line i is.
func (s *lineScanner) set(i int, kind lineKind) { s.last, s.lastRow, s.gap = kind, i, false }

// line reads the line at s.at.
func (s *lineScanner) line() {
	line := &s.lines[s.at]
	text := s.text(s.at)
	if strings.TrimSpace(text) == "" {
		line.blank = true
		s.gap = true
		return
	}
	column, rest := outdent(text, 0)
	line.under = s.around(len(s.items))
	if s.inFence(column, rest) || s.inHTML(text) || s.inTable(rest) {
		return
	}
	kind, cost := s.open(column, rest)
	if s.last == headingLine && kind != headingLine {
		cost = costHead
	}
	line.cost = cost
	s.set(s.at, kind)
}

// around is the number of the line of the innermost of depth list items; 0 without any.
func (s *lineScanner) around(depth int) int32 {
	if depth == 0 {
		return 0
	}
	return s.items[depth-1].number
}

// leave ends the list items but the outermost depth ones, which the line belongs to.
func (s *lineScanner) leave(depth int) {
	s.items = s.items[:depth]
	s.lines[s.at].under = s.around(depth)
}

// inFence reads a line of fenced code.
func (s *lineScanner) inFence(column int, rest string) bool {
	if s.fence.mark == "" {
		return false
	}
	if column < s.fence.inside { // the list item is over, and with it the fence
		s.fence = fence{}
		return false
	}
	s.lines[s.at].cost = costCode
	if s.gap {
		s.lines[s.at].cost = costCodeGap
	}
	if column < s.fence.indent+4 && closesFence(s.fence.mark, rest) {
		s.fence = fence{}
	}
	s.set(s.at, fenceLine)
	return true
}

// inHTML reads a line of a comment or of another block that ends with a mark.
func (s *lineScanner) inHTML(text string) bool {
	if s.until == "" {
		return false
	}
	s.lines[s.at].cost = costSoft
	if containsFold(text, s.until) {
		s.until = ""
	}
	s.set(s.at, htmlLine)
	return true
}

// inTable reads a row of a table.
func (s *lineScanner) inTable(rest string) bool {
	if s.last != tableLine || s.gap || !strings.Contains(rest, "|") {
		s.rows = 0
		return false
	}
	s.rows++
	s.lines[s.at].cost, s.lines[s.at].under = costRow, s.head
	if s.rows <= 2 { // the rule and the first row stay with the head
		s.lines[s.at].cost = costHead
	}
	s.set(s.at, tableLine)
	return true
}

// open reads a line that may begin a block; column is its indentation and rest what follows it.
func (s *lineScanner) open(column int, rest string) (lineKind, cost) {
	flows := s.last == paragraph && !s.gap // the line could continue a paragraph
	depth := len(s.items)
	for depth > 0 && s.items[depth-1].column > column {
		depth--
	}
	inner := column
	if depth > 0 {
		inner -= s.items[depth-1].column
	}
	near := inner < 4 // further in it is code, or the continuation of a paragraph
	switch {
	case near && depth == 0 && s.heading(rest, flows):
		s.leave(0)
		return headingLine, s.lines[s.at].cost
	case near && fenceMark(rest) != "":
		s.leave(depth)
		s.fence = fence{mark: fenceMark(rest), indent: column, inside: column - inner}
		return fenceLine, s.between(depth)
	case near && isRule(rest):
		s.leave(depth)
		s.lines[s.at].silent = true
		return ruleLine, s.between(depth)
	}
	if width, number := listMarker(rest); width > 0 && (near || len(s.items) > 0) && !(flows && depth == len(s.items) && mustContinue(rest, width, number)) {
		return s.item(column, rest, width, depth, flows)
	}
	switch {
	case near && strings.HasPrefix(rest, ">"):
		return quoteLine, s.quotation(rest, depth)
	case !near && !flows:
		s.leave(depth)
		if s.last == indentedCode {
			return indentedCode, costCodeGap
		}
		return indentedCode, s.between(depth)
	case near && s.tableAhead():
		s.leave(depth)
		s.rows, s.head = 0, int32(s.at+1)
		return tableLine, s.between(depth)
	case near && htmlEnd(rest) != "":
		s.leave(depth)
		if end := htmlEnd(rest); !containsFold(rest, end) {
			s.until = end
		}
		return htmlLine, s.between(depth)
	case flows || s.last == quoteLine && !s.gap && s.quoted.mark == "":
		return s.last, costSoft // a lazy line too
	case s.last == htmlLine && !s.gap:
		return paragraph, costSoft
	}
	s.leave(depth)
	return paragraph, s.between(depth)
}

// between is the cost of a cut in front of a block that depth list items enclose.
func (s *lineScanner) between(depth int) cost {
	if depth == 0 {
		return costBlock
	}
	return inItem(depth)
}

// heading reads a heading, and finds the one that the line underlines.
func (s *lineScanner) heading(rest string, flows bool) bool {
	line := &s.lines[s.at]
	above := costSection
	if s.last == headingLine {
		above = costHead
	}
	if level, _ := atxHeading(rest); level > 0 {
		line.level, line.cost, line.silent = level, above, true
		return true
	}
	level := underline(rest)
	if level == 0 || !flows || len(s.items) > 0 || s.lastRow != s.at-1 || !s.opensParagraph(s.lastRow) {
		return false
	}
	title := &s.lines[s.lastRow]
	title.level, title.silent = level, true
	if title.cost != costHead {
		title.cost = costSection
	}
	line.cost, line.silent = costHead, true
	return true
}

// opensParagraph reports whether line i is the first one of its paragraph. Only a paragraph of one line can be made a heading
// by a line under it: under more of them, "---" is meant as a rule.
func (s *lineScanner) opensParagraph(i int) bool { return s.lines[i].cost != costSoft }

// item reads a list item whose marker takes width bytes of rest.
func (s *lineScanner) item(column int, rest string, width, depth int, flows bool) (lineKind, cost) {
	cost := betweenItems(depth)
	if depth == 0 && len(s.items) == 0 && !flows { // the list begins; one that a paragraph introduces stays with it
		cost = costBlock
	}
	contents, inner := outdent(rest[width:], column+width)
	if inner == "" || contents-column-width > 4 { // an empty item, or code in it
		contents = column + width + 1
	}
	s.leave(depth)
	s.items = append(s.items, listItem{column: contents, number: int32(s.at + 1)})
	if mark := fenceMark(inner); mark != "" {
		s.fence = fence{mark: mark, indent: contents, inside: contents}
		return fenceLine, cost
	}
	if inner == "" {
		return nothing, cost
	}
	return paragraph, cost
}

// quotation reads a line that begins with ">".
func (s *lineScanner) quotation(rest string, depth int) cost {
	s.leave(depth)
	_, inner := outdent(strings.TrimLeft(rest, "> "), 0)
	if s.last != quoteLine || s.gap {
		s.quoted = fence{}
		if mark := fenceMark(inner); mark != "" {
			s.quoted.mark = mark
		}
		return s.between(depth)
	}
	if s.quoted.mark != "" {
		if closesFence(s.quoted.mark, inner) {
			s.quoted = fence{}
		}
		return costCode
	}
	s.quoted.mark = fenceMark(inner)
	if strings.Trim(s.text(s.lastRow), "> \t") == "" {
		return costQuote
	}
	return costSoft
}

// tableAhead reports whether the line is the head of a table: the next one rules its columns.
func (s *lineScanner) tableAhead() bool {
	if s.at+1 >= len(s.lines) || !strings.Contains(s.text(s.at), "|") {
		return false
	}
	return isTableRule(s.text(s.at + 1))
}

// outdent takes the blanks off the beginning of text, which stands at column from, and tells the column of what follows. A
// tab reaches to the next multiple of four.
func outdent(text string, from int) (column int, rest string) {
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

// atxHeading reads "## Title"; level 0 means that text is no heading.
func atxHeading(text string) (level uint8, title string) {
	marks := len(text) - len(strings.TrimLeft(text, "#"))
	if marks == 0 || marks > 6 {
		return 0, ""
	}
	rest := text[marks:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if open := strings.TrimRight(title, "#"); open == "" || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "\t") {
		title = strings.TrimSpace(open)
	}
	return uint8(marks), title
}

// headingTitle is what the line of a heading says, whether it is marked or underlined.
func headingTitle(text string) string {
	text = strings.TrimSpace(text)
	if level, title := atxHeading(text); level > 0 {
		return title
	}
	return text
}

// underline is the level of the heading that text makes of the line above it; 0: none.
func underline(text string) uint8 {
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// isRule reports whether text is a thematic break: three or more of the same mark with blanks between them.
func isRule(text string) bool {
	mark := text[0]
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// fenceMark is the mark of fenced code that text opens: three or more ` or ~.
func fenceMark(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && (c == "~" || !strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

// closesFence reports whether text ends the code that mark opened.
func closesFence(mark, text string) bool {
	text = strings.TrimRight(text, " \t")
	return len(text) >= len(mark) && strings.Trim(text, mark[:1]) == ""
}

// listMarker reads "-", "*", "+", "1." or "1)" in front of a blank or the end: its width in bytes, 0 without one, and the
// number.
func listMarker(text string) (width, number int) {
	if text == "" {
		return 0, 0
	}
	if strings.IndexByte("-*+", text[0]) >= 0 {
		width = 1
	} else {
		for width < len(text) && width <= 9 && text[width] >= '0' && text[width] <= '9' {
			number = 10*number + int(text[width]-'0')
			width++
		}
		if width == 0 || width > 9 || width == len(text) || text[width] != '.' && text[width] != ')' {
			return 0, 0
		}
		width++
	}
	if width < len(text) && text[width] != ' ' && text[width] != '\t' {
		return 0, 0
	}
	return width, number
}

// mustContinue reports whether a line that looks like a list item is text where it follows a line of a paragraph: a number that
// a sentence was broken in front of, or a lonely dash.
func mustContinue(text string, width, number int) bool {
	bullet := width == 1
	return strings.TrimSpace(text[width:]) == "" || !bullet && number != 1
}

// isTableRule reports whether text rules the columns of a table: "|---|:--:|".
func isTableRule(text string) bool {
	return strings.Contains(text, "|") && strings.Contains(text, "-") && strings.Trim(text, "|:- \t") == ""
}

// htmlEnd is what ends the HTML block that text begins, in lower case; empty for no such block. A comment is one.
func htmlEnd(text string) string {
	for _, block := range []struct{ open, end string }{
		{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"},
	} {
		if len(text) >= len(block.open) && strings.EqualFold(text[:len(block.open)], block.open) {
			return block.end
		}
	}
	return ""
}

// containsFold reports whether text contains part, which is in lower case, in any case.
func containsFold(text, part string) bool {
	return strings.Contains(text, part) || part != "-->" && strings.Contains(strings.ToLower(text), part)
}
