package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// writeRequest is the body of a write as business processes make it.
type writeRequest struct {
	session.Person
	RequestID string          `json:"requestId"`
	Scope     string          `json:"scope,omitempty"`
	Target    string          `json:"target"`
	Strategy  string          `json:"strategy"`
	Content   string          `json:"content"`
	Data      json.RawMessage `json:"data,omitempty"`
	Reason    string          `json:"reason,omitempty"`
}

// writeRecord is what became of one.
type writeRecord struct {
	memory.WriteReceipt
	Scope   string `json:"scope"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

// writeOptions are the flags of `memory write`.
type writeOptions struct {
	writeRequest
	file, data, wait string
}

func (s commands) writeCommand() *cobra.Command {
	var o writeOptions
	c := &cobra.Command{
		Use:   "write --target <document> --strategy <how> --content <text>",
		Short: "Write as business processes do: a template and its data, once for a request id",
		Long: "Write into a document as business processes do. Target and content are Mustache templates over --data, a JSON object.\n" +
			"A request with the same --request-id is one write, however often it is made; without one, each call writes anew.\n" +
			"Ends with 1 when the write was refused. docs/workflow-writes.md tells all.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.write(cmd, o) },
	}
	f := c.Flags()
	f.StringVar(&o.Target, "target", "", "path of the document, such as memory/cases/{{id}}.md")
	f.StringVar(&o.Strategy, "strategy", "", "append, replace_section, upsert_kv or overwrite")
	f.StringVar(&o.Content, "content", "", "what is written")
	f.StringVar(&o.file, "content-file", "", "a file with what is written; - for standard input")
	f.StringVar(&o.data, "data", "", "what the templates name: a JSON object, or @ and the name of a file")
	f.StringVar(&o.RequestID, "request-id", "", "makes a repeated request one write, such as close-case-41; missing: a new one")
	f.StringVar(&o.Scope, "scope", "", "PERSONAL, TEAM or GLOBAL; missing: PERSONAL when somebody is named, else TEAM")
	f.StringVar(&o.Reason, "reason", "", "why; it stands in the document's history")
	f.StringVar(&o.wait, "wait", "", "how long to wait for it, such as 30s")
	for _, name := range []string{"target", "strategy"} {
		cobra.CheckErr(c.MarkFlagRequired(name)) // it fails for flags that are not there
	}
	c.MarkFlagsMutuallyExclusive("content", "content-file")
	c.MarkFlagsOneRequired("content", "content-file")
	return c
}

// write makes the request and shows what became of it.
func (s commands) write(cmd *cobra.Command, o writeOptions) error {
	body, err := o.body(cmd.InOrStdin())
	if err != nil {
		return err
	}
	body.Person = s.Body()
	path, err := s.AgentPath("writes")
	if err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	asked := session.Request{Method: http.MethodPost, Path: path, Body: body}
	if o.wait != "" {
		asked.Query = url.Values{"wait": {o.wait}}
	}
	done, a, err := session.DataOf[writeRecord](c.Call(cmd.Context(), asked))
	if err != nil {
		return err
	}
	if err := s.Print(cmd, a, func(w io.Writer) error { return done.show(w) }); err != nil {
		return err
	}
	if done.Outcome == memory.OutcomeRefused {
		return errors.New("it was refused: " + string(done.ReasonCode))
	}
	return nil
}

// body reads what the flags name.
func (o writeOptions) body(stdin io.Reader) (writeRequest, error) {
	body := o.writeRequest
	if body.RequestID == "" {
		body.RequestID = uuid.NewString()
	}
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
			return body, errors.New("--data: give a JSON object, or @ and the name of a file with one")
		}
		body.Data = data
	}
	return body, nil
}

func (r writeRecord) show(w io.Writer) error {
	text := fmt.Sprintf("%s: %s (%s)", r.Outcome, output.OneLine(r.Path, 200), r.Scope)
	switch r.Outcome {
	case memory.OutcomeStaged:
		text += "; it will be written: the same command with --request-id " + r.RequestID + " tells what became of it"
	case memory.OutcomeRefused:
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

// artifact is something of an agent's memory that other programs read.
type artifact struct {
	Kind        string       `json:"kind"`
	Path        string       `json:"path"`
	ContentType string       `json:"contentType"`
	Scope       memory.Scope `json:"scope"`
	Version     int          `json:"version"`
	Bytes       int          `json:"bytes"`
	Href        string       `json:"href"`
}

func (s commands) artifactsCommand() *cobra.Command {
	var cursor string
	var limit int
	c := &cobra.Command{
		Use:   "artifacts",
		Short: "List what other programs may read of memory: MEMORY.md, daily notes, reports of dreams, the journal",
		Long: "List what other programs may read of an agent's memory, by Path: MEMORY.md (memory-root), daily notes (daily-note),\n" +
			"reports of dreams (dream-report) and the journal (event-log). With --json each has the address at which it is read.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			session.SetQuery(query, "cursor", cursor)
			list, a, err := session.DataOf[session.List[artifact]](s.Get(cmd, query, "artifacts"))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				rows := [][]string{{"KIND", "PATH", "SCOPE", "VERSION", "BYTES", "TYPE"}}
				for _, one := range list.Items {
					row := []string{one.Kind, output.OneLine(one.Path, 80), "-", "-", "-", one.ContentType}
					if one.Scope != "" {
						row[2], row[3], row[4] = string(one.Scope), strconv.Itoa(one.Version), strconv.Itoa(one.Bytes)
					}
					rows = append(rows, row)
				}
				if err := output.Table(w, rows); err != nil {
					return err
				}
				output.NextPage(w, list.Next)
				return nil
			})
		},
	}
	c.Flags().StringVar(&cursor, "cursor", "", "go on behind an earlier list: what it says at its end")
	c.Flags().IntVar(&limit, "limit", 100, "how many at once")
	return c
}
