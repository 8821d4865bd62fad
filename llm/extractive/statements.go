package extractive

import (
	"slices"
	"strings"
	"time"

	"reverie/memory/proposals"
	"reverie/memory/transcripts"
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
func Statements(transcript []transcripts.Line, now time.Time) []Said {
	said, wrong := lasting(transcript, now)
	var b book
	for _, s := range said {
		b.add(s, wrong[s.text])
	}
	for i := range b.said {
		slices.Sort(b.said[i].Messages)
	}
	return b.said
}

// lasting are the statements of a transcript that still hold at its end, and which values are wrong in which texts.
func lasting(transcript []transcripts.Line, now time.Time) (out []statement, wrong map[string]string) {
	in := proposals.ExtractionInput{Transcript: transcript, Today: now}
	said, wrong := repaired(listen(in))
	for _, s := range newNotebook(in, objections{}).settle(said) {
		if !s.ifDone && (s.speaker == "" || s.text != "Name is "+s.speaker+".") {
			out = append(out, s)
		}
	}
	return out, wrong
}

// repaired puts right values into the statements that have the wrong ones, and returns what was wrong in which text. What
// corrects no statement of the conversation stays as it is.
func repaired(said []statement) (out []statement, wrong map[string]string) {
	wrong = map[string]string{}
	for _, s := range said {
		at := -1
		if s.replaces != "" {
			at = lastWith(out, s.replaces, s.with)
		}
		if at < 0 {
			out = append(out, s)
			continue
		}
		old := &out[at]
		from := wordIndex(old.text, s.replaces)
		old.text = old.text[:from] + s.with + old.text[from+len(s.replaces):]
		old.seqs = withSeqs(old.seqs, s.seqs)
		wrong[old.text] = s.replaces
	}
	return out, wrong
}

// lastWith is the index of the last statement that has a value and not the other; -1 when there is none.
func lastWith(said []statement, value, other string) int {
	for i, s := range slices.Backward(said) {
		if s.replaces == "" && wordIndex(s.text, value) >= 0 && wordIndex(s.text, other) < 0 {
			return i
		}
	}
	return -1
}

// book keeps statements without any files.
type book struct {
	said  []Said
	terms []terms
}

// add adds a statement, or its messages to an equal statement. wrong is the value that it corrects.
func (b *book) add(s statement, wrong string) {
	said := Said{
		Text: s.told(), Messages: slices.Clone(s.seqs), Asked: s.strength == asked && !isReminder(s.text),
		Unsure: (s.place == noteOnly || s.strength == unsure) && s.replaces == "", Corrects: wrong,
	}
	said.Ends = s.ends && !said.Unsure
	switch {
	case s.replaces != "":
		said.Corrects = s.replaces
	case s.supersedes != "" && s.supersedes != sameVerb:
		said.Corrects = s.supersedes
	}
	t := termsOf(said.Text)
	for i, known := range b.terms {
		if old := &b.said[i]; len(t.set) > 0 && known.covers(t) && old.Unsure == said.Unsure && old.Ends == said.Ends {
			old.Messages = withSeqs(old.Messages, s.seqs)
			old.Asked = old.Asked || said.Asked
			return
		}
	}
	b.said = append(b.said, said)
	b.terms = append(b.terms, t)
}

// reminders lists the openings of reminders, see toDo.
var reminders = []string{"Wants to be reminded", "To do: ", "待办：", "需要提醒："}

func isReminder(text string) bool {
	return slices.ContainsFunc(reminders, func(lead string) bool { return strings.HasPrefix(text, lead) })
}
