package proposals

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/memory/transcripts"
	"reverie/scan"
)

// Guarded holds the texts of a proposal that may be written. An empty text leaves its document unchanged.
type Guarded struct {
	Daily   string // appended to the day's note
	Memory  string // the full new MEMORY.md
	Profile string // the full new PROFILE.md
}

// Violation is one reason for refusing a proposal. Message is the correction for the engine.
type Violation struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of violations.
const (
	ViolationPersonLine = "person_line" // a line written by a person is missing
	ViolationNewerLine  = "newer_line"  // a line is missing that was said after the messages
	ViolationOthersLine = "others_line" // a line is missing that quotes a member of a group who says nothing here
	ViolationDropped    = "dropped"     // too many lines are missing
	ViolationTooLong    = "too_long"
	ViolationNoHeading  = "no_heading" // a remark about a document instead of its text
	ViolationElided     = "elided"     // "… rest unchanged"
	ViolationDialogue   = "dialogue"   // a verbatim copy of the conversation
	ViolationScan       = "scan"       // the scan would quarantine the text
	ViolationContent    = "content"    // the text cannot be stored
	ViolationHeld       = "held"       // statements wait for a person
)

const (
	// MaxDailyChars bounds one entry of a daily note, in characters.
	MaxDailyChars = 4000
	// freeDrops is the number of lines that any replacement may drop: of a short file, one line is a large share.
	freeDrops = 3
	// reworded is the share of an old line's words, in percent and weighted by rarity, that a new line must have to count as
	// the same line reworded.
	reworded = 60
	// wordWeight is the weight of a word that occurs in one line. It is large so that integer weights suffice.
	wordWeight = 1_000_000
	// quotedLines bounds the number of lines that violations of one kind name.
	quotedLines = 20
)

// Guard checks a proposal against the current documents. It returns what may be written, or why nothing may be written:
//
//   - Every line written by a person stays in its document (list marker and spaces aside), unless the proposal retires it by
//     name with a reason.
//   - In a group, every line that quotes a member stays who says nothing in the messages.
//   - A replacement drops at most MaxDropShare of the lines of its document, not counting reworded lines, and does not refer
//     to text that it leaves out.
//   - The limits in characters hold. A document that is already longer may not grow.
//   - No text would be quarantined by the scan, is impossible to store, or repeats the dialogue.
//
// The daily entry is normalized by DailyEntry. A text that changes nothing is left out. All violations are reported at once,
// in a fixed order. A single one refuses the whole proposal.
func Guard(p Proposal, in ExtractionInput, s setting.ExtractSettings) (Guarded, []Violation) {
	if !p.ShouldUpdate {
		return Guarded{}, nil
	}
	g := guard{
		retired: retiredSet(p.Retired), protected: lineSet(in.Protected), newer: lineSet(in.Newer), share: s.MaxDropShare, free: freeDrops,
		speakers: speakersOf(in.Transcript), proof: "the conversation", leave: "leave the field empty",
		elsewhere: "leave the field empty and put what is new into daily_entry",
	}
	out := Guarded{
		Daily:   g.daily(p.DailyEntry, in),
		Memory:  g.replacement("memory_update", memory.MemoryPath, in.Memory, p.MemoryUpdate, s.MemoryMaxChars),
		Profile: g.replacement("profile_update", memory.ProfilePath, in.Profile, p.ProfileUpdate, s.ProfileMaxChars),
	}
	if len(g.violations) > 0 {
		return Guarded{}, g.violations
	}
	return out, nil
}

// Replacement is the full new text of one document, with the rules that it must follow.
type Replacement struct {
	Field     string // name of the text in messages
	Path      string // of the document
	Before    string // current text
	After     string // new text
	Moved     string // text moved to another document, each line with its line break; it does not count as dropped
	Protected []string
	Retired   []Retired
	// MaxDropShare is the share of the lines of Before that may be dropped; one line may be dropped in any case. Retired lines
	// count as dropped, as do lines that After neither repeats nor rewords.
	MaxDropShare float64
	MaxChars     int
	Proof        string // source of the evidence that a line no longer holds, such as "the notes"
}

// GuardReplacement checks the full new text of one document, as Guard does for a proposal. It returns the tidied text, empty
// if it changes nothing, or the violations.
func GuardReplacement(r Replacement) (text string, violations []Violation) {
	g := guard{
		retired: retiredSet(r.Retired), protected: lineSet(r.Protected), share: r.MaxDropShare, free: 1, moved: r.Moved,
		strict: true, proof: r.Proof, leave: "set should_update to false", elsewhere: "add less",
	}
	text = g.replacement(r.Field, r.Path, r.Before, r.After, r.MaxChars)
	if len(g.violations) > 0 {
		return "", g.violations
	}
	return text, nil
}

// guard collects the violations of a proposal. Lines are compared as SameLine returns them.
type guard struct {
	retired    map[string]bool // lines retired with a reason
	protected  map[string]bool // lines written by a person
	newer      map[string]bool // lines said after what the proposal rests on
	speakers   map[string]bool // of the messages, as documents quote them
	share      float64
	free       int    // lines that any replacement may drop
	moved      string // text moved to another document
	strict     bool   // retired lines of a person count as dropped, even if something replaces them
	proof      string // source of the evidence that a line no longer holds
	leave      string // how to leave the document unchanged
	elsewhere  string // what to do with text that exceeds the limit
	violations []Violation
}

// lineSet returns the normalized lines.
func lineSet(lines []string) map[string]bool {
	out := make(map[string]bool, len(lines))
	for _, line := range lines {
		out[markdown.LineKey(line)] = true
	}
	return out
}

// retiredSet returns the normalized lines that are retired with a reason.
func retiredSet(list []Retired) map[string]bool {
	out := map[string]bool{}
	for _, r := range list {
		if markdown.HasText(r.Reason) {
			out[markdown.LineKey(r.Line)] = true
		}
	}
	return out
}

func (g *guard) refuse(code, format string, args ...any) {
	g.violations = append(g.violations, Violation{Code: code, Message: fmt.Sprintf(format, args...)})
}

// daily checks the entry for today's note.
func (g *guard) daily(entry string, in ExtractionInput) string {
	entry = markdown.DailyEntry(entry, in.Today)
	if entry == "" {
		return ""
	}
	g.text("daily_entry", "", entry)
	if n := utf8.RuneCountInString(entry); n > MaxDailyChars {
		g.refuse(ViolationTooLong, "daily_entry has %d characters, at most %d are allowed: "+
			"keep only what will matter later, in a few lines", n, MaxDailyChars)
	}
	return entry
}

// text checks the rules for every text. before is the text that it replaces.
func (g *guard) text(field, before, text string) {
	if err := memory.ValidContent(text); err != nil {
		g.refuse(ViolationContent, "%s: %s", field, err)
		return
	}
	if result := scan.Scan(text); result.Verdict == scan.VerdictQuarantine {
		g.scanned(field, result.Findings)
	}
	if g.strict {
		g.instructions(field, before, text)
	}
	if isDialogue(text) && !isDialogue(before) {
		g.refuse(ViolationDialogue, "%s repeats the dialogue: summarize what is worth knowing, in the third person", field)
	}
}

// instructions refuses new lines that instruct the assistant beyond a wish about style and language. Lines that the document has
// already, such as those of a person, stay. In other proposals the write gate removes such lines: they wait for a person.
func (g *guard) instructions(field, before, text string) {
	had := lineSet(strings.Split(before, "\n"))
	for line := range strings.Lines(text) {
		if rule := scan.Instruction(markdown.LineKey(line)); rule != "" && !had[markdown.LineKey(line)] {
			g.refuse(ViolationScan, "%s has a line that instructs the assistant (%s): leave it out; a person decides about it", field, rule)
		}
	}
}

// scanned refuses a text that the scan quarantines. Secrets in it are not a reason: they are redacted when it is written.
func (g *guard) scanned(field string, findings []scan.Finding) {
	named := slices.DeleteFunc(slices.Clone(findings), scan.Finding.IsSecret)
	if len(named) == 0 {
		named = findings
	}
	for i, f := range named {
		if i == quotedLines {
			g.refuse(ViolationScan, "%s has %d more lines that look like an attack", field, len(named)-quotedLines)
			return
		}
		g.refuse(ViolationScan, "%s, line %d, looks like an attack (%s: %s): leave it out, or describe it in your own words",
			field, f.Line, f.Class, f.Rule)
	}
}

// isDialogue reports whether a text has lines of both speakers, labelled as in a transcript.
func isDialogue(text string) bool {
	user, assistant := false, false
	for line := range strings.Lines(text) {
		label, said, found := strings.Cut(markdown.LineKey(line), ":")
		if !found {
			label, said, found = strings.Cut(markdown.LineKey(line), "：")
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

// replacement checks the full new text of a document. It returns the tidied text, or "" if it changes nothing.
func (g *guard) replacement(field, path, current, text string, limit int) string {
	text = markdown.Tidied(text)
	if text == "" || sameText(current, text) {
		return ""
	}
	g.text(field, current, text)
	if len(markdown.HeadingLines(text)) == 0 && (len(markdown.HeadingLines(current)) > 0 || strings.TrimSpace(current) == "") {
		g.refuse(ViolationNoHeading, "%s has no heading: "+
			"give the full new text of %s, beginning with its title, or %s to keep the file as it is", field, path, g.leave)
		return ""
	}
	if n := utf8.RuneCountInString(text); n > max(limit, utf8.RuneCountInString(current)) {
		g.refuse(ViolationTooLong, "%s has %d characters, at most %d are allowed in %s: join or shorten lines that no person wrote, or %s",
			field, n, limit, path, g.elsewhere)
	}
	if line := elision(current, text); line > 0 {
		g.refuse(ViolationElided, "%s, line %d, replaces text that you left out: give the full new text of %s, with every line",
			field, line, path)
	}
	g.kept(field, path, current, text)
	return text
}

// sameText reports whether two texts differ at most in surrounding white space and in line breaks.
func sameText(a, b string) bool {
	normal := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return normal(a) == normal(b)
}

// elided matches a line that replaces others: "...", "[rest unchanged]", "(existing entries)", "其余内容不变".
var elided = lazyregexp.New(`(?i)^(?:` + strings.Join([]string{
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

const elidedHint = `\s*(?:\.{3}|…)?\s*(?:(?:the|all) )?` +
	`(?:rest|remaining|remainder|other|existing|previous|unchanged|same|omitted|no changes?|其余|其他|其它|剩余|省略|保持不变)`

// elision returns the first line of text, from 1, that replaces omitted lines and is not in current; 0 if there is none.
func elision(current, text string) int {
	known := lineSet(markdown.Lines(current))
	for i, line := range markdown.Lines(text) {
		if said := markdown.LineKey(line); said != "" && !known[said] && elided.MatchString(said) {
			return i + 1
		}
	}
	return 0
}

// kept checks that text keeps every line of current written by a person, and enough of the others.
func (g *guard) kept(field, path, current, text string) {
	text += g.moved
	present := lineSet(markdown.Lines(text))
	var (
		missing []string // lines written by a person
		gone    []string // other lines, normalized
		total   int      // lines that are not headings
		retired int      // lines written by a person
	)
	isHeading := markdown.HeadingLines(current)
	named := map[string]bool{}
	for i, line := range markdown.Lines(current) {
		said := markdown.LineKey(line)
		if !markdown.HasText(said) {
			continue
		}
		if g.protected[said] && !present[said] && !g.retired[said] && !named[said] {
			named[said] = true
			missing = append(missing, strings.TrimSpace(line))
		}
		if isHeading[i] {
			continue
		}
		if g.newer[said] && !present[said] && !named[said] {
			named[said] = true
			g.refuse(ViolationNewerLine, "%s is missing a line that was said after these messages: put it back word for word: %s",
				field, strings.TrimSpace(line))
		}
		if !present[said] && !named[said] && g.isOfOther(said) {
			named[said] = true
			g.refuse(ViolationOthersLine, "%s is missing a line of somebody who says nothing in these messages: put it back word for word: %s",
				field, strings.TrimSpace(line))
		}
		total++
		switch {
		case present[said]:
		case g.strict && g.protected[said]:
			retired++
		default:
			gone = append(gone, said)
		}
	}
	for i, line := range missing {
		if i == quotedLines {
			g.refuse(ViolationPersonLine, "%s is missing %d more lines written by a person", field, len(missing)-quotedLines)
			break
		}
		g.refuse(ViolationPersonLine, "%s is missing a line written by a person: put it back word for word, "+
			"or name it in retired with the reason from %s: %s", field, g.proof, line)
	}
	dropped := retired + countDropped(gone, current, text)
	allowed := max(g.free, int(g.share*float64(total)))
	isEmptied := total > 0 && dropped == total && !hasContent(text)
	if dropped > allowed || isEmptied {
		g.refuse(ViolationDropped, "%s drops %d of the %d lines of %s, at most %d may be dropped at once: "+
			"keep the others, reworded if they changed", field, dropped, total, path, min(allowed, total-1))
	}
}

// speakersOf returns the names of users with which documents quote them; none if nobody has a name.
func speakersOf(transcript []transcripts.Line) map[string]bool {
	speakers := map[string]bool{}
	for _, l := range transcript {
		if l.Role == memory.RoleOfUser && l.Name != "" {
			speakers[memory.QuotedName(l.Name)] = true
		}
	}
	return speakers
}

// isOfOther reports whether a line quotes somebody by name who is none of the speakers.
func (g *guard) isOfOther(line string) bool {
	if len(g.speakers) == 0 {
		return false
	}
	q, quotes := claim.QuoteOf(strings.TrimSpace(markdown.WithoutComments(line)))
	return quotes && q.Speaker != "" && !g.speakers[q.Speaker]
}

// hasContent reports whether a document has text other than headings.
func hasContent(text string) bool {
	isHeading := markdown.HeadingLines(text)
	for i, line := range markdown.Lines(text) {
		if !isHeading[i] && markdown.HasText(line) {
			return true
		}
	}
	return false
}

// countDropped counts the removed lines that no new line of text rewords.
//
// Words weigh less the more lines of current have them: "User likes" does not make two lines the same when half of the file
// begins with it. Comments, such as the sources of promoted lines, do not count.
func countDropped(gone []string, current, text string) int {
	if len(gone) == 0 {
		return 0
	}
	frequency := map[string]int{} // lines of current that have a word
	for _, line := range markdown.Lines(current) {
		for word := range markdown.Words(markdown.WithoutComments(line)) {
			frequency[word]++
		}
	}
	known := lineSet(markdown.Lines(current))
	having := map[string][]int{} // new lines that have a word
	for i, line := range markdown.Lines(text) {
		if known[markdown.LineKey(line)] {
			continue // it is another old line
		}
		for word := range markdown.Words(markdown.WithoutComments(line)) {
			having[word] = append(having[word], i)
		}
	}
	count := 0
	for _, line := range gone {
		weight, common := 0, map[int]int{}
		for word := range markdown.Words(markdown.WithoutComments(line)) {
			w := wordWeight / frequency[word]
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
