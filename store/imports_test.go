package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/pg"
	"reverie/store/talk"
	"reverie/store/transfer"
)

func stagedItem(key string) transfer.ImportItem {
	return transfer.ImportItem{Key: key, Target: key + ".md", Payload: []byte("x")}
}

// An import accepts the maximum, and refuses one item or one byte more with the next step.
func TestLimitsOfImports(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	source := transfer.NewImport{
		Source: strings.Repeat("s", memory.MaxImportSource), Format: "mem0", Label: strings.Repeat("l", memory.MaxImportLabel),
		OnConflict: memory.ImportMerge,
	}
	made := must[transfer.Import](t)(s.CreateImport(t.Context(), id, source))
	for name, n := range map[string]transfer.NewImport{
		"source": {Source: source.Source + "s", Format: "mem0", OnConflict: memory.ImportMerge},
		"label":  {Source: "s", Format: "mem0", Label: source.Label + "l", OnConflict: memory.ImportMerge},
		"policy": {Source: "s", Format: "mem0", OnConflict: "maybe"},
		"none":   {Format: "mem0", OnConflict: memory.ImportMerge},
	} {
		if _, err := s.CreateImport(t.Context(), id, n); !isInvalid(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var batch []transfer.ImportItem
	for n := range memory.MaxImportBatch {
		batch = append(batch, stagedItem(fmt.Sprint("k", n)))
	}
	batch[0].Key = strings.Repeat("k", memory.MaxImportKey)
	if got := must[transfer.StagedItems](t)(s.StageImport(t.Context(), id, made.ID, batch)); got.Staged != memory.MaxImportBatch {
		t.Errorf("%+v", got)
	}
	for name, items := range map[string][]transfer.ImportItem{
		"batch": append(batch, stagedItem("more")), "key": {stagedItem(batch[0].Key + "k")}, "twice": {stagedItem("a"), stagedItem("a")},
		"nothing": nil, "no key": {stagedItem("")}, "another owner": {{Key: "o", Whose: "user:8", Payload: []byte("x")}},
		"nobody's conversation": {{Key: "c", Conversation: true, Payload: []byte("x")}},
	} {
		if _, err := s.StageImport(t.Context(), id, made.ID, items); !isInvalid(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := must[transfer.StagedItems](t)(s.StageImport(t.Context(), id, made.ID, batch)); got.Known != memory.MaxImportBatch ||
		got.Staged != 0 {
		t.Errorf("again: %+v", got)
	}
}

func isInvalid(err error) bool {
	_, is := err.(*pg.InvalidError) //nolint:errorlint // it is returned as it is
	return is
}

// Items come in their order, are settled once and without their contents, and a cancelled import takes them again.
func TestItemsOfAnImport(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	made := must[transfer.Import](t)(
		s.CreateImport(t.Context(), id, transfer.NewImport{Source: "s", Format: "mem0", OnConflict: memory.ImportMerge, Extract: true}),
	)
	if again := must[transfer.Import](t)(
		s.CreateImport(t.Context(), id, transfer.NewImport{Source: "s", Format: "mem0", OnConflict: memory.ImportMerge, Extract: true}),
	); again.ID != made.ID {
		t.Error("the same source is another import")
	}
	day := func(n int) time.Time { return time.Date(2024, 1, n, 0, 0, 0, 0, time.UTC) }
	items := []transfer.ImportItem{
		{Key: "late", Conversation: true, Whose: "user:7", At: day(3), Payload: []byte("3")},
		{Key: "early", Conversation: true, Whose: "user:7", At: day(2), Payload: []byte("2")},
		{Key: "note", Whose: "user:7", At: day(4), Payload: []byte("1")},
		{Key: "broken", Whose: "user:7", ReasonCode: "invalid", Payload: []byte("0")},
	}
	if got := must[transfer.StagedItems](t)(s.StageImport(t.Context(), id, made.ID,
		items)); got != (transfer.StagedItems{Staged: 3, Failed: 1}) {
		t.Errorf("%+v", got)
	}
	must[transfer.Import](t)(s.StartImport(t.Context(), id, made.ID))
	if _, err := s.StageImport(t.Context(), id, made.ID, items); !isConflict(err, pg.CodeImportRunning) {
		t.Errorf("staged while it runs: %v", err)
	}
	keys := func() (out []string) {
		_, next, err := s.NextImportItems(t.Context(), id, made.ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range next {
			out = append(out, item.Key+string(item.Payload))
		}
		return out
	}
	if diff := cmp.Diff([]string{"note1", "early2", "late3"}, keys()); diff != "" {
		t.Error(diff)
	}
	for _, outcome := range []memory.Outcome{memory.OutcomeWritten, memory.OutcomeFailed} { // the first one counts
		if err := s.SettleImport(t.Context(), id, made.ID, []transfer.ImportSettled{{Key: "note", Outcome: outcome}}); err != nil {
			t.Fatal(err)
		}
	}
	left := must[transfer.Import](t)(s.LeaveImport(t.Context(), id, made.ID))
	want := map[memory.Outcome]int{memory.OutcomeWritten: 1, memory.OutcomeFailed: 1, memory.OutcomeSkipped: 2}
	if diff := cmp.Diff(want, left.Outcomes); diff != "" || left.State != transfer.ImportCancelled || left.Settled() != 4 {
		t.Errorf("%+v %s", left, diff)
	}
	if got := must[transfer.StagedItems](t)(s.StageImport(t.Context(), id, made.ID,
		items)); got != (transfer.StagedItems{Staged: 2, Known: 1, Failed: 1}) {
		t.Errorf("taken again: %+v", got)
	}
	must[transfer.Import](t)(s.StartImport(t.Context(), id, made.ID))
	if diff := cmp.Diff([]string{"early2", "late3"}, keys()); diff != "" {
		t.Error(diff)
	}
}

func isConflict(err error, code string) bool {
	conflict, is := err.(*pg.ConflictError) //nolint:errorlint // it is returned as it is
	return is && conflict.Code == code
}

// TestStepsEndWithTheirDay extracts and flushes messages of several days, whoever brought them: a step ends with its day in the
// agent's zone, and is as of the last message of that day, which is never to come.
func TestStepsEndWithTheirDay(t *testing.T) {
	t.Parallel()
	days := []string{
		"2024-02-01T22:00:00Z", "2024-02-01T23:59:00+01:00", "2024-02-01T23:00:00Z", "2024-02-02T01:00:00Z", "2999-01-01T00:00:00Z",
		"2999-01-01T00:01:00Z",
	}
	for _, trigger := range []memory.Trigger{memory.TriggerImport, memory.TriggerAPI, memory.TriggerWeb} {
		s := openStore(t, at(func() time.Time { return testClock }))
		id := workflow("user:7", "r1")
		batch := turn("c", "m", 6)
		batch.Trigger = trigger
		for i := range batch.Messages {
			said, err := time.Parse(time.RFC3339, days[i])
			if err != nil {
				t.Fatal(err)
			}
			batch.Messages[i].CreatedAt = said
		}
		stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, batch))
		for _, want := range []struct {
			from, to int64
			today    string
		}{{1, 2, "2024-02-01"}, {3, 4, "2024-02-02"}, {5, 6, testClock.Format(time.DateOnly)}} {
			load := must[talk.ExtractionLoad](t)(
				s.LoadExtraction(
					t.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: want.from, To: 6}, setting.DefaultExtractSettings(),
				),
			)
			if load.To != want.to || load.Today.Format(time.DateOnly) != want.today || load.Last != (want.to == 6) {
				t.Errorf("%s, from %d: to %d, as of %s, last %v", trigger, want.from, load.To, load.Today, load.Last)
			}
		}
		f := planned(t, s, id, stored.ConversationUID, 6)
		flushed := must[talk.FlushLoad](t)(s.LoadFlush(t.Context(), id, f.ID, setting.DefaultExtractSettings()))
		if flushed.From != 1 || flushed.To != 2 || flushed.Today.Format(time.DateOnly) != "2024-02-01" {
			t.Errorf("%s: the flush goes from %d to %d, as of %s", trigger, flushed.From, flushed.To, flushed.Today)
		}
	}
}
