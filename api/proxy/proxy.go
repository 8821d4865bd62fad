// Package proxy serves OpenAI's chat-completions protocol: a client that changes its base URL gets the configured model with the memory of an
// agent. The model of a request is the agent, its user is the owner of the memory. Requests and answers pass through as they are; what memory
// adds is put into the request, and the messages are stored like those of every conversation.
package proxy

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"reverie/api/fault"
	"reverie/api/proxy/completion"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/memory"
)

// Paths of the protocol.
const (
	prefix          = "/v1/"
	CompletionsPath = prefix + "chat/completions"
	ModelsPath      = prefix + "models"
)

// Headers of requests and answers.
const (
	conversationHeader = "X-Reverie-Conversation" // of both: the conversation's id
	includeHeader      = "X-Reverie-Include"      // of requests: memory puts what was added into the body of the answer
	memoryHeader       = "X-Reverie-Memory"       // of answers: how much memory was added
)

// maxElements bounds the messages of a request, and the elements of its other lists.
const maxElements = 10_000

// handlers serve the protocol.
type handlers struct {
	*rest.Server
	turns *chat.Service
}

// Register adds the operations. turns answers without a model, and holds the model otherwise.
func Register(k *rest.Server, turns *chat.Service) {
	p := &handlers{k, turns}
	k.FormatErrors(prefix, func(problem *fault.Problem) any { return wireFault(problem) })
	rest.RegisterRaw(k, rest.Route{
		ID: "create-chat-completion", Method: http.MethodPost, Path: CompletionsPath, Tag: "chat", Need: memory.RoleMember, Act: rest.Changes,
		Summary: "Complete a chat, for OpenAI's clients", Body: rest.MaxBodyBytes, Elements: maxElements, Timeout: rest.FollowTime,
		Doc: "OpenAI's chat-completions protocol, with errors in its form. model is an agent (ada), or an agent and a model of the provider " +
			"(ada/gpt-4o); user is whose memory it is: an owner key such as user:7, or the id of an end user. The request is passed on to the " +
			"configured model with the agent's documents and what memory recalls; what is new of the conversation is stored and extracted. " +
			"Without a configured model, the answer is what memory holds.",
	}, "application/json", p.complete)
	rest.RegisterRaw(k, rest.Route{
		ID: "list-models", Method: http.MethodGet, Path: ModelsPath, Tag: "chat", Need: memory.RoleViewer,
		Summary: "List the agents that the key may use, for OpenAI's clients", Doc: "OpenAI's list of models: each agent is one.",
	}, "application/json", p.models)
	p.describe()
}

// describe completes the OpenAPI document: headers, and errors in the protocol's form.
func (p *handlers) describe() {
	document := p.API.OpenAPI()
	refused := &huma.Response{Description: "The request was refused.", Content: map[string]*huma.MediaType{
		"application/json": {Schema: document.Components.Schemas.Schema(reflect.TypeFor[completion.Fault](), true, "")},
	}}
	create := document.Paths[CompletionsPath].Post
	most := memory.MaxConversation
	create.Parameters = append(create.Parameters,
		&huma.Param{
			Name: conversationHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most},
			Description: "The client's id of the conversation; missing: derived from the messages.",
		},
		&huma.Param{
			Name: includeHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{includeMemory}},
			Description: "memory: the answer, or the first event of a stream, has a field reverie with what memory added.",
		},
	)
	for _, op := range []*huma.Operation{create, document.Paths[ModelsPath].Get} {
		op.Responses["4XX"] = refused
	}
}

// models lists the agents.
func (p *handlers) models(hc huma.Context, w http.ResponseWriter, _ *http.Request) {
	agents, err := p.Agents(hc.Context())
	if err != nil {
		p.Refuse(hc, err)
		return
	}
	list := completion.NewModels()
	for _, a := range agents {
		list.Add(a.ID, a.CreatedAt)
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(list); err != nil {
		p.Log.DebugContext(hc.Context(), "The client did not take the answer", "error", err)
	}
}

// shownAgents bounds the agents that an error lists.
const shownAgents = 20

// noSuchModel returns the error of a model that is not an agent of the caller's.
func (p *handlers) noSuchModel(ctx context.Context, model string) error {
	agents, err := p.Agents(ctx)
	if err != nil {
		return err
	}
	names := make([]string, 0, shownAgents)
	for _, a := range agents[:min(len(agents), shownAgents)] {
		names = append(names, a.ID)
	}
	if len(names) == 0 {
		return fault.New(fault.NotFound, "No agent %.80q, and none that this key may use: create one (POST /api/v1/agents)", model)
	}
	return fault.New(fault.NotFound, "No agent %.80q for this key: the model is an agent (%s), or an agent and a model of the provider, such as "+
		"%s/gpt-4o", model, strings.Join(names, ", "), names[0])
}
