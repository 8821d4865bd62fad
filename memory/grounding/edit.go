package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// titled matches names before a title, in scripts without capital letters.
var titled = lazyregexp.New(`([` + surnames + `])(?:医生|大夫|先生|女士|太太|小姐|老师|教授|经理)|` +
	`(\p{Han}{1,3}|[\p{Katakana}ー]{2,})(?:さん|さま|様|先生|ちゃん|くん|君)|(\p{Hangul}{1,4}) ?(?:선생님|씨|님|쌤)`)

// NamesOf returns the folded names that a statement shows by their place: before a predicate at its beginning, or before a title where
// letters have no case.
func NamesOf(text string) (names []string) {
	plain := light(text)
	for _, m := range titled.FindAllStringSubmatch(plain, -1) {
		names = append(names, m[1]+m[2]+m[3])
	}
	words := wordsOf(plain)
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " *_`")); len(words) < 2 || !unicode.IsUpper(r) {
		return names
	}
	first, next := plain[words[0].start:words[0].end], plain[words[1].start:words[1].end]
	name, genitive := strings.CutSuffix(first, "'s")
	if _, isPredicate := lists()["predicate"].words[next]; (isPredicate || genitive) && !isPlainWord(name) &&
		!language.FunctionWords[name].Has(languages[cue.LanguageOf(text)]) {
		names = append(names, bare(name))
	}
	return names
}

// SameName reports whether two folded names may be one in two spellings.
func SameName(a, b string) bool {
	return a == b || len(a) > 1 && len(b) > 1 && a[0] == b[0] && len(skeleton(a)) > 1 && skeleton(a) == skeleton(b)
}
