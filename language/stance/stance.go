// Package stance splits a message into sentences and recognises which of them are the speaker's own statements: not quoted or
// pasted, not invented for a task, not hypothetical, ironic or a question.
package stance

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
)

// Stance classifies sentences by how they are meant.
type Stance uint8

// Stances. A sentence with several has the first of Foreign, Fiction, Hypothetical, Ironic and Question.
const (
	Own          Stance = iota // the speaker states it
	Question                   // the speaker asks it
	Ironic                     // the speaker means the opposite
	Hypothetical               // the speaker supposes it
	Fiction                    // invented: a story, a role-play, a sentence to translate
	Foreign                    // quoted or pasted: code, logs, e-mails, other people's words
)

// Sentence is one sentence of a message.
type Sentence struct {
	Text       string // as written, without surrounding blanks
	Start, End int    // bytes of the message
	Paragraph  int    // counted from 0; lines count as paragraphs
	Stance     Stance
	Marks      cue.Marks // found in Text, without those inside inline quotations
	Quotes     []Span    // inline quotations in Text
	Lang       string    // of the message
}

// Span is a range of bytes.
type Span struct{ Start, End int }

// Reader reads the messages of a conversation in order. It knows whether a role-play is going on.
type Reader struct {
	Lang string // of the conversation, for messages that are too short to have one
	Year int    // of the conversation; 0 if unknown
	game game
	// works is set once the speaker has asked for work on a text: what follows a colon then is part of it.
	works bool
	ended bool // the message that was read last ended a role-play
}

// Ended reports whether the message that was read last says that a role-play is over, which went on before it.
func (r *Reader) Ended() bool { return r.ended }

// Numbers of letters below which a message is read in the conversation's language. Languages of Latin script are easily
// confused.
const (
	shortMessage = 24
	shortLatin   = 80
)

// LanguageOf returns the language in which the reader reads a message.
func (r *Reader) LanguageOf(message string) string {
	letters := 0
	for _, c := range message {
		if unicode.IsLetter(c) {
			letters++
			if script.IsUnspaced(c) || script.IsHangul(c) {
				letters += 3
			}
		}
	}
	own := cue.LanguageByCues(message)
	if r.Lang != "" && own != r.Lang && beginsWithRemember(message, own) {
		return own
	}
	if r.Lang != "" && (letters < shortMessage && own == "en" || letters < shortLatin && latin(own) && latin(r.Lang)) {
		return r.Lang
	}
	return own
}

// beginsWithRemember reports whether a message begins with a request to remember: it is in that language, however short.
func beginsWithRemember(message, lang string) bool {
	for _, m := range cue.Find(message, lang) {
		if m.Kind == cue.Remember {
			return strings.TrimSpace(message[:m.Start]) == ""
		}
		if m.Kind != cue.Filler && m.Kind != cue.Chat {
			return false
		}
	}
	return false
}

func latin(lang string) bool {
	switch lang {
	case "zh", "ja", "ko", "ru", "ar":
		return false
	}
	return true
}

// Read returns the sentences of a message.
func (r *Reader) Read(message string) []Sentence {
	lang := r.LanguageOf(message)
	var out []Sentence
	foreign := r.foreignLines(message, lang)
	quoted := quotations(message)
	for i, line := range linesOf(message) {
		repeats := false // the rest of the line repeats foreign words
		for _, s := range split(message, line) {
			s.Paragraph, s.Lang = i, lang
			s.Quotes = within(quoted, s.Start, s.End)
			marks := r.find(s.Text, lang)
			if foreign[i] || repeats {
				s.Stance = Foreign
			}
			if at := r.foreignRest(s.Text, marks); at < len(s.Text) {
				s.Quotes = append(s.Quotes, Span{at, len(s.Text)})
				repeats = !marks.Set().Has(cue.Fiction) // which continues on its own
			}
			s.Marks = outside(marks, s.Quotes)
			if set := s.Marks.Set(); s.Stance != Foreign && (set.Has(cue.Fiction) || set.Has(cue.Review) && set.Has(cue.Text)) {
				r.works = true
			}
			out = append(out, s)
		}
	}
	r.judge(out, lang)
	return out
}

// find returns the cues of a text in its own language and in that of the conversation: people quote other languages.
func (r *Reader) find(text, lang string) cue.Marks {
	marks := cue.Find(text, lang)
	if r.Lang == "" || r.Lang == lang {
		return marks
	}
	marks = append(marks, cue.Find(text, r.Lang)...)
	slices.SortStableFunc(marks, func(a, b cue.Mark) int { return a.Start - b.Start })
	return marks
}

// judge sets the stances of the sentences that are not foreign.
func (r *Reader) judge(all []Sentence, lang string) {
	r.ended = false
	r.game.left = max(0, r.game.left-1)
	switch {
	case len(all) > 0 && all[0].Stance != Foreign && isStaged(all[0].Text):
		r.game.left = max(r.game.left, 1)
	case r.game.left > 0 && (r.Lang == "" || lang == r.Lang) && r.game.leaves(all, lang):
		r.game = game{}
	}
	fiction, scene := false, false
	hypothetical := -1 // paragraph in which a hypothesis continues
	for i := range all {
		s := &all[i]
		set := s.Marks.Set()
		if s.Stance != Foreign {
			switch {
			case set.Has(cue.Unfiction):
				r.ended = r.ended || r.game.words != nil
				r.game, fiction, scene = game{}, false, false
			case set.Has(cue.Game) || s.casts(lang):
				r.game.left = gameMessages
			case set.Has(cue.Fiction):
				fiction = true
			}
			if mostlyQuoted(*s) {
				s.Stance = Foreign
			}
		}
		supposes := set.Has(cue.Suppose) || set.Has(cue.If) && set.Has(cue.Would)
		if s.Stance != Foreign && (set.Has(cue.Scene) || r.inFuture(s.Text)) && asksIn(all[i+1:], lang) {
			supposes, scene = true, true
		}
		switch {
		case s.Stance == Foreign:
		case fiction || r.game.left > 0:
			s.Stance = Fiction
		case scene && !supposes && asks(s, lang):
			s.Stance, scene = Question, false
		case supposes, scene, hypothetical == s.Paragraph && set.Has(cue.Would):
			s.Stance = Hypothetical
		case set.Has(cue.Irony), shouts(s):
			s.Stance = Ironic
			if i > 0 && isAside(s.Text) && all[i-1].Stance == Own {
				all[i-1].Stance = Ironic
			}
		case asks(s, lang), isVietnameseQuestion(s.Text):
			s.Stance = Question
		}
		if supposes {
			hypothetical = s.Paragraph
		}
	}
	if r.game.left > 0 {
		for i := range all {
			r.game.add(all[i].Text)
		}
	}
	markIronic(all)
}

// asksIn reports whether one of the sentences asks for something.
func asksIn(all []Sentence, lang string) bool {
	return slices.ContainsFunc(all, func(s Sentence) bool { return asks(&s, lang) || s.Marks.Set().Has(cue.Request) })
}

// inFuture reports whether a sentence says only that it is a year to come: "It is 2030."
func (r *Reader) inFuture(text string) bool {
	if r.Year == 0 || !strings.Contains(text, "20") || utf8.RuneCountInString(text) > shortScene {
		return false
	}
	year, err := strconv.Atoi(fourDigits.FindString(text))
	return err == nil && year > r.Year && year < r.Year+100
}

// shortScene is the length in characters of a sentence that sets a scene and says nothing else.
const shortScene = 32

var fourDigits = lazyregexp.New(`\d{4}`)

// markIronic marks praise in strong words in the same sentence as a complaint or next to one, and short sentences right after a
// complaint that say how much the speaker likes it.
func markIronic(all []Sentence) {
	complains := func(from, to int) bool {
		return slices.ContainsFunc(all[max(0, from):min(len(all), to)], func(s Sentence) bool {
			return s.Stance != Foreign && s.Stance != Fiction && s.Marks.Set().Has(cue.Woe)
		})
	}
	for i := range all {
		s := &all[i]
		set := s.Marks.Set()
		likes := set.Has(cue.Like) && !set.Any(cue.Not, cue.Health, cue.Kin, cue.Style, cue.Always, cue.Remember) &&
			utf8.RuneCountInString(s.Text) <= shortRemark && !strings.ContainsFunc(s.Text, unicode.IsDigit)
		if s.Stance == Own && (set.Has(cue.Praise) && complains(i-2, i+2) || likes && complains(i-1, i)) {
			s.Stance = Ironic
		}
	}
}

// shortRemark is the length in characters of a sentence that only comments on the one before it.
const shortRemark = 48

// shouts reports whether a sentence shouts how much it likes something and nothing else: "I just LOVE queuing".
func shouts(s *Sentence) bool {
	return slices.ContainsFunc(s.Marks, func(m cue.Mark) bool {
		word := s.Text[m.Start:m.End]
		return m.Kind == cue.Like && len(word) > shortWord && strings.ToUpper(word) == word && strings.ToLower(word) != word
	}) && strings.ToUpper(s.Text) != s.Text
}

// shortWord is the length in bytes of words that are also written in capitals as abbreviations.
const shortWord = 3

// fewWords is the length of a remark about the sentence before it, counted in words.
const fewWords = 4

// isAside reports whether a text is a short remark such as "just kidding".
func isAside(text string) bool {
	return len(strings.Fields(text)) <= fewWords && utf8.RuneCountInString(text) <= 24
}

// asks reports whether a sentence is a question.
func asks(s *Sentence, lang string) bool {
	end := strings.TrimRightFunc(s.Text, func(r rune) bool {
		return !strings.ContainsRune("?？؟", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if r, _ := utf8.DecodeLastRuneInString(end); strings.ContainsRune("?？؟", r) {
		return true
	}
	for _, m := range s.Marks {
		if m.Kind == cue.Ask && (m.Start <= openingOf(s) && !insideFiller(m, s.Marks) || endMarked(lang) && m.End >= lastLetter(s.Text)) {
			return true
		}
	}
	return false
}

// insideFiller reports whether a cue is part of a longer filler: "что" in "так что" does not ask.
func insideFiller(m cue.Mark, all cue.Marks) bool {
	for _, f := range all {
		if f.Kind == cue.Filler && f.Start <= m.Start && f.End >= m.End && f.End-f.Start > m.End-m.Start {
			return true
		}
	}
	return false
}

// endMarked reports whether a language marks questions, salutations and closings at the end of a sentence or line.
func endMarked(lang string) bool { return lang == "zh" || lang == "ja" || lang == "ko" }

// lastLetter returns the offset after the last letter or digit of a text.
func lastLetter(text string) int {
	return len(strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// openingOf returns the offset of the first word that is not a filler.
func openingOf(s *Sentence) int {
	at := 0
	for _, m := range s.Marks {
		if m.Kind == cue.Filler && len(strings.Trim(s.Text[at:max(at, m.Start)], " ,.!，。！、…-")) == 0 {
			at = max(at, m.End)
		}
	}
	for at < len(s.Text) {
		c, n := utf8.DecodeRuneInString(s.Text[at:])
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			break
		}
		at += n
	}
	return at
}

// linesOf returns the ranges of the lines of a message.
func linesOf(message string) []Span {
	var out []Span
	start := 0
	for i := range len(message) {
		if message[i] == '\n' {
			out = append(out, Span{start, i})
			start = i + 1
		}
	}
	return append(out, Span{start, len(message)})
}

// listMark matches the marker of a list item.
var listMark = lazyregexp.New(`^\s*(?:[-*+•·]|\d{1,3}[.)])\s+`)

// split returns the sentences of one line.
func split(message string, line Span) []Sentence {
	at := line.Start
	if m := listMark.FindString(message[line.Start:line.End]); m != "" {
		at += len(m)
	}
	var out []Sentence
	for _, text := range sentence.Split(message[at:line.End]) {
		i := strings.Index(message[at:line.End], text)
		if i < 0 {
			continue
		}
		out = append(out, Sentence{Text: text, Start: at + i, End: at + i + len(text)})
		at += i + len(text)
	}
	return out
}

// pairs are opening and closing quotation marks.
var pairs = map[rune]string{
	'"': "\"", '“': "”\"", '„': "“”\"", '«': "»", '»': "«", '\'': "'", '‘': "’", '‚': "‘’", '「': "」", '『': "』", '‹': "›", '”': "”",
}

// Lengths of an inline quotation. Shorter ones are titles and single words.
const (
	quotedWords = 3
	quotedRunes = 5 // in scripts without spaces
)

// maxQuoted is the greatest length of a quotation, in bytes. A mark without its closing one does not quote.
const maxQuoted = 4000

// quotations returns the inline quotations of a message, with their marks. They may span several sentences.
func quotations(text string) []Span {
	var out []Span
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		closing := pairs[r]
		if closing == "" || r == '"' && closes(text, i) || isSingle(r) && !opensSingle(text, i) {
			i += n
			continue
		}
		rest := text[i+n : min(len(text), i+n+maxQuoted)]
		end := strings.IndexAny(rest, closing)
		if isSingle(r) {
			end = singleEnd(rest)
		}
		if end < 0 {
			i += n
			continue
		}
		inner := rest[:end]
		_, m := utf8.DecodeRuneInString(rest[end:])
		if len(strings.Fields(inner)) >= quotedWords || unspacedRunes(inner) >= quotedRunes {
			out = append(out, Span{i, i + n + end + m})
		}
		i += n + end + m
	}
	return out
}

// isSingle reports whether a mark is a single one, which may also be an apostrophe.
func isSingle(r rune) bool { return r == '\'' || r == '‘' || r == '‚' }

// opensSingle reports whether a single mark at i opens a quotation: no letter comes before it and one after.
func opensSingle(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	_, n := utf8.DecodeRuneInString(text[i:])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && (unicode.IsLetter(after) || unicode.IsDigit(after))
}

// singleEnd returns the offset of the single mark that ends a quotation: no letter comes after it. It is -1 if there is none.
func singleEnd(text string) int {
	for i, r := range text {
		if r != '\'' && r != '’' && r != '‘' {
			continue
		}
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if !unicode.IsLetter(after) && !unicode.IsDigit(after) && !unicode.IsSpace(before) {
			return i
		}
	}
	return -1
}

// closes reports whether a straight mark at i can only end a quotation: a letter comes before it and none after.
func closes(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return i > 0 && !unicode.IsSpace(before) && !strings.ContainsRune("(:：[", before) && (i+1 == len(text) || unicode.IsSpace(after))
}

func unspacedRunes(s string) int {
	n := 0
	for _, r := range s {
		if script.IsUnspaced(r) {
			n++
		}
	}
	return n
}

// within returns the parts of spans in a range, relative to its beginning.
func within(spans []Span, start, end int) []Span {
	var out []Span
	for _, s := range spans {
		if from, to := max(s.Start, start), min(s.End, end); from < to {
			out = append(out, Span{from - start, to - start})
		}
	}
	return out
}

// outside removes the marks that are inside quotations.
func outside(marks cue.Marks, quotes []Span) cue.Marks {
	if len(quotes) == 0 {
		return marks
	}
	out := marks[:0]
	for _, m := range marks {
		inside := false
		for _, q := range quotes {
			inside = inside || m.Start >= q.Start && m.End <= q.End
		}
		if !inside {
			out = append(out, m)
		}
	}
	return out
}

// mostlyQuoted reports whether a sentence has hardly a word outside its quotations, or quotes what others say.
func mostlyQuoted(s Sentence) bool {
	quoted := 0
	for _, q := range s.Quotes {
		quoted += q.End - q.Start
	}
	return quoted*3 > len(s.Text)*2 || quoted*3 > len(s.Text) && (startsQuoted(s) || strings.ContainsAny(s.Text, "?？؟") ||
		s.Marks.Set().Any(cue.Paste, cue.Fiction, cue.Request, cue.Ask, cue.Review))
}

// startsQuoted reports whether a sentence begins inside a quotation of a sentence before.
func startsQuoted(s Sentence) bool {
	first, _ := utf8.DecodeRuneInString(s.Text)
	return len(s.Quotes) > 0 && s.Quotes[0].Start == 0 && pairs[first] == ""
}

func isVietnameseQuestion(text string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(vietnameseEnds, func(end string) bool { return strings.Contains(low, end) }) && vietnameseQuestion.MatchString(text)
}

// vietnameseEnds are parts of words, one of which is in every match of vietnameseQuestion; looking for them first takes a tenth of
// the time.
var vietnameseEnds = strings.Fields("ko hông hong hok chưa gì nhiêu đâu nào sao hả nhỉ")

// vietnameseQuestion matches a question by its end, where Vietnamese has its question words.
var vietnameseQuestion = lazyregexp.New(`(?i)(?:^|\s)(?:` +
	`(?:có|nên|được|đc|dc|đúng|phải|biết|cần|bị)\s(?:\S+\s){0,6}(?:không|ko|hông|hong|hok)|(?:đã|được|đc|xong|có)\s(?:\S+\s){0,6}chưa|` +
	`là gì|(?:nên|thì)\s\S+\sgì|bao nhiêu(?: tiền)?|ở đâu|khi nào|thế nào|ra sao|làm sao|cái nào|hả|nhỉ` +
	`)(?:\s(?:vậy|thế|ta|ha|nhỉ|ạ|bạn|ad|bot|mn|mọi người|ơi))*[\s.!~…)]*$`)

// OnlyAsks reports whether all sentences of a text are questions. It is true for an empty text.
func OnlyAsks(text string) bool {
	reader := Reader{Lang: cue.LanguageOf(text)}
	for _, last := range slices.Backward(sentence.Split(text)) { // most texts end in a statement
		for _, s := range reader.Read(last) {
			if s.Stance != Question {
				return false
			}
		}
	}
	return true
}

// Instructs reports whether a sentence of a text is a standing instruction, such as "Always answer in metric units" or "From now on
// keep it short". A habit of the speaker ("I always take the bus") and a question are not instructions.
func Instructs(text string) bool {
	lang := cue.LanguageOf(text)
	return slices.ContainsFunc(sentence.Split(text), func(one string) bool {
		s := Sentence{Text: one, Marks: cue.Find(one, lang)}
		at := slices.IndexFunc(s.Marks, func(m cue.Mark) bool { return m.Kind == cue.Always })
		if at < 0 || asks(&s, lang) {
			return false
		}
		rule, addressed := s.Marks[at], s.Marks.Set().Any(cue.You, cue.Request, cue.Style)
		for _, m := range s.Marks {
			before, next := m.Start < rule.Start, m.Start > rule.Start && strings.TrimSpace(one[rule.End:max(rule.End, m.Start)]) == ""
			if m.Kind == cue.Self && (before || next && !addressed) {
				return false // "I always", "whenever I"
			}
		}
		return addressed || rule.Start <= openingOf(&s)
	})
}
