package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"reverie/memory"
)

// say makes a message.
func say(id, role, content string) memory.Message {
	return memory.Message{ID: id, Role: role, Content: content, CreatedAt: testClock}
}

// turn is a complete turn of n messages, user and assistant in alternation, with ids prefix1, prefix2 …
func turn(conversation, prefix string, n int) Batch {
	b := Batch{Conversation: conversation, Trigger: memory.TriggerAPI, TurnComplete: true}
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

	first := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 3)))
	want := Stored{ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Stored: 3, LastSeq: 3, Turn: 1, Token: first.Token}
	if diff := cmp.Diff(want, first); diff != "" || first.Token == "" || first.ConversationUID == uuid.Nil || first.OwnerID == uuid.Nil {
		t.Errorf("first batch (-want +got):\n%s", diff)
	}
	now = now.Add(time.Minute)
	again := must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 3)))
	want = Stored{ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Duplicates: 3, LastSeq: 3}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("the same batch again (-want +got):\n%s", diff)
	}
	more := turn("c", "m", 5) // overlaps
	more.TurnComplete = false
	grown := must[Stored](t)(s.AppendMessages(t.Context(), id, more))
	want = Stored{ConversationUID: first.ConversationUID, OwnerID: first.OwnerID, Stored: 2, Duplicates: 3, LastSeq: 5, Token: grown.Token}
	if diff := cmp.Diff(want, grown); diff != "" || grown.Token <= first.Token {
		t.Errorf("overlapping batch (-want +got):\n%s", diff)
	}
	c := must[Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Last != 5 || c.Complete != 3 || c.Considered != 0 || c.Cursor != 0 || !c.PendingSince.Equal(testClock) {
		t.Errorf("conversation is %+v", c)
	}
	completed := must[Stored](t)(s.CompleteTurn(t.Context(), id, "c"))
	if completed.Turn != 2 || completed.OwnerID != first.OwnerID || completed.LastSeq != 5 {
		t.Errorf("complete turn: %+v", completed)
	}
	if completed = must[Stored](t)(s.CompleteTurn(t.Context(), id, "c")); completed.Turn != 0 {
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
	must[Stored](t)(s.AppendMessages(t.Context(), id, turn("c", "m", 2)))

	batch := func(change func(*Batch)) Batch {
		b := turn("c", "x", 2)
		change(&b)
		return b
	}
	for name, c := range map[string]struct {
		id    memory.Identity
		batch Batch
		check func(error) bool
	}{
		"other words under a known id":  {id, batch(func(b *Batch) { b.Messages[1].ID = "m1" }), conflict(CodeMessageIDReused)},
		"one id twice with other words": {id, batch(func(b *Batch) { b.Messages[1].ID = "x1" }), conflict(CodeMessageIDReused)},
		"conversation of another owner": {member("user:8"), turn("c", "y", 1), conflict(CodeConversationOfAnotherOwner)},
		"no owner":                      {member(""), turn("d", "y", 1), invalid("owner")},
		"agent that does not exist":     {member("user:7").For("bob", "user:7"), turn("d", "y", 1), is(ErrNotFound)},
		"viewer":                        {func() memory.Identity { v := id; v.Role = memory.RoleViewer; return v }(), turn("d", "y", 1), is(ErrForbidden)},
		"agent not of the credential":   {func() memory.Identity { v := id; v.Agents = []string{"bob"}; return v }(), turn("d", "y", 1), is(ErrForbidden)},
		"no messages":                   {id, batch(func(b *Batch) { b.Messages = nil }), invalid("messages")},
		"1001 messages":                 {id, turn("c", "y", 1001), invalid("messages")},
		"no conversation":               {id, batch(func(b *Batch) { b.Conversation = "" }), invalid("conversation")},
		"long conversation id":          {id, batch(func(b *Batch) { b.Conversation = strings.Repeat("c", 256) }), invalid("conversation")},
		"unknown trigger":               {id, batch(func(b *Batch) { b.Trigger = "email" }), invalid("triggerSource")},
		"no id":                         {id, batch(func(b *Batch) { b.Messages[1].ID = "" }), invalid("messages[1].id")},
		"long id":                       {id, batch(func(b *Batch) { b.Messages[1].ID = strings.Repeat("i", 129) }), invalid("messages[1].id")},
		"unknown role":                  {id, batch(func(b *Batch) { b.Messages[0].Role = "robot" }), invalid("messages[0].role")},
		"content over 256 KiB": {
			id, batch(func(b *Batch) { b.Messages[0].Content = strings.Repeat("a", 256<<10+1) }),
			invalid("messages[0].content"),
		},
		"content with NUL":     {id, batch(func(b *Batch) { b.Messages[0].Content = "a\x00b" }), invalid("messages[0].content")},
		"content not in UTF-8": {id, batch(func(b *Batch) { b.Messages[0].Content = "a\xff" }), invalid("messages[0].content")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.AppendMessages(t.Context(), c.id, c.batch); !c.check(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	c := must[Conversation](t)(s.Conversation(t.Context(), id, "c"))
	if c.Last != 2 {
		t.Errorf("the conversation has %d messages after refused batches, want 2", c.Last)
	}
	if _, err := s.Conversation(t.Context(), id, "d"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a refused batch made conversation d: %v", err)
	}
	largest := batch(func(b *Batch) {
		b.Messages[0].Content = strings.Repeat("a", 256<<10)
		b.Messages[1].ID = strings.Repeat("i", 128)
	})
	must[Stored](t)(s.AppendMessages(t.Context(), id, largest))
}

// conflict, invalid and is say which error is expected.
func conflict(code string) func(error) bool {
	return func(err error) bool {
		var c *ConflictError
		return errors.As(err, &c) && c.Code == code
	}
}

func invalid(field string) func(error) bool {
	return func(err error) bool {
		var i *InvalidError
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
	if n := len(parts(b.Messages)); n < 4 {
		t.Fatalf("the batch goes in %d parts: it does not test what it is for", n)
	}
	stored := must[Stored](t)(s.AppendMessages(t.Context(), member("user:7"), b))
	if stored.Stored != 1000 || stored.LastSeq != 1000 {
		t.Errorf("got %+v", stored)
	}
	messages := must[[]memory.Message](t)(s.Messages(t.Context(), member("user:7"), "c", 500, MaxPage))
	for i, m := range messages {
		if want := fmt.Sprintf("m%d", i+501); m.ID != want || m.Seq != int64(i+501) {
			t.Fatalf("message %d is %s, want %s", m.Seq, m.ID, want)
		}
	}
}

// Many posts to one conversation at once, each sent twice: nothing is lost, nothing doubled, no gap, and the messages of
// one post stand together in their order.
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
	messages := must[[]memory.Message](t)(s.Messages(t.Context(), member("user:7"), "c", 0, MaxPage))
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
