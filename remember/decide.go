package remember

import (
	"slices"
	"strings"

	"reverie/memory/markdown"
)

// Section is the heading of MEMORY.md under which new statements stand, as the built-in engine has it.
const Section = "Remembered"

// newDocument is what a MEMORY.md begins with.
const newDocument = "# Memory\n"

// Decide works a request into MEMORY.md: an exact repeat changes nothing, a correction takes the place of the one line that it
// corrects, all else becomes a line under "## Remembered". Every other line stays byte for byte as it is. Decided again on
// what came of it, everything is known.
//
// Statements of one request never correct one another. Lines that are protected, as they stand in content, are not corrected:
// what says otherwise stands beside them then.
func Decide(r Request, content string, protected ...string) Decision {
	w := work{content: content, request: map[markdown.EntryID]bool{}, protected: protected}
	var statements []string
	for line := range strings.Lines(r.Text) {
		said := statement(line)
		statements = append(statements, said)
		if said != "" {
			w.request[idOf(said)] = true
		}
	}
	d := Decision{Kind: KindUnclear}
	for _, said := range statements {
		d.Items = append(d.Items, w.take(said))
	}
	var lines, old []string
	for _, item := range d.Items {
		if rank(item.Kind) > rank(d.Kind) {
			d.Kind = item.Kind
		}
		if item.Kind != KindUnclear {
			lines = append(lines, item.Line)
		}
		if item.Old != "" {
			old = append(old, item.Old)
		}
	}
	d.Line, d.Old = strings.Join(lines, "\n"), strings.Join(old, "\n")
	if w.content != content {
		d.Content = w.content
	}
	return d
}

// rank orders kinds by what a request of several statements is told by.
func rank(k Kind) int { return slices.Index([]Kind{KindUnclear, KindKnown, KindNew, KindCorrected}, k) }

// work is MEMORY.md while statements are worked into it.
type work struct {
	content string
	request map[markdown.EntryID]bool // statements of the request, which give way to none of it

	protected []string
}

// idOf is the identity of a statement as an item of its own.
func idOf(said string) markdown.EntryID { return markdown.EntryIDOf("- " + said) }

// take works one statement in.
func (w *work) take(said string) Item {
	if said == "" {
		return Item{Kind: KindUnclear}
	}
	id := idOf(said)
	entries := markdown.EntriesOf(w.content)
	if at := slices.IndexFunc(entries, func(e markdown.Entry) bool { return e.ID == id }); at >= 0 {
		return Item{Kind: KindKnown, Line: plain(entries[at].Text)}
	}
	if at, ok := w.corrected(entries, said); ok {
		if content, ok := replaced(w.content, entries, at, said); ok {
			w.content = content
			return Item{Kind: KindCorrected, Line: said, Old: plain(entries[at].Text)}
		}
	}
	content, ok := added(w.content, said)
	if !ok {
		return Item{Kind: KindUnclear}
	}
	w.content = content
	return Item{Kind: KindNew, Line: said}
}

// corrected finds the one line that a statement corrects. Of several that say the same it is the last; when they differ among
// themselves, nobody can tell which one is meant.
func (w *work) corrected(entries []markdown.Entry, said string) (int, bool) {
	var found []int
	lines := strings.Split(strings.ReplaceAll(w.content, "\r\n", "\n"), "\n")
	for i, e := range entries {
		if slices.Contains(w.protected, lines[e.FromLine-1]) {
			continue
		}
		if e.Parent < 0 && !w.request[e.ID] && !enclosesMore(entries, i) && corrects(plain(e.Text), said) {
			found = append(found, i)
		}
	}
	for n, i := range found {
		for _, j := range found[n+1:] {
			a, b := plain(entries[i].Text), plain(entries[j].Text)
			if corrects(a, b) || corrects(b, a) {
				return 0, false
			}
		}
	}
	if len(found) == 0 {
		return 0, false
	}
	return found[len(found)-1], true
}

func enclosesMore(entries []markdown.Entry, at int) bool {
	return at+1 < len(entries) && entries[at+1].Parent == at
}

// replaced puts a statement in the place of one entry's line; its marker and indentation stay. It reports false when that
// would change what any other line says.
func replaced(content string, entries []markdown.Entry, at int, said string) (string, bool) {
	lines := slices.Collect(strings.Lines(content))
	e := entries[at]
	if e.FromLine != e.ToLine {
		return "", false
	}
	line := lines[e.FromLine-1]
	body := strings.TrimRight(line, "\r\n")
	marker := lineMarker.FindString(body)
	if strings.Contains(marker, ">") { // a quotation is somebody else's
		return "", false
	}
	lines[e.FromLine-1] = marker + said + line[len(body):]
	out := strings.Join(lines, "")
	after := markdown.EntriesOf(out)
	if len(after) != len(entries) {
		return "", false
	}
	for i, now := range after {
		if i == at && now.ID != idOf(said) || i != at && now.ID != entries[i].ID {
			return "", false
		}
	}
	return out, true
}

// added puts a statement under the heading for what was remembered, which is made at the end when there is none; in front of
// everything when the end of the document is inside code or a comment. It reports false when that would change what another
// line says.
func added(content, said string) (string, bool) {
	if strings.TrimSpace(content) == "" {
		return newDocument + "\n## " + Section + "\n\n- " + said + "\n", true
	}
	eol := "\n"
	if strings.Contains(content, "\r\n") {
		eol = "\r\n"
	}
	line := "- " + said + eol
	heading := "## " + Section + eol + eol
	before := markdown.EntriesOf(content)
	for _, out := range []string{
		underHeading(content, line, eol),
		strings.TrimRight(content, " \t\r\n") + eol + eol + heading + line,
		heading + line + eol + content,
	} {
		if out != "" && addsOnly(before, markdown.EntriesOf(out), idOf(said)) {
			return out, true
		}
	}
	return "", false
}

// underHeading puts a line behind the last one of the section that says something; empty when there is no such section.
func underHeading(content, line, eol string) string {
	at := markdown.SectionEnd(content, func(s markdown.Section) bool { return s.Level == 2 && strings.EqualFold(s.Heading, Section) })
	if at == 0 {
		return ""
	}
	lines := slices.Collect(strings.Lines(content))
	last := strings.TrimRight(lines[at-1], "\r\n")
	lines[at-1] = last + eol
	if strings.HasPrefix(strings.TrimLeft(last, " "), "#") { // there is nothing in it
		line = eol + line
		if at < len(lines) && strings.TrimSpace(lines[at]) != "" {
			line += eol
		}
	}
	return strings.Join(slices.Insert(lines, at, line), "")
}

// addsOnly reports whether after is before with one statement more.
func addsOnly(before, after []markdown.Entry, id markdown.EntryID) bool {
	if len(after) != len(before)+1 {
		return false
	}
	skipped := 0
	for i, e := range after {
		if skipped == 0 && e.ID == id && (i == len(before) || before[i].ID != id) {
			skipped = 1
			continue
		}
		if i-skipped >= len(before) || before[i-skipped].ID != e.ID {
			return false
		}
	}
	return skipped == 1
}
