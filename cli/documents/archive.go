package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/foldersync"
	"reverie/snapshot"
)

// exportOptions are the flags of `memory export`.
type exportOptions struct {
	to    string
	zip   string
	force bool
}

func (s commands) exportCommand() *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export --to <folder> | --zip <file>",
		Short: "Write all documents that you may read as plain files, or as a snapshot",
		Long: `Write all documents that you may read as plain files into a folder, or as one snapshot.

The root of the folder holds the documents of the owner, team/ the shared ones, global/ those of the workspace; without an
owner the root holds the shared ones. Again, a file is replaced only when it still is what an export wrote, unless --force.
What was written is listed in .reverie/export.JSON below the folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (o.to == "") == (o.zip == ""):
				return errors.New("say where to: --to <folder>, or --zip <file>")
			case o.zip != "":
				return s.exportZip(cmd, o)
			}
			return s.export(cmd, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.to, "to", "", "a folder")
	f.StringVar(&o.zip, "zip", "", "a file for the snapshot; - for standard output")
	f.BoolVar(&o.force, "force", false, "overwrite files that are something else than what an export wrote")
	return c
}

func (s commands) export(cmd *cobra.Command, o exportOptions) error {
	remote, err := s.remote(time.Second)
	if err != nil {
		return err
	}
	id, err := remote.identity(cmd)
	if err != nil {
		return err
	}
	folder, err := foldersync.Open(o.to, 0, time.Now)
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // the lock ends with the process
	done, err := foldersync.Export(cmd.Context(), folder, remote, id, o.force)
	if err != nil {
		return err
	}
	if err := s.showExport(cmd.OutOrStdout(), o.to, done); err != nil {
		return err
	}
	if n := len(done.Kept); n > 0 {
		if n == 1 {
			return errors.New("1 file left as it was")
		}
		return fmt.Errorf("%d files left as they were", n)
	}
	return nil
}

func (s commands) showExport(out io.Writer, to string, done foldersync.Exported) error {
	if s.JSON {
		encoded, err := json.Marshal(done)
		if err != nil {
			return err
		}
		return output.JSON(out, encoded)
	}
	for _, place := range done.Written {
		fmt.Fprintln(out, output.OneLine(place, 300))
	}
	for _, place := range slices.Sorted(maps.Keys(done.Kept)) {
		fmt.Fprintf(out, "✗ %s  left as it is: %s\n", output.OneLine(place, 300), output.OneLine(done.Kept[place], 300))
	}
	for _, place := range done.Gone {
		fmt.Fprintf(out, "· %s  not on the server any more; the file stays\n", output.OneLine(place, 300))
	}
	for _, path := range slices.Sorted(maps.Keys(done.Skipped)) {
		fmt.Fprintf(out, "· %s  no file: %s\n", output.OneLine(path, 300), output.OneLine(done.Skipped[path], 300))
	}
	text := output.Count(len(done.Written), "file") + " written to " + to
	if n := len(done.Unchanged); n > 0 {
		text += fmt.Sprintf(", %d had that text already", n)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// exportZip writes a snapshot, as the server makes it.
func (s commands) exportZip(cmd *cobra.Command, o exportOptions) error {
	path, err := s.AgentPath("workspace", "memory", "export")
	if err != nil {
		return err
	}
	client, err := s.Client()
	if err != nil {
		return err
	}
	archive, header, err := session.File(client.Call(cmd.Context(), session.Request{Method: http.MethodGet, Path: path, Query: s.OwnerQuery()}))
	if err != nil {
		return err
	}
	if o.zip == "-" {
		_, err := cmd.OutOrStdout().Write(archive)
		return err
	}
	if err := writeNew(o.zip, archive, o.force); err != nil {
		return err
	}
	return s.showArchive(cmd.OutOrStdout(), o.zip, archive, header)
}

// showArchive says what was written into a file.
func (s commands) showArchive(out io.Writer, file string, archive []byte, header http.Header) error {
	if s.JSON {
		encoded, err := json.Marshal(map[string]any{"file": file, "bytes": len(archive), "etag": header.Get("ETag")})
		if err != nil {
			return err
		}
		return output.JSON(out, encoded)
	}
	text := fmt.Sprintf("%s: %s", file, output.Count(len(archive), "byte"))
	if left := header.Get("Reverie-Left-Out"); left != "" && left != "0" {
		text += ", without " + left + " documents that a snapshot does not carry"
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// writeNew writes a file as a whole; one that is there stays, unless force is set.
func writeNew(name string, content []byte, force bool) error {
	part, err := os.CreateTemp(filepath.Dir(name), "."+strings.TrimPrefix(filepath.Base(name), ".")+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it has its name by then
	_, err = part.Write(content)
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file, such as %s", name, filepath.Join(name, "memory.zip"))
	}
	if force {
		return os.Rename(part.Name(), name)
	}
	if err := os.Link(part.Name(), name); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: --force overwrites it", name)
	} else if err == nil {
		return nil
	}
	if _, err := os.Lstat(name); err == nil { // a file system without links
		return fmt.Errorf("%s is there already: --force overwrites it", name)
	}
	return os.Rename(part.Name(), name)
}

// snapshotCommand is `reverie memory snapshot`: an agent's documents as one archive, out and in.
func (s commands) snapshotCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "snapshot", Short: "Export an agent's documents as one ZIP archive, and import one",
		Long: "Export an agent's documents as one ZIP archive, see what importing one would do, and import it.\n\n" +
			"An import writes all documents of the archive in one step, or none. Documents that the archive does not have stay.",
	}
	session.NeedsCommand(c)
	c.AddCommand(s.snapshotExportCommand(), s.snapshotPreviewCommand(), s.snapshotImportCommand())
	return c
}

const scopeUsage = "which documents: personal (of the owner), team, or all; without it, all that the request may be about"

func (s commands) snapshotExportCommand() *cobra.Command {
	var scope, prefix string
	var force bool
	c := &cobra.Command{
		Use: "export <file>", Short: "Write the archive to a file; - writes it to the standard output", Args: session.NeedsArgs(1, 1, "the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := s.AgentPath("workspace", "memory", "export")
			if err != nil {
				return err
			}
			api, err := s.Client()
			if err != nil {
				return err
			}
			query := s.OwnerQuery()
			session.SetQuery(query, "scope", scope)
			session.SetQuery(query, "prefix", prefix)
			archive, header, err := session.File(api.Call(cmd.Context(), session.Request{Method: "GET", Path: path, Query: query}))
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

func (s commands) snapshotPreviewCommand() *cobra.Command {
	var scope string
	c := &cobra.Command{
		Use: "preview <file>", Short: "Show what importing an archive would do; nothing is written", Args: session.NeedsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := url.Values{}
			session.SetQuery(query, "scope", scope)
			p, answer, err := session.DataOf[snapshotPreview](s.sendArchive(cmd, args[0], query, previewTime+session.RequestTimeout, "import", "preview"))
			if err != nil {
				return err
			}
			return s.Print(cmd, answer, func(w io.Writer) error {
				if err := writePreview(w, p); err != nil {
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

func writePreview(w io.Writer, p snapshotPreview) error {
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

func (s commands) snapshotImportCommand() *cobra.Command {
	var scope, token string
	var wait time.Duration
	c := &cobra.Command{
		Use: "import <file>", Short: "Import an Archive: all of its documents, or none", Args: session.NeedsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := url.Values{"wait": {wait.String()}}
			session.SetQuery(query, "scope", scope)
			session.SetQuery(query, "token", token)
			result, answer, err := session.DataOf[snapshotResult](s.sendArchive(cmd, args[0], query, wait+session.RequestTimeout, "import"))
			if err != nil {
				return err
			}
			return s.Print(cmd, answer, func(w io.Writer) error {
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
func (s commands) sendArchive(cmd *cobra.Command, file string, query url.Values, timeout time.Duration, segments ...string) (*http.Response, error) {
	archive, err := readArchive(cmd, file)
	if err != nil {
		return nil, err
	}
	path, err := s.AgentPath(append([]string{"workspace", "memory"}, segments...)...)
	if err != nil {
		return nil, err
	}
	api, err := s.Client()
	if err != nil {
		return nil, err
	}
	maps.Copy(query, s.OwnerQuery())
	return api.Call(cmd.Context(), session.Request{Method: "POST", Path: path, Query: query, Archive: archive, Timeout: timeout})
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
