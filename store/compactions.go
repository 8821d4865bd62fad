package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// Compaction is a summary of the beginning of a conversation. It is a view: the messages stay as they are.
type Compaction struct {
	ID              uuid.UUID
	Conversation    string // the client's id
	ConversationUID uuid.UUID
	Owner           memory.Owner
	OwnerID         uuid.UUID
	Window          int       // tokens of the window that it was made for; it serves smaller ones as well
	To              int64     // last message that it stands for; the first is 1
	Previous        uuid.UUID // whose summary it brings up to date; zero: none
	Done            int64     // how far the summary is
	Summary         string
	SummaryTokens   int
	TokensBefore    int // of what it stands for: the previous summary and the messages behind it
	TokensAfter     int // of the summary in its place
	Trigger         memory.CompactTrigger
	Outcome         memory.Outcome // running or written
	ReasonCode      memory.ReasonCode
	Model           string // "provider/model" or "builtin/extractive"
	PromptVersion   string
	Fallback        bool         // rules wrote (a part of) it because the model did not in time
	Receipts        []Flush      // the flushes that saved its messages, oldest first, without steps
	Usage           memory.Usage // of all attempts
	WorkflowID      string
	RunID           string
	StartedAt       time.Time
	FinishedAt      *time.Time
}

// CompactionRequest asks for one.
type CompactionRequest struct {
	Conversation uuid.UUID
	To           int64
	Trigger      memory.CompactTrigger
	Settings     memory.CompactSettings
	// Maker names the words and the engine that will write it: with them, the messages and the previous summary, it is known
	// whether the same summary is there already.
	Maker string
}

// SummaryPart is what the next step of a summary needs.
type SummaryPart struct {
	Compaction Compaction
	Agent      Agent
	Goal       string // the first user message of the conversation
	Summary    string // so far, or the previous one
	Messages   []memory.Message
	To         int64 // last message of this part
	Last       bool
}

// SummaryStep is a summary that has been brought up to date.
type SummaryStep struct {
	To            int64
	Summary       string
	SummaryTokens int
	TokensBefore  int // added to the record
	Model         string
	PromptVersion string
	Fallback      bool
	Usage         memory.Usage // of this attempt
}

// BeginCompaction opens a compaction, or finds the one that was made or is being made of the same contents. It returns
// *ConflictError with CodeNotFlushed when messages up to r.To are not flushed.
func (s *Store) BeginCompaction(ctx context.Context, id memory.Identity, r CompactionRequest) (Compaction, error) {
	return Compaction{}, nil
}

// LoadSummary reads the next part of an open compaction: messages of at most maxBytes, and one at least.
func (s *Store) LoadSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, maxBytes int) (SummaryPart, error) {
	return SummaryPart{}, nil
}

// SaveSummary keeps a summary that is brought up to date; the last part ends the compaction. A part that is done already changes
// nothing.
func (s *Store) SaveSummary(ctx context.Context, id memory.Identity, compaction uuid.UUID, step SummaryStep) (Compaction, error) {
	return Compaction{}, nil
}

// Compaction returns one record, with receipts.
func (s *Store) Compaction(ctx context.Context, id memory.Identity, compaction uuid.UUID) (Compaction, error) {
	return Compaction{}, nil
}

// Compactions lists those of a conversation, newest first, with summaries and receipts.
func (s *Store) Compactions(ctx context.Context, id memory.Identity, conversation string, p Page) (Listed[Compaction], error) {
	return Listed[Compaction]{}, nil
}
