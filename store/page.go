package store

// Page asks for a part of a list. The zero value asks for the first DefaultPage rows.
type Page struct {
	Limit  int    // rows; 0: DefaultPage, at most MaxPage
	Cursor string // Next of the part before; empty: from the start
}

// Limits of a Page.
const (
	DefaultPage = 50
	MaxPage     = 500
)

// Listed is a part of a list.
type Listed[T any] struct {
	Items []T
	Next  string // Cursor of the next part; empty when this was the last
}
