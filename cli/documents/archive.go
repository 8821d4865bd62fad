package documents

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
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
				return errors.New("target required: --to <folder> or --zip <file>")
			case o.zip != "":
				return s.exportArchive(cmd, o.zip, o.force, wire.ExportSnapshotParams{})
			}
			return s.export(cmd, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.to, "to", "", "a folder")
	f.StringVar(&o.zip, "zip", "", "a file for the snapshot; - for standard output")
	f.BoolVar(&o.force, "force", false, "overwrite files that have changed since the last export")
	return c
}

func (s commands) export(cmd *cobra.Command, o exportOptions) error {
	remote, err := s.remote(time.Second)
	if err != nil {
		return err
	}
	id, err := remote.identity(cmd.Context())
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
			return errors.New("1 file not overwritten")
		}
		return fmt.Errorf("%d files not overwritten", n)
	}
	return nil
}

func (s commands) showExport(out io.Writer, to string, done foldersync.Exported) error {
	if s.JSON {
		return output.Encode(out, done)
	}
	for _, place := range done.Written {
		fmt.Fprintln(out, output.OneLine(place, 300))
	}
	for _, place := range slices.Sorted(maps.Keys(done.Kept)) {
		fmt.Fprintf(out, "✗ %s  not overwritten: %s\n", output.OneLine(place, 300), output.OneLine(done.Kept[place], 300))
	}
	for _, place := range done.Gone {
		fmt.Fprintf(out, "· %s  no longer on the server; the file stays\n", output.OneLine(place, 300))
	}
	for _, path := range slices.Sorted(maps.Keys(done.Skipped)) {
		fmt.Fprintf(out, "· %s  skipped: %s\n", output.OneLine(path, 300), output.OneLine(done.Skipped[path], 300))
	}
	text := output.Count(len(done.Written), "file") + " written to " + to
	if n := len(done.Unchanged); n > 0 {
		text += fmt.Sprintf(", %d unchanged", n)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// exportArchive writes a snapshot, as the server makes it, into a file; - for standard output.
func (s commands) exportArchive(cmd *cobra.Command, file string, force bool, params wire.ExportSnapshotParams) error {
	client, err := s.AgentClient()
	if err != nil {
		return err
	}
	params.Person = s.Person()
	archive, err := client.ExportSnapshot(cmd.Context(), s.Agent, params)
	if err != nil {
		return err
	}
	if file == "-" {
		_, err := cmd.OutOrStdout().Write(archive.Data)
		return err
	}
	if err := writeNew(file, archive.Data, force); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if s.JSON {
		return output.Encode(out, map[string]any{"file": file, "bytes": len(archive.Data), "etag": archive.Header.Get("ETag")})
	}
	text := fmt.Sprintf("%s: %s", file, output.Count(len(archive.Data), "byte"))
	if left := archive.Header.Get("Reverie-Left-Out"); left != "" && left != "0" {
		text += ", without " + left + " documents that a snapshot does not include"
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// writeNew writes a file atomically. It does not replace an existing one, unless force is set.
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
		return fmt.Errorf("%s exists already: --force overwrites it", name)
	} else if err == nil {
		return nil
	}
	if _, err := os.Lstat(name); err == nil { // a file system without links
		return fmt.Errorf("%s exists already: --force overwrites it", name)
	}
	return os.Rename(part.Name(), name)
}

func (s commands) snapshotCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "snapshot", Short: "Export an agent's documents as one ZIP archive, and import one",
		Long: "Export an agent's documents as one ZIP archive, preview an import, and import an archive.\n\n" +
			"An import writes all documents of the archive in one step, or none. Documents that the archive does not have stay.",
	}
	session.NeedsCommand(c)
	c.AddCommand(s.snapshotExportCommand(), s.snapshotPreviewCommand(), s.snapshotImportCommand())
	return c
}

const scopeUsage = "which documents: personal (of the owner), team, or all; default: all that the key and the owner allow"

func (s commands) snapshotExportCommand() *cobra.Command {
	var params wire.ExportSnapshotParams
	var force bool
	c := &cobra.Command{
		Use: "export <file>", Short: "Write the archive to a file; - writes it to standard output",
		Args: session.NeedsArgs(1, 1, "the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.exportArchive(cmd, args[0], force, params) },
	}
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	c.Flags().StringVar(&params.Scope, "scope", "", scopeUsage)
	c.Flags().StringVar(&params.Prefix, "prefix", "", "only documents whose paths begin with it, such as memory/2026-")
	return c
}

func (s commands) snapshotPreviewCommand() *cobra.Command {
	var params wire.PreviewSnapshotParams
	c := &cobra.Command{
		Use: "preview <file>", Short: "Show what importing an archive would do; nothing is written", Args: session.NeedsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, archive, err := s.readyArchive(cmd, args[0])
			if err != nil {
				return err
			}
			params.Person = s.Person()
			p, err := client.PreviewSnapshot(cmd.Context(), s.Agent, params, archive)
			if err != nil {
				return err
			}
			return s.Print(cmd, p.Raw, func(w io.Writer) error {
				showPreview(w, p.Data)
				_, err := fmt.Fprintln(w, "With --token, `snapshot import` does exactly this: it refuses when anything has changed since.")
				return err
			})
		},
	}
	c.Flags().StringVar(&params.Scope, "scope", "", scopeUsage)
	return c
}

func showPreview(w io.Writer, p wire.Preview) {
	for _, c := range p.WillCreate {
		fmt.Fprintf(w, "create  %s%s\n", c.Filename, notes(c.Redacted, c.Withheld, c.Edited))
	}
	for _, c := range p.WillUpdate {
		fmt.Fprintf(w, "update  %s%s\n%s", c.Filename, notes(c.Redacted, c.Withheld, c.Edited), c.Diff)
	}
	for _, skipped := range p.WillSkip {
		if skipped.Reason != string(snapshot.SkippedManifest) { // it is not a document
			fmt.Fprintf(w, "skip    %s (%s)\n", skipped.Filename, skipped.Reason)
		}
	}
	fmt.Fprintf(w, "\ntoken %s\n", p.Token)
}

// notes returns the differences between the written text and the archive's.
func notes(redacted, withheld, edited bool) string {
	var text string
	if redacted {
		text += ", secrets are removed"
	}
	if withheld {
		text += ", forgotten statements are left out"
	}
	if edited {
		text += ", changed since the export"
	}
	return text
}

func (s commands) snapshotImportCommand() *cobra.Command {
	var params wire.ImportSnapshotParams
	var wait time.Duration
	c := &cobra.Command{
		Use: "import <file>", Short: "Import an archive: all of its documents, or none", Args: session.NeedsArgs(1, 1, "the archive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, archive, err := s.readyArchive(cmd, args[0])
			if err != nil {
				return err
			}
			params.Person, params.Wait = s.Person(), wait.String()
			result, err := client.ImportSnapshot(cmd.Context(), s.Agent, params, archive)
			if err != nil {
				return err
			}
			return s.Print(cmd, result.Raw, func(w io.Writer) error {
				if result.Data.Status != "completed" {
					fmt.Fprintf(w, "the import continues: GET %s\n", result.Data.Record)
					return nil
				}
				for _, name := range result.Data.Applied {
					fmt.Fprintf(w, "written %s\n", name)
				}
				for _, skipped := range result.Data.Skipped {
					if skipped.Reason != string(snapshot.SkippedManifest) {
						fmt.Fprintf(w, "skipped %s (%s)\n", skipped.Filename, skipped.Reason)
					}
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&params.Scope, "scope", "", scopeUsage)
	c.Flags().StringVar(&params.Token, "token", "", "of a preview: refuse when anything has changed since")
	c.Flags().DurationVar(&wait, "wait", time.Minute, "how long to wait for the outcome")
	return c
}

// readyArchive reads an archive, and returns a client that may send it.
func (s commands) readyArchive(cmd *cobra.Command, file string) (*wire.Client, []byte, error) {
	archive, err := readArchive(cmd, file)
	if err != nil {
		return nil, nil, err
	}
	client, err := s.ArchiveClient()
	return client, archive, err
}

// readArchive reads an archive, up to one byte more than the server accepts.
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
