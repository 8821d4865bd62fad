package memory

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
	at     int    // number of the line in its document, from 0
	prefix string // up to the value, without the white space in front of it
	space  string // between prefix and value
	value  string
	key    string // as it is compared: without emphasis, each run of white space one space, Unicode form C
}

// with is the line with another value.
func (l keyLine) with(value string) string {
	if value == "" {
		return l.prefix
	}
	if l.space == "" && !strings.HasSuffix(l.prefix, wideColon) && (l.value == "" || strings.ContainsRune(noValue, rune(value[0]))) {
		return l.prefix + " " + value
	}
	return l.prefix + l.space + value
}

// bullet is the kind of list item that the line is: "-", "*", "+", "." or ")" behind a number, or empty for none.
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
	// maxKey is the longest key, in characters: what is longer is a sentence with a colon in it.
	maxKey = 100
	// noValue begins no value without a space in front of it.
	noValue = `/\:`
)

var (
	// listItem is what may stand in front of a key: indentation, and the mark of a list item, with its box if it is a task.
	listItem = regexp.MustCompile(`^[ \t]*((?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?`)
	// plainKey is a key that needs no space behind its colon.
	plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	// emphasis are the marks that a key may stand in.
	emphasis = []string{"**", "__", "*", "_", "`"}
)

// keyLineOf reads a line "key: value".
//
// The key may be indented, an item of a list or a task, and emphasised, with the colon inside or outside of the emphasis:
// "  - **Birth day:** 1990-05-01" has the key "Birth day". It may have spaces and any script, up to 100 characters, but begins with none
// of the marks of Markdown. The first colon of the line ends it: ":" before white space or the end of the line, or the wide
// colon "：". A key of ASCII letters, digits, "_", "." and "-" that begins with no digit needs no space, unless a slash or backslash follows:
// "a:b" and "url: https://x" are keys, "https://x", "C:\x" and "12:30" are none.
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
			return keyLine{}, false // what is emphasised is not the key
		}
	}
	value := strings.TrimSpace(rest[end:])
	space := rest[end:]
	space = space[:len(space)-len(strings.TrimLeftFunc(space, unicode.IsSpace))]
	if value == "" {
		space = ""
	}
	key := norm.NFC.String(strings.Join(strings.Fields(name), " "))
	if !isKey(key) || size == 1 && space == "" && value != "" && (!plainKey.MatchString(key) || strings.ContainsRune(noValue, rune(value[0]))) {
		return keyLine{}, false
	}
	return keyLine{prefix: head + rest[:end], space: space, value: value, key: key}, true
}

// isKey reports whether a text can be a key.
func isKey(key string) bool {
	first, _ := utf8.DecodeRuneInString(key)
	return key != "" && utf8.RuneCountInString(key) <= maxKey && !strings.ContainsRune("#>|[]<`~!\"'(*:\\", first) &&
		!strings.ContainsAny(key, "|`") && strings.ContainsFunc(key, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r) })
}

// upserted sets the keys of incoming in existing.
//
// In both, the lines "key: value" count that stand neither in front matter nor in code or HTML (see keyLineOf for what is a key). The
// first line of a key gets the new value and keeps its indentation, bullet and emphasis; later lines of that key stay. When
// incoming sets a key twice, the last value counts. Other lines of incoming are left out, and without any key nothing changes.
//
// New keys are added to the end of the document, in their order, without indentation: right below a last line that is a key
// with the same kind of bullet, else after one blank line. Other lines of existing stay, byte for byte.
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
			return "", &StrategyError{Strategy: StrategyUpsert, Problem: "the document ends in a code block or comment that never ends: end it"}
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

// withKeys adds new keys to the end of a document that has the keys have. ended says whether the text that they come from ends
// in a line break, which decides it for an empty document.
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
				out.WriteString(end) // or Markdown would take it for more of the list item
			}
		}
		out.WriteString(strings.TrimLeft(line.with(line.value), " \t"))
	}
	if ended {
		out.WriteString(end)
	}
	return out.String()
}

// keyLines finds the lines of a document that set a key.
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

// keyless are the stretches of a document, in bytes and ascending, that set no keys: front matter, code, HTML and headings.
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
