package activities

import (
	"context"
	"strings"
	"testing"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/store/indexes"
)

// beside opens a space for another model of an agent with a live one, and fills it.
func (w *world) beside(t *testing.T, of memory.EmbeddingIdentity) OpenSpaceResult {
	t.Helper()
	space := must(t, w, w.OpenSpace, OpenSpaceInput{ada, of})
	if due := must(t, w, w.TendIndex, TendIndexInput{ada}); len(due.Spaces) != 1 || due.Spaces[0].Space != space.Space {
		t.Fatalf("%+v", due)
	}
	if before := must(t, w, w.FollowSpace, SpaceInput{ada, space.Space}); before.Done != 0 || before.Total == 0 || before.Due == 0 {
		t.Errorf("before anything is made: %+v", before)
	}
	w.embedAll(t, EmbedInput{AgentRef: ada, Space: space.Space})
	if after := must(t, w, w.FollowSpace, SpaceInput{ada, space.Space}); after.Done != after.Total || after.Due != 0 {
		t.Errorf("after everything is made: %+v", after)
	}
	return space
}

func TestChangeOfTheModel(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	small := modelAt(t, server, "small")
	large := modelAt(t, server, "large", func(c *embed.Config) { c.Dimensions = 512 })
	w := newWorld(t, small, large)
	w.talk(t, member("ada", "user:1"), "talk", sentences(150)...)
	w.write(t, member("ada", "user:1"), memory.ScopePersonal, "memory/boats.md", "# Boats\n\nAnna's boat is called Dolly. It lies in Kiel.\n")
	w.embedAll(t, EmbedInput{AgentRef: ada})
	old := w.liveSpace(t, "ada")
	space := w.beside(t, large.Identity())
	if space.Live != old.ID || w.liveSpace(t, "ada").ID != old.ID {
		t.Errorf("%+v beside %d", space, old.ID)
	}

	c := must(t, w, w.CompareSpaces, CompareSpacesInput{ada, space.Space, 50})
	if c.Questions < 45 || c.LiveFound < 0.95 || c.NextFound < 0.95 || c.Overlap < 0.5 || c.Overlap > 1 || c.Worse(0.1) {
		t.Errorf("two good models compare as %+v", c)
	}
	if again := must(t, w, w.CompareSpaces, CompareSpacesInput{ada, space.Space, 50}); again != c {
		t.Errorf("the same comparison gave %+v and %+v", c, again)
	}

	must(t, w, w.SwitchSpace, SpaceInput{ada, space.Space})
	must(t, w, w.SwitchSpace, SpaceInput{ada, space.Space}) // a repeated attempt
	if live := w.liveSpace(t, "ada"); live.ID != space.Space {
		t.Errorf("%+v is live", live)
	}
	w.talk(t, member("ada", "user:1"), "another talk", sentences(10)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	w.wantVectors(t, "ada", space.Space, 0)
	if out := must(t, w, w.Embed, EmbedInput{AgentRef: ada, Space: old.ID}); !out.Gone {
		t.Errorf("a retired space is filled: %+v", out)
	}

	steps := 0
	for more := true; more; steps++ {
		more = must(t, w, w.DropSpace, DropSpaceInput{ada, old.ID, 50}).More
	}
	if n := w.count(t, `select count(*) from index_vectors where space_id = $1`, old.ID); n != 0 || steps < 3 {
		t.Errorf("%d vectors are left after %d steps", n, steps)
	}
	w.wantVectors(t, "ada", space.Space, 0)
}

func TestAModelThatFindsLess(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	blunt := llmtest.New(t, llmtest.Options{Vector: func(text string, dimensions int) []float32 {
		return llmtest.HashVector(strings.ToLower(text[:1]), dimensions) // it knows the first letter
	}})
	small, worse := modelAt(t, server, "small"), modelAt(t, blunt, "blunt")
	w := newWorld(t, small, worse)
	w.talk(t, member("ada", "user:1"), "talk", sentences(300)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	next, err := w.Embedders[1].Probe(t.Context())
	if err != nil {
		t.Fatal(next, err)
	}
	space := w.beside(t, next)
	if c := must(t, w, w.CompareSpaces, CompareSpacesInput{ada, space.Space, 50}); !c.Worse(0.1) {
		t.Errorf("a model that knows first letters compares as %+v", c)
	}
}

func TestSpacesThatCannotBeCompared(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	small, large := modelAt(t, server, "small"), modelAt(t, server, "large")
	w := newWorld(t, small, large)
	w.talk(t, member("ada", "user:1"), "talk", sentences(30)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	next, err := w.Embedders[1].Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	space := w.beside(t, next)
	w.use(t, Options{Store: w.Store, Embedders: []embed.Embedder{large}}) // the old one is no longer configured
	if c := must(t, w, w.CompareSpaces, CompareSpacesInput{ada, space.Space, 50}); c != (Comparison{}) {
		t.Errorf("%+v", c)
	}
	away := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Status(503))})
	w.use(t, Options{Store: w.Store, Embedders: []embed.Embedder{
		small,
		movedTo(modelAt(t, away, "large", func(c *embed.Config) { c.Dimensions = next.Dimensions }), next),
	}})
	_, err = do(w, w.CompareSpaces, CompareSpacesInput{ada, space.Space, 50})
	if app := wantError(t, err, TypeUnavailable, string(llm.Overloaded)); app.NonRetryable() {
		t.Error("the comparison is not put off")
	}
}

// moved is a model that reports another identity.
type moved struct {
	embed.Embedder
	identity memory.EmbeddingIdentity
}

func movedTo(model embed.Embedder, identity memory.EmbeddingIdentity) embed.Embedder {
	return moved{model, identity}
}

func (m moved) Identity() memory.EmbeddingIdentity { return m.identity }

func (m moved) Probe(context.Context) (memory.EmbeddingIdentity, error) { return m.identity, nil }

func TestAgentsDueForAModelChange(t *testing.T) {
	server := llmtest.New(t, llmtest.Options{})
	small, large := modelAt(t, server, "small"), modelAt(t, server, "large")
	w := newWorld(t, small, large)
	w.talk(t, member("ada", "user:1"), "talk", sentences(10)...)
	w.embedAll(t, EmbedInput{AgentRef: ada})
	next, err := w.Embedders[1].Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changes := func(ref AgentRef) bool {
		changes, err := w.Store.NeedsSpace(t.Context(), member(ref.Agent, "user:1"), next)
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	bob := AgentRef{Workspace: "acme", Agent: "bob"}
	if !changes(ada) || changes(bob) {
		t.Errorf("ada is changed: %v; bob, who has no vectors yet: %v", changes(ada), changes(bob))
	}
	refs, err := w.Store.IndexedAgents(t.Context(), AgentRef{}, 10)
	if err != nil || len(refs) != 2 || refs[0] != ada || refs[1] != bob {
		t.Errorf("%v, error %v", refs, err)
	}
	if refs, err := w.Store.IndexedAgents(t.Context(), bob, 10); err != nil || len(refs) != 0 {
		t.Errorf("behind the last: %v, error %v", refs, err)
	}
	space := w.beside(t, next)
	must(t, w, w.SwitchSpace, SpaceInput{ada, space.Space})
	if changes(ada) {
		t.Error("it is changed again")
	}
	must(t, w, w.SwitchSpace, SpaceInput{ada, space.Live})
	if changes(ada) {
		t.Error("what was switched back is changed again by itself")
	}
	if again := must(t, w, w.OpenSpace, OpenSpaceInput{ada, next}); again.Space != space.Space || again.Live != space.Live {
		t.Errorf("asked for again, it opens %+v", again)
	}
	if spaces, err := w.Store.Spaces(t.Context(), member("ada", "user:1")); err != nil || spaces[1].State != indexes.SpaceBuilding {
		t.Errorf("%+v, error %v", spaces, err)
	}
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"# Boats\n\nAnna's boat.":       "Boats",
		"- Anna has a dog. It barks.":   "Anna has a dog",
		"Version 1.2.3 is out. Try it!": "Version 1.2.3 is out",
		"安娜有一只狗。它叫多莉。":                  "安娜有一只狗",
		"\n---\n\n> quoted\n":           "quoted",
		"***":                           "",
		strings.Repeat("word ", 100):    strings.Repeat("word ", 32),
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("%q begins with %q, want %q", text, got, want)
		}
	}
}
