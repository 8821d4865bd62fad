// Package llm asks language models. Open returns the model of any provider behind one small interface.
//
// One Complete or Chat is one HTTP request. Nothing is retried: the caller owns the retries and finds in the typed *Error what
// the decision needs, its Kind and the delay that the provider asks for. Prompts, answers and keys never get into errors, logs
// or traces.
//
// The clients behind the interface are langchaingo's llms.Model: package wire for OpenAI's and Anthropic's protocols,
// langchaingo's own for AWS Bedrock.
package llm

import (
	"context"
	"encoding/json"

	"reverie/llm/wire"
	"reverie/memory"
)

// Model is one language model at one provider. It may be used by many goroutines at once.
type Model interface {
	// Name returns "provider/model", as configured.
	Name() string
	// Complete asks once and returns the answer. It fails with an *Error, or with an error that wraps context.Canceled
	// when ctx was cancelled. Response.Usage is also set next to an error if the provider charged for the call.
	Complete(ctx context.Context, r Request) (Response, error)
}

// Request is one question: a system text and a user text.
type Request struct {
	Model  string // instead of the configured one; empty: the configured one
	System string // may be empty
	User   string // must not be empty
	// Schema is the JSON schema of the answer; nil asks for free text. The provider is bound to the schema if it supports that, else
	// to JSON, else the prompt asks for it. The answer still has to be validated.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 leaves it to the provider (4,096 where the protocol requires a number).
	MaxTokens int
	// Temperature is the randomness of the answer, from 0, the most repeatable, to 2. A negative one is not sent.
	Temperature float64
}

// Response is a model's answer.
type Response struct {
	Text      string       // without a reasoning model's thoughts; may be empty
	Usage     memory.Usage // of this call, with its cost at the configured prices
	Model     string       // "provider/model" as the provider names the model that answered
	Truncated bool         // the token limit cut the answer
}

// Error is a failed call.
type Error = wire.Error

// MaxMessage bounds Error.Message, in characters.
const MaxMessage = wire.MaxMessage

// Kind classifies a failure in one stable word. The kinds are described in package wire.
type Kind = wire.Kind

// Kinds of failures.
const (
	RateLimited    = wire.RateLimited
	Overloaded     = wire.Overloaded
	Unavailable    = wire.Unavailable
	Timeout        = wire.Timeout
	ContextTooLong = wire.ContextTooLong
	Unauthorized   = wire.Unauthorized
	Quota          = wire.Quota
	Refused        = wire.Refused
	BadRequest     = wire.BadRequest
	Truncated      = wire.Truncated
	BadVector      = wire.BadVector
)
