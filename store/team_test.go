package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/pg"
	"reverie/store/talk"
)

// of returns an identity about another agent.
func of(agent string, id memory.Identity) memory.Identity { return id.For(agent, id.Owner) }

func TestReadersOfATeam(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	id := member("user:7")
	write(t, s, id, replace(personal("both.md"), 0, "own personal\n"))
	write(t, s, id, replace(team("both.md"), 0, "own team\n"))
	write(t, s, id, replace(team("shared.md"), 0, "own team\n"))
	for _, owner := range []memory.Owner{"user:7", "user:8"} {
		lead := of("lead", member(owner))
		write(t, s, lead, replace(personal("both.md"), 0, "leader personal "+string(owner)+"\n"))
		write(t, s, lead, replace(personal("mine.md"), 0, "leader personal "+string(owner)+"\n"))
		write(t, s, lead, replace(personal("shared.md"), 0, "leader personal "+string(owner)+"\n"))
		write(t, s, lead, replace(personal("secret-"+string(owner)[5:]+".md"), 0, "of one\n"))
	}
	lead := of("lead", member("user:7"))
	write(t, s, lead, replace(team("plan.md"), 0, "leader team\n"))
	write(t, s, lead, replace(team("world.md"), 0, "leader team\n"))
	write(t, s, lead, replace(team("MEMORY.md"), 1, "- the team ships on Fridays\n"))
	write(t, s, lead, replace(team("AGENTS.md"), 1, "You are the leader.\n"))
	write(t, s, lead, replace(team("gone.md"), 0, "leader team\n"))
	write(t, s, lead, memory.Change{Ref: team("gone.md"), Op: memory.OpDelete})
	write(t, s, adminOf("acme").For("ada", ""), replace(global("world.md"), 0, "global\n"))
	write(t, s, adminOf("acme").For("ada", ""), replace(global("all.md"), 0, "global\n"))

	alone := must[[]gate.DocumentEntry](t)(s.ReadableDocuments(t.Context(), id, gate.DocumentFilter{}))
	joins(t, s, "lead")
	limited := id
	limited.Agents = []string{"ada"} // the credential knows nothing of the leader
	for path, want := range map[string]string{
		"both.md": "own personal\n", "shared.md": "own team\n", "mine.md": "leader personal user:7\n", "plan.md": "leader team\n",
		"world.md": "leader team\n", "all.md": "global\n", "MEMORY.md": "- the team ships on Fridays\n",
		"AGENTS.md": must[memory.Document](t)(s.Document(t.Context(), id, team("AGENTS.md"))).Content, "gone.md": "",
		"secret-8.md": "", "nowhere.md": "",
	} {
		d, err := s.ReadableDocument(t.Context(), limited, path)
		if want == "" {
			if !is(pg.ErrNotFound)(err) {
				t.Errorf("%s: %v, want not found", path, err)
			}
			continue
		}
		from := map[bool]string{true: "lead", false: "ada"}[want[0] == 'l' || want[0] == '-']
		if want == "global\n" {
			from = ""
		}
		if err != nil || d.Content != want || d.Agent != from {
			t.Errorf("%s is %q of %q (%v), want %q of %q", path, d.Content, d.Agent, err, want, from)
		}
	}
	var theirs []string
	for _, e := range must[[]gate.DocumentEntry](t)(
		s.ReadableDocuments(t.Context(), limited, gate.DocumentFilter{IncludeDeleted: true}),
	)[len(alone):] {
		theirs = append(theirs, fmt.Sprint(e.Agent, " ", e.Scope, " ", e.Owner, " ", e.Path))
	}
	slices.Sort(theirs)
	want := []string{
		"lead PERSONAL user:7 both.md", "lead PERSONAL user:7 mine.md", "lead PERSONAL user:7 secret-7.md",
		"lead PERSONAL user:7 shared.md",
		"lead TEAM  MEMORY.md", "lead TEAM  PROFILE.md", "lead TEAM  plan.md", "lead TEAM  world.md",
	}
	if !slices.Equal(theirs, want) {
		t.Errorf("the leader's are %q, want %q", theirs, want)
	}
	prompt := memory.SystemPrompt(must[[]memory.Document](t)(s.PromptDocuments(t.Context(), limited, time.Time{})))
	window := memory.SystemPrompt(must[talk.WindowLoad](t)(s.LoadWindow(t.Context(), limited, talk.WindowRequest{})).Documents)
	if prompt != window {
		t.Error("the context has another prompt")
	}
	for text, stands := range map[string]bool{"the team ships on Fridays": true, "You are the leader": false, "user:8": false} {
		if strings.Contains(prompt, text) != stands {
			t.Errorf("%q stands in the prompt: %v\n%s", text, !stands, prompt)
		}
	}

	joins(t, s, "") // at once
	if _, err := s.ReadableDocument(t.Context(), id, "plan.md"); !is(pg.ErrNotFound)(err) {
		t.Errorf("without a leader: %v", err)
	}
	joins(t, s, "lead")
	off := false
	if _, err := s.UpdateAgent(
		t.Context(), adminOf("acme").For("lead", ""), admin.AgentPatch{Settings: &setting.AgentSettings{MemoryEnabled: &off}},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadableDocument(t.Context(), id, "plan.md"); !is(pg.ErrNotFound)(err) {
		t.Errorf("of a leader whose memory is off: %v", err)
	}
}

// Whatever agents, owners and credentials there are: through a leader nobody sees more than the leader's shared documents and the
// same owner's own ones.
func TestMembersSeeNoOtherOwner(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	agents := []string{"ada", "lead", "other"}
	owners := []memory.Owner{"user:1", "user:2", "user:3"}
	for _, agent := range agents[1:] {
		makeAgent(t, s, "acme", agent)
	}
	makeAgent(t, s, "rival", "lead")
	for _, workspace := range []string{"acme", "rival"} {
		for _, agent := range agents {
			if workspace == "rival" && agent != "lead" {
				continue
			}
			for _, owner := range owners {
				id := of(agent, member(owner))
				id.Workspace = workspace
				write(t, s, id, replace(personal("note.md"), 0, fmt.Sprint(workspace, "/", agent, "/", owner)))
			}
			id := adminOf(workspace).For(agent, "")
			write(t, s, id, replace(team("team.md"), 0, fmt.Sprint(workspace, "/", agent, "/team")))
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		leader := rapid.SampledFrom([]string{"", "lead", "other"}).Draw(r, "leader")
		joins(t, s, leader)
		owner := rapid.SampledFrom(append(owners, "")).Draw(r, "owner")
		id := member(owner)
		id.Pinned = owner != "" && rapid.Bool().Draw(r, "pinned")
		id.Role = rapid.SampledFrom([]memory.Role{memory.RoleViewer, memory.RoleMember, memory.RoleAdmin}).Draw(r, "role")
		id.AnyOwner = rapid.Bool().Draw(r, "any owner")
		if rapid.Bool().Draw(r, "limited") {
			id.Agents = []string{"ada"}
		}
		for _, e := range must[[]gate.DocumentEntry](r)(s.ReadableDocuments(r.Context(), id, gate.DocumentFilter{})) {
			switch {
			case e.Scope == memory.ScopeGlobal || e.Agent == "ada" &&
				(e.Scope == memory.ScopeTeam || e.Owner == owner || id.AnyOwner && !id.Pinned):
			case e.Agent != leader || leader == "":
				r.Fatalf("a document of agent %q, whose leader is %q", e.Agent, leader)
			case e.Scope == memory.ScopePersonal && e.Owner != owner:
				r.Fatalf("the leader's document of %q, as %q", e.Owner, owner)
			}
		}
		reader, isMember, err := s.Leader(r.Context(), id)
		if err != nil || isMember != (leader != "") {
			r.Fatalf("leader %v (%v)", isMember, err)
		}
		if !isMember {
			return
		}
		// The rows that the database shows to that identity, without any statement of the store.
		for _, whose := range query[string](
			r, s, reader,
			`select owner_key from documents where scope = 'PERSONAL' union all select owner_key from document_versions where scope = 'PERSONAL'`,
		) {
			if memory.Owner(whose) != owner {
				r.Fatalf("row-level security shows rows of %q to %q", whose, owner)
			}
		}
		if _, err := rawAs(r, s, everything(r, reader), `update documents set deleted = true`); err != nil {
			r.Fatal(err)
		}
		if gone := query[int](r, s, reader, `select count(*)::int from documents where deleted`); gone[0] != 0 {
			r.Fatal("a member changed its leader's documents")
		}
	})
}

// joins makes ada a member of the team of leader, and no member with an empty one.
func joins(tb testing.TB, s *Store, leader string) {
	tb.Helper()
	if _, err := s.UpdateAgent(
		tb.Context(), adminOf("acme").For("ada", memory.NoOwner), admin.AgentPatch{Settings: &setting.AgentSettings{Leader: leader}},
	); err != nil {
		tb.Fatal(err)
	}
}

func TestGateRefusesMembersOfATeam(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	id := member("user:7")
	root := adminOf("acme").For("ada", "user:7")
	write(t, s, id, replace(personal("MEMORY.md"), 0, "- likes tea\n"))
	write(t, s, id, replace(team("memory/plan.md"), 0, "one\n"))
	write(t, s, id, replace(team("memory/plan.md"), 1, "two\n"))
	write(t, s, id, memory.Change{Ref: team("memory/gone.md"), Op: memory.OpAppend, Content: "x\n"})
	write(t, s, id, memory.Change{Ref: team("memory/gone.md"), Op: memory.OpDelete})
	first := must[memory.Receipt](t)(
		s.Apply(t.Context(), id, "before", []memory.Change{{Ref: team("memory/key.md"), Op: memory.OpAppend, Content: "k\n"}}),
	)
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
			return second(
				s.Apply(
					t.Context(), id, "",
					[]memory.Change{{Ref: team("new.md"), Op: memory.OpMerge, Strategy: markdown.StrategyAppend, Content: "x\n"}},
				),
			)
		},
		"import": func() error {
			return second(
				s.Apply(
					t.Context(), id, "",
					[]memory.Change{{Ref: team("new.md"), Op: memory.OpImport, Content: "x\n", Import: memory.ImportMerge, From: "mem0"}},
				),
			)
		},
		"an admin": func() error {
			return second(s.Apply(t.Context(), root, "", []memory.Change{replace(team("admin.md"), 0, "x\n")}))
		},
		"with GLOBAL beside it": func() error {
			return second(
				s.Apply(
					t.Context(), root, "", []memory.Change{replace(global("shared.md"), 0, "x\n"), replace(team("admin.md"), 0, "x\n")},
				),
			)
		},
		"a workflow": func() error {
			return second(s.Apply(t.Context(), workflow("user:7", "r"), "", []memory.Change{noteChange("- x\n")}))
		},
		"forget": func() error {
			return second(s.Forget(t.Context(), id, dreams.ForgetRequest{Ref: personal("MEMORY.md"), FromLine: 1, ToLine: 1}))
		},
		"prompt": func() error {
			return second(s.SetPrompt(t.Context(), id, team("memory/plan.md"), &on, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(); !errors.Is(err, pg.ErrReadOnlyTeam) {
				t.Errorf("got %v, want ErrReadOnlyTeam", err)
			}
		})
	}
	if versions := query[int](
		t, s, root, `select count(*)::int from document_versions where agent_id = 'ada' and author_kind <> 'seed'`,
	); versions[0] != 6 {
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

	joins(t, s, "")
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
			s := openStore(t, func(o *pg.Options) { o.MemoryOff = c.server })
			if _, err := s.UpdateAgent(
				t.Context(), adminOf("acme").For("ada", memory.NoOwner), admin.AgentPatch{Settings: &setting.AgentSettings{MemoryEnabled: c.agent}},
			); err != nil {
				t.Fatal(err)
			}
			id := member("user:7")
			for _, kind := range []memory.AuthorKind{memory.AuthorTool, memory.AuthorWorkflow, memory.AuthorImport, memory.AuthorDream} {
				id.Author.Kind = kind
				_, err := s.Apply(t.Context(), id, "", []memory.Change{noteChange("- " + string(kind) + "\n")})
				if errors.Is(err, pg.ErrMemoryOff) != c.off || (err != nil) != c.off {
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
		id := adminOf("acme")
		id.Agents = agents
		return id
	}
	for name, c := range map[string]struct {
		id     memory.Identity
		leader string
		check  func(error) bool
	}{
		"an agent that is not there":      {adminOf("acme").For("other", ""), "nobody", invalid("settings.leader")},
		"an agent of another workspace":   {adminOf("acme").For("other", ""), "far", invalid("settings.leader")},
		"a member":                        {adminOf("acme").For("other", ""), "ada", invalid("settings.leader")},
		"itself":                          {adminOf("acme").For("other", ""), "other", invalid("settings.leader")},
		"one that leads others":           {adminOf("acme").For("lead", ""), "other", invalid("settings.leader")},
		"one that the key may not use":    {limited("other").For("other", ""), "lead", invalid("settings.leader")},
		"a member that the key sees not":  {limited("lead", "other").For("lead", ""), "other", invalid("settings.leader")},
		"a key that names its own agents": {limited("lead", "third").For("third", ""), "lead", is(nil)},
		"a setting beside the leader":     {limited("ada").For("ada", ""), "lead", is(nil)},
		"no admin":                        {member("user:7"), "", is(pg.ErrForbidden)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.UpdateAgent(t.Context(), c.id, admin.AgentPatch{Settings: &setting.AgentSettings{Leader: c.leader}})
			if !c.check(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	for leader, check := range map[string]func(error) bool{
		"nobody": invalid("settings.leader"), "ada": invalid("settings.leader"), "lead": is(nil),
	} {
		_, err := s.CreateAgent(
			t.Context(), adminOf("acme"), admin.NewAgent{ID: "new-" + pg.NewID().String(), Settings: setting.AgentSettings{Leader: leader}},
		)
		if !check(err) {
			t.Errorf("a new agent led by %s: %v", leader, err)
		}
	}
}

// Two agents that name each other at the same moment: one of them does.
func TestLeadersConcurrently(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	for range 10 {
		results := make(chan error, 2)
		for agent, leader := range map[string]string{"ada": "lead", "lead": "ada"} {
			go func() {
				_, err := s.UpdateAgent(
					t.Context(), adminOf("acme").For(agent, ""), admin.AgentPatch{Settings: &setting.AgentSettings{Leader: leader}},
				)
				results <- err
			}()
		}
		one, other := <-results, <-results
		if (one == nil) == (other == nil) {
			t.Fatalf("got %v and %v, want one refusal", one, other)
		}
		for _, agent := range []string{"ada", "lead"} {
			if _, err := s.UpdateAgent(
				t.Context(), adminOf("acme").For(agent, ""), admin.AgentPatch{Settings: &setting.AgentSettings{}},
			); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A decision about a statement changes memory as well, even if no document changes: members of a team cannot make one.
func TestMembersChangeNoStatements(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	makeAgent(t, s, "acme", "lead")
	joins(t, s, "lead")
	id := member("user:7")
	set := everything(t, id)
	if _, err := rawAs(
		t, s, set,
		`insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at) values ('acme', 'ada', 'user:7', $1, now())`,
		uuid.New(),
	); err != nil {
		t.Fatal(err)
	}
	if _, err := rawAs(t, s, set,
		`insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, text, first_seen, last_seen, changed_at)
		values ('acme', 'ada', 'user:7', 'e1', 'open', 'likes tea', now(), now(), now())`); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"confirm": func() error { return second(s.ConfirmEntry(t.Context(), id, dreams.EntryChange{Entry: "e1"})) },
		"edit": func() error {
			return second(s.EditEntry(t.Context(), id, dreams.EntryChange{Entry: "e1", Text: "likes coffee"}))
		},
		"forget": func() error { return second(s.ForgetEntry(t.Context(), id, dreams.EntryChange{Entry: "e1"})) },
	} {
		if err := call(); !errors.Is(err, pg.ErrReadOnlyTeam) {
			t.Errorf("%s: %v, want ErrReadOnlyTeam", name, err)
		}
	}
}
