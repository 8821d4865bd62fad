package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

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

func (s *session) summarizeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "summarize <conversation>",
		Short: "Extract memory from a conversation now, and wait for the outcome",
		Long: "Extract memory from a conversation now, without waiting for a quiet moment or the owner's cooldown, and wait for the\n" +
			"outcome. What is stored counts as complete. A conversation belongs to its owner: name nobody, or that one.",
		Args: needsArgs(1, 1, "a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := s.agentPath(); err != nil {
				return err
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			e, a, err := s.summarize(cmd.Context(), c, args[0], cmd.ErrOrStderr())
			return s.showOutcome(cmd, e, a, err)
		},
	}
}

// showOutcome prints the outcome of an extraction that was asked for; one that needs somebody's attention is an error.
func (s *session) showOutcome(cmd *cobra.Command, e ending, a apiAnswer, err error) error {
	if err != nil {
		return err
	}
	if err := s.print(cmd, a, func(w io.Writer) error { e.show(w, ""); return nil }); err != nil {
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
func (s *session) summarize(ctx context.Context, c *apiClient, conversation string, notes io.Writer) (ending, apiAnswer, error) {
	return s.outcome(ctx, c, "/api/v1/memory"+pathOf(s.agent, "summarize", conversation), notes)
}

// outcome asks for an extraction until it has ended. It is one request to the server, however often it is asked. notes
// hears when it takes long: an extraction may wait for a budget or a provider for hours.
func (s *session) outcome(ctx context.Context, c *apiClient, path string, notes io.Writer) (ending, apiAnswer, error) {
	query := s.ownerQuery()
	query.Set("wait", waitAtATime.String())
	request := apiRequest{
		method: http.MethodPost, path: path, query: query, timeout: waitAtATime + requestTimeout,
		headers: map[string]string{"Idempotency-Key": uuid.NewString()},
	}
	for {
		out, answer, err := dataOf[ending](c.call(ctx, request))
		if err != nil || answer.Status != http.StatusAccepted {
			return out, answer, err
		}
		fmt.Fprintln(notes, "still running; `reverie memory extractions` shows what it waits for. Ctrl-C ends the waiting, not the extraction.")
		if err := c.sleep(ctx, askAgain); err != nil {
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
	fmt.Fprintf(w, "%s%s%s\n", indent, e.Outcome, inBrackets(string(e.ReasonCode), e.Reason))
	for _, x := range e.Extractions {
		for _, change := range x.Changes {
			fmt.Fprintf(w, "%s  %s\n", indent, changeLine(change))
		}
	}
}

// changeLine tells what became of one document: "MEMORY.md (PERSONAL) version 2, +3 -0".
func changeLine(c memory.ChangeReceipt) string {
	text := fmt.Sprintf("%s (%s) version %d", c.Path, c.Scope, c.Version)
	switch {
	case !c.Changed:
		return text + ", as it was"
	case c.Created:
		text += ", new"
	}
	text += ", " + stat(c.Added, c.Removed)
	if c.Merged {
		text += ", merged"
	}
	if c.Verdict == memory.VerdictRedact {
		text += ", secrets redacted"
	}
	return text
}

// inBrackets joins what there is of reasons: " (few_messages)".
func inBrackets(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, oneLine(p, 100))
		}
	}
	if len(some) == 0 {
		return ""
	}
	return " (" + strings.Join(some, ": ") + ")"
}

// listed is a part of a list.
type listed[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"`
}

// nextPage notes below a list that there is more.
func nextPage(w io.Writer, next string) {
	if next != "" {
		fmt.Fprintf(w, "… there is more: --cursor %s\n", next)
	}
}

// pageFlags are the flags of lists.
type pageFlags struct {
	cursor string
	limit  int
}

func (p pageFlags) query() url.Values {
	q := url.Values{"limit": {fmt.Sprint(p.limit)}}
	if p.cursor != "" {
		q.Set("cursor", p.cursor)
	}
	return q
}
