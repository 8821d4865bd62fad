package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
)

// page is one of the files, line by line. What no passage changes stays byte for byte as it was.
type page struct {
	lines   []pageLine
	title   string // heading of a new file
	lang    string // of the conversation
	chars   int    // length of the file, in characters
	ceiling int
	// broken files end inside fenced code or a comment: nothing can be added to them safely.
	broken bool
	// lost counts lines that were replaced; the guards allow only so many at once.
	lost, allowed int
	said          int // lines with content
	eol           string
	unended       bool // the file has no line break at its end, and gets none
}

// pageLine is a line with its parsed content.
type pageLine struct {
	text      string // unchanged, with its line break
	section   int    // counted from 0 for the text before the first heading
	heading   string // of the section, on its heading line only
	protected bool
	newer     bool        // said after the messages
	code      bool        // fenced code, front matter or a comment: not read and not changed
	fresh     *entry      // written by this proposal
	stale     bool        // one of the new passages takes it back
	own       bool        // says what a passage of the conversation says
	terms     words       // of the content, read once
	claim     *claim      // of the content, read once
	quoted    []statement // see statements
	quoter    string
}

// freeReplacements are allowed in any file, however short, as the guards have it; of longer ones this share may go.
const (
	freeReplacements  = 3
	replacementsShare = 0.3
)

// newPage reads a file. protected are lines that a person wrote, and newer those that were said after the messages.
func newPage(title, content, lang string, protected, newer map[string]bool, ceiling int) *page {
	p := &page{title: title, lang: lang, chars: utf8.RuneCountInString(content), ceiling: ceiling, eol: "\n"}
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
	for _, s := range markdown.Sections(content) {
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
			line := pageLine{
				text: raw[i], section: section, protected: protected[t] || protected[bareLine(t)], newer: newer[t] || newer[bareLine(t)],
				code: fence || mark || comment || opens || front || strings.HasPrefix(t, "<!--"),
			}
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

// laterMark matches the mark of a line that contradicts another one.
var laterMark = lazyregexp.New(`\(later: \d{4}-\d{2}-\d{2}\) `)

// bareLine returns a line without its list marker, the mark of a later one, and surplus spaces.
func bareLine(s string) string {
	s = strings.TrimSpace(s)
	s = strings.Join(strings.Fields(s[markerLen(s):]), " ")
	if strings.Contains(s, "(later: ") {
		s = laterMark.ReplaceAllString(s, "")
	}
	return s
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

// at returns line i with its words read.
func (p *page) at(i int) *pageLine {
	l := &p.lines[i]
	if l.terms == nil {
		l.terms = words{}
		if t := strings.TrimSpace(l.text); !l.code && t != "" {
			l.terms = wordsOf(bareLine(t), p.lang)
		}
	}
	return l
}

// heading returns the words of the heading of a section.
func (p *page) heading(section int) words {
	for i := range p.lines {
		if l := &p.lines[i]; l.section == section && l.heading != "" {
			return wordsOf(l.heading, p.lang)
		}
	}
	return nil
}

// room reports whether n more characters fit.
func (p *page) room(n int) bool { return p.chars+n <= p.ceiling }
