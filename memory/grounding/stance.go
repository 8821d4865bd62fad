package grounding

import (
	"regexp"
	"strings"
	"unicode"

	"reverie/language/cue"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/transcripts"
)

// voices reads the messages of users: whose own statements they are, and in which language.
type voices struct {
	lang    string // of all messages together, for short ones
	readers map[string]*stance.Reader
}

func newVoices(transcript []transcripts.Line) voices {
	var all strings.Builder
	for _, line := range transcript {
		if line.Role == memory.RoleOfUser {
			all.WriteString(line.Text + "\n")
		}
	}
	return voices{cue.LanguageOf(all.String()), map[string]*stance.Reader{}}
}

// divide divides a message into what it states for its writer, and the quoted, pasted, invented and supposed sentences, which say
// nothing about the writer.
func (v voices) divide(line transcripts.Line) (own, other, lang string) {
	r := v.readers[line.Name]
	if r == nil {
		r = &stance.Reader{Lang: v.lang}
		v.readers[line.Name] = r
	}
	var mine, others strings.Builder
	at := 0
	for _, s := range r.Read(line.Text) {
		switch s.Stance {
		case stance.Foreign, stance.Fiction, stance.Hypothetical:
			mine.WriteString(line.Text[at:s.Start] + "\n")
			others.WriteString(s.Text + "\n")
			at = s.End
		}
	}
	return mine.String() + line.Text[at:], others.String(), r.LanguageOf(line.Text)
}

// contributed returns what an answer takes over from the message before it: all of that after a confirmation, its questions
// otherwise, nothing after a denial.
func contributed(asked, answer string) string {
	head := light(answer)
	if len(head) > 24 {
		head = strings.ToValidUTF8(head[:24], "")
	}
	starts := func(p phrases) bool {
		found := p.in(head)
		return len(found) > 0 && strings.IndexFunc(head, unicode.IsLetter) == found[0].start
	}
	if starts(denies) {
		return ""
	}
	if starts(affirms) && !strings.ContainsAny(answer, "?？؟") {
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
var ordinalBefore = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:im|am|den|dem|der|vom|zum|des|die|das|beim) \d{1,2}$`)

// isOrdinal reports whether a point after before belongs to a day or another ordinal.
func isOrdinal(before, after string) bool {
	if ordinalBefore.MatchString(before) {
		return true
	}
	n := len(before)
	return n > 0 && before[n-1] >= '0' && before[n-1] <= '9' && startsWith(monthNames, light(strings.TrimLeft(firstWords(after), " ")))
}

// firstWords returns the beginning of a text.
func firstWords(text string) string { return strings.ToValidUTF8(text[:min(len(text), 16)], "") }

// sentencesOf splits a text after marks that end sentences.
func sentencesOf(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if strings.ContainsRune("\n!?？！。؟;；", r) || r == '.' && (i+1 == len(text) || text[i+1] == ' ') && !isOrdinal(text[max(start, i-12):i], text[i+1:]) {
			end := i + len(string(r))
			out = append(out, text[start:end])
			start = end
		}
	}
	return append(out, text[start:])
}

// squeezed returns the letters, marks and digits of a text, folded, for the comparison of quotations. A point stands for what
// divides two numbers.
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
