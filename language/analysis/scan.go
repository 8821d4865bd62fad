package analysis

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/clipperhouse/uax29/v2/words"

	"reverie/language"
	"reverie/language/fold"
	"reverie/language/script"
)

// word is a term of a text before its language is known.
type word struct {
	folded     string // as used for stemming
	other      [2]string
	start, end int // bytes of the folded text
	position   int
	kind       TermKind
	of         language.Set // languages in which it is a function word
	plain      bool         // letters only: it may have a stem
	function   bool         // of a script that does not separate words: consists of function words
	inRun      bool         // one character of a longer run, represented by pairs in a question
}

// scan is the first stage of an analysis: the words of a text and the evidence for its language.
type scan struct {
	source   string
	folded   fold.Folded
	words    []word
	position int // of the next word
	evidence language.Evidence

	// The current identifier: folded.text[nameStart:nameEnd], and a connector up to nameNext that counts if a word
	// follows.
	nameStart, nameEnd, nameNext int
	inName, isURL                bool
	inIdentifier                 bool // words are parts of one, and no evidence for the language

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

// expectedWords estimates the number of words of a text: one per five bytes, and two per three-byte Chinese character.
func expectedWords(text string) int {
	wide := 0
	for i := range len(text) {
		if text[i] >= 0xE3 {
			wide++
		}
	}
	return (len(text)-3*wide)/5 + 2*wide + 4
}

// segment processes a segment between Unicode word boundaries.
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
	// A segment may contain letters of several scripts.
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

// punctuation ends the current name or run, unless it can be inside an identifier.
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

// namePart processes a run of letters and digits.
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

// endName converts the current name to words.
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

// add appends a word and returns it, so that the caller can set further fields. The position does not advance.
func (s *scan) add(start, end int, kind TermKind) *word {
	s.words = append(s.words, word{
		folded: s.folded.Text[start:end], start: start, end: end, position: s.position, kind: kind,
	})
	return &s.words[len(s.words)-1]
}

// origin returns the position of a word in the source.
func (s *scan) origin(w *word) (start, end int) { return s.folded.Origin(w.start, w.end) }

// form returns a folded word as a term: with the Turkish letters i unified, and cut if too long.
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

// isSignByte reports whether c is an ASCII character other than a letter or digit.
func isSignByte(c byte) bool { return c < utf8.RuneSelf && !script.IsAlphanumeric(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// runReader collects a run of characters of a script that does not separate words, or that attaches particles to them.
type runReader struct {
	script script.Script
	starts []int // of each character with its marks, bytes of the folded text
	end    int
	spans  []uint8 // see functionSpans
}

// takes reports whether a character at byte at continues the run.
func (r *runReader) takes(at int, of script.Script) bool {
	if len(r.starts) == 0 || r.end != at {
		return false
	}
	return r.script == of
}

func (r *runReader) add(start, end int, of script.Script) {
	r.script = of
	r.starts = append(r.starts, start)
	r.end = end
}

// mark adds a mark to the last character; false if the mark does not directly follow one.
func (r *runReader) mark(start, end int) bool {
	if len(r.starts) == 0 || r.end != start {
		return false
	}
	r.end = end
	return true
}

// endRun converts a run to its single characters and its pairs of neighbours. In a question only the pairs count, and
// characters that are alone, or between function words: 本を, 집에.
func (s *scan) endRun() {
	n := len(s.run.starts)
	if n == 0 {
		return
	}
	end := func(i int) int {
		if i+1 < n {
			return s.run.starts[i+1]
		}
		return s.run.end
	}
	spans := s.functionSpans()
	for i, start := range s.run.starts {
		single := s.add(start, end(i), Ideographs)
		single.function = spans != nil && spans[i] > 0
		alone := n == 1 || spans != nil && spans[i] == 0 && (i == 0 || spans[i-1] > 0) && (i == n-1 || spans[i+1] > 0)
		single.inRun = !alone
		if i+1 < n {
			pair := s.add(start, end(i+1), Ideographs)
			// A match of half a longer function word is accidental.
			pair.function = spans != nil && (spans[i] > 0 && spans[i+1] > 0 || spans[i] > 1 || spans[i+1] > 1)
		}
		s.position++
	}
	s.run.starts = s.run.starts[:0]
}

// functionSpans returns, for each character of the run, the length of the function word that contains it, matched from
// the left, longest first; nil if there is none.
func (s *scan) functionSpans() []uint8 {
	var spans []uint8
	n := len(s.run.starts)
	for i := 0; i < n; {
		length := 0
		for l := min(maxFunctionRun, n-i); l > 0; l-- {
			end := s.run.end
			if i+l < n {
				end = s.run.starts[i+l]
			}
			if functionRuns[s.folded.Text[s.run.starts[i]:end]] {
				length = l
				break
			}
		}
		if length == 0 {
			i++
			continue
		}
		if spans == nil {
			s.run.spans = slices.Grow(s.run.spans[:0], n)[:n]
			clear(s.run.spans)
			spans = s.run.spans
		}
		for range length {
			spans[i] = uint8(length)
			i++
		}
	}
	return spans
}

// maxFunctionRun is the maximum length of functionRuns, in characters.
const maxFunctionRun = 5

// functionRuns are function words of Chinese, Japanese, Korean and Thai.
var functionRuns = func() map[string]bool {
	runs := make(map[string]bool)
	for word := range strings.FieldsSeq(functionRunList) {
		runs[fold.Text(word)] = true
	}
	return runs
}()

const functionRunList = `的 了 吗 嗎 呢 吧 啊 呀 么 麼 是 在 也 很 我 你 您 他 她 它 们 們 这 這 那 哪 谁 誰
	什么 什麼 甚麼 怎么 怎麼 怎样 怎樣 怎么样 怎麼樣 为什么 為什麼 为何 為何 什么时候 什麼時候 何时 何時 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些
	多少 几个 幾個 多久 多大 我们 我們 你们 你們 他们 他們 她们 她們 它们 自己 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡
	因为 因為 所以 如果 但是 可是 不过 不過 而且 或者 还是 還是 虽然 雖然 然后 然後 以后 之前 之后 之後 已经 已經 曾经 曾經 正在 可以 没有 沒有
	是否 有没有 有沒有 是不是 关于 關於 请问 請問 告诉 告訴 一下 一个 一個 哪一 时候 時候 现在 現在 其他 其它 以及 并且 對於 对于 从而 比如 例如
	の に は を が た で て と も へ や か な だ ね よ し れ る です ます した して でした ました ません から まで より など だけ という といった
	いつ どこ だれ なに なん どう なぜ どの どれ どんな いくつ いくら 誰 何 何時 いる ある する こと もの これ それ あれ この その あの ここ そこ
	ください ですか ますか でしょう いて いた った ている ていた
	은 는 이 가 을 를 에 의 도 로 과 와 에서 에게 으로 부터 까지 하고 이다 입니다 습니다 습니까 입니까 합니다 했습니다 있는 있다 무엇 언제 어디
	누구 어떻게 왜 어떤 어느 몇 무슨 그리고 그러나 하지만 나는 저는 우리 그는 그녀 이것 그것 저것 인가 인가요 나요 했나요 니까
	ที่ ใน และ ของ เป็น มี ได้ ไม่ ให้ จะ กับ ว่า อะไร เมื่อ ไหร่ เมื่อไหร่ ไหน ใคร ทำไม อย่าง ไร อย่างไร หรือ แต่ ก็ นี้ นั้น ฉัน คุณ เขา`
