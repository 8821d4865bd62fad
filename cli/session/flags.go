package session

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"reverie/memory"

	"github.com/spf13/cobra"
)

// Page holds the flags of lists.
type Page struct {
	Cursor string
	Limit  int
}

// Register adds the flags to c; limit is the default number of items.
func (p *Page) Register(c *cobra.Command, limit int) {
	c.Flags().IntVar(&p.Limit, "limit", limit, "how many")
	c.Flags().StringVar(&p.Cursor, "cursor", "", "continue an earlier list: the cursor printed at its end")
}

// Query returns the query parameters of the page.
func (p *Page) Query() url.Values {
	q := url.Values{"limit": {fmt.Sprint(p.Limit)}}
	SetQuery(q, "cursor", p.Cursor)
	return q
}

// Scope is the flag that selects between documents with one path.
type Scope string

// Register adds the flag to c.
func (s *Scope) Register(c *cobra.Command) {
	c.Flags().StringVar((*string)(s), "scope", "",
		"whose document: PERSONAL, TEAM or GLOBAL; empty: the owner's if there is one, else the agent's, else the workspace's")
}

// Query returns the query parameters of the scope.
func (s *Scope) Query() url.Values {
	q := url.Values{}
	SetQuery(q, "scope", string(*s))
	return q
}

// List is one page of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"`
}

// Person names an owner in the body of a request.
type Person struct {
	Owner     string `json:"owner,omitempty"`
	Channel   string `json:"channel,omitempty"`
	Sender    string `json:"sender,omitempty"`
	EndUserID string `json:"endUserId,omitempty"`
}

// Body returns the owner for the body of a request.
func (s *Session) Body() Person { return Person{s.Owner, s.Channel, s.Sender, s.EndUser} }

// Get requests a resource of the agent, about the owner.
func (s *Session) Get(cmd *cobra.Command, query url.Values, segments ...string) (*http.Response, error) {
	path, err := s.AgentPath(segments...)
	if err != nil {
		return nil, err
	}
	return s.getAt(cmd, path, query)
}

// GetDocument requests one view (files, history, diff, blame) of a document.
func (s *Session) GetDocument(cmd *cobra.Command, query url.Values, view, path string) (*http.Response, error) {
	base, err := s.AgentPath("workspace", view)
	if err != nil {
		return nil, err
	}
	return s.getAt(cmd, base+DocumentPath(path), query)
}

// GetMemory requests a resource of the agent's memory, about the owner.
func (s *Session) GetMemory(cmd *cobra.Command, query url.Values, segments ...string) (*http.Response, error) {
	path, err := s.MemoryPath(segments...)
	if err != nil {
		return nil, err
	}
	return s.getAt(cmd, path, query)
}

func (s *Session) getAt(cmd *cobra.Command, path string, query url.Values) (*http.Response, error) {
	c, err := s.Client()
	if err != nil {
		return nil, err
	}
	all := s.OwnerQuery()
	maps.Copy(all, query)
	return c.Call(cmd.Context(), Request{Method: http.MethodGet, Path: path, Query: all})
}

// ScopeOf formats a document's scope. That of a document of the leader of the agent's team names the leader.
func (s *Session) ScopeOf(scope memory.Scope, agent string) string {
	if agent == "" || agent == s.Agent {
		return string(scope)
	}
	return string(scope) + " of " + agent
}
