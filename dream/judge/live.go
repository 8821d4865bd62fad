package judge

import (
	"slices"

	"reverie/dream"
	"reverie/memory/markdown"
)

// Live returns staged candidates with the places that notes still have; said are the statements of the notes as they are now.
// Messages never change. A candidate gets the wording of a source that it still has; one without places is not promoted.
func Live(candidates []dream.Candidate, said []dream.Statement) []dream.Candidate {
	type key struct {
		path string
		id   markdown.EntryID
	}
	live := make(map[key]dream.Statement, len(said))
	for _, s := range said {
		live[key{s.Place.Path, s.ID}] = s
	}
	out := slices.Clone(candidates)
	for i := range out {
		c := &out[i]
		own, text, standing := markdown.EntryIDOf(c.Text), "", false
		var places []dream.Place
		for _, p := range c.Places {
			if p.Origin != dream.FromNote {
				places, standing = append(places, p), true
				continue
			}
			for _, id := range append([]markdown.EntryID{own, c.ID}, c.Aliases...) {
				s, found := live[key{p.Path, id}]
				if !found {
					continue
				}
				p.Version, p.FromLine, p.ToLine = s.Place.Version, s.Place.FromLine, s.Place.ToLine
				places, standing = append(places, p), standing || id == own
				if text == "" {
					text = s.Text
				}
				break
			}
		}
		if c.Places = places; !standing && text != "" {
			c.Text = text
		}
	}
	return out
}
