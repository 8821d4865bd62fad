package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// replace replaces the content of line i; bullet and indentation stay. It reports false if the line may not be changed.
func (p *page) replace(i int, text string, e *entry) bool {
	l := &p.lines[i]
	was := utf8.RuneCountInString(l.text)
	body := strings.TrimRight(l.text, "\r\n")
	end := l.text[len(body):]
	lead := body[:len(body)-len(strings.TrimLeft(body, " \t"))]
	lead += body[len(lead) : len(lead)+markerLen(body[len(lead):])]
	line := lead + text + end
	grown := utf8.RuneCountInString(line) - was
	if p.broken || l.protected || l.newer || l.code || !p.room(grown) || l.fresh == nil && p.lost >= p.allowed {
		return false
	}
	if l.fresh == nil {
		p.lost++
	} else {
		l.fresh.removed = true
		for _, was := range l.fresh.lines { // the section that was made for it stays
			if strings.HasPrefix(was, "## ") {
				e.lines = append(e.lines, was)
			}
		}
	}
	*l = pageLine{text: line, section: l.section, fresh: e}
	e.lines = append(e.lines, strings.TrimRight(line, "\r\n"))
	p.chars += grown
	return true
}

// remove takes line i out, unless a person wrote it, it is newer, or too much has changed already. The last line of a section stays.
func (p *page) remove(i int) bool {
	l := p.lines[i]
	if p.broken || l.protected || l.newer || l.code || l.fresh == nil && p.lost >= p.allowed || p.said < 2 {
		return false
	}
	if l.fresh == nil {
		p.lost++
	}
	p.said--
	p.chars -= utf8.RuneCountInString(l.text)
	p.lines = slices.Delete(p.lines, i, i+1)
	return true
}

// add puts text at the end of the section with one of the names, which is made when there is none.
func (p *page) add(names []string, title, text string, rank func(string) int, e *entry) bool {
	section, found := p.section(names)
	if !found {
		return p.open(names[0], title, text, rank, e)
	}
	last := -1
	for i, l := range p.lines {
		if l.section == section && (strings.TrimSpace(l.text) != "" || l.heading != "") {
			last = i
		}
	}
	lead := "- "
	gap := true
	if l := p.lines[last]; l.heading == "" && !l.code {
		body := strings.TrimSpace(l.text)
		if n := markerLen(body); n > 0 {
			gap = false
			if body[0] == '*' || body[0] == '+' {
				lead = body[:n]
			}
		}
	}
	return p.insert(last+1, section, lead+text, e, gap)
}

// section finds the section with one of the given headings.
func (p *page) section(names []string) (int, bool) {
	for _, l := range p.lines {
		if l.heading != "" && slices.Contains(names, headingKey(l.heading)) {
			return l.section, true
		}
	}
	return 0, false
}

// headingKey is a heading as it is compared.
func headingKey(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// insert puts a line at position at, after a blank line when gap is set.
func (p *page) insert(at, section int, text string, e *entry, gap bool) bool {
	var add []pageLine
	if gap {
		add = append(add, pageLine{text: p.eol, section: section, code: true})
	}
	add = append(add, pageLine{text: text + p.eol, section: section, fresh: e})
	if at < len(p.lines) && p.lines[at].heading != "" {
		add = append(add, pageLine{text: p.eol, section: section, code: true})
	}
	return p.splice(at, add, e, text)
}

func (p *page) splice(at int, add []pageLine, e *entry, text string) bool {
	n := 0
	for _, l := range add {
		n += utf8.RuneCountInString(l.text)
	}
	if p.broken || !p.room(n) {
		return false
	}
	p.lines = slices.Insert(p.lines, at, add...)
	p.said++
	p.chars += n
	e.lines = append(e.lines, text)
	return true
}

// open makes a section with text in it, before the first of the engine's own sections that comes later in order.
func (p *page) open(name, title, text string, rank func(string) int, e *entry) bool {
	at := len(p.lines)
	mine := rank(name)
	for i, l := range p.lines {
		if l.heading != "" && rank(headingKey(l.heading)) > mine {
			at = i
			break
		}
	}
	section := -len(p.lines) - 1
	var add []pageLine
	if len(p.lines) == 0 {
		add = append(add, pageLine{text: "# " + title + p.eol, section: 1, heading: title, code: true})
	}
	if at > 0 && strings.TrimSpace(p.lines[at-1].text) != "" || len(p.lines) == 0 {
		add = append(add, pageLine{text: p.eol, section: section, code: true})
	}
	heading := strings.ToUpper(name[:1]) + name[1:]
	add = append(add, pageLine{text: "## " + heading + p.eol, section: section, heading: heading, code: true},
		pageLine{text: p.eol, section: section, code: true}, pageLine{text: "- " + text + p.eol, section: section, fresh: e})
	if at < len(p.lines) {
		add = append(add, pageLine{text: p.eol, section: section, code: true})
	}
	if !p.splice(at, add, e, "- "+text) {
		return false
	}
	e.lines = append(e.lines, "## "+heading)
	return true
}
