package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"reverie/memory"
)

func (s *session) extractionsCommand() *cobra.Command {
	var (
		page                  pageFlags
		conversation, outcome string
	)
	c := &cobra.Command{
		Use:   "extractions [id]",
		Short: "Show what became of conversations: outcomes, with their reasons",
		Long: "List extractions, newest first, or show one with why it was refused and what the model said.\n" +
			"Without an owner, those of all owners are listed.",
		Args: needsArgs(0, 1, "at most one extraction"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return s.showExtraction(cmd, args[0])
			}
			query := page.query()
			for name, value := range map[string]string{"conversation": conversation, "outcome": outcome} {
				if value != "" {
					query.Set(name, value)
				}
			}
			list, a, err := dataOf[listed[extraction]](s.get(cmd, query, "extractions"))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error { return extractionTable(w, list) })
		},
	}
	f := c.Flags()
	f.StringVar(&conversation, "conversation", "", "only of this conversation")
	f.StringVar(&outcome, "outcome", "", "only with this outcome: running, waiting, written, nothing, skipped, quarantined or failed")
	f.IntVar(&page.limit, "limit", 20, "how many")
	f.StringVar(&page.cursor, "cursor", "", "where the list goes on, as the part before said")
	c.AddCommand(s.retryCommand())
	return c
}

func extractionTable(w io.Writer, list listed[extraction]) error {
	rows := [][]string{{"ID", "STARTED", "CONVERSATION", "MESSAGES", "OUTCOME", "REASON"}}
	for _, x := range list.Items {
		reason := string(x.ReasonCode)
		if x.Reason != "" {
			reason = oneLine(x.Reason, 60)
			if x.ReasonCode != "" {
				reason = string(x.ReasonCode) + ": " + reason
			}
		}
		rows = append(rows, []string{
			x.ID, when(x.StartedAt), oneLine(x.Conversation, 30), fmt.Sprintf("%d-%d", x.From, x.To), string(x.Outcome), reason,
		})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	nextPage(w, list.Next)
	return nil
}

func (s *session) showExtraction(cmd *cobra.Command, id string) error {
	x, a, err := dataOf[extraction](s.get(cmd, nil, "extractions", id))
	if err != nil {
		return err
	}
	return s.print(cmd, a, func(w io.Writer) error {
		rows := [][]string{
			{"extraction", x.ID},
			{"conversation", fmt.Sprintf("%s, messages %d to %d", oneLine(x.Conversation, 80), x.From, x.To)},
			{"outcome", string(x.Outcome) + inBrackets(string(x.ReasonCode), x.Reason)},
			{"started", when(x.StartedAt)},
		}
		if x.FinishedAt != nil {
			rows = append(rows, []string{"finished", when(*x.FinishedAt)})
		}
		if x.WaitingUntil != nil && x.Outcome == memory.OutcomeWaiting {
			rows = append(rows, []string{"waits until", when(*x.WaitingUntil)})
		}
		if x.Model != "" {
			rows = append(rows, []string{"model", fmt.Sprintf("%s, %s, %d tokens in, %d out, %.4f USD",
				x.Model, count(x.Usage.Calls, "call"), x.Usage.InputTokens, x.Usage.OutputTokens, float64(x.Usage.CostMicros)/1e6)})
		}
		rows = append(rows, []string{"workflow", x.WorkflowID})
		for _, c := range x.Changes {
			rows = append(rows, []string{"changed", changeLine(c)})
		}
		for _, v := range x.Violations {
			rows = append(rows, []string{"refused", fmt.Sprintf("%s: %s", v.Code, oneLine(v.Message, 300))})
		}
		if err := table(w, rows); err != nil {
			return err
		}
		if x.Raw != "" {
			_, err = fmt.Fprintf(w, "\n%s\n", shown(w, x.Raw))
		}
		return err
	})
}

func (s *session) retryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retry <id>",
		Short: "Repeat a quarantined extraction, and wait for its outcome",
		Args:  needsArgs(1, 1, "the extraction (`reverie memory extractions --outcome quarantined` lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := s.agentPath("extractions", args[0], "retry")
			if err != nil {
				return err
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			e, a, err := s.outcome(cmd.Context(), c, path, cmd.ErrOrStderr())
			return s.showOutcome(cmd, e, a, err)
		},
	}
}
