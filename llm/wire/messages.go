package wire

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"reverie/memory"
)

// anthropicVersion is the version of the protocol that this package speaks.
const anthropicVersion = "2023-06-01"

// NewMessages returns a client of Anthropic's messages protocol at a base URL.
func NewMessages(base, key string) *Chat {
	c := NewClient(base, map[string]string{"X-Api-Key": key, "Anthropic-Version": anthropicVersion}, readMessage)
	c.stream = newMessageStream
	return &Chat{client: c, path: "/messages", body: messageBody}
}

// maxTemperature is the protocol's limit.
const maxTemperature = 1.0

func messageBody(call *Call, turns []turn, o llms.CallOptions) map[string]any {
	body := map[string]any{"max_tokens": o.MaxTokens}
	system, messages, mark := arrange(turns)
	body["messages"] = messages
	if system != "" {
		block := textBlock(system)
		body["system"] = system
		if call.Sent&CacheMarks != 0 {
			body["system"] = []messageBlock{block}
			setCacheMark(block)
		}
	}
	if call.Sent&CacheMarks != 0 {
		setCacheMark(mark)
	}
	if call.Sent&Temperature != 0 {
		body["temperature"] = min(o.Temperature, maxTemperature)
	}
	if call.Schema != nil && call.Sent&SchemaBound != 0 {
		body["output_config"] = map[string]any{"format": map[string]any{"type": "json_schema", "schema": call.Schema}}
	}
	if tools := messageTools(turns, o.Tools); len(tools) > 0 {
		body["tools"] = tools
		if len(o.Tools) == 0 || o.ToolChoice == NoCalls {
			body["tool_choice"] = map[string]any{"type": NoCalls}
		}
	}
	return body
}

// NoCalls is the tool choice of a request that shows tools and allows no call.
const NoCalls = "none"

// opening is put in front of a conversation that the assistant began: the protocol requires the user first.
const opening = "…"

// messageTurn is one turn. User and assistant alternate, and tools answer as the user.
type messageTurn struct {
	Role    string         `json:"role"`
	Content []messageBlock `json:"content"`
}

type messageBlock = map[string]any

// arrange arranges turns as the protocol requires. mark is the last block that the next request of the conversation will
// repeat; nil: there is none.
func arrange(turns []turn) (system string, messages []messageTurn, mark messageBlock) {
	messages = []messageTurn{}
	for _, t := range turns {
		if t.role == memory.RoleOfSystem {
			system += t.text
			continue
		}
		blocks := t.blocks()
		if len(blocks) == 0 {
			continue
		}
		role := t.role
		if role == memory.RoleOfTool {
			role = memory.RoleOfUser
		}
		if len(messages) == 0 && role != memory.RoleOfUser {
			messages = append(messages, messageTurn{Role: memory.RoleOfUser, Content: []messageBlock{textBlock(opening)}})
		}
		if last := len(messages) - 1; last >= 0 && messages[last].Role == role {
			messages[last].Content = append(messages[last].Content, blocks...)
		} else {
			messages = append(messages, messageTurn{Role: role, Content: blocks})
		}
		if t.role != memory.RoleOfUser {
			mark = blocks[len(blocks)-1]
		}
	}
	return system, messages, mark
}

func textBlock(text string) messageBlock { return messageBlock{"type": "text", "text": text} }

func setCacheMark(block messageBlock) {
	if block != nil {
		block["cache_control"] = map[string]any{"type": "ephemeral"}
	}
}

// blocks returns the message's blocks.
func (t turn) blocks() (blocks []messageBlock) {
	if strings.TrimSpace(t.text) != "" {
		blocks = append(blocks, textBlock(t.text))
	}
	for _, c := range t.calls {
		input := object(c.FunctionCall.Arguments)
		blocks = append(blocks, messageBlock{"type": calling, "id": c.ID, "name": c.FunctionCall.Name, "input": input})
	}
	for _, r := range t.results {
		blocks = append(blocks, messageBlock{"type": "tool_result", "tool_use_id": r.ToolCallID, "content": r.Content})
	}
	return blocks
}

// messageTools returns the tools of a request. If none are offered, it returns those that the messages call: the protocol
// requires their definitions.
func messageTools(turns []turn, offered []llms.Tool) []map[string]any {
	var out []map[string]any
	for _, t := range offered {
		tool := map[string]any{"name": t.Function.Name, "input_schema": t.Function.Parameters}
		if t.Function.Description != "" {
			tool["description"] = t.Function.Description
		}
		out = append(out, tool)
	}
	if len(out) > 0 {
		return out
	}
	called := map[string]bool{}
	for _, t := range turns {
		for _, c := range t.calls {
			called[c.FunctionCall.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(called)) {
		out = append(out, map[string]any{"name": name, "input_schema": NoParameters})
	}
	return out
}

// NoParameters is the schema of a tool without parameters; the protocols require one.
var NoParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// message is an answer in one piece.
type message struct {
	Model      string          `json:"model"`
	Content    []answerBlock   `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      messageUsage    `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// answerBlock is one block of an answer: a text, a tool call, or something else, which is ignored.
type answerBlock struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input arguments `json:"input"`
}

type messageUsage struct {
	Input         Tokens `json:"input_tokens"`
	CacheCreation Tokens `json:"cache_creation_input_tokens"`
	CacheRead     Tokens `json:"cache_read_input_tokens"`
	Output        Tokens `json:"output_tokens"`
}

// messageEvent is one event; its type decides which fields are set.
type messageEvent struct {
	Type         string      `json:"type"`
	Message      message     `json:"message"`
	Index        *int        `json:"index"`
	ContentBlock answerBlock `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage messageUsage    `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readMessage reads an answer in one piece.
func readMessage(header http.Header, body []byte) (Answer, *Error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return Answer{}, NotAnAnswer(header)
	}
	s := &messageStream{}
	s.Model, s.Finish = ModelName(m.Model), m.StopReason
	s.count(m.Usage)
	for _, b := range m.Content {
		s.open(nil, b)
	}
	a, _ := s.answer()
	return a, Embedded(header, m.Error)
}

// messageStream assembles an answer.
type messageStream struct {
	draft

	usage messageUsage
}

func newMessageStream() assembler { return &messageStream{} }

func (s *messageStream) take(header http.Header, data []byte) (part string, done bool, failure *Error) {
	var e messageEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return "", false, NotAnAnswer(header)
	}
	if failure := Embedded(header, e.Error); failure != nil {
		return "", false, failure
	}
	switch e.Type {
	case "message_start":
		s.Model = ModelName(e.Message.Model)
		s.count(e.Message.Usage)
	case "content_block_start":
		return s.open(e.Index, e.ContentBlock), false, nil
	case "content_block_delta":
		return s.add(e), false, nil
	case "message_delta":
		s.Finish = cmp.Or(e.Delta.StopReason, s.Finish)
		s.ended = s.Finish != ""
		s.count(e.Usage)
	case "message_stop":
		s.ended = true
		return "", true, nil
	}
	return "", false, nil // a ping, the end of a block, or a newer event
}

// count merges the counts of an event: they are cumulative, and those that it leaves out stay.
func (s *messageStream) count(u messageUsage) {
	s.usage = messageUsage{
		Input: max(s.usage.Input, u.Input), CacheCreation: max(s.usage.CacheCreation, u.CacheCreation),
		CacheRead: max(s.usage.CacheRead, u.CacheRead), Output: max(s.usage.Output, u.Output),
	}
	s.InputTokens = int(s.usage.Input + s.usage.CacheCreation + s.usage.CacheRead)
	s.CachedTokens, s.OutputTokens = int(s.usage.CacheRead), int(s.usage.Output)
}

// open begins a block and returns its text.
func (s *messageStream) open(index *int, b answerBlock) string {
	if at := len(s.blocks); index == nil {
		index = &at
	}
	s.begin(index, &block{kind: b.Type, id: b.ID, name: b.Name, whole: string(b.Input)})
	if b.Type != "text" {
		return ""
	}
	return s.say(b.Text)
}

// add adds a part to a block and returns its text.
func (s *messageStream) add(e messageEvent) string {
	b := s.newest(e.Index)
	if b == nil {
		return ""
	}
	b.input.WriteString(e.Delta.PartialJSON)
	if b.kind != "text" || e.Delta.Type != "text_delta" {
		return ""
	}
	return s.say(e.Delta.Text)
}

func (s *messageStream) answer() (a Answer, whole bool) {
	a, whole = s.draft.answer()
	a.Empty = len(s.blocks) == 0
	return a, whole
}
