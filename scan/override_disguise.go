package scan

import (
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
)

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
