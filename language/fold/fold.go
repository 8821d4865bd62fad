// Package fold folds texts for comparison and maps positions back to the original.
package fold

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text returns text as the analyser compares it: Unicode NFKC, case-folded, with diacritics kept, digits of all scripts
// as 0 to 9, plain apostrophes and hyphens instead of typographic ones, and without invisible characters (soft hyphens,
// joiners, direction marks). It is idempotent.
func Text(text string) string { return Fold(text).Text }

// Folded is a folded text with the mapping to its original.
type Folded struct {
	Text  string
	spans []foldSpan // where the two texts differ; none if every byte kept its position
	size  int        // bytes of the original
}

// foldSpan starts a part of the folded text. In a straight part, each byte comes from the byte at the same distance;
// the bytes of any other part all come from everything up to the next span.
type foldSpan struct {
	at, origin int
	straight   bool
}

// Fold folds a text. It takes linear time: normalisation cuts runs of more than 30 combining marks.
func Fold(text string) Folded {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf && (text[i] < 'A' || text[i] > 'Z') {
		i++
	}
	if i == len(text) {
		return Folded{Text: text, size: len(text)}
	}
	if i > 0 && text[i] >= utf8.RuneSelf {
		i-- // a mark that follows belongs to the last character
	}
	f := folder{source: text, out: make([]byte, 0, len(text)+len(text)/16)}
	f.out = append(f.out, text[:i]...)
	for i < len(text) {
		n := ASCIIPrefix(text[i:])
		if i+n < len(text) && n > 0 {
			n-- // as above
		}
		f.lower(text[i : i+n])
		i += n
		if i < len(text) {
			i += f.segments(i)
		}
	}
	return Folded{Text: string(f.out), spans: f.spans, size: len(text)}
}

// ASCIIPrefix returns the length of the prefix of text that folding does not change.
func ASCIIPrefix(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

type folder struct {
	source string
	out    []byte
	spans  []foldSpan
}

func (f *folder) lower(ascii string) {
	start := len(f.out)
	f.out = append(f.out, ascii...)
	for i := start; i < len(f.out); i++ {
		if c := f.out[i]; 'A' <= c && c <= 'Z' {
			f.out[i] = c + 'a' - 'A'
		}
	}
}

// segments folds characters from position at of the source until plain text follows, and returns the number of bytes
// read.
func (f *folder) segments(at int) int {
	rest := f.source[at:]
	done := 0
	for done < len(rest) {
		if rest[done] < utf8.RuneSelf && (done+1 == len(rest) || rest[done+1] < utf8.RuneSelf) {
			break
		}
		if n := f.plain(rest[done:]); n > 0 {
			done += n
			continue
		}
		if r, n := utf8.DecodeRuneInString(rest[done:]); isWideASCII(r) && staysAlone(rest[done+n:]) {
			f.spans = append(f.spans, foldSpan{len(f.out), at + done, false}, foldSpan{len(f.out) + 1, at + done + n, true})
			f.out = appendFolded(f.out, r-wideOffset)
			done += n
			continue
		}
		n := norm.NFKC.NextBoundaryInString(rest[done:], true)
		f.segment(at+done, rest[done:done+n])
		done += n
	}
	return done
}

// plain folds the characters that text begins with which stay alone and keep their length, and returns their length. The last one
// before another sign than ASCII is left out: a mark may belong to it.
func (f *folder) plain(text string) int {
	n, last := 0, 0
	for n < len(text) && text[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[n:])
		folded := plainFold(r)
		if folded == 0 {
			if !staysAlone(text[n:]) {
				f.out, n = f.out[:len(f.out)-last], n-last
			}
			break
		}
		f.out = utf8.AppendRune(f.out, folded)
		n, last = n+size, size
	}
	return n
}

// staysAlone reports whether what a text begins with leaves the character before it alone: nothing, ASCII, a plain letter, or
// punctuation.
func staysAlone(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n == 0 || r < utf8.RuneSelf || isBoundary(r) || plainFold(r) != 0
}

// isBoundary reports whether r is a punctuation mark that is folded in another way.
func isBoundary(r rune) bool { return r == '‘' || r == '’' || r == '…' || isWideASCII(r) }

// isWideASCII reports whether r is the full-width form of an ASCII character.
func isWideASCII(r rune) bool { return 0xFF01 <= r && r <= 0xFF5E }

// wideOffset is the distance between both forms.
const wideOffset = 0xFF01 - '!'

// plainFold returns the folded form of a character that normalisation does not change, whatever comes before it, if both have the
// same length; 0 for others.
func plainFold(r rune) rune {
	switch {
	case r < firstPlain:
	case r < firstPlain+rune(len(plainFolds)):
		return plainFolds[r-firstPlain]
	case 0x1EA0 <= r && r <= 0x1EF9: // Vietnamese
		return unicode.ToLower(r)
	case 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FC, 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF,
		0xAC00 <= r && r <= 0xD7A3, 0x3001 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x3011, 0x2013 <= r && r <= 0x2014,
		0x201C <= r && r <= 0x201E: // without case
		return r
	}
	return 0
}

// firstPlain is the first character in plainFolds, À.
const firstPlain = 0xC0

// plainFolds holds the results of plainFold for Latin, Greek, Cyrillic, Hebrew and Arabic.
var plainFolds = func() (folds [0x700 - firstPlain]rune) {
	for i := range folds {
		r := rune(firstPlain + i)
		properties := norm.NFKC.PropertiesString(string(r))
		folded, size := utf8.DecodeRune(appendFolded(nil, r))
		if norm.NFKC.IsNormalString(string(r)) && properties.BoundaryBefore() && size == utf8.RuneLen(r) && folded != utf8.RuneError {
			folds[i] = folded
		}
	}
	return folds
}()

// segment folds one normalisation segment: a character with its marks.
func (f *folder) segment(at int, original string) {
	start := len(f.out)
	normal := original
	if norm.NFKC.QuickSpanString(original) < len(original) {
		normal = norm.NFKC.String(original)
	}
	for _, r := range normal {
		f.out = appendFolded(f.out, r)
	}
	_, size := utf8.DecodeRuneInString(original)
	if _, folded := utf8.DecodeRune(f.out[start:]); size == len(original) && folded == size && len(f.out)-start == size {
		return
	}
	// A lower-case letter may compose with marks that its capital does not: T̈ and ẗ.
	if again := f.out[start:]; norm.NFKC.QuickSpan(again) < len(again) {
		f.out = append(f.out[:start], norm.NFKC.Bytes(again)...)
	}
	// The text after it is straight again until the next span.
	f.spans = append(f.spans, foldSpan{start, at, false}, foldSpan{len(f.out), at + len(original), true})
}

// appendFolded appends one normalised character, case-folded.
func appendFolded(out []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(out, byte(r))
	case r == 'ß' || r == 'ẞ':
		return append(out, "ss"...)
	case r == '‘' || r == '’' || r == '‛' || r == 'ʼ' || r == '′':
		return append(out, '\'')
	case r == '‐':
		return append(out, '-')
	case isInvisible(r):
		return out
	case r == 'ı': // kept for Turkish stems; see dotless
		return utf8.AppendRune(out, r)
	case unicode.Is(unicode.Nd, r):
		return append(out, '0'+digitValue(r))
	default:
		return utf8.AppendRune(out, unicode.ToLower(unicode.ToUpper(r)))
	}
}

// isInvisible reports whether r is one of Unicode's default ignorable characters, except the zero width space, which
// separates words in scripts without spaces.
func isInvisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0xFEFF:
		return true
	case 0x180B <= r && r <= 0x180F, 0x200C <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F:
		return true
	case 0xFE00 <= r && r <= 0xFE0F, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// digitValue returns the value of the decimal digit r. Unicode encodes digits in blocks of ten that begin at ...0 or ...6.
func digitValue(r rune) byte {
	low := r & 0xF
	if low >= 6 && !unicode.Is(unicode.Nd, r-low) {
		return byte(low - 6)
	}
	return byte(low)
}

// Origin maps a range of the folded text to the range of the original that it comes from.
func (f Folded) Origin(start, end int) (from, to int) {
	if len(f.spans) == 0 {
		return start, end
	}
	return f.before(start), f.after(end)
}

// before returns where in the original the folded byte at offset at begins.
func (f Folded) before(at int) int {
	i := f.span(at)
	if i < 0 {
		return at
	}
	if s := f.spans[i]; s.straight {
		return s.origin + at - s.at
	}
	return f.spans[i].origin
}

// after returns where in the original the folded byte before offset at ends.
func (f Folded) after(at int) int {
	i := f.span(at - 1)
	if i < 0 {
		return at
	}
	if s := f.spans[i]; s.straight {
		return s.origin + at - s.at
	}
	if i+1 < len(f.spans) {
		return f.spans[i+1].origin
	}
	return f.size
}

// span returns the index of the last span that begins at or before the folded byte at, or -1. Of spans that begin at
// the same byte the earlier ones are empty.
func (f Folded) span(at int) int {
	return sort.Search(len(f.spans), func(i int) bool { return f.spans[i].at > at }) - 1
}
