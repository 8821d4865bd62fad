package recall

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/facts"
	"reverie/language/analysis"
	"reverie/language/date"
	"reverie/memory"
	"reverie/scan"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/excerpt"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/search/rank"
)

// answer builds the response from the selection of each view.
func (s *searching) answer(views []*view) {
	results, dropped := s.merge(views)
	byCorpus := map[search.Corpus]*view{}
	for _, v := range views {
		byCorpus[v.Corpus] = v
		s.response.Found += len(v.fusion.Hits)
	}
	var asking []Hit
	s.response.Results = make([]Hit, 0, len(results))
	for _, r := range results {
		v := byCorpus[r.Candidate.Corpus]
		if s.request.StatementsFirst && v.onlyAsks(v.passages[r.Candidate.Unit]) {
			asking = append(asking, v.hit(r))
		} else {
			s.response.Results = append(s.response.Results, v.hit(r))
		}
	}
	s.response.Results = append(s.response.Results, asking...)
	texts := make([]string, len(s.response.Results))
	for i, h := range s.response.Results {
		texts[i] = h.Text
	}
	s.response.Disagreements = facts.Within(s.beliefs.Disagreements, texts...)
	if !s.request.Explain {
		return
	}
	s.response.Trace = s.trace(views)
	for _, d := range dropped {
		s.response.Trace.Dropped = append(s.response.Trace.Dropped, DroppedHit{byCorpus[d.Candidate.Corpus].hit(d.Result), d.Reason})
	}
}

// merge merges the results of all views into one list.
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
	noted := s.sharePlaces(views, lists)
	results, beyond := choose.Balance(s.settings.MaxResults, lists...)
	return results, slices.Concat(dropped, below, noted, beyond)
}

// sharePlaces removes messages from the lists whose content a document that is found too has taken over, and gives the
// document the better of the two scores. It looks at as many results of each corpus as there can be in the answer.
func (s *searching) sharePlaces(views []*view, lists [][]choose.Result) (noted []choose.Dropped) {
	passage := func(r choose.Result) string {
		v := views[slices.IndexFunc(views, func(v *view) bool { return v.Corpus == r.Candidate.Corpus })]
		return v.passages[r.Candidate.Unit].Text
	}
	most := s.settings.MaxResults
	for _, documents := range lists {
		if len(documents) == 0 || documents[0].Candidate.Corpus != search.Memory {
			continue
		}
		for i, messages := range lists {
			if len(messages) == 0 || messages[0].Candidate.Corpus != search.Sessions {
				continue
			}
			lists[i] = slices.DeleteFunc(messages, func(m choose.Result) bool {
				said := termsOf(passage(m))
				for j := range documents[:min(most, len(documents))] {
					d := &documents[j]
					if !quotes(passage(*d), said) {
						continue
					}
					d.Score = max(d.Score, m.Score)
					noted = append(noted, choose.Dropped{Result: m, Reason: choose.InDocument})
					return true
				}
				return false
			})
		}
		slices.SortStableFunc(documents, func(a, b choose.Result) int { return cmp.Compare(b.Score, a.Score) })
	}
	return noted
}

// A line quotes a message if it has at least leastQuoted words, and no more than one in five of them is not the message's.
const (
	leastQuoted = 3
	foreignTo   = 5
)

// quotes reports whether a line of a document consists of the words of a message.
func quotes(document string, said []index.TermID) bool {
	for line := range strings.Lines(document) {
		words := termsWith(line, func(t analysis.Token) bool { return !isDigit(t.Text[0]) }) // the day of a note is not the message's
		foreign := 0
		for _, word := range words {
			if _, found := slices.BinarySearch(said, word); !found {
				foreign++
			}
		}
		if len(words) >= leastQuoted && foreign*foreignTo <= len(words) {
			return true
		}
	}
	return false
}

// belowTogether removes results below the minimum score that are kept only because their corpus has no better ones,
// if another corpus has.
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

// hit returns a result with its passage.
func (v *view) hit(r choose.Result) Hit {
	p := v.passages[r.Candidate.Unit]
	text := scan.Redacted(p.Text) // messages are stored as they were said
	snippet, _ := excerpt.Snippet(text, v.wanted(), excerpt.DefaultSnippet)
	h := Hit{
		Corpus: v.Corpus, Path: r.Candidate.Path, FromLine: p.Unit.FromLine, ToLine: p.Unit.ToLine,
		Source: SourceRef{
			Scope: p.Source.Scope, Owner: p.Source.Owner, ID: p.Source.Document, Version: p.Source.Version,
			Conversation: p.Source.Conversation,
		},
		Score: r.Score, VectorScore: r.Candidate.Fused.Vector, TextScore: r.Candidate.Fused.Text,
		Snippet: snippet, Text: text, Message: p.Message, At: p.Unit.Time(),
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
	if newer := r.Parts.SupersededBy; newer != nil {
		p := v.passages[*newer]
		h.SupersededBy = Citation(pathOf(p.Source), int(p.Unit.Seq), int(p.Unit.Seq))
	}
	if v.request.Explain {
		h.Explanation = v.explanation(r)
	}
	return h
}

// wanted returns the forms of the question's words, to choose the snippet.
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

// Mode is the kind of an answer.
type Mode string

const (
	// Lexical uses words alone.
	Lexical Mode = "lexical"
	// Hybrid uses words and vectors.
	Hybrid Mode = "hybrid"
)

// Reason explains why a search was answered without vectors although a provider is configured. Its names are stable.
type Reason string

// Reasons for a degraded answer.
const (
	ReasonTimeout    Reason = "embedding_timeout"   // the question's vector was not ready in time
	ReasonProvider   Reason = "embedding_failed"    // the provider refused or is unavailable
	ReasonNoVectors  Reason = "no_vectors"          // the agent has no vectors yet
	ReasonOtherModel Reason = "other_model"         // the vectors were made with a model that is not configured
	ReasonComparing  Reason = "vectors_unavailable" // the vectors could not be compared
)

// String describes the reason.
func (r Reason) String() string {
	switch r {
	case ReasonTimeout:
		return "the embedding provider did not answer in time"
	case ReasonProvider:
		return "the embedding provider failed"
	case ReasonNoVectors:
		return "no vectors have been made yet"
	case ReasonOtherModel:
		return "the vectors were made with a model that is not configured"
	case ReasonComparing:
		return "the vectors could not be compared"
	}
	return string(r)
}

// Response is the result of a search.
type Response struct {
	Results []Hit // best first
	// Disagreements are pairs of statements in the results that cannot both hold. A caller that shows the results must report them.
	Disagreements []facts.Disagreement
	// Disabled means that the agent's memory is switched off: nothing was searched.
	Disabled bool
	Mode     Mode
	// Degraded means that vectors are configured but were not used; Reason says why.
	Degraded bool
	Reason   Reason
	// Embedding is the model of the question's vector, even if it was not used.
	Embedding memory.EmbeddingIdentity
	// Settings are the settings that applied.
	Settings  Settings
	Staleness Staleness
	// Supplements are the answers of other programs, whose hits are among the results.
	Supplements []Supplement
	// Backend names the program that ranked the documents; empty: the built-in index, because of BackendFailed if that is set.
	Backend       string
	BackendFailed string
	Waited        time.Duration // for vectors
	Took          time.Duration
	Found         int    // candidates before the selection
	Trace         *Trace // if the request asked for it
}

// Staleness describes what the search could not see yet. Lexical search never lags behind; this is about vectors.
type Staleness struct {
	Pending int64      // documents and conversations that wait for vectors
	Since   *time.Time // when the oldest of them was written; nil: nothing waits
}

// Hit is one result.
type Hit struct {
	Corpus search.Corpus
	Source SourceRef
	// Path is the document's path, or sessions/ and the conversation's id.
	Path string
	// FromLine and ToLine are lines of the document, or sequence numbers of messages; 1-based, inclusive.
	FromLine, ToLine int
	Score            float64 // 0 to 1
	VectorScore      float64 // calibrated, 0 to 1
	TextScore        float64 // calibrated, 0 to 1
	Snippet          string  // a part of Text
	Text             string  // the whole passage, without secrets
	Message          memory.Message
	At               time.Time // when it was said or written; zero: unknown
	// SupersededBy cites the result that states a newer value of the same thing; empty if none does.
	SupersededBy string
	// Explanation is set if the request asked for it.
	Explanation *Explanation
}

// SourceRef identifies the source of a result.
type SourceRef struct {
	Scope        memory.Scope
	Agent        string // the agent it belongs to; empty for GLOBAL
	Owner        memory.Owner
	ID           uuid.UUID // of the document or conversation
	Version      int       // of the document
	Conversation string    // the client's id; empty for documents
}

// Hash returns a hash of the text of a result.
func (h Hit) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(h.Text)) }

// Citation names lines of a document, or messages of a conversation by number: "MEMORY.md#L3", "sessions/c1#L3-L7".
// What other programs keep has no lines: it is cited by its path.
func Citation(path string, from, to int) string {
	if from == 0 {
		return path
	}
	if from == to {
		return fmt.Sprintf("%s#L%d", path, from)
	}
	return fmt.Sprintf("%s#L%d-L%d", path, from, to)
}

// Explanation contains everything that contributed to a score.
type Explanation struct {
	Lexical *LexicalExplanation `json:"lexical,omitempty" doc:"By words; missing when the words of the question did not find it."`
	Fused   fuse.Fused          `json:"fused" doc:"The two lists as one."`
	// Share is already included in the fused score.
	Share    float64            `json:"share" doc:"What the fused score was multiplied with, because its corpus answers less of the question than another one; 1 when one corpus is searched."`
	Selected choose.SelectParts `json:"selected" doc:"From the fused score to the final one."`
}

// LexicalExplanation is a place in the lexical ranking.
type LexicalExplanation struct {
	Score float64           `json:"score"`
	Parts rank.LexicalParts `json:"parts"`
}

// Trace describes how a search was executed.
type Trace struct {
	Terms   []TermTrace
	Phrases []string
	Periods []date.Period
	Corpora []CorpusTrace
	Dropped []DroppedHit
	Stages  []Stage
}

// TermTrace is a term of the question.
type TermTrace struct {
	Text  string
	Forms []string
	Stop  bool
}

// CorpusTrace counts the candidates of one corpus.
type CorpusTrace struct {
	Corpus   search.Corpus
	Units    int // in view
	Lexical  int // found by words
	Dense    int // found by vectors
	Compared int // vectors in view
	Votes    fuse.Votes
}

// DroppedHit is a candidate that is not among the results.
type DroppedHit struct {
	Hit

	Reason choose.DropReason
}

// Stage is the duration of a part of a search.
type Stage struct {
	Name string
	Took time.Duration
}
