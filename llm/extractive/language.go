package extractive

import (
	"strings"
	"unicode"
)

// language is the set of rules that a sentence is read with.
type language int

const (
	other   language = iota // no rules: left alone
	english                 // Latin script; text in another Latin-script language simply matches no rule
	chinese                 // Han without kana or hangul
)

// languageOf decides by script: one Han character in four letters makes a sentence Chinese, because Chinese sentences
// carry Latin names and terms, while English ones rarely carry Han.
func languageOf(s string) language {
	var han, latin, foreign int
	for _, r := range s {
		switch {
		case isHan(r):
			han++
		case r < 0x250 && unicode.IsLetter(r):
			latin++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Arabic):
			foreign++
		}
	}
	if latin > 0 && han > 0 && startsEnglish(s) {
		return english
	}
	switch {
	case foreign > (han+latin)/4:
		return other
	case han*12 >= latin && han > 0: // a Latin word has about six letters, a Chinese word two
		return chinese
	case latin > 0:
		return english
	}
	return other
}

// startsEnglish reports whether a mixed sentence is built as an English one: "My favorite food is 麻辣烫".
func startsEnglish(s string) bool {
	words := strings.Fields(s)
	if len(words) < 3 || hasHan(words[0]) || hasHan(words[1]) {
		return false
	}
	switch strings.ToLower(strings.Trim(words[0], ".,!")) {
	case "i", "i'm", "im", "i’m", "my", "we", "our", "the", "please", "let's", "i've", "i'd":
		return !hasHan(words[2]) || len(words) > 4
	}
	return false
}

func isHan(r rune) bool { return r >= 0x2E80 && unicode.Is(unicode.Han, r) }

func hasHan(s string) bool {
	for _, r := range s {
		if isHan(r) {
			return true
		}
	}
	return false
}
