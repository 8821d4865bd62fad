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

// messageRequest is the body of a request.
type messageRequest struct {
	Model        string         `json:"model"`
	System       any            `json:"system,omitempty"` // a text, or blocks
	Messages     []messageTurn  `json:"messages"`
	MaxTokens    int            `json:"max_tokens"`
	Temperature  *float64       `json:"temperature,omitempty"`
	OutputConfig map[string]any `json:"output_config,omitempty"`
	Tools        []messageTool  `json:"tools,omitempty"`
	ToolChoice   map[string]any `json:"tool_choice,omitempty"`
	Stream       bool           `json:"stream,omitempty"`
}

// messageTurn is one turn. User and assistant alternate, and tools answer as the user.
type messageTurn struct {
	Role    string           `json:"role"`
	Content []map[string]any `json:"content"`
}

type messageTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	InputSchema any    `json:"input_schema"`
}

// maxTemperature is the protocol's limit.
const maxTemperature = 1.0

func messageBody(call *Call, messages []llms.MessageContent, o llms.CallOptions) any {
	r := messageRequest{Model: o.Model, MaxTokens: o.MaxTokens, Stream: call.Sent&Streamed != 0}
	system, turns, mark := turnsOf(messages)
	r.Messages = turns
	if system != "" {
		r.System = system
	}
	if call.Sent&CacheMarks != 0 {
		if system != "" {
			block := textBlock(system)
			r.System = []map[string]any{block}
			setCacheMark(block)
		}
		setCacheMark(mark)
	}
	if call.Sent&Temperature != 0 {
		temperature := min(o.Temperature, maxTemperature)
		r.Temperature = &temperature
	}
	if call.Schema != nil && call.Sent&SchemaBound != 0 {
		r.OutputConfig = map[string]any{"format": map[string]any{"type": "json_schema", "schema": call.Schema}}
	}
	if r.Tools = messageTools(messages, o.Tools); len(r.Tools) > 0 && (len(o.Tools) == 0 || o.ToolChoice == NoCalls) {
		r.ToolChoice = map[string]any{"type": NoCalls}
	}
	return r
}

// NoCalls is the tool choice of a request that shows tools and allows no call.
const NoCalls = "none"

// opening is put in front of a conversation that the assistant began: the protocol requires the user first.
const opening = "…"

// turnsOf arranges messages as the protocol requires. mark is the last block that the next request of the conversation will
// repeat; nil: there is none.
func turnsOf(messages []llms.MessageContent) (system string, turns []messageTurn, mark map[string]any) {
	turns = []messageTurn{}
	for _, m := range messages {
		if m.Role == llms.ChatMessageTypeSystem {
			system += textOf(m)
			continue
		}
		role, blocks := messageBlocks(m)
		if len(blocks) == 0 {
			continue
		}
		if len(turns) == 0 && role != memory.RoleOfUser {
			turns = append(turns, messageTurn{Role: memory.RoleOfUser, Content: []map[string]any{textBlock(opening)}})
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
			turns[last].Content = append(turns[last].Content, blocks...)
		} else {
			turns = append(turns, messageTurn{Role: role, Content: blocks})
		}
		if m.Role != llms.ChatMessageTypeHuman {
			mark = blocks[len(blocks)-1]
		}
	}
	return system, turns, mark
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

func setCacheMark(block map[string]any) {
	if block != nil {
		block["cache_control"] = map[string]any{"type": "ephemeral"}
	}
}

// messageBlocks returns a message's blocks, and the role that they are sent in.
func messageBlocks(m llms.MessageContent) (role string, blocks []map[string]any) {
	role = memory.RoleOfUser
	if m.Role == llms.ChatMessageTypeAI {
		role = memory.RoleOfAssistant
	}
	if text := textOf(m); strings.TrimSpace(text) != "" {
		blocks = append(blocks, textBlock(text))
	}
	for _, part := range m.Parts {
		switch part := part.(type) {
		case llms.ToolCall:
			blocks = append(blocks, map[string]any{
				"type": "tool_use", "id": part.ID, "name": part.FunctionCall.Name, "input": object(part.FunctionCall.Arguments),
			})
		case llms.ToolCallResponse:
			blocks = append(blocks, map[string]any{"type": "tool_result", "tool_use_id": part.ToolCallID, "content": part.Content})
		default: // text
		}
	}
	return role, blocks
}

// messageTools returns the tools of a request. If none are offered, it returns those that the messages call: the protocol
// requires their definitions.
func messageTools(messages []llms.MessageContent, offered []llms.Tool) []messageTool {
	var out []messageTool
	for _, t := range offered {
		out = append(out, messageTool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	if len(out) > 0 {
		return out
	}
	called := map[string]bool{}
	for _, m := range messages {
		for _, part := range m.Parts {
			if c, ok := part.(llms.ToolCall); ok {
				called[c.FunctionCall.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(called)) {
		out = append(out, messageTool{Name: name, InputSchema: NoParameters})
	}
	return out
}

// NoParameters is the schema of a tool without parameters; the protocols require one.
var NoParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// message is an answer in one piece.
type message struct {
	Model      string          `json:"model"`
	Content    []messageBlock  `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      messageUsage    `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// messageBlock is one block of an answer: a text, a tool call, or something else, which is ignored.
type messageBlock struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Input arguments `json:"input"`
}

// spoken returns the text of a text block.
func (b messageBlock) spoken() string {
	if b.Type != "text" {
		return ""
	}
	return b.Text
}

type messageUsage struct {
	Input         Tokens `json:"input_tokens"`
	CacheCreation Tokens `json:"cache_creation_input_tokens"`
	CacheRead     Tokens `json:"cache_read_input_tokens"`
	Output        Tokens `json:"output_tokens"`
}

// with merges the counts of a later event: they are cumulative, and those that it leaves out stay.
func (u messageUsage) with(later messageUsage) messageUsage {
	return messageUsage{
		Input: max(u.Input, later.Input), CacheCreation: max(u.CacheCreation, later.CacheCreation),
		CacheRead: max(u.CacheRead, later.CacheRead), Output: max(u.Output, later.Output),
	}
}

func (m message) answer() Answer {
	a := Answer{
		Model: ModelName(m.Model), Finish: m.StopReason, Empty: len(m.Content) == 0,
		InputTokens:  int(m.Usage.Input + m.Usage.CacheCreation + m.Usage.CacheRead),
		CachedTokens: int(m.Usage.CacheRead), OutputTokens: int(m.Usage.Output),
	}
	for _, block := range m.Content {
		a.Text += block.spoken()
		if block.Type == "tool_use" {
			a.Calls = append(a.Calls, memory.ToolCall{ID: block.ID, Name: block.Name, Arguments: string(block.Input)})
		}
	}
	a.Calls = finished(a.Calls)
	return a
}

// readMessage reads an answer in one piece.
func readMessage(header http.Header, body []byte) (Answer, *Error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return Answer{}, NotAnAnswer(header)
	}
	return m.answer(), Embedded(header, m.Error)
}

// messageStream assembles a streamed answer.
type messageStream struct {
	message

	blocks map[int]*streamedBlock
	order  []*streamedBlock
	ended  bool // the server has marked the end
}

// streamedBlock is a block whose parts are arriving.
type streamedBlock struct {
	messageBlock

	text  strings.Builder
	input strings.Builder
}

// messageEvent is one event; its type decides which fields are set.
type messageEvent struct {
	Type         string       `json:"type"`
	Message      message      `json:"message"`
	Index        *int         `json:"index"`
	ContentBlock messageBlock `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage messageUsage    `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func newMessageStream() assembler { return &messageStream{blocks: map[int]*streamedBlock{}} }

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
		s.Model, s.Usage = e.Message.Model, e.Message.Usage
	case "content_block_start":
		s.begin(e)
		return e.ContentBlock.spoken(), false, nil
	case "content_block_delta":
		return s.add(e), false, nil
	case "message_delta":
		s.StopReason = cmp.Or(e.Delta.StopReason, s.StopReason)
		s.Usage = s.Usage.with(e.Usage)
	case "message_stop":
		s.ended = true
		return "", true, nil
	}
	return "", false, nil // a ping, the end of a block, or a newer event
}

func (s *messageStream) begin(e messageEvent) {
	b := &streamedBlock{messageBlock: e.ContentBlock}
	b.text.WriteString(e.ContentBlock.Text)
	index := len(s.order)
	if e.Index != nil {
		index = *e.Index
	}
	s.blocks[index] = b
	s.order = append(s.order, b)
}

// add adds a part to a block and returns its text. A part without an index belongs to the last block.
func (s *messageStream) add(e messageEvent) string {
	var b *streamedBlock
	switch {
	case e.Index != nil:
		b = s.blocks[*e.Index]
	case len(s.order) > 0:
		b = s.order[len(s.order)-1]
	}
	if b == nil {
		return ""
	}
	b.input.WriteString(e.Delta.PartialJSON)
	if b.Type != "text" || e.Delta.Type != "text_delta" {
		return ""
	}
	b.text.WriteString(e.Delta.Text)
	return e.Delta.Text
}

func (s *messageStream) answer() (a Answer, whole bool) {
	m := s.message
	for _, b := range s.order {
		block := b.messageBlock
		block.Text = b.text.String()
		if input := b.input.String(); strings.TrimSpace(input) != "" {
			block.Input = arguments(input)
		}
		m.Content = append(m.Content, block)
	}
	return m.answer(), s.ended || s.StopReason != ""
}
