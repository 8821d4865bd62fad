package imports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/memory"
)

// notes gathers single statements (memories, facts, summaries) of a source into a note for each person and day, so that
// they keep their dates: they are found by search at once, and a dream promotes what proves useful. Statements without a
// date share one note.
type notes struct {
	zone   *time.Location
	bytes  int
	byNote map[noteOf][]statement
}

// noteOf names one note.
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
	reasonFull          = "there are more than 128 MiB of statements in front of it: split the export"
)

// add takes a statement, or says why not.
func (n *notes) add(owner memory.Owner, scope memory.Scope, s statement) (why string) {
	switch size := len(s.text) + len(s.id); {
	case strings.TrimSpace(s.text) == "":
		return reasonUnheard
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

// emit writes the notes, in order of person and day.
func (n *notes) emit(r *reading, source string) error {
	order := make([]noteOf, 0, len(n.byNote))
	for note := range n.byNote {
		order = append(order, note)
	}
	slices.SortFunc(order, func(a, b noteOf) int {
		return cmp.Or(strings.Compare(string(a.scope), string(b.scope)), strings.Compare(string(a.owner), string(b.owner)), strings.Compare(a.day, b.day))
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

// pagesOf writes statements as a list, oldest first, in as many documents as it takes.
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

// listed is a statement as an item of a list; further lines are indented, so that they stay a part of it.
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
