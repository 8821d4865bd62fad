package conversations

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/memory"
)

// conversationFile is the content of a file of conversations.
type conversationFile struct {
	conversations []*fileConversation // in the order of their first line
	faults        []lineFault         // by line
}

// fileAddress names a conversation and its owner, with the field names of the API.
type fileAddress struct {
	Conversation  string `json:"conversation,omitempty"`
	Owner         string `json:"owner,omitempty"`
	Channel       string `json:"channel,omitempty"`
	Sender        string `json:"sender,omitempty"`
	EndUserID     string `json:"endUserId,omitempty"`
	TriggerSource string `json:"triggerSource,omitempty"`
}

// fileConversation is one conversation with its messages, oldest first.
type fileConversation struct {
	fileAddress
	open     bool // its last turn is not complete: nothing is extracted yet
	messages []wire.MessageInput
	byID     map[string]int // index in messages
	// faulty counts its bad lines; lines counts all of them, so that a message keeps its position when a line before it is
	// repaired.
	faulty, lines int
}

// lineFault is a bad line, and the reason.
type lineFault struct {
	line int
	why  string
}

// readConversations reads a JSON array of messages or conversations, one JSON object of either kind, or JSON Lines of
// either kind. Bad lines are in faults; everything else is in conversations. given has the defaults of the fields, and a
// contradiction is a fault; fallback names a conversation when nothing else does.
func readConversations(content []byte, given fileAddress, fallback string) conversationFile {
	r := &fileReader{given: given, home: given, byAddress: map[fileAddress]*fileConversation{}}
	if r.home.Conversation == "" {
		r.home.Conversation = fallback
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if looksLikeLines(content) {
		r.lines(content)
	} else {
		r.document(bytes.TrimRight(content, " \t\r\n"))
	}
	if r.unreadable > 0 { // the conversation of such a line is unknown
		for _, c := range r.loose {
			c.faulty += r.unreadable
		}
	}
	slices.SortStableFunc(r.file.faults, func(a, b lineFault) int { return cmp.Compare(a.line, b.line) })
	return r.file
}

// looksLikeLines reports whether content is JSON Lines, not one JSON document: it has several lines, the first of which is a
// whole object, or it cannot be a document.
func looksLikeLines(content []byte) bool {
	trimmed := bytes.TrimSpace(content)
	if json.Valid(trimmed) {
		return false
	}
	first, rest, _ := bytes.Cut(trimmed, []byte("\n"))
	if len(bytes.TrimSpace(rest)) == 0 {
		return false
	}
	if json.Valid(first) {
		return true
	}
	// The first line may be the invalid one: a document continues on the next line, an object ends on its own.
	second, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("\n"))
	return len(second) > 0 && second[0] == '{' && json.Valid(second)
}

// fileReader collects the conversations of a file.
type fileReader struct {
	given      fileAddress
	home       fileAddress // of messages without fields of an address
	file       conversationFile
	byAddress  map[fileAddress]*fileConversation
	loose      []*fileConversation // made of messages on separate lines
	unreadable int                 // lines whose conversation is unknown
}

func (r *fileReader) fault(line int, format string, args ...any) {
	r.file.faults = append(r.file.faults, lineFault{line, fmt.Sprintf(format, args...)})
}

// lines reads JSON Lines. A line that is not JSON is a fault, and reading continues.
func (r *fileReader) lines(content []byte) {
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if why := notJSON(line); why != "" {
			r.fault(number, "%s", why)
			r.unreadable++
			if c := r.byAddress[r.home]; c != nil {
				c.lines++
			}
			continue
		}
		r.value(line, number)
	}
}

// document reads one JSON value over several lines.
func (r *fileReader) document(content []byte) {
	if why := notJSON(content); why != "" {
		r.fault(lineOf(content, faultAt(content)), "%s", why)
		return
	}
	r.value(content, 1)
}

// value reads a message, a conversation, or an array of either. line is the line number of raw.
func (r *fileReader) value(raw []byte, line int) {
	line += bytes.Count(raw[:len(raw)-len(bytes.TrimLeft(raw, " \t\r\n"))], []byte("\n"))
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '[':
		for _, e := range elements(raw, line) {
			r.value(e.raw, e.line)
		}
	case '{':
		fields := members(raw, line)
		if messages, isConversation := fields["messages"]; isConversation {
			r.conversation(raw, line, messages)
			return
		}
		_, hasRole := fields["role"]
		_, hasContent := fields["content"]
		if !hasRole && !hasContent {
			r.fault(line, `neither a message ("role", "content") nor a conversation ("messages")`)
			r.unreadable++
			return
		}
		r.message(r.find(raw, line, true), raw, line)
	default:
		r.fault(line, `%s is neither a message nor a conversation: write an object`, output.OneLine(string(raw), 20))
		r.unreadable++
	}
}

// conversation reads {"conversation": …, "messages": […]}.
func (r *fileReader) conversation(raw []byte, line int, messages element) {
	var head struct {
		TurnComplete *bool `json:"turnComplete"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		r.fault(line, "turnComplete is true or false")
		return
	}
	if raw := bytes.TrimSpace(messages.raw); raw[0] != '[' {
		r.fault(messages.line, `"messages" is not an array`)
		return
	}
	c := r.find(raw, line, false)
	if c == nil {
		return
	}
	c.open = head.TurnComplete != nil && !*head.TurnComplete
	for _, e := range elements(messages.raw, messages.line) {
		r.message(c, e.raw, e.line)
	}
}

// find returns the conversation that raw names, created on its first mention, or nil when it is unknown.
func (r *fileReader) find(raw []byte, line int, loose bool) *fileConversation {
	var named fileAddress
	if err := json.Unmarshal(raw, &named); err != nil {
		r.fault(line, "%s", readableType(err))
		r.unreadable++
		return nil
	}
	address, why := r.given.with(named)
	if address.Conversation == "" {
		address.Conversation = r.home.Conversation
	}
	if why == "" && address.Conversation == "" {
		why = `it does not say which conversation it belongs to: add "conversation", or name one with --conversation`
	}
	if why != "" {
		r.fault(line, "%s", why)
		if loose {
			r.unreadable++
		}
		return nil
	}
	c := r.byAddress[address]
	if c == nil {
		c = &fileConversation{fileAddress: address, byID: map[string]int{}}
		if address == r.home {
			c.lines = r.unreadable
		}
		r.byAddress[address] = c
		r.file.conversations = append(r.file.conversations, c)
	}
	if loose && !slices.Contains(r.loose, c) {
		r.loose = append(r.loose, c)
	}
	return c
}

// with adds the fields of named to the given ones, or explains how they contradict each other.
func (a fileAddress) with(named fileAddress) (_ fileAddress, why string) {
	both := []struct {
		name, flag string
		to         *string
		from       string
	}{
		{"conversation", "--conversation", &a.Conversation, named.Conversation},
		{"triggerSource", "--source", &a.TriggerSource, named.TriggerSource},
		{"owner", "--owner", &a.Owner, named.Owner},
		{"channel", "--channel", &a.Channel, named.Channel},
		{"sender", "--sender", &a.Sender, named.Sender},
		{"endUserId", "--end-user", &a.EndUserID, named.EndUserID},
	}
	for _, b := range both {
		if b.from != "" && *b.to != "" && b.from != *b.to {
			return a, fmt.Sprintf("it says %s %q and %s says %q: leave one out", b.name, b.from, b.flag, *b.to)
		}
		if b.from != "" {
			*b.to = b.from
		}
	}
	return a, ""
}

// message reads one message into c; c is nil when its conversation is unknown.
func (r *fileReader) message(c *fileConversation, raw []byte, line int) {
	if c == nil {
		return
	}
	place := c.lines
	c.lines++
	m, why := readMessage(raw)
	if why != "" {
		r.fault(line, "%s", why)
		c.faulty++
		return
	}
	if m.ID == "" {
		m.ID = madeID(place, m)
	}
	if before, known := c.byID[m.ID]; known { // the same message twice is one
		if !sameMessage(c.messages[before], m) {
			r.fault(line, "another message of the conversation has the id %q already", m.ID)
			c.faulty++
		}
		return
	}
	c.byID[m.ID] = len(c.messages)
	c.messages = append(c.messages, m)
}

// readMessage reads one message. why explains what the API would refuse.
func readMessage(raw []byte) (m wire.MessageInput, why string) {
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, readableType(err)
	}
	switch m.Role {
	case memory.RoleOfUser, memory.RoleOfAssistant, memory.RoleOfTool, memory.RoleOfSystem:
	case "":
		return m, `"role" is missing: user, assistant, tool or system`
	default:
		return m, fmt.Sprintf(`"role" is %q: use user, assistant, tool or system`, m.Role)
	}
	switch {
	case len(m.Content) > memory.MaxMessageBytes:
		return m, fmt.Sprintf("the message has %d bytes, at most %d are taken", len(m.Content), memory.MaxMessageBytes)
	case len(m.ID) > memory.MaxMessageID:
		return m, fmt.Sprintf("the id has %d bytes, at most %d are taken", len(m.ID), memory.MaxMessageID)
	case strings.ContainsRune(m.Content, 0):
		return m, "the content has a NUL character (\\u0000): remove it"
	}
	return m, badCalls(m)
}

func sameMessage(m, other wire.MessageInput) bool {
	return m.Role == other.Role && m.Name == other.Name && m.Content == other.Content && m.ToolCallID == other.ToolCallID &&
		slices.Equal(m.ToolCalls, other.ToolCalls)
}

// madeID makes the id of a message from its position and text: the same file gives the same ids, so that nothing is stored
// twice, and a file that has grown gives new ids only for what is new.
func madeID(place int, m wire.MessageInput) string {
	h := sha256.New()
	for _, part := range []string{strconv.Itoa(place), m.Role, m.Name, m.Content} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "auto-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// badCalls explains why the API would refuse the tool calls of a message, or the call that it answers; empty: they are valid.
func badCalls(m wire.MessageInput) string {
	switch n := len(m.ToolCalls); {
	case m.ToolCallID != "" && m.Role != memory.RoleOfTool:
		return `only a message with the role "tool" has a "toolCallId"`
	case len(m.ToolCallID) > memory.MaxMessageID:
		return fmt.Sprintf("the toolCallId has %d bytes, at most %d are taken", len(m.ToolCallID), memory.MaxMessageID)
	case n > 0 && m.Role != memory.RoleOfAssistant:
		return `only a message with the role "assistant" has "toolCalls"`
	case n > memory.MaxToolCalls:
		return fmt.Sprintf("there are %d toolCalls, at most %d are taken", n, memory.MaxToolCalls)
	}
	size := 0
	seen := map[string]bool{}
	for _, call := range m.ToolCalls {
		switch {
		case call.ID == "" || call.Name == "":
			return "a tool call has no id or no name"
		case len(call.ID) > memory.MaxMessageID:
			return fmt.Sprintf("the id of a tool call has %d bytes, at most %d are taken", len(call.ID), memory.MaxMessageID)
		case seen[call.ID]:
			return fmt.Sprintf("two tool calls have the id %q", call.ID)
		case strings.ContainsRune(call.ID+call.Name+call.Arguments, 0):
			return "a tool call has a NUL character (\\u0000): remove it"
		}
		seen[call.ID] = true
		size += len(call.ID) + len(call.Name) + len(call.Arguments)
	}
	if size > memory.MaxToolCallBytes {
		return fmt.Sprintf("the tool calls have %d bytes, at most %d are taken", size, memory.MaxToolCallBytes)
	}
	return ""
}
