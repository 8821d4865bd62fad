package sentence

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
)

// abbreviations end in a full stop that does not end a sentence.
var abbreviations = wordSet(`dr mr mrs ms prof st vs etc e.g i.e approx a.m p.m inc ltd co corp dept jr sr
	bzw nr inkl evtl ggf z.b d.h u.a sra srta dra lic ing mme mlle`)

// titles are those before names.
var titles = wordSet(`dr mr mrs ms prof st sra srta dra mme mlle`)

// calendar are short names of months, which do not end a sentence before a number.
var calendar = wordSet(`jan feb mar apr jun jul aug sep sept oct nov dec`)

// counted are the words after an ordinal number, which German writes with a full stop: "im 7. Monat".
var counted = wordSet(`januar jänner februar feber märz april mai juni juli august september oktober november dezember
	tag woche monat jahr lebensjahr geburtstag hochzeitstag klasse semester stock etage og ssw schwangerschaftswoche
	schwangerschaftsmonat jahrhundert platz liga mal`)

// Split splits a message into sentences, each with its closing punctuation and without surrounding blanks.
//
// It does not follow UAX #29: people in a chat write "i'm vegan. i live in leeds", which UAX #29 keeps as one sentence
// because the second begins in lower case, and it cuts after "Dr.".
func Split(s string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if t := strings.TrimSpace(s[start:end]); t != "" {
			out = append(out, t)
		}
		start = end
	}
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(s[i:])
			next = i + n
		}
		switch r {
		case '\n':
			cut(next)
		case '。', '！', '？', '；', '!', '?', '…', ';':
			if m := smile.FindString(s[next:]); r == ';' && m != "" {
				cut(next + len(m))
			} else if !goesOn(s[next:]) {
				cut(next)
			}
		case '.':
			if endsSentence(s[start:i], s[next:]) {
				cut(next)
			}
		}
	}
	cut(len(s))
	return out
}

// goesOn reports whether more closing punctuation of the same sentence follows.
func goesOn(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune("。！？!?.…”’\"')）】》", r) && rest != ""
}

// smile matches the rest of a smiley after its eyes: ";-)".
var smile = regexp.MustCompile(`^[-o]?[()DP](?:\s|$)`)

// EndsInTitle reports whether a text ends in a title before a name, whose full stop ends no sentence: "Dr".
func EndsInTitle(text string) bool {
	return titles[strings.ToLower(text[len(strings.TrimRightFunc(text, unicode.IsLetter)):])]
}

func endsSentence(before, after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	if after != "" && !unicode.IsSpace(r) && !script.IsHan(r) {
		return false // "3.5", "example.com", "e.g."
	}
	last := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	low := strings.ToLower(last)
	if abbreviations[low] {
		return false
	}
	if next := strings.TrimLeft(after, " \t"); calendar[low] && next != "" && next[0] >= '0' && next[0] <= '9' {
		return false // "Dec. 18"
	}
	if isOrdinal(last) && counted[strings.ToLower(firstWord(after))] {
		return false
	}
	// A single capital is an initial ("J. Doe"), a number at the beginning a list item ("2. …").
	if len(last) == 1 && unicode.IsUpper(rune(last[0])) && last != "I" {
		return false
	}
	return !(strings.TrimSpace(before) == last && last != "" && !strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' }))
}

// isOrdinal reports whether a word is a number of one or two digits.
func isOrdinal(word string) bool {
	return word != "" && len(word) <= 2 && strings.Trim(word, "0123456789") == ""
}

func firstWord(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
