package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) revokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "revoke",
		Short: "Remove what was learned only from one source",
		Long: "Remove what was learned from a conversation, an import, writes of business processes, or a key, and has no other source.\n\n" +
			"Without --yes the commands show what would be removed, what is kept, and why. What is revoked is not learned again from old messages;\n" +
			"a person may say it again.",
	}
	session.NeedsCommand(c)
	c.AddCommand(
		s.revokeOf("conversation <id>", "Revoke what was learned from a conversation", "conversation", false),
		s.revokeOf("import <id>", "Revoke what was imported, and what was learned from its conversations", "import", false),
		s.revokeOf("connector <id>", "Revoke writes of business processes, by request id, workflow id, or prefix*", "connector", true),
		s.revokeOf("key <id>", "Revoke what was written and said with an API key", "key", true),
	)
	return c
}

// revokeOf returns the command that revokes one kind of source.
func (s commands) revokeOf(use, short, kind string, period bool) *cobra.Command {
	var yes bool
	var since, until string
	c := &cobra.Command{
		Use: use, Short: short, Args: session.NeedsArgs(1, 1, "the "+kind),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			dry := !yes
			body := wire.NewRevocationBody{
				Kind: kind, Source: args[0], Owner: s.Owner, Channel: s.Channel, Sender: s.Sender, EndUserID: s.EndUser, DryRun: &dry,
			}
			if body.Since, err = timeOf("since", since); err != nil {
				return err
			}
			if body.Until, err = timeOf("until", until); err != nil {
				return err
			}
			for {
				made, err := client.CreateRevocation(cmd.Context(), s.Agent, body)
				if err != nil {
					return err
				}
				if err := s.Print(cmd, made.Raw, func(w io.Writer) error {
					showRevocation(w, made.Data)
					return nil
				}); err != nil {
					return err
				}
				if body.Cursor = made.Data.Next; body.Cursor == "" {
					return nil
				}
			}
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "revoke it")
	if period {
		c.Flags().StringVar(&since, "since", "", "beginning of the period, as 2026-01-31T12:00:00Z")
		c.Flags().StringVar(&until, "until", "", "end of the period, exclusive")
	}
	return c
}

// timeOf parses the value of a flag; empty: no time.
func timeOf(flag, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return at, fmt.Errorf("--%s: write the time as 2026-01-31T12:00:00Z", flag)
	}
	return at, nil
}

func (s commands) revocationsCommand() *cobra.Command {
	c := &cobra.Command{Use: "revocations", Short: "List and show revocations"}
	session.NeedsCommand(c)
	var page session.Page
	list := &cobra.Command{
		Use: "list", Short: "List revocations, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params := wire.ListRevocationsParams{Person: s.Person(), Cursor: page.Cursor, Limit: page.Limit}
			found, err := client.ListRevocations(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				rows := [][]string{{"ID", "SOURCE", "STATE", "REQUESTED", "STATEMENTS", "OWNERS"}}
				for _, r := range found.Data.Items {
					rows = append(rows, []string{
						r.ID, r.Kind + " " + output.OneLine(r.Source, 80), r.State, output.When(r.RequestedAt), fmt.Sprint(r.Statements),
						fmt.Sprint(len(r.Owners)),
					})
				}
				output.NextPage(w, found.Data.Next)
				return output.Table(w, rows)
			})
		},
	}
	page.Register(list, 50)
	show := &cobra.Command{
		Use: "show <id>", Short: "Show a revocation and its receipt", Args: session.NeedsArgs(1, 1, "the id of a revocation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			found, err := client.GetRevocation(cmd.Context(), s.Agent, args[0], wire.GetRevocationParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error {
				showRevocation(w, found.Data)
				return nil
			})
		},
	}
	c.AddCommand(list, show)
	return c
}

// staysBecause says why a statement of a source stays.
var staysBecause = map[string]string{
	"person": "a person wrote it", "elsewhere": "another source has it", "said": "it was said elsewhere",
	"mixed": "a part of it came from elsewhere",
}

// waiting is the state of a revocation that has not been carried out.
const waiting = "waiting"

func showRevocation(w io.Writer, r wire.Revocation) {
	if !r.DryRun {
		fmt.Fprintf(w, "revocation %s of %s %s: %s\n", r.ID, r.Kind, output.OneLine(r.Source, 80), r.State)
	}
	if !r.DryRun && r.State == waiting {
		fmt.Fprintf(w, "revocation in progress: reverie memory revocations show %s lists what was removed\n", r.ID)
		return
	}
	for _, o := range r.Owners {
		fmt.Fprintf(w, "%s: %s %s, %d stay\n", output.OneLine(o.Owner, 80), output.Count(o.Statements, "statement"),
			map[bool]string{true: "would go", false: "gone"}[r.DryRun], o.Kept)
		for _, f := range o.Found {
			did, where := "goes ", fmt.Sprintf("%s:%d", f.Path, f.StartLine)
			if f.Path == "" {
				where = "waiting for a person"
			}
			why := ""
			if !f.Goes {
				did, why = "stays", " ("+staysBecause[f.Why]
				if f.In != "" {
					why += ": " + f.In
				}
				why += ")"
			}
			fmt.Fprintf(w, "  %s %s: %s%s\n", did, output.OneLine(where, 200), output.OneLine(f.Text, 200), why)
		}
	}
	if r.Dreams > 0 {
		fmt.Fprintf(w, "%s dreamed again: %d\n", map[bool]string{true: "would be", false: "to be"}[r.DryRun], r.Dreams)
	}
	for _, place := range r.NotReached {
		fmt.Fprintf(w, "not reached: %s\n", place)
	}
	if r.DryRun {
		fmt.Fprintln(w, "nothing was changed: repeat it with --yes")
	}
}
