package conversations

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/memory"
)

// outline formats a parsed file: "conversation: role=content …", and its faults as "line: reason".
func outline(f conversationFile) (conversations, faults []string) {
	for _, c := range f.conversations {
		text := c.Conversation
		if c.EndUserID != "" {
			text += "@" + c.EndUserID
		}
		if c.faulty > 0 {
			text += fmt.Sprintf(" (%d faulty)", c.faulty)
		}
		for _, m := range c.messages {
			text += " " + m.Role + "=" + m.Content
		}
		conversations = append(conversations, text)
	}
	for _, fault := range f.faults {
		faults = append(faults, fmt.Sprintf("%d: %s", fault.line, fault.why))
	}
	return conversations, faults
}

func TestFilesAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		name, content string
		given         fileAddress
		want          []string
		faults        []string // prefixes
	}{
		{
			name:    "array of messages",
			content: `[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]`,
			want:    []string{"file user=hi assistant=hello"},
		},
		{
			name:    "object with messages",
			content: "{\n \"conversation\":\"c1\", \"endUserId\":\"42\",\n \"messages\":[\n  {\"role\":\"user\",\"content\":\"hi\"}\n ]\n}\n",
			want:    []string{"c1@42 user=hi"},
		},
		{
			name:    "one message",
			content: `{"role":"user","content":"hi"}`,
			want:    []string{"file user=hi"},
		},
		{
			name:    "array of conversations",
			content: `[{"conversation":"a","messages":[{"role":"user","content":"1"}]},{"conversation":"b","messages":[{"role":"user","content":"2"}]}]`,
			want:    []string{"a user=1", "b user=2"},
		},
		{
			name:    "lines of messages, with a byte order mark, blank lines and Windows line ends",
			content: "\ufeff{\"role\":\"user\",\"content\":\"1\"}\r\n\r\n{\"role\":\"assistant\",\"content\":\"2\"}\r\n",
			want:    []string{"file user=1 assistant=2"},
		},
		{
			name: "lines of several conversations, mixed",
			content: `{"conversation":"a","role":"user","content":"1"}
{"conversation":"b","endUserId":"7","role":"user","content":"2"}
{"conversation":"a","role":"assistant","content":"3"}`,
			want: []string{"a user=1 assistant=3", "b@7 user=2"},
		},
		{
			name: "a conversation on each line",
			content: `{"conversation":"a","messages":[{"role":"user","content":"1"}]}
{"conversation":"b","messages":[{"role":"user","content":"2"}]}`,
			want: []string{"a user=1", "b user=2"},
		},
		{
			name:    "flags fill in",
			content: `[{"role":"user","content":"hi"}]`,
			given:   fileAddress{Conversation: "c9", EndUserID: "42"},
			want:    []string{"c9@42 user=hi"},
		},
		{
			name:    "flags do not contradict",
			content: `{"conversation":"c1","endUserId":"7","messages":[{"role":"user","content":"hi"}]}`,
			given:   fileAddress{EndUserID: "42"},
			faults:  []string{`1: it says endUserId "7" and --end-user says "42"`},
		},
		{
			name: "a message of somebody else holds back the messages around it",
			content: `{"role":"user","content":"1"}
{"endUserId":"7","role":"user","content":"2"}`,
			given:  fileAddress{EndUserID: "42"},
			want:   []string{"file@42 (1 faulty) user=1"},
			faults: []string{`2: it says endUserId "7" and --end-user says "42"`},
		},
		{
			name: "a line that is no JSON holds back the messages around it and nothing else",
			content: `{"role":"user","content":"1"}
{"role":"user","content":
{"role":"assistant","content":"2"}
{"conversation":"whole","messages":[{"role":"user","content":"3"}]}`,
			want:   []string{"file (1 faulty) user=1 assistant=2", "whole user=3"},
			faults: []string{"2: not JSON: unexpected end"},
		},
		{
			name: "the first line may be the bad one",
			content: `{"role":"user"
{"role":"user","content":"1"}
{"role":"assistant","content":"2"}`,
			want:   []string{"file (1 faulty) user=1 assistant=2"},
			faults: []string{"1: not JSON"},
		},
		{
			name: "a bad message holds back its conversation only",
			content: `{"conversation":"a","role":"robot","content":"1"}
{"conversation":"b","role":"user","content":"2"}
{"conversation":"a","role":"user","content":3}`,
			want:   []string{"a (2 faulty)", "b user=2"},
			faults: []string{`1: "role" is "robot"`, `3: "content" is a number and must be a string`},
		},
		{
			name:    "lines are counted within a document",
			content: "[\n  {\"role\":\"user\",\n   \"content\":\"1\"},\n\n  {\"content\":\"2\"},\n  {\"role\":\"user\",\"content\":\"3\"}, 4\n]",
			want:    []string{"file (2 faulty) user=1 user=3"},
			faults:  []string{`5: "role" is missing`, "6: 4 is neither a message nor a conversation"},
		},
		{
			name:    "lines are counted within messages",
			content: "{\n\"messages\":\n[\n{\"role\":\"user\",\"content\":\"1\"},\n{\"role\":\"user\"},\n{\"role\":\"x\",\"content\":\"2\"}]}",
			want:    []string{"file (1 faulty) user=1 user="},
			faults:  []string{`6: "role" is "x"`},
		},
		{
			name:    "a broken document says where",
			content: "[\n{\"role\":\"user\",\"content\":\"1\"},\n{\"role\" \"user\"}\n]",
			faults:  []string{"3: not JSON"},
		},
		{
			name:    "messages must be a list",
			content: `{"messages":"none"}`,
			faults:  []string{`1: "messages" is not an array`},
		},
		{
			name:    "something else",
			content: `{"hello":"world"}`,
			faults:  []string{"1: neither a message"},
		},
		{
			name:    "one id, two messages",
			content: `[{"id":"m1","role":"user","content":"1"},{"id":"m1","role":"user","content":"1"},{"id":"m1","role":"user","content":"2"}]`,
			want:    []string{"file (1 faulty) user=1"},
			faults:  []string{`1: another message of the conversation has the id "m1"`},
		},
		{
			name:    "another encoding",
			content: "[\n{\"role\":\"user\",\n\"content\":\"gr\xfcn\"}]",
			faults:  []string{"3: not UTF-8"},
		},
		{
			name:    "another encoding in one line",
			content: "{\"role\":\"user\",\"content\":\"1\"}\n{\"role\":\"user\",\"content\":\"gr\xfcn\"}",
			want:    []string{"file (1 faulty) user=1"},
			faults:  []string{"2: not UTF-8"},
		},
		{
			name:    "NUL",
			content: `[{"role":"user","content":"a\u0000b"}]`,
			want:    []string{"file (1 faulty)"},
			faults:  []string{"1: the content has a NUL character"},
		},
		{
			name:    "too long",
			content: `[{"role":"user","content":"` + strings.Repeat("x", memory.MaxMessageBytes+1) + `"}]`,
			want:    []string{"file (1 faulty)"},
			faults:  []string{"1: the message has 262145 bytes"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, faults := outline(readConversations([]byte(c.content), c.given, "file"))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("conversations (-want +got):\n%s", diff)
			}
			if len(faults) != len(c.faults) {
				t.Fatalf("faults %q, want %q", faults, c.faults)
			}
			for i, want := range c.faults {
				if !strings.HasPrefix(faults[i], want) {
					t.Errorf("fault %q, want %q…", faults[i], want)
				}
			}
		})
	}
}

func TestAConversationWithoutANameNeedsOne(t *testing.T) {
	_, faults := outline(readConversations([]byte(`[{"role":"user","content":"hi"}]`), fileAddress{}, ""))
	if len(faults) != 1 || !strings.Contains(faults[0], "--conversation") {
		t.Errorf("faults %q", faults)
	}
}

func anyMessages(t *rapid.T) []wire.MessageInput {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) wire.MessageInput {
		return wire.MessageInput{
			Role:    rapid.SampledFrom([]string{"user", "assistant", "tool", "system"}).Draw(t, "role"),
			Name:    rapid.SampledFrom([]string{"", "Ada"}).Draw(t, "name"),
			Content: rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\"\\{}[],:üß漢\u2028 ")), 0, 12, -1).Draw(t, "content"),
		}
	}), 1, 12).Draw(t, "messages")
}

// The same messages are understood alike in every form, get ids that are all different, get the same ids again, and keep
// them when the conversation goes on.
func TestFormsAndIDsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := anyMessages(t)
		bare := make([]map[string]string, len(said))
		for i, m := range said {
			bare[i] = map[string]string{"role": m.Role, "name": m.Name, "content": m.Content}
		}
		marshal := func(v any) string {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		indented, err := json.MarshalIndent(bare, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, m := range bare {
			lines = append(lines, marshal(m))
		}
		read := func(content string) []wire.MessageInput {
			f := readConversations([]byte(content), fileAddress{}, "c")
			if len(f.faults) > 0 || len(f.conversations) != 1 {
				t.Fatalf("%q: %d conversations, faults %v", content, len(f.conversations), f.faults)
			}
			return f.conversations[0].messages
		}
		first := read(marshal(bare))
		if len(first) != len(said) {
			t.Fatalf("%d messages became %d", len(said), len(first))
		}
		ids := map[string]bool{}
		for i, m := range first {
			if ids[m.ID] || len(m.ID) > memory.MaxMessageID {
				t.Fatalf("id %q of message %d", m.ID, i)
			}
			ids[m.ID] = true
			if m.Content != said[i].Content || m.Role != said[i].Role || m.Name != said[i].Name {
				t.Fatalf("message %d became %+v", i, m)
			}
		}
		for form, content := range map[string]string{
			"indented": string(indented), "lines": strings.Join(lines, "\n"), "lines with an end": strings.Join(lines, "\n\n") + "\n",
			"object": marshal(map[string]any{"messages": bare}),
		} {
			if diff := cmp.Diff(first, read(content)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", form, diff)
			}
		}
		grown := read(marshal(slices.Concat(bare, []map[string]string{{"role": "user", "content": "and then"}})))
		if diff := cmp.Diff(first, grown[:len(first)]); diff != "" {
			t.Fatalf("grown (-want +got):\n%s", diff)
		}
	})
}

// A line that is repaired leaves the ids of all other messages as they were.
func TestARepairedLineChangesNoOtherID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := anyMessages(t)
		broken := rapid.IntRange(0, len(said)-1).Draw(t, "broken")
		fault := rapid.SampledFrom([]string{`{"role":"robot","content":""}`, `{"role":`}).Draw(t, "fault")
		var whole, cut []string
		for i, m := range said {
			line, err := json.Marshal(map[string]string{"role": m.Role, "name": m.Name, "content": m.Content})
			if err != nil {
				t.Fatal(err)
			}
			whole = append(whole, string(line))
			if i == broken {
				line = []byte(fault)
			}
			cut = append(cut, string(line))
		}
		repaired := readConversations([]byte(strings.Join(whole, "\n")), fileAddress{}, "c").conversations[0].messages
		f := readConversations([]byte(strings.Join(cut, "\n")+"\n"), fileAddress{}, "c")
		if len(f.faults) != 1 || f.faults[0].line != broken+1 {
			t.Fatalf("faults %v, want one in line %d", f.faults, broken+1)
		}
		if len(said) == 1 {
			return
		}
		c := f.conversations[0]
		if c.faulty == 0 {
			t.Fatal("the conversation is not held back")
		}
		want := append(append([]wire.MessageInput{}, repaired[:broken]...), repaired[broken+1:]...)
		if diff := cmp.Diff(want, c.messages); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// A long array is read in time that grows with its length.
func TestALongFileIsReadAtOnce(t *testing.T) {
	one := `{"role":"user","content":"` + strings.Repeat("x", 200) + `"}`
	const messages = 100_000
	began := time.Now()
	f := readConversations([]byte("[\n"+strings.Repeat(one+",\n", messages-1)+one+"\n]"), fileAddress{}, "c")
	if len(f.conversations) != 1 || len(f.conversations[0].messages) != messages {
		t.Fatalf("%d conversations, faults %v", len(f.conversations), f.faults)
	}
	if took := time.Since(began); took > time.Minute { // a few seconds; many minutes when lines are counted from the beginning each time
		t.Errorf("it took %s", took)
	}
}

func FuzzReadConversations(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"hi"}]`, `{"messages":[{"role":"user","content":"hi"}]}`, "{}\n{}", `[[`, "\"x\"", "null",
		"{\"messages\":null}",
		"{\"role\":\"user\",\"content\":\"1\"}\n{\"role\":", "[1,2]", "\ufeff", `{"messages":[null]}`, "{\"role\":1}\n{\"role\":2}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := readConversations(content, fileAddress{}, "c")
		lines := 1 + strings.Count(string(content), "\n")
		for _, fault := range file.faults {
			if fault.line < 1 || fault.line > lines || fault.why == "" {
				t.Errorf("fault in line %d of %d: %q", fault.line, lines, fault.why)
			}
		}
		messages := 0
		for _, c := range file.conversations {
			messages += len(c.messages)
		}
		if messages == 0 && len(file.faults) == 0 && len(strings.TrimSpace(string(content))) > 0 {
			// Only an empty list has neither messages nor faults.
			var v any
			if err := json.Unmarshal([]byte(strings.TrimPrefix(string(content), "\ufeff")), &v); err != nil {
				t.Errorf("%q is neither understood nor refused", content)
			}
		}
	})
}

// The tool calls of a file are sent unchanged.
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
		ToolCalls  []wire.ToolCall
		ToolCallID string
	}
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wire.ToolCall{{ID: "c1", Name: "search", Arguments: `{"q":1}`}}, got[0].ToolCalls); diff != "" ||
		got[1].ToolCallID != "c1" {
		t.Errorf("sent %s\n%s", sent, diff)
	}
}

func TestFilesWithBadToolCalls(t *testing.T) {
	call := func(id, name, arguments string) wire.ToolCall {
		return wire.ToolCall{ID: id, Name: name, Arguments: arguments}
	}
	many := func(n int) (calls []wire.ToolCall) {
		for i := range n {
			calls = append(calls, call(fmt.Sprint(i), "list", "{}"))
		}
		return calls
	}
	for name, c := range map[string]struct {
		role, answers string
		calls         []wire.ToolCall
		want          string // part of the fault; empty: none
	}{
		"64 calls":          {role: "assistant", calls: many(64)},
		"65 calls":          {role: "assistant", calls: many(65), want: "65"},
		"calls of a user":   {role: "user", calls: many(1), want: "assistant"},
		"answer of a user":  {role: "user", answers: "c1", want: "tool"},
		"answer":            {role: "tool", answers: strings.Repeat("i", 128)},
		"answer to a long":  {role: "tool", answers: strings.Repeat("i", 129), want: "129"},
		"no id":             {role: "assistant", calls: []wire.ToolCall{call("", "list", "")}, want: "no id"},
		"no name":           {role: "assistant", calls: []wire.ToolCall{call("a", "", "")}, want: "no name"},
		"a long id":         {role: "assistant", calls: []wire.ToolCall{call(strings.Repeat("i", 129), "list", "")}, want: "129"},
		"an id twice":       {role: "assistant", calls: []wire.ToolCall{call("a", "list", ""), call("a", "list", "")}, want: `"a"`},
		"a NUL":             {role: "assistant", calls: []wire.ToolCall{call("a", "list", "\x00")}, want: "NUL"},
		"256 KiB":           {role: "assistant", calls: []wire.ToolCall{call("a", "list", strings.Repeat("x", 256<<10-5))}},
		"more than 256 KiB": {role: "assistant", calls: []wire.ToolCall{call("a", "list", strings.Repeat("x", 256<<10-4))}, want: "262145"},
	} {
		line, err := json.Marshal(wire.MessageInput{Role: c.role, ToolCalls: c.calls, ToolCallID: c.answers})
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
