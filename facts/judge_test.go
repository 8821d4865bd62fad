package facts_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/facts"
)

func TestWhatAConversationShows(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	ask := func(text string) facts.Turn { return facts.Turn{Person: true, Text: text} }
	answer := func(text string) facts.Turn { return facts.Turn{Text: text} }
	for _, c := range []struct {
		name, fact string
		turns      []facts.Turn // the statement is found behind the first one
		want       facts.Verdict
	}{
		{"used", "- Lives in Berlin.", []facts.Turn{ask("Where do I live?"), answer("You live in Berlin."), ask("Thanks, that helps a lot.")}, facts.Used},
		{"not mentioned", "- Lives in Berlin.", []facts.Turn{ask("Hi"), answer("Hello!"), ask("I live in an old house.")}, facts.Unused},
		{"another value", "- Lives in Berlin.", []facts.Turn{ask("Where do I live?"), answer("In Berlin."), ask("No, I live in Hamburg.")}, facts.Corrected},
		{"moved", "- Lives in Berlin.", []facts.Turn{ask("Where?"), answer("In Berlin."), ask("I moved to Hamburg last week.")}, facts.Corrected},
		{"two turns later", "- Lives in Berlin.", []facts.Turn{ask("Where?"), answer("Berlin."), ask("Hm."), answer("Yes?"), ask("I live in Hamburg now.")}, facts.Corrected},
		{"too late", "- Lives in Berlin.", []facts.Turn{
			ask("Where?"), answer("Berlin."), ask("Hm."), answer("Yes?"), ask("Go on."), answer("OK."), ask("I live in Hamburg now."),
		}, facts.Used},
		{"asked back", "- Lives in Berlin.", []facts.Turn{ask("Where?"), answer("Berlin."), ask("Do I live in Hamburg?")}, facts.Used},
		{"another subject", "- Lives in Berlin.", []facts.Turn{ask("Where?"), answer("Berlin."), ask("My sister lives in Hamburg.")}, facts.Used},
		{"German", "- Ich wohne in Berlin.", []facts.Turn{ask("Wo wohne ich?"), answer("Du wohnst in Berlin."), ask("Nein, ich wohne in Hamburg.")}, facts.Corrected},
		{"Chinese", "- 我住在北京。", []facts.Turn{ask("我住在哪里？"), answer("你住在北京。"), ask("不对，我住在上海。")}, facts.Corrected},
		{"key line", "- **deploy day**: Thursday", []facts.Turn{ask("When?"), answer("On Thursday."), ask("Good.")}, facts.Used},
	} {
		statement := facts.Of("MEMORY.md", c.fact)[0]
		for i := range c.turns {
			c.turns[i].At = start.Add(time.Duration(i) * time.Minute)
		}
		if got, _ := facts.NewConversation(c.turns).Judge(statement, []time.Time{start.Add(time.Second)}, false); got != c.want {
			t.Errorf("%s: verdict %d, want %d", c.name, got, c.want)
		}
	}
}

// What was in the system prompt, whatever the message was, is used only by an answer to a question about it.
func TestWhatAConversationShowsOfThePrompt(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		fact, asked, answer, said string
		want                      facts.Verdict
	}{
		{"- Lives in Berlin.", "Where do I live?", "In Berlin.", "Thanks.", facts.Used},
		{"- Lives in Berlin.", "What is the capital of Germany?", "It is Berlin.", "Thanks.", facts.Unused},
		{"- Lives in Berlin.", "Hi", "Hello!", "I moved to Hamburg last week.", facts.Corrected},
		{"- **deploy day**: Friday", "When is the party?", "On Friday.", "OK.", facts.Unused},
		{"- **deploy day**: Friday", "When do we deploy?", "On Friday.", "OK.", facts.Used},
	} {
		talk := facts.NewConversation([]facts.Turn{
			{At: start, Person: true, Text: c.asked},
			{At: start.Add(time.Minute), Text: c.answer},
			{At: start.Add(2 * time.Minute), Person: true, Text: c.said},
		})
		if got, _ := talk.Judge(facts.Of("MEMORY.md", c.fact)[0], []time.Time{start.Add(time.Second)}, true); got != c.want {
			t.Errorf("%s %s: verdict %d, want %d", c.fact, c.asked, got, c.want)
		}
	}
}

// More helpful feedback never lowers trust, more unhelpful feedback never raises it, whatever else is known.
func TestTrustIsMonotoneInFeedback(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	sources := []facts.Source{facts.SourcePerson, facts.SourceEdit, facts.SourceModel, facts.SourceEngine, facts.SourceImport}
	rapid.Check(t, func(r *rapid.T) {
		e := facts.Evidence{
			Source: rapid.SampledFrom(sources).Draw(r, "source"), Helpful: rapid.Float64Range(0, 20).Draw(r, "helpful"),
			Unhelpful: rapid.Float64Range(0, 20).Draw(r, "unhelpful"), Days: rapid.IntRange(1, 10).Draw(r, "days"),
			Seen: now.Add(-time.Duration(rapid.IntRange(0, 1000).Draw(r, "hours")) * time.Hour), HalfLife: rapid.SampledFrom(facts.HalfLives()).Draw(r, "half-life"),
		}
		more := rapid.Float64Range(0, 5).Draw(r, "more")
		better, worse, later := e, e, e
		better.Helpful += more
		worse.Unhelpful += more
		later.Helpful += more // feedback is also a confirmation
		later.Seen = e.Seen.Add(time.Duration(rand.IntN(100)) * time.Minute)
		trust := e.Trust(now)
		if better.Trust(now) < trust || worse.Trust(now) > trust || later.Trust(now) < trust {
			r.Fatalf("trust %v: helpful %v, unhelpful %v, later %v", trust, better.Trust(now), worse.Trust(now), later.Trust(now))
		}
	})
}
