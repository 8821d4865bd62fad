// Package corpus loads labelled conversations and judges what an engine keeps of them.
//
// Each folder was written by others. All have been opened, and the engine's weights are fitted to them, except for blind2 to blind5;
// its tests measure each folder with weights that were fitted to the rest.
package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reverie/language/fold"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// Conversation is a conversation between a person, or a group, and an assistant, with labels.
type Conversation struct {
	ID       string     `yaml:"id"`
	Lang     string     `yaml:"lang"`
	Hard     []string   `yaml:"hard"` // why it is hard; empty: it is not
	At       string     `yaml:"at"`   // local time of the last message
	Zone     string     `yaml:"zone"`
	Speaker  string     `yaml:"speaker"`
	Profile  string     `yaml:"profile"` // PROFILE.md before
	Memory   string     `yaml:"memory"`  // MEMORY.md before
	Messages []Message  `yaml:"messages"`
	Keep     []Keep     `yaml:"keep"`
	Traps    []Trap     `yaml:"traps"`
	Allow    []Allow    `yaml:"allow"`
	Gone     [][]string `yaml:"gone"` // words that PROFILE.md and MEMORY.md must not have in one line afterwards
}

// Message is a message of the user or the assistant.
type Message struct {
	Role, Name, Text string
}

// Keep is a statement that a memory should have.
type Keep struct {
	Says    string   `yaml:"says"`
	From    []int    `yaml:"from"`  // messages, from 1
	Match   []string `yaml:"match"` // words that one kept line must have; "a|b" for alternatives
	Lasting bool     `yaml:"lasting"`
}

// Trap is something that must not be kept: nowhere, or not as lasting.
type Trap struct {
	Says  string   `yaml:"says"`
	Match []string `yaml:"match"`
	Where string   `yaml:"where"` // any or lasting
	Kind  string   `yaml:"kind"`
}

// Allow matches lines of PROFILE.md and MEMORY.md that are neither wanted nor junk.
type Allow struct {
	Match []string `yaml:"match"`
}

// UnmarshalYAML reads "u: text", "a: text" and "u(Name): text".
func (m *Message) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return fmt.Errorf("line %d: a message has one key", node.Line)
	}
	key := node.Content[0].Value
	m.Text = node.Content[1].Value
	switch {
	case key == "a":
		m.Role = memory.RoleOfAssistant
	case key == "u":
		m.Role = memory.RoleOfUser
	case strings.HasPrefix(key, "u(") && strings.HasSuffix(key, ")"):
		m.Role, m.Name = memory.RoleOfUser, key[2:len(key)-1]
	default:
		return fmt.Errorf("line %d: unknown speaker %q", node.Line, key)
	}
	return nil
}

// Load reads the conversations of a folder, by file name.
func Load(dir string) ([]Conversation, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("no conversations in " + dir)
	}
	var all []Conversation
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var list []Conversation
		dec := yaml.NewDecoder(strings.NewReader(string(raw)))
		dec.KnownFields(true)
		if err := dec.Decode(&list); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// Input returns a conversation as an engine sees it. Messages are one minute apart.
func (c *Conversation) Input() (proposals.ExtractionInput, error) {
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return proposals.ExtractionInput{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	now, err := time.ParseInLocation("2006-01-02 15:04", c.At, zone)
	if err != nil {
		return proposals.ExtractionInput{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	in := proposals.ExtractionInput{
		Agent: "Ada", Today: now, Profile: c.Profile, Memory: c.Memory, ProfileMaxChars: 4000, MemoryMaxChars: 8000,
	}
	for i, m := range c.Messages {
		in.Transcript = append(in.Transcript, transcripts.Line{
			Seq: int64(i + 1), Role: m.Role, Name: m.Name, Text: m.Text, At: now.Add(time.Duration(i+1-len(c.Messages)) * time.Minute),
		})
	}
	return in, nil
}

// Kept holds the lines that a proposal adds, without list markers and headings.
type Kept struct {
	Daily, Lasting []string
	Files          []string // all lines of PROFILE.md and MEMORY.md afterwards
}

// KeptOf returns the lines that a proposal adds to the input's documents.
func KeptOf(in proposals.ExtractionInput, p proposals.Proposal) Kept {
	profile, notes := in.Profile, in.Memory
	if p.ProfileUpdate != "" {
		profile = p.ProfileUpdate
	}
	if p.MemoryUpdate != "" {
		notes = p.MemoryUpdate
	}
	k := Kept{Daily: lines(p.DailyEntry), Files: slices.Concat(lines(profile), lines(notes))}
	before := slices.Concat(lines(in.Profile), lines(in.Memory))
	for _, l := range k.Files {
		if !slices.Contains(before, l) {
			k.Lasting = append(k.Lasting, l)
		}
	}
	return k
}

func lines(text string) []string {
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, strings.TrimPrefix(l, "- "))
		}
	}
	return out
}

// unbracketed removes the brackets of values that a correction put into a line.
var unbracketed = strings.NewReplacer("[", "", "]", "")

// Has reports whether a line has all words; "a|b" has alternatives. Case, compatibility forms and brackets do not count.
func Has(line string, words []string) bool {
	line = fold.Text(unbracketed.Replace(line))
	for _, w := range words {
		if !slices.ContainsFunc(strings.Split(w, "|"), func(w string) bool {
			return strings.Contains(line, fold.Text(unbracketed.Replace(strings.TrimSpace(w))))
		}) {
			return false
		}
	}
	return len(words) > 0
}

func anyHas(lines []string, words []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return Has(l, words) })
}

// Score counts labels and lines.
type Score struct {
	Conversations               int
	Keep, Kept                  int // statements, and those found in any file or note
	LastingKeep, LastingKept    int // lasting statements, and those found in PROFILE.md or MEMORY.md
	Traps, Fallen               int
	Gone, Asserted              int // withdrawn values, and those still in PROFILE.md or MEMORY.md
	LastingLines, Junk          int // lines added to PROFILE.md and MEMORY.md, and those that match no label
	DailyLines, DailyCharacters int
	UserCharacters              int
}

// Add adds another score.
func (s *Score) Add(o Score) {
	s.Conversations += o.Conversations
	s.Keep, s.Kept = s.Keep+o.Keep, s.Kept+o.Kept
	s.LastingKeep, s.LastingKept = s.LastingKeep+o.LastingKeep, s.LastingKept+o.LastingKept
	s.Traps, s.Fallen = s.Traps+o.Traps, s.Fallen+o.Fallen
	s.Gone, s.Asserted = s.Gone+o.Gone, s.Asserted+o.Asserted
	s.LastingLines, s.Junk = s.LastingLines+o.LastingLines, s.Junk+o.Junk
	s.DailyLines, s.DailyCharacters = s.DailyLines+o.DailyLines, s.DailyCharacters+o.DailyCharacters
	s.UserCharacters += o.UserCharacters
}

// Judge compares what was kept with the labels. report, which may be nil, is called for each fault with its kind (missed,
// missed lasting, trap, gone, junk) and text.
func (c *Conversation) Judge(k Kept, report func(fault, text string)) Score {
	if report == nil {
		report = func(string, string) {}
	}
	s := Score{Conversations: 1, LastingLines: len(k.Lasting), DailyLines: len(k.Daily)}
	everything := slices.Concat(k.Daily, k.Files)
	for _, w := range c.Keep {
		s.Keep++
		if anyHas(everything, w.Match) {
			s.Kept++
		} else {
			report("missed", fmt.Sprintf("%s %q %v", w.Says, w.Match, w.From))
		}
		if !w.Lasting {
			continue
		}
		s.LastingKeep++
		if anyHas(k.Files, w.Match) {
			s.LastingKept++
		} else {
			report("missed lasting", fmt.Sprintf("%s %q %v", w.Says, w.Match, w.From))
		}
	}
	for _, t := range c.Traps {
		s.Traps++
		where := k.Files
		if t.Where != "lasting" {
			where = everything
		}
		for _, l := range where {
			if Has(l, t.Match) {
				s.Fallen++
				report("trap", fmt.Sprintf("(%s, %s) %s: %s", t.Kind, t.Where, t.Says, l))
				break
			}
		}
	}
	for _, words := range c.Gone {
		s.Gone++
		for _, l := range k.Files {
			if Has(l, words) {
				s.Asserted++
				report("gone", fmt.Sprintf("%q: %s", words, l))
				break
			}
		}
	}
	for _, l := range k.Lasting {
		if !c.wanted(l) {
			s.Junk++
			report("junk", l)
		}
	}
	for _, l := range k.Daily {
		s.DailyCharacters += len([]rune(l))
	}
	for _, m := range c.Messages {
		if m.Role == memory.RoleOfUser {
			s.UserCharacters += len([]rune(m.Text))
		}
	}
	return s
}

// wanted reports whether a line of PROFILE.md or MEMORY.md matches a statement to keep or an allowed one.
func (c *Conversation) wanted(line string) bool {
	return slices.ContainsFunc(c.Keep, func(w Keep) bool { return Has(line, w.Match) }) ||
		slices.ContainsFunc(c.Allow, func(a Allow) bool { return Has(line, a.Match) })
}

// Head is the head of a table of rows.
const Head = "set  conversations  kept: in any file or note  lasting: in PROFILE.md or MEMORY.md  traps fallen into  gone: withdrawn values asserted  " +
	"junk: lines of both files  note: characters, of what persons wrote"

// Row returns a score as one line of a table.
func Row(name string, s Score) string {
	ratio := func(a, b int) float64 { return float64(a) / float64(max(1, b)) }
	return fmt.Sprintf("%-12s %3d  kept %.3f (%d/%d)  lasting %.3f (%d/%d)  traps %.3f (%d/%d)  gone %.3f (%d/%d)  junk %.3f (%d/%d)  note %.2f", name,
		s.Conversations, ratio(s.Kept, s.Keep), s.Kept, s.Keep, ratio(s.LastingKept, s.LastingKeep), s.LastingKept, s.LastingKeep,
		ratio(s.Fallen, s.Traps), s.Fallen, s.Traps, ratio(s.Asserted, s.Gone), s.Asserted, s.Gone, ratio(s.Junk, s.LastingLines), s.Junk, s.LastingLines,
		ratio(s.DailyCharacters, s.UserCharacters))
}
