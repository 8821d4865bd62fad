package cli

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
)

func (s commands) auditCommand() *cobra.Command {
	var (
		params wire.ListAuditParams
		since  time.Duration
	)
	c := &cobra.Command{
		Use:   "audit",
		Short: "List what keys read and changed for others, newest first",
		Long: "List the requests of keys that are not pinned to an owner: who, when, from where, what and about whom, never contents.\n" +
			"--agent and the flags that name an owner select the records about them. Needs an admin key.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			params.Agent, params.Person = s.Agent, s.Person()
			if since > 0 {
				params.Since = time.Now().Add(-since).UTC().Format(time.RFC3339)
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			list, err := client.ListAudit(cmd.Context(), params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"AT", "KEY", "FROM", "OPERATION", "KIND", "AGENT", "OWNER", "ABOUT", "STATUS"}}
				for _, e := range list.Data.Items {
					var about []string
					for _, name := range slices.Sorted(maps.Keys(e.Targets)) {
						about = append(about, name+"="+e.Targets[name])
					}
					rows = append(rows, []string{
						output.When(e.At), e.Key, e.Address, e.Operation, e.Kind, e.Agent, output.OneLine(e.Owner, 40), output.OneLine(strings.Join(about, " "), 160),
						strconv.Itoa(e.Status),
					})
				}
				if err := output.Table(w, rows); err != nil {
					return err
				}
				output.NextPage(w, list.Data.Next)
				return nil
			})
		},
	}
	f := c.Flags()
	f.StringVar(&params.Key, "of", "", "only of the key with this id")
	f.StringVar(&params.Operation, "operation", "", "only of this operation, such as list-messages")
	f.StringVar(&params.Kind, "kind", "", "reads or changes")
	f.DurationVar(&since, "since", 0, "only of this long ago or less, such as 24h")
	f.IntVar(&params.Limit, "limit", 50, "how many per page")
	f.StringVar(&params.Cursor, "cursor", "", "the next page, as the list names it")
	return c
}
