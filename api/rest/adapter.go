package rest

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"reverie/api/fault"
)

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
					return fault.New(fault.InvalidRequest, "the path is not escaped correctly")
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

// Keys of what an operation's Metadata says to us.
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
