package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Page selects a part of a list. The zero value selects the first DefaultPage rows.
type Page struct {
	Limit  int    // rows; 0: DefaultPage, at most MaxPage
	Cursor string // Next of the part before; empty: from the start
}

// Limits of a Page.
const (
	DefaultPage = 50
	MaxPage     = 500
)

// Listed is one part of a list.
type Listed[T any] struct {
	Items []T
	Next  string // Cursor of the next part; empty when this was the last
}

// limitOf bounds a number of rows.
func limitOf(n int) int {
	if n <= 0 {
		return DefaultPage
	}
	return min(n, MaxPage)
}

// cursor is the end of a part of a list: the time and id of its last row.
type cursor struct {
	at time.Time
	id uuid.UUID
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d,%s", c.at.UnixMicro(), c.id))
}

// parseCursor parses what String returned. The empty string is a cursor before every row of a list that begins with the newest.
func parseCursor(s string) (cursor, error) {
	if s == "" {
		return cursor{at: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), id: uuid.Max}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	micros, id, ok := strings.Cut(string(raw), ",")
	n, nerr := strconv.ParseInt(micros, 10, 64)
	u, uerr := uuid.Parse(id)
	if err != nil || !ok || nerr != nil || uerr != nil {
		return cursor{}, &InvalidError{Field: "cursor", Problem: "use the cursor from the previous page"}
	}
	return cursor{at: time.UnixMicro(n).UTC(), id: u}, nil
}

// listed drops the extra row that was read, and sets Next to the last row that remains.
func listed[T any](rows []T, limit int, at func(T) cursor) Listed[T] {
	if len(rows) <= limit {
		return Listed[T]{Items: rows}
	}
	rows = rows[:limit]
	return Listed[T]{Items: rows, Next: at(rows[limit-1]).String()}
}
