package output

import (
	"fmt"
	"io"

	"github.com/reverie-memory/reverie/client/wire"
)

// Card prints a morning card.
func Card(w io.Writer, c wire.MorningCard) error {
	fmt.Fprintf(w, "Dreamed on %s: %d new in memory, %d rejected.\n", When(c.StartedAt), c.PromotedCount, c.RejectedCount)
	if len(c.Facts) == 0 {
		return nil
	}
	rows := [][]string{{"ENTRY", "STATE", "TEXT"}}
	for _, f := range c.Facts {
		state := f.Status
		if state == "" {
			state = "new"
		}
		rows = append(rows, []string{f.Entry, state, OneLine(f.Text, 200)})
	}
	if err := Table(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "`reverie memory card confirm`, `edit` or `forget` with an entry changes what is remembered; `card seen` puts it away.")
	return err
}
