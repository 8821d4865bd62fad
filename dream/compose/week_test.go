package compose

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/llm/extractive"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
)

// Days of the example week, see testdata/week/README.md.
const (
	weekBegins = "2026-03-02"
	weekNights = 7
)

// week holds the notes, conversations and recalls of one owner in the example week.
type week struct {
	zone     *time.Location
	notes    []notes.Note
	talks    []talk
	recalls  []dream.Recall
	promoted map[dream.Day][]string // expected promotions, by the day of the night
}

// talk is a conversation.
type talk struct {
	id    string
	lines []transcripts.Line
}

// loadWeek reads the week of an owner: ada, bruno or mei.
func loadWeek(tb testing.TB, owner string) week {
	tb.Helper()
	dir := filepath.Join("testdata", "week", owner)
	zone, err := time.LoadLocation(strings.TrimSpace(fileText(tb, filepath.Join(dir, "zone"))))
	if err != nil {
		tb.Fatal(err)
	}
	w := week{zone: zone, promoted: map[dream.Day][]string{}}
	for _, path := range filesIn(tb, filepath.Join(dir, "notes")) {
		name := filepath.Base(path)
		n := notes.Note{Day: dream.Day(strings.TrimSuffix(name, ".md"))}
		n.Path, n.Version, n.Content = "memory/"+name, 1, fileText(tb, path)
		w.notes = append(w.notes, n)
	}
	for _, path := range filesIn(tb, filepath.Join(dir, "talks")) {
		t := talk{id: strings.TrimSuffix(filepath.Base(path), ".md")}
		for text := range strings.Lines(fileText(tb, path)) {
			t.lines = appendSaid(tb, t.lines, strings.TrimSpace(text), zone)
		}
		w.talks = append(w.talks, t)
	}
	for line := range strings.Lines(fileText(tb, filepath.Join(dir, "recalls.md"))) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		at := moment(tb, f[0], zone)
		score, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			tb.Fatal(err)
		}
		sum := sha256.Sum256([]byte(f[1]))
		w.recalls = append(w.recalls, dream.Recall{
			Entries: []markdown.EntryID{markdown.EntryIDOf(f[3])}, Query: hex.EncodeToString(sum[:8]), Day: dream.DayOf(at), Score: score,
			At: at,
		})
	}
	for line := range strings.Lines(fileText(tb, filepath.Join(dir, "promoted.md"))) {
		day, text, _ := strings.Cut(strings.TrimSpace(line), " | ")
		w.promoted[dream.Day(day)] = append(w.promoted[dream.Day(day)], text)
	}
	return w
}

func fileText(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

func filesIn(tb testing.TB, dir string) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no files in %s: %v", dir, err)
	}
	return paths
}

func moment(tb testing.TB, text string, zone *time.Location) time.Time {
	tb.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

var messageHead = regexp.MustCompile(`^\[(\d{4}-\d\d-\d\d \d\d:\d\d) (user|assistant)\]$`)

// appendSaid reads a line of a conversation.
func appendSaid(tb testing.TB, lines []transcripts.Line, text string, zone *time.Location) []transcripts.Line {
	tb.Helper()
	if m := messageHead.FindStringSubmatch(text); m != nil {
		return append(lines, transcripts.Line{Seq: int64(len(lines) + 1), Role: m[2], At: moment(tb, m[1], zone)})
	}
	last := &lines[len(lines)-1]
	last.Text = strings.TrimSpace(last.Text + "\n" + text)
	return lines
}

// material returns the input of a dream at asOf with the default window.
func (w week) material(asOf time.Time, states []dream.State) dream.Material {
	asOf = asOf.In(w.zone)
	from := dream.DayOf(asOf.AddDate(0, 0, -setting.DefaultDreamSettings().Days))
	m := dream.Material{AsOf: asOf, States: states}
	for _, n := range w.notes {
		if n.Day >= from && n.Day < dream.DayOf(asOf) {
			m.Statements = append(m.Statements, notes.NoteStatements(n, w.zone)...)
		}
	}
	for _, t := range w.talks {
		m.Statements = append(m.Statements, t.statements(from, asOf)...)
	}
	for _, r := range w.recalls {
		if r.At.Before(asOf) {
			m.Recalls = append(m.Recalls, r)
		}
	}
	return m
}

// statements returns the statements of a conversation in a window, quoted when they are in the words of a message.
func (t talk) statements(from dream.Day, asOf time.Time) []dream.Statement {
	var (
		lines []transcripts.Line
		out   []dream.Statement
	)
	times := map[int64]time.Time{}
	for _, l := range t.lines {
		if dream.DayOf(l.At) >= from && l.At.Before(asOf) {
			lines = append(lines, l)
			times[l.Seq] = l.At
		}
	}
	for _, said := range extractive.Statements(lines, asOf) {
		if said.Unsure && claim.WordsOf(said.Text).Doubtful() {
			continue
		}
		at, text := times[said.Messages[len(said.Messages)-1]], said.Text
		if slices.ContainsFunc(lines, func(l transcripts.Line) bool { return strings.Contains(l.Text, text) }) {
			text = claim.Quote{Words: text}.String()
		}
		out = append(out, dream.Statement{
			ID: markdown.EntryIDOf(text), Text: text, At: at, Asked: said.Asked, Passing: said.Unsure, Ends: said.Ends,
			Corrects: said.Corrects,
			Place:    dream.Place{Origin: dream.FromSession, Day: dream.DayOf(at), Conversation: t.id, Messages: said.Messages},
		})
	}
	return out
}

// nightOf returns the time of the n-th night, from 0.
func (w week) nightOf(n int) time.Time {
	day, err := time.ParseInLocation(time.DateOnly, weekBegins, w.zone)
	if err != nil {
		panic(err)
	}
	return time.Date(day.Year(), day.Month(), day.Day()+n+1, 2, 0, 0, 0, w.zone)
}

var owners = []string{"ada", "bruno", "mei"}

// TestTheWeekIsStaged checks the last night of each owner: a fact that was said on several days is one candidate with all of
// them.
func TestTheWeekIsStaged(t *testing.T) {
	for owner, want := range map[string]map[string]struct {
		days    int
		asked   bool
		recalls int
		places  int
	}{
		"ada": {
			"Team standup is at 9:30 every weekday.":                                    {days: 3, places: 2},
			`"Our team standup is at 9:30 every weekday, so don't plan anything then."`: {days: 1, places: 2},
			`"Remember that I'm allergic to peanuts, please."`:                          {days: 1, asked: true, places: 2},
			"Staging database listens on port 5434, not 5433.":                          {days: 1, recalls: 3, places: 1},
			`"I prefer answers without bullet points."`:                                 {days: 3, places: 4},
			"Shopping list: twelve bottles of mineral water":                            {days: 1, places: 1},
			"Went to the flea market at Mauerpark with Jonas.":                          {days: 1, places: 1},
			"Asked for a ramen place near Alexanderplatz.":                              {days: 1, places: 1},
			"Wrote a long complaint about a broken desk lamp; nothing to keep.":         {days: 1, places: 1},
		},
		"bruno": {
			"Runs three times a week before work.":                       {days: 3, places: 3},
			`"I'm a vegetarian."`:                                        {days: 3, recalls: 1, places: 4},
			"Thesis is about tidal power.":                               {days: 2, recalls: 1, places: 2},
			"The door code of the lab is 4711.":                          {days: 1, asked: true, places: 1},
			"Monday: Shift at Trigo 6:00 to 12:00":                       {days: 1, places: 1},
			"Thesis is about tidal power: Supervisor: Professor Almeida": {days: 1, places: 1},
		},
		"mei": {
			"我女儿在北京读小学三年级。":        {days: 3, recalls: 1, places: 3},
			"每周三晚上上瑜伽课。":           {days: 2, places: 2},
			`"请记住我对花生过敏。"`:         {days: 1, asked: true, places: 2},
			`"我不再喝咖啡了。帮我找一种好喝的茶。"`: {days: 1, places: 2},
		},
	} {
		w := loadWeek(t, owner)
		candidates := judge.Light(w.material(w.nightOf(weekNights-1), nil), setting.DefaultDreamSettings())
		byText := map[string]dream.Candidate{}
		for _, c := range candidates {
			byText[c.Text] = c
		}
		for text, want := range want {
			c, ok := byText[text]
			if !ok {
				t.Errorf("%s: %q is no candidate", owner, text)
				continue
			}
			if g := c.Signals; len(g.MentionDays) != want.days || g.Asked != want.asked || g.Recalls != want.recalls ||
				len(c.Places) != want.places {
				t.Errorf("%s: %q has days %v, asked %v, %d recalls, %d places", owner, text, g.MentionDays, g.Asked, g.Recalls,
					len(c.Places))
			}
		}
		for _, c := range candidates {
			for _, no := range []string{"print(", "http", "# 2026"} {
				if strings.Contains(c.Text, no) {
					t.Errorf("%s: %q is a candidate", owner, c.Text)
				}
			}
		}
	}
}
