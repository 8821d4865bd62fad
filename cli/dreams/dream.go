package dreams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/dream"
	"reverie/memory"
	"reverie/store"
)

// dreamRecord is what the API tells of a dream. A list has it without diff and raw.
type dreamRecord struct {
	ID       string            `json:"id"`
	Owner    string            `json:"owner"`
	Scope    memory.Scope      `json:"scope"`
	Mode     memory.DreamMode  `json:"mode"`
	Topic    string            `json:"topic"`
	Night    string            `json:"night"`
	DryRun   bool              `json:"dryRun"`
	ReplayOf string            `json:"replayOf"`
	Phase    memory.DreamPhase `json:"phase"`
	Outcome  memory.Outcome    `json:"outcome"`
	Code     memory.ReasonCode `json:"reasonCode"`
	Reason   string            `json:"reason"`
	Counts   store.DreamCounts `json:"counts"`
	Looked   dream.Looked      `json:"looked"`
	Window   *dreamWindow      `json:"window"`
	Reflect  *dream.Reflection `json:"reflection"`
	Diff     string            `json:"diff"`
	Raw      string            `json:"raw"`
	Model    string            `json:"model"`
	Usage    memory.Usage      `json:"usage"`
	Reverted *dreamReverted    `json:"reverted"`
	Workflow string            `json:"workflowId"`
	Link     string            `json:"link"`
	Started  time.Time         `json:"startedAt"`
	Seconds  *float64          `json:"seconds"`

	WaitingUntil   *time.Time             `json:"waitingUntil"`
	Changes        []memory.ChangeReceipt `json:"changes"`
	Contradictions []dream.Contradiction  `json:"contradictions"`
	Violations     []memory.Violation     `json:"violations"`
}

// dreamReport is a dream with the best of its candidates.
type dreamReport struct {
	dreamRecord
	Candidates     []weighed `json:"candidates"`
	MoreCandidates bool      `json:"moreCandidates"`
}

type dreamWindow struct {
	From dream.Day `json:"from"`
	AsOf time.Time `json:"asOf"`
}

type dreamReverted struct {
	At time.Time `json:"at"`
}

// weighed is a candidate of a dream.
type weighed struct {
	ID         memory.EntryID   `json:"id"`
	Text       string           `json:"text"`
	Signals    dream.Signals    `json:"signals"`
	Components dream.Components `json:"components"`
	Score      float64          `json:"score"`
	Gates      []dream.Gate     `json:"gates"`
	Verdict    dream.Verdict    `json:"verdict"`
	ReasonCode string           `json:"reasonCode"`
	Places     []dream.Place    `json:"places"`
}

// dreamRun is a dream that was asked for.
type dreamRun struct {
	Dream  string       `json:"dream"`
	Report *dreamReport `json:"report"`
}

// dreamFlags are what every command takes that dreams.
type dreamFlags struct {
	asOf string
	wait bool
}

func (f *dreamFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.asOf, "as-of", "", "the end of what it looks at, for a night that was missed: a date in the agent's time zone, or a time as 2026-01-31T02:00:00Z")
	c.Flags().BoolVar(&f.wait, "wait", true, "wait for the report; with --wait=false the dream goes on by itself")
}

func (s commands) dreamCommand() *cobra.Command {
	var (
		f      dreamFlags
		topic  string
		dryRun bool
	)
	c := &cobra.Command{
		Use:   "dream",
		Short: "Dream now, and show what came of it",
		Long: "Dream now: look at the daily notes and conversations of the last days, write what is worth keeping for good into MEMORY.md\n" +
			"and an entry into the diary, DREAMS.md. Without an owner, it is the shared memory that dreams. Ctrl-C ends the waiting, not the dream.\n" +
			"With --dry-run nothing is written, and the report says what would have been.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{}
			if dryRun {
				query.Set("dryRun", "true")
			}
			if topic == "" {
				return s.dreamAndShow(cmd, dreamRequest{query: query, dreamFlags: f}, showDream)
			}
			if f.asOf != "" {
				return errors.New("a dream of a topic is one of now: leave out --as-of or --topic")
			}
			return s.dreamAndShow(cmd, dreamRequest{query: query, topic: topic, dreamFlags: f}, showDream)
		},
	}
	f.register(c)
	c.Flags().StringVar(&topic, "topic", "", "what to look at first, in any words")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing: show the report with the diff")
	return c
}

// dreamRequest is a dream that a command asks for.
type dreamRequest struct {
	dreamFlags
	query url.Values // dryRun and mode
	topic string     // of a focused one
}

// dreamAndShow dreams and prints the report; a dream that needs somebody's attention is an error.
func (s commands) dreamAndShow(cmd *cobra.Command, r dreamRequest, text func(io.Writer, dreamReport) error) error {
	run, a, err := s.dreaming(cmd, r)
	if err != nil {
		return err
	}
	if run.Report == nil {
		return s.Print(cmd, a, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "dreaming: `reverie memory dreams %s` shows how far it is\n", run.Dream)
			return err
		})
	}
	if err := s.Print(cmd, a, func(w io.Writer) error { return text(w, *run.Report) }); err != nil {
		return err
	}
	return run.Report.problem()
}

// problem says what is to be done about a dream that did not do what it was asked.
func (r dreamReport) problem() error {
	if r.Outcome != memory.OutcomeQuarantined && r.Outcome != memory.OutcomeFailed {
		return nil
	}
	return fmt.Errorf("%s%s; `reverie memory dreams %s` shows why", r.Outcome, output.Reasons(string(r.Code)), r.ID)
}

// dreaming asks for a dream and, unless that is not wanted, waits for its report. On a terminal the phases are shown meanwhile.
func (s commands) dreaming(cmd *cobra.Command, r dreamRequest) (dreamRun, session.Answer, error) {
	request := session.Request{Method: http.MethodPost, Query: s.OwnerQuery(), Headers: map[string]string{"Idempotency-Key": uuid.NewString()}}
	maps.Copy(request.Query, r.query)
	segments := []string{"emergence"}
	if r.topic != "" {
		segments, request.Body = []string{"dreaming", "focused"}, map[string]string{"topic": r.topic}
	}
	if r.asOf != "" {
		request.Query.Set("asOf", r.asOf)
	}
	request.Query.Set("wait", "0s")
	var err error
	if request.Path, err = s.MemoryPath(segments...); err != nil {
		return dreamRun{}, session.Answer{}, err
	}
	client, err := s.Client()
	if err != nil {
		return dreamRun{}, session.Answer{}, err
	}
	run, a, err := session.DataOf[dreamRun](client.Call(cmd.Context(), request))
	if err != nil || !r.wait || a.Status != http.StatusAccepted {
		return run, a, dreamRefusal(err)
	}
	if err := s.awaitDream(cmd, client, run.Dream); err != nil {
		return run, a, err
	}
	request.Query.Set("wait", waitAtOnce.String()) // the same request, answered with the report
	request.Timeout = waitAtOnce + session.RequestTimeout
	return session.DataOf[dreamRun](client.Call(cmd.Context(), request))
}

// dreamRefusal says it in words of the command line, and which dream stands in the way.
func dreamRefusal(err error) error {
	refused, found := errors.AsType[*session.Error](err)
	if !found {
		return err
	}
	refused.Msg = strings.Replace(refused.Msg, "query.asOf:", "--as-of:", 1)
	if other := dreamInTheWay(refused); other != "" {
		return fmt.Errorf("%w\n`reverie memory dreams %s` shows that dream", err, other)
	}
	return err
}

// dreamInTheWay is the dream because of which another one was refused; empty when there is none.
func dreamInTheWay(refused *session.Error) string {
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
	// dreamPoll is how often is asked how far a dream is.
	dreamPoll = 300 * time.Millisecond
	// dreamPatience is after how many answers somebody who sees no phases is told what is waited for.
	dreamPatience = 30
)

// phases says what a dream does in each of its phases.
var phases = map[memory.DreamPhase]string{
	memory.DreamQueued: "waiting for a worker", memory.DreamLightSleep: "light sleep: reading notes and conversations",
	memory.DreamREMSleep: "REM: looking for patterns", memory.DreamDeepSleep: "deep sleep: weighing what to keep", memory.DreamWriting: "writing",
}

// awaitDream waits until a dream has ended. Its phases are shown on a terminal; elsewhere only that it takes long.
func (s commands) awaitDream(cmd *cobra.Command, client *session.Client, id string) error {
	path, err := s.MemoryPath("dream", "reports", id)
	if err != nil {
		return err
	}
	query := s.OwnerQuery()
	query.Set("candidates", "0")
	line := output.NewStatusLine(cmd.ErrOrStderr())
	defer line.Clear()
	for polls := 1; ; polls++ {
		d, _, err := session.DataOf[dreamReport](client.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: path, Query: query}))
		if err != nil || d.Phase == memory.DreamEnded || d.Phase == "" {
			return err
		}
		now := phases[d.Phase]
		if d.Outcome == memory.OutcomeWaiting {
			now = "waiting" + output.Reasons(string(d.Code), d.Reason)
			if d.WaitingUntil != nil {
				now += " until " + output.When(*d.WaitingUntil)
			}
		}
		line.Show(now)
		if polls == dreamPatience && !line.Drawn() {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s; `reverie memory dreams %s` shows more. Ctrl-C ends the waiting, not the dream.\n", now, id)
		}
		if err := client.Sleep(cmd.Context(), dreamPoll); err != nil {
			return err
		}
	}
}

// aDream says of whom a dream is, for one that is looked for in vain.
const aDream = "a dream (`reverie memory dreams` lists them)"

// checkDreamID tells somebody who names a dream by something else where its id stands.
func checkDreamID(id string) error {
	if _, err := uuid.Parse(id); err != nil {
		return fmt.Errorf("%q is not the id of %s", output.OneLine(id, 60), aDream)
	}
	return nil
}

// readDream asks for one report.
func (s commands) readDream(ctx context.Context, id string, candidates int) (dreamReport, session.Answer, error) {
	if err := checkDreamID(id); err != nil {
		return dreamReport{}, session.Answer{}, err
	}
	path, err := s.MemoryPath("dream", "reports", id)
	if err != nil {
		return dreamReport{}, session.Answer{}, err
	}
	client, err := s.Client()
	if err != nil {
		return dreamReport{}, session.Answer{}, err
	}
	query := s.OwnerQuery()
	query.Set("candidates", fmt.Sprint(candidates))
	return session.DataOf[dreamReport](client.Call(ctx, session.Request{Method: http.MethodGet, Path: path, Query: query}))
}
