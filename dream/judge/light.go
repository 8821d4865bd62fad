package judge

import (
	"cmp"
	"slices"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// Light stages what a dream looks at: each thing that was noted or said once, in however many words and places, with the
// signals that speak for it. The same material gives the same candidates in the same order, the newest first.
//
//   - Statements with the same identity are one thing, and so are those that are Alike. It bears the identity, and the text, of
//     what is known of it; of a new one those of its newest wording. Other wordings are its aliases.
//   - What is known and was not said anew is staged when it is open and was recalled since it last was.
//   - Statements and recalls after AsOf do not count; machine text is no statement.
//   - There are at most MaxCandidates: those about the topic first, then those with more signals, then the newest. The others
//     lose nothing by waiting.
func Light(m dream.Material, s memory.DreamSettings) []dream.Candidate {
	g := gather(m)
	g.attachRecalls(m)
	var out []dream.Candidate
	for _, t := range g.things {
		if t.staged() {
			out = append(out, t.candidate())
		}
	}
	out = bounded(out, m.Topic, s.MaxCandidates)
	for i := range out {
		out[i].Tags = claim.Tags(out[i].Text)
	}
	slices.SortFunc(out, newestFirst)
	return out
}

// bounded keeps the candidates that matter most.
func bounded(candidates []dream.Candidate, topic string, limit int) []dream.Candidate {
	if limit <= 0 || len(candidates) <= limit {
		return candidates
	}
	about := make(map[memory.EntryID]bool)
	if topic != "" {
		wanted := claim.ContentOf(topic)
		for _, c := range candidates {
			about[c.ID] = onTopic(wanted, c)
		}
	}
	slices.SortFunc(candidates, func(a, b dream.Candidate) int {
		return cmp.Or(
			boolFirst(about[a.ID], about[b.ID]),
			cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)),
			newestFirst(a, b),
		)
	})
	return candidates[:limit]
}

// boolFirst orders true before false.
func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// newestFirst orders candidates by when they were last noted or said.
func newestFirst(a, b dream.Candidate) int {
	return cmp.Or(b.Signals.LastSeen.Compare(a.Signals.LastSeen), cmp.Compare(a.ID, b.ID))
}
