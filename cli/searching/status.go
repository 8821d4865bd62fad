package searching

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

func (s commands) statusCommand() *cobra.Command {
	var deep bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the state of the server's parts, what is missing, and what waits",
		Long: "Show the state of the server's parts, what is missing, and what waits; with an agent, also its index (with --json, the field memory).\n" +
			"With --deep, each embedding model makes a vector, and passages of the index are searched by their own words.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if deep {
				if err := s.NeedAgent(); err != nil {
					return err
				}
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			index := func() (wire.Answer[wire.RecallStatus], error) {
				return client.MemoryStatus(cmd.Context(), s.Agent, wire.MemoryStatusParams{Person: s.Person(), Deep: deep})
			}
			if s.JSON && deep {
				answer, err := index()
				if err != nil {
					return err
				}
				return output.JSON(cmd.OutOrStdout(), answer.Raw)
			}
			status, err := client.Status(cmd.Context())
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			switch {
			case s.Agent == "":
				return s.Print(cmd, status.Raw, func(w io.Writer) error { return showStatus(w, status.Data) })
			case !s.JSON:
				if err := showStatus(w, status.Data); err != nil {
					return err
				}
			}
			ofAgent, err := index()
			switch {
			case err != nil:
				return err
			case s.JSON:
				return printBoth(w, status.Raw, ofAgent.Raw)
			}
			return showIndex(w, ofAgent.Data, s.Agent)
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "probe the embedding models, and check that what is stored is found")
	return c
}

// printBoth prints the status as JSON, with that of an agent's memory as one more field.
func printBoth(w io.Writer, status, ofAgent json.RawMessage) error {
	var both map[string]json.RawMessage
	if err := json.Unmarshal(status, &both); err != nil {
		return err
	}
	both["memory"] = ofAgent
	return output.Encode(w, both)
}

func showStatus(w io.Writer, st wire.Status) error {
	rows := [][]string{{"reverie " + st.Version, st.State}}
	for _, p := range st.Parts {
		rows = append(rows, []string{p.Name, strings.TrimSpace(p.State + "  " + output.OneLine(p.Detail, 100))})
		for _, b := range p.Builds {
			rows = append(rows, []string{"", output.Count(b.Workers, "worker") + " of build " + cmp.Or(b.Build, "(not reported)")})
		}
	}
	rows = append(rows, []string{"model in use", st.Model.Name})
	b := st.Backlog
	rows = append(rows,
		[]string{"backlog", fmt.Sprintf("%s in %s pending, %s waiting, %d quarantined, %s not yet delivered, %s staged",
			output.Count(b.PendingMessages, "message"), output.Count(b.PendingConversations, "conversation"),
			output.Count(b.Waiting, "extraction"), b.Quarantined, output.Count(b.UnsignalledTurns, "turn"),
			output.Count(b.StagedWrites, "write"))},
		[]string{"models today", output.Usage(st.Today)})
	if err := output.Table(w, rows); err != nil {
		return err
	}
	for _, d := range st.Degraded {
		fmt.Fprintf(w, "! %s\n", output.OneLine(d, 300))
	}
	return nil
}

func showIndex(w io.Writer, r wire.RecallStatus, agent string) error {
	searches := "by words"
	if r.Mode == "hybrid" {
		searches = "by words and vectors"
	}
	if r.Vectors.Waits.Code == otherModel {
		searches = "by words alone"
	}
	if !r.Enabled {
		searches = "nothing: memory is off"
	}
	rows := [][]string{{"", ""}, {"agent " + agent, "searches " + searches}}
	for _, c := range r.Corpora {
		text := fmt.Sprintf("%d sources, %d passages, %s", c.Sources, c.Units, output.Size(int64(c.Bytes)))
		if c.Fresh > 0 {
			text += fmt.Sprintf(", %d to merge", c.Fresh)
		}
		if c.Stale > 0 {
			text += fmt.Sprintf(", %d to reindex", c.Stale)
		}
		rows = append(rows, []string{c.Corpus, text})
	}
	for _, p := range r.Vectors.Spaces {
		text := fmt.Sprintf("space %d: %s/%s, %d dimensions, %d vectors", p.ID, p.Provider, p.Model, p.Dimensions, p.Vectors)
		if p.Due > 0 {
			text += ", " + memory.Plural(p.Due, "source waits", "sources wait")
		}
		rows = append(rows, []string{"vectors " + p.State, text})
	}
	if !r.Vectors.Since.IsZero() {
		waiting := memory.Plural(r.Vectors.Pending, "source waits", "sources wait")
		rows = append(rows, []string{"waiting", fmt.Sprintf("%s for vectors, since %s", waiting, output.When(r.Vectors.Since))})
	}
	if why := r.Vectors.Waits.Reason; why != "" {
		rows = append(rows, []string{"reason", why})
	}
	for _, e := range r.Embedders {
		text := fmt.Sprintf("answers in %.0f ms", e.Ms)
		if !e.Ok {
			text = "fails: " + e.Text
		}
		rows = append(rows, []string{"probe " + e.Provider + "/" + e.Model, text})
	}
	for _, c := range r.SelfCheck {
		text := fmt.Sprintf("%d of %d found", c.Found, c.Checked)
		if c.Broken > 0 {
			text += fmt.Sprintf(", %d broken: rebuild the index with `reverie memory index --force`", c.Broken)
		}
		rows = append(rows, []string{"self-check " + c.Corpus, text})
	}
	if n := r.Recorded.Failed; n > 0 {
		rows = append(rows, []string{"recalls", memory.Plural(n, "search", "searches") + " could not be recorded: see the server's log"})
	}
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = strings.TrimSpace(output.OneLine(rows[i][j], 300))
		}
	}
	return output.Table(w, rows)
}

// otherModel is the code of vectors that wait for a change of the configuration: waiting longer is of no use.
const otherModel = "other_model"

const (
	// indexPoll is the pause between two requests for the progress of the index.
	indexPoll = 500 * time.Millisecond
	// indexPatience is the number of requests after which a message reports the wait, if there is no progress bar.
	indexPatience = 10
	// indexSilence bounds the answers in a row that lack the workflow's progress.
	indexSilence = 10
)

func (s commands) indexCommand() *cobra.Command {
	var force, noWait bool
	c := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of an agent up to date, or rebuild it",
		Long: "Bring the index of an agent up to date: missing vectors, sources of an earlier release. Searches find by words what was\n" +
			"just written; vectors follow automatically. With --force, everything is indexed again from the documents and messages,\n" +
			"while searches continue. Ctrl-C stops the waiting, not the work.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			answer, err := client.BuildIndex(cmd.Context(), s.Agent, wire.BuildIndexBody{Force: &force})
			if err != nil {
				return err
			}
			state, raw := answer.Data, answer.Raw
			if !noWait {
				if state, raw, err = s.awaitIndex(cmd, client); err != nil {
					return err
				}
			}
			return s.Print(cmd, raw, func(w io.Writer) error {
				what := "the index is up to date"
				switch {
				case state.State != "ready":
					what = fmt.Sprintf("in progress, %d of %d done, %d without vectors; `reverie memory status` shows the progress",
						state.Done, state.Total, state.Pending)
				case force:
					what = "the index was rebuilt"
				}
				_, err := fmt.Fprintf(w, "%s: %s\n", memory.Plural(state.Total, "document or conversation", "documents and conversations"), what)
				return err
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "index everything again")
	c.Flags().BoolVar(&noWait, "no-wait", false, "do not wait until it is done")
	return c
}

// awaitIndex waits until the index is up to date, with a progress bar on a terminal.
func (s commands) awaitIndex(cmd *cobra.Command, client *wire.Client) (wire.Index, json.RawMessage, error) {
	bar := output.NewBar(cmd.ErrOrStderr(), "sources", -1)
	defer bar.Finish()
	told := ""
	for polls, silent := 1, 0; ; polls++ {
		answer, err := client.IndexProgress(cmd.Context(), s.Agent)
		state := answer.Data
		if err != nil || state.State == "ready" {
			return state, answer.Raw, err
		}
		if state.Waits.Code == otherModel && state.Done == state.Total && (state.Phase == "" || state.Phase == "done") {
			return state, answer.Raw, fmt.Errorf("%s for vectors: %s",
				memory.Plural(state.Pending, "source waits", "sources wait"), state.Waits.Reason)
		}
		if why := state.Waits.Reason; why != told || !bar.Drawn() && polls == indexPatience && told == "" {
			bar.Finish() // its line is free for the text
			if told = why; why != "" {
				why = ": " + why
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "waiting: %d of %d indexed, %s for vectors%s (Ctrl-C stops the waiting, not the work)\n",
				state.Done, state.Total, memory.Plural(state.Pending, "waits", "wait"), why)
		}
		bar.Set(int64(min(state.Done, state.Total-state.Pending)), int64(state.Total))
		if state.State != "unknown" {
			silent = 0
		} else if silent++; silent == indexSilence {
			return state, answer.Raw, errors.New("the workflow does not answer: check that a worker is running")
		}
		if err := session.Sleep(cmd.Context(), indexPoll); err != nil {
			return state, answer.Raw, err
		}
	}
}
