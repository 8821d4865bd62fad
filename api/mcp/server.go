// Package mcp serves memory to clients of the Model Context Protocol: the tools of package toolbox, documents as resources, and
// prompts. Over HTTP it is one operation of the API, so that keys, owners, limits and the audit log are those of every operation.
//
// Requests are stateless: each one carries its key, and any server answers it. What a server pushes (see watch.go) goes through the
// answer of the request that asks for it.
package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/toolbox"
)

// Path is the path of the server's endpoint.
const Path = "/mcp"

// handlers serve MCP.
type handlers struct {
	*rest.Server
	// answered answers ordinary requests with JSON, and streamed those that want progress. listener makes the server of one request that
	// listens: its subscriptions must not meet those of another caller.
	answered, streamed *mcp.StreamableHTTPHandler
	progress           time.Duration // between two notifications of progress
}

// Register adds the operation.
func Register(k *rest.Server) { register(k, progressEvery) }

func register(k *rest.Server, progress time.Duration) {
	m := &handlers{Server: k, progress: progress}
	plain, modern := m.server(nil), m.server(notHere)
	choose := func(r *http.Request) *mcp.Server {
		switch {
		case r.Header.Get(versionHeader) < listenVersion: // of versions that subscribe in a session, which there is none of
			return plain
		case visitOf(r.Context()).listens():
			return m.listener(r.Context())
		}
		return modern
	}
	o := mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: k.Log, MaxRequestBodyBytes: rest.MaxDocumentBody,
		// A page that a browser was tricked into has no key. Proxies on the same machine pass on the name that clients use.
		DisableLocalhostProtection: true,
	}
	m.answered = mcp.NewStreamableHTTPHandler(choose, &o)
	o.JSONResponse = false
	m.streamed = mcp.NewStreamableHTTPHandler(choose, &o)
	rest.RegisterRaw(k, rest.Route{
		ID: "mcp", Method: http.MethodPost, Path: Path, Tag: "tools", Need: memory.RoleViewer, Act: rest.Changes,
		Summary: "Speak the Model Context Protocol", Body: rest.MaxDocumentBody, Timeout: rest.FollowTime,
		Doc: "One JSON-RPC message of the protocol (streamable HTTP, without sessions). The query names the agent, unless the key may use " +
			"one only, and whose memory it is: agent, and owner, or channel and sender, or endUserId; speaker in a group.",
	}, "application/json", m.serve)
	describeQuery(k.API.OpenAPI().Paths[Path].Post)
	m.metadataRoutes()
}

// queryNames are the parameters of the query.
var queryNames = []string{"agent", "owner", "channel", "sender", "endUserId", "speaker"}

func describeQuery(op *huma.Operation) {
	most := 128
	for _, name := range queryNames {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most}})
	}
}

// Versions of the protocol from listenVersion on have requests that listen, in place of sessions.
const (
	versionHeader = "Mcp-Protocol-Version"
	listenVersion = "2026-07-28"
)

// visit is one request: on whose behalf, and what it asks for.
type visit struct {
	ctx     context.Context // ends when the client hangs up, at the time limit, or when the key is revoked
	caller  toolbox.Caller
	message message
}

// message holds the fields of a message that are read before the SDK reads it.
type message struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			ProgressToken  json.RawMessage `json:"progressToken"`
			IdempotencyKey string          `json:"reverie/idempotencyKey"`
		} `json:"_meta"`
	} `json:"params"`
}

func (v *visit) listens() bool { return v.message.Method == "subscriptions/listen" }

type visitKey struct{}

// visitOf returns the visit of a request's context.
func visitOf(ctx context.Context) *visit {
	if v, found := ctx.Value(visitKey{}).(*visit); found {
		return v
	}
	return &visit{ctx: ctx}
}

// serve answers one message.
func (m *handlers) serve(hc huma.Context, w http.ResponseWriter, r *http.Request) {
	v, body, err := m.visit(hc.Context(), w, r)
	if err != nil {
		m.Refuse(hc, err)
		return
	}
	if r.Header.Get(versionHeader) < listenVersion && !slices.Contains(methods, v.message.Method) {
		if answer := unknown(v.message); answer != nil {
			hc.SetHeader("Content-Type", "application/json")
			if _, err := w.Write(answer); err != nil {
				m.Log.DebugContext(hc.Context(), "The client did not take the answer", "error", err)
			}
			return
		}
	}
	handler, limit := m.answered, rest.RequestTimeout
	if v.message.Params.Meta.ProgressToken != nil || v.listens() {
		handler = m.streamed
	}
	if v.listens() {
		limit = rest.FollowTime
	}
	ctx, cancel := context.WithTimeout(hc.Context(), limit)
	defer cancel()
	v.ctx = ctx
	if v.listens() {
		var beat func() error
		w, beat = rest.StreamWriter(hc)
		go m.guard(ctx, hc, cancel, beat)
	}
	r = r.WithContext(context.WithValue(ctx, visitKey{}, v))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Header.Get("Accept") == "" || !v.listens() && handler == m.answered {
		r.Header.Set("Accept", "application/json, text/event-stream") // the answer is JSON anyway
	}
	if r.Header.Get("Content-Type") != "application/json" {
		r.Header.Set("Content-Type", "application/json") // as for every operation, bodies are JSON in any case
	}
	handler.ServeHTTP(w, r)
}

// methods are the methods that clients call. Of versions before listenVersion, the SDK refuses a call of another one in plain text, which
// clients cannot read.
var methods = []string{
	"completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read",
	"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "server/discover", "subscriptions/listen", "tools/call",
	"tools/list",
}

// unknown returns the answer to a call of an unknown method; nil for a notification, which has no answer.
func unknown(message message) []byte {
	id, err := jsonrpc.MakeID(message.ID)
	if err != nil || !id.IsValid() {
		return nil
	}
	answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}})
	if err != nil {
		return nil
	}
	return answer
}

// visit reads a request: its identity and its message.
func (m *handlers) visit(ctx context.Context, w http.ResponseWriter, r *http.Request) (*visit, []byte, error) {
	body, err := rest.ReadBody(w, r, rest.MaxDocumentBody)
	if err != nil {
		return nil, nil, err
	}
	v := &visit{}
	if err := json.Unmarshal(body, &v.message); err != nil || v.message.Method == "" {
		return nil, nil, fault.New(fault.InvalidBody, "Send one JSON-RPC message with a method, as an object")
	}
	if len(v.message.Params.Meta.IdempotencyKey) > maxRequestKey {
		return nil, nil, fault.New(fault.InvalidBody, "The idempotency key has more than %d characters", maxRequestKey)
	}
	m.record(ctx, v.message)
	v.caller, err = m.enter(ctx, r.URL.Query())
	if err != nil { // as for every operation, what the key may do at all comes first
		tool, _ := toolbox.DefinitionOf(v.message.Params.Name)
		err = cmp.Or(rest.MayCall(ctx, tool), err)
	}
	return v, body, err
}

// maxRequestKey bounds the idempotency key of a call, in bytes.
const maxRequestKey = 200

// record notes for the audit log what a message is about.
func (m *handlers) record(ctx context.Context, message message) {
	rest.Touch(ctx, "method", message.Method)
	if path, _, err := parseURI(message.Params.URI); err == nil {
		rest.Touch(ctx, "path", path)
	}
	writes := false
	if message.Method == "tools/call" {
		rest.Touch(ctx, "tool", message.Params.Name)
		tool, _ := toolbox.DefinitionOf(message.Params.Name)
		writes = tool.Writes
	}
	if !writes {
		rest.OnlyReads(ctx)
	}
}

// enter returns on whose behalf a request is made.
func (m *handlers) enter(ctx context.Context, query url.Values) (toolbox.Caller, error) {
	for name, values := range query {
		if !slices.Contains(queryNames, name) || len(values) > 1 {
			return toolbox.Caller{}, fault.InvalidAt("query."+name, "send each of %s at most once, and nothing else", strings.Join(queryNames, ", "))
		}
	}
	agent := query.Get("agent")
	if agent == "" {
		var err error
		if agent, err = m.onlyAgent(ctx); err != nil {
			return toolbox.Caller{}, err
		}
	}
	id, found, err := m.Enter(ctx, agent, rest.Person{
		Owner: query.Get("owner"), Channel: query.Get("channel"), Sender: query.Get("sender"), EndUserID: query.Get("endUserId"), Location: "query",
	})
	if err != nil {
		return toolbox.Caller{}, err
	}
	speaker, err := rest.SpeakerOf(query.Get("speaker"), "query.speaker")
	return toolbox.Caller{Identity: id, Agent: found, Speaker: speaker}, err
}

// onlyAgent returns the agent of a key that may use one only.
func (m *handlers) onlyAgent(ctx context.Context) (string, error) {
	key := rest.CallerOf(ctx)
	if len(key.Agents) == 1 {
		return key.Agents[0], nil
	}
	agents, err := m.Agents(ctx)
	if err != nil {
		return "", err
	}
	if len(agents) == 1 {
		return agents[0].ID, nil
	}
	return "", fault.InvalidAt("query.agent", "name the agent, as in %s?agent=ada: this key may use %d agents", Path, len(agents))
}

// server returns a server of the protocol. subscribe is called for every resource that a request listens to; nil: it offers none.
func (m *handlers) server(subscribe func(context.Context, *mcp.SubscribeRequest) error) *mcp.Server {
	o := &mcp.ServerOptions{
		Instructions: instructions, Logger: m.Log, SubscribeHandler: subscribe,
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: subscribe != nil},
		},
		// What an answer has depends on the key.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	}
	if subscribe != nil {
		o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "reverie", Title: "Reverie memory", Version: m.Version}, o)
	m.addTools(s)
	m.addResources(s)
	m.addPrompts(s)
	s.AddReceivingMiddleware(m.within)
	return s
}

// within handles messages that the SDK's own lists cannot, since they depend on the caller, and ends a handler with its request.
func (m *handlers) within(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		v := visitOf(ctx)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(v.ctx, cancel)()
		switch method {
		case "resources/list":
			return m.listResources(ctx, v, request)
		case "resources/read":
			return m.readResource(ctx, v, request)
		case "tools/list":
			return m.listTools(ctx, request, next)
		}
		return next(ctx, method, request)
	}
}

// metadataRoutes names the server where clients sign in (RFC 9728). Answers to requests without a valid key name this page.
func (m *handlers) metadataRoutes() {
	rest.RegisterRaw(m.Server, rest.Route{
		ID: "mcp-metadata", Method: http.MethodGet, Path: rest.ResourceMetadataPath, Tag: "operation",
		Summary: "Read the OAuth metadata of the MCP server", Errors: []int{http.StatusNotFound},
		Doc: "Protected resource metadata (RFC 9728), when an issuer is configured.",
	}, "application/json", func(hc huma.Context, w http.ResponseWriter, _ *http.Request) {
		if m.OAuthIssuer == "" {
			m.Refuse(hc, fault.New(fault.NotFound, "No OAuth issuer is configured: use an API key as the bearer token"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // clients in browsers read it
		err := json.NewEncoder(w).Encode(oauthex.ProtectedResourceMetadata{
			Resource: m.PublicURL + Path, AuthorizationServers: []string{m.OAuthIssuer}, BearerMethodsSupported: []string{"header"},
			ResourceName: "Reverie memory",
		})
		if err != nil {
			m.Log.DebugContext(hc.Context(), "The client did not take the answer", "error", err)
		}
	})
}
