package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/facts"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/prompts"
	"reverie/providers"
	"reverie/recall"
	stored "reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/window"
)

// Context builds the context of a turn. It only reads; a flush or summary that is needed first is done by the
// Compactor. The error is a *window.TooLargeError, wraps ErrUnreachable or ErrStillRunning when the window is too
// full to continue without them, or comes from the store.
//
// It costs the round trips of LoadWindow and, concurrently, those of a search.
func (s *Service) Context(ctx context.Context, id memory.Identity, agent gate.Agent, r ContextRequest) (Context, error) {
	a, err := s.newAssembly(id, agent, r, memory.Message{
		Role: memory.RoleOfUser, Name: memory.SpeakerName(r.Name, r.Speaker), Content: r.Message,
	})
	if err != nil {
		return Context{}, err
	}
	return a.make(ctx)
}

// assembly is a context under construction. A turn rebuilds it when the model refuses it as too long, or when tool
// results need the room. It searches only once.
type assembly struct {
	*Service

	id       memory.Identity
	agent    gate.Agent
	request  ContextRequest
	current  memory.Message // Seq is 0 while it is not stored
	settings setting.WindowSettings
	counter  llm.TokenCounter
	now      time.Time // in the agent's time zone
	reserved int       // tokens of what follows the current message
	refused  int       // tokens that the model refused as too many; 0: none
	// synthetic turns are made by the system itself; their recalls are not counted.
	synthetic bool
	client    bool // the client sends the conversation itself: sent, without the current message
	sent      []memory.Message

	load  talk.WindowLoad
	found *finding // nil: not searched yet
	shown []passage
	// offered are the passages that the window could show, and reasons why each of found is not among them; empty: it is.
	offered   []passage
	reasons   []string
	injection uuid.UUID
	prompt    string               // the documents in the system prompt
	disagree  []facts.Disagreement // of recalled passages with others
	// contradicted are all statements that the context may show and that cannot both hold.
	contradicted []facts.Disagreement
	result       window.Result
	compacted    bool // it has already waited for a summary
	recorded     bool // the use of passages is recorded
	flushing     bool
}

func (s *Service) newAssembly(id memory.Identity, agent gate.Agent, r ContextRequest, current memory.Message) (*assembly, error) {
	zone, err := agent.Location()
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", agent.ID, err)
	}
	settings := s.Settings.With(agent.Settings)
	if r.MaxTokens > 0 {
		settings.MaxTokens = r.MaxTokens
	}
	a := &assembly{
		Service: s, id: id, agent: agent, request: r, current: current, settings: settings,
		counter: llm.CounterFor(s.modelOf(r.Model, settings)), now: s.now().In(zone), injection: uuid.Must(uuid.NewV7()),
	}
	if !r.AsOf.IsZero() {
		a.now, a.injection, a.recorded, a.request.Conversation = r.AsOf.In(zone), uuid.Nil, true, ""
	}
	return a, nil
}

func (s *Service) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// modelOf returns the model to ask: the request's, the agent's, or the server's.
func (s *Service) modelOf(requested string, settings setting.WindowSettings) string {
	name := cmp.Or(requested, settings.Model)
	if name == "" && s.Model != nil {
		name = s.Model.Name()
	}
	return name
}

// make builds the context. It may be called again after the request has changed.
func (a *assembly) make(ctx context.Context) (Context, error) {
	if err := a.read(ctx); err != nil {
		return Context{}, err
	}
	if err := a.contradict(ctx); err != nil {
		return Context{}, err
	}
	for flushes := 0; ; flushes++ {
		if err := a.fit(); err != nil {
			return Context{}, err
		}
		again, err := a.settle(ctx, flushes)
		if err != nil {
			return Context{}, err
		}
		if !again {
			break
		}
		if err := a.reload(ctx); err != nil {
			return Context{}, err
		}
		if err := a.contradict(ctx); err != nil {
			return Context{}, err
		}
	}
	a.flushSoon(ctx)
	a.record(ctx)
	if a.request.AsOf.IsZero() {
		a.log(ctx)
	}
	return a.made(), nil
}

// read loads the conversation and searches; concurrently, if the search does not depend on the conversation.
func (a *assembly) read(ctx context.Context) error {
	if a.found != nil {
		return a.reload(ctx)
	}
	provided := a.prefetch(ctx)
	query, whole := a.query()
	searched := make(chan finding, 1)
	if whole {
		go func() { searched <- a.search(ctx, query) }()
	}
	standing := a.standing()
	err := a.reload(ctx, standing...)
	if !whole && err == nil {
		searched <- a.search(ctx, a.queryInContext(query))
	}
	if err != nil {
		return err
	}
	found := <-searched
	found.standing = a.standingPassages(standing)
	found.asked = provided()
	found.provided = a.provided(found.asked)
	a.found = &found
	return nil
}

// bytesPerToken bounds how many messages are loaded: no human text has more bytes per token.
const bytesPerToken = 6

func (a *assembly) reload(ctx context.Context, standing ...*stored.Standing) (err error) {
	if !a.request.AsOf.IsZero() {
		return a.reloadPast(ctx, standing)
	}
	a.load, err = a.Store.LoadWindow(ctx, a.id, talk.WindowRequest{
		Conversation: a.request.Conversation, Window: a.settings.MaxTokens, MaxBytes: a.settings.MaxTokens * bytesPerToken,
		Standing: standing,
	})
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	if a.load.FactsErr != nil {
		a.Log.WarnContext(ctx, "Could not derive facts in a turn", "error", a.load.FactsErr, "agent", a.agent.ID)
	}
	a.load.Documents = a.own(providers.Recollection{Documents: a.load.Documents}).Documents
	if a.client {
		a.load.Messages = a.sent
	}
	return nil
}

// contradict finds the disagreements in the documents of the system prompt and in the passages that may be recalled.
func (a *assembly) contradict(ctx context.Context) (err error) {
	texts := []string{memory.SystemPrompt(a.load.Documents)}
	for _, p := range a.found.all() {
		texts = append(texts, p.text())
	}
	a.contradicted, err = a.Store.DisagreementsWithin(ctx, a.id, a.load.Disagreements, texts...)
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	return nil
}

// fit builds a window. Messages of this conversation that do not fit may be recalled as well.
func (a *assembly) fit() error {
	system, err := a.system()
	if err != nil {
		return err
	}
	in := window.Input{
		System: system, Tools: a.request.Tools, Summary: a.load.Compaction.Summary, SummaryTo: a.load.Compaction.To,
		History: a.spoken(a.unforgotten(a.history())), Older: a.load.Older, Current: a.named(a.current),
		Flushed: a.load.Conversation.Flushed, Unflushed: window.Unflushed{Messages: a.load.Unflushed, Bytes: a.load.UnflushedBytes},
		Settings: a.settings, Emergency: a.request.Emergency, Now: a.now, Count: a.counter.Count, Estimated: !a.counter.Exact,
	}
	in.Settings.MaxTokens = a.room() - a.roomFor(a.reserved)
	if a.load.Goal.Seq > 0 && a.load.Goal.Seq <= in.SummaryTo {
		in.Goal = a.load.Goal.Content
	}
	unsent := max(in.SummaryTo, in.Older)
	for {
		a.offered, a.reasons = a.eligible(unsent)
		in.Recalled = a.candidates(a.offered)
		if a.result, err = window.Fit(in); err != nil {
			return err
		}
		a.shown = pick(a.offered, a.result.Recalled)
		if a.result.Unsent <= unsent {
			return nil
		}
		unsent = a.result.Unsent
		if more, _ := a.eligible(unsent); len(more) == len(a.offered) {
			return nil
		}
	}
}

// room returns the size limit of the window. It stays below what the model has refused, whatever the settings say.
func (a *assembly) room() int {
	if a.refused > 0 {
		return min(a.refused, a.settings.MaxTokens)
	}
	return a.settings.MaxTokens
}

// roomFor returns the share of the window for a number of tokens. Where tokens are estimated it is larger than the
// estimate.
func (a *assembly) roomFor(tokens int) int {
	if a.counter.Exact {
		return tokens
	}
	return int(math.Ceil(float64(tokens) / window.EstimateShare))
}

// system returns the system prompt: the agent's documents, then the note on which of the following is data.
func (a *assembly) system() (string, error) {
	rules, err := prompts.ChatSystem(prompts.Chat{
		SummaryPrefix: window.SummaryPrefix, MemoryTools: a.hasMemoryTools(), Client: a.client,
	})
	if err != nil {
		return "", err
	}
	documents := memory.SystemPrompt(a.load.Documents)
	a.prompt = documents
	// What memory recalls says nothing in the system prompt: those passages carry their disagreements themselves.
	disagree := facts.ShownIn(documents).Both(a.contradicted)
	a.disagree = slices.DeleteFunc(slices.Clone(a.contradicted), func(d facts.Disagreement) bool { return slices.Contains(disagree, d) })
	rules += facts.Warning(disagree, window.Escape)
	if documents != "" {
		return documents + "\n\n" + rules, nil
	}
	return rules, nil
}

func (a *assembly) hasMemoryTools() bool {
	for _, tool := range a.request.Tools {
		if tool.Name == toolbox.MemorySearch {
			return true
		}
	}
	return false
}

// history returns the messages before the current one. Later ones belong to other turns.
func (a *assembly) history() []memory.Message {
	if a.current.Seq == 0 {
		return a.load.Messages
	}
	for i, m := range a.load.Messages {
		if m.Seq >= a.current.Seq {
			return a.load.Messages[:i:i]
		}
	}
	return a.load.Messages
}

// unforgotten returns messages without what their owner had forgotten since: in what people said, and in answers about forgetting.
func (a *assembly) unforgotten(messages []memory.Message) []memory.Message {
	if len(a.load.Forgotten) == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		at := m.CreatedAt
		switch {
		case m.Role == memory.RoleOfAssistant && m.Name == builtinForget:
			at = time.Time{} // it lists what was forgotten
		case m.Role != memory.RoleOfUser:
			continue
		}
		if text := recall.WithoutForgotten(m.Content, at, a.load.Forgotten); text != strings.TrimSpace(m.Content) {
			messages[i].Content = cmp.Or(text, memory.Erased)
		}
	}
	return messages
}

func (a *assembly) made() Context {
	c := Context{
		Result: a.result, Counter: a.counter, Model: a.modelOf(a.request.Model, a.settings), Flushing: a.flushing, Injection: a.injection,
		Skipped: a.skipped(), Recalled: a.recalled(), Asked: a.found.asked,
	}
	if compaction := a.load.Compaction; strings.TrimSpace(compaction.Summary) != "" {
		c.Compaction = &compaction
	}
	return c
}

// recalled returns the passages that the model is shown.
func (a *assembly) recalled() (shown []Recalled) {
	for _, p := range a.shown {
		hit := p.hit
		hit.Snippet = p.text() // what the model is shown, without secrets
		shown = append(shown, Recalled{
			Hit: hit, Line: p.line, Tokens: a.counter.Count(hit.Snippet), Person: p.statements[0].by, Layer: p.layer, Fact: p.fact,
		})
	}
	return shown
}

// AnswerTime is the part of a turn's time reserved for after a compaction: reading the conversation again, and
// answering.
const AnswerTime = 15 * time.Second

const (
	// maxFlushes bounds the flushes of a turn, because others may write to the conversation concurrently.
	maxFlushes = 3
	// settleMargin is the time allowed for a compaction in addition to its model calls, each of which has a deadline.
	settleMargin = 15 * time.Second
	// roomPatience bounds the wait for an optional summary while everything still fits. The compaction continues, and
	// the next turn has the summary.
	roomPatience = 15 * time.Second
)

// settle does what must precede the use of the window: everything that leaves it is flushed. It reports whether the
// conversation must be read again.
func (a *assembly) settle(ctx context.Context, flushes int) (again bool, err error) {
	if !a.load.Found {
		return false, nil
	}
	if to := a.result.Compact; to > 0 && !a.compacted {
		a.compacted = true
		done, err := a.compact(ctx, to)
		if done || err != nil {
			return done, err
		}
	}
	unsent := a.result.Unsent
	if unsent <= a.load.Conversation.Flushed {
		return false, nil
	}
	if flushes > maxFlushes {
		return false, fmt.Errorf("context: messages arrive faster than they can be flushed: %w", ErrStillRunning)
	}
	settings := a.compactSettings()
	if a.request.NoWait {
		settings = byRules(settings)
	}
	waiting, cancel := within(ctx, 2*settings.Flush.Deadline+settleMargin) // for the model, and then for rules
	defer cancel()
	if err := a.Compactor.Flush(waiting, a.compactRequest(unsent, settings)); err != nil {
		return false, fmt.Errorf("context: %w", err)
	}
	return true, nil
}

// compact summarises earlier turns and reports whether it did. If it fails, the turn continues without a summary,
// provided nothing is lost.
func (a *assembly) compact(ctx context.Context, to int64) (done bool, err error) {
	settings := a.compactSettings()
	r := a.compactRequest(to, settings)
	if a.request.NoWait && a.request.Emergency == 0 {
		a.Compactor.CompactSoon(ctx, r)
		return false, nil
	}
	patience := settings.Flush.Deadline + settings.SummaryDeadline + settleMargin
	if a.result.Unsent == 0 {
		patience = min(patience, roomPatience)
	}
	waiting, cancel := within(ctx, patience)
	defer cancel()
	if err = a.Compactor.Compact(waiting, r); err == nil {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("context: %w", err)
	}
	a.notCompacted(ctx, r, err)
	return false, nil
}

// within bounds a wait so that time for an answer remains.
func within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if deadline, bounded := ctx.Deadline(); bounded {
		patience = max(0, min(patience, time.Until(deadline)-AnswerTime))
	}
	return context.WithTimeout(ctx, patience)
}

func (s *Service) notCompacted(ctx context.Context, r CompactRequest, err error) {
	if err != nil && !errors.Is(err, ErrStillRunning) {
		s.Log.WarnContext(ctx, "Could not summarise earlier turns", "error", err, "conversation", r.Conversation)
	}
}

// compactSettings returns the settings for the window's compaction. An emergency asks no model, because the model has
// just refused the context.
func (a *assembly) compactSettings() setting.CompactSettings {
	settings := a.settings.Compact(a.Extract.With(a.agent.Settings))
	if a.request.Emergency > 0 {
		return byRules(settings)
	}
	return settings
}

func byRules(s setting.CompactSettings) setting.CompactSettings {
	s.Paid, s.Flush.Paid = false, false
	return s
}

func (a *assembly) compactRequest(to int64, settings setting.CompactSettings) CompactRequest {
	conversation := a.load.Conversation
	trigger := memory.CompactByTurn
	if a.request.Emergency > 0 {
		trigger = memory.CompactByOverflow
	}
	return CompactRequest{
		Owner:        memory.OwnerRef{Workspace: a.id.Workspace, Agent: a.agent.ID, Owner: conversation.OwnerID},
		Conversation: conversation.UID, To: to, Trigger: trigger, Settings: settings,
	}
}

// flushSoon starts a flush if one is due, before messages have to leave the window.
func (a *assembly) flushSoon(ctx context.Context) {
	if !a.load.Found || a.result.Flush <= a.load.Conversation.Flushed {
		return
	}
	a.flushing = true
	a.Compactor.FlushSoon(ctx, a.compactRequest(a.result.Flush, a.compactSettings()))
}

// Preview builds the context in which a message would begin a new conversation now, for people to look at. Nothing is recorded, and it
// does not count as use.
func (s *Service) Preview(ctx context.Context, id memory.Identity, agent gate.Agent, message string) (Context, error) {
	a, err := s.newAssembly(id, agent, ContextRequest{Message: message}, memory.Message{Role: memory.RoleOfUser, Content: message})
	if err != nil {
		return Context{}, err
	}
	a.synthetic = true
	if err := a.read(ctx); err != nil {
		return Context{}, err
	}
	if err := a.fit(); err != nil {
		return Context{}, err
	}
	made := a.made()
	made.Injection = uuid.Nil
	return made, nil
}
