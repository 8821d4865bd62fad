package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reverie/activities"
	"reverie/llm/llmtest"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/store/admin"
)

// soulWriter answers with texts, one after another.
type soulWriter struct {
	mu      sync.Mutex
	answers []string
	asked   []proposals.SoulInput
}

func (s *soulWriter) WriteSoul(_ context.Context, in proposals.SoulInput) (proposals.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, in)
	answer := s.answers[min(len(s.asked), len(s.answers))-1]
	return proposals.Answer{Raw: answer, Model: "scripted", Usage: memory.Usage{Calls: 1}}, nil
}

func (s *soulWriter) questions() []proposals.SoulInput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// writes lets an owner write a note so many times.
func (d dreamWorld) writes(t *testing.T, name string, times int) {
	t.Helper()
	for i := range times {
		change := d.replace("notes/"+name+".md", fmt.Sprintf("- line %d %s\n", i, uuid.NewString()))
		if _, err := d.store.Apply(t.Context(), owner(name), uuid.NewString(), []memory.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
}

// nextNight lets a night pass that begins in a later second than the last one: nights triggered within one second are one, in which nobody
// dreams twice.
func (d dreamWorld) nextNight(t *testing.T) {
	t.Helper()
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	d.night(t)
}

func (d dreamWorld) soul(t *testing.T) memory.Document {
	t.Helper()
	soul, err := d.store.Document(t.Context(), administrator("acme", "ada"), memory.Ref{Scope: memory.ScopeTeam, Path: memory.SoulPath})
	if err != nil {
		t.Fatal(err)
	}
	return soul
}

// After 20 writes of memory, a dream rewrites SOUL.md once, under guards; a person's lines stay, and the version before can be restored.
// With several owners only the agent's settings allow it, and then it is made from shared memory.
func TestSoulIsRewritten(t *testing.T) {
	const persons = "I never swear."
	good := "# SOUL\n\n" + persons + "\n\nI answer briefly, and I say where I know things from.\n"
	model := &soulWriter{answers: []string{good + "I like Momo, the tortoise of 2026.\n", good}}
	d := newDreams(t, func(llmtest.Request) llmtest.Reply { return llmtest.Honest() }, func(o *activities.Options) { o.SoulWriter = model })
	by := administrator("acme", "ada")
	by.Author = memory.Author{Kind: memory.AuthorUser, ID: "key"}
	if _, err := d.store.Apply(t.Context(), by, "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopeTeam, Path: memory.SoulPath}, Op: memory.OpReplace, Force: true,
		Content: "# SOUL\n\n" + persons + "\n",
	}}); err != nil {
		t.Fatal(err)
	}
	before := d.soul(t)
	d.says(t, "case-a", 3)
	d.nextNight(t)
	if n := len(model.questions()); n != 0 || d.soul(t).Version != before.Version {
		t.Fatalf("rewritten after few writes: %d questions", n)
	}
	d.writes(t, "case-a", 20)
	d.says(t, "case-a", 3)
	d.nextNight(t)
	soul, asked := d.soul(t), model.questions()
	if soul.Content != good || soul.Version != before.Version+1 || soul.UpdatedBy.Kind != memory.AuthorDream || len(asked) != 2 {
		t.Fatalf("%+v, %d questions", soul, len(asked))
	}
	if !slices.Contains(asked[0].Person, persons) || !strings.Contains(strings.Join(asked[0].Known, ""), "oak") ||
		len(asked[1].Violations) == 0 || asked[1].Previous == "" {
		t.Errorf("%+v", asked)
	}
	d.writes(t, "case-a", 5)
	d.says(t, "case-a", 3)
	d.nextNight(t)
	if n := len(model.questions()); n != 2 {
		t.Errorf("%d questions: rewritten twice for one threshold", n)
	}

	d.writes(t, "case-b", 25) // another owner: SOUL.md would let one read what the other has said
	d.says(t, "case-b", 3)
	d.nextNight(t)
	if n := len(model.questions()); n != 2 {
		t.Errorf("%d questions: rewritten for an agent with several owners", n)
	}
	patch := admin.AgentPatch{Settings: &setting.AgentSettings{SoulWrites: new(5)}}
	if _, err := d.store.UpdateAgent(t.Context(), administrator("acme", "ada"), patch); err != nil {
		t.Fatal(err)
	}
	d.writes(t, "case-b", 1)
	d.says(t, "case-b", 3)
	d.nextNight(t)
	asked = model.questions()
	if len(asked) != 3 || strings.Contains(strings.Join(asked[2].Known, ""), "oak") {
		t.Errorf("%+v", asked[2:])
	}
	if again := d.soul(t); again.Version != soul.Version { // the same text
		t.Errorf("%+v", again)
	}
}
