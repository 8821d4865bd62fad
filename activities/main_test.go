package activities

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/testsuite"

	"reverie/devenv/devtest"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/storetest"
	"reverie/store/talk"
)

func TestMain(m *testing.M) { devtest.Main(m) }

var ada = AgentRef{Workspace: "acme", Agent: "ada"}

// seeded is the number of units in the documents of a new agent.
const seeded = 2

// world is a store with agents, and steps that run as a worker runs them.
type world struct {
	*Activities
	url string
	env *testsuite.TestActivityEnvironment
}

// newWorld makes a database with the agents ada and bob of one workspace.
func newWorld(t *testing.T, models ...embed.Embedder) *world {
	t.Helper()
	s, url := storetest.Open(t, store.Options{PairsJudged: true})
	w := &world{url: url}
	if err := s.EnsureWorkspace(t.Context(), "acme", "acme"); err != nil {
		t.Fatal(err)
	}
	for _, agent := range []string{"ada", "bob"} {
		root := memory.Identity{Workspace: "acme", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "root"}}
		if _, err := s.CreateAgent(t.Context(), root, admin.NewAgent{ID: agent, TimeZone: "UTC"}); err != nil {
			t.Fatal(err)
		}
	}
	w.use(t, Options{Store: s, Embedders: models})
	return w
}

// use replaces the options of the steps, as if the worker was restarted.
func (w *world) use(t *testing.T, o Options) {
	t.Helper()
	o.Now, o.Log = time.Now, slog.New(slog.DiscardHandler)
	if o.DreamDefaults == (setting.DreamSettings{}) {
		o.DreamDefaults = setting.DefaultDreamSettings()
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var suite testsuite.WorkflowTestSuite
	w.Activities, w.env = a, suite.NewTestActivityEnvironment()
	w.env.RegisterActivity(a)
}

// do runs a step.
func do[In, Out any](w *world, step func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	value, err := w.env.ExecuteActivity(step, in)
	if err != nil {
		return out, err
	}
	return out, value.Get(&out)
}

// must runs a step that must succeed.
func must[In, Out any](t *testing.T, w *world, step func(context.Context, In) (Out, error), in In) Out {
	t.Helper()
	out, err := do(w, step, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// embedAll embeds until nothing is missing, and returns the sums.
func (w *world) embedAll(t *testing.T, in EmbedInput) EmbedResult {
	t.Helper()
	var sum EmbedResult
	for {
		out := must(t, w, w.Embed, in)
		sum.Embedded += out.Embedded
		sum.Cached += out.Cached
		sum.Refused += out.Refused
		if !out.More {
			return sum
		}
	}
}

// member returns the identity of a user of an agent.
func member(agent string, owner memory.Owner) memory.Identity {
	return memory.Identity{
		Workspace: "acme", Agent: agent, Owner: owner, Role: memory.RoleMember, Author: memory.Author{Kind: memory.AuthorUser, ID: "key"},
	}
}

// talk stores messages of a person in a new conversation.
func (w *world) talk(t *testing.T, id memory.Identity, conversation string, contents ...string) {
	t.Helper()
	b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
	for i, content := range contents {
		role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
		b.Messages = append(b.Messages, memory.Message{ID: fmt.Sprint(i), Role: role, Content: content, CreatedAt: time.Now()})
	}
	if _, err := w.Store.AppendMessages(t.Context(), id, b); err != nil {
		t.Fatal(err)
	}
}

// write replaces a document.
func (w *world) write(t *testing.T, id memory.Identity, scope memory.Scope, path, content string) {
	t.Helper()
	change := memory.Change{Ref: memory.Ref{Scope: scope, Path: path}, Op: memory.OpReplace, Content: content, Force: true}
	if _, err := w.Store.Apply(t.Context(), id, fmt.Sprint(path, time.Now().UnixNano()), []memory.Change{change}); err != nil {
		t.Fatal(err)
	}
}

// count queries a number, bypassing row-level security.
func (w *world) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	n := 0
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wantVectors checks that every unit of an agent has exactly one vector in a space, except refused ones.
func (w *world) wantVectors(t *testing.T, agent string, space int64, without int) {
	t.Helper()
	units := w.count(t, `select coalesce(sum(units), 0) from index_sources where agent_id = $1`, agent)
	vectors := w.count(t, `select count(distinct (group_no, ordinal)) from index_vectors where agent_id = $1 and space_id = $2`, agent, space)
	if vectors != units-without || units == 0 {
		t.Errorf("%d of %d units have a vector, %d are to have none", vectors, units, without)
	}
	if due := w.count(t, `select count(*) from index_sources where agent_id = $1 and embed_due`, agent); due != 0 {
		t.Errorf("%d sources still wait", due)
	}
	if stray := w.count(t, `select count(*) from index_vectors v where not exists (select from index_sources s where s.group_no = `+
		`v.group_no)`); stray != 0 {
		t.Errorf("%d vectors belong to nothing", stray)
	}
}

// modelAt opens an embedding model at a server.
func modelAt(t *testing.T, server *llmtest.Server, name string, change ...func(*embed.Config)) embed.Embedder {
	t.Helper()
	c := embed.Config{Provider: "openai", Model: name, APIKey: "key", BaseURL: server.URL, BatchSize: 16, Concurrency: 1}
	for _, f := range change {
		f(&c)
	}
	model, err := embed.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// sentences returns n different texts.
func sentences(n int) []string {
	subjects := []string{"Anna", "Boris", "Chen", "Dora", "Emre", "Fatima", "Goran", "Hanna", "Ivo", "Jana", "Kofi"}
	verbs := []string{"repairs", "paints", "sells", "collects", "forgets", "counts", "borrows"}
	things := []string{
		"bicycles", "violins", "maps", "teapots", "lamps", "kayaks", "clocks", "carpets", "stamps", "chairs", "books",
		"boots", "coats",
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s %s %s number %d.", subjects[i%len(subjects)], verbs[i%len(verbs)], things[i%len(things)], i)
	}
	return out
}
