package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

func (s commands) agentsCommand() *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "List and create agents"}
	session.NeedsCommand(c)
	c.AddCommand(s.agentsListCommand(), s.agentsCreateCommand())
	return c
}

func (s commands) agentsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agents that the key may use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			list, err := client.ListAgents(cmd.Context())
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				if len(list.Data.Items) == 0 {
					_, err := fmt.Fprintln(w, "No agents yet: `reverie memory agents create <id>` creates one.")
					return err
				}
				rows := [][]string{{"ID", "NAME", "TIME ZONE", "CREATED"}}
				for _, a := range list.Data.Items {
					rows = append(rows, []string{a.ID, output.OneLine(a.Name, 40), a.TimeZone, output.When(a.CreatedAt)})
				}
				return output.Table(w, rows)
			})
		},
	}
}

func (s commands) agentsCreateCommand() *cobra.Command {
	var body wire.NewAgentBody
	c := &cobra.Command{
		Use:   "create [id]",
		Short: "Create an agent, with its first documents",
		Args:  session.NeedsArgs(0, 1, "at most one id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				body.ID = args[0]
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			made, err := client.CreateAgent(cmd.Context(), body)
			if err != nil {
				return err
			}
			return s.Print(cmd, made.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "created agent %s (%s, %s)\n", made.Data.ID, output.OneLine(made.Data.Name, 80), made.Data.TimeZone)
				return err
			})
		},
	}
	c.Flags().StringVar(&body.Name, "name", "", "name of the agent; empty: its id")
	c.Flags().StringVar(&body.TimeZone, "time-zone", "", "IANA name, such as Europe/Berlin; daily notes follow it; empty: UTC")
	return c
}
