// Package erase takes words out of everything that is stored, under pg.EraserRole.
package erase

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
	"reverie/memory"
)

// Words finds what is to be erased in texts: sentences that contain a phrase, and those that make or restate a statement.
type Words struct {
	phrases    []phrase
	statements []statement
	claims     claim.Claimed // of statements, see Claiming
	dependent  bool          // of the line that is read, see claim.Claimed.With
	hints      []string      // a text that repeats a statement has one of them
}

type statement struct {
	claim.Words

	pieces   int  // see pieces
	isAnswer bool // it needs a question: only the same words make it
}

type phrase struct {
	pattern    *regexp.Regexp
	start, end bool // it begins or ends with a letter or digit, next to which no other one may be
}

// minQuoted is the number of characters from which a statement is looked for as a phrase too: within other texts, and in code.
const minQuoted = 8

// marks matches white space and the marks of Markdown, which may separate the words of a phrase.
const (
	marks   = `[\s>*_~#|-]`
	between = marks + "+"
)

// WordsOf returns the words of phrases and statements. Phrases are found in any case, as whole words.
func WordsOf(phrases, statements []string) Words {
	var w Words
	for _, text := range statements {
		text = strings.TrimSpace(claim.Comment.ReplaceAllString(text, ""))
		if text == "" || text == memory.Erased {
			continue
		}
		spoken, isAnswer := spokenOf(text)
		w.add(text, false)
		if spoken != text {
			w.add(spoken, isAnswer)
		}
		for _, said := range slices.Compact([]string{text, spoken}) {
			if utf8.RuneCountInString(said) >= minQuoted && (said == text || !isAnswer) {
				phrases = append(phrases, strings.TrimRight(said, ".!。"))
			}
		}
	}
	for _, text := range phrases {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		for i := range words {
			words[i] = patternOf(words[i])
		}
		first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
		last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(text))
		w.phrases = append(w.phrases, phrase{regexp.MustCompile(`(?i)` + strings.Join(words, between)), spaced(first), spaced(last)})
	}
	return w
}

// add adds a statement.
func (w *Words) add(text string, isAnswer bool) {
	read := claim.WordsOf(text)
	if isAnswer && len(read.Units) < minAnswer {
		return
	}
	w.statements = append(w.statements, statement{read, len(pieces(text)), isAnswer})
	for _, stem := range read.Stems() {
		w.hints = append(w.hints, hintOf(stem))
	}
}

// minAnswer is the number of words from which an answer is looked for without its question: "Yes." is an answer to others too.
const minAnswer = 2

// spokenOf returns a statement as it was said, without what was added when it was kept: quotation marks, dates after relative ones, and the
// question that an answer needs.
func spokenOf(text string) (said string, isAnswer bool) {
	if q, quoted := claim.QuoteOf(text); quoted {
		isAnswer = q.Question != ""
		text = claim.Quote{Speaker: q.Speaker, Words: date.Uncompleted(q.Words)}.Plain()
	}
	return date.Uncompleted(text), isAnswer
}

// Claiming returns words that also find what only makes some claims. The claims are of statements of w.
func (w Words) Claiming(claims claim.Claimed) Words {
	w.claims = claims
	return w
}

// Dependent returns the words as they are looked for in a line whose subject may be above it.
func (w Words) Dependent(is bool) Words {
	w.dependent = is
	return w
}

// patternOf returns the pattern of a word. Where words are written without spaces, a line may end within it.
func patternOf(word string) string {
	var out strings.Builder
	joins := false
	for i, r := range word {
		joined := joins
		if joins = script.IsUnspaced(r); i > 0 && (joins || joined) {
			out.WriteString(marks + "*")
		}
		out.WriteString(regexp.QuoteMeta(string(r)))
	}
	return out.String()
}

// minHint is the least length of a hint in characters.
const minHint = 3

// hintOf returns the beginning of a stem, which its inflections have as well.
func hintOf(stem string) string {
	runes := []rune(strings.TrimLeft(stem, "="))
	return string(runes[:min(len(runes), max(minHint, len(runes)-2))]) //nolint:mnd // "happi" of "happy"
}

// spaced reports whether a character is part of a word that is written with spaces around it.
func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !script.IsUnspaced(r)
}

// find returns where a text has a phrase.
func (p phrase) find(text string) (spans [][]int) {
	for _, at := range p.pattern.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if p.start && at[0] > 0 && spaced(before) || p.end && at[1] < len(text) && spaced(after) {
			continue
		}
		spans = append(spans, at)
	}
	return spans
}

// Empty reports whether nothing is to be erased.
func (w Words) Empty() bool { return len(w.phrases) == 0 && len(w.statements) == 0 }

// In reports whether a sentence or another short text has the words.
func (w Words) In(text string) bool { return w.has(text) || w.repeats(text) }

func (w Words) has(text string) bool {
	for _, p := range w.phrases {
		if len(p.find(text)) > 0 {
			return true
		}
	}
	return false
}

func (w Words) repeats(text string) bool {
	if strings.TrimSpace(text) == "" || !w.hinted(text) {
		return false
	}
	said := claim.WordsOf(claim.Comment.ReplaceAllString(text, ""))
	return slices.ContainsFunc(w.statements, func(s statement) bool { return s.madeBy(said) }) || w.claims.MadeBy(text, w.dependent)
}

// madeBy reports whether other words make or restate the statement.
func (s statement) madeBy(said claim.Words) bool {
	return claim.SameStatement(s.Words, said) || !s.isAnswer && s.RestatedIn(said)
}

// mayHave reports whether it is worth reading a text sentence by sentence.
func (w Words) mayHave(text string) bool {
	return w.has(text) || w.hinted(text)
}

func (w Words) hinted(text string) bool {
	folded := strings.ToLower(text)
	return slices.ContainsFunc(w.hints, func(hint string) bool { return strings.Contains(folded, hint) })
}

// Erase replaces the sentences of a text that have the words by memory.Erased, and returns their number. Lines stay lines, with their
// list markers.
func (w Words) Erase(text string) (string, int) {
	if !w.mayHave(text) {
		return text, 0
	}
	n := 0
	var out strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		erased, parts := w.line(body)
		n += parts
		out.WriteString(erased + line[len(body):])
	}
	result := out.String()
	for _, p := range w.phrases { // over the ends of lines and sentences
		for _, at := range slices.Backward(p.find(result)) {
			result = result[:at[0]] + memory.Erased + result[at[1]:]
			n++
		}
	}
	return result, n
}

// headingMark matches the beginning of a heading, with the time in one of a daily note.
var headingMark = lazyregexp.New(`^ *#+(?:\s+\d{1,2}[:：]\d{2}(?:\s|$))?`)

// line erases sentences of one line.
func (w Words) line(line string) (string, int) {
	marker := memory.ListPrefix(line)
	if memory.IsHeading(line) {
		marker = headingMark.FindString(line)
	}
	w.dependent = strings.TrimLeft(line, " \t") != line
	body := strings.TrimPrefix(line[min(len(strings.TrimRight(marker, " ")), len(line)):], " ")
	marker = line[:len(line)-len(body)]
	if q, quoted := claim.QuoteOf(body); quoted && q.Question != "" && w.repeats(body) { // the question is erased with its answer
		return marker + memory.Erased, 1
	}
	gone := w.within(body)
	switch {
	case len(gone) == 0 && w.repeats(body): // with all of its sentences
		return marker + memory.Erased, 1
	case len(gone) == 0:
		return line, 0
	}
	end := 0
	var out strings.Builder
	for _, at := range gone {
		out.WriteString(body[end:at.start] + memory.Erased)
		end = at.end
	}
	return marker + out.String() + body[end:], len(gone)
}

// span is a part of a line.
type span struct{ start, end int }

// within returns the sentences of a line that have the words, in order. Where a sentence ends is not certain ("Dr. Weber", "i'm vegan. i
// live in leeds"), and what is to be erased may not depend on it: the line is read in the sentences of both splitters, in the pieces between
// all ends that either of them sees, and in as many pieces on end as a statement has.
func (w Words) within(line string) (gone []span) {
	read := map[span]bool{}
	try := func(at span, has func(string) bool) {
		if !slices.ContainsFunc(gone, func(g span) bool { return g.start < at.end && at.start < g.end }) && has(line[at.start:at.end]) {
			gone = append(gone, at)
		}
	}
	all := pieces(line)
	for _, sentences := range [][]span{split(line), all, parts(line)} {
		for _, at := range sentences {
			if !read[at] {
				read[at] = true
				try(at, w.In)
			}
		}
	}
	for _, s := range w.statements {
		for i := 0; s.pieces > 1 && i+s.pieces <= len(all); i++ {
			try(span{all[i].start, all[i+s.pieces-1].end}, func(text string) bool {
				return w.hinted(text) && s.madeBy(claim.WordsOf(claim.Comment.ReplaceAllString(text, "")))
			})
		}
	}
	slices.SortFunc(gone, func(a, b span) int { return a.start - b.start })
	return gone
}

// split returns the sentences of a text by the splitter that knows abbreviations.
func split(text string) (out []span) {
	end := 0
	for _, said := range sentence.Split(text) {
		start := end + strings.Index(text[end:], said)
		end = start + len(said)
		out = append(out, span{start, end})
	}
	return out
}

// parts returns the sentences of a text by the splitter that knows closing marks and combined characters.
func parts(text string) (out []span) {
	for part := range sentence.Parts(text, math.MaxInt, func(s string) int { return len(s) }) {
		out = append(out, span{part.Start, part.End})
	}
	return out
}

// pieces splits a text wherever one of the splitters sees the end of a sentence.
func pieces(text string) (out []span) {
	for _, said := range split(text) {
		for _, part := range parts(text[said.start:said.end]) {
			out = append(out, span{said.start + part.start, said.start + part.end})
		}
	}
	return out
}
