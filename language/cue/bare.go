package cue

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/fold"
)

// bareVietnamese are Vietnamese words without diacritics that hardly occur in other languages.
var bareVietnamese = wordSet(`khong toi minh cua nhung duoc nguoi roi voi nhe muon vay cung nhieu giup dang trong ngay lam biet bao thich uong`)

// isBareVietnamese reports whether a text is Vietnamese written without diacritics: a sixth of its words are Vietnamese ones.
func isBareVietnamese(text string) bool {
	if !isASCII(text) {
		return false
	}
	words := strings.Fields(strings.ToLower(text))
	known := map[string]bool{}
	for _, w := range words {
		if w = strings.Trim(w, ",.!?:;()\"'"); bareVietnamese[w] {
			known[w] = true
		}
	}
	return len(known) >= 2 && len(known)*6 >= min(len(words), 60)
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// shortBare is the length up to which a word without its diacritics is too ambiguous, in bytes.
const shortBare = 3

// withoutMarks returns a composed text of Latin script without diacritics.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 'đ' {
			return 'd'
		}
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); r >= utf8.RuneSelf && d != nil {
			r, _ = utf8.DecodeRune(d)
		}
		return r
	}, text)
}

func isASCII(text string) bool { return fold.ASCIIPrefix(text) == len(text) }
