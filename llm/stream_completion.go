package llm

import (
	"encoding/json"
	"net/http"
	"strings"

	"reverie/memory"
)

// completionStream assembles an answer of the chat-completions protocol.
type completionStream struct {
	text    strings.Builder
	refused bool
	model   string
	finish  string
	usage   completionUsage
	calls   []*streamedCall
	began   bool // a choice has come
	ended   bool // the server has said that this is all
}

// streamedCall is a tool call of which parts have come.
type streamedCall struct {
	index     int // -1: the server does not number them
	id, name  string
	arguments strings.Builder
}

// complete reports whether the arguments are a whole object, so that nothing can be added.
func (c *streamedCall) complete() bool {
	arguments := strings.TrimSpace(c.arguments.String())
	return strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments))
}

// completionChunk is one event.
type completionChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content   content     `json:"content"`
			Refusal   string      `json:"refusal"`
			ToolCalls []callDelta `json:"tool_calls"`
		} `json:"delta"`
		Error json.RawMessage `json:"error"`
	} `json:"choices"`
	Usage *completionUsage `json:"usage"`
	Error json.RawMessage  `json:"error"`
}

// callDelta is a part of a tool call.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

func newCompletionStream() assembler { return &completionStream{} }

func (s *completionStream) take(header http.Header, data []byte) (part string, done bool, failure *Error) {
	if string(data) == endOfStream {
		s.ended = s.began
		return "", true, nil
	}
	var chunk completionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return "", false, notAnAnswer(header)
	}
	if isSet(chunk.Error) {
		return "", false, embedded(header, chunk.Error)
	}
	if s.model == "" {
		s.model = modelName(chunk.Model)
	}
	if chunk.Usage != nil { // of all so far, where a server sends it more than once
		s.usage = *chunk.Usage
	}
	if len(chunk.Choices) == 0 {
		return "", false, nil
	}
	choice := chunk.Choices[0]
	if isSet(choice.Error) {
		return "", false, embedded(header, choice.Error)
	}
	s.began = true
	s.refused = s.refused || choice.Delta.Refusal != ""
	for _, delta := range choice.Delta.ToolCalls {
		s.add(delta)
	}
	if choice.FinishReason != "" {
		s.finish, s.ended = choice.FinishReason, true
	}
	s.text.WriteString(string(choice.Delta.Content))
	return string(choice.Delta.Content), false, nil
}

// add takes in a part of a tool call. By the protocol the first part of each call has an index, an id and the name, and the
// others have the index; servers leave out the index, the id, or number every call 0.
func (s *completionStream) add(d callDelta) {
	c := s.find(d)
	if c == nil {
		c = &streamedCall{index: -1}
		if d.Index != nil {
			c.index = *d.Index
		}
		s.calls = append(s.calls, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	c.arguments.WriteString(string(d.Function.Arguments))
}

// find is the call that a part continues; nil: it begins another one.
func (s *completionStream) find(d callDelta) *streamedCall {
	var c *streamedCall
	for _, known := range s.calls { // the newest that it may be
		if d.Index == nil || known.index == *d.Index {
			c = known
		}
	}
	name := d.Function.Name
	switch {
	case c == nil, name == "", c.name == "": // a name begins a call
		return c
	case d.ID != "" && c.id != "":
		if d.ID != c.id {
			return nil
		}
		return c
	case c.complete(), name != c.name:
		return nil
	}
	return c
}

func (s *completionStream) answer() (a answer, whole bool) {
	a = s.usage.answer()
	a.text, a.model, a.finish, a.refused = s.text.String(), s.model, s.finish, s.refused
	for _, c := range s.calls {
		a.calls = append(a.calls, memory.ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	a.calls = finished(a.calls)
	return a, s.ended
}

func (s *completionStream) plain(a answer) ([]byte, *Error) { return plainCompletion(a) }
