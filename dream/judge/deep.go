package judge

import (
	"cmp"
	"fmt"
	"slices"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// Deep scores, gates and filters candidates and gives each its verdict with the reason.
//
// A candidate is refused or waits for the first of these that holds: it is unfit for memory; a person wanted it gone, or what it
// says was undone or corrected before and not said anew since; MEMORY.md or the shared one says it already; a later statement
// corrects it; it contradicts another one, and neither says which holds; it does not pass the gates. Of those that pass, the
// best are promoted, as many as one dream may, and no list crowds out others that wait. A focused dream takes those about
// its topic first, and of others at most two for three of them.
func Deep(in dream.DeepInput, s memory.DreamSettings) dream.Ranking {
	d := deep{in: in, settings: s, candidates: weighed(in, s)}
	open := d.filter()
	var passed []*dream.Candidate
	for _, c := range open {
		if failed := failing(c.Gates); len(failed) > 0 {
			c.Judge(dream.VerdictKept, reasonOf(failed), sentenceOfLacks(failed))
			continue
		}
		passed = append(passed, c)
	}
	chosen := d.promote(passed)
	slices.SortStableFunc(d.candidates, func(a, b dream.Candidate) int {
		return cmp.Or(cmp.Compare(verdictOrder[a.Verdict], verdictOrder[b.Verdict]), cmp.Compare(chosen[a.ID], chosen[b.ID]))
	})
	return dream.Ranking{Candidates: d.candidates, Contradictions: d.disputes}
}

// deep is one ranking under way.
type deep struct {
	in         dream.DeepInput
	settings   memory.DreamSettings
	candidates []dream.Candidate // best first
	disputes   []dream.Contradiction
}

var verdictOrder = map[dream.Verdict]int{dream.VerdictPromoted: 0, dream.VerdictKept: 1, dream.VerdictRejected: 2}

// weighed are the candidates with their scores and gates, best first.
func weighed(in dream.DeepInput, s memory.DreamSettings) []dream.Candidate {
	truths := make(map[memory.EntryID]float64, len(in.Reflection.Truths))
	for _, t := range in.Reflection.Truths {
		truths[t.Candidate] = t.Confidence
	}
	out := slices.Clone(in.Candidates)
	for i := range out {
		c := &out[i]
		c.Truth = cmp.Or(c.Truth, truths[c.ID])
		c.Components, c.Score = score(*c, in.Material.AsOf, s)
		c.Gates = gates(*c, s)
		c.Judge("", "", "")
		c.With = ""
	}
	slices.SortStableFunc(out, better)
	return out
}

// better orders candidates by score, then by how much speaks for them, then the newest first.
func better(a, b dream.Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)), newestFirst(a, b))
}

// promote gives those that passed their verdicts. It returns the promoted ones in their order, counted from 1.
func (d *deep) promote(passed []*dream.Candidate) map[memory.EntryID]int {
	if d.in.Mode == memory.DreamREM {
		for _, c := range passed {
			c.Judge(dream.VerdictKept, dream.ReasonModeREM, "It would pass; a dream of this kind promotes nothing.")
		}
		return nil
	}
	about, others := passed, []*dream.Candidate(nil)
	if d.in.Mode == memory.DreamFocused && d.in.Material.Topic != "" {
		about, others = d.split(passed)
	}
	limit := max(d.settings.MaxPromotions, 0)
	chosen := fair(about, limit, limit)
	rest := min(limit-len(chosen), len(chosen)*othersPerTopic/topicShare)
	full := limit-len(chosen) < len(others) && rest == limit-len(chosen)
	chosen = append(chosen, fair(others, rest, limit)...)
	taken := make(map[memory.EntryID]int, len(chosen))
	for i, c := range chosen {
		taken[c.ID] = i + 1
		c.Judge(dream.VerdictPromoted, dream.ReasonPassed, "Passed with "+passedWith(c.Gates)+".")
	}
	night := fmt.Sprintf("It passed, but this dream's %d promotions were used up; it waits for the next one.", limit)
	for _, c := range about {
		if taken[c.ID] == 0 {
			c.Judge(dream.VerdictKept, dream.ReasonNightFull, night)
		}
	}
	for _, c := range others {
		switch {
		case taken[c.ID] > 0:
		case full:
			c.Judge(dream.VerdictKept, dream.ReasonNightFull, night)
		default:
			c.Judge(dream.VerdictKept, dream.ReasonOffTopic, "It would pass, but this dream looked at its topic first; it waits for the next one.")
		}
	}
	return taken
}

// A focused dream gives its topic three parts of its attention and everything else two.
const (
	topicShare     = 3
	othersPerTopic = 2
)

// split parts candidates by whether they are about the topic, both best first.
func (d *deep) split(all []*dream.Candidate) (about, others []*dream.Candidate) {
	topic := claim.ContentOf(d.in.Material.Topic)
	for _, c := range all {
		if onTopic(topic, *c) {
			about = append(about, c)
		} else {
			others = append(others, c)
		}
	}
	return about, others
}

// fair takes at most n candidates, best first, and from one list at most a third of limit while candidates of other lists wait.
func fair(all []*dream.Candidate, n, limit int) []*dream.Candidate {
	if len(all) <= n {
		return all
	}
	share := max(limit/sourceShare, 1)
	var (
		chosen, waiting []*dream.Candidate
		of              = map[string]int{}
	)
	for _, c := range all {
		if key := sourceOfCandidate(*c); of[key] < share {
			of[key]++
			chosen = append(chosen, c)
		} else {
			waiting = append(waiting, c)
		}
	}
	chosen = append(chosen, waiting...)[:max(n, 0)]
	slices.SortStableFunc(chosen, func(a, b *dream.Candidate) int { return better(*a, *b) })
	return chosen
}

// sourceShare is the part of a night's promotions that one list may take while others wait: 1/sourceShare.
const sourceShare = 3

// sourceOfCandidate names the list or conversation that a candidate comes from: that of its newest place.
func sourceOfCandidate(c dream.Candidate) string {
	if len(c.Places) == 0 {
		return ""
	}
	p := c.Places[0]
	if p.Origin == dream.FromSession {
		return p.Conversation + "\x00" + p.ConversationUID.String()
	}
	return p.Path + "\x00" + c.Heading
}

// onTopic reports whether a candidate has at least half of the words of the topic.
func onTopic(topic claim.Content, c dream.Candidate) bool {
	said := claim.ContentOf(c.Heading + "\n" + c.Text)
	common := 0
	for w := range topic {
		if said[w] {
			common++
		}
	}
	return common > 0 && 2*common >= len(topic)
}
