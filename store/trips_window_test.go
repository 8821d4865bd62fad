package store

import (
	"fmt"
	"testing"

	"reverie/memory"
)

func TestRoundTripsOfWindows(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *Options) { o.MaxConns, o.Tracer = 1, count })
	id := workflow("user:7", "r")
	var stored Stored
	var f Flush
	var load FlushLoad
	var c Compaction
	var part SummaryPart
	n := 0
	window := WindowRequest{Conversation: "c", Window: 1000, MaxBytes: 1 << 20}
	countTrips(t, count, []trip{
		{"AppendMessages with calls", 2, func() (err error) {
			n++
			b := turn("c", fmt.Sprint("m", n, "-"), 8)
			b.Messages[1].ToolCalls = []memory.ToolCall{searching("c1")}
			stored, err = s.AppendMessages(t.Context(), id, b)
			return err
		}},
		{"LoadWindow", 2, func() error { return second(s.LoadWindow(t.Context(), id, window)) }},
		{"LoadWindow without a conversation", 1, func() error { return second(s.LoadWindow(t.Context(), id, WindowRequest{Window: 1000})) }},
		{"PlanFlush", 1, func() (err error) {
			f, _, err = s.PlanFlush(t.Context(), id, stored.ConversationUID, stored.LastSeq-4)
			return err
		}},
		{"BeginFlush", 1, func() error { return second(s.BeginFlush(t.Context(), id, f.ID)) }},
		{"LoadFlush", 2, func() (err error) {
			load, err = s.LoadFlush(t.Context(), id, f.ID, memory.DefaultExtractSettings())
			return err
		}},
		{"SaveFlushDraft", 1, func() error {
			d := FlushDraft{From: load.From, To: load.To, Scope: load.Scope, Today: load.Today, Entry: fmt.Sprint("- ", n, "\n"), Usage: memory.Usage{Calls: 1}}
			return s.SaveFlushDraft(t.Context(), id, f.ID, d)
		}},
		{"CommitFlush", 3, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From, "")) }},
		{"CommitFlush again", 2, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From, "")) }},
		{"EndFlushStep again", 2, func() error {
			return second(s.EndFlushStep(t.Context(), id, f.ID, FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing}))
		}},
		{"BeginCompaction", 3, func() (err error) {
			c, err = s.BeginCompaction(t.Context(), id, summary(stored.ConversationUID, load.To))
			return err
		}},
		{"LoadSummary", 2, func() (err error) { part, err = s.LoadSummary(t.Context(), id, c.ID, 1<<20); return err }},
		{"SaveSummary", 2, func() error {
			return second(s.SaveSummary(t.Context(), id, c.ID, SummaryStep{To: part.To, Summary: "tea", Usage: memory.Usage{Calls: 1}}))
		}},
		{"BeginCompaction again", 3, func() error {
			return second(s.BeginCompaction(t.Context(), id, summary(stored.ConversationUID, load.To)))
		}},
		{"LoadWindow behind a summary", 2, func() error { return second(s.LoadWindow(t.Context(), id, window)) }},
		{"Compaction", 2, func() error { return second(s.Compaction(t.Context(), id, c.ID)) }},
		{"Compactions", 2, func() error { return second(s.Compactions(t.Context(), id, "c", Page{})) }},
		{"Flush", 1, func() error { return second(s.Flush(t.Context(), id, f.ID)) }},
		{"Flushes", 1, func() error { return second(s.Flushes(t.Context(), id, "c", Page{})) }},
	})
}
