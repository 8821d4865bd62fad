package transfer

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"reverie/api/fault"
)

func TestArchivesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		turns.all = semaphore.NewWeighted(1)
		first, err := turns.take(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var refused *fault.Problem
		if _, err := turns.take(t.Context(), time.Second); !errors.As(err, &refused) || refused.Code != http.StatusTooManyRequests {
			t.Errorf("a second archive of the key: %v", err)
		}
		done := make(chan error)
		go func() {
			release, err := turns.take(t.Context(), time.Minute)
			if err == nil {
				release()
			}
			done <- err
		}()
		synctest.Wait()
		first()
		if err := <-done; err != nil {
			t.Errorf("the next one: %v", err)
		}
		if len(turns.keys) > 0 {
			t.Errorf("%d keys are remembered", len(turns.keys))
		}
	})
}
