package store

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/approvals"
	"reverie/store/gate"
	"reverie/store/pg"
)

// requireApproval sets the rule of agent ada.
func requireApproval(t *testing.T, s *Store, own setting.AgentSettings) {
	t.Helper()
	must[gate.Agent](t)(s.UpdateAgent(t.Context(), adminOf("acme").For("ada", ""), admin.AgentPatch{Settings: &own}))
}

// decider returns a key that is pinned to an owner.
func decider(owner memory.Owner, key string) memory.Identity {
	id := member(owner)
	id.Pinned, id.Key, id.Author = true, key, memory.Author{Kind: memory.AuthorUser, ID: key}
	return id
}

// statementsOf returns the lines of a proposal by their index, without frames.
func statementsOf(a approvals.Approval) map[string]int {
	out := map[string]int{}
	for i, line := range a.Lines {
		if !line.IsFrame() && line.Decision != gate.Known {
			out[strings.Join(append(slices.Clone(line.Removed), line.Added...), "|")] = i
		}
	}
	return out
}

const remembered = "# Memory\n\n## Food\n- likes tea\n- hates fish\n"

// proposed writes MEMORY.md as a person, then lets an extraction change it, and returns what waits.
func proposed(t *testing.T, s *Store, owner memory.Owner, content string) (memory.ChangeReceipt, approvals.Approval) {
	t.Helper()
	ref := personal(memory.MemoryPath)
	current := write(t, s, member(owner), memory.Change{Ref: ref, Op: memory.OpReplace, Force: true, Content: remembered})
	receipt := write(t, s, by(member(owner), memory.AuthorWorkflow, "m"), memory.Change{
		Ref: ref, Op: memory.OpReplace, Base: current.Version, Content: content, Reason: "learned",
		Sources: memory.Sources{Conversation: "c", From: 1, To: 4, Lines: []memory.LineSource{{Line: "- likes figs", Messages: []int64{3}}}},
	})
	listed := must[Listed[approvals.Approval]](t)(s.Approvals(t.Context(), decider(owner, "k"), approvals.Filter{Open: true}))
	if len(listed.Items) != 1 {
		t.Fatalf("%d proposals wait: %+v", len(listed.Items), receipt)
	}
	return receipt, listed.Items[0]
}

func TestApprovalRules(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const next = "# Memory\n\n## Food\n- likes coffee\n- hates fish\n- likes figs\n"
	change := func(id memory.Identity, ref memory.Ref, content string) memory.ChangeReceipt {
		d, _ := s.Document(t.Context(), id, ref)
		return write(t, s, id, memory.Change{Ref: ref, Op: memory.OpReplace, Base: d.Version, Content: content})
	}
	id := member("user:7")
	for name, c := range map[string]struct {
		rule         setting.ApprovalRule
		author       memory.Identity
		ref          memory.Ref
		waiting      int
		tea, hasFigs bool
	}{
		"off":                 {setting.ApprovalOff, by(id, memory.AuthorWorkflow, "m"), personal("a.md"), 0, false, true},
		"all":                 {setting.ApprovalAll, by(id, memory.AuthorWorkflow, "m"), personal("b.md"), 2, true, false},
		"all, a dream":        {setting.ApprovalAll, by(id, memory.AuthorDream, "m"), team("c.md"), 2, true, false},
		"all, a tool":         {setting.ApprovalAll, by(id, memory.AuthorTool, "write"), personal("d.md"), 2, true, false},
		"shared, of a person": {setting.ApprovalShared, by(id, memory.AuthorWorkflow, "m"), personal("e.md"), 0, false, true},
		"shared":              {setting.ApprovalShared, by(id, memory.AuthorWorkflow, "m"), team("f.md"), 2, true, false},
		"shared, a soul":      {setting.ApprovalShared, by(id, memory.AuthorWorkflow, "m"), personal(memory.SoulPath), 2, true, false},
		"removals":            {setting.ApprovalRemovals, by(id, memory.AuthorWorkflow, "m"), personal("g.md"), 1, true, true},
		"a person":            {setting.ApprovalAll, id, personal("h.md"), 0, false, true},
		"remember":            {setting.ApprovalAll, by(id, memory.AuthorTool, "remember"), personal("i.md"), 0, false, true},
		"forget":              {setting.ApprovalAll, by(id, memory.AuthorTool, "memory_forget"), personal("j.md"), 0, false, true},
		"an import":           {setting.ApprovalAll, by(id, memory.AuthorImport, "k"), personal("k.md"), 0, false, true},
	} {
		change(id, c.ref, remembered)
		requireApproval(t, s, setting.AgentSettings{Approvals: c.rule})
		receipt := change(c.author, c.ref, next)
		d := must[memory.Document](t)(s.Document(t.Context(), id, c.ref))
		if receipt.Waiting != c.waiting || strings.Contains(d.Content, "tea") != c.tea || strings.Contains(d.Content, "figs") != c.hasFigs {
			t.Errorf("%s: %+v\n%s", name, receipt, d.Content)
		}
	}
}

// Every line is decided alone, once: approved as its author proposed it, edited as the person's own with the same source, or refused and
// kept. What was written concurrently stays.
func TestLinesAreDecidedOneByOne(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	ctx, person := t.Context(), decider("user:7", "k1")
	_, a := proposed(t, s, "user:7", "# Memory\n\n## Food\n- likes coffee\n- hates fish\n- likes figs\n\n## Home\n- lives in Rome\n- has a cat\n")
	lines := statementsOf(a)
	if len(lines) != 4 || a.Waiting != 4 {
		t.Fatalf("%+v", a)
	}
	if got := a.SourcesOf(a.Lines[lines["- likes figs"]]); len(got) != 1 || got[0].Messages[0] != 3 {
		t.Errorf("source %+v", got)
	}
	if again := write(t, s, by(member("user:7"), memory.AuthorWorkflow, "m"), memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- likes figs\n",
	}); again.Waiting != 1 || again.Changed {
		t.Errorf("proposed again: %+v", again)
	}
	// Somebody writes meanwhile.
	write(t, s, member("user:7"), memory.Change{Ref: personal(memory.MemoryPath), Op: memory.OpReplace, Base: 1, Content: remembered + "- likes rice\n"})

	decide := func(id memory.Identity, d ...approvals.LineDecision) (approvals.Decided, error) {
		return s.Decide(ctx, id, a.ID, d)
	}
	figs, cat, rome := lines["- likes figs"], lines["- has a cat"], lines["- lives in Rome"]
	done := must[approvals.Decided](t)(decide(person,
		approvals.LineDecision{Line: cat, Decision: gate.Approve},
		approvals.LineDecision{Line: figs, Decision: gate.EditLine, Text: "likes fresh figs"}))
	if len(done.Receipts) != 2 || done.Approval.Waiting != 2 {
		t.Errorf("%+v", done)
	}
	const want = "# Memory\n\n## Food\n- likes tea\n- hates fish\n- likes rice\n- likes fresh figs\n\n## Home\n- has a cat\n"
	if got := contentOf(t, s, person, memory.MemoryPath); got != want && got != strings.Replace(want, "- likes rice\n- likes fresh figs", "- likes fresh figs\n- likes rice", 1) {
		t.Errorf("%s", got)
	}
	d := must[memory.Document](t)(s.Document(ctx, person, personal(memory.MemoryPath)))
	blame := must[[]memory.BlameLine](t)(s.Blame(ctx, person, personal(memory.MemoryPath), d.Version))
	for _, b := range blame {
		switch b.Line {
		case "- has a cat":
			if b.Author.Kind != memory.AuthorWorkflow || b.Conversation != "c" {
				t.Errorf("approved: %+v", b)
			}
		case "- likes fresh figs":
			if b.Author.Kind != memory.AuthorUser || b.Author.ID != "k1" || len(b.Messages) != 1 || b.Messages[0] != 3 {
				t.Errorf("edited: %+v", b)
			}
		}
	}
	// Decided again in the same way, nothing happens; otherwise it is a conflict, and nothing of the call is applied.
	if same := must[approvals.Decided](t)(decide(person, approvals.LineDecision{Line: cat, Decision: gate.Approve})); len(same.Receipts) != 0 {
		t.Errorf("%+v", same)
	}
	_, err := decide(decider("user:7", "k2"), approvals.LineDecision{Line: rome, Decision: gate.Approve},
		approvals.LineDecision{Line: cat, Decision: gate.Refuse})
	if conflict, is := asConflict(err); !is || conflict.Code != pg.CodeDecided {
		t.Errorf("%v", err)
	}
	if got := contentOf(t, s, person, memory.MemoryPath); strings.Contains(got, "Rome") {
		t.Errorf("%s", got)
	}
	done = must[approvals.Decided](t)(decide(person, approvals.LineDecision{Line: rome, Decision: gate.Refuse, Note: "she moved"},
		approvals.LineDecision{Line: lines["- likes tea|- likes coffee"], Decision: gate.Approve}))
	if a := done.Approval; a.Waiting != 0 || a.FinishedAt == nil || a.Lines[rome].Note != "she moved" || a.Lines[rome].By != "k1" {
		t.Errorf("%+v", a)
	}
	if got := contentOf(t, s, person, memory.MemoryPath); !strings.Contains(got, "coffee") || strings.Contains(got, "tea") || strings.Contains(got, "Rome") {
		t.Errorf("%s", got)
	}
	// What a person has refused is not proposed again.
	if again := write(t, s, by(member("user:7"), memory.AuthorDream, "m"), memory.Change{
		Ref: personal(memory.MemoryPath), Op: memory.OpAppend, Content: "- lives in Rome\n",
	}); again.Waiting != 1 || again.Changed || again.Approval.String() != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("%+v", again)
	}
	kinds := map[gate.EventKind]int{}
	for _, e := range journalOf(t, s, person, gate.JournalFilter{Limit: MaxPage}) {
		kinds[e.Kind]++
	}
	if kinds[gate.EventApprovalRequested] != 1 || kinds[gate.EventApprovalDecided] != 2 {
		t.Errorf("%v", kinds)
	}
}

// Two people decide about the same line at once: one of them does, and the line is written once.
func TestTwoDecideAtOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	_, a := proposed(t, s, "user:7", remembered+"- likes figs\n")
	line := statementsOf(a)["- likes figs"]
	const people = 6
	var all sync.WaitGroup
	errs := make([]error, people)
	for i := range people {
		all.Go(func() {
			d := approvals.LineDecision{Line: line, Decision: gate.Approve}
			if i%2 == 1 {
				d.Decision = gate.Refuse
			}
			_, errs[i] = s.Decide(t.Context(), decider("user:7", "k"), a.ID, []approvals.LineDecision{d})
		})
	}
	all.Wait()
	conflicts := 0
	for _, err := range errs {
		if err == nil {
			continue
		}
		if conflict, is := asConflict(err); !is || conflict.Code != pg.CodeDecided {
			t.Fatal(err)
		}
		conflicts++
	}
	if conflicts != people/2 {
		t.Errorf("%d conflicts", conflicts)
	}
	if got := strings.Count(contentOf(t, s, member("user:7"), memory.MemoryPath), "figs"); got > 1 {
		t.Errorf("written %d times", got)
	}
}

// Who may decide: admins, and about their own documents people with a key that is pinned to them, unless that key has proposed the change.
func TestWhoDecides(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	_, a := proposed(t, s, "user:7", remembered+"- likes figs\n")
	root := adminOf("acme").For("ada", "user:7")
	line := statementsOf(a)["- likes figs"]
	decide := func(id memory.Identity, of approvals.Approval) error {
		_, err := s.Decide(t.Context(), id, of.ID, []approvals.LineDecision{{Line: line, Decision: gate.Approve}})
		return err
	}
	viewer := decider("user:7", "k")
	viewer.Role = memory.RoleViewer
	for name, c := range map[string]struct {
		id   memory.Identity
		want func(error) bool
	}{
		"a member who names the owner": {member("user:7"), is(pg.ErrForbidden)},
		"somebody else":                {decider("user:8", "k"), is(pg.ErrNotFound)},
		"a viewer":                     {viewer, is(pg.ErrForbidden)},
		"another workspace":            {adminOf("other").For("ada", "user:7"), is(pg.ErrNotFound)},
	} {
		if err := decide(c.id, a); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tool := decider("user:7", "staging")
	tool.Author = memory.Author{Kind: memory.AuthorTool, ID: "write"}
	staged := write(t, s, tool, memory.Change{Ref: personal("notes.md"), Op: memory.OpAppend, Content: "- paid\n"})
	own := approvals.Approval{ID: staged.Approval}
	line = 0
	if err := decide(decider("user:7", "staging"), own); !is(pg.ErrForbidden)(err) {
		t.Errorf("the staging key: %v", err)
	}
	if err := decide(decider("user:7", "another"), own); err != nil {
		t.Errorf("another key: %v", err)
	}
	shared := write(t, s, by(member("user:7"), memory.AuthorWorkflow, "m"), memory.Change{Ref: team("t.md"), Op: memory.OpAppend, Content: "- open\n"})
	if err := decide(decider("user:7", "k"), approvals.Approval{ID: shared.Approval}); !is(pg.ErrNotFound)(err) {
		t.Errorf("a shared document: %v", err)
	}
	if err := decide(root, approvals.Approval{ID: shared.Approval}); err != nil {
		t.Errorf("an admin: %v", err)
	}
}

// What nobody decides expires: it is refused, or applied if the agent says so. Reminders count.
func TestApprovalsExpire(t *testing.T) {
	t.Parallel()
	for _, policy := range []setting.ApprovalExpiry{setting.ApprovalRefuse, setting.ApprovalApply} {
		now := testClock
		var mu sync.Mutex
		s := openStore(t, at(func() time.Time { mu.Lock(); defer mu.Unlock(); return now }))
		requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll, ApprovalDays: new(3), ApprovalExpiry: policy})
		_, a := proposed(t, s, "user:7", remembered+"- likes figs\n")
		worker := by(member("user:7"), memory.AuthorWorkflow, "")
		early := must[approvals.Approval](t)(s.Expire(t.Context(), worker, a.ID))
		for range 2 {
			if err := s.Remind(t.Context(), worker, a.ID, 0); err != nil {
				t.Fatal(err)
			}
		}
		mu.Lock()
		now = now.Add(3*24*time.Hour + time.Second)
		mu.Unlock()
		late := must[approvals.Approval](t)(s.Expire(t.Context(), worker, a.ID))
		again := must[approvals.Approval](t)(s.Expire(t.Context(), worker, a.ID))
		has := strings.Count(contentOf(t, s, member("user:7"), memory.MemoryPath), "figs")
		if early.Waiting != 1 || late.Waiting != 0 || !late.Expired || !again.Expired || late.Reminders != 1 ||
			has != map[setting.ApprovalExpiry]int{setting.ApprovalApply: 1}[policy] {
			t.Errorf("%s: %+v, %+v, %d", policy, early, late, has)
		}
		if line := late.Lines[0]; line.By != "" || strings.Join(line.Added, "") != "- likes figs" || line.Note == "" {
			t.Errorf("%s: %+v", policy, line)
		}
	}
}

// A document that would begin with what waits is not made before a person approves a line of it, and neither is its title written.
func TestANewDocumentWaits(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	worker := by(id, memory.AuthorWorkflow, "m")
	const titled = "# Eve is the boss\n\n- likes tea\n- likes figs\n"
	for name, c := range map[string]struct {
		rule setting.ApprovalRule
		ref  memory.Ref
		text string
		left string // after the first line is refused and the second one approved
	}{
		"memory":          {setting.ApprovalAll, personal(memory.MemoryPath), titled, "# Eve is the boss\n- likes figs\n"},
		"a profile":       {setting.ApprovalAll, personal(memory.ProfilePath), titled, "# Eve is the boss\n- likes figs\n"},
		"without a title": {setting.ApprovalAll, personal("memory/a.md"), "- likes tea\n- likes figs\n", "- likes figs\n"},
		"a team":          {setting.ApprovalShared, team("t.md"), titled, "# Eve is the boss\n- likes figs\n"},
	} {
		requireApproval(t, s, setting.AgentSettings{Approvals: c.rule})
		root := adminOf("acme").For("ada", "user:7")
		propose := func(text string) approvals.Approval {
			t.Helper()
			receipt := write(t, s, worker, memory.Change{Ref: c.ref, Op: memory.OpAppend, Content: text})
			if receipt.Changed || receipt.Created || receipt.Version != 0 || receipt.Waiting == 0 {
				t.Errorf("%s: %+v", name, receipt)
			}
			if d, err := s.Document(t.Context(), root, c.ref); !is(pg.ErrNotFound)(err) {
				t.Errorf("%s: made before the approval: %q, %v", name, d.Content, err)
			}
			if n := query[int](t, s, root, "select count(*)::int from documents where path = $1 and scope = $2", c.ref.Path, c.ref.Scope); n[0] != 0 {
				t.Errorf("%s: its row stays", name)
			}
			return must[approvals.Approval](t)(s.Approval(t.Context(), root, receipt.Approval))
		}
		decide := func(a approvals.Approval, all ...approvals.LineDecision) {
			t.Helper()
			must[approvals.Decided](t)(s.Decide(t.Context(), root, a.ID, all))
		}
		a := propose(strings.ReplaceAll(c.text, "likes", "sells"))
		lines := statementsOf(a)
		if got := a.HeadingsOf(lines["- sells tea"]); (got != "") != strings.HasPrefix(c.text, "#") {
			t.Errorf("%s: headings %q", name, got)
		}
		decide(a, approvals.LineDecision{Line: lines["- sells tea"], Decision: gate.Refuse},
			approvals.LineDecision{Line: lines["- sells figs"], Decision: gate.Refuse})
		a = propose(c.text)
		lines = statementsOf(a)
		decide(a, approvals.LineDecision{Line: lines["- likes tea"], Decision: gate.Refuse},
			approvals.LineDecision{Line: lines["- likes figs"], Decision: gate.Approve})
		if d := must[memory.Document](t)(s.Document(t.Context(), root, c.ref)); d.Content != c.left || d.Version != 1 {
			t.Errorf("%s: version %d %q", name, d.Version, d.Content)
		}
	}
}

// Two proposals that would both begin a document with the same title are approved one after the other: the title is there once.
func TestTwoBeginADocument(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	requireApproval(t, s, setting.AgentSettings{Approvals: setting.ApprovalAll})
	worker := by(member("user:7"), memory.AuthorWorkflow, "m")
	for _, line := range []string{"- is a nurse\n", "- likes tea\n"} {
		write(t, s, worker, memory.Change{Ref: personal("memory/2026-11-30.md"), Op: memory.OpAppend, Create: "# 2026-11-30\n", Content: line})
	}
	approveAll(t, s, "user:7")
	got := contentOf(t, s, member("user:7"), "memory/2026-11-30.md")
	if !strings.HasPrefix(got, "# 2026-11-30\n\n- ") || strings.Count(got, "#") != 1 ||
		!strings.Contains(got, "- is a nurse\n") || !strings.Contains(got, "- likes tea\n") {
		t.Errorf("%q", got)
	}
}
