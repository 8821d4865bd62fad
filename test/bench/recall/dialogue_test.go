package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An invented dialogue with what files in this format have: sessions out of order, a session without turns, a caption,
// references that name nothing or come twice, a question without evidence, and an id that comes twice.
const invented = `[{
	"sample_id": "garden",
	"conversation": {
		"speaker_a": "Ida", "speaker_b": "Otto",
		"session_2_date_time": "12:05 am on 1 March, 2024",
		"session_2": [
			{"speaker": "Otto", "dia_id": "D2:1", "text": "The cherry tree was planted on Monday."},
			{"speaker": "Ida", "dia_id": "D2:1", "text": "Really?"},
			{"speaker": "Otto", "text": "Yes."}
		],
		"session_1_date_time": "1:56 pm on 8 February, 2024",
		"session_1": [
			{"speaker": "Ida", "dia_id": "D1:1", "text": "Look what I found.", "blip_caption": "a rusty watering can", "re-download": true},
			{"speaker": "Otto", "dia_id": "D1:2", "text": "", "blip_caption": "a green shed"},
			{"speaker": "Otto", "dia_id": "D1:3", "text": " "}
		],
		"session_3_date_time": "1:56 pm on 9 March, 2024",
		"session_4": []
	},
	"qa": [
		{"question": "What stands in the garden?", "answer": 7, "evidence": ["D2:1", "D2:1", "D9:1", "D1:1; D1:2"], "category": 1},
		{"question": "Who is away?", "adversarial_answer": "Ida", "evidence": [], "category": 5}
	]
}]`

func TestReadDialogues(t *testing.T) {
	got, err := readDialogues(strings.NewReader(invented))
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	want := []dialogue{{
		id: "garden",
		sessions: []session{
			{number: 1, turns: []turn{
				{"D1:1", "user", "Ida", "Look what I found. [image: a rusty watering can]", at("2024-02-08T13:56:00Z")},
				{"D1:2", "assistant", "Otto", "[image: a green shed]", at("2024-02-08T13:56:01Z")},
				{"D1:3", "assistant", "Otto", " ", at("2024-02-08T13:56:02Z")},
			}},
			{number: 2, turns: []turn{
				{"D2:1", "assistant", "Otto", "The cherry tree was planted on Monday.", at("2024-03-01T00:05:00Z")},
				{"D2:1#2.2", "user", "Ida", "Really?", at("2024-03-01T00:05:01Z")},
				{"#2.3", "assistant", "Otto", "Yes.", at("2024-03-01T00:05:02Z")},
			}},
		},
		questions: []question{
			{text: "What stands in the garden?", category: "1 multi-hop", evidence: []string{"D2:1"}, malformed: 2},
			{text: "Who is away?", category: "5 adversarial"},
		},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(dialogue{}, session{}, turn{}, question{})); diff != "" {
		t.Error(diff)
	}
}

// The common format has names and times only where they are known.
func TestReadCommonFormat(t *testing.T) {
	got, err := readDialogues(strings.NewReader(`[{"id": "diary",
		"conversations": [
			{"id": "c1", "messages": [
				{"id": "1", "role": "user", "content": "My rent is 900.", "createdAt": "2024-03-01T09:00:00Z"},
				{"id": "2", "role": "assistant", "content": "I see."}]},
			{"id": "c2", "messages": [{"id": "3", "role": "user", "name": "Ida", "content": "My rent is 950."}]}],
		"questions": [{"text": "What is the rent?", "category": "update", "evidence": ["1", "3", "9"],
			"older": ["1"], "newer": ["3"], "askedAt": "2024年04月04日 周四 07:42"}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []dialogue{{
		id: "diary",
		sessions: []session{
			{1, []turn{{"1", "user", "", "My rent is 900.", time.Date(2024, 3, 1, 9, 0, 0, 0, time.UTC)}, {"2", "assistant", "", "I see.", time.Time{}}}},
			{2, []turn{{"3", "user", "Ida", "My rent is 950.", time.Time{}}}},
		},
		questions: []question{{
			text: "What is the rent?", category: "update", evidence: []string{"1", "3"}, older: []string{"1"}, newer: []string{"3"},
			asked: "2024-04-04", malformed: 1,
		}},
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(dialogue{}, session{}, turn{}, question{})); diff != "" {
		t.Error(diff)
	}
}

func TestReadDialoguesRefuses(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":         `dialogues`,
		"no list":         `{"sample_id": "one"}`,
		"nothing":         `[]`,
		"session of text": `[{"conversation": {"session_1": "hello"}}]`,
		"another date":    `[{"conversation": {"session_1": [{"dia_id": "D1:1"}], "session_1_date_time": "yesterday"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := readDialogues(strings.NewReader(content)); err == nil {
				t.Errorf("it was read as %v", got)
			}
		})
	}
}

func TestDates(t *testing.T) {
	day := time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)
	for written, want := range map[string]time.Time{
		"1:56 pm on 8 May, 2023":  day.Add(13*time.Hour + 56*time.Minute),
		"12:09 am on 8 May, 2023": day.Add(9 * time.Minute),
		"8 May, 2023":             day,
		"2023-05-08 07:30":        day.Add(7*time.Hour + 30*time.Minute),
		"2023-05-08T07:30:00Z":    day.Add(7*time.Hour + 30*time.Minute),
	} {
		got, err := readDialogues(strings.NewReader(`[{"conversation": {"session_1": [{"dia_id": "D1:1"}], "session_1_date_time": "` + written + `"}}]`))
		if err != nil {
			t.Fatal(err)
		}
		if !got[0].sessions[0].turns[0].at.Equal(want) {
			t.Errorf("%s is read as %s", written, got[0].sessions[0].turns[0].at)
		}
	}
}

func TestMessagesOf(t *testing.T) {
	dialogues, err := readDialogues(strings.NewReader(invented))
	if err != nil {
		t.Fatal(err)
	}
	at := func(second int) *time.Time {
		at := time.Date(2024, 2, 8, 13, 56, second, 0, time.UTC)
		return &at
	}
	want := []message{ // the turn without words is left out
		{ID: "D1:1", Role: "user", Name: "Ida", Content: "Look what I found. [image: a rusty watering can]", CreatedAt: at(0)},
		{ID: "D1:2", Role: "assistant", Name: "Otto", Content: "[image: a green shed]", CreatedAt: at(1)},
	}
	if diff := cmp.Diff(want, messagesOf(dialogues[0].sessions[0])); diff != "" {
		t.Error(diff)
	}
}

func TestPairs(t *testing.T) {
	questions := []question{
		{text: "Where?", category: "place", evidence: []string{"1", "2"}, older: []string{"1"}, newer: []string{"2"}},
		{text: "Who?", evidence: []string{"3"}},
		{text: "When?", evidence: []string{"2", "4"}},
		{text: "Why?"},
	}
	want := []question{
		{text: "Where? When?", category: "place", evidence: []string{"1", "2", "4"}},
		{text: "Who? Why?"},
		{text: "When? Where?", evidence: []string{"2", "4", "1"}},
		{text: "Why? Who?"},
	}
	if got := pairs(questions); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(questions[0].evidence) != 2 {
		t.Error("the questions were changed")
	}
}
