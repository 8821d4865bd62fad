package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/pg"
	"reverie/store/talk"
)

// trips counts what goes out to the server.
type trips struct{ n atomic.Int64 }

func (c *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// TestRoundTrips counts the round trips of each call: a statement that leaves its batch fails it.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *pg.Options) { o.MaxConns, o.Tracer = 1, count })
	id := workflow("user:7", "r")
	prefix := 0
	var stored talk.Stored
	var x talk.Extraction
	var next talk.PendingRange
	countTrips(t, count, []trip{
		{"AppendMessages", 2, func() (err error) {
			prefix++
			stored, err = s.AppendMessages(t.Context(), id, turn("c", string(rune('a'+prefix)), 4))
			return err
		}},
		{"Signalled", 1, func() error { return s.Signalled(t.Context(), id, stored.Turn) }},
		{"ResolveOwner", 1, func() error { return second(s.ResolveOwner(t.Context(), id, stored.OwnerID)) }},
		{"Entrance", 1, func() error { return second(s.Entrance(t.Context(), id, stored.OwnerID, true)) }},
		{"ConversationsNamed", 1, func() error { return second(s.ConversationsNamed(t.Context(), id, []string{"c", "d"})) }},
		{"Blames", 1, func() error {
			return second(s.Blames(t.Context(), id, []memory.Ref{team("MEMORY.md"), personal("MEMORY.md")}))
		}},
		{"SessionKey", 1, func() error {
			if _, err := s.SessionKey(t.Context(), "unknown"); !is(pg.ErrUnauthorized)(err) {
				return err
			}
			return nil
		}},
		{"KnownKeys", 1, func() error { return second(s.KnownKeys(t.Context(), []string{"unknown", "other"})) }},
		{"NextRange", 1, func() (err error) { next, _, err = s.NextRange(t.Context(), id); return err }},
		{"BeginExtraction", 1, func() (err error) {
			x, err = s.BeginExtraction(t.Context(), runOf(id, pg.NewID().String()), next.Range)
			return err
		}},
		{"LoadExtraction", 2, func() error {
			return second(s.LoadExtraction(t.Context(), id, next.Range, setting.DefaultExtractSettings()))
		}},
		{"SaveDraft", 1, func() error {
			changes := []memory.Change{noteChange("- x\n"), {Ref: personal("MEMORY.md"), Op: memory.OpAppend, Content: "- x\n"}}
			return s.SaveDraft(t.Context(), runOf(id, x.RunID), x.ID, talk.Draft{Changes: changes, To: next.To, Usage: memory.Usage{Calls: 1}})
		}},
		{"CommitExtraction", 3, func() error {
			return second(s.CommitExtraction(t.Context(), runOf(id, x.RunID), talk.Commit{ExtractionID: x.ID}))
		}},
		{"CommitExtraction again", 2, func() error {
			return second(s.CommitExtraction(t.Context(), runOf(id, x.RunID), talk.Commit{ExtractionID: x.ID}))
		}},
		{"RecordOutcome again", 2, func() error {
			return second(s.RecordOutcome(t.Context(), runOf(id, x.RunID), x.ID, talk.Ending{Outcome: memory.OutcomeFailed}))
		}},
		{"Apply", 2, func() error {
			return second(
				s.Apply(
					t.Context(), id, pg.NewID().String(),
					[]memory.Change{noteChange("- y\n"), {Ref: team("MEMORY.md"), Op: memory.OpAppend, Content: "- y\n"}},
				),
			)
		}},
		{"Document", 1, func() error { return second(s.Document(t.Context(), id, team("MEMORY.md"))) }},
		{"PromptDocuments", 1, func() error { return second(s.PromptDocuments(t.Context(), id, time.Time{})) }},
		{"Authenticate", 1, func() error {
			if _, err := s.Authenticate(t.Context(), "rv_unknown"); !is(pg.ErrUnauthorized)(err) {
				return err
			}
			return nil
		}},
	})
}

// trip is a call and how often it goes to the server.
type trip struct {
	name string
	want int64
	call func() error
}

func countTrips(t *testing.T, count *trips, calls []trip) {
	t.Helper()
	for round := range 2 { // the first one prepares the statements, which is not counted
		for _, c := range calls {
			before := count.n.Load()
			if err := c.call(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := count.n.Load() - before; round == 1 && got != c.want {
				t.Errorf("%s takes %d round trips, want %d", c.name, got, c.want)
			}
		}
	}
}

func TestRoundTripsOfFlushes(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *pg.Options) { o.MaxConns, o.Tracer = 1, count })
	id := workflow("user:7", "r")
	settings := setting.DefaultExtractSettings()
	settings.MaxTranscript = 2
	prefix := 0
	var stored talk.Stored
	var f talk.Flush
	var load talk.FlushLoad
	countTrips(t, count, []trip{
		{"AppendMessages", 2, func() (err error) {
			prefix++
			stored, err = s.AppendMessages(t.Context(), id, turn("c", string(rune('a'+prefix)), 4))
			return err
		}},
		{"PlanFlush", 1, func() (err error) {
			f, _, err = s.PlanFlush(t.Context(), id, stored.ConversationUID, stored.LastSeq)
			return err
		}},
		{"BeginFlush", 1, func() error { return second(s.BeginFlush(t.Context(), id, f.ID)) }},
		{"LoadFlush", 2, func() (err error) { load, err = s.LoadFlush(t.Context(), id, f.ID, settings); return err }},
		{"SaveFlushDraft", 1, func() error {
			return s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(load, fmt.Sprintf("- x%d\n", prefix)))
		}},
		{"CommitFlush", 3, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From)) }},
		{"CommitFlush again", 2, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From)) }},
		{"LoadExtraction", 2, func() error {
			r := talk.Range{ConversationUID: stored.ConversationUID, From: load.From, To: load.To + 1}
			l, err := s.LoadExtraction(t.Context(), id, r, settings)
			if err == nil && l.Noted == nil {
				t.Error("the extraction knows nothing of what is noted")
			}
			return err
		}},
		{"EndFlushStep", 2, func() error {
			return second(
				s.EndFlushStep(t.Context(), id, f.ID, talk.FlushEnd{From: load.To + 1, To: stored.LastSeq, Outcome: memory.OutcomeNothing}),
			)
		}},
		{"Flush", 1, func() error { return second(s.Flush(t.Context(), id, f.ID)) }},
		{"Flushes", 1, func() error { return second(s.Flushes(t.Context(), id, "c", pg.Page{})) }},
	})
}

func TestRoundTripsOfDreams(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *pg.Options) { o.MaxConns, o.Tracer = 1, count })
	id := member("user:7")
	var as memory.Identity
	var x, written dreams.Dream
	var candidate, forgotten dream.Candidate // new ones each time: what people decided about is not promoted again
	countTrips(t, count, []trip{
		{"Apply", 2, func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{noteChange("- Likes tea.\n")}))
		}},
		{"News", 1, func() error { return second(s.News(t.Context(), id, uuid.Nil, 10)) }},
		{"BeginDream", 2, func() (err error) {
			as = asDream(id)
			as.Author.RunID = pg.NewID().String()
			candidate, forgotten = weighed(
				"Likes "+as.Author.RunID, dream.VerdictPromoted,
			), weighed("Has "+as.Author.RunID, dream.VerdictKept)
			x, err = s.BeginDream(
				t.Context(), as,
				dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamByRequest, Settings: setting.DefaultDreamSettings()},
			)
			return err
		}},
		{"LoadDream", 2, func() error { return second(s.LoadDream(t.Context(), as, x.ID)) }},
		{"StageDream", 2, func() error {
			return s.StageDream(t.Context(), as, x.ID, dreams.StagedDream{
				AsOf: testClock, From: "2026-11-14", Scope: memory.ScopePersonal, Candidates: []dream.Candidate{candidate, forgotten},
			})
		}},
		{"DreamStage", 2, func() error { return second(s.DreamStage(t.Context(), as, x.ID)) }},
		{"ReflectDream", 2, func() error { return s.ReflectDream(t.Context(), as, x.ID, dream.Reflection{}) }},
		{"DraftDream", 2, func() error {
			return s.DraftDream(t.Context(), as, x.ID, dreams.DreamDraft{
				Outcome: memory.OutcomeWritten, Ranking: dream.Ranking{Candidates: []dream.Candidate{candidate, forgotten}},
				Changes: []memory.Change{{Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- " + candidate.Text + "\n"}},
			})
		}},
		{"CommitDream", 4, func() (err error) { written, err = s.CommitDream(t.Context(), as, x.ID, ""); return err }},
		{"CommitDream again", 2, func() error { return second(s.CommitDream(t.Context(), as, x.ID, "")) }},
		{"EndDream again", 2, func() error {
			return second(s.EndDream(t.Context(), as, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed}))
		}},
		{"Dream", 1, func() error { return second(s.Dream(t.Context(), id, x.ID)) }},
		{"Dreams", 1, func() error { return second(s.Dreams(t.Context(), id, dreams.DreamFilter{}, pg.Page{})) }},
		{"DreamsSince", 1, func() error { return second(s.DreamsSince(t.Context(), id, testClock, 10)) }},
		{"DreamCandidates", 1, func() error { return second(s.DreamCandidates(t.Context(), id, x.ID, "", pg.Page{})) }},
		{"DreamStatus", 1, func() error { return second(s.DreamStatus(t.Context(), id)) }},
		{"DreamEntry", 1, func() error { return third(s.DreamEntry(t.Context(), id, candidate.ID)) }},
		{"ForgetEntry without a document", 4, func() error {
			return second(s.ForgetEntry(t.Context(), id, dreams.EntryChange{Dream: x.ID, Entry: forgotten.ID, Key: pg.NewID().String()}))
		}},
		// The dream, its lock with what it wrote, the gate's look, and the writes.
		{"RevertDream", 4, func() error { return second(s.RevertDream(t.Context(), id, written.ID, "")) }},
		{"RevertDream again", 3, func() error { return second(s.RevertDream(t.Context(), id, written.ID, "")) }},
		{"EditEntry that adds words", 3, func() error {
			return second(s.EditEntry(t.Context(), id, dreams.EntryChange{Dream: x.ID, Entry: candidate.ID, Text: candidate.Text + " " + pg.NewID().String()}))
		}},
		{"EditEntry with another value, which notes may have", 4, func() error {
			return second(s.EditEntry(t.Context(), id, dreams.EntryChange{Dream: x.ID, Entry: candidate.ID, Text: "Likes " + pg.NewID().String()}))
		}},
	})
}

func TestRoundTripsOfWindows(t *testing.T) {
	t.Parallel()
	count := &trips{}
	s := openStore(t, func(o *pg.Options) { o.MaxConns, o.Tracer = 1, count })
	id := workflow("user:7", "r")
	var stored talk.Stored
	var f talk.Flush
	var load talk.FlushLoad
	var c talk.Compaction
	var part talk.SummaryPart
	n := 0
	window := talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: 1 << 20}
	countTrips(t, count, []trip{
		{"AppendMessages with calls", 2, func() (err error) {
			n++
			b := turn("c", fmt.Sprint("m", n, "-"), 8)
			b.Messages[1].ToolCalls = []memory.ToolCall{searching("c1")}
			stored, err = s.AppendMessages(t.Context(), id, b)
			return err
		}},
		{"LoadWindow", 2, func() error { return second(s.LoadWindow(t.Context(), id, window)) }},
		{"LoadWindow without a conversation", 1, func() error {
			return second(s.LoadWindow(t.Context(), id, talk.WindowRequest{Window: 1000}))
		}},
		{"PlanFlush", 1, func() (err error) {
			f, _, err = s.PlanFlush(t.Context(), id, stored.ConversationUID, stored.LastSeq-4)
			return err
		}},
		{"BeginFlush", 1, func() error { return second(s.BeginFlush(t.Context(), id, f.ID)) }},
		{"LoadFlush", 2, func() (err error) {
			load, err = s.LoadFlush(t.Context(), id, f.ID, setting.DefaultExtractSettings())
			return err
		}},
		{"SaveFlushDraft", 1, func() error {
			d := talk.FlushDraft{
				From: load.From, To: load.To, Scope: load.Scope, Today: load.Today, Entry: fmt.Sprint("- ", n, "\n"),
				Usage: memory.Usage{Calls: 1},
			}
			return s.SaveFlushDraft(t.Context(), id, f.ID, d)
		}},
		{"CommitFlush", 3, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From)) }},
		{"CommitFlush again", 2, func() error { return second(s.CommitFlush(t.Context(), id, f.ID, load.From)) }},
		{"EndFlushStep again", 2, func() error {
			return second(s.EndFlushStep(t.Context(), id, f.ID, talk.FlushEnd{From: load.From, To: load.To, Outcome: memory.OutcomeNothing}))
		}},
		{"BeginCompaction", 3, func() (err error) {
			c, err = s.BeginCompaction(t.Context(), id, summary(stored.ConversationUID, load.To))
			return err
		}},
		{"LoadSummary", 2, func() (err error) { part, err = s.LoadSummary(t.Context(), id, c.ID, 1<<20); return err }},
		{"SaveSummary", 2, func() error {
			return second(s.SaveSummary(t.Context(), id, c.ID, talk.SummaryStep{To: part.To, Summary: "tea", Usage: memory.Usage{Calls: 1}}))
		}},
		{"BeginCompaction again", 3, func() error {
			return second(s.BeginCompaction(t.Context(), id, summary(stored.ConversationUID, load.To)))
		}},
		{"LoadWindow behind a summary", 2, func() error { return second(s.LoadWindow(t.Context(), id, window)) }},
		{"Compaction", 2, func() error { return second(s.Compaction(t.Context(), id, c.ID)) }},
		{"Compactions", 2, func() error { return second(s.Compactions(t.Context(), id, "c", pg.Page{})) }},
		{"Flush", 1, func() error { return second(s.Flush(t.Context(), id, f.ID)) }},
		{"Flushes", 1, func() error { return second(s.Flushes(t.Context(), id, "c", pg.Page{})) }},
	})
}
