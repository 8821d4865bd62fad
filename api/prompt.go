package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"reverie/memory"
	"reverie/store"
)

func (s *fileRoom) promptRoutes() {
	register(s.kernel, route{
		id: "system-prompt", method: http.MethodGet, path: "/api/v1/agents/{agent}/system-prompt", tag: "prompt", need: memory.RoleViewer,
		summary: "Render the system prompt",
		doc:     "The enabled documents that the owner sees, in order: shared ones first, the owner's own as a block after them.",
	}, s.systemPrompt)
	register(s.kernel, route{
		id: "list-prompt-files", method: http.MethodGet, path: workspacePath + "/prompt-files", tag: "prompt", need: memory.RoleViewer,
		summary: "List the documents of the system prompt, in order",
	}, s.listPromptFiles)
	register(s.kernel, route{
		id: "set-prompt-files", method: http.MethodPut, path: workspacePath + "/prompt-files", tag: "prompt", need: memory.RoleMember,
		summary: "Choose the documents of the system prompt", body: maxSmallBody,
		doc: "Of one scope: the named ones are enabled in this order, all others of the scope are disabled.",
	}, s.setPromptFiles)
	register(s.kernel, route{
		id: "set-prompt-file", method: http.MethodPatch, path: workspacePath + "/files/{path}", rest: "path", tag: "prompt", need: memory.RoleMember,
		summary: "Enable or disable a document in the system prompt, or move it", body: maxSmallBody, doc: "Makes no new version.",
	}, s.setPromptFile)
}

type promptView struct {
	Prompt    string      `json:"prompt" doc:"Empty when no document is enabled."`
	Tokens    int         `json:"tokens" doc:"Estimate."`
	Documents []FileEntry `json:"documents" doc:"What it was made of, in order."`
}

type promptInput struct {
	AgentParam
	PersonParams
}

func (s *fileRoom) systemPrompt(ctx context.Context, in *promptInput) (*reply[promptView], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	documents, err := s.Store.PromptDocuments(ctx, id)
	if err != nil {
		return nil, err
	}
	text := memory.SystemPrompt(documents)
	return ok(promptView{Prompt: text, Tokens: memory.EstimateTokens(text), Documents: views(documents, viewDocument)}), nil
}

func viewDocument(d memory.Document) FileEntry { return viewEntry(d, d.Size()) }

func (s *fileRoom) listPromptFiles(ctx context.Context, in *promptInput) (*reply[page[FileEntry]], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	documents, err := s.Store.PromptDocuments(ctx, id)
	if err != nil {
		return nil, err
	}
	return ok(page[FileEntry]{Items: views(documents, viewDocument)}), nil
}

type promptFilesInput struct {
	AgentParam
	PersonParams
	ScopeParam
	Body struct {
		Files []string `json:"files" maxItems:"200" maxLength:"255" nullable:"false" uniqueItems:"true" doc:"Paths, in the order in which they are rendered." example:"[\"AGENTS.md\",\"SOUL.md\"]"`
	}
}

func (s *fileRoom) setPromptFiles(ctx context.Context, in *promptFilesInput) (*reply[page[FileEntry]], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	scope, err := writeScope(id, in.Scope)
	if err != nil {
		return nil, err
	}
	places, err := s.promptPlaces(ctx, id, scope, in.Body.Files)
	if err != nil {
		return nil, err
	}
	out := page[FileEntry]{Items: []FileEntry{}}
	for _, place := range places {
		d, err := s.Store.SetPrompt(ctx, id, memory.Ref{Scope: scope, Path: place.path}, &place.enabled, place.order)
		if err != nil {
			return nil, err
		}
		if place.enabled {
			out.Items = append(out.Items, viewDocument(d))
		}
	}
	return ok(out), nil
}

// promptPlace is what is to become of one document: its place, or none.
type promptPlace struct {
	path    string
	enabled bool
	order   *int
}

// promptPlaces says what has to change so that exactly files are enabled, in their order. All of them must exist.
func (s *fileRoom) promptPlaces(ctx context.Context, id memory.Identity, scope memory.Scope, files []string) ([]promptPlace, error) {
	listed, err := s.Store.Documents(ctx, id, store.DocumentFilter{Scope: scope})
	if err != nil {
		return nil, err
	}
	enabled := map[string]bool{}
	for _, d := range listed {
		enabled[d.Path] = d.Enabled
	}
	var places []promptPlace
	var missing []fault
	for i, name := range files {
		path, err := memory.ParsePath(name)
		_, exists := enabled[path]
		switch location := fmt.Sprintf("body.files[%d]", i); {
		case err != nil:
			missing = append(missing, fault{location, err.Error()})
		case !exists:
			missing = append(missing, fault{location, fmt.Sprintf("there is no %s document %s", scope, path)})
		}
		places = append(places, promptPlace{path, true, &i})
		delete(enabled, path)
	}
	if len(missing) > 0 {
		return nil, invalid(missing...)
	}
	for _, path := range slices.Sorted(maps.Keys(enabled)) {
		if enabled[path] {
			places = append(places, promptPlace{path, false, nil})
		}
	}
	return places, nil
}

type promptFileInput struct {
	AgentParam
	PathParam
	PersonParams
	ScopeParam
	Body struct {
		Enabled   *bool `json:"enabled,omitempty"`
		SortOrder *int  `json:"sortOrder,omitempty" minimum:"-1000000" maximum:"1000000"`
	}
}

func (s *fileRoom) setPromptFile(ctx context.Context, in *promptFileInput) (*reply[FileEntry], error) {
	path, err := in.clean()
	if err != nil {
		return nil, err
	}
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	scope, err := writeScope(id, in.Scope)
	if err != nil {
		return nil, err
	}
	d, err := s.Store.SetPrompt(ctx, id, memory.Ref{Scope: scope, Path: path}, in.Body.Enabled, in.Body.SortOrder)
	if errors.Is(err, store.ErrNotFound) {
		err = noSuchDocument(path, scope)
	}
	if err != nil {
		return nil, err
	}
	return ok(viewDocument(d)), nil
}
