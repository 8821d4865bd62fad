package backend

import (
	"context"
	"errors"
	"time"

	"github.com/sony/gobreaker/v2"
)

// State is the condition of a server.
type State string

// States.
const (
	Unused  State = "unused"  // nobody has asked it yet
	Serving State = "serving" // the last call succeeded
	Failing State = "failing" // the last call failed; the next one asks again
	Paused  State = "paused"  // the circuit is open: it is not asked for a while
	Lacking State = "lacking" // it has not both of the tools
)

// Status is the condition of a server, for people. It has no words of the server's answers or secrets.
type Status struct {
	Name      string
	Workspace string
	Transport string
	State     State
	// Failures counts the calls that have failed since the last one that succeeded, and Last is why the last of them did.
	Failures int
	Last     *Failure
	FailedAt time.Time
	WorkedAt time.Time
	RetryAt  time.Time // when a paused server is asked again
}

// record counts the calls of a server and their failures.
type record struct {
	failures           int
	last               *Failure
	failedAt, workedAt time.Time
	lacking            time.Time // until then it is passed over
}

// Status returns the condition of each server, in the order in which they are asked.
func (b *Backend) Status() []Status {
	if b == nil {
		return nil
	}
	out := make([]Status, len(b.servers))
	for i, s := range b.servers {
		out[i] = s.status()
	}
	return out
}

func (s *server) status() Status {
	open := s.breaker.State() == gobreaker.StateOpen
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.record
	out := Status{
		Name: s.Name, Workspace: s.Workspace, Transport: s.Transport, State: Serving, Failures: r.failures, Last: r.last, FailedAt: r.failedAt,
		WorkedAt: r.workedAt,
	}
	switch {
	case s.now().Before(r.lacking):
		out.State = Lacking
	case open:
		out.State, out.RetryAt = Paused, r.failedAt.Add(s.pause)
	case r.failures > 0:
		out.State = Failing
	case r.workedAt.IsZero():
		out.State = Unused
	}
	return out
}

func (s *server) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.failures > 0 {
		s.log.Info("The memory backend answers again", "server", s.Name)
	}
	s.record.failures, s.record.workedAt, s.record.lacking = 0, s.now(), time.Time{}
}

// failed records a failure. Refusals are answers; that the circuit is open is a consequence.
func (s *server) failed(ctx context.Context, err error) {
	f, is := errors.AsType[*Failure](err)
	if !is || f.Kind == Refused || f.Kind == CircuitOpen || f.Kind == NotTheirs {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.failures++; s.record.failures == 1 || s.record.failures == breakAfter {
		s.log.WarnContext(ctx, "The memory backend failed", "server", s.Name, "failure", f.Error(), "failures", s.record.failures)
	}
	s.record.last, s.record.failedAt = f, s.now()
	if f == errLacksTools {
		s.record.lacking = s.now().Add(lackFor)
	}
}

func (s *server) lacksTools() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.record.lacking)
}
