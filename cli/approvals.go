package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

const aChange = "the change (`reverie memory approvals` lists them)"

func (s commands) approvalsCommand() *cobra.Command {
	var page session.Page
	var all bool
	c := &cobra.Command{
		Use:   "approvals",
		Short: "List the changes of memory that wait for a person; approve, edit or refuse their lines",
		Long: "List the changes that an agent with the setting approvals has not written yet. With a key that is pinned to an owner: of that\n" +
			"owner's documents; with an admin key: of the owner named, or of all, shared documents included.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params := wire.ListApprovalsParams{Person: s.Person(), Cursor: page.Cursor, Limit: page.Limit}
			if all {
				params.Status = "all"
			}
			found, err := client.ListApprovals(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, found.Raw, func(w io.Writer) error { return showApprovals(w, found.Data) })
		},
	}
	page.Register(c, 50)
	c.Flags().BoolVar(&all, "all", false, "also those that are decided")
	c.AddCommand(
		&cobra.Command{
			Use: "show <change>", Short: "Show the lines of a change, with their sources", Args: session.NeedsArgs(1, 1, aChange),
			RunE: func(cmd *cobra.Command, args []string) error {
				client, err := s.AgentClient()
				if err != nil {
					return err
				}
				found, err := client.GetApproval(cmd.Context(), s.Agent, args[0], wire.GetApprovalParams{Person: s.Person()})
				if err != nil {
					return err
				}
				return s.Print(cmd, found.Raw, func(w io.Writer) error { return showApproval(w, found.Data) })
			},
		},
		s.decideCommand("approve", "Approve lines of a change, or all that wait", nil),
		s.decideCommand("refuse", "Refuse lines of a change, or all that wait", func(c *cobra.Command, d *wire.LineDecision) {
			c.Flags().StringVar(&d.Note, "note", "", "why, which is kept with the lines")
		}),
		s.editLineCommand(),
	)
	return c
}

// decideCommand returns the command that decides about lines in one way.
func (s commands) decideCommand(decision, short string, flags func(*cobra.Command, *wire.LineDecision)) *cobra.Command {
	with := wire.LineDecision{Decision: decision}
	var others bool
	c := &cobra.Command{
		Use: decision + " <change> [line]…", Short: short, Args: session.NeedsArgs(1, maxLines, aChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			if others == (len(args) > 1) {
				return fmt.Errorf("name lines (`reverie memory approvals show %s` numbers them), or give --all", args[0])
			}
			body := wire.DecideApprovalBody{}
			if others {
				body.Others, body.Note = decision, with.Note
			}
			for _, arg := range args[1:] {
				d := with
				var err error
				if d.Line, err = strconv.Atoi(arg); err != nil {
					return fmt.Errorf("%q is not a line number: see `reverie memory approvals show %s`", arg, args[0])
				}
				body.Decisions = append(body.Decisions, d)
			}
			return s.decideLines(cmd, args[0], body)
		},
	}
	c.Flags().BoolVar(&others, "all", false, "all lines that wait")
	if flags != nil {
		flags(c, &with)
	}
	return c
}

// maxLines bounds the arguments of a command.
const maxLines = 1000

func (s commands) editLineCommand() *cobra.Command {
	return &cobra.Command{
		Use: "edit <change> <line> <text>", Short: "Approve a line in your own words", Args: session.NeedsArgs(3, 3, "the change, the line and its new text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			line, err := strconv.Atoi(args[1])
			if err != nil {
				return fmt.Errorf("%q is not a line number: see `reverie memory approvals show %s`", args[1], args[0])
			}
			return s.decideLines(cmd, args[0], wire.DecideApprovalBody{
				Decisions: []wire.LineDecision{{Line: line, Decision: "edit", Text: args[2]}},
			})
		},
	}
}

func (s commands) decideLines(cmd *cobra.Command, approval string, body wire.DecideApprovalBody) error {
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	done, err := client.DecideApproval(cmd.Context(), s.Agent, approval, wire.DecideApprovalParams{Person: s.Person()}, body)
	if err != nil {
		return err
	}
	return s.Print(cmd, done.Raw, func(w io.Writer) error {
		for _, c := range done.Data.Changes {
			fmt.Fprintln(w, output.Change(c))
		}
		_, err := fmt.Fprintf(w, "decided; %s\n", waits(done.Data.Approval.Waiting))
		return err
	})
}

func waits(lines int) string {
	if lines == 0 {
		return "nothing waits any more"
	}
	return output.Count(lines, "line") + " still to decide"
}

func showApprovals(w io.Writer, page wire.Page[wire.Approval]) error {
	if len(page.Items) == 0 {
		_, err := fmt.Fprintln(w, "nothing waits")
		return err
	}
	rows := [][]string{{"CHANGE", "DOCUMENT", "OWNER", "WAITING", "EXPIRES"}}
	for _, a := range page.Items {
		rows = append(rows, []string{a.ID, a.Scope + " " + a.Path, a.Owner, output.Count(a.Waiting, "line"), output.When(a.ExpiresAt)})
	}
	output.NextPage(w, page.Next)
	return output.Table(w, rows)
}

func showApproval(w io.Writer, a wire.Approval) error {
	fmt.Fprintf(w, "%s %s %s\n", a.Scope, a.Path, a.Owner)
	policy := map[string]string{"apply": "applied", "refuse": "refused"}[a.Expiry]
	fmt.Fprintf(w, "%s; what is not decided by %s is %s\n", waits(a.Waiting), output.When(a.ExpiresAt), policy)
	for _, l := range a.Lines {
		fmt.Fprintf(w, "\nline %d%s%s\n", l.Line, fromMessages(l), decidedAs(l))
		for removed := range strings.Lines(l.Removed) {
			fmt.Fprintln(w, "  - "+strings.TrimRight(removed, "\n"))
		}
		for added := range strings.Lines(strings.TrimPrefix(l.Headings+"\n"+l.Added, "\n")) {
			fmt.Fprintln(w, "  + "+strings.TrimRight(added, "\n"))
		}
		if l.Text != "" {
			fmt.Fprintln(w, "  = "+l.Text)
		}
	}
	return nil
}

func fromMessages(l wire.ApprovalLine) string {
	if len(l.Messages) == 0 {
		return ""
	}
	var out []string
	for _, m := range l.Messages {
		for _, seq := range m.Messages {
			out = append(out, strings.TrimSpace(m.Conversation+" "+strconv.Itoa(seq)))
		}
	}
	return ", from message " + strings.Join(out, ", ")
}

func decidedAs(l wire.ApprovalLine) string {
	past := map[string]string{"approve": "approved", "edit": "edited", "refuse": "refused"}[l.Decision]
	switch {
	case past == "":
		return ""
	case l.Note != "":
		return ": " + past + " (" + l.Note + ")"
	}
	return ": " + past
}
