package extractive

import (
	"slices"
	"strings"

	"reverie/language/cue"
	"reverie/memory"
)

// weighty are the kinds of cues of which a text has those of the statements that it includes.
const weighty cue.Set = 1<<cue.Over | 1<<cue.Like | 1<<cue.Plan | 1<<cue.Task | 1<<cue.Decide | 1<<cue.Change | 1<<cue.Correct | 1<<cue.Forget |
	1<<cue.Always | 1<<cue.If | 1<<cue.Would | 1<<cue.Suppose | 1<<cue.Doubt | 1<<cue.Habit

// statement holds the content of one clause of a passage or line, or of all of it.
type statement struct {
	text  string
	set   cue.Set
	order []string // its words, without those that only introduce a name or a possession
}

func statementOf(text, lang, in string) statement {
	all := cue.Find(text, lang)
	marks := slices.DeleteFunc(slices.Clone(all), func(m cue.Mark) bool { // "I am a nurse"
		return m.Kind == cue.Time && slices.ContainsFunc(all, func(o cue.Mark) bool { return o.Kind != cue.Time && o.Start < m.Start && o.End >= m.End })
	})
	s := statement{text: strings.Trim(foldedText(trimmed(text, lang)), ` .!。！"“”`), set: marks.Set()}
	for _, t := range tokensOf(without(text, marks, cue.Name, cue.Have, cue.Filler, cue.Chat, cue.Self), in) {
		if !t.Stop {
			s.order = append(s.order, t.Forms[len(t.Forms)-1])
		}
	}
	return s
}

// includes reports whether a statement says all that another one says of the same: its words in the same order, or the two by which it
// names a relative ("Rex, my dog"), with the same negation. What is said of a day is not the same on another one.
func (s *statement) includes(part *statement, in string) bool {
	const alike cue.Set = 1<<cue.Not | 1<<cue.Kin | 1<<cue.Self | 1<<cue.Other
	if part.set&weighty&^s.set != 0 || part.set&alike != s.set&alike || part.set.Has(cue.Time) || len(part.order) == 0 {
		return false
	}
	if slices.Contains(pairs, in) { // pairs of characters are not words
		return strings.Contains(s.text, part.text)
	}
	if len(part.order) == 2 && part.set.Has(cue.Kin) {
		return slices.Contains(s.order, part.order[0]) && slices.Contains(s.order, part.order[1])
	}
	at := 0
	for _, w := range s.order {
		if at < len(part.order) && part.order[at] == w {
			at++
		}
	}
	return at == len(part.order)
}

// quotedIn returns what a line of a file quotes of a speaker; false if it is another line, or needs its question.
func (p *passage) quotedIn(line string) (string, bool) {
	line = bareLine(line)
	if p.speaker != "" {
		rest, of := strings.CutPrefix(line, memory.QuotedName(p.speaker)+": ")
		if !of {
			return "", false
		}
		line = rest
	}
	if body, ok := strings.CutPrefix(line, `"`); ok && strings.HasSuffix(body, `"`) {
		return strings.TrimSuffix(body, `"`), true
	}
	return "", false
}

// statements returns what the clauses of a line quote of the speaker of a passage, and what all of it does; read once.
func (l *pageLine) statements(p *passage) (clauses []statement, whole *statement) {
	if l.quoted == nil || l.quoter != p.speaker {
		l.quoted, l.quoter = []statement{}, p.speaker
		if text, ok := p.quotedIn(l.text); ok {
			for _, clause := range windowsOf(text) {
				l.quoted = append(l.quoted, statementOf(clause, p.lang, p.words))
			}
		}
	}
	if len(l.quoted) == 0 {
		return nil, nil
	}
	return l.quoted, &l.quoted[len(l.quoted)-1]
}

// clauses returns what the clauses of a passage say; the last one is all of it. They are read once.
func (p *passage) clauses() []statement {
	if p.said == nil {
		for _, clause := range windowsOf(p.text) {
			p.said = append(p.said, statementOf(clause, p.lang, p.words))
		}
	}
	return p.said
}

// isSaidIn reports whether a line, or one of its clauses, says all that a passage says.
func (p *passage) isSaidIn(l *pageLine) bool {
	if p.question != "" || p.corrected != "" {
		return false
	}
	clauses, _ := l.statements(p)
	part := &p.clauses()[len(p.clauses())-1]
	return slices.ContainsFunc(clauses, func(s statement) bool { return s.includes(part, p.words) })
}

// extends reports whether a clause of a passage says what a line says, and nothing else: the passage can take the place of the line.
func (p *passage) extends(l *pageLine) bool {
	_, old := l.statements(p)
	return old != nil && p.question == "" && p.corrected == "" && slices.ContainsFunc(p.clauses(), func(s statement) bool {
		return s.includes(old, p.words) && old.includes(&s, p.words)
	})
}
