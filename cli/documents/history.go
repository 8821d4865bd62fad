package documents

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
)

const whichDocument = "a document (`reverie memory list` shows them)"

func (s commands) logCommand() *cobra.Command {
	var params wire.FileHistoryParams
	var before int
	c := &cobra.Command{
		Use:   "log <path>",
		Short: "Show a document's versions: who made them, why, and from which messages",
		Args:  session.NeedsArgs(1, 1, whichDocument),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if before > 0 {
				params.Before = &before //nolint:staticcheck // the name that servers before "cursor" know, too
			}
			h, err := client.FileHistory(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				return err
			}
			return s.Print(cmd, h.Raw, func(w io.Writer) error { return showHistory(w, h.Data) })
		},
	}
	c.Flags().IntVar(&params.Limit, "limit", 20, "how many")
	c.Flags().IntVar(&before, "before", 0, "only versions below this one")
	session.ScopeFlag(c, &params.Scope)
	return c
}

func showHistory(w io.Writer, h wire.History) error {
	rows := [][]string{{"VERSION", "WHEN", "BY", "LINES", "MESSAGES", "REASON"}}
	for _, v := range h.Items {
		reason := output.OneLine(v.Reason, 60)
		switch {
		case v.Deleted:
			reason = strings.TrimSpace("deleted " + reason)
		case v.Merged:
			reason = strings.TrimSpace("merged " + reason)
		}
		rows = append(rows, []string{
			strconv.Itoa(v.Version), output.When(v.CreatedAt), author(v.Author), output.Stat(v.Added, v.Removed),
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

// sourcesOf names the messages that a version came from. That of a dream may come from several conversations; its blame
// names them line by line.
func sourcesOf(s wire.Sources) string {
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

// messagesOf names messages of a conversation: "c1:3,5", or the range "c1:1-6" when the exact ones are not known.
func messagesOf(conversation string, exact []int, from, to int) string {
	if conversation == "" {
		return "-"
	}
	var numbers string
	switch {
	case len(exact) > 0:
		parts := make([]string, len(exact))
		for i, n := range exact {
			parts[i] = strconv.Itoa(n)
		}
		numbers = strings.Join(parts, ",")
	case from == to:
		numbers = strconv.Itoa(from)
	default:
		numbers = fmt.Sprintf("%d-%d", from, to)
	}
	return output.OneLine(conversation, 30) + ":" + numbers
}

func (s commands) diffCommand() *cobra.Command {
	var params wire.FileDiffParams
	c := &cobra.Command{
		Use:   "diff <path> [from] [to]",
		Short: "Compare two versions of a document",
		Long: "Compare two versions of a document as a unified diff. Without versions it shows what the newest one changed, with\n" +
			"one version the changes since. Version 0 is before the document existed.",
		Args: session.NeedsArgs(1, 3, "a document, and at most two versions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Person = s.Person()
			for i, to := range []**int{&params.From, &params.To} {
				if len(args) <= i+1 {
					break
				}
				version, err := parseVersion(args[i+1])
				if err != nil {
					return err
				}
				*to = &version
			}
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			d, err := client.FileDiff(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				return err
			}
			return s.Print(cmd, d.Raw, func(w io.Writer) error {
				if d.Data.Diff == "" {
					_, err := fmt.Fprintf(w, "versions %d and %d are the same\n", d.Data.From, d.Data.To)
					return err
				}
				_, err := io.WriteString(w, output.Diff(w, d.Data.Diff))
				return err
			})
		},
	}
	session.ScopeFlag(c, &params.Scope)
	return c
}

// parseVersion reads "3", "v3" or "@3".
func parseVersion(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimLeft(s, "v@"))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid version %q: `reverie memory log` lists the version numbers", s)
	}
	return n, nil
}

func (s commands) blameCommand() *cobra.Command {
	var params wire.FileBlameParams
	var version int
	c := &cobra.Command{
		Use:   "blame <path>",
		Short: "Show for each line of a document who wrote it, when, and from which messages",
		Args:  session.NeedsArgs(1, 1, whichDocument),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Person = s.Person()
			client, err := s.AgentClient()
			if err != nil {
				return err
			}
			if version > 0 {
				params.Version = &version
			}
			b, err := client.FileBlame(cmd.Context(), s.Agent, args[0], params)
			if err != nil {
				return err
			}
			return s.Print(cmd, b.Raw, func(w io.Writer) error {
				rows := [][]string{{"VERSION", "WHEN", "BY", "MESSAGES", "LINE"}}
				for _, l := range b.Data.Lines {
					rows = append(rows, []string{
						strconv.Itoa(l.Version), output.When(l.At), l.Author.Kind,
						messagesOf(l.Conversation, l.Messages, l.From, l.To), output.Shown(w, l.Line),
					})
				}
				return output.Table(w, rows)
			})
		},
	}
	c.Flags().IntVar(&version, "version", 0, "an earlier version")
	session.ScopeFlag(c, &params.Scope)
	return c
}

func (s commands) restoreCommand() *cobra.Command {
	var scope, reason string
	c := &cobra.Command{
		Use:   "restore <path> <version>",
		Short: "Make an earlier version of a document current again, as a new version",
		Args:  session.NeedsArgs(2, 2, "a document and the version (`reverie memory log` shows them)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := parseVersion(args[1])
			if err != nil {
				return err
			}
			return s.restore(cmd, args[0], scope, wire.RestoreFileBody{Version: version, Reason: reason})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why; it is stored in the history")
	session.ScopeFlag(c, &scope)
	return c
}

// restore restores the document that `log` shows for the same path: without a scope, a write would go to the owner's own
// document even where the agent's is shown.
func (s commands) restore(cmd *cobra.Command, path, scope string, body wire.RestoreFileBody) error {
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	h, err := client.FileHistory(cmd.Context(), s.Agent, path, wire.FileHistoryParams{Person: s.Person(), Scope: scope, Limit: 1})
	if err != nil {
		return err
	}
	params := wire.RestoreFileParams{Person: s.Person(), Scope: h.Data.Scope}
	receipt, err := client.RestoreFile(cmd.Context(), s.Agent, h.Data.Path, params, body)
	if err != nil {
		return err
	}
	return s.Print(cmd, receipt.Raw, func(w io.Writer) error {
		for _, change := range receipt.Data.Changes {
			fmt.Fprintln(w, output.Change(change))
		}
		return nil
	})
}
