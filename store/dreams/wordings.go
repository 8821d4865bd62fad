package dreams

import (
	"slices"
	"strings"

	"reverie/dream/judge"
	"reverie/dream/rewrite"
	"reverie/language/claim"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/markdown"
)

// wordings recognises statements in other words: alike, or with the same claims.
type wordings struct {
	ids    memory.EntrySet
	words  []claim.Words
	claims claim.Claimed
	whole  bool                                       // only statements as a whole, not their sentences
	stays  func(memory.Document, markdown.Entry) bool // statements that nothing is cut from; nil: none
}

func wordingsOf(texts ...string) (w wordings) {
	for _, text := range texts {
		if text = rewrite.WithoutComments(text); text != "" {
			w.add(text, false)
		}
	}
	return w
}

func (w *wordings) add(text string, dependent bool) {
	if w.ids == nil {
		w.ids, w.claims = memory.EntrySet{}, claim.Claimed{}
	}
	w.ids[markdown.EntryIDOf(text)] = true
	w.words = append(w.words, claim.WordsOf(text))
	w.claims.With(text, dependent)
}

// has reports whether a statement, or each of its sentences, makes one of the statements.
func (w *wordings) has(e markdown.Entry) bool {
	if w.hasWhole(e) {
		return true
	}
	gone, left := w.passages(e)
	return len(gone) > 0 && left == 0
}

func (w *wordings) hasWhole(e markdown.Entry) bool {
	text := rewrite.WithoutComments(e.Text)
	words := claim.WordsOf(text)
	return w.ids[markdown.EntryIDOf(text)] || w.claims.MadeBy(text, judge.Dependent(e)) ||
		slices.ContainsFunc(w.words, func(said claim.Words) bool { return claim.SameStatement(said, words) })
}

// passage is a sentence of a statement, or a main clause of one, that is removed.
type passage struct {
	said string
	of   string // the sentence that has it
	left string // what stays of that sentence; empty: nothing
}

// passages returns the sentences and clauses of a statement that make one of the statements, and the number of the sentences of which
// something stays. A statement of one sentence that has no such clause has none.
func (w wordings) passages(e markdown.Entry) (gone []passage, left int) {
	text := strings.TrimSpace(rewrite.WithoutComments(e.Text))
	q, quoted := claim.QuoteOf(text)
	if !quoted {
		q = claim.Quote{Words: text}
	}
	all := sentence.Split(q.Words)
	if w.whole {
		return nil, 0
	}
	makes := func(said string) bool {
		one := e
		one.Text = claim.Quote{Speaker: q.Speaker, Words: said}.Plain()
		return w.hasWhole(one)
	}
	for _, said := range all {
		if len(all) > 1 && makes(said) {
			gone = append(gone, passage{said: said, of: said})
			continue
		}
		var clauses []passage
		rest := said
		for _, clause := range sentence.Clauses(said) {
			if shorter, ok := sentence.WithoutClause(rest, clause); ok && makes(clause) {
				clauses = append(clauses, passage{said: clause, of: rest, left: shorter})
				rest = shorter
			}
		}
		if len(clauses) > 0 && makes(rest) {
			gone = append(gone, passage{said: said, of: said})
			continue
		}
		gone = append(gone, clauses...)
		left++
	}
	return gone, left
}

// parts returns the passages of longer statements that make one of the statements, as statements.
func (w wordings) parts(entries []markdown.Entry) (out []markdown.Entry) {
	for _, e := range entries {
		if gone, left := w.passages(e); left > 0 {
			for _, p := range gone {
				out = append(out, p.entry(e))
			}
		}
	}
	return out
}

// entry returns the passage of a statement as a statement.
func (p passage) entry(e markdown.Entry) markdown.Entry {
	e.Text, e.ID = p.said, memory.ItemID(p.said)
	return e
}

// cut removes the passages of longer statements from a document, and returns them with what is left of their lines. Passages over the end
// of a line stay, and so do statements that are removed as a whole: those of names, too. Lines keep their numbers.
func (w wordings) cut(d *memory.Document, names memory.EntrySet) (found []Found) {
	lines := slices.Collect(strings.Lines(d.Content))
	for _, e := range markdown.EntriesOf(d.Content) {
		if names[e.ID] || w.has(e) || w.stays != nil && w.stays(*d, e) {
			continue
		}
		gone, _ := w.passages(e)
		for _, p := range gone {
			for i := e.FromLine - 1; i < e.ToLine; i++ {
				left, ok := p.cut(lines[i])
				if !ok {
					continue
				}
				lines[i] = left
				found = append(found, Found{
					Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Entry: p.entry(e),
					Left: strings.TrimSpace(strings.TrimPrefix(left, memory.ListPrefix(left))),
				})
				break
			}
		}
	}
	d.Content = strings.Join(lines, "")
	return found
}

// cut removes the passage from a line, which keeps its marker and its quotation marks.
func (p passage) cut(line string) (string, bool) {
	if p.left == "" {
		return withoutSentence(line, p.said)
	}
	marker := memory.ListPrefix(line)
	before, after, found := strings.Cut(line[len(marker):], p.of)
	return marker + before + p.left + after, found
}

// withoutSentence removes a sentence from a line, which keeps its marker and its quotation marks.
func withoutSentence(line, said string) (string, bool) {
	marker := memory.ListPrefix(line)
	before, after, found := strings.Cut(line[len(marker):], said)
	if !found {
		return line, false
	}
	spaced := strings.HasSuffix(before, " ") && strings.HasPrefix(after, " ")
	before, after = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
	if spaced {
		after = " " + after
	}
	return marker + before + after, true
}
