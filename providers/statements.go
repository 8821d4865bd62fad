package providers

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"reverie/backend"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
	"reverie/toolbox"
)

// Backend is the id of the provider that brings what extractions learn to external MCP servers.
const Backend = "memory-backend"

// statements brings what extractions learn to the external MCP servers of statements, which contexts and tools read themselves.
type statements struct{ *toolbox.Box }

// Statements returns a provider by which the servers of box.Backend get what is learned from conversations.
func Statements(box *toolbox.Box) Outside {
	return Outside{Provider: statements{box}, Kinds: []gate.EventKind{gate.EventDocumentWritten}}
}

// ID implements Provider.
func (statements) ID() string { return Backend }

// Order implements Provider.
func (statements) Order() int { return DefaultOrder }

// Follow implements Follower.
func (s statements) Follow(ctx context.Context, e Event) error {
	if !e.Learned || e.Scope != memory.ScopePersonal || len(e.Added) == 0 {
		return nil
	}
	id := memory.Identity{Workspace: e.Workspace, Agent: e.Agent, Owner: e.Key, Role: memory.RoleMember}
	agent, err := s.Store.Agent(ctx, id)
	if err != nil {
		return err
	}
	return failureOfBackend(s.Learned(ctx, toolbox.Caller{Identity: id, Agent: agent, Key: "event/" + e.ID}, e.Added))
}

// Forget implements Forgetter. The protocol of the servers cannot delete rows: they are archived, and the deletion says so.
func (s statements) Forget(ctx context.Context, who Who) error {
	owner, err := uuid.Parse(who.Owner)
	if err != nil { // the rows of a whole agent are those of owners that nobody lists
		return &Error{Failure: CannotForget, Refused: true}
	}
	served, err := s.ArchiveOutside(ctx, memory.Identity{Workspace: who.Workspace, Agent: who.Agent, Owner: who.Key}, owner)
	if err != nil || !served {
		return failureOfBackend(err)
	}
	return &Error{Failure: OnlyArchived, Refused: true}
}

// failureOfBackend translates a failure of a server. A server that keeps nothing of the owner has not failed.
func failureOfBackend(err error) error {
	f, is := errors.AsType[*backend.Failure](err)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case !is:
		return err
	case f.Kind == backend.Absent:
		return nil
	case f.Kind == backend.Timeout:
		return &Error{Failure: FailedTimeout}
	case f.Kind == backend.CircuitOpen:
		return &Error{Failure: FailedCooling}
	case f.Kind == backend.InvalidPayload:
		return &Error{Failure: FailedMalformed, Status: f.Status}
	case f.Kind == backend.Refused, f.Kind == backend.Unsupported:
		return &Error{Failure: FailedStatus, Refused: true, Status: f.Status}
	}
	return &Error{Failure: FailedConnection, Status: f.Status}
}
