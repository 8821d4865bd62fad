package activities

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"pgregory.net/rapid"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/search/index"
	"reverie/store/indexes"
)

// wantError checks the type and the words of a step's error and returns it.
func wantError(t *testing.T, err error, kind, message string) *temporal.ApplicationError {
	t.Helper()
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != kind || app.Message() != message {
		t.Fatalf("error %v, want %s: %s", err, kind, message)
	}
	return app
}

// liveSpace is the live space of an agent.
func (w *world) liveSpace(t *testing.T, agent string) indexes.Space {
	t.Helper()
	space, err := w.Store.LiveSpace(t.Context(), member(agent, "user:1"))
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func TestEmbedGivesEveryUnitOneVector(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	w := newWorld(t, modelAt(t, server, "small"))
	for c := range 3 {
		w.talk(t, member("ada", memory.Owner(fmt.Sprintf("user:%d", c))), fmt.Sprint("talk-", c), sentences(200)...)
	}
	w.write(t, member("ada", "user:1"), memory.ScopePersonal, "MEMORY.md",
		"# Memory\n\n- Anna has a dog.\n\n## Work\n\n- Anna builds boats.\n")
	w.write(t, member("ada", "user:1"), memory.ScopePersonal, "MEMORY.md", "# Memory\n\n- Anna has two dogs.\n")
	out := w.embedAll(t, EmbedInput{AgentRef: ada})
	w.wantVectors(t, "ada", w.liveSpace(t, "ada").ID, 0)
	if out.Embedded < 600 || out.Refused != 0 {
		t.Errorf("%+v", out)
	}
	asked := server.Stats().Texts
	if asked >= 450 { // the conversations have the same words; who speaks is the same as well
		t.Errorf("%d texts were embedded for %d units with about 205 texts", asked, out.Embedded)
	}
	w.talk(t, member("bob", "user:9"), "talk", sentences(200)...)
	w.embedAll(t, EmbedInput{AgentRef: AgentRef{Workspace: "acme", Agent: "bob"}})
	w.wantVectors(t, "bob", w.liveSpace(t, "bob").ID, 0)
	if again := server.Stats().Texts; again != asked {
		t.Errorf("%d texts were embedded again for another agent of the workspace", again-asked)
	}
}

func TestEmbedOfWhatBelongsToTheWorkspace(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	next := modelAt(t, server, "large", func(c *embed.Config) { c.Dimensions = 64 })
	w := newWorld(t, modelAt(t, server, "small"), next)
	root := memory.Identity{
		Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin,
		Author: memory.Author{Kind: memory.AuthorUser, ID: "root"},
	}
	w.write(t, root, memory.ScopeGlobal, "memory/house-rules.md", "# House rules\n\nThe office closes at six.\n")
	workspace := AgentRef{Workspace: "acme"}
	due := must(t, w, w.TendIndex, TendIndexInput{workspace})
	if len(due.Spaces) != 1 {
		t.Fatalf("%+v", due)
	}
	if out := w.embedAll(t, EmbedInput{AgentRef: workspace}); out.Embedded == 0 {
		t.Errorf("%+v", out)
	}
	if due := must(t, w, w.TendIndex, TendIndexInput{workspace}); len(due.Spaces) != 0 {
		t.Errorf("%+v", due)
	}
	root.Agent = ""
	if changes, err := w.Store.NeedsSpace(t.Context(), root, next.Identity()); err != nil || !changes {
		t.Errorf("the next model changes it: %v, error %v", changes, err)
	}
	space := must(t, w, w.OpenSpace, OpenSpaceInput{workspace, next.Identity()})
	w.embedAll(t, EmbedInput{AgentRef: workspace, Space: space.Space})
	if c := must(t, w, w.CompareSpaces, CompareSpacesInput{workspace, space.Space, 50}); c != (Comparison{}) {
		t.Errorf("%+v", c) // it is searched through agents only
	}
	must(t, w, w.SwitchSpace, SpaceInput{workspace, space.Space})
	w.wantVectors(t, "", space.Space, 0)
}

func TestABusyModelIsAskedAgainWhenItSays(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Sequence(llmtest.Honest(), llmtest.Honest(), llmtest.Honest(),
		llmtest.Status(429, 7*time.Second))})
	w := newWorld(t, modelAt(t, server, "small"))
	w.talk(t, member("ada", "user:1"), "talk", sentences(100)...)
	_, err := do(w, w.Embed, EmbedInput{AgentRef: ada})
	app := wantError(t, err, TypeUnavailable, string(llm.RateLimited))
	if app.NextRetryDelay() != 7*time.Second {
		t.Errorf("it is tried again after %s", app.NextRetryDelay())
	}
	space := w.liveSpace(t, "ada").ID
	if n := w.count(t, `select count(*) from index_vectors where space_id = $1`, space); n == 0 || n >= 100 {
		t.Errorf("%d vectors were kept of those that were made before", n)
	}
	w.embedAll(t, EmbedInput{AgentRef: ada})
	w.wantVectors(t, "ada", space, 0)
	if texts := server.Stats().Texts; texts > 100+seeded+16+1 { // the refused request's, and the probe's
		t.Errorf("%d texts were sent for %d", texts, 100+seeded)
	}
}

func TestAModelThatIsAwayForAWhile(t *testing.T) {
	away := 5
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		switch {
		case r.Number <= 3 || r.Number > 3+away:
			return llmtest.Honest()
		case r.Number%2 == 0:
			return llmtest.Status(503)
		}
		return llmtest.HangUpMidBody()
	}})
	w := newWorld(t, modelAt(t, server, "small"))
	w.talk(t, member("ada", "user:1"), "talk", sentences(100)...)
	failures := 0
	for {
		_, err := do(w, w.Embed, EmbedInput{AgentRef: ada})
		if err == nil {
			break
		}
		if app, ok := errors.AsType[*temporal.ApplicationError](err); !ok || app.Type() != TypeUnavailable || app.NonRetryable() {
			t.Fatalf("error %v", err)
		}
		failures++
	}
	w.wantVectors(t, "ada", w.liveSpace(t, "ada").ID, 0)
	if failures != away {
		t.Errorf("%d steps failed in %d failed requests", failures, away)
	}
	if n := w.count(t, `select count(*) from components where name = $1 and state = 'ok'`, EmbeddingsComponent); n != 1 {
		t.Error("the model's state is not reported as ok in the end")
	}
}

func TestOneBadTextStopsNoOther(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if slices.ContainsFunc(r.Texts, func(text string) bool { return strings.Contains(text, "unspeakable") }) {
			return llmtest.Invalid("input contains something that this model does not take")
		}
		return llmtest.Honest()
	}})
	w := newWorld(t, modelAt(t, server, "small"))
	texts := sentences(60)
	texts[17], texts[40] = "This is unspeakable.", "This is unspeakable, too."
	w.talk(t, member("ada", "user:1"), "talk", texts...)
	if out := w.embedAll(t, EmbedInput{AgentRef: ada}); out.Refused != 2 || out.Embedded != 58+seeded {
		t.Errorf("%+v", out)
	}
	w.wantVectors(t, "ada", w.liveSpace(t, "ada").ID, 2)
}

func TestWhatAPersonHasToRepair(t *testing.T) {
	for name, c := range map[string]struct {
		reply llmtest.Reply
		kind  llm.Kind
	}{
		"wrong dimensions": {llmtest.WrongDimensions(64), llm.BadVector},
		"wrong key":        {llmtest.Unauthorized(), llm.Unauthorized},
		"no money":         {llmtest.Quota(), llm.Quota},
		"unknown model":    {llmtest.StatusWith(404, "The model does not exist"), llm.BadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			broken := true
			server := llmtest.New(t, llmtest.Options{Script: func(llmtest.Request) llmtest.Reply {
				if broken {
					return c.reply
				}
				return llmtest.Honest()
			}})
			model := modelAt(t, server, "small", func(c *embed.Config) { c.Dimensions = 128 })
			w := newWorld(t, model)
			w.talk(t, member("ada", "user:1"), "talk", sentences(20)...)
			_, err := do(w, w.Embed, EmbedInput{AgentRef: ada})
			if app := wantError(t, err, TypeUnusable, string(c.kind)); !app.NonRetryable() {
				t.Error("it would be tried again at once")
			}
			if n := w.count(t, `select count(*) from components where name = $1 and state = $2`, EmbeddingsComponent, string(c.kind)); n != 1 {
				t.Error("not reported")
			}
			if n := w.count(t, `select count(*) from index_vectors`); n != 0 {
				t.Errorf("%d vectors were stored", n)
			}
			broken = false
			w.embedAll(t, EmbedInput{AgentRef: ada})
			w.wantVectors(t, "ada", w.liveSpace(t, "ada").ID, 0)
		})
	}
}

func TestASpaceOfAModelThatIsNotConfiguredWaits(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	w := newWorld(t, modelAt(t, server, "small"))
	w.talk(t, member("ada", "user:1"), "talk", sentences(10)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	before := w.liveSpace(t, "ada")

	w.use(t, Options{Store: w.Store, Embedders: []embed.Embedder{modelAt(t, server, "other")}})
	w.talk(t, member("ada", "user:1"), "another talk", sentences(30)...)
	if due := must(t, w, w.TendIndex, TendIndexInput{ada}); len(due.Spaces) != 1 || due.Spaces[0].Due != 1 {
		t.Errorf("%+v", due)
	}
	_, err := do(w, w.Embed, EmbedInput{AgentRef: ada})
	if app := wantError(t, err, TypeUnusable, ReasonNoEmbedder); !app.NonRetryable() {
		t.Error("it would be tried again at once")
	}
	if after := w.liveSpace(t, "ada"); after.ID != before.ID {
		t.Errorf("the live space is %+v now", after)
	}
	if n := w.count(t, `select count(*) from index_vectors where space_id = $1`, before.ID); n != 10+seeded {
		t.Errorf("%d vectors are left of %d", n, 10+seeded)
	}
	w.use(t, Options{Store: w.Store, Embedders: []embed.Embedder{modelAt(t, server, "other"), modelAt(t, server, "small")}})
	w.embedAll(t, EmbedInput{AgentRef: ada})
	w.wantVectors(t, "ada", before.ID, 0)
}

func TestEmbeddingKeepsToTheCostBudget(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	model := modelAt(t, server, "small", func(c *embed.Config) { c.Price = 1000 })
	w := newWorld(t, model)
	w.use(t, Options{Store: w.Store, Embedders: []embed.Embedder{model}, Budget: memory.Budget{Tokens: 1, CostMicros: 100}})
	w.talk(t, member("ada", "user:1"), "talk", sentences(20)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	used, err := w.Store.SpentToday(t.Context(), member("ada", "user:1"), time.Now())
	if err != nil || used.CostMicros < 100 || used.Calls == 0 {
		t.Fatalf("spent %+v, error %v", used, err)
	}
	w.talk(t, member("ada", "user:1"), "another talk", sentences(40)...)
	asked := server.Count()
	out := must(t, w, w.Embed, EmbedInput{AgentRef: ada})
	if out.WaitUntil.IsZero() || server.Count() != asked {
		t.Errorf("%+v after %d more requests", out, server.Count()-asked)
	}
}

// What is noted as settled never has a gap, whatever of a batch got its vector.
func TestSettledPartHasNoGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var due indexes.DueUnits
		vectors := settled{}
		isSettled := map[index.UnitKey]bool{}
		whole := map[int64]int64{}
		for group := range int64(rapid.IntRange(1, 4).Draw(t, "sources")) {
			n := int64(rapid.IntRange(0, 6).Draw(t, "units"))
			for ordinal := int64(1); ordinal <= n; ordinal++ {
				u := indexes.DueUnit{
					Key:  index.UnitKey{Group: group, Ordinal: ordinal},
					Hash: indexes.TextHash{byte(rapid.IntRange(0, 9).Draw(t, "text"))},
				}
				due.Units = append(due.Units, u)
			}
			whole[group] = n + int64(rapid.IntRange(1, 3).Draw(t, "rest"))
			due.Reached = append(due.Reached, indexes.Reached{Group: group, Ordinal: whole[group]})
		}
		for text := range byte(10) {
			switch rapid.IntRange(0, 2).Draw(t, "fate") {
			case 0:
				vectors[indexes.TextHash{text}] = []float32{1}
			case 1:
				vectors[indexes.TextHash{text}] = nil
			}
		}
		for _, u := range due.Units {
			_, isSettled[u.Key] = vectors[u.Hash]
		}
		part := settledPart(due, vectors)
		for _, u := range part.Units {
			if !isSettled[u.Key] {
				t.Fatalf("%v is saved without being settled", u.Key)
			}
		}
		reached := map[int64]int64{}
		for _, r := range part.Reached {
			reached[r.Group] = r.Ordinal
		}
		for _, u := range due.Units {
			if !isSettled[u.Key] && u.Key.Ordinal <= reached[u.Key.Group] {
				t.Fatalf("%v is passed over: %v", u.Key, part.Reached)
			}
		}
		for group, end := range whole {
			open := slices.ContainsFunc(due.Units, func(u indexes.DueUnit) bool { return u.Key.Group == group && !isSettled[u.Key] })
			if !open && reached[group] != end {
				t.Fatalf("source %d is settled up to %d and noted up to %d", group, end, reached[group])
			}
		}
	})
}
