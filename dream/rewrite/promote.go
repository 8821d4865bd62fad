package rewrite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
)

// Promotion is the result of Promote.
type Promotion struct {
	Memory string               // the full new text; empty when unchanged
	Moved  []dream.MovedSection // text for the archive: corrected machine-made lines, and sections moved to make room
	// Ranking has the Line of each promoted candidate; those without room are kept (ceiling). A contradiction is not settled
	// when its older line stays in MEMORY.md.
	Ranking dream.Ranking
	Full    string // when nothing is written because MEMORY.md is full: why, in words
}

// Promote writes candidates that passed into a section of MEMORY.md, "## Promoted From Short-Term Memory (DATE)", with the
// source and score of each line; a second dream of a day adds to the section of the first. A machine-made line of such a
// section that one of them corrects moves to an archive, up to MaxRetiredShare. Empty sections of this kind are removed. To
// stay within the limit, the oldest sections of this kind move to an archive, then other lines that no person wrote. Protected
// lines stay. If that is not enough, the candidates with the lowest scores wait. The result passes Check.
func Promote(current string, r dream.Ranking, asOf time.Time, s setting.DreamSettings, protected ...string) Promotion {
	p := promoting{current: current, day: dream.DayOf(asOf), settings: s, protected: protected}
	p.ranking = dream.Ranking{Candidates: slices.Clone(r.Candidates), Contradictions: r.Contradictions}
	passed := p.passed()
	if len(passed) > 0 && p.write(passed) != nil { // not all of them fit: add them one by one
		var chosen []int
		for _, i := range passed {
			trial := append(slices.Clone(chosen), i)
			if refused := p.write(trial); refused != nil {
				p.ranking.Candidates[i].Judge(refused.verdict, refused.code, refused.reason)
				if refused.code == dream.ReasonCeiling {
					p.full = cmp.Or(p.full, refused.reason)
				}
				continue
			}
			chosen = trial
		}
	}
	if p.written != "" {
		p.full = ""
	}
	p.ranking.Contradictions = p.replaced.withOutcomes(p.ranking.Contradictions)
	return Promotion{Memory: p.written, Moved: p.moved, Ranking: p.ranking, Full: p.full}
}

// refusal is the reason why a candidate is not written.
type refusal struct {
	verdict      dream.Verdict
	code, reason string
}

// promoting is the state of one Promote call.
type promoting struct {
	current   string
	day       dream.Day
	settings  setting.DreamSettings
	protected []string
	ranking   dream.Ranking
	written   string // with the candidates written so far
	moved     []dream.MovedSection
	replaced  replacement // of written
	full      string      // why the first candidate without room is not written
}

// passed returns the indexes of the candidates to write, highest score first, and sets their lines. It rejects candidates
// that are already in MEMORY.md or must not be written.
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
		case scan.Instruction(c.Text) != "":
			c.Judge(dream.VerdictRejected, dream.ReasonHeld, "it may instruct the assistant: confirm it if that is wanted")
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

// write writes the chosen candidates and returns nil on success. On failure the reason applies to the last one, given that
// the others can be written.
func (p *promoting) write(chosen []int) *refusal {
	lines := make([]string, len(chosen))
	for i, at := range slices.Sorted(slices.Values(chosen)) {
		lines[i] = p.ranking.Candidates[at].Line
	}
	text, ok := withPromoted(p.current, lines, p.day)
	if !ok {
		return &refusal{
			dream.VerdictKept, dream.ReasonCeiling,
			"MEMORY.md ends in code or a comment that is not closed, in which nothing can be written",
		}
	}
	refused := p.settle(p.replace(text, chosen), chosen)
	if refused != nil && refused.code == dream.ReasonUnfit { // a failed replacement must not exclude a candidate
		refused = p.settle(replacement{text: text}, chosen)
	}
	return refused
}

// settle makes room for a text and stores it, unless it must not be written.
func (p *promoting) settle(r replacement, chosen []int) *refusal {
	fit := room{
		text: WithoutEmptySections(r.text, p.protected...), limit: p.settings.MemoryMaxChars, today: p.day, keeps: saidSet(p.protected),
	}
	for _, at := range chosen {
		fit.keeps[markdown.LineKey(p.ranking.Candidates[at].Line)] = true
	}
	fit.moveSections()
	fit.moveOthers()
	fitted, moved := fit.text, append(r.moved, fit.moved...)
	if !fit.fits() {
		return &refusal{dream.VerdictKept, dream.ReasonCeiling, p.noRoom(chosen, fit.keeps)}
	}
	if !p.sound(fitted, moved, chosen) {
		return &refusal{dream.VerdictRejected, dream.ReasonUnfit, "it cannot be written into this MEMORY.md"}
	}
	p.written, p.moved, p.replaced = fitted, moved, r
	return nil
}

// noRoom explains why the last of the chosen candidates does not fit.
func (p *promoting) noRoom(chosen []int, keeps map[string]bool) string {
	written := 0 // by people
	for _, line := range LinesOf(p.current) {
		if key := markdown.LineKey(line); keeps[key] || !markdown.HasText(key) {
			written += utf8.RuneCountInString(line)
		}
	}
	limit, line := p.settings.MemoryMaxChars, p.ranking.Candidates[chosen[len(chosen)-1]].Line
	if written+utf8.RuneCountInString(promotedOn(p.day)+line) <= limit {
		return fmt.Sprintf("MEMORY.md may have %d characters and has no room for it", limit)
	}
	return fmt.Sprintf("MEMORY.md may have %d characters, and what people wrote has %d of them: there is no room for it, and no line of "+
		"a person is moved", limit, written)
}

// sound reports whether a text passes Check. Candidates that fail it are not written; faults that MEMORY.md already has do
// not count against them.
func (p *promoting) sound(text string, moved []dream.MovedSection, chosen []int) bool {
	in := CheckInput{Before: p.current, After: text, Moved: moved, Protected: p.protected}
	for _, i := range chosen {
		in.Ranking.Candidates = append(in.Ranking.Candidates, p.ranking.Candidates[i])
	}
	return len(Check(in, p.settings)) == 0 || scan.Scan(p.current).Verdict == scan.VerdictQuarantine
}

// promotedLine returns the line of MEMORY.md for a candidate, "- Text. <!-- memory/2026-01-28.md:4 score 0.81 -->"; empty
// when it has no text. The comment does not change the identity of the statement.
func promotedLine(c dream.Candidate) string {
	said := ListItem(c.Text)
	if !markdown.HasText(said) {
		return ""
	}
	return fmt.Sprintf("- %s <!-- %sscore %.2f -->", said, sourceOf(c.Places), c.Score)
}

// sourceOf names the newest note with the statement and its line, or else the newest message, followed by a space. It is
// empty when no place is known.
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

// commented escapes a name for an HTML comment, which two dashes could end.
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

// ListItem formats a text as exactly one Markdown list item: on one line, without comments, and with a backslash in front of
// anything that would begin a heading, a list, a quotation, code, a rule or HTML. Backslashes do not change the identity.
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
	// openTag matches the beginning of HTML.
	openTag = lazyregexp.New(`(^|[^\\])(<[a-zA-Z/!?])`)
	// blockStart matches the beginning of a block other than a paragraph. Its group is the mark after a number.
	blockStart = lazyregexp.New("^(?:#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|```|~~~|(?:[-_*][ \t]*){3,}$|\\d{1,9}([.)])(?:[ \t]|$))")
	// speakerLabel matches a line that looks like a transcript.
	speakerLabel = lazyregexp.New(`(?i)^[*_ ]*(?:user|human|assistant|ai|用户|助手)[*_ ]*([:：])`)
)

// memoryTitle is the first line of a new MEMORY.md.
const memoryTitle = "# Memory"

// withPromoted adds lines to the section of a day and creates it at the end when it is missing. It reports false when the
// text has no place for them because it ends in code or an unclosed comment.
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
			places = append(places,
				insertion{at: lastSaid(all, s.from, s.body), text: block, tight: lastSaid(all, s.from, s.body) > s.from+1})
			break
		}
	}
	section := strings.Repeat("#", promotedLevel) + " " + heading + end + end + block
	places = append(places, insertion{at: len(all), text: section})
	at := 0
	var before []insertion // in front of other sections, for a text that ends in code or a comment
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

// insertion is text to insert in front of line at.
type insertion struct {
	at    int
	text  string
	tight bool // continues a list: no blank line in front
}

// into inserts the text, with blank lines around it.
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

// lastSaid returns the index after the last line of lines[from:to] that is not blank.
func lastSaid(lines []string, from, to int) int {
	for to > from+1 && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return to
}

// allStand reports whether all lines are top-level statements of text under a heading.
func allStand(text string, lines []string, heading string) bool {
	stands := map[markdown.EntryID]bool{}
	for _, e := range markdown.EntriesOf(text) {
		if e.Heading == heading && e.Parent < 0 {
			stands[e.ID] = true
		}
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return !stands[markdown.EntryIDOf(line)] })
}
