package documents

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
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
	return string(a.Kind) + " " + output.OneLine(a.ID, 40)
}

func (s commands) listCommand() *cobra.Command {
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
			list, a, err := session.DataOf[session.List[documentEntry]](s.Get(cmd, query, "workspace", "files"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				rows := [][]string{{"PATH", "SCOPE", "VERSION", "BYTES", "UPDATED", "BY", "PROMPT"}}
				for _, d := range list.Items {
					rows = append(rows, []string{
						d.Path, s.ScopeOf(d.Scope, d.Agent), strconv.Itoa(d.Version), strconv.Itoa(d.Bytes), output.When(d.UpdatedAt), d.UpdatedBy.String(), inPrompt(d),
					})
				}
				return output.Table(w, rows)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&scope, "scope", "", "only PERSONAL, TEAM or GLOBAL documents")
	f.StringVar(&prefix, "prefix", "", "only paths that begin with it, such as memory/")
	f.BoolVar(&deleted, "deleted", false, "deleted documents as well")
	return c
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

func (s commands) catCommand() *cobra.Command {
	var (
		scope   session.Scope
		version int
	)
	c := &cobra.Command{
		Use:   "cat <path>",
		Short: "Print a document",
		Args:  session.NeedsArgs(1, 1, "a document (`reverie memory list` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.Query()
			if version > 0 {
				query.Set("version", strconv.Itoa(version))
			}
			d, a, err := session.DataOf[document](s.GetDocument(cmd, query, "files", args[0]))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				_, err := io.WriteString(w, output.Shown(w, d.Content))
				return err
			})
		},
	}
	c.Flags().IntVar(&version, "version", 0, "an earlier version")
	scope.Register(c)
	return c
}

func (s commands) promptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prompt",
		Short: "Print what the agent is told about its memory: the system prompt of its enabled documents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, a, err := session.DataOf[prompt](s.Get(cmd, nil, "system-prompt"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, output.Shown(w, p.Prompt))
				return err
			})
		},
	}
}
