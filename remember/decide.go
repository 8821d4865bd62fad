package remember

import (
	"slices"
	"strings"

	"reverie/dream/judge"
	"reverie/facts/conflict"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
)

// Section is the heading of MEMORY.md for new statements, the same as in the built-in engine.
const Section = "Remembered"

// newDocument is the beginning of a new MEMORY.md.
const newDocument = "# Memory\n"

// Decide applies a request to MEMORY.md: an exact repeat changes nothing, a correction replaces the one line that it
// corrects, and anything else becomes a line under "## Remembered". All other lines stay byte for byte the same. Applied
// again to the result, every statement is known.
//
// Statements of one request never correct one another. Protected lines, given exactly as in content, are not corrected; the
// new statement is added beside them.
func Decide(r Request, content string, protected ...string) Decision {
	return DecideKnown(r, content, nil, protected...)
}

// DecideKnown is Decide for content that already says some statements in other words: known has its lines by statement. A statement that
// corrects a line still corrects it. An archived line is neither known nor corrected: a repeat makes it current again.
func DecideKnown(r Request, content string, known map[string]string, protected ...string) Decision {
	current, _ := markdown.CutArchive(content)
	d := decide(r, current, known, protected...)
	if d.Content != "" {
		d.Content = memory.WithArchiveOf(content, d.Content)
	}
	return d
}

// decide is DecideKnown for a content without an archive.
func decide(r Request, content string, known map[string]string, protected ...string) Decision {
	w := work{content: content, request: map[markdown.EntryID]bool{}, protected: protected, known: known}
	statements := Statements(r)
	for _, said := range statements {
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

// Statements returns the statements of a request by line; empty for a line that is not a statement.
func Statements(r Request) (out []string) {
	for line := range strings.Lines(r.Text) {
		out = append(out, statement(line))
	}
	return out
}

// rank orders kinds; a request with several statements has the highest kind.
func rank(k Kind) int { return slices.Index([]Kind{KindUnclear, KindKnown, KindNew, KindCorrected}, k) }

// work is the state of one Decide call.
type work struct {
	content string
	request map[markdown.EntryID]bool // statements of the request, which do not correct one another

	protected []string
	known     map[string]string // lines that say a statement in other words
}

// idOf returns the identity of a statement as a list item.
func idOf(said string) markdown.EntryID { return markdown.EntryIDOf("- " + said) }

// take applies one statement.
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
		if content, ok := Replace(w.content, at, said); ok {
			w.content = content
			return Item{Kind: KindCorrected, Line: said, Old: plain(entries[at].Text)}
		}
	}
	if line, ok := w.known[said]; ok {
		return Item{Kind: KindKnown, Line: line}
	}
	content, ok := add(w.content, Section, said)
	if !ok {
		return Item{Kind: KindUnclear}
	}
	w.content = content
	return Item{Kind: KindNew, Line: said}
}

// corrected returns the one line that a statement corrects. Of several lines that say the same it is the last; when they
// differ from each other, there is no way to know which one is meant.
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

// Replace replaces the text of the line of entry at (see markdown.EntriesOf) by a statement; its marker and indentation stay. It
// reports false for an entry of several lines, and when that would change the meaning of any other line.
func Replace(content string, at int, said string) (string, bool) {
	entries := markdown.EntriesOf(content)
	lines := slices.Collect(strings.Lines(content))
	e := entries[at]
	if e.FromLine != e.ToLine {
		return "", false
	}
	line := lines[e.FromLine-1]
	body := strings.TrimRight(line, "\r\n")
	marker := lineMarker.FindString(body)
	if strings.Contains(marker, ">") { // quotations are not changed
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

// Add inserts a statement of one line under a heading of level 2, which is created at the end when it is missing, or in
// front of everything when the document ends inside code or a comment. The archive stays the last section, without the statement. It
// reports false when that would change the meaning of another line.
func Add(content, section, said string) (string, bool) {
	current, archive := markdown.CutArchive(content)
	next, ok := add(current, section, said)
	if !ok || archive == "" {
		return next, ok
	}
	return memory.WithArchiveOf(content, next), true
}

// add is Add for a content without an archive.
func add(content, section, said string) (string, bool) {
	if strings.TrimSpace(content) == "" {
		return newDocument + "\n## " + section + "\n\n- " + said + "\n", true
	}
	eol := "\n"
	if strings.Contains(content, "\r\n") {
		eol = "\r\n"
	}
	line := "- " + said + eol
	heading := "## " + section + eol + eol
	before := markdown.EntriesOf(content)
	for _, out := range []string{
		underHeading(content, section, line, eol),
		strings.TrimRight(content, " \t\r\n") + eol + eol + heading + line,
		heading + line + eol + content,
	} {
		if out != "" && addsOnly(before, markdown.EntriesOf(out), idOf(said)) {
			return out, true
		}
	}
	return "", false
}

// underHeading inserts a line after the last line with text of the section; empty when there is no such section.
func underHeading(content, section, line, eol string) string {
	at := markdown.SectionEnd(content, func(s markdown.Section) bool { return s.Level == 2 && strings.EqualFold(s.Heading, section) })
	if at == 0 {
		return ""
	}
	lines := slices.Collect(strings.Lines(content))
	last := strings.TrimRight(lines[at-1], "\r\n")
	lines[at-1] = last + eol
	if strings.HasPrefix(strings.TrimLeft(last, " "), "#") { // the section is empty
		line = eol + line
		if at < len(lines) && strings.TrimSpace(lines[at]) != "" {
			line += eol
		}
	}
	return strings.Join(slices.Insert(lines, at, line), "")
}

// addsOnly reports whether after is before plus one statement.
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

var (
	lineMarker = lazyregexp.New(`^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[ \][ \t]+)?`)
	comment    = lazyregexp.New(`[ \t]*<!--.*?-->`)
)

// plain returns a statement of a document without the comment after it.
func plain(text string) string { return strings.TrimSpace(comment.ReplaceAllString(text, "")) }

// corrects reports whether a statement replaces a line. English and Chinese follow the rules of dreams. In other languages both have to
// name the same subject in the same words, or say nothing but where the user lives or another value that people have one of, in any of the
// languages that claims are read in.
func corrects(line, said string) bool {
	return judge.Supersedes(line, said) || claim.Replaces(line, said) || ofUser(line) && ofUser(said) && contradicts(line, said)
}

// ofUser reports whether a text is one claim about the user, and nothing else.
func ofUser(text string) bool {
	claims := claim.ClaimsOf(text)
	return len(claims) == 1 && claims[0].Subject == claim.User && claims[0].Single && claim.Claimed{}.With(text, false).MadeBy(text, false)
}

func contradicts(line, said string) bool {
	v, ok := conflict.Between(conflict.Read(line), conflict.Read(said))
	return ok && v.Why == conflict.Values
}
