package main

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"reverie/memory"
)

// documentEntry is a document as the API lists it.
type documentEntry struct {
	Agent     string       `json:"agent"`
	Scope     memory.Scope `json:"scope"`
	Path      string       `json:"path"`
	Version   int          `json:"version"`
	Bytes     int          `json:"bytes"`
	Enabled   bool         `json:"enabled"`
	Deleted   bool         `json:"deleted"`
	UpdatedAt time.Time    `json:"updatedAt"`
	UpdatedBy author       `json:"updatedBy"`
}

// document is a version of a document with its content.
type document struct {
	Content string `json:"content"`
}

// prompt is what an agent is told.
type prompt struct {
	Prompt string `json:"prompt"`
}

// author is who made a version.
type author struct {
	Kind memory.AuthorKind `json:"kind"`
	ID   string            `json:"id"`
}

// String is "user", or "workflow builtin" when there is something to add; the id of a key says nothing to a reader.
func (a author) String() string {
	if a.ID == "" || a.ID == string(a.Kind) || a.Kind == memory.AuthorUser {
		return string(a.Kind)
	}
	return string(a.Kind) + " " + oneLine(a.ID, 40)
}

// scopeFlag chooses between documents of one path.
type scopeFlag struct{ scope string }

func (f *scopeFlag) register(c *cobra.Command) {
	c.Flags().StringVar(&f.scope, "scope", "", "whose document: PERSONAL, TEAM or GLOBAL; empty: the owner's own if there is one, else the agent's, else the workspace's")
}

func (f *scopeFlag) query() url.Values {
	q := url.Values{}
	if f.scope != "" {
		q.Set("scope", f.scope)
	}
	return q
}

func (s *session) listCommand() *cobra.Command {
	var (
		scope   string
		prefix  string
		deleted bool
	)
	c := &cobra.Command{
		Use:   "list",
		Short: "List documents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{}
			for name, value := range map[string]string{"scope": scope, "prefix": prefix} {
				if value != "" {
					query.Set(name, value)
				}
			}
			if deleted {
				query.Set("includeDeleted", "true")
			}
			list, a, err := dataOf[listed[documentEntry]](s.get(cmd, query, "workspace", "files"))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				rows := [][]string{{"PATH", "SCOPE", "VERSION", "BYTES", "UPDATED", "BY", "PROMPT"}}
				for _, d := range list.Items {
					rows = append(rows, []string{
						d.Path, s.scopeOf(d.Scope, d.Agent), strconv.Itoa(d.Version), strconv.Itoa(d.Bytes), when(d.UpdatedAt), d.UpdatedBy.String(), inPrompt(d),
					})
				}
				return table(w, rows)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&scope, "scope", "", "only PERSONAL, TEAM or GLOBAL documents")
	f.StringVar(&prefix, "prefix", "", "only paths that begin with it, such as memory/")
	f.BoolVar(&deleted, "deleted", false, "deleted documents as well")
	return c
}

// scopeOf is a scope as it is shown: that of a document of the leader of the agent's team names the leader.
func (s *session) scopeOf(scope memory.Scope, agent string) string {
	if agent == "" || agent == s.agent {
		return string(scope)
	}
	return string(scope) + " of " + agent
}

func inPrompt(d documentEntry) string {
	switch {
	case d.Deleted:
		return "deleted"
	case d.Enabled:
		return "yes"
	}
	return "no"
}

func (s *session) catCommand() *cobra.Command {
	var (
		scope   scopeFlag
		version int
	)
	c := &cobra.Command{
		Use:   "cat <path>",
		Short: "Print a document",
		Args:  needsArgs(1, 1, "a document (`reverie memory list` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.query()
			if version > 0 {
				query.Set("version", strconv.Itoa(version))
			}
			d, a, err := dataOf[document](s.getDocument(cmd, query, "files", args[0]))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				_, err := io.WriteString(w, shown(w, d.Content))
				return err
			})
		},
	}
	c.Flags().IntVar(&version, "version", 0, "an earlier version")
	scope.register(c)
	return c
}

func (s *session) promptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prompt",
		Short: "Print what the agent is told about its memory: the system prompt of its enabled documents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, a, err := dataOf[prompt](s.get(cmd, nil, "system-prompt"))
			if err != nil {
				return err
			}
			return s.print(cmd, a, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, shown(w, p.Prompt))
				return err
			})
		},
	}
}
