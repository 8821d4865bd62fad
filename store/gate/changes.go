package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/scan"
	"reverie/store/pg"
)

// MaxReason is the longest reason of a change, in bytes.
const MaxReason = 2000

// check applies the rules of the gate that need no database. at prefixes the fields in errors.
func check(id memory.Identity, at string, change memory.Change) (checked, error) {
	c := checked{Change: change, verdict: scan.VerdictAllow, findings: slices.Clone(change.Redacted)}
	if len(c.findings) > 0 {
		c.verdict = scan.VerdictRedact
	}
	path, err := CheckRef(id, at, change.Ref)
	if err != nil {
		return c, err
	}
	c.Path = path
	if err := MayWrite(id, change.Scope); err != nil {
		return c, err
	}
	if change.Base < 0 {
		return c, &pg.InvalidError{Field: at + "base", Problem: "versions start at 1; 0 means that the document did not exist"}
	}
	if err := memory.ValidText(at+"reason", change.Reason, MaxReason); err != nil {
		return c, err
	}
	switch change.Op {
	case memory.OpReplace:
		c.Content, err = c.admit(at+"content", c.Content)
	case memory.OpAppend:
		if c.Content, err = c.admit(at+"content", c.Content); err == nil {
			c.Create, err = c.admit(at+"create", c.Create)
		}
	case memory.OpMerge:
		if !change.Strategy.Valid() {
			return c, &pg.InvalidError{Field: at + "strategy", Problem: "use append, replace_section, upsert_kv or overwrite"}
		}
		c.Content, err = c.admit(at+"content", c.Content)
	case memory.OpImport:
		c.Content, err = c.admitImport(at)
	case memory.OpDelete, memory.OpUndelete:
	case memory.OpRestore:
		if change.Restore < 1 {
			err = &pg.InvalidError{Field: at + "restore", Problem: "name the version to restore, from 1"}
		}
	default:
		err = &pg.InvalidError{Field: at + "op", Problem: "use replace, append, merge, delete, undelete or restore"}
	}
	if err != nil {
		return c, err
	}
	c.redactNotes()
	return c, nil
}

// CheckRef checks a reference to a document, for reading and writing, and returns its path in normal form.
func CheckRef(id memory.Identity, at string, ref memory.Ref) (path string, err error) {
	if !ref.Scope.Valid() {
		return "", &pg.InvalidError{Field: at + "scope", Problem: "use PERSONAL, TEAM or GLOBAL"}
	}
	if ref.Scope != memory.ScopeGlobal {
		if err := pg.RequireAgent(id); err != nil {
			return "", err
		}
	}
	if ref.Scope == memory.ScopePersonal {
		if err := pg.RequireOwner(id); err != nil {
			return "", err
		}
		if id.Owner == memory.SystemOwner {
			return "", &pg.InvalidError{Field: at + "scope", Problem: "owner system has no personal documents: use TEAM"}
		}
	}
	path, err = memory.ParsePath(ref.Path)
	if err != nil {
		return "", &pg.InvalidError{Field: at + "path", Problem: err.Error(), Cause: err}
	}
	return path, nil
}

// rowAgent and RowOwner return the key columns of rows of a scope: GLOBAL rows have no agent, shared ones no owner.
func rowAgent(id memory.Identity, scope memory.Scope) string {
	if scope == memory.ScopeGlobal {
		return ""
	}
	return id.Agent
}

// RowOwner returns the owner_key of rows of a scope that the identity writes; it is empty for shared scopes.
func RowOwner(id memory.Identity, scope memory.Scope) memory.Owner {
	if scope == memory.ScopePersonal {
		return id.Owner
	}
	return memory.NoOwner
}

// MayWrite refuses an identity that may not write documents of a scope; the database enforces the same.
func MayWrite(id memory.Identity, scope memory.Scope) error {
	need := map[memory.Scope]pg.Reach{memory.ScopePersonal: pg.ReachPersonal, memory.ScopeTeam: pg.ReachTeam, memory.ScopeGlobal: pg.ReachGlobal}[scope]
	if pg.ReachOf(id) < need {
		return fmt.Errorf("%w: the credential may not write %s documents", pg.ErrForbidden, scope)
	}
	return nil
}

// admit checks and scans a text, and returns it without its secrets.
func (c *checked) admit(field, text string) (string, error) {
	if err := ValidContent(field, text); err != nil {
		return "", err
	}
	result := scan.Scan(text)
	c.findings = append(c.findings, result.Findings...)
	switch result.Verdict {
	case scan.VerdictAllow:
		return text, nil
	case scan.VerdictRedact:
		c.verdict = scan.VerdictRedact
		return result.Text, nil
	default:
		return "", &pg.QuarantineError{Ref: c.Ref, Findings: c.findings}
	}
}

// redactNotes removes secrets from the reason and from the lines that sources name.
func (c *checked) redactNotes() {
	if r := scan.Scan(c.Reason); r.Verdict != scan.VerdictAllow {
		c.Reason = r.Text
	}
	if c.verdict == scan.VerdictAllow || len(c.Sources.Lines) == 0 {
		return
	}
	// A source names a line of the document. Lines that are not there after redaction are dropped: a scan does not recognise a
	// single line from the middle of a private key.
	stands := map[string]bool{}
	for line := range strings.Lines(c.Content) {
		stands[strings.TrimRight(line, "\r\n")] = true
	}
	var lines []memory.LineSource // the caller keeps its own
	for _, line := range c.Sources.Lines {
		if line.Line = scan.Scan(line.Line).Text; stands[line.Line] {
			lines = append(lines, line)
		}
	}
	c.Sources.Lines = lines
}

// ValidContent checks the content of a document.
func ValidContent(field, content string) error {
	if err := memory.ValidContent(content); err != nil {
		return &pg.InvalidError{Field: field, Problem: err.Error(), Cause: err}
	}
	return nil
}

// StorableReason makes the reason of a drafted change acceptable to the gate.
func StorableReason(reason string) string {
	reason = pg.Storable(reason)
	if len(reason) > MaxReason {
		reason = strings.ToValidUTF8(reason[:MaxReason], "")
	}
	return reason
}

// SQLOwnerEnsure adds the owner's row unless it exists.
const SQLOwnerEnsure = `
insert into owners (workspace_id, agent_id, owner_key, owner_id, created_at)
values (@workspace, @agent, @owner, @owner_id, @now)
on conflict do nothing`

// News marks owners whose memory or conversations changed since their last dream. The marks are exact: no change is left without a
// dream that saw it, and a dream's own writes do not cause another dream.
//
// A writer sets a mark in the owner's row in the transaction of the write, so that both are seen or neither is. The row stays
// locked until then, so that a reader of a mark sees the writes of all earlier marks. A dream reads the mark in the snapshot in
// which it reads everything else, and its commit deletes the row only if it still has this mark. A write that the snapshot does not
// show has set another mark, or will: marks come from a sequence, and the row stays.
const sqlNews = `
insert into dream_news (workspace_id, agent_id, owner_key, mark, since)
values (@workspace, @agent, @owner, nextval('dream_news_mark'), @now)
on conflict (workspace_id, agent_id, owner_key) do update set mark = excluded.mark`

// QueueMark queues setting a mark for an owner who has a row already.
func QueueMark(b *pgx.Batch, t *pg.Tx, owner memory.Owner) {
	b.Queue(sqlNews, t.Args(pgx.NamedArgs{"owner": owner}))
}

// queueNews queues marks for the owners of the written documents, except for writes of dreams and seeds. The owner's row is created
// before the mark, as everywhere: otherwise a writer that creates the owner and one that sets the mark would deadlock.
func (w *Writes) queueNews(b *pgx.Batch, t *pg.Tx) {
	if w.Author.Kind == memory.AuthorDream || w.Author.Kind == memory.AuthorSeed {
		return
	}
	var owners []memory.Owner
	for _, d := range w.order {
		switch {
		case len(d.versions) == 0:
		case d.ref.Scope == memory.ScopePersonal:
			owners = append(owners, d.owner)
		case d.ref.Scope == memory.ScopeTeam:
			owners = append(owners, memory.SystemOwner)
		}
	}
	slices.Sort(owners) // all writers in the same order
	for _, owner := range slices.Compact(owners) {
		b.Queue(SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner": owner, "owner_id": pg.NewID()}))
		QueueMark(b, t, owner)
	}
}
