package facts

import (
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/language/sentence"
)

// Turn is a message of a conversation.
type Turn struct {
	At     time.Time
	Person bool // a person said it; else the assistant
	Text   string
}

// Verdict is the judgement of a conversation on a statement that a search had found for it.
type Verdict int

// Verdicts.
const (
	Unused    Verdict = iota
	Used              // the answer says it, and the person did not correct it
	Corrected         // the person says something else
)

// turnsAfter is the number of messages of a person in which a statement may be corrected after it was found.
const turnsAfter = 2

// minUsed is the share of the words of a statement, and minUsedWords their number, that an answer must say to have used it.
const (
	minUsed      = .6
	minUsedWords = 2
)

// Judge compares a statement that was found at some times with the messages of the conversation, in order. It returns the turn that
// shows the verdict.
func Judge(statement Statement, found []time.Time, turns []Turn) (Verdict, int) {
	verdict, shown := Unused, 0
	for _, at := range found {
		answered, persons := false, 0
		for i, t := range turns {
			if t.At.Before(at) || persons == turnsAfter {
				continue
			}
			switch {
			case t.Person:
				persons++
				if corrects(t.Text, statement) {
					return Corrected, i
				}
			case !answered:
				if answered = true; says(t.Text, statement) && verdict == Unused {
					verdict, shown = Used, i
				}
			}
		}
	}
	return verdict, shown
}

// says reports whether an answer repeats a statement.
func says(answer string, s Statement) bool {
	said := claim.ContentOf(answer)
	if value := claim.ContentOf(s.Value); len(value) > 0 {
		return value.Within(said)
	}
	words, common := claim.ContentOf(s.Text), 0
	for w := range words {
		if said[w] {
			common++
		}
	}
	return common >= minUsedWords && float64(common) >= minUsed*float64(len(words))
}

// corrects reports whether a sentence of a message contradicts a statement.
func corrects(message string, s Statement) bool {
	older := claim.Read(s.Text)
	was := claim.ClaimsOf(s.Text)
	for _, said := range sentence.Split(message) {
		if claim.IsQuestion(said) || claim.WordsOf(said).Doubtful() {
			continue
		}
		if _, _, disputed := claim.Dispute(older, claim.Read(said)); disputed {
			return true
		}
		claims := claim.ClaimsOf(said)
		if at := strings.IndexAny(said, ",，"); at >= 0 { // "No, I live …"
			_, size := utf8.DecodeRuneInString(said[at:])
			claims = append(claims, claim.ClaimsOf(strings.TrimSpace(said[at+size:]))...)
		}
		for _, is := range claims {
			for _, old := range was {
				if old.Single && sameOwner(old.Subject, is.Subject) && old.Attribute == is.Attribute && !strings.EqualFold(old.Value, is.Value) &&
					!claim.ContentOf(old.Value).Within(claim.ContentOf(is.Value)) {
					return true
				}
			}
		}
	}
	return false
}

// sameOwner reports whether two subjects are the same; the person is one however they are named.
func sameOwner(a, b string) bool {
	return strings.EqualFold(a, b) || claim.IsAnaphor(a) && claim.IsAnaphor(b)
}
