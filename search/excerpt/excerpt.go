// Package excerpt cuts excerpts and snippets out of texts.
package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// How much of a document is read at once, as in OpenClaw.
const (
	DefaultLines      = 120
	DefaultCharacters = 12_000
)

// Options say what to read. The zero value reads from the beginning with the defaults.
type Options struct {
	From       int // line, from 1; less means 1
	Skip       int // characters of that line that are known already: NextSkip of the excerpt before
	Lines      int // how many; DefaultExcerptLines if not positive
	Characters int // code points of Text at most; DefaultExcerptCharacters if not positive
}

// Excerpt is a stretch of a document.
type Excerpt struct {
	Text      string // whole lines, as they are in the document, without the last line break; or a part of one line
	From      int    // line, from 1
	Lines     int    // how many lines Text has or has a part of; 0 behind the end
	Total     int    // lines of the document
	Truncated bool   // more follows
	NextFrom  int    // line to go on from; 0 if nothing follows
	NextSkip  int    // characters of line NextFrom that are read already: not 0 only if the line is too long for an excerpt
}

// Of reads a part of a document. Lines that do not fit into the characters are left to the next excerpt. One line that is
// longer than that alone is cut between grapheme clusters, and the next excerpt goes on inside it: with NextFrom and NextSkip of
// one as From and Skip of the next, the excerpts are all that the document says, each line break lost where NextSkip is 0.
//
// A line ends with "\n"; what a document ends with is no further line. Behind the end there is no text and no line.
func Of(content string, o Options) Excerpt {
	if o.Lines <= 0 {
		o.Lines = DefaultLines
	}
	if o.Characters <= 0 {
		o.Characters = DefaultCharacters
	}
	e := Excerpt{From: max(o.From, 1), Total: countLines(content)}
	if e.From > e.Total {
		return e
	}
	first := 0
	for range e.From - 1 {
		_, first = lineAt(content, first)
	}
	firstEnd, _ := lineAt(content, first)
	start := first + skip(content[first:firstEnd], max(o.Skip, 0))
	end, next, characters := start, start, 0
	for e.Lines < o.Lines && next < len(content) {
		lineEnd, behind := lineAt(content, next)
		characters += utf8.RuneCountInString(content[end:lineEnd])
		if characters > o.Characters {
			break
		}
		end, next = lineEnd, behind
		e.Lines++
	}
	if e.Lines == 0 { // the first line is too long
		e.Text = fitting(content[start:firstEnd], o.Characters)
		e.Lines, e.Truncated, e.NextFrom = 1, true, e.From
		e.NextSkip = utf8.RuneCountInString(content[first : start+len(e.Text)])
		return e
	}
	e.Text = content[start:end]
	if next < len(content) {
		e.Truncated, e.NextFrom = true, e.From+e.Lines
	}
	return e
}

// Behind is the excerpt as one of a longer text, in which lines stand before what it was read from.
func (e Excerpt) Behind(lines int) Excerpt {
	e.From += lines
	e.Total += lines
	if e.Truncated {
		e.NextFrom += lines
	}
	return e
}

// ReadOn says in words how to go on reading behind an excerpt: its NextFrom and NextSkip.
func ReadOn(from, skip int) string {
	if skip > 0 {
		return fmt.Sprintf("The line goes on: read from=%d with skip=%d.", from, skip)
	}
	return fmt.Sprintf("More follows: read from=%d.", from)
}

// countLines is how many lines content has.
func countLines(content string) int {
	n := strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		n++
	}
	return n
}

// lineAt finds the end of the line that goes on at start, in front of its line break, and where the next one begins.
func lineAt(content string, start int) (end, next int) {
	n := strings.IndexByte(content[start:], '\n')
	if n < 0 {
		return len(content), len(content)
	}
	end = start + n
	if n > 0 && content[end-1] == '\r' {
		end--
	}
	return end, start + n + 1
}

// skip is where n characters of line end.
func skip(line string, n int) int {
	for i := range line {
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}

// fitting is as much of line as has at most limit characters: whole grapheme clusters, or a part of the first if it has more.
func fitting(line string, limit int) string {
	characters, end := 0, 0
	for clusters := graphemes.FromString(line); clusters.Next(); {
		characters += utf8.RuneCountInString(clusters.Value())
		if characters > limit {
			break
		}
		end = clusters.End()
	}
	if end == 0 {
		end = skip(line, limit)
	}
	return line[:end]
}
