package memory

import (
	"crypto/sha256"
	"encoding/hex"
)

// EntryID names a statement by what it says, so that what is known about it (how often it was recalled, whether it was promoted)
// stays with it when its document is rewritten. It is the same for the same statement in every document.
//
// It does not change with the kind of list marker, its number, indentation, quotation marks of Markdown, emphasis, code marks,
// escapes, comments, blanks, line breaks and where lines are broken, case, Unicode form and width, typographic quotes and dashes,
// or the punctuation at the end. It does not depend on where the statement stands, except in a list: an item says something
// else under another item, so that a nested one has its parent's identity in its own. A box that is ticked and words that are
// struck out say something else, too; an empty box says nothing.
type EntryID string

// EntryIDOf is the identity of a statement that no other one encloses, as it stands in a document. A list item may be given
// without its marker, unless it begins with what looks like another one: "- 12. May", not "12. May".
func EntryIDOf(text string) EntryID { return EntryIDUnder("", text) }

// EntryIDUnder is the identity of a statement that stands under the one with the identity parent; without one that is "".
func EntryIDUnder(parent EntryID, text string) EntryID { return entryID(parent, unmarked(text)) }

// entryID is the identity of what is said, its list marker taken off already.
func entryID(parent EntryID, said string) EntryID {
	sum := sha256.Sum256([]byte(string(parent) + "\n" + entryWords(said)))
	return EntryID(hex.EncodeToString(sum[:entryIDBytes]))
}

// entryIDBytes is how much of a hash an identity keeps: with 128 bits two statements never share one.
const entryIDBytes = 16

// EntryAt is a statement where it stands in a document.
type EntryAt struct {
	ID       EntryID
	Text     string // without list marker, indentation and, of prose, line breaks
	FromLine int    // 1-based, inclusive, of exactly this statement: without the items under it
	ToLine   int
	Heading  string // the nearest one above it; empty in front of the first
	Parent   int    // index of the statement that encloses it: of a nested item the item, of a row the head of its table; -1: none
}

// EntriesOf lists the statements of a Markdown document in order: list items, paragraphs (each of those in an item is a
// statement under it), quotations, rows of tables and blocks of code. Headings, front matter, comments and rules are none.
func EntriesOf(content string) []EntryAt {
	lines := lineTexts(content)
	s := entryScan{lines: lines, open: -1}
	for s.at = frontMatter(lines); s.at < len(lines); s.at++ {
		s.line(lines[s.at])
	}
	return s.statements()
}

// statements are the entries that say something, with their texts and identities.
func (s *entryScan) statements() []EntryAt {
	var out []EntryAt
	place := make([]int, len(s.entries)) // in out; of one that says nothing, its parent's
	for i, e := range s.entries {
		if e.Parent >= 0 {
			e.Parent = place[e.Parent]
		}
		e.Text = s.said[i].String()
		if place[i] = e.Parent; !saysSomething(e.Text) {
			continue
		}
		place[i] = len(out)
		parent := EntryID("")
		if e.Parent >= 0 {
			parent = out[e.Parent].ID
		}
		e.ID = entryID(parent, e.Text)
		out = append(out, e)
	}
	return out
}
