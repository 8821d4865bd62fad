package memory

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Guarded is what of a proposal may be written; an empty text leaves its document as it is.
type Guarded struct {
	Daily   string // appended to the day's note
	Memory  string // the full new MEMORY.md
	Profile string // the full new PROFILE.md
}

// Violation is one reason why a proposal was refused. Message tells the engine what to do about it.
type Violation struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of violations.
const (
	ViolationPersonLine = "person_line" // a line that a person wrote is gone
	ViolationDropped    = "dropped"     // too many lines are gone
	ViolationTooLong    = "too_long"
	ViolationNoHeading  = "no_heading" // no document, but a remark about one
	ViolationElided     = "elided"     // "… rest unchanged"
	ViolationDialogue   = "dialogue"   // what was said, word by word
	ViolationScan       = "scan"       // the scan would quarantine it
	ViolationContent    = "content"    // not storable
)

// MaxDailyChars bounds one entry of a daily note, in characters.
const MaxDailyChars = 4000

// Guard checks a proposal against what the documents hold now. It returns what may be written, or why nothing may be:
//
//   - every line that a person wrote stands in its document as before (list marker and spaces aside), unless the proposal
//     retires it by name and says why;
//   - a replacement drops at most MaxDropShare of the lines of its document (reworded lines are not dropped), and does not
//     hint at text that it left out;
//   - the ceilings hold, in characters; a document that is longer already may not grow;
//   - nothing that the scan would quarantine, that cannot be stored, or that is a dialogue word by word.
//
// The daily entry is brought into its form (DailyEntry). A text that changes nothing is left out. All violations are
// reported at once, in a fixed order, and one of them refuses the whole proposal.
func Guard(p Proposal, in ExtractionInput, s ExtractSettings) (Guarded, []Violation) {
	if !p.ShouldUpdate {
		return Guarded{}, nil
	}
	g := guard{
		retired: retirable(p.Retired), protected: lineSet(in.Protected), share: s.MaxDropShare, free: freeDrops,
		proof: "the conversation", leave: "leave the field empty", elsewhere: "leave the field empty and put what is new into daily_entry",
	}
	out := Guarded{
		Daily:   g.daily(p.DailyEntry, in),
		Memory:  g.replacement("memory_update", MemoryPath, in.Memory, p.MemoryUpdate, s.MemoryMaxChars),
		Profile: g.replacement("profile_update", ProfilePath, in.Profile, p.ProfileUpdate, s.ProfileMaxChars),
	}
	if len(g.violations) > 0 {
		return Guarded{}, g.violations
	}
	return out, nil
}

type guard struct {
	retired    map[string]bool // what the lines say that are retired with a reason
	protected  map[string]bool // what the lines say that a person wrote
	share      float64
	free       int    // lines that any replacement may drop
	moved      string // text that left for another document: its lines are not gone
	strict     bool   // a person's line that is retired counts as dropped, whatever stands in its place
	proof      string // what shows that a line no longer holds
	leave      string // how to leave the document as it is
	elsewhere  string // what to do with a text that has no room
	violations []Violation
}

// lineSet is what lines say.
func lineSet(lines []string) map[string]bool {
	out := make(map[string]bool, len(lines))
	for _, line := range lines {
		out[bare(line)] = true
	}
	return out
}

func retirable(list []Retired) map[string]bool {
	out := map[string]bool{}
	for _, r := range list {
		if saysSomething(r.Reason) {
			out[bare(r.Line)] = true
		}
	}
	return out
}

func (g *guard) refuse(code, format string, args ...any) {
	g.violations = append(g.violations, Violation{Code: code, Message: fmt.Sprintf(format, args...)})
}

// daily checks the entry for today's note.
func (g *guard) daily(entry string, in ExtractionInput) string {
	entry = DailyEntry(entry, in.Today)
	if entry == "" {
		return ""
	}
	g.text("daily_entry", "", entry)
	if n := utf8.RuneCountInString(entry); n > MaxDailyChars {
		g.refuse(ViolationTooLong, "daily_entry has %d characters, at most %d are allowed: keep what will matter later, in a few lines", n, MaxDailyChars)
	}
	return entry
}

// text checks what holds for every text; before is what stands in its place.
func (g *guard) text(field, before, text string) {
	if err := ValidContent(text); err != nil {
		g.refuse(ViolationContent, "%s: %s", field, err)
		return
	}
	if result := Scan(text); result.Verdict == VerdictQuarantine {
		g.scanned(field, result.Findings)
	}
	if isDialogue(text) && !isDialogue(before) {
		g.refuse(ViolationDialogue, "%s repeats the dialogue: write in the third person what is worth knowing from it", field)
	}
}

// scanned refuses a text that the scan quarantines. Secrets beside it are no reason: they are redacted when it is written.
func (g *guard) scanned(field string, findings []Finding) {
	named := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Class == classSecret })
	if len(named) == 0 {
		named = findings
	}
	for i, f := range named {
		if i == quotedLines {
			g.refuse(ViolationScan, "%s has %d more places of this kind", field, len(named)-quotedLines)
			return
		}
		g.refuse(ViolationScan, "%s, line %d, looks like an attack on whoever reads it (%s: %s): leave it out, or say in your own words what it is about", field, f.Line, f.Class, f.Rule)
	}
}

// isDialogue finds lines of both speakers, labelled as in a transcript.
func isDialogue(text string) bool {
	user, assistant := false, false
	for line := range strings.Lines(text) {
		label, said, found := strings.Cut(bare(line), ":")
		if !found {
			label, said, found = strings.Cut(bare(line), "：")
		}
		if !found || strings.TrimSpace(said) == "" {
			continue
		}
		switch strings.ToLower(strings.Trim(label, "*_ ")) {
		case "user", "human", "用户":
			user = true
		case "assistant", "ai", "助手":
			assistant = true
		}
	}
	return user && assistant
}
