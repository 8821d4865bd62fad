package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store/talk"
)

// seqs returns the numbers of messages.
func seqs(messages []memory.Message) []int64 {
	out := make([]int64, len(messages))
	for i, m := range messages {
		out[i] = m.Seq
	}
	return out
}

func numbers(from, to int64) []int64 {
	var out []int64
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

// A window is made of the documents, the latest summary, what was said after it, and what is not saved yet.
func TestLoadWindow(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	write(t, s, id, replace(personal(memory.MemoryPath), 0, "- likes tea\n"))
	all := talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: 1 << 20}

	empty := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, all))
	if empty.Found || len(empty.Documents) != len(must[[]memory.Document](t)(s.PromptDocuments(t.Context(), id, time.Time{}))) ||
		empty.Messages != nil ||
		empty.Unflushed != 0 || empty.Goal.ID != "" || empty.Compaction.ID != uuid.Nil {
		t.Errorf("without the conversation: %+v", empty)
	}
	uid := converse(t, s, id, "c", 20)
	before := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, all))
	size := int64(0)
	for _, m := range before.Messages {
		size += int64(len(m.Content))
	}
	if diff := cmp.Diff(numbers(1, 20), seqs(before.Messages)); diff != "" || !before.Found || before.Conversation.UID != uid ||
		before.Unflushed != 20 || before.UnflushedBytes != size || before.Older != 0 || before.Goal.ID != "m1" {
		t.Errorf("all of it: %+v\n%s", before, diff)
	}
	flushed(t, s, id, uid, 14)
	c := summarised(t, s, id, summary(uid, 10), "tea")
	must[talk.Compaction](t)(s.BeginCompaction(t.Context(), id, summary(uid, 12))) // open: of no use yet
	after := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, all))
	c.Receipts = nil
	if diff := cmp.Diff(numbers(11, 20), seqs(after.Messages)) + cmp.Diff(c, after.Compaction); diff != "" {
		t.Errorf("behind the summary (-want +got):\n%s", diff)
	}
	if after.Unflushed != 6 || after.UnflushedBytes != int64(6*len("words m10")) || after.Older != 0 || after.Goal.Content != "words m1" ||
		after.Conversation.Flushed != 14 {
		t.Errorf("behind the summary: %+v", after)
	}
	// Extracted messages need no flush.
	x := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), id, talk.Range{ConversationUID: uid, From: 1, To: 18}))
	must[talk.ExtractionResult](t)(s.RecordOutcome(t.Context(), id, x.ID, talk.Ending{Outcome: memory.OutcomeNothing}))
	if extracted := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, all)); extracted.Unflushed != 2 {
		t.Errorf("%d messages are not accounted for, want 2", extracted.Unflushed)
	}
	// Somebody else's is not there.
	for name, other := range map[string]memory.Identity{
		"another owner": member("user:8"), "nobody": member(""),
		"a reader": func() memory.Identity { m := member("user:8"); m.AnyOwner = true; return m }(),
	} {
		if load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), other, all)); load.Found || load.Messages != nil || load.Goal.ID != "" ||
			load.Compaction.Summary != "" || load.Unflushed != 0 {
			t.Errorf("%s sees %+v", name, load)
		}
	}
	none := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Window: 1000, MaxBytes: 1}))
	if none.Found || len(none.Documents) != len(after.Documents) || none.Messages != nil {
		t.Errorf("without a conversation: %+v", none)
	}
	if _, err := s.LoadWindow(t.Context(), adminOf("acme"), all); !invalid("agent")(err) {
		t.Errorf("without an agent: %v", err)
	}
}

// The newest messages are loaded, as many as fit, and one in any case; what they ask of tools counts.
func TestLoadWindowIsBounded(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	call := searching("c1")
	call.Arguments = strings.Repeat("a", 500)
	b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: []memory.Message{
		say("m1", memory.RoleOfSystem, "be kind"), say("m2", memory.RoleOfUser, strings.Repeat("u", 100)), calling("m3", call),
		answering("m4", "c1", strings.Repeat("ü", 50)), say("m5", memory.RoleOfAssistant, "done"),
	}}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	load := func(bytes int) talk.WindowLoad {
		return must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: bytes}))
	}
	var calls int
	for _, n := range query[int](t, s, id, "select octet_length(tool_calls::text) from messages where seq = 3") {
		calls = n
	}
	for bytes, want := range map[int]struct {
		from, older int64
	}{
		0: {5, 4}, 3: {5, 4}, 4: {5, 4}, 103: {5, 4}, 104: {4, 3}, 104 + calls - 1: {4, 3}, 104 + calls: {3, 2},
		204 + calls: {2, 1}, 210 + calls: {2, 1}, 211 + calls: {1, 0}, 1 << 30: {1, 0},
	} {
		got := load(bytes)
		if diff := cmp.Diff(numbers(want.from, 5), seqs(got.Messages)); diff != "" || got.Older != want.older {
			t.Errorf("with %d bytes, older %d, want %d (-want +got):\n%s", bytes, got.Older, want.older, diff)
		}
		if got.Goal.ID != "m2" || got.Unflushed != 5 || got.UnflushedBytes != int64(211+calls) {
			t.Errorf("with %d bytes: goal %q, %d not flushed, %d bytes", bytes, got.Goal.ID, got.Unflushed, got.UnflushedBytes)
		}
	}
	got := load(1 << 20)
	for i, m := range got.Messages {
		b.Messages[i].Seq = m.Seq
	}
	if diff := cmp.Diff(b.Messages, got.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Wherever the bound falls, and wherever the summary ends, the messages are those that fit.
func TestLoadWindowFitsAnyBound(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	const n = 1300
	sizes := make([]int, n+1)
	for start := 1; start <= n; start += memory.MaxBatchMessages {
		b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI}
		for i := start; i < start+memory.MaxBatchMessages && i <= n; i++ {
			sizes[i] = i * 7919 % 97
			b.Messages = append(b.Messages, say(fmt.Sprint("m", i), memory.RoleOfUser, strings.Repeat("x", sizes[i])))
		}
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	}
	uid := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c")).UID
	summaryTo := int64(0)
	check := func(t *rapid.T) {
		bound := rapid.IntRange(0, 70_000).Draw(t, "bytes")
		from, total := int64(n), sizes[n]
		for from > summaryTo+1 && total+sizes[from-1] <= bound {
			from--
			total += sizes[from]
		}
		load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: bound}))
		older := from - 1
		if older <= summaryTo {
			older = 0
		}
		if load.Compaction.To != summaryTo || load.Older != older || !slices.Equal(seqs(load.Messages), numbers(from, n)) {
			t.Fatalf(
				"behind %d with %d bytes: %d messages, older %d, want %d and %d", load.Compaction.To, bound, len(load.Messages),
				load.Older, n-from+1, older,
			)
		}
	}
	rapid.Check(t, check)
	flushed(t, s, id, uid, n)
	summaryTo = 299
	summarised(t, s, id, summary(uid, summaryTo), "long ago")
	rapid.Check(t, check)
	summaryTo = n
	summarised(t, s, id, summary(uid, summaryTo), "all of it")
	load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: 1 << 20}))
	if load.Compaction.To != n || load.Messages != nil || load.Older != 0 || load.Unflushed != 0 || load.UnflushedBytes != 0 {
		t.Errorf("with nothing behind the summary: %d messages, older %d", len(load.Messages), load.Older)
	}
}

// A window is read from one snapshot, whatever is stored meanwhile.
func TestLoadWindowOfOneMoment(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := converse(t, s, id, "c", 4)
	stop := make(chan struct{})
	ended := make(chan error)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if _, err = s.AppendMessages(t.Context(), id, turn("c", fmt.Sprint("n", i, "-"), 2)); err == nil && i%4 == 3 {
				last := int64(4 + 2*i)
				var f talk.Flush
				if f, _, err = s.PlanFlush(t.Context(), id, uid, last); err == nil {
					if _, err = s.BeginFlush(t.Context(), id, f.ID); err == nil {
						_, err = s.EndFlushStep(t.Context(), id, f.ID, talk.FlushEnd{From: f.From, To: f.To, Outcome: memory.OutcomeNothing})
					}
				}
			}
		}
		ended <- err
	}()
	var moved int64
	for range 200 {
		load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 1000, MaxBytes: 1 << 20}))
		c := load.Conversation
		if !slices.Equal(seqs(load.Messages), numbers(1, c.Last)) || load.Unflushed != int(c.Last-c.Flushed) {
			t.Fatalf("messages %v and %d not flushed of %+v", seqs(load.Messages), load.Unflushed, c)
		}
		moved = c.Flushed
	}
	close(stop)
	if err := <-ended; err != nil || moved == 0 {
		t.Errorf("it was flushed up to %d meanwhile, %v", moved, err)
	}
}

// longConversation stores a conversation of n messages of about size bytes, a tool call with its answer in every fifth turn.
func longConversation(tb testing.TB, s *Store, id memory.Identity, n, size int) uuid.UUID {
	tb.Helper()
	body := strings.Repeat("the quick brown fox ", size/20+1)[:size]
	var uid uuid.UUID
	for start := 1; start <= n; start += memory.MaxBatchMessages {
		b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true}
		for i := start; i < start+memory.MaxBatchMessages && i <= n; i++ {
			m := say(fmt.Sprint("m", i), memory.RoleOfUser, body)
			switch i % 10 {
			case 2, 4, 6, 0:
				m.Role = memory.RoleOfAssistant
			case 7:
				m = calling(m.ID, memory.ToolCall{ID: fmt.Sprint("c", i), Name: "search", Arguments: `{"query":"fox"}`})
			case 8:
				m = answering(m.ID, fmt.Sprint("c", i-1), body)
			}
			b.Messages = append(b.Messages, m)
		}
		stored, err := s.AppendMessages(tb.Context(), id, b)
		if err != nil {
			tb.Fatal(err)
		}
		uid = stored.ConversationUID
	}
	return uid
}

// A long conversation takes no longer than its window: its indexes serve, and what it costs shows in the benchmark.
func TestLoadWindowOfALongConversation(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	uid := longConversation(t, s, id, 3000, 200)
	first := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 8000, MaxBytes: 64 << 10}))
	if n := len(first.Messages); n < 200 || n > 64<<10/200*2 || first.Older != 3000-int64(n) || first.Unflushed != 3000 {
		t.Errorf("%d messages, older %d, %d not flushed", n, first.Older, first.Unflushed)
	}
	flushed(t, s, id, uid, 2990)
	summarised(t, s, id, func() talk.CompactionRequest { r := summary(uid, 2980); r.Settings.Window = 8000; return r }(), "long ago")
	load := must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), id, talk.WindowRequest{Conversation: "c", Window: 8000, MaxBytes: 64 << 10}))
	if diff := cmp.Diff(numbers(2981, 3000), seqs(load.Messages)); diff != "" || load.Older != 0 || load.Unflushed != 10 {
		t.Errorf("behind the summary: older %d, %d not flushed\n%s", load.Older, load.Unflushed, diff)
	}
}

// BenchmarkLoadWindow measures the window of a conversation of 10,000 messages: with all of it loaded that fits 128,000
// tokens, and after a summary.
func BenchmarkLoadWindow(b *testing.B) {
	s := openStore(b)
	id := workflow("user:7", "r1")
	uid := longConversation(b, s, id, 10_000, 300)
	request := talk.WindowRequest{Conversation: "c", Window: 128_000, MaxBytes: 1 << 20}
	timed := func(b *testing.B) {
		b.Helper()
		var took []time.Duration
		for b.Loop() {
			start := time.Now()
			if _, err := s.LoadWindow(b.Context(), id, request); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	}
	b.Run("whole", timed)
	flushed(b, s, id, uid, 9990)
	r := summary(uid, 9950)
	r.Settings.Window = request.Window
	summarised(b, s, id, r, "long ago")
	b.Run("summarised", timed)
}
