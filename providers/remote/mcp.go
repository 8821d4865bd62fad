package remote

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/providers"
)

// maxSessions bounds the sessions with one MCP server. Each is of one owner, so that nothing that a server keeps of a session is of two.
const maxSessions = 64

// server is a provider over the Model Context Protocol: an operation is a call of a tool.
type server struct {
	Config
	client *mcp.Client
	http   *http.Client

	mu       sync.Mutex
	sessions *lru.Cache[providers.Who, *mcp.ClientSession]
}

// MCP returns a provider that is asked by calls of tools, over streamable HTTP.
func MCP(c Config) (providers.Provider, error) {
	s := &server{
		Config: c, client: mcp.NewClient(&mcp.Implementation{Name: "reverie", Version: c.Version}, nil), http: client(c.Headers),
	}
	var err error
	s.sessions, err = lru.NewWithEvict(maxSessions, func(_ providers.Who, old *mcp.ClientSession) {
		go func() { _ = old.Close() }() // what it says about it changes nothing
	})
	return provider{s}, err
}

// ID implements providers.Provider.
func (s *server) ID() string { return s.Config.ID }

// Order implements providers.Provider.
func (s *server) Order() int { return s.Config.Order }

// Warm implements providers.Warmer.
func (s *server) Warm(ctx context.Context) error {
	session, err := s.connect(ctx)
	if err != nil {
		return failed(ctx, err)
	}
	return session.Close()
}

func (s *server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	return s.client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: s.http, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
}

// session returns the session of an owner.
func (s *server) session(ctx context.Context, who providers.Who) (*mcp.ClientSession, error) {
	s.mu.Lock()
	known, found := s.sessions.Get(who)
	s.mu.Unlock()
	if found {
		return known, nil
	}
	fresh, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, found := s.sessions.Get(who); found { // another request was faster
		go func() { _ = fresh.Close() }()
		return known, nil
	}
	s.sessions.Add(who, fresh)
	return fresh, nil
}

// ask implements asker.
func (s *server) ask(ctx context.Context, operation string, q question) (a answer, err error) {
	result, err := s.call(ctx, q.Who, s.Tools[operation], s.arguments(q))
	if err != nil {
		return a, err
	}
	return read(result)
}

// send implements asker: the object is the arguments of the tool.
func (s *server) send(ctx context.Context, operation string, who providers.Who, what any) error {
	_, err := s.call(ctx, who, s.Tools[operation], what)
	return err
}

// tools implements asker.
func (s *server) tools(ctx context.Context) (all []providers.Tool, err error) {
	session, err := s.session(ctx, providers.Who{})
	if err != nil {
		return nil, failed(ctx, err)
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, failed(ctx, err)
		}
		if !slices.Contains(s.Offers, tool.Name) {
			continue
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return nil, err
		}
		all = append(all, providers.Tool{Name: tool.Name, Description: tool.Description, Parameters: schema})
	}
	return all, nil
}

// use implements asker.
func (s *server) use(ctx context.Context, tool string, call toolCall) (string, error) {
	result, err := s.call(ctx, call.Who, tool, call.Arguments)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, content := range result.Content {
		if text, is := content.(*mcp.TextContent); is {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// call calls a tool in the session of an owner.
func (s *server) call(ctx context.Context, who providers.Who, tool string, arguments any) (*mcp.CallToolResult, error) {
	session, err := s.session(ctx, who)
	if err != nil {
		return nil, failed(ctx, err)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name: tool, Arguments: arguments,
		Meta: mcp.Meta{"reverie/workspace": who.Workspace, "reverie/agent": who.Agent, "reverie/owner": who.Owner},
	})
	if err != nil {
		s.mu.Lock()
		if known, found := s.sessions.Peek(who); found && known == session {
			s.sessions.Remove(who) // the next question opens another one
		}
		s.mu.Unlock()
		return nil, failed(ctx, err)
	}
	if result.IsError {
		return nil, &providers.Error{Failure: providers.FailedStatus}
	}
	return result, nil
}

// arguments fills in the arguments of a tool.
func (s *server) arguments(q question) map[string]any {
	given := s.Arguments
	if given == nil {
		given = map[string]string{"query": "{query}", "limit": "{limit}"}
	}
	fill := strings.NewReplacer("{query}", q.Query, "{limit}", strconv.Itoa(q.Limit), "{workspace}", q.Workspace, "{agent}", q.Agent,
		"{owner}", q.Owner, "{conversation}", q.Conversation)
	filled := make(map[string]any, len(given))
	for name, value := range given {
		if filled[name] = fill.Replace(value); value == "{limit}" {
			filled[name] = q.Limit
		}
	}
	return filled
}

// read reads a result: our own form, structured or as a text, else each text as one passage.
func read(result *mcp.CallToolResult) (a answer, err error) {
	if result.StructuredContent != nil {
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return a, err
		}
		if isAnswer(text) {
			return own(text)
		}
	}
	for _, content := range result.Content {
		text, is := content.(*mcp.TextContent)
		switch {
		case !is:
		case isAnswer([]byte(text.Text)):
			return own([]byte(text.Text))
		default:
			a.Passages = append(a.Passages, providers.Passage{Text: text.Text})
		}
	}
	return a, nil
}

// isAnswer reports whether a text is an object of our own form.
func isAnswer(text []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	return fields["passages"] != nil || fields["block"] != nil
}

func own(text []byte) (a answer, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return answer{}, &providers.Error{Failure: providers.FailedMalformed}
	}
	return a, nil
}
