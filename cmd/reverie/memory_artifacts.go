package main

import (
	"io"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"reverie/memory"
)

// artifact is something of an agent's memory that other programs read.
type artifact struct {
	Kind        string       `json:"kind"`
	Path        string       `json:"path"`
	ContentType string       `json:"contentType"`
	Scope       memory.Scope `json:"scope"`
	Version     int          `json:"version"`
	Bytes       int          `json:"bytes"`
	Href        string       `json:"href"`
}

func (s *session) artifactsCommand() *cobra.Command {
	var cursor string
	var limit int
	c := &cobra.Command{
		Use:   "artifacts",
		Short: "List what other programs may read of memory: MEMORY.md, daily notes, reports of dreams, the journal",
		Long: "List what other programs may read of an agent's memory, by path: MEMORY.md (memory-root), daily notes (daily-note),\n" +
			"reports of dreams (dream-report) and the journal (event-log). With --json each has the address at which it is read.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			setQuery(query, "cursor", cursor)
			list, a, err := dataOf[listed[artifact]](s.get(cmd, query, "artifacts"))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				rows := [][]string{{"KIND", "PATH", "SCOPE", "VERSION", "BYTES", "TYPE"}}
				for _, one := range list.Items {
					row := []string{one.Kind, oneLine(one.Path, 80), "-", "-", "-", one.ContentType}
					if one.Scope != "" {
						row[2], row[3], row[4] = string(one.Scope), strconv.Itoa(one.Version), strconv.Itoa(one.Bytes)
					}
					rows = append(rows, row)
				}
				if err := table(w, rows); err != nil {
					return err
				}
				nextPage(w, list.Next)
				return nil
			})
		},
	}
	c.Flags().StringVar(&cursor, "cursor", "", "go on behind an earlier list: what it says at its end")
	c.Flags().IntVar(&limit, "limit", 100, "how many at once")
	return c
}
