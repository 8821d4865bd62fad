package facts

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) contradictionsCommand() *cobra.Command {
	var (
		page   session.Page
		params wire.ListContradictionsParams
	)
	c := &cobra.Command{
		Use:   "contradictions",
		Short: "List statements that cannot both hold, the latest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params.Person, params.Cursor, params.Limit = s.Person(), page.Cursor, page.Limit
			list, err := client.ListContradictions(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return showContradictions(w, list.Data) })
		},
	}
	c.Flags().StringVar(&params.State, "state", "open", "open, superseded or resolved")
	page.Register(c, 50)
	c.AddCommand(s.resolveCommand())
	return c
}

func showContradictions(w io.Writer, list wire.Page[wire.FactContradiction]) error {
	if len(list.Items) == 0 {
		fmt.Fprintln(w, "no contradictions")
	}
	for _, c := range list.Items {
		if err := showContradiction(w, c); err != nil {
			return err
		}
	}
	output.NextPage(w, list.Next)
	return nil
}

func showContradiction(w io.Writer, c wire.FactContradiction) error {
	state := c.Resolution
	if state == "" {
		state = "open"
	}
	return output.Table(w, [][]string{
		{c.ID, state, c.Description},
		{"  A", place(c.FactA), output.OneLine(c.FactA.Text, 200)},
		{"  B", place(c.FactB), output.OneLine(c.FactB.Text, 200)},
	})
}

func (s commands) resolveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resolve <contradiction> keep-a|keep-b|merge|ignore [text]",
		Short: "Decide which of two statements holds; the other one is removed from the documents",
		Long: "Decide which of two statements holds. keep-a keeps the older one, keep-b the newer one; the other one is removed from the documents\n" +
			"and not learned again. merge puts the text in place of both. ignore keeps both.",
		Args: session.NeedsArgs(2, 3, "the id of the contradiction, keep-a, keep-b, merge or ignore, and for merge the text in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			body := wire.ResolveBody{Resolution: strings.ReplaceAll(strings.ToUpper(args[1]), "-", "_")}
			if len(args) > 2 {
				body.Text = args[2]
			}
			resolved, err := client.ResolveContradiction(cmd.Context(), s.Agent, args[0], wire.ResolveContradictionParams{Person: s.Person()}, body)
			if err != nil {
				return err
			}
			return s.Print(cmd, resolved.Raw, func(w io.Writer) error { return showContradiction(w, resolved.Data) })
		},
	}
}
