package scan

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
)

// sign is the meaning of a phrase of a statement, in any language.
type sign uint8

// signNames are the names of signs in the files of phrases and of weights, in the order of their numbers. Those from firstShape are
// no phrases.
var signNames = []string{
	"ai", "user", "answer", "every", "lasting", "never", "when", "asks", "others", "place", "send", "run", "pay", "praise", "rival",
	"secret", "consent", "obey", "rules", "void", "power", "persona", "say", "data", "account", "promo", "decode", "keep", "must",
	"remind", "style", "like",
	"address", "mail", "number", "markup", "fields", "quote", "opens",
}

//go:embed signs/*.txt
var signFiles embed.FS

// phrase is a normalized phrase that shows a sign.
type phrase struct {
	text  string
	whole bool // the last word ends with it
	shows sign
}

// phrases lists all phrases by their first bytes.
var phrases = sync.OnceValue(func() map[[3]byte][]phrase {
	all := map[[3]byte][]phrase{}
	files, err := signFiles.ReadDir("signs")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		raw, err := signFiles.ReadFile("signs/" + file.Name())
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(raw)) {
			name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok {
				continue
			}
			shows := sign(slices.Index(signNames, name))
			for text := range strings.SplitSeq(list, "|") {
				p := phrase{shows: shows, whole: strings.HasSuffix(text, ".") || strings.HasSuffix(text, " ")}
				p.text = strings.Trim(normalized(text), " ")
				if p.text == "" {
					continue
				}
				key := startOf(p.text + "  ")
				all[key] = append(all[key], p)
			}
		}
	}
	return all
})

func startOf(text string) [3]byte { return [3]byte{text[0], text[1], text[2]} }

// normalized folds a text and replaces what is neither a letter nor a digit by single spaces, with one before and three after.
func normalized(text string) string {
	folded := fold(text).text
	out := make([]byte, 1, len(folded)+4)
	out[0] = ' '
	for _, r := range folded {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			out = utf8.AppendRune(out, r)
		} else if out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	return string(append(out, "   "...))
}

// isJoined reports whether words begin anywhere in the script of a character: Chinese, Japanese, Arabic with its proclitics.
func isJoined(r rune) bool { return isWide(r) || unicode.Is(unicode.Arabic, r) || script.IsHan(r) }

// eachPhrase calls found with the range of every phrase in a normalized text.
func eachPhrase(text string, found func(from, to int, shows sign)) {
	before, known := ' ', phrases()
	for at, r := range text[:len(text)-2] {
		if r != ' ' && (before == ' ' || isJoined(r) || isJoined(before)) {
			for _, p := range known[startOf(text[at:])] {
				if !strings.HasPrefix(text[at:], p.text) {
					continue
				}
				if p.whole {
					next, _ := utf8.DecodeRuneInString(text[at+len(p.text):])
					if next != ' ' && !isJoined(next) {
						continue
					}
				}
				found(at, at+len(p.text), p.shows)
			}
		}
		before = r
	}
}
