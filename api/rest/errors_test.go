package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/store"
	"reverie/window"
)

// Every error of the store and of workflows has its HTTP form.
func TestErrorsHaveTheirHTTPForm(t *testing.T) {
	s := &Server{Options: Options{Log: slog.New(slog.DiscardHandler)}}
	ref := memory.Ref{Scope: memory.ScopeTeam, Path: "a.md"}
	for _, c := range []struct {
		err    error
		status int
		name   fault.Name
	}{
		{fmt.Errorf("agent: %w", store.ErrNotFound), 404, fault.NotFound},
		{fmt.Errorf("%w: no", store.ErrForbidden), 403, fault.Forbidden},
		{store.ErrUnauthorized, 401, fault.Unauthorized},
		{fmt.Errorf("agent ada: %w", store.ErrExists), 409, fault.AlreadyExists},
		{&store.InvalidError{Field: "content", Problem: "too long"}, 422, fault.InvalidRequest},
		{&store.StaleBaseError{Ref: ref, Base: 1, Head: 2}, 409, fault.StaleBase},
		{&store.QuarantineError{Ref: ref}, 422, fault.Quarantined},
		{&store.ConflictError{Code: store.CodeMessageIDReused, Message: "m"}, 409, fault.MessageIDReused},
		{fmt.Errorf("conversation: %w", store.ErrSeveralOwners), 422, fault.OwnerRequired},
		{&store.ConflictError{Code: store.CodeNotQuarantined, Message: "m"}, 409, fault.NotQuarantined},
		{&store.ConflictError{Code: store.CodeNotFlushed, Message: "m"}, 409, fault.NotFlushed},
		{&store.ConflictError{Code: store.CodeRangeMoved, Message: "m"}, 409, fault.Conflict},
		{fmt.Errorf("context: %w", &window.TooLargeError{Max: 1024, System: 900, Current: 300}), 422, fault.WindowTooLarge},
		{fmt.Errorf("%w: %w", chat.ErrUnreachable, context.DeadlineExceeded), 503, fault.WorkflowsUnavailable},
		{fmt.Errorf("%w: %w", chat.ErrStillRunning, context.DeadlineExceeded), 503, fault.Flushing},
		{&llm.Error{Kind: llm.RateLimited}, 429, fault.ModelRateLimited},
		{fmt.Errorf("turn: %w", &llm.Error{Kind: llm.Overloaded}), 503, fault.ModelUnavailable},
		{&llm.Error{Kind: llm.Timeout, Message: "INTERNALS"}, 503, fault.ModelUnavailable},
		{&llm.Error{Kind: llm.Unavailable}, 503, fault.ModelUnavailable},
		{&llm.Error{Kind: llm.ContextTooLong}, 422, fault.WindowTooLarge},
		{&llm.Error{Kind: llm.Refused}, 502, fault.ModelFailed},
		{&llm.Error{Kind: llm.Unauthorized, Message: "INTERNALS"}, 502, fault.ModelFailed},
		{&llm.Error{Kind: llm.Quota}, 502, fault.ModelFailed},
		{&llm.Error{Kind: llm.BadRequest}, 502, fault.ModelFailed},
		{&llm.Error{Kind: llm.Truncated}, 502, fault.ModelFailed},
		{&pgconn.PgError{Code: "57P01"}, 503, fault.StoreUnavailable},
		{&pgconn.PgError{Code: "53300"}, 503, fault.StoreUnavailable},
		{fmt.Errorf("query: %w", io.ErrUnexpectedEOF), 503, fault.StoreUnavailable},
		{context.DeadlineExceeded, 503, fault.StoreUnavailable},
		{fmt.Errorf("%w: %w", ErrWorkflowsAway, serviceerror.NewUnavailable("no")), 503, fault.WorkflowsUnavailable},
		{context.Canceled, 499, fault.Canceled},
		{&pgconn.PgError{Code: "42601", Message: "INTERNALS"}, 500, fault.Internal},
		{errors.New("INTERNALS"), 500, fault.Internal},
	} {
		var p *fault.Problem
		if !errors.As(s.Explain(t.Context(), c.err), &p) || p.Code != c.status || p.Name != c.name || p.Msg == "" {
			t.Errorf("%v gives %+v, want %d %s", c.err, p, c.status, c.name)
		}
		if strings.Contains(p.Msg, "INTERNALS") {
			t.Errorf("%q shows what is inside", p.Msg)
		}
		if p.Code == http.StatusServiceUnavailable && p.GetHeaders().Get("Retry-After") == "" {
			t.Errorf("%s does not say when to try again", p.Name)
		}
	}
}
