package view

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"reverie/memory"
)

// Row is a part of a document with its origin.
type Row struct {
	From, To int // lines, from 1
	HTML     string
	Text     string // of a row of the source
	Origin   Origin
	Repeats  bool // the origin is that of the row before
}

// maxRow bounds what is shown of one row, in bytes. The rest is in the form for editing.
const maxRow = 16 << 10

// Rendered returns a document as sanitised HTML, block by block, each with the origin of its latest line.
func Rendered(content string, lines []memory.BlameLine, origin func(memory.BlameLine) Origin) []Row {
	source := []byte(Visible(shorten(content)))
	offsets := lineOffsets(source)
	var rows []Row
	for _, b := range blocks(markdown.Parser().Parse(text.NewReader(source)), nil) {
		from, to := b.lines(offsets)
		if from == 0 { // without text, such as a rule
			continue
		}
		var out bytes.Buffer
		if err := markdown.Renderer().Render(&out, source, b.node); err != nil {
			out.Reset()
			out.WriteString("<p>" + html.EscapeString(string(source[offsets[from-1]:min(offsets[to], len(source))])) + "</p>")
		}
		row := Row{From: from, To: to, HTML: sanitizer.Sanitize(b.open + out.String() + b.close)}
		if latest := latestOf(lines, from, to); latest != nil {
			row.Origin = origin(*latest)
		}
		rows = append(rows, repeated(rows, row))
	}
	return rows
}

// SourceRows returns the lines of a document with their origins.
func SourceRows(lines []memory.BlameLine, origin func(memory.BlameLine) Origin) []Row {
	var rows []Row
	for i, l := range lines {
		row := Row{From: i + 1, To: i + 1, Text: Visible(shortenLine(l.Line)), Origin: origin(l)}
		rows = append(rows, repeated(rows, row))
	}
	return rows
}

// repeated marks a row that has the origin of the row before.
func repeated(rows []Row, row Row) Row {
	if n := len(rows); n > 0 {
		last := rows[n-1].Origin
		row.Repeats = last.Version == row.Origin.Version && fmt.Sprint(last.Messages) == fmt.Sprint(row.Origin.Messages)
	}
	return row
}

// latestOf returns the line with the highest version; nil: there is none.
func latestOf(lines []memory.BlameLine, from, to int) *memory.BlameLine {
	var latest *memory.BlameLine
	for i := from - 1; i < min(to, len(lines)); i++ {
		if latest == nil || lines[i].Version > latest.Version {
			latest = &lines[i]
		}
	}
	return latest
}

// shorten cuts lines that are too long to show.
func shorten(content string) string {
	if len(content) <= maxRow {
		return content
	}
	lines := strings.Split(content, "\n")
	for i, line := range lines {
		lines[i] = shortenLine(line)
	}
	return strings.Join(lines, "\n")
}

func shortenLine(line string) string {
	if len(line) <= maxRow {
		return line
	}
	return fmt.Sprintf("%s … (%d more bytes)", strings.ToValidUTF8(line[:maxRow], ""), len(line)-maxRow)
}

// hidden are characters that change the direction of text or take no room: they could make a line look like another one.
var hidden = regexp.MustCompile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")

// Visible replaces hidden characters by their names.
func Visible(s string) string {
	return hidden.ReplaceAllStringFunc(s, func(c string) string { return fmt.Sprintf("[U+%04X]", []rune(c)[0]) })
}

// markdown reads and renders documents. HTML in them is shown, not interpreted, and images are not loaded: they could reveal to others that the
// document was read.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plain{}, 10)), goldmarkhtml.WithXHTML()),
)

// sanitizer lets through what documents are rendered to, and nothing else.
var sanitizer = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "li", "blockquote", "pre", "code", "em", "strong", "del", "hr", "br", "table",
		"thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowElements("ol")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}()

// plain renders what could do something as text.
type plain struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (plain) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, is := n.(*ast.RawHTML); is && entering {
			for i := range raw.Segments.Len() {
				s := raw.Segments.At(i)
				_, _ = w.WriteString(html.EscapeString(string(s.Value(source))))
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, is := n.(*ast.HTMLBlock); is && entering {
			_, _ = w.WriteString("<pre>")
			for i := range block.Lines().Len() {
				s := block.Lines().At(i)
				_, _ = w.WriteString(html.EscapeString(string(s.Value(source))))
			}
			if block.HasClosure() {
				_, _ = w.WriteString(html.EscapeString(string(block.ClosureLine.Value(source))))
			}
			_, _ = w.WriteString("</pre>")
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, is := n.(*ast.Image); is && !entering {
			_, _ = w.WriteString(" " + html.EscapeString(string(image.Destination)) + "]")
		} else {
			_, _ = w.WriteString("[image: ")
		}
		return ast.WalkContinue, nil
	})
}

// block is a part of a document that is shown as one row, with the tags of the list around it.
type block struct {
	node        ast.Node
	open, close string
}

// blocks returns the children of a node; lists give an item each.
func blocks(parent ast.Node, found []block) []block {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		list, is := n.(*ast.List)
		if !is {
			found = append(found, block{node: n})
			continue
		}
		number := list.Start
		for item := list.FirstChild(); item != nil; item = item.NextSibling() {
			b := block{node: item, open: "<ul>", close: "</ul>"}
			if list.IsOrdered() {
				b.open, b.close = fmt.Sprintf(`<ol start="%d">`, number), "</ol>"
				number++
			}
			found = append(found, b)
		}
	}
	return found
}

// lines returns the first and the last line of a block, from 1; 0: it has no text.
func (b block) lines(offsets []int) (from, to int) {
	lineAt := func(offset int) int {
		low, high := 0, len(offsets)-1
		for low < high {
			if middle := (low + high + 1) / 2; offsets[middle] <= offset {
				low = middle
			} else {
				high = middle - 1
			}
		}
		return low + 1
	}
	_ = ast.Walk(b.node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		for i := range n.Lines().Len() {
			s := n.Lines().At(i)
			if at := lineAt(s.Start); from == 0 || at < from {
				from = at
			}
			to = max(to, lineAt(max(s.Start, s.Stop-1)))
		}
		return ast.WalkContinue, nil
	})
	return from, to
}

// lineOffsets returns where the lines of a text begin, and its end.
func lineOffsets(source []byte) []int {
	offsets := []int{0}
	for i, c := range source {
		if c == '\n' && i+1 < len(source) {
			offsets = append(offsets, i+1)
		}
	}
	return offsets
}

// raw writes HTML that Rendered has sanitised.
func raw(sanitised string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, sanitised)
		return err
	})
}

// subpage is a page of a section, for those who may use it.
type subpage struct {
	Page, Name string
	person     bool // only of somebody's memory, not of what is shared
	write      bool // only for those who may change something
	decides    bool // only for administrators, and for people with a key of theirs
}

// sections are the pages of each section that has several.
var sections = map[string][]subpage{
	"memory": {
		{Page: "memory", Name: "Documents"},
		{Page: "context", Name: "What a model sees", person: true, write: true},
		{Page: "transfer", Name: "Export and import"},
		{Page: "deletions", Name: "Delete", write: true, decides: true},
	},
	"conversations": {
		{Page: "conversations", Name: "Conversations"}, {Page: "chat", Name: "Chat", person: true, write: true}, {Page: "injections", Name: "What was injected", person: true},
	},
	"timeline": {{Page: "timeline", Name: "Timeline"}, {Page: "card", Name: "Morning card", person: true}},
	"held":     {{Page: "held", Name: "Instructions"}, {Page: "approvals", Name: "Changes to approve", decides: true}},
	"facts":    {{Page: "facts", Name: "Facts"}, {Page: "contradictions", Name: "Contradictions"}, {Page: "archived", Name: "Archived"}},
}

// subpages returns the pages of the section of a frame, if it is one of them or belongs to one.
func (f Frame) subpages() []subpage {
	pages := slices.DeleteFunc(slices.Clone(sections[f.Section]), func(p subpage) bool {
		return p.person && f.Owner == "" || p.write && !f.MayWrite || p.decides && f.Role != "admin" && f.Pinned == ""
	})
	if !slices.ContainsFunc(pages, func(p subpage) bool { return f.within(p) != "" }) {
		return nil
	}
	return pages
}

// within returns the value of aria-current for a page: the one that is shown, or the one that it belongs to.
func (f Frame) within(p subpage) string {
	switch first, _, _ := strings.Cut(f.Page, "/"); {
	case f.Page == p.Page:
		return "page"
	case first == p.Page:
		return "true"
	}
	return ""
}

// Approvals are changes that wait for a person.
type Approvals struct {
	Items       []Approval
	All, Across bool   // with those that are decided; of every owner
	Next        string // cursor of older ones
}

// Approval is a change of one document that waits for a person, or did.
type Approval struct {
	ID, Path, Scope, Owner, Reason, Conversation string
	By                                           Author
	From, To                                     int64
	At, Expires                                  time.Time
	Waiting                                      int
	Applies, Expired                             bool
	Made                                         bool // the document exists
	Lines                                        []ApprovalLine
}

// ApprovalLine is a line that a change removes, adds or replaces.
type ApprovalLine struct {
	Line                                 int
	Removed, Added, Decision, Text, Note string
	Headings                             string // new ones that come with the line
	By                                   Author
	Sources                              []LineSource
}

// LineSource is a message that a line comes from.
type LineSource struct {
	Conversation string
	Message      int64
}

// shown names a line for those who do not see it.
func (l ApprovalLine) shown() string {
	if l.Added != "" {
		return l.Added
	}
	return "remove " + l.Removed
}

// approvalsOf is the address of what waits for the caller; of an administrator, for everybody.
func approvalsOf(a Agent) string {
	whom := Shared
	if a.Whom == Me {
		whom = Me
	}
	return "/agents/" + a.ID + "/of/" + whom + "/approvals"
}

var decisionNames = map[string]string{"approve": "Approved", "edit": "Approved in other words", "refuse": "Refused"}
