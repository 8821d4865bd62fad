package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
	split "reverie/language/sentence"
)

// contributed returns what an answer takes over from the message before it: all of that after a confirmation, its questions
// otherwise, nothing after a denial, or if the message asks something itself or speaks of something else. lang is the tag of its language.
func contributed(asked, answer, lang string) string {
	head := light(answer)
	if len(head) > 24 {
		head = strings.ToValidUTF8(head[:24], "")
	}
	starts := func(list string) bool {
		found := lists()[list].in(head)
		return len(found) > 0 && strings.IndexFunc(head, unicode.IsLetter) == found[0].start
	}
	if starts("no") {
		return ""
	}
	confirms := starts("yes")
	if confirms && !strings.ContainsAny(answer, asks) {
		return asked
	}
	var questions []string
	for _, s := range sentencesOf(asked) {
		if strings.ContainsAny(s, asks) {
			questions = append(questions, s)
		}
	}
	all := strings.Join(questions, "\n")
	if !confirms && turnsAway(all, answer, lang) {
		return ""
	}
	return all
}

// asks are the marks of questions.
const asks = "?？؟"

// turnsAway reports whether a message does not answer a question: it only asks, or it is a sentence that leans on nothing and has no word of
// the question, or a name or number that the question lacks.
func turnsAway(question, message, lang string) bool {
	parts := sentencesOf(message)
	if !slices.ContainsFunc(parts, func(s string) bool { return !strings.ContainsAny(s, asks) && strings.ContainsFunc(s, unicode.IsLetter) }) {
		return true
	}
	if len(lists()["open"].in(light(question))) > 0 { // it supposes nothing
		return false
	}
	first := parts[0]
	if marks := cue.Find(first, lang).Set(); marks.Has(cue.Lean) || !isWhole(first, marks) {
		return false
	}
	known := map[string]bool{}
	for _, w := range strings.FieldsFunc(light(question), isNoLetter) {
		known[w] = true
	}
	shares := false
	for i, w := range strings.FieldsFunc(first, isNoLetter) {
		folded := light(w)
		r, _ := utf8.DecodeRuneInString(w)
		isValue := unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r) && !isPlainWord(folded)
		if isValue && !known[folded] {
			return true // it names something else: "I live in Bremen"
		}
		shares = shares || known[folded] && language.FunctionWords[folded] == 0
	}
	return !shares
}

func isNoLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
}

// isWhole reports whether a sentence has a subject and a verb, as far as the lists know them, or is a request: an answer that does not is a
// part of the sentence that the question begins.
func isWhole(text string, marks cue.Set) bool {
	plain := light(text)
	words := strings.Fields(plain)
	if len(words) < 3 { // also of scripts without spaces
		return false
	}
	if marks.Any(cue.Request, cue.Ask) {
		return true
	}
	if slices.ContainsFunc(lists()["first"].in(plain), func(f found) bool { return leads(plain, f.start) }) {
		return true
	}
	return slices.ContainsFunc(words[1:min(len(words), subjectWords+1)], func(w string) bool {
		_, isVerb := lists()["predicate"].words[strings.TrimRight(w, ",.")]
		return isVerb
	})
}

// ordinalBefore matches a German ordinal, whose point ends no sentence.
var ordinalBefore = lazyregexp.New(`(?i)(?:^|[^\pL])(?:im|am|den|dem|der|vom|zum|des|die|das|beim) \d{1,2}$`)

// goesOn reports whether a point after before belongs to a title or an ordinal.
func goesOn(before, after string) bool { return split.EndsInTitle(before) || isOrdinal(before, after) }

// isOrdinal reports whether a point after before belongs to a day or another ordinal.
func isOrdinal(before, after string) bool {
	if ordinalBefore.MatchString(before) {
		return true
	}
	n := len(before)
	return n > 0 && before[n-1] >= '0' && before[n-1] <= '9' && startsWith("month", light(firstWords(after)))
}

// firstWords returns the beginning of a text.
func firstWords(text string) string { return strings.ToValidUTF8(text[:min(len(text), 16)], "") }

// sentencesOf splits a text after marks that end sentences.
func sentencesOf(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if strings.ContainsRune("\n!?？！。؟;；", r) || r == '.' && (i+1 == len(text) || text[i+1] == ' ') && !goesOn(text[max(start, i-12):i], text[i+1:]) {
			end := i + len(string(r))
			out = append(out, text[start:end])
			start = end
		}
	}
	return append(out, text[start:])
}

// squeezed returns the letters, marks and digits of a text, folded, for the comparison of quotations. A separator
// between two numbers becomes a point.
func squeezed(text string) string {
	var b strings.Builder
	digit, gap := false, false
	for _, r := range bare(text) {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So) {
			gap = true
			continue
		}
		if isDigit := unicode.IsDigit(r); isDigit && digit && gap {
			b.WriteByte('.')
		}
		digit, gap = unicode.IsDigit(r), false
		b.WriteRune(r)
	}
	return b.String()
}

// startsWith reports whether a text begins with an expression of a list.
func startsWith(list, text string) bool {
	found := lists()[list].in(strings.TrimLeft(text, " "))
	return len(found) > 0 && found[0].start == 0
}
