package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
)

// corrects reports whether a passage takes back or corrects something said before.
func (p *passage) corrects() bool {
	return (p.set.Any(cue.Correct, cue.Forget, cue.Over) || p.denied != "") && !p.asks
}

// states reports whether a passage states a fact with an attribute.
func (p *passage) states(attribute string) bool {
	return slices.ContainsFunc(p.facts, func(f fact) bool { return f.attribute == attribute })
}

// deniedValue returns the number that a text denies beside another one, folded: "5433" in "it's 5434, not 5433".
func deniedValue(text string, marks cue.Marks) string {
	if !marks.Set().Has(cue.Not) || !hasDigit(text) {
		return ""
	}
	values := valuesOf(text, marks)
	values = slices.DeleteFunc(values, func(v value) bool { return v.class != 'n' })
	for _, m := range marks {
		for _, v := range values {
			if m.Kind == cue.Not && len(values) == 2 && m.End <= v.Start && strings.TrimSpace(text[m.End:v.Start]) == "" {
				return v.text
			}
		}
	}
	return ""
}

// forgets reports whether a passage asks to forget something, without saying anything new.
func (p *passage) forgets() bool { return p.set.Has(cue.Forget) && !p.asks }

// Shares of words by which a correction and the line that it corrects belong together.
const (
	sameTopic   = .5 // of the words of a correction, or of a topic to forget
	sameSubject = .6 // of the words of a correction that gives another number with the same label
	fewShared   = 2  // words, that suffice with a cue of correction
	lookBehind  = 2  // messages of the user in which a value may be that is corrected by its unit alone
)

// settle applies corrections within the conversation: a passage whose value is corrected gets the right one in brackets or is
// withdrawn. In the daily entry both stay as they were said.
func settle(all []passage) {
	for i := range all {
		p := &all[i]
		for k := range i {
			if old := &all[k]; old.speaker == p.speaker && old.proved && len(old.facts) == 1 && p.states(old.facts[0].attribute) {
				old.withdrawn = true
			}
		}
		if !p.corrects() {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			old := &all[k]
			if old.speaker != p.speaker || old.withdrawn || old.message == p.message && p.forgets() {
				continue
			}
			near := p.message-old.message <= lookBehind
			text, wrong, sure := p.against(old.text, old.terms, nil, near)
			if !sure && near && k == i-1 && p.set.Has(cue.Correct) && p.terms.shared(old.terms) > 0 {
				p.later = true
			}
			if !sure {
				continue
			}
			old.withdrawn = true
			if text != "" {
				p.corrected, p.wrong = text, wrong
				p.keep, p.lasting = max(p.keep, old.keep), max(p.lasting, old.lasting)
				p.kind = old.kind
				p.seqs = withSeqs(slices.Clone(old.seqs), p.seqs)
			}
			break
		}
	}
}

// against compares a correction with an earlier text. sure reports that it takes the text back. corrected is the earlier text
// with the right value in brackets; empty if the value is not known for certain.
// wrong is the value that was replaced. near allows a match by unit alone; rare are
// the words of the text that no other line has: one of them is enough for a new number or for an end.
func (p *passage) against(old string, terms, rare words, near bool) (corrected, wrong string, sure bool) {
	if len(terms) == 0 || len(p.terms) == 0 {
		return "", "", false
	}
	if p.forgets() {
		topic := wordsOf(clause(p.behind(cue.Forget)), p.words)
		return "", "", len(topic) > 0 && topic.within(terms) >= sameTopic
	}
	if !near && p.terms.shared(terms) == 0 || !p.set.Any(cue.Over, cue.Not, cue.Correct, cue.Number) && !hasDigit(p.text) && (near || p.lasting <= 0) {
		return "", "", false
	}
	for _, w := range p.windows() {
		c, ok := replacedValue(old, w, p.lang)
		if !ok {
			continue
		}
		shared, window := w.terms.shared(terms), w.text
		switch {
		case c.named && c.from.class != 'n' && (!near || !p.set.Has(cue.Not)), c.labelled && w.terms.within(terms) < sameSubject:
		case c.named && (p.set.Has(cue.Correct) || near && p.set.Has(cue.Not) || p.denied == c.from.text),
			near && p.set.Has(cue.Correct),
			!near && !c.named && (shared >= fewShared || shared >= 1 && terms.within(p.context) >= sameTopic):
			return withValue(old, c.from, window[c.to.Start:c.to.End]), old[c.from.Start:c.from.End], true
		}
	}
	for _, w := range p.windows() {
		shares := w.terms.shared(rare) > 0 && len(w.terms) <= shortClause && (!w.set.Has(cue.Kin) || cue.Find(old, p.lang).Set().Has(cue.Kin))
		if shares && !w.set.Any(cue.Doubt, cue.Suppose, cue.If) {
			if w.set.Has(cue.Over) {
				return "", "", true
			}
			if from, to, ok := newNumber(old, w, p.lang); ok {
				return withValue(old, from, w.text[to.Start:to.End]), old[from.Start:from.End], true
			}
		}
		if w.about.within(terms) < sameTopic {
			continue
		}
		if w.set.Has(cue.Over) || (!near && p.lasting > 0 || p.set.Has(cue.Correct)) && opposes(w.set, old, p.lang) {
			return "", "", true
		}
	}
	return "", "", false
}

// withValue returns a text with another value in brackets. The brackets of an earlier correction and the date that was resolved
// from the old value go.
func withValue(old string, from value, to string) string {
	before, behind := old[:from.Start], old[from.End:]
	if strings.HasSuffix(before, "[") && strings.HasPrefix(behind, "]") {
		before, behind = before[:len(before)-1], behind[1:]
	}
	return before + "[" + to + "]" + staleDate.ReplaceAllString(behind, "$1")
}

// shortClause is the number of words up to which a clause is about each of them.
const shortClause = 9

// newNumber returns the only number of a line and the other one that a clause gives for it.
func newNumber(old string, clause window, lang string) (from, to value, ok bool) {
	number := func(values []value) (value, bool) {
		values = slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v.class != 'n' || !hasDigit(v.text) })
		if len(values) != 1 {
			return value{}, false
		}
		return values[0], true
	}
	from, known := number(valuesOf(old, cue.Find(old, lang)))
	to, given := number(clause.values)
	return from, to, known && given && from.text != to.text && (from.unit == to.unit || from.unit == "" || to.unit == "")
}

// staleDate matches the resolved date behind a value that is replaced.
var staleDate = regexp.MustCompile(`^(\pL*) ?\[(?:week of )?\d{4}[-\d to]*\]`)

// without returns a text without the phrases of some kinds.
func without(text string, marks cue.Marks, kinds ...cue.Kind) string {
	b := []byte(text)
	for _, m := range marks {
		if slices.Contains(kinds, m.Kind) {
			for i := m.Start; i < m.End; i++ {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// window is a clause of a passage, or all of it.
type window struct {
	text   string
	set    cue.Set
	terms  words
	about  words // terms without those of cues such as "no longer" and "now"
	values []value
}

// windows returns the windows of a passage, computed once.
func (p *passage) windows() []window {
	if p.parts == nil {
		for _, text := range windowsOf(p.text) {
			marks := cue.Find(text, p.lang)
			p.parts = append(p.parts, window{
				text: text, set: marks.Set(), terms: wordsOf(text, p.words), values: valuesOf(text, marks),
				about: wordsOf(without(text, marks, cue.Over, cue.Not, cue.Time, cue.Correct, cue.Filler), p.words),
			})
		}
	}
	return p.parts
}

// windowsOf returns the clauses of a text, and the text.
func windowsOf(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if !strings.ContainsRune(",;:!?，。；：！？、،؛؟", r) && !(r == '.' && i+1 < len(text) && text[i+1] == ' ') {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if unicode.IsDigit(next) {
			continue
		}
		if start < i {
			out = append(out, text[start:i])
		}
		start = i + utf8.RuneLen(r)
	}
	if start > 0 && start < len(text) {
		out = append(out, text[start:])
	}
	return append(out, text)
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
	label      string // folded word before a number: "room" of "room 214"
}

// change is a value of an earlier text and the one that replaces it.
type change struct {
	from, to value
	named    bool // the correction names the old value; else both are numbers with the same unit or label
	labelled bool // both are the only numbers, with the same label
}

// replacedValue finds the one value of old that a correction replaces, and the one that it gives instead. It fails if there is
// more than one possibility.
func replacedValue(old string, correction window, lang string) (change, bool) {
	if len(correction.values) == 0 {
		return change{}, false
	}
	before, after := valuesOf(old, cue.Find(old, lang)), correction.values
	for _, class := range []byte{'n', 't', 'c'} {
		var fresh, named []value
		for _, v := range after {
			if v.class != class {
				continue
			}
			if at := slices.IndexFunc(before, func(b value) bool { return b.class == class && b.text == v.text }); at >= 0 {
				named = append(named, before[at])
			} else {
				fresh = append(fresh, v)
			}
		}
		if len(fresh) == 1 && len(named) == 1 && hasDigit(fresh[0].text) == hasDigit(named[0].text) {
			return change{from: named[0], to: fresh[0], named: true}, true
		}
	}
	for _, v := range after {
		if v.unit == "" {
			continue
		}
		other := func(o value) bool { return o.unit != v.unit }
		was, is := slices.DeleteFunc(slices.Clone(before), other), slices.DeleteFunc(slices.Clone(after), other)
		if len(was) == 1 && len(is) == 1 && was[0].text != is[0].text {
			return change{from: was[0], to: is[0]}, true
		}
	}
	number := func(v value) bool { return v.class != 'n' }
	was, is := slices.DeleteFunc(slices.Clone(before), number), slices.DeleteFunc(slices.Clone(after), number)
	if len(was) == 1 && len(is) == 1 && was[0].label != "" && was[0].label == is[0].label && was[0].text != is[0].text {
		return change{from: was[0], to: is[0], labelled: true}, true
	}
	return change{}, false
}

// inserted matches a date that was completed in a line.
var inserted = regexp.MustCompile(`\[(?:week of )?\d{4}[^\]]*\]`)

// valuesOf returns the values of a text, by position.
func valuesOf(text string, marks cue.Marks) []value {
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
			if !unicode.IsDigit(c) && !(strings.ContainsRune(".,:'’", c) && unicode.IsDigit(next)) && !groups(text[end:]) {
				break
			}
			end += m
		}
		v := value{Start: i, End: end, class: 'n', text: foldedText(text[i:end])}
		if words := strings.Fields(text[:i]); len(words) > 0 && strings.HasSuffix(text[:i], " ") && utf8.RuneCountInString(words[len(words)-1]) > 2 {
			v.label = foldedText(words[len(words)-1])
		}
		rest := strings.TrimLeft(text[end:], " ")
		stop := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '%' && r != '€' && r != '$' })
		if stop < 0 {
			stop = len(rest)
		}
		v.unit = foldedText(firstRunes(rest[:stop], 6))
		out = append(out, v)
		i = end
	}
	for _, m := range marks {
		switch m.Kind {
		case cue.Number:
			if slices.ContainsFunc(out, func(v value) bool {
				return v.class == 'n' && strings.TrimSpace(text[min(v.End, m.Start):m.Start]) == "" && v.End <= m.Start
			}) {
				continue // a unit: "23 million"
			}
			out = append(out, value{Start: m.Start, End: m.End, class: 'n', text: foldedText(text[m.Start:m.End])})
		case cue.Time:
			out = append(out, value{Start: m.Start, End: m.End, class: 't', text: foldedText(text[m.Start:m.End])})
		}
	}
	start := true
	at := 0
	for w := range strings.FieldsSeq(text) {
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
	for _, span := range inserted.FindAllStringIndex(text, -1) { // dates and values that the engine added
		out = slices.DeleteFunc(out, func(v value) bool { return v.Start < span[1] && span[0] < v.End })
	}
	slices.SortFunc(out, func(a, b value) int { return a.Start - b.Start })
	return out
}

// groups reports whether a text begins with a space and exactly three digits, as in "9 500".
func groups(text string) bool {
	r := []rune(firstRunes(text, 5))
	return len(r) >= 4 && unicode.IsSpace(r[0]) && unicode.IsDigit(r[1]) && unicode.IsDigit(r[2]) && unicode.IsDigit(r[3]) &&
		(len(r) == 4 || !unicode.IsDigit(r[4]))
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
