package documents

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/foldersync"
)

// syncOptions are the flags of `memory sync`.
type syncOptions struct {
	once      bool
	pull      bool
	deleteAll bool
	settle    time.Duration
	poll      time.Duration
}

func (s commands) syncCommand() *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use:   "sync <folder>",
		Short: "Synchronise a folder with an agent's documents, in both directions",
		Long: `Synchronise a folder with an agent's documents, in both directions, until Ctrl-C.

The root of the folder holds the documents of the owner, team/ the shared ones, global/ those of the workspace; without an
owner the root holds the shared ones. A change on one side is applied to the other; changes on both sides are merged by line.
Where both changed the same lines, the file gets the server's text, and the folder's text is kept in
<name>.conflict-<time>.md beside it, which is never sent. A deletion wins only over a text that has not changed since.

Only files whose name ends in .md are documents. Names that begin with a dot, links and temporary files of editors are
ignored. The state of the synchronisation is in .reverie/sync below the folder.`,
		Args: session.NeedsArgs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.sync(cmd, args[0], o) },
	}
	f := c.Flags()
	f.BoolVar(&o.once, "once", false, "synchronise once and exit")
	f.BoolVar(&o.pull, "pull", false, "one way: the folder follows the server, nothing is sent")
	f.BoolVar(&o.deleteAll, "delete-all", false, "delete the documents even when every file of the folder is gone")
	f.DurationVar(&o.settle, "settle", 500*time.Millisecond, "how long a file must be unchanged before it is sent")
	f.DurationVar(&o.poll, "poll", 2*time.Second, "how often the server's list is read while its events cannot be followed")
	return c
}

func (s commands) sync(cmd *cobra.Command, name string, o syncOptions) error {
	if o.settle < 0 || o.poll <= 0 {
		return errors.New("--settle and --poll are durations such as 500ms and 2s")
	}
	remote, err := s.remote(o.poll)
	if err != nil {
		return err
	}
	id, err := remote.identity(cmd.Context())
	if err != nil {
		return err
	}
	folder, err := foldersync.Open(name, o.settle, time.Now)
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // the lock ends with the process
	if err := folder.Bind(id); err != nil {
		return err
	}
	printer := &eventPrinter{out: cmd.OutOrStdout(), json: s.JSON, times: !o.once}
	work := foldersync.New(folder, remote, foldersync.Options{
		Layout: foldersync.Layout{Personal: id.Personal}, PullOnly: o.pull, DeleteAll: o.deleteAll, Say: printer.print,
	})
	if o.once {
		outcome, err := work.Once(cmd.Context())
		return errors.Join(err, printer.err, verdictOf(outcome))
	}
	if !s.JSON {
		fmt.Fprintf(cmd.OutOrStdout(), "%s ↔ agent %s%s (Ctrl-C ends)\n", folder.Root(), id.Agent, ofOwner(id))
	}
	return errors.Join(work.Run(cmd.Context()), printer.err)
}

func ofOwner(id foldersync.Identity) string {
	switch {
	case id.Owner != "":
		return ", " + string(id.Owner)
	case id.Personal:
		return ", the owner's documents"
	}
	return ", shared documents"
}

// verdictOf returns the error of --once when not everything is in sync.
func verdictOf(o foldersync.Outcome) error {
	var errs []error
	if o.Kept > 0 {
		errs = append(errs, fmt.Errorf("%s created: merge their text into the documents, then delete them",
			output.Count(o.Kept, "conflict file")))
	}
	if o.Refused > 0 {
		errs = append(errs, fmt.Errorf("%s not in sync", output.Count(o.Refused, "file")))
	}
	if o.Held > 0 {
		errs = append(errs, fmt.Errorf("%s not deleted, because all files are gone; to delete them, add --delete-all",
			output.Count(o.Held, "document")))
	}
	return errors.Join(errs...)
}

// eventPrinter prints each event as a line, for a person or a program.
type eventPrinter struct {
	out   io.Writer
	json  bool
	times bool
	err   error // of the output
}

func (t *eventPrinter) print(e foldersync.Event) {
	if t.err != nil {
		return
	}
	if t.json {
		t.err = json.NewEncoder(t.out).Encode(e)
		return
	}
	line := syncLine(e)
	if t.times {
		line = e.At.Local().Format("15:04:05") + "  " + line
	}
	_, t.err = fmt.Fprintln(t.out, line)
}

// syncLine formats an event as a line.
func syncLine(e foldersync.Event) string {
	place := output.OneLine(e.Place, 200)
	switch e.Kind {
	case foldersync.Pulled:
		return fmt.Sprintf("← %s  version %d, %s", place, e.Version, output.Stat(e.Added, e.Removed))
	case foldersync.Pushed:
		return fmt.Sprintf("→ %s  version %d, %s", place, e.Version, output.Stat(e.Added, e.Removed))
	case foldersync.Merged:
		return fmt.Sprintf("↔ %s  version %d, both sides merged", place, e.Version)
	case foldersync.Conflicted:
		return fmt.Sprintf("! %s  both sides changed the same lines: the file has the server's text (version %d), yours is in %s",
			place, e.Version, output.OneLine(e.Keeps, 300))
	case foldersync.Redacted:
		return fmt.Sprintf("! %s  the server removed secrets: your whole text is in %s, which is not sent", place, output.OneLine(e.Keeps, 300))
	case foldersync.Kept:
		return fmt.Sprintf("! %s  changed while it was replaced: the change is in %s", place, output.OneLine(e.Keeps, 300))
	case foldersync.DeletedHere:
		return fmt.Sprintf("← %s  deleted, as on the server", place)
	case foldersync.DeletedThere:
		return fmt.Sprintf("→ %s  deleted on the server, which keeps its versions", place)
	case foldersync.Refused:
		return fmt.Sprintf("✗ %s  refused by the server, your file is unchanged: %s", place, output.OneLine(e.Reason, 300))
	case foldersync.OneWay:
		if e.Place != "" {
			return fmt.Sprintf("· %s  %s", place, e.Reason)
		}
		return fmt.Sprintf("✗ %s documents come from the server only: %s", e.Scope, output.OneLine(e.Reason, 300))
	case foldersync.Ignored:
		return fmt.Sprintf("· %s  not synced: %s", place, output.OneLine(e.Reason, 300))
	case foldersync.Unreadable:
		return fmt.Sprintf("✗ %s  %s", place, output.OneLine(e.Reason, 300))
	case foldersync.Away:
		reason, _, _ := strings.Cut(e.Reason, "\n") // the advice is for the start
		return fmt.Sprintf("… %s; changes wait", output.OneLine(reason, 300))
	case foldersync.Back:
		return "… the server answers again"
	case foldersync.Held:
		return fmt.Sprintf("✗ all %d files are gone, so nothing is deleted on the server; to delete the documents, add --delete-all", e.Count)
	case foldersync.InStep:
		text := "= In sync (" + output.Count(e.Count, "document")
		if e.Refused > 0 {
			text += "; not: " + output.Count(e.Refused, "file")
		}
		return text + ")"
	}
	return string(e.Kind)
}
