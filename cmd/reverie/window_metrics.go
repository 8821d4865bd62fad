package main

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/activities"
	"reverie/chat"
	"reverie/engine"
	"reverie/memory"
)

// instruments are made from one meter; what fails is kept for the end.
type instruments struct {
	metric.Meter

	failed error
}

func (i *instruments) counter(name, description string) metric.Int64Counter {
	c, err := i.Int64Counter(name, metric.WithDescription(description))
	i.failed = errors.Join(i.failed, err)
	return c
}

func (i *instruments) seconds(name, description string) metric.Float64Histogram {
	h, err := i.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description))
	i.failed = errors.Join(i.failed, err)
	return h
}

// addTokens counts what models were sent and what they answered.
func addTokens(ctx context.Context, c metric.Int64Counter, u memory.Usage) {
	c.Add(ctx, int64(u.InputTokens), metric.WithAttributes(attribute.String("direction", "input")))
	c.Add(ctx, int64(u.OutputTokens), metric.WithAttributes(attribute.String("direction", "output")))
}

// windowMetrics count flushes and compactions, by what became of them and who did them, and what they cost.
func windowMetrics(t *engine.Telemetry) (func(activities.Flushed), func(activities.Compacted), error) {
	i := instruments{Meter: t.Meters.Meter("reverie")}
	flushes := i.counter("reverie_flushes", "Flushes that were acknowledged, or broken off (outcome waiting), by outcome, reason and whether rules stood in for the model.")
	flushed := i.counter("reverie_flushed_messages", "Messages that flushes have accounted for.")
	took := i.seconds("reverie_flush_duration", "From the opening of a flush to its acknowledgement.")
	flushTokens := i.counter("reverie_flush_tokens", "Model tokens of flushes, by direction.")
	compactions := i.counter("reverie_compactions", "Compactions whose summary was written, by what asked for them and whether rules stood in for the model.")
	compactionTook := i.seconds("reverie_compaction_duration", "From a compaction's record to its summary, without the flushes before.")
	saved := i.counter("reverie_compaction_saved_tokens", "Tokens that summaries took out of context windows.")
	compactionTokens := i.counter("reverie_compaction_tokens", "Model tokens of summaries, by direction.")
	ctx := context.Background()
	return func(f activities.Flushed) {
			flushes.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", string(f.Outcome)),
				attribute.String("reason", string(f.ReasonCode)), attribute.Bool("fallback", f.Fallback)))
			if f.Outcome == memory.OutcomeWaiting { // counted whole when it is acknowledged
				return
			}
			flushed.Add(ctx, f.Messages)
			took.Record(ctx, f.Took.Seconds(), metric.WithAttributes(attribute.Bool("fallback", f.Fallback)))
			addTokens(ctx, flushTokens, f.Usage)
		}, func(c activities.Compacted) {
			compactions.Add(ctx, 1, metric.WithAttributes(attribute.String("trigger", string(c.Trigger)), attribute.Bool("fallback", c.Fallback)))
			compactionTook.Record(ctx, c.Took.Seconds(), metric.WithAttributes(attribute.Bool("fallback", c.Fallback)))
			saved.Add(ctx, int64(max(0, c.TokensBefore-c.TokensAfter)))
			addTokens(ctx, compactionTokens, c.Usage)
		}, i.failed
}

// chatMetrics count turns, by how they ended and who answered, and what they cost.
func chatMetrics(t *engine.Telemetry) (func(chat.Taken), error) {
	i := instruments{Meter: t.Meters.Meter("reverie")}
	turns := i.counter("reverie_chat_turns", "Turns of chats, by outcome, by who answered, and by why they failed.")
	took := i.seconds("reverie_chat_turn_duration", "From a message to its stored answer, or to what ended the turn.")
	tokens := i.counter("reverie_chat_tokens", "Model tokens of chats, by direction.")
	overflows := i.counter("reverie_chat_overflows", "Times that a model said that the context is too long.")
	return func(turn chat.Taken) {
		ctx := context.Background()
		outcome := attribute.String("outcome", string(turn.Outcome))
		turns.Add(ctx, 1, metric.WithAttributes(outcome, attribute.String("by", turn.By), attribute.String("reason", turn.Reason)))
		took.Record(ctx, turn.Took.Seconds(), metric.WithAttributes(outcome))
		addTokens(ctx, tokens, turn.Usage)
		overflows.Add(ctx, int64(turn.Overflows))
	}, i.failed
}
