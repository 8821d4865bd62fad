// Package client is the Go client of Reverie: every operation of the HTTP API, and writes from Temporal workflows.
//
// A business process writes what it found out into a document of an agent, with one [Request]. There are three ways, which are one
// and the same at the other end: the same rules, the same [Receipt], and one write for one request id however often and whichever
// way it is asked for.
//
//	HTTP                  Client.Write               from any program; what a workflow does with it belongs into its activity
//	Nexus                 durable.WriteThroughNexus  from a workflow of another namespace (or the same one)
//	an activity of ours   durable.Write              from a workflow of the same namespace
//
// A workflow that calls us through Temporal sends no secret: its request carries the id of a key and a proof that it was made by
// somebody who knows the key's secret (see [Signer.Sign]). The request is stored in the caller's history, and in none of Reverie's.
//
// Package durable is apart, so that only programs with workflows get the Temporal SDK.
package client

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/uuid"
)

// Strategy selects how the content is merged into an existing document.
type Strategy string

const (
	// Append adds the content to the end, after exactly one blank line.
	Append Strategy = "append"
	// ReplaceSection replaces, for each section of the content, the section of the same heading and level, and adds those that are
	// not there to the end.
	ReplaceSection Strategy = "replace_section"
	// UpsertKeys sets keys ("key: value") and leaves every other line alone.
	UpsertKeys Strategy = "upsert_kv"
	// Overwrite replaces the document; the previous version stays in the history.
	Overwrite Strategy = "overwrite"
)

// Scope selects who reads the document.
type Scope string

const (
	// Personal documents are read by their owner only. It is the default of a request that names an owner.
	Personal Scope = "PERSONAL"
	// Team documents are read by everybody who uses the agent. It is the default of a request that names nobody.
	Team Scope = "TEAM"
	// Global documents are read by all agents of the workspace; only admin keys write them.
	Global Scope = "GLOBAL"
)

// Request describes a write. Target and Content are Mustache templates over Data: {{customer.name}} inserts a value,
// {{#items}}…{{/items}} for each of a list. There is no HTML escaping and there are no partials; what Data lacks is left out.
type Request struct {
	// RequestID makes a repeated request one write: 1 to 128 of A-Z, a-z, 0-9, ".", "_", ":" and "-". Take what names the work that
	// is being done, such as "close-case-41": a retry then sends the same. It becomes part of workflow ids, so it must not
	// say anything about a person.
	RequestID string `json:"requestId"`
	Agent     string `json:"agent"`
	// Owner names the owner of the memory, such as "user:7" or "api:42"; empty: no owner.
	Owner    string   `json:"owner,omitempty"`
	Scope    Scope    `json:"scope,omitempty"`
	Target   string   `json:"target"` // path of a document, such as memory/cases/{{id}}.md; at most 1,024 bytes
	Strategy Strategy `json:"strategy"`
	Content  string   `json:"content"` // Markdown; at most 256 KiB, and with the data in it 1 MiB
	// Data is a JSON object, at most 1 MiB of it: see [Data]. Through Temporal, the whole request has at most MaxSigned bytes.
	Data   json.RawMessage `json:"data,omitempty"`
	Reason string          `json:"reason,omitempty"` // recorded in the document's history; at most 2,000 bytes
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// validate finds faults that the server would refuse.
func (r Request) validate() error {
	if !requestIDPattern.MatchString(r.RequestID) {
		return fmt.Errorf("request id %q: use 1 to 128 of A-Z, a-z, 0-9, ., _, : and -", r.RequestID)
	}
	if r.Agent == "" {
		return fmt.Errorf("request %s names no agent", r.RequestID)
	}
	return nil
}

// Data encodes the data of a request: a value that encoding/json writes as an object, such as a struct or a map. It fails for values
// that JSON cannot hold.
func Data(value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return raw, nil
}

// Outcome is the result of a request.
type Outcome string

const (
	// Staged means that it is accepted and will be written or refused: ask again, with the same request, or with [Client.Receipt].
	Staged Outcome = "staged"
	// Written means that the document has a new version.
	Written Outcome = "written"
	// Unchanged means that the document had this content already.
	Unchanged Outcome = "unchanged"
	// Refused means that it will not be written; ReasonCode names the reason.
	Refused Outcome = "refused"
)

// Reason codes of refused requests.
const (
	TargetNotAllowed = "target_not_allowed" // business processes may not write this document of this agent
	TeamMember       = "team_member"        // the agent belongs to another one's team: write its leader's memory
	MemoryOff        = "memory_off"         // memory is switched off for the agent
	Quarantined      = "quarantined"        // the text tries to instruct the agent
	TooLarge         = "too_large"          // the document would be larger than 1 MiB
	Forbidden        = "forbidden"          // the key may not write it (any more)
	KeyRevoked       = "key_revoked"        // the key was revoked before it was written
	Invalid          = "invalid"            // against another rule of documents
)

// Receipt is the result of a request. It holds ids, counts and codes, and no content.
type Receipt struct {
	Write      uuid.UUID `json:"write"`
	RequestID  string    `json:"requestId"`
	Outcome    Outcome   `json:"outcome"`
	ReasonCode string    `json:"reasonCode,omitempty"`
	Document   uuid.UUID `json:"document,omitzero"`
	Version    int       `json:"version,omitempty"` // that it made, or that said so already
	Created    bool      `json:"created,omitempty"` // the document is new
	Added      int       `json:"added,omitempty"`   // lines
	Removed    int       `json:"removed,omitempty"` // lines
	Bytes      int       `json:"bytes,omitempty"`   // size of the document
	SHA256     string    `json:"sha256,omitempty"`  // of the document, in hex
	Token      string    `json:"token,omitempty"`   // of the journal's entry: a read that carries it sees at least this write
}

// Err returns a [*RefusedError] if the request was refused, else nil.
func (r Receipt) Err() error {
	if r.Outcome != Refused {
		return nil
	}
	return &RefusedError{RequestID: r.RequestID, ReasonCode: r.ReasonCode}
}

// RefusedError means that a request was understood and is not written. Sending it again gives the same answer.
type RefusedError struct{ RequestID, ReasonCode string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("write %s was refused: %s", e.RequestID, e.ReasonCode)
}
