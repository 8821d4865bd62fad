package chat

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
	"reverie/store"
	"reverie/window"
)

const (
	// maxOfSection is the maximum number of lines of one section in an answer about the user, and maxOfUser that of all.
	maxOfSection, maxOfUser = 8, 30
	// maxName bounds the name in a greeting, in characters.
	maxName = 40
)

// aboutUser lists what PROFILE.md and MEMORY.md of the user contain, by section.
func (t *turning) aboutUser(ctx context.Context, say phrases) (string, error) {
	var b strings.Builder
	left := maxOfUser
	for _, path := range []string{memory.ProfilePath, memory.MemoryPath} {
		content, err := t.ofUser(ctx, path)
		if err != nil {
			return "", err
		}
		omitted := 0
		for section := range sectionsAbout(content) {
			shown := section.lines[:min(len(section.lines), maxOfSection, left)]
			omitted += len(section.lines) - len(shown)
			if left -= len(shown); len(shown) > 0 {
				b.WriteString("\n" + section.heading)
				for _, line := range shown {
					b.WriteString("\n- " + line)
				}
			}
		}
		if omitted > 0 {
			b.WriteString("\n" + fmt.Sprintf(say.more, strconv.Itoa(omitted), path))
		}
	}
	if b.Len() == 0 {
		return say.youNobody, nil
	}
	return say.you + b.String(), nil
}

// ofUser returns the part of a document that is about the user: in a group, the section of the person who asks.
func (t *turning) ofUser(ctx context.Context, path string) (string, error) {
	scope := memory.ScopePersonal
	if t.id.Owner == memory.NoOwner {
		scope = memory.ScopeTeam
	}
	d, err := t.Store.Document(ctx, t.id, memory.Ref{Scope: scope, Path: path})
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

// sectionsAbout returns the sections of a document that have statements, without those of every new agent. Statements under
// the same heading are in one section.
func sectionsAbout(content string) func(yield func(section) bool) {
	var all []section
	for _, entry := range markdown.EntriesOf(content) {
		scanned := scan.Scan(markdown.WithoutComments(entry.Text))
		line := quote(scanned.Text)
		if scanned.Verdict == scan.VerdictQuarantine || isSeed(entry) || line == "" {
			continue
		}
		heading := quote(entry.Heading)
		at := slices.IndexFunc(all, func(s section) bool { return s.heading == heading })
		if at < 0 {
			at, all = len(all), append(all, section{heading: heading})
		}
		all[at].lines = append(all[at].lines, line)
	}
	return slices.Values(all)
}

// nameLine matches the line of PROFILE.md with the user's name.
var nameLine = regexp.MustCompile(`(?m)^[ \t]*[-*] (?:\*\*)?Name(?:\*\*)?: *(?:\*\*)?([^\n<]+)`)

// userName returns the name in the user's PROFILE.md, escaped; empty if it is unknown.
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
				return window.Escape(name)
			}
		}
	}
	return ""
}
