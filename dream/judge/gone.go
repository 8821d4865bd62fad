package judge

import (
	"slices"
	"time"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// Gone are statements that a person wanted forgotten, to compare texts with. The zero value says nothing.
type Gone struct{ barred }

// GoneOf reads states. Those that are not Forgotten do not count.
func GoneOf(states []dream.State) Gone {
	forgotten := slices.DeleteFunc(slices.Clone(states), func(s dream.State) bool { return s.Status != dream.Forgotten })
	return Gone{barredBy(dream.Material{AsOf: time.Unix(0, 0).UTC(), States: forgotten}, nil)}
}

// Said returns the states of what a text says of it: in the same or in other words, with more around it, or the most of it by
// itself. It is what keeps a dream from bringing something back.
func (g Gone) Said(id memory.EntryID, text string) []dream.State {
	if len(g.states) == 0 {
		return nil
	}
	text = claim.Comment.ReplaceAllString(text, "")
	c, said, what := dream.Candidate{ID: id, Text: text}, claim.WordsOf(text), claim.ContentOf(text)
	var out []dream.State
	for _, s := range g.states {
		if s.is(c, said) || s.tells(what) {
			out = append(out, s.State)
		}
	}
	return out
}

// Empty reports whether there is nothing to compare with.
func (g Gone) Empty() bool { return len(g.states) == 0 }
