package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
)

// corrects reports whether a passage takes back or corrects something said before.
func (p *passage) corrects() bool {
	return p.set.Any(cue.Correct, cue.Forget, cue.Over) && !p.asks
}

// forgets reports whether a passage asks to forget something, without saying anything new.
func (p *passage) forgets() bool { return p.set.Has(cue.Forget) && !p.asks }

// Shares of words by which a correction and the line that it corrects belong together.
const (
	sameTopic  = .5 // of the shorter of both
	overTopic  = .4 // when something is said to be over
	fewShared  = 2  // words, that suffice with a cue of correction
	lookBehind = 2  // messages of the user in which a value may be that is corrected by its unit alone
)

// settle applies corrections within the conversation: a passage whose value is corrected gets the right one in brackets or is
// withdrawn. In the daily entry both stay as they were said.
func settle(all []passage) {
	for i := range all {
		p := &all[i]
		if !p.corrects() {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			old := &all[k]
			if old.speaker != p.speaker || old.withdrawn || old.message == p.message && p.forgets() {
				continue
			}
			near := p.message-old.message <= lookBehind
			text, wrong, sure := p.against(old.text, old.terms, near)
			if !sure && near && k == i-1 && p.set.Has(cue.Correct) && p.terms.shared(old.terms) > 0 {
				p.later = true
			}
			if !sure {
				continue
			}
			old.withdrawn = true
			if text != "" {
				p.corrected, p.wrong = text, wrong
				p.lasting = max(p.lasting, old.lasting)
				p.kind = old.kind
			}
			break
		}
	}
}

// against compares a correction with an earlier text. sure reports that it takes the text back. corrected is the earlier text
// with the right value in brackets; empty if the value is not known for certain.
// wrong is the value that was replaced. near allows a match by unit alone.
func (p *passage) against(old string, terms words, near bool) (corrected, wrong string, sure bool) {
	if len(terms) == 0 || len(p.terms) == 0 {
		return "", "", false
	}
	if p.forgets() {
		topic := wordsOf(clause(p.behind(cue.Forget)))
		return "", "", len(topic) > 0 && topic.within(terms) >= sameTopic
	}
	shared := p.terms.shared(terms)
	share := max(p.terms.within(terms), terms.within(p.terms))
	if p.set.Has(cue.Over) && shared >= fewShared && share >= overTopic {
		return "", "", true
	}
	if from, to, ok := replacedValue(old, p.text, p.lang); ok {
		named := strings.Contains(foldedText(p.text), foldedText(old[from.Start:from.End]))
		sameUnit := from.unit != "" && from.unit == to.unit
		if named && p.set.Any(cue.Correct, cue.Not) || p.set.Has(cue.Correct) && near && (sameUnit || shared >= fewShared) {
			return old[:from.Start] + "[" + p.text[to.Start:to.End] + "]" + old[from.End:], old[from.Start:from.End], true
		}
		if !near && sameUnit && (shared >= fewShared || shared >= 1 && terms.within(p.context) >= sameTopic) { // a new value of something known
			return old[:from.Start] + "[" + p.text[to.Start:to.End] + "]" + old[from.End:], old[from.Start:from.End], true
		}
	}
	switch {
	case p.set.Any(cue.Correct, cue.Over) && shared >= fewShared && share >= sameTopic:
		return "", "", opposes(p.set, old, p.lang)
	case !near && p.lasting > 0 && shared >= 1 && terms.within(p.terms) >= sameTopic:
		return "", "", opposes(p.set, old, p.lang)
	}
	return "", "", false
}

// clause returns a text up to its first comma or full stop.
func clause(text string) string {
	if at := strings.IndexAny(text, ",.;:!?，。；：！？、،؛؟\n"); at > 0 {
		return text[:at]
	}
	return text
}

// opposes reports whether a correction negates a text or the text negates it.
func opposes(set cue.Set, old, lang string) bool {
	return set.Has(cue.Not) != cue.Find(old, lang).Set().Has(cue.Not)
}

// behind returns the text behind the first cue of a kind.
func (p *passage) behind(k cue.Kind) string {
	for _, m := range cue.Find(p.text, p.lang) {
		if m.Kind == k {
			return p.text[m.End:]
		}
	}
	return p.text
}

// value is a number, a name or a time in a text.
type value struct {
	Start, End int
	class      byte   // n number, t time, c capitalised name
	text       string // folded
	unit       string // folded word behind a number
}

// replacedValue finds the one value of old that a correction replaces, and the one that it gives instead. Both are of one
// class. It fails if there is more than one possibility.
func replacedValue(old, correction, lang string) (from, to value, ok bool) {
	before, after := valuesOf(old, lang), valuesOf(correction, lang)
	for _, class := range []byte{'n', 't', 'c'} {
		var fresh, known, mentioned []value
		for _, v := range after {
			if v.class != class {
				continue
			}
			if at := slices.IndexFunc(before, func(b value) bool { return b.class == class && b.text == v.text }); at >= 0 {
				mentioned = append(mentioned, before[at])
			} else {
				fresh = append(fresh, v)
			}
		}
		for _, b := range before {
			if b.class == class {
				known = append(known, b)
			}
		}
		switch {
		case len(fresh) != 1:
		case len(mentioned) == 1:
			return mentioned[0], fresh[0], true
		case len(mentioned) == 0 && class != 'c':
			if len(known) > 1 && fresh[0].unit != "" {
				known = slices.DeleteFunc(known, func(b value) bool { return b.unit != fresh[0].unit })
			}
			if len(known) == 1 && (known[0].unit == fresh[0].unit || fresh[0].unit == "" || known[0].unit == "") {
				return known[0], fresh[0], true
			}
		}
	}
	return value{}, value{}, false
}

// valuesOf returns the values of a text, by position.
func valuesOf(text, lang string) []value {
	var out []value
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsDigit(r) {
			i += n
			continue
		}
		end := i
		for end < len(text) {
			c, m := utf8.DecodeRuneInString(text[end:])
			next, _ := utf8.DecodeRuneInString(text[end+m:])
			if !unicode.IsDigit(c) && !(strings.ContainsRune(".,:'’", c) && unicode.IsDigit(next)) {
				break
			}
			end += m
		}
		v := value{Start: i, End: end, class: 'n', text: foldedText(text[i:end])}
		rest := strings.TrimLeft(text[end:], " ")
		stop := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '%' && r != '€' && r != '$' })
		if stop < 0 {
			stop = len(rest)
		}
		v.unit = foldedText(firstRunes(rest[:stop], 6))
		out = append(out, v)
		i = end
	}
	for _, m := range cue.Find(text, lang) {
		switch m.Kind {
		case cue.Number:
			out = append(out, value{Start: m.Start, End: m.End, class: 'n', text: foldedText(text[m.Start:m.End])})
		case cue.Time:
			out = append(out, value{Start: m.Start, End: m.End, class: 't', text: foldedText(text[m.Start:m.End])})
		}
	}
	start := true
	at := 0
	for _, w := range strings.Fields(text) {
		i := at + strings.Index(text[at:], w)
		at = i + len(w)
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		r, _ := utf8.DecodeRuneInString(bare)
		if !start && unicode.IsUpper(r) && bare != "I" {
			k := i + strings.Index(w, bare)
			if !slices.ContainsFunc(out, func(v value) bool { return v.Start < k+len(bare) && k < v.End }) {
				out = append(out, value{Start: k, End: k + len(bare), class: 'c', text: foldedText(bare)})
			}
		}
		last, _ := utf8.DecodeLastRuneInString(w)
		start = strings.ContainsRune(".!?…", last)
	}
	slices.SortFunc(out, func(a, b value) int { return a.Start - b.Start })
	return out
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
