package rest

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"reverie/api/fault"
	"reverie/memory"
)

// Route describes one operation.
type Route struct {
	ID      string // operationId
	Method  string
	Path    string
	Tag     string // the resource
	Summary string
	Doc     string // more about it; may be empty
	// need is the least role; empty: no key is needed.
	Need memory.Role
	// Act says whether a POST reads or changes, for the audit log; other methods imply it.
	Act Act
	// status of a success; 0: 200.
	Status int
	// body is the longest body, in bytes; 0: there is none.
	Body int64
	// Elements bounds an array or object in the body of an operation that writes its answer itself; 0: 1,000.
	Elements int
	// AsIs passes the body to the handler unchecked (RawBody), but for the number of its values.
	AsIs bool
	// rest names the parameter at the end of path that holds slashes.
	Rest string
	// timeout limits the duration of a request; 0: RequestTimeout.
	Timeout time.Duration
	// also are statuses of other successes, with the same body.
	Also []int
	// errors are statuses besides those that every operation of its kind may answer.
	Errors []int
	// invalid names the error of a request with faults; empty: invalid_request.
	Invalid fault.Name
	// original is another path at which the operation is served and described: the one that the system it was taken from has.
	Original string
	// produces is the media type of a success whose body the handler writes itself; empty: JSON.
	Produces string
	// example is the body of a POST that the document shows; nil: none.
	Example any
}

// roleExtension names the role that an operation needs in the OpenAPI document.
const roleExtension = "x-reverie-role"

// sameExtension names, in an operation at an original path, the operation that answers alike.
const sameExtension = "x-reverie-same-as"

// bearer names the security scheme.
const bearer = "key"

func (r Route) operation() huma.Operation {
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Tags: []string{r.Tag}, Summary: r.Summary, Description: r.Doc,
		DefaultStatus: max(r.Status, http.StatusOK),
		Metadata:      map[string]any{metaRole: r.Need, metaRest: r.Rest, metaAct: r.act()},
		Extensions:    map[string]any{},
		Errors:        r.Errors,
		// One more than is allowed, since huma refuses a body that is as long as its limit.
		MaxBodyBytes: r.Body + 1, BodyReadTimeout: bodyTimeout, SkipValidateBody: r.AsIs,
	}
	if r.Timeout > 0 {
		op.Metadata[metaTimeout] = r.Timeout
	}
	if r.Invalid != "" {
		op.Metadata[fault.MetaInvalid] = r.Invalid
		op.Errors = append(op.Errors, r.Invalid.Status())
	}
	if r.Need == "" {
		op.Extensions["security"] = []any{} // huma would leave an empty list out
	} else {
		op.Security = []map[string][]string{{bearer: {}}}
		op.Extensions[roleExtension] = string(r.Need)
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if strings.Contains(r.Path, "{") {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	if r.Body > 0 {
		op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge)
	}
	return op
}

// metaRole is the key of an operation's metadata that holds its role.
const metaRole = "role"

// Register adds an operation to the server, and again at its original path. Errors of the handler get their HTTP form here.
func Register[In, Out any](s *Server, r Route, handle func(context.Context, *In) (*Out, error)) {
	registerAt(s, r, r.operation(), handle)
	if r.Original != "" {
		op := r.operation()
		op.OperationID, op.Path = r.ID+"-original", r.Original
		op.Description = "The original path of " + r.ID + " (" + r.Path + "): both answer alike."
		op.Extensions[sameExtension] = r.ID
		registerAt(s, r, op, handle)
	}
}

func registerAt[In, Out any](s *Server, r Route, op huma.Operation, handle func(context.Context, *In) (*Out, error)) {
	op.Responses = map[string]*huma.Response{}
	huma.Register(s.API, op, func(ctx context.Context, in *In) (*Out, error) {
		if found := unstorable(in); len(found) > 0 {
			return nil, fault.Invalid(found...).Named(r.Invalid)
		}
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.Explain(ctx, err)
		}
		return out, nil
	})
	op.Metadata[metaNoBody] = true
	if body := requestBody(s.API.OpenAPI().Paths[op.Path], op.Method); body != nil {
		op.Metadata[metaElements] = maxElements(s.API.OpenAPI().Components.Schemas, body.Schema)
	}
	for _, status := range r.Also {
		same := *op.Responses[strconv.Itoa(op.DefaultStatus)]
		same.Description = http.StatusText(status)
		if status == http.StatusNotModified {
			same.Content = nil
		}
		op.Responses[strconv.Itoa(status)] = &same
	}
	if r.Produces != "" {
		op.Responses[strconv.Itoa(op.DefaultStatus)].Content = map[string]*huma.MediaType{
			r.Produces: {Schema: &huma.Schema{Type: huma.TypeString}},
		}
	}
	if r.Example != nil {
		s.API.OpenAPI().Paths[op.Path].Post.RequestBody.Content["application/json"].Example = r.Example
	}
}

// requestBody returns the JSON body of the operation with a method; nil: it has none.
func requestBody(item *huma.PathItem, method string) *huma.MediaType {
	op := map[string]*huma.Operation{http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch}[method]
	if op == nil || op.RequestBody == nil {
		return nil
	}
	return op.RequestBody.Content["application/json"]
}

// RawHandler writes its answer itself.
type RawHandler func(huma.Context, http.ResponseWriter, *http.Request)

// RegisterRaw adds an operation that writes its answer itself, such as a page. Of a body, a JSON object, it bounds values and depth;
// the handler bounds the length.
func RegisterRaw(s *Server, r Route, contentType string, handle RawHandler) {
	op := r.operation()
	op.Responses = map[string]*huma.Response{
		"200": {
			Description: r.Summary,
			Content:     map[string]*huma.MediaType{contentType: {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
		"4XX": s.problemResponse("The request was refused."),
	}
	for _, name := range pathParameters(r.Path) {
		op.Parameters = append(
			op.Parameters,
			&huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}},
		)
	}
	if r.Body > 0 {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
		}}
		op.Metadata[metaElements] = max(r.Elements, minElements)
	}
	s.API.OpenAPI().AddOperation(&op)
	s.API.Adapter().Handle(&op, s.API.Middlewares().Handler(func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if found := unstorableQuery(r.URL.Query()); len(found) > 0 {
			s.Refuse(ctx, fault.Invalid(found...))
			return
		}
		handle(ctx, w, r)
	}))
}

// problemResponse describes an error.
func (s *Server) problemResponse(description string) *huma.Response {
	schema := s.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[fault.Problem](), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
}

// pathParameters returns the names between braces.
func pathParameters(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if name, found := strings.CutPrefix(part, "{"); found {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// adapter registers huma's operations with Echo. It is all that knows both; unlike huma's own adapter it lets a path's
// last parameter hold slashes, as paths of documents do.
type adapter struct {
	echo *echo.Echo
}

func (a adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.echo.ServeHTTP(w, r) }

// Handle routes op to handler.
func (a adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	last := rest(op)
	a.echo.Add(op.Method, echoPath(op), func(c echo.Context) error {
		r := c.Request()
		values := c.ParamValues()
		for i, name := range c.ParamNames() {
			value := values[i]
			if name != "*" && strings.Contains(value, "/") {
				return echo.ErrNotFound // Echo lets the last parameter of a path take slashes as well
			}
			if r.URL.RawPath != "" { // Echo has matched the escaped path
				unescaped, err := url.PathUnescape(value)
				if err != nil {
					return fault.New(fault.InvalidRequest, "The path is not escaped correctly")
				}
				value = unescaped
			}
			if name == "*" {
				name = last
			}
			r.SetPathValue(name, value)
		}
		handler(humago.NewContext(op, r, c.Response()))
		return nil
	}, middleware.ContextTimeout(timeout(op)))
}

// echoPath is op's path as Echo writes it: :name for {name}, * for a last parameter that takes the rest.
func echoPath(op *huma.Operation) string {
	path := op.Path
	if last := rest(op); last != "" {
		path = strings.TrimSuffix(path, "{"+last+"}") + "*"
	}
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// Keys of an operation's Metadata.
const (
	metaRest    = "rest"    // name of the parameter that takes the rest of the path, slashes included
	metaTimeout = "timeout" // how long a request may take
)

func rest(op *huma.Operation) string {
	name, _ := op.Metadata[metaRest].(string)
	return name
}

func timeout(op *huma.Operation) time.Duration {
	if d, given := op.Metadata[metaTimeout].(time.Duration); given {
		return d
	}
	return RequestTimeout
}
