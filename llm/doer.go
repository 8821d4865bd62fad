package llm

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
	maxAnswerBytes    = 8 << 20  // of an answer that is read; the longest real ones have a few hundred KiB
	maxComplaintBytes = 64 << 10 // of an error that is read
	maxIdlePerHost    = 32       // connections kept to a provider, so that calls at once need no new handshakes
	maxHandshake      = 10 * time.Second
	maxIdle           = 90 * time.Second // less than providers keep a connection that nobody uses
)

// call is what one Complete or Chat and the HTTP client below langchaingo tell each other. It travels in the request's context.
type call struct {
	sent  feature        // of the request
	patch map[string]any // fields of the body to set; nil values take the field out
	said  []string       // texts of the request, which no error may repeat

	answered bool    // an answer came, and was paid for
	answer   answer  // what it says
	failure  *Error  // why there is no answer
	declined feature // of those sent, the one that the failure is about; 0: none

	tell    func(part string) error // gets the parts of the answer's text; nil: nobody listens
	told    bool                    // some of the text was told
	stopped error                   // tell's, which ended the call
}

type callKey struct{}

var errOutsideCall = errors.New("a model request outside a call")

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// doer is the HTTP client below langchaingo. It sends each request once, with what langchaingo cannot say patched in,
// turns whatever fails into an *Error, and hands langchaingo a plain answer that it can read.
type doer struct {
	http *http.Client
	read reader
	// stream makes what puts a streamed answer together; nil: none is asked for.
	stream func() assembler
	key    string // to keep out of errors
	// limit is how many bytes of an answer are read.
	limit int64
	// endpoint is the path, after the base URL's, that takes the place of langchaingo's; empty: langchaingo's is right.
	endpoint string
	// authorize corrects the credentials that langchaingo set; nil: they are right.
	authorize func(http.Header)
}

// reader reads a provider's answer (HTTP 200) and returns it with a plain body for langchaingo. Its error is an *Error
// whose Message is not tidied yet.
type reader func(header http.Header, body []byte) (answer, []byte, *Error)

func newDoer(key string, read reader) *doer {
	d := &doer{key: key, read: read, limit: maxAnswerBytes, http: &http.Client{
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
	if key == "" {
		d.authorize = func(h http.Header) { h.Del("Authorization") } // noKey is for langchaingo only
	}
	return d
}

func newStreamingDoer(key string, read reader, stream func() assembler) *doer {
	d := newDoer(key, read)
	d.stream = stream
	return d
}

// Do sends one request of the call in its context.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	call, ok := req.Context().Value(callKey{}).(*call)
	if !ok {
		return nil, errOutsideCall
	}
	if call.failure != nil { // a client that tries again by itself gets what it got
		return nil, call.failure
	}
	response, failure := d.do(req, call)
	if err := req.Context().Err(); err != nil && failure != nil && failure.Status == 0 {
		return nil, err // it broke off because nobody waits any longer
	}
	if failure != nil {
		if failure.Kind == BadRequest || failure.Kind == Unavailable { // some fail instead of declining
			call.declined = declinedBy(failure.words, call.sent)
		}
		failure.Message, failure.words = tidy(failure.Message, d.key, call.said), ""
		call.failure = failure
		return nil, failure
	}
	return response, nil
}

func (d *doer) do(req *http.Request, call *call) (*http.Response, *Error) {
	if err := patch(req, call.patch); err != nil {
		return nil, &Error{Kind: BadRequest, Message: err.Error()}
	}
	if d.authorize != nil {
		d.authorize(req.Header)
	}
	if d.endpoint != "" {
		req.URL.Path = req.URL.Path[:strings.LastIndexByte(req.URL.Path, '/')] + d.endpoint
	}
	req.Header.Set("User-Agent", "reverie")
	response, err := d.http.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end or given up: nothing to learn from closing
	if response.StatusCode != http.StatusOK {
		return nil, d.declined(response, call)
	}
	answer, plain, failure := d.readAnswer(response, call)
	call.answer = answer
	call.answered = failure == nil || answer.inputTokens+answer.outputTokens > 0
	if failure != nil {
		return nil, failure
	}
	response.Body = io.NopCloser(bytes.NewReader(plain))
	response.ContentLength = int64(len(plain))
	response.Header.Set("Content-Length", strconv.Itoa(len(plain)))
	return response, nil
}

// readAnswer reads an answer, in one piece or streamed.
func (d *doer) readAnswer(response *http.Response, call *call) (answer, []byte, *Error) {
	if d.stream != nil && isStream(response.Header) {
		return readStream(response, d.stream(), call)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, d.limit+1))
	switch {
	case err != nil:
		return answer{}, nil, brokenOff(err)
	case int64(len(body)) > d.limit:
		return answer{}, nil, &Error{Kind: Unavailable, Status: response.StatusCode, Message: fmt.Sprintf("the answer is larger than %d MiB", d.limit>>20)}
	}
	return d.read(response.Header, body)
}

// declined reads the error that the provider answered with.
func (d *doer) declined(response *http.Response, call *call) *Error {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxComplaintBytes))
	if err != nil {
		body = nil // the status says enough
	}
	c := readComplaint(response.Header, body)
	c.message = withoutEcho(withoutKey(c.message, d.key), call.said)
	e := c.failure(response.StatusCode, response.Header)
	if to, err := response.Location(); err == nil && response.StatusCode < http.StatusBadRequest {
		e.Message = "redirected to " + to.Host + "; check the base URL"
	}
	return e
}

// patch sets and takes out fields of the request's JSON body.
func patch(req *http.Request, fields map[string]any) error {
	if len(fields) == 0 {
		return nil
	}
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(sent, &body); err != nil {
		return errors.New("the request is not a JSON object")
	}
	for name, value := range fields {
		if value == nil {
			delete(body, name)
			continue
		}
		if body[name], err = json.Marshal(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	patched, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	req.Body = io.NopCloser(bytes.NewReader(patched))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(patched)), nil }
	req.ContentLength = int64(len(patched))
	return nil
}

// unreachable is the error of a request that got no response. What the HTTP client wraps around the reason names the
// URL, which is nobody's business.
func unreachable(err error) *Error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, io.EOF) {
		return brokenOff(err)
	}
	return &Error{Kind: Unavailable, Message: err.Error()}
}

// brokenOff is the error of a connection that ended too early.
func brokenOff(err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Kind: Unavailable, Message: "the connection was closed before the answer was complete"}
	}
	return &Error{Kind: Unavailable, Message: "the answer broke off: " + err.Error()}
}
