package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"

	"reverie/store"
	"reverie/workflows"
)

// errNeverStarted means that Temporal did not take a dream.
var errNeverStarted = errors.New("the dream was not started")

// dream starts a dream, or finds the run that has it already, and waits for its end, at most for wait and until stop ends. The
// dream is started in any case: a client that waits for nothing, or hangs up, has asked all the same.
func (s *starter) dream(ctx, stop context.Context, in workflows.DreamInput, record store.Dream, wait time.Duration) error {
	running, err := s.startDream(context.WithoutCancel(ctx), in, record)
	if err != nil {
		return err
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	_, err = workflows.DreamRun{WorkflowRun: running}.Result(waited) // one that failed has a report, too
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case waited.Err() != nil:
		return errStillRunning
	case temporalAway(err): // the dream goes on when it is back
		return errStillRunning
	}
	s.log.WarnContext(ctx, "A dream that a request waited for failed", "error", err, "workflow", running.GetID())
	return problem(nameWorkflowFailed, "the dream failed; the history of its workflow %s tells more", running.GetID())
}

// startDream starts the workflow of a record. A repeated request finds the one that was started for it.
func (s *starter) startDream(ctx context.Context, in workflows.DreamInput, record store.Dream) (client.WorkflowRun, error) {
	if record.WorkflowID != "" {
		return s.client.GetWorkflow(ctx, record.WorkflowID, record.RunID), nil
	}
	ctx, cancel := context.WithTimeout(ctx, acceptTimeout)
	defer cancel()
	run, err := workflows.StartDream(ctx, s.client, in)
	if err != nil && !errors.Is(err, workflows.ErrDreaming) {
		s.log.WarnContext(ctx, "A dream could not be started", "error", err, "dream", record.ID)
		return nil, fmt.Errorf("%w: %w", errNeverStarted, err)
	}
	return run.WorkflowRun, err
}

// dreamKey makes a request that is repeated with the client's key one request of one caller; without a key, each is its own.
func dreamKey(ctx context.Context, client string, d store.NewDream) string {
	if client == "" {
		return ""
	}
	asOf := ""
	if !d.AsOf.IsZero() {
		asOf = d.AsOf.UTC().Format(time.RFC3339Nano)
	}
	settings := fmt.Sprintf("%+v", d.Settings)
	return requestLedgerKey(ctx, client, string(d.Mode), d.Topic, asOf, d.Night, strconv.FormatBool(d.DryRun), d.ReplayOf.String(), settings)
}

// requestLedgerKey is the idempotency key of a request of a caller; empty when the client sends none. The client's key counts
// for the same caller and the same request only, of which parts are everything that matters.
func requestLedgerKey(ctx context.Context, client string, parts ...string) string {
	if client == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return "http/" + callerOf(ctx).ID.String() + "/" + client + "/" + hex.EncodeToString(h.Sum(nil)[:8])
}
