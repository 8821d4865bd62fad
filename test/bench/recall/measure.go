package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"reverie/search"
	"reverie/test/bench/services"
)

// warmUp is how many questions are asked before anything is measured: plans are made and pages are read.
const warmUp = 20

// fill loads the dialogues, and gives their messages vectors if there is a source of them.
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

// measure asks the questions and sums up.
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

// ablations asks all questions with each of some options.
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

// count adds what a dialogue has.
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

// askAll asks every question that has evidence, one after the other.
func (b *bench) askAll(ctx context.Context, dialogues []dialogue, options json.RawMessage) (outcomes []asked, took []time.Duration, err error) {
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
