// Package recall is the one path on which memory is searched: requests of people, tools, prompts and dreams all use
// Searcher.Search.
//
// A search collects what its identity may see, ranks it by words, compares vectors if there are any, fuses the two
// lists, selects, and records what was used. Package search does the arithmetic and package store reads the rows;
// this package combines them, concurrently where possible, and answers even if the embedding provider is unavailable.
package recall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"reverie/facts"
	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/chunk"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/search/keyword"
	"reverie/search/rank"
	stored "reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/indexes"
)

// Store is the source of a search's data; *store.Store implements it.
type Store interface {
	Collect(ctx context.Context, id memory.Identity, corpora []search.Corpus, q analysis.Query) (indexes.Collected, error)
	Passages(ctx context.Context, id memory.Identity, corpus search.Corpus, units []index.Unit) (map[index.UnitKey]indexes.Passage, error)
	Nearest(ctx context.Context, id memory.Identity, q indexes.VectorQuery) (fuse.Dense, error)
	LiveSpace(ctx context.Context, id memory.Identity) (indexes.Space, error)
	IndexLag(ctx context.Context, id memory.Identity, corpora []search.Corpus, token int64) (indexes.Lag, error)
	Documents(ctx context.Context, id memory.Identity, filter gate.DocumentFilter) ([]gate.DocumentEntry, error)
	Leader(ctx context.Context, id memory.Identity) (memory.Identity, bool, error)
	DocumentsWith(ctx context.Context, id memory.Identity, documents []uuid.UUID, words [][]string, limit int) ([]memory.Document, error)
	Disagreements(ctx context.Context, id memory.Identity, texts ...string) ([]facts.Disagreement, error)
}

// Embedder makes vectors of questions.
type Embedder interface {
	// Identity returns the identity of the model. Dimensions is 0 until it is known.
	Identity() memory.EmbeddingIdentity
	// EmbedQuery returns the vector of a question asked in a workspace.
	EmbedQuery(ctx context.Context, workspace, text string) ([]float32, error)
}

// DefaultQueryTimeout bounds a search's wait for the vector of its question.
const DefaultQueryTimeout = 1500 * time.Millisecond

// Searcher searches memory. It is safe for concurrent use.
type Searcher struct {
	Store Store
	// Embedders are the configured models. A search uses the one that made the agent's live vectors. If empty,
	// searches are lexical.
	Embedders []Embedder
	// QueryTimeout bounds the wait for the vector of a question; 0: DefaultQueryTimeout.
	QueryTimeout time.Duration
	Reputations  *Reputations     // of vector spaces; nil: searches do not change them
	Defaults     Settings         // of the server
	Ranking      *rank.Options    // by words; nil: rank.DefaultOptions
	Outside      Outside          // sources that other programs keep; nil: none
	Backend      Backend          // ranks documents in place of the built-in index; nil: none
	Recorder     *Recorder        // nil: uses are not recorded
	Observe      func(Response)   // called with every response; may be nil
	Now          func() time.Time // nil: time.Now
	Log          *slog.Logger
}

// Search answers a request on behalf of an identity, which names one agent. Visibility is decided before anything is
// ranked.
//
// A question without words has no results and costs nothing. The error joins an *InvalidError for every invalid
// field, or comes from the store.
func (s *Searcher) Search(ctx context.Context, id memory.Identity, r Request) (Response, error) {
	began := time.Now()
	known := s.corpora(id, r)
	if err := r.check(known); err != nil {
		return Response{}, err
	}
	if !r.Past.IsZero() {
		then := r
		then.Past, then.Unrecorded, then.After = time.Time{}, true, 0
		if then.Now.IsZero() {
			then.Now = r.Past
		}
		if end := r.Past.Truncate(time.Second).Add(time.Second); then.To.IsZero() || then.To.After(end) {
			then.To = end
		}
		return s.asOf(r.Past).Search(ctx, id, then)
	}
	settings := r.settings(s.Defaults)
	response := Response{Mode: Lexical, Settings: settings, Disabled: !settings.Enabled}
	if len(s.Embedders) > 0 {
		response.Embedding = s.Embedders[0].Identity()
	}
	now := s.nowOf(r)
	q := analysis.NewQuery(r.Query, now)
	if response.Disabled || len(q.Terms) == 0 {
		return response, nil
	}
	join := s.supplement(ctx, id, r, r.outside(known))
	if len(r.corpora()) > 0 {
		one := &searching{Searcher: s, id: id, request: r, settings: settings, query: q, now: now, response: &response}
		if err := one.run(ctx); err != nil {
			return Response{}, err
		}
		s.Reputations.learn(id, one.space, one.votes) // not of the leader's space, which a member must not change
		if err := s.searchLeader(ctx, one); err != nil {
			return Response{}, err
		}
	}
	join(&response)
	response.Took = time.Since(began)
	if s.Observe != nil {
		s.Observe(response)
	}
	if !r.Unrecorded {
		s.record(ctx, r.use(id, q, s.now(), response.Results))
	}
	return response, nil
}

// Used records which results of an Unrecorded search were used, best first.
func (s *Searcher) Used(ctx context.Context, id memory.Identity, r Request, hits []Hit) {
	s.record(ctx, r.use(id, analysis.NewQuery(r.Query, s.nowOf(r)), s.now(), hits))
}

// use returns the use of results of a request.
func (r Request) use(id memory.Identity, query analysis.Query, at time.Time, hits []Hit) Use {
	return Use{Identity: id, Query: query, At: at.In(r.zone()), Synthetic: r.Synthetic, Conversation: r.Conversation, Hits: hits}
}

func (s *Searcher) record(ctx context.Context, u Use) {
	// What a team member finds in its leader's memory is not counted there: the leader's memory must not change by
	// it. What other programs keep is not counted either.
	u.Hits = slices.DeleteFunc(slices.Clone(u.Hits), func(h Hit) bool {
		return !IsOwn(h.Corpus) || h.Source.Agent != "" && h.Source.Agent != u.Identity.Agent
	})
	if s.Recorder != nil && len(u.Hits) > 0 {
		s.Recorder.Record(ctx, u)
	}
}

// Time returns the time of the searcher's clock.
func (s *Searcher) Time() time.Time { return s.now() }

func (s *Searcher) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// nowOf returns the time from which relative dates of a request are computed, in its time zone.
func (s *Searcher) nowOf(r Request) time.Time {
	if !r.Now.IsZero() {
		return r.Now.In(r.zone())
	}
	return s.now().In(r.zone())
}

// searching is the state of one search.
type searching struct {
	*Searcher

	id       memory.Identity
	request  Request
	settings Settings
	query    analysis.Query
	now      time.Time // in the request's time zone
	agesFrom time.Time // decay counts from it: the request's Now, or the newest message in view
	response *Response
	beliefs  stored.Beliefs // of all that the identity sees
	// forgotten are statements that messages do not show.
	forgotten []indexes.Forgotten
	stages    []Stage
	doubts    doubts
	space     int64                        // of the vectors that were compared
	votes     map[search.Corpus]fuse.Votes // of the corpora with vectors
}

// run searches words and vectors concurrently, and then combines them.
func (s *searching) run(ctx context.Context) error {
	if s.request.After > 0 && s.request.Wait > 0 {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	// The comparison is cancelled if the lexical search fails.
	denseCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	var late lag
	known := make(chan struct{})
	go func() {
		defer close(known)
		late = s.lag(denseCtx)
	}()
	compared := make(chan comparison, 1)
	go func() { compared <- s.compare(denseCtx, known) }()

	views, err := s.lexical(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	dense := <-compared
	s.took("vectors", began)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.note(ctx, dense)
	<-known
	if late.err != nil {
		return fmt.Errorf("search: %w", late.err)
	}
	s.response.Staleness = late.Staleness
	began = time.Now()
	s.space, s.votes = dense.space.ID, map[search.Corpus]fuse.Votes{}
	for _, v := range views {
		v.fuse(dense.of[v.Corpus], dense.space.Reputations[v.Corpus])
		if len(v.dense.Hits) > 0 {
			s.votes[v.Corpus] = v.fusion.Votes
		}
	}
	compareViews(views)
	err = s.eachView(views, func(v *view) error { return v.readBest(ctx) })
	s.took("fuse", began)
	if err != nil {
		return err
	}
	s.answer(views)
	s.disclose(ctx)
	return nil
}

// disclose reports the statements in the results that disagree. It reads again if facts were out of date, or if there are more
// disagreements than the search has read.
func (s *searching) disclose(ctx context.Context) {
	texts := textsOf(s.response.Results)
	s.response.Disagreements = facts.ShownIn(texts...).Both(s.beliefs.Disagreements.Latest)
	if len(s.beliefs.Late) == 0 && !s.beliefs.Disagreements.More || len(texts) == 0 || s.request.Undisclosed {
		return
	}
	all, err := s.Store.Disagreements(ctx, s.id, texts...)
	if err != nil {
		s.Log.WarnContext(ctx, "Could not look for disagreements in a search", "error", err, "agent", s.id.Agent)
		return
	}
	s.response.Disagreements = all
}

func textsOf(hits []Hit) []string {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = h.Text
	}
	return texts
}

// lexical collects the visible units and ranks them by words.
func (s *searching) lexical(ctx context.Context) ([]*view, error) {
	began := time.Now()
	found, err := s.Store.Collect(ctx, s.id, s.request.corpora(), s.query)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	collections := found.Collections
	for i, c := range collections {
		if !s.request.Archived {
			collections[i] = c.Without(index.Unit.Archived)
		}
	}
	s.beliefs, s.forgotten = found.Beliefs, found.Forgotten
	s.doubts = doubtsOf(s.beliefs.Doubted)
	s.took("collect", began)
	if s.settings.Decay {
		s.agesFrom = newest(collections, s.request.Now)
	}
	views := make([]*view, len(collections))
	for i, c := range collections {
		views[i] = &view{searching: s, Collection: c}
	}
	began = time.Now()
	err = s.eachView(views, func(v *view) error { return v.rank(ctx) })
	s.took("rank", began)
	return views, err
}

// newest returns now, or if that is zero the time of the newest message, or without messages of the newest passage.
func newest(collections []*index.Collection, now time.Time) time.Time {
	if !now.IsZero() {
		return now
	}
	at := map[search.Corpus]int64{}
	for _, c := range collections {
		for i := range c.Units {
			at[c.Corpus] = max(at[c.Corpus], c.Units[i].At)
		}
	}
	return time.Unix(cmp.Or(at[search.Sessions], at[search.Memory]), 0)
}

// eachView runs do for all views concurrently and returns the first error in their order.
func (s *searching) eachView(views []*view, do func(*view) error) error {
	errs := make([]error, len(views))
	var all sync.WaitGroup
	for i, v := range views {
		all.Go(func() { errs[i] = do(v) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
	}
	return nil
}

func (s *searching) took(stage string, began time.Time) {
	s.stages = append(s.stages, Stage{stage, time.Since(began)})
}

// view is one corpus of one search.
type view struct {
	*searching
	*index.Collection

	ranked   []rank.Ranked // by words, best first
	dense    fuse.Dense
	byKey    map[index.UnitKey]rank.Ranked
	passages map[index.UnitKey]indexes.Passage
	asking   map[index.UnitKey]bool // messages that only ask, as far as they were examined
	fusion   fuse.Fusion
	backed   []fuse.Fused       // ranked by the backend, in place of both rankings; nil: it was not
	share    float64            // factor for comparing scores with other corpora
	selected []choose.Candidate // from which results are chosen
}

// rank ranks the view by words, unless the backend does.
func (v *view) rank(ctx context.Context) error {
	if v.rankByBackend(ctx) {
		return nil
	}
	options := v.request.Options.ranking(v.Ranking)
	depth := options.Depth
	if v.request.bounded() { // drop units outside the period before the list is cut
		options.Depth = max(depth, len(v.Units))
	}
	v.ranked = rank.Rank(v.query, v.Collection, options)
	v.ranked = slices.DeleteFunc(v.ranked, func(r rank.Ranked) bool { return !v.request.covers(v.Units[r.Unit].At) })
	v.ranked = v.ranked[:min(len(v.ranked), depth)]
	if !v.request.Options.isOff(offRefine) {
		n := options.RefineDepth
		if len(v.Embedders) == 0 { // then most of them become candidates
			n = max(n, v.candidates())
		}
		best := v.ranked[:min(len(v.ranked), n)]
		keys := make([]index.UnitKey, len(best))
		for i, r := range best {
			keys[i] = v.Units[r.Unit].Key()
		}
		if err := v.read(ctx, keys); err != nil {
			return err
		}
		v.ranked = rank.Refine(v.query, v.Collection, v.ranked, v.text, options)
	}
	if v.request.StatementsFirst && v.Corpus == search.Sessions {
		v.statementsFirst()
	}
	return nil
}

// statementsFirst moves messages that only ask to the end, with scores below all others. Scores are compared with the best
// one: a question that repeats the words of the query would make those of its answers small.
func (v *view) statementsFirst() {
	asking := make([]rank.Ranked, 0, len(v.ranked))
	stating := make([]rank.Ranked, 0, len(v.ranked))
	for _, r := range v.ranked {
		if p, known := v.passages[v.Units[r.Unit].Key()]; known && v.onlyAsks(p) {
			asking = append(asking, r)
		} else {
			stating = append(stating, r)
		}
	}
	for i := range asking {
		if len(stating) > 0 {
			asking[i].Score = min(asking[i].Score, stating[len(stating)-1].Score)
		}
	}
	v.ranked = append(stating, asking...)
}

// longestQuestion is the length in bytes of texts that may only ask. Longer ones state something.
const longestQuestion = 1000

// onlyAsks reports whether a passage is a person's message that only asks.
func (v *view) onlyAsks(p indexes.Passage) bool {
	if p.Message.Role != memory.RoleOfUser || len(p.Text) > longestQuestion {
		return false
	}
	key := p.Unit.Key()
	asks, known := v.asking[key]
	if !known {
		if v.asking == nil {
			v.asking = map[index.UnitKey]bool{}
		}
		asks = stance.OnlyAsks(p.Text)
		v.asking[key] = asks
	}
	return asks
}

// text returns the text of a unit that was read.
func (v *view) text(unit int) rank.Text {
	p := v.passages[v.Units[unit].Key()]
	return rank.Text{Content: p.Text, Speaker: p.Message.Name}
}

// read reads the passages of units that were not read yet.
func (v *view) read(ctx context.Context, keys []index.UnitKey) error {
	var units []index.Unit
	for _, key := range keys {
		if _, known := v.passages[key]; known {
			continue
		}
		if at, found := v.find(key); found {
			units = append(units, v.Units[at])
		}
	}
	if len(units) == 0 {
		return nil
	}
	passages, err := v.Store.Passages(ctx, v.id, v.Corpus, units)
	if err != nil {
		return err
	}
	if v.passages == nil {
		v.passages = make(map[index.UnitKey]indexes.Passage, len(passages))
	}
	if v.Corpus == search.Sessions {
		withoutForgotten(passages, v.forgotten)
	}
	maps.Copy(v.passages, passages)
	return nil
}

// find returns the index of a unit in the view.
func (v *view) find(key index.UnitKey) (int, bool) {
	return slices.BinarySearchFunc(v.Units, key, func(u index.Unit, k index.UnitKey) int { return u.Key().Compare(k) })
}

// Several times as many candidates are read as there can be results, since some are dropped.
const (
	candidatesPerResult = 4
	minCandidates       = 60
)

// fuse merges the rankings by words and by vectors of a known reputation.
func (v *view) fuse(dense fuse.Dense, known fuse.Reputation) {
	if v.backed != nil {
		v.fusion.Hits = v.backed
		if len(v.backed) > 0 { // its scores say themselves how much they answer
			v.fusion.Votes = fuse.Votes{Text: 1, TextWeight: 1}
		}
		return
	}
	v.dense = dense
	v.dense.Hits = slices.DeleteFunc(slices.Clone(dense.Hits), func(h fuse.DenseHit) bool {
		at, found := v.find(h.Unit) // units written concurrently are left to the next search
		return !found || !v.request.covers(v.Units[at].At)
	})
	options := v.fuseOptions()
	options.Reputation = known
	v.fusion = fuse.Fuse(v.lexicalList(), v.dense, options)
}

// trust estimates how much of the question this corpus answers, 0 to 1: by words or by vectors.
func (v *view) trust() float64 { return max(v.fusion.Votes.Text, v.fusion.Votes.Vector) }

// compareViews sets the factor of each view so that their scores are comparable: the best of a corpus that contains a
// word of the question by chance is worth less than the best of one that contains all of them.
func compareViews(views []*view) {
	most := 0.0
	for _, v := range views {
		most = max(most, v.trust())
	}
	for _, v := range views {
		v.share = 1
		if most > 0 {
			v.share = v.trust() / most
		}
	}
}

// readBest reads the best candidates.
func (v *view) readBest(ctx context.Context) error {
	best := v.fusion.Hits[:min(len(v.fusion.Hits), v.candidates())]
	keys := make([]index.UnitKey, len(best))
	for i, f := range best {
		keys[i] = f.Unit
	}
	if err := v.read(ctx, keys); err != nil {
		return err
	}
	for _, f := range best {
		if passage, found := v.passages[f.Unit]; found { // otherwise its source was reindexed concurrently
			v.selected = append(v.selected, v.candidate(f, passage))
		}
	}
	return nil
}

// shareOf returns the factor for the fused score of a unit. A literal match of an identifier or a quoted phrase is
// not reduced by the rest of its corpus.
func (v *view) shareOf(f fuse.Fused) float64 {
	if f.Exact {
		return 1
	}
	return v.share
}

// candidates returns how many passages results are selected from.
func (v *view) candidates() int {
	return max(minCandidates, candidatesPerResult*v.settings.MaxResults)
}

func (v *view) fuseOptions() fuse.Options {
	o := fuse.DefaultOptions()
	o.VectorWeight, o.TextWeight = v.settings.VectorWeight, v.settings.TextWeight
	return o
}

// lexicalList converts the ranking by words for fusion.
func (v *view) lexicalList() fuse.Lexical {
	l := fuse.Lexical{Hits: make([]fuse.LexicalHit, len(v.ranked)), Count: len(v.Units)}
	for _, term := range v.query.Terms {
		if !term.Stop {
			l.Words++
		}
	}
	v.byKey = make(map[index.UnitKey]rank.Ranked, len(v.ranked))
	for i, r := range v.ranked {
		key := v.Units[r.Unit].Key()
		v.byKey[key] = r
		l.Hits[i] = fuse.LexicalHit{Unit: key, Score: r.Score, Coverage: r.Parts.Coverage, Exact: r.Parts.Exact}
	}
	return l
}

// askingShare is the part of its score that a message keeps that only asks, if statements come first.
const askingShare = .5

func (v *view) candidate(f fuse.Fused, p indexes.Passage) choose.Candidate {
	f.Score *= v.shareOf(f) * v.believed(p)
	if v.request.StatementsFirst && v.onlyAsks(p) {
		f.Score *= askingShare
	}
	c := choose.Candidate{
		Unit: f.Unit, Corpus: v.Corpus, Path: pathOf(p.Source), Fused: f,
		Personal: p.Source.Scope == memory.ScopePersonal, Evergreen: evergreen(v.Corpus, p.Source.Path), At: p.Unit.At,
		CopyOf: copyOf(p.Text),
	}
	if v.settings.Diversity {
		c.Terms = termsOf(p.Text)
	}
	if v.Corpus == search.Sessions {
		c.Whole = index.UnitKey{Group: p.Unit.Group, Ordinal: p.Unit.Seq}
	}
	if v.Corpus == search.Memory || p.Unit.Section != int(chunk.Assistant) && !(v.request.StatementsFirst && v.onlyAsks(p)) {
		c.Statement = func() *choose.Statement { return v.statementOf(p) }
	}
	return c
}

// SessionsFolder precedes a conversation's id where a document has its path.
const SessionsFolder = "sessions/"

func pathOf(s indexes.Source) string {
	if s.Conversation != "" {
		return SessionsFolder + s.Conversation
	}
	return s.Path
}

// datedNote matches a daily note, with an optional suffix after its date.
var datedNote = regexp.MustCompile(`^memory/\d{4}-\d{2}-\d{2}[^/]*\.md$`)

// evergreen reports whether passages of a document do not age because it is kept up to date. Daily notes and
// conversations age.
func evergreen(corpus search.Corpus, path string) bool {
	return corpus == search.Memory && !datedNote.MatchString(path)
}

// copyOf returns the words of a text as a key: spaces and case are ignored.
func copyOf(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(fold.Text(text)), " ")))
	return hex.EncodeToString(sum[:])
}

// termsOf returns the distinct words of a text, for diversity.
func termsOf(text string) []index.TermID {
	return termsWith(text, func(analysis.Token) bool { return true })
}

// termsWith returns the distinct words of a text that pass a filter, sorted.
func termsWith(text string, passes func(analysis.Token) bool) []index.TermID {
	var terms []index.TermID
	for _, token := range analysis.Analyse(text) {
		if !token.Stop && passes(token) {
			terms = append(terms, index.Body.ID(token.Forms[0]))
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// searchLeader searches the leader's documents for a team member, as the same owner, and merges the results by score.
// The member's own results win ties.
func (s *Searcher) searchLeader(ctx context.Context, own *searching) error {
	if own.request.Agent.Leader == "" || !slices.Contains(own.request.corpora(), search.Memory) {
		return nil
	}
	leader, member, err := s.Store.Leader(ctx, own.id)
	if err != nil || !member {
		return err
	}
	response := Response{Mode: Lexical, Settings: own.settings, Embedding: own.response.Embedding}
	theirs := &searching{
		Searcher: s, id: leader, request: own.request, settings: own.settings, query: own.query, now: own.now,
		response: &response,
	}
	theirs.request.Corpus = search.Memory
	theirs.request.After = 0 // tokens belong to one agent's journal, and a member does not write there
	if err := theirs.run(ctx); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, h := range own.response.Results {
		known[copyOf(h.Text)] = true
	}
	all := own.response.Results
	for _, h := range response.Results {
		if h.Source.Scope != memory.ScopeGlobal && !known[copyOf(h.Text)] { // the member has already found what is GLOBAL
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	own.response.Results = all[:min(len(all), own.settings.MaxResults)]
	own.response.Disagreements = facts.ShownIn(textsOf(own.response.Results)...).Both(
		append(own.response.Disagreements, response.Disagreements...))
	own.response.Found += response.Found
	if response.Mode == Hybrid {
		own.response.Mode = Hybrid
	}
	return nil
}

// leaderWith returns the leader's documents that contain all words, for a team member.
func (s *Searcher) leaderWith(
	ctx context.Context, id memory.Identity, r KeywordRequest, words []keyword.Word,
) ([]memory.Document, error) {
	if r.Agent.Leader == "" {
		return nil, nil
	}
	leader, member, err := s.Store.Leader(ctx, id)
	if err != nil || !member {
		return nil, err
	}
	found, err := s.documentsWith(ctx, leader, r.Scope, words)
	return slices.DeleteFunc(found, func(d memory.Document) bool { return d.Scope == memory.ScopeGlobal }), err
}
