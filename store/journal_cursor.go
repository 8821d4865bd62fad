package store

import (
	"fmt"
	"strconv"
	"strings"
)

// JournalCursor is a place in the journal of one database: behind an event. The zero value is the beginning.
type JournalCursor struct {
	Transaction int64
	Event       int64
}

// String is the cursor as text: two numbers with a hyphen.
func (c JournalCursor) String() string { return fmt.Sprintf("%d-%d", c.Transaction, c.Event) }

// ParseJournalCursor reads what String wrote; the empty text is the beginning. It returns *InvalidError for anything else.
func ParseJournalCursor(text string) (JournalCursor, error) {
	if text == "" {
		return JournalCursor{}, nil
	}
	transaction, event, found := strings.Cut(text, "-")
	t, terr := strconv.ParseInt(transaction, 10, 64)
	e, eerr := strconv.ParseInt(event, 10, 64)
	if !found || terr != nil || eerr != nil || t < 0 || e < 0 {
		return JournalCursor{}, &InvalidError{Field: "after", Problem: "use a cursor that a list of events gave"}
	}
	return JournalCursor{Transaction: t, Event: e}, nil
}

// notBefore is the later one of two places.
func (c JournalCursor) notBefore(other JournalCursor) JournalCursor {
	if c.Transaction < other.Transaction || c.Transaction == other.Transaction && c.Event < other.Event {
		return other
	}
	return c
}
