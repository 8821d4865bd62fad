package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) deleteCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "delete",
		Short: "Delete a conversation, an owner or the agent, after a grace period",
		Long: "Delete a conversation, an owner or the agent with everything that is stored of it.\n\n" +
			"Without --yes the commands show what would be deleted. A deletion starts after the server's grace period, and can be cancelled\n" +
			"until then: reverie memory deletions cancel <id>.",
	}
	session.NeedsCommand(c)
	var keep bool
	conversation := s.deletionOf("conversation <id>", "Delete a conversation, and what was learned from it only",
		session.NeedsArgs(1, 1, "a conversation"),
		func(args []string, body *wire.NewDeletionBody) {
			body.Target, body.Conversation, body.KeepLearned = "conversation", args[0], &keep
		})
	conversation.Flags().BoolVar(&keep, "keep-learned", false, "keep what was learned from it")
	c.AddCommand(
		conversation,
		s.deletionOf("owner", "Delete an owner: documents, conversations and all that was made of them", cobra.NoArgs,
			func(_ []string, body *wire.NewDeletionBody) { body.Target = "owner" }),
		s.deletionOf("agent", "Delete the agent with all of its owners", cobra.NoArgs,
			func(_ []string, body *wire.NewDeletionBody) { body.Target = "agent" }),
	)
	return c
}

// deletionOf returns the command that deletes one kind of target.
func (s commands) deletionOf(
	use, short string, args cobra.PositionalArgs, target func(args []string, body *wire.NewDeletionBody),
) *cobra.Command {
	var yes, now bool
	c := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			dry := !yes
			body := wire.NewDeletionBody{Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser, DryRun: &dry, Now: &now}
			target(args, &body)
			made, err := client.CreateDeletion(cmd.Context(), s.Agent, body)
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				showDeletion(w, made.Data)
				if dry {
					fmt.Fprintln(w, "nothing was deleted: repeat it with --yes")
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "request the deletion")
	c.Flags().BoolVar(&now, "now", false, "start at once, without a grace period; needs an admin key")
	return c
}

func (s commands) deletionsCommand() *cobra.Command {
	c := &cobra.Command{Use: "deletions", Short: "List, show and cancel deletions"}
	session.NeedsCommand(c)
	var page session.Page
	list := &cobra.Command{
		Use: "list", Short: "List deletions, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params := wire.ListDeletionsParams{Person: s.Person(), Cursor: page.Cursor, Limit: page.Limit}
			found, err := client.ListDeletions(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				rows := [][]string{{"ID", "TARGET", "STATE", "REQUESTED", "DUE"}}
				for _, d := range found.Data.Items {
					rows = append(rows, []string{d.ID, targetOf(d), d.State, output.When(d.RequestedAt), output.When(d.Due)})
				}
				output.NextPage(w, found.Data.Next)
				return output.Table(w, rows)
			})
		},
	}
	page.Register(list, 50)
	c.AddCommand(list, s.onDeletion("show <id>", "Show a deletion, and at the end its receipt",
		func(cmd *cobra.Command, client *wire.Client, id string) (wire.Answer[wire.Deletion], error) {
			return client.GetDeletion(cmd.Context(), s.Agent, id, wire.GetDeletionParams{Person: s.Person()})
		}), s.onDeletion("cancel <id>", "Cancel a deletion that has not started",
		func(cmd *cobra.Command, client *wire.Client, id string) (wire.Answer[wire.Deletion], error) {
			return client.CancelDeletion(cmd.Context(), s.Agent, id, wire.CancelDeletionParams{Person: s.Person()})
		}))
	return c
}

// onDeletion returns a command about one deletion.
func (s commands) onDeletion(
	use, short string, call func(*cobra.Command, *wire.Client, string) (wire.Answer[wire.Deletion], error),
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: session.NeedsArgs(1, 1, "the id of a deletion"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			found, err := call(cmd, client, args[0])
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				showDeletion(w, found.Data)
				return nil
			})
		},
	}
}

func targetOf(d wire.Deletion) string {
	text := d.Target
	if d.Conversation != "" {
		text += " " + output.OneLine(d.Conversation, 80)
	}
	if d.Owner != "" {
		text += " of " + output.OneLine(d.Owner, 80)
	}
	return text
}

func showDeletion(w io.Writer, d wire.Deletion) {
	did := "deleted"
	switch d.State {
	case "":
		did = "would be deleted"
		fmt.Fprintln(w, targetOf(d))
	case "waiting":
		fmt.Fprintf(w, "%s: starts at %s; until then: reverie memory deletions cancel %s\n", targetOf(d), d.Due.UTC().Format(time.RFC3339), d.ID)
	default:
		fmt.Fprintf(w, "%s: %s\n", targetOf(d), d.State)
	}
	for _, table := range slices.Sorted(maps.Keys(d.Rows)) {
		fmt.Fprintf(w, "%s from %s: %s\n", did, table, output.Count(int(d.Rows[table]), "row"))
	}
	if d.State == "done" {
		fmt.Fprintf(w, "deleted in Temporal: %s\n", output.Count(d.Histories, "workflow"))
		fmt.Fprintf(w, "left: no row in %s\n", output.Count(d.Tables, "table"))
	}
	if d.Revoked > 0 {
		fmt.Fprintf(w, "no longer known: %s\n", output.Count(d.Revoked, "statement"))
	}
	for _, place := range d.NotReached {
		fmt.Fprintf(w, "not reached: %s\n", place)
	}
}
