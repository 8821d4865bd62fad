package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"reverie/api/fault"
	"reverie/api/proxy/completion"
	"reverie/api/rest"
	"reverie/chat"
	"reverie/llm"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/talk"
)

// turn is one request: on whose behalf, what it asks, and what memory adds.
type turn struct {
	*handlers

	hc      huma.Context
	id      memory.Identity
	agent   gate.Agent
	request *completion.Request
	model   string // at the provider
	include bool   // the answer includes what memory added

	conversation string // the client's id
	thread       completion.Thread
	added        chat.Memory
	usage        memory.Usage
	// kept waits until the conversation is found and what was new of it is stored. That happens while the model is asked, and precedes
	// everything that the client gets.
	kept func() error
}

// complete answers one request.
func (p *handlers) complete(hc huma.Context, w http.ResponseWriter, r *http.Request) {
	t := &turn{handlers: p, hc: hc}
	err := t.read(w, r)
	if err != nil {
		p.Refuse(hc, err)
		return
	}
	release, err := p.TakeTurn()
	if err != nil {
		p.Refuse(hc, err)
		return
	}
	defer release()
	began := p.Now()
	err = t.run(hc.Context())
	t.observe(hc.Context(), p.Now().Sub(began), err)
	if err != nil && !errors.Is(err, errBegun) {
		p.Refuse(hc, err)
	}
}

// errBegun is wrapped by errors after the beginning of the answer, which can no longer be refused.
var errBegun = errors.New("the answer had begun")

// read reads the request and enters the agent and the owner that it names.
func (t *turn) read(w http.ResponseWriter, r *http.Request) error {
	ctx := t.hc.Context()
	body, err := rest.ReadBody(w, r, rest.MaxBodyBytes)
	if err != nil {
		return err
	}
	t.request, err = completion.Parse(body)
	if bad, is := errors.AsType[*completion.Invalid](err); is {
		return invalid(bad)
	}
	agent, model, _ := strings.Cut(t.request.Model, "/")
	person := rest.Person{Location: "body"}
	if strings.Contains(t.request.User, ":") {
		person.Owner = t.request.User
	} else {
		person.EndUserID = t.request.User
	}
	if _, err := memory.OwnerOf(person.Owner, "", "", person.EndUserID); err != nil {
		return fault.InvalidAt("body.user", "%s", err)
	}
	t.id, t.agent, err = t.NeedOwner(ctx, agent, person)
	if err != nil {
		return t.explained(ctx, err)
	}
	t.conversation = r.Header.Get(conversationHeader)
	if len(t.conversation) > memory.MaxConversation || !utf8.ValidString(t.conversation) {
		return fault.InvalidAt("header."+conversationHeader, "%s: send at most %d bytes of UTF-8", conversationHeader, memory.MaxConversation)
	}
	for value := range strings.SplitSeq(r.Header.Get(includeHeader), ",") {
		t.include = t.include || strings.TrimSpace(value) == includeMemory
	}
	t.thread = t.request.Thread(strings.Join([]string{t.id.Workspace, t.id.Agent, string(t.id.Owner)}, "\n"))
	t.model = cmp.Or(model, t.agent.Settings.Model)
	return nil
}

// explained gives refusals of the agent and the owner the words of the protocol.
func (t *turn) explained(ctx context.Context, err error) error {
	p := t.Problem(ctx, err)
	switch p.Name {
	case fault.NotFound:
		return t.noSuchModel(ctx, t.request.Model)
	case fault.OwnerRequired:
		missing := fault.InvalidAt("body.user", "Owner required: send the field user, such as \"user\": \"42\", or use a key that is "+
			"pinned to one owner")
		return missing.Named(fault.OwnerRequired)
	default:
		return p
	}
}

// run answers.
func (t *turn) run(ctx context.Context) error {
	var forwarder llm.Forwarder
	if t.turns.Model != nil {
		var can bool
		if forwarder, can = llm.CanForward(t.turns.Model); !can {
			return fault.New(fault.ModelFailed, "The configured model provider (%s) does not speak OpenAI's protocol: configure another one "+
				"(REVERIE_LLM_PROVIDER), or use POST /api/v1/chat", t.turns.Model.Name())
		}
		t.model = cmp.Or(t.model, forwarder.ModelName())
	}
	keeping := make(chan error, 1)
	go func() { keeping <- t.keep(ctx) }()
	t.kept = sync.OnceValue(func() error { return <-keeping })
	defer func() { _ = t.kept() }() // nothing continues after the request
	if forwarder == nil {
		return t.answerFromMemory(ctx)
	}
	if answered, err := t.obey(ctx); err != nil || answered {
		return err
	}
	if err := t.turns.CheckBudget(ctx, t.id); err != nil {
		return err
	}
	if err := t.recall(ctx); err != nil {
		return err
	}
	return t.forward(ctx, forwarder)
}

// recall asks memory for what it adds to the request.
func (t *turn) recall(ctx context.Context) (err error) {
	messages := make([]memory.Message, len(t.request.Messages))
	for i, m := range t.request.Messages {
		messages[i] = m.Message
	}
	t.added, err = t.turns.Memory(ctx, t.id, t.agent, chat.MemoryRequest{Messages: messages, Model: t.model})
	return err
}

// keep finds the conversation, and stores what is not stored of it.
func (t *turn) keep(ctx context.Context) error {
	messages := t.thread.Messages
	if len(messages) == 0 {
		t.conversation = cmp.Or(t.conversation, t.thread.Name)
		return nil
	}
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	found, err := t.Store.PlaceMessages(ctx, t.id, t.conversation, ids[max(0, len(ids)-maxLooked):])
	if err != nil {
		return err
	}
	conversation, known := place(&t.thread, found, t.Now())
	t.conversation = cmp.Or(t.conversation, conversation)
	_, err = t.append(ctx, messages[known:], false)
	return err
}

// append stores messages of the conversation, those that are stored already excepted.
func (t *turn) append(ctx context.Context, messages []memory.Message, complete bool) (stored talk.Stored, err error) {
	for part := range slices.Chunk(messages, memory.MaxBatchMessages) {
		stored, err = t.Store.AppendMessages(ctx, t.id, talk.Batch{
			Conversation: t.conversation, Trigger: memory.TriggerAPI, TurnComplete: complete, Messages: part,
		})
		if conflict, is := errors.AsType[*store.ConflictError](err); is && conflict.Code == store.CodeMessageIDReused {
			stored, err = t.appendRest(ctx, part, complete)
		}
		if err != nil {
			return stored, err
		}
	}
	return stored, nil
}

// appendRest stores those messages of which another request has not concurrently stored a slightly different form, such as one with other
// white space: they have the same id.
func (t *turn) appendRest(ctx context.Context, messages []memory.Message, complete bool) (talk.Stored, error) {
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	known, err := t.Store.MessagesByID(ctx, t.id, t.conversation, ids)
	if err != nil {
		return talk.Stored{}, err
	}
	left := slices.DeleteFunc(slices.Clone(messages), func(m memory.Message) bool {
		return slices.ContainsFunc(known, func(k memory.Message) bool { return k.ID == m.ID })
	})
	switch {
	case len(left) > 0:
		return t.Store.AppendMessages(ctx, t.id, talk.Batch{
			Conversation: t.conversation, Trigger: memory.TriggerAPI, TurnComplete: complete, Messages: left,
		})
	case complete:
		return t.Store.CompleteTurn(ctx, t.id, t.conversation)
	}
	return talk.Stored{}, nil
}

// storePatience bounds storing an answer, even if the client has disconnected.
const storePatience = 10 * time.Second

// ended stores an answer and what it cost. The returned function starts its extraction, which the client does not wait for. An answer that
// cannot be stored is still delivered: it was paid for, and the client sends it again with its next request.
func (t *turn) ended(ctx context.Context, answer memory.Message, model string, u memory.Usage) (extract func()) {
	ctx = context.WithoutCancel(ctx)
	t.usage = u
	work, storing := errgroup.WithContext(ctx)
	work.Go(func() error {
		t.turns.Spend(storing, t.id, model, u)
		return nil
	})
	var stored talk.Stored
	work.Go(func() (err error) {
		if strings.TrimSpace(answer.Content) == "" && len(answer.ToolCalls) == 0 || t.conversation == "" {
			return nil
		}
		storing, cancel := context.WithTimeout(storing, storePatience)
		defer cancel()
		// A turn with tool calls continues: the client sends their results with its next request.
		stored, err = t.append(storing, []memory.Message{t.thread.Answered(answer)}, len(answer.ToolCalls) == 0)
		return err
	})
	if err := work.Wait(); err != nil {
		t.Log.WarnContext(ctx, "An answer could not be stored", "error", rest.Loggable(err), "request", rest.RequestID(ctx), "agent", t.agent.ID)
		return func() {}
	}
	if stored.ConversationUID == [16]byte{} {
		return func() {}
	}
	return func() { go t.turns.Stored(ctx, t.id, t.agent, t.conversation, stored) }
}

// maxLooked bounds the messages that are looked for: the last ones.
const maxLooked = 32

// another is the age from which a conversation of one exchange that begins with the same words is another one. Before, the same beginning is
// taken for the same request, which a client repeats or wants another answer to.
const another = time.Hour

// place returns the conversation of a thread, and how many of its messages that has: as many as precede the last one found.
//
// Of several conversations with the same messages, the one that ends with them comes first, then one that was not continued, then the latest.
func place(t *completion.Thread, found []talk.Placed, now time.Time) (conversation string, known int) {
	index := map[string]int{}
	for i, m := range slices.Backward(t.Messages) {
		index[m.ID] = i
	}
	last := -1
	var best talk.Placed
	for _, p := range found {
		if i, is := index[p.ID]; is && (i > last || i == last && better(p, best)) {
			last, best = i, p
		}
	}
	switch {
	case last < 0:
		return t.Name, 0
	case t.Beginning && last == len(t.Messages)-1 && !best.Last && (best.Continued || now.Sub(best.At) > another):
		return t.NameAfter(fmt.Sprintf("%s %d", best.Conversation, best.At.UnixMicro())), 0
	}
	return best.Conversation, last + 1
}

func better(p, than talk.Placed) bool {
	switch {
	case p.Last != than.Last:
		return p.Last
	case p.Continued != than.Continued:
		return than.Continued
	}
	return p.At.After(than.At)
}

// observe reports the turn, for metrics.
func (t *turn) observe(ctx context.Context, took time.Duration, failed error) {
	if t.turns.Observe == nil {
		return
	}
	taken := chat.Taken{Outcome: chat.TurnAnswered, By: chat.ByModel, Usage: t.usage, Took: took}
	if t.turns.Model == nil {
		taken.By = chat.ByRecall
	}
	switch {
	case failed != nil && ctx.Err() != nil:
		taken.Outcome, taken.By = chat.TurnCancelled, ""
	case failed != nil:
		taken.Outcome, taken.By, taken.Reason = chat.TurnFailed, "", chat.ReasonOf(failed)
	}
	t.turns.Observe(taken)
}
