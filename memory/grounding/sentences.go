package grounding

import (
	"strings"
	"unicode"

	"reverie/language/lazyregexp"
	split "reverie/language/sentence"
)

// contributed returns what an answer takes over from the message before it: all of that after a confirmation, its questions
// otherwise, nothing after a denial.
func contributed(asked, answer string) string {
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
	if starts("yes") && !strings.ContainsAny(answer, "?？؟") {
		return asked
	}
	var questions []string
	for _, s := range sentencesOf(asked) {
		if strings.ContainsAny(s, "?？؟") {
			questions = append(questions, s)
		}
	}
	return strings.Join(questions, "\n")
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
