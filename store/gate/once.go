package gate

import (
	"reverie/dream/judge"
	"reverie/memory"
	"reverie/memory/markdown"
)

// An author that adds only what a document does not say (Change.Once) has compared its statements with the version that it read.
// Others may have added the same ones since, so the gate compares again, with the locked document.

// merge merges a replacement with the changes since its base, without the statements that those have added as well.
func (d *document) merge(c *checked, author memory.Author) (string, []markdown.Conflict) {
	base, now := d.contents[c.Base], d.content()
	merged, conflicts := markdown.Merge3(base, c.Content, now)
	if !c.Once || len(conflicts) == 0 && !d.repeats(c, merged, author) {
		return merged, conflicts
	}
	return markdown.Merge3(base, d.unsaid(c, author), now)
}

// unsaid returns the content of a replacement without the statements that others have added since its base.
func (d *document) unsaid(c *checked, author memory.Author) string {
	if !c.Once {
		return c.Content
	}
	content, _ := memory.WithoutKnown(d.contents[c.Base], c.Content, d.knownSince(c, author))
	return content
}

// repeats reports whether a merged text has a statement twice: once from the change, and once from others since its base.
func (d *document) repeats(c *checked, merged string, author memory.Author) bool {
	known := d.knownSince(c, author)
	left := map[markdown.EntryID]int{}
	for _, e := range markdown.EntriesOf(d.content()) {
		left[e.ID]++
	}
	for _, e := range memory.AddedEntries(d.contents[c.Base], merged) {
		if left[e.ID]--; left[e.ID] < 0 && known(e) {
			return true
		}
	}
	return false
}

// knownSince recognises the statements that others have added since the base of a change: for a workflow in the same or in other
// words, for people and tools in the same.
func (d *document) knownSince(c *checked, author memory.Author) memory.Says {
	had := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(d.contents[c.Base]) {
		had[e.ID] = true
	}
	isNew := func(e markdown.Entry) bool { return !had[e.ID] }
	if author.Kind != memory.AuthorWorkflow {
		return saysIn(d.content(), isNew)
	}
	return judge.KnownOf(d.content(), isNew).Says
}

// saysIn recognises the statements of a content that only selects, by their words.
func saysIn(content string, only func(markdown.Entry) bool) memory.Says {
	said := memory.EntrySet{}
	for _, e := range markdown.EntriesOf(content) {
		said[e.ID] = said[e.ID] || only(e)
	}
	return func(e markdown.Entry) bool { return said[e.ID] }
}

// news removes from the text of an append the statements that the document has, and reports whether anything is left.
func (d *document) news(c *checked) bool {
	all := func(markdown.Entry) bool { return true }
	if content, known := memory.WithoutKnown("", c.Content, saysIn(d.content(), all)); known {
		c.Content = content
	}
	if len(markdown.EntriesOf(c.Content)) > 0 {
		return true
	}
	c.Content = ""
	return false
}
