// Package documents has the commands that read, change, export and sync documents.
package documents

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/reverie-memory/reverie/client/wire"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/memory/writereq"
)

// Commands returns the commands of this package.
func Commands(s *session.Session) []*cobra.Command {
	c := commands{s}
	return []*cobra.Command{
		c.listCommand(), c.catCommand(), c.logCommand(), c.diffCommand(), c.blameCommand(), c.restoreCommand(), c.promptCommand(),
		c.exportCommand(), c.syncCommand(), c.snapshotCommand(), c.artifactsCommand(), c.writeCommand(),
	}
}

type commands struct{ *session.Session }

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

// writeOptions are the flags of `memory write`.
type writeOptions struct {
	wire.WriteMemoryBody

	file, data, wait string
}

func (s commands) writeCommand() *cobra.Command {
	var o writeOptions
	c := &cobra.Command{
		Use:   "write --target <document> --strategy <how> --content <text>",
		Short: "Write as business processes do: a template and its data, once for a request id",
		Long: "Write into a document as business processes do. Target and content are Mustache templates over --data, a JSON object.\n" +
			"Requests with the same --request-id are one write; without one, each call writes again.\n" +
			"A refused write exits with 1. docs/workflow-writes.md has the details.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.write(cmd, o) },
	}
	f := c.Flags()
	f.StringVar(&o.Target, "target", "", "path of the document, such as memory/cases/{{id}}.md")
	f.StringVar(&o.Strategy, "strategy", "", "append, replace_section, upsert_kv or overwrite")
	f.StringVar(&o.Content, "content", "", "the content")
	f.StringVar(&o.file, "content-file", "", "a file with the content; - for standard input")
	f.StringVar(&o.data, "data", "", "the data of the templates: a JSON object, or @ and the name of a file")
	f.StringVar(&o.RequestID, "request-id", "", "makes repeated requests one write, such as close-case-41; default: a new one")
	f.StringVar(&o.Scope, "scope", "", "PERSONAL, TEAM or GLOBAL; default: PERSONAL with an owner, else TEAM")
	f.StringVar(&o.Reason, "reason", "", "why; it is stored in the document's history")
	f.StringVar(&o.wait, "wait", "", "how long to wait for it, such as 30s")
	for _, name := range []string{"target", "strategy"} {
		cobra.CheckErr(c.MarkFlagRequired(name)) // it fails for flags that do not exist
	}
	c.MarkFlagsMutuallyExclusive("content", "content-file")
	c.MarkFlagsOneRequired("content", "content-file")
	return c
}

// write makes the request and prints its outcome.
func (s commands) write(cmd *cobra.Command, o writeOptions) error {
	body, err := o.body(cmd.InOrStdin())
	if err != nil {
		return err
	}
	body.Owner, body.Channel, body.Sender, body.EndUserID = s.Owner, s.Channel, s.Sender, s.EndUser
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	done, err := client.WriteMemory(cmd.Context(), s.Agent, wire.WriteMemoryParams{Wait: o.wait}, body)
	if err != nil {
		return err
	}
	if err := s.Print(cmd, done.Raw, func(w io.Writer) error { return showWrite(w, done.Data) }); err != nil {
		return err
	}
	if done.Data.Outcome == string(writereq.OutcomeRefused) {
		return errors.New("it was refused: " + done.Data.ReasonCode)
	}
	return nil
}

// body reads what the flags name.
func (o writeOptions) body(stdin io.Reader) (wire.WriteMemoryBody, error) {
	body := o.WriteMemoryBody
	body.RequestID = cmp.Or(body.RequestID, uuid.NewString())
	if o.file != "" {
		content, err := session.ReadFile(stdin, o.file)
		if err != nil {
			return body, err
		}
		body.Content = string(content)
	}
	data := []byte(o.data)
	if name, isFile := strings.CutPrefix(o.data, "@"); isFile {
		var err error
		if data, err = os.ReadFile(name); err != nil {
			return body, err
		}
	}
	if len(data) > 0 {
		if !json.Valid(data) {
			return body, errors.New("--data must be a JSON object, or @ and the name of a file that contains one")
		}
		body.Data = data
	}
	return body, nil
}

func showWrite(w io.Writer, r wire.Write) error {
	text := fmt.Sprintf("%s: %s (%s)", r.Outcome, output.OneLine(r.Path, 200), r.Scope)
	switch memory.Outcome(r.Outcome) {
	case writereq.OutcomeStaged:
		text += "; the same command with --request-id " + r.RequestID + " shows its outcome"
	case writereq.OutcomeRefused:
		if r.Problem != "" {
			text += "\n  " + output.OneLine(r.Problem, 400)
		}
	default:
		text += fmt.Sprintf(" version %d", r.Version)
		if r.Created {
			text += ", new"
		}
		text += ", " + output.Stat(r.Added, r.Removed)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func (s commands) artifactsCommand() *cobra.Command {
	var page session.Page
	c := &cobra.Command{
		Use:   "artifacts",
		Short: "List what other programs may read of memory: MEMORY.md, daily notes, reports of dreams, the journal",
		Long: "List what other programs may read of an agent's memory, by path: MEMORY.md (memory-root), daily notes (daily-note),\n" +
			"reports of dreams (dream-report) and the journal (event-log). With --json each has the address to read it from.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			params := wire.ListArtifactsParams{Person: s.Person(), Cursor: page.Cursor, Limit: page.Limit}
			list, err := client.ListArtifacts(cmd.Context(), s.Agent, params)
			if err != nil {
				return err
			}
			return s.Print(cmd, list.Raw, func(w io.Writer) error {
				rows := [][]string{{"KIND", "PATH", "SCOPE", "VERSION", "BYTES", "TYPE"}}
				for _, a := range list.Data.Items {
					row := []string{a.Kind, output.OneLine(a.Path, 80), "-", "-", "-", a.ContentType}
					if a.Scope != "" {
						row[2], row[3], row[4] = a.Scope, strconv.Itoa(a.Version), strconv.Itoa(a.Bytes)
					}
					rows = append(rows, row)
				}
				if err := output.Table(w, rows); err != nil {
					return err
				}
				output.NextPage(w, list.Data.Next)
				return nil
			})
		},
	}
	page.Register(c, 100)
	return c
}
