package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

const (
	// defaultTimeout bounds one attempt, besides the waiting time that the server requests.
	defaultTimeout = 2 * time.Minute
	// defaultWait limits how long the server waits for a workflow when a request does not set it.
	defaultWait = time.Minute
	// maxAnswer bounds what is read of one answer, in bytes; an export may be large.
	maxAnswer = 512 << 20
	// firstPause is the pause before a repetition when the server names none. It doubles, up to maxPause.
	firstPause = 500 * time.Millisecond
	// maxPause also bounds the pause that a server may ask for: a request that has to wait longer is not repeated.
	maxPause = 30 * time.Second
)

// Client calls the operations of one server with one key.
type Client struct {
	base      string
	key       func() string // a function, so that printing a client does not show the key
	http      *http.Client
	userAgent string
	retries   int
	timeout   time.Duration
	sleep     func(context.Context, time.Duration) error
	explain   func(error) error
}

// Option changes a Client that New makes.
type Option func(*Client)

// Retries repeats a request up to n times while the server is busy (see [Error.Busy]), after the pause that the server asks for, or
// after half a second that doubles. A request that is to wait for more than 30 seconds is not repeated, so that its error is seen.
// Without it a request is made once. It repeats writes as well: give them an idempotency key where the operation takes one.
func Retries(n int) Option { return func(c *Client) { c.retries = n } }

// UserAgent sets the User-Agent header.
func UserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// Timeout bounds one attempt, besides the waiting time that the server requests; by default 2 minutes. A stream has to begin within
// it. It does not bound a stream that has begun.
func Timeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// Sleep replaces how the client pauses between attempts, for tests.
func Sleep(sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.sleep = sleep }
}

// Errors passes every error of a request through explain before it is returned, such as to add what a person can do about it.
func Errors(explain func(error) error) Option { return func(c *Client) { c.explain = explain } }

// New returns a client of the server at base, such as https://memory.example.com. An empty key sends none; httpClient may be nil. An
// httpClient with a Timeout ends streams after that time.
func New(base, key string, httpClient *http.Client, options ...Option) *Client {
	c := &Client{
		base: strings.TrimRight(base, "/"), key: func() string { return key }, http: cmp.Or(httpClient, &http.Client{}),
		timeout: defaultTimeout, sleep: sleepFor, explain: func(err error) error { return err },
	}
	for _, o := range options {
		o(c)
	}
	return c
}

// Answer is a success: its data, the HTTP status and the headers. A document that has not changed (304) has no data.
type Answer[T any] struct {
	Status int
	Header http.Header
	Data   T
	Raw    json.RawMessage // Data as the server sent it; nil of a file
}

// Error is a refusal by the server.
type Error struct {
	Status     int             // of HTTP
	Name       string          // stable, such as "not_found"; docs/api.md lists the names. Empty if another server answered.
	Message    string          // for people
	Data       json.RawMessage // details by name, such as the faults of an invalid request; null for most errors
	RetryAfter time.Duration   // how long the server asks to wait; 0 if it does not
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d): %s", e.Name, e.Status, e.Message) }

// Is reports that an error without a name matches ErrForeign.
func (e *Error) Is(target error) bool { return target == ErrForeign && e.Name == "" }

// budgetSpent is the Name of a refusal that stays until the next day, or until a person ends a pause.
const budgetSpent = "budget_spent"

// Busy reports whether the same request may succeed in a moment: the server limits the rate, or cannot reach its database.
func (e *Error) Busy() bool {
	return (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable) && e.Name != budgetSpent
}

// ErrForeign means that something else than Reverie answered, such as a proxy.
var ErrForeign = errors.New("the answer does not come from Reverie")

// Person names the owner of a memory: by the owner's key, by channel and sender, or by the id of an end user. Empty fields are not
// sent; operations that allow it are then about everybody, or about the owner that the key is pinned to.
type Person struct {
	Owner     string `query:"owner"`
	Channel   string `query:"channel"`
	Sender    string `query:"sender"`
	EndUserID string `query:"endUserId"`
}

// request is one call. Every argument is escaped and takes the place of one %s of the path.
type request struct {
	method      string
	path        string
	arguments   []any
	rest        bool // the last argument keeps its slashes
	params      any  // a struct whose fields have query and header tags
	body        any  // sent as JSON; nil: nothing
	file        []byte
	contentType string // of file
}

// call makes a request whose answer is an envelope, and returns its data.
func call[T any](ctx context.Context, c *Client, r request) (Answer[T], error) {
	var out Answer[T]
	raw, err := c.raw(ctx, r)
	if err != nil {
		return out, err
	}
	out.Status, out.Header = raw.Status, raw.Header
	if raw.Status == http.StatusNotModified {
		return out, nil
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw.Data, &envelope); err != nil || envelope.Data == nil {
		return out, c.explain(fmt.Errorf("%s answered %d: %w", c.base, raw.Status, ErrForeign))
	}
	out.Raw = envelope.Data
	if err := json.Unmarshal(envelope.Data, &out.Data); err != nil {
		return out, fmt.Errorf("read the answer of %s (is the server of another version?): %w", c.base, err)
	}
	return out, nil
}

// raw makes a request and returns the body of its answer.
func (c *Client) raw(ctx context.Context, r request) (out Answer[[]byte], err error) {
	err = c.patiently(ctx, func() error {
		limited, cancel := context.WithTimeoutCause(ctx, c.timeout+waitOf(r.params), errTimeout)
		defer cancel()
		out, err = c.once(limited, r)
		return timedOut(limited, err)
	})
	if err != nil {
		err = c.explain(err)
	}
	return out, err
}

var errTimeout = fmt.Errorf("the server did not answer in time: %w", context.DeadlineExceeded)

// timedOut names the timeout of one attempt as the cause of an error.
func timedOut(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return errTimeout
	}
	return err
}

func (c *Client) once(ctx context.Context, r request) (Answer[[]byte], error) {
	response, err := c.open(ctx, r)
	if err != nil {
		return Answer[[]byte]{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return Answer[[]byte]{Status: response.StatusCode, Header: response.Header, Data: body}, err
}

// open makes a request once. It returns the response as soon as it begins, or a refusal as *Error.
func (c *Client) open(ctx context.Context, r request) (*http.Response, error) {
	built, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(built)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusMultipleChoices || response.StatusCode == http.StatusNotModified {
		return response, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return nil, refusal(response, body)
}

// refusal reads the answer of a request that failed.
func refusal(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode}
	if !e.read(body) {
		e.Message = http.StatusText(e.Status)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// read fills the error from an envelope, and reports whether it was one.
func (e *Error) read(body []byte) bool {
	var envelope struct {
		Code  int             `json:"code"`
		Msg   string          `json:"msg"`
		Error string          `json:"error"`
		Data  json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Error == "" {
		return false
	}
	e.Status, e.Name, e.Message, e.Data = cmp.Or(e.Status, envelope.Code), envelope.Error, envelope.Msg, envelope.Data
	return true
}

func (c *Client) request(ctx context.Context, r request) (*http.Request, error) {
	address := c.base + expand(r.path, r.arguments, r.rest)
	query, header := encode(r.params)
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	body, contentType := r.file, r.contentType
	if value := reflect.ValueOf(r.body); value.IsValid() && (value.Kind() != reflect.Slice || value.Len() > 0) {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body, contentType = encoded, "application/json"
	}
	built, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	built.Header = header
	if contentType != "" {
		built.Header.Set("Content-Type", contentType)
	}
	if key := c.key(); key != "" {
		built.Header.Set("Authorization", "Bearer "+key)
	}
	if c.userAgent != "" {
		built.Header.Set("User-Agent", c.userAgent)
	}
	return built, nil
}

// patiently repeats do while the server is busy, as Retries allows.
func (c *Client) patiently(ctx context.Context, do func() error) error {
	pause := firstPause
	for attempt := 0; ; attempt++ {
		err := do()
		refused, is := errors.AsType[*Error](err)
		if !is || !refused.Busy() || refused.RetryAfter > maxPause || attempt >= c.retries {
			return err
		}
		if err := c.sleep(ctx, cmp.Or(refused.RetryAfter, pause)); err != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
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

// expand fills a path's gaps with escaped arguments.
func expand(path string, arguments []any, rest bool) string {
	escaped := make([]any, len(arguments))
	for i, argument := range arguments {
		text := url.PathEscape(fmt.Sprint(argument))
		if rest && i == len(arguments)-1 {
			text = strings.ReplaceAll(text, "%2F", "/")
		}
		escaped[i] = text
	}
	return fmt.Sprintf(path, escaped...)
}

// encode writes the fields of a parameters' struct that are not zero, by their tags.
func encode(params any) (url.Values, http.Header) {
	query, header := url.Values{}, http.Header{}
	var visit func(reflect.Value)
	visit = func(value reflect.Value) {
		for field, v := range value.Fields() {
			switch {
			case field.Anonymous:
				visit(v)
				continue
			case v.IsZero():
				continue
			case v.Kind() == reflect.Pointer:
				v = v.Elem()
			}
			text := fmt.Sprint(v.Interface())
			if list, is := reflect.TypeAssert[[]string](v); is {
				text = strings.Join(list, ",")
			}
			if name := field.Tag.Get("query"); name != "" {
				query.Set(name, text)
			} else if name := field.Tag.Get("header"); name != "" {
				header.Set(name, text)
			}
		}
	}
	if params != nil {
		visit(reflect.ValueOf(params))
	}
	return query, header
}

// waitOf returns how long the server may wait before it answers.
func waitOf(params any) time.Duration {
	if params == nil {
		return 0
	}
	field := reflect.ValueOf(params).FieldByName("Wait")
	if !field.IsValid() {
		return 0
	}
	if wait, err := time.ParseDuration(field.String()); err == nil {
		return wait
	}
	return defaultWait
}

// Page is a part of a list. Next is the cursor of the part that follows; empty on the last one.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// Items iterates over the items of all pages of a list. It calls get with the cursor of each page, at first with an empty one, and
// ends after the last page or with the first error:
//
//	for extraction, err := range wire.Items(func(cursor string) (wire.Answer[wire.Page[wire.Extraction]], error) {
//		return c.ListExtractions(ctx, "ada", wire.ListExtractionsParams{Cursor: cursor})
//	}) { … }
func Items[T any](get func(cursor string) (Answer[Page[T]], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for cursor := ""; ; {
			page, err := get(cursor)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Data.Items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = page.Data.Next; cursor == "" {
				return
			}
		}
	}
}
