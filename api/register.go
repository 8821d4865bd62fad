package api

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"reverie/memory"
)

// route describes one operation.
type route struct {
	id      string // operationId
	method  string
	path    string
	tag     string // the resource
	summary string
	doc     string // more about it; may be empty
	// need is the least role; empty: no key is needed.
	need memory.Role
	// status of a success; 0: 200.
	status int
	// body is the longest body, in bytes; 0: there is none.
	body int64
	// asIs hands the body to the handler as it is (RawBody): nothing of it is checked before.
	asIs bool
	// rest names the parameter at the end of path that holds slashes.
	rest string
	// timeout is how long a request may take; 0: requestTimeout.
	timeout time.Duration
	// also are statuses of other successes, with the same body.
	also []int
	// errors are statuses besides those that every operation of its kind may answer.
	errors []int
	// invalid is the name of a request that cannot be used as it is; empty: invalid_request.
	invalid errorName
	// original is another path at which the operation is served and described: the one that the system it was taken from has.
	original string
	// produces is the media type of a success whose body the handler writes itself; empty: JSON.
	produces string
	// example is the body of a POST that the document shows; nil: none.
	example any
}

// roleExtension tells in the OpenAPI document which role an operation needs.
const roleExtension = "x-reverie-role"

// sameExtension names, in an operation at an original path, the operation that answers alike.
const sameExtension = "x-reverie-same-as"

// bearer names the security scheme.
const bearer = "key"

func (r route) operation() huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Tags: []string{r.tag}, Summary: r.summary, Description: r.doc,
		DefaultStatus: max(r.status, http.StatusOK),
		Metadata:      map[string]any{metaRole: r.need, metaRest: r.rest},
		Extensions:    map[string]any{},
		Errors:        r.errors,
		// One more than is allowed, since huma refuses a body that is as long as its limit.
		MaxBodyBytes: r.body + 1, BodyReadTimeout: bodyTimeout, SkipValidateBody: r.asIs,
	}
	if r.timeout > 0 {
		op.Metadata[metaTimeout] = r.timeout
	}
	if r.invalid != "" {
		op.Metadata[metaInvalid] = r.invalid
		op.Errors = append(op.Errors, r.invalid.status())
	}
	if r.need == "" {
		op.Extensions["security"] = []any{} // huma would leave an empty list out
	} else {
		op.Security = []map[string][]string{{bearer: {}}}
		op.Extensions[roleExtension] = string(r.need)
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if strings.Contains(r.path, "{") {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	if r.body > 0 {
		op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge)
	}
	return op
}

// metaRole is the key of an operation's metadata that holds its role.
const metaRole = "role"

// register adds an operation to the server, and again at its original path. Errors of the handler get their HTTP form here.
func register[In, Out any](s *kernel, r route, handle func(context.Context, *In) (*Out, error)) {
	registerAt(s, r, r.operation(), handle)
	if r.original != "" {
		op := r.operation()
		op.OperationID, op.Path = r.id+"-original", r.original
		op.Description = "The original path of " + r.id + " (" + r.path + "): both answer alike."
		op.Extensions[sameExtension] = r.id
		registerAt(s, r, op, handle)
	}
}

func registerAt[In, Out any](s *kernel, r route, op huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	op.Responses = map[string]*huma.Response{}
	huma.Register(s.api, op, func(ctx context.Context, in *In) (*Out, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		return out, nil
	})
	for _, status := range r.also {
		same := *op.Responses[strconv.Itoa(op.DefaultStatus)]
		same.Description = http.StatusText(status)
		if status == http.StatusNotModified {
			same.Content = nil
		}
		op.Responses[strconv.Itoa(status)] = &same
	}
	if r.produces != "" {
		op.Responses[strconv.Itoa(op.DefaultStatus)].Content = map[string]*huma.MediaType{r.produces: {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	if r.example != nil {
		s.api.OpenAPI().Paths[op.Path].Post.RequestBody.Content["application/json"].Example = r.example
	}
}

// rawHandler writes its answer by itself.
type rawHandler func(huma.Context, http.ResponseWriter, *http.Request)

// registerRaw adds an operation that writes its answer by itself, such as a page.
func registerRaw(s *kernel, r route, contentType string, handle rawHandler) {
	op := r.operation()
	op.Responses = map[string]*huma.Response{
		"200": {
			Description: r.summary,
			Content:     map[string]*huma.MediaType{contentType: {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
		"4XX": s.problemResponse("The request was refused."),
	}
	for _, name := range pathParameters(r.path) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	s.api.OpenAPI().AddOperation(&op)
	s.api.Adapter().Handle(&op, s.api.Middlewares().Handler(func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		handle(ctx, w, r)
	}))
}

// problemResponse describes an error.
func (s *kernel) problemResponse(description string) *huma.Response {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

// pathParameters are the names between braces.
func pathParameters(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if name, found := strings.CutPrefix(part, "{"); found {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}
