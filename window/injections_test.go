package window

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reverie/memory"
)

// injection is an attack that somebody hides in what a window is made of.
type injection struct {
	ID    string   `json:"id"`
	Lang  string   `json:"lang"`
	Where string   `json:"where"` // user, tool, note, summary: where it was thought of; it is tried everywhere
	Trick string   `json:"trick"`
	Text  string   `json:"text"`
	Gone  []string `json:"gone"` // what nobody may find where the text is quoted; a line break stands for the beginning of a line
}

func injections(tb testing.TB) []injection {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "injections.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []injection
	if err := json.Unmarshal(content, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestInjectionCorpus(t *testing.T) {
	langs, places, ids := map[string]int{}, map[string]int{}, map[string]bool{}
	all := injections(t)
	for _, c := range all {
		langs[c.Lang]++
		places[c.Where]++
		if ids[c.ID] || c.Text == "" || c.Trick == "" {
			t.Errorf("%s is there twice, or says nothing", c.ID)
		}
		ids[c.ID] = true
	}
	t.Logf("%d cases: %v, %v", len(all), langs, places)
	if len(all) < 60 || len(langs) < 6 || len(places) != 4 {
		t.Errorf("%d cases in %d languages and %d places", len(all), len(langs), len(places))
	}
}

// TestInjectionsEscaped: wherever a text is quoted, nothing of it looks like the structure of a window.
func TestInjectionsEscaped(t *testing.T) {
	for _, c := range injections(t) {
		t.Run(c.ID, func(t *testing.T) { checkQuoted(t, c, Escape(c.Text), c.Text) })
	}
}

func checkQuoted(t failer, c injection, quoted, given string) {
	t.Helper()
	checkEscaped(t, given, quoted)
	for _, gone := range c.Gone {
		if strings.Contains("\n"+quoted, gone) {
			t.Fatalf("%q is left in %q", gone, quoted)
		}
	}
}

// TestInjectionsInWindow hides each attack in every place at once: what is quoted is labelled and escaped, a tool's result stays
// in a message of the tool's, what the user says stays the user's, and the system says what it said before and nothing more.
func TestInjectionsInWindow(t *testing.T) {
	for _, c := range injections(t) {
		t.Run(c.ID, func(t *testing.T) {
			in := attacked(c.Text)
			got := mustFit(t, in)
			for _, m := range got.Messages {
				switch m.Kind {
				case KindSystem:
					if m.Content != in.System || m.Role != memory.RoleOfSystem {
						t.Errorf("the system says %q", m.Content)
					}
				case KindSummary:
					checkLabelled(t, c, m, SummaryPrefix)
				case KindGoal:
					checkLabelled(t, c, m, GoalPrefix)
				case KindRecall:
					checkRecalled(t, m)
				case KindHistory:
					checkHistory(t, c, m)
				case KindGap, KindCurrent:
				}
			}
			if s := sketch(got); s != "system summary goal u11 a12 t13 u14 u15 a16 recall current" {
				t.Errorf("the window is %s", s)
			}
		})
	}
}

// attacked is an input with an attack in all places.
func attacked(text string) Input {
	in := base(100_000,
		user(3),
		memory.Message{Role: memory.RoleOfAssistant, ToolCalls: []memory.ToolCall{{ID: "c1", Name: "fetch", Arguments: "{}"}}},
		memory.Message{Role: memory.RoleOfTool, Name: "fetch", ToolCallID: "c1", Content: text},
		memory.Message{Role: memory.RoleOfTool, Name: "fetch", ToolCallID: "gone", Content: text},
		memory.Message{Role: memory.RoleOfSystem, Content: text},
		assistant(3),
	)
	for i := range in.History {
		in.History[i].Seq = int64(11 + i)
	}
	in.SummaryTo, in.Summary, in.Goal, in.Current.Seq = 10, text, text, 17
	in.Current.Content = text
	in.Recalled = []Recalled{
		{Text: text, Source: "memory/2025-05-30.md:7", At: in.Now.AddDate(0, 0, -2)},
		{Text: "likes tea", Source: text, At: in.Now},
	}
	in.Settings.AutoInjectMaxTokens = 2000
	return in
}

func checkLabelled(t *testing.T, c injection, m Message, label string) {
	t.Helper()
	quoted, ok := strings.CutPrefix(m.Content, label+"\n")
	if !ok || m.Role != memory.RoleOfUser {
		t.Errorf("%s of the %s has no label: %q", m.Kind, m.Role, m.Content)
	}
	checkQuoted(t, c, quoted, strings.TrimSpace(c.Text))
}

func checkHistory(t *testing.T, c injection, m Message) {
	t.Helper()
	switch m.Seq {
	case 13:
		if m.Role != memory.RoleOfTool || m.Content != Defuse(c.Text) || m.ToolCallID != "c1" {
			t.Errorf("the %s's result is %q", m.Role, m.Content)
		}
		for _, token := range []string{"<|", "<｜", "[INST]", "<<SYS>>", "<s>", "[TOOL_RESULTS]", "[Recalled memory", "[Conversation context summary"} {
			if strings.Contains(m.Content, token) {
				t.Errorf("%s is left in %q", token, m.Content)
			}
		}
	case 14:
		quoted, ok := strings.CutPrefix(m.Content, ToolPrefix+"\nfetch: ")
		if !ok || m.Role != memory.RoleOfUser {
			t.Errorf("the result of no call is the %s's: %q", m.Role, m.Content)
		}
		checkQuoted(t, c, quoted, c.Text)
	case 15:
		quoted, ok := strings.CutPrefix(m.Content, NotePrefix+"\n")
		if !ok || m.Role != memory.RoleOfUser {
			t.Errorf("the note is the %s's: %q", m.Role, m.Content)
		}
		checkQuoted(t, c, quoted, c.Text)
	}
}

// checkRecalled: a block of recalled memory is its label, a line for each memory that begins with source and age, and its end.
func checkRecalled(t *testing.T, m Message) {
	t.Helper()
	lines := strings.Split(m.Content, "\n")
	if m.Role != memory.RoleOfUser || lines[0] != RecallPrefix || lines[len(lines)-1] != RecallSuffix || len(lines) > 4 {
		t.Errorf("recalled: %q", m.Content)
	}
	for _, line := range lines[1 : len(lines)-1] {
		label, text, ok := strings.Cut(line, "] ")
		if !ok || !strings.HasPrefix(label, "- [") || strings.Count(label, "[") != 1 || strings.Count(label, " · ") != 1 {
			t.Errorf("a line has no label: %q", line)
		}
		if found := openBracket.FindString(text); found != "" {
			t.Errorf("%q is left in %q", found, text)
		}
		if found := openTag.FindString(text); found != "" {
			t.Errorf("%q is left in %q", found, text)
		}
	}
}

// TestInjectionsCut: in a window
// that is too small for all of it no cut uncovers an attack.
func TestInjectionsCut(t *testing.T) {
	for _, c := range injections(t) {
		in := attacked(strings.Repeat(c.Text+"\n", 12))
		in.Current.Content = "hello"
		for window := 130; window < 2000; window += 97 {
			in.Settings.MaxTokens = window
			for _, m := range mustFit(t, in).Messages {
				if m.Kind == KindHistory && strings.HasPrefix(m.Content, ToolPrefix) || m.Kind == KindGoal || m.Kind == KindSummary {
					_, quoted, _ := strings.Cut(m.Content, "\n")
					quoted = ours.ReplaceAllString(quoted, "")
					for _, gone := range c.Gone {
						if strings.Contains("\n"+quoted, gone) {
							t.Fatalf("%s, window of %d: %q is left in %q", c.ID, window, gone, quoted)
						}
					}
					if found := openTag.FindString(quoted); found != "" {
						t.Fatalf("%s, window of %d: %q is left in %q", c.ID, window, found, quoted)
					}
				}
			}
		}
	}
}

// ours are the marks that a window puts into what it cuts.
var ours = regexp.MustCompile(`\[(?:… \d+ characters(?: of this result)? left out …|Result cleared: [^\]]*|Same result as an earlier one: [^\]]*|\d+ characters more in the conversation)\]`)
