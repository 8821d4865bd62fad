package memory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

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
