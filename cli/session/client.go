package session

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
	"strconv"
	"strings"
	"time"
)

const (
	// RequestTimeout bounds a request that does not wait for a workflow; a batch of 8 MiB has to fit.
	RequestTimeout = 2 * time.Minute
	// maxAnswer bounds the bytes read of an answer; a page of messages may be long.
	maxAnswer = 512 << 20
	// busyAttempts bounds the attempts while the server is busy or unavailable.
	busyAttempts = 6
	// busyWait is the first wait when the server names none; it doubles.
	busyWait = 500 * time.Millisecond
	// maxBusyWait bounds one wait, whatever the server asks for.
	maxBusyWait = 30 * time.Second
)

// Client sends requests to the API with one key. It retries while the server is busy, and turns refusals into *Error:
// every request of this program is safe to repeat.
type Client struct {
	base      string // without a trailing slash
	key       string
	keySource string // where the key came from, for the error of a refused one
	version   string
	attempts  int
	http      *http.Client
	sleep     func(context.Context, time.Duration) error
}

func newClient(base, key, keySource, version string) (*Client, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a server: write it as http://127.0.0.1:8080", base)
	}
	return &Client{
		base: strings.TrimRight(base, "/"), key: key, keySource: keySource, version: version,
		attempts: busyAttempts, http: &http.Client{}, sleep: Sleep,
	}, nil
}

// Once returns a client that does not retry.
func (c *Client) Once() *Client {
	once := *c
	once.attempts = 1
	return &once
}

// Sleep waits for d or until ctx ends.
func (c *Client) Sleep(ctx context.Context, d time.Duration) error { return c.sleep(ctx, d) }

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

// Request is one call. Path segments are escaped by the caller (Path).
type Request struct {
	Method  string
	Path    string
	Query   url.Values
	Body    any               // sent as JSON; nil: nothing
	Archive []byte            // sent as a ZIP file, in place of Body
	Headers map[string]string // besides the usual ones
	Timeout time.Duration     // 0: RequestTimeout
}

// Call makes a request.
func (c *Client) Call(ctx context.Context, r Request) (*http.Response, error) {
	target := c.base + r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	var body io.Reader
	kind := ""
	switch {
	case r.Archive != nil:
		body, kind = bytes.NewReader(r.Archive), "application/zip"
	case r.Body != nil:
		encoded, err := json.Marshal(r.Body)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(encoded), "application/json"
	}
	if r.Timeout > 0 {
		ctx = WithTimeout(ctx, r.Timeout)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, target, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	return c.Do(request)
}

// Path joins segments, each escaped.
func Path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/")
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// DocumentPath escapes a document's path for the end of a URL; its slashes stay.
func DocumentPath(path string) string { return Path(strings.Split(path, "/")...) }

type contextKey int

const (
	timeoutKey contextKey = iota
	streamKey
)

// WithTimeout bounds each attempt of the requests made with the returned context, in place of RequestTimeout.
func WithTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey, d)
}

// Do sends a request with the key, and again while the server is busy or unavailable. It returns the answer, read to its
// end, or *Error when the server refuses.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	request.Header.Set("User-Agent", "reverie-cli/"+c.version)
	if request.Context().Value(streamKey) != nil {
		return c.open(request)
	}
	var response *http.Response
	err := c.retry(request.Context(), func() (err error) {
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return err
			}
		}
		response, err = c.once(request)
		return err
	})
	return response, err
}

// retry runs do again while the server is busy or unavailable.
func (c *Client) retry(ctx context.Context, do func() error) error {
	wait := busyWait
	for attempt := 1; ; attempt++ {
		err := do()
		refused, is := errors.AsType[*Error](err)
		if !is || !refused.Busy() || attempt >= c.attempts {
			return err
		}
		pause := wait
		if refused.retryAfter > 0 {
			pause = refused.retryAfter
		}
		if err := c.sleep(ctx, min(pause, maxBusyWait)); err != nil {
			return err
		}
		wait *= 2
	}
}

// once sends a request and reads the whole answer.
func (c *Client) once(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	timeout, set := ctx.Value(timeoutKey).(time.Duration)
	if !set {
		timeout = RequestTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := c.http.Do(request.WithContext(limited))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	return c.read(ctx, response)
}

// read reads an answer to its end. The Body of the returned answer is in memory.
func (c *Client) read(ctx context.Context, response *http.Response) (*http.Response, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode < http.StatusBadRequest && response.Header.Get("Content-Type") == "application/zip" {
		return response, nil
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Code == nil {
		return nil, fmt.Errorf("%s answers %s, %w", c.base, response.Status, ErrForeign)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, c.refusal(response, e)
	}
	return response, nil
}

func isJSON(response *http.Response) bool {
	return strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
}

// envelope wraps the data of every JSON answer.
type envelope struct {
	Code *int            `json:"code"`
	Msg  string          `json:"msg"`
	Name string          `json:"error"`
	Data json.RawMessage `json:"data"`
}

// Answer is the data of a successful answer, as it came.
type Answer struct {
	Status int
	Data   json.RawMessage
}

// DataOf decodes the data of an answer.
func DataOf[T any](response *http.Response, err error) (T, Answer, error) {
	var out T
	if err != nil {
		return out, Answer{}, err
	}
	defer response.Body.Close()
	var e envelope
	if err := json.NewDecoder(response.Body).Decode(&e); err != nil {
		return out, Answer{}, err
	}
	a := Answer{Status: response.StatusCode, Data: e.Data}
	if err := json.Unmarshal(e.Data, &out); err != nil {
		return out, a, fmt.Errorf("cannot read the answer (is the server of another version?): %w", err)
	}
	return out, a, nil
}

// File returns the content of an answer that is a file, and its headers.
func File(response *http.Response, err error) ([]byte, http.Header, error) {
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if isJSON(response) {
		return nil, nil, fmt.Errorf("the server answers %s without a file: check --url (or REVERIE_URL)", response.Status)
	}
	file, err := io.ReadAll(response.Body)
	return file, response.Header, err
}

// ErrForeign means that the server that answers is not Reverie.
var ErrForeign = errors.New("but not as Reverie does: check --url (or REVERIE_URL)")

// unreachable explains a request that got no answer.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s did not answer in time", c.base)
	}
	if failed, found := errors.AsType[*url.Error](err); found {
		err = failed.Err // without the URL, which is named here
	}
	if failed, found := errors.AsType[*net.OpError](err); found && failed.Op == "dial" {
		err = failed.Err // without the address
	}
	return fmt.Errorf("%s does not answer: %w\nStart Reverie with `reverie dev`, or name its address with --url or REVERIE_URL", c.base, err)
}

func (c *Client) refusal(response *http.Response, answer envelope) *Error {
	e := &Error{Status: response.StatusCode, Name: answer.Name, Msg: answer.Msg, Data: answer.Data}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.retryAfter = time.Duration(seconds) * time.Second
	}
	switch {
	case e.Status == http.StatusUnauthorized && c.key == "":
		e.Msg = "API key required"
		e.Hint = "Pass one with --key or REVERIE_KEY; `reverie dev` stores its key in <data>/admin-key (--data)"
	case e.Status == http.StatusUnauthorized:
		e.Msg = "Invalid API key: it belongs to another server or was revoked"
		e.Hint = "The key came from " + c.keySource
	case e.Status == http.StatusForbidden:
		e.Hint = "The key came from " + c.keySource
	}
	if e.Name == "owner_required" {
		e.Hint = "Name the owner with --owner, with --channel and --sender, or with --end-user"
	}
	return e
}

// Error is a refusal by the server. Name is stable, Msg is for people.
type Error struct {
	Status int
	Name   string
	Msg    string
	Data   json.RawMessage // details; may be null
	Hint   string          // what to do about it; may be empty

	retryAfter time.Duration
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Name != "" {
		text += " (" + e.Name + ")"
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Busy reports whether the same request may succeed in a moment.
func (e *Error) Busy() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}
