package main

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

// apiClient talks to Reverie's HTTP API with one key. It is written by hand: the commands need a dozen of the operations,
// and apiclient_contract_test.go holds every request and every field that is read to the server's own OpenAPI document.
type apiClient struct {
	base string // without a slash at the end
	key  string
	// keySource says where the key came from, for the error of a refused one.
	keySource string
	http      *http.Client
	sleep     func(context.Context, time.Duration) error
}

// apiRequest is one call. Path segments are escaped by the caller (pathOf).
type apiRequest struct {
	method  string
	path    string
	query   url.Values
	body    any               // sent as JSON; nil: nothing
	archive []byte            // sent as a ZIP file, in place of body
	headers map[string]string // besides the usual ones
	timeout time.Duration     // 0: requestTimeout
}

// apiAnswer is a success: Data is the answer's data as it came.
type apiAnswer struct {
	Status int
	Header http.Header
	Data   json.RawMessage
}

const (
	// requestTimeout bounds a request that does not wait for a workflow; a batch of 8 MiB has to fit.
	requestTimeout = 2 * time.Minute
	// maxAnswer bounds what is read of an answer; a page of messages may be long.
	maxAnswer = 512 << 20
	// busyAttempts is how often a request is made while the server says that it is busy or away.
	busyAttempts = 6
	// busyWait is the first wait when the server names none; it doubles.
	busyWait = 500 * time.Millisecond
	// maxBusyWait bounds one wait, whatever the server asks for.
	maxBusyWait = 30 * time.Second
)

func newAPIClient(base, key, keySource string) (*apiClient, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a server: write it as http://127.0.0.1:8080", base)
	}
	return &apiClient{
		base: strings.TrimRight(base, "/"), key: key, keySource: keySource,
		http: &http.Client{}, sleep: sleepFor,
	}, nil
}

// pathOf joins segments, each escaped.
func pathOf(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteString("/")
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// documentPath is a document's path at the end of a URL: its slashes stay.
func documentPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "/" + strings.Join(segments, "/")
}

// call makes a request and returns the data of its answer, trying again while the server is busy or away for a moment:
// every request that this program makes may be repeated. It returns *apiError when the server refuses.
func (c *apiClient) call(ctx context.Context, r apiRequest) (answer apiAnswer, err error) {
	err = c.patiently(ctx, func() error {
		answer, err = c.once(ctx, r)
		return err
	})
	return answer, err
}

// patiently does something again while the server says that it is busy or away for a moment.
func (c *apiClient) patiently(ctx context.Context, do func() error) error {
	wait := busyWait
	for attempt := 1; ; attempt++ {
		err := do()
		var refused *apiError
		if !errors.As(err, &refused) || !refused.busy() || attempt == busyAttempts {
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

func (c *apiClient) once(ctx context.Context, r apiRequest) (apiAnswer, error) {
	timeout := r.timeout
	if timeout == 0 {
		timeout = requestTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := c.request(limited, r)
	if err != nil {
		return apiAnswer{}, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return apiAnswer{}, c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	return c.read(ctx, response)
}

// read reads an answer that comes as a whole.
func (c *apiClient) read(ctx context.Context, response *http.Response) (apiAnswer, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return apiAnswer{}, c.unreachable(ctx, err)
	}
	var envelope struct {
		Code *int            `json:"code"`
		Msg  string          `json:"msg"`
		Name string          `json:"error"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Code == nil {
		return apiAnswer{}, fmt.Errorf("%s answers %s, %w", c.base, response.Status, errForeign)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return apiAnswer{}, c.refusal(response, envelope.Name, envelope.Msg, envelope.Data)
	}
	return apiAnswer{Status: response.StatusCode, Header: response.Header, Data: envelope.Data}, nil
}

func (c *apiClient) request(ctx context.Context, r apiRequest) (*http.Request, error) {
	target := c.base + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	if r.archive != nil {
		body = bytes.NewReader(r.archive)
	}
	request, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.archive != nil {
		request.Header.Set("Content-Type", "application/zip")
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	request.Header.Set("User-Agent", "reverie-cli/"+version)
	for name, value := range r.headers {
		request.Header.Set(name, value)
	}
	return request, nil
}

// errForeign means that something else than Reverie answers.
var errForeign = errors.New("but not as Reverie does: check --url (or REVERIE_URL)")

// unreachable explains a request that got no answer.
func (c *apiClient) unreachable(ctx context.Context, err error) error {
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

func (c *apiClient) refusal(response *http.Response, name, msg string, data json.RawMessage) *apiError {
	e := &apiError{Status: response.StatusCode, Name: name, Msg: msg, Data: data}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.retryAfter = time.Duration(seconds) * time.Second
	}
	switch e.Status {
	case http.StatusUnauthorized:
		if c.key == "" {
			e.Msg = "the server asks for a key"
			e.hint = "give a key with REVERIE_KEY or --key; that of `reverie dev` stands in <data>/admin-key (--data)"
		} else {
			e.Msg = "the server does not take this key: it is of another server, or was revoked"
			e.hint = "the key came from " + c.keySource
		}
	case http.StatusForbidden:
		e.hint = "the key came from " + c.keySource
	}
	if e.Name == "owner_required" {
		e.hint = "name somebody with --owner, or with --channel and --sender, or with --end-user"
	}
	return e
}

// apiError is a refusal: Name is stable, Msg is for people.
type apiError struct {
	Status int
	Name   string
	Msg    string
	Data   json.RawMessage // details; may be null

	hint       string
	retryAfter time.Duration
}

func (e *apiError) Error() string {
	text := e.Msg
	if e.Name != "" {
		text += " (" + e.Name + ")"
	}
	if e.hint != "" {
		text += "\n" + e.hint
	}
	return text
}

// busy reports whether the same request may succeed in a moment.
func (e *apiError) busy() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// dataOf reads an answer's data.
func dataOf[T any](a apiAnswer, err error) (T, apiAnswer, error) {
	var out T
	if err != nil {
		return out, a, err
	}
	if err := json.Unmarshal(a.Data, &out); err != nil {
		return out, a, fmt.Errorf("the server's answer cannot be read (is it of another version?): %w", err)
	}
	return out, a, nil
}

func sleepFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
