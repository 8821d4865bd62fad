package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
)

// contrast is a name that a sentence denies and the one that it gives instead: "it is pnpm, not npm".
type contrast struct {
	denied, given string
	others        words // what else the sentence says
}

// Names, in languages with spaces between words and in others, where only those in Latin script show where they end.
var (
	spacedName   = lazyregexp.New(`[\p{L}\p{M}\p{N}]+(?:[-._+#/'’][\p{L}\p{M}\p{N}]+)*`)
	unspacedName = lazyregexp.New(`[A-Za-z0-9]+(?:[-._+#/][A-Za-z0-9]+)*`)
)

// namesOf returns the places of the words of a text that may be names: with content, and neither cues nor numbers.
func namesOf(text, lang string, marks cue.Marks) [][]int {
	pattern := spacedName
	if slices.Contains(pairs, lang) {
		pattern = unspacedName
	}
	return slices.DeleteFunc(pattern.FindAllStringIndex(text, -1), func(at []int) bool {
		first, _ := utf8.DecodeRuneInString(text[at[0]:])
		return unicode.IsDigit(first) || len(wordsOf(text[at[0]:at[1]], lang)) == 0 || slices.ContainsFunc(marks, func(m cue.Mark) bool {
			return m.Start < at[1] && at[0] < m.End && m.Kind != cue.Like && m.Kind != cue.Work && m.Kind != cue.Health
		})
	})
}

// contrasts returns what the sentences of a text deny and give instead.
func contrasts(text, lang, in string) (out []contrast) {
	for _, s := range sentence.Split(text) {
		marks := cue.Find(s, lang)
		set := marks.Set()
		if !set.Has(cue.Not) || set.Any(cue.If, cue.Would, cue.Suppose, cue.Doubt, cue.Request) || strings.HasSuffix(s, "?") {
			continue
		}
		names := namesOf(s, in, marks)
		for _, m := range marks {
			if m.Kind != cue.Not {
				continue
			}
			if denied, given := contrasted(s, names, m, lang == "ja" || lang == "ko"); denied >= 0 {
				c := contrast{denied: s[names[denied][0]:names[denied][1]], given: s[names[given][0]:names[given][1]], others: words{}}
				last := max(denied, given)
				end := names[last][1] + len(clause(s[names[last][1]:]))
				for i, n := range names {
					if i != denied && i != given && (n[0] < end || len(names) > last+2) { // "sorry", "btw"
						c.others.add(wordsOf(s[n[0]:n[1]], in))
					}
				}
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// contrasted returns which of the names of a sentence negation m denies and which one it gives instead, -1 if there are none. The denied one
// is adjacent to the negation and one of both ends its clause. last: a negation comes after what it denies.
func contrasted(text string, names [][]int, m cue.Mark, last bool) (denied, given int) {
	next := slices.IndexFunc(names, func(n []int) bool { return n[0] >= m.End })
	if next < 0 {
		next = len(names)
	}
	denied, given = next, next-1
	switch {
	case last:
		denied, given = next-1, next
	case given < 0: // "not npm but pnpm"
		given = next + 1
	}
	if min(denied, given) < 0 || max(denied, given) >= len(names) {
		return -1, -1
	}
	d, g := names[denied], names[given]
	switch {
	case last:
		if strings.TrimSpace(text[min(m.Start, d[1]):m.Start]) != "" {
			return -1, -1
		}
	case strings.TrimSpace(text[m.End:d[0]]) != "" || !endsClause(text[max(d[1], g[1]):]) ||
		given < denied && !sets(text[g[1]:m.Start]) && !alone.MatchString(text[m.Start:m.End]) || given > denied && !sets(text[d[1]:g[0]]):
		return -1, -1
	}
	return denied, given
}

// endsClause reports whether a clause ends before a text, or continues with a place or a purpose.
func endsClause(text string) bool {
	rest := strings.Fields(clause(text))
	return len(rest) == 0 || slices.Contains([]string{"in", "for", "on", "at"}, rest[0])
}

// alone matches negations of English that deny a name without a comma before them.
var alone = lazyregexp.New(`(?i)^(?:not|instead of|rather than)$`)

// sets reports whether what is between two names sets them against each other: a mark or a conjunction, and hardly more.
func sets(between string) bool {
	n := len(strings.Fields(strings.Trim(between, " ,;，、،–—-(")))
	return n == 1 || n == 0 && strings.TrimSpace(between) != ""
}

// swap finds the name of an earlier text with some words that a passage denies, and the one that it gives instead. They belong together
// if the rest of the sentence has nothing but words of that text. bare is set when it has none.
func (p *passage) swap(old string, said words) (from value, to string, bare, ok bool) {
	if p.asks {
		return value{}, "", false, false
	}
	for _, c := range p.contrasts() {
		denied, given := wordsOf(c.denied, p.words), wordsOf(c.given, p.words)
		if denied.shared(said) < len(denied) || given.shared(said) > 0 || c.others.shared(said) < len(c.others) {
			continue
		}
		var at []int
		count := 0
		for _, n := range namesOf(old, p.words, nil) {
			if same := wordsOf(old[n[0]:n[1]], p.words); len(same) == len(denied) && same.shared(denied) == len(denied) {
				at, count = n, count+1
			}
		}
		if count == 1 {
			return value{Start: at[0], End: at[1], class: 'w', text: foldedText(c.denied)}, c.given, len(c.others) == 0, true
		}
	}
	return value{}, "", false, false
}

// addsTo reports whether a passage says more than what takes the place of something in an earlier text with some words.
func (p *passage) addsTo(said words) bool {
	const some = 5 // words
	fresh := words{}
	for w := range p.whole().about {
		fresh[w] = !said[w] && !hasDigit(w)
	}
	for _, c := range p.contrasts() {
		for w := range wordsOf(c.given, p.words) {
			fresh[w] = false
		}
	}
	n := 0
	for _, is := range fresh {
		if is {
			n++
		}
	}
	return n >= some
}

// contrasts returns what a passage denies and gives instead, read once.
func (p *passage) contrasts() []contrast {
	if p.denials == nil {
		p.denials = append([]contrast{}, contrasts(p.text, p.lang, p.words)...)
	}
	return p.denials
}

// swapsIn reports whether a passage denies a name of an earlier one and gives another one instead.
func (p *passage) swapsIn(old *passage) bool {
	_, _, bare, ok := p.swap(old.text, old.terms)
	return ok && (!bare || p.message-old.message <= 1)
}

// outdates returns the number of an earlier passage that a passage says was before, beside the one that holds now: "75 was before, now 88".
func (p *passage) outdates(old *passage) string {
	if p.asks || p.message-old.message > lookBehind || !p.set.Has(cue.Change) {
		return ""
	}
	values := valuesOf(old.text, cue.Find(old.text, p.lang))
	windows := p.windows()
	for i := range windows {
		w := &windows[i]
		r, ok := replacedValue(values, w)
		if ok && r.named && r.from.class == 'n' && w.isNow(r.to) && !w.isNow(r.said) && !w.set.Any(cue.If, cue.Would, cue.Suppose, cue.Doubt) {
			return r.from.text
		}
	}
	return ""
}

// restates reports whether a passage begins with a correction and says again what an earlier one says, otherwise: "the other way round: my
// brother is the nurse". It names nothing that the earlier one does not.
func (p *passage) restates(old *passage) bool {
	const some = 3 // words
	if !p.amends || !p.opens || p.asks || p.message-old.message > lookBehind || hasDigit(p.text) {
		return false
	}
	said := words{}
	for w := range p.whole().about {
		if !strings.ContainsFunc(w, script.IsHiragana) && !isEnding(w) { // particles differ
			said[w] = true
		}
	}
	return len(said) >= some && said.shared(old.terms) == len(said)
}

// isNow reports whether a cue of change is in the clause of a value, with no other value between.
func (w *window) isNow(v value) bool {
	return slices.ContainsFunc(w.marks, func(m cue.Mark) bool {
		if m.Kind != cue.Change {
			return false
		}
		between := w.text[min(m.End, v.End):max(m.Start, v.Start)]
		return m.End > v.Start && m.Start < v.End || !strings.ContainsAny(between, ",;.，；。、،") && !hasDigit(between)
	})
}
