package grounding

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/fold"
	"reverie/language/script"
)

// bare folds a text for the comparison of words: case, width, diacritics of Latin letters, ё, and the variants of Arabic letters.
func bare(text string) string {
	text = fold.Text(text)
	if fold.ASCIIPrefix(text) == len(text) {
		return text
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range norm.NFD.String(text) {
		isBreve := r == 0x306 && last == 'и' // й keeps it
		last = r
		switch {
		case 0x300 <= r && r <= 0x36F && !isBreve, 0x64B <= r && r <= 0x655, r == 'ـ':
		case r == 'ı':
			b.WriteByte('i')
		case r == 'đ':
			b.WriteByte('d')
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ة':
			b.WriteRune('ه')
		case r == 'ى':
			b.WriteRune('ي')
		case r == 'ٱ':
			b.WriteRune('ا')
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// light folds a text as fold.Text does, and the variants of ё and of Arabic letters. It keeps the positions of fold.Text.
func light(text string) string { return variants.Replace(fold.Text(text)) }

var variants = strings.NewReplacer("ё", "е", "أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ة", "ه", "ى", "ي")

// phrases is a set of expressions, found in a text without spaces as substrings and elsewhere as whole words.
type phrases struct {
	words map[string]string // single words, and the first words of phrases with a space
	long  map[string]string // phrases with spaces
	run   map[string]string // in scripts without spaces
	max   int               // length of the longest in run, in characters
}

//go:embed words/words.txt
var wordFile string

// lists are the sections of the word file.
var lists = sync.OnceValue(func() map[string]phrases {
	out := map[string]phrases{}
	for section := range strings.SplitSeq(wordFile, "\n[") {
		if name, list, found := strings.Cut(section, "]\n"); found {
			out[name] = phrasesOf(list)
		}
	}
	return out
})

// phrasesOf reads lines of "value: expression, expression". Every expression maps to its value.
func phrasesOf(list string) phrases {
	p := phrases{map[string]string{}, map[string]string{}, map[string]string{}, 0}
	for line := range strings.SplitSeq(list, "\n") {
		value, expressions, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		for expression := range strings.SplitSeq(expressions, ",") {
			e := light(strings.Join(strings.Fields(expression), " "))
			p.add(e, value)
			if plain := bare(e); plain != e && len(plain) > 3 && !isVietnamese(e) {
				p.add(plain, value)
			}
		}
	}
	return p
}

func (p *phrases) add(e, value string) {
	switch first, _ := firstRune(e); {
	case e == "":
	case isRun(first):
		p.run[e] = value
		p.max = max(p.max, utf8.RuneCountInString(e))
	case strings.Contains(e, " "):
		p.long[e] = value
		p.words[e[:strings.IndexByte(e, ' ')]] += ""
	default:
		p.words[e] = value
	}
}

// isVietnamese reports whether a folded expression has letters of Vietnamese only, whose marks distinguish words.
func isVietnamese(e string) bool {
	return strings.ContainsFunc(e, func(r rune) bool { return 0x1EA0 <= r && r <= 0x1EF9 || strings.ContainsRune("ăđơư", r) })
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// isRun reports whether a character belongs to a script in which expressions are found inside of longer words.
func isRun(r rune) bool {
	return script.IsHanOrKana(r) || script.IsHangul(r)
}

// found is an expression at its place in a text.
type found struct {
	value      string
	start, end int // bytes
}

// maxPhrase is the length of the longest phrase, in words.
const maxPhrase = 4

// in returns the expressions in a light text, the longest at each place.
func (p phrases) in(text string) []found { return p.among(wordsOf(text), text) }

// among returns the expressions in a light text that has these words.
func (p phrases) among(words []span, text string) []found {
	var out []found
	for _, w := range words {
		if w.isRun {
			out = p.inRun(out, text, w)
			continue
		}
		out = p.at(out, text, w)
	}
	return out
}

func (p phrases) at(out []found, text string, w span) []found {
	if len(out) > 0 && out[len(out)-1].end > w.start {
		return out
	}
	value, known := p.words[text[w.start:w.end]]
	if r, size := utf8.DecodeRuneInString(text[w.start:]); !known && strings.ContainsRune("وفلب", r) {
		if value, known = p.words[text[w.start+size:w.end]]; known {
			w.start += size
		}
	}
	if i := strings.IndexByte(text[w.start:w.end], '\''); !known && i >= 0 { // l'utente
		if value, known = p.words[text[w.start+i+1:w.end]]; known {
			w.start += i + 1
		}
	}
	if !known {
		return out
	}
	end := w.end
	best := w.end
	for range maxPhrase {
		space := strings.IndexByte(text[min(end+1, len(text)):], ' ')
		if end >= len(text) || text[end] != ' ' {
			break
		}
		next := len(text)
		if space >= 0 {
			next = end + 1 + space
		}
		phrase := strings.TrimRightFunc(text[w.start:next], unicode.IsPunct)
		if v, ok := p.long[phrase]; ok {
			value, best = v, w.start+len(phrase)
		}
		end = next
	}
	if value == "" {
		return out
	}
	return append(out, found{value, w.start, best})
}

func (p phrases) inRun(out []found, text string, w span) []found {
	for at := w.start; at < w.end; {
		n, length, value := 0, 0, ""
		for i, r := range text[at:w.end] {
			if n == p.max {
				break
			}
			n++
			size := i + len(string(r))
			if v, ok := p.run[text[at:at+size]]; ok {
				length, value = size, v
			}
		}
		if length > 0 {
			out = append(out, found{value, at, at + length})
			at += length
			continue
		}
		r, _ := firstRune(text[at:])
		at += len(string(r))
	}
	return out
}

// span is a word of a text, or a run of characters without spaces.
type span struct {
	start, end int
	isRun      bool
}

// wordsOf splits a text into words of letters, digits, marks, apostrophes and hyphens, and runs of scripts without spaces.
func wordsOf(text string) []span {
	var out []span
	open := false
	for i, r := range text {
		size := len(string(r))
		run := isRun(r)
		inWord := run || 'a' <= r && r <= 'z' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || (r == '\'' || r == '-') && open
		switch {
		case !inWord:
			open = false
		case open && out[len(out)-1].isRun == run:
			out[len(out)-1].end = i + size
		default:
			out = append(out, span{i, i + size, run})
			open = true
		}
	}
	for i, w := range out {
		out[i].end = w.start + len(strings.TrimRight(text[w.start:w.end], "'-"))
	}
	return out
}
