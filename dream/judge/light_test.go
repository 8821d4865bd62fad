package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/dream"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// said returns a statement of a note of a day in March 2026.
func said(day int, text string) dream.Statement {
	at := time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC)
	return dream.Statement{
		ID: markdown.EntryIDOf(text), Text: text, At: at,
		Place: dream.Place{
			Origin: dream.FromNote, Day: dream.DayOf(at), Path: "memory/" + string(dream.DayOf(at)) + ".md", FromLine: 3,
			ToLine: 3,
		},
	}
}

// recalled returns a recall of a statement on a day in March 2026.
func recalled(day int, query string, score float64, texts ...string) dream.Recall {
	at := time.Date(2026, 3, day, 15, 0, 0, 0, time.UTC)
	r := dream.Recall{Query: query, Day: dream.DayOf(at), Score: score, At: at}
	for _, text := range texts {
		r.Entries = append(r.Entries, markdown.EntryIDOf(text))
	}
	return r
}

var lightSettings = setting.DefaultDreamSettings()

// only returns the single candidate of a material.
func only(t *testing.T, m dream.Material) dream.Candidate {
	t.Helper()
	all := Light(m, lightSettings)
	if len(all) != 1 {
		t.Fatalf("%d candidates: %+v", len(all), all)
	}
	return all[0]
}

func TestAThingIsStagedOnce(t *testing.T) {
	session := said(4, "Prefers green tea.")
	session.Place = dream.Place{Origin: dream.FromSession, Day: session.Place.Day, Conversation: "c1", Messages: []int64{4}}
	session.Asked = true
	c := only(t, dream.Material{
		Statements: []dream.Statement{said(2, "Likes green tea"), said(3, "The user likes green tea."), session},
		Recalls: []dream.Recall{
			recalled(5, "q1", .5, "Likes green tea"), recalled(6, "q1", .25, "Prefers green tea."),
			recalled(6, "q2", .25, "Drinks coffee."),
		},
	})
	if c.ID != session.ID || c.Text != "Prefers green tea." {
		t.Errorf("the newest wording is %q", c.Text)
	}
	want := dream.Signals{
		Recalls: 2, RecallScore: .75, Queries: 1, RecallDays: []dream.Day{"2026-03-05", "2026-03-06"},
		LastRecalled: time.Date(2026, 3, 6, 15, 0, 0, 0, time.UTC),
		MentionDays:  []dream.Day{"2026-03-02", "2026-03-03", "2026-03-04"}, Asked: true, LastSeen: session.At,
	}
	if diff := cmp.Diff(want, c.Signals); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
	if len(c.Places) != 3 || c.Places[0].Conversation != "c1" || c.Places[2].Day != "2026-03-02" {
		t.Errorf("places, the newest first: %+v", c.Places)
	}
	aliases := []markdown.EntryID{markdown.EntryIDOf("Likes green tea"), markdown.EntryIDOf("The user likes green tea.")}
	slices.Sort(aliases)
	if diff := cmp.Diff(aliases, c.Aliases); diff != "" {
		t.Errorf("aliases (-want +got):\n%s", diff)
	}
}

func TestWhatIsKnownKeepsItsIdentity(t *testing.T) {
	state := dream.State{
		ID: markdown.EntryIDOf("Likes green tea"), Text: "Likes green tea", Status: dream.Open,
		MentionDays: []dream.Day{"2026-02-10", "2026-03-01"}, Asked: true,
		Aliases: []markdown.EntryID{markdown.EntryIDOf("Green tea it is")}, LastSeen: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	c := only(t, dream.Material{
		Statements: []dream.Statement{said(1, "Likes green tea"), said(2, "Green tea it is"), said(3, "Prefers green tea.")},
		States:     []dream.State{state},
	})
	if c.ID != state.ID || c.Text != state.Text {
		t.Errorf("it became %q", c.Text)
	}
	if diff := cmp.Diff([]dream.Day{"2026-02-10", "2026-03-01", "2026-03-02", "2026-03-03"}, c.Signals.MentionDays); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(state, c.Before); diff != "" {
		t.Errorf("what was known (-want +got):\n%s", diff)
	}
	if !c.Signals.Asked || len(c.Aliases) != 2 {
		t.Errorf("asked %v, aliases %v", c.Signals.Asked, c.Aliases)
	}
}

func TestWhatNobodySaysAgain(t *testing.T) {
	staged := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status  dream.Status
		recalls []dream.Recall
		want    int
	}{
		"is not weighed": {status: dream.Open},
		"is weighed when it was recalled": {
			status: dream.Open, recalls: []dream.Recall{recalled(2, "q", .7, "Likes green tea")},
			want: 1,
		},
		"not when that was weighed already":  {status: dream.Open, recalls: []dream.Recall{recalled(1, "q", .7, "Likes green tea")}},
		"not when it is in MEMORY.md":        {status: dream.Promoted, recalls: []dream.Recall{recalled(2, "q", .7, "Likes green tea")}},
		"not when it is to be forgotten":     {status: dream.Forgotten, recalls: []dream.Recall{recalled(2, "q", .7, "Likes green tea")}},
		"not when the recall is yet to come": {status: dream.Open, recalls: []dream.Recall{recalled(30, "q", .7, "Likes green tea")}},
	} {
		t.Run(name, func(t *testing.T) {
			state := dream.State{
				ID: markdown.EntryIDOf("Likes green tea"), Text: "Likes green tea", Status: c.status,
				MentionDays: []dream.Day{"2026-03-01"}, LightAt: staged,
			}
			got := Light(dream.Material{AsOf: staged.AddDate(0, 0, 3), States: []dream.State{state}, Recalls: c.recalls}, lightSettings)
			if len(got) != c.want {
				t.Fatalf("candidates %+v", got)
			}
			if c.want == 1 && (got[0].Signals.Recalls != 1 || len(got[0].Signals.MentionDays) != 1) {
				t.Errorf("signals %+v", got[0].Signals)
			}
		})
	}
}

func TestWhatIsNotStaged(t *testing.T) {
	m := dream.Material{
		AsOf:       time.Date(2026, 3, 4, 2, 0, 0, 0, time.UTC),
		Statements: []dream.Statement{said(5, "Likes the future."), said(3, "Likes tea. <!-- memory/2026-01-28.md:4 score 0.81 -->")},
	}
	if got := Light(m, lightSettings); len(got) != 0 {
		t.Errorf("candidates %+v", got)
	}
}

func TestEndsAndCorrections(t *testing.T) {
	ends, right := said(2, "No longer eats meat."), said(3, "Staging listens on port 5434.")
	ends.Ends, right.Corrects = true, "5433"
	right.Person = true
	got := Light(dream.Material{Statements: []dream.Statement{ends, right}}, lightSettings)
	if len(got) != 2 || !got[1].Ends || got[0].Corrects != "5433" || !got[0].Person || got[1].Person {
		t.Errorf("candidates %+v", got)
	}
}

func TestTheBoundOfCandidates(t *testing.T) {
	m := dream.Material{Statements: []dream.Statement{
		said(2, "Likes green tea."), said(3, "Likes green tea."), said(4, "Drove to the harbour."), said(5, "Bought a red kite."),
		said(1, "Sings in a choir."),
	}}
	for topic, want := range map[string][]string{
		"":      {"Bought a red kite.", "Likes green tea."},
		"choir": {"Likes green tea.", "Sings in a choir."},
	} {
		m.Topic = topic
		s := lightSettings
		s.MaxCandidates = 2
		var got []string
		for _, c := range Light(m, s) {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("topic %q (-want +got):\n%s", topic, diff)
		}
	}
}

func TestNoteAndConversationOfOneMessage(t *testing.T) {
	day, at := dream.Day("2026-03-02"), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	said := func(text string, origin dream.Origin, conversation string, messages ...int64) dream.Statement {
		return dream.Statement{
			ID: markdown.EntryIDOf(text), Text: text, At: at,
			Place: dream.Place{Origin: origin, Day: day, Conversation: conversation, Messages: messages},
		}
	}
	noted := said("The dog of Greta is called Rex.", dream.FromNote, "c", 1)
	for name, c := range map[string]struct {
		told dream.Statement
		want int
	}{
		"the same message":     {said("Dog is called Rex.", dream.FromSession, "c", 1), 1},
		"another message":      {said("Dog is called Rex.", dream.FromSession, "c", 3), 2},
		"another conversation": {said("Dog is called Rex.", dream.FromSession, "d", 1), 2},
		"something else of it": {said("Has a cat called Tom.", dream.FromSession, "c", 1), 2},
		"the contrary of it":   {said("Dog is not called Rex.", dream.FromSession, "c", 1), 2},
	} {
		m := dream.Material{AsOf: at.Add(24 * time.Hour), Statements: []dream.Statement{noted, c.told}}
		if got := Light(m, setting.DefaultDreamSettings()); len(got) != c.want {
			t.Errorf("%s: %d candidates, want %d: %+v", name, len(got), c.want, got)
		}
	}
}
