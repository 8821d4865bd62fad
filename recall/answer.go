package recall

import (
	"slices"

	"reverie/memory"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/excerpt"
)

// answer makes the response of what was selected in each view.
func (s *searching) answer(views []*view) {
	results, dropped := s.merge(views)
	byCorpus := map[search.Corpus]*view{}
	for _, v := range views {
		byCorpus[v.Corpus] = v
		s.response.Found += len(v.fusion.Hits)
	}
	s.response.Results = make([]Hit, len(results))
	for i, r := range results {
		s.response.Results[i] = byCorpus[r.Candidate.Corpus].hit(r)
	}
	if !s.request.Explain {
		return
	}
	s.response.Trace = s.trace(views)
	for _, d := range dropped {
		s.response.Trace.Dropped = append(s.response.Trace.Dropped, DroppedHit{byCorpus[d.Candidate.Corpus].hit(d.Result), d.Reason})
	}
}

// merge makes one list of the results of all views.
func (s *searching) merge(views []*view) ([]choose.Result, []choose.Dropped) {
	var dropped []choose.Dropped
	lists := make([][]choose.Result, len(views))
	for i, v := range views {
		lists[i] = v.results
		dropped = append(dropped, v.dropped...)
	}
	if len(lists) == 1 {
		return lists[0], dropped
	}
	lists, below := belowTogether(lists)
	results, beyond := choose.Balance(s.settings.MaxResults, lists...)
	return results, slices.Concat(dropped, below, beyond)
}

// belowTogether takes out results below the floor that stand only because their corpus has no better ones, when another
// corpus has.
func belowTogether(lists [][]choose.Result) (kept [][]choose.Result, below []choose.Dropped) {
	relaxed := func(r choose.Result) bool { return r.Parts.Relaxed }
	if !slices.ContainsFunc(lists, func(l []choose.Result) bool { return len(l) > 0 && !slices.ContainsFunc(l, relaxed) }) {
		return lists, nil
	}
	for _, l := range lists {
		if !slices.ContainsFunc(l, relaxed) {
			kept = append(kept, l)
			continue
		}
		for _, r := range l {
			r.Parts.Relaxed = false
			below = append(below, choose.Dropped{Result: r, Reason: choose.BelowFloor})
		}
	}
	return kept, below
}

// hit is a result with its passage.
func (v *view) hit(r choose.Result) Hit {
	p := v.passages[r.Candidate.Unit]
	snippet, _ := excerpt.Snippet(p.Text, v.wanted(), excerpt.DefaultSnippet)
	h := Hit{
		Corpus: v.Corpus, Path: r.Candidate.Path, FromLine: p.Unit.FromLine, ToLine: p.Unit.ToLine,
		Source: SourceRef{Scope: p.Source.Scope, Owner: p.Source.Owner, ID: p.Source.Document, Version: p.Source.Version, Conversation: p.Source.Conversation},
		Score:  r.Score, VectorScore: r.Candidate.Fused.Vector, TextScore: r.Candidate.Fused.Text,
		Snippet: snippet, Text: p.Text, Message: p.Message, At: p.Unit.Time(),
	}
	if v.Corpus == search.Sessions {
		h.FromLine, h.ToLine, h.Source.ID = int(p.Unit.Seq), int(p.Unit.Seq), p.Source.ConversationUID
	}
	if h.Source.Scope != memory.ScopeGlobal {
		h.Source.Agent = v.id.Agent
	}
	if h.Source.Scope != memory.ScopePersonal {
		h.Source.Owner = memory.NoOwner
	}
	if v.request.Explain {
		h.Explanation = v.explanation(r)
	}
	return h
}

// wanted are the forms of the question's words, for the part of a text that shows them.
func (s *searching) wanted() []string {
	var forms []string
	for _, term := range s.query.Terms {
		if !term.Stop {
			forms = append(forms, term.Forms...)
		}
	}
	return forms
}

func (v *view) explanation(r choose.Result) *Explanation {
	e := &Explanation{Fused: r.Candidate.Fused, Share: v.shareOf(r.Candidate.Fused), Selected: r.Parts}
	if ranked, found := v.byKey[r.Candidate.Unit]; found {
		e.Lexical = &LexicalExplanation{ranked.Score, ranked.Parts}
	}
	return e
}

func (s *searching) trace(views []*view) *Trace {
	t := &Trace{Periods: s.query.Periods, Stages: s.stages}
	for _, term := range s.query.Terms {
		t.Terms = append(t.Terms, TermTrace{term.Text, term.Forms, term.Stop})
	}
	for _, phrase := range s.query.Phrases {
		t.Phrases = append(t.Phrases, phrase.Text)
	}
	for _, v := range views {
		t.Corpora = append(t.Corpora, CorpusTrace{v.Corpus, len(v.Units), len(v.ranked), len(v.dense.Hits), v.dense.Count, v.fusion.Votes})
	}
	return t
}
