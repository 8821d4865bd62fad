package main

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

func (s *session) dreamCommand() *cobra.Command {
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

// memoryPath is the path of something of the agent's memory.
func (s *session) memoryPath(segments ...string) (string, error) {
	if _, err := s.agentPath(); err != nil {
		return "", err
	}
	return "/api/v1/memory" + pathOf(append([]string{s.agent}, segments...)...), nil
}

// getMemory asks for something of the agent's memory, about the owner.
func (s *session) getMemory(cmd *cobra.Command, query url.Values, segments ...string) (apiAnswer, error) {
	path, err := s.memoryPath(segments...)
	if err != nil {
		return apiAnswer{}, err
	}
	return s.getAt(cmd, path, query)
}

// dreamAndShow dreams and prints the report; a dream that needs somebody's attention is an error.
func (s *session) dreamAndShow(cmd *cobra.Command, r dreamRequest, text func(io.Writer, dreamReport) error) error {
	run, a, err := s.dreaming(cmd, r)
	if err != nil {
		return err
	}
	if run.Report == nil {
		return s.print(cmd, a, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "dreaming: `reverie memory dreams %s` shows how far it is\n", run.Dream)
			return err
		})
	}
	if err := s.print(cmd, a, func(w io.Writer) error { return text(w, *run.Report) }); err != nil {
		return err
	}
	return run.Report.problem()
}

// problem says what is to be done about a dream that did not do what it was asked.
func (r dreamReport) problem() error {
	if r.Outcome != memory.OutcomeQuarantined && r.Outcome != memory.OutcomeFailed {
		return nil
	}
	return fmt.Errorf("%s%s; `reverie memory dreams %s` shows why", r.Outcome, inBrackets(string(r.Code)), r.ID)
}

// dreaming asks for a dream and, unless that is not wanted, waits for its report. On a terminal the phases are shown meanwhile.
func (s *session) dreaming(cmd *cobra.Command, r dreamRequest) (dreamRun, apiAnswer, error) {
	request := apiRequest{method: http.MethodPost, query: s.ownerQuery(), headers: map[string]string{"Idempotency-Key": uuid.NewString()}}
	maps.Copy(request.query, r.query)
	segments := []string{"emergence"}
	if r.topic != "" {
		segments, request.body = []string{"dreaming", "focused"}, map[string]string{"topic": r.topic}
	}
	if r.asOf != "" {
		request.query.Set("asOf", r.asOf)
	}
	request.query.Set("wait", "0s")
	var err error
	if request.path, err = s.memoryPath(segments...); err != nil {
		return dreamRun{}, apiAnswer{}, err
	}
	client, err := s.client()
	if err != nil {
		return dreamRun{}, apiAnswer{}, err
	}
	run, a, err := dataOf[dreamRun](client.call(cmd.Context(), request))
	if err != nil || !r.wait || a.Status != http.StatusAccepted {
		return run, a, dreamRefusal(err)
	}
	if err := s.awaitDream(cmd, client, run.Dream); err != nil {
		return run, a, err
	}
	request.query.Set("wait", waitAtATime.String()) // the same request, answered with the report
	request.timeout = waitAtATime + requestTimeout
	return dataOf[dreamRun](client.call(cmd.Context(), request))
}

// dreamRefusal says it in words of the command line, and which dream stands in the way.
func dreamRefusal(err error) error {
	refused, found := errors.AsType[*apiError](err)
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
func dreamInTheWay(refused *apiError) string {
	var other struct {
		Dream string `json:"dream"`
	}
	if refused.Status != http.StatusConflict || json.Unmarshal(refused.Data, &other) != nil {
		return ""
	}
	return other.Dream
}

const (
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
func (s *session) awaitDream(cmd *cobra.Command, client *apiClient, id string) error {
	path, err := s.memoryPath("dream", "reports", id)
	if err != nil {
		return err
	}
	query := s.ownerQuery()
	query.Set("candidates", "0")
	line := newStatusLine(cmd.ErrOrStderr())
	defer line.clear()
	for polls := 1; ; polls++ {
		d, _, err := dataOf[dreamReport](client.call(cmd.Context(), apiRequest{method: http.MethodGet, path: path, query: query}))
		if err != nil || d.Phase == memory.DreamEnded || d.Phase == "" {
			return err
		}
		now := phases[d.Phase]
		if d.Outcome == memory.OutcomeWaiting {
			now = "waiting" + inBrackets(string(d.Code), d.Reason)
			if d.WaitingUntil != nil {
				now += " until " + when(*d.WaitingUntil)
			}
		}
		line.show(now)
		if polls == dreamPatience && !line.shown {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s; `reverie memory dreams %s` shows more. Ctrl-C ends the waiting, not the dream.\n", now, id)
		}
		if err := client.sleep(cmd.Context(), dreamPoll); err != nil {
			return err
		}
	}
}

// statusLine is one line on a terminal that is written again and again, and nothing elsewhere.
type statusLine struct {
	w     io.Writer
	shown bool // there is a terminal
	wide  int  // characters of the line as it is
	began time.Time
}

func newStatusLine(w io.Writer) *statusLine {
	return &statusLine{w: w, shown: isTerminal(w), began: time.Now()}
}

func (l *statusLine) show(text string) {
	if !l.shown {
		return
	}
	text = oneLine(fmt.Sprintf("%s  %s", time.Since(l.began).Truncate(time.Second), text), 100)
	was := l.wide
	l.wide = len([]rune(text))
	fmt.Fprintf(l.w, "\r%s%s", text, strings.Repeat(" ", max(was-l.wide, 0)))
}

func (l *statusLine) clear() {
	if l.wide > 0 {
		fmt.Fprintf(l.w, "\r%s\r", strings.Repeat(" ", l.wide))
		l.wide = 0
	}
}

// aDream says of whom a dream is, for one that is looked for in vain.
const aDream = "a dream (`reverie memory dreams` lists them)"

// checkDreamID tells somebody who names a dream by something else where its id stands.
func checkDreamID(id string) error {
	if _, err := uuid.Parse(id); err != nil {
		return fmt.Errorf("%q is not the id of %s", oneLine(id, 60), aDream)
	}
	return nil
}

// readDream asks for one report.
func (s *session) readDream(ctx context.Context, id string, candidates int) (dreamReport, apiAnswer, error) {
	if err := checkDreamID(id); err != nil {
		return dreamReport{}, apiAnswer{}, err
	}
	path, err := s.memoryPath("dream", "reports", id)
	if err != nil {
		return dreamReport{}, apiAnswer{}, err
	}
	client, err := s.client()
	if err != nil {
		return dreamReport{}, apiAnswer{}, err
	}
	query := s.ownerQuery()
	query.Set("candidates", fmt.Sprint(candidates))
	return dataOf[dreamReport](client.call(ctx, apiRequest{method: http.MethodGet, path: path, query: query}))
}
