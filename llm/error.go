package llm

import (
	"fmt"
	"strings"
	"time"
)

// Kind says what went wrong in one stable word.
type Kind string

const (
	// RateLimited means too many requests or tokens for now; Error.RetryAfter says for how long, if the provider does.
	RateLimited Kind = "rate_limited"
	// Overloaded means that the provider has no capacity left for now.
	Overloaded Kind = "overloaded"
	// Unavailable means that the provider could not be reached, broke off, or answered with something that is no answer.
	Unavailable Kind = "unavailable"
	// Timeout means that no answer came in time.
	Timeout Kind = "timeout"
	// ContextTooLong means that the request is larger than the model or the account takes; a shorter one may pass.
	ContextTooLong Kind = "context_too_long"
	// Unauthorized means that the key is wrong or may not do this.
	Unauthorized Kind = "unauthorized"
	// Quota means that the account's money is spent: a person has to act.
	Quota Kind = "quota"
	// Refused means that the model or a content filter declined to answer.
	Refused Kind = "refused"
	// BadRequest means that the request or the configuration is wrong in another way (an unknown model, for example).
	BadRequest Kind = "bad_request"
	// Truncated means that an answer was needed whole and the token limit cut it. Complete reports a cut answer in
	// Response.Truncated; this kind is for callers that cannot use one.
	Truncated Kind = "truncated"
	// BadVector means that a vector cannot be used: it has another length than was configured or than the model's others, or
	// holds something that is no number, or nothing but zeros.
	BadVector Kind = "bad_vector"
)

// Retryable reports whether the same request may succeed later.
func (k Kind) Retryable() bool {
	switch k {
	case RateLimited, Overloaded, Unavailable, Timeout:
		return true
	}
	return false
}

// MaxMessage bounds Error.Message, in characters.
const MaxMessage = 300

// Error is a failed call.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status; 0 when there was no HTTP answer
	RetryAfter time.Duration // what the provider asks for; 0 when it does not say
	// Message is what the provider said, or what happened on the way to it: one line of at most MaxMessage characters,
	// without keys and without what it repeats of the request.
	Message string

	cause error  // a context error, or nil
	words string // the provider's, untidied, until it is known whether they decline a feature
}

// Error names the kind, the status and the message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model call failed: ")
	b.WriteString(string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, ", HTTP %d", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	return b.String()
}

// Unwrap returns context.DeadlineExceeded for a Timeout that a deadline on this side caused, else nil.
func (e *Error) Unwrap() error { return e.cause }
