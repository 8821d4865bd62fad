// Package stdio serves a remote MCP server of Reverie over standard input and output, for clients that start their servers as programs.
// Every message is answered by the remote server; only subscriptions are kept here, since a session of standard input and output can
// push what the remote server sends in the answer of a request that listens.
package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say where the remote server is.
type Options struct {
	URL     string // of the API, such as http://127.0.0.1:8080
	Key     string
	Query   url.Values // agent and owner, as in an address of the remote server
	Version string
	Log     *slog.Logger
	Client  *http.Client // nil: a new one
}

// Serve answers messages from in on out until ctx ends, or in has ended and everything is answered.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	p := &proxy{Options: o, subscribed: map[string]bool{}, progress: map[string]progressOf{}}
	ended := make(chan struct{}, 1)
	base := http.DefaultTransport
	if o.Client != nil && o.Client.Transport != nil {
		base = o.Client.Transport
	}
	remote := mcp.NewClient(&mcp.Implementation{Name: "reverie-stdio", Version: o.Version}, &mcp.ClientOptions{
		Logger: o.Log, Capabilities: &mcp.ClientCapabilities{},
		ResourceUpdatedHandler: func(ctx context.Context, r *mcp.ResourceUpdatedNotificationRequest) { p.updated(ctx, r.Params.URI) },
		ProgressNotificationHandler: func(ctx context.Context, r *mcp.ProgressNotificationClientRequest) {
			p.notifyProgress(ctx, r.Params)
		},
	})
	session, err := remote.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   strings.TrimSuffix(o.URL, "/") + "/mcp?" + o.Query.Encode(),
		HTTPClient: &http.Client{Transport: &transport{base: base, key: o.Key, ended: ended}},
		// Streams are those of requests that listen; there is no other one.
		DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if refused, is := refusalOf(err); is {
		return fmt.Errorf("%s refused: %s", o.URL, refused.Message)
	}
	if err != nil {
		return fmt.Errorf("%s does not answer as an MCP server of Reverie: %w (check the key, and that the agent exists)", o.URL, err)
	}
	defer func() { _ = session.Close() }()
	p.remote = session
	found := session.InitializeResult()
	p.local = mcp.NewServer(&mcp.Implementation{Name: "reverie", Title: "Reverie memory", Version: o.Version}, &mcp.ServerOptions{
		Instructions: found.Instructions, Logger: o.Log,
		SubscribeHandler:   func(ctx context.Context, r *mcp.SubscribeRequest) error { return p.subscribe(ctx, r.Params.URI) },
		UnsubscribeHandler: func(ctx context.Context, r *mcp.UnsubscribeRequest) error { return p.unsubscribe(ctx, r.Params.URI) },
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true},
		},
	})
	p.local.AddReceivingMiddleware(p.forward)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go p.keep(ctx, ended) //nolint:gosec // it ends with ctx, and subscriptions with the session
	reading := newDrain(in)
	writing := &noting{WriteCloser: out, drain: reading}
	reading.out = writing
	err = p.local.Run(ctx, &mcp.IOTransport{Reader: reading, Writer: writing})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// proxy forwards messages of one client.
type proxy struct {
	Options

	local  *mcp.Server
	remote *mcp.ClientSession

	mu         sync.Mutex
	subscribed map[string]bool // URIs
	progress   map[string]progressOf
	calls      int
}

// progressOf is the call of a client that wants progress.
type progressOf struct {
	session *mcp.ServerSession
	token   any
}

// forward answers messages of the client with the answers of the remote server, and with its errors as it words them.
func (p *proxy) forward(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		switch params := request.GetParams().(type) {
		case *mcp.ListToolsParams:
			result, err = p.remote.ListTools(ctx, params)
		case *mcp.CallToolParamsRaw:
			result, err = p.call(ctx, request, params)
		case *mcp.ListResourcesParams:
			result, err = p.remote.ListResources(ctx, params)
		case *mcp.ListResourceTemplatesParams:
			result, err = p.remote.ListResourceTemplates(ctx, params)
		case *mcp.ReadResourceParams:
			result, err = p.remote.ReadResource(ctx, params)
		case *mcp.ListPromptsParams:
			result, err = p.remote.ListPrompts(ctx, params)
		case *mcp.GetPromptParams:
			result, err = p.remote.GetPrompt(ctx, params)
		default:
			return next(ctx, method, request)
		}
		if refused, is := refusalOf(err); is {
			return nil, refused
		}
		return result, err
	}
}

// call forwards a call with a token of this session for its progress: those of clients may be the same.
func (p *proxy) call(ctx context.Context, request mcp.Request, params *mcp.CallToolParamsRaw) (mcp.Result, error) {
	forwarded := &mcp.CallToolParams{Name: params.Name, Arguments: params.Arguments, Meta: mcp.Meta{}}
	for name, value := range params.Meta {
		if !strings.HasPrefix(name, "io.modelcontextprotocol/") { // of the message, not of the call
			forwarded.Meta[name] = value
		}
	}
	session, is := request.GetSession().(*mcp.ServerSession)
	if token := params.GetProgressToken(); token != nil && is {
		p.mu.Lock()
		p.calls++
		own := fmt.Sprintf("call-%d", p.calls)
		p.progress[own] = progressOf{session, token}
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			delete(p.progress, own)
			p.mu.Unlock()
		}()
		forwarded.SetProgressToken(own)
	}
	return p.remote.CallTool(ctx, forwarded)
}

func (p *proxy) notifyProgress(ctx context.Context, n *mcp.ProgressNotificationParams) {
	own, _ := n.ProgressToken.(string)
	p.mu.Lock()
	of, found := p.progress[own]
	p.mu.Unlock()
	if !found {
		return
	}
	err := of.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: of.token, Message: n.Message, Progress: n.Progress, Total: n.Total,
	})
	if err != nil {
		p.Log.DebugContext(ctx, "The client did not take progress", "error", err)
	}
}

func (p *proxy) subscribe(_ context.Context, uri string) error {
	p.mu.Lock()
	p.subscribed[uri] = true
	p.mu.Unlock()
	// It lives as long as the session, not as long as the request.
	return p.remote.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri})
}

func (p *proxy) unsubscribe(ctx context.Context, uri string) error {
	p.mu.Lock()
	delete(p.subscribed, uri)
	p.mu.Unlock()
	return p.remote.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
}

func (p *proxy) updated(ctx context.Context, uri string) {
	if err := p.local.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		p.Log.DebugContext(ctx, "The client did not take a change", "error", err)
	}
}

// again is the pause before a subscription that ended is made again.
const again = 2 * time.Second

// keep subscribes again when the stream of a subscription ends: servers end each after an hour, and when they stop. What changed
// meanwhile is unknown, so that the client is notified.
func (p *proxy) keep(ctx context.Context, ended <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(again):
		}
		p.mu.Lock()
		var uris []string
		for uri := range p.subscribed {
			uris = append(uris, uri)
		}
		p.mu.Unlock()
		for _, uri := range uris {
			_ = p.remote.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}) // forget the stream that ended
			if err := p.remote.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri}); err != nil {
				p.Log.WarnContext(ctx, "A subscription ended and could not be made again", "error", err)
				continue
			}
			p.updated(ctx, uri)
		}
	}
}

const (
	// codeRefused is the code of what the API refuses: JSON-RPC leaves it to servers.
	codeRefused = -32000
	// codeRejected is the code with which the SDK marks that its transport has failed.
	codeRejected = -32005
	// maxRefusal bounds the answer of a refusal that is read, in bytes.
	maxRefusal = 64 << 10
)

// refusalOf returns the error with which the remote server has answered, without what the SDK says about the way to it.
func refusalOf(err error) (refused *jsonrpc.Error, is bool) {
	refused, is = errors.AsType[*jsonrpc.Error](err)
	return refused, is && refused.Code != codeRejected
}

// asMessage makes an error of the API one of JSON-RPC, whose text the SDK passes on. Other answers stay as they are.
func asMessage(answer *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	var problem struct {
		Msg string `json:"msg"`
	}
	if json.Unmarshal(body, &problem) == nil && problem.Msg != "" {
		id, _ := jsonrpc.MakeID("") // the SDK knows which request it was
		body, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: codeRefused, Message: problem.Msg}})
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return err
}

// transport adds the key, passes on why the API refuses, and reports when the stream of an answer ends on its own.
type transport struct {
	base  http.RoundTripper
	key   string
	ended chan<- struct{}
}

// RoundTrip makes a request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if t.key != "" {
		r.Header.Set("Authorization", "Bearer "+t.key)
	}
	answer, err := t.base.RoundTrip(r)
	if err == nil && answer.StatusCode >= http.StatusBadRequest {
		if err := asMessage(answer); err != nil {
			return nil, err
		}
	}
	if err == nil && r.Header.Get("Mcp-Method") == "subscriptions/listen" {
		answer.Body = &streamBody{answer.Body, r.Context(), t.ended}
	}
	return answer, err
}

type streamBody struct {
	io.ReadCloser

	ctx   context.Context
	ended chan<- struct{}
}

// Read reads from the stream.
func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.ctx.Err() == nil {
		select {
		case b.ended <- struct{}{}:
		default:
		}
	}
	return n, err
}
