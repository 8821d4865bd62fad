package scan

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"reverie/language"
	folding "reverie/language/fold"
	"reverie/language/lazyregexp"
)

// Disguised reports whether a text is written so that a model reads it and a person does not: as codes, with digits for letters, letter
// by letter, with look-alikes from another script, without tones, or backwards.
func Disguised(text string) bool {
	for line := range strings.Lines(text) {
		if isDisguised(line) {
			return true
		}
	}
	return false
}

var (
	letterCodes = lazyregexp.New(`(?:&#x?[0-9A-Fa-f]{2,6};\s?|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}){8,}`)
	leetInside  = lazyregexp.New(`\b\pL{0,12}(?:\pL[0134578]+|\b[0134578]+\pL)[\pL0134578]{1,12}\b`)
	letterwise  = lazyregexp.New(`(?:[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}] ?[/|.·•*~_-] ?){6,}|` +
		`(?:^|[^\pL\pN])(?:\pL(?: ?[/|·•*~] ?| ?[._-] ?|  ?)){9,}\pL(?:[^\pL\pN]|$)`)
	halfWidth   = lazyregexp.New(`[\x{FF66}-\x{FF9F}]{10,}`)
	mixedScript = lazyregexp.New(`\p{Latin}[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}]\p{Latin}`)
	toneless    = lazyregexp.New(`(?i)(?:\b(?:[bpmfdtnlgkhjqxrzcsyw]|[zcs]h)?(?:a|o|e|ai|ei|ao|ou|an|en|ang|eng|ong|er|i|ia|iao|ie|iu|ian|in|iang|ing|` +
		`iong|u|ua|uo|uai|ui|uan|un|uang|ue|ve?)[ ,.]+){9,}`)
)

// isDisguised reports whether a line hides prose.
func isDisguised(line string) bool {
	count := func(p *lazyregexp.Regexp, isOne func(string) bool) (n int) {
		for _, m := range p.FindAllString(line, -1) {
			if isOne(m) {
				n++
			}
		}
		return n
	}
	every := func(string) bool { return true }
	switch {
	case letterCodes.MatchString(line), letterwise.MatchString(line), count(toneless, isVaried) > 0:
		return true
	case count(mixedScript, every) >= 3, count(halfWidth, every) >= 2:
		return true
	case count(leetInside, isLeetWord) >= 3:
		return true
	case count(percents, func(code string) bool { return saysWords(disguises[1].undo(code)) }) > 0:
		return true
	}
	for _, code := range base64Run.FindAllString(line, -1) {
		if decoded, ok := decodeText(code); ok && saysWords(decoded) {
			return true
		}
	}
	if d := disguises[4]; d.hint(line) {
		if undone := d.undo(line); undone != line {
			return true
		}
	}
	for clause := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(`:;"„“”«»()`, r) }) {
		said := functionWordsOf(clause)
		if functionWordsOf(reversed(clause)) >= said+3 || functionWordsOf(rot13(clause)) >= said+3 {
			return true
		}
	}
	return false
}

// isVaried reports whether a text has several different words.
func isVaried(text string) bool {
	words := strings.Fields(text)
	slices.Sort(words)
	return len(slices.Compact(words)) > 5
}

var base64Run = lazyregexp.New(`[A-Za-z0-9+/_-]{24,}`)

// isLeetWord reports whether a word has digits for letters: it is one without them, and no hexadecimal number.
func isLeetWord(word string) bool {
	letters, digits, isHex := 0, 0, true
	for _, r := range word {
		if unicode.IsDigit(r) {
			digits++
			continue
		}
		letters++
		isHex = isHex && strings.ContainsRune("abcdefABCDEF", r)
	}
	return !isHex && letters > 0 && digits > 0 && digits <= letters+2
}

// saysWords reports whether a decoded text is made of words.
func saysWords(text string) bool {
	wide := 0
	for _, r := range text {
		if isWide(r) {
			wide++
		}
	}
	return wide >= 12 || strings.Count(strings.TrimSpace(text), " ") >= 2
}

// functionWordsOf counts the different function words of the language of which a text has the most.
func functionWordsOf(text string) (most int) {
	var of [64]int
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(norm.NFC.String(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if word = folding.Text(word); len(word) < 2 || seen[word] {
			continue
		}
		seen[word] = true
		for lang, set := 0, language.FunctionWords[word]; set != 0; lang, set = lang+1, set>>1 {
			if set&1 != 0 {
				of[lang]++
				most = max(most, of[lang])
			}
		}
	}
	return most
}
