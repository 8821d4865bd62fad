package recall

import (
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
	"reverie/store/indexes"
)

// answer selects from the candidates of all views and builds the response.
func (s *searching) answer(views []*view) {
	var candidates []choose.Candidate
	byCorpus := map[search.Corpus]*view{}
	for _, v := range views {
		byCorpus[v.Corpus] = v
		candidates = append(candidates, v.selected...)
		s.response.Found += len(v.fusion.Hits)
	}
	options := s.settings.selection(s.request)
	if len(views) > 1 {
		options.Quotes = s.quoting(byCorpus)
	}
	options.Replaced = s.decided(byCorpus)
	results, dropped := choose.Select(candidates, options, s.agesFrom)
	var asking []Hit
	s.response.Results = make([]Hit, 0, len(results))
	for _, r := range results {
		v := byCorpus[r.Candidate.Corpus]
		if s.request.StatementsFirst && v.onlyAsks(v.passages[r.Candidate.Unit]) {
			asking = append(asking, v.hit(r, views))
		} else {
			s.response.Results = append(s.response.Results, v.hit(r, views))
		}
	}
	s.response.Results = append(s.response.Results, asking...)
	if !s.request.Explain {
		return
	}
	s.response.Trace = s.trace(views)
	for _, d := range dropped {
		hit := byCorpus[d.Candidate.Corpus].hit(d.Result, views)
		s.response.Trace.Dropped = append(s.response.Trace.Dropped, DroppedHit{hit, d.Reason})
	}
}

// quoting returns whether a document quotes a message, each analysed once.
func (s *searching) quoting(views map[search.Corpus]*view) func(document, message choose.Candidate) bool {
	lines, said := map[index.UnitKey][]lineOf{}, map[index.UnitKey][]index.TermID{}
	return func(document, message choose.Candidate) bool {
		if _, known := lines[document.Unit]; !known {
			lines[document.Unit] = linesOf(views[search.Memory].passages[document.Unit].Text)
		}
		if _, known := said[message.Unit]; !known {
			said[message.Unit] = termsOf(views[search.Sessions].passages[message.Unit].Text)
		}
		return slices.ContainsFunc(lines[document.Unit], func(l lineOf) bool { return l.quotes(said[message.Unit]) })
	}
}

// decided returns whether one passage has a statement of which was found that a newer one, which the other passage has, counts.
func (s *searching) decided(views map[search.Corpus]*view) func(older, newer choose.Candidate) bool {
	all := slices.DeleteFunc(slices.Clone(s.beliefs.Disagreements.Latest), func(d facts.Disagreement) bool { return !d.Superseded })
	if len(all) == 0 {
		return nil
	}
	text := func(c choose.Candidate) string { return views[c.Corpus].passages[c.Unit].Text }
	return func(older, newer choose.Candidate) bool {
		stale, fresh := text(older), text(newer)
		return slices.ContainsFunc(all, func(d facts.Disagreement) bool {
			return strings.Contains(stale, d.Older) && !strings.Contains(stale, d.Newer) && strings.Contains(fresh, d.Newer)
		})
	}
}

// A line quotes a message if it has at least minQuoted words, no more than one in five of them is not the message's, and all its
// numbers are.
const (
	minQuoted = 3
	foreignTo = 5
)

// lineOf holds the terms of a line of a document.
type lineOf struct{ words, numbers []index.TermID }

// linesOf returns the terms of each line of a document, without the days that Reverie notes.
func linesOf(document string) (lines []lineOf) {
	for line := range strings.Lines(document) {
		line = notSaid.ReplaceAllString(line, "")
		isNumber := func(t analysis.Token) bool { return isDigit(t.Text[0]) }
		lines = append(lines, lineOf{
			words: termsWith(line, func(t analysis.Token) bool { return !isNumber(t) }), numbers: termsWith(line, isNumber),
		})
	}
	return lines
}

// quotes reports whether the line consists of the words and numbers of a message.
func (l lineOf) quotes(said []index.TermID) bool {
	isForeign := func(word index.TermID) bool {
		_, found := slices.BinarySearch(said, word)
		return !found
	}
	foreign := 0
	for _, word := range l.words {
		if isForeign(word) {
			foreign++
		}
	}
	return len(l.words) >= minQuoted && foreign*foreignTo <= len(l.words) && !slices.ContainsFunc(l.numbers, isForeign)
}

// hit returns a result with its passage. A newer value may be in any of the views.
func (v *view) hit(r choose.Result, views []*view) Hit {
	p := v.passages[r.Candidate.Unit]
	text := scan.Redacted(p.Text) // messages are stored as they were said
	snippet, _ := excerpt.Snippet(text, v.wanted(), excerpt.DefaultSnippet)
	from, to := v.linesOf(p)
	h := Hit{
		Corpus: v.Corpus, Path: r.Candidate.Path, FromLine: from, ToLine: to,
		Source: SourceRef{
			Scope: p.Source.Scope, Owner: p.Source.Owner, ID: p.Source.Document, Version: p.Source.Version,
			Conversation: p.Source.Conversation,
		},
		Score: r.Score, VectorScore: r.Candidate.Fused.Vector, TextScore: r.Candidate.Fused.Text,
		Snippet: snippet, Text: text, Message: p.Message, At: p.Unit.Time(),
	}
	if v.Corpus == search.Sessions {
		h.Source.ID = p.Source.ConversationUID
	}
	if h.Source.Scope != memory.ScopeGlobal {
		h.Source.Agent = v.id.Agent
	}
	if h.Source.Scope != memory.ScopePersonal {
		h.Source.Owner = memory.NoOwner
	}
	if newer := r.Parts.SupersededBy; newer != nil {
		for _, v := range views {
			if p, found := v.passages[*newer]; found {
				from, to := v.linesOf(p)
				h.SupersededBy = Citation(pathOf(p.Source), from, to)
			}
		}
	}
	if v.request.Explain {
		h.Explanation = v.explanation(r)
	}
	return h
}

// linesOf returns the lines of a document's passage, or the number of a message as both.
func (v *view) linesOf(p indexes.Passage) (from, to int) {
	if v.Corpus == search.Sessions {
		return int(p.Unit.Seq), int(p.Unit.Seq)
	}
	return p.Unit.FromLine, p.Unit.ToLine
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

// Staleness describes content not yet covered by vectors. Lexical search is always current.
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
