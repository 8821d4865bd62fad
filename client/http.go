package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client writes over HTTP. It is safe for concurrent use.
type Client struct {
	base   string
	secret string
	http   *http.Client
}

// New returns a client of the API at base, such as https://memory.example.com, with the secret of a key ("rv_…"). httpClient may be
// nil for one that gives up on a call after a minute; one with a shorter timeout than half a minute would give up before the
// server answers.
func New(base, secret string, httpClient *http.Client) *Client {
	if httpClient == nil {
		httpClient = &http.Client{Timeout: time.Minute}
	}
	return &Client{base: strings.TrimRight(base, "/"), secret: secret, http: httpClient}
}

// Error is an answer that is no success.
type Error struct {
	Status  int    // of HTTP
	Name    string // stable: "key_reused", "invalid_request", "forbidden", "not_found" …; docs/api.md lists them
	Message string // for people

	retryAfter time.Duration
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d): %s", e.Name, e.Status, e.Message) }

// Names of errors that a program may want to tell apart.
const (
	NameKeyReused      = "key_reused"      // the request id was used for another write
	NameInvalidRequest = "invalid_request" // the message says which part, and where in a template
	NameUnauthorized   = "unauthorized"
	NameForbidden      = "forbidden"
	NameNotFound       = "not_found"
)

// isTemporary reports whether the same call may succeed later.
func (e *Error) isTemporary() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500
}

// Write has a request written and waits for the receipt. It may be repeated: the request id makes it one write.
//
// What can pass (no connection, a server that is restarted or away from its database, too many requests) is tried again until ctx
// ends, so that ctx should have a deadline. When it ends after the request was accepted, the receipt is [Staged] and the write will
// be made. A refused request is a receipt: see [Receipt.Err]. Any other error is an [*Error], or says that nothing was sent.
func (c *Client) Write(ctx context.Context, r Request) (Receipt, error) {
	if err := r.validate(); err != nil {
		return Receipt{}, err
	}
	body, err := json.Marshal(struct {
		Request
		Agent *string `json:"agent,omitempty"` // it stands in the address
	}{Request: r})
	if err != nil {
		return Receipt{}, fmt.Errorf("request %s: %w", r.RequestID, err)
	}
	var staged Receipt
	for attempt := 0; ; attempt++ {
		out, err := c.call(ctx, http.MethodPost, c.writes(r.Agent)+"?wait="+waitFor(ctx).String(), body)
		var refused *Error
		switch {
		case err == nil && out.Outcome != Staged:
			return out, nil
		case err == nil:
			staged, attempt = out, 0
		case errors.As(err, &refused) && !refused.isTemporary():
			return Receipt{}, err
		}
		if !pause(ctx, attempt, refused) {
			if staged.Outcome == Staged {
				return staged, nil
			}
			return Receipt{}, errors.Join(ctx.Err(), err)
		}
	}
}

// Receipt tells what became of a request of an agent's owner (empty: nobody's in particular). An [*Error] named not_found means that
// it was never accepted.
func (c *Client) Receipt(ctx context.Context, agent, owner, requestID string) (Receipt, error) {
	path := c.writes(agent) + "/" + url.PathEscape(requestID)
	if owner != "" {
		path += "?owner=" + url.QueryEscape(owner)
	}
	for attempt := 0; ; attempt++ {
		out, err := c.call(ctx, http.MethodGet, path, nil)
		var refused *Error
		if err == nil || errors.As(err, &refused) && !refused.isTemporary() {
			return out, err
		}
		if !pause(ctx, attempt, refused) {
			return Receipt{}, errors.Join(ctx.Err(), err)
		}
	}
}

func (c *Client) writes(agent string) string {
	return c.base + "/api/v1/agents/" + url.PathEscape(agent) + "/writes"
}

// longestWait is how long one call waits at the server.
const longestWait = 20 * time.Second

// waitFor is how long the server is to wait, so that it answers before ctx ends.
func waitFor(ctx context.Context) time.Duration {
	deadline, limited := ctx.Deadline()
	if !limited {
		return longestWait
	}
	return max(0, min(longestWait, time.Until(deadline)-time.Second)).Truncate(time.Millisecond)
}

// maxAnswer bounds what is read of an answer; a receipt has less than a kilobyte.
const maxAnswer = 1 << 20

func (c *Client) call(ctx context.Context, method, address string, body []byte) (Receipt, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return Receipt{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.secret)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return Receipt{}, err
	}
	defer answer.Body.Close()
	var envelope struct {
		Msg   string  `json:"msg"`
		Error string  `json:"error"`
		Data  Receipt `json:"data"`
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return Receipt{}, err
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		_ = json.Unmarshal(raw, &envelope) // a proxy in between answers otherwise: the status says enough
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return Receipt{}, &Error{
			Status: answer.StatusCode, Name: envelope.Error, Message: envelope.Msg, retryAfter: time.Duration(seconds) * time.Second,
		}
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return Receipt{}, fmt.Errorf("the answer is no receipt: %w", err)
	}
	return envelope.Data, nil
}

// Between two attempts: from a tenth of a second to ten seconds, half of it by chance, or as long as the server asks.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

// pause waits before the next attempt, and reports false when ctx ends first.
func pause(ctx context.Context, attempt int, refused *Error) bool {
	wait := min(firstPause<<min(attempt, 16), lastPause)
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // it spreads retries, and guards nothing
	if refused != nil {
		wait = max(wait, min(refused.retryAfter, time.Minute))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
