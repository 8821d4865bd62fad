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

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// run is a finished extraction, or one that still runs.
type run = wire.Answer[wire.Run]

func (s commands) summarizeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "summarize <conversation>",
		Short: "Extract memory from a conversation now, and wait for the outcome",
		Long: "Extract memory from a conversation now, without waiting for a quiet moment or the owner's cooldown, and wait for the\n" +
			"outcome. The stored messages count as a complete turn. A conversation belongs to its owner: name that one, or none.",
		Args: session.NeedsArgs(1, 1, "a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			ended, err := s.summarize(cmd.Context(), client, args[0], cmd.ErrOrStderr())
			return s.showRun(cmd, ended, err)
		},
	}
}

const (
	// waitAtOnce bounds the wait of one request for an outcome.
	waitAtOnce = time.Minute
	// firstWait is the wait of the first request, after which what it waits for is shown. Later ones double, up to waitAtOnce.
	firstWait = 5 * time.Second
)

// askAgain is the pause between two requests for an outcome: a server that stops answers those who wait at once.
const askAgain = time.Second

// summarize extracts memory from a conversation now and waits for the outcome, until ctx ends.
func (s commands) summarize(ctx context.Context, client *wire.Client, conversation string, notes io.Writer) (run, error) {
	params := wire.SummarizeConversationParams{Person: s.Person(), IdempotencyKey: uuid.NewString()}
	waiting := func(x wire.Extraction) bool { return x.Conversation == conversation }
	return s.awaitRun(ctx, client, notes, waiting, func(wait time.Duration) (run, error) {
		params.Wait = wait.String()
		return client.SummarizeConversation(ctx, s.Agent, conversation, params)
	})
}

// awaitRun repeats a request until its extraction has ended: one with an idempotency key is one extraction. It notes once what the extraction
// waits for, which may be a budget or a provider for hours, or that it runs. is selects the extraction from those that wait.
func (s commands) awaitRun(
	ctx context.Context, client *wire.Client, notes io.Writer, is func(wire.Extraction) bool, ask func(wait time.Duration) (run, error),
) (run, error) {
	const hint = "Ctrl-C ends the waiting, not the extraction."
	told := ""
	for wait := firstWait; ; wait = min(2*wait, waitAtOnce) {
		answer, err := ask(wait)
		if err != nil || answer.Status != http.StatusAccepted {
			return answer, err
		}
		why, err := s.waitsFor(ctx, client, is)
		switch {
		case err != nil:
			return answer, err
		case why != "" && why != told:
			fmt.Fprintf(notes, "waiting%s. %s\n", why, hint)
			told = why
		case told == "":
			fmt.Fprintln(notes, "still running; `reverie memory extractions` shows what it waits for. "+hint)
			told = "running"
		}
		if err := session.Sleep(ctx, askAgain); err != nil {
			return answer, err
		}
	}
}

// waitsFor formats what an extraction waits for; empty: it does not wait.
func (s commands) waitsFor(ctx context.Context, client *wire.Client, is func(wire.Extraction) bool) (string, error) {
	list, err := client.ListExtractions(ctx, s.Agent, wire.ListExtractionsParams{
		Person: s.Person(), Outcome: string(memory.OutcomeWaiting), Limit: shownWaiting,
	})
	for _, x := range list.Data.Items {
		if is(x) {
			return output.Reasons(x.ReasonCode, x.Reason), err
		}
	}
	return "", err
}

// shownWaiting is the number of waiting extractions among which that of a request is looked for.
const shownWaiting = 100

// showRun prints the outcome of an extraction. One that needs attention is an error.
func (s commands) showRun(cmd *cobra.Command, answer run, err error) error {
	if err != nil {
		return err
	}
	if err := s.Print(cmd, answer.Raw, func(w io.Writer) error { showOutcome(w, answer.Data, ""); return nil }); err != nil {
		return err
	}
	return problem(answer.Data)
}

// problem returns an error when an outcome needs attention.
func problem(r wire.Run) error {
	if outcome := memory.Outcome(r.Outcome); outcome != memory.OutcomeQuarantined && outcome != memory.OutcomeFailed {
		return nil
	}
	text := r.Outcome + ": " + r.ReasonCode
	for _, x := range r.Extractions {
		if x.Outcome == r.Outcome {
			return fmt.Errorf("%s; `reverie memory extractions %s` shows why", text, x.ID)
		}
	}
	return errors.New(text)
}

// showOutcome prints the outcome of an extraction and the changes it made.
func showOutcome(w io.Writer, r wire.Run, indent string) {
	fmt.Fprintf(w, "%s%s%s\n", indent, r.Outcome, output.Reasons(r.ReasonCode, r.Reason))
	for _, x := range r.Extractions {
		for _, change := range x.Changes {
			fmt.Fprintf(w, "%s  %s\n", indent, output.Change(change))
		}
	}
}

func (s commands) extractionsCommand() *cobra.Command {
	var page session.Page
	var params wire.ListExtractionsParams
	c := &cobra.Command{
		Use:   "extractions [id]",
		Short: "Show the outcomes of extractions, with their reasons",
		Long: "List extractions, newest first, or show one with the reason of a refusal and the model's answer.\n" +
			"Without an owner, those of all owners are listed.",
		Args: session.NeedsArgs(0, 1, "at most one extraction"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				x, err := client.GetExtraction(cmd.Context(), s.Agent, args[0], wire.GetExtractionParams{Person: s.Person()})
				if err != nil {
					return err
				}
				return s.Print(cmd, x.Raw, func(w io.Writer) error { return showExtraction(w, x.Data) })
			}
			params.Person, params.Cursor, params.Limit = s.Person(), page.Cursor, page.Limit
			list, err := client.ListExtractions(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error { return listExtractions(w, list.Data) })
		},
	}
	f := c.Flags()
	f.StringVar(&params.Conversation, "conversation", "", "only of this conversation")
	f.StringVar(&params.Outcome, "outcome", "",
		"only with this outcome: running, waiting, written, nothing, skipped, quarantined or failed")
	page.Register(c, 20)
	c.AddCommand(s.retryCommand())
	return c
}

func listExtractions(w io.Writer, list wire.Page[wire.Extraction]) error {
	rows := [][]string{{"ID", "STARTED", "CONVERSATION", "MESSAGES", "OUTCOME", "REASON"}}
	for _, x := range list.Items {
		reason := x.ReasonCode
		if x.Reason != "" {
			reason = output.OneLine(x.Reason, 60)
			if x.ReasonCode != "" {
				reason = x.ReasonCode + ": " + reason
			}
		}
		rows = append(rows, []string{
			x.ID, output.When(x.StartedAt), output.OneLine(x.Conversation, 30), fmt.Sprintf("%d-%d", x.From, x.To), x.Outcome, reason,
		})
	}
	if err := output.Table(w, rows); err != nil {
		return err
	}
	output.NextPage(w, list.Next)
	return nil
}

func showExtraction(w io.Writer, x wire.Extraction) error {
	rows := [][]string{
		{"extraction", x.ID},
		{"conversation", fmt.Sprintf("%s, messages %d to %d", output.OneLine(x.Conversation, 80), x.From, x.To)},
		{"outcome", x.Outcome + output.Reasons(x.ReasonCode, x.Reason)},
		{"started", output.When(x.StartedAt)},
	}
	if !x.FinishedAt.IsZero() {
		rows = append(rows, []string{"finished", output.When(x.FinishedAt)})
	}
	if !x.WaitingUntil.IsZero() && x.Outcome == string(memory.OutcomeWaiting) {
		rows = append(rows, []string{"waits until", output.When(x.WaitingUntil)})
	}
	if x.Model != "" {
		rows = append(rows, []string{"model", x.Model + ", " + output.Usage(x.Usage)})
	}
	rows = append(rows, []string{"workflow", x.WorkflowID})
	for _, c := range x.Changes {
		rows = append(rows, []string{"changed", output.Change(c)})
	}
	for _, v := range x.Violations {
		rows = append(rows, []string{"refused", fmt.Sprintf("%s: %s", v.Code, output.OneLine(v.Message, 300))})
	}
	if err := output.Table(w, rows); err != nil || x.Raw == "" {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.Shown(w, x.Raw))
	return err
}

func (s commands) retryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retry <id>",
		Short: "Repeat a quarantined extraction, and wait for its outcome",
		Args:  session.NeedsArgs(1, 1, "the extraction (`reverie memory extractions --outcome quarantined` lists them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			params := wire.RetryExtractionParams{Person: s.Person(), IdempotencyKey: uuid.NewString()}
			waiting := func(x wire.Extraction) bool { return x.RetryOf == args[0] }
			ended, err := s.awaitRun(ctx, client, cmd.ErrOrStderr(), waiting, func(wait time.Duration) (run, error) {
				params.Wait = wait.String()
				return client.RetryExtraction(ctx, s.Agent, args[0], params)
			})
			return s.showRun(cmd, ended, err)
		},
	}
}
