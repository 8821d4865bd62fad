package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"reverie/language/analysis"
	"reverie/language/fold"
	"reverie/memory"
	"reverie/search"
	"reverie/search/choose"
	"reverie/search/fuse"
	"reverie/search/index"
	"reverie/search/rank"
	"reverie/store"
)

// view is one corpus of one search.
type view struct {
	*searching
	*index.Collection

	ranked   []rank.Ranked // by words, best first
	dense    fuse.Dense
	byKey    map[index.UnitKey]rank.Ranked
	passages map[index.UnitKey]store.Passage
	fusion   fuse.Fusion
	share    float64 // of scores against those of other corpora
	results  []choose.Result
	dropped  []choose.Dropped
}

// rank ranks the view by words.
func (v *view) rank(ctx context.Context) error {
	options := v.request.Options.ranking()
	depth := options.Depth
	if v.request.bounded() { // what is outside leaves before the list is cut, or it would take the places
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
	return nil
}

// text is that of a unit that was read.
func (v *view) text(unit int) string { return v.passages[v.Units[unit].Key()].Text }

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
		v.passages = make(map[index.UnitKey]store.Passage, len(passages))
	}
	maps.Copy(v.passages, passages)
	return nil
}

// find is where a unit stands in the view.
func (v *view) find(key index.UnitKey) (int, bool) {
	return slices.BinarySearchFunc(v.Units, key, func(u index.Unit, k index.UnitKey) int { return u.Key().Compare(k) })
}

// Candidates are read and selected from: several times as many as there can be results, since some leave.
const (
	candidatesPerResult = 4
	leastCandidates     = 60
)

// fuse makes one list of words and vectors, which are those of a space.
func (v *view) fuse(dense fuse.Dense, space int64) {
	v.dense = dense
	v.dense.Hits = slices.DeleteFunc(slices.Clone(dense.Hits), func(h fuse.DenseHit) bool {
		at, found := v.find(h.Unit) // what was written in between is left to the next search
		return !found || !v.request.covers(v.Units[at].At)
	})
	options, key := v.fuseOptions(), reputationKey{space, v.Corpus}
	options.Reputation = v.Reputations.of(key)
	v.fusion = fuse.Fuse(v.lexicalList(), v.dense, options)
	if len(v.dense.Hits) > 0 {
		v.Reputations.learn(key, v.fusion.Votes)
	}
}

// trust is how much of the question this corpus seems to answer, 0 to 1: by words or by vectors.
func (v *view) trust() float64 { return max(v.fusion.Votes.Text, v.fusion.Votes.Vector) }

// compareViews sets what scores of each view are multiplied with, so that those of several compare: the best of a corpus that has
// a word of the question by chance is not as good as the best of one that has all of them.
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

// choose reads the best candidates and selects from them.
func (v *view) choose(ctx context.Context) error {
	best := v.fusion.Hits[:min(len(v.fusion.Hits), v.candidates())]
	keys := make([]index.UnitKey, len(best))
	for i, f := range best {
		keys[i] = f.Unit
	}
	if err := v.read(ctx, keys); err != nil {
		return err
	}
	var candidates []choose.Candidate
	for _, f := range best {
		if passage, found := v.passages[f.Unit]; found { // otherwise its source was indexed anew meanwhile
			candidates = append(candidates, v.candidate(f, passage))
		}
	}
	v.results, v.dropped = choose.Select(candidates, v.settings.selection(v.request), v.now)
	return nil
}

// shareOf is what the fused score of a unit is multiplied with. What has an identifier or a quoted phrase of the question as
// it was written is not held back by what surrounds it.
func (v *view) shareOf(f fuse.Fused) float64 {
	if f.Exact {
		return 1
	}
	return v.share
}

// candidates is how many passages results are selected from.
func (v *view) candidates() int {
	return max(leastCandidates, candidatesPerResult*v.settings.MaxResults)
}

func (v *view) fuseOptions() fuse.Options {
	o := fuse.DefaultOptions()
	o.VectorWeight, o.TextWeight = v.settings.VectorWeight, v.settings.TextWeight
	return o
}

// lexicalList is the ranking by words as fusion takes it.
func (v *view) lexicalList() fuse.Lexical {
	l := fuse.Lexical{Hits: make([]fuse.LexicalHit, len(v.ranked)), Count: len(v.Units)}
	v.byKey = make(map[index.UnitKey]rank.Ranked, len(v.ranked))
	for i, r := range v.ranked {
		key := v.Units[r.Unit].Key()
		v.byKey[key] = r
		l.Hits[i] = fuse.LexicalHit{Unit: key, Score: r.Score, Coverage: r.Parts.Coverage, Exact: r.Parts.Exact}
	}
	return l
}

func (v *view) candidate(f fuse.Fused, p store.Passage) choose.Candidate {
	f.Score *= v.shareOf(f)
	c := choose.Candidate{
		Unit: f.Unit, Corpus: v.Corpus, Path: pathOf(p.Source), Fused: f,
		Personal: p.Source.Scope == memory.ScopePersonal, Evergreen: evergreen(v.Corpus, p.Source.Path), At: p.Unit.At,
		CopyOf: copyOf(p.Text),
	}
	if v.settings.Diversity {
		c.Terms = termsOf(p.Text)
	}
	return c
}

// SessionsFolder is in front of a conversation's id where a document has its path.
const SessionsFolder = "sessions/"

func pathOf(s store.Source) string {
	if s.Conversation != "" {
		return SessionsFolder + s.Conversation
	}
	return s.Path
}

// datedNote is a daily note, with whatever is said behind its date.
var datedNote = regexp.MustCompile(`^memory/\d{4}-\d{2}-\d{2}[^/]*\.md$`)

// evergreen reports whether passages of a document do not age: those that are kept up to date. Daily notes and what was
// said in conversations do.
func evergreen(corpus search.Corpus, path string) bool {
	return corpus == search.Memory && !datedNote.MatchString(path)
}

// copyOf names a text by its words: spaces and case make no other text.
func copyOf(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(fold.Text(text)), " ")))
	return hex.EncodeToString(sum[:])
}

// termsOf are the distinct words of a text, as diversity compares them.
func termsOf(text string) []index.TermID {
	var terms []index.TermID
	for _, token := range analysis.Analyse(text) {
		if !token.Stop {
			terms = append(terms, index.Body.ID(token.Forms[0]))
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}
