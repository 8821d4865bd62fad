package worker

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	reverie "github.com/reverie-memory/reverie/client"
	"github.com/reverie-memory/reverie/client/durable"
	"reverie/memory/template"
	"reverie/memory/writereq"
)

// size is a request by its sizes: it is made in the workflow, since the input of a workflow may be no larger than that of a step.
type size struct {
	Content int    // characters
	Of      string // the character
	Data    int    // bytes
}

func (s size) request(name string) reverie.Request {
	begin, end := `{"id":"`, `"}`
	return reverie.Request{
		RequestID: name, Agent: "ada", Owner: "user:7", Target: "memory/sizes/" + name + ".md", Strategy: reverie.Overwrite,
		Content: strings.Repeat(s.Of, s.Content), Data: json.RawMessage(begin + strings.Repeat("d", s.Data-len(begin)-len(end)) + end),
	}
}

// largeWorkflow writes as teamWorkflow does.
func largeWorkflow(ctx workflow.Context, signer, through, name string, s size) (reverie.Receipt, error) {
	return teamWorkflow(ctx, signer, through, s.request(name))
}

// travelling returns the number of bytes of a request of the given size in Temporal.
func (w *writing) travelling(t *testing.T, name string, s size) int {
	t.Helper()
	raw, err := json.Marshal(reverie.SignedRequest{Request: s.request(name), KeyID: w.key.ID.String(), Proof: make([]byte, sha256.Size)})
	if err != nil {
		t.Fatal(err)
	}
	return len(raw)
}

// TestBusinessWorkflowsWriteLargeRequests: what is within the limits is written, and what is not ends with a reason. "<" has one
// character and takes six bytes in JSON.
func TestBusinessWorkflowsWriteLargeRequests(t *testing.T) {
	w := newWriting(t)
	for _, c := range []client.Client{w.client, w.theirs} {
		team := worker.New(c, "large", worker.Options{})
		team.RegisterWorkflow(largeWorkflow)
		if err := team.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(team.Stop)
	}
	const content, data = template.MaxBytes, writereq.MaxData
	for name, c := range map[string]struct {
		size
		travels int    // not 0: that much, by what the data has
		says    string // of the error; empty: it is written
	}{
		"all":      {size: size{content, "x", data}},
		"most":     {size: size{content, "<", data / 2}, travels: reverie.MaxSigned},
		"content":  {size: size{content + 1, "x", data}, says: "content"},
		"data":     {size: size{content, "x", data + 1}, says: "data"},
		"both":     {size: size{content + 1, "x", data + 1}, says: "data"},
		"one more": {size: size{content, "<", data / 2}, travels: reverie.MaxSigned + 1, says: fmt.Sprint(reverie.MaxSigned)},
		"escaped":  {size: size{content, "<", data}, says: fmt.Sprint(reverie.MaxSigned)},
		"message":  {size: size{content, "x", 4 << 20}, says: fmt.Sprint(reverie.MaxSigned)}, // beyond what Temporal takes in one message
	} {
		for way, caller := range map[string]client.Client{"nexus": w.theirs, "activity": w.client} {
			t.Run(name+" by "+way, func(t *testing.T) {
				s, request := c.size, uuid.NewString()
				if c.travels > 0 {
					s.Data += c.travels - w.travelling(t, request, s)
				}
				run, err := caller.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "large"}, largeWorkflow,
					w.key.ID.String()+" "+w.secret, way, request, s)
				if err != nil {
					t.Fatal(err)
				}
				var out reverie.Receipt
				err = run.Get(t.Context(), &out)
				if c.says == "" {
					if err != nil || out.Outcome != reverie.Written || out.Bytes != s.Content {
						t.Errorf("%+v, %v", out, err)
					}
					return
				}
				app, is := errors.AsType[*temporal.ApplicationError](err)
				for is && app.Type() != durable.TypeInvalid { // the cause of the one that the operation failed with
					app, is = errors.AsType[*temporal.ApplicationError](errors.Unwrap(app))
				}
				if !is || !strings.Contains(app.Error(), c.says) {
					t.Errorf("%+v, %v; want the type %s about %q", out, err, durable.TypeInvalid, c.says)
				}
			})
		}
	}
}
