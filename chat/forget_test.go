package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"reverie/chat"
	"reverie/memory"
	"reverie/remember"
	"reverie/store/dreams"
)

// "Forget that …" forgets a statement in any wording, wherever the owner's documents have it, without a model; the receipt says what.
func TestForgetFromChat(t *testing.T) {
	w := open(t)
	w.write(grace, "MEMORY.md", "## Facts\n\n- I live in Bremen.\n- Has a dog called Rex.\n")
	w.write(grace, "notes/towns.md", "- Lives in Bremen\n- The Weser is in Bremen.\n")
	w.write(alan, "MEMORY.md", "- I live in Bremen.\n")
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Please forget that I live in Bremen."})
	if turn.Forgotten == nil || turn.Model != "builtin/forget" ||
		!strings.HasPrefix(turn.Answer, "Forgotten for good:\n- I live in Bremen.") ||
		!strings.Contains(turn.Answer, "MEMORY.md") || !strings.Contains(turn.Answer, "receipt") {
		t.Errorf("%+v", turn)
	}
	if got := readDocument(w, grace, "MEMORY.md"); strings.Contains(got, "Bremen") || !strings.Contains(got, "Rex") {
		t.Errorf("%s", got)
	}
	if got := readDocument(w, grace, "notes/towns.md"); got != "- The Weser is in Bremen.\n" {
		t.Errorf("%s", got)
	}
	if got := readDocument(w, alan, "MEMORY.md"); !strings.Contains(got, "Bremen") {
		t.Errorf("%s", got)
	}
	again, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", MessageID: "m1", Message: "Please forget that I live in Bremen."})
	if !again.Replayed {
		t.Errorf("%+v", again)
	}
	if len(w.model.asked()) != 0 {
		t.Error("a model was asked")
	}
	// The request is not recalled: it would bring back what it forgets.
	for _, r := range w.context(grace, chat.ContextRequest{Conversation: "c2", Message: "Do I live in Bremen, by the Weser?"}).Recalled {
		if strings.Contains(r.Snippet, "I live in Bremen") {
			t.Errorf("%+v", r)
		}
	}
}

// Of a sentence only the clause is forgotten, and the same about somebody else stays, also where it was only said.
func TestForgetAClauseFromChat(t *testing.T) {
	w := open(t)
	w.said(grace, "c0", "I am Grace and I live in Bremen.", "Noted.", "My brother lives in Bremen.", "Noted.")
	w.write(grace, "MEMORY.md", "- I am Grace and I live in Bremen.\n- My brother lives in Bremen.\n")
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Please forget that I live in Bremen."})
	if got := readDocument(w, grace, "MEMORY.md"); got != "- I am Grace.\n- My brother lives in Bremen.\n" {
		t.Errorf("%s", got)
	}
	w.Model = nil
	if turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c2", Message: "Where does my brother live?"}); !strings.Contains(turn.Answer, "My brother lives in Bremen.") {
		t.Error(turn.Answer)
	}
	if turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c3", Message: "Where do I live?"}); strings.Contains(turn.Answer, "I live in Bremen") {
		t.Error(turn.Answer)
	}
}

// Nothing is forgotten that was not said that way: what comes closest is listed, with the words that name it.
func TestForgetNamesWhatComesClosest(t *testing.T) {
	w := open(t)
	w.Model = nil
	const before = "- The locker at the station has number 12.\n- Has a dog called Rex.\n"
	w.write(grace, "MEMORY.md", before)
	turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Vergiss, dass mein locker at the station has red paint."})
	if turn.Forgotten != nil || !strings.Contains(turn.Answer, "\n- The locker at the station has number 12.") ||
		readDocument(w, grace, "MEMORY.md") != before {
		t.Errorf("%+v", turn)
	}
	turn, _ = w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Vergiss: The locker at the station has number 12."})
	if turn.Forgotten == nil {
		t.Errorf("%+v", turn)
	}
	if got := readDocument(w, grace, "MEMORY.md"); got != "- Has a dog called Rex.\n" {
		t.Errorf("%s", got)
	}
	if turn, _ = w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Forget that the zeppelin is blue."}); turn.Forgotten != nil ||
		turn.Model != "builtin/forget" || !strings.Contains(turn.Answer, "found nothing") {
		t.Errorf("%+v", turn)
	}
}

// What was only said in a conversation is forgotten as well: searches do not find it any more.
func TestForgetWhatWasOnlySaid(t *testing.T) {
	w := open(t)
	w.Model = nil
	const said = "My boss Karen hates meetings on Fridays."
	conversation := "c1"
	ask := func(message string) chat.Turn {
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: conversation, Message: message})
		return turn
	}
	ask(said + " The canteen closes at two.")
	if turn := ask("Who hates meetings?"); !strings.Contains(turn.Answer, "Karen") {
		t.Fatalf("%+v", turn)
	}
	turn := ask("forget that my boss hates meetings on Fridays")
	if turn.Forgotten == nil || turn.Answer != "Forgotten for good:\n- "+said {
		t.Fatalf("%+v", turn)
	}
	for _, c := range []string{"c1", "c2"} {
		conversation = c
		if turn := ask("Who hates meetings?"); strings.Contains(turn.Answer, "Karen") {
			t.Errorf("%s: %+v", c, turn)
		}
		if turn := ask("When does the canteen close?"); !strings.Contains(turn.Answer, "at two") {
			t.Errorf("%s: %+v", c, turn)
		}
	}
	for range 2 {
		turn = ask("Forget what I told you about the canteen.")
		if !strings.Contains(turn.Answer, "The canteen closes at two.") {
			t.Errorf("%+v", turn)
		}
	}
	if turn := ask("When does the canteen close?"); strings.Contains(turn.Answer, "at two") {
		t.Errorf("%+v", turn)
	}
}

// A statement that says more than the request, and what was said of a thing of the user's, is shown first; the same message confirms.
func TestForgetWhatSaysMore(t *testing.T) {
	for _, c := range []struct{ said, stays, asked string }{
		{"I have a dentist appointment on Friday at 10 in Weber Street.", "My sister has a dentist appointment on Monday.", "Forget my dentist appointment."},
		{"I have a dentist appointment on Friday at 10 in Weber Street.", "My sister has a dentist appointment on Monday.", "Forget that I have a dentist appointment."},
		{"Ich habe am Freitag um 10 Uhr einen Zahnarzttermin.", "Der Zahnarzt ist in der Weberstraße.", "Vergiss, dass ich einen Zahnarzttermin habe."},
		{"Ich habe am Freitag um 10 Uhr einen Zahnarzttermin.", "Der Zahnarzt ist in der Weberstraße.", "Vergiss meinen Zahnarzttermin."},
		{"I live in Hamburg.", "My brother lives in Hamburg.", "Forget my address."},
		{"Ich wohne in Hamburg.", "Hamburg ist schön.", "Vergiss meinen Wohnort."},
		{"El fin de semana pasado me mudé a Granada.", "Granada es bonita.", "Olvida que vivo en Granada."},
		{"Last weekend I moved to Leeds.", "Leeds has a library.", "Forget that I live in Leeds."},
		{"Je m'appelle Grace.", "Ma soeur s'appelle Grace.", "Oublie mon nom."},
		{"我住在上海。", "我喜欢喝茶。", "忘掉我的地址"},
		{"我周五上午10点有牙医预约。", "我喜欢喝茶。", "忘掉我有牙医预约这件事"},
		{"我周五上午10点有牙医预约。", "我喜欢喝茶。", "忘掉我的牙医预约"},
		{"Tengo cita con el dentista el viernes a las 10.", "El dentista es caro.", "Olvida que tengo cita con el dentista."},
		{"Meine Schwester wohnt in Wien und ist Ärztin.", "Wien ist schön.", "Vergiss, dass meine Schwester in Wien wohnt."},
		{"Mi hermana vive en Viena y es médica.", "Viena es bonita.", "Olvida que mi hermana vive en Viena."},
	} {
		w := open(t)
		w.Model = nil
		w.write(grace, "memory/2026-05-20.md", "- \""+c.said+"\"\n- \""+c.stays+"\"\n")
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: c.asked})
		if turn.Forgotten == nil {
			if !strings.Contains(turn.Answer, "\n- ") || strings.Contains(turn.Answer, c.stays) {
				t.Errorf("%s: %s", c.asked, turn.Answer)
			}
			turn, _ = w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: c.asked})
		}
		if got := readDocument(w, grace, "memory/2026-05-20.md"); turn.Forgotten == nil || got != "- \""+c.stays+"\"\n" {
			t.Errorf("%s: %s\n%s", c.asked, turn.Answer, got)
		}
	}
}

// What was forgotten within a conversation is no longer quoted there; other sentences of its message are.
func TestForgottenIsNotQuotedInItsConversation(t *testing.T) {
	w := open(t)
	w.Model = nil
	for i, c := range []struct {
		said, asked string
		questions   []string
		gone, stays string
	}{
		{"I am Grace and I live in Bremen. I have a cat.", "Forget that I live in Bremen.", []string{"Where do I live?", "What do you know about me?"}, "Bremen", "cat"},
		{"Ich wohne in Bremen.", "Vergiss, dass ich in Bremen wohne.", []string{"Wo wohne ich?", "Was weißt du über mich?"}, "„", ""},
		{"J'habite à Brême.", "Oublie que j'habite à Brême.", []string{"Où est-ce que j'habite ?", "Que sais-tu de moi ?"}, "Brême.", ""},
		{"Vivo en Bremen.", "Olvida que vivo en Bremen.", []string{"¿Dónde vivo?", "¿Qué sabes de mí?"}, "Bremen", ""},
		{"I have a dog called Rex.", "Forget my dog.", []string{"What is my dog called?", "What do you know about me?"}, "Rex", ""},
		{"我养了一只狗，叫旺财。", "忘掉我的狗", []string{"我的狗叫什么？"}, "旺财", ""},
		{"私の犬はポチです。", "私の犬を忘れてください", []string{"私の犬は？"}, "ポチ", ""},
		{"Моя сестра врач.", "Забудь всё о моей сестре.", []string{"Кто моя сестра?"}, "врач", ""},
		{"У меня собака Рекс.", "Забудь всё о собаке.", []string{"Как зовут мою собаку?"}, "Рекс", ""},
	} {
		ask := func(message string) chat.Turn {
			turn, _ := w.turn(memory.Owner(fmt.Sprint("user:f", i)), chat.TurnRequest{Conversation: "c1", Message: message})
			return turn
		}
		ask(c.said)
		for n := 0; ask(c.asked).Forgotten == nil; n++ {
			if n > 0 {
				t.Fatalf("%s: nothing was forgotten", c.asked)
			}
		}
		answers := ""
		for _, question := range c.questions {
			answers += ask(question).Answer + "\n"
		}
		if strings.Contains(answers, c.gone) || !strings.Contains(answers, c.stays) {
			t.Errorf("%s: %s", c.asked, answers)
		}
	}
}

// Everything about a topic is shown first; the same message right after it confirms.
func TestForgetATopic(t *testing.T) {
	w := open(t)
	const before = "- The Nightjar ships in May.\n- Nightjar costs 12 euros.\n- Has a dog called Rex.\n"
	w.write(grace, "MEMORY.md", before)
	ask := func(conversation, message string) chat.Turn {
		turn, _ := w.turn(grace, chat.TurnRequest{Conversation: conversation, Message: message})
		return turn
	}
	const asked = "Forget everything about Nightjar."
	for _, conversation := range []string{"c1", "c2"} { // confirmed where it was shown only
		if turn := ask(conversation, asked); turn.Forgotten != nil || strings.Count(turn.Answer, "Nightjar") != 2 ||
			readDocument(w, grace, "MEMORY.md") != before {
			t.Errorf("%+v", turn)
		}
	}
	w.model.will(say("It does."))
	ask("c1", "When does the Nightjar ship?")
	if turn := ask("c1", asked); turn.Forgotten != nil || readDocument(w, grace, "MEMORY.md") != before {
		t.Errorf("%+v", turn)
	}
	if turn := ask("c1", "forget everything about nightjar"); turn.Forgotten == nil ||
		readDocument(w, grace, "MEMORY.md") != "- Has a dog called Rex.\n" {
		t.Errorf("%+v: %s", turn, readDocument(w, grace, "MEMORY.md"))
	}
	w.model.will(say("There is nothing like that."))
	if turn := ask("c3", "Forget everything about zeppelins."); turn.Forgotten != nil || turn.Answer != "There is nothing like that." {
		t.Errorf("%+v", turn)
	}
}

// A chat deletes nothing when asked to forget everything, and says what does.
func TestForgetEverything(t *testing.T) {
	w := open(t)
	const before = "- Has a dog called Rex.\n"
	w.write(grace, "MEMORY.md", before)
	for _, asked := range []string{"Forget everything about me.", "Lösche alle meine Daten", "忘记关于我的一切"} {
		for range 2 { // nor when asked again
			turn, _ := w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: asked})
			if turn.Forgotten != nil || !strings.Contains(turn.Answer, "reverie memory delete owner") || readDocument(w, grace, "MEMORY.md") != before {
				t.Errorf("%s: %+v", asked, turn)
			}
		}
	}
}

// What the answers say in each language is a request in that language.
func TestForgetPhrases(t *testing.T) {
	for language, example := range map[string]string{
		"en": "Forget: ", "zh": "忘掉：", "de": "Vergiss: ", "es": "Olvida: ", "fr": "Oublie : ", "pt": "Esqueça: ",
		"it": "Dimentica: ", "ja": "忘れて：",
		"ko": "잊어줘: ", "vi": "Quên: ", "ru": "Забудь: ", "ar": "انس: ",
	} {
		said := "Rex has number 12."
		if language == "zh" {
			said = "我的柜子是12号"
		}
		if asked, is := remember.ParseForget(example + said); !is || asked.Text != said || asked.Language != language {
			t.Errorf("%s: %+v %v", language, asked, is)
		}
	}
}

// readDocument returns the content of an owner's document.
func readDocument(w *world, owner memory.Owner, path string) string {
	w.t.Helper()
	d, err := w.Store.Document(w.t.Context(), as(owner), memory.Ref{Scope: memory.ScopePersonal, Path: path})
	if err != nil {
		w.t.Fatal(err)
	}
	return d.Content
}

// What one person of a group asks to forget is theirs: what another one said stays, in sections, in quotes and in messages.
func TestForgetInAGroup(t *testing.T) {
	w := open(t)
	w.Model = nil
	w.write(crew, memory.MemoryPath, "# Memory\n\n- The mooring fee is due in May\n\n## Person: feishu:ou_1\n\n- Drinks rooibos tea\n\n"+
		"## Person: feishu:ou_2\n\n- Drinks rooibos tea\n")
	const note = "- Ada: \"I live in Bremen.\"\n- Bob: \"I live in Bremen.\"\n- Bob: \"I have a cat, and I live in Bremen.\"\n"
	w.write(crew, "memory/2026-05-20.md", note)
	w.said(crew, "c0", "I like the dog watch.", "Noted.")
	ask := func(name string, person memory.Owner, message string) chat.Turn {
		turn, _ := w.turn(crew, chat.TurnRequest{Conversation: "c1", Name: name, Speaker: person, Message: message})
		return turn
	}
	if turn := ask("Ada", ada, "Forget that I live in Bremen."); turn.Forgotten == nil {
		t.Errorf("%+v", turn)
	}
	if got := readDocument(w, crew, "memory/2026-05-20.md"); got != strings.TrimPrefix(note, "- Ada: \"I live in Bremen.\"\n") {
		t.Errorf("%s", got)
	}
	for range 2 {
		ask("Ada", ada, "Forget everything about rooibos.")
	}
	got := readDocument(w, crew, memory.MemoryPath)
	if strings.Count(got, "rooibos") != 1 || !strings.HasSuffix(got, "## Person: feishu:ou_2\n\n- Drinks rooibos tea\n") {
		t.Errorf("%s", got)
	}
	// What is nobody's is everybody's.
	if ask("Bob", bob, "Forget: The mooring fee is due in May"); strings.Contains(readDocument(w, crew, memory.MemoryPath), "mooring") {
		t.Errorf("%s", readDocument(w, crew, memory.MemoryPath))
	}
	if turn := ask("Bob", bob, "Forget: Drinks rooibos tea"); turn.Forgotten == nil || strings.Contains(readDocument(w, crew, memory.MemoryPath), "rooibos") {
		t.Errorf("%+v", turn)
	}
}

// The history of a context has nothing that was forgotten since, by a chat or otherwise, and other messages as they are.
func TestContextsWithoutForgotten(t *testing.T) {
	w := open(t)
	w.said(grace, "c1", "I am Grace and I live in Bremen. I have a cat.", "Noted.", "The canoe is red.", "Nice.")
	w.model.will(say("You live in Bremen."))
	w.turn(grace, chat.TurnRequest{Conversation: "c1", Message: "Forget that I live in Bremen."})
	sent := func() (all string) {
		for _, m := range w.context(grace, chat.ContextRequest{Conversation: "c1", Message: "And now?"}).Messages {
			all += m.Content + "\n"
		}
		return all
	}
	if got := sent(); strings.Contains(got, "Bremen") || !strings.Contains(got, "I have a cat.") || !strings.Contains(got, "The canoe is red.") {
		t.Errorf("%s", got)
	}
	if _, err := w.Store.Forget(t.Context(), administrator().For("ada", grace), dreams.ForgetRequest{
		Ref: memory.Ref{Scope: memory.ScopePersonal}, Said: []string{"The canoe is red."}, Heard: []string{"The canoe is red."},
	}); err != nil {
		t.Fatal(err)
	}
	if got := sent(); strings.Contains(got, "canoe") || !strings.Contains(got, "I have a cat.") {
		t.Errorf("%s", got)
	}
}
