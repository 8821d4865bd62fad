package view

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DiffRow is a row of a comparison: a line of each side. A row with Gap separates two parts.
type DiffRow struct {
	Old, New     string
	OldNo, NewNo int // 0: the side has no line here
	Gap          bool
	Changed      bool
}

var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// SideBySide returns the rows of a unified diff.
func SideBySide(diff string) []DiffRow {
	var rows []DiffRow
	var removed, added []DiffRow
	old, current := 0, 0
	flush := func() {
		for i := range max(len(removed), len(added)) {
			row := DiffRow{Changed: true}
			if i < len(removed) {
				row.Old, row.OldNo = removed[i].Old, removed[i].OldNo
			}
			if i < len(added) {
				row.New, row.NewNo = added[i].New, added[i].NewNo
			}
			rows = append(rows, row)
		}
		removed, added = nil, nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		if m := hunk.FindStringSubmatch(line); m != nil {
			flush()
			if len(rows) > 0 {
				rows = append(rows, DiffRow{Gap: true})
			}
			old, _ = strconv.Atoi(m[1])
			current, _ = strconv.Atoi(m[2])
			continue
		}
		if old == 0 && current == 0 || line == "" { // the names of the two sides
			continue
		}
		text := Visible(shortenLine(line[1:]))
		switch line[0] {
		case '-':
			removed = append(removed, DiffRow{Old: text, OldNo: old})
			old++
		case '+':
			added = append(added, DiffRow{New: text, NewNo: current})
			current++
		case ' ':
			flush()
			rows = append(rows, DiffRow{Old: text, New: text, OldNo: old, NewNo: current})
			old, current = old+1, current+1
		}
	}
	flush()
	return rows
}

// Mark splits a snippet where it has one of the words, in any case.
func Mark(snippet string, words []string) []Piece {
	snippet = Visible(snippet)
	var alternatives []string
	for _, w := range words {
		if len(w) > 1 {
			alternatives = append(alternatives, regexp.QuoteMeta(w))
		}
	}
	if len(alternatives) == 0 {
		return []Piece{{Text: snippet}}
	}
	var pieces []Piece
	end := 0
	for _, at := range regexp.MustCompile(`(?i)`+strings.Join(alternatives, "|")).FindAllStringIndex(snippet, -1) {
		if at[0] > end {
			pieces = append(pieces, Piece{Text: snippet[end:at[0]]})
		}
		pieces = append(pieces, Piece{Text: snippet[at[0]:at[1]], Marked: true})
		end = at[1]
	}
	return append(pieces, Piece{Text: snippet[end:]})
}

// day shows a date in the zone of the agent, with the year only if it is not this one.
func (f Frame) day(t time.Time) string {
	t = t.UTC()
	if f.Zone != nil {
		t = t.In(f.Zone)
	}
	if t.Year() == time.Now().Year() {
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// when shows a date and a time in the zone of the agent.
func (f Frame) when(t time.Time) string {
	if f.Zone == nil {
		return f.day(t) + t.UTC().Format(", 15:04 UTC")
	}
	return f.day(t) + t.In(f.Zone).Format(", 15:04")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func size(bytes int) string {
	if bytes < 1024 {
		return plural(bytes, "byte", "bytes")
	}
	return fmt.Sprintf("%.1f KiB", float64(bytes)/1024)
}

func dollars(micros int64) string { return fmt.Sprintf("$%.2f", float64(micros)/1e6) }

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (part*100 + whole/2) / whole
}

func score(x float64) string { return fmt.Sprintf("%.2f", x) }

// thousands shows a number in groups of three digits.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func num[T int | int64](n T) string { return fmt.Sprint(n) }

// Process is the name of an author that is a business process.
const Process = "business process"

// kindName names who wrote something.
func kindName(a Author) string {
	switch a.Kind {
	case "user":
		if a.Name != "" {
			return a.Name
		}
		return "a person"
	case "workflow":
		if a.Name == Process {
			return Process
		}
		return "extraction"
	case "seed":
		return "first text"
	case "tool":
		return "agent"
	}
	return a.Kind
}

// messagesName names the messages of an origin.
func messagesName(o Origin) string {
	switch {
	case len(o.Messages) == 1:
		return fmt.Sprintf("message %d", o.Messages[0])
	case len(o.Messages) > 1:
		return fmt.Sprintf("messages %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Messages), " ", ", "), "[]"))
	case o.From == o.To:
		return fmt.Sprintf("message %d", o.From)
	}
	return fmt.Sprintf("messages %d to %d", o.From, o.To)
}

func (o Origin) first() int64 {
	if len(o.Messages) > 0 {
		return o.Messages[0]
	}
	return o.From
}

// scopeName names the people who share a document.
func scopeName(scope string) string {
	switch scope {
	case "PERSONAL":
		return "personal"
	case "TEAM":
		return "shared"
	}
	return "everywhere"
}

// outcomeClass is the style of an outcome.
func outcomeClass(outcome string) string {
	switch outcome {
	case "written", "promoted", "ok", "done":
		return "good"
	case "quarantined", "failed", "rejected", "down":
		return "bad"
	case "running", "waiting", "degraded", "kept", "deleting":
		return "busy"
	}
	return "calm"
}

// whose names whose memory a frame shows.
func (f Frame) whose() string {
	switch {
	case f.Owner != "":
		return f.Owner
	case f.Role == "admin":
		return "everybody (shared memory)"
	}
	return "shared memory"
}

// codeName shows a reason code as words.
func codeName(code string) string { return strings.ReplaceAll(code, "_", " ") }

// initial reports whether a list of events begins another day at an index, and names that day.
func (f Frame) newDay(events []Event, i int) string {
	day := f.day(events[i].At)
	if i > 0 && f.day(events[i-1].At) == day {
		return ""
	}
	return day
}

var approvalNames = map[string]string{
	"memory.approval.requested": "asked for approval of a change of", "memory.approval.reminded": "reminded of a change that waits, of",
	"memory.approval.decided": "decided about a change of", "memory.approval.expired": "ended the wait for approval of",
}

var changeNames = map[string]string{
	"document.written": "changed", "document.deleted": "deleted", "document.undeleted": "brought back", "document.prompt": "moved in the prompt",
	"document.quarantined": "was refused a text that instructs the agent, in",
}

// attempt names the outcome of a failed attempt.
func attempt(reason string, status int) string {
	if status == 0 {
		return reason
	}
	return reason + " " + strconv.Itoa(status)
}

// allMemoryOf names what a deletion of the person whose memory is shown deletes.
func allMemoryOf(f Frame) string {
	if f.Whom == Me {
		return "All that is stored about you"
	}
	return "All that is stored about " + f.Owner
}

// targetOf names the target of a deletion.
func targetOf(d Deletion) string {
	if d.Conversation != "" {
		return "conversation " + Visible(d.Conversation)
	}
	if d.Kind == "owner" {
		return "all memory"
	}
	return d.Kind
}

// startsAfter says when a deletion starts.
func startsAfter(grace time.Duration) string {
	if grace <= 0 {
		return "It starts at once."
	}
	return "It starts after " + strings.TrimSuffix(strings.TrimSuffix(grace.Round(time.Second).String(), "0s"), "0m") + ", and can be cancelled until then."
}

// sumOf counts what people know of the rows of a deletion, and all rows.
func sumOf(rows []TableRows) string {
	var parts []string
	all := 0
	for _, r := range rows {
		all += int(r.Rows)
		if slices.Contains([]string{"documents", "conversations", "messages"}, r.Table) && r.Rows > 0 {
			parts = append(parts, plural(int(r.Rows), strings.TrimSuffix(r.Table, "s"), r.Table))
		}
	}
	return strings.Join(append(parts, plural(all, "row", "rows")+" in all"), ", ")
}
