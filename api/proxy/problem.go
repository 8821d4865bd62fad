package proxy

import (
	"net/http"
	"strings"

	"reverie/api/fault"
	"reverie/api/proxy/completion"
)

// codes are OpenAI's names of errors; other errors keep theirs.
var codes = map[fault.Name]string{
	fault.Unauthorized: "invalid_api_key", fault.NotFound: "model_not_found", fault.RateLimited: "rate_limit_exceeded",
	fault.ModelRateLimited: "rate_limit_exceeded", fault.BudgetSpent: "insufficient_quota", fault.NoSuchRoute: "unknown_url",
}

// retryHeader says to OpenAI's clients whether to repeat a request; they repeat every 429 otherwise.
const retryHeader = "X-Should-Retry"

// wireFault gives an error the protocol's form. The protocol answers every invalid request with 400.
func wireFault(p *fault.Problem) completion.Fault {
	if p.Code == http.StatusUnprocessableEntity {
		p.Code = http.StatusBadRequest
	}
	kind := "invalid_request_error"
	switch {
	case p.Name == fault.BudgetSpent:
		kind = "insufficient_quota"
	case p.Code == http.StatusUnauthorized:
		kind = "authentication_error"
	case p.Code == http.StatusForbidden:
		kind = "permission_error"
	case p.Code == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case p.Code >= http.StatusInternalServerError:
		kind = "server_error"
	}
	if p.Name == fault.BudgetSpent || p.Name == fault.ModelFailed { // again, they fail as now
		p = p.With(retryHeader, "false")
	}
	code, known := codes[p.Name]
	if !known {
		code = string(p.Name)
	}
	e := completion.FaultError{Message: p.Msg, Type: kind, Code: &code}
	if all, is := p.Data.(fault.Faults); is && len(all.Faults) > 0 {
		if param, found := strings.CutPrefix(all.Faults[0].Location, bodyLocation); found {
			e.Param, e.Message = &param, all.Faults[0].Message
		}
	}
	return completion.Fault{Error: e}
}

// bodyLocation begins the location of a fault in a body.
const bodyLocation = "body."

// invalid returns the error of a request that cannot be passed on.
func invalid(e *completion.Invalid) error {
	if e.Param == "" {
		return fault.New(fault.InvalidBody, "%s", e.Problem)
	}
	return fault.InvalidAt(bodyLocation+e.Param, "%s: %s", e.Param, e.Problem)
}
