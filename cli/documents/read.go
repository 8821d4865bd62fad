package documents

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// author formats the author of a version: "user", or "workflow builtin". It omits the id of a key.
func author(a wire.Author) string {
	if a.ID == "" || a.ID == a.Kind || a.Kind == string(memory.AuthorUser) {
		return a.Kind
	}
	return a.Kind + " " + output.OneLine(a.ID, 40)
}

func (s commands) listCommand() *cobra.Command {
	var params wire.ListFilesParams
	c := &cobra.Command{
		Use:   "list",
		Short: "List documents",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			list, err := client.ListFiles(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"PATH", "SCOPE", "VERSION", "BYTES", "UPDATED", "BY", "PROMPT"}}
				for _, d := range list.Data.Items {
					rows = append(rows, []string{
						d.Path, s.ScopeOf(d.Scope, d.Agent), strconv.Itoa(d.Version), strconv.Itoa(d.Bytes), output.When(d.UpdatedAt),
						author(d.UpdatedBy), inPrompt(d),
					})
				}
				return output.Table(w, rows)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&params.Scope, "scope", "", "only PERSONAL, TEAM or GLOBAL documents")
	f.StringVar(&params.Prefix, "prefix", "", "only paths that begin with it, such as memory/")
	f.BoolVar(&params.IncludeDeleted, "deleted", false, "deleted documents as well")
	return c
}

func inPrompt(d wire.FileEntry) string {
	switch {
	case d.Deleted:
		return "deleted"
	case d.Enabled:
		return "yes"
	}
	return "no"
}

func (s commands) catCommand() *cobra.Command {
	var params wire.ReadFileParams
	c := &cobra.Command{
		Use:   "cat <path>",
		Short: "Print a document",
		Args:  session.NeedsArgs(1, 1, whichDocument),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			d, err := client.ReadFile(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				return err
			}
			return s.Print(cmd, d.Raw, func(w io.Writer) error {
				_, err := io.WriteString(w, output.Shown(w, d.Data.Content))
				return err
			})
		},
	}
	c.Flags().IntVar(&params.Version, "version", 0, "an earlier version")
	c.Flags().StringVar(&params.AsOf, "as-of", "", "as it was at that time, such as 2026-01-31")
	session.ScopeFlag(c, &params.Scope)
	return c
}

func (s commands) promptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prompt",
		Short: "Print the system prompt that the agent's enabled documents make",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			p, err := client.SystemPrompt(cmd.Context(), s.Agent, wire.SystemPromptParams{Person: s.Person()})
			if err != nil {
				return err
			}
			return s.Print(cmd, p.Raw, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, output.Shown(w, p.Data.Prompt))
				return err
			})
		},
	}
}
