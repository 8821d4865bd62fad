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
	whole  bool // only statements as a whole, not their sentences
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

func (w *wordings) has(e markdown.Entry) bool {
	text := rewrite.WithoutComments(e.Text)
	words := claim.WordsOf(text)
	if w.ids[markdown.EntryIDOf(text)] || w.claims.MadeBy(text, judge.Dependent(e)) ||
		slices.ContainsFunc(w.words, func(said claim.Words) bool { return claim.SameStatement(said, words) }) {
		return true
	}
	gone, left := w.sentences(e)
	return len(gone) > 0 && left == 0
}

// sentences returns the sentences of a statement that make one of the statements, and the number of the others. A statement of one sentence
// has none.
func (w wordings) sentences(e markdown.Entry) (gone []string, left int) {
	text := strings.TrimSpace(rewrite.WithoutComments(e.Text))
	q, quoted := claim.QuoteOf(text)
	if !quoted {
		q = claim.Quote{Words: text}
	}
	all := sentence.Split(q.Words)
	if w.whole || len(all) < 2 { //nolint:mnd // sentences
		return nil, 0
	}
	for _, said := range all {
		one := e
		one.Text = claim.Quote{Speaker: q.Speaker, Words: said}.Plain()
		if w.has(one) {
			gone = append(gone, said)
		} else {
			left++
		}
	}
	return gone, left
}

// parts returns the sentences of longer statements that make one of the statements, as statements.
func (w wordings) parts(entries []markdown.Entry) (out []markdown.Entry) {
	for _, e := range entries {
		if gone, left := w.sentences(e); left > 0 {
			for _, said := range gone {
				one := e
				one.Text, one.ID = said, memory.ItemID(said)
				out = append(out, one)
			}
		}
	}
	return out
}

// cut removes the sentences of longer statements from a document, and returns them with what is left of their lines. Sentences over the end
// of a line stay, and so do statements that go whole: those of names, too. Lines keep their numbers.
func (w wordings) cut(d *memory.Document, names memory.EntrySet) (found []Found) {
	lines := slices.Collect(strings.Lines(d.Content))
	for _, e := range markdown.EntriesOf(d.Content) {
		if names[e.ID] || w.has(e) {
			continue
		}
		gone, _ := w.sentences(e)
		for _, said := range gone {
			for i := e.FromLine - 1; i < e.ToLine; i++ {
				left, ok := withoutSentence(lines[i], said)
				if !ok {
					continue
				}
				lines[i] = left
				one := e
				one.Text, one.ID = said, memory.ItemID(said)
				found = append(found, Found{
					Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Entry: one, Left: strings.TrimSpace(strings.TrimPrefix(left, memory.ListPrefix(left))),
				})
				break
			}
		}
	}
	d.Content = strings.Join(lines, "")
	return found
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
