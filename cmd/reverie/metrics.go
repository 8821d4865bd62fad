package main

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/activities"
	"reverie/chat"
	"reverie/engine"
	"reverie/memory"
	"reverie/providers"
	"reverie/recall"
)

// instruments makes instruments of one meter. failed joins the errors of all.
type instruments struct {
	metric.Meter

	failed error
}

func newInstruments(t *engine.Telemetry) *instruments {
	return &instruments{Meter: t.Meters.Meter("reverie")}
}

func (i *instruments) counter(name, description string) metric.Int64Counter {
	c, err := i.Int64Counter(name, metric.WithDescription(description))
	i.failed = errors.Join(i.failed, err)
	return c
}

func (i *instruments) seconds(name, description string, options ...metric.Float64HistogramOption) metric.Float64Histogram {
	h, err := i.Float64Histogram(name, append(options, metric.WithUnit("s"), metric.WithDescription(description))...)
	i.failed = errors.Join(i.failed, err)
	return h
}

func with(attributes ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(attributes...)
}

// addTokens counts model tokens by direction.
func addTokens(ctx context.Context, c metric.Int64Counter, u memory.Usage) {
	c.Add(ctx, int64(u.InputTokens), with(attribute.String("direction", "input")))
	c.Add(ctx, int64(u.OutputTokens), with(attribute.String("direction", "output")))
}

// observeActivities sets the observers of the activities.
func observeActivities(o *activities.Options, t *engine.Telemetry) error {
	i := newInstruments(t)
	o.Observe = i.extractions()
	o.ObserveEmbedding = i.embeddings()
	o.ObserveDream = i.dreams()
	o.ObserveFlush = i.flushes()
	o.ObserveCompaction = i.compactions()
	o.ObserveImport = i.imports()
	return i.failed
}

func (i *instruments) extractions() func(memory.Outcome, memory.ReasonCode, memory.Usage, time.Duration) {
	outcomes := i.counter("reverie_extractions", "Finished extractions, by outcome and reason.")
	took := i.seconds("reverie_extraction_duration", "Time from the first step to the committed outcome.")
	tokens := i.counter("reverie_model_tokens", "Model tokens of extractions, by direction.")
	return func(outcome memory.Outcome, reason memory.ReasonCode, usage memory.Usage, d time.Duration) {
		ctx, ended := context.Background(), attribute.String("outcome", string(outcome))
		outcomes.Add(ctx, 1, with(ended, attribute.String("reason", string(reason))))
		took.Record(ctx, d.Seconds(), with(ended))
		addTokens(ctx, tokens, usage)
	}
}

func (i *instruments) embeddings() func(activities.Embedded) {
	units := i.counter("reverie_embedded_units", "Index units by the origin of their vector: model, cache, or refused by the model.")
	took := i.seconds("reverie_embedding_duration", "Time of one batch of units at the embedding model.")
	tokens := i.counter("reverie_embedding_tokens", "Tokens embedded for the index.")
	failures := i.counter("reverie_embedding_failures", "Batches that the embedding model did not finish, by reason.")
	return func(e activities.Embedded) {
		ctx := context.Background()
		for origin, n := range map[string]int{"model": e.Made, "cache": e.Cached, "refused": e.Refused} {
			units.Add(ctx, int64(n), with(attribute.String("from", origin)))
		}
		tokens.Add(ctx, int64(e.Usage.InputTokens))
		if e.Usage.Calls > 0 {
			took.Record(ctx, e.Took.Seconds())
		}
		if e.Failure != "" {
			failures.Add(ctx, 1, with(attribute.String("reason", e.Failure)))
		}
	}
}

func (i *instruments) dreams() func(activities.Dreamt) {
	outcomes := i.counter("reverie_dreams", "Finished dreams, by mode, outcome and reason.")
	took := i.seconds("reverie_dream_duration", "Time from a dream's record to its end.")
	promoted := i.counter("reverie_dream_promotions", "Statements that dreams promoted into MEMORY.md, without dry runs.")
	tokens := i.counter("reverie_dream_tokens", "Model tokens of dreams, by direction.")
	return func(d activities.Dreamt) {
		ctx, ended := context.Background(), attribute.String("outcome", string(d.Outcome))
		outcomes.Add(ctx, 1, with(ended, attribute.String("reason", string(d.ReasonCode)),
			attribute.String("mode", string(d.Mode)), attribute.Bool("dry_run", d.DryRun)))
		took.Record(ctx, d.Took.Seconds(), with(ended))
		if !d.DryRun {
			promoted.Add(ctx, int64(d.Promoted))
		}
		addTokens(ctx, tokens, d.Usage)
	}
}

func (i *instruments) flushes() func(activities.Flushed) {
	flushes := i.counter("reverie_flushes",
		"Flushes that were acknowledged or broken off (outcome waiting), by outcome, reason and whether rules replaced the model.")
	messages := i.counter("reverie_flushed_messages", "Messages covered by flushes.")
	took := i.seconds("reverie_flush_duration", "Time from the start of a flush to its acknowledgement.")
	tokens := i.counter("reverie_flush_tokens", "Model tokens of flushes, by direction.")
	return func(f activities.Flushed) {
		ctx, fallback := context.Background(), attribute.Bool("fallback", f.Fallback)
		flushes.Add(ctx, 1, with(attribute.String("outcome", string(f.Outcome)), attribute.String("reason", string(f.ReasonCode)), fallback))
		if f.Outcome == memory.OutcomeWaiting { // counted when it is acknowledged
			return
		}
		messages.Add(ctx, f.Messages)
		took.Record(ctx, f.Took.Seconds(), with(fallback))
		addTokens(ctx, tokens, f.Usage)
	}
}

func (i *instruments) compactions() func(activities.Compacted) {
	compactions := i.counter("reverie_compactions", "Finished compactions, by trigger and whether rules replaced the model.")
	took := i.seconds("reverie_compaction_duration", "Time from a compaction's record to its summary, without the flushes before.")
	saved := i.counter("reverie_compaction_saved_tokens", "Tokens that summaries removed from context windows.")
	tokens := i.counter("reverie_compaction_tokens", "Model tokens of summaries, by direction.")
	return func(c activities.Compacted) {
		ctx, fallback := context.Background(), attribute.Bool("fallback", c.Fallback)
		compactions.Add(ctx, 1, with(attribute.String("trigger", string(c.Trigger)), fallback))
		took.Record(ctx, c.Took.Seconds(), with(fallback))
		saved.Add(ctx, int64(max(0, c.TokensBefore-c.TokensAfter)))
		addTokens(ctx, tokens, c.Usage)
	}
}

func (i *instruments) imports() func(activities.ImportedItem) {
	items := i.counter("reverie_import_items", "Settled items of imports, by kind, outcome and reason.")
	return func(item activities.ImportedItem) {
		kind := "document"
		if item.Conversation {
			kind = "conversation"
		}
		items.Add(context.Background(), 1, with(attribute.String("kind", kind),
			attribute.String("outcome", string(item.Outcome)), attribute.String("reason", string(item.ReasonCode))))
	}
}

// observeTurns returns the observer of chat turns.
func observeTurns(t *engine.Telemetry) (func(chat.Taken), error) {
	i := newInstruments(t)
	turns := i.counter("reverie_chat_turns", "Turns of chats, by outcome, who answered, and the reason of a failure.")
	took := i.seconds("reverie_chat_turn_duration", "Time from a message to its stored answer, or to the end of the turn.")
	tokens := i.counter("reverie_chat_tokens", "Model tokens of chats, by direction.")
	overflows := i.counter("reverie_chat_overflows", "Answers of a model that the context is too long.")
	return func(turn chat.Taken) {
		ctx, ended := context.Background(), attribute.String("outcome", string(turn.Outcome))
		turns.Add(ctx, 1, with(ended, attribute.String("by", turn.By), attribute.String("reason", turn.Reason)))
		took.Record(ctx, turn.Took.Seconds(), with(ended))
		addTokens(ctx, tokens, turn.Usage)
		overflows.Add(ctx, int64(turn.Overflows))
	}, i.failed
}

// quick are the bounds of times of a part of a turn.
var quick = metric.WithExplicitBucketBoundaries(.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5)

func (i *instruments) providers() func(providers.Call) {
	took := i.seconds("reverie_provider_duration",
		"Time of operations of programs that provide memory, by provider, operation and the reason of a failure.", quick)
	passages := i.counter("reverie_provider_passages", "Passages that programs have provided, by provider.")
	return func(c providers.Call) {
		ctx, who := context.Background(), attribute.String("provider", c.Provider)
		took.Record(ctx, c.Took.Seconds(), with(who, attribute.String("operation", c.Operation), attribute.String("reason", string(c.Failed))))
		passages.Add(ctx, int64(c.Passages), with(who))
	}
}

func (i *instruments) backends() func(failed string, took time.Duration) {
	took := i.seconds("reverie_search_backend_duration",
		"Time of rankings by the search backend, by the reason why the built-in index had to answer.", quick)
	return func(failed string, d time.Duration) {
		took.Record(context.Background(), d.Seconds(), with(attribute.String("reason", failed)))
	}
}

// observeSearches sets the observer of searches and counts the recorded ones.
func observeSearches(s *recall.Searcher, t *engine.Telemetry) error {
	i := newInstruments(t)
	took := i.seconds("reverie_search_duration", "Time of searches, by mode and the reason why vectors took no part.",
		quick)
	s.Observe = func(r recall.Response) {
		took.Record(context.Background(), r.Took.Seconds(),
			with(attribute.String("mode", string(r.Mode)), attribute.String("reason", string(r.Reason))))
	}
	_, err := i.Int64ObservableCounter("reverie_recalls",
		metric.WithDescription("Searches whose results were recorded as recalled, by outcome."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			recorded, failed := s.Recorder.Counts()
			o.Observe(recorded, with(attribute.String("outcome", "recorded")))
			o.Observe(failed, with(attribute.String("outcome", "failed")))
			return nil
		}))
	return errors.Join(i.failed, err)
}
