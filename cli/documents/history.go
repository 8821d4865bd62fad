package documents

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/memory"
)

// history is the list of a document's versions, newest first.
type history struct {
	Scope    memory.Scope `json:"scope"`
	Path     string       `json:"path"`
	Versions []struct {
		Version   int            `json:"version"`
		Merged    bool           `json:"merged"`
		Deleted   bool           `json:"deleted"`
		Author    author         `json:"author"`
		Reason    string         `json:"reason"`
		Sources   memory.Sources `json:"sources"`
		Added     int            `json:"added"`
		Removed   int            `json:"removed"`
		CreatedAt time.Time      `json:"createdAt"`
	} `json:"versions"`
	Next int `json:"next"`
}

// difference is a unified diff between two versions; empty when they are alike.
type difference struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"`
}

// blame tells of every line of a document where it came from.
type blame struct {
	Lines []struct {
		Line         string    `json:"line"`
		Version      int       `json:"version"`
		Author       author    `json:"author"`
		At           time.Time `json:"at"`
		Conversation string    `json:"conversation"`
		Messages     []int64   `json:"messages"`
		From         int64     `json:"from"`
		To           int64     `json:"to"`
	} `json:"lines"`
}

const whichDocument = "a document (`reverie memory list` shows them)"

func (s commands) logCommand() *cobra.Command {
	var (
		scope         session.Scope
		before, limit int
	)
	c := &cobra.Command{
		Use:   "log <path>",
		Short: "Show a document's versions: who made them, why, and from which messages",
		Args:  session.NeedsArgs(1, 1, whichDocument),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.Query()
			query.Set("limit", strconv.Itoa(limit))
			if before > 0 {
				query.Set("before", strconv.Itoa(before))
			}
			h, a, err := session.DataOf[history](s.GetDocument(cmd, query, "history", args[0]))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error { return h.show(w) })
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many")
	c.Flags().IntVar(&before, "before", 0, "only versions below this one")
	scope.Register(c)
	return c
}

func (h history) show(w io.Writer) error {
	rows := [][]string{{"VERSION", "WHEN", "BY", "LINES", "MESSAGES", "REASON"}}
	for _, v := range h.Versions {
		reason := output.OneLine(v.Reason, 60)
		switch {
		case v.Deleted:
			reason = strings.TrimSpace("deleted " + reason)
		case v.Merged:
			reason = strings.TrimSpace("merged " + reason)
		}
		rows = append(rows, []string{
			strconv.Itoa(v.Version), output.When(v.CreatedAt), v.Author.String(), output.Stat(v.Added, v.Removed),
			sourcesOf(v.Sources), reason,
		})
	}
	fmt.Fprintf(w, "%s (%s)\n", h.Path, h.Scope)
	if err := output.Table(w, rows); err != nil {
		return err
	}
	if h.Next > 0 {
		fmt.Fprintf(w, "… there is more: --before %d\n", h.Next)
	}
	return nil
}

// sourcesOf names the messages that a version came from. One of a dream may come from several conversations; which line is of
// which shows in its blame.
func sourcesOf(s memory.Sources) string {
	if s.Conversation != "" {
		return messagesOf(s.Conversation, nil, s.From, s.To)
	}
	conversations := map[string]bool{}
	for _, line := range s.Lines {
		conversations[line.Conversation] = true
	}
	if len(conversations) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d conversations", len(conversations))
}

// messagesOf names messages of a conversation: "c1:3,5", or the range "c1:1-6" when the very ones are not known.
func messagesOf(conversation string, exact []int64, from, to int64) string {
	if conversation == "" {
		return "-"
	}
	var numbers string
	switch {
	case len(exact) > 0:
		parts := make([]string, len(exact))
		for i, n := range exact {
			parts[i] = strconv.FormatInt(n, 10)
		}
		numbers = strings.Join(parts, ",")
	case from == to:
		numbers = strconv.FormatInt(from, 10)
	default:
		numbers = fmt.Sprintf("%d-%d", from, to)
	}
	return output.OneLine(conversation, 30) + ":" + numbers
}

func (s commands) diffCommand() *cobra.Command {
	var scope session.Scope
	c := &cobra.Command{
		Use:   "diff <path> [from] [to]",
		Short: "Compare two versions of a document",
		Long: "Compare two versions of a document as a unified diff. Without versions it shows what the newest one changed, with\n" +
			"one what came after it. Version 0 is before the document was there.",
		Args: session.NeedsArgs(1, 3, "a document, and at most two versions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.Query()
			for i, name := range []string{"from", "to"} {
				if len(args) <= i+1 {
					break
				}
				version, err := parseVersion(args[i+1])
				if err != nil {
					return err
				}
				query.Set(name, strconv.Itoa(version))
			}
			d, a, err := session.DataOf[difference](s.GetDocument(cmd, query, "diff", args[0]))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				if d.Diff == "" {
					_, err := fmt.Fprintf(w, "versions %d and %d are alike\n", d.From, d.To)
					return err
				}
				_, err := io.WriteString(w, output.Diff(w, d.Diff))
				return err
			})
		},
	}
	scope.Register(c)
	return c
}

// parseVersion reads "3", "v3" or "@3".
func parseVersion(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimLeft(s, "v@"))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a version: write its number, as `reverie memory log` shows it", s)
	}
	return n, nil
}

func (s commands) blameCommand() *cobra.Command {
	var (
		scope   session.Scope
		version int
	)
	c := &cobra.Command{
		Use:   "blame <path>",
		Short: "Show for each line of a document who wrote it, when, and from which messages",
		Args:  session.NeedsArgs(1, 1, whichDocument),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := scope.Query()
			if version > 0 {
				query.Set("version", strconv.Itoa(version))
			}
			b, a, err := session.DataOf[blame](s.GetDocument(cmd, query, "blame", args[0]))
			if err != nil {
				return err
			}
			return s.Print(cmd, a, func(w io.Writer) error {
				rows := [][]string{{"VERSION", "WHEN", "BY", "MESSAGES", "LINE"}}
				for _, l := range b.Lines {
					rows = append(rows, []string{
						strconv.Itoa(l.Version), output.When(l.At), string(l.Author.Kind),
						messagesOf(l.Conversation, l.Messages, l.From, l.To), output.Shown(w, l.Line),
					})
				}
				return output.Table(w, rows)
			})
		},
	}
	c.Flags().IntVar(&version, "version", 0, "an earlier version")
	scope.Register(c)
	return c
}

func (s commands) restoreCommand() *cobra.Command {
	var (
		scope  session.Scope
		reason string
	)
	c := &cobra.Command{
		Use:   "restore <path> <version>",
		Short: "Make an earlier version of a document current again, as a new version",
		Args:  session.NeedsArgs(2, 2, "a document and the version (`reverie memory log` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := parseVersion(args[1])
			if err != nil {
				return err
			}
			return s.restore(cmd, args[0], version, scope, reason)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it stands in the history")
	scope.Register(c)
	return c
}

// restore restores the document that `log` shows for the same Path: without a scope, a write would go to the owner's own
// document even where the agent's is the one that is seen.
func (s commands) restore(cmd *cobra.Command, path string, version int, scope session.Scope, reason string) error {
	query := scope.Query()
	query.Set("limit", "1")
	h, _, err := session.DataOf[history](s.GetDocument(cmd, query, "history", path))
	if err != nil {
		return err
	}
	base, err := s.AgentPath("workspace", "restore")
	if err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	query = s.OwnerQuery()
	query.Set("scope", string(h.Scope))
	receipt, a, err := session.DataOf[memory.Receipt](c.Call(cmd.Context(), session.Request{
		Method: http.MethodPost, Path: base + session.DocumentPath(h.Path), Query: query, Body: restoreRequest{Version: version, Reason: reason},
	}))
	if err != nil {
		return err
	}
	return s.Print(cmd, a, func(w io.Writer) error {
		for _, change := range receipt.Changes {
			fmt.Fprintln(w, output.Change(change))
		}
		return nil
	})
}

// restoreRequest is the body of a restore.
type restoreRequest struct {
	Version int    `json:"version"`
	Reason  string `json:"reason,omitempty"`
}
