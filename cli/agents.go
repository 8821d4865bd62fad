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
	c := &cobra.Command{Use: "agents", Short: "List and create agents; pause and resume their use of models"}
	session.NeedsCommand(c)
	c.AddCommand(s.agentsListCommand(), s.agentsCreateCommand(), s.agentsBudgetCommand(),
		s.agentsPauseCommand("pause", "Ask no model for an agent: its work waits, and rules do what cannot", true),
		s.agentsPauseCommand("resume", "Ask models for an agent again: what waits continues within ten minutes", false))
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
			list, err := client.ListAgents(cmd.Context(), wire.ListAgentsParams{})
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

const anAgent = "the agent (`reverie memory agents list` lists them)"

func (s commands) agentsBudgetCommand() *cobra.Command {
	var tokens int
	var cost float64
	c := &cobra.Command{
		Use: "budget <agent>", Short: "Show what an agent has spent on models today; with flags, change its budget of a day",
		Args: session.NeedsArgs(1, 1, anAgent),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			var change wire.SettingsChanges
			if cmd.Flags().Changed("tokens") {
				change.BudgetTokens.Set(tokens)
			}
			if cmd.Flags().Changed("cost") {
				change.BudgetCost.Set(cost)
			}
			if len(change.BudgetTokens)+len(change.BudgetCost) > 0 {
				if _, err := client.UpdateAgent(cmd.Context(), args[0], wire.AgentPatchBody{Settings: change}); err != nil {
					return err
				}
			}
			return s.showBudget(cmd, client, args[0])
		},
	}
	c.Flags().IntVar(&tokens, "tokens", 0, "tokens of a day, in and out; 0: no separate limit")
	c.Flags().Float64Var(&cost, "cost", 0, "US dollars of a day; 0: no separate limit")
	return c
}

func (s commands) agentsPauseCommand(use, short string, paused bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " <agent>", Short: short, Args: session.NeedsArgs(1, 1, anAgent),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.Client()
			if err != nil {
				return err
			}
			var change wire.SettingsChanges
			change.ModelPaused.Set(paused)
			if _, err := client.UpdateAgent(cmd.Context(), args[0], wire.AgentPatchBody{Settings: change}); err != nil {
				return err
			}
			return s.showBudget(cmd, client, args[0])
		},
	}
}

func (s commands) showBudget(cmd *cobra.Command, client *wire.Client, agent string) error {
	found, err := client.AgentBudget(cmd.Context(), agent)
	if err != nil {
		return err
	}
	return s.Print(cmd, found.Raw, func(w io.Writer) error { return printBudget(w, found.Data) })
}

func printBudget(w io.Writer, b wire.AgentBudget) error {
	state := "models are asked"
	if b.Halted != "" {
		state = "no model is asked: " + b.Halted
	}
	if _, err := fmt.Fprintf(w, "%s; budgets renew at %s\n", state, b.RenewsAt.UTC().Format("2006-01-02 15:04 MST")); err != nil {
		return err
	}
	rows := [][]string{{"TODAY", "CALLS", "TOKENS", "OF", "COST", "OF"}}
	for _, r := range []struct {
		name string
		wire.Budget
	}{{"agent", b.Agent}, {"workspace", b.Workspace}} {
		of := []string{"no limit", "no limit"}
		if r.Tokens > 0 {
			of[0] = fmt.Sprint(r.Tokens)
		}
		if r.CostMicros > 0 {
			of[1] = fmt.Sprintf("$%.2f", float64(r.CostMicros)/1e6)
		}
		rows = append(rows, []string{
			r.name, fmt.Sprint(r.Today.Calls), fmt.Sprint(r.Today.InputTokens + r.Today.OutputTokens), of[0],
			fmt.Sprintf("$%.2f", float64(r.Today.CostMicros)/1e6), of[1],
		})
	}
	return output.Table(w, rows)
}
