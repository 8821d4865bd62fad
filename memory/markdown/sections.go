package markdown

import (
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"
)

// Section is a heading of a Markdown document with the lines up to the next heading of any level. The lines before the
// first heading are a section without heading.
type Section struct {
	Heading string   // without number signs; empty before the first heading
	Level   int      // 1 to 6; 0 without heading
	Lines   []string // below the heading, without line breaks, including blank lines
}

// heading is a line that is a heading.
type heading struct {
	line  int // from 0
	level int
	text  string
}

// Sections splits a document at its headings ("## Facts"). Lines in fenced or indented code and in front matter are no
// headings. An empty document has no sections.
func Sections(doc string) []Section {
	lines := Lines(doc)
	var out []Section
	at := Section{}
	from := 0
	for _, h := range headings(doc) {
		if at.Lines = lines[from:h.line]; at.Level > 0 || len(at.Lines) > 0 {
			out = append(out, at)
		}
		at = Section{Heading: h.text, Level: h.level}
		from = h.line + 1
	}
	if at.Lines = lines[from:]; at.Level > 0 || len(at.Lines) > 0 {
		out = append(out, at)
	}
	return out
}

// SectionEnd returns the number of lines up to the last non-blank line of the first matching section, heading included: the
// place to insert a line. It returns 0 if no section matches.
func SectionEnd(content string, matches func(Section) bool) int {
	n := 0
	for _, section := range Sections(content) {
		if section.Level > 0 {
			n++
		}
		if !matches(section) {
			n += len(section.Lines)
			continue
		}
		end := n
		for i, line := range section.Lines {
			if strings.TrimSpace(line) != "" {
				end = n + i + 1
			}
		}
		return end
	}
	return 0
}

// HeadingLevel returns the number of number signs at the beginning of a line.
func HeadingLevel(line string) int {
	line = strings.TrimLeft(line, " ")
	return len(line) - len(strings.TrimLeft(line, "#"))
}

// HeadingLines returns the indexes of the lines of a document that are headings, from 0.
func HeadingLines(doc string) map[int]bool {
	out := map[int]bool{}
	for _, h := range headings(doc) {
		out[h.line] = true
	}
	return out
}

// headings returns the ATX headings of a document.
func headings(doc string) []heading {
	lines := Lines(doc)
	return headingsFrom(lines, frontMatter(lines))
}

// headingsFrom returns the headings from line start on.
func headingsFrom(lines []string, start int) []heading {
	var (
		out   []heading
		fence string // open fence
	)
	for i := start; i < len(lines); i++ {
		line, indented := outdented(lines[i])
		switch mark := fenceOf(line); {
		case indented:
		case fence != "":
			if closesFence(line, fence) {
				fence = ""
			}
		case mark != "":
			fence = mark
		default:
			if level, text := headingOf(line); level > 0 {
				out = append(out, heading{line: i, level: level, text: text})
			}
		}
	}
	return out
}

// frontMatter returns the number of lines of a document's YAML front matter, including its delimiters.
func frontMatter(lines []string) int {
	if len(lines) == 0 || lines[0] != "---" {
		return 0
	}
	if end := slices.Index(lines[1:], "---"); end >= 0 {
		return end + 2
	}
	return 0
}

// outdented removes up to three leading spaces. A line with more is indented code, or continues a list item.
func outdented(line string) (rest string, indented bool) {
	rest = strings.TrimLeft(line, " ")
	return rest, len(line)-len(rest) > 3 || strings.HasPrefix(rest, "\t")
}

// fenceOf returns the mark at the beginning of line that opens or closes fenced code: three or more ` or ~.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 && (c == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// closesFence reports whether line closes the code block that fence opened.
func closesFence(line, fence string) bool {
	mark := fenceOf(line)
	return mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.TrimSpace(line[len(mark):]) == ""
}

// headingOf parses an ATX heading. Level 0 means that line is not a heading.
func headingOf(line string) (level int, text string) {
	level = len(line) - len(strings.TrimLeft(line, "#"))
	if level == 0 || level > 6 {
		return 0, ""
	}
	rest := line[level:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	text = strings.TrimSpace(rest)
	if closed := strings.TrimRight(text, "#"); closed == "" || strings.HasSuffix(closed, " ") || strings.HasSuffix(closed, "\t") {
		text = strings.TrimSpace(closed)
	}
	return level, text
}

// blockParser parses the block structure of CommonMark. It has no inline parsers: nothing here reads inside of paragraphs,
// and they are the expensive part.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// parsed parses a document after its front matter, which a Markdown parser would take for a heading. from is the length of
// the front matter in bytes; positions in the tree are relative to it.
func parsed(document string) (tree ast.Node, source []byte, from int) {
	lines := splitLines(document)
	for _, line := range lines[:frontMatter(Lines(document))] {
		from += len(line)
	}
	source = []byte(document[from:])
	return blockParser().Parse(text.NewReader(source)), source, from
}

// titled is a heading of the document itself, in ATX or setext form. Headings inside of lists and quotations do not count.
type titled struct {
	name

	at int // offset of its line
}

// moved returns the heading at an offset that many bytes later.
func (t titled) moved(bytes int) titled {
	t.at += bytes
	return t
}

// name identifies a section.
type name struct {
	level int
	key   string // heading for comparison: Markdown as written, white space collapsed, Unicode form C
}

// titles returns the headings of a document, found by a Markdown parser. Lines in code, HTML and front matter do not count.
func titles(document string) []titled {
	tree, source, from := parsed(document)
	var out []titled
	for node := tree.FirstChild(); node != nil; node = node.NextSibling() {
		h, ok := node.(*ast.Heading)
		if !ok {
			continue
		}
		at := strings.LastIndexByte(document[:from+h.Pos()], '\n') + 1
		key := norm.NFC.String(strings.Join(strings.Fields(string(h.Lines().Value(source))), " "))
		out = append(out, titled{name: name{level: h.Level, key: key}, at: at})
	}
	return out
}

// spans returns the range in bytes of each section, nested ones included: the section of titles[i] extends from its heading
// to the next heading of the same or a higher level.
func spans(document string, titles []titled) [][2]int {
	out := make([][2]int, len(titles))
	var open []int
	for i, h := range titles {
		for len(open) > 0 && titles[open[len(open)-1]].level >= h.level {
			out[open[len(open)-1]][1] = h.at
			open = open[:len(open)-1]
		}
		out[i][0] = h.at
		open = append(open, i)
	}
	for _, i := range open {
		out[i][1] = len(document)
	}
	return out
}

// TopSection returns the text of the first level-2 section with the given heading, without blank lines around it, and the
// 1-based lines that the section covers, heading included and to inclusive. found is false if there is no such section.
func TopSection(document, heading string) (text string, from, to int, found bool) {
	start, end, found := topSpan(document, heading)
	if !found {
		return "", 0, 0, false
	}
	_, body, _ := strings.Cut(document[start:end], "\n")
	from = strings.Count(document[:start], "\n") + 1
	to = from + strings.Count(strings.TrimRight(document[start:end], " \t\r\n"), "\n")
	return strings.TrimSpace(withLineBreak(body, "\n")), from, to, true
}

// TopHeadingAt returns the heading of the level-2 section that contains a line, counted from 1. It is empty outside of such
// sections.
func TopHeadingAt(document string, line int) string {
	at := 0 // byte at which the line begins
	for range line - 1 {
		next := strings.IndexByte(document[at:], '\n')
		if next < 0 {
			return ""
		}
		at += next + 1
	}
	headings := titles(document)
	for i, span := range spans(document, headings) {
		if headings[i].level == topLevel && span[0] <= at && at < span[1] {
			return headings[i].key
		}
	}
	return ""
}

// SectionError reports that a text cannot be put into a section.
type SectionError struct{ Problem string }

// Error returns the problem and its correction.
func (e *SectionError) Error() string { return e.Problem }

// WithTopSection replaces the text of the level-2 section with the given heading, or appends the section if it is missing.
//
// Every other byte of the document stays, and so do all other headings. It returns a *SectionError for a text that would
// end the section, begin another one or swallow what follows: headings of level 1 and 2, open code and open comments.
func WithTopSection(document, heading, text string) (string, error) {
	if err := fitsInSection(text); err != nil {
		return "", err
	}
	text = strings.Trim(withLineBreak(text, "\n"), "\n")
	section := strings.Repeat("#", topLevel) + " " + heading + "\n"
	if !isBlank(text) {
		section += "\n" + text + "\n"
	}
	start, end, found := topSpan(document, heading)
	var out string
	switch {
	case found && end < len(document):
		out = document[:start] + section + "\n" + document[end:]
	case found:
		out = document[:start] + section
	case isBlank(document):
		out = section
	default:
		out = withoutBlankEnd(document) + "\n\n" + section
	}
	_, _, added := topSpan(out, heading)
	if !added || !slices.Equal(outlineWithout(document, heading), outlineWithout(out, heading)) {
		return "", &SectionError{"The document has open code or an open comment: close it before adding a section"}
	}
	return out, nil
}

// topLevel is the level of the headings of WithTopSection.
const topLevel = 2

// topSpan returns the range in bytes of the first level-2 section with the given heading.
func topSpan(document, heading string) (start, end int, found bool) {
	wanted := titles(strings.Repeat("#", topLevel) + " " + heading + "\n")[0].name
	headings := titles(document)
	at := slices.IndexFunc(headings, func(t titled) bool { return t.name == wanted })
	if at < 0 {
		return 0, 0, false
	}
	span := spans(document, headings)[at]
	return span[0], span[1], true
}

// fitsInSection refuses text that would not stay within a level-2 section.
func fitsInSection(text string) error {
	const (
		sentinel = "\n\n## End\n"
		levels   = "Use headings of level 3 and below, and no line of === or --- under text: " +
			"the section of the person who speaks has level 2"
	)
	text = withLineBreak(text, "\n")
	if strings.Contains(text, "\r") {
		return &SectionError{"End lines with a line break, not with a carriage return"}
	}
	under := "x\n\n" + text // so that it cannot begin with front matter
	headings := titles(under + sentinel)
	if n := len(headings); n == 0 || headings[n-1].at != len(under)+2 {
		return &SectionError{"Close the code block or comment"}
	}
	if slices.ContainsFunc(headings[:len(headings)-1], func(t titled) bool { return t.level <= topLevel }) {
		return &SectionError{levels}
	}
	sections := Sections(under + sentinel)
	if n := len(sections); n == 0 || sections[n-1].Heading != "End" {
		return &SectionError{"Close the code block"}
	}
	isTop := func(s Section) bool { return s.Level > 0 && s.Level <= topLevel }
	if slices.ContainsFunc(sections[:len(sections)-1], isTop) {
		return &SectionError{levels}
	}
	return nil
}

// outlineWithout returns the headings of a document, except those within one level-2 section.
func outlineWithout(document, heading string) []name {
	start, end, found := topSpan(document, heading)
	var out []name
	for _, t := range titles(document) {
		if !found || t.at < start || t.at >= end {
			out = append(out, t.name)
		}
	}
	return out
}
