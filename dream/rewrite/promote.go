package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
)

// Promotion is MEMORY.md with what was promoted.
type Promotion struct {
	Memory string               // the full new text; empty: it stays as it is
	Moved  []dream.MovedSection // what moves to an archive: machine-made lines that are corrected, and sections that make room
	// Ranking has the Line of each that was promoted, and those that found no room as kept (ceiling). A contradiction whose
	// older line stays in MEMORY.md beside what corrects it is not settled.
	Ranking dream.Ranking
}

// Promote writes what passed into a section of MEMORY.md, "## Promoted From Short-Term Memory (DATE)", with source and score
// of each line; a second dream of a day adds to the section of the first. A machine-made line of such a section that one of
// them corrects moves to an archive, as far as MaxRetiredShare allows. Sections of this kind that are empty go. The ceiling holds by moving the oldest sections of
// this kind to an archive, unless a line of protected stands in them; if that does not do, candidates wait, those with the
// lowest scores first. What it writes passes Check.
func Promote(current string, r dream.Ranking, asOf time.Time, s setting.DreamSettings, protected ...string) Promotion {
	p := promoting{current: current, day: dream.DayOf(asOf), settings: s, protected: protected}
	p.ranking = dream.Ranking{Candidates: slices.Clone(r.Candidates), Contradictions: r.Contradictions}
	passed := p.passed()
	if len(passed) > 0 && p.write(passed) != nil { // not all of them: who finds room, one after the other?
		var chosen []int
		for _, i := range passed {
			trial := append(slices.Clone(chosen), i)
			if refused := p.write(trial); refused != nil {
				p.ranking.Candidates[i].Judge(refused.verdict, refused.code, refused.reason)
				continue
			}
			chosen = trial
		}
	}
	p.ranking.Contradictions = p.replaced.told(p.ranking.Contradictions)
	return Promotion{Memory: p.written, Moved: p.moved, Ranking: p.ranking}
}

// refusal is why a candidate is not written.
type refusal struct {
	verdict      dream.Verdict
	code, reason string
}

// promoting is a promotion under way.
type promoting struct {
	current   string
	day       dream.Day
	settings  setting.DreamSettings
	protected []string
	ranking   dream.Ranking
	written   string // with what found room so far
	moved     []dream.MovedSection
	replaced  replacement // of what is written
}

// passed are the candidates to write, the highest score first, each with its line. What MEMORY.md says by now, and what must
// not stand in it, is rejected.
func (p *promoting) passed() []int {
	stands := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(p.current) {
		stands[e.ID] = true
	}
	var out []int
	for i := range p.ranking.Candidates {
		c := &p.ranking.Candidates[i]
		if c.Verdict != dream.VerdictPromoted {
			continue
		}
		line := promotedLine(*c)
		id := markdown.EntryIDOf(line)
		switch {
		case line == "" || scan.Scan(line).Verdict != scan.VerdictAllow:
			c.Judge(dream.VerdictRejected, dream.ReasonUnfit, "it cannot be written into a memory")
		case stands[id] || stands[c.ID]:
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "MEMORY.md says it already")
		default:
			stands[id] = true
			c.Line = line
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch x, y := p.ranking.Candidates[a].Score, p.ranking.Candidates[b].Score; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// write writes the chosen candidates; nil: they may stand there. Else it is the last one that may not, when the others may.
func (p *promoting) write(chosen []int) *refusal {
	lines := make([]string, len(chosen))
	for i, at := range slices.Sorted(slices.Values(chosen)) {
		lines[i] = p.ranking.Candidates[at].Line
	}
	text, ok := withPromoted(p.current, lines, p.day)
	if !ok {
		return &refusal{dream.VerdictKept, dream.ReasonCeiling, "MEMORY.md ends in code or a comment that is not closed, in which nothing can be written"}
	}
	refused := p.settle(p.replace(text, chosen), chosen)
	if refused != nil && refused.code == dream.ReasonUnfit { // whatever is wrong, it is no reason to leave a candidate out
		refused = p.settle(replacement{text: text}, chosen)
	}
	return refused
}

// settle makes room for a text and keeps it, unless it may not be written.
func (p *promoting) settle(r replacement, chosen []int) *refusal {
	fitted, moved := makeRoom(WithoutEmptySections(r.text, p.protected...), p.settings.MemoryMaxChars, p.day, p.protected)
	moved = append(r.moved, moved...)
	if utf8.RuneCountInString(fitted) > p.settings.MemoryMaxChars {
		return &refusal{dream.VerdictKept, dream.ReasonCeiling, fmt.Sprintf("MEMORY.md may have %d characters and has no room for it", p.settings.MemoryMaxChars)}
	}
	if !p.sound(fitted, moved, chosen) {
		return &refusal{dream.VerdictRejected, dream.ReasonUnfit, "it cannot be written into this MEMORY.md"}
	}
	p.written, p.moved, p.replaced = fitted, moved, r
	return nil
}

// sound reports whether a text passes Check. A candidate that stands in the way of it is not written; what is wrong with
// MEMORY.md as it is stands in the way of none.
func (p *promoting) sound(text string, moved []dream.MovedSection, chosen []int) bool {
	in := CheckInput{Before: p.current, After: text, Moved: moved, Protected: p.protected}
	for _, i := range chosen {
		in.Ranking.Candidates = append(in.Ranking.Candidates, p.ranking.Candidates[i])
	}
	return len(Check(in, p.settings)) == 0 || scan.Scan(p.current).Verdict == scan.VerdictQuarantine
}

// promotedLine is the line of MEMORY.md for a candidate, "- Text. <!-- memory/2026-01-28.md:4 score 0.81 -->"; empty when it
// says nothing. The comment is no part of what the line says: it keeps the identity of the statement.
func promotedLine(c dream.Candidate) string {
	said := ListItem(c.Text)
	if !markdown.HasText(said) {
		return ""
	}
	return fmt.Sprintf("- %s <!-- %sscore %.2f -->", said, sourceOf(c.Places), c.Score)
}

// sourceOf names the newest note that says it, with its line, or else the newest message; it ends with a space. Empty when no
// place is known.
func sourceOf(places []dream.Place) string {
	said := ""
	for _, p := range places {
		switch {
		case p.Path != "" && p.FromLine > 0:
			return fmt.Sprintf("%s:%d ", commented(p.Path), p.FromLine)
		case p.Path != "":
			return commented(p.Path) + " "
		case said == "" && p.Conversation != "" && len(p.Messages) > 0:
			said = fmt.Sprintf("sessions/%s:%d ", commented(p.Conversation), p.Messages[0])
		}
	}
	return said
}

// commented writes a name so that it can stand in a comment of HTML, which two dashes may end.
func commented(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, name)
	return commentMarks.Replace(name)
}

var commentMarks = strings.NewReplacer("--", "-%2D", "<", "%3C", ">", "%3E")

// ListItem writes a text so that it is one list item of Markdown and nothing else: on one line, without comments, and with a
// backslash in front of what would begin a heading, a list, a quotation, code, a rule or HTML. Backslashes change no identity.
func ListItem(text string) string {
	text = notes.HTMLComment.ReplaceAllString(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.In(r, unicode.Cf) && r != '\u200c' && r != '\u200d': // joiners make other letters and emoji
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.NewReplacer("<!--", `\<!--`, "-->", `--\>`).Replace(text)
	text = openTag.ReplaceAllString(text, `$1\$2`)
	switch at := blockStart.FindStringSubmatchIndex(text); {
	case at == nil:
	case at[2] >= 0: // a numbered item
		text = text[:at[2]] + `\` + text[at[2]:]
	default:
		text = `\` + text
	}
	if at := speakerLabel.FindStringSubmatchIndex(text); at != nil {
		text = text[:at[2]] + `\:` + text[at[3]:]
	}
	return strings.TrimRight(text, `\ `)
}

var (
	// openTag finds what begins HTML.
	openTag = regexp.MustCompile(`(^|[^\\])(<[a-zA-Z/!?])`)
	// blockStart finds that a line begins another block than a paragraph. Its group is the mark behind a number.
	blockStart = regexp.MustCompile("^(?:#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|```|~~~|(?:[-_*][ \t]*){3,}$|\\d{1,9}([.)])(?:[ \t]|$))")
	// speakerLabel finds a line that looks like a transcript.
	speakerLabel = regexp.MustCompile(`(?i)^[*_ ]*(?:user|human|assistant|ai|用户|助手)[*_ ]*([:：])`)
)

// memoryTitle is what a MEMORY.md without text begins with.
const memoryTitle = "# Memory"

// withPromoted adds lines to the section of a day, which is made at the end when there is none. It reports false when there is
// no place for them, since the text ends in code or a comment that is not closed.
func withPromoted(text string, lines []string, day dream.Day) (string, bool) {
	if strings.TrimSpace(text) == "" {
		text = memoryTitle + "\n"
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	heading := promotedOn(day)
	block := strings.Join(lines, end) + end
	all := LinesOf(text)
	var places []insertion
	for _, s := range slices.Backward(promotedSections(text)) {
		if s.day == day {
			places = append(places, insertion{at: lastSaid(all, s.from, s.body), text: block, tight: lastSaid(all, s.from, s.body) > s.from+1})
			break
		}
	}
	section := strings.Repeat("#", promotedLevel) + " " + heading + end + end + block
	places = append(places, insertion{at: len(all), text: section})
	at := 0
	var before []insertion // other sections, for a text whose end is no place
	for _, s := range markdown.Sections(text) {
		if s.Level > 0 && s.Level <= promotedLevel && at > 0 {
			before = append(before, insertion{at: at, text: section})
		}
		if at += len(s.Lines); s.Level > 0 {
			at++
		}
	}
	slices.Reverse(before)
	for _, place := range append(places, before...) {
		if out := place.into(all, end); allStand(out, lines, heading) {
			return out, true
		}
	}
	return "", false
}

// insertion is text that is to stand in front of line at.
type insertion struct {
	at    int
	text  string
	tight bool // it goes on with a list: no blank line in front
}

// into inserts it, with blank lines around.
func (n insertion) into(lines []string, end string) string {
	before, after := strings.Join(lines[:n.at], ""), strings.Join(lines[n.at:], "")
	switch {
	case n.tight && !strings.HasSuffix(before, "\n"):
		before += end
	case !n.tight && before != "":
		before = strings.TrimRight(before, "\r\n") + end + end
	}
	if strings.TrimSpace(after) != "" {
		after = end + strings.TrimLeft(after, "\r\n")
	} else {
		after = ""
	}
	return before + n.text + after
}

// lastSaid is the line behind the last one of lines[from:to] that is not blank.
func lastSaid(lines []string, from, to int) int {
	for to > from+1 && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}

// allStand reports whether all lines are statements of text under a heading.
func allStand(text string, lines []string, heading string) bool {
	stands := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(text) {
		if e.Heading == heading && e.Parent < 0 {
			stands[e.ID] = true
		}
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return !stands[markdown.EntryIDOf(line)] })
}
