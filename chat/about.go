package chat

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/recall"
	"reverie/remember"
	"reverie/scan"
	"reverie/search"
	"reverie/store"
	"reverie/store/gate"
	"reverie/window"
)

const (
	// maxOfSection is the maximum number of lines of one section in an answer about the user, and maxOfUser that of all.
	maxOfSection, maxOfUser = 8, 30
	// maxName bounds the name in a greeting, in characters.
	maxName = 40
)

// aboutUser lists what an external memory, and PROFILE.md and MEMORY.md of the user contain, by section, and the beginning of the latest
// daily note.
func (t *turning) aboutUser(ctx context.Context, say phrases) (string, error) {
	paths := []string{memory.ProfilePath, memory.MemoryPath}
	note, err := t.latestNote(ctx)
	if err != nil {
		return "", err
	}
	if note != "" {
		paths = append(paths, note)
	}
	contents := make([]string, len(paths))
	for i, path := range paths {
		if contents[i], err = t.ofUser(ctx, path); err != nil {
			return "", err
		}
	}
	if path, content := t.allOutside(ctx); content != "" {
		paths, contents = append([]string{path}, paths...), append([]string{content}, contents...)
	}
	past, err := t.past(ctx, note, contents)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	left, known := maxOfUser, map[string]bool{}
	for i, path := range paths {
		sections := say.sectionsAbout(path, contents[i], past)
		if path == note {
			sections = asOneDay(note, sections)
		}
		omitted := 0
		for _, s := range sections {
			s.lines = slices.DeleteFunc(s.lines, func(line string) bool { return known[line] }) // a note repeats what the files have
			for _, line := range s.lines {
				known[line] = true
			}
			shown := s.lines[:min(len(s.lines), maxOfSection, left)]
			omitted += len(s.lines) - len(shown)
			if left -= len(shown); len(shown) > 0 {
				b.WriteString("\n" + say.sectionName(s.heading))
				for _, line := range shown {
					b.WriteString("\n- " + line)
				}
			}
		}
		if omitted > 0 {
			b.WriteString("\n" + fmt.Sprintf(say.more, strconv.Itoa(omitted), path))
		}
	}
	if b.Len() > 0 {
		return say.you + b.String(), nil
	}
	if said := t.saidHere(say); said != "" {
		return say.you + said, nil
	}
	return say.youNobody, nil
}

// allOutside returns what an external memory has, as a document that is named like it; none in a group, whose people it does not tell
// apart.
func (t *turning) allOutside(ctx context.Context) (path, content string) {
	if t.request.Speaker != memory.NoOwner {
		return "", ""
	}
	for _, hit := range t.fromOutside(ctx, "") {
		path = hit.Path
		content += "- " + hit.Text + "\n"
	}
	if content != "" {
		content = "# " + path + "\n\n" + content
	}
	return path, content
}

// saidHere lists what the user has stated in the conversation, the latest last: an extraction takes it into memory later.
func (t *turning) saidHere(say phrases) string {
	said := t.statedHere()
	var b strings.Builder
	for _, m := range said[max(0, len(said)-maxOfSection):] {
		hit := recall.Hit{Corpus: search.Sessions, Message: m, At: m.CreatedAt}
		b.WriteString("\n- " + say.cite(quotableOf(hit, m.Content, scan.Redacted(m.Content), t.now.Location())))
	}
	return b.String()
}

// statedHere returns the messages of the conversation in which the user states something, without what they had forgotten since.
func (t *turning) statedHere() (said []memory.Message) {
	for _, m := range t.unforgotten(t.history()) {
		if m.Role != memory.RoleOfUser || m.Name != t.user.Name || m.Content == memory.Erased {
			continue
		}
		if _, is := remember.ParseForget(m.Content); is {
			continue
		}
		if wanted, _ := intentOf(m.Content, t.spokenLanguage()); wanted == tellsFact && scan.Scan(m.Content).Verdict != scan.VerdictQuarantine {
			said = append(said, m)
		}
	}
	return said
}

// ownScope is the scope of the user's documents.
func (t *turning) ownScope() memory.Scope {
	if t.id.Owner == memory.NoOwner {
		return memory.ScopeTeam
	}
	return memory.ScopePersonal
}

// latestNote returns the path of the user's latest daily note; empty if there is none, and in a group, whose notes are about
// all of its people.
func (t *turning) latestNote(ctx context.Context) (path string, err error) {
	if t.request.Speaker != memory.NoOwner {
		return "", nil
	}
	all, err := t.Store.Documents(ctx, t.id, gate.DocumentFilter{Prefix: "memory/", Scope: t.ownScope()})
	for _, d := range all {
		if ofDay.MatchString(d.Path) {
			path = max(path, d.Path)
		}
	}
	return path, err
}

// ofUser returns the part of a document that is about the user: in a group, the section of the person who asks.
func (t *turning) ofUser(ctx context.Context, path string) (string, error) {
	d, err := t.Store.Document(ctx, t.id, memory.Ref{Scope: t.ownScope(), Path: path})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", nil
	case err != nil:
		return "", err
	case t.request.Speaker != memory.NoOwner:
		text, _, _, _ := memory.PersonSection(d.Content, t.request.Speaker)
		return text, nil
	}
	return d.Content, nil
}

// section is a heading with the statements under it.
type section struct {
	heading string
	lines   []string
}

// sectionsAbout returns the sections of a document that have current statements, without those of every new agent. Statements under
// the same heading are in one section.
func (p phrases) sectionsAbout(path, content string, past past) (all []section) {
	content, _ = markdown.CutArchive(content)
	over := past.of(path, content)
	for _, entry := range markdown.EntriesOf(content) {
		scanned := scan.Scan(markdown.WithoutComments(entry.Text))
		line := p.listed(scanned.Text)
		if scanned.Verdict == scan.VerdictQuarantine || memory.IsSeedEntry(entry.ID) || line == "" || stance.OnlyAsks(saidIn(scanned.Text)) ||
			over(entry) {
			continue
		}
		heading := quote(entry.Heading)
		at := slices.IndexFunc(all, func(s section) bool { return s.heading == heading })
		if at < 0 {
			at, all = len(all), append(all, section{heading: heading})
		}
		all[at].lines = append(all[at].lines, line)
	}
	return all
}

// listed returns a line of a document for a list: with the quotation marks of the language if it quotes somebody.
func (p phrases) listed(line string) string {
	q := quotableOf(recall.Hit{Corpus: search.Memory}, line, line, time.UTC)
	if !q.said {
		return q.text
	}
	text := p.withQuestion(q, fmt.Sprintf(p.quote, q.text))
	if q.person != "" {
		return q.person + ": " + text
	}
	return text
}

// asOneDay joins the sections of a daily note under its date.
func asOneDay(path string, sections []section) []section {
	day := section{heading: ofDay.FindStringSubmatch(path)[1]}
	for _, s := range sections {
		day.lines = append(day.lines, s.lines...)
	}
	return []section{day}
}

// nameLine matches the line of PROFILE.md with the user's name.
var nameLine = regexp.MustCompile(`(?m)^[ \t]*[-*] (?:\*\*)?Name(?:\*\*)?: *(?:\*\*)?([^\n<]+)`)

// userName returns the name in the user's PROFILE.md; empty if it is unknown.
func (t *turning) userName() string {
	for _, d := range t.load.Documents {
		if d.Path != memory.ProfilePath || d.Scope != memory.ScopePersonal && t.id.Owner != memory.NoOwner {
			continue
		}
		content := d.Content
		if t.request.Speaker != memory.NoOwner {
			content, _, _, _ = memory.PersonSection(content, t.request.Speaker)
		}
		if m := nameLine.FindStringSubmatch(content); m != nil {
			name := strings.Trim(quote(m[1]), ` ."“”*`)
			if utf8.RuneCountInString(name) <= maxName && scan.Scan(name).Verdict == scan.VerdictAllow {
				return window.Readable(name)
			}
		}
	}
	return ""
}
