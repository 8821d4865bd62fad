package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) ownerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "owner [id]",
		Short: "Find a person's workflows in Temporal, or the person behind an owner id",
		Long: "Show the opaque id of a person in workflow ids and in the search attribute OwnerKey, with the ids of the\n" +
			"person's workflows. Name the person (--owner, --end-user, or --channel and --sender), or give an id to see its owner.\n" +
			"It needs an admin key.",
		Args: session.NeedsArgs(0, 1, "at most one owner id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			params := wire.FindOwnerParams{Person: s.Person()}
			if len(args) == 1 {
				params.ID = args[0]
			} else if !s.NamesOwner() {
				return errors.New("name the person (--owner, --end-user, or --channel and --sender), or give an owner id")
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			found, err := client.FindOwner(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				o := found.Data
				rows := [][]string{
					{"owner", output.OneLine(o.Owner, 200)}, {"id", o.OwnerID}, {"query", o.Query}, {"inbox", o.Inbox}, {"dreams", o.Dream},
				}
				if o.Link != "" {
					rows = append(rows, []string{"link", o.Link})
				}
				return output.Table(w, rows)
			})
		},
	}
}
