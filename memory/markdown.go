package memory

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"
)

// blockParser reads the block structure of CommonMark. Inline parsers are left out: nothing here looks inside of a paragraph, and they
// are the costly part.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// parsed parses a document behind its front matter, which a Markdown parser takes for a heading. from is how many bytes of the
// document the front matter has: positions in the tree count from there.
func parsed(document string) (tree ast.Node, source []byte, from int) {
	lines := splitLines(document)
	for _, line := range lines[:frontMatter(lineTexts(document))] {
		from += len(line)
	}
	source = []byte(document[from:])
	return blockParser().Parse(text.NewReader(source)), source, from
}

// titled is a heading of the document itself, in ATX or setext form. Those inside of lists and quotations belong to the list or
// the quotation.
type titled struct {
	name

	at int // byte at which its line begins
}

// moved is the heading some bytes further on.
func (t titled) moved(bytes int) titled {
	t.at += bytes
	return t
}

// name is what tells one section from another.
type name struct {
	level int
	key   string // its heading as it is compared: Markdown as written, each run of white space one space, Unicode form C
}

// titles finds the headings of a document with a Markdown parser: lines in code, HTML and front matter are none.
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

// spans is where sections stand, nested ones included: the section of titles[i] reaches from its heading to the next heading of
// the same or a higher level, in bytes.
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
