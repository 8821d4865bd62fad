package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Silence bounds the pause between two bytes of a stream. The server sends something every 15 seconds.
const Silence = time.Minute

// errSilent means that a stream broke off without an error.
var errSilent = errors.New("the server sent nothing for a minute: the connection is broken")

// Streaming returns a context whose requests are answered with a stream: the answer is returned as soon as it begins, in
// one attempt and without a timeout.
func Streaming(ctx context.Context) context.Context { return context.WithValue(ctx, streamKey, true) }

// Stream makes a request that is answered with server-sent events, and passes each of them to take, whose error ends the
// stream. It retries while the server is busy, as long as no stream has begun. An event named error is returned as *Error.
func (c *Client) Stream(
	ctx context.Context, do func(context.Context) (*http.Response, error), take func(event string, data json.RawMessage) error,
) error {
	var ended error // how a stream ended that had begun: it is not requested again
	err := c.retry(ctx, func() error {
		limited, cancel := context.WithCancelCause(Streaming(ctx))
		defer cancel(nil)
		alarm := time.AfterFunc(RequestTimeout, func() { cancel(errSilent) }) // the first event may take longer
		defer alarm.Stop()
		response, err := do(limited)
		if err == nil {
			defer response.Body.Close()
			ended = takeEvents(ReadEvents(response.Body, func() { alarm.Reset(Silence) }), take)
			err = ended
		}
		switch {
		case err == nil, ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(context.Cause(limited), errSilent):
			ended = errSilent
		case errors.Is(ended, io.ErrUnexpectedEOF):
			ended = fmt.Errorf("%s closed the connection", c.base)
		}
		if ended != nil {
			return nil
		}
		return err
	})
	return errors.Join(err, ended)
}

// open sends a request and returns the answer as soon as it begins, if it is a stream of events.
func (c *Client) open(request *http.Request) (*http.Response, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(request.Context(), err)
	}
	if response.StatusCode < http.StatusBadRequest && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, nil
	}
	if _, err = c.read(request.Context(), response); err == nil {
		err = fmt.Errorf("%s answers, %w", c.base, ErrForeign)
	}
	return nil, err
}

// Event is a server-sent event. One without a name has an id only: the place behind which the stream goes on.
type Event struct{ ID, Name, Data string }

// EventReader reads server-sent events.
type EventReader struct {
	lines *bufio.Reader
	alive func()
}

// ReadEvents returns a reader of body. It calls alive whenever a line comes in.
func ReadEvents(body io.Reader, alive func()) EventReader {
	return EventReader{bufio.NewReader(body), alive}
}

// Next waits for an event. At the end of the stream the error wraps io.ErrUnexpectedEOF.
func (r EventReader) Next() (e Event, err error) {
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return e, errors.Join(io.ErrUnexpectedEOF, err)
		}
		r.alive()
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			e.ID = line[len("id: "):]
		case strings.HasPrefix(line, "event: "):
			e.Name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.Data = line[len("data: "):]
		case line == "" && e != Event{}:
			return e, nil
		}
	}
}

// takeEvents reads events to the end of the stream, which must be an event named done or error.
func takeEvents(r EventReader, take func(string, json.RawMessage) error) error {
	for {
		e, err := r.Next()
		switch {
		case err != nil:
			return err
		case e.Name == "error":
			return streamedError(e.Data)
		case e.Name != "":
			if err := take(e.Name, json.RawMessage(e.Data)); err != nil || e.Name == "done" {
				return err
			}
		}
	}
}

// streamedError decodes an error that came as an event.
func streamedError(data string) error {
	var sent struct {
		envelope

		Code int `json:"code"`
	}
	if err := json.Unmarshal([]byte(data), &sent); err != nil {
		return err
	}
	return &Error{Status: sent.Code, Name: sent.Name, Msg: sent.Msg, Data: sent.Data}
}
