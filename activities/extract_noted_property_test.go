package activities

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/store"
)

// check compares the ranges and steps of all flushes with the conversation.
func (k *talk) check(t *rapid.T) {
	c, err := k.store.Conversation(t.Context(), k.as("check"), k.name())
	if err != nil {
		t.Fatal(err)
	}
	list, err := k.store.Flushes(t.Context(), k.as("check"), k.name(), store.Page{Limit: store.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	end, stepped := int64(0), int64(0)
	for i, item := range slices.Backward(list.Items) {
		f, err := k.store.Flush(t.Context(), k.as("check"), item.ID)
		if err != nil {
			t.Fatal(err)
		}
		if f.From != end+1 || f.To < f.From || !f.Acknowledged() && i != 0 {
			t.Fatalf("flush %d to %d follows %d, acknowledged %v, %d come after it", f.From, f.To, end, f.Acknowledged(), i)
		}
		end = f.To
		for _, s := range f.Steps {
			if s.From != stepped+1 || s.To < s.From || s.To > f.To {
				t.Fatalf("step %d to %d follows %d in a flush up to %d", s.From, s.To, stepped, f.To)
			}
			stepped = s.To
		}
		if f.Done != stepped || f.Acknowledged() != (stepped == f.To) {
			t.Fatalf("flush up to %d is done up to %d, its steps up to %d, acknowledged %v", f.To, f.Done, stepped, f.Acknowledged())
		}
	}
	if c.Flushed != stepped {
		t.Fatalf("the conversation is flushed up to %d, its steps go up to %d", c.Flushed, stepped)
	}
}

// transcript bounds the messages of a step of an extraction.
var transcript = rapid.IntRange(3, 10)

// finish has everything flushed and extracted that is not.
func (k *talk) finish(t *rapid.T) {
	if _, err := k.store.CompleteTurn(t.Context(), k.as("say"), k.name()); err != nil {
		t.Fatal(err)
	}
	for round := 0; ; round++ {
		if round > 20*k.messages {
			t.Fatal("it does not come to an end")
		}
		r, more := k.pending(t)
		if more && rapid.IntRange(0, 4).Draw(t, "extraction first") == 0 {
			k.extract(t, r, "last", rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
			k.apply(t, k.records[len(k.records)-1], "last")
			continue
		}
		if !k.plan(t, int64(k.messages)) {
			if !more {
				return
			}
			continue
		}
		k.flush(t, k.flushes[len(k.flushes)-1], "last", rapid.Bool().Draw(t, "fallback"))
	}
}

// Flushes and extractions of one conversation, by several runs each, whoever comes first and however often calls are repeated:
// each message is noted once, and the flushes cover the conversation without gaps.
func TestMessagesAreNotedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	owners := 0
	rapid.Check(t, func(t *rapid.T) {
		owners++
		k := &talk{desk: d, owner: memory.Owner(fmt.Sprint("user:", owners))}
		run := rapid.SampledFrom([]string{"r1", "r2"})
		aFlush := func(t *rapid.T) uuid.UUID {
			if len(k.flushes) == 0 {
				t.Skip("no flush yet")
			}
			return rapid.SampledFrom(k.flushes).Draw(t, "flush")
		}
		k.say(t, rapid.IntRange(1, 12).Draw(t, "messages"), true)
		t.Repeat(map[string]func(*rapid.T){
			"say": func(t *rapid.T) {
				k.say(t, rapid.IntRange(1, 9).Draw(t, "messages"), rapid.Bool().Draw(t, "complete"))
			},
			"time passes": func(t *rapid.T) { k.clock.Add(rapid.Int64Range(1, 10*3600).Draw(t, "seconds")) },
			"plan":        func(t *rapid.T) { k.plan(t, rapid.Int64Range(1, int64(k.messages)).Draw(t, "to")) },
			"begin": func(t *rapid.T) {
				if _, err := k.store.BeginFlush(t.Context(), k.as(run.Draw(t, "run")), aFlush(t)); err != nil {
					t.Fatal(err)
				}
			},
			"propose": func(t *rapid.T) {
				k.propose(t, aFlush(t), run.Draw(t, "run"), rapid.Bool().Draw(t, "fallback"), rapid.IntRange(0, 9).Draw(t, "nothing") == 0)
			},
			"flush": func(t *rapid.T) {
				k.plan(t, rapid.Int64Range(1, int64(k.messages)).Draw(t, "to"))
				k.flush(t, aFlush(t), run.Draw(t, "run"), rapid.Bool().Draw(t, "fallback"))
			},
			"extract and apply": func(t *rapid.T) {
				if len(k.ranges) == 0 {
					t.Skip("no range yet")
				}
				by := run.Draw(t, "run")
				k.extract(t, k.ranges[len(k.ranges)-1], by, rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
				if len(k.records) > 0 {
					k.apply(t, k.records[len(k.records)-1], by)
				}
			},
			"commit": func(t *rapid.T) {
				f, err := k.store.Flush(t.Context(), k.as("ask"), aFlush(t))
				if err != nil {
					t.Fatal(err)
				}
				from := f.Done + 1
				if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
					from = rapid.Int64Range(f.From, f.To).Draw(t, "from")
				}
				_, err = k.store.CommitFlush(t.Context(), k.as(run.Draw(t, "run")), f.ID, from, "")
				if err != nil && !refused(err) {
					t.Fatal(err)
				}
			},
			"ask for a range": func(t *rapid.T) {
				if r, found := k.pending(t); found {
					k.ranges = append(k.ranges, r)
				}
			},
			"extract": func(t *rapid.T) {
				if len(k.ranges) == 0 {
					t.Skip("no range yet")
				}
				k.extract(t, k.ranges[max(0, len(k.ranges)-rapid.IntRange(1, 2).Draw(t, "range"))], run.Draw(t, "run"), rapid.Bool().Draw(t, "paid"), transcript.Draw(t, "transcript"))
			},
			"apply": func(t *rapid.T) {
				if len(k.records) == 0 {
					t.Skip("no extraction yet")
				}
				k.apply(t, k.records[max(0, len(k.records)-rapid.IntRange(1, 3).Draw(t, "record"))], run.Draw(t, "run"))
			},
			"skip": func(t *rapid.T) {
				if len(k.records) == 0 {
					t.Skip("no extraction yet")
				}
				_, err := k.store.RecordOutcome(t.Context(), k.as(run.Draw(t, "run")), k.records[len(k.records)-1], store.Ending{Outcome: memory.OutcomeSkipped})
				if err != nil && !refused(err) {
					t.Fatal(err)
				}
			},
			"": k.check,
		})
		k.finish(t)
		k.check(t)
		notes := k.notes(t)
		for n := range k.messages {
			if stands := strings.Count(notes, fmt.Sprintf("- said %d.\n", n+1)); stands != 1 {
				t.Fatalf("message %d is noted %d times:\n%s", n+1, stands, notes)
			}
		}
	})
	for what, sql := range map[string]string{
		"a model's entry took the place of rules'": `
select count(*) from document_versions where scope = 'PERSONAL' and removed > 0`,
		"an extraction had a part of a flush's step": `
select count(*) from extractions x join flush_steps s using (conversation_uid)
where x.reason_code = 'noted' and x.to_seq < s.to_seq and x.to_seq > s.from_seq`,
		"an extraction came before the flush": `select count(*) from flush_steps where outcome = 'nothing' and engine = ''`,
	} {
		if n := (&world{url: d.url}).count(t, sql); n == 0 {
			t.Errorf("it never happened that %s", what)
		} else {
			t.Logf("%d times: %s", n, what)
		}
	}
}
