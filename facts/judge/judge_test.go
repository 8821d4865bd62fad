package judge_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/facts"
	"reverie/facts/judge"
)

func TestWhatAConversationShows(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	ask := func(text string) judge.Turn { return judge.Turn{Person: true, Text: text} }
	answer := func(text string) judge.Turn { return judge.Turn{Text: text} }
	for _, c := range []struct {
		name, fact string
		turns      []judge.Turn // the statement is found after the first one
		want       judge.Verdict
	}{
		{"used", "- Lives in Berlin.", []judge.Turn{ask("Where do I live?"), answer("You live in Berlin."), ask("Thanks, that helps a lot.")}, judge.Used},
		{"not mentioned", "- Lives in Berlin.", []judge.Turn{ask("Hi"), answer("Hello!"), ask("I live in an old house.")}, judge.Unused},
		{"another value", "- Lives in Berlin.", []judge.Turn{ask("Where do I live?"), answer("In Berlin."), ask("No, I live in Hamburg.")}, judge.Corrected},
		{"moved", "- Lives in Berlin.", []judge.Turn{ask("Where?"), answer("In Berlin."), ask("I moved to Hamburg last week.")}, judge.Corrected},
		{"two turns later", "- Lives in Berlin.", []judge.Turn{
			ask("Where?"), answer("Berlin."), ask("Hm."), answer("Yes?"), ask("I live in Hamburg now."),
		}, judge.Corrected},
		{"too late", "- Lives in Berlin.", []judge.Turn{
			ask("Where?"), answer("Berlin."), ask("Hm."), answer("Yes?"), ask("Go on."), answer("OK."), ask("I live in Hamburg now."),
		}, judge.Used},
		{"asked back", "- Lives in Berlin.", []judge.Turn{ask("Where?"), answer("Berlin."), ask("Do I live in Hamburg?")}, judge.Used},
		{"another subject", "- Lives in Berlin.", []judge.Turn{ask("Where?"), answer("Berlin."), ask("My sister lives in Hamburg.")}, judge.Used},
		{"German", "- Ich wohne in Berlin.", []judge.Turn{ask("Wo wohne ich?"), answer("Du wohnst in Berlin."), ask("Nein, ich wohne in Hamburg.")}, judge.Corrected},
		{"Chinese", "- 我住在北京。", []judge.Turn{ask("我住在哪里？"), answer("你住在北京。"), ask("不对，我住在上海。")}, judge.Corrected},
		{"a name", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("wrong, my dentist is Dr. Brandt"),
		}, judge.Corrected},
		{"a name in the next sentence", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("That's wrong! My dentist is Dr. Brandt."),
		}, judge.Corrected},
		{"a name in Spanish", "- Mi dentista es el Dr. García.", []judge.Turn{
			ask("¿Quién es mi dentista?"), answer("Tu dentista es el Dr. García."), ask("No, mi dentista es el Dr. López."),
		}, judge.Corrected},
		{"a name in Chinese", "- 我的牙医是王医生。", []judge.Turn{
			ask("我的牙医是谁？"), answer("你的牙医是王医生。"), ask("不对，我的牙医是李医生。"),
		}, judge.Corrected},
		{"a name in Russian", "- Мой врач доктор Иванов.", []judge.Turn{
			ask("Кто мой врач?"), answer("Твой врач доктор Иванов."), ask("Нет, мой врач доктор Петров."),
		}, judge.Corrected},
		{"a name in Italian, hardly a function word", "- Dentista: Rossi a Modena", []judge.Turn{
			ask("Chi è il mio dentista?"), answer("Il tuo dentista è Rossi a Modena."), ask("Sbagliato, dentista Bianchi a Modena."),
		}, judge.Corrected},
		{"actually", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("Actually my dentist is Dr. Brandt"),
		}, judge.Corrected},
		{"the value alone", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("Not Weber, Brandt."),
		}, judge.Unused},
		{"a correction in other words", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("Wrong, I changed to another dentist in May."),
		}, judge.Unused},
		{"a bare correction", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("That's wrong."),
		}, judge.Unused},
		{"confirmed", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber."), ask("Right, my dentist is Dr. Weber."),
		}, judge.Used},
		{"another correction", "- My dentist is Dr. Weber.", []judge.Turn{
			ask("Who is my dentist?"), answer("Your dentist is Dr. Weber, in Cologne."), ask("No, my sister lives in Bonn."),
		}, judge.Used},
		{"key line", "- **deploy day**: Thursday", []judge.Turn{ask("When?"), answer("On Thursday."), ask("Good.")}, judge.Used},
	} {
		statement := facts.Of("MEMORY.md", c.fact)[0]
		for i := range c.turns {
			c.turns[i].At = start.Add(time.Duration(i) * time.Minute)
		}
		if got, _ := judge.NewConversation(c.turns).Judge(statement, []time.Time{start.Add(time.Second)}, false); got != c.want {
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
		want                      judge.Verdict
	}{
		{"- Lives in Berlin.", "Where do I live?", "In Berlin.", "Thanks.", judge.Used},
		{"- Lives in Berlin.", "What is the capital of Germany?", "It is Berlin.", "Thanks.", judge.Unused},
		{"- Lives in Berlin.", "Hi", "Hello!", "I moved to Hamburg last week.", judge.Corrected},
		{"- **deploy day**: Friday", "When is the party?", "On Friday.", "OK.", judge.Unused},
		{"- **deploy day**: Friday", "When do we deploy?", "On Friday.", "OK.", judge.Used},
	} {
		talk := judge.NewConversation([]judge.Turn{
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
