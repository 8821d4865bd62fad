package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/reverie-memory/reverie/client/wire"
)

// busyRetries bounds the repetitions of a request while the server is busy or unavailable. Every request of this program
// is safe to repeat.
const busyRetries = 5

// previewTimeout bounds requests that carry an archive; the server takes up to five minutes for a preview.
const previewTimeout = 7 * time.Minute

// Client returns a client with the key that applies. Its errors name the next step.
func (s *Session) Client(options ...wire.Option) (*wire.Client, error) {
	parsed, err := url.Parse(s.URL)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("invalid server address %q: use a URL such as http://127.0.0.1:8080", s.URL)
	}
	key, source, err := s.findKey()
	if err != nil {
		return nil, err
	}
	explain := wire.Errors(func(err error) error { return explained(err, s.URL, key, source) })
	options = append([]wire.Option{wire.Retries(busyRetries), wire.UserAgent("reverie-cli/" + s.Version), explain}, options...)
	return wire.New(s.URL, key, nil, options...), nil
}

// AgentClient returns a client for requests about the agent, which must be named.
func (s *Session) AgentClient(options ...wire.Option) (*wire.Client, error) {
	if err := s.NeedAgent(); err != nil {
		return nil, err
	}
	return s.Client(options...)
}

// ArchiveClient is AgentClient with time for an archive.
func (s *Session) ArchiveClient() (*wire.Client, error) {
	return s.AgentClient(wire.Timeout(previewTimeout))
}

// Sleep waits for d or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// refusal is a refusal by the server, with a hint.
type refusal struct {
	cause *wire.Error
	hint  string
}

func (e *refusal) Error() string {
	text := e.cause.Message
	if e.cause.Name != "" {
		text += " (" + e.cause.Name + ")"
	}
	if e.hint != "" {
		text += "\n" + e.hint
	}
	return text
}

// Unwrap returns the refusal.
func (e *refusal) Unwrap() error { return e.cause }

// WithHint adds a hint to a refusal by the server.
func WithHint(err error, hint string) error {
	if refused, is := errors.AsType[*refusal](err); is {
		refused.hint = hint
	}
	return err
}

// Explained formats a refusal that came as an event of a stream like those of other requests.
func Explained(err error) error {
	if refused, is := errors.AsType[*wire.Error](err); is {
		return &refusal{cause: refused}
	}
	return err
}

// explained adds a hint to the error of a request.
func explained(err error, base, key, keySource string) error {
	if refused, is := errors.AsType[*wire.Error](err); is && refused.Name != "" {
		return explainedRefusal(refused, key, keySource)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer in time", base)
	case errors.Is(err, wire.ErrForeign):
		return fmt.Errorf("%s is not a Reverie server: check --url or REVERIE_URL: %w", base, err)
	}
	failed, is := errors.AsType[*url.Error](err)
	if !is {
		return err
	}
	err = failed.Err // without the URL
	if dial, is := errors.AsType[*net.OpError](err); is && dial.Op == "dial" {
		err = dial.Err // without the address
	}
	return fmt.Errorf("%s does not answer: %w\nStart Reverie with `reverie dev`, or name its address with --url or REVERIE_URL", base, err)
}

func explainedRefusal(refused *wire.Error, key, keySource string) error {
	e := &refusal{cause: refused}
	switch {
	case refused.Status == http.StatusUnauthorized && key == "":
		refused.Message = "API key required"
		e.hint = "Pass one with --key or REVERIE_KEY; `reverie dev` stores its key in <data>/admin-key (--data)"
	case refused.Status == http.StatusUnauthorized:
		refused.Message = "Invalid API key: it belongs to another server or was revoked"
		e.hint = "The key came from " + keySource
	case refused.Status == http.StatusForbidden:
		e.hint = "The key came from " + keySource
	case refused.Name == "owner_required":
		e.hint = "Name the owner with --owner, with --channel and --sender, or with --end-user"
	}
	return e
}
