package analysis

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/clipperhouse/uax29/v2/words"

	"reverie/language"
	"reverie/language/fold"
	"reverie/language/script"
)

// word is a term as it stands in a text, before it is known which language that is in.
type word struct {
	folded     string // as it is stemmed
	other      [2]string
	start, end int // bytes of the folded text
	position   int
	kind       TermKind
	of         language.Set // in which it is a function word
	plain      bool         // letters only: it may have a stem
	function   bool         // of a script that does not separate words: made of function words
	inRun      bool         // one character of a longer run, which pairs stand for in a question
}

// scan is the first half of an analysis: the words of a text and the evidence for its language.
type scan struct {
	source   string
	folded   fold.Folded
	words    []word
	position int // of the next word
	evidence language.Evidence

	// The identifier that is being read: folded.text[nameStart:nameEnd], and a connector up to nameNext that counts if a
	// word follows.
	nameStart, nameEnd, nameNext int
	inName, isURL                bool
	inIdentifier                 bool // words are parts of one, and say nothing about the language

	run runReader
}

// scanText finds the words of a text. It takes linear time.
func scanText(text string) *scan {
	s := &scan{source: text, folded: fold.Fold(text)}
	s.words = make([]word, 0, expectedWords(s.folded.Text))
	segments := words.FromString(s.folded.Text)
	for segments.Next() {
		s.segment(segments.Start(), segments.End())
	}
	s.endName()
	s.endRun()
	return s
}

// expectedWords is about how many words a text has: one in five bytes, and two in the three bytes of a Chinese character.
func expectedWords(text string) int {
	wide := 0
	for i := range len(text) {
		if text[i] >= 0xE3 {
			wide++
		}
	}
	return (len(text)-3*wide)/5 + 2*wide + 4
}

// segment takes what Unicode's word boundaries enclose.
func (s *scan) segment(start, end int) {
	segment := s.folded.Text[start:end]
	if fold.ASCIIPrefix(segment) == len(segment) {
		if script.IsAlphanumeric(segment[0]) || segment[0] == '_' {
			s.endRun()
			s.namePart(start, end)
		} else {
			s.punctuation(start, end)
		}
		return
	}
	// Letters of several scripts may stand in one segment.
	partStart := start
	inPart := false
	flush := func(at int) {
		if inPart {
			s.namePart(partStart, at)
			inPart = false
		}
	}
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s.folded.Text[i:])
		switch of := script.Of(r); of {
		case script.Mark:
			if !inPart && !s.run.mark(i, i+size) {
				flush(i)
			}
		case script.Spaced:
			if !inPart {
				s.endRun()
				partStart, inPart = i, true
			}
		case script.None:
			if !inPart || size > 1 {
				flush(i)
				s.punctuation(i, i+size)
			}
		default:
			flush(i)
			s.endName()
			if !s.run.takes(i, of) {
				s.endRun()
			}
			s.run.add(i, i+size, of)
		}
		i += size
	}
	flush(end)
}

// punctuation ends what was being read, unless it can stand inside an identifier.
func (s *scan) punctuation(start, end int) {
	s.endRun()
	if !s.inName {
		return
	}
	between := s.folded.Text[s.nameEnd:end]
	switch {
	case len(between) == 1 && isConnector(between[0], s.isURL):
		s.nameNext = end
	case between == ":/" || between == "::" || between == `:\`:
		s.nameNext = end
	case between == "://":
		s.nameNext, s.isURL = end, true
	default:
		s.endName()
	}
}

// isConnector reports whether c joins the words on its two sides into one name.
func isConnector(c byte, inURL bool) bool {
	switch c {
	case '-', '_', '@', '/', '\\', '.', ':', '&', '+', '\'':
		return true
	case '?', '=', '#', '%', '~', ';', ',':
		return inURL
	}
	return false
}

// namePart takes a stretch of letters and digits.
func (s *scan) namePart(start, end int) {
	if s.inName && (s.nameEnd == start || s.nameNext == start) && s.complete(s.nameEnd, start) {
		s.nameEnd, s.nameNext = end, end
		return
	}
	s.endName()
	s.nameStart, s.nameEnd, s.nameNext, s.inName, s.isURL = start, end, end, true, false
}

// complete reports whether folded.text[from:to] is a whole connector, and not the beginning of "://".
func (s *scan) complete(from, to int) bool { return s.folded.Text[from:to] != ":/" }

// endName turns what was read into words.
func (s *scan) endName() {
	if !s.inName {
		return
	}
	s.inName = false
	text := s.folded.Text
	start, end := s.nameStart, s.nameEnd
	for start < end && isSignByte(text[start]) {
		start++
	}
	for start < end && isSignByte(text[end-1]) {
		end--
	}
	if start < end {
		s.name(start, end)
	}
}

// add appends a word and returns it, for what else is to be said about it. The position stays.
func (s *scan) add(start, end int, kind TermKind) *word {
	s.words = append(s.words, word{
		folded: s.folded.Text[start:end], start: start, end: end, position: s.position, kind: kind,
	})
	return &s.words[len(s.words)-1]
}

// origin is where in the source a word stands.
func (s *scan) origin(w *word) (start, end int) { return s.folded.Origin(w.start, w.end) }

// form is a folded word as a term: without the difference between the Turkish letters i, and cut when it is too long.
func form(word string) string {
	if strings.Contains(word, "ı") {
		word = strings.ReplaceAll(word, "ı", "i")
	}
	if len(word) <= language.MaxForm {
		return word
	}
	end := language.MaxForm - 17
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end] + language.StemMark + strconv.FormatUint(xxhash.Sum64String(word), 16)
}

// isSignByte reports whether c is a character of its own that is neither letter nor digit.
func isSignByte(c byte) bool { return c < utf8.RuneSelf && !script.IsAlphanumeric(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
