package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"regexp"
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
	s := &Server{Options: Options{Log: slog.New(slog.DiscardHandler)}}
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
		if p.Code == http.StatusServiceUnavailable && p.headers.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to try again", p.Name)
		}
	}
}

// Every name has a status, and docs/api.md has every name with its status and no other.
func TestErrorsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("names.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range regexp.MustCompile(`errorName = "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		if errorStatus[errorName(declared[1])] == 0 {
			t.Errorf("%s has no status", declared[1])
		}
	}
	document, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[errorName]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([0-9]+) \\| .+ \\|$").FindAllStringSubmatch(string(document), -1) {
		documented[errorName(row[1])] = row[2]
	}
	for name, status := range errorStatus {
		if documented[name] != fmt.Sprint(status) {
			t.Errorf("docs/api.md says %q of %s, which is %d", documented[name], name, status)
		}
	}
	for name := range documented {
		if errorStatus[name] == 0 {
			t.Errorf("docs/api.md has %s, which does not exist", name)
		}
	}
}

func TestAProblemIsAnEnvelope(t *testing.T) {
	encoded, err := json.Marshal(problem(nameNotFound, "look elsewhere"))
	if want := `{"code":404,"msg":"look elsewhere","error":"not_found","data":null}`; err != nil || string(encoded) != want {
		t.Errorf("%s, want %s (%v)", encoded, want, err)
	}
	many := invalid(fault{"a", "1"}, fault{"b", "2"}, fault{"c", "3"}, fault{"d", "4"}, fault{"e", "5"})
	if many.Msg != "a: 1; b: 2; c: 3; and 2 more" || len(many.Data.(faults).Faults) != 5 {
		t.Errorf("%+v", many)
	}
}
