package chat_test

import (
	"strings"
	"testing"
	"time"

	"reverie/chat"
	"reverie/memory"
)

// Lines of notes and files, and messages, are quoted with their days and speakers, in one pair of quotation marks.
func TestQuotations(t *testing.T) {
	w := alone(t)
	w.write(grace, "memory/2026-03-10.md", "# 2026-03-10\n\n## 14:05 Max\n\n"+
		"- \"My son Max, he's 12, broke his arm.\"\n"+
		"- [Which city does my aunt live in?] \"Bonn.\"\n"+
		"- Jonas: \"The cabin key is under the blue stone.\"\n"+
		"- Jonas: [Which wine for the wedding?] \"Riesling.\"\n"+
		"- \"The dentist appointment is on Friday [2026-03-13] at 9.\"\n"+
		"- (later: 2026-03-11) \"The rehearsal begins at noon.\"\n"+
		"- “He shouted \"fire\" at the theatre.”\n"+
		"- The regatta was cancelled.\n")
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Facts\n\n- \"Our budget is 400 euros.\"\n"+
		"- Lives in Aurich. <!-- memory/2026-02-01.md:7 score 0.81 -->\n")
	w.store(grace, "c0",
		memory.Message{ID: "1", Role: memory.RoleOfUser, Content: "Hi! My parrot is called Coco. Is that a good name?", CreatedAt: start},
		memory.Message{ID: "2", Role: memory.RoleOfAssistant, Content: "Parrots like walnuts.", CreatedAt: start.Add(time.Minute)},
	)
	for question, want := range map[string]string{
		"Who broke his arm?":                     "On 2026-03-10 you said: “My son Max, he's 12, broke his arm.” (memory/2026-03-10.md:5)",
		"Which city does my aunt live in?":       "On 2026-03-10, asked “Which city does my aunt live in?”, you said: “Bonn.” (memory/2026-03-10.md:6)",
		"Where is the cabin key?":                "On 2026-03-10 Jonas said: “The cabin key is under the blue stone.” (memory/2026-03-10.md:7)",
		"Which wine do we have for the wedding?": "On 2026-03-10 Jonas said: (Which wine for the wedding?) “Riesling.” (memory/2026-03-10.md:8)",
		"When is the dentist appointment?":       "On 2026-03-10 you said: “The dentist appointment is on Friday (2026-03-13) at 9.” (memory/2026-03-10.md:9)",
		"When does the rehearsal begin?":         "On 2026-03-10 you said: “(later: 2026-03-11) The rehearsal begins at noon.” (memory/2026-03-10.md:10)",
		"Who shouted at the theatre?":            "On 2026-03-10 you said: “He shouted \"fire\" at the theatre.” (memory/2026-03-10.md:11)",
		"Was the regatta cancelled?":             "Noted on 2026-03-10: “The regatta was cancelled.” (memory/2026-03-10.md:12)",
		"What is our budget?":                    "You said: “Our budget is 400 euros.” (MEMORY.md:5)",
		"Who lives in Aurich?":                   "Noted on 2026-02-01: “Lives in Aurich.” (MEMORY.md:6)",
		"What is my parrot called?":              "On 2026-05-20 you said: “My parrot is called Coco.” (sessions/c0:1)",
		"Do parrots like walnuts?":               "On 2026-05-20 I said: “Parrots like walnuts.” (sessions/c0:2)",
	} {
		turn, _ := w.turn(grace, chat.TurnRequest{Message: question})
		if !strings.Contains(turn.Answer, "From memory:\n- "+want) {
			t.Errorf("%s\n%s\nwant %s", question, turn.Answer, want)
		}
	}
}

// An older value says where a newer one is.
func TestOlderValuesAreQuotedAsSuch(t *testing.T) {
	w := alone(t)
	w.said(grace, "c0", "The rent of my flat is 900 euros.", "Noted.", "The rent of my flat is now 950 euros.", "Noted.")
	turn, _ := w.turn(grace, chat.TurnRequest{Message: "How high is the rent of my flat?"})
	older, newer := "900 euros.” (sessions/c0:1), superseded by sessions/c0#L3", "950 euros.” (sessions/c0:3)\n"
	if at := strings.Index(turn.Answer, newer); at < 0 || at > strings.Index(turn.Answer, older) {
		t.Error(turn.Answer)
	}
}

// What a message asks or requests is not quoted, what shares too few words with the question is not quoted, and a weak
// match is called one.
func TestWhatIsNotQuoted(t *testing.T) {
	w := alone(t)
	w.write(grace, "notes/trip.md", "- The trip to France with the rowing club begins in June.\n")
	w.said(grace, "c0", "Write a poem about my kayak.", "No.", "Where is my kayak?", "I do not know.", "kayak key", "?",
		"Tell me about the kayak.", "No.")
	for question, want := range map[string]string{
		"Where is my kayak?":                                  "I found nothing",
		"Which kayak is mine?":                                "I found nothing",
		"What is the capital and the population of France?":   "What comes closest:",
		"Who wrote the national anthem of France in 1792?":    "I found nothing",
		"I am so tired of all that rain.":                     "I keep that in this conversation",
		"Could you please compose a song about rowing clubs?": "I can't do that",
	} {
		turn, _ := w.turn(grace, chat.TurnRequest{Message: question})
		if !strings.Contains(turn.Answer, want) || len(turn.Quoted) > 1 {
			t.Errorf("%s\n%s\nwant %s", question, turn.Answer, want)
		}
	}
}

// What is known about a person is bounded, and in a group it is the section of the person who asks.
func TestWhatIsKnownAboutAPerson(t *testing.T) {
	w := alone(t)
	many := ""
	for range 20 {
		many += "- Fact " + strings.Repeat("x", len(many)%17+1) + time.Duration(len(many)).String() + "\n"
	}
	w.write(grace, memory.MemoryPath, "# Memory\n\nWhat is worth knowing in every conversation with anyone. What concerns one person stands in that "+
		"person's own memory.\n\n## Facts\n\n"+many+"\n## Tasks\n\n- Call the bank <!-- memory/2026-03-10.md:3 -->\n")
	w.write(grace, "memory/2026-03-10.md",
		"# 2026-03-10\n\n## 14:05 Max\n\n- \"Max broke his arm.\"\n- [Which city?] \"Bonn.\"\n- \"Is it far?\"\n")
	w.write(grace, "memory/2026-03-09.md", "# 2026-03-09\n\n## 14:05 Rain\n\n- \"It rained.\"\n")
	turn, _ := w.turn(grace, chat.TurnRequest{Message: "What do you know about me?"})
	for _, want := range []string{
		"What I know about you:\nFacts\n- Fact x",
		"\nTasks\n- Call the bank\n… and 12 more in MEMORY.md\n2026-03-10\n- “Max broke his arm.”\n- (Which city?) “Bonn.”\n(No language model",
	} {
		if !strings.Contains(turn.Answer, want) {
			t.Errorf("%q is missing:\n%s", want, turn.Answer)
		}
	}
	if strings.Contains(turn.Answer, "worth knowing") || strings.Contains(turn.Answer, "rained") || strings.Count(turn.Answer, "- Fact") != 8 {
		t.Error(turn.Answer)
	}
	w.write(crew, memory.MemoryPath, crewMemory)
	turn, _ = w.turn(crew, chat.TurnRequest{Message: "What do you know about me?", Name: "Ada", Speaker: ada})
	if !strings.Contains(turn.Answer, "budget is $10") || strings.Contains(turn.Answer, "$20") || strings.Contains(turn.Answer, "in May") {
		t.Error(turn.Answer)
	}
}

// TestWhatIsKnownBeforeAnExtraction asks what is known before anything was extracted: the answer quotes the conversation.
func TestWhatIsKnownBeforeAnExtraction(t *testing.T) {
	w := alone(t)
	for _, message := range []string{"Hi!", "I'm Tom and I teach physics in Leeds.", "My dog is called Rex.", "Where is Leeds?", "Forget that my dog is called Rex."} {
		w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: message})
	}
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "What do you know about me?"})
	if !strings.HasPrefix(turn.Answer, "What I know about you:\n- On 2") || !strings.Contains(turn.Answer, "“I'm Tom and I teach physics in Leeds.”") ||
		strings.Contains(turn.Answer, "Rex") || strings.Contains(turn.Answer, "Where") {
		t.Error(turn.Answer)
	}

	w.write(grace, memory.ProfilePath, "## Identity\n\n- \"I'm Tom.\"\n")
	w.write(grace, "memory/2026-03-10.md", "## 14:05 Tom\n\n- \"I'm Tom.\"\n- \"It rains.\"\n")
	turn, _ = w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "What do you know about me?"})
	if strings.Count(turn.Answer, "I'm Tom") != 1 || !strings.Contains(turn.Answer, "It rains.") {
		t.Error(turn.Answer)
	}
}

// TestCorrectionsAreQuoted asks for a value that the user has corrected: before an extraction the correction is quoted with it, and
// afterwards only the line with the right value.
func TestCorrectionsAreQuoted(t *testing.T) {
	w := alone(t)
	for _, message := range []string{"I'm training for the Berlin marathon, my target is 3:45.", "Where is Leeds?", "Actually make that 3:30, I've been getting faster."} {
		w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: message})
	}
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "What's my marathon target?"})
	if wrong, right := strings.Index(turn.Answer, "3:45"), strings.Index(turn.Answer, "3:30"); wrong < 0 || right < wrong || len(turn.Quoted) != 2 {
		t.Error(turn.Answer)
	}
	w.write(grace, memory.MemoryPath, "## Dates\n\n- \"I'm training for the Berlin marathon, my target is [3:30].\"\n")
	w.write(grace, "memory/2026-03-10.md", "## 14:05 Marathon\n\n- \"I'm training for the Berlin marathon, my target is 3:45.\"\n")
	turn, _ = w.turn(grace, chat.TurnRequest{Conversation: "c2", Message: "What's my marathon target?"})
	if !strings.Contains(turn.Answer, "my target is [3:30].”") || strings.Contains(turn.Answer, "3:45") {
		t.Error(turn.Answer)
	}
}

// A quotation has no signs of Markdown that the text has not.
func TestQuotationsAreReadable(t *testing.T) {
	w := alone(t)
	w.write(grace, memory.MemoryPath, "- \"My regex for the harbour log is [a-z]{2} and it is in docs[0].\"\n")
	for _, question := range []string{"What is my regex for the harbour log?", "What do you know about me?"} {
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: question})
		if !strings.Contains(turn.Answer, "“My regex for the harbour log is [a-z]{2} and it is in docs[0].”") {
			t.Error(turn.Answer)
		}
	}
	for _, m := range w.messages(grace, "c1") {
		if strings.Contains(m.Content, `\[`) {
			t.Error(m.Content)
		}
	}
}

// Headings are in the language of the question, whatever language they were written in.
func TestHeadingsInTheLanguageOfTheQuestion(t *testing.T) {
	w := alone(t)
	w.write(grace, memory.MemoryPath, "# Memory\n\n## People\n\n- Nora is a doctor.\n\n## 偏好\n\n- 喜欢喝茶\n\n## Boats\n\n- The Albatross.\n")
	for question, want := range map[string]string{
		"Was weißt du über mich?":    "Menschen\n- Nora is a doctor.\nVorlieben\n- 喜欢喝茶\nBoats\n- The Albatross.",
		"What do you know about me?": "People\n- Nora is a doctor.\nPreferences\n- 喜欢喝茶\nBoats\n- The Albatross.",
		"你知道关于我的什么？":                 "人物\n- Nora is a doctor.\n偏好\n- 喜欢喝茶\nBoats\n- The Albatross.",
	} {
		if turn, _ := w.turn(grace, chat.TurnRequest{Message: question}); !strings.Contains(turn.Answer, want) {
			t.Errorf("%s: %s", question, turn.Answer)
		}
	}
}
