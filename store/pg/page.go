package pg

import (
	"encoding/base64"
	"encoding/binary"
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

// LimitOf bounds a number of rows.
func LimitOf(n int) int {
	if n <= 0 {
		return DefaultPage
	}
	return min(n, MaxPage)
}

// Cursor is the end of a part of a list: the time and id of its last row.
type Cursor struct {
	At time.Time
	ID uuid.UUID
}

func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d,%s", c.At.UnixMicro(), c.ID))
}

// Before returns a cursor at a time, to the millisecond, for lists whose ids are UUIDv7s: it selects the rows that were made before.
func Before(t time.Time) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(t.UnixMilli()))
	c := Cursor{At: t}
	copy(c.ID[:6], ms[2:])
	return c.String()
}

// ParseCursor parses what String returned. The empty string is a cursor before every row of a list that begins with the newest.
func ParseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{At: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), ID: uuid.Max}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	micros, id, ok := strings.Cut(string(raw), ",")
	n, nerr := strconv.ParseInt(micros, 10, 64)
	u, uerr := uuid.Parse(id)
	if err != nil || !ok || nerr != nil || uerr != nil {
		return Cursor{}, &InvalidError{Field: "cursor", Problem: "use the cursor from the previous page"}
	}
	return Cursor{At: time.UnixMicro(n).UTC(), ID: u}, nil
}

// NewListed drops the extra row that was read, and sets Next to the last row that remains.
func NewListed[T any](rows []T, limit int, at func(T) Cursor) Listed[T] {
	if len(rows) <= limit {
		return Listed[T]{Items: rows}
	}
	rows = rows[:limit]
	return Listed[T]{Items: rows, Next: at(rows[limit-1]).String()}
}
