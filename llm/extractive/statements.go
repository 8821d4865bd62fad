package extractive

import (
	"cmp"
	"slices"
	"time"

	"reverie/language/cue"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// Said is one statement of a conversation, in the user's own words.
type Said struct {
	Text     string
	Messages []int64 // sequence numbers
	Asked    bool    // the user asked for it to be remembered
	Unsure   bool    // said with doubt
	Ends     bool    // something no longer holds
	Corrects string  // the value that is wrong
	Score    float64 // how much the user's words deserve to be kept; comparable within one version of the engine
}

// Statements returns what Engine.Propose would note of a transcript, without files: what a dream weighs. now is in the owner's
// zone.
//
// Questions are left out, and so is what is withdrawn later in the conversation. A statement whose value is corrected has the
// right value in brackets. A statement that is repeated has the messages of all of them. They come in the order in which they
// were first said.
func Statements(transcript []transcripts.Line, now time.Time) []Said {
	var out []Said
	var terms []words
	for _, p := range spoken(transcript, now) {
		if p.withdrawn || p.asks || p.forgets() {
			continue
		}
		text := p.dated()
		if p.corrected != "" {
			text = p.corrected
		}
		if p.question != "" {
			text = "[" + p.question + "] " + text
		}
		if p.speaker != "" {
			text = memory.QuotedName(p.speaker) + ": " + text
		}
		if at := slices.IndexFunc(terms, p.says); at >= 0 && out[at].Ends == p.ends() {
			out[at].Messages = withSeqs(out[at].Messages, p.seqs)
			continue
		}
		out = append(out, Said{
			Text: text, Messages: p.seqs, Asked: p.set.Has(cue.Remember), Unsure: p.doubtful && len(p.facts) == 0, Ends: p.ends(),
			Corrects: cmp.Or(p.wrong, p.denied), Score: p.keep,
		})
		terms = append(terms, p.terms)
	}
	return out
}

// ends reports whether something no longer holds. What is said with doubt does not end anything.
func (p *passage) ends() bool { return p.set.Has(cue.Over) && (!p.doubtful || len(p.facts) > 0) }

// spoken returns the passages of a transcript with corrections applied. Messages without a time were said now.
func spoken(transcript []transcripts.Line, now time.Time) []passage {
	c := listen(transcript, now)
	passages := c.passages()
	settle(passages)
	return passages
}
