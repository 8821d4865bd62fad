// Package judge compares what people say after a statement was found with the statement: whether an answer used it, and whether the
// person corrected it.
package judge

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/facts"
	"reverie/language/claim"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
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

// Conversation is messages with which statements are compared, in order.
type Conversation struct {
	turns    []Turn
	said     [][]spoken // of turns of a person
	rejected []*string  // of turns of a person that begin with a correction: what follows it
}

// spoken is a sentence that states something.
type spoken struct {
	claim.Reading

	claims []claim.Claim
}

// NewConversation reads messages.
func NewConversation(turns []Turn) *Conversation {
	c := &Conversation{turns: turns, said: make([][]spoken, len(turns)), rejected: make([]*string, len(turns))}
	for i, t := range turns {
		if t.Person {
			c.said[i], c.rejected[i] = statedIn(t.Text), rejection(t.Text)
		}
	}
	return c
}

// Judge compares a statement that was found at some times with the messages. It returns the turn that shows the verdict. A statement
// that was only in the system prompt was used by an answer that says most of its words, together with what the person said before.
func (c *Conversation) Judge(statement facts.Statement, found []time.Time, prompt bool) (Verdict, int) {
	verdict, shown := Unused, 0
	older, was := claim.Read(statement.Text), claim.ClaimsOf(statement.Text)
	corrected := map[int]bool{} // by turn
	for _, at := range found {
		answered, persons, asked := false, 0, ""
		for i, t := range c.turns {
			if t.Person && !answered {
				asked = t.Text // also before it was found
			}
			if t.At.Before(at) {
				continue
			}
			if persons == turnsAfter {
				break
			}
			switch {
			case t.Person:
				persons++
				corrects, known := corrected[i]
				if !known {
					corrects = slices.ContainsFunc(c.said[i], func(s spoken) bool { return s.corrects(older, was) }) ||
						c.rejected[i] != nil && statement.HasOtherValue(*c.rejected[i])
					corrected[i] = corrects
				}
				if corrects {
					return Corrected, i
				}
				if answered && c.rejected[i] != nil && rejects(t.Text, *c.rejected[i], statement.Text) {
					verdict, shown = Unused, 0
				}
			case !answered:
				answered = true
				used := says(t.Text, statement) && (!prompt || saysMost(asked+"\n"+t.Text, statement))
				if used && verdict == Unused {
					verdict, shown = Used, i
				}
			}
		}
	}
	return verdict, shown
}

// says reports whether an answer repeats a statement.
func says(answer string, s facts.Statement) bool {
	if value := claim.ContentOf(s.Value); len(value) > 0 {
		return value.Within(claim.ContentOf(answer))
	}
	return saysMost(answer, s)
}

// saysMost reports whether a text has most words of a statement.
func saysMost(text string, s facts.Statement) bool {
	said := claim.ContentOf(text)
	words, common := claim.ContentOf(s.Text), 0
	for w := range words {
		if said[w] {
			common++
		}
	}
	return common >= minUsedWords && float64(common) >= minUsed*float64(len(words))
}

// opening matches the words before the first mark of a message, and the mark.
var opening = lazyregexp.New(`^\s*([^,.:;!…，。：；！、،؛]{1,40})(?:[,.:;!…，。：；！、،؛]|$)`)

// rejection returns the first sentence after a correction at the beginning of a message: "Wrong, …", "That's not right. …". Nil: it
// begins with none.
func rejection(message string) *string {
	lang, end := cue.LanguageByCues(message), 0
	for _, m := range cue.Opening(message, lang) {
		if m.Kind == cue.Correct {
			end = m.End
		}
	}
	if m := opening.FindStringSubmatch(message); end == 0 && m != nil && len(strings.Fields(m[1])) <= maxRejection &&
		cue.Find(m[1], lang).Set().Any(cue.Correct, cue.Not, cue.Woe) {
		end = len(m[0])
	}
	if end == 0 {
		return nil
	}
	rest := ""
	if sentences := sentence.Split(strings.TrimLeft(message[end:], closing)); len(sentences) > 0 && !claim.IsQuestion(sentences[0]) {
		rest = sentences[0]
	}
	return &rest
}

// closing are blanks and the marks that end a clause.
const closing = " ,.:;!…，。：；！、،؛"

// maxRejection is the maximum number of words of a correction at the beginning of a message.
const maxRejection = 4

// rejects reports whether a message that begins with a correction shares words with a statement, or says nothing else.
func rejects(message, rest, statement string) bool {
	said := claim.ContentOf(message)
	for w := range claim.ContentOf(statement) {
		if said[w] {
			return true
		}
	}
	return len(claim.ContentOf(rest)) == 0
}

// statedIn returns what a message states.
func statedIn(message string) (all []spoken) {
	for _, said := range sentence.Split(message) {
		if claim.IsQuestion(said) || claim.WordsOf(said).Doubtful() {
			continue
		}
		claims := claim.ClaimsOf(said)
		if at := strings.IndexAny(said, ",，"); at >= 0 { // "No, I live …"
			_, size := utf8.DecodeRuneInString(said[at:])
			claims = append(claims, claim.ClaimsOf(strings.TrimSpace(said[at+size:]))...)
		}
		all = append(all, spoken{claim.Read(said), claims})
	}
	return all
}

// corrects reports whether a sentence contradicts a statement.
func (s spoken) corrects(older claim.Reading, was []claim.Claim) bool {
	if _, _, disputed := claim.Dispute(older, s.Reading); disputed {
		return true
	}
	for _, is := range s.claims {
		for _, old := range was {
			if old.Single && sameOwner(old.Subject, is.Subject) && old.Attribute == is.Attribute && !strings.EqualFold(old.Value, is.Value) &&
				!claim.ContentOf(old.Value).Within(claim.ContentOf(is.Value)) {
				return true
			}
		}
	}
	return false
}

// sameOwner reports whether two subjects are the same; the person is one however they are named.
func sameOwner(a, b string) bool {
	return strings.EqualFold(a, b) || claim.IsAnaphor(a) && claim.IsAnaphor(b)
}
