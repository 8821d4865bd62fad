package gate

import (
	"fmt"
	"slices"
	"strings"

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
