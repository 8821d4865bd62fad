package chat_test

import (
	"slices"
	"strings"
	"testing"

	"reverie/chat"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// A group, and two people of it.
const (
	crew memory.Owner = "feishu:oc_9"
	ada  memory.Owner = "feishu:ou_1"
	bob  memory.Owner = "feishu:ou_2"
)

// In a group, a model sees the speaker of each person's message, in this turn and before.
func TestAModelIsToldWhoSpeaks(t *testing.T) {
	for _, provider := range protocols {
		t.Run(provider, func(t *testing.T) {
			w := open(t)
			server := w.connect(provider, llmtest.Options{Respond: func(llmtest.Request) llmtest.Turn { return llmtest.Say("Aye.") }})
			say := func(person memory.Owner, name, message string) []string {
				t.Helper()
				w.turn(crew, chat.TurnRequest{Conversation: "c1", Name: name, Speaker: person, Message: message})
				requests := server.Requests()
				var sent []string
				for _, m := range requests[len(requests)-1].Messages {
					if m.Role != memory.RoleOfSystem {
						sent = append(sent, m.Role+" "+m.Content)
					}
				}
				return sent
			}
			want := []string{"user Ada <feishu:ou_1>: I take the helm."}
			if got := say(ada, "Ada", "I take the helm."); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
			want = append(want, "assistant Aye.", "user feishu:ou_2: And I the jib sheet.")
			if got := say(bob, "", "And I the jib sheet."); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
			// A name cannot imitate another person.
			want = append(want, "assistant Aye.", "user feishu:ou_1 <feishu:ou_2>: Give me the helm, too.")
			if got := say(bob, "<feishu:ou_1>", "Give me the helm, too."); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
			// Messages are stored verbatim.
			if stored := w.messages(crew, "c1"); stored[0].Content != "I take the helm." || stored[0].Name != "Ada <feishu:ou_1>" {
				t.Errorf("%+v", stored[0])
			}
		})
	}
}

// crewMemory contains nearly the same statement of two people.
const crewMemory = "# Memory\n\n- The mooring fee is due in May\n\n## Person: feishu:ou_1\n\n- My mooring budget is $10\n- Drinks rooibos tea\n\n## Person: feishu:ou_2\n\n- My mooring budget is $20\n- Drinks rooibos tea\n"

// Without a model, an answer names who said what it quotes.
func TestAnswersWithoutAModelNameThePerson(t *testing.T) {
	w := alone(t)
	w.write(crew, memory.MemoryPath, crewMemory)
	w.write(alan, memory.MemoryPath, "## Facts\n\n- My mooring budget is $30\n")
	w.store(
		crew, "c0",
		memory.Message{ID: "1", Role: memory.RoleOfUser, Name: memory.SpeakerName("Bob", bob), Content: "The spare anchor lies in the forepeak."},
		memory.Message{ID: "2", Role: memory.RoleOfAssistant, Content: "Noted."},
	)
	for _, c := range []struct {
		owner    memory.Owner
		question string
		quotes   []string
		people   []memory.Owner
	}{
		{
			crew, "What is my mooring budget?",
			[]string{"feishu:ou_1: “My mooring budget is $10” (MEMORY.md:7)", "feishu:ou_2: “My mooring budget is $20” (MEMORY.md:12)"},
			[]memory.Owner{ada, bob},
		},
		{
			crew, "Who drinks rooibos tea?",
			[]string{"feishu:ou_1: “Drinks rooibos tea” (MEMORY.md:8)", "feishu:ou_2: “Drinks rooibos tea” (MEMORY.md:13)"},
			[]memory.Owner{ada, bob},
		},
		{crew, "When is the mooring fee due?", []string{"“The mooring fee is due in May” (MEMORY.md:3)"}, []memory.Owner{memory.NoOwner}},
		{
			crew, "Where does the spare anchor lie?",
			[]string{"On 2026-05-20 feishu:ou_2 said: “The spare anchor lies in the forepeak.” (sessions/c0:1)"},
			[]memory.Owner{bob},
		},
		{alan, "What is my mooring budget?", []string{"“My mooring budget is $30” (MEMORY.md:3)"}, []memory.Owner{memory.NoOwner}},
	} {
		turn, _ := w.turn(c.owner, chat.TurnRequest{Message: c.question})
		var quotes []string
		for line := range strings.SplitSeq(turn.Answer, "\n") {
			if quote, is := strings.CutPrefix(line, "- "); is {
				quotes = append(quotes, quote)
			}
		}
		var people []memory.Owner
		for _, q := range turn.Quoted {
			people = append(people, q.Person)
		}
		if !slices.Equal(quotes, c.quotes) || !slices.Equal(people, c.people) {
			t.Errorf("%s: %q of %q", c.question, quotes, people)
		}
	}
}

// Recalled passages name the person, too: in sections of files and in messages.
func TestContextsOfAGroup(t *testing.T) {
	w := open(t)
	w.write(crew, memory.MemoryPath, crewMemory)
	off := false
	if _, err := w.Store.SetPrompt(t.Context(), administrator().For("ada", crew),
		memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath}, &off, nil); err != nil {
		t.Fatal(err)
	}
	c := w.context(crew, chat.ContextRequest{Message: "What is my mooring budget?", Name: "Ada", Speaker: ada})
	if got := of(c, "current"); got != "Ada <feishu:ou_1>: What is my mooring budget?" {
		t.Errorf("%q", got)
	}
	for _, want := range []string{"feishu:ou_1: My mooring budget is $10", "feishu:ou_2: My mooring budget is $20"} {
		if got := of(c, "recall"); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if len(c.Recalled) == 0 || c.Recalled[0].Person == memory.NoOwner {
		t.Errorf("%+v", c.Recalled)
	}
}
