package completion

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"reverie/llm/wire"
	"reverie/memory"
)

// Message is one message of a request, as it is stored.
type Message struct {
	memory.Message        // without an id, and within the limits of the store
	key            string // hash of everything that distinguishes it

	raw    json.RawMessage
	fields object
}

// roles are those of the protocol, as they are stored.
var roles = map[string]string{
	"system": memory.RoleOfSystem, "developer": memory.RoleOfSystem, "user": memory.RoleOfUser, "assistant": memory.RoleOfAssistant,
	"tool": memory.RoleOfTool, "function": memory.RoleOfTool,
}

func parseMessage(raw json.RawMessage) (Message, *Invalid) {
	fields, err := parseObject(raw)
	if err != nil {
		return Message{}, &Invalid{"", err.Error()}
	}
	m := Message{raw: raw, fields: fields}
	var role, name, answered, refusal string
	for _, f := range []struct {
		name string
		to   *string
	}{{"role", &role}, {"name", &name}, {"tool_call_id", &answered}, {"refusal", &refusal}} {
		if err := fields.read(f.name, f.to); err != nil {
			return Message{}, &Invalid{"." + f.name, "send a text"}
		}
	}
	if m.Role = roles[role]; m.Role == "" {
		return Message{}, &Invalid{".role", "use system, developer, user, assistant or tool"}
	}
	text, others, problem := readContent(fields.get("content"))
	if problem != "" {
		return Message{}, &Invalid{".content", problem}
	}
	m.Name, m.Content = name, cmp.Or(text, refusal)
	if m.Role == memory.RoleOfTool {
		m.ToolCallID = answered
	}
	if m.Role == memory.RoleOfAssistant {
		m.Content = wire.WithoutThoughts(m.Content)
		if m.ToolCalls, problem = readCalls(fields); problem != "" {
			return Message{}, &Invalid{".tool_calls", problem}
		}
	}
	if hasNUL(m.Message) {
		return Message{}, &Invalid{"", "it contains the character U+0000: remove it"}
	}
	m.key = keyOf(m.Message, others)
	m.Message = storable(m.Message)
	return m, nil
}

// Reply returns the message of an answer.
func Reply(m memory.Message) Message {
	m.Role = memory.RoleOfAssistant
	return Message{Message: storable(m), key: keyOf(m, "")}
}

// part is one part of a content.
type part struct {
	Type, Text, Refusal string
	File                struct {
		Name string `json:"filename"`
	}
}

// readContent returns the text of a content, with a note for each part that is not text, and what distinguishes those parts.
func readContent(raw json.RawMessage) (text, others, problem string) {
	if raw == nil {
		return "", "", ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, "", ""
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return "", "", "send a text, a list of parts or null"
	}
	var texts []string
	hash := sha256.New()
	for _, one := range parts {
		var p part
		if json.Unmarshal(one, &p) != nil {
			return "", "", "send each part as an object with a type"
		}
		var note string
		switch p.Type {
		case "text", "input_text", "output_text", "refusal":
			texts = append(texts, cmp.Or(p.Text, p.Refusal))
			continue
		case "image_url", "input_image":
			note = "[image]"
		case "input_audio":
			note = "[audio]"
		case "file", "input_file":
			note = strings.TrimSpace("[file "+p.File.Name) + "]"
		default:
			note = fmt.Sprintf("[%.40s]", p.Type)
		}
		texts = append(texts, note)
		hash.Write(one)
		others = "parts"
	}
	if others != "" {
		others = hex.EncodeToString(hash.Sum(nil))
	}
	return strings.Join(texts, "\n"), others, ""
}

// function is the name and the arguments of a call: of tools, of custom tools, or of the protocol's first form.
type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
}

func readCalls(fields object) (calls []memory.ToolCall, problem string) {
	var raw []struct {
		ID       string   `json:"id"`
		Function function `json:"function"`
		Custom   function `json:"custom"`
	}
	var old function
	if fields.read("tool_calls", &raw) != nil || fields.read("function_call", &old) != nil {
		return nil, "send a list of calls, each with an id and a function"
	}
	for _, c := range raw {
		calls = append(calls, memory.ToolCall{
			ID: c.ID, Name: cmp.Or(c.Function.Name, c.Custom.Name), Arguments: cmp.Or(c.Function.Arguments, c.Custom.Input),
		})
	}
	if old.Name != "" {
		calls = append(calls, memory.ToolCall{ID: old.Name, Name: old.Name, Arguments: old.Arguments})
	}
	return calls, ""
}

func hasNUL(m memory.Message) bool {
	texts := []string{m.Name, m.Content, m.ToolCallID}
	for _, c := range m.ToolCalls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
	}
	return strings.Contains(strings.Join(texts, ""), "\x00")
}

// keyOf returns the hash of a message. Clients send answers back in slightly other forms: space around them, null for no text, and other
// forms of the same JSON do not matter. others distinguishes parts that are not text.
func keyOf(m memory.Message, others string) string {
	parts := []string{m.Role, strings.TrimSpace(strings.ReplaceAll(m.Content, "\r\n", "\n")), m.ToolCallID, others}
	for _, c := range m.ToolCalls {
		var arguments bytes.Buffer
		if json.Compact(&arguments, []byte(cmp.Or(strings.TrimSpace(c.Arguments), "{}"))) != nil {
			arguments.Reset()
			arguments.WriteString(c.Arguments)
		}
		parts = append(parts, c.ID, c.Name, arguments.String())
	}
	return hashOf(parts...)
}

// hashOf returns 40 hexadecimal digits.
func hashOf(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// Limits of names in the store.
const maxName = 200

// storable returns a message that the store takes, whatever a client wrote: what is too long is cut, and calls without an id or a name,
// or with the id of another one, get one or are left out.
func storable(m memory.Message) memory.Message {
	m.Name, m.ToolCallID = cut(m.Name, maxName), cut(m.ToolCallID, memory.MaxMessageID)
	if len(m.Content) > memory.MaxMessageBytes {
		note := fmt.Sprintf("\n[… %d bytes in all]", len(m.Content))
		m.Content = cut(m.Content, memory.MaxMessageBytes-len(note)) + note
	}
	calls, seen, left := m.ToolCalls, map[string]bool{}, memory.MaxToolCallBytes
	m.ToolCalls = nil
	for i, c := range calls {
		c.ID, c.Name = cmp.Or(cut(c.ID, memory.MaxMessageID), fmt.Sprintf("call_%d", i)), cmp.Or(cut(c.Name, maxName), "unknown")
		c.Arguments = cut(c.Arguments, max(0, left-len(c.ID)-len(c.Name)))
		size := len(c.ID) + len(c.Name) + len(c.Arguments)
		if seen[c.ID] || len(m.ToolCalls) == memory.MaxToolCalls || size > left {
			continue
		}
		seen[c.ID] = true
		left -= size
		m.ToolCalls = append(m.ToolCalls, c)
	}
	return m
}

// cut shortens a text to a number of bytes, between two characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// appended returns the message with a text after its content, and prefixed with one in front of it. What the client wrote stays as it is.
func (m Message) appended(text string) json.RawMessage { return m.extended(text, false) }

func (m Message) prefixed(text string) json.RawMessage { return m.extended(text, true) }

func (m Message) extended(text string, before bool) json.RawMessage {
	const gap = "\n\n" // also between parts, which some servers join
	content := bytes.TrimSpace(m.fields.get("content"))
	if len(content) == 0 {
		return m.fields.with("content", encoded(text)).bytes()
	}
	if text = gap + text; before {
		text = text[len(gap):] + gap
	}
	var addition, between []byte
	if content[0] == '"' {
		addition = encoded(text)
		addition = addition[1 : len(addition)-1]
	} else {
		addition = encoded(map[string]string{"type": "text", "text": text})
		if len(bytes.TrimSpace(content[1:len(content)-1])) > 0 {
			between = []byte(",")
		}
	}
	first, inner, last := content[:1], content[1:len(content)-1], content[len(content)-1:]
	parts := [][]byte{first, inner, between, addition, last}
	if before {
		parts = [][]byte{first, addition, between, inner, last}
	}
	return m.fields.with("content", bytes.Join(parts, nil)).bytes()
}
