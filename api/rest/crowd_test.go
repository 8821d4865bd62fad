package rest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// However many secrets are guessed, one look at the database runs at a time, and a valid one is found among them.
func TestAKeyIsFoundInACrowd(t *testing.T) {
	var looks, running, asked atomic.Int32
	c := &crowd{known: func(_ context.Context, secrets []string) (map[string]bool, error) {
		if running.Add(1) > 1 || len(secrets) > crowdMost {
			t.Errorf("%d looks at once, this one for %d secrets", running.Load(), len(secrets))
		}
		defer running.Add(-1)
		looks.Add(1)
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
				if found, err := c.has(t.Context(), fmt.Sprint("guess ", guesser, n)); found || err != nil {
					t.Errorf("a guess is found: %v, %v", found, err)
				}
			}
		})
	}
	for range 20 {
		if found, err := c.has(t.Context(), "valid"); !found || err != nil {
			t.Errorf("the key is not found: %v", err)
		}
	}
	all.Wait()
	if most := int32(time.Since(began)/crowdPause) + 1; looks.Load() > most || asked.Load() > 5020 {
		t.Errorf("%d looks for %d secrets in %s", looks.Load(), asked.Load(), time.Since(began))
	}
}
