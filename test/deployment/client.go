package deployment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"time"
)

// Client is an HTTP client of a running API, independent of the program's own.
type Client struct {
	URL, Key string
	HTTP     http.Client
	Header   http.Header // of every request
}

// Message is one message as the API takes it.
type Message struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Batch is the body of a post to a conversation.
type Batch struct {
	EndUserID     string    `json:"endUserId"`
	TriggerSource string    `json:"triggerSource"`
	TurnComplete  bool      `json:"turnComplete"`
	Messages      []Message `json:"messages"`
}

// StatusError is a response with an error status.
type StatusError struct {
	Status     int
	Body       string
	RetryAfter string
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Body) }

// Call sends body as JSON (none when nil) and decodes the answer's data into out (unless nil).
func (c *Client) Call(ctx context.Context, method, path string, body, out any) error {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, payload)
	if err != nil {
		return err
	}
	maps.Copy(request.Header, c.Header)
	request.Header.Set("Authorization", "Bearer "+c.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return &StatusError{answer.StatusCode, string(raw), answer.Header.Get("Retry-After")}
	}
	if out == nil {
		return nil
	}
	envelope := struct {
		Data any `json:"data"`
	}{out}
	return json.Unmarshal(raw, &envelope)
}

// Insist repeats a call until it succeeds or ctx ends, like a client whose server restarts. An error of the request
// (status 4xx) is returned at once.
func (c *Client) Insist(ctx context.Context, method, path string, body, out any) error {
	for {
		err := c.Call(ctx, method, path, body, out)
		var status *StatusError
		if err == nil || errors.As(err, &status) && status.Status < 500 {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// WaitReady waits until the API can serve requests.
func (c *Client) WaitReady(ctx context.Context) error {
	return c.Insist(ctx, http.MethodGet, "/readyz", nil, nil)
}

// FreeAddress returns an address on loopback that is free at the moment.
func FreeAddress() (string, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
