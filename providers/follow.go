package providers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/deletion"
	"reverie/store/gate"
)

// FollowKinds are the kinds of events that providers can follow. A flush is acknowledged before its messages may leave a window.
var FollowKinds = []gate.EventKind{
	gate.EventTurnStarted, gate.EventTurnCompleted, gate.EventFlushAcknowledged, gate.EventDocumentWritten, gate.EventDocumentDeleted,
	gate.EventDocumentUndeleted,
}

// Event is something that has happened to an agent's memory, with what it is about.
type Event struct {
	Who
	ID   string         `json:"id"` // the same in every attempt
	Kind gate.EventKind `json:"kind"`
	At   time.Time      `json:"at"`
	// Of a turn or a range of messages. Messages are those of the user and the assistant, without secrets.
	Conversation string         `json:"conversation,omitempty"`
	Trigger      memory.Trigger `json:"trigger,omitempty"`
	From         int64          `json:"from,omitempty"`
	To           int64          `json:"to,omitempty"`
	Messages     []Said         `json:"messages,omitempty"`
	// Of a document. Text is its content in this version; empty if it was deleted, or erased since.
	Scope   memory.Scope `json:"scope,omitempty"`
	Path    string       `json:"path,omitempty"`
	Version int          `json:"version,omitempty"`
	Text    string       `json:"text,omitempty"`
	// Added are the statements of Text that the version before does not have; Learned means that an extraction has learned them from a
	// conversation.
	Added   []string `json:"added,omitempty"`
	Learned bool     `json:"learned,omitempty"`
	// Cut means that words are left out, because there are too many.
	Cut bool `json:"cut,omitempty"`
}

// Said is a message of a conversation.
type Said struct {
	Seq  int64     `json:"seq"`
	Role string    `json:"role"`
	Name string    `json:"name,omitempty"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// followTime is the least time limit of a delivery: nobody waits for it.
const followTime = 10 * time.Second

// Followers returns the providers that follow what happens.
func (s *Set) Followers() (all []Outside) {
	if s == nil {
		return nil
	}
	for _, g := range s.guards {
		if slices.Contains(g.Operations, OpFollow) {
			all = append(all, g.Outside)
		}
	}
	return all
}

// Follows returns the kinds of events that a provider gets of an agent; none if the agent does not have it.
func (s *Set) Follows(id, agent string, settings setting.AgentSettings) []gate.EventKind {
	for _, g := range s.of(agent, settings, OpFollow) {
		if g.ID() == id {
			if g.Kinds != nil {
				return g.Kinds
			}
			return FollowKinds
		}
	}
	return nil
}

// HasFollower reports whether an agent has a provider that follows what happens, unless its settings disable it.
func (s *Set) HasFollower(id, agent string) bool {
	return len(s.Follows(id, agent, setting.AgentSettings{})) > 0
}

// Follow gives a provider an event. The error is an *Error, or that of ctx.
func (s *Set) Follow(ctx context.Context, id string, e Event) error {
	return s.once(ctx, id, OpFollow, func(ctx context.Context, p Provider) error {
		return p.(Follower).Follow(ctx, e) //nolint:forcetypeassert // it has the operation
	})
}

// Reasons why a program has not deleted what it has of a person, besides those of every Failure.
const (
	CannotForget Failure = "unsupported" // it has no operation for it
	OnlyArchived Failure = "archived"    // it no longer shows it, and still has it
)

// Forget asks every provider of an agent to delete what it has of a person, of an agent without one, and returns their answers.
func (s *Set) Forget(ctx context.Context, who Who) ([]deletion.Outside, error) {
	return s.forget(ctx, who.Agent, OpForget, func(ctx context.Context, p Provider) error {
		return p.(Forgetter).Forget(ctx, who) //nolint:forcetypeassert // it has the operation
	})
}

// ForgetConversation asks every provider of an agent to delete what it has of a conversation, and returns their answers.
func (s *Set) ForgetConversation(ctx context.Context, c Conversation) ([]deletion.Outside, error) {
	return s.forget(ctx, c.Agent, OpForgetConversation, func(ctx context.Context, p Provider) error {
		return p.(ConversationForgetter).ForgetConversation(ctx, c) //nolint:forcetypeassert // it has the operation
	})
}

// forget asks every provider of an agent that has an operation, and names those that do not have it.
func (s *Set) forget(
	ctx context.Context, agent, operation string, do func(context.Context, Provider) error,
) (all []deletion.Outside, err error) {
	if s == nil {
		return nil, nil
	}
	for _, g := range s.guards {
		if !g.has(agent) {
			continue
		}
		f := deletion.Outside{Place: g.ID()}
		if slices.Contains(g.Operations, operation) {
			err := s.once(ctx, g.ID(), operation, do)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.Deleted, f.Reason = err == nil, string(failureOf(err))
		} else {
			f.Reason = string(CannotForget)
		}
		all = append(all, f)
	}
	return all, nil
}

// once asks a provider once. The caller tries again; the breaker of questions does not count it.
func (s *Set) once(ctx context.Context, id, operation string, do func(context.Context, Provider) error) error {
	at := slices.IndexFunc(s.guards, func(g *guard) bool { return g.ID() == id && slices.Contains(g.Operations, operation) })
	if at < 0 {
		return &Error{Failure: FailedConnection}
	}
	g, began := s.guards[at], time.Now()
	within, cancel := context.WithTimeout(ctx, max(cmp.Or(g.Timeout, DefaultTimeout), followTime))
	defer cancel()
	err := do(within, g.Provider)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := failureOf(err)
	if s.Observe != nil {
		s.Observe(Call{g.ID(), operation, failed, 0, time.Since(began)})
	}
	if err != nil && !errors.As(err, new(*Error)) {
		err = &Error{Failure: failed}
	}
	return err
}
