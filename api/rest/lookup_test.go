package rest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// However many secrets are guessed, one query runs at a time, and a valid secret is found among them.
func TestLookup(t *testing.T) {
	var queries, running, asked atomic.Int32
	l := &lookup{query: func(_ context.Context, secrets []string) (map[string]bool, error) {
		if running.Add(1) > 1 || len(secrets) > lookupSecrets {
			t.Errorf("%d queries at once, this one for %d secrets", running.Load(), len(secrets))
		}
		defer running.Add(-1)
		queries.Add(1)
		asked.Add(int32(len(secrets)))
		time.Sleep(time.Millisecond)
		known := map[string]bool{}
		for _, s := range secrets {
			known[s] = s == "valid"
		}
		return known, nil
	}}
	began := time.Now()
	var all sync.WaitGroup
	for guesser := range 100 {
		all.Go(func() {
			for n := range 50 {
				if found, err := l.has(t.Context(), fmt.Sprint("guess ", guesser, n)); found || err != nil {
					t.Errorf("a guess is found: %v, %v", found, err)
				}
			}
		})
	}
	for range 20 {
		if found, err := l.has(t.Context(), "valid"); !found || err != nil {
			t.Errorf("the key is not found: %v", err)
		}
	}
	all.Wait()
	if most := int32(time.Since(began)/lookupPause) + 1; queries.Load() > most || asked.Load() > 5020 {
		t.Errorf("%d queries for %d secrets in %s", queries.Load(), asked.Load(), time.Since(began))
	}
}
