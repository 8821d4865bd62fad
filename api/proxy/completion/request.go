// Package completion reads and writes OpenAI's chat-completions protocol for a proxy: it takes apart what a proxy must know of a request,
// leaves everything else as the client wrote it, and identifies the messages of a conversation that a client sends again with every
// request. It is pure.
package completion

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"reverie/memory"
)

// Invalid means that a request cannot be passed on.
type Invalid struct {
	Param   string // the field, such as messages[3].role; empty: the body
	Problem string
}

func (e *Invalid) Error() string { return e.Param + ": " + e.Problem }

// Request is a request for a completion.
type Request struct {
	Model    string // as the client wrote it
	User     string // empty: none
	Stream   bool
	Usage    bool // the client wants token counts at the end of a stream
	Messages []Message

	fields object
}

// Parse reads a request. The error is an *Invalid.
func Parse(body []byte) (*Request, error) {
	if !utf8.Valid(body) {
		return nil, &Invalid{"", "the body is not valid UTF-8"}
	}
	fields, err := parseObject(body)
	if err != nil {
		return nil, &Invalid{"", "send a JSON object: " + err.Error()}
	}
	r := &Request{fields: fields}
	var options struct {
		Usage bool `json:"include_usage"`
	}
	var raw []json.RawMessage
	for _, f := range []struct {
		name string
		to   any
		want string
	}{
		{"model", &r.Model, "name the agent, such as \"ada\""},
		{"user", &r.User, "name a person, as a text"},
		{"stream", &r.Stream, "send true or false"},
		{"stream_options", &options, "send an object"},
		{"messages", &raw, "send a list of messages"},
	} {
		if err := fields.read(f.name, f.to); err != nil {
			return nil, &Invalid{f.name, f.want}
		}
	}
	r.Usage = options.Usage
	switch {
	case r.Model == "":
		return nil, &Invalid{"model", "name the agent, such as \"ada\", or \"ada/<model>\" to choose the model that answers"}
	case len(raw) == 0:
		return nil, &Invalid{"messages", "send at least one message"}
	}
	for i, one := range raw {
		m, err := parseMessage(one)
		if err != nil {
			return nil, &Invalid{fmt.Sprintf("messages[%d]", i) + err.Param, err.Problem}
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

// LastOfUser returns the index of the user's last message; -1: there is none.
func (r *Request) LastOfUser() int {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == memory.RoleOfUser {
			return i
		}
	}
	return -1
}

// IsFormed reports whether the client wants an answer of a certain form, such as JSON, or a call of a certain tool.
func (r *Request) IsFormed() bool {
	var form struct {
		Type string `json:"type"`
	}
	if err := r.fields.read("response_format", &form); err != nil || form.Type != "" && form.Type != "text" {
		return true
	}
	var choice string // an object names a tool
	err := r.fields.read("tool_choice", &choice)
	return err != nil || choice == "required"
}

// Addition is added to a request by a proxy.
type Addition struct {
	Model        string // that is asked
	Instructions string // after the client's own leading instructions; empty: none
	// Block is put in front of the user's last message, as a part of it: models that want their roles to alternate take that too, and what
	// precedes the message stays the same from request to request, so that providers can cache it. Empty: none.
	Block string
}

// With returns the request to pass on. counting asks for token counts at the end of a stream, which the client may not have asked for.
// Everything that is not named here, or in Addition, is as the client wrote it; user is left out, since it names a person.
func (r *Request) With(a Addition, counting bool) []byte {
	fields := r.fields.with("model", encoded(a.Model)).with("user", nil)
	if counting && r.Stream && !r.Usage {
		options, err := parseObject(r.fields.get("stream_options"))
		if err != nil {
			options = nil // there are none
		}
		fields = fields.with("stream_options", options.with("include_usage", encoded(true)).bytes())
	}
	if a.Instructions != "" || a.Block != "" {
		fields = fields.with("messages", list(r.messagesWith(a)))
	}
	return fields.bytes()
}

func (r *Request) messagesWith(a Addition) []json.RawMessage {
	raw := make([]json.RawMessage, 0, len(r.Messages)+1)
	leading, user := -1, r.LastOfUser()
	for i, m := range r.Messages {
		if m.Role != memory.RoleOfSystem {
			break
		}
		leading = i
	}
	if leading < 0 && a.Instructions != "" {
		raw = append(raw, encoded(map[string]string{"role": memory.RoleOfSystem, "content": a.Instructions}))
	}
	for i, m := range r.Messages {
		switch {
		case i == leading && a.Instructions != "":
			raw = append(raw, m.appended(a.Instructions))
		case i == user && a.Block != "":
			raw = append(raw, m.prefixed(a.Block))
		default:
			raw = append(raw, m.raw)
		}
	}
	return raw
}
