package conversations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// extraction is a record of the API: what became of a range of messages.
type extraction struct {
	ID           string                 `json:"id"`
	Conversation string                 `json:"conversation"`
	From         int64                  `json:"from"`
	To           int64                  `json:"to"`
	Outcome      memory.Outcome         `json:"outcome"`
	ReasonCode   memory.ReasonCode      `json:"reasonCode"`
	Reason       string                 `json:"reason"`
	Raw          string                 `json:"raw"`
	Violations   []memory.Violation     `json:"violations"`
	Changes      []memory.ChangeReceipt `json:"changes"`
	Model        string                 `json:"model"`
	Usage        memory.Usage           `json:"usage"`
	WorkflowID   string                 `json:"workflowId"`
	WaitingUntil *time.Time             `json:"waitingUntil"`
	StartedAt    time.Time              `json:"startedAt"`
	FinishedAt   *time.Time             `json:"finishedAt"`
}

// ending is how an extraction that was asked for has ended.
type ending struct {
	Status      string            `json:"status"` // completed or running
	Outcome     memory.Outcome    `json:"outcome"`
	ReasonCode  memory.ReasonCode `json:"reasonCode"`
	Reason      string            `json:"reason"`
	Extractions []extraction      `json:"extractions"`
	WorkflowID  string            `json:"workflowId"`
}

func (s commands) summarizeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "summarize <conversation>",
		Short: "Extract memory from a conversation now, and wait for the outcome",
		Long: "Extract memory from a conversation now, without waiting for a quiet moment or the owner's cooldown, and wait for the\n" +
			"outcome. What is stored counts as complete. A conversation belongs to its owner: name nobody, or that one.",
		Args: session.NeedsArgs(1, 1, "a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := s.AgentPath(); err != nil {
				return err
			}
			c, err := s.Client()
			if err != nil {
				return err
			}
			e, a, err := s.summarize(cmd.Context(), c, args[0], cmd.ErrOrStderr())
			return s.showOutcome(cmd, e, a, err)
		},
	}
}

// showOutcome prints the outcome of an extraction that was asked for; one that needs somebody's attention is an error.
func (s commands) showOutcome(cmd *cobra.Command, e ending, a session.Answer, err error) error {
	if err != nil {
		return err
	}
	if err := s.Print(cmd, a, func(w io.Writer) error { e.show(w, ""); return nil }); err != nil {
		return err
	}
	if !e.fine() {
		return errors.New(e.problem())
	}
	return nil
}

// waitAtATime is how long one request waits for an outcome; it is made again until there is one.
const waitAtATime = time.Minute

// askAgain is the pause between two requests: a server that stops answers those who wait at once.
const askAgain = time.Second

// summarize has a conversation extracted now and waits for the outcome, until ctx ends.
func (s commands) summarize(ctx context.Context, c *session.Client, conversation string, notes io.Writer) (ending, session.Answer, error) {
	return s.outcome(ctx, c, "/api/v1/memory"+session.Path(s.Agent, "summarize", conversation), notes)
}

// outcome asks for an extraction until it has ended. It is one request to the server, however often it is asked. notes
// hears when it takes long: an extraction may wait for a budget or a provider for hours.
func (s commands) outcome(ctx context.Context, c *session.Client, path string, notes io.Writer) (ending, session.Answer, error) {
	query := s.OwnerQuery()
	query.Set("wait", waitAtATime.String())
	request := session.Request{
		Method: http.MethodPost, Path: path, Query: query, Timeout: waitAtATime + session.RequestTimeout,
		Headers: map[string]string{"Idempotency-Key": uuid.NewString()},
	}
	for {
		out, answer, err := session.DataOf[ending](c.Call(ctx, request))
		if err != nil || answer.Status != http.StatusAccepted {
			return out, answer, err
		}
		fmt.Fprintln(notes, "still running; `reverie memory extractions` shows what it waits for. Ctrl-C ends the waiting, not the extraction.")
		if err := c.Sleep(ctx, askAgain); err != nil {
			return out, answer, err
		}
	}
}

// fine reports whether the outcome is one that needs nobody's attention.
func (e ending) fine() bool {
	return e.Outcome != memory.OutcomeQuarantined && e.Outcome != memory.OutcomeFailed
}

// problem says what is to be done about an outcome that is not fine.
func (e ending) problem() string {
	text := fmt.Sprintf("%s: %s", e.Outcome, e.ReasonCode)
	for _, x := range e.Extractions {
		if x.Outcome == e.Outcome {
			return text + fmt.Sprintf("; `reverie memory extractions %s` shows why", x.ID)
		}
	}
	return text
}

// show prints the outcome and what it changed.
func (e ending) show(w io.Writer, indent string) {
	fmt.Fprintf(w, "%s%s%s\n", indent, e.Outcome, output.Reasons(string(e.ReasonCode), e.Reason))
	for _, x := range e.Extractions {
		for _, change := range x.Changes {
			fmt.Fprintf(w, "%s  %s\n", indent, output.Change(change))
		}
	}
}

func (s commands) extractionsCommand() *cobra.Command {
	var (
		page                  session.Page
		conversation, outcome string
	)
	c := &cobra.Command{
		Use:   "extractions [id]",
		Short: "Show what became of conversations: outcomes, with their reasons",
		Long: "List extractions, newest first, or show one with why it was refused and what the model said.\n" +
			"Without an owner, those of all owners are listed.",
		Args: session.NeedsArgs(0, 1, "at most one extraction"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return s.showExtraction(cmd, args[0])
			}
			query := page.Query()
			for name, value := range map[string]string{"conversation": conversation, "outcome": outcome} {
				if value != "" {
					query.Set(name, value)
				}
			}
			list, a, err := session.DataOf[session.List[extraction]](s.Get(cmd, query, "extractions"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error { return extractionTable(w, list) })
		},
	}
	f := c.Flags()
	f.StringVar(&conversation, "conversation", "", "only of this conversation")
	f.StringVar(&outcome, "outcome", "", "only with this outcome: running, waiting, written, nothing, skipped, quarantined or failed")
	f.IntVar(&page.Limit, "limit", 20, "how many")
	f.StringVar(&page.Cursor, "cursor", "", "where the list goes on, as the part before said")
	c.AddCommand(s.retryCommand())
	return c
}

func extractionTable(w io.Writer, list session.List[extraction]) error {
	rows := [][]string{{"ID", "STARTED", "CONVERSATION", "MESSAGES", "OUTCOME", "REASON"}}
	for _, x := range list.Items {
		reason := string(x.ReasonCode)
		if x.Reason != "" {
			reason = output.OneLine(x.Reason, 60)
			if x.ReasonCode != "" {
				reason = string(x.ReasonCode) + ": " + reason
			}
		}
		rows = append(rows, []string{
			x.ID, output.When(x.StartedAt), output.OneLine(x.Conversation, 30), fmt.Sprintf("%d-%d", x.From, x.To), string(x.Outcome), reason,
		})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	output.NextPage(w, list.Next)
	return nil
}

func (s commands) showExtraction(cmd *cobra.Command, id string) error {
	x, a, err := session.DataOf[extraction](s.Get(cmd, nil, "extractions", id))
	if err != nil {
		return err
	}
	return s.Print(cmd, a, func(w io.Writer) error {
		rows := [][]string{
			{"extraction", x.ID},
			{"conversation", fmt.Sprintf("%s, messages %d to %d", output.OneLine(x.Conversation, 80), x.From, x.To)},
			{"outcome", string(x.Outcome) + output.Reasons(string(x.ReasonCode), x.Reason)},
			{"started", output.When(x.StartedAt)},
		}
		if x.FinishedAt != nil {
			rows = append(rows, []string{"finished", output.When(*x.FinishedAt)})
		}
		if x.WaitingUntil != nil && x.Outcome == memory.OutcomeWaiting {
			rows = append(rows, []string{"waits until", output.When(*x.WaitingUntil)})
		}
		if x.Model != "" {
			rows = append(rows, []string{"model", fmt.Sprintf("%s, %s, %d tokens in, %d out, %.4f USD",
				x.Model, output.Count(x.Usage.Calls, "call"), x.Usage.InputTokens, x.Usage.OutputTokens, float64(x.Usage.CostMicros)/1e6)})
		}
		rows = append(rows, []string{"workflow", x.WorkflowID})
		for _, c := range x.Changes {
			rows = append(rows, []string{"changed", output.Change(c)})
		}
		for _, v := range x.Violations {
			rows = append(rows, []string{"refused", fmt.Sprintf("%s: %s", v.Code, output.OneLine(v.Message, 300))})
		}
		if err := output.Table(w, rows); err != nil {
			return err
		}
		if x.Raw != "" {
			_, err = fmt.Fprintf(w, "\n%s\n", output.Shown(w, x.Raw))
		}
		return err
	})
}

func (s commands) retryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retry <id>",
		Short: "Repeat a quarantined extraction, and wait for its outcome",
		Args:  session.NeedsArgs(1, 1, "the extraction (`reverie memory extractions --outcome quarantined` lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := s.AgentPath("extractions", args[0], "retry")
			if err != nil {
				return err
			}
			c, err := s.Client()
			if err != nil {
				return err
			}
			e, a, err := s.outcome(cmd.Context(), c, path, cmd.ErrOrStderr())
			return s.showOutcome(cmd, e, a, err)
		},
	}
}
