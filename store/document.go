package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/memory"
)

// document is a document while changes are applied to it: first as it is in the database, then as it will be.
type document struct {
	ref       memory.Ref
	agent     string // of the row: empty for GLOBAL
	owner     memory.Owner
	id        uuid.UUID // proposed for a new document
	creatable bool      // some change may create it
	base      []int     // versions whose content changes need

	found     bool // the row exists, if only as the empty one that a new document begins with
	version   int  // 0: new
	deleted   bool
	enabled   bool
	sortOrder int
	person    []string       // lines of content that a person wrote
	live      string         // content of the newest version that is not deleted
	contents  map[int]string // by version: the current one and those in base
	gone      map[int]bool   // versions in contents that deleted the document

	was      memory.Document  // before the changes
	versions []memory.Version // that are made now
}

// document returns the document as it is at this point.
func (d *document) document() memory.Document {
	return memory.Document{
		ID: d.id, Scope: d.ref.Scope, Owner: d.owner, Path: d.ref.Path, Version: d.version, Deleted: d.deleted,
		Enabled: d.enabled, SortOrder: d.sortOrder, Content: d.content(),
	}
}

// promptPlace is a document's place in the system prompt.
type promptPlace struct {
	Enabled   bool
	SortOrder int
}

func placeOf(d memory.Document) promptPlace {
	return promptPlace{Enabled: d.Enabled, SortOrder: d.SortOrder}
}

// content is what the document has now.
func (d *document) content() string { return d.contents[d.version] }

// add takes a change in, with the document that it is about.
func (w *writes) add(id memory.Identity, c checked) {
	w.checked = append(w.checked, c)
	d := w.documents[c.Ref]
	if d == nil {
		d = &document{
			ref: c.Ref, agent: rowAgent(id, c.Scope), owner: rowOwner(id, c.Scope), id: newID(),
			contents: map[int]string{}, gone: map[int]bool{},
		}
		w.documents[c.Ref] = d
		w.order = append(w.order, d)
	}
	switch c.Op {
	case memory.OpReplace:
		d.creatable = true
		d.base = append(d.base, c.Base)
	case memory.OpAppend, memory.OpMerge, memory.OpImport:
		d.creatable = true
	case memory.OpRestore:
		d.base = append(d.base, c.Restore)
	}
}

func (w *writes) sort() {
	slices.SortFunc(w.order, func(a, b *document) int {
		return cmp.Or(strings.Compare(string(a.ref.Scope), string(b.ref.Scope)), strings.Compare(a.ref.Path, b.ref.Path))
	})
}

// decide applies every change, in order, to its document as it is now, and prepares what is to be written.
func (w *writes) decide(t *tx) error {
	if w.recorded != nil {
		return &replayedError{receipt: *w.recorded}
	}
	if err := w.standing.allows(w.author); err != nil {
		return err
	}
	extra := w.events
	w.events = nil
	for i := range w.checked {
		receipt, err := w.apply(t, &w.checked[i])
		if err != nil {
			return err
		}
		w.receipt.Changes = append(w.receipt.Changes, receipt)
	}
	w.events = append(w.events, extra...)
	if w.prompts != nil {
		w.place(t)
	}
	return nil
}

// place gives the documents their places in the system prompt.
func (w *writes) place(t *tx) {
	for _, c := range w.checked {
		d := w.documents[c.Ref]
		if place, ok := w.prompts[c.Ref]; ok {
			d.enabled, d.sortOrder = place.Enabled, place.SortOrder
		}
		if now := d.document(); placeOf(now) != placeOf(d.was) {
			w.events = append(w.events, promptEvent(t.id, now))
		}
	}
}

// apply applies one change.
func (w *writes) apply(t *tx, c *checked) (memory.ChangeReceipt, error) {
	d := w.documents[c.Ref]
	next, err := d.after(c)
	if err != nil {
		return memory.ChangeReceipt{}, err
	}
	withheld := w.withhold(d, &next)
	if err := validContent("content", next.content); err != nil {
		return memory.ChangeReceipt{}, err
	}
	receipt := memory.ChangeReceipt{
		Document: d.id, Scope: c.Scope, Path: c.Path, Version: d.version,
		Created: d.version == 0, Merged: next.merged, Verdict: c.verdict, Withheld: withheld,
	}
	if d.version == 0 || next.deleted != d.deleted || next.content != d.content() {
		receipt.Changed = true
		version := d.advance(w.author, t.now, c, next)
		receipt.Version, receipt.Added, receipt.Removed = version.Number, version.Added, version.Removed
		w.events = append(w.events, changeEvent(d, c, version))
	}
	sum := sha256.Sum256([]byte(d.content()))
	receipt.Bytes, receipt.SHA256 = len(d.content()), hex.EncodeToString(sum[:])
	return receipt, nil
}

// state is what a change makes of a document.
type state struct {
	content string
	deleted bool
	merged  bool
}

// after says what c makes of d.
func (d *document) after(c *checked) (state, error) {
	if !d.found {
		if d.creatable {
			return state{}, fmt.Errorf("agent: %w", ErrNotFound) // the document would have been made
		}
		return state{}, fmt.Errorf("document %s: %w", d.ref.Path, ErrNotFound)
	}
	if c.Op != memory.OpAppend && c.Op != memory.OpMerge && !c.Force && c.Base > d.version {
		return state{}, fmt.Errorf("version %d of document %s: %w", c.Base, d.ref.Path, ErrNotFound)
	}
	switch c.Op {
	case memory.OpReplace:
		return d.replaced(c)
	case memory.OpAppend:
		start := d.content()
		if d.version == 0 || d.deleted {
			start = c.Create
		}
		return state{content: joined(start, c.Content)}, nil
	case memory.OpMerge:
		return d.mergedBy(c)
	case memory.OpImport:
		return d.imported(c), nil
	}
	if d.version == 0 { // another change of the same call is to create it
		return state{}, fmt.Errorf("document %s: %w", d.ref.Path, ErrNotFound)
	}
	switch c.Op {
	case memory.OpDelete:
		return state{deleted: true}, d.condition(c, "")
	case memory.OpUndelete:
		return state{content: d.live}, d.condition(c, d.live)
	default:
		return d.restored(c)
	}
}

// replaced merges a replacement with what happened since its base.
func (d *document) replaced(c *checked) (state, error) {
	current := c.Base == d.version || d.deleted && c.Base == 0
	switch {
	case current, c.Force, !d.deleted && c.Content == d.content():
		return state{content: c.Content}, nil
	}
	base := d.contents[c.Base]
	merged, conflicts := memory.Merge3(base, c.Content, d.content())
	if len(conflicts) > 0 || d.deleted {
		return state{}, d.stale(c, c.Content, conflicts)
	}
	return state{content: merged, merged: true}, nil
}

// mergedBy puts a text into the document as it is now, which is why it is never stale.
func (d *document) mergedBy(c *checked) (state, error) {
	now := d.content()
	if d.deleted {
		now = ""
	}
	content, err := c.Strategy.Merge(now, c.Content)
	if err != nil {
		return state{}, &InvalidError{Field: "content", Problem: err.Error(), cause: err}
	}
	return state{content: content}, nil
}

// restored takes the content of an earlier version.
func (d *document) restored(c *checked) (state, error) {
	content, ok := d.contents[c.Restore]
	if !ok {
		return state{}, fmt.Errorf("version %d of document %s: %w", c.Restore, d.ref.Path, ErrNotFound)
	}
	if d.gone[c.Restore] {
		return state{}, &InvalidError{Field: "restore", Problem: fmt.Sprintf("version %d deleted the document: restore another one, or delete it", c.Restore)}
	}
	content, err := c.admit("content", content) // the rules may have become stricter since
	if err != nil {
		return state{}, err
	}
	return state{content: content}, d.condition(c, content)
}

// condition holds a change that does not merge to its base, if it names one.
func (d *document) condition(c *checked, yours string) error {
	if c.Base == 0 || c.Base == d.version {
		return nil
	}
	return d.stale(c, yours, nil)
}

func (d *document) stale(c *checked, yours string, conflicts []memory.Conflict) error {
	return &StaleBaseError{
		Ref: d.ref, Base: c.Base, Head: d.version,
		BaseContent: d.contents[c.Base], Yours: yours, Theirs: d.content(), Conflicts: conflicts,
	}
}

// joined puts exactly one blank line between two texts; beside an empty one the other stays as it is.
func joined(a, b string) string {
	if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" {
		return a + b
	}
	return strings.TrimRight(a, "\r\n") + "\n\n" + strings.TrimLeft(b, "\r\n")
}

// advance makes the version that next is.
func (d *document) advance(author memory.Author, now time.Time, c *checked, next state) memory.Version {
	before := d.content()
	version := memory.Version{
		Number: d.version + 1, BaseVersion: d.version, Merged: next.merged, Deleted: next.deleted,
		Content: next.content, SHA256: sha256.Sum256([]byte(next.content)),
		Author: author, Reason: c.Reason, Sources: c.Sources, CreatedAt: now,
	}
	if c.Op == memory.OpReplace && !c.Force {
		version.BaseVersion = c.Base
	}
	version.Added, version.Removed = memory.DiffStat(before, next.content)
	if !next.deleted { // what a deleted document had comes back with it
		if c.Op != memory.OpUndelete {
			d.person = personLines(before, d.person, version)
		}
		d.live = next.content
	}
	if d.version == 0 {
		d.enabled, d.sortOrder = promptDefaults(d.ref, author)
	}
	d.version, d.deleted = version.Number, next.deleted
	d.contents[version.Number], d.gone[version.Number] = next.content, next.deleted
	d.versions = append(d.versions, version)
	return version
}

// personLines carries on, over one version, which lines a person wrote: blame of the whole history without reading it.
// person are the lines of before; their history is told again in two versions, one of the person and one of somebody else.
func personLines(before string, person []string, next memory.Version) []string {
	if next.Author.Kind != memory.AuthorUser && len(person) == 0 {
		return nil
	}
	return memory.PersonLines([]memory.Version{
		{Number: 1, Content: wholeLines(strings.Join(person, "\n")), Author: memory.Author{Kind: memory.AuthorUser}},
		{Number: 2, Content: wholeLines(before), Author: memory.Author{Kind: memory.AuthorSeed}},
		{Number: 3, Content: wholeLines(next.Content), Author: next.Author},
	})
}

// wholeLines ends every line in the same way, so that lines are compared by their words.
func wholeLines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// promptDefaults says whether a new document is rendered into the system prompt: the seeds are, and what the agent knows
// about a person.
func promptDefaults(ref memory.Ref, author memory.Author) (enabled bool, sortOrder int) {
	if author.Kind != memory.AuthorSeed && ref.Scope != memory.ScopePersonal {
		return false, 0
	}
	for _, seed := range memory.Seeds() {
		personal := ref.Path == memory.ProfilePath || ref.Path == memory.MemoryPath
		if seed.Path == ref.Path && (author.Kind == memory.AuthorSeed || personal) {
			return true, seed.SortOrder
		}
	}
	return false, 0
}
