package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
)

// sleepers is a scripted Dreamer that counts its dreams.
type sleepers struct {
	dream func(ctx context.Context, n int, o DreamOrder) (memory.Outcome, error)

	mu    sync.Mutex
	asked map[uuid.UUID]int // number of requests per owner
	now   int               // dreaming
	most  int               // maximum of dreams at once
}

func (s *sleepers) Dream(ctx context.Context, o DreamOrder) (memory.Outcome, error) {
	s.mu.Lock()
	if s.asked == nil {
		s.asked = map[uuid.UUID]int{}
	}
	s.asked[o.Owner]++
	n := s.asked[o.Owner]
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	return s.dream(ctx, n, o)
}

func startDreams(owners int) StartDreamsInput {
	in := StartDreamsInput{AgentRef: ada, Night: "2026-01-31T02:00", Parallel: 3, Patience: time.Minute}
	for range owners {
		in.Owners = append(in.Owners, uuid.New())
	}
	return in
}

// nightWorld runs the steps of a night without a store.
func nightWorld(t *testing.T, s *sleepers) *world {
	t.Helper()
	w := new(world)
	w.use(t, Options{Dreamer: s})
	return w
}

func TestOneFailingDreamStopsNoOther(t *testing.T) {
	in := startDreams(20)
	together := make(chan struct{}) // as many dream as may at once
	var begun atomic.Int32
	s := &sleepers{dream: func(_ context.Context, _ int, o DreamOrder) (memory.Outcome, error) {
		if int(begun.Add(1)) == in.Parallel {
			close(together)
		}
		select {
		case <-together:
		case <-time.After(time.Minute):
			return "", errors.New("it dreams alone")
		}
		if o.Night != in.Night || o.Workspace != "acme" || o.Agent != "ada" {
			return "", fmt.Errorf("asked for %+v", o)
		}
		switch o.Owner {
		case in.Owners[0]:
			return memory.OutcomeFailed, nil
		case in.Owners[1]:
			return memory.OutcomeNothing, nil
		}
		return memory.OutcomeWritten, nil
	}}
	w := nightWorld(t, s)
	out := must(t, w, w.StartDreams, in)
	want := StartDreamsResult{Outcomes: map[memory.Outcome]int{memory.OutcomeFailed: 1, memory.OutcomeNothing: 1, memory.OutcomeWritten: 18}}
	if d := cmp.Diff(want, out); d != "" {
		t.Errorf("result (-want +got):\n%s", d)
	}
	if s.most != in.Parallel {
		t.Errorf("%d dreamed at once, %d are to", s.most, in.Parallel)
	}
}

func TestALongDreamReleasesItsSlot(t *testing.T) {
	in := startDreams(6)
	in.Parallel, in.Patience = 1, 20*time.Millisecond
	s := &sleepers{dream: func(ctx context.Context, _ int, o DreamOrder) (memory.Outcome, error) {
		if o.Owner == in.Owners[2] {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return memory.OutcomeWritten, nil
	}}
	w := nightWorld(t, s)
	if out := must(t, w, w.StartDreams, in); out.Late != 1 || out.Outcomes[memory.OutcomeWritten] != 5 {
		t.Errorf("result %+v", out)
	}
}

func TestARetriedNightSkipsFinishedOwners(t *testing.T) {
	in := startDreams(9)
	s := &sleepers{dream: func(_ context.Context, n int, o DreamOrder) (memory.Outcome, error) {
		if o.Owner == in.Owners[4] && n == 1 {
			return "", errors.New("Temporal is away")
		}
		return memory.OutcomeWritten, nil
	}}
	w := nightWorld(t, s)
	var mu sync.Mutex
	var kept []memory.Outcome
	w.env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		mu.Lock()
		defer mu.Unlock()
		if err := details.Get(&kept); err != nil {
			t.Error(err)
		}
	})
	if _, err := do(w, w.StartDreams, in); err == nil {
		t.Fatal("somebody has not dreamed, and it is done")
	}
	mu.Lock()
	w.env.SetHeartbeatDetails(kept)
	mu.Unlock()
	if out := must(t, w, w.StartDreams, in); out.Outcomes[memory.OutcomeWritten] != 9 {
		t.Errorf("result %+v", out)
	}
	for i, owner := range in.Owners {
		want := 1
		if i == 4 {
			want = 2
		}
		if s.asked[owner] != want {
			t.Errorf("owner %d was asked %d times, want %d", i, s.asked[owner], want)
		}
	}
}

func TestANightWithoutAnAnswerFailsForAnother(t *testing.T) {
	s := &sleepers{dream: func(context.Context, int, DreamOrder) (memory.Outcome, error) {
		return "", temporal.NewApplicationError("away", TypeUnavailable)
	}}
	w := nightWorld(t, s)
	_, err := do(w, w.StartDreams, startDreams(2))
	if app, ok := errors.AsType[*temporal.ApplicationError](err); !ok || app.NonRetryable() {
		t.Errorf("error %v", err)
	}
}

// An owner who cannot start does not hold up the next page: in the last attempt it is counted.
func TestAnOwnerWhoCannotStartStopsNoPage(t *testing.T) {
	n := night{
		in:       startDreams(3),
		outcomes: []memory.Outcome{memory.OutcomeWritten, "", memory.OutcomeNothing},
		problem:  errors.New("it cannot start"),
	}
	if _, err := n.result(false); err == nil {
		t.Error("it is not tried again")
	}
	if out, err := n.result(true); err != nil || out.Unstarted != 1 || len(out.Outcomes) != 2 {
		t.Errorf("the last attempt ends with %+v, %v", out, err)
	}
	n.problem = nil
	if _, err := n.result(true); err == nil {
		t.Error("a worker that stops leaves owners out")
	}
}

func TestNewsAreFoundInPages(t *testing.T) {
	w := newWorld(t)
	const people = NewsPage + 7
	for i := range people {
		w.talk(t, member("ada", memory.Owner(fmt.Sprint("user:", i))), fmt.Sprint("talk ", i), "I live in Bern.", "Noted.")
	}
	seen := map[uuid.UUID]bool{}
	in := FindNewsInput{AgentRef: ada}
	pages := 0
	for more := true; more; pages++ {
		out := must(t, w, w.FindNews, in)
		for _, owner := range out.Owners {
			if seen[owner] {
				t.Errorf("%s is found twice", owner)
			}
			seen[owner] = true
			in.After = owner
		}
		more = out.More
	}
	if len(seen) != people || pages != 2 {
		t.Errorf("%d owners in %d pages, %d have news", len(seen), pages, people)
	}
	if out := must(t, w, w.FindNews, FindNewsInput{AgentRef: AgentRef{Workspace: "acme", Agent: "bob"}}); len(out.Owners) != 0 {
		t.Errorf("an agent whom nobody talked to has news about %v", out.Owners)
	}
}

func TestNewsOfAnAgentThatDoesNotDream(t *testing.T) {
	w := newWorld(t)
	person := member("ada", "user:1")
	w.talk(t, person, "talk", "I live in Bern.", "Noted.")
	w.write(t, person, memory.ScopeTeam, "memory/2026-01-30.md", "# 2026-01-30\n\n- The office is in Bern.\n")
	set := func(s setting.AgentSettings) {
		t.Helper()
		root := memory.Identity{
			Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin,
			Author: memory.Author{Kind: memory.AuthorUser, ID: "root"},
		}
		if _, err := w.Store.UpdateAgent(t.Context(), root, admin.AgentPatch{Settings: &s}); err != nil {
			t.Fatal(err)
		}
	}
	if out := must(t, w, w.FindNews, FindNewsInput{AgentRef: ada}); len(out.Owners) != 2 {
		t.Errorf("with isolation: %+v", out)
	}
	set(setting.AgentSettings{OwnerIsolation: new(false)})
	shared := must(t, w, w.FindNews, FindNewsInput{AgentRef: ada})
	if len(shared.Owners) != 1 {
		t.Fatalf("without isolation: %+v", shared)
	}
	if owner, err := w.ownerOf(t.Context(), memory.Identity{Workspace: "acme", Agent: "ada", AnyOwner: true, Role: memory.RoleMember},
		memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: shared.Owners[0]}); err != nil || owner != memory.SystemOwner {
		t.Errorf("without isolation %s dreams (%v)", owner, err)
	}
	for reason, s := range map[memory.ReasonCode]setting.AgentSettings{
		setting.ReasonDreamingOff: {DreamingEnabled: new(false)}, memory.GateMemoryOff: {MemoryEnabled: new(false)},
	} {
		set(s)
		if out := must(t, w, w.FindNews, FindNewsInput{AgentRef: ada}); len(out.Owners) != 0 || out.ReasonCode != reason {
			t.Errorf("%s: %+v", reason, out)
		}
	}
}
