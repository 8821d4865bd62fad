package compose

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/scan"
)

const (
	// diaryHead begins a new diary.
	diaryHead = "# Dreams\n\nOne entry for each dream, the newest last. Older ones are in " + diaryFolder + ", by month.\n"
	// diaryFolder holds the monthly files of entries that no longer fit into the diary.
	diaryFolder = memory.DreamingFolder + "diary/"
	// foldedShare is the share of the limit that the diary fills, at most, after folding, so that the next dreams need not
	// fold.
	foldedShare = 3. / 4
)

// diary returns the changes of the diary: the new entry at its end, and the entries that move to monthly files to make room.
func (w *composing) diary() []memory.Change {
	entry := w.entry(true)
	if scan.Scan(entry).Verdict == scan.VerdictQuarantine {
		entry = w.entry(false)
	}
	ref := memory.Ref{Scope: w.Scope, Path: memory.DreamsPath}
	doc := w.Files.Diary
	if doc.Deleted || doc.Version == 0 || strings.TrimSpace(doc.Content) == "" {
		return []memory.Change{{Ref: ref, Op: memory.OpAppend, Content: entry, Create: diaryHead, Reason: diaryReason}}
	}
	kept, folded := foldDiary(doc.Content, w.Settings.DiaryMaxChars, utf8.RuneCountInString(entry))
	if len(folded) == 0 {
		return []memory.Change{{Ref: ref, Op: memory.OpAppend, Content: entry, Create: diaryHead, Reason: diaryReason}}
	}
	out := []memory.Change{{
		Ref: ref, Op: memory.OpReplace, Base: doc.Version, Content: strings.TrimRight(kept, "\r\n") + "\n\n" + entry, Reason: diaryReason,
	}}
	months := map[string]int{}
	for _, f := range folded {
		month := f.at[:len("2006-01")]
		i, found := months[month]
		if !found {
			i = len(out)
			months[month] = i
			out = append(out, memory.Change{
				Ref: memory.Ref{Scope: w.Scope, Path: diaryFolder + month + ".md"}, Op: memory.OpAppend,
				Create: "# Dreams of " + month + "\n\nEntries of " + memory.DreamsPath + ", shortened. The reports have all of them.\n",
				Reason: "older entries of the diary",
			})
		}
		if out[i].Content != "" {
			out[i].Content += "\n"
		}
		out[i].Content += f.short()
	}
	for i := range out[1:] {
		out[i+1].Path = w.withRoom(out[i+1].Path, len(out[i+1].Content))
	}
	return out
}

const diaryReason = "entry of a dream"

// diaryEntry is an entry of a diary, from its heading to the next heading of the same or a higher level.
type diaryEntry struct {
	at       string // "2026-01-31 02:00"
	text     string
	from, to int // lines
}

var diaryHeading = regexp.MustCompile(`^(\d{4}-(?:0[1-9]|1[0-2])-\d{2} \d{2}:\d{2}) Dream(?: |$)`)

// diaryEntries returns the entries of a diary in document order. Text that people wrote between them is not an entry.
func diaryEntries(diary string) []diaryEntry {
	lines := rewrite.LinesOf(diary)
	var out []diaryEntry
	open, at := false, 0
	for _, s := range markdown.Sections(diary) {
		if s.Level > 0 && s.Level <= entryLevel {
			open = false
			if m := diaryHeading.FindStringSubmatch(s.Heading); m != nil && s.Level == entryLevel {
				open = true
				out = append(out, diaryEntry{at: m[1], from: at})
			}
		}
		if at += len(s.Lines); s.Level > 0 {
			at++
		}
		if open {
			e := &out[len(out)-1]
			e.to = at
			e.text = strings.TrimSpace(strings.Join(lines[e.from:e.to], "")) + "\n"
		}
	}
	return out
}

// entryLevel is the level of the headings of entries.
const entryLevel = 2

// LatestEntry returns the newest entry of a diary; empty when there is none.
func LatestEntry(diary string) string {
	var latest diaryEntry
	for _, e := range diaryEntries(diary) {
		if e.at >= latest.at {
			latest = e
		}
	}
	return latest.text
}

// foldDiary removes the oldest entries from a diary that cannot hold one more of that many characters.
func foldDiary(diary string, limit, more int) (kept string, folded []diaryEntry) {
	const between = 1 // the blank line in front of the new entry
	if utf8.RuneCountInString(diary)+between+more <= limit {
		return diary, nil
	}
	entries := diaryEntries(diary)
	slices.SortStableFunc(entries, func(a, b diaryEntry) int { return strings.Compare(a.at, b.at) })
	lines := rewrite.LinesOf(diary)
	gone := make([]bool, len(lines))
	target := int(foldedShare * float64(limit))
	for _, e := range entries {
		if utf8.RuneCountInString(diary)+between+more <= target {
			break
		}
		for i := e.from; i < e.to; i++ {
			gone[i] = true
		}
		diary = rewrite.Remaining(lines, gone)
		folded = append(folded, e)
	}
	return diary, folded
}

// passingParts lists the beginnings of paragraphs that are dropped when an entry is folded. The report keeps them.
var passingParts = []string{entryLooked, entryPatterns, entryWhy}

const (
	entryLooked   = "Looked at "
	entryPatterns = "Patterns: "
	entryWhy      = "Why: "
)

// short returns the entry without the paragraphs of passingParts. Text that somebody added to it stays.
func (e diaryEntry) short() string {
	var out []string
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(e.text, "\r\n", "\n"), "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		isPassing := slices.ContainsFunc(passingParts, func(start string) bool { return strings.HasPrefix(paragraph, start) })
		if paragraph != "" && (!isPassing || strings.Contains(paragraph, "\n")) {
			out = append(out, paragraph)
		}
	}
	return strings.Join(out, "\n\n") + "\n"
}

// amount formats a number with its noun: "1 line" or "3 lines".
func amount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

const (
	// listedLines bounds each list of an entry; the report has the rest.
	listedLines = 20
	// listedChars bounds the length of a line in an entry, in characters.
	listedChars = 240
	// namedThemes bounds the patterns in an entry.
	namedThemes = 8
	// topicChars bounds the length of a topic in a heading, in characters.
	topicChars = 60
)

// entry returns the diary entry of this dream. Without contents it has numbers only.
func (w *composing) entry(contents bool) string {
	parts := []string{"## " + w.Now.Format("2006-01-02 15:04") + " Dream" + w.kind(contents), w.lookedAt()}
	if contents {
		parts = append(parts, w.patterns())
		if why := w.show(w.Reason); why != "" && w.Model != "" && w.Outcome != memory.OutcomeQuarantined {
			parts = append(parts, entryWhy+why)
		}
	}
	parts = append(parts, w.changed(contents)...)
	parts = append(parts, w.judged())
	parts = append(parts, w.undecided(contents)...)
	parts = append(parts, fmt.Sprintf("Report %s.", w.Dream))
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n") + "\n"
}

// kind returns the suffix for a dream that is not nightly.
func (w *composing) kind(contents bool) string {
	switch topic := oneLine(strings.NewReplacer("[", "(", "]", ")", "#", "", `\`, "").Replace(rewrite.Clip(w.show(w.Topic), topicChars))); {
	case w.Mode == memory.DreamFocused && contents && topic != "":
		return " [focused: " + topic + "]"
	case w.Mode == memory.DreamNightly || w.Mode == "":
		return ""
	}
	return " [" + string(w.Mode) + "]"
}

func (w *composing) lookedAt() string {
	l := w.Looked
	said := fmt.Sprintf("%s%s, %s (%s), %s and %s", entryLooked, amount(l.Notes, "note"), amount(l.Conversations, "conversation"),
		amount(l.Messages, "message"), amount(l.Statements, "statement"), amount(l.Recalls, "recall"))
	if dream.DayOf(w.AsOf) != dream.DayOf(w.Now) {
		said += ", up to " + w.AsOf.Format("2006-01-02 15:04")
	}
	return said + "."
}

// patterns lists the themes, strongest first. It leaves out themes of which all evidence was rejected.
func (w *composing) patterns() string {
	var out []string
	for _, t := range w.themes() {
		if tag := w.show(t.Tag); tag != "" && len(out) < namedThemes {
			out = append(out, fmt.Sprintf("%s (%s)", tag, amount(len(t.Days), "day")))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return entryPatterns + strings.Join(out, ", ") + "."
}

// themes returns the themes with at least some evidence that was not rejected.
func (w *composing) themes() []dream.Theme {
	rejected := map[markdown.EntryID]bool{}
	for _, c := range w.Ranking.Candidates {
		rejected[c.ID] = c.Verdict == dream.VerdictRejected
	}
	var out []dream.Theme
	for _, t := range w.Reflection.Themes {
		if !slices.ContainsFunc(t.Candidates, func(id markdown.EntryID) bool { return !rejected[id] }) {
			continue
		}
		if !slices.ContainsFunc(w.Ranking.Candidates, func(c dream.Candidate) bool {
			return c.Verdict == dream.VerdictRejected && c.ReasonCode != dream.ReasonKnown &&
				strings.EqualFold(strings.TrimSpace(c.Text), t.Tag)
		}) {
			out = append(out, t)
		}
	}
	return out
}

// changed describes the changes of MEMORY.md.
func (w *composing) changed(contents bool) []string {
	by := "by rules"
	if w.Model != "" {
		by = "by " + cmp.Or(oneLine(w.Model), "a model")
	}
	switch {
	case w.Outcome == memory.OutcomeQuarantined:
		return []string{fmt.Sprintf("MEMORY.md stays as it was: what was written %s was refused (%s).", by,
			strings.Join(violationCodes(w.Violations), ", "))}
	case !w.writes() && w.Model == "" && w.Reason != "": // by rules: there is no room
		return []string{"MEMORY.md stays as it was: " + w.Reason + "."}
	case !w.writes():
		return []string{"MEMORY.md stays as it was."}
	}
	head := fmt.Sprintf("Came into MEMORY.md, %s: %s", by, amount(len(w.came), "line"))
	if w.other > 0 {
		head += fmt.Sprintf(", and %s reworded or joined", amount(w.other, "line"))
	}
	var came, went []string
	for _, a := range w.came {
		came = append(came, a.line)
	}
	for _, line := range w.went {
		why := ""
		for _, r := range w.Retired {
			if markdown.LineKey(r.Line) == markdown.LineKey(line) {
				why = r.Reason
			}
		}
		went = append(went, line+"\x00"+why)
	}
	out := w.list(head, came, contents)
	if len(went) > 0 {
		out = append(out, w.list("Went out of MEMORY.md: "+amount(len(went), "line"), went, contents)...)
	}
	out = append(out, w.retired(contents)...)
	for _, m := range w.Moved {
		switch {
		case m.By != "":
		case len(m.Lines) > 0:
			out = append(out, w.list(fmt.Sprintf("Moved to %s, to make room: %s", m.Path, amount(len(m.Lines), "line")), m.Lines, contents)...)
		default:
			out = append(out, fmt.Sprintf("Moved to %s: the section of %s.", m.Path, m.Day))
		}
	}
	return out
}

// retired lists the lines that later statements correct, each with its correction. They are in an archive.
func (w *composing) retired(contents bool) []string {
	var lines []string
	path := ""
	for _, m := range w.Moved {
		for _, line := range m.Replaced {
			path = m.Path
			lines = append(lines, line+"\x00now: "+markdown.LineKey(m.By))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return w.list(fmt.Sprintf("Retired to %s, since later statements correct it: %s", path, amount(len(lines), "line")), lines, contents)
}

// list returns a paragraph and a list under it. Text after a NUL in a line is a remark.
func (w *composing) list(head string, lines []string, contents bool) []string {
	if !contents || len(lines) == 0 {
		return []string{head + "."}
	}
	var items []string
	for _, line := range lines[:min(len(lines), listedLines)] {
		line, why, _ := strings.Cut(line, "\x00")
		item := w.show(markdown.LineKey(line))
		if item == "" {
			item = "(not shown)"
		}
		if why = w.show(why); why != "" {
			item += " (" + why + ")"
		}
		items = append(items, "- "+item)
	}
	if n := len(lines) - listedLines; n > 0 {
		items = append(items, fmt.Sprintf("- and %d more", n))
	}
	return []string{head + ":", strings.Join(items, "\n")}
}

// judged counts the kept and rejected candidates by reason.
func (w *composing) judged() string {
	var out []string
	for _, v := range []struct {
		verdict dream.Verdict
		words   string
	}{{dream.VerdictKept, "Kept for later"}, {dream.VerdictRejected, "Rejected"}} {
		total, count := 0, map[string]int{}
		for _, c := range w.Ranking.Candidates {
			if c.Verdict == v.verdict {
				total++
				count[cmp.Or(dream.ReasonsInWords[c.ReasonCode], c.ReasonCode)]++
			}
		}
		if total == 0 {
			continue
		}
		reasons := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
		var why []string
		for _, reason := range reasons {
			why = append(why, fmt.Sprintf("%d %s", count[reason], reason))
		}
		out = append(out, fmt.Sprintf("%s: %d (%s).", v.words, total, strings.Join(why, ", ")))
	}
	return strings.Join(out, " ")
}

// undecided lists the open contradictions.
func (w *composing) undecided(contents bool) []string {
	texts, rejected := map[markdown.EntryID]string{}, map[markdown.EntryID]bool{}
	for _, c := range w.Ranking.Candidates {
		if rejected[c.ID] = c.Verdict == dream.VerdictRejected && c.ReasonCode != dream.ReasonKnown; !rejected[c.ID] {
			texts[c.ID] = c.Text
		}
	}
	said := func(id markdown.EntryID, text string) string {
		if rejected[id] {
			return ""
		}
		return w.show(cmp.Or(texts[id], text)) // a line of MEMORY.md is not a candidate
	}
	var pairs []string
	for _, c := range w.Ranking.Contradictions {
		older, newer := said(c.Older, c.OlderText), said(c.Newer, c.NewerText)
		if !c.Settled && older != "" && newer != "" {
			pairs = append(pairs, "- "+older+" — or: "+newer)
		}
	}
	switch {
	case len(pairs) == 0:
		return nil
	case !contents:
		return []string{fmt.Sprintf("Contradictions, left open: %d.", len(pairs))}
	}
	if n := len(pairs) - listedLines; n > 0 {
		pairs = append(pairs[:listedLines:listedLines], fmt.Sprintf("- and %d more", n))
	}
	return []string{"Contradictions, left open:", strings.Join(pairs, "\n")}
}

// show returns a text as the diary and the reports show it: on one line and cut to length. It is empty when the scan refuses
// the text or it repeats a rejected statement.
func (w *composing) show(text string) string {
	said, known := w.shown[text]
	if known {
		return said
	}
	said = rewrite.Clip(rewrite.ListItem(text), listedChars)
	if !markdown.HasText(said) || scan.Scan(said).Verdict == scan.VerdictQuarantine || w.isRejected(rewrite.ClaimOf(said)) {
		said = ""
	}
	w.shown[text] = said
	return said
}

// isRejected reports whether a text repeats a rejected statement.
func (w *composing) isRejected(said rewrite.Claim) bool {
	return slices.ContainsFunc(w.banned, func(b bannedClaim) bool {
		return b.ID == said.ID || claim.SameStatement(b.Says, said.Says) || b.inAnyWords && b.MostlyIn(said)
	})
}

// violationCodes returns the distinct codes of violations.
func violationCodes(violations []proposals.Violation) []string {
	var out []string
	for _, v := range violations {
		if !slices.Contains(out, v.Code) {
			out = append(out, v.Code)
		}
	}
	if len(out) == 0 {
		return []string{"no reason given"}
	}
	return out
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
