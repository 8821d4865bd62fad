package scan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// signs is a set of signs and, after them, of kinds of cues.
type signs [2]uint64

var (
	nSigns    = len(signNames)
	nFeatures = nSigns + cue.Kinds
)

func (s *signs) add(n int)     { s[n>>6] |= 1 << (n & 63) }
func (s signs) has(n int) bool { return s[n>>6]>>(n&63)&1 != 0 }

// shape returns the number of a sign.
func shape(name string) int { return slices.Index(signNames, name) }

// shapes are the signs that are not phrases.
var shapes = []struct {
	sign    int
	pattern *lazyregexp.Regexp
}{
	{shape("address"), lazyregexp.New(`(?i)https?://|www\.|\b[\pL\d-]+\.(?:com|net|org|io|dev|app|example|ru|cn|top|xyz|info|shop|site|` +
		`online|link|test|invalid)\b`)},
	{shape("mail"), lazyregexp.New(`[\w.-]+@[\w-]+\.\w|@\w+-\w+`)},
	{shape("number"), lazyregexp.New(`\+?\d[\d ()\-]{5,}\d\b|\b[A-Z]{2}\d{2}[ A-Z0-9]{11,}|\b0x[0-9a-fA-F]{20,}`)},
	{shape("markup"), lazyregexp.New(`<[a-zA-Z/!]|!\[|\]\(`)},
	{shape("fields"), lazyregexp.New(`\{\s*"|":\s|^\s*\w+:\s|_\w+:`)},
	{shape("quote"), lazyregexp.New(`["„“”«»「『‘]`)},
}

// actions are the signs of what is to be done. One in the first word of a clause is an order in many languages.
var actions = []string{"place", "send", "run", "pay", "praise", "obey", "say", "persona", "void", "secret"}

var isAction = func() (out [64]bool) {
	for _, name := range actions {
		out[shape(name)] = true
	}
	return out
}()

// signsOf returns the signs of a sentence.
func signsOf(sentence, lang string) (s signs) {
	for _, p := range shapes {
		if p.pattern.MatchString(sentence) {
			s.add(p.sign)
		}
	}
	opens := shape("opens")
	for clause := range strings.FieldsFuncSeq(sentence, isClauseEnd) {
		text := normalized(clause)
		first, _, _ := strings.Cut(text[1:], " ")
		eachPhrase(text, func(from, _ int, shows sign) {
			s.add(int(shows))
			if from <= 1+len(first) && isAction[shows] {
				s.add(opens)
			}
		})
	}
	for _, m := range cue.Find(sentence, lang) {
		s.add(nSigns + int(m.Kind))
	}
	return s
}

func isClauseEnd(r rune) bool {
	return strings.ContainsRune(",;:()，；：、（）“”\"„«»「」—", r)
}

// sentencesOf splits a text. A period ends a sentence only before white space, so that addresses stay whole.
func sentencesOf(text string) (out []string) {
	from := 0
	cut := func(to int) {
		if s := strings.TrimSpace(text[from:to]); s != "" {
			out = append(out, s)
		}
		from = to
	}
	for at, r := range text {
		end := at + utf8.RuneLen(r)
		switch r {
		case '\n', '。', '！', '？', '!', '?', '｡':
			cut(end)
		case '.', ';':
			if next, _ := utf8.DecodeRuneInString(text[end:]); end == len(text) || unicode.IsSpace(next) {
				cut(end)
			}
		}
	}
	cut(len(text))
	return out
}

// redaction matches what replaces a secret. The names of secrets look like an order to give them away.
var redaction = lazyregexp.New(`\[redacted: [a-z]{2,12}(?:-[a-z]{2,12})?\]`)

// remark matches what a report of a dream writes after a statement. It is about the statement, and says nothing to an assistant.
var remark = lazyregexp.New(`(?m)[ \t]+\((?:score -?\d+\.\d\d, [a-z]+(?:: [^\n()]*)?|confidence -?\d+\.\d\d)\)[ \t]*$`)

// readings returns the signs of each sentence of a text, as it is written and with the disguises of its lines undone.
func readings(text string) (out []signs) {
	text = remark.ReplaceAllString(redaction.ReplaceAllString(text, ""), "")
	lang := cue.LanguageOf(text)
	decode := false // the text asks to decode something
	read := func(text string) {
		for _, sentence := range sentencesOf(text) {
			s := signsOf(sentence, lang)
			decode = decode || s.has(signDecode)
			out = append(out, s)
		}
	}
	read(text)
	asked := decode
	for line := range strings.Lines(text) {
		for _, d := range disguises {
			if !d.hint(line) {
				continue
			}
			if undone := d.undo(line); undone != line {
				read(undone)
			}
		}
		if asked {
			read(reversed(line))
			read(rot13(line))
		}
	}
	return out
}

var signDecode, signOpens, signQuote = shape("decode"), shape("opens"), shape("quote")

func reversed(line string) string {
	all := []rune(line)
	slices.Reverse(all)
	return string(all)
}

func rot13(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, line)
}
