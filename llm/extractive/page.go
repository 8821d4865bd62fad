package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/memory"
)

// page is one of the files, line by line. Everything that is not asked for stays byte for byte as it was.
type page struct {
	lines   []pageLine
	chars   int // length of the file, in characters
	ceiling int
	// broken files end inside fenced code or a comment: nothing can be added to them safely.
	broken bool
	// lost counts lines that were replaced; the guards allow only so many at once.
	lost, allowed int
	said          int // lines that say something
	eol           string
	unended       bool // the file has no line break at its end, and gets none
}

// pageLine is a line with what it says.
type pageLine struct {
	text      string // as it stands, with its line break
	section   int    // counted from 0 for what stands in front of the first heading
	heading   string // of the section, on its heading line only
	protected bool
	code      bool // fenced code, front matter or a comment: not read and not changed
	fresh     *entry
	terms     terms
	claims    []claim
	read      bool
}

// freeReplacements are allowed in any file, however short, as the guards have it; of longer ones this share may go.
const (
	freeReplacements  = 3
	replacementsShare = 0.3
)

// newPage reads a file. protected are lines that a person wrote.
func newPage(content string, protected map[string]bool, ceiling int) *page {
	p := &page{chars: utf8.RuneCountInString(content), ceiling: ceiling, eol: "\n"}
	if strings.Contains(content, "\r\n") {
		p.eol = "\r\n"
	}
	raw := slices.Collect(strings.Lines(content))
	if n := len(raw); n > 0 && !strings.HasSuffix(raw[n-1], "\n") {
		raw[n-1] += p.eol
		p.unended = true
		p.chars += len(p.eol) // the guards end every text with one
	}
	i := 0
	for _, s := range memory.Sections(content) {
		if s.Level > 0 {
			p.lines = append(p.lines, pageLine{text: raw[i], section: i + 1, heading: s.Heading, code: true})
			i++
		}
		section := i
		fence, comment := false, false
		front := s.Level == 0 && len(s.Lines) > 0 && s.Lines[0] == "---"
		for k, l := range s.Lines {
			t := strings.TrimSpace(l)
			mark := strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~")
			opens := strings.Contains(t, "<!--") && !strings.Contains(t, "-->")
			line := pageLine{text: raw[i], section: section, protected: protected[t] || protected[bareLine(t)], code: fence || mark || comment || opens || front || strings.HasPrefix(t, "<!--")}
			switch {
			case mark && !comment:
				fence = !fence
			case opens && !fence:
				comment = true
			case comment && strings.Contains(t, "-->"):
				comment = false
			}
			if front && k > 0 && t == "---" {
				front = false
			}
			if t != "" && !line.code {
				p.said++
			}
			p.lines = append(p.lines, line)
			i++
		}
		p.broken = p.broken || fence || comment || front
	}
	p.allowed = max(freeReplacements, int(replacementsShare*float64(p.said)))
	return p
}

// markerLen is the length of the list marker that begins a line of a file, 0 when there is none.
func markerLen(s string) int {
	n := 0
	switch {
	case s == "":
		return 0
	case s[0] == '-' || s[0] == '*' || s[0] == '+':
		n = 1
	default:
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	spaces := n
	for spaces < len(s) && (s[spaces] == ' ' || s[spaces] == '\t') {
		spaces++
	}
	if spaces == n {
		return 0
	}
	return spaces
}

// bareLine is what a line says, list marker and surplus spaces aside.
func bareLine(s string) string {
	s = strings.TrimSpace(s)
	s = s[markerLen(s):]
	return strings.Join(strings.Fields(s), " ")
}

func (p *page) String() string {
	var b strings.Builder
	for _, l := range p.lines {
		b.WriteString(l.text)
	}
	if p.unended {
		return strings.TrimSuffix(b.String(), p.eol)
	}
	return b.String()
}

// at reads line i once.
func (p *page) at(i int, owner []string) *pageLine {
	l := &p.lines[i]
	if !l.read {
		l.read = true
		if t := strings.TrimSpace(l.text); !l.code && t != "" {
			l.terms = termsOf(plainLine(t))
			l.claims = claimsOf(t, owner)
		}
	}
	return l
}

// room reports whether n more characters fit.
func (p *page) room(n int) bool { return p.chars+n <= p.ceiling }

// replace puts text into the place of what line i says; bullet and indentation stay. It reports whether it may.
func (p *page) replace(i int, text string, e *entry) bool {
	l := &p.lines[i]
	was := utf8.RuneCountInString(l.text)
	body := strings.TrimRight(l.text, "\r\n")
	end := l.text[len(body):]
	lead := body[:len(body)-len(strings.TrimLeft(body, " \t"))]
	lead += body[len(lead) : len(lead)+markerLen(body[len(lead):])]
	line := lead + text + end
	grown := utf8.RuneCountInString(line) - was
	if p.broken || l.protected || l.code || !p.room(grown) || l.fresh == nil && p.lost >= p.allowed {
		return false
	}
	if l.fresh == nil {
		p.lost++
	} else {
		l.fresh.gone = true
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

// remove takes line i out, unless a person wrote it or too much has changed already. The last line of a section stays.
func (p *page) remove(i int) bool {
	l := p.lines[i]
	if p.broken || l.protected || l.code || l.fresh == nil && p.lost >= p.allowed || p.said < 2 {
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

// under adds text as a line directly under line i.
func (p *page) under(i int, text string, e *entry) bool {
	lead := "- "
	body := strings.TrimRight(p.lines[i].text, "\r\n")
	indent := body[:len(body)-len(strings.TrimLeft(body, " \t"))]
	if m := body[len(indent):]; markerLen(m) > 0 && m[0] < '0' {
		lead = m[:markerLen(m)]
	}
	return p.insert(i+1, p.lines[i].section, indent+lead+text, e, false)
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

// section finds the section whose heading is one of names.
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
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !isWordRune(r) }))
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
	heading := capitalise(name)
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
