// Package fault defines the errors that clients of the API see: their stable names, their HTTP status, and their JSON form.
package fault

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Name is the stable, machine-readable name of an error. A client compares it; msg is for people and may change.
type Name string

// Names of errors. docs/api.md lists them (names_test.go keeps the two in sync).
const (
	InvalidRequest       Name = "invalid_request"
	InvalidBody          Name = "invalid_body"
	InvalidSearch        Name = "invalid_search"
	SnapshotRefused      Name = "snapshot_refused"
	UnsupportedMediaType Name = "unsupported_media_type"
	Unauthorized         Name = "unauthorized"
	Forbidden            Name = "forbidden"
	TeamMember           Name = "team_member"
	MemoryOff            Name = "memory_off"
	FactsOff             Name = "facts_off"
	MorningCardOff       Name = "morning_card_off"
	OwnerNotAllowed      Name = "owner_not_allowed"
	OwnerRequired        Name = "owner_required"
	NotFound             Name = "not_found"
	NoSuchRoute          Name = "no_such_route"
	MethodNotAllowed     Name = "method_not_allowed"
	RequestTimeout       Name = "request_timeout"
	AlreadyExists        Name = "already_exists"
	StaleBase            Name = "stale_base"
	MessageIDReused      Name = "message_id_reused"
	NotQuarantined       Name = "not_quarantined"
	NotFlushed           Name = "not_flushed"
	Dreaming             Name = "dreaming"
	NightDreamed         Name = "night_dreamed"
	RevertConflict       Name = "revert_conflict"
	ChangedSincePreview  Name = "changed_since_preview"
	KeyReused            Name = "key_reused"
	ImportRunning        Name = "import_running"
	ImportFull           Name = "import_full"
	BeingDeleted         Name = "being_deleted"
	DeletionStarted      Name = "deletion_started"
	AlreadyDecided       Name = "already_decided"
	Conflict             Name = "conflict"
	PreconditionFailed   Name = "precondition_failed"
	PreconditionRequired Name = "precondition_required"
	BodyTooLarge         Name = "body_too_large"
	Quarantined          Name = "quarantined"
	WindowTooLarge       Name = "window_too_large"
	RateLimited          Name = "rate_limited"
	ModelRateLimited     Name = "model_rate_limited"
	BudgetSpent          Name = "budget_spent"
	Canceled             Name = "canceled"
	Internal             Name = "internal"
	WorkflowFailed       Name = "workflow_failed"
	ModelFailed          Name = "model_failed"
	ModelUnavailable     Name = "model_unavailable"
	NotReady             Name = "not_ready"
	StoreUnavailable     Name = "store_unavailable"
	WorkflowsUnavailable Name = "workflows_unavailable"
	Flushing             Name = "flushing"
	Overloaded           Name = "overloaded"
)

// statusCanceled is recorded when the client disconnects before the answer.
const statusCanceled = 499

// errorStatus is the HTTP status of every error name.
var errorStatus = map[Name]int{
	InvalidRequest:       http.StatusUnprocessableEntity,
	InvalidBody:          http.StatusBadRequest,
	InvalidSearch:        http.StatusUnprocessableEntity,
	SnapshotRefused:      http.StatusBadRequest,
	UnsupportedMediaType: http.StatusUnsupportedMediaType,
	Unauthorized:         http.StatusUnauthorized,
	Forbidden:            http.StatusForbidden,
	TeamMember:           http.StatusForbidden,
	MemoryOff:            http.StatusConflict,
	FactsOff:             http.StatusGone,
	MorningCardOff:       http.StatusGone,
	OwnerNotAllowed:      http.StatusForbidden,
	OwnerRequired:        http.StatusUnprocessableEntity,
	NotFound:             http.StatusNotFound,
	NoSuchRoute:          http.StatusNotFound,
	MethodNotAllowed:     http.StatusMethodNotAllowed,
	RequestTimeout:       http.StatusRequestTimeout,
	AlreadyExists:        http.StatusConflict,
	StaleBase:            http.StatusConflict,
	MessageIDReused:      http.StatusConflict,
	NotQuarantined:       http.StatusConflict,
	NotFlushed:           http.StatusConflict,
	Dreaming:             http.StatusConflict,
	NightDreamed:         http.StatusConflict,
	RevertConflict:       http.StatusConflict,
	ChangedSincePreview:  http.StatusConflict,
	KeyReused:            http.StatusConflict,
	ImportRunning:        http.StatusConflict,
	ImportFull:           http.StatusConflict,
	BeingDeleted:         http.StatusGone,
	DeletionStarted:      http.StatusConflict,
	AlreadyDecided:       http.StatusConflict,
	Conflict:             http.StatusConflict,
	PreconditionFailed:   http.StatusPreconditionFailed,
	PreconditionRequired: http.StatusPreconditionRequired,
	BodyTooLarge:         http.StatusRequestEntityTooLarge,
	Quarantined:          http.StatusUnprocessableEntity,
	WindowTooLarge:       http.StatusUnprocessableEntity,
	ModelRateLimited:     http.StatusTooManyRequests,
	BudgetSpent:          http.StatusTooManyRequests,
	RateLimited:          http.StatusTooManyRequests,
	Canceled:             statusCanceled,
	Internal:             http.StatusInternalServerError,
	WorkflowFailed:       http.StatusInternalServerError,
	ModelFailed:          http.StatusBadGateway,
	ModelUnavailable:     http.StatusServiceUnavailable,
	Flushing:             http.StatusServiceUnavailable,
	NotReady:             http.StatusServiceUnavailable,
	Overloaded:           http.StatusServiceUnavailable,
	StoreUnavailable:     http.StatusServiceUnavailable,
	WorkflowsUnavailable: http.StatusServiceUnavailable,
}

// Status returns the HTTP status of an error.
func (n Name) Status() int { return errorStatus[n] }

// Schema describes the names to clients.
func (Name) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeString,
		Description: "Stable name of the error; compare this, not msg. docs/api.md lists the names.",
		Examples:    []any{string(NotFound)},
	}
}
