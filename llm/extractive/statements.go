package extractive

import (
	"slices"
	"strings"
	"time"

	"reverie/memory"
)

// Said is one statement of a conversation, in the third person.
type Said struct {
	Text     string
	Messages []int64 // sequence numbers
	Asked    bool    // the user asked for it to be remembered
	Unsure   bool    // said with doubt, or of this day only
	Ends     bool    // something no longer holds
	Corrects string  // the value that is wrong
}

// Statements reads what the user says in a transcript, as Engine.Propose does, without files: it is what a dream weighs. now is
// in the owner's zone.
//
// A statement that is said again has the messages of both; one that is taken back later in the conversation is left out, and one
// whose value is corrected ("5434, not 5433") has the right one. That a task was done is no statement. They come in the order in
// which they were said first. A reminder ("remind me to …") is not asked to be remembered: it is over once it is done.
func Statements(transcript []memory.Line, now time.Time) []Said {
	in := memory.ExtractionInput{Transcript: transcript, Today: now}
	n := newNotebook(in, objections{})
	var b book
	for _, s := range n.settle(listen(in)) {
		if s.ifDone || s.speaker != "" && s.text == "Name is "+s.speaker+"." {
			continue
		}
		s.text = s.told()
		if s.replaces == "" || !b.repair(s) {
			b.add(s)
		}
	}
	for i := range b.said {
		slices.Sort(b.said[i].Messages)
	}
	return b.said
}

// book keeps statements without any files.
type book struct {
	said  []Said
	terms []terms
}

// add adds a statement, or its messages to the one that says it already.
func (b *book) add(s statement) {
	t := termsOf(s.text)
	isAsked, isUnsure := s.strength == asked && !isReminder(s.text), (s.place == noteOnly || s.strength == unsure) && s.replaces == ""
	for i, known := range b.terms {
		if old := &b.said[i]; len(known.set) > 0 && len(t.set) > 0 && known.covers(t) && old.Unsure == isUnsure && old.Ends == s.ends {
			old.Messages = withSeqs(old.Messages, s.seqs)
			old.Asked = old.Asked || isAsked
			return
		}
	}
	said := Said{
		Text: s.text, Messages: slices.Clone(s.seqs), Asked: isAsked, Unsure: isUnsure, Ends: s.ends && !isUnsure, Corrects: s.replaces,
	}
	if s.supersedes != "" && s.supersedes != sameVerb {
		said.Corrects = s.supersedes
	}
	b.said = append(b.said, said)
	b.terms = append(b.terms, t)
}

// repair puts the right value into the last statement that has the wrong one. It reports whether there was one.
func (b *book) repair(s statement) bool {
	for i := range slices.Backward(b.said) {
		old := &b.said[i]
		at := wordIndex(old.Text, s.replaces)
		if at < 0 || wordIndex(old.Text, s.with) >= 0 {
			continue
		}
		old.Text = old.Text[:at] + s.with + old.Text[at+len(s.replaces):]
		old.Corrects = s.replaces
		old.Messages = withSeqs(old.Messages, s.seqs)
		b.terms[i] = termsOf(old.Text)
		return true
	}
	return false
}

// reminders begin what a user wants to be reminded of, see toDo.
var reminders = []string{"Wants to be reminded", "To do: ", "待办：", "需要提醒："}

func isReminder(text string) bool {
	return slices.ContainsFunc(reminders, func(lead string) bool { return strings.Contains(text, lead) })
}
