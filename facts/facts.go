// Package facts reads single statements from documents, follows them from one version to the next, and computes how far each is
// trusted. It is pure; package store/facts keeps the results.
package facts

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
)

// Statement is a statement of a document: a list item, a row of a table, a quoted passage or a short paragraph.
type Statement struct {
	Entry    markdown.EntryID
	Text     string // without list marker
	Heading  string // nearest heading above; empty if it only repeats a statement of a daily note
	FromLine int    // 1-based, inclusive
	ToLine   int
	Under    string // text of the statement that it depends on, as a nested list item
	Archived bool   // it is in the archive of its document (see markdown.ArchiveHeading)
	Reading
}

// Reading is the content of a statement.
type Reading struct {
	Category Category
	Kind     Kind
	// Subject, Attribute and Value are empty if the statement cannot be read so.
	Subject, Attribute, Value string
	Single                    bool    // Attribute has one value at a time
	Confidence                float64 // that Subject, Attribute and Value are what the statement says, from 0 to 1
	// From and To are the days from and to which the statement says that it holds; zero if it names none.
	From, To time.Time
	HalfLife Days // of the trust in it
}

// Expired reports whether a statement names a last day that is past at a given time.
func (r Reading) Expired(at time.Time) bool {
	return !r.To.IsZero() && !at.Before(r.To.AddDate(0, 0, 1))
}

// Category is the source of a statement by its file.
type Category string

// Categories.
const (
	Preference Category = "user_pref"
	Project    Category = "project"
	Reference  Category = "reference"
	Feedback   Category = "feedback"
	General    Category = "general"
)

// Kind is the kind of knowledge that a statement is.
type Kind string

// Kinds.
const (
	Profile   Kind = "PROFILE"   // about the person
	Knowledge Kind = "KNOWLEDGE" // anything else that lasts
	Event     Kind = "EVENT"     // what happened, or will happen, on a day
)

// MaxText is the longest statement, in characters. A longer paragraph is prose.
const MaxText = 600

// minText is the shortest statement, in characters.
const minText = 3

// Of returns the statements of a document in order, each once; of an equal pair the first. Documents that are not memory (see
// memory.Searchable) have none, and the texts of a new agent are not facts.
func Of(path, content string) []Statement {
	out := entriesOf(path, content)
	for i := range out {
		out[i].Reading = read(path, out[i])
	}
	return out
}

// entriesOf returns the statements of a document without their readings.
func entriesOf(path, content string) []Statement {
	if !memory.Searchable(path) {
		return nil
	}
	entries := markdown.EntriesOf(content)
	archive, end := markdown.ArchivedLines(content)
	had := make(map[markdown.EntryID]bool, len(entries))
	headings := repeating(path, entries)
	out := make([]Statement, 0, len(entries))
	for i, e := range entries {
		size := utf8.RuneCountInString(e.Text)
		switch {
		case size < minText, size > MaxText, had[e.ID], memory.IsSeedEntry(e.ID), introduces(entries, i),
			e.Text == memory.Erased:
			continue
		case strings.HasPrefix(path, structured.Folder) && structured.IsSourceLine(e.Text):
			continue
		}
		had[e.ID] = true
		under := ""
		if e.Parent >= 0 {
			under = entries[e.Parent].Text
		}
		out = append(out, Statement{
			Entry: e.ID, Text: e.Text, Heading: e.Heading, FromLine: e.FromLine, ToLine: e.ToLine, Under: under,
			Archived: e.FromLine >= archive && e.ToLine <= end,
		})
		if headings[e.Heading] {
			out[len(out)-1].Heading = ""
		}
	}
	return out
}

// ofHour matches the time in a heading of a daily note.
var ofHour = lazyregexp.New(`^\d{1,2}[:：]\d{2}\s+`)

// repeating returns the headings of a daily note that have the words of a statement below them: they name nothing that the others are about.
func repeating(path string, entries []markdown.Entry) map[string]bool {
	if _, isNote := DayOf(path); !isNote {
		return nil
	}
	out := map[string]bool{}
	for _, e := range entries {
		title := ofHour.ReplaceAllString(e.Heading, "")
		if title != e.Heading && strings.Contains(e.Text, strings.TrimSuffix(title, "…")) {
			out[e.Heading] = true
		}
	}
	return out
}

// introduces reports whether an entry only introduces those under it: "Family:".
func introduces(entries []markdown.Entry, i int) bool {
	return strings.HasSuffix(strings.TrimRight(entries[i].Text, "*_ "), ":") && i+1 < len(entries) && entries[i+1].Parent == i
}

// keyLine matches "**key**: value" and "**key:** value".
var keyLine = lazyregexp.New(`^\*\*([^*]{1,80}?)(?:\*\*\s*[:：]|[:：]\s*\*\*)\s*(\S.*)$`)

// Confidence of the three ways to read a statement. The first two are MateClaw's.
const (
	confidenceOfKey     = .9
	confidenceOfHeading = .8
	confidenceOfClaim   = .7
)

func read(path string, s Statement) Reading {
	r := Reading{Category: categoryOf(path)}
	said := strings.TrimSpace(claim.Comment.ReplaceAllString(s.Text, " "))
	if m := keyLine.FindStringSubmatch(said); m != nil {
		r.Subject, r.Attribute, r.Value, r.Confidence = m[1], "is", m[2], confidenceOfKey
	} else if strings.HasPrefix(path, structured.Folder) && s.Heading != "" {
		r.Subject, r.Attribute, r.Value, r.Confidence = s.Heading, "has", said, confidenceOfHeading
	} else if claims := claim.ClaimsOf(said); len(claims) > 0 {
		c := claims[0]
		r.Subject, r.Attribute, r.Value, r.Single, r.Confidence = subjectUnder(s.Under, c.Subject), c.Attribute, c.Value, c.Single, confidenceOfClaim
	}
	r.From, r.To = date.Holds(said)
	r.Kind = kindOf(path, s.Heading, said, r)
	r.HalfLife = halfLifeOf(path, r)
	return r
}

// subjectUnder returns the subject of a nested statement: its own, or that of the statement above it.
func subjectUnder(above, subject string) string {
	if above == "" || !claim.IsAnaphor(subject) {
		return subject
	}
	if claims := claim.ClaimsOf(above); len(claims) > 0 {
		return claims[0].Subject
	}
	return claim.SubjectOf(above)
}

func categoryOf(path string) Category {
	switch strings.TrimSuffix(strings.TrimPrefix(path, structured.Folder), ".md") {
	case "user":
		return Preference
	case "project":
		return Project
	case "reference":
		return Reference
	case "feedback":
		return Feedback
	}
	return General
}

// dated matches a complete date, as in relative dates that were completed: "on Friday [2026-03-13]".
var dated = lazyregexp.New(`\b\d{4}-\d{2}-\d{2}\b`)

// Headings under which statements are of a kind.
const (
	ProfileHeading = "Profile"
	EventsHeading  = "Events"
)

func kindOf(path, heading, said string, r Reading) Kind {
	switch {
	case strings.EqualFold(heading, EventsHeading):
		return Event
	case strings.EqualFold(heading, ProfileHeading), path == memory.ProfilePath, r.Category == Preference, r.Category == Feedback,
		slices.Contains(attributesOfPersons, r.Attribute):
		return Profile
	case dated.MatchString(said) && r.From.IsZero() && r.To.IsZero():
		return Event
	}
	return Knowledge
}

// DayOf returns the day of a daily note from its path, and false for other documents.
func DayOf(path string) (time.Time, bool) {
	name, found := strings.CutPrefix(path, "memory/")
	if !found || len(name) < len(time.DateOnly) {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, name[:len(time.DateOnly)])
	return day, err == nil
}

// NotesRank is the rank of daily notes, whose statements are not archived.
const NotesRank = 4

// Rank orders the documents that contain the same statement: the first one shows it.
func Rank(path string) int {
	_, isNote := DayOf(path)
	switch {
	case path == memory.ProfilePath:
		return 0
	case path == memory.MemoryPath:
		return 1
	case strings.HasPrefix(path, structured.Folder):
		return 2
	case isNote:
		return NotesRank
	}
	return 3
}

// SubjectAsSaid returns the subject in the words of the statement.
func (s Statement) SubjectAsSaid() string { return claim.Claim{Subject: s.Subject}.SubjectIn(s.Text) }
