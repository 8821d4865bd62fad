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
		Short: "Keep a folder and an agent's documents in step, both ways",
		Long: `Keep a folder and an agent's documents in step, both ways, until Ctrl-C.

The root of the folder holds the documents of the owner, team/ the shared ones, global/ those of the workspace; without an
owner the root holds the shared ones. What one side changes, the other takes over; what both changed is merged by line.
Where both changed the same lines, the server's text stands in the file, and the folder's in <name>.conflict-<time>.md
beside it, which is never sent. A deletion counts only against a text that was not changed since.

Only files whose name ends in .md are documents. Names that begin with a dot, links and editors' passing files are left
alone. What Reverie knows about the folder is in .reverie/sync below it.`,
		Args: session.NeedsArgs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.sync(cmd, args[0], o) },
	}
	f := c.Flags()
	f.BoolVar(&o.once, "once", false, "bring both sides in step and end")
	f.BoolVar(&o.pull, "pull", false, "one way: the folder follows the server, nothing is sent")
	f.BoolVar(&o.deleteAll, "delete-all", false, "delete the documents also when every file of the folder is gone")
	f.DurationVar(&o.settle, "settle", 500*time.Millisecond, "how long nothing must happen to a file before it counts")
	f.DurationVar(&o.poll, "poll", 2*time.Second, "how often the server's list is asked for while its events cannot be followed")
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
	id, err := remote.identity(cmd)
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
	told := &syncTeller{out: cmd.OutOrStdout(), json: s.JSON, times: !o.once}
	work := foldersync.New(folder, remote, foldersync.Options{
		Layout: foldersync.Layout{Personal: id.Personal}, PullOnly: o.pull, DeleteAll: o.deleteAll, Say: told.say,
	})
	if o.once {
		outcome, err := work.Once(cmd.Context())
		return errors.Join(err, told.err, verdictOf(outcome))
	}
	if !s.JSON {
		fmt.Fprintf(cmd.OutOrStdout(), "%s ↔ agent %s%s (Ctrl-C ends)\n", folder.Root(), id.Agent, ofOwner(id))
	}
	return errors.Join(work.Run(cmd.Context()), told.err)
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

// verdictOf is the error with which --once ends when not all could be done.
func verdictOf(o foldersync.Outcome) error {
	var errs []error
	if o.Kept > 0 {
		errs = append(errs, fmt.Errorf("%s made: bring what they hold into the documents, and delete them", output.Count(o.Kept, "conflict file")))
	}
	if o.Refused > 0 {
		errs = append(errs, fmt.Errorf("%s not in step", output.Count(o.Refused, "file")))
	}
	if o.Held > 0 {
		errs = append(errs, fmt.Errorf("%s not deleted: all files are gone; if that is meant, add --delete-all", output.Count(o.Held, "document")))
	}
	return errors.Join(errs...)
}

// syncTeller prints events: a line each, for a person or a program.
type syncTeller struct {
	out   io.Writer
	json  bool
	times bool
	err   error // of the output
}

func (t *syncTeller) say(e foldersync.Event) {
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

// syncLine is an event as a line.
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
		return fmt.Sprintf("! %s  both sides changed the same lines: the server's text (version %d) stands, yours is in %s", place, e.Version, output.OneLine(e.Keeps, 300))
	case foldersync.Redacted:
		return fmt.Sprintf("! %s  the server took it without secrets: all of yours is in %s, which is not sent", place, output.OneLine(e.Keeps, 300))
	case foldersync.Kept:
		return fmt.Sprintf("! %s  it was saved while it was replaced: what was saved is in %s", place, output.OneLine(e.Keeps, 300))
	case foldersync.DeletedHere:
		return fmt.Sprintf("← %s  deleted, as on the server", place)
	case foldersync.DeletedThere:
		return fmt.Sprintf("→ %s  deleted on the server, where its versions stay", place)
	case foldersync.Refused:
		return fmt.Sprintf("✗ %s  not taken by the server, your file stays as it is: %s", place, output.OneLine(e.Reason, 300))
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
		reason, _, _ := strings.Cut(e.Reason, "\n") // what to do at a start is not what to do here
		return fmt.Sprintf("… %s; what changes here waits", output.OneLine(reason, 300))
	case foldersync.Back:
		return "… the server answers again"
	case foldersync.Held:
		return fmt.Sprintf("✗ all %d files are gone, and nothing is deleted on the server; if that is meant, add --delete-all", e.Count)
	case foldersync.InStep:
		text := "= in step: " + output.Count(e.Count, "document")
		if e.Refused > 0 {
			text += "; " + output.Count(e.Refused, "file") + " not"
		}
		return text
	}
	return string(e.Kind)
}
