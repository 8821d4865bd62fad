package store

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/search"
	"reverie/store/dreams"
	"reverie/store/pg"
	"reverie/store/talk"
)

// said returns a batch of one message at a time.
func said(conversation string, trigger memory.Trigger, at time.Time, words ...string) talk.Batch {
	b := talk.Batch{Conversation: conversation, Trigger: trigger, TurnComplete: true}
	for i, text := range words {
		m := say(fmt.Sprint(conversation, at.Unix(), i), memory.RoleOfUser, text)
		m.CreatedAt = at.Add(time.Duration(i) * time.Second)
		b.Messages = append(b.Messages, m)
	}
	return b
}

// recallOf returns an organic use of a search result.
func recallOf(id memory.Identity, scope memory.Scope, corpus search.Corpus, path string, at time.Time) dreams.Recall {
	return dreams.Recall{Identity: id, QueryHash: sha256.Sum256([]byte(path)), Day: at, At: at, Hits: []dreams.RecalledHit{{
		Corpus: corpus, Scope: scope, Source: pg.NewID(), Path: path, FromLine: 1, ToLine: 1, Entries: []markdown.EntryID{"e"}, Score: 0.5,
	}}}
}

func notePaths(notes []dreams.DreamNote) []string {
	var paths []string
	for _, n := range notes {
		paths = append(paths, n.Path)
	}
	return paths
}

func recalledPaths(recalls []dreams.Recalled) []string {
	var paths []string
	for _, r := range recalls {
		paths = append(paths, r.Path)
	}
	return paths
}

func wordsOf(sessions []dreams.DreamSession) []string {
	var words []string
	for _, s := range sessions {
		for _, m := range s.Messages {
			words = append(words, m.Content)
		}
	}
	return words
}

func TestLoadDream(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	*now = time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC) // 02:00 in Berlin
	person, id := member("user:7"), dreaming("user:7", "r")
	for _, path := range []string{
		"memory/2026-11-13.md", "memory/2026-11-14.md", "memory/2026-11-20.md", "memory/2026-11-20-trip.md", "memory/2026-11-20/deep.md",
		"memory/2026-11-20x.md", "memory/2026-11-22.md", "memory/dreaming/2026-11-20.md", "memory/archive/2026-11.md",
		"notes/2026-11-20.md", "MEMORY.md",
	} {
		write(t, s, person, replace(personal(path), 0, "- "+path+"\n"))
	}
	write(t, s, person, replace(personal("memory/2026-11-19.md"), 0, "- gone\n"))
	write(t, s, person, memory.Change{Ref: personal("memory/2026-11-19.md"), Op: memory.OpDelete})
	write(t, s, member("user:8"), replace(personal("memory/2026-11-20.md"), 0, "- of another\n"))
	write(t, s, person, replace(team("memory/2026-11-20.md"), 0, "- shared\n"))
	machine := workflow("user:7", "x")
	write(t, s, machine, memory.Change{
		Ref: personal("memory/2026-11-20.md"), Op: memory.OpAppend, Content: "- by machine\n", Reason: "said",
		Sources: memory.Sources{
			Conversation: "chat", From: 1, To: 2, Lines: []memory.LineSource{{Line: "- by machine", Messages: []int64{2}}},
		},
	})

	day := func(d, hour int) time.Time { return time.Date(2026, 11, d, hour, 0, 0, 0, time.UTC) }
	chat := said("chat", memory.TriggerWeb, day(12, 10), "too old", "old too")
	chat.Messages = append(chat.Messages, said("chat", memory.TriggerWeb, day(20, 10), "in time", "in time too").Messages...)
	tool := say("tool", memory.RoleOfTool, "tool output")
	tool.CreatedAt = day(20, 11)
	chat.Messages = append(chat.Messages, tool)
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, chat))
	open := said("chat", memory.TriggerWeb, day(20, 12), "not complete")
	open.TurnComplete = false
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, open))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("later", memory.TriggerAPI, day(21, 2), "after the moment")))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("second", memory.TriggerChannel, day(14, 0), "the first day begins")))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("cron", memory.TriggerCron, day(20, 10), "by a clock")))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("dream", memory.TriggerDream, day(20, 10), "by a dream")))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:8"), said("chat8", memory.TriggerWeb, day(20, 10), "of another")))

	synthetic := recallOf(person, memory.ScopePersonal, search.Memory, "synthetic", day(20, 9))
	synthetic.Synthetic = true
	older := recallOf(person, memory.ScopePersonal, search.Memory, "memory/2026-11-13.md", day(20, 8))
	older.Hits[0].Source = must[memory.Document](t)(s.Document(t.Context(), person, personal("memory/2026-11-13.md"))).ID
	if err := s.RecordRecalls(t.Context(), []dreams.Recall{
		older, recallOf(person, memory.ScopePersonal, search.Memory, "second", day(20, 9)),
		recallOf(person, memory.ScopePersonal, search.Sessions, "first", day(1, 9)),
		recallOf(person, memory.ScopeTeam, search.Memory, "shared by 7", day(20, 9)),
		recallOf(member("user:8"), memory.ScopeTeam, search.Memory, "shared by 8", day(20, 10)),
		recallOf(member("user:8"), memory.ScopePersonal, search.Memory, "of another", day(20, 9)),
		recallOf(person, memory.ScopePersonal, search.Memory, "long ago", time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)),
		recallOf(person, memory.ScopePersonal, search.Memory, "after the moment", day(21, 2)),
		synthetic,
	}); err != nil {
		t.Fatal(err)
	}

	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("2026-11-21T02:00")))
	load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
	if load.From != "2026-11-14" || load.AsOf.Format(time.RFC3339) != "2026-11-21T02:00:00+01:00" || load.Scope != memory.ScopePersonal ||
		load.News == 0 || load.Dream.ID != x.ID {
		t.Errorf("loaded %+v", load)
	}
	if diff := cmp.Diff(
		[]string{"memory/2026-11-13.md", "memory/2026-11-14.md", "memory/2026-11-20-trip.md", "memory/2026-11-20.md"}, notePaths(load.Notes),
	); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	note := load.Notes[3]
	want := []memory.BlameLine{
		{Line: "- memory/2026-11-20.md", Version: 1, Author: person.Author, Reason: "test", At: note.Lines[0].At},
		{Line: "", Version: 2, Author: machine.Author, Reason: "said", At: note.UpdatedAt, Conversation: "chat", From: 1, To: 2},
		{
			Line: "- by machine", Version: 2, Author: machine.Author, Reason: "said", At: note.UpdatedAt, Conversation: "chat", From: 1, To: 2,
			Messages: []int64{2},
		},
	}
	if diff := cmp.Diff(want, note.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if note.Day != "2026-11-20" || note.Version != 2 || note.SHA256 != sha256.Sum256([]byte(note.Content)) ||
		note.UpdatedBy != machine.Author {
		t.Errorf("note %+v", note.Document)
	}
	if diff := cmp.Diff([]string{"in time", "in time too", "the first day begins"}, wordsOf(load.Sessions)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if load.Sessions[0].Conversation != "chat" || load.Sessions[1].Conversation != "second" || load.Sessions[0].Messages[0].Seq != 3 {
		t.Errorf("sessions %+v", load.Sessions)
	}
	if diff := cmp.Diff([]string{"first", "memory/2026-11-13.md", "second"}, recalledPaths(load.Recalls)); diff != "" {
		t.Errorf("recalls (-want +got):\n%s", diff)
	}

	// Shared memory: its notes, no messages, and everybody's recalls.
	system := dreaming(memory.SystemOwner, "r")
	x = must[dreams.Dream](t)(s.BeginDream(t.Context(), system, nightly("2026-11-21T02:00")))
	load = must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), system, x.ID))
	if load.Scope != memory.ScopeTeam || len(load.Notes) != 1 || load.Notes[0].Content != "- shared\n" || len(load.Sessions) > 0 {
		t.Errorf("shared: %v, %+v", notePaths(load.Notes), load.Sessions)
	}
	if diff := cmp.Diff([]string{"shared by 7", "shared by 8"}, recalledPaths(load.Recalls)); diff != "" {
		t.Errorf("recalls of what is shared (-want +got):\n%s", diff)
	}

	// A night of the past.
	d := nightly("2026-11-15T02:00")
	d.AsOf = day(15, 1)
	past := dreaming("user:7", "r2")
	x = must[dreams.Dream](t)(s.BeginDream(t.Context(), past, d))
	load = must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), past, x.ID))
	if load.From != "2026-11-08" || !load.AsOf.Equal(d.AsOf) ||
		!slices.Equal(notePaths(load.Notes), []string{"memory/2026-11-13.md", "memory/2026-11-14.md"}) ||
		!slices.Equal(
			wordsOf(load.Sessions), []string{"too old", "old too", "the first day begins"},
		) || !slices.Equal(recalledPaths(load.Recalls), []string{"first"}) {
		t.Errorf(
			"past: from %s, notes %v, said %v, recalls %v", load.From, notePaths(load.Notes), wordsOf(load.Sessions),
			recalledPaths(load.Recalls),
		)
	}
	must[dreams.Dream](t)(s.EndDream(t.Context(), past, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed}))
	if load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), past, x.ID)); load.Dream.Open() || load.Notes != nil || load.States != nil {
		t.Errorf("one that has ended: %+v", load)
	}
}

// A replay sees what its original saw, whatever has changed since.
func TestReplay(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	person, id := member("user:7"), dreaming("user:7", "r")
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 0, "- Likes tea.\n- Has a dog.\n"))
	write(t, s, workflow("user:7", "x"), replace(personal(memory.MemoryPath), 0, "- by machine\n"))
	write(t, s, person, replace(personal(memory.MemoryPath), 1, "- by machine\n- by hand\n"))
	write(t, s, member("user:8"), replace(team(memory.MemoryPath), 1, "- shared\n"))
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("chat", memory.TriggerWeb, now.Add(-time.Hour), "one", "two")))
	if err := s.RecordRecalls(
		t.Context(), []dreams.Recall{recallOf(person, memory.ScopePersonal, search.Memory, "then", now.Add(-time.Hour))},
	); err != nil {
		t.Fatal(err)
	}
	first := committedDream(t, s, dreaming("user:7", "r0"), nightly("2026-11-20T02:00"), dog)
	*now = now.Add(time.Hour)
	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("2026-11-21T02:00")))
	original := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
	stagedDream(t, s, id, nightly("2026-11-21T02:00"), tea)
	seen := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), id, x.ID))
	if err := s.DraftDream(t.Context(), id, x.ID, memoryDraft(t, s, id, x.ID, tea)); err != nil {
		t.Fatal(err)
	}
	must[dreams.Dream](t)(s.CommitDream(t.Context(), id, x.ID, ""))

	// Everything changes.
	*now = now.Add(72 * time.Hour)
	write(t, s, person, memory.Change{Ref: personal("memory/2026-11-20.md"), Op: memory.OpReplace, Force: true, Content: "- other\n"})
	write(t, s, person, replace(personal("memory/2026-11-19.md"), 0, "- late\n"))
	write(t, s, person, memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpDelete})
	write(t, s, person, memory.Change{Ref: team(memory.MemoryPath), Op: memory.OpReplace, Force: true, Content: "- other\n"})
	must[talk.Stored](t)(s.AppendMessages(t.Context(), person, said("chat", memory.TriggerWeb, now.Add(-71*time.Hour), "three")))
	if err := s.RecordRecalls(t.Context(), []dreams.Recall{recallOf(person, memory.ScopePersonal, search.Memory, "since", *now)}); err != nil {
		t.Fatal(err)
	}
	must[dreams.EntryReceipt](t)(s.ForgetEntry(t.Context(), person, dreams.EntryChange{Dream: first.ID, Entry: dog.ID}))

	replay := runOfDream(id, "replay")
	d := dreams.NewDream{Mode: memory.DreamNightly, Trigger: memory.DreamByReplay, ReplayOf: x.ID, Settings: setting.DefaultDreamSettings()}
	d.Settings.MinScore = 0.5
	y := must[dreams.Dream](t)(s.BeginDream(t.Context(), replay, d))
	if !y.DryRun || y.ReplayOf != x.ID || y.Settings.MinScore != 0.5 {
		t.Errorf("replay %+v", y)
	}
	load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), replay, y.ID))
	load.Dream, load.News = original.Dream, original.News
	for _, states := range [][]dream.State{original.States, seen.States} { // forgetting takes the words out of earlier records, too
		for i := range states {
			if states[i].ID == dog.ID {
				states[i].Text = "[erased]"
			}
		}
	}
	if diff := cmp.Diff(original, load, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the replay sees (-original +replay):\n%s", diff)
	}
	stagedDream(t, s, replay, d, tea)
	stage := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), replay, y.ID))
	for _, c := range []struct {
		what     string
		saw, now any
	}{
		{"MEMORY.md", seen.Files.Memory.Content, stage.Files.Memory.Content},
		{"its version", seen.Files.Memory.Version, stage.Files.Memory.Version},
		{"shared", seen.Shared, stage.Shared},
		{"protected", seen.Protected, stage.Protected},
		{"recalls", recalledPaths(seen.Recalls), recalledPaths(stage.Recalls)},
		{"notes", seen.Notes, stage.Notes},
		{"states", seen.States, stage.States},
	} {
		if diff := cmp.Diff(c.saw, c.now, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-original +replay):\n%s", c.what, diff)
		}
	}
	if seen.Files.Memory.Content != "- by machine\n- by hand\n- Has a dog.\n" || seen.Shared != "- shared\n" ||
		!slices.Contains(seen.Protected, "- by hand") || slices.Contains(seen.Protected, "- by machine") {
		t.Errorf("the original saw %q, shared %q, protected %q", seen.Files.Memory.Content, seen.Shared, seen.Protected)
	}
	if err := s.DraftDream(t.Context(), replay, y.ID, memoryDraft(t, s, replay, y.ID, tea)); err != nil {
		t.Fatal(err)
	}
	ended := must[dreams.Dream](t)(s.CommitDream(t.Context(), replay, y.ID, ""))
	if ended.Outcome != memory.OutcomeWritten || len(ended.Changes) > 0 ||
		dreams.Pinned(ended.Pins, memory.MemoryPath, memory.ScopePersonal) != dreams.Pinned(
			must[dreams.Dream](t)(s.Dream(t.Context(), id, x.ID)).Pins, memory.MemoryPath, memory.ScopePersonal,
		) {
		t.Errorf("ended %+v", ended)
	}
	if _, err := s.Document(t.Context(), person, personal(memory.MemoryPath)); !is(pg.ErrNotFound)(err) {
		t.Errorf("the replay wrote MEMORY.md: %v", err)
	}
}

// Of more than the limits the newest is looked at, and a note's text is never cut off with its history.
func TestLoadDreamLimits(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	person, id := member("user:7"), dreaming("user:7", "r")
	for i := range dreams.MaxDreamNotes + 5 {
		write(t, s, person, replace(personal(fmt.Sprintf("memory/2026-11-20-%03d.md", i)), 0, "- x\n"))
	}
	text := "- the first line\n"
	write(t, s, person, replace(personal("memory/2026-11-21.md"), 0, text))
	for i := range dreams.DreamVersions + 3 {
		text += fmt.Sprintf("- line %d\n", i)
		write(t, s, workflow("user:7", "x"), replace(personal("memory/2026-11-21.md"), i+1, text))
	}
	for i := range 3 {
		b := turn("c", fmt.Sprint("m", i, "-"), 1000)
		for j := range b.Messages {
			b.Messages[j].CreatedAt = now.Add(time.Duration(i*1000+j-5000) * time.Second)
		}
		must[talk.Stored](t)(s.AppendMessages(t.Context(), person, b))
	}
	big := said(
		"big", memory.TriggerWeb, now.Add(-time.Minute), slices.Repeat([]string{strings.Repeat("x", memory.MaxMessageBytes)}, 20)...,
	)
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:8"), big))
	states := make([]dreams.StateAfter, dreams.MaxDreamStates+10)
	for i := range states {
		states[i].State = dream.State{
			ID: markdown.EntryID(fmt.Sprintf("e%05d", i)), Text: "x", Status: dream.Open, FirstSeen: testClock,
			LastSeen: testClock.Add(-time.Duration(i) * time.Second),
		}
	}
	states[len(states)-1].Status, states[len(states)-2].Status = dream.Forgotten, dream.Rejected
	states[0].LastSeen = testClock.AddDate(0, 0, -dreams.StatesDays-1)
	ctx := t.Context()
	must[struct{}](t)(pg.InTx(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		return none, (&dreams.OpenDream{T: t}).SettleStates(ctx, states)
	}))

	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("n")))
	load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
	if len(load.Notes) != dreams.MaxDreamNotes || load.Notes[0].Path != "memory/2026-11-20-006.md" {
		t.Errorf("%d notes from %s", len(load.Notes), load.Notes[0].Path)
	}
	last := load.Notes[len(load.Notes)-1]
	if last.Content != text || len(last.Lines) != dreams.DreamVersions+4 || last.Lines[0].Author.Kind != "" ||
		last.Lines[dreams.DreamVersions+3].Author.Kind != memory.AuthorWorkflow {
		t.Errorf("%d lines, the first %+v", len(last.Lines), last.Lines[0])
	}
	if n := len(wordsOf(load.Sessions)); n != dreams.MaxDreamMessages || load.Sessions[0].Messages[0].Seq != 1001 ||
		load.Sessions[0].Messages[n-1].Seq != 3000 {
		t.Errorf("%d messages", n)
	}
	if len(load.States) != dreams.MaxDreamStates || load.States[0].Status != dream.Forgotten || load.States[1].Status != dream.Rejected ||
		load.States[2].ID != "e00001" {
		t.Errorf("%d states, the first %+v", len(load.States), load.States[:3])
	}
	eight := dreaming("user:8", "r")
	x = must[dreams.Dream](t)(s.BeginDream(t.Context(), eight, nightly("n")))
	if n := len(wordsOf(must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), eight, x.ID)).Sessions)); n == 0 ||
		n*memory.MaxMessageBytes > dreams.DreamMessageBytes {
		t.Errorf("%d long messages", n)
	}
}

// TestDreamStage reads the intermediate state of a dream, with every caller's rights.
func TestDreamStage(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person, id := member("user:7"), dreaming("user:7", "r")
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 0, "- x\n"))
	write(t, s, person, replace(personal("memory/2026-11-19.md"), 0, "- y\n"))
	write(t, s, person, replace(personal("memory/2026-11-18.md"), 0, "- z\n"))
	for _, path := range []string{
		"memory/archive/2026-10.md", "memory/dreaming/diary/2026-09.md", "memory/dreaming/deep/2026-11-20.md", "DREAMS.md",
	} {
		write(t, s, id, replace(personal(path), 0, path+"\n"))
	}
	x := stagedDream(t, s, id, nightly("n"), tea, dog)
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 1, "- changed since\n"))
	write(t, s, person, memory.Change{Ref: personal("memory/2026-11-18.md"), Op: memory.OpDelete})
	stage := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), id, x.ID))
	if len(stage.Candidates) != 2 || stage.Candidates[0].ID != tea.ID || stage.Files.Memory.Version != 0 ||
		stage.Files.Memory.Path != memory.MemoryPath ||
		stage.Files.Diary.Content != "DREAMS.md\n" || len(stage.Files.Months) != 2 ||
		stage.Files.Months["memory/archive/2026-10.md"].Version != 1 {
		t.Errorf("stage %+v", stage)
	}
	if !slices.Equal(notePaths(stage.Notes), []string{"memory/2026-11-20.md", "memory/2026-11-19.md"}) ||
		stage.Notes[0].Content != "- changed since\n" || stage.Notes[0].Lines != nil {
		t.Errorf("notes %+v", stage.Notes)
	}
	// The order in which they were staged stays through a draft.
	draft := memoryDraft(t, s, id, x.ID, dog, tea)
	if err := s.DraftDream(t.Context(), id, x.ID, draft); err != nil {
		t.Fatal(err)
	}
	again := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), id, x.ID))
	if diff := cmp.Diff(stage.Candidates, again.Candidates); diff != "" {
		t.Errorf("candidates after a draft:\n%s", diff)
	}
	ranked := must[pg.Listed[dream.Candidate]](t)(s.DreamCandidates(t.Context(), person, x.ID, "", pg.Page{}))
	if len(ranked.Items) != 2 || ranked.Items[0].ID != dog.ID {
		t.Errorf("ranked %+v", ranked.Items)
	}
	// Staging again replaces what was there before.
	stagedDream(t, s, id, nightly("n"), dog)
	if anew := must[dreams.DreamStage](t)(s.DreamStage(t.Context(), id, x.ID)); len(anew.Candidates) != 1 || anew.Dream.HasDraft ||
		anew.Dream.Counts.Candidates != 1 {
		t.Errorf("staged anew: %+v", anew.Dream)
	}
	for name, c := range map[string]struct {
		candidates []dream.Candidate
		want       func(error) bool
	}{
		"twice the same": {[]dream.Candidate{tea, tea}, invalid("candidates")},
		"no identity":    {[]dream.Candidate{{Text: "x"}}, invalid("candidates")},
		"too many":       {make([]dream.Candidate, dreams.MaxDreamCandidates+1), invalid("candidates")},
	} {
		if err := s.StageDream(t.Context(), id, x.ID, dreams.StagedDream{Scope: memory.ScopePersonal, Candidates: c.candidates}); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No other identity can work on a dream by its id, not even one that reads every owner or shared reports.
func TestDreamStepsOfOthers(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	makeAgent(t, s, "acme", "bob")
	mine := draftedDream(t, s, dreaming("user:7", "r"), nightly("n"), tea)
	shared := draftedDream(t, s, dreaming(memory.SystemOwner, "r"), nightly("n"), tea)
	for _, c := range []struct {
		as memory.Identity
		x  uuid.UUID
	}{
		{dreaming("user:8", "r"), mine.ID},
		{dreaming("user:7", "r").For("bob", "user:7"), mine.ID},
		{dreaming(memory.SystemOwner, "r"), mine.ID},
		{dreaming("user:7", "r"), shared.ID},
	} {
		reader := c.as
		reader.AnyOwner = true
		for _, id := range []memory.Identity{c.as, reader} {
			for name, err := range map[string]error{
				"load":    second(s.LoadDream(t.Context(), id, c.x)),
				"look":    second(s.DreamStage(t.Context(), id, c.x)),
				"stage":   s.StageDream(t.Context(), id, c.x, dreams.StagedDream{Scope: memory.ScopePersonal}),
				"reflect": s.ReflectDream(t.Context(), id, c.x, dream.Reflection{}),
				"draft":   s.DraftDream(t.Context(), id, c.x, dreams.DreamDraft{Outcome: memory.OutcomeNothing}),
				"commit":  second(s.CommitDream(t.Context(), id, c.x, "")),
				"end":     second(s.EndDream(t.Context(), id, c.x, dreams.DreamEnding{Outcome: memory.OutcomeFailed})),
			} {
				if !is(pg.ErrNotFound)(err) {
					t.Errorf("%s by %s of %s: %v", name, id.Owner, id.Agent, err)
				}
			}
		}
	}
}
