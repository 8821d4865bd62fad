package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/foldersync"
)

// exportOptions are the flags of `memory export`.
type exportOptions struct {
	to    string
	zip   string
	force bool
}

func (s *session) exportCommand() *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export --to <folder> | --zip <file>",
		Short: "Write all documents that you may read as plain files, or as a snapshot",
		Long: `Write all documents that you may read as plain files into a folder, or as one snapshot.

The root of the folder holds the documents of the owner, team/ the shared ones, global/ those of the workspace; without an
owner the root holds the shared ones. Again, a file is replaced only when it still is what an export wrote, unless --force.
What was written is listed in .reverie/export.json below the folder.`,
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

func (s *session) export(cmd *cobra.Command, o exportOptions) error {
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
			return errors.New("1 file left as it was")
		}
		return fmt.Errorf("%d files left as they were", n)
	}
	return nil
}

func (s *session) showExport(out io.Writer, to string, done foldersync.Exported) error {
	if s.json {
		encoded, err := json.Marshal(done)
		if err != nil {
			return err
		}
		return printJSON(out, encoded)
	}
	for _, place := range done.Written {
		fmt.Fprintln(out, oneLine(place, 300))
	}
	for _, place := range slices.Sorted(maps.Keys(done.Kept)) {
		fmt.Fprintf(out, "✗ %s  left as it is: %s\n", oneLine(place, 300), oneLine(done.Kept[place], 300))
	}
	for _, place := range done.Gone {
		fmt.Fprintf(out, "· %s  not on the server any more; the file stays\n", oneLine(place, 300))
	}
	for _, path := range slices.Sorted(maps.Keys(done.Skipped)) {
		fmt.Fprintf(out, "· %s  no file: %s\n", oneLine(path, 300), oneLine(done.Skipped[path], 300))
	}
	text := count(len(done.Written), "file") + " written to " + to
	if n := len(done.Unchanged); n > 0 {
		text += fmt.Sprintf(", %d had that text already", n)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// exportZip writes a snapshot, as the server makes it.
func (s *session) exportZip(cmd *cobra.Command, o exportOptions) error {
	path, err := s.agentPath("workspace", "memory", "export")
	if err != nil {
		return err
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	archive, header, err := client.download(cmd.Context(), apiRequest{method: http.MethodGet, path: path, query: s.ownerQuery()})
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
func (s *session) showArchive(out io.Writer, file string, archive []byte, header http.Header) error {
	if s.json {
		encoded, err := json.Marshal(map[string]any{"file": file, "bytes": len(archive), "etag": header.Get("ETag")})
		if err != nil {
			return err
		}
		return printJSON(out, encoded)
	}
	text := fmt.Sprintf("%s: %s", file, count(len(archive), "byte"))
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
