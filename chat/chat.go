// Package chat is one turn of a conversation with memory at work: the context that a model is sent, and the loop from a message
// over the model and the memory tools to an answer that is stored.
package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
	"reverie/toolbox"
	"reverie/window"
)

// Compactor has conversations flushed and compacted, by workflows.
type Compactor interface {
	// Compact flushes and summarises a conversation up to a message, and waits for it. It is done once, however many ask. The
	// error wraps ErrUnreachable when workflows cannot be reached, and ErrStillRunning when ctx ended first: the work goes on.
	Compact(ctx context.Context, r CompactRequest) error
	// Flush does the same with the flush alone.
	Flush(ctx context.Context, r CompactRequest) error
	// FlushSoon and CompactSoon start either and wait for nothing. What cannot be started is due again at the next turn.
	FlushSoon(ctx context.Context, r CompactRequest)
	CompactSoon(ctx context.Context, r CompactRequest)
}

// Errors of a Compactor.
var (
	ErrUnreachable  = errors.New("workflows cannot be reached")
	ErrStillRunning = errors.New("the compaction is still running")
)

// CompactRequest says what to flush or compact.
type CompactRequest struct {
	Owner        memory.OwnerRef
	Conversation uuid.UUID
	To           int64 // last message
	Trigger      memory.CompactTrigger
	Settings     memory.CompactSettings
}

// Options are what turns are made with. Model may be nil: answers come from memory alone.
type Options struct {
	Store     *store.Store
	Search    *recall.Searcher
	Tools     *toolbox.Box
	Compactor Compactor
	Model     llm.Chatter
	MaxTokens int // of one answer
	// RecallPatience bounds the search of a turn; 0: a second. Tests, whose machine may be slow, have more.
	RecallPatience time.Duration
	Settings       memory.WindowSettings
	Extract        memory.ExtractSettings
	Budget         memory.Budget // of the workspace; spent, no model is asked
	// Stored is told what a turn stored, to signal its extraction.
	Stored func(ctx context.Context, id memory.Identity, agent store.Agent, conversation string, stored store.Stored)
	// Observe is told every turn that ended, for metrics; nil: nobody is.
	Observe func(Taken)
	Now     func() time.Time
	Log     *slog.Logger
}

// Service makes contexts and turns. It is safe for concurrent use.
type Service struct{ Options }

// ContextRequest asks what a model is to be sent.
type ContextRequest struct {
	Conversation string // the client's id; one that does not exist yet is empty
	Message      string // the current one
	Tools        []window.Tool
	Model        string // whose tokens are counted; empty: the configured one
	MaxTokens    int    // of the window; 0: the agent's setting
	// NoWait sends what fits without waiting for a summary: what has to be flushed first is, by rules.
	NoWait bool
	Name   string // of the speaker
	// Speaker is who says Message, where the owner is a group: what people say is then sent with who said it.
	Speaker memory.Owner
	// Emergency is how often the model has said that the context is too long.
	Emergency int
}

// Context is what a model is to be sent, and why.
type Context struct {
	window.Result

	Counter    llm.TokenCounter
	Model      string
	Recalled   []Recalled
	Skipped    string // why nothing was recalled: trivial, off, disabled, nothing, unavailable; empty: something was
	Compaction *store.Compaction
	Flushing   bool // a flush was started
}

// Recalled is a passage that is in the context, and where it comes from. Its Snippet is what the model is shown of it, unescaped.
type Recalled struct {
	recall.Hit

	Line   int          // where the first line that is shown stands
	Tokens int          // of the snippet
	Person memory.Owner // who said it, in a group; of several people, the first
}

// TurnRequest is a message to answer.
type TurnRequest struct {
	Conversation string // the client's id; made when it is new; empty: one is made up
	// MessageID is the client's id of the message; empty: one is made. A turn that has an answer is not taken again: whoever sends
	// the message once more gets what is stored.
	MessageID string
	Message   string
	Name      string // of the speaker
	// Speaker is who speaks, where the owner is a group; see toolbox.Caller.
	Speaker   memory.Owner
	Trigger   memory.Trigger
	Model     string
	MaxTokens int // of the window
}

// Turn is an answer.
type Turn struct {
	Conversation string
	MessageID    string // of the user's message
	AnswerID     string
	Answer       string         // what the model said last
	Remembered   *toolbox.Saved // the message asked to remember something, and no model was asked
	Context      Context        // of the last model call
	Quoted       []Recalled     // without a model: the statements that the answer quotes, each as a passage of its own
	Calls        []ToolUse
	Rounds       int // model calls
	Usage        memory.Usage
	Model        string // who answered: a model, "builtin/recall" or "builtin/remember"; empty when a model's answer is replayed
	Finish       string // stop, length, tool_limit
	Stored       store.Stored
	Replayed     bool // the answer was there already
}

// ToolUse is one call of a tool in a turn.
type ToolUse struct {
	Call   memory.ToolCall
	Result toolbox.Result
	Took   time.Duration
}

// Event is something that happens in a turn, told while it does. Exactly one field is set.
type Event struct {
	Context *Context // the context was made
	Text    string   // a part of the answer, or of what the model says before it calls tools
	Reset   bool     // the text so far is void: another one follows
	Call    *memory.ToolCall
	Result  *ToolUse
}
