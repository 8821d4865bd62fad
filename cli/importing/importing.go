// Package importing implements the command that imports documents and conversations from other systems.
package importing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reverie-memory/reverie/client/wire"
	"reverie/cli/output"
	"reverie/cli/session"
	"reverie/imports"
	"reverie/memory"
)

// importOptions are the flags of `memory import`.
type importOptions struct {
	format     string
	agent      string // of the source
	owners     []string
	shared     bool
	dryRun     bool
	noExtract  bool
	noWait     bool
	onConflict string
	zone       string
}

// Command returns `import`.
func Command(s *session.Session) *cobra.Command { return commands{s}.importCommand() }

type commands struct{ *session.Session }

func (s commands) importCommand() *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import <folder | zip | file>",
		Short: "Import from another system: its documents and conversations become this agent's memory",
		Long: `Import from another system: its documents and conversations become this agent's memory.

The format of the source is detected, or named with --format: ` + formatNames() + `.
The source is not changed. --dry-run shows without a server what would be imported, and what not and why.

Documents are first, then conversations in the order of their ends, each extracted with its own dates. The server does the
work, which may take hours: Ctrl-C stops watching, not the work, and the same command continues where it stopped, even
after it was killed. Nothing is imported twice, and a later, larger export of the same system only adds.

A document above 1 MiB is skipped, and a message above 256 KiB is split. What the server refuses is reported as failed or
quarantined, with the reason, and does not stop the import.

Persons of the source become owners: users of mem0 and Zep become api:<id>, those of GoClaw user:<id>, chats of MicroClaw
<channel>:<chat>; --owner-map maps them otherwise. Items without a person belong to the owner that the flags name, or with
--shared to everybody who uses the agent. When a source has only one person, naming an owner says who that is.`,
		Example: "  reverie memory import ~/.openclaw/workspace --owner user:ada --dry-run\n" +
			"  reverie memory import chatgpt-export.zip --owner user:ada",
		Args: session.NeedsArgs(1, 1, "a folder, an archive or a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.moveIn(cmd, args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "format of the source, when it is not detected: "+formatNames())
	f.StringVar(&o.agent, "source-agent", "", "the agent of the source, when it has several")
	f.StringArrayVar(&o.owners, "owner-map", nil, "map a person to an owner, as <id in the source>=<owner>; repeatable")
	f.BoolVar(&o.shared, "shared", false, "documents without a person belong to everybody who uses the agent")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would be imported")
	f.BoolVar(&o.noExtract, "no-extract", false, "store conversations, and extract nothing from them")
	f.BoolVar(&o.noWait, "no-wait", false, "do not wait until it is done")
	f.StringVar(&o.onConflict, "on-conflict", string(memory.ImportMerge), "when the document exists: merge, keep or overwrite")
	f.StringVar(&o.zone, "zone", "UTC", "time zone of dates that name none, and of the days of notes")
	c.MarkFlagsMutuallyExclusive("dry-run", "no-wait")
	return c
}

func formatNames() string {
	var names []string
	for _, f := range imports.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// moveIn reads the source and imports it on the server, or only prints the plan with --dry-run.
func (s commands) moveIn(cmd *cobra.Command, name string, o importOptions) error {
	if !memory.ImportPolicy(o.onConflict).Valid() {
		return fmt.Errorf("--on-conflict is merge, keep or overwrite, not %q", o.onConflict)
	}
	tree, done, err := openTree(name)
	if err != nil {
		return err
	}
	defer done()
	m := &importing{commands: s, importOptions: o, name: name, cmd: cmd}
	if m.options, err = s.readingOptions(o); err != nil {
		return err
	}
	if err := m.look(tree); err != nil {
		if errors.Is(err, context.Canceled) {
			return errors.New("stopped reading; nothing was sent")
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if o.dryRun {
		return m.show()
	}
	return m.move()
}

// importing is one run of `memory import`.
type importing struct {
	commands
	importOptions
	cmd     *cobra.Command
	name    string
	options imports.Options
	source  *imports.Source
	plan    importPlan
}

// openTree opens a folder, an archive or a file. Symbolic links out of a folder are not followed.
func openTree(name string) (tree *imports.Tree, done func(), err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		done = func() { _ = root.Close() } // it was only read
		tree, err = imports.Folder(root.FS())
		return tree, done, withPath(name, err)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = file.Close() } // it was only read
	if isZip(file) {
		tree, err = imports.Zip(file, info.Size())
		return tree, done, withPath(name, err)
	}
	return imports.File(filepath.Base(name), info.ModTime(), fileAgain(file, info.Size())), done, nil
}

func withPath(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readingOptions returns the options for reading the source.
func (s commands) readingOptions(o importOptions) (imports.Options, error) {
	out := imports.Options{Format: imports.Format(o.format), Agent: o.agent}
	var err error
	if out.Zone, err = time.LoadLocation(o.zone); err != nil {
		return out, fmt.Errorf("invalid --zone %q: use a name such as Europe/Berlin", o.zone)
	}
	if out.Owners.Default, err = memory.OwnerOf(s.Owner, s.Channel, s.Sender, s.EndUser); err != nil {
		return out, err
	}
	out.Owners.Shared = o.shared
	if o.shared && out.Owners.Default != memory.NoOwner {
		return out, errors.New("--shared and an owner cannot be combined")
	}
	out.Owners.Map = map[string]memory.Owner{}
	for _, pair := range o.owners {
		from, to, found := strings.Cut(pair, "=")
		if !found || from == "" {
			return out, fmt.Errorf("--owner-map %q: use <source id>=<owner>, such as anna=user:7", pair)
		}
		if out.Owners.Map[from], err = memory.ParseOwner(to); err != nil {
			return out, fmt.Errorf("--owner-map %q: %w", pair, err)
		}
	}
	return out, nil
}

// move uploads the items of the plan, starts the import and watches it.
func (m *importing) move() error {
	client, err := m.AgentClient()
	if err != nil {
		return err
	}
	if err := m.needOwner(); err != nil {
		return err
	}
	if m.plan.Documents+m.plan.Conversations == 0 {
		return errors.Join(m.show(), errors.New("there is nothing to import"))
	}
	up := &uploading{importing: m, client: client}
	if err := up.begin(); err != nil {
		return err
	}
	up.before = up.state.State == "done" && up.known() >= m.plan.items
	if err := up.upload(); err != nil {
		return again("stopped uploading; the same command continues from here", err)
	}
	if err := up.start(); err != nil {
		return again("everything is uploaded; the same command starts the import", err)
	}
	if !m.noWait {
		if err := up.watch(); err != nil {
			return again("stopped watching, and the server continues; the same command watches again", err)
		}
	}
	return up.report()
}

// again adds the effect of repeating the command to err, if a repeat can succeed.
func again(how string, err error) error {
	if refused, found := errors.AsType[*wire.Error](err); found && !refused.Busy() {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return errors.New(how)
	}
	return fmt.Errorf("%w\n%s", err, output.Sentence(how))
}
