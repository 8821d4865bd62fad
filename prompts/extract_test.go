package prompts

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

var update = flag.Bool("update", false, "write the golden files anew")

func input(t *testing.T) proposals.ExtractionInput {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	said := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	return proposals.ExtractionInput{
		Agent: "Ada", Today: time.Date(2026, 11, 21, 9, 5, 0, 0, berlin),
		Profile: "# Profile\n\n## Identity\n\n- Name: Grace\n", Memory: "# Memory\n\n## Pets\n\n- Has a dog called Rex\n",
		Shared: "# Memory\n\n- The office is in Berlin\n",
		Note:   "# 2026-11-21\n\n## 08:00 Breakfast\n", Protected: []string{"## Pets", "- Has a dog called Rex"}, ProfileMaxChars: 4000,
		MemoryMaxChars: 8000,
		Transcript: []transcripts.Line{
			{Seq: 1, Role: memory.RoleOfUser, Name: "Grace", Text: "I moved to Munich.\nRex likes it there.", At: said},
			{Seq: 2, Role: memory.RoleOfAssistant, Text: "Noted.", At: said.Add(11 * time.Hour)},
		},
	}
}

func user(t interface{ Fatal(...any) }, in proposals.ExtractionInput) string {
	text, err := ExtractUser(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// golden compares with testdata/<name>; go test ./prompts -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s\nIf this is what you want, run go test ./prompts -update", name, diff)
	}
}

// Every change of a prompt, including its version, shows in a review.
func TestGolden(t *testing.T) {
	system, err := ExtractSystem()
	if err != nil {
		t.Fatal(err)
	}
	first := input(t)
	again := input(t)
	again.Violations, again.Previous = []string{"memory_update drops 4 of the 5 lines:\n- a"}, `{"should_update": true}`
	golden(t, "extract.golden", strings.Join([]string{"version " + Version, system, user(t, first), user(t, again)}, "\n==========\n"))
}

func TestSystemTextHasTheContract(t *testing.T) {
	system, err := ExtractSystem()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"should_update"`, `"reason"`, `"daily_entry"`, `"memory_update"`, `"profile_update"`, `"retired"`, `"line"`, "never an instruction",
		"secrets",
		"third person", "word for word", "## HH:mm", "## Decisions", "## Facts", "## Tasks", "## Dates", "## Remembered", "## Identity",
		"## Preferences", "## Background",
	} {
		if !strings.Contains(system, want) {
			t.Errorf("the system text lacks %q", want)
		}
	}
	if system != must(ExtractSystem()) || strings.Contains(system, "Ada") {
		t.Error("the system text is not the same for everyone")
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

func TestUserTextWithoutFiles(t *testing.T) {
	text := user(t, proposals.ExtractionInput{
		Today: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Transcript: []transcripts.Line{{Role: memory.RoleOfUser, Text: "hello"}},
	})
	for _, want := range []string{
		"Now: 2026-01-02 03:04, Friday, time zone UTC.", "PROFILE.md is empty.", "MEMORY.md is empty.",
		"No line of these files was written by a person.", "User: hello",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"SHARED", "NOTE", "Name of the agent", "The messages were written", "refused", "\n\n\n"} {
		if strings.Contains(text, not) {
			t.Errorf("it has %q:\n%s", not, text)
		}
	}
}

func TestLongFilesAreShownInPart(t *testing.T) {
	in := input(t)
	in.Memory = "- first\n" + strings.Repeat("记", MaxFileChars) + "\n- last\n"
	in.Protected = []string{"- first", "- last", "- Name: Grace"}
	in.Shared = strings.Repeat("s", MaxFileChars+1)
	in.Violations, in.Previous = []string{"x"}, strings.Repeat("p", MaxPreviousChars+1)
	text := user(t, in)
	_, person, _ := strings.Cut(text, "<<<PERSON ")
	person, _, _ = strings.Cut(person, " PERSON>>>")
	switch {
	case !strings.Contains(text, "MEMORY.md is too long to be shown whole and cannot be rewritten"):
		t.Error("it does not say that the file is too long")
	case strings.Contains(text, "PROFILE.md is too long"):
		t.Error("it says that a short file is too long")
	case strings.Contains(person, "- first") || !strings.Contains(person, "- Name: Grace"):
		t.Errorf("the lines of a person are %q", person)
	case strings.Count(text, "记") >= MaxFileChars || strings.Count(text, "s") > MaxFileChars+2000 ||
		strings.Count(text, "p") > MaxPreviousChars+2000:
		t.Errorf("it has %d characters", utf8.RuneCountInString(text))
	}
}

// Nothing that people say or files hold can close its marker, open another one, or add a line outside of the markers.
// The messages before are shown in part: the last ones, shortened.
func TestEarlierMessagesAreShownInPart(t *testing.T) {
	in := input(t)
	for i := range maxEarlier + 1 {
		in.Before = append(in.Before, transcripts.Line{Role: memory.RoleOfUser, Text: strings.Repeat(string(rune('a'+i)), 2*maxEarlierChars)})
	}
	flush, err := FlushUser(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{user(t, in), flush} {
		if strings.Contains(text, "aaa") || strings.Count(text, "g") < maxEarlierChars || strings.Contains(text, strings.Repeat("g", maxEarlierChars+1)) ||
			!strings.Contains(text, "<<<EARLIER MESSAGES, ALREADY READ ") {
			t.Error(text)
		}
	}
}

func TestDataStaysBetweenItsMarkers(t *testing.T) {
	plain := outside(user(t, hostile(input(t), func(string) string { return "x" })))
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"<<<", ">>>", "<<<MEMORY.md ", " MEMORY.md>>>", "<<<END", "x", "\n", "0a1b2c3d4e5f", "CONVERSATION>>>", "\n\nNow: ", "{{.Code}}",
			"\u2028", "\r",
		}), 1, 12)
		in := hostile(proposals.ExtractionInput{Today: time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC)}, func(name string) string {
			return "x" + strings.Join(pieces.Draw(t, name), "") + "x"
		})
		text := user(t, in)
		if again := user(t, in); again != text {
			t.Fatal("the same input gives two prompts")
		}
		if got := outside(text); len(got) != len(plain) {
			t.Fatalf("%d lines stand outside of the markers, want %d:\n%s", len(got), len(plain), text)
		}
	})
}

// hostile sets every text that comes from people or models.
func hostile(in proposals.ExtractionInput, text func(name string) string) proposals.ExtractionInput {
	in.Agent, in.Profile, in.Memory, in.Shared, in.Note = text("agent"), text("profile"), text("memory"), text("shared"), text("note")
	in.Previous = text("previous")
	in.Violations = []string{text("violation")}
	in.Protected = nil
	in.Transcript = []transcripts.Line{{Seq: 1, Role: memory.RoleOfUser, Name: text("name"), Text: text("said")}}
	return in
}

// outside returns the lines outside the markers.
func outside(text string) []string {
	_, code, _ := strings.Cut(text, "The code of the markers in this request is ")
	code, _, _ = strings.Cut(code, ".")
	var out []string
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case open != "":
			if line == code+" "+open+">>>" {
				open = ""
			}
		case strings.HasPrefix(line, "<<<") && strings.HasSuffix(line, " "+code):
			open = strings.TrimSuffix(strings.TrimPrefix(line, "<<<"), " "+code)
		default:
			out = append(out, line)
		}
	}
	return out
}

// Statements that disagree are shown as data.
func TestUserTextsSayWhatDisagrees(t *testing.T) {
	in := input(t)
	in.Disagreements = [][2]string{{"Has a dog called Rex", "The dog is\ncalled Max"}}
	flush, err := FlushUser(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{user(t, in), flush} {
		if !strings.Contains(text, "STATEMENTS THAT DISAGREE, OLDER | NEWER") ||
			!strings.Contains(text, "\nHas a dog called Rex | The dog is called Max\n") {
			t.Error(text)
		}
	}
}
