package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/memory"
)

// What a file says about tools is what is sent.
func TestFilesSayWhatWasAskedOfTools(t *testing.T) {
	f := readConversations([]byte(`{"role":"assistant","content":"","toolCalls":[{"id":"c1","name":"search","arguments":"{\"q\":1}"}]}
{"role":"tool","content":"[]","toolCallId":"c1"}
`), fileAddress{}, "file")
	if len(f.faults) > 0 || len(f.conversations) != 1 || len(f.conversations[0].messages) != 2 {
		t.Fatalf("understood as %+v", f)
	}
	sent, err := json.Marshal(f.conversations[0].messages)
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		ToolCalls  []memory.ToolCall
		ToolCallID string
	}
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]memory.ToolCall{{ID: "c1", Name: "search", Arguments: `{"q":1}`}}, got[0].ToolCalls); diff != "" || got[1].ToolCallID != "c1" {
		t.Errorf("sent %s\n%s", sent, diff)
	}
}

func TestFilesWithBadToolCalls(t *testing.T) {
	call := func(id, name, arguments string) memory.ToolCall {
		return memory.ToolCall{ID: id, Name: name, Arguments: arguments}
	}
	many := func(n int) (calls []memory.ToolCall) {
		for i := range n {
			calls = append(calls, call(fmt.Sprint(i), "list", "{}"))
		}
		return calls
	}
	for name, c := range map[string]struct {
		role, answers string
		calls         []memory.ToolCall
		want          string // part of the fault; empty: none
	}{
		"64 calls":          {role: "assistant", calls: many(64)},
		"65 calls":          {role: "assistant", calls: many(65), want: "65"},
		"calls of a user":   {role: "user", calls: many(1), want: "assistant"},
		"answer of a user":  {role: "user", answers: "c1", want: "tool"},
		"answer":            {role: "tool", answers: strings.Repeat("i", 128)},
		"answer to a long":  {role: "tool", answers: strings.Repeat("i", 129), want: "129"},
		"no id":             {role: "assistant", calls: []memory.ToolCall{call("", "list", "")}, want: "no id"},
		"no name":           {role: "assistant", calls: []memory.ToolCall{call("a", "", "")}, want: "no name"},
		"a long id":         {role: "assistant", calls: []memory.ToolCall{call(strings.Repeat("i", 129), "list", "")}, want: "129"},
		"an id twice":       {role: "assistant", calls: []memory.ToolCall{call("a", "list", ""), call("a", "list", "")}, want: `"a"`},
		"a NUL":             {role: "assistant", calls: []memory.ToolCall{call("a", "list", "\x00")}, want: "NUL"},
		"256 KiB":           {role: "assistant", calls: []memory.ToolCall{call("a", "list", strings.Repeat("x", 256<<10-5))}},
		"more than 256 KiB": {role: "assistant", calls: []memory.ToolCall{call("a", "list", strings.Repeat("x", 256<<10-4))}, want: "262145"},
	} {
		line, err := json.Marshal(fileMessage{Role: c.role, ToolCalls: c.calls, ToolCallID: c.answers})
		if err != nil {
			t.Fatal(err)
		}
		f := readConversations(line, fileAddress{}, "file")
		switch {
		case c.want == "" && len(f.faults) > 0:
			t.Errorf("%s: %v", name, f.faults)
		case c.want != "" && (len(f.faults) != 1 || !strings.Contains(f.faults[0].why, c.want)):
			t.Errorf("%s: %v, want one about %q", name, f.faults, c.want)
		}
	}
}

// Two messages with one id are one only if they ask the same of tools.
func TestFilesRepeatToolCalls(t *testing.T) {
	line := func(arguments string) string {
		return `{"id":"m1","role":"assistant","content":"","toolCalls":[{"id":"c1","name":"search","arguments":"` + arguments + `"}]}` + "\n"
	}
	if f := readConversations([]byte(line("a")+line("a")), fileAddress{}, "file"); len(f.faults) != 0 {
		t.Errorf("the same twice: %v", f.faults)
	}
	if f := readConversations([]byte(line("a")+line("b")), fileAddress{}, "file"); len(f.faults) != 1 {
		t.Errorf("other arguments: %v", f.faults)
	}
}
