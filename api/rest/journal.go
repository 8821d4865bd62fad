package rest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"reverie/memory"
	"reverie/store/admin"
	"reverie/store/gate"
)

// heldAfter is the age from which an open transaction is reported: the longest ones of Reverie take seconds.
const heldAfter = 30 * time.Second

// holders finds transactions that hold back the journal.
type holders struct {
	mu   sync.Mutex
	seen map[string]time.Time // when a transaction was found first, by its number
}

// Held is a transaction that has been open for long.
type Held struct {
	admin.JournalHolder
	Age time.Duration // at least
}

func (h Held) String() string {
	who := fmt.Sprintf("process %d", h.Process)
	if h.Process == 0 {
		who = "prepared transaction"
	}
	if h.Application != "" {
		who += " (" + h.Application + ")"
	}
	return fmt.Sprintf("%s, open for %s", who, h.Age.Round(time.Second))
}

// JournalHeld lists transactions that have held back the journal for half a minute, oldest first. The age of one whose begin the database
// does not show counts from the first call that found it.
func (s *Server) JournalHeld(ctx context.Context) ([]Held, error) {
	found, err := s.Store.JournalHolders(ctx)
	if err != nil {
		return nil, err
	}
	return s.holders.old(found, s.Now()), nil
}

func (h *holders) old(found []admin.JournalHolder, now time.Time) (held []Held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]time.Time{}
	for _, x := range found {
		since, known := h.seen[x.Transaction]
		if !known {
			since = now
		}
		if x.Since != nil {
			since = *x.Since
		}
		seen[x.Transaction] = since
		if age := now.Sub(since); age >= heldAfter {
			held = append(held, Held{x, age})
		}
	}
	h.seen = seen
	slices.SortStableFunc(held, func(a, b Held) int { return cmp.Compare(b.Age, a.Age) })
	return held
}

// AskJournal reports whether the journal is held back, and by which transactions.
func (s *Server) AskJournal(ctx context.Context) (PartView, error) {
	held, err := s.JournalHeld(ctx)
	if err != nil || len(held) == 0 {
		return PartView{Name: "journal", State: StateOK}, err
	}
	remedy := "commit it or roll it back"
	if process := held[0].Process; process != 0 {
		remedy = fmt.Sprintf("end it, or run select pg_terminate_backend(%d)", process)
	}
	detail := fmt.Sprintf("no new event is shown while an older transaction is open: %s: %s", held[0], remedy)
	return PartView{Name: "journal", State: StateDegraded, Detail: detail}, nil
}

// lookForEvents returns a look that finds events newer than those present when it began. Its first look always finds something: events
// between a follower's look and its first one would otherwise be lost.
func (s *Server) lookForEvents(id memory.Identity) Look {
	var filter gate.JournalFilter
	begun := false
	return func(ctx context.Context) (found bool, err error) {
		if !begun {
			if filter.After, err = s.Store.JournalEnd(ctx, id); err == nil {
				begun = true
			}
			return begun, err
		}
		part, err := s.Store.Journal(ctx, id, filter)
		if err == nil {
			found, filter.After = len(part.Events) > 0, part.Next
		}
		return found, err
	}
}
