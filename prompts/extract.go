package prompts

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// Version identifies the templates of an extraction by a hash of their content. It is recorded with every extraction.
var Version = version("extract", "extract_system.tmpl", "extract_user.tmpl", "extract_repair.tmpl")

const (
	// MaxFileChars bounds the shown part of a file, in characters. A longer file, written by a person, is shown in part: a model that
	// rewrites it would have to repeat it.
	MaxFileChars = 40_000
	// MaxPreviousChars bounds the shown part of a refused answer, in characters.
	MaxPreviousChars = 24_000
	// maxNameChars bounds the agent's name.
	maxNameChars = 80
)

// ExtractSystem renders the system text of extractions. It is the same for all of them, so that providers can cache it.
func ExtractSystem() (string, error) { return render("extract_system.tmpl", nil) }

// ExtractUser renders the user text of one extraction. With Violations it is the repair round: the same text, then what was wrong
// with Previous.
func ExtractUser(in proposals.ExtractionInput) (string, error) {
	data := extractData(in)
	text, err := render("extract_user.tmpl", data)
	if err != nil || len(in.Violations) == 0 {
		return text, err
	}
	repair, err := render("extract_repair.tmpl", data)
	return strings.TrimRight(text, "\n") + repair, err
}

// extract is the input of extract_user.tmpl and extract_repair.tmpl.
type extract struct {
	Code            string // of the markers
	Now             string
	Agent           string // quoted, on one line
	When            string // when the messages were written; empty if unknown
	MemoryMaxChars  int
	ProfileMaxChars int
	Files           []file
	Protected       []string
	Transcript      string
	Violations      []string // on one line each
	Previous        string
}

type file struct {
	Name string
	Text string // empty when there is none
	Cut  bool   // the text is cut
}

func extractData(in proposals.ExtractionInput) extract {
	e := extract{
		Now:             in.Today.Format("2006-01-02 15:04, Monday") + zone(in.Today),
		When:            when(in.Transcript, in.Today.Location()),
		MemoryMaxChars:  in.MemoryMaxChars,
		ProfileMaxChars: in.ProfileMaxChars,
		Files:           []file{shownFile(memory.ProfilePath, in.Profile), shownFile(memory.MemoryPath, in.Memory)},
		Transcript:      transcripts.RenderTranscript(in.Transcript),
	}
	e.Protected = protectedIn(e.Files, in.Protected)
	if shared := strings.TrimSpace(in.Shared); shared != "" {
		e.Files = append(e.Files, file{Name: "SHARED MEMORY.md", Text: head(shared, MaxFileChars)})
	}
	if note := strings.TrimSpace(in.Note); note != "" {
		e.Files = append(e.Files, file{Name: "TODAY'S NOTE", Text: note})
	}
	if len(in.Before) > 0 {
		e.Files = append(e.Files, file{Name: "EARLIER MESSAGES, ALREADY READ", Text: earlier(in.Before)})
	}
	if pairs := pairLines(in.Disagreements); len(pairs) > 0 {
		e.Files = append(e.Files, file{Name: "STATEMENTS THAT DISAGREE, OLDER | NEWER", Text: strings.Join(pairs, "\n")})
	}
	if name := head(oneLine(in.Agent), maxNameChars); name != "" {
		e.Agent = strconv.Quote(name)
	}
	for _, v := range in.Violations {
		e.Violations = append(e.Violations, oneLine(v))
	}
	if len(in.Violations) > 0 {
		e.Previous = head(strings.TrimSpace(in.Previous), MaxPreviousChars)
	}
	data := append([]string{e.Agent, e.Transcript, e.Previous}, e.Protected...)
	for _, f := range e.Files {
		data = append(data, f.Text)
	}
	e.Code = fenceCode(append(data, e.Violations...)...)
	return e
}

// Bounds of what is shown of earlier messages. They are shown to make clear whom and what the conversation means, not to be read again.
const (
	maxEarlier      = 6
	maxEarlierChars = 600
)

func earlier(before []transcripts.Line) string {
	before = slices.Clone(before[max(0, len(before)-maxEarlier):])
	for i := range before {
		before[i].Text = head(before[i].Text, maxEarlierChars)
	}
	return transcripts.RenderTranscript(before)
}

// maxPairs bounds the pairs of statements that disagree.
const maxPairs = 20

func pairLines(pairs [][2]string) (out []string) {
	for _, pair := range pairs[:min(len(pairs), maxPairs)] {
		out = append(out, statement(pair[0])+" | "+statement(pair[1]))
	}
	return out
}

func shownFile(name, text string) file {
	text = strings.TrimSpace(text)
	shown := head(text, MaxFileChars)
	return file{Name: name, Text: shown, Cut: len(shown) < len(text)}
}

// protectedIn returns the protected lines of the files that are shown whole.
func protectedIn(files []file, protected []string) []string {
	shown := map[string]bool{}
	for _, f := range files {
		if f.Cut {
			continue
		}
		for line := range strings.Lines(f.Text) {
			shown[strings.TrimSpace(line)] = true
		}
	}
	var out []string
	for _, line := range protected {
		if shown[strings.TrimSpace(line)] {
			out = append(out, line)
		}
	}
	return out
}

// zone returns the name of the time zone of t.
func zone(t time.Time) string {
	if name := t.Location().String(); name != "Local" {
		return ", time zone " + name
	}
	return t.Format(", time zone -07:00")
}

// when returns the period in which the messages were written, so that the model can resolve "tomorrow".
func when(lines []transcripts.Line, zone *time.Location) string {
	const minute = "2006-01-02 15:04"
	var first, last string
	for _, l := range lines {
		if l.At.IsZero() {
			continue
		}
		last = l.At.In(zone).Format(minute)
		if first == "" {
			first = last
		}
	}
	switch first {
	case "":
		return ""
	case last:
		return "at " + last
	}
	return "from " + first + " to " + last
}

// head returns the first characters of s, at most limit.
func head(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}

// oneLine puts s on one line, without invisible characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
