package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
	"reverie/store/pg"
	"reverie/store/talk"
)

// say makes a message.
func say(id, role, content string) memory.Message {
	return memory.Message{ID: id, Role: role, Content: content, CreatedAt: testClock}
}

// turn returns a complete turn of n messages, user and assistant in alternation, with ids prefix1, prefix2 …
func turn(conversation, prefix string, n int) talk.Batch {
	b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
	for i := 1; i <= n; i++ {
		role := memory.RoleOfUser
		if i%2 == 0 {
			role = memory.RoleOfAssistant
		}
		b.Messages = append(b.Messages, say(fmt.Sprintf("%s%d", prefix, i), role, fmt.Sprintf("words %s%d", prefix, i)))
	}
	return b
}

func TestAppendMessages(t *testing.T) {
	t.Parallel()
	now := testClock
	s := openStore(t, at(func() time.Time { return now }))
	id := member("user:7")

	first := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 3)))
	want := talk.Stored{ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Stored: 3, LastSeq: 3, Turn: 1, Token: first.Token}
	if diff := cmp.Diff(want, first); diff != "" || first.Token == "" || first.ConversationUID == uuid.Nil || first.OwnerID == uuid.Nil {
		t.Errorf("first batch (-want +got):\n%s", diff)
	}
	now = now.Add(time.Minute)
	again := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 3)))
	want = talk.Stored{ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Duplicates: 3, LastSeq: 3}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("the same batch again (-want +got):\n%s", diff)
	}
	number := func(token string) int { return must[int](t)(strconv.Atoi(token)) }
	more := turn("c", "m", 5) // overlaps
	more.TurnComplete = false
	grown := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, more))
	want = talk.Stored{
		ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Stored: 2, Duplicates: 3, LastSeq: 5, Token: grown.Token,
	}
	if diff := cmp.Diff(want, grown); diff != "" || number(grown.Token) <= number(first.Token) {
		t.Errorf("overlapping batch (-want +got):\n%s", diff)
	}
	c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Last != 5 || c.Complete != 3 || c.Considered != 0 || c.Cursor != 0 || !c.PendingSince.Equal(testClock) {
		t.Errorf("conversation is %+v", c)
	}
	completed := must[talk.Stored](t)(s.CompleteTurn(t.Context(), id, "c"))
	if completed.Turn != 2 || completed.OwnerID != first.OwnerID || completed.LastSeq != 5 {
		t.Errorf("complete turn: %+v", completed)
	}
	if completed = must[talk.Stored](t)(s.CompleteTurn(t.Context(), id, "c")); completed.Turn != 0 {
		t.Errorf("complete turn again: %+v, want no new turn", completed)
	}
	messages := must[[]memory.Message](t)(s.Messages(t.Context(), id, "c", 1, 3))
	var seqs []int64
	for _, m := range messages {
		seqs = append(seqs, m.Seq)
	}
	wantMessage := memory.Message{Seq: 2, ID: "m2", Role: memory.RoleOfAssistant, Content: "words m2", CreatedAt: testClock}
	if diff := cmp.Diff([]int64{2, 3, 4}, seqs) + cmp.Diff(wantMessage, messages[0]); diff != "" {
		t.Errorf("messages behind 1 (-want +got):\n%s", diff)
	}
}

func TestAppendMessagesRefuses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 2)))

	batch := func(change func(*talk.Batch)) talk.Batch {
		b := turn("c", "x", 2)
		change(&b)
		return b
	}
	for name, c := range map[string]struct {
		id    memory.Identity
		batch talk.Batch
		check func(error) bool
	}{
		"other words under a known id":  {id, batch(func(b *talk.Batch) { b.Messages[1].ID = "m1" }), conflict(pg.CodeMessageIDReused)},
		"one id twice with other words": {id, batch(func(b *talk.Batch) { b.Messages[1].ID = "x1" }), conflict(pg.CodeMessageIDReused)},
		"no owner":                      {member(""), turn("d", "y", 1), invalid("owner")},
		"agent that does not exist":     {member("user:7").For("bob", "user:7"), turn("d", "y", 1), is(pg.ErrNotFound)},
		"viewer": {func() memory.Identity {
			v := id
			v.Role = memory.RoleViewer
			return v
		}(), turn("d", "y", 1), is(pg.ErrForbidden)},
		"agent not of the credential": {func() memory.Identity {
			v := id
			v.Agents = []string{"bob"}
			return v
		}(), turn("d", "y", 1), is(pg.ErrForbidden)},
		"no messages":          {id, batch(func(b *talk.Batch) { b.Messages = nil }), invalid("messages")},
		"1001 messages":        {id, turn("c", "y", 1001), invalid("messages")},
		"no conversation":      {id, batch(func(b *talk.Batch) { b.Conversation = "" }), invalid("conversation")},
		"long conversation id": {id, batch(func(b *talk.Batch) { b.Conversation = strings.Repeat("c", 256) }), invalid("conversation")},
		"unknown trigger":      {id, batch(func(b *talk.Batch) { b.Trigger = "email" }), invalid("triggerSource")},
		"no id":                {id, batch(func(b *talk.Batch) { b.Messages[1].ID = "" }), invalid("messages[1].id")},
		"long id": {id, batch(func(b *talk.Batch) {
			b.Messages[1].ID = strings.Repeat("i", 129)
		}), invalid("messages[1].id")},
		"unknown role": {id, batch(func(b *talk.Batch) { b.Messages[0].Role = "robot" }), invalid("messages[0].role")},
		"content over 256 KiB": {
			id, batch(func(b *talk.Batch) { b.Messages[0].Content = strings.Repeat("a", 256<<10+1) }),
			invalid("messages[0].content"),
		},
		"content with NUL":     {id, batch(func(b *talk.Batch) { b.Messages[0].Content = "a\x00b" }), invalid("messages[0].content")},
		"content not in UTF-8": {id, batch(func(b *talk.Batch) { b.Messages[0].Content = "a\xff" }), invalid("messages[0].content")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.AppendMessages(t.Context(), c.id, c.batch); !c.check(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	c := must[talk.Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Last != 2 {
		t.Errorf("the conversation has %d messages after refused batches, want 2", c.Last)
	}
	if _, err := s.Conversation(t.Context(), id, "d"); !errors.Is(err, pg.ErrNotFound) {
		t.Errorf("a refused batch made conversation d: %v", err)
	}
	largest := batch(func(b *talk.Batch) {
		b.Messages[0].Content = strings.Repeat("a", 256<<10)
		b.Messages[1].ID = strings.Repeat("i", 128)
	})
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, largest))
}

// conflict, invalid and is say which error is expected.
func conflict(code string) func(error) bool {
	return func(err error) bool {
		var c *pg.ConflictError
		return errors.As(err, &c) && c.Code == code
	}
}

func invalid(field string) func(error) bool {
	return func(err error) bool {
		var i *pg.InvalidError
		return errors.As(err, &i) && i.Field == field
	}
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

// The largest batch arrives in several statements, in order.
func TestAppendLargestBatch(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	b := turn("c", "m", memory.MaxBatchMessages)
	for i := range b.Messages {
		b.Messages[i].Content = strings.Repeat("x", 40_000) // 40 MB in all
	}
	if n := len(talk.Parts(b.Messages)); n < 4 {
		t.Fatalf("the batch goes in %d parts: it does not test what it is for", n)
	}
	stored := must[talk.Stored](t)(s.AppendMessages(t.Context(), member("user:7"), b))
	if stored.Stored != 1000 || stored.LastSeq != 1000 {
		t.Errorf("got %+v", stored)
	}
	messages := must[[]memory.Message](t)(s.Messages(t.Context(), member("user:7"), "c", 500, pg.MaxPage))
	for i, m := range messages {
		if want := fmt.Sprintf("m%d", i+501); m.ID != want || m.Seq != int64(i+501) {
			t.Fatalf("message %d is %s, want %s", m.Seq, m.ID, want)
		}
	}
}

// Many posts to one conversation at once, each sent twice: nothing is lost, nothing doubled, no gap, and the messages of
// one post are adjacent and in order.
func TestConcurrentPosts(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const posts, size = 16, 5
	var wg sync.WaitGroup
	errs := make([]error, 2*posts)
	turns := make([]int64, 2*posts)
	for i := range 2 * posts {
		wg.Go(func() {
			stored, err := s.AppendMessages(t.Context(), member("user:7"), turn("c", fmt.Sprintf("p%d-", i/2), size))
			errs[i], turns[i] = err, stored.Turn
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	messages := must[[]memory.Message](t)(s.Messages(t.Context(), member("user:7"), "c", 0, pg.MaxPage))
	if len(messages) != posts*size {
		t.Fatalf("%d messages, want %d", len(messages), posts*size)
	}
	for i, m := range messages {
		post, place, _ := strings.Cut(m.ID, "-")
		first, _, _ := strings.Cut(messages[i-i%size].ID, "-")
		if m.Seq != int64(i+1) || post != first || place != fmt.Sprint(i%size+1) {
			t.Errorf("message %d has number %d and id %s", i+1, m.Seq, m.ID)
		}
	}
	counted := map[int64]int{}
	for _, turn := range turns {
		counted[turn]++
	}
	if counted[0] != posts {
		t.Errorf("turns were counted as %v: every post counts once", counted)
	}
	for n := range int64(posts) {
		if counted[n+1] != 1 {
			t.Errorf("turn %d was counted %d times", n+1, counted[n+1])
		}
	}
}

// calling returns an assistant message that asks for tools.
func calling(id string, calls ...memory.ToolCall) memory.Message {
	m := say(id, memory.RoleOfAssistant, "")
	m.ToolCalls = calls
	return m
}

// answering returns a tool's message.
func answering(id, call, content string) memory.Message {
	m := say(id, memory.RoleOfTool, content)
	m.Name, m.ToolCallID = "search", call
	return m
}

func searching(id string) memory.ToolCall {
	return memory.ToolCall{ID: id, Name: "search", Arguments: `{"query":"tea"}`}
}

// Tool calls of a model are read back unchanged, whatever their arguments.
func TestToolCallsAreStored(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	odd := []memory.ToolCall{
		{ID: "c1", Name: "search", Arguments: `{"query":"tea \u0000 \ud800","n":1e400}`}, // escapes stay text
		{ID: "c2", Name: "write", Arguments: "no JSON: {\"a\": \x01 茶 🍵 \\u0000 <b>"},
		{ID: "c3", Name: "list"},
	}
	b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, TurnComplete: true, Messages: []memory.Message{
		say("m1", memory.RoleOfUser, "find it"), calling("m2", odd...), answering("m3", "c1", "[]"), answering("m4", "", "of some call"),
	}}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	want := make([]memory.Message, len(b.Messages))
	for i, m := range b.Messages {
		m.Seq = int64(i + 1)
		want[i] = m
	}
	if diff := cmp.Diff(want, must[[]memory.Message](t)(s.Messages(t.Context(), id, "c", 0, 10))); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if again := must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b)); again.Duplicates != 4 || again.Stored != 0 {
		t.Errorf("again: %+v", again)
	}
}

// A message is the same only with the same calls.
func TestToolCallsOfDuplicates(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	batch := func(messages ...memory.Message) talk.Batch {
		return talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: messages}
	}
	other := searching("c1")
	other.Arguments = `{"query": "tea"}` // the same to JSON, other words
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id,
		batch(calling("m1", searching("c1"), searching("c2")), answering("m2", "c1", "[]"))))
	for name, b := range map[string]talk.Batch{
		"other arguments":          batch(calling("m1", other, searching("c2"))),
		"another order":            batch(calling("m1", searching("c2"), searching("c1"))),
		"no calls":                 batch(calling("m1")),
		"one call more":            batch(calling("m1", searching("c1"), searching("c2"), searching("c3"))),
		"an answer to another one": batch(answering("m2", "c2", "[]")),
		"an answer to none":        batch(answering("m2", "", "[]")),
		"twice in a batch":         batch(calling("n1", searching("c1")), calling("n1", searching("c2"))),
		"answers twice in a batch": batch(answering("n1", "c1", ""), answering("n1", "c2", "")),
	} {
		if _, err := s.AppendMessages(t.Context(), id, b); !conflict(pg.CodeMessageIDReused)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same := must[talk.Stored](t)(
		s.AppendMessages(
			t.Context(), id,
			batch(calling("m1", searching("c1"), searching("c2")), calling("m3", searching("c1")), calling("m3", searching("c1"))),
		),
	)
	if same.Duplicates != 2 || same.Stored != 1 {
		t.Errorf("the same calls: %+v", same)
	}
}

func TestToolCallsRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	with := func(change func(*memory.ToolCall)) memory.Message {
		call := searching("c2")
		change(&call)
		return calling("m", searching("c1"), call)
	}
	many := func(n int) (calls []memory.ToolCall) {
		for i := range n {
			calls = append(calls, searching(fmt.Sprint("c", i)))
		}
		return calls
	}
	ofUser := calling("m", searching("c1"))
	ofUser.Role = memory.RoleOfUser
	answer := say("m", memory.RoleOfAssistant, "x")
	answer.ToolCallID = "c1"
	for name, c := range map[string]struct {
		message memory.Message
		field   string
	}{
		"of a user":           {ofUser, "toolCalls"},
		"65 calls":            {calling("m", many(memory.MaxToolCalls+1)...), "toolCalls"},
		"no id":               {with(func(c *memory.ToolCall) { c.ID = "" }), "toolCalls[1].id"},
		"an id twice":         {with(func(c *memory.ToolCall) { c.ID = "c1" }), "toolCalls[1].id"},
		"a long id":           {with(func(c *memory.ToolCall) { c.ID = strings.Repeat("i", 129) }), "toolCalls[1].id"},
		"no name":             {with(func(c *memory.ToolCall) { c.Name = "" }), "toolCalls[1].name"},
		"a long name":         {with(func(c *memory.ToolCall) { c.Name = strings.Repeat("n", 256) }), "toolCalls[1].name"},
		"NUL in arguments":    {with(func(c *memory.ToolCall) { c.Arguments = "a\x00" }), "toolCalls[1].arguments"},
		"arguments not UTF-8": {with(func(c *memory.ToolCall) { c.Arguments = "a\xff" }), "toolCalls[1].arguments"},
		"NUL in a name":       {with(func(c *memory.ToolCall) { c.Name = "a\x00" }), "toolCalls[1].name"},
		"an id not UTF-8":     {with(func(c *memory.ToolCall) { c.ID = "a\xff" }), "toolCalls[1].id"},
		"long arguments": {with(func(c *memory.ToolCall) {
			c.Arguments = strings.Repeat("a", memory.MaxToolCallBytes+1)
		}), "toolCalls[1].arguments"},
		"long together": {with(func(c *memory.ToolCall) {
			c.Arguments = strings.Repeat("a", memory.MaxToolCallBytes-20)
		}), "toolCalls"},
		"an answer of no tool":  {answer, "toolCallId"},
		"an answer to a long":   {answering("m", strings.Repeat("i", 129), "x"), "toolCallId"},
		"an answer with NUL":    {answering("m", "a\x00", "x"), "toolCallId"},
		"an answer not of UTF8": {answering("m", "a\xff", "x"), "toolCallId"},
	} {
		_, err := s.AppendMessages(
			t.Context(), id, talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: []memory.Message{c.message}},
		)
		if !invalid("messages[0]." + c.field)(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// As much as is allowed.
	call := memory.ToolCall{ID: strings.Repeat("i", 128), Name: strings.Repeat("n", 255)}
	call.Arguments = strings.Repeat("\\", memory.MaxToolCallBytes-128-255)
	b := talk.Batch{Conversation: "c", Trigger: memory.TriggerAPI, Messages: []memory.Message{
		calling("m1", call), calling("m2", many(memory.MaxToolCalls)...), answering("m3", call.ID, ""),
	}}
	must[talk.Stored](t)(s.AppendMessages(t.Context(), id, b))
	got := must[[]memory.Message](t)(s.Messages(t.Context(), id, "c", 0, 10))
	if len(got) != 3 || !cmp.Equal(got[0].ToolCalls, b.Messages[0].ToolCalls) || len(got[1].ToolCalls) != memory.MaxToolCalls {
		t.Errorf("the largest calls did not come back")
	}
}

// Calls count for how much a statement carries.

func TestMessagesByID(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	asked := memory.Message{ID: "q1", Role: memory.RoleOfUser, Content: "Which port?"}
	calls := memory.Message{
		ID: "a1", Role: memory.RoleOfAssistant,
		ToolCalls: []memory.ToolCall{{ID: "c1", Name: "memory_search", Arguments: `{"query":"port"}`}},
	}
	answers := memory.Message{ID: "a2", Role: memory.RoleOfTool, Content: "{}", ToolCallID: "c1"}
	for _, conversation := range []string{"one", "two"} {
		b := talk.Batch{Conversation: conversation, Trigger: memory.TriggerAPI, Messages: []memory.Message{asked, calls, answers}}
		if _, err := s.AppendMessages(t.Context(), id, b); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		conversation string
		ids, want    []string
	}{
		{"one", []string{"a2", "q1"}, []string{"q1", "a2"}},
		{"one", []string{"a1", "a1x", ""}, []string{"a1"}},
		{"one", nil, nil},
		{"three", []string{"q1"}, nil},
	} {
		found, err := s.MessagesByID(t.Context(), id, c.conversation, c.ids)
		var got []string
		for _, m := range found {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, %v, want %v", c.conversation, c.ids, got, err, c.want)
		}
	}
	found, err := s.MessagesByID(t.Context(), id, "two", []string{"a1", "a2"})
	if err != nil || len(found) != 2 || !slices.Equal(found[0].ToolCalls, calls.ToolCalls) || found[1].ToolCallID != "c1" ||
		found[1].Seq != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := s.MessagesByID(t.Context(), member("user:8"), "one", []string{"q1"}); err != nil || len(found) > 0 {
		t.Errorf("another owner sees %+v, %v", found, err)
	}
}

// Messages are found by their ids, in one conversation or in all of the owner's.
func TestPlaceMessages(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	id := member("user:7")
	message := func(id, role string) memory.Message { return memory.Message{ID: id, Role: role, Content: id} }
	for _, b := range []talk.Batch{
		{Conversation: "one", Messages: []memory.Message{message("a", "user"), message("b", "assistant"), message("c", "user")}},
		{Conversation: "two", Messages: []memory.Message{message("a", "user"), message("b", "assistant")}},
	} {
		b.Trigger = memory.TriggerAPI
		if _, err := s.AppendMessages(t.Context(), id, b); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		id           memory.Identity
		conversation string
		ids          []string
		want         []string
	}{
		{id, "", []string{"a"}, []string{"one a 1 false true", "two a 1 false false"}},
		{id, "two", []string{"a", "b"}, []string{"two a 1 false false", "two b 2 true false"}},
		{id, "one", []string{"b", "c", "x"}, []string{"one b 2 false true", "one c 3 true false"}},
		{id, "", []string{"d"}, nil},
		{id, "three", []string{"a"}, nil},
		{member("user:8"), "", []string{"a", "b"}, nil},
	} {
		found, err := s.PlaceMessages(t.Context(), c.id, c.conversation, c.ids)
		var got []string
		for _, p := range found {
			got = append(got, fmt.Sprintln(p.Conversation, p.ID, p.Seq, p.Last, p.Continued))
			if p.At.IsZero() {
				t.Errorf("%+v has no time", p)
			}
		}
		slices.Sort(got)
		if err != nil || strings.Join(got, "") != strings.Join(append(c.want, ""), "\n") {
			t.Errorf("%q in %q: %q, %v, want %q", c.ids, c.conversation, got, err, c.want)
		}
	}
}
