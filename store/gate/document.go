package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/search"
	"reverie/store/facts"
	"reverie/store/indexes"
	"reverie/store/pg"
)

// document is a document while changes are applied to it: first as stored, then as it will be.
type document struct {
	ref       memory.Ref
	agent     string // of the row: empty for GLOBAL
	owner     memory.Owner
	id        uuid.UUID // proposed for a new document
	creatable bool      // some change may create it
	base      []int     // versions whose content changes need

	found     bool // the row exists, if only as the empty one that a new document begins with
	waits     bool // there is no row, because all of a new document waits for approval
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

// document returns the document in its present state.
func (d *document) document() memory.Document {
	return memory.Document{
		ID: d.id, Scope: d.ref.Scope, Owner: d.owner, Path: d.ref.Path, Version: d.version, Deleted: d.deleted,
		Enabled: d.enabled, SortOrder: d.sortOrder, Content: d.content(),
	}
}

// PromptPlace is a document's place in the system prompt.
type PromptPlace struct {
	Enabled   bool
	SortOrder int
}

// PlaceOf returns the place of a document in the system prompt.
func PlaceOf(d memory.Document) PromptPlace {
	return PromptPlace{Enabled: d.Enabled, SortOrder: d.SortOrder}
}

// content returns the document's present content.
func (d *document) content() string { return d.contents[d.version] }

// add adds a change and its document.
func (w *Writes) add(id memory.Identity, c checked) {
	w.checked = append(w.checked, c)
	d := w.documents[c.Ref]
	if d == nil {
		d = &document{
			ref: c.Ref, agent: rowAgent(id, c.Scope), owner: RowOwner(id, c.Scope), id: pg.NewID(),
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

func (w *Writes) sort() {
	slices.SortFunc(w.order, func(a, b *document) int {
		return cmp.Or(strings.Compare(string(a.ref.Scope), string(b.ref.Scope)), strings.Compare(a.ref.Path, b.ref.Path))
	})
}

// decide applies all changes in order and prepares the rows to write.
func (w *Writes) decide(t *pg.Tx) error {
	if w.recorded != nil {
		return &replayedError{receipt: *w.recorded}
	}
	for _, d := range w.order {
		d.waits = !d.found && d.creatable && w.standing.known && len(w.rulesThatHold(d.ref, t)) > 0
	}
	if slices.ContainsFunc(w.order, func(d *document) bool { return d.agent != "" }) {
		if err := w.standing.Allows(w.Author); err != nil && !(w.Approved && errors.Is(err, pg.ErrMemoryOff)) {
			return err
		}
	}
	extra := w.Events
	w.Events = nil
	for i := range w.checked {
		receipt, err := w.apply(t, &w.checked[i])
		if err != nil {
			return err
		}
		w.Receipt.Changes = append(w.Receipt.Changes, receipt)
	}
	w.Events = append(w.Events, extra...)
	if w.Prompts != nil {
		w.place(t)
	}
	return nil
}

// place sets the documents' places in the system prompt.
func (w *Writes) place(t *pg.Tx) {
	for _, c := range w.checked {
		d := w.documents[c.Ref]
		if place, ok := w.Prompts[c.Ref]; ok {
			d.enabled, d.sortOrder = place.Enabled, place.SortOrder
		}
		if now := d.document(); PlaceOf(now) != PlaceOf(d.was) {
			w.Events = append(w.Events, promptEvent(t.ID, now))
		}
	}
}

// apply applies one change.
func (w *Writes) apply(t *pg.Tx, c *checked) (memory.ChangeReceipt, error) {
	d := w.documents[c.Ref]
	next, err := d.after(c, w.Author)
	if err != nil {
		return memory.ChangeReceipt{}, err
	}
	proposed := next.content
	withheld := w.withhold(d, &next)
	var kept memory.ChangeReceipt
	if err := w.hold(t, d, c, &next, &kept); err != nil {
		return memory.ChangeReceipt{}, err
	}
	if withheld || kept.Held+kept.Aside > 0 {
		w.keepReplaced(d, c, proposed, &next)
	}
	await := w.await(d, c, &next, &kept)
	if err := ValidContent("content", next.content); err != nil {
		return memory.ChangeReceipt{}, err
	}
	receipt := memory.ChangeReceipt{
		Scope: c.Scope, Path: c.Path, Version: d.version, Merged: next.merged, Verdict: c.verdict, Withheld: withheld, Held: kept.Held,
		Aside: kept.Aside, AsideIn: kept.AsideIn, Waiting: kept.Waiting, Approval: kept.Approval,
	}
	if d.version == 0 && !d.waits || next.deleted != d.deleted || next.content != d.content() {
		receipt.Changed, receipt.Created = true, d.version == 0
		version := d.advance(w.Author, t.Now, c, next)
		receipt.Version, receipt.Added, receipt.Removed = version.Number, version.Added, version.Removed
		w.Events = append(w.Events, changeEvent(d, c, version))
	}
	if await != nil {
		await.base = d.version
		w.waiting = append(w.waiting, *await)
		w.Events = append(w.Events, await.event(t))
	}
	if d.version > 0 {
		receipt.Document = d.id
	}
	sum := sha256.Sum256([]byte(d.content()))
	receipt.Bytes, receipt.SHA256 = len(d.content()), hex.EncodeToString(sum[:])
	return receipt, nil
}

// state is a document after a change.
type state struct {
	content string
	deleted bool
	merged  bool
}

// after returns the document as c changes it. It removes from c what the document says already, if the author wants that.
func (d *document) after(c *checked, author memory.Author) (state, error) {
	if !d.found && !d.waits {
		if d.creatable {
			return state{}, fmt.Errorf("agent: %w", pg.ErrNotFound) // the document would have been made
		}
		return state{}, fmt.Errorf("document %s: %w", d.ref.Path, pg.ErrNotFound)
	}
	if c.Op != memory.OpAppend && c.Op != memory.OpMerge && !c.Force && c.Base > d.version {
		return state{}, fmt.Errorf("version %d of document %s: %w", c.Base, d.ref.Path, pg.ErrNotFound)
	}
	switch c.Op {
	case memory.OpReplace:
		return d.replaced(c, author)
	case memory.OpAppend:
		start := d.content()
		if d.version == 0 || d.deleted {
			start = c.Create
		} else if c.Once && !d.news(c) {
			return state{content: start}, nil
		}
		return state{content: joined(start, c.Content)}, nil
	case memory.OpMerge:
		return d.mergedBy(c)
	case memory.OpImport:
		return d.imported(c), nil
	}
	if d.version == 0 { // another change of the same call is to create it
		return state{}, fmt.Errorf("document %s: %w", d.ref.Path, pg.ErrNotFound)
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

// replaced merges a replacement with the changes since its base.
func (d *document) replaced(c *checked, author memory.Author) (state, error) {
	current := c.Base == d.version || d.deleted && c.Base == 0
	switch {
	case current, c.Force, !d.deleted && c.Content == d.content():
		return state{content: c.Content}, nil
	}
	merged, conflicts := d.merge(c, author)
	switch {
	case len(conflicts) == 0 && !d.deleted:
		return state{content: merged, merged: true}, nil
	case c.Patch:
		return state{content: markdown.Patch3(d.contents[c.Base], d.unsaid(c, author), d.content()), merged: true}, nil
	}
	return state{}, d.stale(c, c.Content, conflicts)
}

// mergedBy merges a text into the current content by a strategy, and is never stale.
func (d *document) mergedBy(c *checked) (state, error) {
	now := d.content()
	if d.deleted {
		now = ""
	}
	content, err := c.Strategy.Merge(now, c.Content)
	if err != nil {
		return state{}, &pg.InvalidError{Field: "content", Problem: err.Error(), Cause: err}
	}
	return state{content: content}, nil
}

// restored returns the content of an earlier version.
func (d *document) restored(c *checked) (state, error) {
	content, ok := d.contents[c.Restore]
	if !ok {
		return state{}, fmt.Errorf("version %d of document %s: %w", c.Restore, d.ref.Path, pg.ErrNotFound)
	}
	if d.gone[c.Restore] {
		return state{}, &pg.InvalidError{
			Field: "restore", Problem: fmt.Sprintf("version %d deleted the document: restore another one, or delete it", c.Restore),
		}
	}
	content, err := c.admit("content", content) // the rules may have become stricter since
	if err != nil {
		return state{}, err
	}
	return state{content: content}, d.condition(c, content)
}

// condition refuses a change that does not merge when its base is not current, if it names one.
func (d *document) condition(c *checked, yours string) error {
	if c.Base == 0 || c.Base == d.version {
		return nil
	}
	return d.stale(c, yours, nil)
}

func (d *document) stale(c *checked, yours string, conflicts []markdown.Conflict) error {
	return &pg.StaleBaseError{
		Ref: d.ref, Base: c.Base, Head: d.version,
		BaseContent: d.contents[c.Base], Yours: yours, Theirs: d.content(), Conflicts: conflicts,
	}
}

// joined puts exactly one blank line between two texts. If one is empty, it returns the other unchanged.
func joined(a, b string) string {
	if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" {
		return a + b
	}
	return strings.TrimRight(a, "\r\n") + "\n\n" + strings.TrimLeft(b, "\r\n")
}

// advance makes the next version.
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
	version.Added, version.Removed = markdown.DiffStat(before, next.content)
	if !next.deleted { // a deleted document keeps its lines until it is undeleted
		if c.Op != memory.OpUndelete {
			d.person = PersonLines(before, d.person, version)
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

// PersonLines updates the lines that a person wrote by one version: blame without reading the whole history. person are those of
// before, which are replayed as two versions, one by a person and one by another author.
func PersonLines(before string, person []string, next memory.Version) []string {
	if next.Author.Kind != memory.AuthorUser && len(person) == 0 {
		return nil
	}
	return memory.PersonLines([]memory.Version{
		{Number: 1, Content: wholeLines(strings.Join(person, "\n")), Author: memory.Author{Kind: memory.AuthorUser}},
		{Number: 2, Content: wholeLines(before), Author: memory.Author{Kind: memory.AuthorSeed}},
		{Number: 3, Content: wholeLines(next.Content), Author: next.Author},
	})
}

// wholeLines normalises line ends, so that lines are compared by their text.
func wholeLines(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// promptDefaults returns the place of a new document in the system prompt: seeds are enabled, and the documents about a person.
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
	if about, is := structured.TypeOf(ref.Path); is && (about == structured.User || about == structured.Feedback) {
		return true, len(memory.Seeds()) + slices.Index(structured.Types(), about)
	}
	return false, 0
}

// maxFrom is the longest name of the system that an imported document comes from, in bytes.
const maxFrom = 64

// admitImport checks an imported document.
func (c *checked) admitImport(at string) (string, error) {
	if !c.Import.Valid() {
		return "", &pg.InvalidError{Field: at + "onConflict", Problem: "use merge, keep or overwrite"}
	}
	if c.From == "" || len(c.From) > maxFrom || !utf8.ValidString(c.From) || strings.ContainsAny(c.From, "\r\n\x00") {
		return "", &pg.InvalidError{Field: at + "from", Problem: "name the source system in one short line"}
	}
	return c.admit(at+"content", c.Content)
}

// imported returns a document after an import: the imported content when there is none or it is an unchanged seed, otherwise as the
// policy demands.
func (d *document) imported(c *checked) state {
	before := d.content()
	switch {
	case d.version == 0, d.deleted, c.Import == memory.ImportOverwrite, d.ref.Scope == memory.ScopeTeam &&
		memory.IsSeed(d.ref.Path, before):
		return state{content: c.Content}
	case c.Import == memory.ImportKeep:
		return state{content: before}
	}
	after := memory.MergeImported(before, c.Content, c.From)
	return state{content: after, merged: after != before}
}

const (
	// A new document begins as an empty row, so that two writers that create it at the same time meet here, and the second one
	// changes the version of the first one. The row does not outlive the transaction empty: every change that may create makes a
	// version. So there is none where all of a new document waits for approval.
	sqlDocumentEnsure = `
insert into documents (workspace_id, agent_id, scope, owner_key, path, document_id, version, enabled, sort_order, created_at, updated_at)
select @workspace, @agent, @scope, @owner, @path, @document, 0, false, 0, @now, @now
where (@agent::text = '' or exists (
    select from agents where workspace_id = @workspace and agent_id = @agent))
    and not exists (
        select from agents
        where workspace_id = @workspace and agent_id = @acting and coalesce(settings ->> 'approvals', @rule) = any(@waits::text[]))
on conflict do nothing`

	// Writers of the same documents wait here, all in the same order.
	sqlDocumentLock = `
select document_id, version, deleted, enabled, sort_order, person_lines
from documents
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path
for no key update`

	// Contents of a locked document: the current version, versions that changes name, and the last content of a deleted document.
	// It is a separate statement because the one that waited for the lock sees the state before the wait.
	sqlDocumentContents = `
with d as materialized (
    select document_id, version, deleted
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path
), wanted as (
    select version, false as live from d
    union
    select unnest(@bases::int[]), false
    union
    select version, true
    from (
        select version
        from document_versions
        where workspace_id = @workspace and agent_id = @agent and document_id = (select document_id from d) and not deleted
        order by version desc
        limit 1
    ) v
    where (select deleted from d)
)
select w.live, w.version, v.deleted, v.content
from wanted w
cross join lateral (
    select deleted, content
    from document_versions
    where workspace_id = @workspace and agent_id = @agent and document_id = (select document_id from d) and version = w.version
    limit 1
) v`

	sqlVersionInsert = `
insert into document_versions (workspace_id, agent_id, document_id, version, scope, owner_key, base_version, merged, deleted,
    content, sha256, added, removed, author_kind, author_id, workflow_id, run_id, reason, sources, created_at)
values (@workspace, @agent, @document, @version, @scope, @owner, @base, @merged, @deleted,
    @content, @sha256, @added, @removed, @author_kind, @author_id, @workflow, @run, @reason, @sources, @now)`

	sqlDocumentAdvance = `
update documents set
    version = @version,
    deleted = @deleted,
    enabled = @enabled,
    sort_order = @sort_order,
    person_lines = @person_lines,
    updated_at = @now
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @owner and path = @path`
)

// queueReads queues locking and reading the documents, and looking up the key. The key comes after the locks: a second writer with
// the same key has waited there for the first one, and sees its receipt.
func (w *Writes) queueReads(b *pgx.Batch, t *pg.Tx) {
	for _, d := range w.order {
		if d.creatable {
			args := d.args(t)
			args["acting"], args["rule"], args["waits"] = t.Agent, t.Approvals.Rule, w.rulesThatHold(d.ref, t)
			b.Queue(sqlDocumentEnsure, args)
		}
	}
	for _, d := range w.order {
		pg.Columns(b.Queue(sqlDocumentLock, d.args(t)), &d.found, &d.id, &d.version, &d.deleted, &d.enabled, &d.sortOrder, &d.person)
	}
	if w.Key != "" && len(w.order) > 0 { // without documents, the receipt's own key keeps it from being written twice
		QueueLedger(b, t, w.Key, &w.recorded)
	}
	if t.Agent != "" && len(w.order) > 0 {
		QueueStanding(b, t, &w.standing)
	}
	for _, d := range w.order {
		found := false
		pg.WithRow(b.Queue(sqlDocumentContents, d.args(t)), &found, func(row pgx.CollectableRow) error {
			var live, gone bool
			var version int
			var content string
			if err := row.Scan(&live, &version, &gone, &content); err != nil {
				return err
			}
			d.contents[version], d.gone[version] = content, gone
			if live || version == d.version && !gone {
				d.live = content
			}
			return nil
		})
	}
	w.queueForgotten(b, t)
	w.queueProposed(b, t)
}

// args returns the arguments of the statements that find d.
func (d *document) args(t *pg.Tx) pgx.NamedArgs {
	return t.Args(pgx.NamedArgs{
		"agent": d.agent, "scope": d.ref.Scope, "owner": d.owner, "path": d.ref.Path, "document": d.id, "bases": d.base,
	})
}

// queueWrites queues the versions, documents, journal events, receipt, index, and marks for facts and the next dream.
func (w *Writes) queueWrites(b *pgx.Batch, t *pg.Tx) error {
	author := w.Author
	for _, d := range w.order {
		if len(d.versions) == 0 {
			if w.Prompts != nil && PlaceOf(d.was) != PlaceOf(d.document()) {
				b.Queue(sqlDocumentPrompt, t.Args(pgx.NamedArgs{
					"row_agent": d.agent, "scope": d.ref.Scope, "whose": d.owner, "path": d.ref.Path,
					"enabled": d.enabled, "sort_order": d.sortOrder,
				}))
			}
			continue
		}
		for _, v := range d.versions {
			b.Queue(sqlVersionInsert, t.Args(pgx.NamedArgs{
				"agent": d.agent, "document": d.id, "version": v.Number, "scope": d.ref.Scope, "owner": d.owner,
				"base": v.BaseVersion, "merged": v.Merged, "deleted": v.Deleted,
				"content": v.Content, "sha256": v.SHA256[:], "added": v.Added, "removed": v.Removed,
				"author_kind": author.Kind, "author_id": author.ID, "workflow": author.WorkflowID, "run": author.RunID,
				"reason": v.Reason, "sources": v.Sources,
			}))
		}
		person := d.person
		if person == nil {
			person = []string{}
		}
		b.Queue(sqlDocumentAdvance, t.Args(pgx.NamedArgs{
			"agent": d.agent, "scope": d.ref.Scope, "owner": d.owner, "path": d.ref.Path,
			"version": d.version, "deleted": d.deleted, "enabled": d.enabled, "sort_order": d.sortOrder, "person_lines": person,
		}))
	}
	w.queueHeld(b, t)
	w.queueLeft(b, t)
	if err := w.queueWaiting(b, t); err != nil {
		return err
	}
	if len(w.Events) == 0 && w.Key == "" {
		return nil
	}
	token, err := queueEvents(b, t, author, w.Events, w.Key, w.Receipt)
	if err != nil {
		return err
	}
	token.QueryRow(func(row pgx.Row) error { return row.Scan(&w.Receipt.Token) })
	for _, d := range w.order {
		if len(d.versions) > 0 {
			d.queueIndex(b, t)
			facts.Document{ID: d.id, Agent: d.agent, Scope: d.ref.Scope, Owner: d.owner, Path: d.ref.Path}.QueueMark(b, t, d.version)
		}
	}
	w.queueNews(b, t)
	w.queueRevived(b, t)
	return nil
}

// queueIndex queues indexing the document in its new state.
func (d *document) queueIndex(b *pgx.Batch, t *pg.Tx) {
	p := indexes.Partition{Corpus: search.Memory, Agent: d.agent, Scope: d.ref.Scope, Owner: d.owner}
	indexes.IndexDocument(b, t, p, d.id, d.version, d.ref.Path, d.content(), d.deleted)
}
