package rest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/sony/gobreaker/v2"
	"go.temporal.io/api/serviceerror"

	"reverie/api/fault"
	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
	"reverie/store"
	"reverie/window"
)

// Explain gives an error its HTTP form. It is the one mapping: handlers return what the store and the workflows return.
func (s *Server) Explain(ctx context.Context, err error) error {
	var (
		own         huma.StatusError
		stale       *store.StaleBaseError
		quarantined *store.QuarantineError
		bad         *store.InvalidError
		conflict    *store.ConflictError
		tooLarge    *window.TooLargeError
		model       *llm.Error
		spent       *chat.BudgetError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &stale):
		return staleBase(stale)
	case errors.As(err, &quarantined):
		return quarantine(quarantined)
	case errors.As(err, &bad):
		return fault.InvalidAt(bad.Field, "%s", bad.Problem)
	case errors.As(err, &conflict):
		return conflicting(conflict)
	case errors.As(err, &tooLarge):
		return windowTooLarge(tooLarge)
	case errors.As(err, &model):
		s.Log.WarnContext(ctx, "A model did not answer", "error", model, "request", RequestID(ctx))
		return modelFailed(model)
	case errors.As(err, &spent):
		return budgetSpent(spent, s.Now())
	case errors.Is(err, chat.ErrUnreachable):
		return WorkflowsAway("the window is full and its oldest messages cannot be saved now; try again later")
	case errors.Is(err, chat.ErrStillRunning):
		return fault.New(fault.Flushing, "The window is full and its oldest messages are still being saved: try again in a moment").
			With("Retry-After", "5")
	case errors.Is(err, store.ErrNotFound):
		return fault.New(fault.NotFound, "%s: check the name and the owner", readable(err))
	case errors.Is(err, store.ErrSeveralOwners):
		return fault.New(fault.OwnerRequired, "%s: send owner, or channel and sender, or endUserId (in the query)", readable(err))
	case errors.Is(err, store.ErrReadOnlyTeam):
		return fault.New(fault.TeamMember, "%s", readable(err))
	case errors.Is(err, store.ErrMemoryOff):
		return fault.New(fault.MemoryOff, "%s: switch it on with memoryEnabled in the agent's settings", readable(err))
	case errors.Is(err, store.ErrFactsOff):
		return fault.New(fault.FactsOff, "%s: switch them on with REVERIE_FACTS_ENABLED=true", readable(err))
	case errors.Is(err, store.ErrForbidden):
		return fault.New(fault.Forbidden, "%s: this key does not allow it", readable(err))
	case errors.Is(err, store.ErrUnauthorized):
		return unauthorized(err)
	case errors.Is(err, store.ErrExists):
		return fault.New(fault.AlreadyExists, "%s: choose another name, or change the one that is there", readable(err))
	case errors.Is(err, context.Canceled):
		return fault.New(fault.Canceled, "Request canceled")
	case errors.Is(err, ErrWorkflowsAway):
		return WorkflowsAway("try again later")
	case errors.Is(err, store.ErrBusy):
		return Overloaded()
	case databaseAway(err):
		s.Log.ErrorContext(ctx, "The database is away", "error", Loggable(err), "request", RequestID(ctx))
		return fault.New(fault.StoreUnavailable, "The database cannot be reached: try again later").With("Retry-After", "5")
	}
	s.Log.ErrorContext(ctx, "A request failed", "error", Loggable(err), "request", RequestID(ctx))
	return fault.New(fault.Internal, "Internal error: see the server's log for request %s", RequestID(ctx))
}

// FormatErrors gives errors of all paths with a prefix another form than the API's. form returns the body, and may change the status and the
// headers of the problem.
func (s *Server) FormatErrors(prefix string, form func(*fault.Problem) any) {
	s.formats = append(s.formats, errorFormat{prefix, form})
}

type errorFormat struct {
	prefix string
	form   func(*fault.Problem) any
}

// errorBody returns the body of an error at a path.
func (s *Server) errorBody(path string, p *fault.Problem) any {
	for _, f := range s.formats {
		if strings.HasPrefix(path, f.prefix) {
			return f.form(p)
		}
	}
	return p
}

// Problem returns the HTTP form of an error.
func (s *Server) Problem(ctx context.Context, err error) *fault.Problem {
	if p, is := errors.AsType[*fault.Problem](s.Explain(ctx, err)); is {
		return p
	}
	return fault.New(fault.Internal, "Internal error: see the server's log for request %s", RequestID(ctx))
}

// Loggable returns an error's text without what PostgreSQL quotes in its messages, which may be contents.
func Loggable(err error) string {
	if refused, is := errors.AsType[*pgconn.PgError](err); is {
		return fmt.Sprintf(
			"PostgreSQL error %s (table %q, column %q, constraint %q)",
			refused.Code,
			refused.TableName,
			refused.ColumnName,
			refused.ConstraintName,
		)
	}
	return err.Error()
}

// readable returns a store error's text, which names what was looked for.
func readable(err error) string { return strings.TrimSpace(err.Error()) }

// ErrWorkflowsAway means that Temporal did not answer.
var ErrWorkflowsAway = errors.New("temporal does not answer")

// WorkflowsAway returns the error of a request that needs workflows while they cannot be reached; what names the next step.
func WorkflowsAway(what string) *fault.Problem {
	return fault.New(fault.WorkflowsUnavailable, "Workflows cannot be reached: %s", what).With("Retry-After", "5")
}

// TemporalAway reports whether err means that Temporal cannot be reached, has too much to do, or has lost its database, and not that it
// refused something.
func TemporalAway(err error) bool {
	var (
		unavailable *serviceerror.Unavailable
		late        *serviceerror.DeadlineExceeded
		busy        *serviceerror.ResourceExhausted
	)
	return errors.As(err, &unavailable) || errors.As(err, &late) || errors.As(err, &busy) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) || namespaceLost(err)
}

// namespaceLost reports whether err means that the namespace, or a search attribute that workflows are started with, does not exist:
// Temporal's database was replaced by an empty one. Server and worker create both again.
func namespaceLost(err error) bool {
	if _, is := errors.AsType[*serviceerror.NamespaceNotFound](err); is {
		return true
	}
	refused, is := errors.AsType[*serviceerror.InvalidArgument](err)
	return is && strings.Contains(refused.Error(), "search attribute")
}

// retryAfterOverload is the Retry-After of a shed request: about the time that the requests waiting for the database take.
const retryAfterOverload = "2"

// Overloaded answers a request that is shed because too many others wait for the database.
func Overloaded() *fault.Problem {
	return fault.New(fault.Overloaded, "Too many requests wait for the database: try again in a moment").With("Retry-After", retryAfterOverload)
}

// databaseAway reports whether err means that the database cannot be used now.
func databaseAway(err error) bool {
	_, connecting := errors.AsType[*pgconn.ConnectError](err) // also one that a server refuses now, because its configuration changed
	return connecting || store.IsAway(err)
}

// staleSides are the details of a stale base: everything that is needed to redo the change.
type staleSides struct {
	Scope     memory.Scope        `json:"scope"`
	Path      string              `json:"path"`
	Base      int                 `json:"base"` // version
	Head      int                 `json:"head"` // current version
	ETag      string              `json:"etag"` // of the current version: send it as If-Match with the redone change
	BaseText  string              `json:"baseContent"`
	Yours     string              `json:"yours"`
	Theirs    string              `json:"theirs"`
	Conflicts []markdown.Conflict `json:"conflicts"`
}

func staleBase(e *store.StaleBaseError) *fault.Problem {
	current := ETag(e.Ref.Scope, e.Head, sha256.Sum256([]byte(e.Theirs)))
	p := fault.New(fault.StaleBase, "%s", e.Error()).With("ETag", current)
	p.Data = staleSides{
		Scope: e.Ref.Scope, Path: e.Ref.Path, Base: e.Base, Head: e.Head, ETag: current,
		BaseText: e.BaseContent, Yours: e.Yours, Theirs: e.Theirs, Conflicts: e.Conflicts,
	}
	return p
}

// quarantineFindings are the details of a refused text: what was found and where, never the text.
type quarantineFindings struct {
	Scope    memory.Scope   `json:"scope"`
	Path     string         `json:"path"`
	Findings []scan.Finding `json:"findings"`
}

func quarantine(e *store.QuarantineError) *fault.Problem {
	p := fault.New(fault.Quarantined, "%s: reword these lines", e.Error())
	p.Data = quarantineFindings{Scope: e.Ref.Scope, Path: e.Ref.Path, Findings: e.Findings}
	return p
}

// conflictNames maps the conflicts that clients distinguish by name; all others are a plain conflict.
var conflictNames = map[string]fault.Name{
	store.CodeMessageIDReused:     fault.MessageIDReused,
	store.CodeNotQuarantined:      fault.NotQuarantined,
	store.CodeNotFlushed:          fault.NotFlushed,
	store.CodeChangedSincePreview: fault.ChangedSincePreview,
	store.CodeKeyReused:           fault.KeyReused,
	store.CodeImportRunning:       fault.ImportRunning,
	store.CodeImportFull:          fault.ImportFull,
	store.CodeBeingDeleted:        fault.BeingDeleted,
	store.CodeDeletionStarted:     fault.DeletionStarted,
	store.CodeDecided:             fault.AlreadyDecided,
}

func conflicting(e *store.ConflictError) *fault.Problem {
	name, known := conflictNames[e.Code]
	if !known {
		name = fault.Conflict
	}
	return fault.New(name, "%s", e.Message)
}

// fullWindow are the details of a request that does not fit: what the tokens would be spent on.
type fullWindow struct {
	Max     int `json:"max"`     // tokens of the window
	System  int `json:"system"`  // of the system prompt
	Tools   int `json:"tools"`   // of the definitions of the tools
	Current int `json:"current"` // of the message
}

func windowTooLarge(e *window.TooLargeError) *fault.Problem {
	p := fault.New(fault.WindowTooLarge, "system prompt (%d tokens), tools (%d) and message (%d) do not fit into a window of %d: "+
		"send a shorter message, disable documents of the system prompt, or make the window larger", e.System, e.Tools, e.Current, e.Max)
	p.Data = fullWindow{e.Max, e.System, e.Tools, e.Current}
	return p
}

// budgetSpent returns the error of a turn without budget, with the time at which budgets reset.
func budgetSpent(e *chat.BudgetError, now time.Time) *fault.Problem {
	if e.Code == setting.HaltPaused {
		return fault.New(fault.BudgetSpent,
			"The agent's use of models is paused. The message is stored; send it again when an administrator has resumed it")
	}
	seconds := max(1, int(math.Ceil(e.Until.Sub(now).Seconds())))
	return fault.New(fault.BudgetSpent, "No model is asked: %s. The message is stored; send it again after %s, or raise the budget",
		e.Reason, e.Until.Format(time.RFC3339)).
		With("Retry-After", strconv.Itoa(seconds))
}

// modelWait is the Retry-After when the provider gives none.
const modelWait = 5 * time.Second

// modelFailed gives the failure of a model its HTTP form. What the provider said is for the operator's log: it may name accounts.
func modelFailed(e *llm.Error) *fault.Problem {
	seconds := strconv.Itoa(max(1, int(math.Ceil(max(e.RetryAfter, 0).Seconds()))))
	if e.RetryAfter <= 0 {
		seconds = strconv.Itoa(int(modelWait.Seconds()))
	}
	switch e.Kind {
	case llm.RateLimited:
		return fault.New(fault.ModelRateLimited, "The model provider limits the rate: try again later").With("Retry-After", seconds)
	case llm.Overloaded, llm.Unavailable, llm.Timeout:
		return fault.New(fault.ModelUnavailable, "The model did not answer (%s): try again later", e.Kind).With("Retry-After", seconds)
	case llm.ContextTooLong:
		return fault.New(
			fault.WindowTooLarge,
			"the model takes less than the window has, also after earlier turns were left out: make the window smaller (windowMaxTokens), or "+
				"send a shorter message",
		)
	case llm.Refused:
		return fault.New(fault.ModelFailed, "The model declined to answer")
	case llm.Unauthorized, llm.Quota, llm.BadRequest:
		return fault.New(fault.ModelFailed, "The model provider refuses requests (%s): check its configuration", e.Kind)
	}
	return fault.New(fault.ModelFailed, "The model's answer cannot be used (%s)", e.Kind)
}
