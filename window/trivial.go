package window

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

const (
	maxTrivial = 80 // characters; whoever writes more says something
	maxRun     = 2  // the same letter more often in a row is drawn out: "hiiii"
)

// Trivial reports whether a message is not worth a search: a greeting, thanks, an acknowledgement or nothing but symbols, in
// any script.
//
// It knows such phrases by heart (trivial_words.go) and calls a message trivial only when it is made of nothing else. A question
// that is short is none, nor is a name, a number or a word in a language that has no list: they are searched.
func Trivial(message string) bool {
	text := emoticon.ReplaceAllString(visible(message), "  ")
	if len(text) > 16*maxTrivial {
		return false
	}
	letters := letters(text)
	if len(letters) > maxTrivial {
		return false
	}
	return madeOf(letters, trivialPhrases.exact) || madeOf(shortened(letters, maxRun), trivialPhrases.exact) ||
		madeOf(shortened(letters, 1), trivialPhrases.exact) || unmarked(letters) && madeOf(letters, trivialPhrases.bare)
}

// emoticon is a face made of characters, some of which are letters.
var emoticon = regexp.MustCompile(`(?i)(?:^|\s)(?:[:;=]['’]?-?[dpo3sx|/\\)(\]\[*]+|xd+)`)

// letters are the letters, marks and digits of a text as they are compared, with a space between words.
func letters(text string) []rune {
	text = cases.Fold().String(norm.NFKC.String(text))
	var out []rune
	for _, r := range text {
		switch {
		case same[r] != 0:
			out = append(out, same[r])
		case drawn(r) || r == '\'' || r == '’' || unicode.Is(unicode.Me, r): // inside a word: don't
		case unicode.In(r, unicode.L, unicode.N), unicode.Is(unicode.M, r) && len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, r)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	if len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out
}

// same are letters that are written for one another.
var same = map[rune]rune{'أ': 'ا', 'إ': 'ا', 'آ': 'ا', 'ى': 'ي', 'ة': 'ه', 'ё': 'е'}

// drawn reports whether a mark only points or stretches Arabic and Hebrew, or shapes an emoji.
func drawn(r rune) bool {
	return 0x064B <= r && r <= 0x0652 || r == 0x0640 || 0x0591 <= r && r <= 0x05C7 || r == 0x20E3 || 0xFE00 <= r && r <= 0xFE0F ||
		r == joiner || r == nonJoiner
}

// shortened leaves at most so many of the same letter in a row.
func shortened(text []rune, most int) []rune {
	out := make([]rune, 0, len(text))
	run := 0
	for i, r := range text {
		if run++; i == 0 || r != text[i-1] {
			run = 1
		}
		if run <= most {
			out = append(out, r)
		}
	}
	return out
}

// unmarked reports whether a text has no letter with an accent: whoever writes without any means the words that have them.
func unmarked(text []rune) bool { return slices.Equal(text, unaccented(text)) }

func unaccented(text []rune) []rune {
	var out []rune
	for _, r := range norm.NFD.String(string(text)) {
		switch {
		case 0x0300 <= r && r <= 0x036F:
		case r == 'đ':
			out = append(out, 'd')
		default:
			out = append(out, r)
		}
	}
	return []rune(norm.NFC.String(string(out)))
}

// phrases are what messages are compared with.
type phrases struct {
	exact, bare map[string]bool // as they are written, and without accents
}

// longestPhrase is the length of the longest phrase, in characters.
const longestPhrase = 32

// madeOf reports whether a text can be cut into phrases, at the ends of words where the script has words.
func madeOf(text []rune, known map[string]bool) bool {
	reached := make([]bool, len(text)+1)
	reached[0] = true
	for from := range text {
		if !reached[from] {
			continue
		}
		if text[from] == ' ' {
			reached[from+1] = true
			continue
		}
		for to := from + 1; to <= min(from+longestPhrase, len(text)); to++ {
			if edge(text, to) && known[string(text[from:to])] {
				reached[to] = true
			}
		}
	}
	return reached[len(text)]
}

// edge reports whether a word may end at a place.
func edge(text []rune, at int) bool {
	if at == len(text) || text[at] == ' ' || text[at-1] == ' ' {
		return true
	}
	return unspaced(text[at-1]) || unspaced(text[at])
}

// unspaced reports whether the words of r's script are written without spaces, in short messages at least.
func unspaced(r rune) bool { return script.IsUnspaced(r) || script.IsHangul(r) }

// readPhrases reads phrases, one a line or with a comma between two of them.
func readPhrases(lists ...string) phrases {
	p := phrases{exact: map[string]bool{}, bare: map[string]bool{}}
	for _, list := range lists {
		for phrase := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == '\n' }) {
			if l := letters(phrase); len(l) > 0 {
				p.exact[string(l)] = true
				p.bare[string(unaccented(l))] = true
			}
		}
	}
	return p
}
