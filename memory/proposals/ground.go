package proposals

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/language/fold"
	"reverie/memory"
	"reverie/memory/grounding"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
)

// ViolationUngrounded is the code of a line that Ground removed.
const ViolationUngrounded = "ungrounded"

// Dropped is a line that was removed from a proposal because nobody said it.
type Dropped struct {
	Field  string // daily_entry, memory_update or profile_update
	Line   string
	Faults []grounding.Fault // none: only the line above it has faults
	// Restored is the line of the document that the removed one had replaced; empty: none.
	Restored string
	// Weak is the code of a statement that is removed for another reason: ViolationUncertain or ViolationLowSignal.
	Weak string
}

// GroundOf prepares what the engine saw for the checks of its answer.
func GroundOf(in ExtractionInput) *grounding.Ground {
	return grounding.New(grounding.Evidence{
		Transcript: slices.Concat(in.Before, in.Transcript), Documents: []string{in.Profile, in.Memory, in.Shared, in.Note}, Day: in.Today,
	})
}

// Ground removes the lines of a proposal that claim what was not said, and new ones that are uncertain or say nothing, and returns the
// rest with the removed lines.
//
// Items below a removed one are removed with it, headings left without text are removed, and a line of a document that a removed one had
// replaced is restored. All other lines stay byte for byte. A text that no longer changes its document is empty. ShouldUpdate stays
// as it is, so that a proposal of which nothing is left can be distinguished from an empty one.
func Ground(p Proposal, in ExtractionInput) (Proposal, []Dropped) {
	if !p.ShouldUpdate {
		return p, nil
	}
	g := GroundOf(in)
	var all []Dropped
	ground := func(field, before, text string, lasting bool) string {
		if strings.TrimSpace(text) == "" {
			return text
		}
		kept, dropped := GroundText(g, before, text)
		kept, unsure := withoutWeak(g, before, kept, lasting)
		dropped = append(dropped, unsure...)
		for i := range dropped {
			dropped[i].Field = field
		}
		all = append(all, dropped...)
		if len(dropped) > 0 && (sameText(before, kept) || !hasContent(kept)) {
			return ""
		}
		return kept
	}
	p.DailyEntry = ground("daily_entry", "", p.DailyEntry, false)
	p.MemoryUpdate = ground("memory_update", in.Memory, p.MemoryUpdate, true)
	p.ProfileUpdate = ground("profile_update", in.Profile, p.ProfileUpdate, true)
	return p, all
}

// GroundText removes the lines of a Markdown text that have no ground. before is the text that it replaces; empty: none.
func GroundText(g *grounding.Ground, before, text string) (string, []Dropped) {
	t := groundedText{lines: strings.SplitAfter(text, "\n")}
	t.titles = markdown.HeadingLines(text)
	t.removed = make([]bool, len(t.lines))
	t.restored = map[int]string{}
	t.check(g)
	if len(t.dropped) == 0 {
		return text, nil
	}
	t.restore(before)
	t.emptied()
	return t.String(), t.dropped
}

// groundedText is the state of GroundText.
type groundedText struct {
	lines    []string // with their line breaks
	titles   map[int]bool
	removed  []bool
	restored map[int]string // lines of the document, by the line that they replace
	dropped  []Dropped
	at       []int // lines of dropped
}

// check finds the lines without ground. An item below a removed one is removed too, unless the documents have it.
func (t *groundedText) check(g *grounding.Ground) {
	var (
		above   []string // headings and items above the line
		depths  []int
		heading string
		cut     = -1 // indentation of the removed item
	)
	for i, line := range t.lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		depth := indentation(line)
		if t.titles[i] {
			heading, above, depths, cut = line, nil, nil, -1
			if faults := g.Check(line); len(faults) > 0 {
				t.drop(i, faults)
			}
			continue
		}
		for len(depths) > 0 && depths[len(depths)-1] >= depth {
			above, depths = above[:len(above)-1], depths[:len(depths)-1]
		}
		if cut >= 0 && depth > cut {
			if !g.Known(line) {
				t.drop(i, nil)
			}
			continue
		}
		cut = -1
		if faults := g.Check(line, append([]string{heading}, above...)...); len(faults) > 0 {
			t.drop(i, faults)
			cut = depth
			continue
		}
		above, depths = append(above, line), append(depths, depth)
	}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func (t *groundedText) drop(i int, faults []grounding.Fault) {
	t.removed[i] = true
	t.dropped = append(t.dropped, Dropped{Line: strings.TrimSpace(t.lines[i]), Faults: faults})
	t.at = append(t.at, i)
}

// restoredShare is the share of a removed line's words, in percent, that a missing line of the document needs to be the one that it
// replaced, unless it was after the same line.
const restoredShare = 40

// restore puts back the lines of the document that removed ones had replaced.
func (t *groundedText) restore(before string) {
	present := map[string]bool{}
	for i, line := range t.lines {
		if !t.removed[i] {
			present[markdown.LineKey(line)] = true
		}
	}
	old := markdown.Lines(before)
	used := map[int]bool{}
	for n, i := range t.at {
		if t.titles[i] || t.dropped[n].Faults == nil {
			continue
		}
		best, at := 0, -1
		words := markdown.Words(markdown.WithoutComments(t.lines[i]))
		for j, line := range old {
			if used[j] || !markdown.HasText(line) || present[markdown.LineKey(line)] || strings.HasPrefix(line, "#") {
				continue
			}
			common := 0
			for word := range markdown.Words(markdown.WithoutComments(line)) {
				if words[word] {
					common++
				}
			}
			share := 100 * common / max(1, len(words))
			if j > 0 && i > 0 && markdown.LineKey(old[j-1]) != "" && markdown.LineKey(old[j-1]) == markdown.LineKey(t.lines[i-1]) {
				share += restoredShare
			}
			if share >= restoredShare && share > best {
				best, at = share, j
			}
		}
		if at >= 0 {
			used[at] = true
			t.restored[i] = old[at] + "\n"
			t.dropped[n].Restored = old[at]
		}
	}
}

// emptied removes headings that have lost all their text.
func (t *groundedText) emptied() {
	for i := len(t.lines) - 1; i >= 0; i-- {
		if !t.titles[i] || t.removed[i] {
			continue
		}
		level := len(t.lines[i]) - len(strings.TrimLeft(t.lines[i], "#"))
		lost, kept := false, false
		for j := i + 1; j < len(t.lines); j++ {
			if t.titles[j] && len(t.lines[j])-len(strings.TrimLeft(t.lines[j], "#")) <= level {
				break
			}
			_, back := t.restored[j]
			lost = lost || t.removed[j]
			kept = kept || back || !t.removed[j] && strings.TrimSpace(t.lines[j]) != ""
		}
		if lost && !kept {
			t.removed[i] = true
		}
	}
}

func (t *groundedText) String() string {
	var b strings.Builder
	for i, line := range t.lines {
		if back, ok := t.restored[i]; ok {
			b.WriteString(back)
		} else if !t.removed[i] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// GroundSummary removes the lines of a summary whose numbers, dates, names or quoted words are in no message, in the goal or in the
// summary before it, and those that say the opposite of what was said, or of one person what was said of another. A summary may say what
// the assistant and tools said, and a value of one thing of another.
func GroundSummary(summary string, in SummaryInput) string {
	if summary == "" {
		return ""
	}
	e := grounding.Evidence{Documents: []string{in.Previous, in.Goal}}
	zone := in.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, m := range in.Messages {
		said := []string{m.Content}
		for _, call := range m.ToolCalls {
			said = append(said, call.Name+" "+call.Arguments)
		}
		e.Day = m.CreatedAt.In(zone)
		e.Transcript = append(e.Transcript, transcripts.Line{Role: memory.RoleOfUser, Name: m.Name, At: m.CreatedAt, Text: strings.Join(said, "\n")})
	}
	g := grounding.New(e)
	var said strings.Builder // a summary may say of one thing what was said of another
	for _, text := range append(e.Documents, textsOf(e.Transcript)...) {
		said.WriteString(fold.Text(text) + "\n")
	}
	all := said.String()
	lines := strings.SplitAfter(summary, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !slices.ContainsFunc(g.Check(line), func(f grounding.Fault) bool {
			return f.Code == grounding.Negation || f.Code == grounding.Person || f.IsValue() && !strings.Contains(all, fold.Text(f.Value))
		}) {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// textsOf returns the texts of messages.
func textsOf(transcript []transcripts.Line) []string {
	out := make([]string, len(transcript))
	for i, l := range transcript {
		out[i] = l.Text
	}
	return out
}

// Ungrounded returns the removed lines as violations of a record.
func Ungrounded(dropped []Dropped) []Violation {
	var out []Violation
	for i, d := range dropped {
		if i == quotedLines {
			out = append(out, Violation{ViolationUngrounded, memory.Plural(len(dropped)-quotedLines, "more line was dropped", "more lines were dropped")})
			break
		}
		if d.Weak != "" {
			out = append(out, Violation{d.Weak, fmt.Sprintf("%s: dropped, not worth keeping (%s): %s", d.Field, d.Weak, d.Line)})
			continue
		}
		reasons := make([]string, len(d.Faults))
		for j, f := range d.Faults {
			reasons[j] = fmt.Sprintf("%s %q", f.Code, f.Value)
		}
		if len(reasons) == 0 {
			reasons = []string{"the item above it was dropped"}
		}
		message := fmt.Sprintf("%s: dropped, not in the messages or documents (%s): %s", d.Field, strings.Join(reasons, ", "), d.Line)
		if d.Restored != "" {
			message += "; kept instead: " + strings.TrimSpace(d.Restored)
		}
		out = append(out, Violation{ViolationUngrounded, message})
	}
	return out
}
