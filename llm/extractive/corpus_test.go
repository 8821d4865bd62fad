package extractive

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// talk is one conversation of the corpus in testdata, with what is expected of it.
//
// A want or avoid names parts that one line must hold, joined by " & "; a part may give alternatives with "|". Case does
// not count. "a & b|c & d" therefore reads: a line with a and d and one of b, c.
type talk struct {
	ID        string   `yaml:"id"`
	Lang      string   `yaml:"lang"` // en, zh or mixed
	Now       string   `yaml:"now"`  // of the run, in Europe/Berlin or Asia/Shanghai
	Profile   string   `yaml:"profile"`
	Memory    string   `yaml:"memory"`
	Shared    string   `yaml:"shared"`
	Note      string   `yaml:"note"`
	Protected []string `yaml:"protected"`
	Turns     []string `yaml:"turns"` // "u: …", "a: …", "u(Bob): …", oldest first, a minute apart
	Want      struct {
		Profile []string `yaml:"profile"`
		Memory  []string `yaml:"memory"`
		Daily   []string `yaml:"daily"`
		Any     []string `yaml:"any"` // in PROFILE.md, MEMORY.md or the daily entry
	} `yaml:"want"`
	NotIn map[string][]string `yaml:"notIn"` // file → what must not be added to it
	Allow []string            `yaml:"allow"` // neither wanted nor wrong
	Avoid []string            `yaml:"avoid"` // in no added line at all
	Gone  []string            `yaml:"gone"`  // no longer in the files
	Kept  []string            `yaml:"kept"`  // still in the files, line by line

	file string
}

// lines that a proposal adds, by file.
type added struct {
	profile, memory, daily []string
	// dailyOnly are daily lines that stand in no other file.
	dailyOnly []string
	files     string // both files as they then are
	proposal  proposals.Proposal
}

func loadTalks(tb testing.TB, set string) []talk {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", set, "*.yaml"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no conversations in testdata/%s: %v", set, err)
	}
	var out []talk
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var talks []talk
		dec := yaml.NewDecoder(strings.NewReader(string(raw)))
		dec.KnownFields(true)
		if err := dec.Decode(&talks); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		for _, t := range talks {
			t.file = path
			out = append(out, t)
		}
	}
	return out
}

var turnPattern = regexp.MustCompile(`(?s)^(u|a)(?:\(([^)]*)\))?:\s?(.*)$`)

func (c talk) input(tb testing.TB) proposals.ExtractionInput {
	tb.Helper()
	zone := "Europe/Berlin"
	if c.Lang == "zh" {
		zone = "Asia/Shanghai"
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		tb.Fatal(err)
	}
	now, err := time.ParseInLocation("2006-01-02 15:04", c.Now, loc)
	if err != nil {
		tb.Fatalf("%s: %v", c.ID, err)
	}
	in := proposals.ExtractionInput{
		Agent: "Ada", Today: now, Profile: c.Profile, Memory: c.Memory, Shared: c.Shared, Note: c.Note, Protected: c.Protected,
		ProfileMaxChars: 4000, MemoryMaxChars: 8000,
	}
	for i, turn := range c.Turns {
		text := turn
		if rest, ok := strings.CutPrefix(text, "u: |-\n"); ok { // a block of several lines
			text = "u: " + strings.ReplaceAll(rest, "\n  ", "\n")
			text = strings.TrimPrefix(text, "  ")
			text = strings.Replace(text, "u:   ", "u: ", 1)
		}
		m := turnPattern.FindStringSubmatch(text)
		if m == nil {
			tb.Fatalf("%s: turn %d is neither u: nor a:", c.ID, i+1)
		}
		role := memory.RoleOfUser
		if m[1] == "a" {
			role = memory.RoleOfAssistant
		}
		in.Transcript = append(in.Transcript, transcripts.Line{
			Seq: int64(i + 1), Role: role, Name: m[2], Text: m[3],
			At: now.Add(time.Duration(i-len(c.Turns)) * time.Minute).UTC(),
		})
	}
	return in
}

// run proposes and tells what was added.
func (c talk) run(tb testing.TB) added {
	tb.Helper()
	in := c.input(tb)
	p := proposeRaw(tb, in)
	out := added{proposal: p}
	out.profile = newLines(in.Profile, p.ProfileUpdate)
	out.memory = newLines(in.Memory, p.MemoryUpdate)
	out.daily = newLines("", p.DailyEntry)
	for _, d := range out.daily {
		if !slices.Contains(out.profile, d) && !slices.Contains(out.memory, d) {
			out.dailyOnly = append(out.dailyOnly, d)
		}
	}
	profile, mem := in.Profile, in.Memory
	if p.ProfileUpdate != "" {
		profile = p.ProfileUpdate
	}
	if p.MemoryUpdate != "" {
		mem = p.MemoryUpdate
	}
	out.files = profile + "\n" + mem
	return out
}

func proposeRaw(tb testing.TB, in proposals.ExtractionInput) proposals.Proposal {
	tb.Helper()
	a, err := New().Propose(tb.Context(), in)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := proposals.ParseProposal(a.Raw)
	if err != nil {
		tb.Fatalf("the raw answer is no proposal: %v\n%s", err, a.Raw)
	}
	return p
}

// newLines are the lines of after that before does not have, headings left out.
func newLines(before, after string) []string {
	var out []string
	was := strings.Split(before, "\n")
	for l := range strings.SplitSeq(after, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") || slices.ContainsFunc(was, func(w string) bool { return strings.TrimSpace(w) == l }) {
			continue
		}
		out = append(out, strings.TrimPrefix(l, "- "))
	}
	return out
}

// says reports whether a line holds all parts of an expectation.
func says(line, want string) bool {
	low := strings.ToLower(line)
	for part := range strings.SplitSeq(want, "&") {
		if !slices.ContainsFunc(strings.Split(part, "|"),
			func(w string) bool { return strings.Contains(low, strings.ToLower(strings.TrimSpace(w))) }) {
			return false
		}
	}
	return true
}

func anySays(lines []string, want string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return says(l, want) })
}
