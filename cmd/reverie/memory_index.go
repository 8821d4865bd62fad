package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// indexState is how far the index of an agent is.
type indexState struct {
	State      string `json:"state"` // ready, working or unknown
	Done       int64  `json:"done"`
	Total      int64  `json:"total"`
	Pending    int64  `json:"pending"`
	WorkflowID string `json:"workflowId"`
}

const (
	// indexPoll is how often is asked how far the index is.
	indexPoll = 500 * time.Millisecond
	// indexPatience is after how many answers somebody who sees no progress bar is told what is waited for.
	indexPatience = 10
	// indexSilence is how many answers in a row may lack what the workflow says.
	indexSilence = 10
)

func (s *session) indexCommand() *cobra.Command {
	var force, noWait bool
	c := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of an agent up to date, or build it anew",
		Long: "Bring the index of an agent up to date: vectors that are missing, sources of an earlier release. Searches find what was\n" +
			"written without this, by words; vectors follow by themselves. With --force, everything is indexed anew from the documents\n" +
			"and messages while searches go on. Ctrl-C stops waiting, and not the work.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := s.agentPath("memory", "index")
			if err != nil {
				return err
			}
			client, err := s.client()
			if err != nil {
				return err
			}
			asked := apiRequest{method: http.MethodPost, path: path, body: map[string]bool{"force": force}}
			state, a, err := dataOf[indexState](client.call(cmd.Context(), asked))
			if err != nil {
				return err
			}
			if !noWait {
				if state, a, err = s.awaitIndex(cmd, client, path); err != nil {
					return err
				}
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), a.Data)
			}
			return state.show(cmd, force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "index everything anew")
	c.Flags().BoolVar(&noWait, "no-wait", false, "do not wait until it is done")
	return c
}

// awaitIndex waits until nothing is left to do, with a progress bar on a terminal.
func (s *session) awaitIndex(cmd *cobra.Command, client *apiClient, path string) (state indexState, a apiAnswer, err error) {
	var shown *progressbar.ProgressBar
	if w := cmd.ErrOrStderr(); isTerminal(w) {
		shown = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("sources"),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		defer func() { _ = shown.Finish() }() // it only fails to draw
	}
	for polls, silent := 1, 0; ; polls++ {
		state, a, err = dataOf[indexState](client.call(cmd.Context(), apiRequest{method: http.MethodGet, path: path}))
		if err != nil || state.State == "ready" {
			return state, a, err
		}
		if shown == nil && polls == indexPatience {
			fmt.Fprintf(cmd.ErrOrStderr(), "waiting: %d of %d indexed, %s for vectors (Ctrl-C stops waiting, and not the work)\n",
				state.Done, state.Total, plural(int(state.Pending), "waits", "wait"))
		}
		if shown != nil {
			shown.ChangeMax64(max(state.Total, 1))
			_ = shown.Set64(min(state.Done, state.Total-state.Pending)) // it only fails to draw
		}
		if state.State != "unknown" {
			silent = 0
		} else if silent++; silent == indexSilence {
			return state, a, errors.New("the workflow that does it does not answer: is a worker running?")
		}
		if err := client.sleep(cmd.Context(), indexPoll); err != nil {
			return state, a, err
		}
	}
}

func (x indexState) show(cmd *cobra.Command, force bool) error {
	what := "the index is up to date"
	switch {
	case x.State != "ready":
		what = fmt.Sprintf("under way, %d of %d done, %d without vectors; `reverie memory status` shows how far it is", x.Done, x.Total, x.Pending)
	case force:
		what = "the index is built anew"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", plural(int(x.Total), "document or conversation", "documents and conversations"), what)
	return err
}
