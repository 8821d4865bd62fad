package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// calling is an assistant message that asks for tools.
func calling(id string, calls ...memory.ToolCall) memory.Message {
	m := say(id, memory.RoleOfAssistant, "")
	m.ToolCalls = calls
	return m
}

// answering is a tool's message.
func answering(id, call, content string) memory.Message {
	m := say(id, memory.RoleOfTool, content)
	m.Name, m.ToolCallID = "search", call
	return m
}

func searching(id string) memory.ToolCall {
	return memory.ToolCall{ID: id, Name: "search", Arguments: `{"query":"tea"}`}
}

// What a model asks of tools comes back as it was, whatever its arguments are.
func TestToolCallsAreStored(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	odd := []memory.ToolCall{
		{ID: "c1", Name: "search", Arguments: `{"query":"tea \u0000 \ud800","n":1e400}`}, // escapes stay text
		{ID: "c2", Name: "write", Arguments: "no JSON: {\"a\": \x01 茶 🍵 \\u0000 <b>"},
		{ID: "c3", Name: "list"},
	}
	b := Batch{Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true, Messages: []memory.Message{
		say("m1", memory.RoleOfUser, "find it"), calling("m2", odd...), answering("m3", "c1", "[]"), answering("m4", "", "of some call"),
	}}
	must[Stored](t)(s.AppendMessages(t.Context(), id, b))
	want := make([]memory.Message, len(b.Messages))
	for i, m := range b.Messages {
		m.Seq = int64(i + 1)
		want[i] = m
	}
	if diff := cmp.Diff(want, must[[]memory.Message](t)(s.Messages(t.Context(), id, "c", 0, 10))); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if again := must[Stored](t)(s.AppendMessages(t.Context(), id, b)); again.Duplicates != 4 || again.Stored != 0 {
		t.Errorf("again: %+v", again)
	}
}

// A message is the same only with the same calls.
func TestToolCallsOfDuplicates(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	batch := func(messages ...memory.Message) Batch {
		return Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: messages}
	}
	other := searching("c1")
	other.Arguments = `{"query": "tea"}` // the same to JSON, other words
	must[Stored](t)(s.AppendMessages(t.Context(), id, batch(calling("m1", searching("c1"), searching("c2")), answering("m2", "c1", "[]"))))
	for name, b := range map[string]Batch{
		"other arguments":          batch(calling("m1", other, searching("c2"))),
		"another order":            batch(calling("m1", searching("c2"), searching("c1"))),
		"no calls":                 batch(calling("m1")),
		"one call more":            batch(calling("m1", searching("c1"), searching("c2"), searching("c3"))),
		"an answer to another one": batch(answering("m2", "c2", "[]")),
		"an answer to none":        batch(answering("m2", "", "[]")),
		"twice in a batch":         batch(calling("n1", searching("c1")), calling("n1", searching("c2"))),
		"answers twice in a batch": batch(answering("n1", "c1", ""), answering("n1", "c2", "")),
	} {
		if _, err := s.AppendMessages(t.Context(), id, b); !conflict(CodeMessageIDReused)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same := must[Stored](t)(s.AppendMessages(t.Context(), id, batch(calling("m1", searching("c1"), searching("c2")), calling("m3", searching("c1")), calling("m3", searching("c1")))))
	if same.Duplicates != 2 || same.Stored != 1 {
		t.Errorf("the same calls: %+v", same)
	}
}

func TestToolCallsRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	with := func(change func(*memory.ToolCall)) memory.Message {
		call := searching("c2")
		change(&call)
		return calling("m", searching("c1"), call)
	}
	many := func(n int) (calls []memory.ToolCall) {
		for i := range n {
			calls = append(calls, searching(fmt.Sprint("c", i)))
		}
		return calls
	}
	ofUser := calling("m", searching("c1"))
	ofUser.Role = memory.RoleOfUser
	answer := say("m", memory.RoleOfAssistant, "x")
	answer.ToolCallID = "c1"
	for name, c := range map[string]struct {
		message memory.Message
		field   string
	}{
		"of a user":             {ofUser, "toolCalls"},
		"65 calls":              {calling("m", many(memory.MaxToolCalls+1)...), "toolCalls"},
		"no id":                 {with(func(c *memory.ToolCall) { c.ID = "" }), "toolCalls[1].id"},
		"an id twice":           {with(func(c *memory.ToolCall) { c.ID = "c1" }), "toolCalls[1].id"},
		"a long id":             {with(func(c *memory.ToolCall) { c.ID = strings.Repeat("i", 129) }), "toolCalls[1].id"},
		"no name":               {with(func(c *memory.ToolCall) { c.Name = "" }), "toolCalls[1].name"},
		"a long name":           {with(func(c *memory.ToolCall) { c.Name = strings.Repeat("n", 256) }), "toolCalls[1].name"},
		"NUL in arguments":      {with(func(c *memory.ToolCall) { c.Arguments = "a\x00" }), "toolCalls[1].arguments"},
		"arguments not UTF-8":   {with(func(c *memory.ToolCall) { c.Arguments = "a\xff" }), "toolCalls[1].arguments"},
		"NUL in a name":         {with(func(c *memory.ToolCall) { c.Name = "a\x00" }), "toolCalls[1].name"},
		"an id not UTF-8":       {with(func(c *memory.ToolCall) { c.ID = "a\xff" }), "toolCalls[1].id"},
		"long arguments":        {with(func(c *memory.ToolCall) { c.Arguments = strings.Repeat("a", memory.MaxToolCallBytes+1) }), "toolCalls[1].arguments"},
		"long together":         {with(func(c *memory.ToolCall) { c.Arguments = strings.Repeat("a", memory.MaxToolCallBytes-20) }), "toolCalls"},
		"an answer of no tool":  {answer, "toolCallId"},
		"an answer to a long":   {answering("m", strings.Repeat("i", 129), "x"), "toolCallId"},
		"an answer with NUL":    {answering("m", "a\x00", "x"), "toolCallId"},
		"an answer not of UTF8": {answering("m", "a\xff", "x"), "toolCallId"},
	} {
		_, err := s.AppendMessages(t.Context(), id, Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: []memory.Message{c.message}})
		if !invalid("messages[0]." + c.field)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// As much as is allowed.
	call := memory.ToolCall{ID: strings.Repeat("i", 128), Name: strings.Repeat("n", 255)}
	call.Arguments = strings.Repeat("\\", memory.MaxToolCallBytes-128-255)
	b := Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: []memory.Message{
		calling("m1", call), calling("m2", many(memory.MaxToolCalls)...), answering("m3", call.ID, ""),
	}}
	must[Stored](t)(s.AppendMessages(t.Context(), id, b))
	got := must[[]memory.Message](t)(s.Messages(t.Context(), id, "c", 0, 10))
	if len(got) != 3 || !cmp.Equal(got[0].ToolCalls, b.Messages[0].ToolCalls) || len(got[1].ToolCalls) != memory.MaxToolCalls {
		t.Errorf("the largest calls did not come back")
	}
}

// Calls count for how much a statement carries.
func TestToolCallsArePartOfAStatement(t *testing.T) {
	call := searching("c1")
	call.Arguments = strings.Repeat("a", memory.MaxToolCallBytes/2)
	messages := make([]memory.Message, 100)
	for i := range messages {
		messages[i] = calling(fmt.Sprint("m", i), call)
	}
	cut := parts(messages)
	n := 0
	for _, part := range cut {
		size := 0
		for _, m := range part {
			size += sizeOf(m)
		}
		if size > maxStatementBytes {
			t.Errorf("a statement carries %d bytes", size)
		}
		n += len(part)
	}
	if len(cut) < 2 || n != len(messages) {
		t.Errorf("%d parts of %d messages", len(cut), n)
	}
}
