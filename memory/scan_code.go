package memory

import "strings"

// span is a range of a text.
type span struct{ from, to int }

// codeSpans are the ranges of a Markdown text that are shown as they stand: fenced blocks and inline code, in order.
//
// It follows CommonMark where a text could otherwise pass as code what is shown as HTML: inline code ends with its
// paragraph, an escaped backtick begins none, and a fence indented like a list item's covers only lines indented so too.
// Indented blocks do not count, since in a list they are ordinary text.
func codeSpans(text string) []span {
	var spans []span
	paragraph := 0
	inline := func(to int) { spans = inlineCode(spans, text, paragraph, to) }
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		if strings.TrimLeft(line, " \t\r\n>") == "" {
			inline(at)
			paragraph = end
		} else if f, ok := opensFence(line); ok {
			inline(at)
			end = f.close(text, end)
			spans = append(spans, span{from: at, to: end})
			paragraph = end
		}
		at = end
	}
	inline(len(text))
	return spans
}

// lineEnd is where the line that begins at an offset ends, after its line break.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// fence is the opening of a fenced block.
type fence struct {
	mark   byte
	length int
	indent int // columns before it, without a quote's marks
}

// opensFence reports whether a line opens a fenced block, also within a list or a quote.
func opensFence(line string) (fence, bool) {
	rest, indent := unquote(line)
	for _, marker := range []string{"- ", "* ", "+ "} {
		if after, ok := strings.CutPrefix(rest, marker); ok {
			rest, indent = after, indent+len(marker)
		}
	}
	f, info, ok := fenceMarks(rest)
	f.indent = indent
	return f, ok && (f.mark == '~' || !strings.Contains(info, "`"))
}

// unquote takes the marks of a quote and the indentation off a line, and counts the latter.
func unquote(line string) (rest string, indent int) {
	rest = line
	for {
		trimmed := strings.TrimLeft(rest, " \t")
		indent = len(rest) - len(trimmed)
		after, quoted := strings.CutPrefix(trimmed, ">")
		if !quoted {
			return trimmed, indent
		}
		rest = strings.TrimPrefix(after, " ")
	}
}

func fenceMarks(line string) (f fence, info string, ok bool) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return fence{}, "", false
	}
	info = strings.TrimLeft(line, line[:1])
	f = fence{mark: line[0], length: len(line) - len(info)}
	return f, info, f.length >= 3
}

// close is where the block that was opened before an offset ends, after its closing fence or at the end of the text.
func (f fence) close(text string, at int) int {
	for at < len(text) {
		end := lineEnd(text, at)
		rest, indent := unquote(text[at:end])
		if f.indent > 3 && indent < 4 && strings.TrimSpace(rest) != "" {
			return at
		}
		if marks, info, ok := fenceMarks(rest); ok && marks.mark == f.mark && marks.length >= f.length && strings.TrimSpace(info) == "" {
			return end
		}
		at = end
	}
	return at
}

// inlineCode adds the inline code of text[from:to], a paragraph.
func inlineCode(spans []span, text string, from, to int) []span {
	if strings.IndexByte(text[from:to], '`') < 0 {
		return spans
	}
	// The runs of backticks by length, so that finding the end of each is one look.
	runs := map[int][]int{}
	for at := from; at < to; at++ {
		if text[at] == '`' {
			length := backticks(text, at, to)
			runs[length] = append(runs[length], at)
			at += length - 1
		}
	}
	for at := from; at < to; at++ {
		switch text[at] {
		case '\\':
			at++
		case '`':
			length := backticks(text, at, to)
			ends := runs[length]
			for len(ends) > 0 && ends[0] < at+length {
				ends = ends[1:]
			}
			runs[length] = ends
			if len(ends) > 0 {
				spans = append(spans, span{from: at, to: ends[0] + length})
				at = ends[0]
			}
			at += length - 1
		}
	}
	return spans
}

// backticks is the length of the run of backticks at an offset.
func backticks(text string, at, to int) int {
	end := at
	for end < to && text[end] == '`' {
		end++
	}
	return end - at
}

// within reports whether an offset lies in one of the spans, which are in order.
func within(spans []span, at int) bool {
	low, high := 0, len(spans)
	for low < high {
		middle := (low + high) / 2
		if spans[middle].to <= at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < len(spans) && spans[low].from <= at
}
