package memory

import (
	"fmt"
	"regexp"
	"strings"
)

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

// templateName is a name, or names with dots between.
var templateName = regexp.MustCompile(`^(?:\.|[^\s.{}#^/!&<>=|]+(?:\.[^\s.{}#^/!&<>=|]+)*)$`)

// parseTemplate reads a template.
func parseTemplate(template string) ([]templateNode, error) {
	p := templateParser{rest: template, line: 1, fresh: true}
	if len(template) > MaxTemplateBytes {
		return nil, &TemplateError{1, fmt.Sprintf("it has %d bytes, at most %d are allowed", len(template), MaxTemplateBytes)}
	}
	if err := ValidContent(template); err != nil {
		return nil, &TemplateError{1, err.Error()}
	}
	nodes, err := p.until(nil)
	return nodes, err
}

type templateParser struct {
	rest  string
	line  int
	fresh bool // nothing but white space stands on the line so far
	depth int
}

// until reads up to the end of a section, or of the template for nil.
func (p *templateParser) until(open *templateNode) ([]templateNode, error) {
	var nodes []templateNode
	for {
		start := strings.Index(p.rest, "{{")
		if start < 0 {
			if open != nil {
				return nil, &TemplateError{open.line, fmt.Sprintf("section %q is not closed", shown(open.name))}
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
				return nil, &TemplateError{line, fmt.Sprintf("%q closes no section that is open here", shown(name))}
			}
			return nodes, nil
		case "#", "^":
			if p.depth++; p.depth > MaxTemplateDepth {
				return nil, &TemplateError{line, fmt.Sprintf("more than %d sections stand inside of each other", MaxTemplateDepth)}
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

// text takes the next n bytes as they are.
func (p *templateParser) text(nodes []templateNode, n int) []templateNode {
	text := p.rest[:n]
	p.rest = p.rest[n:]
	if text == "" {
		return nodes
	}
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		p.fresh = isBlank(text[last+1:])
	} else {
		p.fresh = p.fresh && isBlank(text)
	}
	nodes = append(nodes, templateNode{kind: templateText, line: p.line, text: text})
	p.line += strings.Count(text, "\n")
	return nodes
}

// tag takes what stands between braces: its sign, empty for a value, and its name.
func (p *templateParser) tag() (sign, name string, err error) {
	line, end := p.line, "}}"
	p.rest = p.rest[2:]
	if strings.HasPrefix(p.rest, "{") {
		p.rest, end = p.rest[1:], "}}}"
	}
	stop := strings.Index(p.rest, end)
	if stop < 0 {
		return "", "", &TemplateError{line, "a tag is not closed: write " + end}
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
		return "", "", &TemplateError{line, fmt.Sprintf("%q is no name; there are values, sections (# ^ /) and comments (!), and nothing else", shown(name))}
	}
	return strings.TrimPrefix(sign, "&"), name, nil
}

// standalone takes the line away on which a tag stands alone that writes nothing. before is the text in front of the tag.
func (p *templateParser) standalone(nodes []templateNode, before string) []templateNode {
	line, rest, more := strings.Cut(p.rest, "\n")
	if !p.fresh || !isBlank(line) {
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
