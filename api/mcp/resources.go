package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reverie/api/fault"
	"reverie/facts"
	"reverie/memory"
	"reverie/scan"
	"reverie/store"
	"reverie/store/gate"
	"reverie/window"
)

// Resources are the documents that the caller reads: memory:///<path>, and memory:///<path>?scope=TEAM for a document hidden by another
// one of the same path. Agent and owner are those of the connection, so a URI means another document to another owner.
const (
	scheme   = "memory:///"
	markdown = "text/markdown"
	// listPage is the number of resources in one page of the list.
	listPage = 100
)

func (m *handlers) addResources(s *mcp.Server) {
	// Both are answered by readResource, in front of the SDK's own lists.
	unreachable := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "document", Title: "Memory file", URITemplate: scheme + "{+path}{?scope}", MIMEType: markdown,
		Description: "A memory file, such as MEMORY.md or PROFILE.md. scope is PERSONAL, TEAM or GLOBAL; without it, the user's own if there is one.",
	}, unreachable)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "note", Title: "Daily note", URITemplate: scheme + "memory/{date}.md", MIMEType: markdown,
		Description: "What was said on a day, such as 2026-01-31, in the agent's time zone.",
	}, unreachable)
}

// uriOf returns the URI of a document; shadowed: another one of the same path comes first.
func uriOf(path string, scope memory.Scope, shadowed bool) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	uri := scheme + strings.Join(parts, "/")
	if shadowed {
		uri += "?scope=" + string(scope)
	}
	return uri
}

// parseURI returns the path of a URI, and its scope if it has one.
func parseURI(uri string) (path string, scope memory.Scope, err error) {
	rest, is := strings.CutPrefix(uri, scheme)
	if !is {
		return "", "", fault.InvalidAt("uri", "write %s and the path of a document, such as %sMEMORY.md", scheme, scheme)
	}
	escaped, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err == nil {
		path, err = url.PathUnescape(escaped)
	}
	if err != nil {
		return "", "", fault.InvalidAt("uri", "it is not escaped correctly")
	}
	if scope = memory.Scope(values.Get("scope")); scope != "" && !scope.Valid() {
		return "", "", fault.InvalidAt("uri", "scope is PERSONAL, TEAM or GLOBAL")
	}
	path, err = memory.ParsePath(path)
	if err != nil {
		return "", "", fault.InvalidAt("uri", "%s", err)
	}
	return path, scope, nil
}

// scopes in the order in which a path is resolved.
var scopes = []memory.Scope{memory.ScopePersonal, memory.ScopeTeam, memory.ScopeGlobal}

// listResources lists the documents that the caller reads, in the order of the system prompt. While memory is off, there are none.
func (m *handlers) listResources(ctx context.Context, v *visit, request mcp.Request) (mcp.Result, error) {
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}
	if !m.Tools.Enabled(v.caller.Agent) {
		return result, nil
	}
	var after string
	if params, is := request.GetParams().(*mcp.ListResourcesParams); is && params != nil && params.Cursor != "" {
		decoded, err := base64.RawURLEncoding.DecodeString(params.Cursor)
		if err != nil {
			return nil, m.wireError(ctx, fault.InvalidAt("cursor", "send the nextCursor of the page before"))
		}
		after = string(decoded)
	}
	documents, err := m.Store.ReadableDocuments(ctx, v.caller.Identity, gate.DocumentFilter{})
	if err != nil {
		return nil, m.wireError(ctx, err)
	}
	place := func(d gate.DocumentEntry) string { return d.Path + "\n" + strconv.Itoa(slices.Index(scopes, d.Scope)) }
	slices.SortStableFunc(documents, func(a, b gate.DocumentEntry) int { return strings.Compare(place(a), place(b)) })
	documents = slices.CompactFunc(documents, func(a, b gate.DocumentEntry) bool { return place(a) == place(b) })
	before := ""
	for i, d := range documents {
		shadowed := d.Path == before
		if before = d.Path; place(d) <= after {
			continue
		}
		result.Resources = append(result.Resources, resourceOf(d, shadowed))
		if len(result.Resources) == listPage && i+1 < len(documents) {
			result.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(place(d)))
			break
		}
	}
	return result, nil
}

func resourceOf(d gate.DocumentEntry, shadowed bool) *mcp.Resource {
	r := &mcp.Resource{
		URI: uriOf(d.Path, d.Scope, shadowed), Name: d.Path, MIMEType: markdown, Size: int64(d.Bytes),
		Description: descriptions[d.Scope],
		Annotations: &mcp.Annotations{LastModified: d.UpdatedAt.UTC().Format(time.RFC3339)},
	}
	if d.Enabled { // in the system prompt
		r.Annotations.Priority = 1
	}
	return r
}

var descriptions = map[memory.Scope]string{
	memory.ScopePersonal: "Memory of this user", memory.ScopeTeam: "Memory shared by all users of the agent",
	memory.ScopeGlobal: "Shared by all agents",
}

// readResource reads a document without secrets, as the tools do.
func (m *handlers) readResource(ctx context.Context, v *visit, request mcp.Request) (mcp.Result, error) {
	params, is := request.GetParams().(*mcp.ReadResourceParams)
	if !is || params == nil {
		return nil, mcp.ResourceNotFoundError("")
	}
	path, scope, err := parseURI(params.URI)
	if err == nil && !m.Tools.Enabled(v.caller.Agent) {
		err = store.ErrMemoryOff
	}
	if err != nil {
		return nil, m.wireError(ctx, err)
	}
	d, err := m.Document(ctx, v.caller.Identity, path, scope)
	if p, is := errors.AsType[*fault.Problem](err); is && p.Name == fault.NotFound {
		return nil, mcp.ResourceNotFoundError(params.URI)
	}
	if err != nil {
		return nil, m.wireError(ctx, err)
	}
	disagreements, err := m.Store.Disagreements(ctx, v.caller.Identity, d.Content)
	if err != nil {
		return nil, m.wireError(ctx, err)
	}
	contents := []*mcp.ResourceContents{{
		URI: params.URI, MIMEType: markdown, Text: scan.Redacted(d.Content),
		Meta: mcp.Meta{"reverie/version": d.Version, "reverie/scope": d.Scope},
	}}
	if warning := facts.Warning(disagreements, window.Escape); warning != "" {
		contents = append(contents, &mcp.ResourceContents{
			URI: params.URI + "#disagreements", MIMEType: markdown, Text: strings.TrimSpace(scan.Redacted(warning)),
		})
	}
	return &mcp.ReadResourceResult{Cacheable: mcp.Cacheable{CacheScope: "private"}, Contents: contents}, nil
}
