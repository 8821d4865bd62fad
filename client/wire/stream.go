package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// silence bounds the time in which a stream sends nothing. The server sends something every 15 seconds.
const silence = time.Minute

// ErrSilent means that a stream sent nothing for a minute, so that the connection is taken for broken.
var ErrSilent = errors.New("the server sent nothing for a minute: the connection is broken")

// StreamEvent is one server-sent event. An event without a name carries an id only: the position after which the stream continues.
type StreamEvent struct {
	ID, Name string
	Data     json.RawMessage
}

// Stream reads server-sent events. Close it when it is no longer needed. It is not safe for concurrent use.
type Stream struct {
	body    io.ReadCloser
	lines   *bufio.Reader
	ctx     context.Context // canceled with ErrSilent as the cause by alarm
	alarm   *time.Timer
	cancel  func()
	started bool
}

// stream opens a stream. It repeats the request as long as the server is busy; a stream that has begun is not repeated.
func (c *Client) stream(ctx context.Context, r request) (out *Stream, err error) {
	err = c.patiently(ctx, func() error {
		out, err = c.openStream(ctx, r)
		return err
	})
	if err != nil {
		err = c.explain(err)
	}
	return out, err
}

func (c *Client) openStream(ctx context.Context, r request) (*Stream, error) {
	limited, cancel := context.WithCancelCause(ctx)
	alarm := time.AfterFunc(c.timeout, func() { cancel(ErrSilent) })
	s := &Stream{ctx: limited, alarm: alarm, cancel: func() { alarm.Stop(); cancel(nil) }}
	response, err := c.open(limited, r)
	if err == nil && !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		_ = response.Body.Close()
		err = fmt.Errorf("%s answered %s: %w", c.base, response.Status, ErrForeign)
	}
	if err != nil {
		err = s.explain(err)
		s.cancel()
		return nil, err
	}
	s.body, s.lines = response.Body, bufio.NewReader(response.Body)
	return s, nil
}

// explain names the silence that ended a stream.
func (s *Stream) explain(err error) error {
	if errors.Is(context.Cause(s.ctx), ErrSilent) {
		return ErrSilent
	}
	return err
}

// Next waits for an event. An event named error is returned as *Error; when the connection ends the error wraps
// io.ErrUnexpectedEOF, or is ErrSilent.
func (s *Stream) Next() (StreamEvent, error) {
	var e StreamEvent
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return StreamEvent{}, s.explain(errors.Join(io.ErrUnexpectedEOF, err))
		}
		s.started = true
		s.alarm.Reset(silence)
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			e.ID = line[len("id: "):]
		case strings.HasPrefix(line, "event: "):
			e.Name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.Data = json.RawMessage(line[len("data: "):])
		case line == "" && e.Name == "error":
			return StreamEvent{}, eventError(e.Data)
		case line == "" && (e.ID != "" || e.Name != "" || e.Data != nil):
			return e, nil
		}
	}
}

func eventError(data []byte) error {
	e := &Error{}
	if !e.read(data) {
		return fmt.Errorf("read an error of the stream: %w", ErrForeign)
	}
	return e
}

// Started reports whether anything has arrived, if only a sign of life.
func (s *Stream) Started() bool { return s.started }

// Events iterates over the named events until the one named done, which is the last one it yields, and closes the stream. Any other
// end is an error, as of Next.
func (s *Stream) Events() iter.Seq2[StreamEvent, error] {
	return func(yield func(StreamEvent, error) bool) {
		defer s.Close()
		for {
			e, err := s.Next()
			if err == nil && e.Name == "" {
				continue
			}
			if !yield(e, err) || err != nil || e.Name == "done" {
				return
			}
		}
	}
}

// Close ends the stream.
func (s *Stream) Close() {
	s.cancel()
	_ = s.body.Close()
}
