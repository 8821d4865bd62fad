package judge

import (
	"cmp"
	"slices"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory"
)

// filter gives candidates that are not weighed their verdicts and returns the others, best first.
func (d *deep) filter() []*dream.Candidate {
	var (
		barred = barredBy(d.in.Material, d.candidates)
		known  = knownIn(d.in.Memory, d.in.Shared)
		open   []*dream.Candidate
		heard  []sentence // of candidates that may correct others
	)
	for i := range d.candidates {
		c := &d.candidates[i]
		if unfit(c.Text) {
			c.Judge(dream.VerdictRejected, dream.ReasonUnfit, "It is not fit for memory: it reads like an order, a secret or text of a machine.")
			continue
		}
		said := claim.WordsOf(c.Text)
		if code, why, ok := barred.bars(*c, said); ok {
			c.Judge(dream.VerdictRejected, code, why)
			continue
		}
		spoken := sentenceOf(*c, -i)
		if at, ok := known.find(*c, said); ok {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, at.why)
			c.With = at.id
			at.said(spoken)
			continue
		}
		heard = append(heard, spoken)
		if barred.left(*c, said) {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "It was promoted before and is in MEMORY.md no more, and nobody has said it anew.")
			continue
		}
		open = append(open, c)
	}
	return d.undisputed(open, known.sentences(), heard)
}

// unfit reports whether a text may not become memory.
func unfit(text string) bool {
	return text == "" || notes.MachineText(text) || memory.Scan(text).Verdict != memory.VerdictAllow
}

// undisputed finds what contradicts what, gives what was corrected and what is unclear their verdicts, and returns the others.
func (d *deep) undisputed(open []*dream.Candidate, known, heard []sentence) []*dream.Candidate {
	inMemory := make(map[memory.EntryID]bool, len(known))
	for _, s := range known {
		inMemory[s.id] = true
	}
	d.disputes = slices.DeleteFunc(disputes(append(known, heard...)), func(c dream.Contradiction) bool { return inMemory[c.Older] && inMemory[c.Newer] })
	corrected := map[memory.EntryID]dream.Contradiction{}
	unclear := map[memory.EntryID]dream.Contradiction{}
	for _, pair := range d.disputes {
		if pair.Settled {
			corrected[pair.Older] = pair
			continue
		}
		unclear[pair.Older] = cmp.Or(unclear[pair.Older], pair)
		unclear[pair.Newer] = pair
	}
	return slices.DeleteFunc(open, func(c *dream.Candidate) bool {
		if pair, ok := corrected[c.ID]; ok {
			c.Judge(dream.VerdictRejected, dream.ReasonCorrected, "A later statement corrects it: "+pair.Why+".")
			c.With = pair.Newer
			return true
		}
		pair, ok := unclear[c.ID]
		if !ok {
			return false
		}
		with := pair.Older
		if with == c.ID {
			with = pair.Newer
		}
		where := "another statement"
		if inMemory[with] {
			where = "MEMORY.md"
		}
		c.Judge(dream.VerdictKept, dream.ReasonContradiction, "It and "+where+" cannot both hold ("+pair.Why+"), and neither says that the other is over.")
		c.With = with
		return true
	})
}
