// Package notes reads the statements of daily notes.
package notes

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
)

// Note is a daily note of the window.
type Note struct {
	memory.Document
	Day   dream.Day
	Lines []memory.BlameLine // one for each line of Content; may be empty when unknown
}

// Lengths of a statement, in characters. Shorter text is not worth keeping; longer text is not a single statement.
const (
	MinStatement = 8
	MaxStatement = 280
)

// tooLong is a number of bytes that always exceeds MaxStatement characters.
const tooLong = utf8.UTFMax * MaxStatement

// minIdeographs is the minimum length of a statement in a script without spaces, such as 不吃香菜.
const minIdeographs = 4

// NoteStatements returns the statements of a note, one for each list item, paragraph, row or quotation. It skips machine text
// (written by a dream, its markers, transcripts of it), code, bare addresses, questions, and text that is too short or too long.
// zone is the owner's.
//
// A line that quotes somebody (see claim.Quote) keeps its form; its length, and what it asks for, ends or corrects, are those of
// the quoted words. It has no heading, because the title of its entry quotes another line.
//
// A nested item reads "Allergies: peanuts"; its parent is not a statement when it is only a label. A row reads "Anna:
// Birthday 3 May". Text that is struck out is left out. The time of a statement is that of the entry that contains it ("##
// 09:41 Moving").
func NoteStatements(n Note, zone *time.Location) []dream.Statement {
	entries := markdown.EntriesOf(n.Content)
	r := noteReader{
		note: n, lines: strings.Split(n.Content, "\n"), outline: outlineOf(n, zone), entries: entries, texts: make([]string, len(entries)),
		machine: make([]bool, len(entries)), children: make([]bool, len(entries)),
	}
	for _, e := range entries {
		if e.Parent >= 0 {
			r.children[e.Parent] = true
		}
	}
	var out []dream.Statement
	for i := range entries {
		if s, ok := r.statement(i); ok {
			out = append(out, s)
		}
	}
	return out
}

// noteReader reads the entries of a note in order.
type noteReader struct {
	note     Note
	lines    []string
	outline  []outlined // of each line
	entries  []markdown.Entry
	texts    []string // of the entries, with the text of their parents
	machine  []bool   // whether an entry or a parent of it was written by a dream
	children []bool   // whether an entry has children
}

// statement reads the i-th entry; false when it is not a statement.
func (r *noteReader) statement(i int) (dream.Statement, bool) {
	e := r.entries[i]
	said := plain(e.Text)
	r.texts[i] = said
	quote, quoted := claim.QuoteOf(said)
	under := ""
	if e.Parent >= 0 {
		under = r.texts[e.Parent]
		r.texts[i] = r.joined(e, under, said)
	}
	outlined := r.outlineAt(e.FromLine)
	r.machine[i] = outlined.machine || MachineText(e.Text) || e.Parent >= 0 && r.machine[e.Parent]
	whole, heading := r.texts[i], titleOf(e.Heading)
	if quoted { // the topic of its entry quotes another line
		said, heading = quote.Plain(), ""
		whole = said
	}
	if r.machine[i] || r.isCode(e) || r.children[i] && r.isLabel(i) || !SaysEnough(said, whole) || claim.IsQuestion(r.texts[i]) {
		return dream.Statement{}, false
	}
	s := dream.Statement{
		ID: e.ID, Text: r.texts[i], Heading: heading, At: outlined.at,
		Asked: asksToRemember(e.Heading, under, said), Ends: saysItEnds(said), Corrects: wrongValue(said),
		Place: dream.Place{
			Origin: dream.FromNote, Day: r.note.Day, Path: r.note.Path, Document: r.note.ID, Version: r.note.Version,
			FromLine: e.FromLine, ToLine: e.ToLine,
		},
	}
	if !r.attribute(&s) {
		return dream.Statement{}, false
	}
	return s, true
}

// joined prefixes the text of an entry with that of its parent. The children of a parent that is too long for a statement are
// too long as well, so its text is not copied for each of them.
func (r *noteReader) joined(e markdown.Entry, under, said string) string {
	if len(under) > tooLong {
		return under[:tooLong+1]
	}
	if head := r.entries[e.Parent]; r.isTableHead(head) {
		return row(plain(head.Text), said)
	}
	lead := strings.TrimRight(under, " .,;:!?。，；：！？")
	if lead == "" {
		return said
	}
	if strings.HasSuffix(under, "：") || strings.HasSuffix(under, "。") {
		return lead + "：" + said
	}
	return lead + ": " + said
}

// row reads a row of a table: "Anna: Birthday 3 May, City Porto". The first cell is the subject, so that the row reads as one
// statement and not as one for each column.
func row(head, cells string) string {
	names, values := strings.Split(head, "|"), strings.Split(cells, "|")
	var said []string
	for i, value := range values[1:] {
		value = strings.TrimSpace(value)
		if i+1 < len(names) && value != "" {
			value = strings.TrimSpace(strings.TrimSpace(names[i+1]) + " " + value)
		}
		if value != "" {
			said = append(said, value)
		}
	}
	about := strings.TrimSpace(values[0])
	if about == "" || len(said) == 0 {
		return about + strings.Join(said, ", ")
	}
	return about + ": " + strings.Join(said, ", ")
}

// isTableHead reports whether an entry is the head of a table, which a line of hyphens follows.
func (r *noteReader) isTableHead(e markdown.Entry) bool {
	if e.ToLine >= len(r.lines) || !strings.Contains(r.lines[e.FromLine-1], "|") {
		return false
	}
	rule := strings.TrimSpace(r.lines[e.ToLine])
	return strings.Contains(rule, "-") && strings.Contains(rule, "|") && strings.Trim(rule, "|:- \t\r>") == ""
}

// isLabel reports whether the i-th entry only introduces its children: a head of a table, "Allergies:" or "Allergies".
func (r *noteReader) isLabel(i int) bool {
	const fewWords = 3
	said := strings.TrimSpace(r.entries[i].Text)
	return r.isTableHead(r.entries[i]) || strings.HasSuffix(said, ":") || strings.HasSuffix(said, "：") ||
		len(strings.Fields(said)) <= fewWords && !strings.ContainsAny(said, ".!?。！？")
}

// isCode reports whether an entry is a block of code.
func (r *noteReader) isCode(e markdown.Entry) bool {
	line := strings.TrimLeft(r.lines[e.FromLine-1], " \t>-*+0123456789.)")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// SaysEnough reports whether a text can be a statement: not too long, not a bare address, and with its context not too short.
func SaysEnough(said, whole string) bool {
	least := MinStatement
	if script.HasHan(whole) {
		least = minIdeographs
	}
	n := utf8.RuneCountInString(strings.Trim(whole, " .,;:!?。，；：！？"))
	return n >= least && utf8.RuneCountInString(whole) <= MaxStatement && !isAddress(said) && len(claim.WordsOf(said).Units) > 0
}

// isAddress reports whether a text is only a link.
func isAddress(said string) bool {
	said = strings.Trim(said, "<>()[] .")
	return !strings.ContainsAny(said, " \t") && (strings.Contains(said, "://") || strings.HasPrefix(said, "www."))
}

// plain returns a text on one line, without comments, struck out text and the box of a task. A ticked task gets "Done: ".
func plain(text string) string {
	text = claim.Struck.ReplaceAllString(HTMLComment.ReplaceAllString(text, " "), " ")
	text = strings.TrimPrefix(text, "[ ] ")
	for _, ticked := range []string{"[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(text, ticked); ok {
			text = "Done: " + rest
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// maxRange bounds a range of messages that is expanded one by one when the message of a line is not known.
const maxRange = 8

// maxAhead bounds how far the time in a heading may lie after the time at which a line below it was written. Something said
// just before midnight may be noted after it, under the time of the conversation; it then belongs to the day before.
const maxAhead = 12 * time.Hour

// attribute sets the author and the source of a statement. It reports false when a dream wrote it.
func (r *noteReader) attribute(s *dream.Statement) bool {
	dreamed := false
	for line := s.Place.FromLine; line <= s.Place.ToLine && line <= len(r.note.Lines); line++ {
		b := r.note.Lines[line-1]
		if strings.TrimSpace(b.Line) == "" {
			continue
		}
		dreamed = dreamed || b.Author.Kind == memory.AuthorDream
		if !b.At.IsZero() && s.At.Sub(b.At) > maxAhead {
			s.At = s.At.AddDate(0, 0, -1)
			s.Place.Day = dream.DayOf(s.At)
		}
		s.Person = s.Person || b.Author.Kind == memory.AuthorUser
		if b.Conversation == "" || s.Place.Conversation != "" && s.Place.Conversation != b.Conversation {
			continue
		}
		s.Place.Conversation = b.Conversation
		messages := b.Messages
		if len(messages) == 0 && b.From > 0 && b.To-b.From < maxRange {
			for seq := b.From; seq <= b.To; seq++ {
				messages = append(messages, seq)
			}
		}
		s.Place.Messages = append(s.Place.Messages, messages...)
		s.Place.Asked = s.Place.Asked || b.Asked
	}
	slices.Sort(s.Place.Messages)
	s.Place.Messages = slices.Compact(s.Place.Messages)
	return !dreamed || s.Person
}

var (
	rememberLead = lazyregexp.New(`(?i)^(?:please |always )?(?:remember|do not forget|don't forget)\b[:,]?\s*(\w+)?|` +
		`^(?:(?:the )?user )?(?:has )?asked (?:me )?(?:to (?:remember|note|keep in mind)|for .{1,60} to be remembered)\b|` +
		`^(?:请|要求|让我|用户要求)?(?:记住|牢记|别忘了)`)
	rememberHeading = lazyregexp.New(`(?i)^(?:(?:things )?(?:to )?remember(?:ed)?|asked to remember|remember this)$|^(?:记住|牢记|备忘|备忘录)$`)
	// reminiscing matches the word after "remember" when nothing is to be stored: "Remember when we met?", and tasks, which
	// end when they are done: "Remember to buy milk."
	reminiscing = lazyregexp.New(`(?i)^(?:when|how|to|why|who|where|last|us|me)$`)
)

// asksToRemember reports whether an entry, its parent or its heading states that a person asked for it to be remembered.
func asksToRemember(heading, under, said string) bool {
	if rememberHeading.MatchString(strings.Trim(titleOf(heading), " :：")) || rememberHeading.MatchString(strings.Trim(under, " :：")) {
		return true
	}
	m := rememberLead.FindStringSubmatch(said)
	return m != nil && !reminiscing.MatchString(m[1]) && !strings.HasSuffix(said, "?") && !strings.HasSuffix(said, "？")
}

var ending = lazyregexp.New(`(?i)\bno longer\b|\bnot\b.{0,40}\bany ?more\b|\bn't\b.{0,40}\bany ?more\b|` +
	`\b(?:stopped|quit|gave up|given up|cancelled|canceled)\b|^formerly\b|\bused to\b|\bis over\b|不再|戒了|取消了|已经不|以前是|曾经是|停止了`)

// saysItEnds reports whether a statement ends an earlier one: something no longer holds.
func saysItEnds(said string) bool { return ending.MatchString(said) }

// corrections match statements that declare a value wrong. Their group is the wrong value.
var corrections = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:corrected|correction|fixed)\b[^,;]{0,120}[,;] (?:and )?not ([^,;.]{1,60}?)[.!]?$`),
	lazyregexp.New(`(?i),? \(?not ([\w@:./-]*\d[\w@:./-]*?)\)?[.!]?$`),
	lazyregexp.New(`(?i)\binstead of ([^,;.]{1,60}?)(?: (?:since|from|as|for|in|on|at|because|when)\b.*)?[.!]?$`),
	lazyregexp.New(`(?i)\b(?:switched|moved|migrated|changed|renamed)\b.{0,40}\bfrom ([^,;.]{1,60}?) to\b`),
	lazyregexp.New(`(?:更正|纠正)?[：:，,]?[^，,]{1,60}[，,]\s*(?:而)?不是([^，,。]{1,30})[。！]?$`),
	lazyregexp.New(`从([^，,。]{1,20})(?:换成|改成|改为|迁移到|迁到|切换到)`),
}

// wrongValue returns the value that a statement declares wrong; empty when it names none.
func wrongValue(said string) string {
	for _, c := range corrections {
		if m := c.FindStringSubmatch(said); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return ""
}

// HTMLComment matches a comment, which Markdown does not show.
var HTMLComment = lazyregexp.New(`(?s)<!--.*?(?:-->|$)`)

// PromotedHeading begins the headings under which dreams without a model write promoted statements; the date follows.
const PromotedHeading = "Promoted From Short-Term Memory"

var (
	// machineMarks matches markers that dreams put into their text.
	machineMarks = lazyregexp.New(`(?i)<!--\s*(?:reverie\b|[^>]*\bscore [01]?\.\d+|openclaw-memory-promotion)`)
	// machineHeading matches headings that dreams write: promotions, entries of the diary, reports of the phases. It does not
	// match "Dreams", which a person may use.
	machineHeading = lazyregexp.New(`(?i)^(?:` + PromotedHeading +
		`|dreams of \d{4}-\d{2}$|(?:light|rem|deep) sleep\b|\d{4}-\d{2}-\d{2} \d{2}:\d{2} dream(?:$| \[))`)
	// machineLines matches lines of the diary and the reports.
	machineLines = lazyregexp.New(`^(?:One entry for each dream, the newest last|Entries of DREAMS\.md, shortened|` +
		`Looked at \d+ notes?, \d+ conversations?\b|(?:Came into|Went out of) MEMORY\.md\b|MEMORY\.md stays as it was|` +
		`Report [0-9a-f]{8}-[0-9a-f-]{27}\.)|` +
		`\((?:score [01]\.\d\d, (?:promoted|kept|rejected)|confidence [01]\.\d\d\)$)|: strength [01]\.\d\d, \d+ days?$`)
	// machineWords holds one substring for every alternative of machineLines. It is a quick check that rules out most texts.
	machineWords = []string{
		"MEMORY.md", "DREAMS.md", "Looked at", "Report ", "One entry", "promoted", "kept", "rejected", "confidence",
		"strength",
	}
	// machineReports match parts of a line of a report. No person writes a line with three of them.
	machineReports = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)\b(?:candidate|reflection|theme|likely truth|promoted|kept|rejected)s?\b\s*[:(]`),
		lazyregexp.New(`(?i)\b(?:confidence|score|strength)\b\W{0,3}[01]\.\d+`),
		lazyregexp.New(`(?i)\bmemory/\d{4}-\d{2}-\d{2}[\w-]*\.md\b`),
		lazyregexp.New(`(?i)\b(?:recalls|signals|status|evidence)\b\W{0,3}\w`),
	}
)

// reportParts is the number of machineReports that must match a line of a report.
const reportParts = 3

// MachineText reports whether a text was written by a dream or is a transcript of such a text. It is never a statement, so
// that a dream does not read its own output.
func MachineText(text string) bool {
	if strings.Contains(text, PromotedHeading) || strings.Contains(text, "<!--") && machineMarks.MatchString(text) {
		return true
	}
	if slices.ContainsFunc(machineWords, func(word string) bool { return strings.Contains(text, word) }) && machineLines.MatchString(text) {
		return true
	}
	if !strings.Contains(text, "memory/") && !strings.Contains(text, "0.") && !strings.Contains(text, "1.") {
		return false // the other two parts do not suffice
	}
	parts := 0
	for _, p := range machineReports {
		if p.MatchString(text) {
			parts++
		}
	}
	return parts >= reportParts
}

// outlined holds what the headings over a line imply.
type outlined struct {
	at      time.Time
	machine bool // the line is in a pasted section of a dream
}

var (
	clockTitle = lazyregexp.New(`^([01]?\d|2[0-3])[:：]([0-5]\d)(?::[0-5]\d)?(?:\s*[-–—:：·|]\s+|\s+|$)`)
	dateTitle  = lazyregexp.New(`(?i)^(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|` +
		`noon|afternoon|evening|night|today|notes?|daily notes?|log|journal|misc|` +
		`上午|中午|下午|晚上|早上|今天|今日|笔记|日记|日志|(?:星期|周)[一二三四五六日天])[\s,，.:：]*(?:\d{4}-\d{2}-\d{2})?$`)
)

// titleOf returns a heading without its time or date; empty when nothing else is left.
func titleOf(heading string) string {
	if m := clockTitle.FindString(heading); m != "" {
		heading = heading[len(m):]
	}
	if heading = strings.TrimSpace(heading); dateTitle.MatchString(heading) {
		return ""
	}
	return heading
}

// outlineOf evaluates the headings over each line of a note.
func outlineOf(n Note, zone *time.Location) []outlined {
	if zone == nil {
		zone = time.UTC
	}
	day, err := time.ParseInLocation(time.DateOnly, string(n.Day), zone)
	if err != nil {
		day = time.Time{}.In(zone)
	}
	var (
		out            []outlined
		current        = outlined{at: clock(day, middayHour, 0)}
		timed, machine int // levels of the headings that set them; 0 for none
	)
	for _, s := range markdown.Sections(n.Content) {
		if s.Level > 0 {
			if m := clockTitle.FindStringSubmatch(s.Heading); m != nil {
				current.at, timed = clock(day, digits(m[1]), digits(m[2])), s.Level
			} else if timed > 0 && s.Level <= timed {
				current.at, timed = clock(day, middayHour, 0), 0
			}
			if machine > 0 && s.Level <= machine {
				current.machine, machine = false, 0
			}
			if machine == 0 && machineHeading.MatchString(titleOf(s.Heading)) {
				current.machine, machine = true, s.Level
			}
			out = append(out, current)
		}
		for range s.Lines {
			out = append(out, current)
		}
	}
	return out
}

// outlineAt returns the outline of a line, counted from 1.
func (r *noteReader) outlineAt(line int) outlined { return r.outline[min(line, len(r.outline))-1] }

// clock returns a time on a day.
func clock(day time.Time, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// digits parses digits matched by a pattern.
func digits(text string) int {
	n := 0
	for _, d := range text {
		n = 10*n + int(d-'0')
	}
	return n
}

// middayHour is the hour of statements without a time.
const middayHour = 12

// ShownNotes returns notes for a prompt, newest first, with at most maxChars characters in total. When they are longer, each
// note gets an equal share, and what short notes leave over is given to the longer ones. Of a note that is cut, the end is shown,
// which is the latest part.
func ShownNotes(notes []Note, maxChars int) []proposals.ConsolidationNote {
	notes = slices.Clone(notes)
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Path, b.Path)) })
	shares := shareOut(notes, maxChars)
	out := make([]proposals.ConsolidationNote, 0, len(notes))
	for i, n := range notes {
		text := markdown.Tail(n.Content, shares[i])
		if text != "" {
			out = append(out, proposals.ConsolidationNote{Path: n.Path, Text: text, Cut: len(text) < len(n.Content)})
		}
	}
	return out
}

// shareOut returns the number of characters for each note: short notes get all they need, the others equal shares. The
// remainder of the division is given to the newest.
func shareOut(notes []Note, maxChars int) []int {
	order := make([]int, len(notes))
	sizes := make([]int, len(notes))
	for i, n := range notes {
		order[i], sizes[i] = i, utf8.RuneCountInString(n.Content)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(b, a)) })
	out, left := make([]int, len(notes)), max(maxChars, 0)
	for done, i := range order {
		waiting := len(order) - done
		out[i] = min(sizes[i], left/waiting)
		left -= out[i]
	}
	for i := range notes {
		more := min(left, sizes[i]-out[i])
		out[i] += more
		left -= more
	}
	return out
}
