package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	maxAnswerBytes    = 8 << 20  // of an answer; the longest real ones have a few hundred KiB
	maxVectorBytes    = 64 << 20 // of an answer with vectors: 1,000 of 3,072 numbers of 20 digits
	maxComplaintBytes = 64 << 10 // of an error
	maxIdlePerHost    = 32       // connections kept to a provider, so that concurrent calls need no new handshakes
	maxHandshake      = 10 * time.Second
	maxIdle           = 90 * time.Second // less than providers keep an unused connection
)

// Reader reads the body of a successful answer. The Message of its error is not redacted yet.
type Reader func(header http.Header, body []byte) (Answer, *Error)

// Client sends requests to one provider, each once, and turns every failure into an *Error. It may be used by many goroutines
// at once.
type Client struct {
	base   string
	header map[string]string // set on every request
	read   Reader
	stream func() assembler // assembles streamed answers; nil: none are requested
	limit  int64            // bytes of an answer
	http   *http.Client
}

// NewClient returns a client for the provider at a base URL, which is empty when another client makes the requests (Do).
// header is set on every request. There is no network traffic yet.
func NewClient(base string, header map[string]string, read Reader) *Client {
	return &Client{base: base, header: header, read: read, limit: maxAnswerBytes, http: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: maxHandshake}).DialContext,
			TLSHandshakeTimeout: maxHandshake,
			MaxIdleConnsPerHost: maxIdlePerHost,
			IdleConnTimeout:     maxIdle,
			ForceAttemptHTTP2:   true,
		},
		// A redirect is reported: followed, it would take the key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ForVectors raises the limit on the size of an answer.
func (c *Client) ForVectors() *Client {
	c.limit = maxVectorBytes
	return c
}

// Bearer returns the header of a bearer key; nil for an empty one.
func Bearer(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

// Post sends the call in ctx as JSON to a path below the base URL. It fills in the call.
func (c *Client) Post(ctx context.Context, path string, body any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(sent))
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	response, err := c.Do(req)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// Do sends a request that another client made for the call in its context, and fills in the call. The body of the response has
// been read already; it is empty for a streamed answer.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	call, err := From(req.Context())
	if err != nil {
		return nil, err
	}
	if call.Failure != nil { // the other client tries again: nothing is sent twice
		return nil, call.Failure
	}
	response, failure := c.exchange(req, call)
	if err := req.Context().Err(); err != nil && failure != nil && failure.Status == 0 {
		return nil, err // it broke off because nobody waits any longer
	}
	if failure != nil {
		if failure.Kind == BadRequest || failure.Kind == Unavailable { // some servers fail instead of declining
			call.Declined = declinedBy(failure.words, call.Sent)
		}
		failure.Message, failure.words = tidy(failure.Message, call.Key, call.Said), ""
		call.Failure = failure
		return nil, failure
	}
	return response, nil
}

func (c *Client) exchange(req *http.Request, call *Call) (*http.Response, *Error) {
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "reverie")
	response, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end or given up: nothing to learn from closing
	if response.StatusCode != http.StatusOK {
		return nil, complain(response, call)
	}
	answer, body, failure := c.readAnswer(response, call)
	call.Answer = answer
	call.Answered = failure == nil || answer.InputTokens+answer.OutputTokens > 0
	if failure != nil {
		return nil, failure
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// readAnswer reads an answer, streamed or in one piece: a server that cannot stream sends one piece.
func (c *Client) readAnswer(response *http.Response, call *Call) (Answer, []byte, *Error) {
	if c.stream != nil && isStream(response.Header) {
		answer, failure := readStream(response, c.stream(), call)
		return answer, nil, failure
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, c.limit+1))
	switch {
	case err != nil:
		return Answer{}, nil, brokenOff(err)
	case int64(len(body)) > c.limit:
		return Answer{}, nil, &Error{Kind: Unavailable, Status: response.StatusCode, Message: fmt.Sprintf("the answer is larger "+
			"than %d MiB", c.limit>>20)}
	}
	answer, failure := c.read(response.Header, body)
	if failure == nil {
		failure = refusal(answer)
	}
	return answer, body, failure
}

// complain reads an error response.
func complain(response *http.Response, call *Call) *Error {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxComplaintBytes))
	if err != nil {
		body = nil // the status says enough
	}
	c := readComplaint(response.Header, body)
	c.message = withoutEcho(withoutKey(c.message, call.Key), call.Said)
	e := c.failure(response.StatusCode, response.Header)
	if to, err := response.Location(); err == nil && response.StatusCode < http.StatusBadRequest {
		e.Message = "redirected to " + to.Host + "; check the base URL"
	}
	return e
}

// unreachable returns the error of a request without a response. The HTTP client's own error would show the URL.
func unreachable(err error) *Error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, io.EOF) {
		return brokenOff(err)
	}
	return &Error{Kind: Unavailable, Message: err.Error()}
}

// brokenOff returns the error of a connection that ended too early.
func brokenOff(err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Kind: Unavailable, Message: "the connection was closed before the answer was complete"}
	}
	return &Error{Kind: Unavailable, Message: "the answer broke off: " + err.Error()}
}
