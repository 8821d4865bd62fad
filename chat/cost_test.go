package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reverie/chat"
	"reverie/memory"
)

// What a context costs beside the work in the database: the conversation in two round trips, and the search at the same time.
func TestRoundTripsOfAContext(t *testing.T) {
	w := open(t)
	w.write(grace, "notes/flat.md", "The balcony faces south.\n")
	w.said(grace, "c1", "I look for a plant.", "What light does it get?")
	for _, c := range []struct {
		name, message string
		want          int
	}{
		{"without a search", "Thank you!", 2},
		{"with a search", "Which way does the balcony of my flat face?", 2 + 2},
	} {
		r := chat.ContextRequest{Conversation: "c1", Message: c.message}
		trips := func() int {
			before := w.queries.count()
			w.context(grace, r)
			return w.queries.count() - before
		}
		trips() // the first one on each connection prepares the statements, which is not counted
		least := trips()
		for range 8 {
			least = min(least, trips())
		}
		t.Logf("a context %s takes %d round trips", c.name, least)
		if least > c.want {
			t.Errorf("%s: %d round trips, want %d at most", c.name, least, c.want)
		}
	}
	if err := w.recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A context of a long conversation is made in tens of milliseconds: what could not fit is not even read.
func TestContextOfALongConversationIsQuick(t *testing.T) {
	w := open(t)
	const messages, batch = 10_000, 1000
	for from := 0; from < messages; from += batch {
		var said []memory.Message
		for i := from; i < from+batch; i++ {
			role := []string{memory.RoleOfUser, memory.RoleOfAssistant}[i%2]
			said = append(said, memory.Message{ID: fmt.Sprint(i), Role: role, Content: fmt.Sprintf("Line %d: %s", i, strings.Repeat("the harbour lies in the morning light ", 8))})
		}
		w.store(grace, "c1", said...)
	}
	r := chat.ContextRequest{Conversation: "c1", Message: "What did I say of the harbour in line 17?", Model: "openai/gpt-4o"}
	measure := func(name string) chat.Context {
		began := time.Now()
		c := w.context(grace, r)
		first := time.Since(began)
		var took []time.Duration
		for range 40 {
			began := time.Now()
			c = w.context(grace, r)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%s: %d messages, %d tokens of %d, counted by %s, %d recalled: the first %s, median %s, p95 %s",
			name, c.Ledger.Messages, c.Ledger.Used, c.Ledger.Max, c.Counter.Name, len(c.Recalled), first, took[len(took)/2], took[len(took)*95/100])
		// A hundred times what is measured on a quiet machine, which is for benchmarks to say.
		if median := took[len(took)/2]; median > 5*time.Second {
			t.Errorf("%s: the median is %s", name, median)
		}
		if c.Ledger.Used > c.Ledger.Max {
			t.Errorf("%s: %+v", name, c.Ledger)
		}
		return c
	}
	// Flushed, but not summarised: the whole window is of words that were said.
	w.compactor.summaryFails = true
	r.NoWait = true
	if c := measure("word by word"); c.Ledger.Used < c.Ledger.Max/2 {
		t.Errorf("%+v", c.Ledger)
	}
	w.compactor.summaryFails, r.NoWait = false, false
	if c := measure("summarised"); c.Compaction == nil {
		t.Errorf("%+v", c.Ledger)
	}
}
