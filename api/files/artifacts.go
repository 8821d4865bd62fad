package files

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/gate"
)

func (s *Handlers) artifactRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-artifacts", Method: http.MethodGet, Path: artifactsPath, Tag: "files", Need: memory.RoleViewer,
		Summary: "List artifacts of an agent's memory",
		Doc: "MEMORY.md (memory-root), daily notes (daily-note), reports of dreams (dream-report) and the journal (event-log), each with " +
			"where it is read, by workspace, path, kind and agent. The diary of dreams is not included. With Accept: application/x-ndjson the answer is " +
			"one artifact on each line, without an envelope, and X-Next-Cursor is next.",
	}, s.listArtifacts)
	o := s.API.OpenAPI()
	answers := o.Paths[artifactsPath].Get.Responses["200"]
	answers.Content = map[string]*huma.MediaType{
		"application/json": {Schema: o.Components.Schemas.Schema(reflect.TypeFor[rest.Envelope[rest.Page[artifactView]]](), true, "")},
		rest.LinesOfJSON:   {Schema: o.Components.Schemas.Schema(reflect.TypeFor[artifactView](), true, "")},
	}
}

const artifactsPath = "/api/v1/agents/{agent}/artifacts"

// Kinds of artifacts.
const (
	artifactRoot   = "memory-root"
	artifactNote   = "daily-note"
	artifactReport = "dream-report"
	artifactEvents = "event-log"
)

// eventLog is the path by which readers know the journal; it is not a document.
const eventLog = "memory/.dreams/events.jsonl"

type artifactsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
	Accept string `header:"Accept" doc:"application/x-ndjson for one artifact on each line."`
}

// artifactView is something of an agent's memory that other programs read.
type artifactView struct {
	Kind        string       `json:"kind" enum:"memory-root,daily-note,dream-report,event-log"`
	Workspace   string       `json:"workspace"`
	Path        string       `json:"path"`
	AgentIDs    []string     `json:"agentIds"`
	ContentType string       `json:"contentType" enum:"markdown,json"`
	Scope       memory.Scope `json:"scope,omitempty"`
	Version     int          `json:"version,omitempty"`
	Bytes       int          `json:"bytes,omitempty"`
	Href        string       `json:"href" doc:"Address of the artifact, for the same owner."`
}

// artifactsAnswer is an encoded answer: JSON, or lines of it.
type artifactsAnswer struct {
	ContentType string `header:"Content-Type"`
	Next        string `header:"X-Next-Cursor"`
	Body        []byte
}

func (s *Handlers) listArtifacts(ctx context.Context, in *artifactsInput) (*artifactsAnswer, error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	entries, err := s.Store.Documents(ctx, id, gate.DocumentFilter{})
	if err != nil {
		return nil, err
	}
	shown, next := artifactsPage(artifactsOf(id, entries), in.Cursor, in.Limit)
	out := &artifactsAnswer{ContentType: rest.LinesOfJSON, Next: next}
	if !strings.Contains(in.Accept, rest.LinesOfJSON) {
		out.ContentType = "application/json"
		out.Body, err = json.Marshal(rest.OK(rest.Page[artifactView]{Items: shown, Next: next}).Body)
		return out, err
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, one := range shown {
		if err := encoder.Encode(one); err != nil {
			return nil, err
		}
	}
	out.Body = lines.Bytes()
	return out, nil
}

// artifactsOf returns the artifacts among documents, and the journal, in their order.
func artifactsOf(id memory.Identity, entries []gate.DocumentEntry) []artifactView {
	base := "/api/v1/agents/" + id.Agent
	all := []artifactView{{
		Kind: artifactEvents, Workspace: id.Workspace, Path: eventLog, AgentIDs: []string{id.Agent}, ContentType: "json", Href: base + "/events",
	}}
	for _, e := range entries {
		if kind := artifactKind(e.Path); kind != "" {
			all = append(all, artifactView{
				Kind: kind, Workspace: id.Workspace, Path: e.Path, AgentIDs: []string{id.Agent}, ContentType: "markdown", Scope: e.Scope,
				Version: e.Version, Bytes: e.Bytes,
				Href: base + "/workspace/files/" + e.Path + "?scope=" + string(e.Scope),
			})
		}
	}
	slices.SortFunc(all, func(a, b artifactView) int { return cmp.Compare(a.key(), b.key()) })
	return all
}

// key orders artifacts of an agent: by path, kind and scope.
func (a artifactView) key() string { return a.Path + "\n" + a.Kind + "\n" + string(a.Scope) }

func artifactKind(path string) string {
	switch {
	case path == memory.MemoryPath:
		return artifactRoot
	case strings.HasPrefix(path, memory.DreamingFolder):
		return artifactReport
	case strings.HasPrefix(path, "memory/"):
		return artifactNote
	}
	return ""
}

// artifactsPage returns the part after a cursor: the key of the last one that was shown, encoded. Another one begins at the start.
func artifactsPage(all []artifactView, cursor string, limit int) (shown []artifactView, next string) {
	last, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		last = nil
	}
	from, found := slices.BinarySearchFunc(all, string(last), func(a artifactView, key string) int { return cmp.Compare(a.key(), key) })
	if found {
		from++
	}
	to := min(from+limit, len(all))
	if to < len(all) {
		next = base64.RawURLEncoding.EncodeToString([]byte(all[to-1].key()))
	}
	return all[from:to], next
}
