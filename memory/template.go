package memory

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of templates. They hold while a template is rendered, so that a small one cannot grow beyond them.
const (
	// MaxTemplateBytes bounds a template.
	MaxTemplateBytes = 256 << 10
	// MaxRenderedBytes bounds what comes out: as much as a document may hold.
	MaxRenderedBytes = MaxDocumentBytes
	// MaxTemplateDepth bounds sections inside of each other.
	MaxTemplateDepth = 16
	// MaxTemplateSteps bounds the work: each piece of text, variable and section that is gone through counts, in each round.
	MaxTemplateSteps = 200_000
)

// TemplateError says what is wrong with a template and where. It repeats nothing of what is rendered.
type TemplateError struct {
	Line    int // of the template, from 1
	Problem string
}

// Error names the line and what to do.
func (e *TemplateError) Error() string { return fmt.Sprintf("template line %d: %s", e.Line, e.Problem) }

// Render fills a template with data. The language is mustache without partials, functions and other delimiters, so that it reaches
// nothing but data: {{name}}, {{a.b}} and {{.}} are values, {{#name}}…{{/name}} is gone through for each element of a list, or once for
// another value that is not empty, {{^name}}…{{/name}} when there is none, and {{! … }} says nothing. What stands for nothing else on its
// line takes the line with it. Nothing is escaped: what comes out is Markdown; {{{name}}} and {{&name}} mean the same as {{name}}.
//
// Data is as JSON decodes it. What is missing, null or false is blank; lists and objects are written as JSON. A name is looked for
// from the inside to the outside. The error is a *TemplateError.
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

// rendering is a template while it is filled.
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
	if r.steps++; r.steps > MaxTemplateSteps {
		return &TemplateError{node.line, fmt.Sprintf("it takes more than %d steps: go through shorter lists", MaxTemplateSteps)}
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
		if r.steps++; r.steps > MaxTemplateSteps {
			return &TemplateError{node.line, fmt.Sprintf("it takes more than %d steps: go through shorter lists", MaxTemplateSteps)}
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
		return &TemplateError{node.line, fmt.Sprintf("more than %d bytes come out of it", MaxRenderedBytes)}
	}
	r.out.WriteString(text)
	return nil
}

// value is what a name means: its first part is looked for from the inside to the outside, the others in what was found.
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

// isEmpty reports whether a section is not gone through for a value.
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

// written is a value as text.
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
	if err != nil { // nothing that JSON decodes to
		return ""
	}
	return string(text)
}
