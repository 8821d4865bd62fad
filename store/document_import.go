package store

import (
	"strings"
	"unicode/utf8"

	"reverie/memory"
)

// maxFrom bounds what another system is called in a document, in bytes.
const maxFrom = 64

// admitImport checks a document that is moved in.
func (c *checked) admitImport(at string) (string, error) {
	if !c.Import.Valid() {
		return "", &InvalidError{Field: at + "onConflict", Problem: "use merge, keep or overwrite"}
	}
	if c.From == "" || len(c.From) > maxFrom || !utf8.ValidString(c.From) || strings.ContainsAny(c.From, "\r\n\x00") {
		return "", &InvalidError{Field: at + "from", Problem: "name the system that it comes from, in one short line"}
	}
	return c.admit(at+"content", c.Content)
}

// imported is what a document becomes when another system's is moved in: that one as it is when there is none, or nobody has
// written to it yet, else what the policy says.
func (d *document) imported(c *checked) state {
	before := d.content()
	switch {
	case d.version == 0, d.deleted, c.Import == memory.ImportOverwrite, d.ref.Scope == memory.ScopeTeam && memory.IsSeed(d.ref.Path, before):
		return state{content: c.Content}
	case c.Import == memory.ImportKeep:
		return state{content: before}
	}
	after := memory.MergeImported(before, c.Content, c.From)
	return state{content: after, merged: after != before}
}
