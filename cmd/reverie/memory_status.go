package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

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

func (s *session) statusCommand() *cobra.Command {
	var deep bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how the parts of the server are, what it works without, and what waits",
		Long: "Show how the parts of the server are, what it works without, and what waits; with an agent, also what its index has.\n" +
			"With --deep, embedding models are asked for a vector, and passages from the index are searched by their own words.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if deep {
				if _, err := s.agentPath(); err != nil {
					return err
				}
			}
			c, err := s.client()
			if err != nil {
				return err
			}
			if s.json && deep {
				_, a, err := s.recallStatus(cmd, deep)
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), a.Data)
			}
			st, a, err := dataOf[status](c.call(cmd.Context(), apiRequest{method: http.MethodGet, path: "/api/v1/status"}))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				if err := st.show(w); err != nil || s.agent == "" {
					return err
				}
				recalled, _, err := s.recallStatus(cmd, deep)
				if err != nil {
					return err
				}
				return recalled.show(w, s.agent)
			})
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "probe the embedding models, and check that what is stored is found")
	return c
}

func (st status) show(w io.Writer) error {
	rows := [][]string{{"reverie " + st.Version, st.State}}
	for _, p := range st.Parts {
		rows = append(rows, []string{p.Name, strings.TrimSpace(p.State + "  " + oneLine(p.Detail, 100))})
	}
	rows = append(rows, []string{"model in use", st.Model.Name})
	if b := st.Backlog; b != nil {
		rows = append(rows, []string{"backlog", fmt.Sprintf("%s in %s pending, %s waiting, %d quarantined, %s not yet delivered",
			count(b.PendingMessages, "message"), count(b.PendingConversations, "conversation"),
			count(b.Waiting, "extraction"), b.Quarantined, count(b.UnsignalledTurns, "turn"))})
	}
	rows = append(rows, []string{"models today", fmt.Sprintf("%s, %d tokens in, %d out, %.4f USD",
		count(st.Today.Calls, "call"), st.Today.InputTokens, st.Today.OutputTokens, float64(st.Today.CostMicros)/1e6)})
	if err := table(w, rows); err != nil {
		return err
	}
	for _, d := range st.Degraded {
		fmt.Fprintf(w, "! %s\n", oneLine(d, 160))
	}
	return nil
}
