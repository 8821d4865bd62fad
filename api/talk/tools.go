package talk

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/toolbox"
)

const toolsPath = "/api/v1/agents/{agent}/tools"

func (s *Handlers) toolRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-tools", Method: http.MethodGet, Path: toolsPath, Tag: "tools", Need: memory.RoleViewer,
		Summary: "List the memory tools for models",
		Doc: "Returns names, descriptions and JSON schemas of the arguments, the same for every agent. Give them to any model, and run its " +
			"calls with call-tool.",
	}, s.listTools)
	const path = toolsPath + "/{tool}"
	rest.Register(s.Server, rest.Route{
		ID: "call-tool", Method: http.MethodPost, Act: rest.Changes, Path: path, Tag: "tools", Need: memory.RoleViewer,
		Summary: "Call a memory tool", Body: rest.MaxDocumentBody, AsIs: true,
		Doc: "The body is what the model wrote as arguments, unchanged. Whose memory it is comes from the key and the query, never from the " +
			"arguments. Whatever a model should read is 200: a wrong argument, a refusal and a conflict have isError and say in result what to " +
			"do. Tools that write need a member key and an owner; with an Idempotency-Key, the same call writes once.",
	}, s.callTool)
	describeArguments(s.API.OpenAPI().Paths[path].Post.RequestBody)
}

// describeArguments describes the body of a call, which huma takes unchecked.
func describeArguments(body *huma.RequestBody) {
	body.Required = false
	body.Content["application/json"].Schema = &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The arguments, as list-tools describes them; leave them out for none.",
		Examples:    []any{map[string]any{"filename": memory.MemoryPath}},
	}
}

type toolsInput struct {
	rest.AgentParam
	rest.ListParams
}

// toolView is a tool as a model is given it.
type toolView struct {
	Name        string     `json:"name" example:"memory_search"`
	Description string     `json:"description" doc:"For the model."`
	Parameters  openObject `json:"parameters" doc:"JSON schema of the arguments."`
	Writes      bool       `json:"writes" doc:"It changes memory, and needs a member key and an owner."`
}

// openObject is a JSON object that is passed through.
type openObject json.RawMessage

// MarshalJSON passes it on.
func (o openObject) MarshalJSON() ([]byte, error) { return o, nil }

// Schema describes it to clients.
func (openObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (s *Handlers) listTools(ctx context.Context, in *toolsInput) (*rest.Reply[rest.Page[toolView]], error) {
	if _, _, err := s.Enter(ctx, in.Agent, rest.Person{}); err != nil {
		return nil, err
	}
	return rest.Part(toolbox.Definitions(), in.ListParams, func(d toolbox.Definition) toolView {
		return toolView{d.Name, d.Description, openObject(d.Parameters), d.Writes}
	})
}

type callToolInput struct {
	rest.AgentParam
	Tool string `path:"tool" maxLength:"200" doc:"Name of the tool." example:"read_workspace_memory_file"`
	rest.PersonParams
	rest.SpeakerParam
	rest.RequestKeyParam
	RawBody []byte `contentType:"application/json" required:"false"`
}

// calledView is the answer of a tool.
type calledView struct {
	Result  openObject   `json:"result" doc:"For the model, as it is; what it has depends on the tool."`
	IsError bool         `json:"isError" doc:"The call was not carried out as requested; result explains the next step."`
	Written *writtenView `json:"written,omitempty" doc:"Receipt of a write."`
}

func (s *Handlers) callTool(ctx context.Context, in *callToolInput) (*rest.Reply[calledView], error) {
	tool, _ := toolbox.DefinitionOf(in.Tool)
	if err := rest.MayCall(ctx, tool); err != nil {
		return nil, err
	}
	enter := s.Enter
	if tool.Writes {
		enter = s.NeedOwner
	}
	id, agent, err := enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	speaker, err := rest.SpeakerOf(in.Speaker, "query.speaker")
	if err != nil {
		return nil, err
	}
	result, err := s.CallTool(ctx, toolbox.Caller{
		Identity: id, Agent: agent, Speaker: speaker,
		Key: rest.RequestLedgerKey(ctx, in.IdempotencyKey, "tool", id.Agent, string(id.Owner), tool.Name),
	}, in.Tool, in.RawBody)
	if err != nil {
		return nil, err
	}
	view := calledView{Result: openObject(result.Content), IsError: result.IsError}
	if result.Written != nil {
		written := viewWritten(*result.Written)
		view.Written = &written
	}
	return rest.OK(view), nil
}

func (s *Handlers) rememberRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "remember", Method: http.MethodPost, Path: "/api/v1/agents/{agent}/remember", Tag: "chat", Need: memory.RoleMember,
		Act: rest.Changes, Summary: "Remember a statement", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Saves a statement at once and without a model, as the person's own words, under \"## Remembered\" of the owner's MEMORY.md (the shared " +
			"one where owners are not kept apart). What is known already is recognised; a statement that says otherwise takes the place of the " +
			"old line, whose version stays in the history.",
	}, s.remember)
	s.forgetRoutes()
}

type rememberInput struct {
	rest.AgentParam
	rest.RequestKeyParam
	Body struct {
		rest.PersonBody
		Speaker string `json:"speaker,omitempty" maxLength:"128" doc:"Who speaks, where the owner is a group: it is kept in the section of that person, and corrects what they said only." example:"feishu:ou_1"`
		Text    string `json:"text" minLength:"1" maxLength:"4096" pattern:"\\S" patternDescription:"not blank" doc:"What to remember, as a statement or as a request to remember it." example:"My flight is on Friday at 8."`
	}
}

// rememberedView is the result of a request to remember.
type rememberedView struct {
	Kind    string      `json:"kind" enum:"saved,known,corrected,unclear,held,noted" doc:"held: it instructs the assistant and waits for a person; noted: it may instruct the assistant, and is only in the note at path; known: memory has the statement already; corrected: it replaced a contradicting line; unclear: the text contains no statement to keep."`
	Line    string      `json:"line,omitempty" doc:"The line in the document."`
	Old     string      `json:"old,omitempty" doc:"The line replaced by a correction; it remains in the history."`
	Path    string      `json:"path,omitempty"`
	Receipt writtenView `json:"receipt" doc:"Receipt of the write, or of the earlier write of the same statement."`
}

func viewRemembered(v toolbox.Saved) rememberedView {
	return rememberedView{v.Kind, v.Line, v.Old, v.Path, viewWritten(v.Receipt)}
}

// writtenView is the receipt of a write that may have changed nothing.
type writtenView struct {
	memory.Receipt
	Replayed bool `json:"replayed" doc:"The write was made before; nothing was written."`
}

func viewWritten(r memory.Receipt) writtenView {
	if r.Changes == nil {
		r.Changes = []memory.ChangeReceipt{}
	}
	return writtenView{r, r.Replayed}
}

func (s *Handlers) remember(ctx context.Context, in *rememberInput) (*rest.Reply[rememberedView], error) {
	id, agent, err := s.NeedOwner(ctx, in.Agent, in.Body.Person())
	if err != nil {
		return nil, err
	}
	speaker, err := rest.SpeakerOf(in.Body.Speaker, "body.speaker")
	if err != nil {
		return nil, err
	}
	key := rest.RequestLedgerKey(ctx, in.IdempotencyKey, "remember", id.Agent, string(id.Owner), in.Body.Text)
	saved, err := s.Tools.Remember(ctx, toolbox.Caller{Identity: id, Agent: agent, Key: key, Speaker: speaker}, in.Body.Text)
	if err != nil {
		return nil, err
	}
	s.Written(id, saved.Receipt)
	return rest.OK(viewRemembered(saved)), nil
}
