// Package structured reads and changes structured documents: structured/user.md, feedback.md, project.md and reference.md. Each entry is
// a section:
//
//	## key
//
//	content
//
//	> Source: chat | Updated: 2026-01-31
//
// Archived entries are sections of level 3 below "## Archived".
package structured

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/memory/markdown"
)

// Folder contains the structured documents.
const Folder = "structured/"

// Type is the kind of entries that a structured document contains.
type Type string

// Types.
const (
	User      Type = "user"      // preferences and traits of the person
	Feedback  Type = "feedback"  // how the agent should work
	Project   Type = "project"   // what holds for a project
	Reference Type = "reference" // where things are
)

// Types lists the types in the order in which they are shown.
func Types() []Type { return []Type{User, Feedback, Project, Reference} }

// Path returns the path of the document with the entries of a type.
func (t Type) Path() string { return Folder + string(t) + ".md" }

// TypeOf returns the type of a document; false if it is not structured.
func TypeOf(path string) (Type, bool) {
	for _, t := range Types() {
		if t.Path() == path {
			return t, true
		}
	}
	return "", false
}

// Entry is one entry.
type Entry struct {
	Key      string
	Content  string
	Source   string    // who wrote it; empty: unknown
	Updated  time.Time // day of the last change; zero: unknown
	Archived bool
}

// Limits of entries, in characters.
const (
	MaxKey     = 80
	MaxContent = 2000
)

var sourceLine = regexp.MustCompile(`^>\s*Source:\s*(.*?)\s*\|\s*Updated:\s*(\d{4}-\d{2}-\d{2})?`)

// IsSourceLine reports whether a statement is the line below an entry that names its source, with or without its quotation mark.
func IsSourceLine(text string) bool {
	return sourceLine.MatchString("> " + strings.TrimLeft(text, "> "))
}

// plainSource is sourceLine with a source of at most two words.
var plainSource = regexp.MustCompile(`^(?:> ?)?Source: [\w./:-]+(?: [\w./:-]+)? \| Updated: \d{4}-\d{2}-\d{2}$`)

// IsPlainSource is IsSourceLine for lines that are too short for a sentence, so that they need no scan for instructions.
func IsPlainSource(text string) bool { return plainSource.MatchString(text) }

// Parse returns the entries of a document in order, the archived ones last. Text outside of entries is left out.
func Parse(document string) []Entry {
	var out []Entry
	archive := false
	current := -1
	for _, s := range markdown.Sections(document) {
		switch isArchive := s.Level == 2 && strings.EqualFold(s.Heading, markdown.ArchiveHeading); {
		case s.Level == 1 || isArchive:
			archive, current = isArchive || archive && s.Level > 2, -1
			continue
		case s.Level == 2 || archive && s.Level == 3:
			archive = archive && s.Level > 2
			out = append(out, Entry{Key: s.Heading, Archived: archive})
			current = len(out) - 1
		case current >= 0:
			out[current].Content += strings.Repeat("#", s.Level) + " " + s.Heading + "\n"
		default:
			continue
		}
		e := &out[current]
		for _, line := range s.Lines {
			if m := sourceLine.FindStringSubmatch(line); m != nil {
				e.Source = m[1]
				e.Updated, _ = time.Parse(time.DateOnly, m[2])
				continue
			}
			e.Content += line + "\n"
		}
	}
	for i := range out {
		out[i].Content = strings.TrimSpace(out[i].Content)
	}
	slices.SortStableFunc(out, func(a, b Entry) int {
		switch {
		case a.Archived == b.Archived:
			return 0
		case b.Archived:
			return -1
		}
		return 1
	})
	return out
}

// Find returns the current entry with a key, in any case.
func Find(entries []Entry, key string) (Entry, bool) {
	for _, e := range entries {
		if !e.Archived && strings.EqualFold(e.Key, key) {
			return e, true
		}
	}
	return Entry{}, false
}

// Current returns the entries that are not archived.
func Current(entries []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Archived })
}

// KeyOf returns a key as it is written: one line without number signs around it. It reports what is wrong with a key that cannot be one.
func KeyOf(key string) (string, error) {
	key = strings.TrimSpace(strings.Trim(strings.Join(strings.Fields(key), " "), "# "))
	switch {
	case !markdown.HasText(key):
		return "", fmt.Errorf("the key is empty: name what the entry is about")
	case utf8.RuneCountInString(key) > MaxKey:
		return "", fmt.Errorf("the key has more than %d characters: shorten it", MaxKey)
	case strings.EqualFold(key, markdown.ArchiveHeading):
		return "", fmt.Errorf("%q is the section of archived entries: use another key", key)
	}
	return key, nil
}

// body returns the text below the heading of an entry.
func (e Entry) body() string {
	updated := ""
	if !e.Updated.IsZero() {
		updated = e.Updated.Format(time.DateOnly)
	}
	return strings.TrimSpace(e.Content) + "\n\n> Source: " + strings.Join(strings.Fields(e.Source), " ") + " | Updated: " + updated
}

// Set returns a document with an entry: in place of the current one with its key, else at the end. An archived entry with the key is
// replaced. All other text stays. The error is a *markdown.SectionError for content that would end the section.
func Set(document string, e Entry) (string, error) {
	entries := Parse(document)
	if had, found := Find(entries, e.Key); found {
		e.Key = had.Key
	}
	document, archive, err := withoutArchived(document, e.Key)
	if err != nil {
		return "", err
	}
	if document, err = markdown.WithTopSection(document, e.Key, e.body()); err != nil {
		return "", err
	}
	return markdown.WithArchive(document, archive)
}

// Remove returns a document without the entry with a key, archived or not. It reports false if there is none.
func Remove(document, key string) (string, bool, error) {
	entries := Parse(document)
	if !slices.ContainsFunc(entries, func(e Entry) bool { return strings.EqualFold(e.Key, key) }) {
		return document, false, nil
	}
	if e, found := Find(entries, key); found {
		key = e.Key
	}
	document, archive, err := withoutArchived(document, key)
	if err != nil {
		return "", false, err
	}
	document, err = markdown.WithArchive(markdown.WithoutTopSection(document, key), archive)
	return document, err == nil, err
}

// Archive moves the current entry with a key into the archive. It reports false if there is none.
func Archive(document, key string) (string, bool, error) {
	e, found := Find(Parse(document), key)
	if !found {
		return document, false, nil
	}
	document, archive, err := withoutArchived(document, e.Key)
	if err != nil {
		return "", false, err
	}
	archive = strings.TrimSpace(archive + "\n\n" + e.archived())
	document, err = markdown.WithArchive(markdown.WithoutTopSection(document, e.Key), archive)
	return document, err == nil, err
}

// ErrCurrent reports that there is a current entry with the key.
var ErrCurrent = errors.New("there is a current entry with this key")

// Restore moves the archived entry with a key out of the archive. The error may be ErrCurrent.
func Restore(document, key string) (string, error) {
	entries := Parse(document)
	if _, found := Find(entries, key); found {
		return document, ErrCurrent
	}
	at := slices.IndexFunc(entries, func(e Entry) bool { return strings.EqualFold(e.Key, key) })
	if at < 0 {
		return document, nil
	}
	e := entries[at]
	lines := strings.Split(e.Content, "\n")
	for i := range markdown.HeadingLines(e.Content) {
		lines[i] = strings.TrimPrefix(lines[i], "#") // as deep as before it was archived
	}
	e.Content = strings.Join(lines, "\n")
	return Set(document, e)
}

// archived returns an entry as written to the archive, where its own headings are one level deeper.
func (e Entry) archived() string {
	lines := strings.Split(e.Content, "\n")
	for i := range markdown.HeadingLines(e.Content) {
		if !strings.HasPrefix(lines[i], "######") {
			lines[i] = "#" + lines[i]
		}
	}
	e.Content = strings.Join(lines, "\n")
	return "### " + e.Key + "\n\n" + e.body()
}

// withoutArchived splits a document from its archive, and takes the entry with a key out of the latter.
func withoutArchived(document, key string) (current, archive string, err error) {
	current, archive = markdown.CutArchive(document)
	var kept []string
	drop := false
	for _, s := range markdown.Sections(archive) {
		if s.Level == 3 {
			drop = strings.EqualFold(s.Heading, key)
		}
		if drop {
			continue
		}
		text := strings.Join(s.Lines, "\n")
		if s.Level > 0 {
			text = strings.Repeat("#", s.Level) + " " + s.Heading + "\n" + text
		}
		if text = strings.TrimSpace(text); text != "" {
			kept = append(kept, text)
		}
	}
	return current, strings.Join(kept, "\n\n"), nil
}

// MinMerged is the number of current entries from which a document is consolidated.
const MinMerged = 8

// Merge removes current entries that only repeat what a later one says, and returns the document and how many it removed. An entry
// is removed if another one that was updated later, or as late and is below it, has the same content in any wording, or all of it.
// Entries whose key keeps reports stay. The number of entries never grows.
func Merge(document string, keeps func(key string) bool) (merged string, removed int, err error) {
	merged = document
	entries := Current(Parse(document))
	if len(entries) < MinMerged {
		return document, 0, nil
	}
	read := make([]claim.Words, len(entries))
	for i, e := range entries {
		read[i] = claim.WordsOf(e.Content)
	}
	gone := make([]bool, len(entries))
	for i, e := range entries {
		if keeps(e.Key) {
			continue
		}
		gone[i] = slices.ContainsFunc(entries, func(other Entry) bool {
			j := slices.Index(entries, other)
			if j == i || gone[j] {
				return false
			}
			if order := other.Updated.Compare(e.Updated); order < 0 || order == 0 && j < i && !keeps(other.Key) {
				return false
			}
			return other.Content == e.Content || claim.SameStatement(read[i], read[j]) && len(read[i].Units) <= len(read[j].Units)
		})
		if !gone[i] {
			continue
		}
		next, found, err := Remove(merged, e.Key)
		if err != nil {
			return "", 0, err
		}
		if found {
			merged = next
			removed++
		}
	}
	return merged, removed, nil
}

// Replaced is an entry that takes the place of others.
type Replaced struct {
	Key     string   // of one of them
	Content string   // of the new entry
	Keys    []string // of all of them
}

// Replace puts entries in place of others, with the source and the day of the one that was updated last, and returns the document and
// how many entries it has less. It leaves out those of which an entry was removed, archived or kept.
func Replace(document string, all []Replaced, keeps func(key string) bool) (replaced string, removed int, err error) {
	replaced = document
	for _, r := range all {
		current := Current(Parse(replaced))
		var last Entry
		gone := slices.ContainsFunc(r.Keys, func(key string) bool {
			e, found := Find(current, key)
			if found && !e.Updated.Before(last.Updated) {
				last = e
			}
			return !found || keeps(key)
		})
		if gone || len(r.Keys) < 2 || !slices.ContainsFunc(r.Keys, func(key string) bool { return strings.EqualFold(key, r.Key) }) { //nolint:mnd // see Keys
			continue
		}
		next := replaced
		for _, key := range r.Keys {
			if strings.EqualFold(key, r.Key) {
				continue
			}
			if next, _, err = Remove(next, key); err != nil {
				return document, 0, err
			}
		}
		last.Key, last.Content = r.Key, strings.TrimSpace(r.Content)
		if next, err = Set(next, last); err != nil {
			return document, 0, err
		}
		removed += len(current) - len(Current(Parse(next)))
		replaced = next
	}
	return replaced, removed, nil
}

// Limits of one document in a system prompt.
const (
	MaxShown      = 40   // entries
	MaxShownChars = 4000 // characters, without the note about what is left out
)

// Shown returns the current entries of a document as they are put into a system prompt: the newest ones that fit the limits, in the
// order of the document, with a note of how many are left out. Text outside of entries, source lines and the archive are left out. Of a
// document without entries it returns the empty string.
func Shown(document string) string {
	entries := Current(Parse(document))
	texts := make([]string, len(entries))
	newest := make([]int, len(entries))
	for i, e := range entries {
		texts[i], newest[i] = "## "+e.Key+"\n\n"+e.Content, i
	}
	slices.SortStableFunc(newest, func(a, b int) int {
		return cmp.Or(entries[b].Updated.Compare(entries[a].Updated), cmp.Compare(b, a))
	})
	chosen := make([]bool, len(entries))
	count, room := 0, MaxShownChars
	for _, i := range newest {
		size := utf8.RuneCountInString(texts[i]) + len("\n\n")
		if count == MaxShown || size > room {
			continue
		}
		chosen[i] = true
		count++
		room -= size
	}
	var parts []string
	for i, text := range texts {
		if chosen[i] {
			parts = append(parts, text)
		}
	}
	if omitted := len(entries) - count; omitted > 0 {
		parts = append(parts, fmt.Sprintf("(+%d older entries omitted; recall_structured reads them)", omitted))
	}
	return strings.Join(parts, "\n\n")
}
