package store

import (
	"fmt"
	"testing"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/store/talk"
)

// The gate is decided by any new message of the user that is long enough, however short the last one is. The database counts the
// characters as the gate does.
func TestGateLength(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for i, c := range []struct {
		said []string
		open bool
	}{
		{[]string{"My daughter Lena is allergic to kiwi and we moved to Graz in May.", "thanks!"}, true},
		{[]string{"123456789", "ok"}, false},
		{[]string{"1234567890", "ok"}, true},
		{[]string{"ok", "1234567890"}, true},
		{[]string{"thanks!", "ok", "bye"}, false},
		{[]string{"住山好", "ok"}, false},
		{[]string{"住山好a", "ok"}, true},
		{[]string{"たカ한", "ok"}, false},
		{[]string{"たカ한𠮷", "ok"}, true},
		{[]string{"\u2003\u3000\u00a0ab 住山\u0085\n\t\r", "ok"}, false},
		{[]string{"\u2003\u3000\u00a0ab- 住山\u0085\n\t\r", "ok"}, true},
		{[]string{"приветики", "ok"}, false}, // more bytes than characters
		{[]string{"😀😀😀😀", "ok"}, false},
		{[]string{"здравствуйте", "ok"}, true},
		{[]string{"   \n            ", "ok"}, false},
		{[]string{"々〇〆", "ok"}, transcripts.Length("々〇〆") >= 10},
		{[]string{"a]-^\\住", "ok"}, transcripts.Length("a]-^\\住") >= 10},
	} {
		id := workflow("user:7", "r1")
		b := talk.Batch{Conversation: fmt.Sprint("c", i), Trigger: memory.TriggerImport, TurnComplete: true}
		for j, text := range c.said {
			b.Messages = append(
				b.Messages, say(fmt.Sprint("u", j), memory.RoleOfUser, text), say(fmt.Sprint("a", j), memory.RoleOfAssistant, "A long enough answer."),
			)
		}
		stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
		for minimum, open := range map[int]bool{10: c.open, 0: true, 200: false} {
			settings := setting.DefaultExtractSettings()
			settings.MinUserChars = minimum
			load := must[talk.ExtractionLoad](t)(
				s.LoadExtraction(t.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: stored.LastSeq}, settings),
			)
			code, got := transcripts.Gate(transcripts.GateInput{
				Settings: settings, Trigger: b.Trigger, ConversationMessages: load.ConversationMessages, Pending: load.Latest,
			})
			if got != open || !open && code != memory.GateShortMessage {
				t.Errorf("%q with a minimum of %d: %v %s", c.said, minimum, got, code)
			}
			if len(load.Latest) > 2 {
				t.Errorf("%q: %d contents were read", c.said, len(load.Latest))
			}
		}
		// What was extracted before does not open the gate.
		last := must[talk.ExtractionLoad](t)(s.LoadExtraction(
			t.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: stored.LastSeq - 1, To: stored.LastSeq},
			setting.DefaultExtractSettings(),
		))
		if want := transcripts.Length(c.said[len(c.said)-1]) >= 10; (len(last.Latest) == 2) != want {
			t.Errorf("%q: of the last turn %+v", c.said, last.Latest)
		}
	}
}

// Every character counts in the database as in the gate.
func TestGateLengthOfEveryScript(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := workflow("user:7", "r1")
	settings := setting.DefaultExtractSettings()
	for i, r := range []rune("aé\u00a0\u1680\u2028\u200b\ufeffяעअก가ᄀㄱ漢々〇〡ぁゝ゠ーァㇰｱｰ㍻㐀豈𛀀𠮷🈀😀！、。") {
		text := string(r) + "12345678" + string(r)
		length := transcripts.Length(text)
		b := talk.Batch{
			Conversation: fmt.Sprint("c", i), Trigger: memory.TriggerAPI, TurnComplete: true,
			Messages: []memory.Message{say("u", memory.RoleOfUser, text)},
		}
		stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
		for minimum, want := range map[int]int{length: 1, length + 1: 0} {
			settings.MinUserChars = minimum
			load := must[talk.ExtractionLoad](t)(
				s.LoadExtraction(t.Context(), id, talk.Range{ConversationUID: stored.ConversationUID, From: 1, To: 1}, settings),
			)
			if len(load.Latest) != want {
				t.Errorf("%q (%U) with a minimum of %d: %d messages, want %d", text, r, minimum, len(load.Latest), want)
			}
		}
	}
}
