package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is the JSON form of an error: the envelope with a stable name. Msg names the next step.
type Problem struct {
	Code int    `json:"code" doc:"The HTTP status." example:"404"`
	Msg  string `json:"msg" doc:"What is wrong and the next step, for people."`
	Name Name   `json:"error"`
	Data any    `json:"data" doc:"Details, by name: faults of an invalid request, both sides of a stale base, findings of a quarantined text; null for most errors."`

	headers http.Header
}

func (p *Problem) Error() string { return string(p.Name) + ": " + p.Msg }

// GetStatus returns the HTTP status; huma asks for it.
func (p *Problem) GetStatus() int { return p.Code }

// GetHeaders returns headers that belong to the answer; huma asks for them.
func (p *Problem) GetHeaders() http.Header { return p.headers }

// With adds a header.
func (p *Problem) With(header, value string) *Problem {
	if p.headers == nil {
		p.headers = http.Header{}
	}
	p.headers.Set(header, value)
	return p
}

// Named gives an error another name, with its status; empty: it keeps its own.
func (p *Problem) Named(name Name) *Problem {
	if name != "" {
		p.Name, p.Code = name, errorStatus[name]
	}
	return p
}

// New returns an error with a name, its status, and a message for people.
func New(name Name, format string, args ...any) *Problem {
	return &Problem{Code: errorStatus[name], Name: name, Msg: fmt.Sprintf(format, args...)}
}

// NotModified answers a client whose copy is current. It has no body.
func NotModified(etag string) *Problem {
	return (&Problem{Code: http.StatusNotModified}).With("ETag", etag).With("Cache-Control", Revalidate)
}

// Fault is one thing that is wrong with a request.
type Fault struct {
	Location string `json:"location" doc:"Where, such as body.messages[3].role or query.wait."`
	Message  string `json:"message"`
}

// MaxFaults bounds the faults that an answer lists.
const MaxFaults = 100

// Faults are the details of an invalid request: the first 100 things that are wrong with it.
type Faults struct {
	Faults []Fault `json:"faults"`
}

// shownFaults limits the faults that msg spells out; data lists all of them.
const shownFaults = 3

// Invalid returns the error of a request with faults.
func Invalid(found ...Fault) *Problem {
	p := New(InvalidRequest, "%s", Text(found))
	p.Data = Faults{found[:min(len(found), MaxFaults)]}
	return p
}

// InvalidAt returns the error of a request with one fault.
func InvalidAt(location, format string, args ...any) *Problem {
	return Invalid(Fault{location, fmt.Sprintf(format, args...)})
}

// Text spells out the first faults in one line.
func Text(found []Fault) string {
	var shown []string
	for _, f := range found[:min(len(found), shownFaults)] {
		shown = append(shown, f.Location+": "+f.Message)
	}
	text := strings.Join(shown, "; ")
	if more := len(found) - shownFaults; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// fromHuma makes a Problem of what huma found wrong before a handler ran. The values it quotes are left out: they may be
// a whole conversation.
func fromHuma(status int, msg string, errs ...error) huma.StatusError {
	var found []Fault
	for _, err := range errs {
		var (
			detailed huma.ErrorDetailer
			own      *Problem
		)
		switch {
		case err == nil:
		case errors.As(err, &own):
			return own
		case errors.As(err, &detailed):
			d := detailed.ErrorDetail()
			found = append(found, Fault{d.Location, d.Message})
		default:
			found = append(found, Fault{"", err.Error()})
		}
	}
	switch status {
	case http.StatusUnprocessableEntity:
		return Invalid(found...)
	case http.StatusBadRequest:
		if len(found) == 0 {
			return New(InvalidBody, "%s: send a JSON object", msg)
		}
		p := New(InvalidBody, "Invalid body: %s", Text(found))
		p.Data = Faults{found[:min(len(found), MaxFaults)]}
		return p
	case http.StatusUnsupportedMediaType:
		return New(UnsupportedMediaType, "send the body as JSON with Content-Type: application/json")
	case http.StatusRequestEntityTooLarge:
		return New(BodyTooLarge, "%s: send less at once", msg)
	case http.StatusRequestTimeout:
		return New(RequestTimeout, "The body did not arrive in time: send it again")
	}
	return New(Internal, "Internal error: see the server's log")
}

// MetaInvalid is the key of an operation's metadata that holds the name of its invalid requests; missing: invalid_request.
const MetaInvalid = "invalid"

// huma makes errors through these package-wide variables; there is no other way to give it our shape.
func init() {
	huma.NewError = fromHuma
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		err := fromHuma(status, msg, errs...)
		name, given := ctx.Operation().Metadata[MetaInvalid].(Name)
		if p, is := err.(*Problem); is && given && p.Name == InvalidRequest {
			return p.Named(name)
		}
		return err
	}
}

// Revalidate lets a client keep a document, but ask every time whether it is still the same.
const Revalidate = "private, no-cache"
