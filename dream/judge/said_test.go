package judge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// spoken returns a statement of a message of a day in March 2026.
func spoken(day int, message int64, text string) dream.Statement {
	s := said(day, text)
	s.Place = dream.Place{Origin: dream.FromSession, Day: s.Place.Day, Conversation: "c", Messages: []int64{message}}
	return s
}

// dreamtOn returns the verdicts of a dream on a day in March 2026, by text, and the candidates.
func dreamtOn(day int, m dream.Material) map[string]string {
	m.AsOf = time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC)
	s := setting.DefaultDreamSettings()
	candidates := Light(m, s)
	out := map[string]string{}
	r := Deep(dream.DeepInput{Material: m, Candidates: candidates, Reflection: REM(candidates, m.AsOf), Mode: memory.DreamNightly}, s)
	for _, c := range r.Candidates {
		out[c.Text] = c.ReasonCode
	}
	return out
}

// TestAQuoteIsOneFactWithWhatItQuotes stages a message that a note quotes: one mention, and the quoted line is kept.
func TestAQuoteIsOneFactWithWhatItQuotes(t *testing.T) {
	noted := said(2, `"We fly next Friday [2026-03-13]."`)
	noted.Place.Conversation, noted.Place.Messages = "c", []int64{1}
	c := only(t, dream.Material{Statements: []dream.Statement{noted, spoken(2, 1, "We fly next Friday.")}})
	if c.Text != noted.Text || len(c.Signals.MentionDays) != 1 || len(c.Places) != 2 {
		t.Errorf("candidate %+v", c)
	}
	answer := said(2, `[Which city do you live in?] "Bonn."`)
	answer.Place.Conversation, answer.Place.Messages = "c", []int64{2}
	if c = only(t, dream.Material{Statements: []dream.Statement{answer, spoken(2, 2, `"Bonn."`)}}); c.Text != answer.Text {
		t.Errorf("candidate %+v", c)
	}
	third := said(3, "Is allergic to nuts.")
	c = only(t, dream.Material{Statements: []dream.Statement{said(2, `"I'm allergic to nuts."`), third}})
	if c.Text != `"I'm allergic to nuts."` || len(c.Signals.MentionDays) != 2 {
		t.Errorf("candidate %+v", c)
	}
}

// TestOneSearchIsOneRecall counts a search that found a statement in a note and in its message.
func TestOneSearchIsOneRecall(t *testing.T) {
	const text = "I'm allergic to nuts."
	c := only(t, dream.Material{
		Statements: []dream.Statement{said(2, `"`+text+`"`)},
		Recalls:    []dream.Recall{recalled(3, "q", .9, `"`+text+`"`), recalled(3, "q", .5, text), recalled(4, "q", .5, text)},
	})
	if g := c.Signals; g.Recalls != 2 || g.RecallScore != 1.4 || g.Queries != 1 {
		t.Errorf("signals %+v", g)
	}
}

// TestWhatIsSaidAgainAndAgain promotes complaints in other words of three days, and weighs appointments of two days.
func TestWhatIsSaidAgainAndAgain(t *testing.T) {
	for _, texts := range [][]string{
		{"my back hurts again", "My back hurts so much today", "Ugh, my back hurts again today."},
		{"Mein Rücken tut schon wieder weh", "Heute tut mir wieder der Rücken weh", "Mein Rücken tut heute wieder weh"},
		{"我背又疼了", "今天背又疼了", "今天我背又疼了"},
		{"My back hurts today [2026-03-02]", "My back hurts today [2026-03-03]", "Ugh, my back hurts so much today [2026-03-04]"},
		{"我今天[2026-03-02]背又疼了", "我今天[2026-03-03]背又疼了", "我今天[2026-03-04]背又疼了"},
		{"Me duele la espalda otra vez", "Hoy me duele otra vez la espalda", "Otra vez me duele la espalda"},
	} {
		for _, form := range []string{"%s", `"%s"`} {
			var m, once dream.Material
			for i, text := range texts {
				s := said(2+i, fmt.Sprintf(form, text))
				s.Passing = true
				m.Statements = append(m.Statements, s)
				if i == 0 {
					once.Statements = append(once.Statements, s)
				}
			}
			passed := 0
			for _, reason := range dreamtOn(6, m) {
				if reason == dream.ReasonPassed {
					passed++
				}
			}
			if passed != 1 {
				t.Errorf("%q: %v", texts, dreamtOn(6, m))
			}
			if got := dreamtOn(6, once); len(got) != 0 {
				t.Errorf("said once: %v", got)
			}
		}
	}
	for _, texts := range [][2]string{
		{"dentist on the 14th", "I have a dentist appointment on the 14th at 3"},
		{"Zahnarzt am 14. März um 9 Uhr", "Am 14. März um 9 Uhr habe ich Zahnarzt"},
		{"14号看牙医", "14号我要看牙医"},
	} {
		m := dream.Material{Statements: []dream.Statement{said(2, texts[0]), said(4, texts[1])}}
		m.Statements[0].Passing, m.Statements[1].Passing = true, true
		all := Light(m, lightSettings)
		if !slices.ContainsFunc(all, func(c dream.Candidate) bool { return len(c.Signals.MentionDays) == 2 }) {
			t.Errorf("%q: %+v", texts, all)
		}
	}
}

// TestRecallIsNoEvidenceOfWhatNobodySaid weighs a statement that only searches found.
func TestRecallIsNoEvidenceOfWhatNobodySaid(t *testing.T) {
	const text = "Is allergic to nuts."
	m := dream.Material{
		States: []dream.State{{ID: markdown.EntryIDOf(text), Text: text, Status: dream.Open}},
		Recalls: []dream.Recall{
			recalled(2, "q1", .9, text), recalled(3, "q2", .9, text), recalled(4, "q3", .9, text), recalled(4, "q4", .9, text),
		},
	}
	if got := dreamtOn(5, m); got[text] != dream.ReasonOneOff {
		t.Errorf("verdicts %v", got)
	}
}

// TestWhatHasNoSourceIsNotPromoted recalls a statement that no live text has, and one that an older note still has.
func TestWhatHasNoSourceIsNotPromoted(t *testing.T) {
	const text = "Is allergic to nuts."
	m := dream.Material{
		From: "2026-03-10",
		States: []dream.State{{
			ID: markdown.EntryIDOf(text), Text: text, Status: dream.Open, MentionDays: []dream.Day{"2026-03-02", "2026-03-03"},
			LastSeen: time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC),
		}},
		Recalls: []dream.Recall{recalled(11, "q1", .9, text), recalled(12, "q2", .9, text), recalled(13, "q3", .9, text)},
	}
	if diff := cmp.Diff(map[string]string{text: dream.ReasonSourceGone}, dreamtOn(16, m)); diff != "" {
		t.Errorf("without a source (-want +got):\n%s", diff)
	}
	m.Statements = []dream.Statement{said(3, `"I'm allergic to nuts."`), said(3, `"I like the colour red."`)}
	if diff := cmp.Diff(map[string]string{`"I'm allergic to nuts."`: dream.ReasonPassed}, dreamtOn(16, m)); diff != "" {
		t.Errorf("from an older note (-want +got):\n%s", diff)
	}
}

// TestLiveCandidates compares staged candidates with a note that was edited since.
func TestLiveCandidates(t *testing.T) {
	moved, gone, told := said(2, "Is allergic to nuts."), said(2, "Likes green tea."), said(2, "Lives in Bonn.")
	staged := Light(dream.Material{Statements: []dream.Statement{
		moved, gone, told, spoken(2, 4, "Lives in Bonn."), said(2, `"I have a dog."`), said(3, "Has a dog."),
	}}, lightSettings)
	moved.Place.FromLine, moved.Place.Version = 7, 9
	got := map[string]int{}
	for _, c := range Live(staged, []dream.Statement{moved, said(3, "Has a dog.")}) {
		got[c.Text] = len(c.Places)
		if c.ID == moved.ID && (c.Places[0].FromLine != 7 || c.Places[0].Version != 9) {
			t.Errorf("the moved line: %+v", c.Places)
		}
	}
	want := map[string]int{"Is allergic to nuts.": 1, "Likes green tea.": 0, "Lives in Bonn.": 1, "Has a dog.": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}
