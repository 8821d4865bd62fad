package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// undoneDocument is a document while a dream's step is taken out of it.
type undoneDocument struct {
	dream         Dream
	path          string
	first, last   int // versions that the dream made
	before, after memory.Version
	existed       bool // there was a document before
	found         bool
	now           memory.Document
}

// undoneDocuments are the documents that a dream changed, but for those that tell about it.
func undoneDocuments(x Dream) []*undoneDocument {
	var out []*undoneDocument
	for _, change := range x.Changes {
		if !change.Changed || change.Path == memory.DreamsPath || strings.HasPrefix(change.Path, memory.DreamingFolder) {
			continue
		}
		at := slices.IndexFunc(out, func(d *undoneDocument) bool { return d.path == change.Path })
		if at < 0 {
			out = append(out, &undoneDocument{dream: x, path: change.Path, first: change.Version, last: change.Version})
			continue
		}
		out[at].first, out[at].last = min(out[at].first, change.Version), max(out[at].last, change.Version)
	}
	return out
}

// queue queues reading the document as it was before the dream, as the dream left it, and as it is.
func (d *undoneDocument) queue(b *pgx.Batch, args pgx.NamedArgs) {
	version := func(number int, to *memory.Version, found *bool) {
		at := maps.Clone(args)
		at["version"] = number
		one(b.Queue(sqlVersion, at), found, func(row pgx.CollectableRow) (err error) { *to, err = scanVersion(row); return err })
	}
	var written bool
	version(d.first-1, &d.before, &d.existed)
	version(d.last, &d.after, &written)
	one(b.Queue(sqlExtractionDocument, args), &d.found, func(row pgx.CollectableRow) error {
		var person []string
		e, err := scanDocumentAnd(row, &person)
		d.now = e.Document
		return err
	})
}

// undo is the change that takes the dream's step out, or the stretches that others have changed since. A document that is
// gone stays gone: nil.
func (d *undoneDocument) undo() (*memory.Change, []memory.Conflict) {
	if !d.found || d.now.Deleted {
		return nil, nil
	}
	change := &memory.Change{
		Ref: memory.Ref{Scope: d.dream.Scope, Path: d.path}, Base: d.now.Version, Reason: fmt.Sprintf("dream %s undone", d.dream.ID),
	}
	content, conflicts := d.before.Content, []memory.Conflict(nil)
	if d.now.Version != d.last {
		content, conflicts = undone(d.before.Content, d.after.Content, d.now.Content)
	}
	existed := d.existed && !d.before.Deleted
	if !existed {
		content = strings.TrimLeft(content, "\r\n") // what stood in front of it is gone
	}
	switch {
	case len(conflicts) > 0:
		return nil, conflicts
	case !existed && strings.TrimSpace(content) == "":
		change.Op = memory.OpDelete
	default:
		change.Op, change.Content = memory.OpReplace, content
	}
	return change, nil
}

// undone takes the step from before to written back out of current, and keeps what was done to it since. It is the merge of
// before and current over written, but for one thing: lines that stand as they were written go, or come back, also when
// others were added directly in front of them or behind them, as the next dream adds its section behind this one's. A heading
// stays while lines of others stand under it.
func undone(before, written, current string) (string, []memory.Conflict) {
	merged, conflicts := memory.Merge3(written, before, current)
	if len(conflicts) == 0 {
		return merged, nil
	}
	if changed := slices.DeleteFunc(slices.Clone(conflicts), func(c memory.Conflict) bool { return untouched(c) >= 0 }); len(changed) > 0 {
		return "", changed
	}
	base, theirs := slices.Collect(strings.Lines(written)), slices.Collect(strings.Lines(current))
	for _, c := range slices.Backward(conflicts) {
		ours := slices.Collect(strings.Lines(c.Ours.Text))
		from := c.Theirs.From - 1 + untouched(c)
		to := from + c.Base.To - c.Base.From + 1
		kept := ours
		if len(ours) == 0 && c.Theirs.To > to && !memory.IsHeading(firstSaid(theirs[to:c.Theirs.To])) {
			kept = headOf(theirs[from:to])
		}
		theirs = slices.Replace(theirs, from, to, kept...)
		base = slices.Replace(base, c.Base.From-1, c.Base.To, ours...)
	}
	if merged, again := memory.Merge3(strings.Join(base, ""), before, strings.Join(theirs, "")); len(again) == 0 {
		return merged, nil
	}
	return "", conflicts
}

// untouched finds the lines of the base of a conflict whole among those of the other side: how many lines stand in front of
// them; -1 when they do not, or there are none.
func untouched(c memory.Conflict) int {
	if c.Base.Text == "" {
		return -1
	}
	if strings.HasPrefix(c.Theirs.Text, c.Base.Text) {
		return 0
	}
	if at := strings.Index(c.Theirs.Text, "\n"+c.Base.Text); at >= 0 {
		return strings.Count(c.Theirs.Text[:at+1], "\n")
	}
	return -1
}

// headOf is the last heading of lines with the blank lines around it; nothing when there is none.
func headOf(lines []string) []string {
	at := len(lines) - 1
	for at >= 0 && !memory.IsHeading(lines[at]) {
		at--
	}
	if at < 0 {
		return nil
	}
	from, to := at, at+1
	for from > 0 && strings.TrimSpace(lines[from-1]) == "" {
		from--
	}
	for to < len(lines) && strings.TrimSpace(lines[to]) == "" {
		to++
	}
	return slices.Clone(lines[from:to])
}

// firstSaid is the first line that is not blank.
func firstSaid(lines []string) string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}
