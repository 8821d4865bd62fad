package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/snapshot"
)

// snapshotCommand is `reverie memory snapshot`: an agent's documents as one archive, out and in.
func (s *session) snapshotCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "snapshot", Short: "Export an agent's documents as one ZIP archive, and import one",
		Long: "Export an agent's documents as one ZIP archive, see what importing one would do, and import it.\n\n" +
			"An import writes all documents of the archive in one step, or none. Documents that the archive does not have stay.",
	}
	needsCommand(c)
	c.AddCommand(s.snapshotExportCommand(), s.snapshotPreviewCommand(), s.snapshotImportCommand())
	return c
}

const scopeUsage = "which documents: personal (of the owner), team, or all; without it, all that the request may be about"

func (s *session) snapshotExportCommand() *cobra.Command {
	var scope, prefix string
	var force bool
	c := &cobra.Command{
		Use: "export <file>", Short: "Write the archive to a file; - writes it to the standard output", Args: needsArgs(1, 1, "the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := s.agentPath("workspace", "memory", "export")
			if err != nil {
				return err
			}
			api, err := s.client()
			if err != nil {
				return err
			}
			query := s.ownerQuery()
			setQuery(query, "scope", scope)
			setQuery(query, "prefix", prefix)
			archive, header, err := api.download(cmd.Context(), apiRequest{method: "GET", path: path, query: query})
			if err != nil {
				return err
			}
			if args[0] == "-" {
				_, err := cmd.OutOrStdout().Write(archive)
				return err
			}
			if err := writeNew(args[0], archive, force); err != nil {
				return err
			}
			return s.showArchive(cmd.OutOrStdout(), args[0], archive, header)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "overwrite the file when it is there")
	c.Flags().StringVar(&scope, "scope", "", scopeUsage)
	c.Flags().StringVar(&prefix, "prefix", "", "only documents whose paths begin with it, such as memory/2026-")
	return c
}

// snapshotSkip is an entry that is left out.
type snapshotSkip struct {
	Filename string `json:"filename"`
	Reason   string `json:"reason"`
}

// snapshotPreview is what an import would do.
type snapshotPreview struct {
	WillCreate []snapshotChange `json:"willCreate"`
	WillUpdate []snapshotUpdate `json:"willUpdate"`
	WillSkip   []snapshotSkip   `json:"willSkip"`
	Token      string           `json:"token"`
}

type snapshotChange struct {
	Filename string `json:"filename"`
	Redacted bool   `json:"redacted"`
	Withheld bool   `json:"withheld"`
	Edited   bool   `json:"edited"`
}

// snapshotUpdate is a document that would change.
type snapshotUpdate struct {
	snapshotChange
	Diff string `json:"diff"`
}

func (s *session) snapshotPreviewCommand() *cobra.Command {
	var scope string
	c := &cobra.Command{
		Use: "preview <file>", Short: "Show what importing an archive would do; nothing is written", Args: needsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := url.Values{}
			setQuery(query, "scope", scope)
			answer, err := s.sendArchive(cmd, args[0], query, previewTime+requestTimeout, "import", "preview")
			if err != nil {
				return err
			}
			return s.print(cmd, answer, func(w io.Writer) error {
				if err := writePreview(w, answer); err != nil {
					return err
				}
				_, err := fmt.Fprintln(w, "With --token, `snapshot import` does this and nothing else: it refuses when anything has changed since.")
				return err
			})
		},
	}
	c.Flags().StringVar(&scope, "scope", "", scopeUsage)
	return c
}

func writePreview(w io.Writer, answer apiAnswer) error {
	p, _, err := dataOf[snapshotPreview](answer, nil)
	if err != nil {
		return err
	}
	for _, c := range p.WillCreate {
		fmt.Fprintf(w, "create  %s%s\n", c.Filename, c.notes())
	}
	for _, c := range p.WillUpdate {
		fmt.Fprintf(w, "update  %s%s\n%s", c.Filename, c.notes(), c.Diff)
	}
	for _, skipped := range p.WillSkip {
		if skipped.Reason != string(snapshot.SkippedManifest) { // it is no document
			fmt.Fprintf(w, "skip    %s (%s)\n", skipped.Filename, skipped.Reason)
		}
	}
	fmt.Fprintf(w, "\ntoken %s\n", p.Token)
	return nil
}

// notes say what is not written as the archive has it.
func (c snapshotChange) notes() string {
	var notes strings.Builder
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{c.Redacted, "secrets are taken out"}, {c.Withheld, "what was forgotten is left out"}, {c.Edited, "changed since the export"},
	} {
		if note.holds {
			notes.WriteString(", " + note.text)
		}
	}
	return notes.String()
}

// snapshotResult is the outcome of an import, or where it will be.
type snapshotResult struct {
	Status  string         `json:"status"`
	Applied []string       `json:"applied"`
	Skipped []snapshotSkip `json:"skipped"`
	Record  string         `json:"record"`
}

func (s *session) snapshotImportCommand() *cobra.Command {
	var scope, token string
	var wait time.Duration
	c := &cobra.Command{
		Use: "import <file>", Short: "Import an archive: all of its documents, or none", Args: needsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := url.Values{"wait": {wait.String()}}
			setQuery(query, "scope", scope)
			setQuery(query, "token", token)
			result, answer, err := dataOf[snapshotResult](s.sendArchive(cmd, args[0], query, wait+requestTimeout, "import"))
			if err != nil {
				return err
			}
			return s.print(cmd, answer, func(w io.Writer) error {
				if result.Status != "completed" {
					fmt.Fprintf(w, "the import goes on: GET %s\n", result.Record)
					return nil
				}
				for _, name := range result.Applied {
					fmt.Fprintf(w, "written %s\n", name)
				}
				for _, skipped := range result.Skipped {
					if skipped.Reason != string(snapshot.SkippedManifest) {
						fmt.Fprintf(w, "skipped %s (%s)\n", skipped.Filename, skipped.Reason)
					}
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&scope, "scope", "", scopeUsage)
	c.Flags().StringVar(&token, "token", "", "of a preview: refuse when anything has changed since")
	c.Flags().DurationVar(&wait, "wait", time.Minute, "how long to wait for the outcome")
	return c
}

// previewTime is how long the server takes for a preview at most; the archive has to be sent as well.
const previewTime = 5 * time.Minute

// sendArchive posts an archive; - reads it from the standard input.
func (s *session) sendArchive(cmd *cobra.Command, file string, query url.Values, timeout time.Duration, segments ...string) (apiAnswer, error) {
	archive, err := readArchive(cmd, file)
	if err != nil {
		return apiAnswer{}, err
	}
	path, err := s.agentPath(append([]string{"workspace", "memory"}, segments...)...)
	if err != nil {
		return apiAnswer{}, err
	}
	api, err := s.client()
	if err != nil {
		return apiAnswer{}, err
	}
	maps.Copy(query, s.ownerQuery())
	return api.call(cmd.Context(), apiRequest{method: "POST", path: path, query: query, archive: archive, timeout: timeout})
}

// readArchive reads as much as a server takes, and a byte more for it to refuse.
func readArchive(cmd *cobra.Command, file string) ([]byte, error) {
	from := cmd.InOrStdin()
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = opened.Close() }()
		from = opened
	}
	archive, err := io.ReadAll(io.LimitReader(from, snapshot.MaxArchiveBytes+1))
	if err == nil && len(archive) == 0 {
		err = errors.New("the archive is empty")
	}
	return archive, err
}

func setQuery(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
