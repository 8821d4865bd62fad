package importing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"reverie/cli/output"
	"reverie/imports"
	"reverie/memory"
)

// isZip reports whether a file begins like a ZIP archive, whatever its name.
func isZip(file *os.File) bool {
	head := make([]byte, 4)
	n, _ := file.ReadAt(head, 0) // a file that cannot be read is none
	return n == 4 && (bytes.Equal(head, []byte("PK\x03\x04")) || bytes.Equal(head, []byte("PK\x05\x06")))
}

// fileAgain reads a file from its beginning each time.
func fileAgain(file *os.File, size int64) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
}

// importPlan is the content of a source, and the output of `memory import --dry-run --json`.
type importPlan struct {
	Format        imports.Format  `json:"format"`
	Documents     int             `json:"documents"`
	Conversations int             `json:"conversations"`
	Messages      int             `json:"messages"`
	Bytes         int64           `json:"bytes"`          // of text
	From          *time.Time      `json:"from,omitempty"` // of the first message
	To            *time.Time      `json:"to,omitempty"`   // of the last
	Owners        []plannedOwner  `json:"owners"`
	Paths         []plannedPath   `json:"paths"`
	Skipped       []skippedReason `json:"skipped"`

	items  int // a long conversation has several
	sum    hash.Hash
	owners map[memory.Owner]*plannedOwner
	talks  map[string]bool
	left   map[string]*skippedReason
}

// plannedOwner counts the items of an owner. The empty owner means that of the flags or the key.
type plannedOwner struct {
	Owner         memory.Owner `json:"owner"`
	Scope         memory.Scope `json:"scope"`
	Documents     int          `json:"documents"`
	Conversations int          `json:"conversations"`
}

// plannedPath is the target of a document.
type plannedPath struct {
	Path   string       `json:"path"`
	Source string       `json:"source"`
	Scope  memory.Scope `json:"scope"`
	Owner  memory.Owner `json:"owner,omitempty"`
}

// skippedReason counts the items that are not imported for one reason.
type skippedReason struct {
	Reason   string   `json:"reason"`
	Count    int      `json:"count"`    // of files, elements or messages
	Examples []string `json:"examples"` // the first few
	Sources  int      `json:"sources"`  // where they are
}

const (
	plannedPaths    = 1000 // that are kept for the plan
	skippedExamples = 3
)

// look reads the source. When it has only one person, the named owner is that person.
func (m *importing) look(tree *imports.Tree) error {
	if err := m.readPlan(tree); err != nil {
		return err
	}
	named := m.options.Owners.Default
	if named == memory.NoOwner || len(m.importOptions.owners) > 0 {
		return nil
	}
	var persons []string
	for owner := range m.plan.owners {
		if owner != memory.NoOwner && owner != named && owner != teamKey {
			persons = append(persons, string(owner))
		}
	}
	slices.Sort(persons)
	switch own := m.plan.owners[named]; {
	case len(persons) == 1 && own == nil:
		m.options.Owners.Map[persons[0]] = named
		return m.readPlan(tree)
	case len(persons) > 0 && own == nil:
		return fmt.Errorf("it has memory of %s (%s): say who is who with --owner-map, or name no owner and they stay who they are",
			output.Count(len(persons), "person"), output.OneLine(strings.Join(persons, ", "), 200))
	}
	return nil
}

func (m *importing) readPlan(tree *imports.Tree) error {
	source, err := imports.Open(tree, m.options)
	if err != nil {
		return explained(err)
	}
	m.source = source
	m.plan = importPlan{
		Format: source.Format, Owners: []plannedOwner{}, Paths: []plannedPath{}, Skipped: []skippedReason{},
		sum: sha256.New(), owners: map[memory.Owner]*plannedOwner{}, talks: map[string]bool{}, left: map[string]*skippedReason{},
	}
	bar := output.NewBar(m.cmd.ErrOrStderr(), "reading", -1) // the total is known at the end
	defer bar.Finish()
	for item, err := range source.Items(m.plan.skip) {
		bar.Add(1)
		if err == nil {
			err = m.cmd.Context().Err()
		}
		if err == nil {
			err = m.plan.add(item)
		}
		if err != nil {
			return explained(err)
		}
	}
	m.plan.finish()
	return nil
}

// explained adds the flag that helps.
func explained(err error) error {
	if _, several := errors.AsType[*imports.SeveralAgentsError](err); several {
		return fmt.Errorf("%w with --source-agent", err)
	}
	if errors.Is(err, imports.ErrUnknownFormat) {
		return fmt.Errorf("%w with --format", err)
	}
	return err
}

// add counts an item, and adds its content to the identity of the source.
func (p *importPlan) add(item imports.Item) error {
	if p.items++; p.items > memory.MaxImportItems {
		return fmt.Errorf("more than %d documents and conversations: split the source and import the parts separately", memory.MaxImportItems)
	}
	if d := item.Document; d != nil {
		copied := *d
		copied.At = time.Time{} // copying a folder changes it
		item.Document = &copied
	}
	if err := json.NewEncoder(p.sum).Encode(item); err != nil {
		return err
	}
	if d := item.Document; d != nil {
		p.Documents++
		p.Bytes += int64(len(d.Content))
		p.owner(d.Owner, d.Scope).Documents++
		if len(p.Paths) < plannedPaths {
			p.Paths = append(p.Paths, plannedPath{Path: d.Path, Source: d.Source, Scope: d.Scope, Owner: d.Owner})
		}
		return nil
	}
	c := item.Conversation
	if !p.talks[c.ID] {
		p.talks[c.ID] = true
		p.Conversations++
		p.owner(c.Owner, memory.ScopePersonal).Conversations++
	}
	p.Messages += len(c.Messages)
	for _, said := range c.Messages {
		p.Bytes += int64(len(said.Content))
		if at := said.CreatedAt; p.From == nil || at.Before(*p.From) {
			p.From = &at
		}
		if at := said.CreatedAt; p.To == nil || at.After(*p.To) {
			p.To = &at
		}
	}
	return nil
}

// owner returns the counts of an owner; shared items are counted separately.
func (p *importPlan) owner(owner memory.Owner, scope memory.Scope) *plannedOwner {
	key := owner
	if scope == memory.ScopeTeam {
		key = teamKey
	}
	if p.owners[key] == nil {
		p.owners[key] = &plannedOwner{Owner: owner, Scope: scope}
	}
	return p.owners[key]
}

// teamKey is the key of shared items in a map of owners; it is not a valid owner.
const teamKey = memory.Owner("\x00team")

func (p *importPlan) skip(one imports.Skipped) {
	reason := p.left[one.Reason]
	if reason == nil {
		reason = &skippedReason{Reason: one.Reason, Examples: []string{}}
		p.left[one.Reason] = reason
	}
	reason.Count += max(one.Count, 1)
	reason.Sources++
	if len(reason.Examples) < skippedExamples {
		reason.Examples = append(reason.Examples, one.Source)
	}
}

func (p *importPlan) finish() {
	for _, owner := range p.owners {
		p.Owners = append(p.Owners, *owner)
	}
	slices.SortFunc(p.Owners, func(a, b plannedOwner) int {
		return cmp.Or(strings.Compare(string(b.Scope), string(a.Scope)), strings.Compare(string(a.Owner), string(b.Owner)))
	})
	for _, reason := range p.left {
		p.Skipped = append(p.Skipped, *reason)
	}
	slices.SortFunc(p.Skipped, func(a, b skippedReason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Reason, b.Reason))
	})
}

// source returns the identity of the source. It is the same for a folder and an archive of it.
func (p *importPlan) source() string { return hex.EncodeToString(p.sum.Sum(nil)) }

// ownerless counts the items without an owner.
func (p *importPlan) ownerless() int {
	if own := p.owners[memory.NoOwner]; own != nil {
		return own.Documents + own.Conversations
	}
	return 0
}

// needOwner refuses items without an owner, when neither flags nor the key name one.
func (m *importing) needOwner() error {
	if m.plan.ownerless() == 0 {
		return nil
	}
	pinned, err := m.HasOwner(m.cmd.Context())
	if err != nil || pinned {
		return err
	}
	return errors.New(nobody(m.plan))
}

// nobody returns the hint for items without an owner.
func nobody(p importPlan) string {
	if own := p.owners[memory.NoOwner]; own.Conversations > 0 {
		return "it does not say whose conversations these are: name the person with --owner, such as --owner user:7"
	}
	return "it does not say whose memory it is: name the person with --owner, such as --owner user:7, or with --shared it becomes " +
		"everybody's who uses the agent"
}

// shownPaths bounds the documents that a plan lists.
const shownPaths = 20

// show prints the plan.
func (m *importing) show() error {
	out := m.cmd.OutOrStdout()
	if m.JSON {
		return output.Encode(out, m.plan)
	}
	p := m.plan
	fmt.Fprintf(out, "%s: %s\n", output.OneLine(m.name, 80), p)
	if err := p.showOwners(out); err != nil {
		return err
	}
	if err := p.showPaths(out); err != nil {
		return err
	}
	p.showSkipped(out)
	if m.dryRun && p.ownerless() > 0 {
		fmt.Fprintf(out, "\n%s\n", output.Sentence(nobody(p)))
	}
	return nil
}

// String formats the plan as one line.
func (p importPlan) String() string {
	var parts []string
	if p.Documents > 0 {
		parts = append(parts, output.Count(p.Documents, "document"))
	}
	if p.Conversations > 0 {
		parts = append(parts, fmt.Sprintf("%s with %s", output.Count(p.Conversations, "conversation"), output.Count(p.Messages, "message")))
	}
	if len(parts) == 0 {
		return string(p.Format) + ", nothing to import"
	}
	text := string(p.Format) + ", " + strings.Join(parts, " and ") + ", " + output.Size(p.Bytes)
	if p.From != nil && p.To != nil {
		text += ", said " + days(*p.From, *p.To)
	}
	return text
}

// days formats a range of days in UTC, as in the export.
func days(from, to time.Time) string {
	first, last := from.UTC().Format(time.DateOnly), to.UTC().Format(time.DateOnly)
	if first == last {
		return "on " + first
	}
	return first + " to " + last
}

// maxShownOwners bounds the owners that a plan lists.
const maxShownOwners = 20

func (p importPlan) showOwners(out io.Writer) error {
	if len(p.Owners) == 0 {
		return nil
	}
	rows := [][]string{{"WHOSE", "DOCUMENTS", "CONVERSATIONS"}}
	for i, owner := range p.Owners {
		if i == maxShownOwners {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", len(p.Owners)-i), "", ""})
			break
		}
		rows = append(rows, []string{whose(owner.Owner, owner.Scope), strconv.Itoa(owner.Documents), strconv.Itoa(owner.Conversations)})
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

func whose(owner memory.Owner, scope memory.Scope) string {
	switch {
	case scope == memory.ScopeTeam:
		return "everybody (TEAM)"
	case owner == memory.NoOwner:
		return "not named yet"
	}
	return output.OneLine(string(owner), 60)
}

func (p importPlan) showPaths(out io.Writer) error {
	if len(p.Paths) == 0 {
		return nil
	}
	rows := [][]string{{"DOCUMENT", "FROM", "WHOSE"}}
	for i, path := range p.Paths {
		if i == shownPaths {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", p.Documents-i), "", ""})
			break
		}
		rows = append(rows, []string{output.OneLine(path.Path, 60), output.OneLine(path.Source, 60), whose(path.Owner, path.Scope)})
	}
	fmt.Fprintln(out)
	return output.Table(out, rows)
}

func (p importPlan) showSkipped(out io.Writer) {
	if len(p.Skipped) == 0 {
		return
	}
	fmt.Fprintln(out, "\nSkipped:")
	for _, reason := range p.Skipped {
		var examples []string
		for _, example := range reason.Examples {
			examples = append(examples, output.OneLine(example, 60))
		}
		if reason.Sources > len(examples) {
			examples = append(examples, "…")
		}
		fmt.Fprintf(out, "  %d × %s\n      %s\n", reason.Count, output.OneLine(reason.Reason, 160), strings.Join(examples, ", "))
	}
}
