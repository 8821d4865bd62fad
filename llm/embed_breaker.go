package llm

import (
	"context"
	"errors"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// breakAfter is how many questions in a row have to fail before the next ones are not asked any more: one may have been
	// bad luck, and each costs its searcher the whole query timeout.
	breakAfter = 3
	// breakFor is how long they are not asked; then a single one finds out whether the provider is back.
	breakFor = 10 * time.Second
)

// breaker stops asking a provider that does not answer questions.
type breaker = gobreaker.CircuitBreaker[Embeddings]

func newBreaker(pause time.Duration) *breaker {
	return gobreaker.NewCircuitBreaker[Embeddings](gobreaker.Settings{
		Timeout:     pause,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
		// A provider that refuses a text is there.
		IsSuccessful: func(err error) bool { return err == nil || errors.As(err, new(*RefusedTexts)) },
		// Somebody who stopped waiting tells nothing about the provider.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// broken is the error of a question that is not asked because those before it failed, the last of them with this error; nil for
// other errors.
func broken(err error, last *Error) *Error {
	if !errors.Is(err, gobreaker.ErrOpenState) && !errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil
	}
	message := "not asked, because the questions before it failed"
	if last != nil {
		message = cut(message + ": " + last.Error())
	}
	return &Error{Kind: Unavailable, Message: message, RetryAfter: breakFor}
}
