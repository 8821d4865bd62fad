package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// value is a number, a name or a time in a text.
type value struct {
	Start, End int
	behind     int    // where the unit after it ends
	class      byte   // n number, t time, c capitalised name
	text       string // folded
	unit       string // folded word after a number
	label      string // folded word before a number: "room" of "room 214"
}

// change is a value of an earlier text and the one that replaces it.
type change struct {
	from, to value
	said     value // from, as the correction repeats it
	named    bool  // the correction names the old value; else both are numbers with the same unit or label
	labelled bool  // both are the only numbers, with the same label
	guessed  bool  // both are numbers of the same length, and nothing else shows that they belong together
}

// replacedValue finds the value of an earlier text that a correction replaces, and the new value. It fails if there is
// more than one possibility.
func replacedValue(before []value, correction *window) (change, bool) {
	if len(correction.values) == 0 {
		return change{}, false
	}
	after := correction.values
	repeated, ok := repeatedValue(before, correction)
	if ok && correction.denies(repeated.said) {
		return repeated, true
	}
	for _, v := range after {
		if v.unit == "" {
			continue
		}
		other := func(o value) bool { return o.unit != v.unit }
		was, is := slices.DeleteFunc(slices.Clone(before), other), slices.DeleteFunc(slices.Clone(after), other)
		if len(was) == 1 && len(is) == 1 && was[0].text != is[0].text && !differ(before, was[0], after, is[0]) &&
			leads(before, was[0]) == leads(after, is[0]) {
			return change{from: was[0], to: is[0]}, true
		}
	}
	if ok {
		return repeated, true
	}
	number := func(v value) bool { return v.class != 'n' }
	was, is := slices.DeleteFunc(slices.Clone(before), number), slices.DeleteFunc(slices.Clone(after), number)
	if len(is) != 1 || slices.ContainsFunc(was, func(v value) bool { return v.text == is[0].text }) {
		return change{}, false
	}
	if len(was) == 1 && was[0].label != "" && was[0].label == is[0].label {
		return change{from: was[0], to: is[0], labelled: true}, true
	}
	from, ok := likest(is[0], was)
	return change{from: from, to: is[0], guessed: true},
		ok && !differ(before, from, after, is[0]) && digits(from.text) > 1 && shape(from.text) == shape(is[0].text)
}

// sameUnit reports whether both values have one unit, as far as they have any.
func (c change) sameUnit() bool {
	return c.from.unit == c.to.unit || c.from.unit == "" || c.to.unit == ""
}

// leads reports whether a number is directly before another one, as the month in "9월 15일": it is not like a month on its own.
func leads(all []value, v value) bool {
	const unit = 4 // bytes of a month's name and a space
	return slices.ContainsFunc(all, func(o value) bool { return o.class == 'n' && o.Start > v.End && o.Start <= v.End+unit })
}

// differ reports whether different names are directly before two numbers: "vitamin C 20 mg" and "vitamin D 10 mg".
func differ(before []value, was value, after []value, is value) bool {
	name := func(all []value, v value) string {
		for _, o := range all {
			if o.class == 'c' && o.End == v.Start-1 {
				return o.text
			}
		}
		return ""
	}
	a, b := name(before, was), name(after, is)
	return a != b && a != "" && b != ""
}

// repeatedValue finds a value of an earlier text that a correction repeats together with the only new one of its class. Names and times
// must be denied.
func repeatedValue(before []value, correction *window) (change, bool) {
	for _, class := range []byte{'n', 't', 'c'} {
		var fresh, named, said []value
		for _, v := range correction.values {
			if v.class != class {
				continue
			}
			at := slices.IndexFunc(before, func(b value) bool { return b.class == class && b.is(v) })
			switch {
			case at < 0:
				fresh = append(fresh, v)
			case class == 'n' || correction.denies(v):
				named, said = append(named, before[at]), append(said, v)
			}
		}
		if len(fresh) != 1 {
			continue
		}
		if from, ok := likest(fresh[0], named); ok {
			at := slices.Index(named, from)
			return change{from: from, to: fresh[0], said: said[at], named: true}, true
		}
	}
	return change{}, false
}

// is reports whether two values are the same; a date may lack its year.
func (v value) is(o value) bool {
	return v.text == o.text || v.class == 'n' && strings.Contains(o.text, "/") && strings.HasPrefix(v.text, o.text+"/")
}

// likest returns the one of some values that is most like another one, by unit and number of digits.
func likest(v value, among []value) (value, bool) {
	for _, like := range []func(value) bool{
		func(o value) bool { return hasDigit(o.text) == hasDigit(v.text) },
		func(o value) bool { return o.unit == v.unit },
		func(o value) bool { return digits(o.text) == digits(v.text) },
	} {
		alike := slices.DeleteFunc(slices.Clone(among), func(o value) bool { return !like(o) })
		if len(alike) == 1 && digits(alike[0].text) <= digits(v.text)+1 && digits(v.text) <= digits(alike[0].text)+1 {
			return alike[0], true
		}
	}
	return value{}, false
}

// shape returns a text with the same digit for all of its digits: "16/3" is not a number like "280".
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, text)
}

// digits counts the digits of a text.
func digits(text string) (n int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// inserted matches a date that was completed in a line.
var inserted = lazyregexp.New(`\[(?:week of )?\d{4}[^\]]*\]`)

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
			if !unicode.IsDigit(c) && !(strings.ContainsRune(".,:'’/", c) && unicode.IsDigit(next)) && !groups(text[end:]) &&
				!(end > i && strings.ContainsRune(multipliers, c)) {
				break
			}
			end += m
		}
		v := value{Start: i, End: end, class: 'n', text: foldedText(text[i:end])}
		if words := strings.Fields(text[:i]); len(words) > 0 && strings.HasSuffix(text[:i], " ") && utf8.RuneCountInString(words[len(words)-1]) > 2 {
			v.label = foldedText(words[len(words)-1])
		}
		rest := strings.TrimLeft(text[end:], " ")
		ends := func(r rune) bool { return script.IsUnspaced(r) || script.IsHangul(r) } // endings and the next word follow
		first, _ := utf8.DecodeRuneInString(rest)
		stop := strings.IndexFunc(rest, func(r rune) bool {
			return !unicode.IsLetter(r) && r != '%' && r != '€' && r != '$' || ends(r) != ends(first)
		})
		if stop < 0 {
			stop = len(rest)
		}
		length := 6
		if ends(first) {
			length = 1
		}
		if long := longUnit(rest); long > 0 {
			length = long
		}
		v.unit = foldedText(firstRunes(rest[:stop], length))
		v.behind = len(text) - len(rest) + stop
		if length < 6 {
			v.behind = len(text) - len(rest) + len(firstRunes(rest[:stop], length))
		}
		out = append(out, v)
		i = end
	}
	for _, m := range marks {
		switch m.Kind {
		case cue.Number:
			if slices.ContainsFunc(out, func(v value) bool {
				return v.class == 'n' && v.Start < m.End && strings.TrimSpace(text[min(v.End, m.Start):m.Start]) == ""
			}) {
				continue // a unit, or a part of the number: "23 million"
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

// multipliers are the characters with which Chinese, Japanese and Korean write a part of a number: "10万5千".
const multipliers = "千万萬億亿百천만억"

// longUnit returns the number of characters of a unit at the beginning of a text that another one begins: "개월" are months and "개" counts
// anything, "시간" are hours and "시" is a time of day.
func longUnit(text string) int {
	for _, word := range []string{"개월", "个月", "個月", "か月", "ヶ月", "カ月", "ヵ月", "시간", "時間", "分钟", "分鐘", "日間"} {
		if strings.HasPrefix(text, word) {
			return utf8.RuneCountInString(word)
		}
	}
	return 0
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

// withValue returns a text with another value in brackets. The brackets of an earlier correction and the date that was resolved
// from the old value go.
func withValue(old string, from value, to string) string {
	before, behind := old[:from.Start], old[from.End:]
	if strings.HasSuffix(before, "[") && strings.HasPrefix(behind, "]") {
		before, behind = before[:len(before)-1], behind[1:]
	}
	return before + "[" + to + "]" + staleDate.ReplaceAllString(behind, "$1")
}

// staleDate matches the resolved date after a value that is replaced.
var staleDate = lazyregexp.New(`^(\pL*) ?\[(?:week of )?\d{4}[-\d to]*\]`)

// deniedValue returns the number that a text denies next to another one, folded: "5433" in "it's 5434, not 5433".
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
