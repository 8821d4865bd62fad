package rewrite

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/memory"
)

// Promotion is MEMORY.md with what was promoted.
type Promotion struct {
	Memory string               // the full new text; empty: it stays as it is
	Moved  []dream.MovedSection // what moves to an archive: machine-made lines that are corrected, and sections that make room
	// Ranking has the Line of each that was promoted, and those that found no room as kept (ceiling). A contradiction whose
	// older line stays in MEMORY.md beside what corrects it is not settled.
	Ranking dream.Ranking
}

// Promote writes what passed into a section of MEMORY.md, "## Promoted From Short-Term Memory (DATE)", with source and score
// of each line; a second dream of a day adds to the section of the first. A machine-made line of such a section that one of
// them corrects moves to an archive, as far as MaxRetiredShare allows. Sections of this kind that are empty go. The ceiling holds by moving the oldest sections of
// this kind to an archive, unless a line of protected stands in them; if that does not do, candidates wait, those with the
// lowest scores first. What it writes passes Check.
func Promote(current string, r dream.Ranking, asOf time.Time, s memory.DreamSettings, protected ...string) Promotion {
	p := promoting{current: current, day: dream.DayOf(asOf), settings: s, protected: protected}
	p.ranking = dream.Ranking{Candidates: slices.Clone(r.Candidates), Contradictions: r.Contradictions}
	passed := p.passed()
	if len(passed) > 0 && p.write(passed) != nil { // not all of them: who finds room, one after the other?
		var chosen []int
		for _, i := range passed {
			trial := append(slices.Clone(chosen), i)
			if refused := p.write(trial); refused != nil {
				p.ranking.Candidates[i].Judge(refused.verdict, refused.code, refused.reason)
				continue
			}
			chosen = trial
		}
	}
	p.ranking.Contradictions = p.replaced.told(p.ranking.Contradictions)
	return Promotion{Memory: p.written, Moved: p.moved, Ranking: p.ranking}
}

// refusal is why a candidate is not written.
type refusal struct {
	verdict      dream.Verdict
	code, reason string
}

// promoting is a promotion under way.
type promoting struct {
	current   string
	day       dream.Day
	settings  memory.DreamSettings
	protected []string
	ranking   dream.Ranking
	written   string // with what found room so far
	moved     []dream.MovedSection
	replaced  replacement // of what is written
}

// passed are the candidates to write, the highest score first, each with its line. What MEMORY.md says by now, and what must
// not stand in it, is rejected.
func (p *promoting) passed() []int {
	stands := map[memory.EntryID]bool{}
	for _, e := range memory.EntriesOf(p.current) {
		stands[e.ID] = true
	}
	var out []int
	for i := range p.ranking.Candidates {
		c := &p.ranking.Candidates[i]
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		line := promotedLine(*c)
		id := memory.EntryIDOf(line)
		switch {
		case line == "" || memory.Scan(line).Verdict != memory.VerdictAllow:
			c.Judge(dream.VerdictRejected, dream.ReasonUnfit, "it cannot be written into a memory")
		case stands[id] || stands[c.ID]:
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "MEMORY.md says it already")
		default:
			stands[id] = true
			c.Line = line
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch x, y := p.ranking.Candidates[a].Score, p.ranking.Candidates[b].Score; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// write writes the chosen candidates; nil: they may stand there. Else it is the last one that may not, when the others may.
func (p *promoting) write(chosen []int) *refusal {
	lines := make([]string, len(chosen))
	for i, at := range slices.Sorted(slices.Values(chosen)) {
		lines[i] = p.ranking.Candidates[at].Line
	}
	text, ok := withPromoted(p.current, lines, p.day)
	if !ok {
		return &refusal{dream.VerdictKept, dream.ReasonCeiling, "MEMORY.md ends in code or a comment that is not closed, in which nothing can be written"}
	}
	refused := p.settle(p.replace(text, chosen), chosen)
	if refused != nil && refused.code == dream.ReasonUnfit { // whatever is wrong, it is no reason to leave a candidate out
		refused = p.settle(replacement{text: text}, chosen)
	}
	return refused
}

// settle makes room for a text and keeps it, unless it may not be written.
func (p *promoting) settle(r replacement, chosen []int) *refusal {
	fitted, moved := makeRoom(WithoutEmptySections(r.text, p.protected...), p.settings.MemoryMaxChars, p.day, p.protected)
	moved = append(r.moved, moved...)
	if utf8.RuneCountInString(fitted) > p.settings.MemoryMaxChars {
		return &refusal{dream.VerdictKept, dream.ReasonCeiling, fmt.Sprintf("MEMORY.md may have %d characters and has no room for it", p.settings.MemoryMaxChars)}
	}
	if !p.sound(fitted, moved, chosen) {
		return &refusal{dream.VerdictRejected, dream.ReasonUnfit, "it cannot be written into this MEMORY.md"}
	}
	p.written, p.moved, p.replaced = fitted, moved, r
	return nil
}

// sound reports whether a text passes Check. A candidate that stands in the way of it is not written; what is wrong with
// MEMORY.md as it is stands in the way of none.
func (p *promoting) sound(text string, moved []dream.MovedSection, chosen []int) bool {
	in := CheckInput{Before: p.current, After: text, Moved: moved, Protected: p.protected}
	for _, i := range chosen {
		in.Ranking.Candidates = append(in.Ranking.Candidates, p.ranking.Candidates[i])
	}
	return len(Check(in, p.settings)) == 0 || memory.Scan(p.current).Verdict == memory.VerdictQuarantine
}
