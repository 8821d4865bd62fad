package imports

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/memory"
)

// talk is a conversation of a source in progress.
type talk struct {
	id     string // in the source
	source string // name in Skipped
	owner  memory.Owner
	title  string
	began  time.Time // for messages without a time
	// messages are in order; one without an id gets one.
	messages []memory.Message
}

// Length limits for stored messages.
const (
	maxNameBytes  = 128
	maxTitleRunes = 200
)

// talk normalises the messages and emits them: every message gets a unique id and a time that is not before the
// previous one's, and none is too long.
func (r *reading) talk(t talk, f file) error {
	t.messages = slices.DeleteFunc(t.messages, func(m memory.Message) bool { return strings.TrimSpace(m.Content) == "" })
	if len(t.messages) == 0 {
		r.skip(t.source, reasonNothing)
		return nil
	}
	if !t.dated(f.at) {
		r.skip(t.source, reasonNoDate)
		return nil
	}
	id := string(r.Format) + ":" + textOf(t.id)
	if t.id == "" || len(id) > memory.MaxConversation || hasControl(id) {
		sum := hash(t.id, t.source)
		id = string(r.Format) + ":" + hex.EncodeToString(sum[:])
	}
	key, first := r.first("talk", id)
	if !first {
		r.skip(t.source, reasonTwice)
		return nil
	}
	owner := cmp.Or(t.owner, r.options.Owners.Default)
	title := cutRunes(strings.Join(strings.Fields(textOf(t.title)), " "), maxTitleRunes)
	for i, part := range partsOf(identified(whole(t.messages))) {
		if i > 0 {
			part.key = "/" + strconv.Itoa(i+1)
		}
		item := Item{Key: key + part.key, Conversation: &Conversation{ID: id, Owner: owner, Title: title, Messages: part.messages}}
		if err := r.emit(item); err != nil {
			return err
		}
	}
	return nil
}

// dated sets the time of each message without one: that of the previous message, or the conversation's beginning, or
// the first message with a time, or otherwise. It reports whether there was any.
func (t *talk) dated(otherwise time.Time) bool {
	at := t.began
	for _, m := range t.messages {
		if m.CreatedAt.IsZero() {
			continue
		}
		if at.IsZero() || at.After(m.CreatedAt) {
			at = m.CreatedAt
		}
		break
	}
	if at.IsZero() {
		at = plausible(otherwise)
	}
	for i := range t.messages {
		m := &t.messages[i]
		if m.CreatedAt.Before(at) {
			m.CreatedAt = at
		}
		at = m.CreatedAt
	}
	return !at.IsZero()
}

// whole splits messages that are too long into several of the same speaker, at line ends where possible. Nothing is
// lost.
func whole(messages []memory.Message) []memory.Message {
	out := make([]memory.Message, 0, len(messages))
	for _, m := range messages {
		m.Content, m.Name = textOf(m.Content), cutTo(strings.Join(strings.Fields(textOf(m.Name)), " "), maxNameBytes)
		for piece := 1; ; piece++ {
			next := m
			next.Content = lineCut(m.Content, memory.MaxMessageBytes)
			if piece > 1 && m.ID != "" {
				next.ID = m.ID + "/" + strconv.Itoa(piece)
			}
			out = append(out, next)
			if m.Content = m.Content[len(next.Content):]; m.Content == "" {
				break
			}
		}
	}
	return out
}

// lineCut returns the beginning of s, of at most limit bytes, up to a line end in its second half, otherwise between
// characters.
func lineCut(s string, limit int) string {
	head := cutTo(s, limit)
	if len(head) == len(s) {
		return s
	}
	if at := strings.LastIndexByte(head, '\n'); at > limit/2 {
		return head[:at+1]
	}
	return head
}

// identified sets an id for each message whose id is missing, too long or not unique.
func identified(messages []memory.Message) []memory.Message {
	seen := make(map[string]int, len(messages))
	out := messages[:0]
	for i, m := range messages {
		if m.ID == "" || len(m.ID) > memory.MaxMessageID || hasControl(m.ID) || !utf8.ValidString(m.ID) {
			sum := hash(m.ID, strconv.Itoa(i), m.Role, m.Name, m.Content)
			m.ID = "auto-" + hex.EncodeToString(sum[:])
		}
		if before, known := seen[m.ID]; known {
			if saysTheSame(messages[before], m) {
				continue // a repeated message counts once
			}
			sum := hash(m.ID, m.Role, m.Name, m.Content)
			m.ID = "again-" + hex.EncodeToString(sum[:])
			if _, known := seen[m.ID]; known {
				continue
			}
		}
		seen[m.ID] = len(out)
		out = append(out, m)
	}
	return out
}

func saysTheSame(a, b memory.Message) bool {
	return a.Role == b.Role && a.Name == b.Name && a.Content == b.Content
}

// part is the portion of a conversation in one item.
type part struct {
	key      string
	messages []memory.Message
}

// partsOf splits a conversation into items. A split depends only on what precedes it, so a growing conversation keeps
// its parts and only the last one grows.
func partsOf(messages []memory.Message) []part {
	var out []part
	start, size := 0, 0
	for i, m := range messages {
		if i > start && (i-start == memory.MaxBatchMessages || size+len(m.Content) > MaxItemBytes) {
			out = append(out, part{messages: messages[start:i]})
			start, size = i, 0
		}
		size += len(m.Content)
	}
	return append(out, part{messages: messages[start:]})
}

func hasControl(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) >= 0
}

// cutRunes cuts s to at most limit characters.
func cutRunes(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}

// notes collects single statements (memories, facts, summaries) of a source into one note per person and day, so that
// they keep their dates. Search finds them at once, and dreams promote useful ones. Statements without a date share
// one note.
type notes struct {
	zone   *time.Location
	bytes  int
	byNote map[noteOf][]statement
}

// noteOf identifies a note.
type noteOf struct {
	owner memory.Owner
	scope memory.Scope
	day   string // YYYY-MM-DD; empty: unknown
}

// statement is one line of a note.
type statement struct {
	id   string
	text string
	at   time.Time
}

func (r *reading) notes() *notes {
	return &notes{zone: r.options.Zone, byNote: map[noteOf][]statement{}}
}

const (
	reasonLongStatement = "a statement larger than 64 KiB"
	reasonFull          = "more than 128 MiB of statements precede it: split the export"
)

// add adds a statement, or returns why not.
func (n *notes) add(owner memory.Owner, scope memory.Scope, s statement) (why string) {
	switch size := len(s.text) + len(s.id); {
	case strings.TrimSpace(s.text) == "":
		return reasonNothing
	case len(s.text) > maxStatementBytes:
		return reasonLongStatement
	case n.bytes+size > MaxNotesBytes:
		return reasonFull
	default:
		n.bytes += size
	}
	note := noteOf{owner: owner, scope: scope}
	if !s.at.IsZero() {
		note.day = s.at.In(n.zone).Format(time.DateOnly)
	}
	n.byNote[note] = append(n.byNote[note], s)
	return ""
}

// emit emits the notes, in order of person and day.
func (n *notes) emit(r *reading, source string) error {
	order := make([]noteOf, 0, len(n.byNote))
	for note := range n.byNote {
		order = append(order, note)
	}
	slices.SortFunc(order, func(a, b noteOf) int {
		return cmp.Or(strings.Compare(string(a.scope), string(b.scope)), strings.Compare(string(a.owner), string(b.owner)),
			strings.Compare(a.day, b.day))
	})
	for _, note := range order {
		path, title := "memory/"+string(r.Format)+".md", "From "+string(r.Format)
		if note.day != "" {
			path, title = "memory/"+note.day+"-"+string(r.Format)+".md", note.day+" · "+title
		}
		for i, content := range pagesOf(title, n.byNote[note]) {
			d := document{Document: Document{Path: path, Source: source, Scope: note.scope, Owner: note.owner, Content: content}}
			d.id = []string{string(note.scope), string(note.owner), note.day}
			if i > 0 {
				d.Path = strings.TrimSuffix(path, ".md") + fmt.Sprintf("-%d.md", i+1)
				d.id = append(d.id, fmt.Sprint(i+1))
			}
			d.At = n.byNote[note][len(n.byNote[note])-1].at
			if err := r.document(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// pagesOf formats statements as a list, oldest first, in as many documents as necessary.
func pagesOf(title string, statements []statement) []string {
	slices.SortStableFunc(statements, func(a, b statement) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) })
	var pages []string
	var page strings.Builder
	seen := map[string]bool{}
	for _, s := range statements {
		line := listed(s.text)
		if line == "" || seen[line] {
			continue
		}
		seen[line] = true
		if page.Len() > 0 && page.Len()+len(line) > memory.MaxDocumentBytes/2 {
			pages = append(pages, page.String())
			page.Reset()
		}
		if page.Len() == 0 {
			page.WriteString("# " + title + "\n\n")
		}
		page.WriteString(line)
	}
	if page.Len() > 0 {
		pages = append(pages, page.String())
	}
	return pages
}

// maxStatementBytes bounds one line of a note; a statement is a sentence, and a summary some paragraphs.
const maxStatementBytes = 64 << 10

// listed formats a statement as a list item; further lines are indented.
func listed(text string) string {
	lines := strings.FieldsFunc(textOf(text), func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' })
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	if len(lines) == 0 {
		return ""
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	lines[0] = strings.TrimLeft(lines[0], " \t-*+")
	if lines[0] == "" {
		return ""
	}
	return "- " + strings.Join(lines, "\n  ") + "\n"
}
