package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/store/pg"
)

func TestNews(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	person, system := member("user:7"), member(memory.SystemOwner)
	dreams, seed := dreaming("user:7", "r"), member("user:7")
	seed.Author = memory.Author{Kind: memory.AuthorSeed, ID: "seed"}
	shared := dreaming(memory.SystemOwner, "r")
	note := func(ref memory.Ref, id memory.Identity) func() error {
		return func() error {
			c := memory.Change{Ref: ref, Op: memory.OpAppend, Content: fmt.Sprintf("- %d\n", now.UnixMicro())}
			return second(s.Apply(t.Context(), id, "", []memory.Change{c}))
		}
	}
	says := func(trigger memory.Trigger, complete bool) func() error {
		return func() error {
			b := said("c "+string(trigger), trigger, *now, "word")
			b.TurnComplete = complete
			return second(s.AppendMessages(t.Context(), person, b))
		}
	}
	for _, c := range []struct {
		what             string
		call             func() error
		personal, shared bool
	}{
		{"an agent with its seeds", func() error { return nil }, false, false},
		{"a note of a person", note(personal("memory/2026-11-21.md"), person), true, false},
		{"a note of an extraction", note(personal("memory/2026-11-21.md"), workflow("user:7", "x")), true, false},
		{"a shared note", note(team("memory/2026-11-21.md"), person), false, true},
		{"a global note", note(global("x.md"), adminOf("acme")), false, false},
		{"a dream", note(personal(memory.MemoryPath), dreams), false, false},
		{"a dream of what is shared", note(team(memory.MemoryPath), shared), false, false},
		{"a seed", note(personal("x.md"), seed), false, false},
		{"both at once", func() error {
			return second(s.Apply(t.Context(), person, "", []memory.Change{
				{Ref: personal("y.md"), Op: memory.OpAppend, Content: "y"}, {Ref: team("y.md"), Op: memory.OpAppend, Content: "y"},
			}))
		}, true, true},
		{"a write that changes nothing", func() error {
			return second(
				s.Apply(t.Context(), person, "", []memory.Change{{Ref: personal("y.md"), Op: memory.OpReplace, Base: 1, Content: "y"}}),
			)
		}, false, false},
		{"a turn that goes on", says(memory.TriggerWeb, false), false, false},
		{"the end of a turn", says(memory.TriggerWeb, true), true, false},
		{"the same turn again", func() error { return second(s.CompleteTurn(t.Context(), person, "c web")) }, false, false},
		{"a clock's turn", says(memory.TriggerCron, true), false, false},
		{"a dream's turn", says(memory.TriggerDream, true), false, false},
	} {
		*now = now.Add(time.Second)
		before := [][]int64{newsOf(t, s, person), newsOf(t, s, system)}
		if err := c.call(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		after := [][]int64{newsOf(t, s, person), newsOf(t, s, system)}
		if got := !slices.Equal(before[0], after[0]); got != c.personal {
			t.Errorf("%s is personal news: %v", c.what, got)
		}
		if got := !slices.Equal(before[1], after[1]); got != c.shared {
			t.Errorf("%s is shared news: %v", c.what, got)
		}
	}
	if len(newsOf(t, s, person)) != 1 || len(newsOf(t, s, system)) != 1 {
		t.Error("there is more than one row of an owner")
	}
	since := query[time.Time](t, s, person, "select since from dream_news where owner_key = 'user:7'")
	if want := testClock.Add(2 * time.Second); len(since) != 1 || !since[0].Equal(want) {
		t.Errorf("news since %v, want %v", since, want)
	}
}

func TestNewsOwners(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	makeAgent(t, s, "acme", "bob")
	want := map[uuid.UUID]memory.Owner{}
	for i := range 7 {
		id := member(memory.Owner(fmt.Sprint("user:", i)))
		write(t, s, id, replace(personal("memory/2026-11-21.md"), 0, "- x\n"))
		write(t, s, id.For("bob", id.Owner), replace(personal("memory/2026-11-21.md"), 0, "- x\n"))
		want[query[uuid.UUID](t, s, id, "select owner_id from owners where owner_key = $1", id.Owner)[0]] = id.Owner
	}
	write(t, s, member("user:1"), replace(team("memory/2026-11-21.md"), 0, "- x\n"))
	want[query[uuid.UUID](
		t, s, member(memory.SystemOwner), "select owner_id from owners where owner_key = 'system'",
	)[0]] = memory.SystemOwner
	night := memory.Identity{Workspace: "acme", Agent: "ada", AnyOwner: true, Role: memory.RoleMember}
	got := map[uuid.UUID]memory.Owner{}
	after := uuid.Nil
	for pages := 0; ; pages++ {
		page := must[[]memory.OwnerRef](t)(s.News(t.Context(), night, after, 3))
		if len(page) == 0 {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
		for _, ref := range page {
			owner := must[memory.Owner](t)(s.ResolveOwner(t.Context(), night, ref.Owner))
			if _, twice := got[ref.Owner]; twice || ref.Workspace != "acme" || ref.Agent != "ada" || want[ref.Owner] != owner {
				t.Errorf("news of %s %+v", owner, ref)
			}
			got[ref.Owner] = owner
		}
		after = page[len(page)-1].Owner
	}
	if len(got) != len(want) {
		t.Errorf("news of %v, want %v", got, want)
	}
	// Somebody in particular sees what is theirs and what is everybody's.
	if own := must[[]memory.OwnerRef](t)(s.News(t.Context(), member("user:3"), uuid.Nil, 10)); len(own) != 2 {
		t.Errorf("one's own: %+v", own)
	}
}

// While somebody writes all the time and dreams come and go, every line is looked at by some dream: what the last one did not
// see is still news.
func TestNewsAreNeverLost(t *testing.T) {
	t.Parallel()
	for name, owner := range map[string]memory.Owner{"personal": "user:7", "shared": memory.SystemOwner} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t, at(func() time.Time { return testClock }))
			const writers, lines = 3, 40
			ref := func(path string) memory.Ref { return memory.Ref{Scope: dreams.DreamScope(owner), Path: path} }
			var done atomic.Int64
			var wg sync.WaitGroup
			errs := make([]error, writers)
			for w := range writers {
				id := member(owner)
				if owner == memory.SystemOwner {
					id = member(memory.Owner(fmt.Sprint("user:", w)))
				}
				wg.Go(func() {
					defer done.Add(1)
					for i := range lines {
						c := memory.Change{
							Ref: ref(fmt.Sprintf("memory/2026-11-20-w%d.md", w)), Op: memory.OpAppend,
							Content: fmt.Sprintf("- w%d-%d.\n", w, i),
						}
						if _, err := s.Apply(t.Context(), id, "", []memory.Change{c}); err != nil {
							errs[w] = err
							return
						}
					}
				})
			}
			seen := map[string]bool{}
			look := func(run int, id memory.Identity) error {
				x, err := s.BeginDream(t.Context(), id, nightly(fmt.Sprint("night ", run, " of ", id.Author.WorkflowID)))
				if err != nil {
					return err
				}
				load, err := s.LoadDream(t.Context(), id, x.ID)
				if err != nil {
					return err
				}
				ended, err := s.EndDream(
					t.Context(), id, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing, NewsSeen: true, News: load.News},
				)
				if err != nil || ended.Open() {
					return fmt.Errorf("not ended: %w", err)
				}
				for _, n := range load.Notes {
					for line := range strings.Lines(n.Content) {
						if strings.HasPrefix(line, "- ") {
							seen[strings.TrimSpace(line)] = true
						}
					}
				}
				return nil
			}
			nights, finished := 0, false
			for {
				quiet := len(newsOf(t, s, member(owner))) == 0
				if quiet && finished {
					break
				}
				finished = done.Load() == writers // before it is looked whether there is news
				if quiet {
					continue
				}
				if err := look(nights, dreaming(owner, fmt.Sprint("r", nights))); err != nil {
					t.Fatal(err)
				}
				nights++
			}
			wg.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			for w := range writers {
				for i := range lines {
					if line := fmt.Sprintf("- w%d-%d.", w, i); !seen[line] {
						t.Errorf("no dream saw %q", line)
					}
				}
			}
			t.Logf("%d nights while %d lines were written", nights, writers*lines)
		})
	}
}

// Two dreams that overlap, as when one was taken over, take away no more than what each has seen.
func TestNewsOfOverlappingDreams(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	person := member("user:7")
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 0, "- one\n"))
	early, late := runOfDream(dreaming("user:7", ""), "early"), runOfDream(dreaming("user:7", ""), "late")
	x := stagedDream(t, s, early, nightly("1"), tea)
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 1, "- one\n- two\n"))
	y := stagedDream(t, s, late, nightly("2"), tea)
	finish := func(id memory.Identity, x dreams.Dream) {
		draft := dreams.DreamDraft{
			Outcome: memory.OutcomeNothing,
			Ranking: dream.Ranking{Candidates: []dream.Candidate{judged(tea, dream.VerdictKept, dream.ReasonOneOff)}},
		}
		if err := s.DraftDream(t.Context(), id, x.ID, draft); err != nil {
			t.Fatal(err)
		}
		must[dreams.Dream](t)(s.CommitDream(t.Context(), id, x.ID, ""))
	}
	finish(early, x)
	if len(newsOf(t, s, person)) != 1 {
		t.Error("the early dream took away what it had not seen")
	}
	finish(late, y)
	if len(newsOf(t, s, person)) != 0 {
		t.Error("the late dream has seen all of it")
	}
	// Later changes are news again, and neither of them removes the mark.
	write(t, s, person, replace(personal("memory/2026-11-20.md"), 2, "- one\n- two\n- three\n"))
	must[dreams.Dream](t)(s.CommitDream(t.Context(), late, y.ID, ""))
	if len(newsOf(t, s, person)) != 1 {
		t.Error("a commit that is repeated takes away news")
	}
}

// A dream of a past moment does not see what was said after it: that stays news, also when it is cut and looks once more.
func TestNewsAfterTheTimeOfADream(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	id := dreaming("user:7", "r")
	says := func(conversation string) {
		t.Helper()
		if err := second(s.AppendMessages(t.Context(), member("user:7"), said(conversation, memory.TriggerWeb, *now, "word"))); err != nil {
			t.Fatal(err)
		}
	}
	tea := candidate("Drinks tea.", "2026-11-20")
	last := 0
	looks := func(d dreams.NewDream, between func()) {
		t.Helper()
		last++
		id := dreaming("user:7", fmt.Sprint("r", last))
		tea.ID, tea.Text = markdown.EntryIDOf(fmt.Sprint("Drinks tea ", last)), fmt.Sprint("Drinks tea ", last)
		stagedDream(t, s, id, d, tea)
		between()
		x := draftedDream(t, s, id, d, tea) // the same night: it goes on
		*now = now.Add(time.Minute)
		if done := must[dreams.Dream](t)(s.CommitDream(t.Context(), id, x.ID, "")); done.Outcome != memory.OutcomeWritten {
			t.Fatalf("outcome %s", done.Outcome)
		}
	}

	says("of now")
	past := nightly("past")
	past.AsOf = now.Add(-48 * time.Hour)
	looks(past, func() {})
	if len(newsOf(t, s, id)) != 1 {
		t.Error("what was said after the dream's moment is no news any more")
	}

	looks(nightly("cut"), func() {
		*now = now.Add(time.Minute)
		says("after it had looked")
	})
	if len(newsOf(t, s, id)) != 1 {
		t.Error("what was said before a cut dream looked once more, and after its moment, is no news any more")
	}

	looks(nightly("whole"), func() {})
	if len(newsOf(t, s, id)) != 0 {
		t.Error("what a dream has looked at is still news")
	}
	looks(nightly("cut in silence"), func() { *now = now.Add(time.Minute) })
	says("the last")
	looks(nightly("cut in silence too"), func() { *now = now.Add(time.Minute) })
	if len(newsOf(t, s, id)) != 0 {
		t.Error("what a dream has looked at twice is still news")
	}
}

// The worker sees what schedules follow, of all workspaces and page by page, and nothing else of the settings.
func TestDreamingAgents(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if err := s.EnsureWorkspace(t.Context(), "zeta", "Zeta"); err != nil {
		t.Fatal(err)
	}
	settings := setting.AgentSettings{
		MemoryEnabled: new(true), DreamingEnabled: new(false), DreamCron: "0 */6 * * *", DreamDays: new(3), Model: "small",
	}
	must[gate.Agent](t)(s.CreateAgent(t.Context(), adminOf("zeta"), admin.NewAgent{ID: "ada", TimeZone: "Asia/Tokyo", Settings: settings}))
	var got []dreams.DreamingAgent
	for after := (indexes.AgentRef{}); ; {
		page := must[[]dreams.DreamingAgent](t)(s.DreamingAgents(t.Context(), after, 1))
		if len(page) == 0 {
			break
		}
		got, after = append(got, page...), page[len(page)-1].AgentRef
	}
	settings.DreamDays, settings.Model = nil, ""
	last := dreams.DreamingAgent{AgentRef: indexes.AgentRef{Workspace: "zeta", Agent: "ada"}, TimeZone: "Asia/Tokyo", Settings: settings}
	if len(got) < 2 || !cmp.Equal(got[len(got)-1], last) {
		t.Errorf("%+v", got)
	}
	if first := got[0]; first.Workspace == "zeta" || !reflect.DeepEqual(first.Settings, setting.AgentSettings{}) {
		t.Errorf("first of all %+v", first)
	}
}

func TestSettingsOfDreamsAreChecked(t *testing.T) {
	t.Parallel()
	for field, a := range map[string]setting.AgentSettings{
		"settings.dreamCron":            {DreamCron: "at night"},
		"settings.dreamDays":            {DreamDays: new(0)},
		"settings.dreamMinSignals":      {DreamMinSignals: new(0)},
		"settings.dreamMinDiversity":    {DreamMinDiversity: new(-1)},
		"settings.dreamMaxPromotions":   {DreamMaxPromotions: new(-1)},
		"settings.dreamMinScore":        {DreamMinScore: new(1.5)},
		"settings.dreamMaxRetiredShare": {DreamMaxRetiredShare: new(-.5)},
		"settings.dreamHalfLifeDays":    {DreamHalfLifeDays: new(0.)},
	} {
		refused, is := (admin.AgentPatch{Settings: &a}).Validate().(*pg.InvalidError) //nolint:errorlint // it is this very error
		if !is || refused.Field != field || refused.Problem == "" {
			t.Errorf("%s: %v", field, refused)
		}
	}
	if err := (admin.AgentPatch{
		Settings: &setting.AgentSettings{DreamCron: "0 2 * * *", DreamMaxPromotions: new(0), DreamMinScore: new(0.)},
	}).Validate(); err != nil {
		t.Error(err)
	}
}

// Who has facts outside of daily notes dreams when the last dream was long ago, though there is no news.
func TestOwnersWithoutNewsDreamInTime(t *testing.T) {
	t.Parallel()
	s, now := dreamStore(t)
	night := memory.Identity{Workspace: "acme", Agent: "ada", AnyOwner: true, Role: memory.RoleMember}
	dreamt := func(owner memory.Owner) {
		t.Helper()
		id := runOfDream(dreaming(owner, ""), now.String())
		x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly(now.Format("2006-01-02T15:04"))))
		load := must[dreams.DreamLoad](t)(s.LoadDream(t.Context(), id, x.ID))
		ending := dreams.DreamEnding{Outcome: memory.OutcomeNothing, ReasonCode: "no_news", NewsSeen: true, News: load.News}
		must[dreams.Dream](t)(s.EndDream(t.Context(), id, x.ID, ending))
	}
	for owner, path := range map[memory.Owner]string{"user:7": memory.MemoryPath, "user:8": "memory/2026-11-21.md"} {
		write(t, s, member(owner), replace(personal(path), 0, "- Rides a red bicycle.\n"))
		factsOf(t, s, member(owner), facts.Query{})
		dreamt(owner)
	}
	for _, c := range []struct {
		days, want int
	}{{0, 0}, {29, 0}, {31, 1}} {
		*now = testClock.AddDate(0, 0, c.days)
		if got := must[[]memory.OwnerRef](t)(s.News(t.Context(), night, uuid.Nil, 10)); len(got) != c.want {
			t.Errorf("after %d days: %+v", c.days, got)
		}
	}
	dreamt("user:7")
	*now = now.AddDate(0, 0, 1)
	if got := must[[]memory.OwnerRef](t)(s.News(t.Context(), night, uuid.Nil, 10)); len(got) != 0 {
		t.Errorf("after the dream: %+v", got)
	}
}
