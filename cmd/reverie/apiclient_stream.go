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
		err = fmt.Errorf("%s answers, but not as Reverie does: check --url (or REVERIE_URL)", c.base)
	}
	return nil, err
}

// events reads server-sent events until the last one; alive is called whenever something comes in. The stream has to end with an
// event done or error.
func events(body io.Reader, alive func(), take func(string, json.RawMessage) error) error {
	lines := bufio.NewReader(body)
	var name, data string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return errors.Join(io.ErrUnexpectedEOF, err)
		}
		alive()
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "" && name == "error":
			return streamedError(data)
		case line == "" && name != "":
			if err := take(name, json.RawMessage(data)); err != nil || name == "done" {
				return err
			}
			name, data = "", ""
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
