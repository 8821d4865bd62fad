package talk

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/toolbox"
)

const toolsPath = "/api/v1/agents/{agent}/tools"

func (s *talkRoom) toolRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-tools", Method: http.MethodGet, Path: toolsPath, Tag: "tools", Need: memory.RoleViewer,
		Summary: "List the memory tools that a model can be given",
		Doc:     "Names, descriptions and JSON schemas of their arguments, the same for every agent. Give them to the model of your choice, and run what it calls with call-tool.",
	}, s.listTools)
	const path = toolsPath + "/{tool}"
	rest.Register(s.Server, rest.Route{
		ID: "call-tool", Method: http.MethodPost, Path: path, Tag: "tools", Need: memory.RoleViewer,
		Summary: "Run a memory tool as a model called it", Body: rest.MaxDocumentBody, AsIs: true,
		Doc: "The body is what the model wrote as arguments, unchanged. Whose memory it is comes from the key and the query, never from the arguments. " +
			"Whatever a model should read is 200: a wrong argument, a refusal and a conflict have isError and say in result what to do. " +
			"Tools that write need a member key and an owner; with an Idempotency-Key, the same call writes once.",
	}, s.callTool)
	describeArguments(s.API.OpenAPI().Paths[path].Post.RequestBody)
}

// describeArguments says what the body of a call is: huma knows only that it is taken as it is.
func describeArguments(body *huma.RequestBody) {
	body.Required = false
	body.Content["application/json"].Schema = &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The arguments, as list-tools describes them; nothing stands for none.",
		Examples:    []any{map[string]any{"filename": memory.MemoryPath}},
	}
}

type toolsInput struct {
	rest.AgentParam
}

// toolView is a tool as a model is given it.
type toolView struct {
	Name        string     `json:"name" example:"memory_search"`
	Description string     `json:"description" doc:"For the model."`
	Parameters  openObject `json:"parameters" doc:"JSON schema of the arguments."`
	Writes      bool       `json:"writes" doc:"It changes memory, and needs a member key and an owner."`
}

// openObject is a JSON object that is passed on as it is.
type openObject json.RawMessage

// MarshalJSON passes it on.
func (o openObject) MarshalJSON() ([]byte, error) { return o, nil }

// Schema describes it to clients.
func (openObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (s *talkRoom) listTools(ctx context.Context, in *toolsInput) (*rest.Reply[rest.Page[toolView]], error) {
	if _, _, err := s.Enter(ctx, in.Agent, rest.Person{}); err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[toolView]{Items: rest.Views(toolbox.Definitions(), func(d toolbox.Definition) toolView {
		return toolView{d.Name, d.Description, openObject(d.Parameters), d.Writes}
	})}), nil
}

type callToolInput struct {
	rest.AgentParam
	Tool string `path:"tool" maxLength:"200" doc:"Name of the tool." example:"read_workspace_memory_file"`
	rest.PersonParams
	rest.SpeakerParam
	rest.RequestKeyParam
	RawBody []byte `contentType:"application/json" required:"false"`
}

// calledView is what a tool answered.
type calledView struct {
	Result  openObject   `json:"result" doc:"For the model, as it is; what it has depends on the tool."`
	IsError bool         `json:"isError" doc:"The call was not done as it was made, and result says what to do."`
	Written *writtenView `json:"written,omitempty" doc:"Receipt of a write."`
}

func (s *talkRoom) callTool(ctx context.Context, in *callToolInput) (*rest.Reply[calledView], error) {
	tool, known := toolbox.DefinitionOf(in.Tool)
	enter := s.Enter
	if tool.Writes {
		if !rest.CallerOf(ctx).Role.Includes(memory.RoleMember) {
			return nil, fault.New(fault.Forbidden, "%s writes: it needs a member key", tool.Name)
		}
		enter = s.NeedOwner
	}
	id, agent, err := enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, fault.New(fault.NotFound, "there is no such tool: GET /api/v1/agents/%s/tools lists them", in.Agent)
	}
	speaker, err := rest.SpeakerOf(in.Speaker, "query.speaker")
	if err != nil {
		return nil, err
	}
	result, err := s.turns.Tools.Call(ctx, toolbox.Caller{
		Identity: id, Agent: agent, Speaker: speaker, Key: rest.RequestLedgerKey(ctx, in.IdempotencyKey, "tool", id.Agent, string(id.Owner), tool.Name),
	}, tool.Name, in.RawBody)
	if err != nil {
		return nil, err
	}
	view := calledView{Result: openObject(result.Content), IsError: result.IsError}
	if result.Written != nil {
		s.changed(id, *result.Written)
		written := viewWritten(*result.Written)
		view.Written = &written
	}
	return rest.OK(view), nil
}
