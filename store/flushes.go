package store

import (
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
	Reason        string              // the engine's, in words
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
