package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"reverie/chat"
	"reverie/memory"
)

// Questions for an attribute of a person are answered with the line that claims it, whatever words it has.
func TestQuestionsForAttributes(t *testing.T) {
	w := alone(t)
	for i, c := range []struct {
		lines string
		want  map[string]string // question to a part of the line
	}{
		{
			"I am Grace Hopper.\nI'm 41 years old.\nI work as a nurse at the Charité.\nI live in Hamburg, near the harbour.\nI'm married to Alan.\n" +
				"My wife is called Nora.\nMy sister lives in Oslo.\nMy brother is 30.\nMy dog is called Rex.",
			map[string]string{
				"What is my job?": "a nurse", "What do I do for a living?": "a nurse", "Where do I work?": "Charité", "Where do I live?": "Hamburg",
				"Which city do I live in?": "Hamburg", "How old am I?": "41", "What's my name?": "Grace", "Who is my wife?": "Nora",
				"Where does my sister live?": "Oslo", "How old is my brother?": "30", "What is my dog's name?": "Rex",
			},
		},
		{
			"Ich heiße Greta.\nIch bin 41 Jahre alt.\nIch arbeite als Krankenpflegerin bei der Charité.\nIch wohne in Hamburg.\nMeine Frau heißt Nora.\n" +
				"Meine Schwester wohnt in Oslo.",
			map[string]string{
				"Was ist mein Beruf?": "Krankenpflegerin", "Was mache ich beruflich?": "Krankenpflegerin", "Wo arbeite ich?": "Charité",
				"Wo wohne ich?": "Hamburg", "Wo lebe ich?": "Hamburg", "Wie alt bin ich?": "41", "Wie heiße ich?": "Greta", "Wer ist meine Frau?": "Nora",
				"Wo wohnt meine Schwester?": "Oslo",
			},
		},
		{
			"Me llamo Greta.\nTengo 41 años.\nTrabajo como enfermera en el hospital Charité.\nVivo en Hamburgo.\nMi mujer se llama Nora.\nMi hermana vive en Oslo.",
			map[string]string{
				"¿Cuál es mi trabajo?": "enfermera", "¿En qué trabajo?": "enfermera", "¿Dónde trabajo?": "Charité", "¿Dónde vivo?": "Hamburgo",
				"¿Cuántos años tengo?": "41", "¿Cómo me llamo?": "Greta", "¿Quién es mi mujer?": "Nora", "¿Dónde vive mi hermana?": "Oslo",
			},
		},
		{
			"Je m'appelle Greta.\nJ'ai 41 ans.\nJe travaille comme infirmière à la Charité.\nJ'habite à Hambourg.\nMa femme s'appelle Nora.\n" +
				"Ma sœur habite à Oslo.",
			map[string]string{
				"Quel est mon métier ?": "infirmière", "Que fais-je dans la vie ?": "infirmière", "Où est-ce que je travaille ?": "Charité",
				"Où est-ce que j'habite ?": "Hambourg", "Quel âge ai-je ?": "41", "Comment je m'appelle ?": "Greta", "Qui est ma femme ?": "Nora",
				"Où habite ma sœur ?": "Oslo",
			},
		},
		{
			"我叫小梅。\n我今年41岁。\n我在夏里特医院当护士。\n我住在汉堡。\n我的妻子叫诺拉。\n我姐姐住在奥斯陆。",
			map[string]string{
				"我的工作是什么？": "护士", "我是做什么的？": "护士", "我在哪里工作？": "夏里特", "我住在哪里？": "住在汉堡", "我几岁？": "41",
				"我多大了？": "41", "我叫什么名字？": "小梅", "我的妻子是谁？": "诺拉", "我姐姐住在哪里？": "奥斯陆",
			},
		},
	} {
		owner := memory.Owner(fmt.Sprintf("user:p%d", i))
		profile := "# Profile\n\n## Identity\n\n"
		for line := range strings.Lines(c.lines) {
			profile += "- \"" + strings.TrimSpace(line) + "\" <!-- memory/2026-03-10.md:3 -->\n"
		}
		w.write(owner, memory.ProfilePath, profile)
		for question, part := range c.want {
			turn, _ := w.turn(owner, chat.TurnRequest{Message: question})
			if len(turn.Quoted) == 0 || !strings.Contains(turn.Quoted[0].Hit.Text, part) || !strings.Contains(turn.Answer, "2026-03-10") {
				t.Errorf("%s %s", question, turn.Answer)
			}
		}
	}
}

// Before an extraction the conversation answers, and what is not current does not.
func TestQuestionsForAttributesThatChanged(t *testing.T) {
	w := alone(t)
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "I work as a nurse at the Charité."})
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "What is my job?"})
	if !strings.Contains(turn.Answer, "On 2026-05-20 you said: “I work as a nurse at the Charité.” (sessions/c1:1)") {
		t.Error(turn.Answer)
	}
	w.write(grace, memory.ProfilePath, "- \"I work as a nurse at the Charité.\"\n")
	w.write(grace, "memory/2026-05-20.md", "- \"I work as a nurse at the Charité.\"\n")
	w.write(grace, memory.ProfilePath, "- \"I work as a midwife now.\"\n")
	turn, _ = w.turn(grace, chat.TurnRequest{Message: "What is my job?"})
	if !strings.Contains(turn.Answer, "On 2026-05-20 you said: “I work as a midwife now.” (PROFILE.md:1)") || strings.Contains(turn.Answer, "nurse") {
		t.Error(turn.Answer)
	}
}

// A move answers where the user lives, whatever precedes it in its sentence.
func TestWhereOneLivesAfterAMove(t *testing.T) {
	w := alone(t)
	for i, c := range []struct{ before, move, question, town string }{
		{"I live in Leeds.", "Big news: I moved to Sheffield last weekend [2026-05-16 to 2026-05-17].", "Where do I live?", "Sheffield"},
		{"Ich wohne in Köln.", "Letztes Wochenende [2026-05-16 to 2026-05-17] bin ich nach Bonn gezogen.", "Wo wohne ich?", "Bonn"},
		{"我住在上海。", "我上周末[2026-05-16 to 2026-05-17]搬到杭州了", "我住在哪里？", "杭州"},
		{"Vivo en Sevilla.", "El fin de semana pasado [2026-05-16 to 2026-05-17] me mudé a Granada.", "¿Dónde vivo?", "Granada"},
		{"J'habite à Lyon.", "Grande nouvelle : j'ai déménagé à Paris le week-end dernier [2026-05-16 to 2026-05-17] !", "J'habite où ?", "Paris"},
		{"Vivo en Madrid.", "¡Gran noticia! Me mudé a Valencia el fin de semana pasado [2026-05-16 to 2026-05-17].", "¿Dónde vivo?", "Valencia"},
		{"J'habite à Lyon.", "Le week-end dernier [2026-05-16 to 2026-05-17] j'ai déménagé à Nantes.", "Où est-ce que j'habite ?", "Nantes"},
	} {
		owner := memory.Owner(fmt.Sprintf("user:m%d", i))
		w.write(owner, "memory/2026-05-10.md", "# 2026-05-10\n\n- \""+c.before+"\"\n")
		w.write(owner, "memory/2026-05-20.md", "# 2026-05-20\n\n- \""+c.move+"\"\n")
		if turn, _ := w.turn(owner, chat.TurnRequest{Message: c.question}); len(turn.Quoted) == 0 || !strings.Contains(turn.Quoted[0].Hit.Text, c.town) {
			t.Errorf("%s %s", c.question, turn.Answer)
		}
	}
}

// What was learned from old messages was said on their day, not when it was learned.
func TestAttributesOfOldMessages(t *testing.T) {
	w := alone(t)
	id := memory.Identity{
		Workspace: "acme", Agent: "ada", Owner: grace, Role: memory.RoleMember,
		Author: memory.Author{Kind: memory.AuthorWorkflow, ID: "builtin/extractive", WorkflowID: "w", RunID: "r"},
	}
	const line = "- \"I live in Bremen.\""
	if _, err := w.Store.Apply(t.Context(), id, "", []memory.Change{{
		Ref: memory.Ref{Scope: memory.ScopePersonal, Path: memory.ProfilePath}, Op: memory.OpReplace, Content: line + "\n",
		Sources: memory.Sources{Lines: []memory.LineSource{{Line: line, Messages: []int64{1}, Day: "2024-02-03"}}},
	}}); err != nil {
		t.Fatal(err)
	}
	w.context(grace, chat.ContextRequest{Conversation: "c0", Message: "Where do I live?"}) // derives facts
	if turn, _ := w.turn(grace, chat.TurnRequest{Message: "Where do I live?"}); !strings.Contains(turn.Answer, "On 2024-02-03 you said: “I live in Bremen.”") {
		t.Error(turn.Answer)
	}
}
