package llm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// Bedrock answers in one piece and without tools; earlier tool calls and results are sent as text.
func TestConversationsAtBedrock(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	call := memory.ToolCall{ID: "1", Name: "memory_search", Arguments: `{"query":"home"}`}
	for _, test := range []struct{ model, body string }{
		{claude, `{"type":"message","content":[{"type":"text","text":"In Köln."}],"stop_reason":"end_turn","usage":{"input_tokens":12,` +
			`"output_tokens":4}}`},
		{nova, `{"output":{"message":{"role":"assistant","content":[{"text":"In Köln."}]}},"stopReason":"end_turn"}`},
	} {
		endpoint := &llmtest.Bedrock{Status: http.StatusOK, Header: counted, Body: test.body}
		model, ok := openBedrock(t, endpoint, test.model, "").(llm.Chatter)
		if !ok {
			t.Fatal("the model does not take conversations")
		}
		var h listener
		got, err := model.Chat(t.Context(), llm.ChatRequest{
			Tools: []llm.ChatTool{searching},
			Messages: []llm.ChatMessage{system("Be brief."), user("Recalled: nothing."), user("Where do I live?"), assistant("Let me see.",
				call), tool("1", "Köln, Lindenthal"), user("So?")},
		}, h.listen)
		if err != nil {
			t.Errorf("%s: %v", test.model, err)
			continue
		}
		want := llm.ChatResponse{
			Text: "In Köln.", Model: "bedrock/" + test.model, Finish: "end_turn",
			Usage: memory.Usage{Calls: 1, InputTokens: 12, OutputTokens: 4, CostMicros: 12*3 + 4*15},
		}
		if diff := cmp.Diff(want, got); diff != "" || len(h.parts) != 1 || h.text() != got.Text {
			t.Errorf("%s: got %q: %s", test.model, h.parts, diff)
		}
		sent, _ := endpoint.Sent.Load().(string)
		for _, part := range []string{
			"Be brief.", `Recalled: nothing.\n\nWhere do I live?`, `[called the tool memory_search: {\"query\":\"home\"}]`,
			`[result of the tool memory_search]\nKöln, Lindenthal\n\nSo?`,
		} {
			if !strings.Contains(sent, part) {
				t.Errorf("%s: %q is not in %s", test.model, part, sent)
			}
		}
		if strings.Contains(sent, "tool_use") || strings.Contains(sent, "tool_result") {
			t.Errorf("%s: sent %s", test.model, sent)
		}
	}
}
