package api_test

import (
	"slices"
	"strings"
	"testing"

	"reverie/memory"
	"reverie/toolbox"
)

// In a group each person has a separate section, whichever operation writes MEMORY.md.
func TestPeopleOfAGroup(t *testing.T) {
	h := start(t)
	h.agent("ada")
	const group = "feishu:oc_9"
	remember := func(person, text string) answered {
		t.Helper()
		return h.postTo(h.admin, rememberPath, map[string]any{"owner": group, "speaker": person, "text": text})
	}
	h.want(remember("feishu:ou_1", "My budget is $10"), 200)
	h.want(remember("feishu:ou_2", "My budget is $20"), 200)
	h.want(
		h.postTo(
			h.admin,
			chatPath,
			map[string]any{
				"agentId":        "ada",
				"owner":          group,
				"speaker":        "feishu:ou_2",
				"name":           "Bob",
				"conversationId": "c1",
				"messageId":      "m1",
				"message":        "Remember that my budget is $30.",
			},
		),
		200,
	)
	wrote := as[toolAnswer](
		h,
		h.want(
			h.toolAs(
				h.admin,
				toolbox.EditFile,
				"?owner="+group+"&speaker=feishu:ou_1",
				map[string]any{"filename": "MEMORY.md", "oldText": "$10", "newText": "$11"},
			),
			200,
		),
	)
	if wrote.IsError || wrote.text("person") != "feishu:ou_1" {
		t.Errorf("%+v", wrote)
	}
	d, err := h.store.Document(
		t.Context(),
		memory.Identity{Workspace: workspace, Agent: "ada", Owner: group, Role: memory.RoleMember},
		memory.Ref{Scope: memory.ScopePersonal, Path: memory.MemoryPath},
	)
	const want = "## Person: feishu:ou_1\n\n- My budget is $11\n\n## Person: feishu:ou_2\n\n- My budget is $30\n"
	if err != nil || d.Content != want {
		t.Errorf("%v %q", err, d.Content)
	}
	// A message names its speaker.
	h.want(
		h.post(
			"c2",
			map[string]any{
				"owner":    group,
				"messages": []map[string]any{{"id": "m1", "role": "user", "name": "Ada", "speaker": "feishu:ou_1", "content": "hello"}},
			},
		),
		202,
	)
	for conversation, name := range map[string]string{"c1": "Bob <feishu:ou_2>", "c2": "Ada <feishu:ou_1>"} {
		said := h.want(h.get("/api/v1/agents/ada/conversations/"+conversation+"/messages?owner="+group), 200)
		if got := as[struct{ Items []struct{ Name string } }](h, said); len(got.Items) == 0 || got.Items[0].Name != name {
			t.Errorf("%s: %+v", conversation, got)
		}
	}
	// The context for a model names the speaker, too.
	made := h.assemble(
		map[string]any{"owner": group, "conversation": "c1", "name": "Ada", "speaker": "feishu:ou_1", "message": "And what is mine?"},
	)
	var sent []string
	for _, m := range made.Messages {
		if m.Role == "user" {
			sent = append(sent, m.Content)
		}
	}
	if !slices.Equal(sent, []string{"Bob <feishu:ou_2>: Remember that my budget is $30.", "Ada <feishu:ou_1>: And what is mine?"}) {
		t.Errorf("%q", sent)
	}
	quoting := as[struct {
		Answer string
		Quoted []struct{ Person, Text string }
	}](h, h.want(h.postTo(h.admin, chatPath,
		map[string]any{"agentId": "ada", "owner": group, "speaker": "feishu:ou_2", "message": "What is the budget of everybody?"}), 200))
	if len(quoting.Quoted) != 2 || quoting.Quoted[0].Person == quoting.Quoted[1].Person ||
		!strings.Contains(quoting.Answer, "- feishu:ou_1: “My budget is $11” (") ||
		!strings.Contains(quoting.Answer, "- feishu:ou_2: “My budget is $30” (") {
		t.Errorf("%+v", quoting)
	}
	// Nobody is two people, and no id is a heading.
	for _, person := range []string{
		"ou_1", "feishu:ou_1\n## Person: feishu:ou_2", "feishu:ou_2 #", "system", "feishu:" + strings.Repeat("x", 125),
	} {
		h.wantError(remember(person, "x y"), 422, "invalid_request")
		h.wantError(
			h.post(
				"c3",
				map[string]any{
					"owner":    group,
					"messages": []map[string]any{{"id": "m1", "role": "user", "speaker": person, "content": "hello"}},
				},
			),
			422,
			"invalid_request",
		)
		h.wantError(
			h.postTo(h.admin, chatPath, map[string]any{"agentId": "ada", "owner": group, "speaker": person, "message": "hello"}),
			422,
			"invalid_request",
		)
		h.wantError(
			h.postTo(h.admin, contextPath, map[string]any{"owner": group, "speaker": person, "message": "hello"}),
			422,
			"invalid_request",
		)
	}
}
