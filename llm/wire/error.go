package wire

import (
	"fmt"
	"strings"
	"time"
)

// Kind classifies a failure in one stable word.
type Kind string

const (
	// RateLimited means too many requests or tokens for now; Error.RetryAfter is the provider's delay, if it names one.
	RateLimited Kind = "rate_limited"
	// Overloaded means that the provider has no capacity left for now.
	Overloaded Kind = "overloaded"
	// Unavailable means that the provider could not be reached, broke off, or sent no valid answer.
	Unavailable Kind = "unavailable"
	// Timeout means that no answer came in time.
	Timeout Kind = "timeout"
	// ContextTooLong means that the request exceeds the model's or the account's limit; a shorter one may pass.
	ContextTooLong Kind = "context_too_long"
	// Unauthorized means that the key is wrong or lacks a permission.
	Unauthorized Kind = "unauthorized"
	// Quota means that the account's budget is spent: a person has to act.
	Quota Kind = "quota"
	// Refused means that the model or a content filter declined to answer.
	Refused Kind = "refused"
	// BadRequest means that the request or the configuration is wrong in another way, such as an unknown model.
	BadRequest Kind = "bad_request"
	// Truncated means that the token limit cut an answer that is useless in parts. Complete reports a cut answer in
	// Response.Truncated; callers that cannot use one return this kind.
	Truncated Kind = "truncated"
	// BadVector means that a vector is unusable: its length differs from the configured one or from the model's other vectors,
	// it is all zeros, or it holds something that is not a number.
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
	RetryAfter time.Duration // the delay that the provider asks for; 0: it names none
	// Message is the provider's own message, or what failed on the way to it: one line of at most MaxMessage characters, without
	// keys and without text of the request.
	Message string

	// Declined reports that the server declined an optional part of the request, which is left out from then on: the same call may succeed
	// at once.
	Declined bool

	cause error  // a context error, or nil
	words string // the provider's whole error, until it is known whether it declines a feature
}

// Error returns the kind, the status and the message.
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

// Unwrap returns context.DeadlineExceeded for a Timeout that a local deadline caused, else nil.
func (e *Error) Unwrap() error { return e.cause }
