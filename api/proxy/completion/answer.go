package completion

import (
	"bytes"
	"time"
)

// Answer is an answer that no model gave.
type Answer struct {
	ID, Model, Text string
	At              time.Time
	Added           any // in the field reverie; nil: there is none
}

type choice struct {
	Index        int     `json:"index"`
	Message      *reply  `json:"message,omitempty"`
	Delta        *reply  `json:"delta,omitempty"`
	Logprobs     *string `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

type reply struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
	Refusal *string `json:"refusal,omitempty"`
}

// tokens are the counts of an answer that no model gave.
type tokens struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

type envelope struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *tokens  `json:"usage,omitempty"`
	Reverie any      `json:"reverie,omitempty"`
}

func (a Answer) envelope(object string, choices ...choice) envelope {
	return envelope{ID: a.ID, Object: object, Created: a.At.Unix(), Model: a.Model, Choices: append([]choice{}, choices...)}
}

var stop = "stop"

// Whole returns the answer in one piece.
func (a Answer) Whole() []byte {
	e := a.envelope("chat.completion", choice{Message: &reply{Role: "assistant", Content: &a.Text}, FinishReason: &stop})
	e.Usage, e.Reverie = &tokens{}, a.Added
	return encoded(e)
}

// Stream returns the answer as server-sent events.
func (a Answer) Stream(usage bool) []byte {
	const object = "chat.completion.chunk"
	events := []envelope{
		a.envelope(object, choice{Delta: &reply{Role: "assistant", Content: &a.Text}}),
		a.envelope(object, choice{Delta: &reply{}, FinishReason: &stop}),
	}
	events[0].Reverie = a.Added
	if usage {
		counted := a.envelope(object)
		counted.Usage = &tokens{}
		events = append(events, counted)
	}
	var b bytes.Buffer
	for _, e := range events {
		b.Write(Event(e))
	}
	b.WriteString(End)
	return b.Bytes()
}

// End is the event that ends a stream.
const End = "data: [DONE]\n\n"

// Event returns a value as one server-sent event.
func Event(v any) []byte {
	return append(append([]byte("data: "), encoded(v)...), "\n\n"...)
}

// Fault is the body of an error.
type Fault struct {
	Error FaultError `json:"error"`
}

// FaultError describes an error.
type FaultError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// Model is one entry of the list of models.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// Models is the list of models.
type Models struct {
	Object string  `json:"object"`
	Data   []Model `json:"data"`
}

// NewModels returns an empty list.
func NewModels() Models { return Models{Object: "list", Data: []Model{}} }

// Add adds a model.
func (m *Models) Add(id string, created time.Time) {
	m.Data = append(m.Data, Model{ID: id, Object: "model", Created: created.Unix(), OwnedBy: "reverie"})
}
