package extractive

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/transcripts"
)

// saidBy is a transcript of one user's messages, one a minute.
func saidBy(texts ...string) []transcripts.Line {
	at := time.Date(2026, 3, 2, 9, 41, 0, 0, time.UTC)
	var out []transcripts.Line
	for i, text := range texts {
		out = append(out, transcripts.Line{Seq: int64(i + 1), Role: memory.RoleOfUser, At: at.Add(time.Duration(i) * time.Minute), Text: text})
	}
	return out
}

func TestStatementsOfATranscript(t *testing.T) {
	today := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		said []string
		want []Said
	}{
		"chatter": {said: []string{"The weather is awful today, can you find me a good ramen place?", "How do I reverse a list in Python?"}},
		"asked": {
			said: []string{"Remember that I'm allergic to peanuts, please."},
			want: []Said{{Text: "Remember that I'm allergic to peanuts, please.", Messages: []int64{1}, Asked: true}},
		},
		"a day is dated": {
			said: []string{"Remind me to call the landlord tomorrow."},
			want: []Said{{Text: "Remind me to call the landlord tomorrow [2026-03-03].", Messages: []int64{1}}},
		},
		"said twice": {
			said: []string{"Our standup is at 9:30 every weekday.", "Thanks!", "By the way, our standup is at 9:30 every weekday."},
			want: []Said{{Text: "Our standup is at 9:30 every weekday.", Messages: []int64{1, 3}}},
		},
		"a value is corrected": {
			said: []string{"The staging database is on port 5433.", "Sorry, it's 5434, not 5433."},
			want: []Said{{Text: "The staging database is on port [5434].", Messages: []int64{1, 2}, Corrects: "5433"}},
		},
		"a value of another conversation is corrected": {
			said: []string{"Sorry, it's 5434, not 5433."},
			want: []Said{{Text: "Sorry, it's 5434, not 5433.", Messages: []int64{1}, Corrects: "5433"}},
		},
		"something ends": {
			said: []string{"I no longer eat meat."},
			want: []Said{{Text: "I no longer eat meat.", Messages: []int64{1}, Ends: true}},
		},
		"taken back": {
			said: []string{"I live in Berlin.", "I moved to Lisbon last week."},
			want: []Said{{Text: "I moved to Lisbon last week [week of 2026-02-23].", Messages: []int64{2}}},
		},
		"in Chinese": {
			said: []string{"请记住我对花生过敏。", "我不再喝咖啡了。"},
			want: []Said{
				{Text: "请记住我对花生过敏。", Messages: []int64{1}, Asked: true}, {Text: "我不再喝咖啡了。", Messages: []int64{2}, Ends: true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Statements(saidBy(c.said...), today)
			for i := range got {
				got[i].Score = 0
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("said %q (-want +got):\n%s", c.said, diff)
			}
		})
	}
}

// TestStatementsHold reads what people say in the examples, in any order.
func TestStatementsHold(t *testing.T) {
	p := newPool(t)
	rapid.Check(t, func(rt *rapid.T) {
		in := p.input(rt)
		got := Statements(in.Transcript, in.Today)
		if diff := cmp.Diff(got, Statements(in.Transcript, in.Today)); diff != "" {
			rt.Fatalf("the same transcript gives other statements:\n%s", diff)
		}
		for _, s := range got {
			if s.Text == "" || len([]rune(s.Text)) > maxPassage+maxQuestion+100 {
				rt.Fatalf("a text of %d characters", len([]rune(s.Text)))
			}
			if len(s.Messages) == 0 || !slices.IsSorted(s.Messages) {
				rt.Fatalf("%q comes from messages %v", s.Text, s.Messages)
			}
			for _, seq := range s.Messages {
				if !slices.ContainsFunc(in.Transcript, func(l transcripts.Line) bool { return l.Seq == seq && l.Role == memory.RoleOfUser }) {
					rt.Fatalf("%q comes from message %d, which no user wrote", s.Text, seq)
				}
			}
			if s.Unsure && s.Ends {
				rt.Fatalf("%q is unsure and ends something", s.Text)
			}
		}
	})
}
