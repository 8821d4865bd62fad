package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// errorName is the stable, machine-readable name of an error. A client compares it; msg is for people and may change.
type errorName string

// Names of errors. docs/api.md lists them (names_test.go holds the two together).
const (
	nameInvalidRequest       errorName = "invalid_request"
	nameInvalidBody          errorName = "invalid_body"
	nameInvalidSearch        errorName = "invalid_search"
	nameSnapshotRefused      errorName = "snapshot_refused"
	nameUnsupportedMediaType errorName = "unsupported_media_type"
	nameUnauthorized         errorName = "unauthorized"
	nameForbidden            errorName = "forbidden"
	nameTeamMember           errorName = "team_member"
	nameMemoryOff            errorName = "memory_off"
	nameOwnerNotAllowed      errorName = "owner_not_allowed"
	nameOwnerRequired        errorName = "owner_required"
	nameNotFound             errorName = "not_found"
	nameNoSuchRoute          errorName = "no_such_route"
	nameMethodNotAllowed     errorName = "method_not_allowed"
	nameRequestTimeout       errorName = "request_timeout"
	nameAlreadyExists        errorName = "already_exists"
	nameStaleBase            errorName = "stale_base"
	nameMessageIDReused      errorName = "message_id_reused"
	nameOtherOwner           errorName = "conversation_of_another_owner"
	nameNotQuarantined       errorName = "not_quarantined"
	nameNotFlushed           errorName = "not_flushed"
	nameDreaming             errorName = "dreaming"
	nameNightDreamed         errorName = "night_dreamed"
	nameRevertConflict       errorName = "revert_conflict"
	nameChangedSincePreview  errorName = "changed_since_preview"
	nameKeyReused            errorName = "key_reused"
	nameImportRunning        errorName = "import_running"
	nameImportFull           errorName = "import_full"
	nameConflict             errorName = "conflict"
	namePreconditionFailed   errorName = "precondition_failed"
	namePreconditionRequired errorName = "precondition_required"
	nameBodyTooLarge         errorName = "body_too_large"
	nameQuarantined          errorName = "quarantined"
	nameWindowTooLarge       errorName = "window_too_large"
	nameRateLimited          errorName = "rate_limited"
	nameModelRateLimited     errorName = "model_rate_limited"
	nameBudgetSpent          errorName = "budget_spent"
	nameCanceled             errorName = "canceled"
	nameInternal             errorName = "internal"
	nameWorkflowFailed       errorName = "workflow_failed"
	nameModelFailed          errorName = "model_failed"
	nameModelUnavailable     errorName = "model_unavailable"
	nameNotReady             errorName = "not_ready"
	nameStoreUnavailable     errorName = "store_unavailable"
	nameWorkflowsUnavailable errorName = "workflows_unavailable"
	nameFlushing             errorName = "flushing"
)

// statusCanceled is what nobody sees: the client went away before the answer.
const statusCanceled = 499

// errorStatus is the HTTP status of every error name.
var errorStatus = map[errorName]int{
	nameInvalidRequest:       http.StatusUnprocessableEntity,
	nameInvalidBody:          http.StatusBadRequest,
	nameInvalidSearch:        http.StatusUnprocessableEntity,
	nameSnapshotRefused:      http.StatusBadRequest,
	nameUnsupportedMediaType: http.StatusUnsupportedMediaType,
	nameUnauthorized:         http.StatusUnauthorized,
	nameForbidden:            http.StatusForbidden,
	nameTeamMember:           http.StatusForbidden,
	nameMemoryOff:            http.StatusConflict,
	nameOwnerNotAllowed:      http.StatusForbidden,
	nameOwnerRequired:        http.StatusUnprocessableEntity,
	nameNotFound:             http.StatusNotFound,
	nameNoSuchRoute:          http.StatusNotFound,
	nameMethodNotAllowed:     http.StatusMethodNotAllowed,
	nameRequestTimeout:       http.StatusRequestTimeout,
	nameAlreadyExists:        http.StatusConflict,
	nameStaleBase:            http.StatusConflict,
	nameMessageIDReused:      http.StatusConflict,
	nameOtherOwner:           http.StatusConflict,
	nameNotQuarantined:       http.StatusConflict,
	nameNotFlushed:           http.StatusConflict,
	nameDreaming:             http.StatusConflict,
	nameNightDreamed:         http.StatusConflict,
	nameRevertConflict:       http.StatusConflict,
	nameChangedSincePreview:  http.StatusConflict,
	nameKeyReused:            http.StatusConflict,
	nameImportRunning:        http.StatusConflict,
	nameImportFull:           http.StatusConflict,
	nameConflict:             http.StatusConflict,
	namePreconditionFailed:   http.StatusPreconditionFailed,
	namePreconditionRequired: http.StatusPreconditionRequired,
	nameBodyTooLarge:         http.StatusRequestEntityTooLarge,
	nameQuarantined:          http.StatusUnprocessableEntity,
	nameWindowTooLarge:       http.StatusUnprocessableEntity,
	nameModelRateLimited:     http.StatusTooManyRequests,
	nameBudgetSpent:          http.StatusTooManyRequests,
	nameRateLimited:          http.StatusTooManyRequests,
	nameCanceled:             statusCanceled,
	nameInternal:             http.StatusInternalServerError,
	nameWorkflowFailed:       http.StatusInternalServerError,
	nameModelFailed:          http.StatusBadGateway,
	nameModelUnavailable:     http.StatusServiceUnavailable,
	nameFlushing:             http.StatusServiceUnavailable,
	nameNotReady:             http.StatusServiceUnavailable,
	nameStoreUnavailable:     http.StatusServiceUnavailable,
	nameWorkflowsUnavailable: http.StatusServiceUnavailable,
}

// status returns the HTTP status of an error.
func (n errorName) status() int { return errorStatus[n] }

// Schema describes the names to clients.
func (errorName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeString,
		Description: "Stable name of the error; compare this, not msg. docs/api.md lists the names.",
		Examples:    []any{string(nameNotFound)},
	}
}
