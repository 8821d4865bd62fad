package recall

import (
	"time"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
)

// searchView is the answer to a search, in the shape that agents' tools know.
type searchView struct {
	Results   []foundView   `json:"results" doc:"Best first."`
	Provider  string        `json:"provider" doc:"Embedding provider; none: search is by words alone."`
	Model     string        `json:"model" doc:"Embedding model; empty when there is none."`
	Fallback  *fallbackView `json:"fallback,omitempty" doc:"Vectors are configured and had no part in this answer."`
	Citations string        `json:"citations" enum:"on,off" doc:"Results carry citations."`
	Mode      recall.Mode   `json:"mode" enum:"lexical,hybrid" doc:"What answered: words alone, or words and vectors."`
	Degraded  bool          `json:"degraded" doc:"Vectors are configured and had no part in this answer; fallback says why."`
	Staleness staleView     `json:"staleness" doc:"What this search could not see yet. Words never lag behind: it is about vectors."`
	Waited    string        `json:"waited" doc:"How long it waited for vectors." example:"0s"`
	Debug     debugView     `json:"debug"`
	Explain   *explainView  `json:"explain,omitempty"`
	UnavailableView
}

// UnavailableView says that memory cannot be searched, and what to do about it.
type UnavailableView struct {
	Disabled    bool   `json:"disabled,omitempty" doc:"Nothing was searched."`
	Unavailable bool   `json:"unavailable,omitempty"`
	Error       string `json:"error,omitempty"`
	Warning     string `json:"warning,omitempty" doc:"What the agent should tell."`
	Action      string `json:"action,omitempty" doc:"What to do about it."`
}

// foundView is one result.
type foundView struct {
	Corpus       search.Corpus `json:"corpus" enum:"memory,sessions"`
	Source       search.Corpus `json:"source" enum:"memory,sessions" doc:"The same as corpus."`
	Path         string        `json:"path" doc:"Of the document, or sessions/ and the conversation." example:"memory/2026-11-21.md"`
	StartLine    int           `json:"startLine" doc:"Line of the document, or number of the message; from 1, inclusive."`
	EndLine      int           `json:"endLine"`
	Citation     string        `json:"citation" example:"memory/2026-11-21.md#L3-L7"`
	Score        float64       `json:"score" doc:"0 to 1, and a little above for the owner's own."`
	VectorScore  float64       `json:"vectorScore"`
	TextScore    float64       `json:"textScore"`
	Snippet      string        `json:"snippet" maxLength:"700" doc:"The part of the passage that shows best why it was found."`
	Scope        memory.Scope  `json:"scope"`
	Agent        string        `json:"agent,omitempty" doc:"Whose memory it is: this agent's, or that of its leader. Missing for GLOBAL."`
	Owner        memory.Owner  `json:"owner,omitempty" doc:"Of what is PERSONAL."`
	Version      int           `json:"version,omitempty" doc:"Of the document."`
	Conversation string        `json:"conversation,omitempty"`
	MessageIDs   []string      `json:"messageIds,omitempty" nullable:"false" doc:"Of what was said."`
	Role         string        `json:"role,omitempty" doc:"Who said it."`
	Name         string        `json:"name,omitempty" doc:"Of who said it."`
	At           *time.Time    `json:"at,omitempty" doc:"When it was said or written."`

	Explain *recall.Explanation `json:"explain,omitempty"`
}

type fallbackView struct {
	From   string        `json:"from" doc:"Provider and model that should have had a part."`
	Reason recall.Reason `json:"reason" enum:"embedding_timeout,embedding_failed,no_vectors,other_model,vectors_unavailable"`
	Text   string        `json:"text" doc:"The reason in words."`
}

type staleView struct {
	Pending int64      `json:"pending" doc:"Documents and conversations that wait for vectors."`
	Since   *time.Time `json:"since,omitempty" doc:"When the oldest of them was written."`
}

type debugView struct {
	Backend        string      `json:"backend"`
	ConfiguredMode recall.Mode `json:"configuredMode" enum:"lexical,hybrid"`
	EffectiveMode  recall.Mode `json:"effectiveMode" enum:"lexical,hybrid"`
	SearchMs       float64     `json:"searchMs"`
	Hits           int         `json:"hits" doc:"Candidates before the selection."`
}

// explainView is how a search went.
type explainView struct {
	Terms   []termView    `json:"terms" doc:"What the question was taken apart into."`
	Phrases []string      `json:"phrases"`
	Periods []periodView  `json:"periods" doc:"Stretches of time that the question names."`
	Corpora []corpusView  `json:"corpora"`
	Dropped []droppedView `json:"dropped" doc:"Candidates that are not among the results, best first in each corpus."`
	Stages  []stageView   `json:"stages" doc:"How long the parts took."`
}

type termView struct {
	Text  string   `json:"text"`
	Forms []string `json:"forms" doc:"The word as it is compared, and its stems."`
	Stop  bool     `json:"stop" doc:"So common that it decides nothing."`
}

type periodView struct {
	Text string    `json:"text"`
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

type corpusView struct {
	Corpus   search.Corpus `json:"corpus"`
	Units    int           `json:"units" doc:"Passages in view."`
	Lexical  int           `json:"lexical" doc:"Found by words."`
	Dense    int           `json:"dense" doc:"Found by vectors."`
	Compared int           `json:"compared" doc:"Vectors in view."`
	Votes    search.Votes  `json:"votes" doc:"What the two lists were trusted with, for this question."`
}

type droppedView struct {
	Corpus    search.Corpus      `json:"corpus"`
	Path      string             `json:"path"`
	StartLine int                `json:"startLine"`
	EndLine   int                `json:"endLine"`
	Score     float64            `json:"score"`
	Reason    search.DropReason  `json:"reason" enum:"outside-period,personal-copy,below-floor,too-similar,beyond-limit"`
	Explain   recall.Explanation `json:"explain"`
}

type stageView struct {
	Name string  `json:"name"`
	Ms   float64 `json:"ms"`
}

// errMemoryOff says that nothing is searched or read.
const errMemoryOff = "memory is switched off for this agent"

// backend is what keeps the index.
const backend = "postgresql"

func (s *recallRoom) viewSearch(r recall.Response) searchView {
	v := searchView{
		Results: rest.Views(r.Results, viewFound), Provider: r.Embedding.Provider, Model: r.Embedding.Model, Citations: "on",
		Mode: r.Mode, Degraded: r.Degraded, Staleness: staleView{r.Staleness.Pending, r.Staleness.Since}, Waited: r.Waited.Round(time.Millisecond).String(),
		Debug: debugView{
			Backend: backend, ConfiguredMode: recall.Lexical, EffectiveMode: r.Mode, SearchMs: rest.Milliseconds(r.Took), Hits: r.Found,
		},
	}
	if v.Provider == "" {
		v.Provider = "none"
	}
	if len(s.Search.Embedders) > 0 {
		v.Debug.ConfiguredMode = recall.Hybrid
	}
	if r.Degraded {
		v.Fallback = &fallbackView{From: r.Embedding.Provider + "/" + r.Embedding.Model, Reason: r.Reason, Text: r.Reason.String()}
	}
	if r.Disabled {
		v.UnavailableView = UnavailableView{
			Disabled: true, Unavailable: true, Error: errMemoryOff,
			Warning: "Memory was not searched: it is switched off for this agent.",
			Action:  "Switch it on with PATCH /api/v1/agents/{agent} {\"settings\": {\"memoryEnabled\": true}}, then search again.",
		}
	}
	if r.Trace != nil {
		v.Explain = viewTrace(*r.Trace)
	}
	return v
}

func viewFound(h recall.Hit) foundView {
	v := foundView{
		Corpus: h.Corpus, Source: h.Corpus, Path: h.Path, StartLine: h.FromLine, EndLine: h.ToLine,
		Citation: recall.Citation(h.Path, h.FromLine, h.ToLine), Score: h.Score, VectorScore: h.VectorScore, TextScore: h.TextScore,
		Snippet: h.Snippet, Scope: h.Source.Scope, Agent: h.Source.Agent, Owner: h.Source.Owner, Version: h.Source.Version, Conversation: h.Source.Conversation,
		Role: h.Message.Role, Name: h.Message.Name, Explain: h.Explanation,
	}
	if h.Message.ID != "" {
		v.MessageIDs = []string{h.Message.ID}
	}
	if !h.At.IsZero() {
		v.At = &h.At
	}
	return v
}

func viewTrace(t recall.Trace) *explainView {
	return &explainView{
		Terms:   rest.Views(t.Terms, func(t recall.TermTrace) termView { return termView(t) }),
		Phrases: rest.Views(t.Phrases, func(p string) string { return p }),
		Periods: rest.Views(t.Periods, func(p search.Period) periodView { return periodView(p) }),
		Corpora: rest.Views(t.Corpora, func(c recall.CorpusTrace) corpusView { return corpusView(c) }),
		Dropped: rest.Views(t.Dropped, func(d recall.DroppedHit) droppedView {
			return droppedView{d.Corpus, d.Path, d.FromLine, d.ToLine, d.Score, d.Reason, *d.Explanation}
		}),
		Stages: rest.Views(t.Stages, func(s recall.Stage) stageView { return stageView{s.Name, rest.Milliseconds(s.Took)} }),
	}
}
