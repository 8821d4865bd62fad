// Package writereq has the requests and receipts of writes by business processes.
package writereq

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/template"

	"github.com/google/uuid"
)

// Request is a write requested by a business process. Target and Content are templates over Data.
type Request struct {
	// RequestID makes repeated requests one write: 1 to 128 characters of A-Z, a-z, 0-9, ".", "_", ":" and "-". It is part
	// of workflow ids, so it must not identify a person.
	RequestID string
	Scope     memory.Scope // empty: PERSONAL if an owner is named, otherwise TEAM
	Target    string
	Strategy  markdown.Strategy
	Content   string
	Data      json.RawMessage // a JSON object; empty: no data
	Reason    string          // stored in the document's history
}

// Limits of a Request, in bytes. Content is bounded by MaxTemplateBytes, and rendered content by MaxRenderedBytes.
const (
	// MaxTarget is four times the limit of a path: names of data are longer than their values.
	MaxTarget = 1024
	// MaxData and a content of maximum size fit into one Temporal payload (client.MaxSigned), unless JSON escapes much
	// of them.
	MaxData = 1 << 20
)

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// ValidRequestID reports whether s is a valid RequestID.
func ValidRequestID(s string) bool { return requestIDPattern.MatchString(s) }

// Error reports which field of a Request is invalid and why, without repeating its value.
type Error struct {
	Field   string // name of the field in the API
	Problem string
	cause   error
}

func (e *Error) Error() string { return e.Field + ": " + e.Problem }

// Unwrap returns the typed error that caused this one, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Hash distinguishes different requests with the same id. It covers all fields, with the data in a normal form.
func (r Request) Hash() [32]byte {
	h := sha256.New()
	data, err := normalJSON(r.Data)
	if err != nil {
		data = r.Data
	}
	for _, part := range []string{string(r.Scope), r.Target, string(r.Strategy), r.Content, string(data), r.Reason} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes everything
		_, _ = io.WriteString(h, part)
	}
	return [32]byte(h.Sum(nil))
}

// Rendered is a request with its data inserted.
type Rendered struct{ Target, Content string }

// Render validates the request and inserts its data. Every error is a *Error.
func (r Request) Render() (Rendered, error) {
	switch {
	case !ValidRequestID(r.RequestID):
		return Rendered{}, &Error{Field: "requestId", Problem: "use 1 to 128 of A-Z, a-z, 0-9, ., _, : and -"}
	case r.Scope != "" && !r.Scope.Valid():
		return Rendered{}, &Error{Field: "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	case r.Target == "" || len(r.Target) > MaxTarget:
		return Rendered{}, &Error{Field: "target", Problem: fmt.Sprintf("name the document, in 1 to %d bytes", MaxTarget)}
	case !r.Strategy.Valid():
		return Rendered{}, &Error{Field: "strategy", Problem: "use append, replace_section, upsert_kv or overwrite"}
	}
	if err := memory.ValidContent(r.Content); err != nil {
		return Rendered{}, &Error{Field: "content", Problem: err.Error(), cause: err}
	}
	data, err := r.data()
	if err != nil {
		return Rendered{}, &Error{Field: "data", Problem: err.Error(), cause: err}
	}
	var out Rendered
	if out.Target, err = template.Render(r.Target, data); err != nil {
		return Rendered{}, &Error{Field: "target", Problem: err.Error(), cause: err}
	}
	if out.Content, err = template.Render(r.Content, data); err != nil {
		return Rendered{}, &Error{Field: "content", Problem: err.Error(), cause: err}
	}
	return out, nil
}

// data decodes Data for the templates. Numbers stay as written.
func (r Request) data() (map[string]any, error) {
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return map[string]any{}, nil
	}
	if len(r.Data) > MaxData {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", len(r.Data), MaxData)
	}
	value, err := decodeJSON(r.Data)
	object, is := value.(map[string]any)
	if err != nil || !is {
		return nil, errors.New("give a JSON object")
	}
	return object, nil
}

// normalJSON returns JSON without white space and with sorted names.
func normalJSON(raw json.RawMessage) ([]byte, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	value, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func decodeJSON(raw json.RawMessage) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the value")
	}
	return value, nil
}

// Outcomes of writes, besides OutcomeWritten and OutcomeUnchanged.
const (
	// OutcomeStaged means that the write was accepted and will be applied.
	OutcomeStaged memory.Outcome = "staged"
	// OutcomeRefused means that the write will not be applied. The reason code names the cause.
	OutcomeRefused memory.Outcome = "refused"
)

// Reason codes of refused writes.
const (
	RefusedTarget      memory.ReasonCode = "target_not_allowed" // WriteTargets do not include this document
	RefusedTeam        memory.ReasonCode = "team_member"        // the agent has a leader
	RefusedMemoryOff   memory.ReasonCode = "memory_off"
	RefusedQuarantined memory.ReasonCode = "quarantined" // by the scan
	RefusedTooLarge    memory.ReasonCode = "too_large"   // the document would exceed its limit
	RefusedForbidden   memory.ReasonCode = "forbidden"   // the credential lacks the permission
	RefusedKeyRevoked  memory.ReasonCode = "key_revoked"
	RefusedInvalid     memory.ReasonCode = "invalid" // breaks another rule for documents
)

// WriteReceipt is the result of a Request, the same for every interface. It has references and counts only, so that it
// may be part of workflow histories.
type WriteReceipt struct {
	Write      uuid.UUID         `json:"write"`
	RequestID  string            `json:"requestId"`
	Outcome    memory.Outcome    `json:"outcome"` // staged, written, unchanged or refused
	ReasonCode memory.ReasonCode `json:"reasonCode,omitempty"`
	Document   uuid.UUID         `json:"document,omitzero"`
	Version    int               `json:"version,omitempty"` // made by the write, or already up to date
	Created    bool              `json:"created,omitempty"`
	Added      int               `json:"added,omitempty"`   // lines
	Removed    int               `json:"removed,omitempty"` // lines
	Bytes      int               `json:"bytes,omitempty"`   // size of the document
	SHA256     string            `json:"sha256,omitempty"`  // of the document
	Token      string            `json:"token,omitempty"`   // of the journal entry
}
