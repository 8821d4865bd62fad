// Command imports measures how fast conversations of another system are imported and become memory, compared with a
// floor (direct calls of the same engine and plain inserts of its results and the messages), with a plain COPY of the
// same messages into a table, and with Temporal alone running workflows of the same shape with empty steps, on the
// same servers in the same run.
//
//	go run ./test/bench/imports
//
// It starts a private PostgreSQL and a private Temporal dev server, generates conversations, and runs the worker in
// its own process, with the built-in engine: 1,000 conversations of 20 messages by default. It prints figures and
// ratios, checks that every message was stored and extracted once, stops and removes what it started, and exits with
// status 1 if the limit is exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"reverie/test/bench/services"
)

func main() {
	var b bench
	flag.IntVar(&b.conversations, "n", 1000, "conversations to import")
	flag.IntVar(&b.messages, "messages", 20, "messages per conversation")
	flag.IntVar(&b.owners, "owners", 20, "number of owners")
	flag.IntVar(&b.models, "models", 8, "concurrent engine calls")
	services.Main("imports", b.run)
}

// bench is one run.
type bench struct{ conversations, messages, owners, models int }

func (b *bench) run(ctx context.Context, w io.Writer, asJSON bool) (passed bool, err error) {
	if b.conversations < 1 || b.messages < 2 || b.owners < 1 {
		return false, errors.New("-n and -owners must be at least 1, and -messages at least 2")
	}
	err = services.InFolder("imports", func(dir string) (err error) {
		world, err := newWorld(ctx, dir, b)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, world.Close()) }()
		r, err := world.measure(ctx)
		if err != nil {
			return err
		}
		passed = r.passed()
		return services.Show(w, asJSON, r, r.print)
	})
	return passed, err
}

// report is the result of a run, also as JSON. Times are in seconds.
type report struct {
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	Owners        int     `json:"owners"`
	Written       int     `json:"written"` // conversations that became memory
	Copy          float64 `json:"copySeconds"`
	Floor         float64 `json:"floorSeconds"`
	Bare          float64 `json:"bareSeconds"` // of as many workflows with empty steps
	Stage         float64 `json:"stageSeconds"`
	Run           float64 `json:"runSeconds"`
	Total         float64 `json:"totalSeconds"`
	ToFloor       float64 `json:"toFloor"`
	ToCopy        float64 `json:"toCopy"`
	ToBare        float64 `json:"toBare"` // without the upload
	StageToCopy   float64 `json:"stageToCopy"`
	Each          steps   `json:"each"`   // per conversation
	OfBare        steps   `json:"ofBare"` // CPU time only
}

// secondsBar limits the time for a thousand conversations, for which a new user waits.
const secondsBar = 300.0

// perThousand returns the time for a thousand conversations.
func (r report) perThousand() float64 { return r.Total * 1000 / float64(r.Conversations) }

func (r report) passed() bool { return r.perThousand() <= secondsBar }

func (r report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what string, seconds float64) {
		_, _ = fmt.Fprintf(t, "%s\t%.2f s\t%.0f messages/s\t%.1f conversations/s\n", what, seconds, float64(r.Messages)/seconds,
			float64(r.Conversations)/seconds)
	}
	_, _ = fmt.Fprintf(t, "%d conversations, %d messages, %d owners; %d became memory\n", r.Conversations, r.Messages, r.Owners, r.Written)
	row("COPY of the messages", r.Copy)
	row("floor: engine and inserts", r.Floor)
	row("Temporal: empty steps", r.Bare)
	row("uploaded", r.Stage)
	row("import", r.Run)
	row("both", r.Total)
	if err := t.Flush(); err != nil {
		return err
	}
	each := r.Each
	_, _ = fmt.Fprintf(w, "per conversation: %.2f workflows, %.1f workflow tasks, %.1f steps and %.1f local ones, %.1f updates, %.1f events; "+
		"%.1f trips to the database with %.1f statements\n",
		each.Workflows, each.Tasks, each.Steps, each.LocalSteps, each.Updates, each.Events, each.Trips, each.Statements)
	_, _ = fmt.Fprintf(w, "CPU time per conversation: worker %.1f ms, database %.1f ms, Temporal %.1f ms; "+
		"of empty steps: worker %.1f ms, Temporal %.1f ms\n",
		each.Worker, each.Database, each.Temporal, r.OfBare.Worker, r.OfBare.Temporal)
	verdict := "passed"
	if !r.passed() {
		verdict = "MISSED"
	}
	_, err := fmt.Fprintf(w, "next to the floor %.1f, next to COPY %.1f, next to empty steps %.1f; uploading next to COPY %.2f\n"+
		"a thousand conversations: %.0f s, at most %.0f: %s\n",
		r.ToFloor, r.ToCopy, r.ToBare, r.StageToCopy, r.perThousand(), secondsBar, verdict)
	return err
}
