package chunk

import (
	"strings"

	"reverie/language/sentence"
)

// markdownLine is a line of a document with the cost of a cut before it.
//
// The package has its own line scanner: a full parser takes quadratic time over deeply nested lists (half a minute for
// 36 kB), and its blocks omit the marks of fences and the definitions of links, so they do not cover the text.
type markdownLine struct {
	start, end int   // bytes, without the line break
	level      uint8 // level of a heading, 1 to 6; 0: no heading
	blank      bool
	silent     bool  // a heading, its underline, or a rule: no text
	cost       cost  // of a cut before the line
	under      int32 // 1-based line number of the enclosing list item or of the head of the table; 0: none
}

// lineKind is the kind of block that a non-blank line belongs to.
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
	at      int        // index of the current line
	items   []listItem // open list items, outermost first
	last    lineKind
	lastRow int // line that last refers to; -1: none
	gap     bool
	fence   fence  // the open fence
	quoted  fence  // the open fence inside a quotation
	until   string // end mark of the open HTML block
	rows    int    // rows of the open table, besides its head
	head    int32  // line number of the table's head, 1-based
}

// listItem is an open list item.
type listItem struct {
	column int   // column at which its contents begin
	number int32 // line number, 1-based
}

// fence is an open block of fenced code.
type fence struct {
	mark   string // empty: no fence
	indent int    // column of the mark
	inside int    // column at which the enclosing list item's contents begin
}

// scanLines scans the lines of content for places to cut. It takes linear time.
func scanLines(content string) []markdownLine {
	s := lineScanner{content: content, lines: splitTextLines(content), lastRow: -1}
	if end := s.frontMatter(); end > 0 {
		for i := range end {
			s.lines[i].blank = strings.TrimSpace(s.text(i)) == ""
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

// splitTextLines returns the lines of content.
func splitTextLines(content string) []markdownLine {
	lines := make([]markdownLine, 0, strings.Count(content, "\n")+1)
	for start, end := range sentence.Lines(content) {
		lines = append(lines, markdownLine{start: start, end: end})
	}
	return lines
}

// text returns line i.
func (s *lineScanner) text(i int) string { return s.content[s.lines[i].start:s.lines[i].end] }

// frontMatter returns the number of lines of YAML front matter, including its two rules.
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

// set records the kind of line i.
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

// around returns the line number of the innermost of depth list items; 0 if there is none.
func (s *lineScanner) around(depth int) int32 {
	if depth == 0 {
		return 0
	}
	return s.items[depth-1].number
}

// leave closes all list items but the outermost depth ones, to which the line belongs.
func (s *lineScanner) leave(depth int) {
	s.items = s.items[:depth]
	s.lines[s.at].under = s.around(depth)
}

// inFence reads a line of fenced code.
func (s *lineScanner) inFence(column int, rest string) bool {
	if s.fence.mark == "" {
		return false
	}
	if column < s.fence.inside { // the list item ends, and the fence with it
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

// inHTML reads a line of a comment or of another block with an end mark.
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

// open reads a line that may begin a block; column is its indentation and rest the text after it.
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
	near := inner < 4 // deeper indentation is code, or the continuation of a paragraph
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
	if width, number := listMarker(rest); width > 0 && (near || len(s.items) > 0) &&
		!(flows && depth == len(s.items) && mustContinue(rest, width, number)) {
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
		return s.last, costSoft // also a lazy continuation line
	case s.last == htmlLine && !s.gap:
		return paragraph, costSoft
	}
	s.leave(depth)
	return paragraph, s.between(depth)
}

// between returns the cost of a cut before a block nested in depth list items.
func (s *lineScanner) between(depth int) cost {
	if depth == 0 {
		return costBlock
	}
	return inItem(depth)
}

// heading reads a heading, either an ATX heading or the underline of the previous line.
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

// opensParagraph reports whether line i is the first line of its paragraph. Only a paragraph of one line becomes a
// heading by an underline: after several lines, "---" is read as a rule.
func (s *lineScanner) opensParagraph(i int) bool { return s.lines[i].cost != costSoft }

// item reads a list item whose marker takes width bytes of rest.
func (s *lineScanner) item(column int, rest string, width, depth int, flows bool) (lineKind, cost) {
	cost := betweenItems(depth)
	if depth == 0 && len(s.items) == 0 && !flows { // the list begins; one introduced by a paragraph stays with it
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

// tableAhead reports whether the line is the head of a table: the next line is a table rule.
func (s *lineScanner) tableAhead() bool {
	if s.at+1 >= len(s.lines) || !strings.Contains(s.text(s.at), "|") {
		return false
	}
	return isTableRule(s.text(s.at + 1))
}

// outdent removes leading blanks from text, which begins at column from, and returns the column of the rest. A tab
// advances to the next multiple of four.
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

// atxHeading reads "## Title"; it returns level 0 if text is not a heading.
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

// headingTitle returns the title of a heading line, ATX or underlined.
func headingTitle(text string) string {
	text = strings.TrimSpace(text)
	if level, title := atxHeading(text); level > 0 {
		return title
	}
	return text
}

// underline returns the level of the heading that text, as an underline, makes of the line above; 0: none.
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

// isRule reports whether text is a thematic break: three or more of the same mark with optional blanks between them.
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

// fenceMark returns the opening mark of fenced code in text: three or more ` or ~.
func fenceMark(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && (c == "~" || !strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

// closesFence reports whether text ends the code opened by mark.
func closesFence(mark, text string) bool {
	text = strings.TrimRight(text, " \t")
	return len(text) >= len(mark) && strings.Trim(text, mark[:1]) == ""
}

// listMarker reads "-", "*", "+", "1." or "1)" before a blank or the end of text. It returns the width in bytes, 0
// without a marker, and the number.
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

// mustContinue reports whether a line that looks like a list item continues the paragraph above it: a number at a line
// break in a sentence, or a single dash.
func mustContinue(text string, width, number int) bool {
	bullet := width == 1
	return strings.TrimSpace(text[width:]) == "" || !bullet && number != 1
}

// isTableRule reports whether text is the rule below a table's head: "|---|:--:|".
func isTableRule(text string) bool {
	return strings.Contains(text, "|") && strings.Contains(text, "-") && strings.Trim(text, "|:- \t") == ""
}

// htmlEnd returns the end mark, in lower case, of the HTML block or comment that text begins; empty if there is none.
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

// containsFold reports whether text contains part, ignoring case. part must be in lower case.
func containsFold(text, part string) bool {
	return strings.Contains(text, part) || part != "-->" && strings.Contains(strings.ToLower(text), part)
}
