// Package analysis finds the terms of texts and questions: words with their stems, identifiers, numbers and ideographs.
package analysis

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	uax29 "github.com/clipperhouse/uax29/v2/words"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/date"
	"reverie/language/fold"
	"reverie/language/script"
)

// Version is part of an index's identity. It must change whenever any text is analysed differently.
const Version = 3

// Token is a term at its position in a text.
type Token struct {
	Text  string   // as it was written: text[Start:End]
	Forms []string // distinct search forms: the folded word first, then other spellings and stems
	Kind  TermKind
	Start int // bytes
	End   int
	// Stop marks a function word of the text's language.
	Stop bool
	// Position counts words from 0. An identifier has the position of its first part. In a script without spaces, a
	// single character and the pair that begins with it share a position.
	Position int
}

// Analyse returns the terms of a text in order. A text of punctuation has none.
//
// Words are folded (see package fold) and stemmed in the language indicated by the text's function words and letters; a
// short text without any is stemmed in every language, a longer one as English. Chinese, Japanese, Korean, Thai, Lao,
// Khmer and Burmese are split into single characters and pairs of neighbours. Identifiers are returned whole and in
// parts. Forms are at most 64 bytes; longer words are cut and get a hash.
//
// It takes linear time.
func Analyse(text string) []Token {
	s := scanText(text)
	return s.tokens(s.indexLanguages())
}

// AnalyseIn returns the terms of a text as Analyse does, but stems words in the given languages, whatever the text looks like. The
// terms of short texts then compare with each other.
func AnalyseIn(text string, in language.Set) []Token {
	s := scanText(text)
	return s.tokens(in)
}

// maxUnclear is the maximum length, in words, of a text of unknown language that is stemmed in every language.
const maxUnclear = 6

// maxPlausible is the maximum number of languages in which a text is stemmed if several are equally plausible.
const maxPlausible = 4

// indexLanguages returns the languages in which the words of a text are stemmed.
func (s *scan) indexLanguages() language.Set {
	found := s.evidence.Plausible()
	if found == 0 && s.position > maxUnclear || found.Len() > maxPlausible && found.Has(language.English) {
		return 1 << language.English
	}
	if found == 0 {
		return language.LatinStems
	}
	return found
}

// tokens returns the words as tokens, with stems in the given languages.
func (s *scan) tokens(in language.Set) []Token {
	if len(s.words) == 0 {
		return nil
	}
	tokens := make([]Token, len(s.words))
	forms := make([]string, 0, len(s.words)*2)
	known := language.Stems{}
	for i := range s.words {
		w := &s.words[i]
		from := len(forms)
		stop := w.isStop(in)
		forms = w.appendForms(forms, in, stop, known)
		start, end := s.origin(w)
		tokens[i] = Token{
			Text: s.source[start:end], Forms: forms[from:len(forms):len(forms)], Kind: w.kind, Start: start, End: end, Stop: stop,
			Position: w.position,
		}
	}
	return tokens
}

// isStop reports whether the word is a function word in each language that it can be of.
func (w *word) isStop(in language.Set) bool {
	switch {
	case w.function:
		return true
	case w.of == 0:
		return w.kind == Word && (w.folded == "http" || w.folded == "https" || w.folded == "www")
	case w.of&language.Latin == 0:
		return true // of another script
	}
	return in&^w.of == 0
}

// appendForms appends the search forms of the word.
func (w *word) appendForms(forms []string, in language.Set, stop bool, known language.Stems) []string {
	from := len(forms)
	forms = append(forms, form(w.folded))
	for _, other := range w.other {
		if other != "" {
			forms = appendDistinct(forms, from, form(other))
		}
	}
	if !w.plain || stop {
		return forms
	}
	var buffer [language.StemmedCount]language.Language
	for _, lang := range w.stemLanguages(in).List(buffer[:0]) {
		if found := known.Stem(w.folded, lang); found != "" {
			forms = append(forms, found)
		}
	}
	return forms
}

// lastStem returns the last of the forms of a word if it is a stem, without computing the others.
func (w *word) lastStem(in language.Set, known language.Stems) string {
	if !w.plain {
		return ""
	}
	var buffer [language.StemmedCount]language.Language
	for _, lang := range slices.Backward(w.stemLanguages(in).List(buffer[:0])) {
		if found := known.Stem(w.folded, lang); found != "" {
			return found
		}
	}
	return ""
}

// appendDistinct appends a form unless forms[from:] contains it.
func appendDistinct(forms []string, from int, form string) []string {
	if slices.Contains(forms[from:], form) {
		return forms
	}
	return append(forms, form)
}

// stemLanguages returns the languages of in that the word can be of, by its script.
func (w *word) stemLanguages(in language.Set) language.Set {
	switch r, _ := utf8.DecodeRuneInString(w.folded); {
	case isLatin(w.folded):
		return in & language.LatinStems
	case 0x400 <= r && r <= 0x4FF && !strings.ContainsAny(w.folded, "іїєґўјљњћђџѓќ"):
		return 1 << language.Russian
	case 0x620 <= r && r <= 0x6FF && !strings.ContainsAny(w.folded, "پچژگکیٹںڈڑے"):
		return 1 << language.Arabic
	case 0xB80 <= r && r <= 0xBFF:
		return 1 << language.Tamil
	}
	return 0
}

// NewQuery analyses a question. now must be in the time zone of the asker: the periods that the question names are
// computed from it.
//
// The terms are distinct and in order. If the language of the question is unclear, a term has stems in every plausible
// language, so that it matches texts in any of them; pairs of characters represent the single characters.
func NewQuery(text string, now time.Time) Query {
	s := scanText(text)
	in := s.evidence.Plausible()
	if in == 0 {
		in = language.LatinStems
	}
	speakers, dialogue := speakersOf(text)
	q := Query{Text: text, Speakers: speakers}
	var ends []int
	if !dialogue {
		ends = questionEnds(s.folded.Text)
		q.Questions = len(ends)
	}
	known := make(map[string]int, len(s.words))
	characters := map[string]int{}
	for i := range s.words {
		w := &s.words[i]
		asked := within(ends, w.start)
		if w.kind == Ideographs && w.inRun {
			if at, ok := characters[w.folded]; ok {
				q.Characters[at].occur(asked)
			} else if !w.function {
				characters[w.folded] = len(q.Characters)
				q.Characters = append(q.Characters, QueryTerm{Text: w.folded, Forms: []string{form(w.folded)}, Kind: Ideographs, Count: 1, In: asked})
			}
			continue
		}
		if at, ok := known[form(w.folded)]; ok {
			q.Terms[at].occur(asked)
			continue
		}
		stop := w.isStop(in)
		forms := w.appendForms(nil, in, stop, nil)
		if at, ok := known[forms[len(forms)-1]]; ok && in.Len() == 1 { // another inflection of the same word
			q.Terms[at].Forms = appendDistinct(q.Terms[at].Forms, 0, forms[0])
			q.Terms[at].occur(asked)
			known[forms[0]] = at
			continue
		}
		known[forms[0]] = len(q.Terms)
		known[forms[len(forms)-1]] = len(q.Terms)
		start, end := s.origin(w)
		term := QueryTerm{Text: s.source[start:end], Forms: forms, Kind: w.kind, Stop: stop, Count: 1, In: asked}
		if !stop && isName(term.Text) {
			term.Sound = Sound(w.folded)
		}
		q.Terms = append(q.Terms, term)
	}
	unmarkIfAll(q.Terms)
	q.Phrases = s.phrases()
	q.Periods = date.Periods(text, in, now)
	q.OfAssistant = cue.Find(text, cue.LanguageOf(text)).Set().Has(cue.Told)
	return q
}

// occur counts another occurrence of a term in the given questions.
func (t *QueryTerm) occur(in uint8) {
	t.Count++
	t.In |= in
}

// unmarkIfAll clears the stop marks of a question that consists of function words only.
func unmarkIfAll(terms []QueryTerm) {
	for _, t := range terms {
		if !t.Stop {
			return
		}
	}
	for i := range terms {
		terms[i].Stop = false
	}
}

// Indexer returns the forms under which the pieces of one source are indexed. It caches stems, because the same words
// recur.
type Indexer struct {
	known language.Stems
	words []word // of the last text, whose memory is used again
}

// NewIndexer returns an Indexer for the pieces of one source.
func NewIndexer() *Indexer { return &Indexer{known: language.Stems{}} }

// Piece calls inText for every form in text and inContext for every form in context, the path and headings or the
// speaker. A form is reported as often as it occurs. Both are stemmed in the languages of the text if these are clear.
// Piece returns the length of text in words.
func (x *Indexer) Piece(text, context string, inText, inContext func(form string)) int {
	body, around := scanText(text), scanText(context)
	in := body.indexLanguages()
	if body.evidence.Plausible() != 0 { // headings and names are in the language of the text
		around.evidence = body.evidence
	}
	inAround := around.indexLanguages()
	body.each(in, x.known, inText)
	around.each(inAround, x.known, inContext)
	return body.position
}

// Words calls add with every word of a text that is not a function word: as it is folded, its last form, its position, and whether it is
// capitalized within the text. The last form is the stem in one of the languages; without any, they are guessed.
func (x *Indexer) Words(text string, in language.Set, add func(folded, stem string, position int, capitalized bool)) {
	s := scanInto(x.words, text)
	x.words = s.words
	if in == 0 {
		in = s.indexLanguages()
	}
	var forms []string
	for i := range s.words {
		if w := &s.words[i]; !w.isStop(in) {
			forms = w.appendForms(forms[:0], in, true, nil)
			start, end := s.origin(w)
			first, _ := utf8.DecodeRuneInString(text[start:end])
			add(forms[0], cmp.Or(w.lastStem(in, x.known), forms[len(forms)-1]), w.position, i > 0 && unicode.IsUpper(first))
		}
	}
}

// each calls add for every form of every word.
func (s *scan) each(in language.Set, known language.Stems, add func(form string)) {
	var forms []string
	for i := range s.words {
		w := &s.words[i]
		stop := w.isStop(in)
		forms = w.appendForms(forms[:0], in, stop, known)
		for _, form := range forms {
			add(form)
		}
	}
}

// Query is an analysed question.
type Query struct {
	Text  string // as it was asked
	Terms []QueryTerm
	// Characters are the single characters of longer runs of ideographs, without function words: weak evidence for a
	// text that has none of the pairs, which are among Terms.
	Characters []QueryTerm
	Phrases    []Phrase
	Periods    []date.Period
	// OfAssistant reports that it asks what the assistant said.
	OfAssistant bool
	// Speakers are the distinct folded words of the names of those who speak, if it is a dialogue ("Ida: …"), without roles.
	Speakers []string
	// Questions is the number of questions that it asks if there are several, else 0.
	Questions int
}

// Searched returns all terms that are looked up in an index: Terms, then Characters.
func (q Query) Searched() []QueryTerm { return slices.Concat(q.Terms, q.Characters) }

// TermKind is the kind of a term.
type TermKind uint8

const (
	// Word is a word of a script that separates words.
	Word TermKind = iota
	// Ideographs are one or two characters of a script that does not separate words.
	Ideographs
	// Identifier is a whole name of several parts, such as db_port or user@example.
	Identifier
	// Number consists of digits.
	Number
)

// QueryTerm is one term of the question. A unit contains it if it contains any of its forms.
type QueryTerm struct {
	Text  string   // as it was written
	Forms []string // after analysis, distinct, at least one: the word itself first, then its stems
	Kind  TermKind
	// Stop marks a word too common in its language to matter. In a query of stop words only, none is marked.
	Stop bool
	// Sound is the Sound of a word written like a name, by which a speaker is found if no text has the word; else "".
	Sound string
	// Count is the number of times that it occurs.
	Count int
	// In has bit i set if it occurs in question i of several.
	In uint8
}

// Phrase is a quoted sequence of words, or an identifier. It matches where its words are adjacent.
type Phrase struct {
	Text   string // folded
	Quoted bool
}

// quotes are the pairs of characters around a phrase, as they are after folding.
var quotes = [][2]string{
	{`"`, `"`},
	{"“", "”"},
	{"„", "“"},
	{"„", "”"},
	{"«", "»"},
	{"»", "«"},
	{"「", "」"},
	{"『", "』"},
	{"《", "》"},
	{"`", "`"},
}

// maxPhrases is the maximum number of phrases of one question.
const maxPhrases = 16

// phrases returns the quoted phrases and the identifiers of the question.
func (s *scan) phrases() []Phrase {
	var found []Phrase
	add := func(text string, quoted bool) {
		text = strings.Join(strings.Fields(text), " ")
		if text == "" || len(found) == maxPhrases {
			return
		}
		for _, known := range found {
			if known.Text == text {
				return
			}
		}
		found = append(found, Phrase{Text: text, Quoted: quoted})
	}
	text := s.folded.Text
	for i := 0; i < len(text) && len(found) < maxPhrases; {
		end := i + 1
		for _, pair := range quotes {
			inner, ok := strings.CutPrefix(text[i:], pair[0])
			if !ok {
				continue
			}
			if to := strings.Index(inner[:min(len(inner), maxPhrase)], pair[1]); to >= 0 {
				if len(scanText(inner[:to]).words) > 0 {
					add(inner[:to], true)
				}
				end = i + len(pair[0]) + to + len(pair[1])
				break
			}
		}
		i = end
	}
	for i := range s.words {
		if w := &s.words[i]; w.kind == Identifier && w.of == 0 && w.end-w.start <= maxPhrase {
			add(w.folded, false)
		}
	}
	return found
}

// maxPhrase is the maximum length of a phrase in bytes.
const maxPhrase = 200

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
func scanText(text string) *scan { return scanInto(nil, text) }

// scanInto is scanText with memory for the words.
func scanInto(words []word, text string) *scan {
	s := &scan{source: text, folded: fold.Fold(text)}
	s.words = slices.Grow(words[:0], expectedWords(s.folded.Text))
	segments := uax29.FromString(s.folded.Text)
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

// emptyHan are characters that few Chinese words of content have: they join or refer.
const emptyHan = "我你您他她它们們的了是有在和也都就这那這個个件事"

// Repeats reports whether a text has all words of content of a statement, which has some. Both are read in the same languages, since each of
// them may be too short to know its language.
func Repeats(text, statement string) bool {
	in := language.Plausible(statement + "\n" + text)
	forms := map[string]bool{}
	for _, word := range AnalyseIn(text, in) {
		for _, form := range word.Forms {
			forms[form] = true
		}
	}
	words := slices.DeleteFunc(AnalyseIn(statement, in), func(word Token) bool {
		return word.Stop || word.Kind == Ideographs && strings.ContainsAny(word.Text, emptyHan)
	})
	pairs := slices.DeleteFunc(slices.Clone(words), func(word Token) bool {
		return word.Kind == Ideographs && utf8.RuneCountInString(word.Text) == 1
	})
	if len(pairs) > 0 { // a single character is a word only where there is nothing else
		words = pairs
	}
	return len(words) > 0 && !slices.ContainsFunc(words, func(word Token) bool {
		return !slices.ContainsFunc(word.Forms, func(form string) bool { return forms[form] })
	})
}
