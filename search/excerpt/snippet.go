package excerpt

import (
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/sentence"
)

// DefaultSnippet is the default length of a snippet in characters, as in OpenClaw.
const DefaultSnippet = 700

// Snippet returns the part of text that best shows why it matched: at most limit characters (code points;
// DefaultSnippet if not positive) around the place with the most distinct terms, as close together as possible. terms
// are forms as the analyser returns them. If none occurs, it returns the beginning.
//
// The result equals text[start:start+len(snippet)]: whole lines if they fit, else whole sentences, words or grapheme
// clusters, without surrounding blanks. It is empty only if limit is shorter than the first cluster.
func Snippet(text string, terms []string, limit int) (snippet string, start int) {
	if limit <= 0 {
		limit = DefaultSnippet
	}
	if start, end := sentence.TrimBlanks(text); utf8.RuneCountInString(text[start:end]) <= limit {
		return text[start:end], start
	}
	w := window{limit: limit, parts: snippetParts(text, limit)}
	w.mark(text, terms)
	from, to := w.densest()
	if from == to {
		return "", 0
	}
	from, to = w.grown(from, to)
	return text[w.parts[from].start:w.parts[to-1].end], w.parts[from].start
}

// snippetPart is a non-blank line, or a part of a line that is longer than a snippet.
type snippetPart struct {
	start, end  int // bytes, without surrounding blanks
	first, last int // characters before it, and characters before the part after it
	terms       []string
}

// snippetParts splits text so that any run of parts can form a snippet.
func snippetParts(text string, limit int) []snippetPart {
	var parts []snippetPart
	at, characters := 0, 0
	add := func(start, end int) {
		characters += utf8.RuneCountInString(text[at:start])
		part := snippetPart{start: start, end: end, first: characters}
		characters += utf8.RuneCountInString(text[start:end])
		part.last = characters
		parts = append(parts, part)
		at = end
	}
	for start, end := range sentence.Lines(text) {
		from, to := sentence.TrimBlanks(text[start:end])
		from, to = start+from, start+to
		if utf8.RuneCountInString(text[from:to]) <= limit {
			if from < to {
				add(from, to)
			}
			continue
		}
		begin, broken := from, false
		flush := func(next int) {
			share := limit
			if broken {
				share = max(limit/brokenShare, 1)
			}
			for part := range sentence.Parts(text[begin:next], share, utf8.RuneCountInString) {
				add(begin+part.Start, begin+part.End)
			}
			begin, broken = next, false
		}
		for part := range sentence.Parts(text[from:to], limit, utf8.RuneCountInString) {
			if part.Cut == sentence.AtSentence {
				flush(from + part.Start)
			} else {
				broken = true
			}
		}
		flush(to)
	}
	return parts
}

// brokenShare bounds the parts of a sentence longer than the snippet, as a share of the snippet: small enough to center
// the match.
const brokenShare = 8

// window finds the best run of parts.
type window struct {
	limit int
	parts []snippetPart
}

// mark records which terms the parts contain.
func (w *window) mark(text string, terms []string) {
	if len(terms) == 0 {
		return
	}
	wanted := make(map[string]bool, len(terms))
	for _, term := range terms {
		wanted[term] = true
	}
	part := 0
	for _, token := range analysis.Analyse(text) {
		for part < len(w.parts) && w.parts[part].end < token.End {
			part++
		}
		if part == len(w.parts) {
			return
		}
		if token.Start < w.parts[part].start {
			continue // it spans two parts
		}
		found := ""
		for _, form := range token.Forms {
			if wanted[form] {
				found = form // the last one is shared by the spellings of a word
			}
		}
		if found != "" {
			w.parts[part].terms = append(w.parts[part].terms, found)
		}
	}
}

// fits reports whether parts[from:to] fit into the limit.
func (w *window) fits(from, to int) bool {
	return w.parts[to-1].last-w.parts[from].first <= w.limit
}

// densest returns the shortest run that fits and has the most distinct terms; the first one of equals.
func (w *window) densest() (from, to int) {
	counts := map[string]int{}
	most, length := 0, 0
	start := 0
	for i, part := range w.parts {
		for _, term := range part.terms {
			counts[term]++
		}
		for start <= i && (!w.fits(start, i+1) || w.spare(start, counts)) {
			for _, term := range w.parts[start].terms {
				if counts[term]--; counts[term] == 0 {
					delete(counts, term)
				}
			}
			start++
		}
		if start > i {
			continue
		}
		size := part.last - w.parts[start].first
		if from == to || len(counts) > most || len(counts) == most && most > 0 && size < length {
			from, to, most, length = start, i+1, len(counts), size
		}
	}
	return from, to
}

// spare reports whether the run also has every term of its first part elsewhere, so that the part can be dropped.
func (w *window) spare(part int, counts map[string]int) bool {
	if len(counts) == 0 {
		return false
	}
	need := map[string]int{}
	for _, term := range w.parts[part].terms {
		if need[term]++; need[term] >= counts[term] {
			return false
		}
	}
	return true
}

// grown alternately extends the run at its end and its beginning while it fits.
func (w *window) grown(from, to int) (int, int) {
	for more := true; more; {
		more = false
		if to < len(w.parts) && w.fits(from, to+1) {
			to++
			more = true
		}
		if from > 0 && w.fits(from-1, to) {
			from--
			more = true
		}
	}
	return from, to
}
