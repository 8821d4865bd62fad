package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Strategy is how a text that somebody hands in becomes part of a document that may exist already. The words are those that
// business workflows write in their configuration.
type Strategy string

const (
	// StrategyAppend adds the text to the end, after exactly one blank line; beside an empty side the other stays verbatim.
	StrategyAppend Strategy = "append"
	// StrategySection replaces, for each section of the text, the section of the same heading and level; one that is not there
	// is added to the end.
	StrategySection Strategy = "replace_section"
	// StrategyUpsert sets keys ("key: value") and leaves every other line alone.
	StrategyUpsert Strategy = "upsert_kv"
	// StrategyOverwrite takes the text verbatim, even an empty one; the version before stays in the history.
	StrategyOverwrite Strategy = "overwrite"
)

// Valid reports whether s is one of the four strategies.
func (s Strategy) Valid() bool {
	return s == StrategyAppend || s == StrategySection || s == StrategyUpsert || s == StrategyOverwrite
}

// StrategyError says why a text cannot be put into a document. It repeats nothing of either.
type StrategyError struct {
	Strategy Strategy
	Line     int // of the text that was handed in, from 1; 0: it is about the whole
	Problem  string
}

// Error names the strategy, the line and what to do.
func (e *StrategyError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", e.Strategy, e.Line, e.Problem)
	}
	return fmt.Sprintf("%s: %s", e.Strategy, e.Problem)
}

// Merge returns existing with incoming put into it. It has no side effects, and the same two texts give the same result
// everywhere, so that it can run under a document's lock. The error is a *StrategyError; existing is unchanged then.
//
// Line breaks follow existing: what comes in is written with "\r\n" when the first line of existing ends so, and with "\n" when
// it ends in that. Only StrategyOverwrite, and what is put beside an empty text, keep their own.
//
// Everything but append is idempotent: merging the same text once more changes nothing. (A replace_section of a text without
// headings is an append.)
func (s Strategy) Merge(existing, incoming string) (string, error) {
	switch s {
	case StrategyAppend:
		return appended(existing, incoming), nil
	case StrategySection:
		return replacedSections(existing, incoming)
	case StrategyUpsert:
		return upserted(existing, incoming)
	case StrategyOverwrite:
		return incoming, nil
	}
	return "", &StrategyError{Strategy: s, Problem: "use append, replace_section, upsert_kv or overwrite"}
}

// appended puts exactly one blank line between two texts; beside one that says nothing the other stays verbatim.
func appended(existing, incoming string) string {
	switch {
	case isBlank(incoming):
		return existing
	case isBlank(existing):
		return incoming
	}
	end := lineBreak(existing)
	return withoutBlankEnd(existing) + end + end + withLineBreak(withoutBlankStart(incoming), end)
}

// replacedSections replaces sections of existing by those of incoming.
//
// The sections of incoming are those that stand in no other one of it; what is nested in them goes along, as a section reaches
// to the next heading of the same or a higher level. Each takes the place of the first section of existing with the same level
// and the same heading: trimmed, with single spaces, in Unicode form C, case and emphasis as written. Later sections of that
// name stay. A section that is nowhere, or only inside of another one that is replaced, is added to the end.
//
// A section that is the same already stays as it is, blank lines included. One that is replaced is followed by exactly one
// blank line, or ends the document with a line break. Nothing else of existing changes.
//
// A text without headings is appended. Refused are: text in front of the first heading, since it would belong to no section; a
// heading that comes twice; blocks that never end (code, comments) and would swallow the headings behind them; and sections of lower
// level in front of those of higher level, where they would come to stand inside of these and change places each time.
func replacedSections(existing, incoming string) (string, error) {
	end := lineBreakFor(existing, incoming)
	parts, err := incomingSections(withLineBreak(incoming, end))
	if err != nil {
		return "", err
	}
	if len(parts) == 0 {
		return appended(existing, incoming), nil
	}
	document, found, err := withSections(existing, end, parts)
	if err != nil {
		return "", err
	}
	if within := nesting(document, found, parts); within != nil {
		if again, _, err := withSections(document, end, parts); err != nil || again != document {
			return "", &StrategyError{StrategySection, within.line, "another section of the text would stand inside of this one, and elsewhere the next time: " +
				"put sections of higher level in front of those of lower level"}
		}
	}
	return document, nil
}

// withSections is existing with the sections in their places, and the headings that it has then.
func withSections(existing, end string, parts []*incomingSection) (document string, found []titled, err error) {
	before := titles(existing)
	s := sectionWork{existing: existing, end: end, titles: before, spans: spans(existing, before)}
	s.place(parts)
	document, err = s.written(parts)
	return document, s.want, err
}

// incomingSection is one section of the text that is handed in.
type incomingSection struct {
	titled

	text   string   // with its heading, without blank lines at its end
	titles []titled // its own and those nested in it
	line   int      // of incoming, from 1
	place  int      // number of the section that it replaces; -1: none
	stands int      // byte of the document that is written
}

// appendTitles appends the headings of the section as they are where it stands.
func (p *incomingSection) appendTitles(to []titled) []titled {
	for _, h := range p.titles {
		to = append(to, h.moved(p.stands-p.at))
	}
	return to
}

// incomingSections are the sections of incoming that stand in no other one.
func incomingSections(incoming string) ([]*incomingSection, error) {
	found := titles(incoming)
	if len(found) == 0 {
		return nil, nil
	}
	if !isBlank(incoming[:found[0].at]) {
		return nil, &StrategyError{StrategySection, 1, "text in front of the first heading belongs to no section: put it under a heading"}
	}
	var out []*incomingSection
	lines := map[name]int{}
	at, line := 0, 1
	end := 0
	for i, span := range spans(incoming, found) {
		if span[0] < end {
			last := out[len(out)-1]
			last.titles = append(last.titles, found[i])
			continue
		}
		end = span[1]
		line += strings.Count(incoming[at:span[0]], "\n")
		at = span[0]
		if first, twice := lines[found[i].name]; twice {
			return nil, &StrategyError{StrategySection, line, fmt.Sprintf("this heading stands in line %d already: bring both under one", first)}
		}
		lines[found[i].name] = line
		out = append(out, &incomingSection{
			titled: found[i], text: withoutBlankEnd(incoming[span[0]:span[1]]), titles: found[i : i+1 : i+1], line: line,
		})
	}
	return out, nil
}

// sectionWork is a document while sections of it are replaced.
type sectionWork struct {
	existing string
	end      string // line break of what is written
	titles   []titled
	spans    [][2]int

	out  strings.Builder
	at   int      // in existing: what stands before is written or replaced
	next int      // first of titles at or behind at
	want []titled // headings that out should have, and where
}

// place finds for each section the one that it replaces. Higher ones choose first: what stands inside of a section that is
// replaced as a whole is no place of its own.
func (s *sectionWork) place(parts []*incomingSection) {
	for _, part := range parts {
		part.place = -1
	}
	named := map[name][]int{}
	for i, h := range s.titles {
		named[h.name] = append(named[h.name], i)
	}
	taken := make([]bool, len(s.titles))
	byLevel := slices.SortedStableFunc(slices.Values(parts), func(a, b *incomingSection) int { return cmp.Compare(a.level, b.level) })
	for _, part := range byLevel {
		for _, i := range named[part.name] {
			if taken[i] {
				continue
			}
			part.place = i
			for inside := i; inside < len(s.titles) && s.titles[inside].at < s.spans[i][1]; inside++ {
				taken[inside] = true
			}
			break
		}
	}
}

// keep writes existing up to a byte as it is.
func (s *sectionWork) keep(to int) {
	moved := s.out.Len() - s.at
	s.out.WriteString(s.existing[s.at:to])
	for ; s.next < len(s.titles) && s.titles[s.next].at < to; s.next++ {
		s.want = append(s.want, s.titles[s.next].moved(moved))
	}
	s.at = to
}

// replace writes a section in the place of the one that comes next.
func (s *sectionWork) replace(part *incomingSection, end string) {
	to := s.spans[part.place][1]
	part.stands = s.out.Len()
	if withoutBlankEnd(s.existing[s.at:to]) == part.text {
		s.keep(to)
		return
	}
	s.want = part.appendTitles(s.want)
	s.out.WriteString(part.text + end)
	for ; s.next < len(s.titles) && s.titles[s.next].at < to; s.next++ {
	}
	if s.at = to; to < len(s.existing) {
		s.out.WriteString(end)
	}
}

// written puts the document together and checks that its headings are those that it should have.
func (s *sectionWork) written(parts []*incomingSection) (string, error) {
	end := s.end
	var added strings.Builder
	var placed, last []*incomingSection
	for _, part := range parts {
		if part.place >= 0 {
			placed = append(placed, part)
			continue
		}
		if added.Len() > 0 {
			added.WriteString(end)
		}
		part.stands = added.Len()
		added.WriteString(part.text + end)
		last = append(last, part)
	}
	slices.SortFunc(placed, func(a, b *incomingSection) int { return cmp.Compare(a.place, b.place) })
	for _, part := range placed {
		s.keep(s.spans[part.place][0])
		s.replace(part, end)
	}
	s.keep(len(s.existing))
	document := appended(s.out.String(), added.String())
	for _, part := range last {
		part.stands += len(document) - added.Len()
		s.want = part.appendTitles(s.want)
	}
	if !slices.Equal(titles(document), s.want) {
		return "", &StrategyError{Strategy: StrategySection, Problem: "a code block, comment or list that never ends would swallow a heading behind it: " +
			"end it, in the text or in the document"}
	}
	return document, nil
}

// nesting is the first section that another one of the text was added inside of; nil: none.
func nesting(document string, found []titled, parts []*incomingSection) *incomingSection {
	reach := make(map[int]int, len(found))
	for _, span := range spans(document, found) {
		reach[span[0]] = span[1]
	}
	for _, part := range parts {
		if withoutBlankEnd(document[part.stands:reach[part.stands]]) != part.text {
			return part
		}
	}
	return nil
}
