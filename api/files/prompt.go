package files

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/facts"
	"reverie/memory"
	"reverie/memory/tokencount"
	"reverie/store"
	"reverie/store/gate"
	"reverie/window"
)

func (s *Handlers) promptRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "system-prompt", Method: http.MethodGet, Path: "/api/v1/agents/{agent}/system-prompt", Tag: "prompt", Need: memory.RoleViewer,
		Summary: "Render the system prompt",
		Doc: "The enabled documents that the owner sees, in order: shared ones first, the owner's own as a block after them. With asOf, " +
			"as they were at that time; which are enabled, and their order, are those of now.",
	}, s.systemPrompt)
	rest.Register(s.Server, rest.Route{
		ID: "list-prompt-files", Method: http.MethodGet, Path: rest.WorkspacePath + "/prompt-files", Tag: "prompt", Need: memory.RoleViewer,
		Summary: "List the documents of the system prompt, in order",
	}, s.listPromptFiles)
	rest.Register(s.Server, rest.Route{
		ID: "set-prompt-files", Method: http.MethodPut, Path: rest.WorkspacePath + "/prompt-files", Tag: "prompt", Need: memory.RoleMember,
		Summary: "Choose the documents of the system prompt", Body: rest.MaxSmallBody,
		Doc: "Enables the named documents of one scope in this order, and disables all others of the scope.",
	}, s.setPromptFiles)
	rest.Register(s.Server, rest.Route{
		ID: "set-prompt-file", Method: http.MethodPatch, Path: rest.WorkspacePath + "/files/{path}", Rest: "path", Tag: "prompt",
		Need:    memory.RoleMember,
		Summary: "Enable or disable a document in the system prompt, or move it", Body: rest.MaxSmallBody, Doc: "Makes no new version of the document.",
	}, s.setPromptFile)
}

type promptView struct {
	Prompt    string      `json:"prompt" doc:"Empty when no document is enabled."`
	Tokens    int         `json:"tokens" doc:"Estimated number of tokens."`
	Documents []FileEntry `json:"documents" doc:"What it was made of, in order."`
}

type listPromptFilesInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ListParams
}

type systemPromptInput struct {
	rest.AgentParam
	rest.PersonParams
	AsOfParam
}

func (s *Handlers) systemPrompt(ctx context.Context, in *systemPromptInput) (*rest.Reply[promptView], error) {
	id, agent, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	at, err := in.Time(agent, s.Now())
	if err != nil {
		return nil, err
	}
	documents, err := s.Store.PromptDocuments(ctx, id, at)
	if err != nil {
		return nil, err
	}
	text := memory.SystemPrompt(documents)
	if at.IsZero() {
		disagreements, err := s.Store.Disagreements(ctx, id, text)
		if err != nil {
			return nil, err
		}
		text += facts.Warning(disagreements, window.Escape)
	}
	return rest.OK(promptView{Prompt: text, Tokens: tokencount.Estimate(text), Documents: rest.Views(documents, viewDocument)}), nil
}

func viewDocument(d memory.Document) FileEntry { return ViewEntry(d, d.Size()) }

func (s *Handlers) listPromptFiles(ctx context.Context, in *listPromptFilesInput) (*rest.Reply[rest.Page[FileEntry]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	documents, err := s.Store.PromptDocuments(ctx, id, time.Time{})
	if err != nil {
		return nil, err
	}
	return rest.Part(documents, in.ListParams, viewDocument)
}

type promptFilesInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.ScopeParam
	Body struct {
		Files []string `json:"files" maxItems:"200" maxLength:"255" nullable:"false" doc:"Paths, each once, in the order in which they are rendered." example:"[\"AGENTS.md\",\"SOUL.md\"]"`
	}
}

func (s *Handlers) setPromptFiles(ctx context.Context, in *promptFilesInput) (*rest.Reply[rest.Page[FileEntry]], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	scope, err := writeScope(id, in.Scope)
	if err != nil {
		return nil, err
	}
	documents, err := s.SetPromptFiles(ctx, id, scope, in.Body.Files)
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[FileEntry]{Items: rest.Views(documents, viewDocument)}), nil
}

// SetPromptFiles enables the named documents of a scope in this order, and disables all others of the scope. It returns the enabled ones.
func (s *Handlers) SetPromptFiles(ctx context.Context, id memory.Identity, scope memory.Scope, files []string) ([]memory.Document, error) {
	places, err := s.promptPlaces(ctx, id, scope, files)
	if err != nil {
		return nil, err
	}
	var enabled []memory.Document
	for _, place := range places {
		d, err := s.Store.SetPrompt(ctx, id, memory.Ref{Scope: scope, Path: place.path}, &place.enabled, place.order)
		if err != nil {
			return nil, err
		}
		if place.enabled {
			enabled = append(enabled, d)
		}
	}
	return enabled, nil
}

// promptPlace is the new place of one document, or none.
type promptPlace struct {
	path    string
	enabled bool
	order   *int
}

// promptPlaces returns the changes that enable exactly files, in their order. All of them must exist.
func (s *Handlers) promptPlaces(ctx context.Context, id memory.Identity, scope memory.Scope, files []string) ([]promptPlace, error) {
	listed, err := s.Store.Documents(ctx, id, gate.DocumentFilter{Scope: scope})
	if err != nil {
		return nil, err
	}
	enabled := map[string]bool{}
	for _, d := range listed {
		enabled[d.Path] = d.Enabled
	}
	var places []promptPlace
	named := map[string]bool{}
	var missing []fault.Fault
	for i, name := range files {
		path, err := memory.ParsePath(name)
		_, exists := enabled[path]
		switch location := fmt.Sprintf("body.files[%d]", i); {
		case err != nil:
			missing = append(missing, fault.Fault{Location: location, Message: err.Error()})
		case named[path]:
			missing = append(missing, fault.Fault{Location: location, Message: "it is listed twice"})
		case !exists:
			missing = append(missing, fault.Fault{Location: location, Message: fmt.Sprintf("there is no %s document %s", scope, path)})
		}
		places = append(places, promptPlace{path, true, &i})
		named[path] = true
		delete(enabled, path)
	}
	if len(missing) > 0 {
		return nil, fault.Invalid(missing...)
	}
	for _, path := range slices.Sorted(maps.Keys(enabled)) {
		if enabled[path] {
			places = append(places, promptPlace{path, false, nil})
		}
	}
	return places, nil
}

type promptFileInput struct {
	rest.AgentParam
	PathParam
	rest.PersonParams
	rest.ScopeParam
	Body struct {
		Enabled   *bool `json:"enabled,omitempty"`
		SortOrder *int  `json:"sortOrder,omitempty" minimum:"-1000000" maximum:"1000000"`
	}
}

func (s *Handlers) setPromptFile(ctx context.Context, in *promptFileInput) (*rest.Reply[FileEntry], error) {
	path, err := in.clean()
	if err != nil {
		return nil, err
	}
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	scope, err := writeScope(id, in.Scope)
	if err != nil {
		return nil, err
	}
	d, err := s.Store.SetPrompt(ctx, id, memory.Ref{Scope: scope, Path: path}, in.Body.Enabled, in.Body.SortOrder)
	if errors.Is(err, store.ErrNotFound) {
		err = rest.NoSuchDocument(path, scope)
	}
	if err != nil {
		return nil, err
	}
	return rest.OK(viewDocument(d)), nil
}
