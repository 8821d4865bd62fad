package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"reverie/recall"
	"reverie/search"
	"reverie/test/bench/services"
)

// warmUp is the number of questions before the measurement, to warm caches.
const warmUp = 20

// fill loads the dialogues, and their vectors if there is a source, and returns the figures of each set.
func (b *bench) fill(ctx context.Context, database string, sets []set, source *vectorSource) ([]loadFigures, error) {
	out := make([]loadFigures, len(sets))
	for i, s := range sets {
		began := time.Now()
		out[i].Dialogues = len(s.dialogues)
		for _, d := range s.dialogues {
			if err := b.searches.load(ctx, d); err != nil {
				return nil, fmt.Errorf("dialogue %s: %w", d.id, err)
			}
			out[i].count(d)
		}
		out[i].Seconds = time.Since(began).Seconds()
	}
	if source == nil {
		return out, nil
	}
	return out, source.embed(ctx, database, all(sets))
}

// measure asks the questions of a set and summarises the results.
func (b *bench) measure(ctx context.Context, s set, source *vectorSource) (report, error) {
	r := report{Set: s.name}
	if err := b.warm(ctx, s); err != nil {
		return r, err
	}
	outcomes, took, err := b.askAll(ctx, s, nil)
	if err != nil {
		return r, err
	}
	if len(outcomes) == 0 {
		return r, errors.New("no question has evidence that can be resolved")
	}
	r.summarise(outcomes, b.ks)
	r.Latency = services.LatencyOf(took)
	if r.Default, err = b.byDefault(ctx, s, outcomes); err != nil {
		return r, err
	}
	rival := b.plain(s)
	r.Rival = figures{Name: "BM25", Questions: len(rival), Recall: group("", rival, b.ks, func(asked) bool { return true }).Recall}
	r.RivalUpdates = updatesOf(rival)
	if source != nil {
		words, vectors := inputs()
		if r.Inputs, err = b.ablations(ctx, s, r.Overall.Recall, words, vectors); err != nil {
			return r, err
		}
		if source.frozen != nil {
			r.Inputs = append(r.Inputs, b.asItIs(*source.frozen, s, r.Overall.Recall))
		}
	}
	if b.answers > 0 {
		if r.Diluted, err = b.dilute(ctx, s, b.answers); err != nil {
			return r, err
		}
	}
	if b.inject > 0 && b.contexts != nil {
		if r.Injected, err = b.injected(ctx, s); err != nil {
			return r, err
		}
	}
	if b.ablate {
		r.Ablations, err = b.ablations(ctx, s, r.Overall.Recall, ablations(source != nil)...)
	}
	return r, err
}

// asItIs measures a frozen ranking by itself, without a search.
func (b *bench) asItIs(f frozen, s set, whole []recallAt) ablated {
	var recalls [][]recallAt
	for _, d := range s.dialogues {
		sessions := d.sessionsByTurn()
		for j, q := range d.questions {
			if len(q.evidence) > 0 {
				recalls = append(recalls, measure(f.rank(d, j), q.evidence, sessions, b.ks))
			}
		}
	}
	recall := mean(recalls, b.ks)
	return ablated{ablation: ablation{Name: "frozen ranking as it is"}, Recall: recall, Difference: minus(recall, whole)}
}

// ablations asks all questions with each of the given options.
func (b *bench) ablations(ctx context.Context, s set, whole []recallAt, of ...ablation) ([]ablated, error) {
	var out []ablated
	for _, a := range of {
		outcomes, took, err := b.askAll(ctx, s, a.Options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		recall := group(a.Name, outcomes, b.ks, func(asked) bool { return true }).Recall
		out = append(out, ablated{a, recall, minus(recall, whole), updatesOf(outcomes), services.LatencyOf(took)})
	}
	return out, nil
}

// count adds the counts of a dialogue.
func (l *loadFigures) count(d dialogue) {
	l.Sessions += len(d.sessions)
	l.Turns += d.turnCount()
	for _, q := range d.questions {
		l.MalformedReferences += q.malformed
		if len(q.evidence) == 0 {
			l.SkippedQuestions++
		}
	}
}

// warm asks the first questions without measuring.
func (b *bench) warm(ctx context.Context, s set) error {
	left := warmUp
	for _, d := range s.dialogues {
		for _, q := range d.questions[:min(left, len(d.questions))] {
			if _, _, err := b.searches.search(ctx, d.agent, b.unlimited(q, nil)); err != nil {
				return err
			}
			left--
		}
	}
	return nil
}

// askAll asks every question that has evidence, sequentially. options is empty or a JSON object.
func (b *bench) askAll(ctx context.Context, s set, options json.RawMessage) ([]asked, []time.Duration, error) {
	var took []time.Duration
	var outcomes []asked
	err := s.each(func(d dialogue, sessions map[string]int, q question) error {
		found, one, err := b.searches.search(ctx, d.agent, b.unlimited(q, options))
		took = append(took, one)
		outcomes = append(outcomes, b.judge(d, sessions, q, found))
		return err
	})
	return outcomes, took, err
}

// each calls do for every question that has evidence, with the sessions of the turns of its dialogue.
func (s set) each(do func(d dialogue, sessions map[string]int, q question) error) error {
	for _, d := range s.dialogues {
		sessions := d.sessionsByTurn()
		for _, q := range d.questions {
			if len(q.evidence) == 0 {
				continue
			}
			if err := do(d, sessions, q); err != nil {
				return fmt.Errorf("dialogue %s: %w", d.id, err)
			}
		}
	}
	return nil
}

// judge measures the messages found for a question, best first.
func (b *bench) judge(d dialogue, sessions map[string]int, q question, found []string) asked {
	return asked{
		dialogue: d.id, category: q.category, recall: measure(found, q.evidence, sessions, b.ks), found: distinct(found), update: updateIn(found, q),
	}
}

// unlimited is the request that returns as many results as the largest k, whatever their scores.
func (b *bench) unlimited(q question, options json.RawMessage) services.Search {
	return services.Search{
		Owner: owner, Query: q.text, Corpus: search.Sessions, MaxResults: slices.Max(b.ks), MinScore: new(0.0), Now: q.asked, Options: options,
	}
}

// byDefault asks every question with all defaults of the API.
func (b *bench) byDefault(ctx context.Context, s set, unlimited []asked) (defaultFigures, error) {
	f := defaultFigures{Results: recall.DefaultSettings().MaxResults}
	n := 0
	err := s.each(func(d dialogue, sessions map[string]int, q question) error {
		found, _, err := b.searches.search(ctx, d.agent, services.Search{Owner: owner, Query: q.text, Now: q.asked})
		found = distinct(found)
		f.Updates.count(updateIn(found, q))
		right := hits(found, q.evidence)
		f.Found += float64(len(found))
		f.Recall += share(right, len(q.evidence))
		f.Unlimited += share(hits(unlimited[n].found[:min(f.Results, len(unlimited[n].found))], q.evidence), len(q.evidence))
		f.F1 += 2 * float64(right) / float64(len(found)+len(q.evidence))
		n++
		return err
	})
	for _, sum := range []*float64{&f.Found, &f.Recall, &f.Unlimited, &f.F1} {
		*sum /= float64(n)
	}
	return f, err
}

// hits counts the evidence among the turns found.
func hits(found, evidence []string) (n int) {
	for _, id := range evidence {
		if slices.Contains(found, id) {
			n++
		}
	}
	return n
}

// update is the result of a question whose answer has changed.
type update struct{ found, above bool }

// updateIn reports whether a turn with the new value was found, and above all those with an old one; nil if the answer has not changed.
func updateIn(found []string, q question) *update {
	if len(q.newer) == 0 {
		return nil
	}
	first := func(ids []string) int {
		return slices.IndexFunc(found, func(id string) bool { return slices.Contains(ids, id) })
	}
	newer, older := first(q.newer), first(q.older)
	return &update{found: newer >= 0, above: newer >= 0 && (older < 0 || newer < older)}
}

func updatesOf(outcomes []asked) (f updateFigures) {
	for _, a := range outcomes {
		f.count(a.update)
	}
	return f
}

// count adds the result of a question; nil adds nothing.
func (f *updateFigures) count(u *update) {
	if u == nil {
		return
	}
	f.Questions++
	if u.found {
		f.Found++
	}
	if u.above {
		f.Above++
	}
}

// Recall at k, of one question, is the share of its evidence among the first k turns found:
//
// - turn level: the evidence turns that are among the first k distinct turns;
// - session level: the sessions of the evidence turns to which any of the first k distinct turns belongs.
//
// The session level considers the same k turns, not k sessions. The figure for several questions is the mean.

// recallAt is the recall of one or more questions at one k.
type recallAt struct {
	K       int     `json:"k"`
	Turn    float64 `json:"turn"`
	Session float64 `json:"session"`
}

// measure returns the recall of found, best first, at each k. Only the first place of a repeated turn counts.
// evidence must not be empty. sessions maps a turn to its session; unknown turns are never evidence.
func measure(found, evidence []string, sessions map[string]int, ks []int) []recallAt {
	wantedTurns, wantedSessions := map[string]bool{}, map[int]bool{}
	for _, id := range evidence {
		wantedTurns[id] = true
		wantedSessions[sessions[id]] = true
	}
	found = distinct(found)
	out := make([]recallAt, len(ks))
	for i, k := range ks {
		turns, seen := 0, map[int]bool{}
		for _, id := range found[:min(k, len(found))] {
			if wantedTurns[id] {
				turns++
			}
			if session, ok := sessions[id]; ok && wantedSessions[session] {
				seen[session] = true
			}
		}
		out[i] = recallAt{K: k, Turn: share(turns, len(wantedTurns)), Session: share(len(seen), len(wantedSessions))}
	}
	return out
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }

// distinct keeps the first of equal ids.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// mean returns the mean recall at each k; all questions have the same k in the same order.
func mean(questions [][]recallAt, ks []int) []recallAt {
	out := make([]recallAt, len(ks))
	for i, k := range ks {
		out[i].K = k
		for _, q := range questions {
			out[i].Turn += q[i].Turn / float64(len(questions))
			out[i].Session += q[i].Session / float64(len(questions))
		}
	}
	return out
}

// ablation is a search with options other than the defaults. Its loss is the contribution of the default.
type ablation struct {
	Name    string          `json:"name"`
	Options json.RawMessage `json:"options"` // of the search request
}

// vectors names the component that a lexical ranking lacks.
const vectors = "vectors"

// ablations returns a run for each component switched off, one with all of them off except the normalisation of
// length (BM25 without stop words), and one for each component that is off by default switched on.
func ablations(hybrid bool) []ablation {
	var out []ablation
	components := recall.Components()
	for _, component := range components {
		if component != vectors || hybrid {
			out = append(out, without("without "+component, component))
		}
	}
	return append(out, without("BM25 alone", slices.DeleteFunc(components, func(c string) bool { return c == "b" })...),
		with("with mmr", map[string]any{"mmr": true}), with("with decay", map[string]any{"decay": true}))
}

// inputs returns runs of the two inputs of fusion, each by itself.
func inputs() (words, vectorsOnly ablation) {
	return without("words alone", vectors), with("vectors alone", map[string]any{"textWeight": 0, "vectorWeight": 1})
}

func without(name string, components ...string) ablation {
	return with(name, map[string]any{"off": components})
}

func with(name string, options map[string]any) ablation {
	raw, err := json.Marshal(options)
	if err != nil {
		panic(err) // strings, numbers and booleans can be encoded
	}
	return ablation{name, raw}
}
