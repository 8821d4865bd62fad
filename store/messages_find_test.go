package store

import (
	"slices"
	"testing"

	"reverie/memory"
)

func TestMessagesByID(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	asked := memory.Message{ID: "q1", Role: memory.RoleOfUser, Content: "Which port?"}
	calls := memory.Message{ID: "a1", Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{{ID: "c1", Name: "memory_search", Arguments: `{"query":"port"}`}}}
	answers := memory.Message{ID: "a2", Role: memory.RoleOfTool, Content: "{}", ToolCallID: "c1"}
	for _, conversation := range []string{"one", "two"} {
		b := Batch{Conversation: conversation, Trigger: memory.TriggerAPI, Messages: []memory.Message{asked, calls, answers}}
		if _, err := s.AppendMessages(t.Context(), id, b); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		conversation string
		ids, want    []string
	}{
		{"one", []string{"a2", "q1"}, []string{"q1", "a2"}},
		{"one", []string{"a1", "a1x", ""}, []string{"a1"}},
		{"one", nil, nil},
		{"three", []string{"q1"}, nil},
	} {
		found, err := s.MessagesByID(t.Context(), id, c.conversation, c.ids)
		var got []string
		for _, m := range found {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, %v, want %v", c.conversation, c.ids, got, err, c.want)
		}
	}
	found, err := s.MessagesByID(t.Context(), id, "two", []string{"a1", "a2"})
	if err != nil || len(found) != 2 || !slices.Equal(found[0].ToolCalls, calls.ToolCalls) || found[1].ToolCallID != "c1" || found[1].Seq != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := s.MessagesByID(t.Context(), member("user:8"), "one", []string{"q1"}); err != nil || len(found) > 0 {
		t.Errorf("another owner sees %+v, %v", found, err)
	}
}
