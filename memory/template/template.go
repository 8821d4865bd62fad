// Package template renders logic-less templates over JSON data, within fixed limits.
package template

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of templates. They are checked during rendering, so that a small template cannot produce a huge text.
const (
	// MaxBytes bounds a template.
	MaxBytes = 256 << 10
	// MaxRenderedBytes bounds the output, to the size of a document.
	MaxRenderedBytes = 1 << 20
	// maxDepth bounds nested sections.
	maxDepth = 16
	// maxSteps bounds the work: each text, variable and section counts in each round.
	maxSteps = 200_000
)

// Error reports an error in a template and its line. It repeats nothing of the data.
type Error struct {
	Line    int // of the template, from 1
	Problem string
}

// Error names the line and what to do.
func (e *Error) Error() string { return fmt.Sprintf("template line %d: %s", e.Line, e.Problem) }

// Render fills a template with data as decoded from JSON.
//
// The language is Mustache without partials, functions and other delimiters, so that it can access nothing but data:
// {{name}}, {{a.b}} and {{.}} are values, {{#name}}…{{/name}} is repeated for each element of a list, or rendered once for
// any other non-empty value, {{^name}}…{{/name}} is rendered if there is none, and {{! … }} is a comment. A section tag or
// comment alone on its line takes the line with it. Nothing is escaped, because the output is Markdown; {{{name}}} and
// {{&name}} are the same as {{name}}.
//
// Missing values, null and false are blank; lists and objects are written as JSON. Names are looked up from the innermost
// scope outwards. The error is a *Error.
func Render(template string, data map[string]any) (string, error) {
	root, err := parseTemplate(template)
	if err != nil {
		return "", err
	}
	r := rendering{scopes: []any{data}}
	if err := r.all(root); err != nil {
		return "", err
	}
	return r.out.String(), nil
}

// rendering is the state of one Render call.
type rendering struct {
	out    strings.Builder
	scopes []any // the innermost last
	steps  int
}

func (r *rendering) all(nodes []templateNode) error {
	for _, node := range nodes {
		if err := r.one(node); err != nil {
			return err
		}
	}
	return nil
}

func (r *rendering) one(node templateNode) error {
	if r.steps++; r.steps > maxSteps {
		return &Error{node.line, fmt.Sprintf("more than %d steps: use shorter lists", maxSteps)}
	}
	switch node.kind {
	case templateText:
		return r.write(node, node.text)
	case templateValue:
		return r.write(node, written(r.value(node.name)))
	}
	value := r.value(node.name)
	list, isList := value.([]any)
	empty := isEmpty(value)
	switch {
	case node.kind == templateInverted && empty:
		return r.all(node.inside)
	case node.kind == templateInverted || empty:
		return nil
	case !isList:
		list = []any{value}
	}
	for _, element := range list {
		if r.steps++; r.steps > maxSteps {
			return &Error{node.line, fmt.Sprintf("more than %d steps: use shorter lists", maxSteps)}
		}
		r.scopes = append(r.scopes, element)
		if err := r.all(node.inside); err != nil {
			return err
		}
		r.scopes = r.scopes[:len(r.scopes)-1]
	}
	return nil
}

func (r *rendering) write(node templateNode, text string) error {
	if r.out.Len()+len(text) > MaxRenderedBytes {
		return &Error{node.line, fmt.Sprintf("the output exceeds %d bytes", MaxRenderedBytes)}
	}
	r.out.WriteString(text)
	return nil
}

// value looks up a name: its first part from the innermost scope outwards, the other parts in the value found.
func (r *rendering) value(name string) any {
	if name == "." {
		return r.scopes[len(r.scopes)-1]
	}
	first, rest, dotted := strings.Cut(name, ".")
	for _, v := range slices.Backward(r.scopes) {
		object, _ := v.(map[string]any)
		value, found := object[first]
		if !found {
			continue
		}
		for dotted {
			first, rest, dotted = strings.Cut(rest, ".")
			object, _ = value.(map[string]any)
			value = object[first]
		}
		return value
	}
	return nil
}

// isEmpty reports whether a section is skipped for a value.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// written returns a value as text.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if !v {
			return ""
		}
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatInt(int64(v), 10)
		}
	}
	text, err := json.Marshal(value)
	if err != nil { // not a JSON value
		return ""
	}
	return string(text)
}

type templateKind int

const (
	templateText templateKind = iota
	templateValue
	templateSection
	templateInverted
)

// templateNode is a part of a template.
type templateNode struct {
	kind   templateKind
	line   int // from 1
	text   string
	name   string
	inside []templateNode
}

// templateName matches a name, or several with dots between them.
var templateName = regexp.MustCompile(`^(?:\.|[^\s.{}#^/!&<>=|]+(?:\.[^\s.{}#^/!&<>=|]+)*)$`)

// parseTemplate parses a template.
func parseTemplate(template string) ([]templateNode, error) {
	p := templateParser{rest: template, line: 1, fresh: true}
	if len(template) > MaxBytes {
		return nil, &Error{1, fmt.Sprintf("%d bytes, at most %d are allowed", len(template), MaxBytes)}
	}
	if !utf8.ValidString(template) || strings.IndexByte(template, 0) >= 0 {
		return nil, &Error{1, "use UTF-8 without NUL characters"}
	}
	nodes, err := p.until(nil)
	return nodes, err
}

type templateParser struct {
	rest  string
	line  int
	fresh bool // only white space so far on the line
	depth int
}

// until parses up to the end of the open section, or of the template for nil.
func (p *templateParser) until(open *templateNode) ([]templateNode, error) {
	var nodes []templateNode
	for {
		start := strings.Index(p.rest, "{{")
		if start < 0 {
			if open != nil {
				return nil, &Error{open.line, fmt.Sprintf("section %.80q is not closed", open.name)}
			}
			return p.text(nodes, len(p.rest)), nil
		}
		before := p.rest[:start]
		nodes = p.text(nodes, start)
		line := p.line
		sign, name, err := p.tag()
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(sign, "#^/!") {
			nodes = p.standalone(nodes, before)
		} else {
			p.fresh = false
		}
		switch sign {
		case "!":
		case "/":
			if open == nil || open.name != name {
				return nil, &Error{line, fmt.Sprintf("%.80q closes no open section", name)}
			}
			return nodes, nil
		case "#", "^":
			if p.depth++; p.depth > maxDepth {
				return nil, &Error{line, fmt.Sprintf("more than %d nested sections", maxDepth)}
			}
			node := templateNode{kind: templateSection, line: line, name: name}
			if sign == "^" {
				node.kind = templateInverted
			}
			if node.inside, err = p.until(&node); err != nil {
				return nil, err
			}
			p.depth--
			nodes = append(nodes, node)
		default:
			nodes = append(nodes, templateNode{kind: templateValue, line: line, name: name})
		}
	}
}

// text adds the next n bytes as text.
func (p *templateParser) text(nodes []templateNode, n int) []templateNode {
	text := p.rest[:n]
	p.rest = p.rest[n:]
	if text == "" {
		return nodes
	}
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		p.fresh = strings.TrimSpace(text[last+1:]) == ""
	} else {
		p.fresh = p.fresh && strings.TrimSpace(text) == ""
	}
	nodes = append(nodes, templateNode{kind: templateText, line: p.line, text: text})
	p.line += strings.Count(text, "\n")
	return nodes
}

// tag parses a tag and returns its sign, empty for a value, and its name.
func (p *templateParser) tag() (sign, name string, err error) {
	line, end := p.line, "}}"
	p.rest = p.rest[2:]
	if strings.HasPrefix(p.rest, "{") {
		p.rest, end = p.rest[1:], "}}}"
	}
	stop := strings.Index(p.rest, end)
	if stop < 0 {
		return "", "", &Error{line, "a tag is not closed: write " + end}
	}
	name = strings.TrimSpace(p.rest[:stop])
	p.line += strings.Count(p.rest[:stop], "\n")
	p.rest = p.rest[stop+len(end):]
	if strings.HasPrefix(name, "!") && end == "}}" {
		return "!", "", nil
	}
	if end == "}}" && name != "" && strings.Contains("#^/&", name[:1]) {
		sign, name = name[:1], strings.TrimSpace(name[1:])
	}
	if !templateName.MatchString(name) {
		return "", "", &Error{line, fmt.Sprintf("%.80q is not a name: use values, sections (# ^ /) and comments (!)", name)}
	}
	return strings.TrimPrefix(sign, "&"), name, nil
}

// standalone removes the line of a tag that writes nothing and is alone on it. before is the text before the tag.
func (p *templateParser) standalone(nodes []templateNode, before string) []templateNode {
	line, rest, more := strings.Cut(p.rest, "\n")
	if !p.fresh || strings.TrimSpace(line) != "" {
		p.fresh = false
		return nodes
	}
	if at := strings.LastIndexByte(before, '\n') + 1; before[at:] != "" {
		last := &nodes[len(nodes)-1]
		last.text = last.text[:len(last.text)-len(before[at:])]
	}
	if p.rest = rest; more {
		p.line++
	}
	return nodes
}
