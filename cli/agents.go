package cli

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
)

// agent is an agent as the API shows it.
type agent struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	TimeZone  string    `json:"timeZone"`
	CreatedAt time.Time `json:"createdAt"`
}

// newAgent is the body that creates one.
type newAgent struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
}

const agentsPath = "/api/v1/agents"

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
			c, err := s.Client()
			if err != nil {
				return err
			}
			list, a, err := session.DataOf[session.List[agent]](c.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: agentsPath}))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				if len(list.Items) == 0 {
					_, err := fmt.Fprintln(w, "There is no agent yet: `reverie memory agents create <id>` makes one.")
					return err
				}
				rows := [][]string{{"ID", "NAME", "TIME ZONE", "CREATED"}}
				for _, a := range list.Items {
					rows = append(rows, []string{a.ID, output.OneLine(a.Name, 40), a.TimeZone, output.When(a.CreatedAt)})
				}
				return output.Table(w, rows)
			})
		},
	}
}

func (s commands) agentsCreateCommand() *cobra.Command {
	var n newAgent
	c := &cobra.Command{
		Use:   "create [id]",
		Short: "Create an agent, with its first documents",
		Args:  session.NeedsArgs(0, 1, "at most one id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				n.ID = args[0]
			}
			c, err := s.Client()
			if err != nil {
				return err
			}
			made, a, err := session.DataOf[agent](c.Call(cmd.Context(), session.Request{Method: http.MethodPost, Path: agentsPath, Body: n}))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "created agent %s (%s, %s)\n", made.ID, output.OneLine(made.Name, 80), made.TimeZone)
				return err
			})
		},
	}
	c.Flags().StringVar(&n.Name, "name", "", "name of the agent; empty: its id")
	c.Flags().StringVar(&n.TimeZone, "time-zone", "", "IANA name, such as Europe/Berlin; daily notes follow it; empty: UTC")
	return c
}
