package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"reverie/recall"
	"reverie/search"
	"reverie/test/bench/services"
)

// warmUp is the number of questions before the measurement, to warm caches.
const warmUp = 20

// fill loads the dialogues, and their vectors if there is a source.
func (b *bench) fill(ctx context.Context, database string, dialogues []dialogue, source *vectorSource) (loadFigures, error) {
	l := loadFigures{Dialogues: len(dialogues)}
	began := time.Now()
	for i, d := range dialogues {
		if err := b.load(ctx, agentOf(i), d); err != nil {
			return l, fmt.Errorf("dialogue %s: %w", d.id, err)
		}
		l.count(d)
	}
	if source != nil {
		if err := source.embed(ctx, database, len(dialogues)); err != nil {
			return l, err
		}
	}
	l.Seconds = time.Since(began).Seconds()
	return l, nil
}

// measure asks the questions and summarises the results.
func (b *bench) measure(ctx context.Context, dialogues []dialogue, source *vectorSource) (report, error) {
	r := report{File: filepath.Base(b.file), Ranking: source.ranking()}
	if err := b.warm(ctx, dialogues); err != nil {
		return r, err
	}
	outcomes, took, err := b.askAll(ctx, dialogues, nil)
	if err != nil {
		return r, err
	}
	if len(outcomes) == 0 {
		return r, errors.New("no question has evidence that can be resolved")
	}
	r.summarise(outcomes, b.ks)
	r.Latency = services.LatencyOf(took)
	if source != nil {
		words, vectors := inputs()
		if r.Inputs, err = b.ablations(ctx, dialogues, r.Overall.Recall, words, vectors); err != nil {
			return r, err
		}
		if source.frozen != nil {
			r.Inputs = append(r.Inputs, b.asItIs(*source.frozen, dialogues, r.Overall.Recall))
		}
	}
	if b.ablate {
		r.Ablations, err = b.ablations(ctx, dialogues, r.Overall.Recall, ablations(source != nil)...)
	}
	return r, err
}

// asItIs measures a frozen ranking by itself, without a search.
func (b *bench) asItIs(f frozen, dialogues []dialogue, whole []recallAt) ablated {
	var recalls [][]recallAt
	for i, d := range dialogues {
		sessions := d.sessionsByTurn()
		for j, q := range d.questions {
			if len(q.evidence) > 0 {
				recalls = append(recalls, measure(f.rank(dialogues, i, j), q.evidence, sessions, b.ks))
			}
		}
	}
	recall := mean(recalls, b.ks)
	return ablated{ablation{Name: "frozen ranking as it is"}, recall, minus(recall, whole), services.Latency{}}
}

// ablations asks all questions with each of the given options.
func (b *bench) ablations(ctx context.Context, dialogues []dialogue, whole []recallAt, of ...ablation) ([]ablated, error) {
	var out []ablated
	for _, a := range of {
		outcomes, took, err := b.askAll(ctx, dialogues, a.Options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		recall := group(a.Name, outcomes, b.ks, func(asked) bool { return true }).Recall
		out = append(out, ablated{a, recall, minus(recall, whole), services.LatencyOf(took)})
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
func (b *bench) warm(ctx context.Context, dialogues []dialogue) error {
	for i, d := range dialogues {
		for _, q := range d.questions[:min(warmUp, len(d.questions))] {
			if _, _, err := b.ask(ctx, agentOf(i), q, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// askAll asks every question that has evidence, sequentially.
func (b *bench) askAll(ctx context.Context, dialogues []dialogue, options json.RawMessage) (outcomes []asked, took []time.Duration,
	err error,
) {
	for i, d := range dialogues {
		sessions := d.sessionsByTurn()
		for _, q := range d.questions {
			if len(q.evidence) == 0 {
				continue
			}
			found, one, err := b.ask(ctx, agentOf(i), q, options)
			if err != nil {
				return nil, nil, fmt.Errorf("dialogue %s: %w", d.id, err)
			}
			took = append(took, one)
			outcomes = append(outcomes, asked{dialogue: d.id, category: q.category, recall: measure(found, q.evidence, sessions, b.ks)})
		}
	}
	return outcomes, took, nil
}

// ask asks one question and returns the ids of the turns found, best first. options is empty or a JSON object.
func (b *bench) ask(ctx context.Context, agent string, q question, options json.RawMessage) ([]string, time.Duration, error) {
	found, took, err := services.Ask(ctx, b.api, agent, services.Search{
		Owner: owner, Query: q.text, Corpus: search.Sessions, MaxResults: slices.Max(b.ks), Options: options,
	})
	return found.MessageIDs(), took, err
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
