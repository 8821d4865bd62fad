package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

// Whatever is posted, completed, considered and accounted for, in whatever order: the numbers stay in their order,
// messages are numbered without gaps in the order in which they first came, and a turn counts when more is complete than before.
func TestConversationNumbers(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		conversation, id := fmt.Sprintf("c%d", n), workflow(memory.Owner(fmt.Sprintf("user:%d", n)), "run")
		var ids []string
		var turns int64
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) {
				b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerWeb, TurnComplete: rapid.Bool().Draw(t, "complete")}
				known := map[string]bool{}
				for _, k := range ids {
					known[k] = true
				}
				fresh := 0
				for _, k := range rapid.SliceOfN(rapid.IntRange(1, 30), 1, 6).Draw(t, "ids") {
					m := fmt.Sprint(k)
					b.Messages = append(b.Messages, say(m, memory.RoleOfUser, "words "+m))
					if !known[m] {
						known[m] = true
						ids = append(ids, m)
						fresh++
					}
				}
				var before talk.Conversation
				if len(ids) > fresh {
					before = must[talk.Conversation](t)(s.Conversation(t.Context(), id, conversation))
				}
				stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
				if stored.Stored != fresh || stored.Duplicates != len(b.Messages)-fresh || stored.LastSeq != int64(len(ids)) {
					t.Fatalf("stored %+v of %d with %d new, %d in all", stored, len(b.Messages), fresh, len(ids))
				}
				counts := b.TurnComplete && before.Complete < stored.LastSeq
				if counts {
					turns++
				}
				if counts != (stored.Turn == turns && stored.Turn > 0) {
					t.Fatalf("turn %d after %d turns, counts: %v", stored.Turn, turns, counts)
				}
			},
			"extract": func(t *rapid.T) {
				next, found, err := s.NextRange(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if !found {
					return
				}
				x := must[talk.Extraction](t)(s.BeginExtraction(t.Context(), runOf(id, pg.NewID().String()), next.Range))
				to := rapid.Int64Range(next.From, next.To).Draw(t, "to")
				outcome := rapid.SampledFrom([]memory.Outcome{
					memory.OutcomeSkipped, memory.OutcomeNothing, memory.OutcomeQuarantined, memory.OutcomeFailed, memory.OutcomeWaiting,
				}).Draw(t, "outcome")
				must[talk.ExtractionResult](t)(
					s.RecordOutcome(t.Context(), runOf(id, x.RunID), x.ID, talk.Ending{Outcome: outcome, To: to, Until: testClock}),
				)
			},
			"": func(t *rapid.T) {
				if len(ids) == 0 {
					return
				}
				c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, conversation))
				inOrder := 0 <= c.Cursor && c.Cursor <= c.Considered && c.Considered <= c.Complete && c.Complete <= c.Last
				if !inOrder || c.Last != int64(len(ids)) || (c.PendingSince != nil) != (c.Considered < c.Complete) {
					t.Fatalf("numbers are %+v with %d messages", c, len(ids))
				}
				messages := must[[]memory.Message](t)(s.Messages(t.Context(), id, conversation, 0, pg.MaxPage))
				for i, m := range messages {
					if m.Seq != int64(i+1) || m.ID != ids[i] {
						t.Fatalf("message %d has number %d and id %s, want %s", i+1, m.Seq, m.ID, ids[i])
					}
				}
			},
		})
	})
}

func runOf(id memory.Identity, run string) memory.Identity {
	id.Author.WorkflowID, id.Author.RunID = "extract/"+run, run
	return id
}

func TestConversationsArePaged(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	for i := range 7 {
		now = now.Add(time.Duration(i%3) * time.Second) // some at the same time
		must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:7"), turn(fmt.Sprint("c", i), "m", 1)))
		must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:8"), turn(fmt.Sprint("d", i), "m", 1)))
	}
	everybody := member("")
	everybody.AnyOwner = true
	for name, c := range map[string]struct {
		id   memory.Identity
		want int
	}{"owner": {member("user:7"), 7}, "any owner": {everybody, 14}} {
		seen := map[string]int{}
		var last time.Time
		page := pg.Page{Limit: 3}
		for {
			part := must[pg.Listed[talk.Conversation]](t)(s.Conversations(t.Context(), c.id, page))
			for _, conversation := range part.Items {
				seen[conversation.ID]++
				if !last.IsZero() && conversation.UpdatedAt.After(last) {
					t.Errorf("%s: %s is newer than the one before", name, conversation.ID)
				}
				last = conversation.UpdatedAt
			}
			if part.Next == "" {
				break
			}
			page.Cursor = part.Next
		}
		if len(seen) != c.want {
			t.Errorf("%s: saw %v, want %d conversations", name, seen, c.want)
		}
		for conversation, n := range seen {
			if n != 1 {
				t.Errorf("%s: %s came %d times", name, conversation, n)
			}
		}
	}
	if _, err := s.Conversations(t.Context(), member("user:7"), pg.Page{Cursor: "nonsense"}); !invalid("cursor")(err) {
		t.Errorf("bad cursor: %v", err)
	}
}

func TestTurnsUntilSignalled(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:7"), turn("c", "m", 2)))
	ref := memory.OwnerRef{Workspace: "acme", Agent: "ada", Owner: stored.OwnerID}
	want := []talk.UnsignalledTurn{{OwnerRef: ref, Turn: 1, TurnAt: testClock}}
	if got := must[[]talk.UnsignalledTurn](t)(s.Unsignalled(t.Context(), pg.Lease{Before: now.Add(time.Second)})); cmp.Diff(want, got) != "" {
		t.Errorf("unsignalled (-want +got):\n%s", cmp.Diff(want, got))
	}
	if got := must[[]talk.UnsignalledTurn](t)(s.Unsignalled(t.Context(), pg.Lease{Before: now})); len(got) != 0 {
		t.Errorf("too young, but listed: %v", got)
	}
	sweeper := memory.Identity{Workspace: "acme", Agent: "ada", AnyOwner: true, Role: memory.RoleMember}
	owner := must[memory.Owner](t)(s.ResolveOwner(t.Context(), sweeper, ref.Owner))
	if owner != "user:7" {
		t.Fatalf("resolved %q", owner)
	}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:7"), turn("c", "n", 2)))
	for _, turn := range []int64{2, 1} { // late news of an earlier turn change nothing
		if err := s.Signalled(t.Context(), sweeper.For("ada", owner), turn); err != nil {
			t.Fatal(err)
		}
	}
	if got := must[[]talk.UnsignalledTurn](t)(s.Unsignalled(t.Context(), pg.Lease{Before: now.Add(time.Second)})); len(got) != 0 {
		t.Errorf("signalled, but listed: %v", got)
	}
	if err := s.Signalled(t.Context(), sweeper.For("ada", owner), 99); err != nil {
		t.Errorf("a turn ahead of ours: %v", err)
	}
	if _, err := s.ResolveOwner(t.Context(), sweeper, uuid.New()); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("unknown owner: %v", err)
	}
}

// Messages that no turn completes are found also while others come in, and wait again after they were completed.
func TestBusyConversationsAreFound(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id, n := member("user:7"), 0
	say := func(complete bool) {
		t.Helper()
		n++
		batch := turn("busy", fmt.Sprint("m", n), 1)
		batch.Trigger, batch.TurnComplete = memory.TriggerWeb, complete
		must[talk.Stored](t)(s.AppendMessages(t.Context(), id, batch))
	}
	found := func() int {
		t.Helper()
		return len(must[[]talk.IdleConversation](t)(s.Idle(t.Context(), pg.Lease{Before: now}, 15*time.Minute)))
	}
	for minute := 0; minute <= 30; minute += 10 {
		now = testClock.Add(time.Duration(minute) * time.Minute)
		say(false)
		if got := found(); got > 0 != (minute == 30) {
			t.Errorf("after %d minutes: %d", minute, got)
		}
	}
	must[talk.Stored](t)(s.CompleteTurn(t.Context(), id, "busy"))
	if got := found(); got != 0 {
		t.Errorf("completed: %d", got)
	}
	say(false)
	now = now.Add(14 * time.Minute)
	say(false)
	if got := found(); got != 0 {
		t.Errorf("begun anew: %d", got)
	}
}

// Messages that no turn completes are found when they are as old as the agent's setting, or as the default; imports and what the
// system caused are not.
func TestIdleConversations(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	open := func(agent, conversation string, trigger memory.Trigger, complete bool) uuid.UUID {
		t.Helper()
		batch := turn(conversation, conversation+" "+agent, 1)
		batch.Trigger, batch.TurnComplete = trigger, complete
		id := member("user:7")
		id.Agent = agent
		return must[talk.Stored](t)(s.AppendMessages(t.Context(), id, batch)).ConversationUID
	}
	for agent, seconds := range map[string]int{"later": 3600, "never": 0} {
		set := setting.AgentSettings{IdleTurnSeconds: &seconds}
		must[gate.Agent](t)(s.CreateAgent(t.Context(), adminOf("acme"), admin.NewAgent{ID: agent, Settings: set}))
		open(agent, "open", memory.TriggerWeb, false)
	}
	want := open("ada", "open", memory.TriggerWeb, false)
	open("ada", "complete", memory.TriggerWeb, true)
	open("ada", "import", memory.TriggerImport, false)
	open("ada", "cron", memory.TriggerCron, false)
	found := func(after time.Duration) (uids []uuid.UUID) {
		t.Helper()
		before := now.Add(after)
		for _, x := range must[[]talk.IdleConversation](t)(s.Idle(t.Context(), pg.Lease{Before: before, Until: before.Add(time.Minute)}, 15*time.Minute)) {
			uids = append(uids, x.UID)
		}
		return uids
	}
	if got := found(15*time.Minute - time.Second); len(got) != 0 {
		t.Errorf("too young, but found: %v", got)
	}
	if got := found(15 * time.Minute); !slices.Equal(got, []uuid.UUID{want}) {
		t.Errorf("found %v, want %v", got, want)
	}
	if got := found(15*time.Minute + time.Second); len(got) != 0 {
		t.Errorf("leased, but found: %v", got)
	}
	if got := found(time.Hour); len(got) != 2 {
		t.Errorf("after an hour: %v, want this one and the one of the agent that waits an hour", got)
	}
	if got := found(8 * 24 * time.Hour); len(got) != 0 {
		t.Errorf("after a week: %v", got)
	}
}
