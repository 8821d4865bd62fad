// Package chat runs one turn of a conversation with memory: it builds the context for the model, and loops from the
// message over model and memory tools to a stored answer.
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
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/recall"
	"reverie/search"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/window"
)

// Compactor flushes and compacts conversations by workflows.
type Compactor interface {
	// Compact flushes and summarises a conversation up to a message, and waits for it. Concurrent requests share one
	// execution. The error wraps ErrUnreachable if workflows cannot be reached, and ErrStillRunning if ctx ended
	// first: the work continues.
	Compact(ctx context.Context, r CompactRequest) error
	// Flush does the same without the summary.
	Flush(ctx context.Context, r CompactRequest) error
	// FlushSoon and CompactSoon start either without waiting. What cannot be started is due again at the next turn.
	FlushSoon(ctx context.Context, r CompactRequest)
	CompactSoon(ctx context.Context, r CompactRequest)
}

// Errors of a Compactor.
var (
	ErrUnreachable  = errors.New("workflows cannot be reached")
	ErrStillRunning = errors.New("the compaction is still running")
)

// CompactRequest identifies what to flush or compact.
type CompactRequest struct {
	Owner        memory.OwnerRef
	Conversation uuid.UUID
	To           int64 // last message
	Trigger      memory.CompactTrigger
	Settings     setting.CompactSettings
}

// Options configures the service. Model may be nil: answers then come from memory alone.
type Options struct {
	Store     *store.Store
	Search    *recall.Searcher
	Tools     *toolbox.Box
	Compactor Compactor
	Providers *providers.Set // of other programs; nil: none
	Model     llm.Chatter
	MaxTokens int // per answer
	// RecallPatience bounds the search of a turn; 0: one second. Tests use more because their machine may be slow.
	RecallPatience time.Duration
	Settings       setting.WindowSettings
	Extract        setting.ExtractSettings
	Budget         memory.Budget // of the workspace; when it is spent, no model is asked
	Models         setting.ModelSettings
	// Stored is called with what a turn stored, to signal its extraction.
	Stored func(ctx context.Context, id memory.Identity, agent gate.Agent, conversation string, stored talk.Stored)
	// Observe is called with every turn that ended, for metrics; may be nil.
	Observe func(Taken)
	Now     func() time.Time
	Log     *slog.Logger
}

// Service builds contexts and runs turns. It is safe for concurrent use.
type Service struct{ Options }

// ContextRequest asks for the context to send to a model.
type ContextRequest struct {
	Conversation string // the client's id; a conversation that does not exist yet is empty
	Message      string // the current message
	Tools        []window.Tool
	Model        string // whose tokenizer is used; empty: the configured model
	MaxTokens    int    // of the window; 0: the agent's setting
	// NoWait returns what fits without waiting for a summary. Messages that must be flushed first are flushed by
	// rules.
	NoWait bool
	Name   string // of the speaker
	// Speaker sent Message, if the owner is a group. Messages are then sent to the model with their speakers.
	Speaker memory.Owner
	// Emergency counts how often the model has refused the context as too long.
	Emergency int
	// AsOf makes the context of what was known then: documents, facts and what was said. It has no conversation, and is not recorded.
	// Zero: now.
	AsOf time.Time
}

// Context is the model's input for a turn, and how it was built.
type Context struct {
	window.Result

	Counter    llm.TokenCounter
	Model      string
	Recalled   []Recalled
	Asked      []providers.Recalled // what providers of other programs have recalled; those of its passages that fit are in Recalled
	Skipped    string               // why nothing matches the message: trivial, off, disabled, nothing, unavailable; empty if something does
	Injection  uuid.UUID            // record of what was chosen; zero for a context of the past
	Compaction *talk.Compaction
	Flushing   bool // a flush was started
}

// Recalled is a passage in the context, with its source. The model is shown its Snippet, escaped.
type Recalled struct {
	recall.Hit

	Line   int          // line number of the first line shown
	Tokens int          // tokens of the snippet
	Person memory.Owner // in a group, who said it; the first of several people
	Layer  window.Layer
	Fact   uuid.UUID // zero for what was found by searching
}

// TurnRequest is a message to answer.
type TurnRequest struct {
	Conversation string // the client's id, created if new; empty: generated
	// MessageID is the client's id of the message; empty: generated. A message that was answered is not processed
	// again: sending it again returns the stored answer.
	MessageID string
	Message   string
	Name      string // of the speaker
	// Speaker sent Message, if the owner is a group; see toolbox.Caller.
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
	Answer       string             // the model's last text
	Remembered   *toolbox.Saved     // set if the message asked to remember something; no model was asked
	Forgotten    *toolbox.Forgotten // set if the message asked to forget something, and it was; no model was asked
	Context      Context            // of the last model call
	Quoted       []Recalled         // without a model: the quoted statements, each as a separate passage
	Calls        []ToolUse
	Rounds       int // model calls
	Usage        memory.Usage
	Model        string // a model, "builtin/recall" or "builtin/remember"; empty when a model's answer is replayed
	Finish       string // stop, length, tool_limit
	Stored       talk.Stored
	Replayed     bool // the answer was already stored
}

// ToolUse is one call of a tool in a turn.
type ToolUse struct {
	Call   memory.ToolCall
	Result toolbox.Result
	Took   time.Duration
}

// Event reports progress during a turn. Exactly one field is set.
type Event struct {
	Context *Context // the context is ready
	Text    string   // a part of the answer, or of the model's text before tool calls
	Reset   bool     // discard the text so far: a new one follows
	Call    *memory.ToolCall
	Result  *ToolUse
}

// BudgetError means that the workspace or the agent has spent its daily model budget, or that the agent's use of models is paused. The
// message is stored and may be sent again.
type BudgetError struct{ setting.Halt }

func (e *BudgetError) Error() string { return e.Reason }

// CheckBudget refuses to start a turn for which no model may be asked (*BudgetError). A turn that has started is completed: its rounds
// are bounded.
func (s *Service) CheckBudget(ctx context.Context, id memory.Identity) error {
	now := s.now()
	use, err := s.Store.ModelUse(ctx, id, now)
	if err != nil {
		return fmt.Errorf("turn: %w", err)
	}
	if why := s.Models.With(use.Settings).Halt(s.Budget, use.Workspace, use.Agent, now); why != (setting.Halt{}) {
		return &BudgetError{why}
	}
	return nil
}

// spent records the cost of a model call at once, even if the turn fails later.
func (t *turning) spent(ctx context.Context, r llm.ChatResponse) {
	t.turn.Usage = t.turn.Usage.Add(r.Usage)
	t.Spend(ctx, t.id, cmp.Or(r.Model, t.Model.Name()), r.Usage)
}

// Spend records the cost of a model call, also when ctx has ended. A failure to record it is logged.
func (s *Service) Spend(ctx context.Context, id memory.Identity, model string, u memory.Usage) {
	if u == (memory.Usage{}) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	if err := s.Store.AddUsage(ctx, id, model, u); err != nil {
		s.Log.WarnContext(ctx, "Could not record the cost of a model call", "error", err, "agent", id.Agent)
	}
}

// spoken returns messages as the model sees them: in a group, each begins with its speaker.
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

// sections maps documents with a section per person of a group to their content at the time they were found.
type sections map[sectioned]string

type sectioned struct {
	document uuid.UUID
	version  int
}

// sectionsOf reads the documents of hits in which people of a group may have sections.
func (a *assembly) sectionsOf(ctx context.Context, hits []recall.Hit) (sections, error) {
	all := sections{}
	for _, hit := range hits {
		source := hit.Source
		key := sectioned{source.ID, source.Version}
		if _, known := all[key]; known || hit.Corpus != search.Memory || hit.Path != memory.MemoryPath || source.Scope != memory.ScopePersonal {
			continue
		}
		version, err := a.Store.VersionOf(ctx, a.id.For(source.Agent, source.Owner), memory.Ref{Scope: source.Scope, Path: hit.Path},
			source.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // erased since then: no author
			return nil, err
		}
		all[key] = version.Content
	}
	return all, nil
}

// by returns who of a group wrote a line of a hit: the person of the section, or the sender of the message.
func (s sections) by(hit recall.Hit, line int) memory.Owner {
	switch {
	case hit.Corpus == search.Memory:
		return memory.PersonAt(s[sectioned{hit.Source.ID, hit.Source.Version}], line)
	case hit.Message.Role == memory.RoleOfUser:
		return memory.SpeakerOf(hit.Message.Name)
	}
	return memory.NoOwner
}

// saidBy prefixes the text with its speaker, if known.
func saidBy(person memory.Owner, text string) string {
	if person == memory.NoOwner {
		return text
	}
	return string(person) + ": " + text
}
