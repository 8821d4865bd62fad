package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// apiVersion is the version of what this server speaks, not of the program.
const apiVersion = "1.0.0"

const introduction = `Reverie is the long-term memory of AI agents. Conversations go in, a durable workflow keeps what is worth keeping,
and it lands in Markdown documents of which every change is a version that says who, why and from which messages.

Every answer is ` + "`{\"code\", \"msg\", \"data\"}`" + ` with the HTTP status as code; an error carries a stable ` + "`error`" +
	` name as well, and its msg says what to do.

Send a key as ` + "`Authorization: Bearer <key>`" +
	`. A viewer key reads; a member key also writes, and names whose memory a request is about
(owner, or channel and sender, or endUserId); an admin key manages agents and keys too. A key may be limited to agents, or pinned to one owner.`

// document returns the OpenAPI document without operations; registering an operation adds it.
func document() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Reverie", Version: apiVersion, Description: introduction,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/"}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					bearer: {Type: "http", Scheme: "bearer", Description: "A key of the workspace; POST /api/v1/keys makes one."},
				},
			},
			Tags: []*huma.Tag{
				{Name: "agents", Description: "Assistants with a memory."},
				{Name: "conversations", Description: "Conversations and their messages."},
				{Name: "chat", Description: "Turns with memory, and assembled contexts."},
				{Name: "extractions", Description: "Extraction of memory from conversations, with outcomes."},
				{Name: "files", Description: "Memory as Markdown documents with their history."},
				{Name: "snapshots", Description: "Export and import of documents as one archive."},
				{Name: "tools", Description: "Memory tools for models."},
				{Name: "recall", Description: "Search."},
				{Name: "dreams", Description: "Nightly consolidation of memory, its reports, and reverting it."},
				{Name: "facts", Description: "Single statements of documents, with trust."},
				{Name: "prompt", Description: "The system prompt of an agent."},
				{Name: "keys", Description: "API keys."},
				{Name: "operation", Description: "Status, metrics and documentation of the deployment."},
			},
		},
		Formats: map[string]huma.Format{
			"application/json": jsonFormat, "json": jsonFormat,
			// The default of curl -d. Bodies are JSON in any case.
			"application/x-www-form-urlencoded": jsonFormat,
		},
		DefaultFormat: "application/json",
		// A misspelt parameter is an error, as a misspelt field is: nobody finds out otherwise.
		RejectUnknownQueryParameters: true,
	}
}

// schemaName names a type for clients, who need not know how we build answers: AgentPageAnswer for
// Envelope[Page[agentView]].
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	suffix := ""
	if generic := t.Name(); strings.HasSuffix(generic, "]") {
		name = strings.TrimRight(generic[strings.LastIndex(generic, ".")+1:], "]")
		name = strings.ToUpper(name[:1]) + name[1:]
		if strings.Contains(generic, "Page[") {
			suffix = "Page"
		}
		if strings.HasPrefix(generic, "Envelope[") {
			suffix += "Answer"
		}
	}
	return strings.TrimSuffix(strings.Replace(name, "InputBody", "Body", 1), "View") + suffix
}

// FinishDocument completes the OpenAPI document after all operations are registered. It changes what is described, not what is accepted:
// huma
// validates with what it computed at registration.
func (s *Server) FinishDocument() {
	o := s.API.OpenAPI()
	openAnswers(o)
	for _, path := range o.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				finishSchema(p.Schema, false)
				p.Deprecated = p.Schema.Deprecated
			}
		}
	}
	for name, schema := range o.Components.Schemas.Map() {
		finishSchema(schema, strings.HasSuffix(name, "Body"))
	}
}

// finishSchema makes a schema valid OpenAPI: the words for a pattern, which are huma's own keyword, are moved to the description. In a
// request body defaults do as well: generators of clients take a property with a default for one that is always there.
func finishSchema(s *huma.Schema, sent bool) {
	if s == nil || s.Ref != "" {
		return
	}
	if words := s.PatternDescription; words != "" && !strings.Contains(s.Description, words) {
		s.Description = strings.TrimSpace(s.Description + " Format: " + words + ".")
	}
	s.PatternDescription = ""
	if sent && s.Default != nil {
		s.Description = strings.TrimSpace(fmt.Sprintf("%s Default: %v.", s.Description, s.Default))
		s.Default = nil
	}
	finishSchema(s.Items, sent)
	for _, property := range s.Properties {
		finishSchema(property, sent)
	}
}

// openAnswers lets answers have fields that are not described: we add fields, and no client may stumble over a new one.
// Schemas of request bodies stay closed, so that a misspelt field is an error.
func openAnswers(o *huma.OpenAPI) {
	sent := map[string]bool{}
	var visit func(*huma.Schema)
	visit = func(s *huma.Schema) {
		if s == nil || sent[s.Ref] {
			return
		}
		if s.Ref != "" {
			sent[s.Ref] = true
			s = o.Components.Schemas.SchemaFromRef(s.Ref)
		}
		visit(s.Items)
		for _, property := range s.Properties {
			visit(property)
		}
	}
	for _, path := range o.Paths {
		for _, op := range []*huma.Operation{path.Post, path.Put, path.Patch} {
			if op == nil || op.RequestBody == nil {
				continue
			}
			if body := op.RequestBody.Content["application/json"]; body != nil { // others take files
				visit(body.Schema)
			}
		}
	}
	for name, schema := range o.Components.Schemas.Map() {
		if !sent["#/components/schemas/"+name] {
			schema.AdditionalProperties = nil
		}
	}
}

// jsonFormat reads and writes JSON. It rejects invalid UTF-8, which encoding/json would replace silently, so that the
// stored text equals the text sent.
var jsonFormat = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		if !utf8.Valid(data) {
			return errors.New("it is not valid UTF-8")
		}
		return json.Unmarshal(data, v)
	},
}
