// Package remote asks providers of memory that are programs elsewhere, over HTTP or the Model Context Protocol. Their addresses come
// from the server's configuration only.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"reverie/providers"
)

const (
	// maxAnswer bounds the bytes of an answer; a longer one is refused.
	maxAnswer   = 256 << 10
	headerLimit = 16 << 10
	idleFor     = time.Minute
	dialTime    = 5 * time.Second
)

// Config is a provider elsewhere.
type Config struct {
	ID      string
	Order   int
	URL     string
	Headers map[string]string
	// Tools are the tools of an MCP server by operation, and Arguments their arguments: texts in which {query}, {limit}, {workspace},
	// {agent}, {owner} and {conversation} are replaced. An argument of {limit} alone is a number.
	Tools     map[string]string
	Arguments map[string]string
	// Offers are the tools of an MCP server that models get.
	Offers  []string
	Version string // of this server
}

// client returns an HTTP client that follows no redirects, uses no proxy, and reads no more than an answer may have.
func client(headers map[string]string) *http.Client {
	transport := &http.Transport{
		DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: headerLimit, MaxIdleConnsPerHost: 16, IdleConnTimeout: idleFor,
	}
	return &http.Client{
		Transport:     bounded{transport, headers},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded adds headers to requests, and bounds the answers.
type bounded struct {
	http.RoundTripper
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range b.headers {
		r.Header.Set(name, value)
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &limited{answer.Body, maxAnswer}
	}
	return answer, err
}

// limited is a body that ends with an error when it is too long.
type limited struct {
	io.ReadCloser
	left int
}

var errTooLarge = &providers.Error{Failure: providers.FailedTooLarge}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// web is a provider over HTTP.
type web struct {
	Config
	client *http.Client
}

// asker asks a program one operation.
type asker interface {
	providers.Warmer
	ask(ctx context.Context, operation string, q question) (answer, error)
	// send sends something that is only acknowledged.
	send(ctx context.Context, operation string, who providers.Who, what any) error
	tools(ctx context.Context) ([]providers.Tool, error)
	use(ctx context.Context, tool string, call toolCall) (string, error)
}

// toolCall is the body of a call of a tool.
type toolCall struct {
	providers.Who

	Conversation string          `json:"conversation,omitempty"`
	Arguments    json.RawMessage `json:"arguments"`
}

// provider has all operations; the configuration says which of them it is asked for.
type provider struct{ asker }

// Recall implements providers.Recaller.
func (p provider) Recall(ctx context.Context, t providers.Turn) (providers.Recollection, error) {
	a, err := p.ask(ctx, providers.OpRecall, question{t.Who, t.Conversation, t.Message, t.Limit})
	return providers.Recollection{Block: a.Block, Passages: a.Passages}, err
}

// Search implements providers.Searcher.
func (p provider) Search(ctx context.Context, q providers.Query) ([]providers.Passage, error) {
	a, err := p.ask(ctx, providers.OpSearch, question{Who: q.Who, Query: q.Text, Limit: q.Limit})
	return a.Passages, err
}

// Follow implements providers.Follower.
func (p provider) Follow(ctx context.Context, e providers.Event) error {
	return p.send(ctx, providers.OpFollow, e.Who, e)
}

// Forget implements providers.Forgetter.
func (p provider) Forget(ctx context.Context, who providers.Who) error {
	return p.send(ctx, providers.OpForget, who, who)
}

// ForgetConversation implements providers.ConversationForgetter.
func (p provider) ForgetConversation(ctx context.Context, c providers.Conversation) error {
	return p.send(ctx, providers.OpForgetConversation, c.Who, c)
}

// Tools implements providers.Tooler.
func (p provider) Tools(ctx context.Context) ([]providers.Tool, error) { return p.tools(ctx) }

// Use implements providers.Tooler.
func (p provider) Use(ctx context.Context, who providers.Who, conversation, tool string, arguments json.RawMessage) (string, error) {
	return p.use(ctx, tool, toolCall{who, conversation, arguments})
}

// question is the body of a request.
type question struct {
	providers.Who

	Conversation string `json:"conversation,omitempty"`
	Query        string `json:"query"`
	Limit        int    `json:"limit"`
}

// answer is the body of an answer.
type answer struct {
	Block    []providers.Passage `json:"block"`
	Passages []providers.Passage `json:"passages"`
}

// HTTP returns a provider that is asked by POST requests: the address, a slash, and the operation.
func HTTP(c Config) providers.Provider {
	return provider{&web{c, client(c.Headers)}}
}

// ID implements providers.Provider.
func (w *web) ID() string { return w.Config.ID }

// Order implements providers.Provider.
func (w *web) Order() int { return w.Config.Order }

// Warm implements providers.Warmer: it opens a connection. Any answer will do.
func (w *web) Warm(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, w.URL, http.NoBody)
	if err != nil {
		return err
	}
	got, err := w.client.Do(request)
	if err != nil {
		return failed(ctx, err)
	}
	return got.Body.Close()
}

// ask implements asker.
func (w *web) ask(ctx context.Context, operation string, q question) (a answer, err error) {
	text, err := w.post(ctx, operation, q)
	if err != nil || len(text) == 0 {
		return a, err
	}
	return own(text)
}

// send implements asker.
func (w *web) send(ctx context.Context, operation string, _ providers.Who, what any) error {
	_, err := w.post(ctx, operation, what)
	return err
}

// tools implements asker.
func (w *web) tools(ctx context.Context) ([]providers.Tool, error) {
	var list struct {
		Tools []providers.Tool `json:"tools"`
	}
	text, err := w.post(ctx, providers.OpTools, struct{}{})
	if err == nil && len(text) > 0 && json.Unmarshal(text, &list) != nil {
		err = &providers.Error{Failure: providers.FailedMalformed}
	}
	return list.Tools, err
}

// use implements asker.
func (w *web) use(ctx context.Context, tool string, call toolCall) (string, error) {
	var result struct {
		Content string `json:"content"`
	}
	text, err := w.post(ctx, providers.OpTools+"/"+tool, call)
	if err == nil && len(text) > 0 && json.Unmarshal(text, &result) != nil {
		err = &providers.Error{Failure: providers.FailedMalformed}
	}
	return result.Content, err
}

// post sends a request and returns the body of its answer; nil: it has none.
func (w *web) post(ctx context.Context, operation string, what any) ([]byte, error) {
	body, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(w.URL, "/")+"/"+operation, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Reverie/"+w.Version)
	got, err := w.client.Do(request)
	if err != nil {
		return nil, failed(ctx, err)
	}
	defer got.Body.Close()
	switch {
	case got.StatusCode == http.StatusNoContent:
		return nil, nil
	case got.StatusCode != http.StatusOK:
		return nil, &providers.Error{
			Failure: providers.FailedStatus, Again: mayPass(got.StatusCode), Refused: refused(got.StatusCode), Status: got.StatusCode,
		}
	}
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, failed(ctx, err)
	}
	if len(text) == 0 {
		return nil, &providers.Error{Failure: providers.FailedMalformed}
	}
	return text, nil
}

// refused reports whether a status is about what was sent, which is the same the next time.
func refused(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// mayPass reports whether a status may be another one in a moment.
func mayPass(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// failed classifies an error without its text, which may quote what was answered.
func failed(ctx context.Context, err error) error {
	var slow net.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*providers.Error)):
		return errTooLarge
	case errors.As(err, &slow) && slow.Timeout():
		return &providers.Error{Failure: providers.FailedTimeout}
	}
	return &providers.Error{Failure: providers.FailedConnection, Again: true}
}
