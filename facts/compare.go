package facts

import (
	"cmp"
	"slices"

	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
)

// Difference lists the changes of a new version of a document to its statements.
type Difference struct {
	Added  []Statement
	Edited []Edit // statements that are the same ones in other words, or under another heading
	Gone   []markdown.EntryID
}

// Edit is a statement that stays the same one although its words or its place change.
type Edit struct {
	Was markdown.EntryID
	Now Statement
}

// Empty reports whether nothing changed.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Edited)+len(d.Gone) == 0 }

// History compares the versions of a document in their order. It splits each version into statements once.
type History struct {
	path string
	last []Statement
}

// NewHistory returns a history that begins with a version of a document.
func NewHistory(path, content string) *History {
	return &History{path: path, last: entriesOf(path, content)}
}

// Next returns the difference between the version before and the next one. Only statements that changed are read.
func (h *History) Next(content string) Difference {
	had, has := h.last, entriesOf(h.path, content)
	h.last = has
	was := make(map[markdown.EntryID]Statement, len(had))
	for _, s := range had {
		was[s.Entry] = s
	}
	var d Difference
	for _, s := range has {
		old, found := was[s.Entry]
		delete(was, s.Entry)
		if found && old.Text == s.Text && old.Heading == s.Heading && old.Archived == s.Archived {
			continue
		}
		s.Reading = read(h.path, s)
		if found {
			d.Edited = append(d.Edited, Edit{Was: s.Entry, Now: s})
			continue
		}
		d.Added = append(d.Added, s)
	}
	gone := slices.DeleteFunc(had, func(s Statement) bool { _, left := was[s.Entry]; return !left })
	d.follow(gone)
	return d
}

// maxPairs bounds the comparisons of one difference. A document that changes more than that is another one.
const maxPairs = 10_000

// follow finds removed statements among the added ones in other words, and records the others as removed.
func (d *Difference) follow(gone []Statement) {
	type pair struct {
		was, now int
		alike    float64
	}
	var pairs []pair
	if len(gone)*len(d.Added) <= maxPairs && len(d.Added) > 0 {
		for i, s := range gone {
			for j, n := range d.Added {
				if alike := likeness(s.Text, n.Text); alike >= minLikeness {
					pairs = append(pairs, pair{i, j, alike})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.alike, a.alike) })
	followed, follows := map[int]bool{}, map[int]bool{}
	had, has := make([]*edited, len(gone)), make([]*edited, len(d.Added))
	for _, p := range pairs {
		if followed[p.was] || follows[p.now] {
			continue
		}
		if had[p.was] == nil {
			had[p.was] = editedOf(gone[p.was].Text)
		}
		if has[p.now] == nil {
			has[p.now] = editedOf(d.Added[p.now].Text)
		}
		if !had[p.was].keepsValues(has[p.now]) {
			continue
		}
		followed[p.was], follows[p.now] = true, true
		d.Edited = append(d.Edited, Edit{Was: gone[p.was].Entry, Now: d.Added[p.now]})
	}
	var added []Statement
	for j, s := range d.Added {
		if !follows[j] {
			added = append(added, s)
		}
	}
	d.Added = added
	for i, s := range gone {
		if !followed[i] {
			d.Gone = append(d.Gone, s.Entry)
		}
	}
}

// minLikeness is the share of common words from which two texts can be the same statement.
const minLikeness = .6

// likeness returns the share of words that two texts have in common (Dice's coefficient).
func likeness(a, b string) float64 {
	has, had := markdown.Words(a), markdown.Words(b)
	common := 0
	for w := range has {
		if had[w] {
			common++
		}
	}
	if len(has)+len(had) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(has)+len(had))
}

// minAlike is the share of the content of the shorter one of two statements that the other one has, if one is made of the other.
const minAlike = .5

// Alike reports whether one of two statements may be the other one in other words.
func Alike(a, b string) bool {
	short, long := claim.ContentOf(a), claim.ContentOf(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	common := 0
	for word := range short {
		if long[word] {
			common++
		}
	}
	return len(short) > 0 && float64(common) >= minAlike*float64(len(short))
}

// repeats reports whether a new text only repeats a statement, with the same values, in any wording.
func repeats(statement, text string) bool {
	had, is := claim.WordsOf(statement), claim.WordsOf(text)
	if len(is.Units) > len(had.Units) || !sameValues(statement, text) {
		return false
	}
	return claim.SameStatement(had, is) || is.RestatedIn(had)
}

// sameValues reports whether two texts state the same values.
func sameValues(was, now string) bool {
	if !slices.Equal(digitsOf(was), digitsOf(now)) {
		return false
	}
	_, _, disputed := claim.Dispute(claim.Read(was), claim.Read(now))
	return !disputed
}

var numbers = lazyregexp.New(`\p{N}+`)

// digitsOf returns the numbers in digits, sorted.
func digitsOf(text string) []string {
	found := numbers.FindAllString(text, -1)
	slices.Sort(found)
	return found
}
