package searching

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// status is how the parts are, what is missing, and what waits.
type status struct {
	Version string `json:"version"`
	State   string `json:"state"`
	Parts   []struct {
		Name   string `json:"name"`
		State  string `json:"state"`
		Detail string `json:"detail"`
	} `json:"parts"`
	Model struct {
		Name string `json:"name"`
	} `json:"model"`
	Degraded []string `json:"degraded"`
	Backlog  *struct {
		PendingConversations int `json:"pendingConversations"`
		PendingMessages      int `json:"pendingMessages"`
		UnsignalledTurns     int `json:"unsignalledTurns"`
		Waiting              int `json:"waiting"`
		Quarantined          int `json:"quarantined"`
	} `json:"backlog"`
	Today memory.Usage `json:"today"`
}

func (s commands) statusCommand() *cobra.Command {
	var deep bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how the parts of the server are, what it works without, and what waits",
		Long: "Show how the parts of the server are, what it works without, and what waits; with an agent, also what its index has.\n" +
			"With --deep, embedding models are asked for a vector, and passages from the index are searched by their own words.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if deep {
				if _, err := s.AgentPath(); err != nil {
					return err
				}
			}
			c, err := s.Client()
			if err != nil {
				return err
			}
			if s.JSON && deep {
				_, a, err := s.recallStatus(cmd, deep)
				if err != nil {
					return err
				}
				return output.JSON(cmd.OutOrStdout(), a.Data)
			}
			st, a, err := session.DataOf[status](c.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: "/api/v1/status"}))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				if err := st.show(w); err != nil || s.Agent == "" {
					return err
				}
				recalled, _, err := s.recallStatus(cmd, deep)
				if err != nil {
					return err
				}
				return recalled.show(w, s.Agent)
			})
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "probe the embedding models, and check that what is stored is found")
	return c
}

func (st status) show(w io.Writer) error {
	rows := [][]string{{"reverie " + st.Version, st.State}}
	for _, p := range st.Parts {
		rows = append(rows, []string{p.Name, strings.TrimSpace(p.State + "  " + output.OneLine(p.Detail, 100))})
	}
	rows = append(rows, []string{"model in use", st.Model.Name})
	if b := st.Backlog; b != nil {
		rows = append(rows, []string{"backlog", fmt.Sprintf("%s in %s pending, %s waiting, %d quarantined, %s not yet delivered",
			output.Count(b.PendingMessages, "message"), output.Count(b.PendingConversations, "conversation"),
			output.Count(b.Waiting, "extraction"), b.Quarantined, output.Count(b.UnsignalledTurns, "turn"))})
	}
	rows = append(rows, []string{"models today", fmt.Sprintf("%s, %d tokens in, %d out, %.4f USD",
		output.Count(st.Today.Calls, "call"), st.Today.InputTokens, st.Today.OutputTokens, float64(st.Today.CostMicros)/1e6)})
	if err := output.Table(w, rows); err != nil {
		return err
	}
	for _, d := range st.Degraded {
		fmt.Fprintf(w, "! %s\n", output.OneLine(d, 160))
	}
	return nil
}

// recallStatus is what the index of an agent has, and what waits.
type recallStatus struct {
	Enabled bool   `json:"enabled"`
	Mode    string `json:"mode"`
	Corpora []struct {
		Corpus  string `json:"corpus"`
		Sources int64  `json:"sources"`
		Units   int64  `json:"units"`
		Fresh   int64  `json:"fresh"`
		Stale   int64  `json:"stale"`
		Bytes   int64  `json:"bytes"`
	} `json:"corpora"`
	Vectors struct {
		Configured bool `json:"configured"`
		Spaces     []struct {
			Provider   string `json:"provider"`
			Model      string `json:"model"`
			Dimensions int    `json:"dimensions"`
			State      string `json:"state"`
			Vectors    int64  `json:"vectors"`
			Due        int64  `json:"due"`
		} `json:"spaces"`
		Pending int64      `json:"pending"`
		Since   *time.Time `json:"since"`
	} `json:"vectors"`
	Recorded struct {
		Failed int64 `json:"failed"`
	} `json:"recorded"`
	Embedders []struct {
		Provider string  `json:"provider"`
		Model    string  `json:"model"`
		OK       bool    `json:"ok"`
		Ms       float64 `json:"ms"`
		Text     string  `json:"text"`
	} `json:"embedders"`
	SelfCheck []struct {
		Corpus  string `json:"corpus"`
		Checked int    `json:"checked"`
		Found   int    `json:"found"`
		Broken  int    `json:"broken"`
	} `json:"selfCheck"`
}

func (s commands) recallStatus(cmd *cobra.Command, deep bool) (recallStatus, session.Answer, error) {
	query := url.Values{}
	if deep {
		query.Set("deep", "true")
	}
	return session.DataOf[recallStatus](s.Get(cmd, query, "memory", "status"))
}

func (r recallStatus) show(w io.Writer, agent string) error {
	searches := "by words"
	if r.Mode == "hybrid" {
		searches = "by words and vectors"
	}
	if !r.Enabled {
		searches = "nothing: memory is switched off"
	}
	rows := [][]string{{"", ""}, {"agent " + agent, "searches " + searches}}
	for _, c := range r.Corpora {
		text := fmt.Sprintf("%d sources, %d passages, %s", c.Sources, c.Units, output.Size(c.Bytes))
		if c.Fresh > 0 {
			text += fmt.Sprintf(", %d to merge", c.Fresh)
		}
		if c.Stale > 0 {
			text += fmt.Sprintf(", %d to index anew", c.Stale)
		}
		rows = append(rows, []string{c.Corpus, text})
	}
	for _, p := range r.Vectors.Spaces {
		text := fmt.Sprintf("%s/%s, %d dimensions, %d vectors", p.Provider, p.Model, p.Dimensions, p.Vectors)
		if p.Due > 0 {
			text += fmt.Sprintf(", %s", output.Plural(int(p.Due), "source waits", "sources wait"))
		}
		rows = append(rows, []string{"vectors " + p.State, text})
	}
	if r.Vectors.Since != nil {
		rows = append(rows, []string{"waiting", fmt.Sprintf("%s for vectors, since %s", output.Plural(int(r.Vectors.Pending), "source waits", "sources wait"), output.When(*r.Vectors.Since))})
	}
	for _, e := range r.Embedders {
		text := fmt.Sprintf("answers in %.0f ms", e.Ms)
		if !e.OK {
			text = "fails: " + e.Text
		}
		rows = append(rows, []string{"probe " + e.Provider + "/" + e.Model, text})
	}
	for _, c := range r.SelfCheck {
		text := fmt.Sprintf("%d of %d found", c.Found, c.Checked)
		if c.Broken > 0 {
			text += fmt.Sprintf(", %d broken: build the index anew with `reverie memory index --force`", c.Broken)
		}
		rows = append(rows, []string{"self-check " + c.Corpus, text})
	}
	if r.Recorded.Failed > 0 {
		rows = append(rows, []string{"recalls", fmt.Sprintf("%s not be recorded: see the server's log", output.Plural(int(r.Recorded.Failed), "search could", "searches could"))})
	}
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = strings.TrimSpace(output.OneLine(rows[i][j], 160))
		}
	}
	return output.Table(w, rows)
}

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

func (s commands) indexCommand() *cobra.Command {
	var force, noWait bool
	c := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of an agent up to date, or build it anew",
		Long: "Bring the index of an agent up to date: vectors that are missing, sources of an earlier release. Searches find what was\n" +
			"written without this, by words; vectors follow by themselves. With --force, everything is indexed anew from the documents\n" +
			"and messages while searches go on. Ctrl-C stops waiting, and not the work.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := s.AgentPath("memory", "index")
			if err != nil {
				return err
			}
			client, err := s.Client()
			if err != nil {
				return err
			}
			asked := session.Request{Method: http.MethodPost, Path: path, Body: map[string]bool{"force": force}}
			state, a, err := session.DataOf[indexState](client.Call(cmd.Context(), asked))
			if err != nil {
				return err
			}
			if !noWait {
				if state, a, err = s.awaitIndex(cmd, client, path); err != nil {
					return err
				}
			}
			if s.JSON {
				return output.JSON(cmd.OutOrStdout(), a.Data)
			}
			return state.show(cmd, force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "index everything anew")
	c.Flags().BoolVar(&noWait, "no-wait", false, "do not wait until it is done")
	return c
}

// awaitIndex waits until nothing is left to do, with a progress bar on a terminal.
func (s commands) awaitIndex(cmd *cobra.Command, client *session.Client, path string) (state indexState, a session.Answer, err error) {
	var shown *progressbar.ProgressBar
	if w := cmd.ErrOrStderr(); output.IsTerminal(w) {
		shown = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("sources"),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		defer func() { _ = shown.Finish() }() // it only fails to draw
	}
	for polls, silent := 1, 0; ; polls++ {
		state, a, err = session.DataOf[indexState](client.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: path}))
		if err != nil || state.State == "ready" {
			return state, a, err
		}
		if shown == nil && polls == indexPatience {
			fmt.Fprintf(cmd.ErrOrStderr(), "waiting: %d of %d indexed, %s for vectors (Ctrl-C stops waiting, and not the work)\n",
				state.Done, state.Total, output.Plural(int(state.Pending), "waits", "wait"))
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
		if err := client.Sleep(cmd.Context(), indexPoll); err != nil {
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
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", output.Plural(int(x.Total), "document or conversation", "documents and conversations"), what)
	return err
}
