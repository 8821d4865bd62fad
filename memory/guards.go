package memory

import (
	"fmt"
	"regexp"
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
		out[SameLine(line)] = true
	}
	return out
}

func retirable(list []Retired) map[string]bool {
	out := map[string]bool{}
	for _, r := range list {
		if SaysSomething(r.Reason) {
			out[SameLine(r.Line)] = true
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
		label, said, found := strings.Cut(SameLine(line), ":")
		if !found {
			label, said, found = strings.Cut(SameLine(line), "：")
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

// Replacement is the full new text of a document with what it is held to.
type Replacement struct {
	Field     string // what messages call the text
	Path      string // of the document
	Before    string // as it is
	After     string // as it is to be
	Moved     string // text that leaves for another document, each part with its line break: its lines are not gone
	Protected []string
	Retired   []Retired
	// MaxDropShare is the share of the lines of Before that may be gone; one line may be in any case. A line that is retired is
	// gone, and so is one that no line of After says in other words.
	MaxDropShare float64
	MaxChars     int
	Proof        string // what may show that a line no longer holds: "the notes"
}

// GuardReplacement checks the full new text of one document as Guard checks those of a proposal. It returns the text tidied,
// empty when it changes nothing, or what is wrong with it.
func GuardReplacement(r Replacement) (text string, violations []Violation) {
	g := guard{
		retired: retirable(r.Retired), protected: lineSet(r.Protected), share: r.MaxDropShare, free: 1, moved: r.Moved,
		strict: true, proof: r.Proof, leave: "answer with should_update false", elsewhere: "add less",
	}
	text = g.replacement(r.Field, r.Path, r.Before, r.After, r.MaxChars)
	if len(g.violations) > 0 {
		return "", g.violations
	}
	return text, nil
}

const (
	// freeDrops is how many lines any replacement may drop: of a short file, one line is a large share.
	freeDrops = 3
	// reworded is the share, in per cent, of an old line's words, weighed by how rare they are, that a new line has when
	// it is the same line in other words.
	reworded = 60
	// wordWeight is the weight of a word that one line has; it is large so that whole numbers do.
	wordWeight = 1_000_000
	// quotedLines bounds how many lines one violation names.
	quotedLines = 20
)

// replacement checks the full new text of a document and returns it tidied, or empty when it changes nothing.
func (g *guard) replacement(field, path, current, text string, ceiling int) string {
	text = Tidied(text)
	if text == "" || sameText(current, text) {
		return ""
	}
	g.text(field, current, text)
	if len(HeadingLines(text)) == 0 && (len(HeadingLines(current)) > 0 || strings.TrimSpace(current) == "") {
		g.refuse(ViolationNoHeading, "%s has no heading: give the full new text of %s, beginning with its title, or %s to keep the file as it is", field, path, g.leave)
		return ""
	}
	if n := utf8.RuneCountInString(text); n > max(ceiling, utf8.RuneCountInString(current)) {
		g.refuse(ViolationTooLong, "%s has %d characters, %s may have %d: join or shorten lines that no person wrote, or %s", field, n, path, ceiling, g.elsewhere)
	}
	if line := elision(current, text); line > 0 {
		g.refuse(ViolationElided, "%s, line %d, stands for text that was left out: give the full new text of %s, every line of it", field, line, path)
	}
	g.kept(field, path, current, text)
	return text
}

// sameText reports whether two texts differ in spaces around them and in line breaks at most.
func sameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}

// elided is a line that stands for others: "...", "[rest unchanged]", "(existing entries)", "其余内容不变".
var elided = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`\.{3,}|…+`,
	`\[` + elidedHint + `[^][]*\]`,
	`\(` + elidedHint + `[^()]*\)`,
	`[（【]` + elidedHint + `[^（）【】]*[）】]`,
	`<!--` + elidedHint + `.*-->`,
	`(?:\.{3}|…)\s*[[(（]?` + elidedHint + `.*`,
	`(?:the )?(?:rest|remaining|remainder|other|existing|previous)\b.{0,30}\b(?:unchanged|as before|as is|omitted)\.?`,
	`(?:unchanged|no changes?|(?:same )?as before)\.?`,
	`(?:其余|其他|其它|剩余)(?:内容|部分)?(?:保持)?(?:不变|省略|未变|同上)。?`,
}, "|") + `)$`)

const elidedHint = `\s*(?:\.{3}|…)?\s*(?:(?:the|all) )?(?:rest|remaining|remainder|other|existing|previous|unchanged|same|omitted|no changes?|其余|其他|其它|剩余|省略|保持不变)`

// elision is the first line of text, from 1, that stands for lines left out and was not there before; 0 when there is none.
func elision(current, text string) int {
	known := lineSet(lineTexts(current))
	for i, line := range lineTexts(text) {
		if said := SameLine(line); said != "" && !known[said] && elided.MatchString(said) {
			return i + 1
		}
	}
	return 0
}

// kept checks that the lines of current are in text: each of a person's, and enough of the others.
func (g *guard) kept(field, path, current, text string) {
	text += g.moved
	stands := lineSet(lineTexts(text))
	var (
		broken []string
		missed []string // content lines that do not stand in text
		total  int
		ended  int // a person's lines that are retired
	)
	isHeading := HeadingLines(current)
	named := map[string]bool{}
	for i, line := range lineTexts(current) {
		said := SameLine(line)
		if !SaysSomething(said) {
			continue
		}
		if g.protected[said] && !stands[said] && !g.retired[said] && !named[said] {
			named[said] = true
			broken = append(broken, strings.TrimSpace(line))
		}
		if isHeading[i] {
			continue
		}
		total++
		switch {
		case stands[said]:
		case g.strict && g.protected[said]:
			ended++
		default:
			missed = append(missed, said)
		}
	}
	for i, line := range broken {
		if i == quotedLines {
			g.refuse(ViolationPersonLine, "%s misses %d more lines that a person wrote", field, len(broken)-quotedLines)
			break
		}
		g.refuse(ViolationPersonLine, "%s misses a line that a person wrote; put it back word for word, or name it in retired with the reason from %s: %s", field, g.proof, line)
	}
	if dropped, allowed := ended+unlike(missed, current, text), max(g.free, int(g.share*float64(total))); dropped > allowed || total > 0 && dropped == total && !hasContent(text) {
		g.refuse(ViolationDropped, "%s drops %d of the %d lines of %s, at most %d may go at once: keep the others, reworded where they changed", field, dropped, total, path, min(allowed, total-1))
	}
}

// hasContent reports whether a document has a line that says something and is no heading.
func hasContent(text string) bool {
	isHeading := HeadingLines(text)
	for i, line := range lineTexts(text) {
		if !isHeading[i] && SaysSomething(line) {
			return true
		}
	}
	return false
}

// unlike counts the missed lines of current that no line of text says in other words. Words weigh less the more lines of
// current have them: "User likes" is no sign that two lines say the same when half of the file begins with it. Comments, such
// as the sources of promoted lines, say nothing.
func unlike(missed []string, current, text string) int {
	if len(missed) == 0 {
		return 0
	}
	lines := map[string]int{} // how many lines of current have a word
	for _, line := range lineTexts(current) {
		for word := range words(uncommented(line)) {
			lines[word]++
		}
	}
	known := lineSet(lineTexts(current))
	having := map[string][]int{} // which new lines have a word
	for i, line := range lineTexts(text) {
		if known[SameLine(line)] {
			continue // it says something else already
		}
		for word := range words(uncommented(line)) {
			having[word] = append(having[word], i)
		}
	}
	count := 0
	for _, line := range missed {
		weight, common := 0, map[int]int{}
		for word := range words(uncommented(line)) {
			w := wordWeight / lines[word]
			weight += w
			for _, i := range having[word] {
				common[i] += w
			}
		}
		best := 0
		for _, w := range common {
			best = max(best, w)
		}
		if weight == 0 || best*100 < reworded*weight {
			count++
		}
	}
	return count
}

func uncommented(line string) string { return htmlComment.ReplaceAllString(line, "") }
