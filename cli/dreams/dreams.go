// Package dreams has the commands that start, show and undo dreams.
package dreams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/reverie-memory/reverie/client/wire"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{
		c.dreamCommand(), c.dreamsCommand(), c.promoteCommand(), c.promoteExplainCommand(), c.remHarnessCommand(),
		c.remBackfillCommand(), c.revertCommand(), c.heldCommand(), c.cardCommand(),
	}
}

type commands struct{ *session.Session }

// request is a requested dream.
type request struct {
	asOf   string
	wait   bool
	mode   memory.DreamMode
	dryRun bool
	topic  string // of a focused dream
	again  string // the dream to undo and repeat; empty: none
}

// register adds the flags of all commands that dream.
func (r *request) register(c *cobra.Command) {
	c.Flags().StringVar(&r.asOf, "as-of", "",
		"the end of the period it reads, for a missed night: a date in the agent's time zone, or a time as 2026-01-31T02:00:00Z")
	c.Flags().BoolVar(&r.wait, "wait", true, "wait for the report; with --wait=false the dream continues on the server")
}

func (s commands) dreamCommand() *cobra.Command {
	var r request
	c := &cobra.Command{
		Use:   "dream",
		Short: "Dream now, and show the outcome",
		Long: "Dream now: read the daily notes and conversations of the last days, write what is durable into MEMORY.md and an entry into\n" +
			"the diary, DREAMS.md. Without an owner, the shared memory dreams. Ctrl-C ends the waiting, not the dream.\n" +
			"With --dry-run nothing is written, and the report says what would have been.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.topic != "" && r.asOf != "" {
				return errors.New("--topic and --as-of cannot be combined")
			}
			return s.dreamAndShow(cmd, r, showDream)
		},
	}
	r.register(c)
	c.Flags().StringVar(&r.topic, "topic", "", "what to read first, in any words")
	c.Flags().BoolVar(&r.dryRun, "dry-run", false, "write nothing: show the report with the diff")
	c.AddCommand(s.againCommand())
	return c
}

func (s commands) againCommand() *cobra.Command {
	var r request
	c := &cobra.Command{
		Use:   "again <dream>",
		Short: "Undo a dream, and dream the same night again",
		Long: "Undo what a dream wrote, and dream the same night again, with the current settings and with notes and conversations as they\n" +
			"are now. The new report names the old one. If lines of the old dream have been changed since, nothing is undone or dreamed,\n" +
			"and the conflicts are shown.",
		Args: session.NeedsArgs(1, 1, aDream),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDreamID(args[0]); err != nil {
				return err
			}
			r.again = args[0]
			err := s.dreamAndShow(cmd, r, showDream)
			showConflicts(cmd.ErrOrStderr(), err)
			return err
		},
	}
	c.Flags().BoolVar(&r.wait, "wait", true, "wait for the report; with --wait=false the dream continues on the server")
	return c
}

// dreamAndShow dreams and prints the report. A dream that needs attention is an error.
func (s commands) dreamAndShow(cmd *cobra.Command, r request, text func(io.Writer, wire.Report) error) error {
	run, err := s.dream(cmd, r)
	if err != nil {
		return err
	}
	report := run.Data.Report
	if report.ID == "" {
		return s.Print(cmd, run.Raw, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "dreaming: `reverie memory dreams %s` shows the progress\n", run.Data.Dream)
			return err
		})
	}
	if err := s.Print(cmd, run.Raw, func(w io.Writer) error { return text(w, report) }); err != nil {
		return err
	}
	return problem(report)
}

// problem returns an error when a dream needs attention.
func problem(r wire.Report) error {
	if outcome := memory.Outcome(r.Outcome); outcome != memory.OutcomeQuarantined && outcome != memory.OutcomeFailed {
		return nil
	}
	return fmt.Errorf("%s%s; `reverie memory dreams %s` shows why", r.Outcome, output.Reasons(r.ReasonCode), r.ID)
}

// dream starts a dream and, with r.wait, waits for its report. On a terminal it shows the phases.
func (s commands) dream(cmd *cobra.Command, r request) (wire.Answer[wire.DreamRun], error) {
	client, err := s.AgentClient()
	if err != nil {
		return wire.Answer[wire.DreamRun]{}, err
	}
	key := uuid.NewString()
	ask := func(wait time.Duration) (wire.Answer[wire.DreamRun], error) {
		if r.again != "" {
			return client.DreamAgain(cmd.Context(), s.Agent, r.again, wire.DreamAgainParams{
				Person: s.Person(), Wait: wait.String(), IdempotencyKey: key,
			})
		}
		if r.topic != "" {
			return client.DreamFocused(cmd.Context(), s.Agent, wire.DreamFocusedParams{
				Person: s.Person(), Wait: wait.String(), DryRun: r.dryRun, IdempotencyKey: key,
			}, wire.FocusedBody{Topic: r.topic})
		}
		return client.Dream(cmd.Context(), s.Agent, wire.DreamParams{
			Person: s.Person(), Wait: wait.String(), DryRun: r.dryRun, IdempotencyKey: key, AsOf: r.asOf, Mode: string(r.mode),
		})
	}
	run, err := ask(0)
	if err != nil || !r.wait || run.Status != http.StatusAccepted {
		return run, explained(err)
	}
	if err := s.awaitDream(cmd, client, run.Data.Dream); err != nil {
		return run, err
	}
	return ask(waitAtOnce) // the same request, answered with the report
}

// explained puts a refusal in words of the command line, and names the dream that blocks this one.
func explained(err error) error {
	refused, found := errors.AsType[*wire.Error](err)
	if !found {
		return err
	}
	refused.Message = strings.Replace(refused.Message, "query.asOf:", "--as-of:", 1)
	if other := blockingDream(refused); other != "" {
		return fmt.Errorf("%w\n`reverie memory dreams %s` shows that dream", err, other)
	}
	return err
}

// blockingDream returns the id of the running dream that blocked the request, or an empty string.
func blockingDream(refused *wire.Error) string {
	var other struct {
		Dream string `json:"dream"`
	}
	if refused.Status != http.StatusConflict || json.Unmarshal(refused.Data, &other) != nil {
		return ""
	}
	return other.Dream
}

const (
	// waitAtOnce bounds the wait of one request for a report.
	waitAtOnce = time.Minute
	// dreamPoll is the pause between two requests for the phase of a dream.
	dreamPoll = 300 * time.Millisecond
	// dreamPatience is the number of requests after which a message reports the wait, if there is no status line.
	dreamPatience = 30
)

// phases describes the phases of a dream.
var phases = map[memory.DreamPhase]string{
	memory.DreamQueued: "waiting for a worker", memory.DreamLightSleep: "light sleep: reading notes and conversations",
	memory.DreamREMSleep: "REM: looking for patterns", memory.DreamDeepSleep: "deep sleep: weighing what to keep",
	memory.DreamWriting: "writing",
}

// awaitDream waits until a dream has ended. It shows the phases on a terminal; elsewhere one message when it takes long.
func (s commands) awaitDream(cmd *cobra.Command, client *wire.Client, id string) error {
	line := output.NewStatusLine(cmd.ErrOrStderr())
	defer line.Clear()
	for polls := 1; ; polls++ {
		answer, err := client.GetDream(cmd.Context(), s.Agent, id, wire.GetDreamParams{Person: s.Person(), Candidates: new(int)})
		d := answer.Data
		phase := memory.DreamPhase(d.Phase)
		if err != nil || phase == memory.DreamEnded || phase == "" {
			return err
		}
		now := phases[phase]
		if d.Outcome == string(memory.OutcomeWaiting) {
			now = "waiting" + output.Reasons(d.ReasonCode, d.Reason)
			if !d.WaitingUntil.IsZero() {
				now += " until " + output.When(d.WaitingUntil)
			}
		}
		line.Show(now)
		if polls == dreamPatience && !line.Drawn() {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s; `reverie memory dreams %s` shows more. Ctrl-C ends the waiting, not the dream.\n", now, id)
		}
		if err := session.Sleep(cmd.Context(), dreamPoll); err != nil {
			return err
		}
	}
}

// aDream describes the argument that names a dream.
const aDream = "a dream (`reverie memory dreams` lists them)"

func checkDreamID(id string) error {
	if _, err := uuid.Parse(id); err != nil {
		return fmt.Errorf("%q is not the id of %s", output.OneLine(id, 60), aDream)
	}
	return nil
}

// readDream reads a report with its best candidates.
func (s commands) readDream(ctx context.Context, id string, candidates int) (wire.Answer[wire.Report], error) {
	if err := checkDreamID(id); err != nil {
		return wire.Answer[wire.Report]{}, err
	}
	client, err := s.AgentClient()
	if err != nil {
		return wire.Answer[wire.Report]{}, err
	}
	return client.GetDream(ctx, s.Agent, id, wire.GetDreamParams{Person: s.Person(), Candidates: &candidates})
}
