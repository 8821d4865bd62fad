package notes

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
)

// noteOf returns a note of 2026-03-02 without authors.
func noteOf(lines ...string) Note {
	n := Note{Day: "2026-03-02"}
	n.Path, n.Version, n.Content = "memory/2026-03-02.md", 3, strings.Join(lines, "\n")
	return n
}

func textsOf(statements []dream.Statement) []string {
	var out []string
	for _, s := range statements {
		out = append(out, s.Text)
	}
	return out
}

func TestNoteStatements(t *testing.T) {
	for name, c := range map[string]struct {
		note []string
		want []string
	}{
		"list items": {
			[]string{"# 2026-03-02", "", "- Lives in Lisbon.", "* Likes green tea"},
			[]string{"Lives in Lisbon.", "Likes green tea"},
		},
		"a paragraph": {
			[]string{"Met Clara at the station,", "she moves to Porto."},
			[]string{"Met Clara at the station, she moves to Porto."},
		},
		"nested items": {
			[]string{"- Allergies:", "  - peanuts", "  - shellfish", "- Trip to Oslo", "  - Flights:", "    - LH 123 at 9:10"},
			[]string{"Allergies: peanuts", "Allergies: shellfish", "Trip to Oslo: Flights: LH 123 at 9:10"},
		},
		"what something stands under may be a statement": {
			[]string{"- Moves to Lisbon in April, for good.", "  - Flat viewing on Friday"},
			[]string{"Moves to Lisbon in April, for good.", "Moves to Lisbon in April, for good: Flat viewing on Friday"},
		},
		"in Chinese": {[]string{"- 过敏：", "  - 花生", "- 不吃香菜", "- 好的"}, []string{"过敏：花生", "不吃香菜"}},
		"a table": {
			[]string{"| Name | Birthday |", "|---|---|", "| Anna | 3 May |", "| Bo | |", "| | 5 December |"},
			[]string{"Anna: Birthday 3 May", "Birthday 5 December"},
		},
		"a quotation": {[]string{"> The lab is closed on Mondays."}, []string{"The lab is closed on Mondays."}},
		"a task": {
			[]string{"- [ ] Renew the passport", "- [x] Pay the rent"},
			[]string{"Renew the passport", "Done: Pay the rent"},
		},
		"struck out": {[]string{"- ~~Lives in Porto.~~", "- Lives in ~~Porto~~ Lisbon."}, []string{"Lives in Lisbon."}},
		"code":       {[]string{"```", "rm -rf the/build/folder", "```", "- ```sh", "  make all the things", "  ```"}, nil},
		"addresses": {
			[]string{"- https://example.com/a/b/c", "- <https://example.com>", "- The wiki is https://example.com/wiki"},
			[]string{"The wiki is https://example.com/wiki"},
		},
		"too short": {[]string{"- ok", "- fine.", "- so it is"}, nil},
		"too long": {
			[]string{"- " + strings.Repeat("long ", 60), "- " + strings.Repeat("tea ", 69) + "cups"},
			[]string{strings.Repeat("tea ", 69) + "cups"},
		},
		"a promoted line": {
			[]string{"- Likes green tea. <!-- memory/2026-01-28.md:4 score 0.81 -->", "- Lives in Lisbon. <!-- sure -->"},
			[]string{"Lives in Lisbon."},
		},
		"a dream's markers": {[]string{"<!-- reverie:dream -->", "- Likes tea in the morning <!-- reverie 1 -->"}, nil},
		"a pasted section": {
			[]string{
				"## 09:00 Copy", "- Lives in Lisbon.", "## Promoted From Short-Term Memory (2026-03-01)", "- Likes green tea.",
				"### More", "- Likes black tea.", "## 10:00", "- Likes white tea.",
			},
			[]string{"Lives in Lisbon.", "Likes white tea."},
		},
		"under a line of a report": {[]string{"- tea: strength 0.40, 3 days", "  - Likes green tea."}, nil},
		"a pasted report": {
			[]string{"- Candidate: Likes green tea confidence: 0.62 evidence: memory/2026-03-01.md:4 recalls: 0 status: staged"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, textsOf(NoteStatements(noteOf(c.note...), time.UTC))); diff != "" {
				t.Errorf("statements (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhenAndWhereSomethingWasNoted(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	n := noteOf(
		"# 2026-03-02", "", "- Woke up with a headache.", "", "## 09:41 Moving", "", "- Lives in Lisbon.", "", "### Details", "",
		"- The flat has two rooms.", "",
		"## 17:05", "", "- Likes green tea", "  since the trip.", "", "## Wednesday", "", "- Runs in the park.",
	)
	n.ID = uuid.MustParse("01234567-89ab-7cde-8f01-23456789abcd")
	want := []struct {
		text, heading, clock string
		from, to             int
	}{
		{"Woke up with a headache.", "", "12:00", 3, 3},
		{"Lives in Lisbon.", "Moving", "09:41", 7, 7},
		{"The flat has two rooms.", "Details", "09:41", 11, 11},
		{"Likes green tea since the trip.", "", "17:05", 15, 16},
		{"Runs in the park.", "", "12:00", 20, 20},
	}
	got := NoteStatements(n, berlin)
	if len(got) != len(want) {
		t.Fatalf("statements %q", textsOf(got))
	}
	for i, s := range got {
		w := want[i]
		if s.Text != w.text || s.Heading != w.heading || s.At.Format("2006-01-02 15:04 MST") != "2026-03-02 "+w.clock+" CET" {
			t.Errorf("%q under %q at %v, want %+v", s.Text, s.Heading, s.At, w)
		}
		place := dream.Place{
			Origin: dream.FromNote, Day: "2026-03-02", Path: n.Path, Document: n.ID, Version: 3, FromLine: w.from,
			ToLine: w.to,
		}
		if diff := cmp.Diff(place, s.Place); diff != "" {
			t.Errorf("place of %q (-want +got):\n%s", s.Text, diff)
		}
		if s.ID != markdown.EntryIDOf(w.text) {
			t.Errorf("%q has the identity %s", s.Text, s.ID)
		}
	}
}

func TestWhoNotedSomething(t *testing.T) {
	n := noteOf("- Lives in Lisbon.", "- Likes green tea.", "- Likes black tea.", "- Runs in the park.", "- Sings in a choir.")
	blame := func(author memory.AuthorKind, line string, from, to int64, messages ...int64) memory.BlameLine {
		return memory.BlameLine{Line: line, Author: memory.Author{Kind: author}, Conversation: "c1", From: from, To: to, Messages: messages}
	}
	n.Lines = []memory.BlameLine{
		blame(memory.AuthorWorkflow, "- Lives in Lisbon.", 1, 30, 7, 3),
		blame(memory.AuthorDream, "- Likes green tea.", 0, 0),
		{Line: "- Likes black tea.", Author: memory.Author{Kind: memory.AuthorUser}},
		blame(memory.AuthorWorkflow, "- Runs in the park.", 4, 6),
		blame(memory.AuthorWorkflow, "- Sings in a choir.", 1, 200),
	}
	n.Lines[0].Asked = true
	type seen struct {
		Text, Conversation string
		Person, Asked      bool
		Messages           []int64
	}
	var got []seen
	for _, s := range NoteStatements(n, time.UTC) {
		got = append(got, seen{s.Text, s.Place.Conversation, s.Person, s.Place.Asked, s.Place.Messages})
	}
	want := []seen{
		{"Lives in Lisbon.", "c1", false, true, []int64{3, 7}},
		{Text: "Likes black tea.", Person: true},
		{"Runs in the park.", "c1", false, false, []int64{4, 5, 6}},
		{Text: "Sings in a choir.", Conversation: "c1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// TestWhatWasSaidBeforeMidnight reads lines that were said just before midnight and noted after it.
func TestWhatWasSaidBeforeMidnight(t *testing.T) {
	n := noteOf("## 23:58 Moving", "- Lives in Lisbon.", "## 00:10 Tea", "- Likes green tea.")
	for i := range 4 {
		n.Lines = append(n.Lines, memory.BlameLine{Line: "x", At: time.Date(2026, 3, 2, 0, 11+i, 0, 0, time.UTC)})
	}
	got := NoteStatements(n, time.UTC)
	if len(got) != 2 || got[0].Place.Day != "2026-03-01" || got[0].At.Format(time.DateTime) != "2026-03-01 23:58:00" ||
		got[1].Place.Day != "2026-03-02" {
		t.Errorf("statements %+v", got)
	}
}

// TestAnyNote reads arbitrary text: every statement is within its limits and is at the lines that it names.
func TestAnyNote(t *testing.T) {
	pieces := []string{
		"# 2026-03-02", "## 09:41 Moving", "### 不错", "- Lives in Lisbon.", "  - nested under something", "\t* deeper", "1. first of all",
		"> quoted text here", "```", "~~~",
		"| Name | Birthday |", "|---|---|", "| Anna | 3 May |", "|", "---", "<!-- open", "-->", "", "", "plain paragraph of words", "对花生过敏",
		"[x] ", "- [x] Pay the rent", "~~gone~~",
		"## Promoted From Short-Term Memory (2026-03-01)", "https://example.com", "\r", "- ", "-", "- ```go", "99:99 x", "## 25:61",
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 20, 60)), 0, 25).Draw(t, "lines")
		n := noteOf(lines...)
		for range rapid.IntRange(0, 30).Draw(t, "blamed") {
			n.Lines = append(n.Lines, memory.BlameLine{Line: "x", Conversation: "c", Messages: []int64{2, 1}})
		}
		got := NoteStatements(n, time.UTC)
		if diff := cmp.Diff(got, NoteStatements(n, time.UTC)); diff != "" {
			t.Fatalf("the same note gives other statements:\n%s", diff)
		}
		count := len(strings.Split(n.Content, "\n"))
		for _, s := range got {
			if length := utf8.RuneCountInString(s.Text); length < minIdeographs || length > MaxStatement {
				t.Fatalf("%q has %d characters", s.Text, length)
			}
			if s.ID == "" || strings.ContainsAny(s.Text, "\n\r") || MachineText(s.Text) {
				t.Fatalf("statement %+v", s)
			}
			if p := s.Place; p.FromLine < 1 || p.ToLine < p.FromLine || p.ToLine > count {
				t.Fatalf("%q stands in lines %d to %d of %d", s.Text, p.FromLine, p.ToLine, count)
			}
		}
	})
}

// TestAHostileNote checks that reading takes time linear in the length of the note: an item of 200,000 characters with
// thousands of children.
func TestAHostileNote(t *testing.T) {
	var b strings.Builder
	b.WriteString("- " + strings.Repeat("word ", 40_000) + "\n")
	for range 5000 {
		b.WriteString("  - Lives in Lisbon near the river.\n")
	}
	for range 3000 {
		b.WriteString("<!-- open | --- ~~ ")
	}
	started := time.Now()
	if got := NoteStatements(noteOf(b.String()), time.UTC); len(got) != 0 {
		t.Errorf("%d statements, the first is %q", len(got), got[0].Text)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestCuesInNotes(t *testing.T) {
	n := noteOf(
		"- Remember: the gate code is 4711.", "- Remember when we went to Oslo!", "- Remember to buy milk.",
		"- The user asked to remember that Bo is deaf.", "- 记住周五休息",
		"- Remembered:", "  - The door sticks in winter.", "- No longer eats meat.", "- Staging listens on port 5434, not 5433.",
		"- Decided to use Postgres instead of MySQL for billing.", "- 数据库从MySQL换成Postgres。", "", "## 22:00 Remembered", "",
		"- The spare key is at Clara's.",
	)
	want := map[string][3]any{
		"Remember: the gate code is 4711.":                      {true, false, ""},
		"Remember when we went to Oslo!":                        {false, false, ""},
		"Remember to buy milk.":                                 {false, false, ""},
		"The user asked to remember that Bo is deaf.":           {true, false, ""},
		"记住周五休息":                                                {true, false, ""},
		"Remembered: The door sticks in winter.":                {true, false, ""},
		"No longer eats meat.":                                  {false, true, ""},
		"Staging listens on port 5434, not 5433.":               {false, false, "5433"},
		"Decided to use Postgres instead of MySQL for billing.": {false, false, "MySQL"},
		"数据库从MySQL换成Postgres。":                                  {false, false, "MySQL"},
		"The spare key is at Clara's.":                          {true, false, ""},
	}
	got := map[string][3]any{}
	for _, s := range NoteStatements(n, time.UTC) {
		got[s.Text] = [3]any{s.Asked, s.Ends, s.Corrects}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("asked, ends, corrects (-want +got):\n%s", diff)
	}
}

func TestMachineText(t *testing.T) {
	for text, want := range map[string]bool{
		"- Likes green tea. <!-- memory/2026-01-28.md:4 score 0.81 -->":          true,
		"<!-- reverie:dream 2026-03-01 -->":                                      true,
		"## Promoted From Short-Term Memory (2026-03-01)":                        true,
		"Candidate: likes tea; confidence 0.62; evidence memory/2026-03-01.md:4": true,
		"Likes green tea.": false,
		"The score of the match was 3:1, see memory/2026-03-01.md":                  false,
		"Candidates for the new office: the old mill and the harbour. <!-- ask -->": false,
		"Dreams of a house by the sea.":                                             false,
	} {
		if got := MachineText(text); got != want {
			t.Errorf("MachineText(%q) = %v", text, got)
		}
	}
}

func TestTags(t *testing.T) {
	for text, want := range map[string][]string{
		"Is allergic to peanuts and has allergies.":                  {"allergic", "peanuts"},
		"The user usually works on Mondays at 9:30 since 2026-01-02": nil,
		"Staging runs db_port 5433 on eu-central-1 with MySQL": {
			"staging", "runs", "db_port", "eu-central-1",
			"mysql",
		},
		"Learns Go in the UK.": {"learns", "uk"},
		"女儿在北京读小学三年级。":         {"女儿", "北京", "小学", "年级"},
		"每天早上喝两杯咖啡，住在 Berlin":  {"咖啡", "berlin"},
		"one two three four apples pears plums figs dates grapes limes lemons melons": {
			"apples", "pears", "plums", "figs", "dates",
			"grapes", "limes", "lemons",
		},
	} {
		if diff := cmp.Diff(want, claim.Tags(text)); diff != "" {
			t.Errorf("tags of %q (-want +got):\n%s", text, diff)
		}
	}
}
