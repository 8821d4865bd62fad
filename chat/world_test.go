package chat_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/recall"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/gate"
	"reverie/store/storetest"
	"reverie/store/talk"
	"reverie/toolbox"
	"reverie/window"
)

// world is an agent with memory on a real database, and a service over it.
type world struct {
	*chat.Service

	t         *testing.T
	agent     gate.Agent
	compactor *compactor
	model     *scripted
	recorder  *recall.Recorder
	queries   *queries
	clock     time.Time
	mu        sync.Mutex
	stored    []talk.Stored // batches reported for extraction
}

var start = time.Date(2026, 5, 20, 9, 0, 0, 0, time.UTC)

func open(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, model: &scripted{}, queries: &queries{}, clock: start}
	s, _ := storetest.Open(t, store.Options{Now: w.now, Tracer: w.queries})
	if err := s.EnsureWorkspace(t.Context(), "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.agent, err = s.CreateAgent(t.Context(), administrator(), admin.NewAgent{ID: "ada", Name: "Ada"}); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w.recorder = recall.NewRecorder(s, log)
	search := &recall.Searcher{Store: s, Defaults: recall.DefaultSettings(), Recorder: w.recorder, Now: w.now, Log: log}
	w.compactor = &compactor{store: s}
	w.Service = &chat.Service{Options: chat.Options{
		RecallPatience: time.Minute,
		Store:          s, Search: search, Tools: &toolbox.Box{Store: s, Search: search}, Compactor: w.compactor, Model: w.model,
		Settings: setting.DefaultWindowSettings(), Extract: setting.DefaultExtractSettings(), Now: w.now, Log: log,
		Stored: func(_ context.Context, _ memory.Identity, _ gate.Agent, _ string, stored talk.Stored) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.stored = append(w.stored, stored)
		},
	}}
	return w
}

// now advances with each call, so that messages have an order.
func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(time.Millisecond)
	return w.clock
}

func administrator() memory.Identity {
	return memory.Identity{Workspace: "acme", Agent: "ada", Role: memory.RoleAdmin, Author: memory.Author{Kind: memory.AuthorUser, ID: "test"}}
}

const (
	grace memory.Owner = "user:grace"
	alan  memory.Owner = "user:alan"
)

func as(owner memory.Owner) memory.Identity {
	id := administrator().For("ada", owner)
	id.Role = memory.RoleMember
	return id
}

// write writes a document of an owner, or a shared one if the owner is empty.
func (w *world) write(owner memory.Owner, path, content string) {
	w.t.Helper()
	scope := memory.ScopePersonal
	if owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	_, err := w.Store.Apply(w.t.Context(), administrator().For("ada", owner), "", []memory.Change{{
		Ref: memory.Ref{Scope: scope, Path: path}, Op: memory.OpReplace, Content: content, Force: true,
	}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// said stores turns of a conversation: a question and its answer each.
func (w *world) said(owner memory.Owner, conversation string, lines ...string) {
	w.t.Helper()
	var messages []memory.Message
	for i, line := range lines {
		role := memory.RoleOfUser
		if i%2 == 1 {
			role = memory.RoleOfAssistant
		}
		messages = append(messages, memory.Message{ID: fmt.Sprintf("%s-%d", conversation, i+1), Role: role, Content: line})
	}
	w.store(owner, conversation, messages...)
}

func (w *world) store(owner memory.Owner, conversation string, messages ...memory.Message) {
	w.t.Helper()
	if _, err := w.Store.AppendMessages(w.t.Context(), as(owner), talk.Batch{
		Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true, Messages: messages,
	}); err != nil {
		w.t.Fatal(err)
	}
}

// messages returns the stored messages of a conversation.
func (w *world) messages(owner memory.Owner, conversation string) []memory.Message {
	w.t.Helper()
	messages, err := w.Store.Messages(context.WithoutCancel(w.t.Context()), as(owner), conversation, 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return messages
}

func (w *world) context(owner memory.Owner, r chat.ContextRequest) chat.Context {
	w.t.Helper()
	c, err := w.Context(w.t.Context(), as(owner), w.agent, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// turn runs a turn and returns the result with its events.
func (w *world) turn(owner memory.Owner, r chat.TurnRequest) (chat.Turn, []chat.Event) {
	w.t.Helper()
	turn, events, err := w.tryTurn(w.t.Context(), owner, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return turn, events
}

func (w *world) tryTurn(ctx context.Context, owner memory.Owner, r chat.TurnRequest) (chat.Turn, []chat.Event, error) {
	var events []chat.Event
	turn, err := w.Turn(ctx, as(owner), w.agent, r, func(e chat.Event) error {
		events = append(events, e)
		return nil
	})
	return turn, events, err
}

// textOf returns the answer as assembled from events.
func textOf(events []chat.Event) (text string) {
	for _, e := range events {
		if text += e.Text; e.Reset {
			text = ""
		}
	}
	return text
}

// kinds returns the kinds of a window's messages, without repetitions of history.
func kinds(messages []window.Message) string {
	var kinds []string
	for _, m := range messages {
		if n := len(kinds); n == 0 || kinds[n-1] != string(m.Kind) {
			kinds = append(kinds, string(m.Kind))
		}
	}
	return strings.Join(kinds, " ")
}

// of returns the contents of the messages of one kind.
func of(c chat.Context, kind window.Kind) string {
	var contents []string
	for _, m := range c.Messages {
		if m.Kind == kind {
			contents = append(contents, m.Content)
		}
	}
	return strings.Join(contents, "\n")
}

// scripted is a model with scripted answers.
type scripted struct {
	llm.Model

	mu       sync.Mutex
	answers  []answer
	requests []llm.ChatRequest
}

// answer is a scripted answer.
type answer func(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error)

func (s *scripted) Name() string { return "fake/model" }

func (s *scripted) Chat(ctx context.Context, r llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	if len(s.answers) == 0 {
		s.mu.Unlock()
		return llm.ChatResponse{}, &llm.Error{Kind: llm.Unavailable, Message: "the script is over"}
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	s.mu.Unlock()
	return next(ctx, r, onText)
}

func (s *scripted) will(answers ...answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// asked returns the requests so far.
func (s *scripted) asked() []llm.ChatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

var oneCall = memory.Usage{Calls: 1, InputTokens: 10, OutputTokens: 2}

// say answers with a text, in two parts.
func say(text string) answer {
	return func(_ context.Context, _ llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
		half := len(text) / 2
		for _, part := range []string{text[:half], text[half:]} {
			if err := onText(part); err != nil {
				return llm.ChatResponse{}, err
			}
		}
		return llm.ChatResponse{Text: text, Usage: oneCall, Model: "fake/model", Finish: "stop"}, nil
	}
}

// call calls tools.
func call(calls ...memory.ToolCall) answer {
	return func(context.Context, llm.ChatRequest, func(string) error) (llm.ChatResponse, error) {
		return llm.ChatResponse{ToolCalls: calls, Usage: oneCall, Model: "fake/model", Finish: "tool_calls"}, nil
	}
}

func fail(kind llm.Kind, told string) answer {
	return func(_ context.Context, _ llm.ChatRequest, onText func(string) error) (llm.ChatResponse, error) {
		if told != "" {
			if err := onText(told); err != nil {
				return llm.ChatResponse{}, err
			}
		}
		return llm.ChatResponse{Usage: memory.Usage{Calls: 1}}, &llm.Error{Kind: kind, Message: "on purpose"}
	}
}

// queries counts queries to the database server.
type queries struct {
	mu sync.Mutex
	n  int
}

func (q *queries) add() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n++
}

func (q *queries) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

func (q *queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	q.add()
	return ctx
}

func (q *queries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (q *queries) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	q.add()
	return ctx
}

func (q *queries) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (q *queries) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
