package activities

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"reverie/dream"
	"reverie/facts"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/store/dreams"
	stored "reverie/store/facts"
)

// reasonHeard is the reason of events of facts that were said again.
const reasonHeard = "heard"

// known are the current facts of the documents that a step may write.
type known struct {
	all     []stored.Fact
	heard   []stored.Fact // those that were said again
	vectors facts.Vectors // nil: words decide alone
}

// knownOf reads the facts of documents of a scope, as far as they are derived, for a step about messages of a day. Without facts there
// are none, nor for an earlier day, whose note keeps what was said on it.
func (a *Activities) knownOf(ctx context.Context, id memory.Identity, day time.Time, scope memory.Scope, paths ...string) (*known, error) {
	if day.Format(time.DateOnly) != a.Now().In(day.Location()).Format(time.DateOnly) {
		return &known{}, nil
	}
	all, err := a.Store.OfDocuments(ctx, id, scope, paths...)
	if err != nil && !errors.Is(err, store.ErrFactsOff) {
		return nil, storeError(err)
	}
	if len(all) == 0 {
		return &known{}, nil
	}
	vectors, err := a.vectorsOf(ctx, id)
	return &known{all: all, vectors: vectors}, err
}

// vectorsOf returns what makes the vectors of statements; nil: there is no model, or no vectors of the agent to compare with. A model that
// does not answer leaves the decision to the words.
func (a *Activities) vectorsOf(ctx context.Context, id memory.Identity) (facts.Vectors, error) {
	if len(a.Embedders) == 0 {
		return nil, nil
	}
	space, err := a.Store.LiveSpace(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError(err)
	}
	at := slices.IndexFunc(a.Embedders, func(e embed.Embedder) bool {
		of := e.Identity()
		of.Dimensions = cmp.Or(of.Dimensions, space.Identity.Dimensions)
		return of == space.Identity
	})
	if at < 0 {
		return nil, nil
	}
	return func(texts []string) [][]float32 {
		ctx, cancel := context.WithTimeout(ctx, comparedFor)
		defer cancel()
		made, err := a.Embedders[at].Embed(ctx, embed.Document, texts)
		if made.Usage.CostMicros > 0 {
			spent := memory.Usage{Calls: made.Usage.Calls, CostMicros: made.Usage.CostMicros}
			err = errors.Join(err, a.Store.AddUsage(context.WithoutCancel(ctx), id, space.Identity.Model, spent))
		}
		if err != nil {
			a.Log.Warn("Statements were compared by words", "error", err)
		}
		return made.Vectors
	}, nil
}

// comparedFor bounds the wait for the vectors of new statements.
const comparedFor = 10 * time.Second

// without removes the list items and paragraphs of a text that are new to before and only repeat what a fact says that stays: the
// fact is heard again instead. It returns the empty text if nothing but headings is left, or nothing that before does not say.
func (k *known) without(text, before string, stays func(stored.Fact) bool) string {
	had := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(before) {
		had[e.ID] = true
	}
	var staying []stored.Fact
	var says, fresh []string
	for _, f := range k.all {
		if stays(f) {
			staying, says = append(staying, f), append(says, f.Text)
		}
	}
	entries := markdown.EntriesOf(text)
	for _, e := range entries {
		if !had[e.ID] {
			fresh = append(fresh, e.Text)
		}
	}
	found := facts.Restated(says, fresh, k.vectors)
	repeated, left := memory.EntrySet{}, false
	for _, e := range entries {
		if had[e.ID] {
			continue
		}
		at := found[0]
		found = found[1:]
		if at < 0 {
			left = true
			continue
		}
		repeated[e.ID] = true
		k.heard = append(k.heard, staying[at])
	}
	if len(repeated) == 0 {
		return text
	}
	_, _, spans := repeated.Find(text)
	next := memory.WithoutLines(text, spans)
	if !left && before == "" || next == before {
		return ""
	}
	return next
}

// unlessReworded returns a text, or the empty text if it only rewords, compared with before, facts that it removes: these
// are heard again instead.
func (k *known) unlessReworded(text, before string, goes func(stored.Fact) bool) string {
	var gone []stored.Fact
	var says, fresh []string
	for _, f := range k.all {
		if goes(f) {
			gone, says = append(gone, f), append(says, f.Text)
		}
	}
	for _, e := range memory.AddedEntries(before, text) {
		fresh = append(fresh, e.Text)
	}
	if text == "" || len(fresh) == 0 || len(fresh) != len(gone) {
		return text
	}
	found := facts.Restated(says, fresh, k.vectors)
	if slices.Contains(found, -1) {
		return text
	}
	for _, at := range found {
		k.heard = append(k.heard, gone[at])
	}
	return ""
}

// knowPromoted rejects candidates of a dream whose vectors match statements of MEMORY.md. Comparison by words has run before.
func (a *Activities) knowPromoted(ctx context.Context, id memory.Identity, stage dreams.DreamStage, ranking dream.Ranking) error {
	var texts []string
	for _, c := range passed(ranking) {
		texts = append(texts, c.Text)
	}
	entries := markdown.EntriesOf(stage.Files.Memory.Content)
	if len(texts) == 0 || len(entries) == 0 {
		return nil
	}
	vectors, err := a.vectorsOf(ctx, id)
	if err != nil || vectors == nil {
		return err
	}
	says := make([]string, len(entries))
	for i, e := range entries {
		says[i] = e.Text
	}
	found := facts.Restated(says, texts, vectors)
	for i := range ranking.Candidates {
		c := &ranking.Candidates[i]
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		at := found[0]
		if found = found[1:]; at >= 0 {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "MEMORY.md says it in other words.")
			c.With = entries[at].ID
		}
	}
	return nil
}

// hearPromoted records that facts of MEMORY.md were noted in other words, on the days on which the candidates of a dream were.
func (a *Activities) hearPromoted(ctx context.Context, id memory.Identity, stage dreams.DreamStage, ranking dream.Ranking) error {
	days := map[markdown.EntryID][]dream.Day{}
	for _, c := range ranking.Candidates {
		if c.ReasonCode == dream.ReasonKnown && c.With != "" && c.With != c.ID {
			days[c.With] = append(days[c.With], c.Signals.MentionDays...)
		}
	}
	if len(days) == 0 {
		return nil
	}
	all, err := a.Store.OfDocuments(ctx, id, stage.Dream.Scope, memory.MemoryPath)
	if err != nil && !errors.Is(err, store.ErrFactsOff) {
		return storeError(err)
	}
	for _, f := range all {
		for _, day := range days[f.Entry] {
			noted, err := time.Parse(time.DateOnly, string(day))
			if err != nil {
				continue
			}
			if err := a.recordRepeatAt(ctx, id, []stored.Fact{f}, noted, noted.Add(noon)); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordRepeat records that facts were said again, once a day each.
func (a *Activities) recordRepeat(ctx context.Context, id memory.Identity, heard []stored.Fact, day time.Time) error {
	return a.recordRepeatAt(ctx, id, heard, day, time.Time{})
}

// noon is the time at which something was noted of which only the day is known.
const noon = 12 * time.Hour

// recordRepeatAt is recordRepeat for facts that were said at a time of the day; zero: now.
func (a *Activities) recordRepeatAt(ctx context.Context, id memory.Identity, heard []stored.Fact, day, at time.Time) error {
	for _, f := range heard {
		_, err := a.Store.GiveFeedback(ctx, id, f.ID, stored.Feedback{
			Opinion: stored.Heard, Weight: 1, Reason: reasonHeard, At: at, Key: reasonHeard + "/" + day.Format(time.DateOnly),
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForbidden) { // it was changed concurrently
			return storeError(err)
		}
	}
	return nil
}
