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
		n := norm.NFKC.NextBoundaryInString(rest[done:], true)
		f.segment(at+done, rest[done:done+n])
		done += n
	}
	return done
}

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
