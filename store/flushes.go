package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Flush is the record of saving one range of messages before a compaction drops it. Ranges of a conversation follow each other
// without gaps and never overlap: each message is flushed by one flush.
type Flush struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	From, To        int64
	Done            int64          // last message that is accounted for; From-1 at first
	Outcome         memory.Outcome // running or waiting; written or nothing once it is acknowledged
	ReasonCode      memory.ReasonCode
	Fallback        bool        // rules flushed (a part of) it because the model did not in time
	Steps           []FlushStep // oldest first; none in lists
	Model           string      // the last one used
	Usage           memory.Usage
	WorkflowID      string
	RunID           string
	OpenedAt        time.Time
	AcknowledgedAt  *time.Time
}

// Acknowledged reports whether everything in the range is saved: it may be dropped from a context window.
func (f Flush) Acknowledged() bool { return f.AcknowledgedAt != nil }

// FlushStep is a part of a flush that was accounted for at once.
type FlushStep struct {
	From, To   int64
	Outcome    memory.Outcome    // written or nothing
	ReasonCode memory.ReasonCode // of nothing: why. "extracted": an extraction had taken the messages before.
	Engine     string            // "provider/model" or "builtin/extractive"; empty when none was asked
	Fallback   bool
	Scope      memory.Scope // of the note that it was written to
	Path       string
	Version    int
	Violations []memory.Violation // of what was refused before the step ended
}

// FlushLoad is what the next step of a flush needs.
type FlushLoad struct {
	Flush        Flush
	Agent        Agent
	Conversation Conversation
	Today        time.Time // now, in the agent's time zone
	Scope        memory.Scope
	From, To     int64 // of this step
	// Extracted says that an extraction has taken the messages of this step: there is nothing to do for it.
	Extracted             bool
	Messages              []memory.Message // as ExtractionLoad.Messages
	Profile, Memory, Note memory.Document
	Shared                string
	// Draft is the entry that the same run has saved for this step before it was cut.
	Draft *FlushDraft
}

// FlushDraft is what a step is about to append to today's note.
type FlushDraft struct {
	From, To      int64
	Scope         memory.Scope // of the note: FlushLoad.Scope
	Today         time.Time    // whose note it is: FlushLoad.Today
	Entry         string
	Lines         []memory.LineSource // from which messages the lines of the entry come
	Reason        string // the engine's, in words
	Model         string
	PromptVersion string
	Fallback      bool
	Usage         memory.Usage // of this attempt
}

// FlushEnd is how a step ends without an entry, or why the flush waits.
type FlushEnd struct {
	From, To      int64
	Outcome       memory.Outcome // nothing or waiting
	ReasonCode    memory.ReasonCode
	Model         string
	PromptVersion string
	Fallback      bool
	Violations    []memory.Violation // of an answer that was refused; of waiting: kept until the step ends
	Usage         memory.Usage
}

// FlushResult is how a flush stands after a step.
type FlushResult struct {
	Flush Flush
	// Stale says that an extraction has taken messages of the step meanwhile: nothing was written, load it again.
	Stale bool
}

// PlanFlush says what is to be flushed next so that everything up to a message is: the open flush of the conversation, whoever
// opened it and however far it goes, else a new one from behind the last to the message. It reports false when nothing is.
func (s *Store) PlanFlush(ctx context.Context, id memory.Identity, conversation uuid.UUID, to int64) (Flush, bool, error) {
	return Flush{}, false, nil
}

// BeginFlush makes the identity's workflow and run those of an open flush. An acknowledged one is returned as it is.
func (s *Store) BeginFlush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	return Flush{}, nil
}

// LoadFlush reads what the next step of an open flush needs: as many messages as fit one transcript (memory.Steps), behind those
// that are done. Messages in front of the extraction's cursor make a step of their own (Extracted).
func (s *Store) LoadFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, settings memory.ExtractSettings) (FlushLoad, error) {
	return FlushLoad{}, nil
}

// SaveFlushDraft keeps an entry for CommitFlush, in place of an earlier one.
func (s *Store) SaveFlushDraft(ctx context.Context, id memory.Identity, flush uuid.UUID, d FlushDraft) error {
	return nil
}

// CommitFlush appends the draft of a step to today's note and accounts for its messages, in one transaction; the last step
// acknowledges the flush. A step that is done already changes nothing. key is the idempotency key of the write.
func (s *Store) CommitFlush(ctx context.Context, id memory.Identity, flush uuid.UUID, from int64, key string) (FlushResult, error) {
	return FlushResult{}, nil
}

// EndFlushStep accounts for the messages of a step that has nothing to write, or sets the flush to wait.
func (s *Store) EndFlushStep(ctx context.Context, id memory.Identity, flush uuid.UUID, e FlushEnd) (FlushResult, error) {
	return FlushResult{}, nil
}

// Flush returns one record, with its steps.
func (s *Store) Flush(ctx context.Context, id memory.Identity, flush uuid.UUID) (Flush, error) {
	return Flush{}, nil
}

// Flushes lists those of a conversation, newest first.
func (s *Store) Flushes(ctx context.Context, id memory.Identity, conversation string, p Page) (Listed[Flush], error) {
	return Listed[Flush]{}, nil
}
