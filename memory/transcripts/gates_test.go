package transcripts

import (
	"testing"

	"reverie/memory"
	"reverie/memory/setting"
)

func TestGate(t *testing.T) {
	settings := setting.DefaultExtractSettings()
	settings.MinMessages = 4
	open := func() GateInput {
		return GateInput{
			Settings: settings, Trigger: memory.TriggerAPI, ConversationMessages: 4,
			Pending: []memory.Message{
				{Role: memory.RoleOfUser, Content: "I moved to Munich."},
				{Role: memory.RoleOfAssistant, Content: "Nice.", FinishReason: "stop"},
			},
		}
	}
	if code, ok := Gate(open()); !ok || code != "" {
		t.Fatalf("all gates are open: %s", code)
	}
	// Each change closes one gate; earlier ones win over later ones.
	closing := []struct {
		code  memory.ReasonCode
		close func(*GateInput)
	}{
		{memory.GateAbnormalFinish, func(in *GateInput) { in.Pending[1].FinishReason = "length" }},
		{memory.GateShortMessage, func(in *GateInput) { in.Pending[0].Content = "  bye 好  \n" }},
		{memory.GateFewMessages, func(in *GateInput) { in.ConversationMessages = 3 }},
		{memory.GateSource, func(in *GateInput) { in.Trigger = memory.TriggerCron }},
		{memory.GateMemoryOff, func(in *GateInput) { in.Settings.MemoryEnabled = false }},
	}
	all := open()
	for _, c := range closing {
		one := open()
		c.close(&one)
		c.close(&all)
		if code, ok := Gate(one); ok || code != c.code {
			t.Errorf("gate %s: %q, %v", c.code, code, ok)
		}
		if code, ok := Gate(all); ok || code != c.code {
			t.Errorf("gate %s wins over later ones: %q, %v", c.code, code, ok)
		}
	}
	dream := open()
	dream.Trigger = memory.TriggerDream
	if code, _ := Gate(dream); code != memory.GateSource {
		t.Errorf("a dream's conversation: %q", code)
	}
}

func TestGateCountsCharacters(t *testing.T) {
	for content, want := range map[string]bool{
		"我住里斯本": true, "我住山": false, "무화과좋아": true, "123456789 ": false, "1234567890": true, "": false,
	} {
		in := GateInput{Settings: setting.DefaultExtractSettings(), ConversationMessages: 9, Pending: []memory.Message{
			{Role: memory.RoleOfUser, Content: content},
			{Role: memory.RoleOfAssistant, Content: "a long enough answer"},
			{Role: memory.RoleOfUser, Content: "thanks!"},
		}}
		if _, ok := Gate(in); ok != want {
			t.Errorf("message %q: %v", content, ok)
		}
	}
	in := GateInput{
		Settings: setting.DefaultExtractSettings(), ConversationMessages: 9,
		Pending: []memory.Message{{Role: memory.RoleOfAssistant, Content: "a long enough answer"}},
	}
	if code, _ := Gate(in); code != memory.GateShortMessage {
		t.Errorf("nothing said by the user: %q", code)
	}
}

func TestGateFinishReasons(t *testing.T) {
	for finish, want := range map[string]bool{
		"": true, "stop": true, "STOP": true, "end_turn": true, "endTurn": true, "stop_sequence": true, "normal": true,
		"return_direct": true,
		"COMPLETE":      true, "tool_calls": true, "tool_use": true, "function_call": true, "eos_token": true,
		"length": false, "max_tokens": false, "MAX_TOKENS": false, "content_filter": false, "SAFETY": false, "refusal": false,
		"error":     false,
		"cancelled": false, "guardrail_intervened": false, "pause_turn": false, "model_length": false, "whatever": false,
	} {
		in := GateInput{Settings: setting.DefaultExtractSettings(), ConversationMessages: 9, Pending: []memory.Message{
			{Role: memory.RoleOfUser, Content: "a long enough message"},
			{Role: memory.RoleOfAssistant, FinishReason: "length"}, // an earlier answer
			{Role: memory.RoleOfAssistant, FinishReason: finish},
			{Role: memory.RoleOfTool, FinishReason: "error"},
		}}
		if _, ok := Gate(in); ok != want {
			t.Errorf("finish reason %q: %v", finish, ok)
		}
	}
}
