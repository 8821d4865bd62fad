// Package analysis finds the terms of texts and questions: words with their stems, identifiers, numbers and ideographs.
package analysis

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/date"
)

// Version is part of an index's identity. It must change whenever any text is analysed differently.
const Version = 2

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
	q := Query{Text: text}
	known := make(map[string]int, len(s.words))
	for i := range s.words {
		w := &s.words[i]
		if w.kind == Ideographs && w.inRun {
			continue
		}
		if _, ok := known[form(w.folded)]; ok {
			continue
		}
		stop := w.isStop(in)
		forms := w.appendForms(nil, in, stop, nil)
		if at, ok := known[forms[len(forms)-1]]; ok && in.Len() == 1 { // another inflection of the same word
			q.Terms[at].Forms = appendDistinct(q.Terms[at].Forms, 0, forms[0])
			known[forms[0]] = at
			continue
		}
		known[forms[0]] = len(q.Terms)
		known[forms[len(forms)-1]] = len(q.Terms)
		start, end := s.origin(w)
		q.Terms = append(q.Terms, QueryTerm{Text: s.source[start:end], Forms: forms, Kind: w.kind, Stop: stop})
	}
	unmarkIfAll(q.Terms)
	q.Phrases = s.phrases()
	q.Periods = date.Periods(text, in, now)
	return q
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
type Indexer struct{ known language.Stems }

// NewIndexer returns an Indexer for the pieces of one source.
func NewIndexer() Indexer { return Indexer{language.Stems{}} }

// Piece calls inText for every form in text and inContext for every form in context, the path and headings or the
// speaker. A form is reported as often as it occurs. Both are stemmed in the languages of the text if these are clear.
// Piece returns the length of text in words.
func (x Indexer) Piece(text, context string, inText, inContext func(form string)) int {
	body := scanText(text)
	around := scanText(context)
	body.each(body.indexLanguages(), x.known, inText)
	if body.evidence.Plausible() != 0 { // headings and names are in the language of the text
		around.evidence = body.evidence
	}
	around.each(around.indexLanguages(), x.known, inContext)
	return body.position
}

// each calls add for every form of every word.
func (s *scan) each(in language.Set, known language.Stems, add func(form string)) {
	var forms []string
	for i := range s.words {
		w := &s.words[i]
		forms = w.appendForms(forms[:0], in, w.isStop(in), known)
		for _, form := range forms {
			add(form)
		}
	}
}

// Query is an analysed question.
type Query struct {
	Text    string // as it was asked
	Terms   []QueryTerm
	Phrases []Phrase
	Periods []date.Period
}

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
