package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/reverie-memory/reverie/client/wire"
)

// Client calls a server's HTTP API with one key. Besides the methods here it has one for each operation of the API, with the types of
// package wire. It is safe for concurrent use.
type Client struct{ *wire.Client }

// New returns a client of the API at base, such as https://memory.example.com, with the secret of a key ("rv_…"). httpClient may be
// nil. One with a Timeout ends event streams, and calls that wait for a workflow, after that time.
func New(base, secret string, httpClient *http.Client, options ...wire.Option) *Client {
	return &Client{wire.New(base, secret, httpClient, options...)}
}

// Error is a refusal by the server; compare its Name.
type Error = wire.Error

// Names of errors that a program may want to distinguish. docs/api.md lists all of them.
const (
	NameKeyReused      = "key_reused"      // the request id was used for another write
	NameInvalidRequest = "invalid_request" // the message names the field, and the place in a template
	NameUnauthorized   = "unauthorized"
	NameForbidden      = "forbidden"
	NameNotFound       = "not_found"
)

// isTemporary reports whether the same call may succeed later.
func isTemporary(e *Error) bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= http.StatusInternalServerError
}

// Write submits a request and waits for its receipt. It may be called again: the request id makes it one write.
//
// It repeats the call after a passing failure (no connection, a server that restarts or is away from its database, too many
// requests) until ctx ends, so ctx should have a deadline. If ctx ends after the request was accepted, the receipt is [Staged] and
// the write will be made. A refused request is a receipt: see [Receipt.Err]. Any other error is an [*Error], or means that nothing
// was sent.
func (c *Client) Write(ctx context.Context, r Request) (Receipt, error) {
	if err := r.validate(); err != nil {
		return Receipt{}, err
	}
	body := wire.WriteMemoryBody{
		RequestID: r.RequestID, Owner: r.Owner, Scope: string(r.Scope), Target: r.Target, Strategy: string(r.Strategy),
		Content: r.Content, Data: r.Data, Reason: r.Reason,
	}
	if r.Data != nil && !json.Valid(r.Data) {
		return Receipt{}, fmt.Errorf("request %s: its data is not valid JSON", r.RequestID)
	}
	var staged Receipt
	for attempt := 0; ; attempt++ {
		out, err := receiptOf(c.WriteMemory(ctx, r.Agent, wire.WriteMemoryParams{Wait: waitFor(ctx).String()}, body))
		refused, is := errors.AsType[*Error](err)
		switch {
		case err == nil && out.Outcome != Staged:
			return out, nil
		case err == nil:
			staged, attempt = out, 0
		case is && !isTemporary(refused):
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

// Receipt returns the receipt of a request of an agent's owner (empty: no particular owner). An [*Error] named not_found means that
// the request was never accepted.
func (c *Client) Receipt(ctx context.Context, agent, owner, requestID string) (Receipt, error) {
	params := wire.GetWriteParams{Person: wire.Person{Owner: owner}}
	for attempt := 0; ; attempt++ {
		out, err := receiptOf(c.GetWrite(ctx, agent, requestID, params))
		refused, is := errors.AsType[*Error](err)
		if err == nil || is && !isTemporary(refused) {
			return out, err
		}
		if !pause(ctx, attempt, refused) {
			return Receipt{}, errors.Join(ctx.Err(), err)
		}
	}
}

// receiptOf reads a receipt from an answer.
func receiptOf(answer wire.Answer[wire.Write], err error) (Receipt, error) {
	if err != nil {
		return Receipt{}, err
	}
	w := answer.Data
	id, _ := uuid.Parse(w.Write)
	document, _ := uuid.Parse(w.Document)
	return Receipt{
		Write: id, RequestID: w.RequestID, Outcome: Outcome(w.Outcome), ReasonCode: w.ReasonCode, Document: document,
		Version: w.Version, Created: w.Created, Added: w.Added, Removed: w.Removed, Bytes: w.Bytes, SHA256: w.Sha256, Token: w.Token,
	}, nil
}

// longestWait bounds how long one call waits at the server.
const longestWait = 20 * time.Second

// waitFor returns how long the server may wait so that it answers before ctx ends.
func waitFor(ctx context.Context) time.Duration {
	deadline, limited := ctx.Deadline()
	if !limited {
		return longestWait
	}
	return max(0, min(longestWait, time.Until(deadline)-time.Second)).Truncate(time.Millisecond)
}

// Pauses between attempts double from firstPause to lastPause, half of each at random; the server may ask for a longer one.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

// pause waits before the next attempt, and reports false when ctx ends first.
func pause(ctx context.Context, attempt int, refused *Error) bool {
	wait := min(firstPause<<min(attempt, 16), lastPause)
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // it spreads retries, and guards nothing
	if refused != nil {
		wait = max(wait, min(refused.RetryAfter, time.Minute))
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
