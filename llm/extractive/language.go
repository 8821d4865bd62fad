package extractive

import (
	"strings"
	"unicode"

	"reverie/language/script"
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
		case script.IsHan(r):
			han++
		case r < 0x250 && unicode.IsLetter(r):
			latin++
		case script.IsKana(r), script.IsHangul(r), unicode.In(r, unicode.Cyrillic, unicode.Arabic):
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
	if len(words) < 3 || script.HasHan(words[0]) || script.HasHan(words[1]) {
		return false
	}
	switch strings.ToLower(strings.Trim(words[0], ".,!")) {
	case "i", "i'm", "im", "i’m", "my", "we", "our", "the", "please", "let's", "i've", "i'd":
		return !script.HasHan(words[2]) || len(words) > 4
	}
	return false
}
