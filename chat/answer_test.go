package chat_test

import (
	"strings"
	"testing"
	"time"

	"reverie/chat"
	"reverie/memory"
)

// alone is a world without a model.
func alone(t *testing.T) *world {
	t.Helper()
	w := open(t)
	w.Model = nil
	return w
}

func TestAnswersWithoutAModel(t *testing.T) {
	w := alone(t)
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Facts\n\n- Lives in Aurich since 2024\n- The boathouse has three oars\n- 数据库的端口是5433\n")
	w.write(memory.NoOwner, "team/ports.md", "# Ports\n\n- The staging database listens on port 5433.\n")
	w.said(grace, "c0", "My sister Nora plays the oboe.", "How nice.", "Which instrument does Nora play?", "The oboe.")
	for _, c := range []struct {
		message   string
		has, lack []string
	}{
		{
			"Which port does the staging database use?",
			[]string{"From memory:", "listens on port 5433", "(team/ports.md:3)", "No language model"},
			[]string{"Aurich"},
		},
		{"How many oars are in the boathouse?", []string{"three oars", "(MEMORY.md:6)"}, []string{"5433"}},
		{"What does my sister Nora play?", []string{"plays the oboe", "(sessions/c0:1)"}, []string{"Which instrument"}},
		{"数据库的端口是多少？", []string{"根据记忆", "5433", "MEMORY.md:7", "未配置语言模型"}, []string{"From memory"}},
		{
			"Who won the chess championship of 1927?",
			[]string{"I found nothing about that in memory.", "No language model"},
			[]string{"From memory"},
		},
		{"谁赢得了象棋冠军赛？", []string{"记忆中没有找到"}, []string{"From memory"}},
		{"Hello!", []string{"Ask me about", "No language model"}, []string{"found nothing"}},
		{"¿Quién ganó el campeonato de ajedrez?", []string{"No he encontrado nada"}, nil},
		{"Wer hat die Schachmeisterschaft gewonnen?", []string{"nichts gefunden"}, nil},
	} {
		turn, events := w.turn(grace, chat.TurnRequest{Message: c.message})
		for _, want := range c.has {
			if !strings.Contains(turn.Answer, want) {
				t.Errorf("%s: the answer lacks %q:\n%s", c.message, want, turn.Answer)
			}
		}
		for _, not := range c.lack {
			if strings.Contains(turn.Answer, not) {
				t.Errorf("%s: the answer has %q:\n%s", c.message, not, turn.Answer)
			}
		}
		if turn.Model != "builtin/recall" || turn.Rounds != 0 || turn.Finish != "stop" || textOf(events) != turn.Answer {
			t.Errorf("%+v", turn)
		}
	}
}

// The program's own earlier answers are not memory: repeating a question gives the same answer.
func TestAnswersWithoutAModelDoNotQuoteThemselves(t *testing.T) {
	w := alone(t)
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	var answers []string
	for range 3 {
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "How many oars are in the boathouse?"})
		answer, _, _ := strings.Cut(turn.Answer, "\n(No language model") // only in the first one
		answers = append(answers, answer)
	}
	if answers[0] != answers[1] || answers[1] != answers[2] || strings.Count(answers[2], "three oars") != 1 {
		t.Errorf("%q", answers)
	}
	messages := w.messages(grace, "c1")
	if len(messages) != 6 || messages[1].Name != "builtin/recall" {
		t.Errorf("stored %+v", messages)
	}
}

func TestAnswersWithoutAModelAreTheOwners(t *testing.T) {
	w := alone(t)
	w.write(alan, "notes/boat.md", "The boathouse has three oars.\n")
	if turn, _ := w.turn(grace, chat.TurnRequest{Message: "How many oars are in the boathouse?"}); strings.Contains(turn.Answer, "three") {
		t.Error(turn.Answer)
	}
}

func TestAnswersWithoutAModelAndMemory(t *testing.T) {
	w := alone(t)
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	no := false
	w.agent.Settings.MemoryEnabled = &no
	for _, message := range []string{"How many oars are in the boathouse?", "Remember that the boat is called Heron."} {
		if turn, _ := w.turn(grace, chat.TurnRequest{Message: message}); !strings.Contains(turn.Answer, "switched off") ||
			strings.Contains(turn.Answer, "three") || turn.Remembered != nil {
			t.Errorf("%s: %s", message, turn.Answer)
		}
	}
}

// Only what an answer quotes counts as recalled.
func TestWhatIsQuotedIsRecorded(t *testing.T) {
	w := alone(t)
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	w.write(grace, "notes/house.md", "The house has a garden with three trees.\n")
	w.turn(grace, chat.TurnRequest{Message: "How many oars are in the boathouse?"})
	if err := w.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := w.Store.Recalls(t.Context(), as(grace), start.Add(-time.Hour), true, 100)
	if err != nil || len(kept) != 1 || kept[0].Path != "notes/boat.md" {
		t.Errorf("%+v, %v", kept, err)
	}
}

// A full window that cannot be flushed does not fail a turn without a model.
func TestAnswersWithoutAModelAndWorkflows(t *testing.T) {
	w := alone(t)
	w.long(grace, "c1", 12)
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	w.compactor.failing = chat.ErrUnreachable
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "How many oars are in the boathouse?", MaxTokens: 6000})
	if !strings.Contains(turn.Answer, "three oars") {
		t.Error(turn.Answer)
	}
}

// Questions of the system itself do not count as use of memory.
func TestSyntheticTurns(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	w.model.will(say("Three."))
	w.turn(grace, chat.TurnRequest{Trigger: memory.TriggerCron, Message: "How many oars are in the boathouse?"})
	if err := w.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := w.Store.Recalls(t.Context(), as(grace), start.Add(-time.Hour), true, 100)
	if err != nil || len(kept) != 1 || !kept[0].Synthetic {
		t.Errorf("%+v, %v", kept, err)
	}
}

// A saved statement is quoted from its document, not from the request to remember it, which may be outdated.
func TestRequestsToRememberAreNotQuoted(t *testing.T) {
	w := alone(t)
	w.said(grace, "c0", "Please remember that the boathouse has four windows.", "I will.") // nothing was saved
	for _, message := range []string{"Remember that my boat is called Heron.", "Remember that my boat is called Egret."} {
		w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: message})
	}
	for _, conversation := range []string{"c1", "c2"} {
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: conversation, Message: "What is my boat called?"})
		if !strings.Contains(turn.Answer, "Egret") || strings.Contains(turn.Answer, "Heron") || strings.Count(turn.Answer, "\n- ") != 1 {
			t.Errorf("%s: %s", conversation, turn.Answer)
		}
	}
	d, err := w.Store.Document(t.Context(), as(grace), memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath})
	if err != nil {
		t.Fatal(err)
	}
	w.write(grace, memory.MemoryPath, strings.ReplaceAll(d.Content, "My boat is called Egret.", "My bicycle is red."))
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c2", Message: "What is my boat called?"})
	if len(turn.Quoted) > 0 || strings.Contains(turn.Answer, "Egret") {
		t.Error(turn.Answer)
	}
	if turn, _ := w.turn(grace, chat.TurnRequest{
		Conversation: "c2",
		Message:      "How many windows has the boathouse?",
	}); !strings.Contains(turn.Answer, "four windows") {
		t.Error(turn.Answer)
	}
}

// Answers given without a model are not recalled for a model either.
func TestAnswersWithoutAModelAreNotRecalled(t *testing.T) {
	w := open(t)
	model := w.Model
	w.Model = nil
	w.write(grace, "notes/boat.md", "The boathouse has three oars.\n")
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "How many oars are in the boathouse?"})
	w.Model = model
	w.model.will(say("Three."))
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c2", Message: "Tell me how many oars are in the boathouse."})
	for _, r := range turn.Context.Recalled {
		if r.Message.Name == "builtin/recall" {
			t.Errorf("recalled %q", r.Text)
		}
	}
	if len(turn.Context.Recalled) == 0 || turn.Context.Recalled[0].Path != "notes/boat.md" {
		t.Errorf("%+v", turn.Context.Recalled)
	}
}

// An answer that quotes both sides of a contradiction says so, in the language of the question.
func TestAnswersSayWhatDisagrees(t *testing.T) {
	w := alone(t)
	w.write(grace, memory.MemoryPath, "# Memory\n\n## Facts\n\n- The rent of the flat is 950 euros\n- The rent of the flat is 1,020 euros\n")
	for message, want := range map[string]string{
		"How much is the rent of the flat?":      "“The rent of the flat is 950 euros” and “The rent of the flat is 1,020 euros” disagree",
		"What do you know about me?":             "disagree",
		"Wie hoch ist die Miete (rent of flat)?": "widersprechen sich",
	} {
		turn, _ := w.turn(grace, chat.TurnRequest{Message: message})
		if !strings.Contains(turn.Answer, want) && strings.Contains(turn.Answer, "950") {
			t.Errorf("%s: %s", message, turn.Answer)
		}
		if !strings.Contains(turn.Answer, "950") {
			t.Errorf("%s is not answered: %s", message, turn.Answer)
		}
	}
}
