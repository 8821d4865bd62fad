package api

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

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/store"
	"reverie/window"
)

// Every error of the store and of workflows has its HTTP form.
func TestErrorsHaveTheirHTTPForm(t *testing.T) {
	s := &kernel{Options: Options{Log: slog.New(slog.DiscardHandler)}}
	ref := memory.Ref{Scope: memory.ScopeTeam, Path: "a.md"}
	for _, c := range []struct {
		err    error
		status int
		name   errorName
	}{
		{fmt.Errorf("agent: %w", store.ErrNotFound), 404, nameNotFound},
		{fmt.Errorf("%w: no", store.ErrForbidden), 403, nameForbidden},
		{store.ErrUnauthorized, 401, nameUnauthorized},
		{fmt.Errorf("agent ada: %w", store.ErrExists), 409, nameAlreadyExists},
		{&store.InvalidError{Field: "content", Problem: "too long"}, 422, nameInvalidRequest},
		{&store.StaleBaseError{Ref: ref, Base: 1, Head: 2}, 409, nameStaleBase},
		{&store.QuarantineError{Ref: ref}, 422, nameQuarantined},
		{&store.ConflictError{Code: store.CodeMessageIDReused, Message: "m"}, 409, nameMessageIDReused},
		{&store.ConflictError{Code: store.CodeConversationOfAnotherOwner, Message: "m"}, 409, nameOtherOwner},
		{&store.ConflictError{Code: store.CodeNotQuarantined, Message: "m"}, 409, nameNotQuarantined},
		{&store.ConflictError{Code: store.CodeNotFlushed, Message: "m"}, 409, nameNotFlushed},
		{&store.ConflictError{Code: store.CodeRangeMoved, Message: "m"}, 409, nameConflict},
		{fmt.Errorf("context: %w", &window.TooLargeError{Max: 1024, System: 900, Current: 300}), 422, nameWindowTooLarge},
		{fmt.Errorf("%w: %w", chat.ErrUnreachable, context.DeadlineExceeded), 503, nameWorkflowsUnavailable},
		{fmt.Errorf("%w: %w", chat.ErrStillRunning, context.DeadlineExceeded), 503, nameFlushing},
		{&llm.Error{Kind: llm.RateLimited}, 429, nameModelRateLimited},
		{fmt.Errorf("turn: %w", &llm.Error{Kind: llm.Overloaded}), 503, nameModelUnavailable},
		{&llm.Error{Kind: llm.Timeout, Message: "INTERNALS"}, 503, nameModelUnavailable},
		{&llm.Error{Kind: llm.Unavailable}, 503, nameModelUnavailable},
		{&llm.Error{Kind: llm.ContextTooLong}, 422, nameWindowTooLarge},
		{&llm.Error{Kind: llm.Refused}, 502, nameModelFailed},
		{&llm.Error{Kind: llm.Unauthorized, Message: "INTERNALS"}, 502, nameModelFailed},
		{&llm.Error{Kind: llm.Quota}, 502, nameModelFailed},
		{&llm.Error{Kind: llm.BadRequest}, 502, nameModelFailed},
		{&llm.Error{Kind: llm.Truncated}, 502, nameModelFailed},
		{&pgconn.PgError{Code: "57P01"}, 503, nameStoreUnavailable},
		{&pgconn.PgError{Code: "53300"}, 503, nameStoreUnavailable},
		{fmt.Errorf("query: %w", io.ErrUnexpectedEOF), 503, nameStoreUnavailable},
		{context.DeadlineExceeded, 503, nameStoreUnavailable},
		{fmt.Errorf("%w: %w", errWorkflowsAway, serviceerror.NewUnavailable("no")), 503, nameWorkflowsUnavailable},
		{context.Canceled, 499, nameCanceled},
		{&pgconn.PgError{Code: "42601", Message: "INTERNALS"}, 500, nameInternal},
		{errors.New("INTERNALS"), 500, nameInternal},
	} {
		var p *Problem
		if !errors.As(s.explain(t.Context(), c.err), &p) || p.Code != c.status || p.Name != c.name || p.Msg == "" {
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
