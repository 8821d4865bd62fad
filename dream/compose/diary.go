package compose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/dream/rewrite"
	"reverie/memory"
)

const (
	// diaryHead is what a new diary begins with.
	diaryHead = "# Dreams\n\nOne entry for each dream, the newest last. Older ones are in " + diaryFolder + ", by month.\n"
	// diaryFolder is where entries go that the diary has no room for.
	diaryFolder = memory.DreamingFolder + "diary/"
	// foldedShare is how full the diary is, at most, after entries were folded, so that the next nights need not fold again.
	foldedShare = 3. / 4
)

// diary are the changes of the diary: the new entry at its end, and what moves to the files of the months to make room.
func (w *composing) diary() []memory.Change {
	entry := w.entry(true)
	if memory.Scan(entry).Verdict == memory.VerdictQuarantine {
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
				Create: "# Dreams of " + month + "\n\nEntries of " + memory.DreamsPath + ", shortened. The reports have all of them.\n", Reason: "older entries of the diary",
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

// diaryEntry is an entry of a diary: from its heading to the next one of its level or a higher one.
type diaryEntry struct {
	at       string // "2026-01-31 02:00"
	text     string
	from, to int // lines
}

var diaryHeading = regexp.MustCompile(`^(\d{4}-(?:0[1-9]|1[0-2])-\d{2} \d{2}:\d{2}) Dream(?: |$)`)

// diaryEntries finds the entries of a diary in their order. What people wrote between them is none.
func diaryEntries(diary string) []diaryEntry {
	lines := rewrite.LinesOf(diary)
	var out []diaryEntry
	open, at := false, 0
	for _, s := range memory.Sections(diary) {
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

// LatestEntry is the newest entry of a diary; empty when there is none.
func LatestEntry(diary string) string {
	var latest diaryEntry
	for _, e := range diaryEntries(diary) {
		if e.at >= latest.at {
			latest = e
		}
	}
	return latest.text
}

// foldDiary takes the oldest entries out of a diary that has no room for one more of so many characters.
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

// What the paragraphs of an entry begin with that are left out when it is folded: the report has them.
var passingParts = []string{entryLooked, entryPatterns, entryWhy}

const (
	entryLooked   = "Looked at "
	entryPatterns = "Patterns: "
	entryWhy      = "Why: "
)

// short is the entry without its passing paragraphs. What somebody else wrote into it stays.
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

// amount is a number with its noun, "1 line" or "3 lines".
func amount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
