package main

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

// silence is how long a stream may say nothing at all. The server says something every 15 seconds.
const silence = time.Minute

// errSilent means that a stream broke off without a word.
var errSilent = errors.New("the server said nothing for a minute: the connection is broken")

// stream makes a request that is answered with server-sent events, and hands each of them to take, whose error ends it. It tries
// again as call does, as long as nothing was answered. An event named error is returned as *apiError.
func (c *apiClient) stream(ctx context.Context, r apiRequest, take func(event string, data json.RawMessage) error) error {
	var ended error // of a stream that had begun: what was told once is not asked for again
	err := c.patiently(ctx, func() error {
		limited, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		alarm := time.AfterFunc(requestTimeout, func() { cancel(errSilent) }) // the first word may take longer
		defer alarm.Stop()
		response, err := c.open(limited, r)
		if err == nil {
			defer response.Body.Close()
			ended = events(response.Body, func() { alarm.Reset(silence) }, take)
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

// open makes a request and returns the answer as soon as it begins, if it is a stream of events.
func (c *apiClient) open(ctx context.Context, r apiRequest) (*http.Response, error) {
	request, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if response.StatusCode < http.StatusBadRequest && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response, nil
	}
	defer response.Body.Close()
	if _, err = c.read(ctx, response); err == nil {
		err = fmt.Errorf("%s answers, %w", c.base, errForeign)
	}
	return nil, err
}

// serverSent is an event of a stream. One without a name has an id only: the place behind which the stream goes on.
type serverSent struct{ id, name, data string }

// eventReader reads server-sent events; alive is called whenever something comes in.
type eventReader struct {
	lines *bufio.Reader
	alive func()
}

func readEvents(body io.Reader, alive func()) eventReader {
	return eventReader{bufio.NewReader(body), alive}
}

// next waits for an event. At the end of the stream the error wraps io.ErrUnexpectedEOF.
func (r eventReader) next() (e serverSent, err error) {
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return e, errors.Join(io.ErrUnexpectedEOF, err)
		}
		r.alive()
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "id: "):
			e.id = line[len("id: "):]
		case strings.HasPrefix(line, "event: "):
			e.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			e.data = line[len("data: "):]
		case line == "" && e != serverSent{}:
			return e, nil
		}
	}
}

// events reads server-sent events until the last one. The stream has to end with an event done or error.
func events(body io.Reader, alive func(), take func(string, json.RawMessage) error) error {
	for r := readEvents(body, alive); ; {
		e, err := r.next()
		switch {
		case err != nil:
			return err
		case e.name == "error":
			return streamedError(e.data)
		case e.name != "":
			if err := take(e.name, json.RawMessage(e.data)); err != nil || e.name == "done" {
				return err
			}
		}
	}
}

// streamedError is an error that came as an event.
func streamedError(data string) error {
	var told struct {
		Code int             `json:"code"`
		Msg  string          `json:"msg"`
		Name string          `json:"error"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal([]byte(data), &told); err != nil {
		return err
	}
	return &apiError{Status: told.Code, Name: told.Name, Msg: told.Msg, Data: told.Data}
}
