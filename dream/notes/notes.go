package notes

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/language/script"
	"reverie/memory"
)

// Note is a daily note of the window.
type Note struct {
	memory.Document
	Day   dream.Day
	Lines []memory.BlameLine // one for each line of Content; may be empty: nothing is known about them
}

// Lengths of a statement, in characters: what is shorter says nothing that is worth keeping, what is longer is not one thing.
const (
	MinStatement = 8
	MaxStatement = 280
)

// tooLong is how many bytes are more than MaxStatement characters.
const tooLong = utf8.UTFMax * MaxStatement

// minIdeographs is the shortest statement in a script without spaces: 不吃香菜.
const minIdeographs = 4

// NoteStatements are the statements of a note, one for each list item, paragraph, row or quotation. Machine text (what a dream
// wrote, its markers, transcripts of it) is none, nor are code, bare addresses, and what is too short or too long. zone is the
// owner's.
//
// A nested item reads "Allergies: peanuts"; what it stands under is no statement when it is only a label. A row reads
// "Anna: Birthday 3 May". What is struck out is left out. The time of a statement is that of the entry ("## 09:41 Moving") it stands in.
func NoteStatements(n Note, zone *time.Location) []dream.Statement {
	entries := memory.EntriesOf(n.Content)
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
	entries  []memory.EntryAt
	texts    []string // of the entries, with what they stand under
	machine  []bool   // entries that a dream wrote, and what stands under them
	children []bool   // whether something stands under an entry
}

// statement is what the i-th entry says; false when it is none.
func (r *noteReader) statement(i int) (dream.Statement, bool) {
	e := r.entries[i]
	said := plain(e.Text)
	r.texts[i] = said
	under := ""
	if e.Parent >= 0 {
		under = r.texts[e.Parent]
		r.texts[i] = r.joined(e, under, said)
	}
	outlined := r.outlineAt(e.FromLine)
	r.machine[i] = outlined.machine || MachineText(e.Text) || e.Parent >= 0 && r.machine[e.Parent]
	if r.machine[i] || r.isCode(e) || r.children[i] && r.isLabel(i) || !saysEnough(said, r.texts[i]) {
		return dream.Statement{}, false
	}
	s := dream.Statement{
		ID: e.ID, Text: r.texts[i], Heading: titleOf(e.Heading), At: outlined.at,
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

// joined is the text of an entry behind what it stands under. Under what is too long for a statement nothing is one; its text is
// not copied for each.
func (r *noteReader) joined(e memory.EntryAt, under, said string) string {
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

// row reads a row of a table: "Anna: Birthday 3 May, City Porto". The first cell is what the row is about; so it reads as one
// statement about it, and not as one about each column.
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

// isTableHead reports whether an entry is the head of a table: a line of hyphens follows it.
func (r *noteReader) isTableHead(e memory.EntryAt) bool {
	if e.ToLine >= len(r.lines) || !strings.Contains(r.lines[e.FromLine-1], "|") {
		return false
	}
	rule := strings.TrimSpace(r.lines[e.ToLine])
	return strings.Contains(rule, "-") && strings.Contains(rule, "|") && strings.Trim(rule, "|:- \t\r>") == ""
}

// isLabel reports whether the i-th entry only says what stands under it: a head of a table, "Allergies:" or "Allergies".
func (r *noteReader) isLabel(i int) bool {
	const fewWords = 3
	said := strings.TrimSpace(r.entries[i].Text)
	return r.isTableHead(r.entries[i]) || strings.HasSuffix(said, ":") || strings.HasSuffix(said, "：") || len(strings.Fields(said)) <= fewWords && !strings.ContainsAny(said, ".!?。！？")
}

// isCode reports whether an entry is a block of code.
func (r *noteReader) isCode(e memory.EntryAt) bool {
	line := strings.TrimLeft(r.lines[e.FromLine-1], " \t>-*+0123456789.)")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// saysEnough reports whether a text is a statement: not too short, not too long and no bare address.
func saysEnough(said, whole string) bool {
	least := MinStatement
	if script.HasHan(whole) {
		least = minIdeographs
	}
	n := utf8.RuneCountInString(strings.Trim(whole, " .,;:!?。，；：！？"))
	return n >= least && utf8.RuneCountInString(whole) <= MaxStatement && !isAddress(said) && len(claim.WordsOf(said).Units) > 0
}

// isAddress reports whether a text is a link and nothing else.
func isAddress(said string) bool {
	said = strings.Trim(said, "<>()[] .")
	return !strings.ContainsAny(said, " \t") && (strings.Contains(said, "://") || strings.HasPrefix(said, "www."))
}

// plain is a text on one line, without comments, what is struck out, and the box of a task; one that is ticked was done.
func plain(text string) string {
	text = claim.Struck.ReplaceAllString(HtmlComment.ReplaceAllString(text, " "), " ")
	text = strings.TrimPrefix(text, "[ ] ")
	for _, ticked := range []string{"[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(text, ticked); ok {
			text = "Done: " + rest
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// maxRange is the widest range of messages that is named one by one when nothing tells which of them a line came from.
const maxRange = 8

// maxAhead is how far the time over a line may lie after the moment at which the line was written. What was said just before
// midnight is noted after it, under the time at which it was said: it was said the day before.
const maxAhead = 12 * time.Hour

// attribute says who wrote a statement and where it comes from. It reports false when a dream wrote it.
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
	}
	slices.Sort(s.Place.Messages)
	s.Place.Messages = slices.Compact(s.Place.Messages)
	return !dreamed || s.Person
}
