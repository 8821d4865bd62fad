package activities

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store/dreams"
)

// TestStatementsOfAConversation reads messages of two days, some of which were stored late.
func TestStatementsOfAConversation(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 3, d, 10, 0, 0, 0, time.UTC) }
	s := dreams.DreamSession{Conversation: "c", Messages: []memory.Message{
		{Seq: 1, Role: memory.RoleOfUser, Content: "The door code of the lab is 4711. Do I live in Bonn?", CreatedAt: day(2)},
		{Seq: 2, Role: memory.RoleOfAssistant, Content: "Which city do you live in?", CreatedAt: day(2)},
		{Seq: 3, Role: memory.RoleOfUser, Content: "Am I allergic to nuts? Maybe I am allergic to nuts.", CreatedAt: day(5)},
		{Seq: 4, Role: memory.RoleOfUser, Content: "I am allergic to peanuts.", CreatedAt: day(5)},
	}}
	found := map[dream.Day]bool{}
	for _, said := range sessionStatements(s, time.UTC) {
		found[said.Place.Day] = true
		if claim.IsQuestion(said.Text) || said.ID != markdown.EntryIDOf(said.Text) || said.Place.Day != dream.DayOf(said.At) {
			t.Errorf("statement %+v", said)
		}
		content := s.Messages[slices.IndexFunc(s.Messages, func(m memory.Message) bool { return m.Seq == said.Place.Messages[0] })].Content
		if q, quoted := claim.QuoteOf(said.Text); quoted && !cmp.Equal(q, claim.Quote{Words: q.Words}) || !quoted && said.Text == content {
			t.Errorf("%s is quoted as %+v", content, q)
		}
	}
	if diff := cmp.Diff(map[dream.Day]bool{"2026-03-02": true, "2026-03-05": true}, found); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}

// TestNotedMessagesAreAsSaid gives lines of a note the days of their messages.
func TestNotedMessagesAreAsSaid(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 23, 0, 0, 0, time.UTC)
	place := func(conversation string, messages ...int64) dream.Statement {
		return dream.Statement{Place: dream.Place{Day: "2026-03-09", Conversation: conversation, Messages: messages}}
	}
	statements := []dream.Statement{place("c", 3, 4), place("c", 4, 9), place("c", 9), place("d", 4), place("")}
	zone := time.FixedZone("", 2*3600)
	asSaid(statements, []dreams.DreamSession{{Conversation: "c", Messages: []memory.Message{
		{Seq: 3, CreatedAt: at.Add(-24 * time.Hour)}, {Seq: 4, CreatedAt: at},
	}}}, zone)
	var days []dream.Day
	for _, s := range statements {
		days = append(days, s.Place.Day)
	}
	if diff := cmp.Diff([]dream.Day{"2026-03-03", "2026-03-03", "2026-03-09", "2026-03-09", "2026-03-09"}, days); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}
