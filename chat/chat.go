// Package chat is one turn of a conversation with memory at work: the context that a model is sent, and the loop from a message
// over the model and the memory tools to an answer that is stored.
package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/llm"
	"reverie/memory"
	"reverie/recall"
	"reverie/search"
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

// BudgetError says that the workspace has spent what it may spend on models in a day. The message is stored and may be sent again.
type BudgetError struct {
	Until time.Time // when the budget renews
}

func (e *BudgetError) Error() string { return "the workspace's budget for models is spent" }

// checkBudget refuses to begin what the workspace has no budget for. A turn that has begun is ended: it has bounded rounds.
func (t *turning) checkBudget(ctx context.Context) error {
	if t.Budget == (memory.Budget{}) {
		return nil
	}
	now := t.Service.now()
	used, err := t.Store.SpentToday(ctx, t.id, now)
	switch {
	case err != nil:
		return fmt.Errorf("turn: %w", err)
	case t.Budget.Spent(used):
		return &BudgetError{Until: memory.BudgetRenewal(now)}
	}
	return nil
}

// spent accounts for a call of the model at once, whatever becomes of the turn: what failed or was broken off has cost, too. An
// answer is not lost because its cost cannot be recorded.
func (t *turning) spent(ctx context.Context, r llm.ChatResponse) {
	t.turn.Usage = t.turn.Usage.Add(r.Usage)
	if r.Usage == (memory.Usage{}) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if err := t.Store.AddUsage(ctx, t.id, cmp.Or(r.Model, t.Model.Name()), r.Usage); err != nil {
		t.Log.WarnContext(ctx, "What a model call cost is not recorded", "error", err, "agent", t.agent.ID)
	}
}

// spoken are messages as the model is sent them: where several people talk, each of theirs begins with who said it.
func (a *assembly) spoken(messages []memory.Message) []memory.Message {
	if a.request.Speaker == memory.NoOwner {
		return messages
	}
	out := make([]memory.Message, len(messages))
	for i, m := range messages {
		out[i] = a.named(m)
	}
	return out
}

func (a *assembly) named(m memory.Message) memory.Message {
	if a.request.Speaker != memory.NoOwner && m.Role == memory.RoleOfUser && m.Name != "" && strings.TrimSpace(m.Content) != "" {
		m.Content = strings.Join(strings.Fields(m.Name), " ") + ": " + m.Content
	}
	return m
}

// sections are documents that have a section for each person of a group, as they were when they were found.
type sections map[sectioned]string

type sectioned struct {
	document uuid.UUID
	version  int
}

// sectionsOf reads the documents of results in which people of a group may have sections of their own.
func (a *assembly) sectionsOf(ctx context.Context, hits []recall.Hit) (sections, error) {
	all := sections{}
	for _, hit := range hits {
		source := hit.Source
		key := sectioned{source.ID, source.Version}
		if _, known := all[key]; known || hit.Corpus != search.Memory || hit.Path != memory.MemoryPath || source.Scope != memory.ScopePersonal {
			continue
		}
		version, err := a.Store.VersionOf(ctx, a.id.For(source.Agent, source.Owner), memory.Ref{Scope: source.Scope, Path: hit.Path}, source.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // what was erased meanwhile is nobody's
			return nil, err
		}
		all[key] = version.Content
	}
	return all, nil
}

// by is who of a group said what stands on a line of a result: the person of the section, or who sent the message.
func (s sections) by(hit recall.Hit, line int) memory.Owner {
	switch {
	case hit.Corpus == search.Memory:
		return memory.PersonAt(s[sectioned{hit.Source.ID, hit.Source.Version}], line)
	case hit.Message.Role == memory.RoleOfUser:
		return memory.SpeakerOf(hit.Message.Name)
	}
	return memory.NoOwner
}

// saidBy is a text with who said it in front; the same text where nobody is known to have.
func saidBy(person memory.Owner, text string) string {
	if person == memory.NoOwner {
		return text
	}
	return string(person) + ": " + text
}
