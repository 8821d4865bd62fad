package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/dream"
	"reverie/memory"
)

// Explanation says why a candidate was promoted or not, and what would promote it.
type Explanation struct {
	Candidate dream.Candidate `json:"candidate"`
	// Summary is one line, such as "0.71 < 0.75; one more distinct day would pass".
	Summary string   `json:"summary"`
	Lacks   []string `json:"lacks,omitempty"` // what fails, one sentence each
	Would   []string `json:"would,omitempty"` // what would pass, one sentence each
}

// Explain tells why. It weighs the candidate as Deep does, so that it never says other than what a dream would do: with the
// components that a dream has found, under settings that may be others by now.
//
// What would pass is tried out, one kind of signal at a time: that it is noted or said on more days, that answers to more questions use
// it, that a person asks for it. The summary names the least of them.
func Explain(c dream.Candidate, s memory.DreamSettings) Explanation {
	c.Score = total(c.Components, s.Weights)
	c.Gates = gates(c, s)
	e := Explanation{Candidate: c}
	failed := failing(c.Gates)
	switch {
	case c.Verdict == dream.VerdictRejected:
		e.Summary = clause(c.Reason)
		e.Lacks = []string{c.Reason}
	case len(failed) == 0 && c.Verdict == dream.VerdictKept && !ofGates[c.ReasonCode]:
		e.Summary = "passes with " + passedWith(c.Gates) + "; " + clause(c.Reason)
		e.Lacks = []string{c.Reason}
	case len(failed) == 0:
		e.Summary = "passes with " + passedWith(c.Gates)
	default:
		e.lacks(failed, s)
	}
	return e
}

// ofGates are the reasons that gates give.
var ofGates = map[string]bool{"": true, dream.ReasonLowScore: true, dream.ReasonOneOff: true, dream.ReasonOneContext: true}

// lacks explains a candidate that does not pass its gates.
func (e *Explanation) lacks(failed []dream.Gate, s memory.DreamSettings) {
	short := make([]string, len(failed))
	for i, g := range failed {
		short[i] = strings.TrimPrefix(lack(g), "score ")
		e.Lacks = append(e.Lacks, sentenceCase(lack(g))+gateMeaning(g))
	}
	e.Summary = strings.Join(short, ", ")
	if e.Candidate.ReasonCode == dream.ReasonContradiction {
		e.Lacks = append(e.Lacks, e.Candidate.Reason)
		e.Summary += "; " + clause(e.Candidate.Reason)
		return
	}
	least, would := 0, "more of one kind of signal alone would not pass"
	for _, w := range wishes {
		n, ok := w.least(e.Candidate, s)
		if !ok {
			continue
		}
		e.Would = append(e.Would, sentenceCase(w.inWords(n)+" would pass"))
		if least == 0 || n < least {
			least, would = n, w.inWords(n)+" would pass"
		}
	}
	e.Summary += "; " + would
}

// sentenceCase makes a sentence of a clause.
func sentenceCase(clause string) string {
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[size:] + "."
}

// clause makes a clause of a sentence: what its first word is called stays when it is a name such as MEMORY.md.
func clause(sentence string) string {
	sentence = strings.TrimSuffix(sentence, ".")
	first, size := utf8.DecodeRuneInString(sentence)
	if next, _ := utf8.DecodeRuneInString(sentence[size:]); unicode.IsUpper(next) {
		return sentence
	}
	return string(unicode.ToLower(first)) + sentence[size:]
}
