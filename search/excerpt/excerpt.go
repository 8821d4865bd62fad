// Package excerpt cuts excerpts and snippets out of texts.
package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Default size of an excerpt, as in OpenClaw.
const (
	DefaultLines      = 120
	DefaultCharacters = 12_000
)

// Options select the part to read. The zero value reads from the beginning with the defaults.
type Options struct {
	From       int // first line, 1-based; lower values mean 1
	Skip       int // characters of that line to skip: NextSkip of the previous excerpt
	Lines      int // maximum lines; DefaultLines if not positive
	Characters int // maximum code points of Text; DefaultCharacters if not positive
}

// Excerpt is a part of a document.
type Excerpt struct {
	Text      string // whole lines, unchanged, without the last line break; or a part of one line
	From      int    // first line, 1-based
	Lines     int    // number of lines that Text contains, wholly or partly; 0 past the end
	Total     int    // lines of the document
	Truncated bool   // more text follows
	NextFrom  int    // line to continue from; 0 at the end
	NextSkip  int    // characters of line NextFrom already read; non-zero only if that line is too long for one excerpt
}

// Of reads a part of a document. Lines that exceed the character limit are left to the next excerpt. A single line
// longer than the limit is cut between grapheme clusters, and the next excerpt continues inside it. Passing NextFrom
// and NextSkip as From and Skip of the next call reads the whole document; the line break is omitted wherever NextSkip
// is 0.
//
// A line ends with "\n"; a final line break starts no further line. Past the end, the excerpt has no text and no lines.
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

// Behind returns the excerpt renumbered for a longer text that has the given number of lines before this one.
func (e Excerpt) Behind(lines int) Excerpt {
	e.From += lines
	e.Total += lines
	if e.Truncated {
		e.NextFrom += lines
	}
	return e
}

// ReadOn returns a sentence that explains how to continue after an excerpt, given its NextFrom and NextSkip.
func ReadOn(from, skip int) string {
	if skip > 0 {
		return fmt.Sprintf("The line goes on: read from=%d with skip=%d.", from, skip)
	}
	return fmt.Sprintf("More follows: read from=%d.", from)
}

// countLines returns the number of lines of content.
func countLines(content string) int {
	n := strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		n++
	}
	return n
}

// lineAt returns the end of the line that contains start, before its line break, and the start of the next line.
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

// skip returns the byte offset after the first n characters of line.
func skip(line string, n int) int {
	for i := range line {
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}

// fitting returns the longest prefix of line with at most limit characters: whole grapheme clusters, or a part of the
// first if that one is longer.
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
