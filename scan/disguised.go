package scan

import (
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// disguise undoes one way of writing a text so that only a model reads it.
type disguise struct {
	rule string
	// hint is a cheap test for a line that may be disguised.
	hint func(line string) bool
	// undo returns the line as a model reads it.
	undo func(line string) string
}

// Patterns of disguises.
var (
	percents   = lazyregexp.New(`(?:%[0-9A-Fa-f]{2})+`)
	plusWords  = lazyregexp.New(`[\pL']+(?:\+[\pL']+){3,}`)
	escapedHex = lazyregexp.New(`\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}`)
	hexBytes   = lazyregexp.New(`\b(?:(?:0x)?[0-9A-Fa-f]{2}[ ,:]{0,2}){16,}\b`)
	leetWord   = lazyregexp.New(`[A-Za-z][0134578@$]|[0134578@$][A-Za-z]`)
	// spacedRun matches letters with one separator after each. Two or more separators are the space between words.
	spacedRun = lazyregexp.New(`(?:[\pL'](?:[ ._-]|$|[ ._-]{2,4})){12,}`)
	spacedGap = lazyregexp.New(`[ ._-]{2,}`)
	dotted    = lazyregexp.New(`([\pL'])[._-]([\pL'])`)
)

var disguises = []disguise{
	{"entities", func(line string) bool { return strings.Contains(line, "&") }, html.UnescapeString},
	{"percent", func(line string) bool { return strings.Count(line, "%") >= 4 }, func(line string) string {
		return percents.ReplaceAllStringFunc(line, func(code string) string {
			decoded, err := hex.DecodeString(strings.ReplaceAll(code, "%", ""))
			if err != nil {
				return code
			}
			return string(decoded)
		})
	}},
	{"plus", func(line string) bool { return strings.Count(line, "+") >= 3 }, func(line string) string {
		return plusWords.ReplaceAllStringFunc(line, func(words string) string { return strings.ReplaceAll(words, "+", " ") })
	}},
	{"escapes", func(line string) bool { return strings.Count(line, `\`) >= 4 }, func(line string) string {
		return escapedHex.ReplaceAllStringFunc(line, func(code string) string {
			n, err := strconv.ParseUint(code[2:], 16, 16)
			if err != nil {
				return code
			}
			return string(rune(n))
		})
	}},
	{"hex", func(line string) bool { return len(line) >= 2*16 && hexBytes.MatchString(line) }, func(line string) string {
		return hexBytes.ReplaceAllStringFunc(line, func(code string) string {
			decoded, err := hex.DecodeString(strings.NewReplacer("0x", "", " ", "", ",", "", ":", "").Replace(code))
			if err != nil || !utf8.Valid(decoded) || strings.ContainsFunc(string(decoded), func(r rune) bool { return !unicode.IsPrint(r) }) {
				return code
			}
			return string(decoded)
		})
	}},
	{"leet", isLeet, strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t", "8", "b").Replace},
	{"leet", isLeet, strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s", "7", "t", "8", "b").Replace},
	{"spaced", isSpaced, func(line string) string {
		// "I.g.n.o.r.e a.l.l": spaces separate words where another mark separates letters.
		if once := dotted.ReplaceAllString(line, "$1$2"); once != line {
			return dotted.ReplaceAllString(once, "$1$2")
		}
		return spacedRun.ReplaceAllStringFunc(line, func(run string) string {
			words := spacedGap.Split(run, -1)
			for i, word := range words {
				words[i] = strings.ReplaceAll(word, " ", "")
			}
			return strings.Join(words, " ")
		})
	}},
}

// leetWords is the number of letters beside digits from which a line may be disguised.
const leetWords = 4

func isLeet(line string) bool {
	return strings.ContainsAny(line, "0134578@$") && len(leetWord.FindAllStringIndex(line, leetWords)) == leetWords
}

// spacedLetters is the number of letters from which a run of them, with separators between them, may be words.
const spacedLetters = 12

// isSpaced reports whether spacedRun matches a line. Most of the time of a scan would pass in the expression.
func isSpaced(line string) bool {
	letters, afterLetter, separators := 0, false, 0
	for _, r := range line {
		switch {
		case r == ' ' || r == '.' || r == '_' || r == '-':
			separators++
			if separators == 1 && afterLetter {
				letters++
			} else if separators > 4 {
				afterLetter, letters = false, 0
			}
			if letters == spacedLetters {
				return true
			}
		case r == '\'' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsLetter(r):
			if separators == 0 {
				letters = 0
			}
			afterLetter, separators = true, 0
		default:
			letters, afterLetter, separators = 0, false, 0
		}
	}
	return afterLetter && separators == 0 && letters == spacedLetters-1
}

// disguised finds orders to the model in lines that only a model reads.
func (s *scanner) disguised() {
	at := 0
	for line := range strings.Lines(s.text) {
		for _, d := range disguises {
			if !d.hint(line) {
				continue
			}
			if undone := d.undo(line); undone != line {
				overridesIn(fold(undone), func(string, int) { s.block(classOverride, d.rule, at) })
			}
		}
		at++
	}
}
