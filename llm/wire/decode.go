package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reverie/memory"
)

// Tokens is a count as servers write it: an integer, a float, a string, null or nothing.
type Tokens int

// UnmarshalJSON reads a count. Anything else is 0, so that an odd count does not cost the answer.
func (t *Tokens) UnmarshalJSON(b []byte) error {
	var n float64
	if err := json.Unmarshal([]byte(strings.Trim(string(b), `"`)), &n); err == nil && n > 0 && n < 1e12 {
		*t = Tokens(n)
	}
	return nil
}

// HeaderCount returns the count in a header; 0 if there is none.
func HeaderCount(header http.Header, name string) int {
	n, err := strconv.Atoi(header.Get(name))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// content is a message's text as servers write it: a string, null, or a list of parts, of which the texts count.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if part.Type == "text" {
			*c += content(part.Text)
		}
	}
	return nil
}

// arguments are a tool call's arguments as servers write them: JSON in a string, the object itself, null or nothing.
type arguments string

func (a *arguments) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '"' || string(b) == "null") {
		return json.Unmarshal(b, (*string)(a))
	}
	*a = arguments(b)
	return nil
}

// draft is an answer as far as it has come, whatever the protocol.
type draft struct {
	Answer

	text   strings.Builder
	blocks []*block
	ended  bool // the server has marked the end
}

// block is a part of an answer that arrives in parts: a tool call, or something else, which is ignored.
type block struct {
	kind     string
	index    *int // nil: the server does not number them
	id, name string
	whole    string          // arguments that came at once
	input    strings.Builder // arguments that came in parts
}

// calling is the kind of a tool call.
const calling = "tool_use"

func (d *draft) begin(index *int, b *block) *block {
	b.index = index
	d.blocks = append(d.blocks, b)
	return b
}

// newest returns the newest block that a part with this index may belong to; nil: there is none.
func (d *draft) newest(index *int) *block {
	for _, b := range slices.Backward(d.blocks) {
		if index == nil || b.index != nil && *b.index == *index {
			return b
		}
	}
	return nil
}

// say adds a text, and returns it.
func (d *draft) say(text string) string {
	d.text.WriteString(text)
	return text
}

// answer completes the tool calls: each gets a unique id, and arguments.
func (d *draft) answer() (a Answer, whole bool) {
	a = d.Answer
	a.Text = d.text.String()
	seen := map[string]bool{"": true}
	for _, b := range d.blocks {
		if b.kind != calling {
			continue
		}
		call := memory.ToolCall{ID: b.id, Name: b.name, Arguments: noArguments}
		if seen[call.ID] {
			call.ID = "call_" + rand.Text()[:20]
		}
		seen[call.ID] = true
		for _, arguments := range []string{b.whole, b.input.String()} {
			if strings.TrimSpace(arguments) != "" {
				call.Arguments = arguments
			}
		}
		a.Calls = append(a.Calls, call)
	}
	return a, d.ended
}

const noArguments = "{}"

// object returns a call's arguments as the JSON object that servers require. Arguments that are not an object are wrapped in a field
// that no tool has.
func object(arguments string) json.RawMessage {
	trimmed := bytes.TrimSpace([]byte(arguments))
	switch {
	case len(trimmed) == 0:
		return json.RawMessage(noArguments)
	case trimmed[0] == '{' && json.Valid(trimmed):
		return trimmed
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": arguments})
	if err != nil { // a string can always be written
		return json.RawMessage(noArguments)
	}
	return wrapped
}

// isCut reports whether a finish reason means that the token limit cut the answer.
func isCut(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return true
	}
	return false
}

// isRefusal reports whether a finish reason means that the model or a filter declined. Gemini appends the cause:
// "content_filter: PROHIBITED_CONTENT".
func isRefusal(finish string) bool {
	word, _, _ := strings.Cut(strings.ToLower(finish), ":")
	switch word {
	case "content_filter", "content_filtered", "refusal", "safety", "prohibited_content", "recitation", "guardrail_intervened", "sensitive":
		return true
	}
	return false
}

// refusal returns the error of an answer that declines; nil for others. The answer's text is left out: it repeats the prompt.
func refusal(a Answer) *Error {
	switch {
	case a.Refused:
		return &Error{Kind: Refused, Status: http.StatusOK, Message: "the model refused to answer"}
	case isRefusal(a.Finish):
		return &Error{Kind: Refused, Status: http.StatusOK, Message: "the answer was withheld: " + a.Finish}
	}
	return nil
}

// NotAnAnswer returns the error of a body in another format, such as a proxy's error page. Nothing of it is repeated: it may
// hold anything.
func NotAnAnswer(header http.Header) *Error {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return &Error{Kind: Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("the answer is not the protocol's JSON (content "+
		"type %q)", kind)}
}

// Embedded returns the error in a body that came with status 200, as some gateways send it; nil if the field is not set.
func Embedded(header http.Header, raw json.RawMessage) *Error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	c := readComplaint(header, raw)
	status := c.status
	if status < http.StatusBadRequest {
		status = http.StatusBadGateway
	}
	return c.failure(status, header)
}

// ModelName returns a provider's name of a model; empty if it cannot be a name.
func ModelName(s string) string {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return s
}

// Marks around the thoughts that open reasoning models put before their answer.
const (
	thoughtsBegin = "<think>"
	thoughtsEnd   = "</think>"
)

// WithoutThoughts removes the thoughts before an answer.
func WithoutThoughts(s string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), thoughtsBegin)
	if !ok {
		return s
	}
	_, answer, _ := strings.Cut(rest, thoughtsEnd) // nothing, if it was cut before the answer
	return strings.TrimSpace(answer)
}

// thoughtFilter is WithoutThoughts for a text that arrives in parts: the parts that it passes add up to the same text.
type thoughtFilter struct {
	text   strings.Builder // what has arrived
	passed int             // bytes of the answer
}

// pass takes the next part and returns what can be passed on.
func (f *thoughtFilter) pass(part string) string {
	f.text.WriteString(part)
	if begun := strings.TrimLeftFunc(f.text.String(), unicode.IsSpace); strings.HasPrefix(thoughtsBegin, begun) {
		return "" // it may still begin with thoughts
	}
	return f.rest()
}

// rest returns what is left to pass at the end of the text.
func (f *thoughtFilter) rest() string {
	answer := WithoutThoughts(f.text.String())
	part := answer[f.passed:]
	f.passed = len(answer)
	return part
}
