package store

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
)

func TestBeginDreamOfANight(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	id := dreaming("user:7", "r1")
	x := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("2026-11-21T02:00")))
	if !x.Open() || x.Phase != memory.DreamLightSleep || x.Scope != memory.ScopePersonal || x.Owner != "user:7" || x.OwnerID == uuid.Nil ||
		x.Settings != setting.DefaultDreamSettings() || x.WorkflowID != id.Author.WorkflowID || !x.StartedAt.Equal(testClock) {
		t.Errorf("begun %+v", x)
	}
	// A step that is tried again finds it, another run takes it over.
	if again := must[dreams.Dream](t)(s.BeginDream(t.Context(), id, nightly("2026-11-21T02:00"))); again.ID != x.ID {
		t.Errorf("again: %+v", again)
	}
	other := dreaming("user:7", "r2")
	if taken := must[dreams.Dream](t)(s.BeginDream(t.Context(), other, nightly("2026-11-21T02:00"))); taken.ID != x.ID || taken.RunID != "r2" {
		t.Errorf("taken over: %+v", taken)
	}
	if _, err := s.EndDream(t.Context(), id, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing}); !conflict(pg.CodeSuperseded)(err) {
		t.Errorf("the first run ends it: %v", err)
	}
	must[dreams.Dream](t)(s.EndDream(t.Context(), other, x.ID, dreams.DreamEnding{Outcome: memory.OutcomeFailed, ReasonCode: "broken"}))
	// A night that failed is dreamed again; by the same run not.
	if same := must[dreams.Dream](t)(s.BeginDream(t.Context(), other, nightly("2026-11-21T02:00"))); same.ID != x.ID || same.Open() {
		t.Errorf("the same run: %+v", same)
	}
	third := dreaming("user:7", "r3")
	y := must[dreams.Dream](t)(s.BeginDream(t.Context(), third, nightly("2026-11-21T02:00")))
	if y.ID == x.ID || !y.Open() {
		t.Errorf("after a failure: %+v", y)
	}
	must[dreams.Dream](t)(s.EndDream(t.Context(), third, y.ID, dreams.DreamEnding{Outcome: memory.OutcomeNothing}))
	if ended := must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r4"), nightly("2026-11-21T02:00"))); ended.ID != y.ID ||
		ended.Open() || ended.Outcome != memory.OutcomeNothing {
		t.Errorf("a night that was dreamed: %+v", ended)
	}
	// Another night, another owner, and a dry run of the same night are other dreams.
	for what, begin := range map[string]func() (dreams.Dream, error){
		"night": func() (dreams.Dream, error) {
			return s.BeginDream(t.Context(), dreaming("user:7", "r5"), nightly("2026-11-22T02:00"))
		},
		"owner": func() (dreams.Dream, error) {
			return s.BeginDream(t.Context(), dreaming("user:8", "r5"), nightly("2026-11-21T02:00"))
		},
		"dry run": func() (dreams.Dream, error) {
			d := nightly("2026-11-21T02:00")
			d.DryRun = true
			return s.BeginDream(t.Context(), dreaming("user:7", "r6"), d)
		},
	} {
		if z := must[dreams.Dream](t)(begin()); z.ID == y.ID || !z.Open() {
			t.Errorf("another %s: %+v", what, z)
		}
	}
}

// However many begin the same night at the same time, there is one dream.
func TestBeginDreamConcurrently(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	const runs = 8
	ids, errs := make([]uuid.UUID, runs), make([]error, runs)
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			x, err := s.BeginDream(t.Context(), dreaming("user:7", string(rune('a'+i))), nightly("2026-11-21T02:00"))
			ids[i], errs[i] = x.ID, err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("dreams %v", ids)
		}
	}
}

func TestBeginDreamThatWasQueued(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	d := requested(memory.DreamFocused)
	d.Settings, d.Request = setting.DreamSettings{}, "key"
	queued := must[dreams.Dream](t)(s.BeginDream(t.Context(), member("user:7"), d))
	if queued.Phase != memory.DreamQueued || !queued.Open() || queued.Settings != (setting.DreamSettings{}) || queued.Topic != "tea" {
		t.Errorf("queued %+v", queued)
	}
	if again := must[dreams.Dream](t)(s.BeginDream(t.Context(), member("user:7"), d)); again.ID != queued.ID {
		t.Errorf("the same request: %+v", again)
	}
	if other := must[dreams.Dream](t)(s.BeginDream(t.Context(), member("user:8"), d)); other.ID == queued.ID {
		t.Error("the request of another owner is the same one")
	}
	begun := must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r1"), dreams.NewDream{
		ID: queued.ID, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Settings: setting.DefaultDreamSettings(),
	}))
	if begun.ID != queued.ID || begun.Phase != memory.DreamLightSleep || begun.Mode != memory.DreamFocused ||
		begun.Settings != setting.DefaultDreamSettings() {
		t.Errorf("begun %+v", begun)
	}
	kept := setting.DefaultDreamSettings()
	kept.Days = 3
	with := requested(memory.DreamPromote)
	with.Settings = kept
	queued = must[dreams.Dream](t)(s.BeginDream(t.Context(), member("user:7"), with))
	begun = must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), dreams.NewDream{
		ID: queued.ID, Mode: memory.DreamPromote, Trigger: memory.DreamByRequest, Settings: setting.DefaultDreamSettings(),
	}))
	if begun.Settings != kept {
		t.Errorf("settings of the request are %+v", begun.Settings)
	}
	// An unknown id becomes the id of a new record.
	named := pg.NewID()
	if x := must[dreams.Dream](t)(
		s.BeginDream(t.Context(), dreaming("user:9", "r"), dreams.NewDream{ID: named, Mode: memory.DreamREM, Trigger: memory.DreamByRequest}),
	); x.ID != named {
		t.Errorf("named %+v", x)
	}
}

// A workflow that ended without its dream leaves no dream that seems to go on for ever.
func TestBeginDreamEndsAbandoned(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	dead := draftedDream(t, s, dreaming("user:7", "r1"), nightly("2026-11-20T02:00"), candidate("Likes tea."))
	dry := requested(memory.DreamREM)
	dry.DryRun = true
	beside := must[dreams.Dream](t)(s.BeginDream(t.Context(), runOfDream(dreaming("user:7", ""), "dry"), dry))
	queued := must[dreams.Dream](t)(s.BeginDream(t.Context(), member("user:7"), requested(memory.DreamREM)))
	must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r2"), nightly("2026-11-21T02:00")))
	for _, c := range []struct {
		of   dreams.Dream
		open bool
	}{{dead, false}, {beside, true}, {queued, true}} {
		got := must[dreams.Dream](t)(s.Dream(t.Context(), member("user:7"), c.of.ID))
		if got.Open() != c.open || !c.open &&
			(got.Outcome != memory.OutcomeFailed || got.ReasonCode != dreams.DreamAbandoned || got.HasDraft || got.FinishedAt == nil) {
			t.Errorf("%+v, want open %v", got, c.open)
		}
	}
	if _, err := s.CommitDream(t.Context(), dreaming("user:7", "r1"), dead.ID, ""); err != nil {
		t.Errorf("its end: %v", err)
	}
	if got := must[[]gate.DocumentEntry](t)(
		s.Documents(t.Context(), member("user:7"), gate.DocumentFilter{Scope: memory.ScopePersonal}),
	); len(got) > 0 {
		t.Errorf("it wrote %+v", got)
	}
}

func TestBeginDreamRefuses(t *testing.T) {
	t.Parallel()
	s, _ := dreamStore(t)
	viewer, pinned, nobody := dreaming("user:7", "r"), dreaming(memory.SystemOwner, "r"), dreaming(memory.NoOwner, "r")
	viewer.Role, pinned.Pinned = memory.RoleViewer, true
	replay := requested(memory.DreamNightly)
	replay.ReplayOf = pg.NewID()
	open := must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:7", "r"), requested(memory.DreamNightly)))
	early := requested(memory.DreamNightly)
	early.ReplayOf = open.ID
	others := must[dreams.Dream](t)(s.BeginDream(t.Context(), dreaming("user:8", "r"), requested(memory.DreamNightly)))
	of := requested(memory.DreamNightly)
	of.ReplayOf = others.ID
	focused := requested(memory.DreamFocused)
	focused.Topic = ""
	long := requested(memory.DreamFocused)
	long.Topic = strings.Repeat("x", dreams.MaxTopic+1)
	for name, c := range map[string]struct {
		id   memory.Identity
		d    dreams.NewDream
		want func(error) bool
	}{
		"viewer":                   {viewer, nightly("n"), is(pg.ErrForbidden)},
		"pinned to what is shared": {pinned, nightly("n"), is(pg.ErrForbidden)},
		"nobody":                   {nobody, nightly("n"), invalid("owner")},
		"mode": {dreaming("user:7", "q"), dreams.NewDream{
			Mode: "lucid", Trigger: memory.DreamByRequest,
		}, invalid("mode")},
		"trigger":                       {dreaming("user:7", "q"), dreams.NewDream{Mode: memory.DreamREM}, invalid("trigger")},
		"no topic":                      {dreaming("user:7", "q"), focused, invalid("topic")},
		"long topic":                    {dreaming("user:7", "q"), long, invalid("topic")},
		"replay of nothing":             {dreaming("user:7", "q"), replay, is(pg.ErrNotFound)},
		"replay of another owner":       {dreaming("user:7", "q"), of, is(pg.ErrNotFound)},
		"replay of what has not looked": {dreaming("user:7", "q"), early, invalid("dream")},
	} {
		if _, err := s.BeginDream(t.Context(), c.id, c.d); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
