package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

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

func (s *session) recallStatus(cmd *cobra.Command, deep bool) (recallStatus, apiAnswer, error) {
	query := url.Values{}
	if deep {
		query.Set("deep", "true")
	}
	return dataOf[recallStatus](s.get(cmd, query, "memory", "status"))
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
		text := fmt.Sprintf("%d sources, %d passages, %s", c.Sources, c.Units, size(c.Bytes))
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
			text += fmt.Sprintf(", %s", plural(int(p.Due), "source waits", "sources wait"))
		}
		rows = append(rows, []string{"vectors " + p.State, text})
	}
	if r.Vectors.Since != nil {
		rows = append(rows, []string{"waiting", fmt.Sprintf("%s for vectors, since %s", plural(int(r.Vectors.Pending), "source waits", "sources wait"), when(*r.Vectors.Since))})
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
		rows = append(rows, []string{"recalls", fmt.Sprintf("%s not be recorded: see the server's log", plural(int(r.Recorded.Failed), "search could", "searches could"))})
	}
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = strings.TrimSpace(oneLine(rows[i][j], 160))
		}
	}
	return table(w, rows)
}

// size is a number of bytes, for people.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
