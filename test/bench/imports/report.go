package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report is the outcome of a run; it is also the JSON output. Times are in seconds.
type report struct {
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	Owners        int     `json:"owners"`
	Written       int     `json:"written"` // conversations that became memory
	Copy          float64 `json:"copySeconds"`
	Floor         float64 `json:"floorSeconds"`
	Bare          float64 `json:"bareSeconds"` // of as many workflows without contents
	Stage         float64 `json:"stageSeconds"`
	Run           float64 `json:"runSeconds"`
	Total         float64 `json:"totalSeconds"`
	ToFloor       float64 `json:"toFloor"`
	ToCopy        float64 `json:"toCopy"`
	ToBare        float64 `json:"toBare"` // without uploading
	StageToCopy   float64 `json:"stageToCopy"`
	Each          steps   `json:"each"`   // of a conversation
	OfBare        steps   `json:"ofBare"` // CPU time only
}

// secondsBar is how long a thousand conversations may take: a newcomer waits for it.
const secondsBar = 300.0

// perThousand is how long a thousand conversations would take.
func (r report) perThousand() float64 { return r.Total * 1000 / float64(r.Conversations) }

func (r report) passed() bool { return r.perThousand() <= secondsBar }

func (r report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what string, seconds float64) {
		_, _ = fmt.Fprintf(t, "%s\t%.2f s\t%.0f messages/s\t%.1f conversations/s\n", what, seconds, float64(r.Messages)/seconds, float64(r.Conversations)/seconds)
	}
	_, _ = fmt.Fprintf(t, "%d conversations, %d messages, %d owners; %d became memory\n", r.Conversations, r.Messages, r.Owners, r.Written)
	row("COPY of the messages", r.Copy)
	row("floor: engine and inserts", r.Floor)
	row("Temporal: empty steps", r.Bare)
	row("uploaded", r.Stage)
	row("moved in", r.Run)
	row("both", r.Total)
	if err := t.Flush(); err != nil {
		return err
	}
	each := r.Each
	_, _ = fmt.Fprintf(w, "a conversation: %.2f workflows, %.1f workflow tasks, %.1f steps and %.1f local ones, %.1f updates, %.1f events; %.1f trips to the database with %.1f statements\n",
		each.Workflows, each.Tasks, each.Steps, each.LocalSteps, each.Updates, each.Events, each.Trips, each.Statements)
	_, _ = fmt.Fprintf(w, "CPU time of it: worker %.1f ms, database %.1f ms, Temporal %.1f ms; of empty steps: worker %.1f ms, Temporal %.1f ms\n",
		each.Worker, each.Database, each.Temporal, r.OfBare.Worker, r.OfBare.Temporal)
	verdict := "passed"
	if !r.passed() {
		verdict = "MISSED"
	}
	_, err := fmt.Fprintf(w, "next to the floor %.1f, next to COPY %.1f, next to empty steps %.1f; uploading next to COPY %.2f\na thousand conversations: %.0f s, at most %.0f: %s\n",
		r.ToFloor, r.ToCopy, r.ToBare, r.StageToCopy, r.perThousand(), secondsBar, verdict)
	return err
}
