package scan

import (
	"html"
	"strings"
	"unicode"

	"reverie/language/lazyregexp"
)

// longestTag bounds the bytes of a tag that are checked.
const longestTag = 2000

// activeTags maps active elements to the attributes that make them active, nil for none.
var activeTags = map[string]*lazyregexp.Regexp{
	"script":   nil,
	"iframe":   nil,
	"frame":    nil,
	"frameset": nil,
	"object":   lazyregexp.New(`\b(?:data|type|classid|codebase)\s*=`), // not the type in List<Object>
	"embed":    lazyregexp.New(`=`),
	"applet":   lazyregexp.New(`=`),
	"base":     lazyregexp.New(`\bhref\s*=`),
	"link":     lazyregexp.New(`\brel\s*=\s*["']?(?:stylesheet|import|preload|modulepreload)`),
	"meta":     lazyregexp.New(`http-equiv\s*=\s*["']?\s*refresh`),
}

// handler matches an attribute with an event handler.
var handler = lazyregexp.New(`[\s/"']on(?:abort|after|animation|auxclick|before|begin|blur|bounce|can|change|click|close|content|` +
	`copy|cue|cut|dblclick|drag|drop|duration|` +
	`emptied|end|error|finish|focus|form|fullscreen|gotpointer|hashchange|input|invalid|key|load|lostpointer|message|mouse|page|paste|` +
	`pause|play|pointer|popstate|progress|` +
	`rate|readystate|repeat|reset|resize|scroll|search|seek|select|show|slot|stalled|start|storage|submit|suspend|time|toggle|touch|` +
	`transition|unload|visibility|volume|` +
	`waiting|webkit|wheel)[a-z]*\s*=`)

// addressHeads find the text before an address: attributes, and Markdown's links (true).
var addressHeads = func() *literals[bool] {
	heads := &literals[bool]{}
	for _, head := range []string{"href", "src", "action", "formaction", "data", "](", "]:"} {
		heads.Add(head, strings.HasPrefix(head, "]"))
	}
	return heads
}()

// html finds active HTML: scripts, frames, event handlers, and addresses that are programs. HTML in code is shown and not
// run.
func (s *scanner) html() {
	if !strings.ContainsAny(s.text, "<]") {
		return
	}
	code := codeSpans(s.text)
	block := func(rule string, at int) {
		if !within(code, at) {
			s.block(classHTML, rule, s.line(at))
		}
	}
	for at := strings.IndexByte(s.lower, '<'); at >= 0; {
		name, attributes := tagAt(s.lower, at)
		if needs, active := activeTags[name]; active && (needs == nil || needs.MatchString(attributes)) {
			block(name, at)
		} else if name != "" && handler.MatchString(attributes) {
			block("handler", at)
		}
		next := strings.IndexByte(s.lower[at+1:], '<')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	addressHeads.Each(s.lower, func(from, to int, markdown bool) {
		if address, ok := addressAfter(window(s.lower, to, 200), markdown); ok && isProgram(address) {
			block("program-address", from)
		}
	})
}

// tagAt returns the name of the tag at an offset, and its attributes up to the end of the tag: ">" outside of quotes, or
// the next "<". The name is empty if there is no tag.
func tagAt(text string, at int) (name, attributes string) {
	rest := window(text, at+1, longestTag)
	if trimmed := strings.TrimLeft(rest, " \t\n"); strings.HasPrefix(trimmed, "script") {
		rest = trimmed // browsers do not accept it as a tag, but some sanitizers do
	}
	end := 0
	for end < len(rest) && (isWordByte(rest[end]) || end > 0 && strings.IndexByte("-_:.", rest[end]) >= 0) {
		end++
	}
	if end < len(rest) && strings.IndexByte(" \t\r\n\f/>", rest[end]) < 0 {
		return "", ""
	}
	name, rest = rest[:end], rest[end:]
	for at := 0; at < len(rest); at++ {
		switch rest[at] {
		case '>', '<':
			return name, rest[:at]
		case '"', '\'':
			closing := strings.IndexByte(rest[at+1:], rest[at])
			if closing < 0 {
				until, _, _ := strings.Cut(rest[at:], "<")
				return name, rest[:at] + until
			}
			at += 1 + closing
		}
	}
	return name, rest
}

// addressAfter returns the beginning of the address after an attribute's name or the opening of a Markdown link.
func addressAfter(rest string, markdown bool) (address string, ok bool) {
	rest = strings.TrimLeft(rest, " \t\n")
	if !markdown {
		if rest, ok = strings.CutPrefix(rest, "="); !ok {
			return "", false
		}
	}
	return strings.TrimLeft(rest, " \t\n\"'<"), true
}

// isProgram reports whether a browser runs an address. Browsers ignore white space in its scheme.
func isProgram(address string) bool {
	if len(address) > 0 && !strings.ContainsRune("jvd&", rune(address[0])) {
		return false
	}
	address = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, html.UnescapeString(address))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:text/html", "data:image/svg+xml", "data:application/xhtml"} {
		if strings.HasPrefix(address, scheme) {
			return true
		}
	}
	return false
}

// span is a range of a text.
type span struct{ from, to int }

// codeSpans returns the ranges of a Markdown text that are code, fenced or inline, in order.
//
// It follows CommonMark where HTML could otherwise pass as code: inline code ends with its paragraph, an escaped backtick
// begins none, and a fence indented like a list item covers only lines with that indentation. Indented blocks do not count,
// because in a list they are ordinary text.
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

// lineEnd returns the end of the line at an offset, after its line break.
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
	indent int // columns before it, without quotation marks
}

// opensFence reports whether a line opens a fenced block, also within a list or quotation.
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

// unquote removes the quotation marks and the indentation of a line, and returns the width of the latter.
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

// close returns the end of the block opened before an offset: after its closing fence, or at the end of the text.
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

// inlineCode appends the inline code of the paragraph text[from:to].
func inlineCode(spans []span, text string, from, to int) []span {
	if strings.IndexByte(text[from:to], '`') < 0 {
		return spans
	}
	// The runs of backticks by length, to find the end of each in constant time.
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

// backticks returns the length of the run of backticks at an offset.
func backticks(text string, at, to int) int {
	end := at
	for end < to && text[end] == '`' {
		end++
	}
	return end - at
}

// within reports whether an offset is in one of the spans, which are sorted.
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
