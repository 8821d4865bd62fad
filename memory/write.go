package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/google/uuid"
)

// WriteRequest is what a business process asks to have written. Target and Content are templates over Data.
type WriteRequest struct {
	// RequestID makes a repeated request one write: 1 to 128 of A-Z, a-z, 0-9, ".", "_", ":" and "-". It is opaque to us and
	// stands in the ids of workflows, so that it must say nothing about a person.
	RequestID string
	Scope     Scope // empty: PERSONAL when an owner is named, else TEAM
	Target    string
	Strategy  Strategy
	Content   string
	Data      json.RawMessage // a JSON object; empty: no data
	Reason    string          // stands in the document's history
}

// Limits of a WriteRequest, in bytes. Content is bounded as templates are (MaxTemplateBytes), and with the data in it as documents are.
const (
	// MaxWriteTarget is four times what a path may have: names of data take more room than what they stand for.
	MaxWriteTarget = 1024
	// MaxWriteData and a content at its limit travel through Temporal together (client.MaxSigned), unless JSON escapes much of them.
	MaxWriteData = 1 << 20
)

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// ValidRequestID reports whether s can be the id of a request to write.
func ValidRequestID(s string) bool { return requestIDPattern.MatchString(s) }

// WriteError says which part of a WriteRequest cannot be used and why, and repeats nothing of it.
type WriteError struct {
	Field   string // as the API names it
	Problem string
	cause   error
}

func (e *WriteError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap returns the typed error behind it, if there is one.
func (e *WriteError) Unwrap() error { return e.cause }

// Hash tells requests apart that use the same id: of everything that was asked for, with the data in a normal form.
func (r WriteRequest) Hash() [32]byte {
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

// Rendered is a request with its data in it.
type Rendered struct{ Target, Content string }

// Render checks the request and puts its data in. Every error is a *WriteError.
func (r WriteRequest) Render() (Rendered, error) {
	switch {
	case !ValidRequestID(r.RequestID):
		return Rendered{}, &WriteError{Field: "requestId", Problem: "use 1 to 128 of A-Z, a-z, 0-9, ., _, : and -"}
	case r.Scope != "" && !r.Scope.Valid():
		return Rendered{}, &WriteError{Field: "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	case r.Target == "" || len(r.Target) > MaxWriteTarget:
		return Rendered{}, &WriteError{Field: "target", Problem: fmt.Sprintf("name the document, in 1 to %d bytes", MaxWriteTarget)}
	case !r.Strategy.Valid():
		return Rendered{}, &WriteError{Field: "strategy", Problem: "use append, replace_section, upsert_kv or overwrite"}
	}
	if err := ValidContent(r.Content); err != nil {
		return Rendered{}, &WriteError{Field: "content", Problem: err.Error(), cause: err}
	}
	data, err := r.data()
	if err != nil {
		return Rendered{}, &WriteError{Field: "data", Problem: err.Error(), cause: err}
	}
	var out Rendered
	if out.Target, err = Render(r.Target, data); err != nil {
		return Rendered{}, &WriteError{Field: "target", Problem: err.Error(), cause: err}
	}
	if out.Content, err = Render(r.Content, data); err != nil {
		return Rendered{}, &WriteError{Field: "content", Problem: err.Error(), cause: err}
	}
	return out, nil
}

// data is the object that the templates see. Numbers stay as they were written.
func (r WriteRequest) data() (map[string]any, error) {
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return map[string]any{}, nil
	}
	if len(r.Data) > MaxWriteData {
		return nil, fmt.Errorf("%d bytes, at most %d are allowed", len(r.Data), MaxWriteData)
	}
	value, err := decodeJSON(r.Data)
	object, is := value.(map[string]any)
	if err != nil || !is {
		return nil, errors.New("give a JSON object")
	}
	return object, nil
}

// normalJSON writes JSON without spaces and with sorted names.
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
		return nil, errors.New("there is more behind the value")
	}
	return value, nil
}

// Outcomes of a write that only they have; the other ones are OutcomeWritten and OutcomeUnchanged.
const (
	// OutcomeStaged means that it is accepted and will be written.
	OutcomeStaged Outcome = "staged"
	// OutcomeRefused means that it is not written and will not be; the reason code says why.
	OutcomeRefused Outcome = "refused"
)

// Why a write was refused.
const (
	RefusedTarget      ReasonCode = "target_not_allowed" // business processes may not write this document
	RefusedTeam        ReasonCode = "team_member"        // the agent names a leader
	RefusedMemoryOff   ReasonCode = "memory_off"
	RefusedQuarantined ReasonCode = "quarantined" // by the scan
	RefusedTooLarge    ReasonCode = "too_large"   // the document would be
	RefusedForbidden   ReasonCode = "forbidden"   // the credential may not (any more)
	RefusedKeyRevoked  ReasonCode = "key_revoked"
	RefusedInvalid     ReasonCode = "invalid" // against another rule of documents
)

// WriteReceipt is the answer to a WriteRequest, the same whichever way it came. It carries references and counts only, so that
// it may stand in histories.
type WriteReceipt struct {
	Write      uuid.UUID  `json:"write"`
	RequestID  string     `json:"requestId"`
	Outcome    Outcome    `json:"outcome"` // staged, written, unchanged or refused
	ReasonCode ReasonCode `json:"reasonCode,omitempty"`
	Document   uuid.UUID  `json:"document,omitzero"`
	Version    int        `json:"version,omitempty"` // that it made, or that says so already
	Created    bool       `json:"created,omitempty"`
	Added      int        `json:"added,omitempty"`   // lines
	Removed    int        `json:"removed,omitempty"` // lines
	Bytes      int        `json:"bytes,omitempty"`   // size of the document
	SHA256     string     `json:"sha256,omitempty"`  // of the document
	Token      string     `json:"token,omitempty"`   // of the journal's entry
}
