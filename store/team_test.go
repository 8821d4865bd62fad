package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory"
)

// of is an identity about another agent.
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
	write(t, s, admin("acme").For("ada", ""), replace(global("world.md"), 0, "global\n"))
	write(t, s, admin("acme").For("ada", ""), replace(global("all.md"), 0, "global\n"))

	alone := must[[]DocumentEntry](t)(s.ReadableDocuments(t.Context(), id, DocumentFilter{}))
	joins(t, s, "lead")
	limited := id
	limited.Agents = []string{"ada"} // the credential knows nothing of the leader
	for path, want := range map[string]string{
		"both.md": "own personal\n", "shared.md": "own team\n", "mine.md": "leader personal user:7\n", "plan.md": "leader team\n",
		"world.md": "leader team\n", "all.md": "global\n", "MEMORY.md": "- the team ships on Fridays\n",
		"AGENTS.md": must[memory.Document](t)(s.Document(t.Context(), id, team("AGENTS.md"))).Content, "gone.md": "", "secret-8.md": "", "nowhere.md": "",
	} {
		d, err := s.ReadableDocument(t.Context(), limited, path)
		if want == "" {
			if !is(ErrNotFound)(err) {
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
	for _, e := range must[[]DocumentEntry](t)(s.ReadableDocuments(t.Context(), limited, DocumentFilter{IncludeDeleted: true}))[len(alone):] {
		theirs = append(theirs, fmt.Sprint(e.Agent, " ", e.Scope, " ", e.Owner, " ", e.Path))
	}
	slices.Sort(theirs)
	want := []string{
		"lead PERSONAL user:7 both.md", "lead PERSONAL user:7 mine.md", "lead PERSONAL user:7 secret-7.md", "lead PERSONAL user:7 shared.md",
		"lead TEAM  MEMORY.md", "lead TEAM  PROFILE.md", "lead TEAM  plan.md", "lead TEAM  world.md",
	}
	if !slices.Equal(theirs, want) {
		t.Errorf("the leader's are %q, want %q", theirs, want)
	}
	prompt := memory.SystemPrompt(must[[]memory.Document](t)(s.PromptDocuments(t.Context(), limited)))
	window := memory.SystemPrompt(must[WindowLoad](t)(s.LoadWindow(t.Context(), limited, WindowRequest{})).Documents)
	if prompt != window {
		t.Error("the context has another prompt")
	}
	for text, stands := range map[string]bool{"the team ships on Fridays": true, "You are the leader": false, "user:8": false} {
		if strings.Contains(prompt, text) != stands {
			t.Errorf("%q stands in the prompt: %v\n%s", text, !stands, prompt)
		}
	}

	joins(t, s, "") // at once
	if _, err := s.ReadableDocument(t.Context(), id, "plan.md"); !is(ErrNotFound)(err) {
		t.Errorf("without a leader: %v", err)
	}
	joins(t, s, "lead")
	off := false
	if _, err := s.UpdateAgent(t.Context(), admin("acme").For("lead", ""), AgentPatch{Settings: &memory.AgentSettings{MemoryEnabled: &off}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadableDocument(t.Context(), id, "plan.md"); !is(ErrNotFound)(err) {
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
			id := admin(workspace).For(agent, "")
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
		for _, e := range must[[]DocumentEntry](r)(s.ReadableDocuments(r.Context(), id, DocumentFilter{})) {
			switch {
			case e.Scope == memory.ScopeGlobal || e.Agent == "ada" && (e.Scope == memory.ScopeTeam || e.Owner == owner || id.AnyOwner && !id.Pinned):
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
		// What the database shows to that identity, past every statement of ours.
		for _, whose := range query[string](r, s, reader, `select owner_key from documents where scope = 'PERSONAL' union all select owner_key from document_versions where scope = 'PERSONAL'`) {
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
