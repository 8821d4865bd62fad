// Package simulation runs sixty nights of dreams for several owners, with a simulated clock, on a real database with
// the real steps, and checks the memory after each night.
package simulation

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"

	"reverie/activities"
	"reverie/devenv/devtest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/search"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/storetest"
	"reverie/store/talk"
	"reverie/workflows"
)

func TestMain(m *testing.M) { devtest.Main(m) }

const (
	workspace = "acme"
	agent     = "ada"
)

// world is a database with a clock that the simulation sets.
type world struct {
	*store.Store
	t     *testing.T
	now   time.Time
	zone  *time.Location
	steps *activities.Activities
	refs  map[memory.Owner]memory.OwnerRef
}

func newWorld(t *testing.T, zone string) *world {
	t.Helper()
	w := &world{t: t, refs: map[memory.Owner]memory.OwnerRef{}}
	var err error
	if w.zone, err = time.LoadLocation(zone); err != nil {
		t.Fatal(err)
	}
	w.now = time.Date(2026, 3, 1, 8, 0, 0, 0, w.zone)
	clock := func() time.Time { return w.now }
	w.Store, _ = storetest.Open(t, store.Options{Now: clock})
	if err := w.EnsureWorkspace(t.Context(), workspace, workspace); err != nil {
		t.Fatal(err)
	}
	root := memory.Identity{Workspace: workspace, Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "admin"}}
	if _, err := w.CreateAgent(t.Context(), root, admin.NewAgent{ID: agent, TimeZone: zone}); err != nil {
		t.Fatal(err)
	}
	settings := setting.DefaultDreamSettings()
	settings.MemoryMaxChars = ceiling
	w.steps, err = activities.New(activities.Options{Store: w.Store, DreamDefaults: settings, Now: clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ceiling of MEMORY.md, in characters: small, so that sections have to move.
const ceiling = 1200

// person returns an owner's identity with write access.
func person(owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: workspace, Agent: agent, Owner: owner, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "key"},
	}
}

// everybody returns an identity that sees all owners.
func everybody() memory.Identity {
	return memory.Identity{Workspace: workspace, Agent: agent, AnyOwner: true, Role: memory.RoleMember}
}

// say stores a conversation of a day, with a message and an answer for each sentence, and returns its id.
func (w *world) say(owner memory.Owner, title string, sentences []string) (conversation string) {
	w.t.Helper()
	conversation = fmt.Sprintf("%s-%s-%s", owner, w.now.Format("2006-01-02"), title)
	var messages []memory.Message
	for i, s := range sentences {
		messages = append(messages,
			memory.Message{ID: fmt.Sprint("u", i), Role: memory.RoleOfUser, Content: s, CreatedAt: w.now},
			memory.Message{ID: fmt.Sprint("a", i), Role: memory.RoleOfAssistant, Content: "I see.", CreatedAt: w.now})
	}
	if _, err := w.AppendMessages(w.t.Context(), person(owner), talk.Batch{
		Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true, Messages: messages,
	}); err != nil {
		w.t.Fatal(err)
	}
	return conversation
}

// note appends to the day's note, like an extraction: each line with its source message.
func (w *world) note(owner memory.Owner, conversation, title string, lines []string) {
	w.t.Helper()
	id := person(owner)
	id.Author = memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "extract/" + conversation, RunID: "1"}
	day := w.now.In(w.zone)
	var sources []memory.LineSource
	text := "## " + day.Format("15:04") + " " + title + "\n\n"
	for i, line := range lines {
		text += "- " + line + "\n"
		sources = append(sources, memory.LineSource{Line: "- " + line, Messages: []int64{int64(2*i + 1)}})
	}
	w.apply(id, memory.Change{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: memory.DailyNotePath(day)}, Op: memory.OpAppend, Content: text,
		Create: "# " + day.Format(time.DateOnly) + "\n", Reason: "said",
		Sources: memory.Sources{Conversation: conversation, From: 1, To: int64(2 * len(lines)), Lines: sources},
	})
}

// rewrite changes a document of a person by hand.
func (w *world) rewrite(owner memory.Owner, path string, edit func(string) string) {
	w.t.Helper()
	d := w.document(owner, path)
	w.apply(person(owner), memory.Change{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: path}, Op: memory.OpReplace, Base: d.Version, Content: edit(d.Content),
		Reason: "by hand",
	})
}

func (w *world) apply(id memory.Identity, c memory.Change) {
	w.t.Helper()
	if _, err := w.Apply(w.t.Context(), id, "", []memory.Change{c}); err != nil {
		w.t.Fatal(err)
	}
}

// recalled records that a search used a statement.
func (w *world) recalled(owner memory.Owner, question, statement string) {
	w.t.Helper()
	day := w.now.In(w.zone)
	path := memory.DailyNotePath(day)
	d := w.document(owner, path)
	err := w.RecordRecalls(w.t.Context(), []dreams.Recall{{
		Identity: person(owner), QueryHash: sha256.Sum256([]byte(question)), At: w.now,
		Day: time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC),
		Hits: []dreams.RecalledHit{{
			Corpus: search.Memory, Scope: memory.ScopePersonal, Source: d.ID, Path: path, FromLine: 1, ToLine: 1,
			ChunkHash: sha256.Sum256([]byte(statement)), Entries: []markdown.EntryID{markdown.EntryIDOf(statement)}, Score: .9,
		}},
	}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// document returns a personal document; a zero one if there is none.
func (w *world) document(owner memory.Owner, path string) memory.Document {
	w.t.Helper()
	d, err := w.Document(w.t.Context(), person(owner), memory.Ref{Scope: memory.ScopePersonal, Path: path})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		w.t.Fatal(err)
	}
	return d
}

// documents returns all documents of a scope that a person can read, by path.
func (w *world) documents(owner memory.Owner, scope memory.Scope) map[string]string {
	w.t.Helper()
	listed, err := w.Documents(w.t.Context(), person(owner), gate.DocumentFilter{Scope: scope})
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range listed {
		full, err := w.Document(w.t.Context(), person(owner), memory.Ref{Scope: scope, Path: d.Path})
		if err != nil {
			w.t.Fatal(err)
		}
		out[d.Path] = full.Content
	}
	return out
}

// dream runs a night for everybody with news, in virtual time, and returns the outcome of each dream.
func (w *world) dream(night string) map[memory.Owner]workflows.DreamResult {
	w.t.Helper()
	refs, err := w.News(w.t.Context(), everybody(), uuid.Nil, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[memory.Owner]workflows.DreamResult{}
	for _, ref := range refs {
		owner, err := w.ResolveOwner(w.t.Context(), everybody(), ref.Owner)
		if err != nil {
			w.t.Fatal(err)
		}
		w.refs[owner] = ref
		out[owner] = w.dreamOf(ref, night)
	}
	return out
}

func (w *world) dreamOf(ref memory.OwnerRef, night string) workflows.DreamResult {
	w.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(slog.New(slog.DiscardHandler))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(w.now)
	env.SetTestTimeout(10 * time.Minute)
	env.RegisterActivity(w.steps)
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: workflows.DreamID(ref) + "/" + night, TaskQueue: workflows.TaskQueue})
	env.ExecuteWorkflow(workflows.Dream, workflows.DreamInput{
		OwnerRef: ref, Mode: memory.DreamNightly, Trigger: memory.DreamBySchedule, Night: night,
	})
	var out workflows.DreamResult
	if err := env.GetWorkflowError(); err != nil {
		w.t.Fatalf("night %s: %v", night, err)
	}
	if err := env.GetWorkflowResult(&out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// has reports whether a text has a line with a statement, in any list form.
func has(text, statement string) bool {
	id := markdown.EntryIDOf(statement)
	for _, e := range markdown.EntriesOf(text) {
		if e.ID == id || strings.Contains(e.Text, statement) {
			return true
		}
	}
	return false
}
