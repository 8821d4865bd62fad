package gate

import (
	"slices"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
)

// A machine that corrects a statement writes the document without the old words and with the new ones. When the gate takes the new ones
// out, the correction did not arrive, and the old statement would be lost. So it stays.

// keepReplaced puts back what a change replaces with statements that were removed from it: proposed is the document as the change made
// it, next without those statements. A change that would add nothing else leaves the document as it was.
func (w *Writes) keepReplaced(d *document, c *checked, proposed string, next *state) {
	replaces := c.Op == memory.OpReplace || c.Op == memory.OpMerge
	if next.deleted || !replaces || w.Author.Kind == memory.AuthorImport { // a person imports, and has chosen what becomes of the old text
		return
	}
	if !addsStatements(d.content(), next.content) {
		switch _, is := structured.TypeOf(d.ref.Path); {
		case d.version > 0 && !d.deleted:
			next.content, next.merged = d.content(), false
		case is && !addsStatements("", next.content): // else the key of an empty entry
			next.content = ""
		}
		return
	}
	if d.version == 0 || d.deleted || c.Op == memory.OpMerge { // which replaces whole sections
		return
	}
	content, replaced := withReplaced(d.content(), proposed, next.content)
	if !replaced {
		return
	}
	// Lines that were apart are next to each other now.
	_, out := withoutInstructions(d.content(), content, !d.takesDoubtful(w.Author))
	gone := w.forgotten.of(forgetterOf(d.ref.Scope, d.owner))
	again := memory.WithholdForgotten(d.content(), true, content, func(e markdown.Entry) bool { return len(gone.SaidBy(e)) > 0 })
	if len(out.held)+len(out.aside) == 0 && !again.Any {
		next.content = content
	}
}

// addsStatements reports whether after has statements that before does not have. The line with the source of a structured entry is none.
func addsStatements(before, after string) bool {
	return slices.ContainsFunc(memory.AddedEntries(before, after), func(e markdown.Entry) bool { return !structured.IsPlainSource(e.Text) })
}

// withReplaced returns left, which is proposed without some statements, with those of before in place of which they were. It reports
// false if there are none.
func withReplaced(before, proposed, left string) (string, bool) {
	stands := map[string]bool{}
	for _, line := range markdown.Lines(left) {
		stands[markdown.LineKey(line)] = true
	}
	edits := markdown.Edits(before, proposed)
	refused, empties := make([]bool, len(edits)), make([]bool, len(edits))
	for i, e := range edits {
		said := slices.ContainsFunc(e.Added, markdown.HasText)
		edits[i].Added = slices.DeleteFunc(slices.Clone(e.Added), func(line string) bool {
			return markdown.HasText(line) && !stands[markdown.LineKey(line)]
		})
		empties[i] = said && !slices.ContainsFunc(edits[i].Added, markdown.HasText)
		refused[i] = empties[i]
	}
	replaced := false
	for from := 0; from < len(edits); {
		to := from + 1
		for to < len(edits) && beside(edits[to-1], edits[to]) {
			to++
		}
		var removed, added []int // which the difference does not pair, in order
		for i := from; i < to; i++ {
			switch e := edits[i]; {
			case e.IsFrame():
			case len(e.Removed) == 0:
				added = append(added, i)
			case len(e.Added) == 0 && !empties[i]:
				removed = append(removed, i)
			default:
				replaced = replaced || refused[i]
			}
		}
		all := len(added) > 0 && !slices.ContainsFunc(added, func(i int) bool { return !refused[i] })
		for n, i := range removed {
			if all || n < len(added) && refused[added[n]] {
				refused[i], replaced = true, true
			}
		}
		from = to
	}
	return markdown.ApplyEdits(before, edits, func(i int) bool { return !refused[i] }), replaced
}

// beside reports whether edit b is of the lines that follow those of edit a.
func beside(a, b markdown.Edit) bool { return a.At+len(a.Removed) == b.At }
