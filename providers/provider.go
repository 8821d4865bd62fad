// Package providers composes an agent's memory of several sources when it is read: the sources of this server, and those that other
// programs keep. Sources are asked at once, each within its time; one that fails or is slow is left out, and never fails a context or
// a search. What other programs answer is data: bounded, scanned and labelled like every foreign text.
package providers

import (
	"context"
	"encoding/json"
	"time"

	"reverie/memory"
	"reverie/recall"
	"reverie/store/facts"
)

// Provider is a source of memory. The other interfaces of this package that it implements say what it can do.
type Provider interface {
	// ID names the provider in settings, as a corpus, and in front of what it recalls.
	ID() string
	// Order is its place among others, smallest first.
	Order() int
}

// Recaller recalls memory for a context.
type Recaller interface {
	Provider
	// Recall returns what belongs into the context of a turn, whatever its message says and because of it.
	Recall(ctx context.Context, t Turn) (Recollection, error)
}

// Searcher searches memory, as a corpus with the provider's id.
type Searcher interface {
	Provider
	Search(ctx context.Context, q Query) ([]Passage, error)
}

// Warmer prepares a provider, so that the first turn does not wait for it, and reports whether it is available.
type Warmer interface {
	Provider
	Warm(ctx context.Context) error
}

// Follower gets what happens to an agent's memory, in order, and again until it accepts it. It never slows what happens.
type Follower interface {
	Provider
	// Follow takes an event. One that it gets again has the same ID. An *Error with Refused means that it will never take it.
	Follow(ctx context.Context, e Event) error
}

// Forgetter deletes what it has of a person.
type Forgetter interface {
	Provider
	Forget(ctx context.Context, who Who) error
}

// ConversationForgetter deletes what it has of one conversation of a person. It is another operation than that of Forgetter, so that a
// program that does not know it cannot delete everything of the person instead.
type ConversationForgetter interface {
	Provider
	ForgetConversation(ctx context.Context, c Conversation) error
}

// Conversation is a conversation that is deleted.
type Conversation struct {
	Who

	ID string `json:"conversation"` // the client's
	// KeepLearned means that only its messages are deleted here, and what was learned from them stays.
	KeepLearned bool `json:"keepLearned,omitempty"`
}

// Tooler has tools for models.
type Tooler interface {
	Provider
	Tools(ctx context.Context) ([]Tool, error)
	// Use calls a tool. Its arguments are an object that fits the tool's parameters.
	Use(ctx context.Context, who Who, conversation, tool string, arguments json.RawMessage) (string, error)
}

// Tool is a tool of a provider.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema of an object
}

// Who says whose memory is asked. It comes from the credential of a request, never from what a model or a provider says.
type Who struct {
	Workspace string `json:"workspace"`
	Agent     string `json:"agent"`
	// Owner is the opaque id of a person; empty: nobody, or a person of whom nothing is stored. Then only shared memory may be answered.
	Owner string `json:"owner,omitempty"`
	// Key is the owner for providers of this program. It may be a phone number: no other program gets it.
	Key memory.Owner `json:"-"`
}

// Turn is a message that a context is made for.
type Turn struct {
	Who
	Conversation string
	Message      string
	Limit        int // passages
	// Own holds the memory that this server has read for the turn; the built-in sources recall parts of it.
	Own Recollection
}

// Query is a search.
type Query struct {
	Who
	Text  string
	Limit int
}

// Recollection holds the passages that a source recalls.
type Recollection struct {
	// Documents, Standing and Hits are of the built-in sources: documents of the system prompt, facts that are recalled whatever the
	// message says, and what matches it.
	Documents []memory.Document
	Standing  []facts.Fact
	Hits      []recall.Hit
	// Block is recalled by other programs whatever the message says, Passages because of the message.
	Block    []Passage
	Passages []Passage
}

// Passage is a text that another program remembers.
type Passage struct {
	Text   string    `json:"text"`
	Source string    `json:"source,omitempty"` // where it was found, for people
	Score  *float64  `json:"score,omitempty"`  // 0 to 1; nil: by its place
	At     time.Time `json:"at,omitzero"`      // when it was said or written
}

// Failure is the reason why a provider has not answered. It contains nothing of what it has said.
type Failure string

// Reasons.
const (
	FailedTimeout    Failure = "timeout"    // no answer in time
	FailedConnection Failure = "connection" // it was refused, reset, or ended within an answer
	FailedStatus     Failure = "status"     // an HTTP status that is not a success, or an error of the tool
	FailedMalformed  Failure = "malformed"  // the answer does not have its form
	FailedTooLarge   Failure = "too_large"  // the answer has more bytes than are read
	FailedCooling    Failure = "cooling"    // it was not asked, because it has failed several times
)

// Error is a Failure as an error. It may be repeated at once if Again is set, and will be the same every time if Refused is set.
type Error struct {
	Failure        Failure
	Again, Refused bool
	Status         int // of HTTP; 0: there was none
}

func (e *Error) Error() string { return "the provider failed: " + string(e.Failure) }
