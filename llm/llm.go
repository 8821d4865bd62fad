// Package llm asks language models: every provider behind one small interface, on langchaingo.
//
// One Complete is one HTTP request. Nothing is tried again in here: whoever calls owns the retries, and finds in the
// typed *Error all that a decision needs (its Kind, and how long the provider asks to wait). Prompts, answers and keys
// never get into errors, logs or traces.
//
// Everything that langchaingo gets wrong or leaves out is put right in one place, the HTTP client that it is given
// (doer.go): fields of the request that it does not know, errors, token counts, and answers in shapes that it cannot read.
package llm

import (
	"context"
	"encoding/json"

	"reverie/memory"
)

// Model is one language model at one provider. It may be used by many goroutines at once.
type Model interface {
	// Name is "provider/model", as configured.
	Name() string
	// Complete asks once and returns the answer. It fails with an *Error, or with an error that wraps context.Canceled
	// when ctx was cancelled. Response.Usage is filled next to an error as well when the provider charged for the call.
	Complete(ctx context.Context, r Request) (Response, error)
}

// Request is one question: a system text and a user text.
type Request struct {
	Model  string // instead of the configured one; empty: the configured one
	System string // may be empty
	User   string // must not be empty
	// Schema is the JSON schema that the answer must follow; nil asks for free text. The provider is bound to the schema
	// where it can be, else to JSON, else it is told in words: what comes back still has to be parsed with care.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 leaves it to the provider (4,096 where the protocol requires a number).
	MaxTokens int
	// Temperature is how freely the model chooses words: 0, the most repeatable, to 2. A negative one is not sent.
	Temperature float64
}

// Response is a model's answer.
type Response struct {
	Text  string       // without a reasoning model's thoughts; empty when the model had nothing to say
	Usage memory.Usage // of this call, with its cost at the configured prices
	Model string       // "provider/model" as the provider names the model that answered
	// Truncated is true when the answer ends where the token limit cut it.
	Truncated bool
}
