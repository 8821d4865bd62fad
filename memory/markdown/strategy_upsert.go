package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"
)

// keyLine is a line that sets a key.
type keyLine struct {
	at     int    // index of the line in its document
	prefix string // up to the value, without the white space before it
	space  string // between prefix and value
	value  string
	key    string // for comparison: without emphasis, white space collapsed, Unicode form C
}

// with returns the line with another value.
func (l keyLine) with(value string) string {
	if value == "" {
		return l.prefix
	}
	if l.space == "" && !strings.HasSuffix(l.prefix, wideColon) && (l.value == "" || strings.ContainsRune(noValue, rune(value[0]))) {
		return l.prefix + " " + value
	}
	return l.prefix + l.space + value
}

// bullet returns the kind of list item of the line: "-", "*", "+", "." or ")" after a number, or empty for none.
func (l keyLine) bullet() string {
	mark := strings.TrimSpace(listItem.FindStringSubmatch(l.prefix)[1])
	if mark == "" {
		return ""
	}
	return mark[len(mark)-1:]
}

const (
	// wideColon separates keys from values in Chinese and Japanese, without a space.
	wideColon = "："
	// maxKey is the maximum length of a key, in characters. Longer text is a sentence with a colon.
	maxKey = 100
	// noValue lists the characters that begin a value only after a space.
	noValue = `/\:`
)

var (
	// listItem matches what may precede a key: indentation, a list marker and a task box.
	listItem = regexp.MustCompile(`^[ \t]*((?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?`)
	// plainKey matches a key that needs no space after its colon.
	plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	// emphasis lists the marks that may enclose a key.
	emphasis = []string{"**", "__", "*", "_", "`"}
)

// keyLineOf parses a line "key: value".
//
// The key may be indented, a list item or a task, and emphasized, with the colon inside or outside of the emphasis: "  -
// **Birth day:** 1990-05-01" has the key "Birth day". It may contain spaces and any script, up to 100 characters, but must
// not begin with a mark of Markdown. It ends at the first colon: ":" before white space or the end of the line, or the wide
// colon "：". A key of ASCII letters, digits, "_", "." and "-" that does not begin with a digit needs no space, unless a
// slash or backslash follows: "a:b" and "url: https://x" are keys, "https://x", "C:\x" and "12:30" are not.
func keyLineOf(line string) (keyLine, bool) {
	head := listItem.FindString(line)
	rest := line[len(head):]
	mark := ""
	for _, m := range emphasis {
		if strings.HasPrefix(rest, m) {
			mark = m
			break
		}
	}
	colon := strings.IndexAny(rest, ":"+wideColon)
	if colon < 0 {
		return keyLine{}, false
	}
	_, size := utf8.DecodeRuneInString(rest[colon:])
	name, end := rest[len(mark):max(colon, len(mark))], colon+size
	if mark != "" {
		switch {
		case strings.HasSuffix(name, mark):
			name = strings.TrimSuffix(name, mark)
		case strings.HasPrefix(rest[end:], mark):
			end += len(mark)
		default:
			return keyLine{}, false // something else is emphasized
		}
	}
	value := strings.TrimSpace(rest[end:])
	space := rest[end:]
	space = space[:len(space)-len(strings.TrimLeftFunc(space, unicode.IsSpace))]
	if value == "" {
		space = ""
	}
	key := norm.NFC.String(strings.Join(strings.Fields(name), " "))
	isAttached := size == 1 && space == "" && value != "" // the value follows an ASCII colon without a space
	if !isKey(key) || isAttached && (!plainKey.MatchString(key) || strings.ContainsRune(noValue, rune(value[0]))) {
		return keyLine{}, false
	}
	return keyLine{prefix: head + rest[:end], space: space, value: value, key: key}, true
}

// isKey reports whether a text is a valid key.
func isKey(key string) bool {
	first, _ := utf8.DecodeRuneInString(key)
	isContent := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r) }
	return key != "" && utf8.RuneCountInString(key) <= maxKey && !strings.ContainsRune("#>|[]<`~!\"'(*:\\", first) &&
		!strings.ContainsAny(key, "|`") && strings.ContainsFunc(key, isContent)
}

// upserted sets the keys of incoming in existing.
//
// Lines "key: value" count in both unless they are in front matter, code or HTML (see keyLineOf). The first line of a key
// gets the new value and keeps its indentation, bullet and emphasis; later lines of that key stay. If incoming sets a key
// twice, the last value counts. Other lines of incoming are ignored; without any key nothing changes.
//
// New keys are added to the end of the document, in order, without indentation: directly below a last line that is a key
// with the same kind of bullet, otherwise after a blank line. Other lines of existing stay byte for byte.
func upserted(existing, incoming string) (string, error) {
	set := keyLines(incoming)
	if len(set) == 0 {
		return existing, nil
	}
	wanted := map[string]keyLine{}
	var order []string
	for _, line := range set {
		if _, twice := wanted[line.key]; !twice {
			order = append(order, line.key)
		}
		wanted[line.key] = line
	}
	lines := splitLines(existing)
	have := keyLines(existing)
	known := firstOfEachKey(have)
	for key, line := range known {
		if want, ok := wanted[key]; ok && want.value != line.value {
			lines[line.at] = line.with(want.value) + lines[line.at][len(lineText(lines[line.at])):]
		}
	}
	document := strings.Join(lines, "")
	var added []keyLine
	for _, key := range order {
		if _, ok := known[key]; !ok {
			added = append(added, wanted[key])
		}
	}
	if len(added) > 0 {
		document = withKeys(document, have, added, strings.HasSuffix(incoming, "\n"))
	}
	stands := firstOfEachKey(keyLines(document))
	for key, want := range wanted {
		if line, ok := stands[key]; !ok || line.value != want.value {
			return "", &StrategyError{Strategy: StrategyUpsert, Problem: "close the code block or comment at the end of the document"}
		}
	}
	return document, nil
}

func firstOfEachKey(lines []keyLine) map[string]keyLine {
	first := map[string]keyLine{}
	for _, line := range slices.Backward(lines) {
		first[line.key] = line
	}
	return first
}

// withKeys adds new keys to the end of a document that has the keys have. ended reports whether the new keys came with a
// final line break, which decides for an empty document.
func withKeys(document string, have, added []keyLine, ended bool) string {
	end := lineBreak(document)
	var out strings.Builder
	if !isBlank(document) {
		ended = strings.HasSuffix(document, "\n")
		out.WriteString(document)
		if !ended {
			out.WriteString(end)
		}
		lines := splitLines(document)
		beneath := len(have) > 0 && have[len(have)-1].at == len(lines)-1 && have[len(have)-1].bullet() == added[0].bullet()
		if !beneath && !isBlank(lines[len(lines)-1]) {
			out.WriteString(end)
		}
	}
	for i, line := range added {
		if i > 0 {
			out.WriteString(end)
			if line.bullet() != added[i-1].bullet() {
				out.WriteString(end) // otherwise it would continue the list item
			}
		}
		out.WriteString(strings.TrimLeft(line.with(line.value), " \t"))
	}
	if ended {
		out.WriteString(end)
	}
	return out.String()
}

// keyLines returns the lines of a document that set a key.
func keyLines(document string) []keyLine {
	var out []keyLine
	closed := keyless(document)
	at := 0
	for i, whole := range splitLines(document) {
		start, stop := at, at+len(whole)
		at = stop
		for len(closed) > 0 && closed[0][1] <= start {
			closed = closed[1:]
		}
		if len(closed) > 0 && closed[0][0] < stop {
			continue
		}
		if line, ok := keyLineOf(lineText(whole)); ok {
			line.at = i
			out = append(out, line)
		}
	}
	return out
}

// keyless returns the ranges of a document, in bytes and ascending, that cannot set keys: front matter, code, HTML and
// headings.
func keyless(document string) [][2]int {
	tree, _, from := parsed(document)
	out := [][2]int{{0, from}}
	add := func(s text.Segment) { out = append(out, [2]int{from + s.Start, from + s.Stop}) }
	// The walk never fails: its callback returns no error.
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.Heading:
		default:
			return ast.WalkContinue, nil
		}
		for _, s := range node.Lines().Sliced(0, node.Lines().Len()) {
			add(s)
		}
		if html, ok := node.(*ast.HTMLBlock); ok && html.HasClosure() {
			add(html.ClosureLine)
		}
		return ast.WalkSkipChildren, nil
	})
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return out
}
