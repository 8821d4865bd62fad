package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
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

func (s *session) agentsCommand() *cobra.Command {
	c := &cobra.Command{Use: "agents", Short: "List and create agents"}
	needsCommand(c)
	c.AddCommand(s.agentsListCommand(), s.agentsCreateCommand())
	return c
}

func (s *session) agentsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agents that the key may use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			list, a, err := dataOf[listed[agent]](c.call(cmd.Context(), apiRequest{method: http.MethodGet, path: agentsPath}))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				if len(list.Items) == 0 {
					_, err := fmt.Fprintln(w, "There is no agent yet: `reverie memory agents create <id>` makes one.")
					return err
				}
				rows := [][]string{{"ID", "NAME", "TIME ZONE", "CREATED"}}
				for _, a := range list.Items {
					rows = append(rows, []string{a.ID, oneLine(a.Name, 40), a.TimeZone, when(a.CreatedAt)})
				}
				return table(w, rows)
			})
		},
	}
}

func (s *session) agentsCreateCommand() *cobra.Command {
	var n newAgent
	c := &cobra.Command{
		Use:   "create [id]",
		Short: "Create an agent, with its first documents",
		Args:  needsArgs(0, 1, "at most one id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				n.ID = args[0]
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			made, a, err := dataOf[agent](c.call(cmd.Context(), apiRequest{method: http.MethodPost, path: agentsPath, body: n}))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "created agent %s (%s, %s)\n", made.ID, oneLine(made.Name, 80), made.TimeZone)
				return err
			})
		},
	}
	c.Flags().StringVar(&n.Name, "name", "", "name of the agent; empty: its id")
	c.Flags().StringVar(&n.TimeZone, "time-zone", "", "IANA name, such as Europe/Berlin; daily notes follow it; empty: UTC")
	return c
}
