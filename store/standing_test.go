package store

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"reverie/memory"
)

// joins makes ada a member of the team of leader, and no member with an empty one.
func joins(tb testing.TB, s *Store, leader string) {
	tb.Helper()
	if _, err := s.UpdateAgent(tb.Context(), admin("acme").For("ada", memory.NoOwner), AgentPatch{Settings: &memory.AgentSettings{Leader: leader}}); err != nil {
		tb.Fatal(err)
	}
}

func TestGateRefusesMembersOfATeam(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	id := member("user:7")
	root := admin("acme").For("ada", "user:7")
	write(t, s, id, replace(personal("MEMORY.md"), 0, "- likes tea\n"))
	write(t, s, id, replace(team("memory/plan.md"), 0, "one\n"))
	write(t, s, id, replace(team("memory/plan.md"), 1, "two\n"))
	write(t, s, id, memory.Change{Ref: team("memory/gone.md"), Op: memory.OpAppend, Content: "x\n"})
	write(t, s, id, memory.Change{Ref: team("memory/gone.md"), Op: memory.OpDelete})
	first := must[memory.Receipt](t)(s.Apply(t.Context(), id, "before", []memory.Change{{Ref: team("memory/key.md"), Op: memory.OpAppend, Content: "k\n"}}))
	joins(t, s, "lead")

	on := true
	for name, call := range map[string]func() error{
		"replace": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{replace(personal("MEMORY.md"), 1, "- likes coffee\n")}))
		},
		"the same content": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{replace(personal("MEMORY.md"), 1, "- likes tea\n")}))
		},
		"new": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{replace(team("new.md"), 0, "x\n")}))
		},
		"append": func() error { return second(s.Apply(t.Context(), id, "", []memory.Change{noteChange("- x\n")})) },
		"delete": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team("memory/plan.md"), Op: memory.OpDelete}}))
		},
		"undelete": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team("memory/gone.md"), Op: memory.OpUndelete}}))
		},
		"restore": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team("memory/plan.md"), Op: memory.OpRestore, Restore: 1}}))
		},
		"merge": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team("new.md"), Op: memory.OpMerge, Strategy: memory.StrategyAppend, Content: "x\n"}}))
		},
		"import": func() error {
			return second(s.Apply(t.Context(), id, "", []memory.Change{{Ref: team("new.md"), Op: memory.OpImport, Content: "x\n", Import: memory.ImportMerge, From: "mem0"}}))
		},
		"an admin": func() error {
			return second(s.Apply(t.Context(), root, "", []memory.Change{replace(team("admin.md"), 0, "x\n")}))
		},
		"with GLOBAL beside it": func() error {
			return second(s.Apply(t.Context(), root, "", []memory.Change{replace(global("shared.md"), 0, "x\n"), replace(team("admin.md"), 0, "x\n")}))
		},
		"a workflow": func() error {
			return second(s.Apply(t.Context(), workflow("user:7", "r"), "", []memory.Change{noteChange("- x\n")}))
		},
		"forget": func() error {
			return second(s.Forget(t.Context(), id, ForgetRequest{Ref: personal("MEMORY.md"), FromLine: 1, ToLine: 1}))
		},
		"prompt": func() error {
			return second(s.SetPrompt(t.Context(), id, team("memory/plan.md"), &on, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(); !errors.Is(err, ErrReadOnlyTeam) {
				t.Errorf("got %v, want ErrReadOnlyTeam", err)
			}
		})
	}
	if versions := query[int](t, s, root, `select count(*)::int from document_versions where agent_id = 'ada' and author_kind <> 'seed'`); versions[0] != 6 {
		t.Errorf("there are %d versions, want the 6 from before", versions[0])
	}
	again := must[memory.Receipt](t)(s.Apply(t.Context(), id, "before", []memory.Change{noteChange("- y\n")}))
	if !again.Replayed || again.Token != first.Token {
		t.Errorf("a key from before gives %+v, want its receipt", again)
	}
	if d := must[memory.Document](t)(s.Document(t.Context(), id, personal("MEMORY.md"))); d.Content != "- likes tea\n" {
		t.Errorf("MEMORY.md is %q", d.Content)
	}
	write(t, s, root, replace(global("shared.md"), 0, "of the workspace\n"))

	joins(t, s, "ada") // itself: none
	write(t, s, id, replace(personal("MEMORY.md"), 1, "- likes coffee\n"))
	joins(t, s, "lead")
	joins(t, s, "")
	write(t, s, id, replace(personal("MEMORY.md"), 2, "- likes water\n"))
}

func TestGateWhileMemoryIsOff(t *testing.T) {
	t.Parallel()
	off, on := false, true
	for name, c := range map[string]struct {
		server bool // off
		agent  *bool
		off    bool
	}{
		"nothing said":             {false, nil, false},
		"the agent":                {false, &off, true},
		"the server":               {true, nil, true},
		"the server not the agent": {true, &on, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStore(t, func(o *Options) { o.MemoryOff = c.server })
			if _, err := s.UpdateAgent(t.Context(), admin("acme").For("ada", memory.NoOwner), AgentPatch{Settings: &memory.AgentSettings{MemoryEnabled: c.agent}}); err != nil {
				t.Fatal(err)
			}
			id := member("user:7")
			for _, kind := range []memory.AuthorKind{memory.AuthorTool, memory.AuthorWorkflow, memory.AuthorImport, memory.AuthorDream} {
				id.Author.Kind = kind
				_, err := s.Apply(t.Context(), id, "", []memory.Change{noteChange("- " + string(kind) + "\n")})
				if errors.Is(err, ErrMemoryOff) != c.off || (err != nil) != c.off {
					t.Errorf("%s: got %v", kind, err)
				}
			}
			id.Author.Kind = memory.AuthorUser
			write(t, s, id, memory.Change{Ref: personal("a.md"), Op: memory.OpAppend, Content: "by hand\n"})
			write(t, s, id, memory.Change{Ref: personal("a.md"), Op: memory.OpDelete})
			write(t, s, id, memory.Change{Ref: personal("a.md"), Op: memory.OpRestore, Restore: 1})
		})
	}
}

func TestLeaders(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for _, agent := range []string{"lead", "other", "third"} {
		makeAgent(t, s, "acme", agent)
	}
	makeAgent(t, s, "rival", "far")
	joins(t, s, "lead")
	limited := func(agents ...string) memory.Identity {
		id := admin("acme")
		id.Agents = agents
		return id
	}
	for name, c := range map[string]struct {
		id     memory.Identity
		leader string
		check  func(error) bool
	}{
		"an agent that is not there":      {admin("acme").For("other", ""), "nobody", invalid("settings.leader")},
		"an agent of another workspace":   {admin("acme").For("other", ""), "far", invalid("settings.leader")},
		"a member":                        {admin("acme").For("other", ""), "ada", invalid("settings.leader")},
		"one that leads others":           {admin("acme").For("lead", ""), "other", invalid("settings.leader")},
		"one that the key may not use":    {limited("other").For("other", ""), "lead", invalid("settings.leader")},
		"a member that the key sees not":  {limited("lead", "other").For("lead", ""), "other", invalid("settings.leader")},
		"a key that names its own agents": {limited("lead", "third").For("third", ""), "lead", is(nil)},
		"a setting beside the leader":     {limited("ada").For("ada", ""), "lead", is(nil)},
		"no admin":                        {member("user:7"), "", is(ErrForbidden)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.UpdateAgent(t.Context(), c.id, AgentPatch{Settings: &memory.AgentSettings{Leader: c.leader}})
			if !c.check(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	for leader, check := range map[string]func(error) bool{"nobody": invalid("settings.leader"), "ada": invalid("settings.leader"), "lead": is(nil)} {
		_, err := s.CreateAgent(t.Context(), admin("acme"), NewAgent{ID: "new-" + newID().String(), Settings: memory.AgentSettings{Leader: leader}})
		if !check(err) {
			t.Errorf("a new agent led by %s: %v", leader, err)
		}
	}
}

// Two agents that name each other at the same moment: one of them does.
func TestLeadersAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	for range 10 {
		results := make(chan error, 2)
		for agent, leader := range map[string]string{"ada": "lead", "lead": "ada"} {
			go func() {
				_, err := s.UpdateAgent(t.Context(), admin("acme").For(agent, ""), AgentPatch{Settings: &memory.AgentSettings{Leader: leader}})
				results <- err
			}()
		}
		one, other := <-results, <-results
		if (one == nil) == (other == nil) {
			t.Fatalf("got %v and %v, want one refusal", one, other)
		}
		for _, agent := range []string{"ada", "lead"} {
			if _, err := s.UpdateAgent(t.Context(), admin("acme").For(agent, ""), AgentPatch{Settings: &memory.AgentSettings{}}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What a person says to a statement is memory as well, also where no document changes.
func TestMembersChangeNoStatements(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	joins(t, s, "lead")
	id := member("user:7")
	set := everything(t, id)
	if _, err := rawAs(t, s, set, `insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at) values ('acme', 'ada', 'user:7', $1, now())`, uuid.New()); err != nil {
		t.Fatal(err)
	}
	if _, err := rawAs(t, s, set, `insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, first_seen, last_seen, changed_at)
		values ('acme', 'ada', 'user:7', 'e1', 'open', 'likes tea', now(), now(), now())`); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"confirm": func() error { return second(s.ConfirmEntry(t.Context(), id, EntryChange{Entry: "e1"})) },
		"edit": func() error {
			return second(s.EditEntry(t.Context(), id, EntryChange{Entry: "e1", Text: "likes coffee"}))
		},
		"forget": func() error { return second(s.ForgetEntry(t.Context(), id, EntryChange{Entry: "e1"})) },
	} {
		if err := call(); !errors.Is(err, ErrReadOnlyTeam) {
			t.Errorf("%s: %v, want ErrReadOnlyTeam", name, err)
		}
	}
}
