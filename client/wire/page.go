package wire

import "iter"

// Page is a part of a list. Next is the cursor of the part that follows; empty on the last one.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// Items iterates over the items of all pages of a list. It calls get with the cursor of each page, at first with an empty one, and
// ends after the last page or with the first error:
//
//	for extraction, err := range wire.Items(func(cursor string) (wire.Answer[wire.Page[wire.Extraction]], error) {
//		return c.ListExtractions(ctx, "ada", wire.ListExtractionsParams{Cursor: cursor})
//	}) { … }
func Items[T any](get func(cursor string) (Answer[Page[T]], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for cursor := ""; ; {
			page, err := get(cursor)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Data.Items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = page.Data.Next; cursor == "" {
				return
			}
		}
	}
}
