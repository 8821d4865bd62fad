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
	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
	"reverie/memory/writereq"
)

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
