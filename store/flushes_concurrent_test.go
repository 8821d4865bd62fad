package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"reverie/memory"
)

// Eight runs plan and flush one conversation while it grows and is extracted from. In the end every message stands in the note
// once, and the flushes cover the conversation without gaps.
func TestManyFlushOneConversation(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const workers, messages = 8, 120
	settings := memory.DefaultExtractSettings()
	settings.MaxTranscript = 5
	uid := must[Stored](t)(s.AppendMessages(t.Context(), workflow("user:7", "say"), turn("c", "m0-", 10))).ConversationUID
	if err := extractStep(t, s, workflow("user:7", "first"), settings); err != nil { // the others may come second every time
		t.Fatal(err)
	}
	errs := make([]error, workers+1)
	var working sync.WaitGroup
	working.Go(func() {
		for i := 1; i < messages/10; i++ {
			if _, err := s.AppendMessages(t.Context(), workflow("user:7", "say"), turn("c", fmt.Sprintf("m%d-", i), 10)); err != nil {
				errs[workers] = err
				return
			}
		}
	})
	for worker := range workers {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 7))
			errs[worker] = flushAndExtract(t, s, workflow("user:7", fmt.Sprint("r", worker)), random, settings, messages)
		})
	}
	working.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}

	id := member("user:7")
	end, written := int64(0), 0
	list := must[Listed[Flush]](t)(s.Flushes(t.Context(), id, "c", Page{Limit: MaxPage})).Items
	for _, listed := range slices.Backward(list) {
		f := must[Flush](t)(s.Flush(t.Context(), id, listed.ID))
		if f.From != end+1 || !f.Acknowledged() {
			t.Errorf("flush %d to %d follows %d, acknowledged %v", f.From, f.To, end, f.Acknowledged())
		}
		for _, step := range f.Steps {
			if step.From != end+1 {
				t.Errorf("step %d to %d follows %d", step.From, step.To, end)
			}
			end = step.To
			if step.Outcome == memory.OutcomeWritten {
				written++
			}
		}
	}
	c := must[Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.UID != uid || end != messages || c.Flushed != messages || c.Cursor != messages {
		t.Errorf("flushes up to %d, conversation %+v", end, c)
	}
	extracted := must[Listed[Extraction]](t)(s.Extractions(t.Context(), id, ExtractionFilter{Outcome: memory.OutcomeWritten}, Page{})).Items
	if written == 0 || len(extracted) == 0 {
		t.Errorf("%d steps of flushes and %d extractions wrote: that shows nothing", written, len(extracted))
	}
	acknowledged := query[int](t, s, id, "select count(*)::int from journal where kind = 'memory.flush.acknowledged'")
	if acknowledged[0] != len(list) {
		t.Errorf("%d acknowledgements of %d flushes in the journal", acknowledged[0], len(list))
	}
	note := ""
	for _, entry := range must[[]DocumentEntry](t)(s.Documents(t.Context(), id, DocumentFilter{Prefix: "memory/"})) {
		note += must[memory.Document](t)(s.Document(t.Context(), id, memory.Ref{Scope: entry.Scope, Path: entry.Path})).Content
	}
	for n := range messages {
		if stands := strings.Count(note, fmt.Sprintf("- message %d.\n", n+1)); stands != 1 {
			t.Errorf("message %d stands %d times", n+1, stands)
		}
	}
}

// markers are lines of a note, one for each message.
func markers(from, to int64) string {
	var b strings.Builder
	for seq := from; seq <= to; seq++ {
		fmt.Fprintf(&b, "- message %d.\n", seq)
	}
	return b.String()
}

// flushAndExtract takes steps of flushes and of extractions, as they come, until a conversation is through with both.
func flushAndExtract(t *testing.T, s *Store, id memory.Identity, random *rand.Rand, settings memory.ExtractSettings, messages int64) error {
	t.Helper()
	for {
		c, err := s.Conversation(t.Context(), id, "c")
		switch {
		case err != nil:
			return err
		case c.Flushed == messages && c.Cursor == messages:
			return nil
		case random.IntN(3) == 0:
			err = extractStep(t, s, id, settings)
		default:
			err = flushStep(t, s, id, c, settings)
		}
		if err != nil && !isRefusal(err) {
			return err
		}
	}
}

// flushStep takes one step of the flush that is next.
func flushStep(t *testing.T, s *Store, id memory.Identity, c Conversation, settings memory.ExtractSettings) error {
	t.Helper()
	f, needed, err := s.PlanFlush(t.Context(), id, c.UID, c.Last)
	if err != nil || !needed {
		return err
	}
	if f, err = s.BeginFlush(t.Context(), id, f.ID); err != nil || f.Acknowledged() {
		return err
	}
	l, err := s.LoadFlush(t.Context(), id, f.ID, settings)
	if err != nil || l.Flush.Acknowledged() {
		return err
	}
	if l.Extracted {
		_, err = s.EndFlushStep(t.Context(), id, f.ID, FlushEnd{From: l.From, To: l.To, Outcome: memory.OutcomeNothing, ReasonCode: "extracted"})
		return err
	}
	if err := s.SaveFlushDraft(t.Context(), id, f.ID, draftOf(l, markers(l.From, l.To))); err != nil {
		return err
	}
	_, err = s.CommitFlush(t.Context(), id, f.ID, l.From, "")
	return err
}

// extractStep takes one step of the extraction that is next: what is noted already makes no line.
func extractStep(t *testing.T, s *Store, id memory.Identity, settings memory.ExtractSettings) error {
	t.Helper()
	next, found, err := s.NextRange(t.Context(), id)
	if err != nil || !found {
		return err
	}
	x, err := s.BeginExtraction(t.Context(), id, next.Range)
	if err != nil || !x.Open() {
		return err
	}
	l, err := s.LoadExtraction(t.Context(), id, next.Range, settings)
	if err != nil {
		return err
	}
	if l.Noted != nil {
		_, err = s.RecordOutcome(t.Context(), id, x.ID, Ending{Outcome: memory.OutcomeNothing, To: l.To})
		return err
	}
	if err := s.SaveDraft(t.Context(), id, x.ID, Draft{Changes: []memory.Change{noteChange(markers(next.From, l.To))}, To: l.To}); err != nil {
		return err
	}
	_, err = s.CommitExtraction(t.Context(), id, Commit{ExtractionID: x.ID})
	return err
}
