package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Strategy selects how a submitted text is combined with a document that may exist. The values are those of the
// configuration of business workflows.
type Strategy string

const (
	// StrategyAppend adds the text to the end, after exactly one blank line. If one side is blank, the other stays
	// verbatim.
	StrategyAppend Strategy = "append"
	// StrategySection replaces, for each section of the text, the section with the same heading and level. Missing sections
	// are added to the end.
	StrategySection Strategy = "replace_section"
	// StrategyUpsert sets keys ("key: value") and changes no other line.
	StrategyUpsert Strategy = "upsert_kv"
	// StrategyOverwrite takes the text verbatim, even if it is empty. The previous version stays in the history.
	StrategyOverwrite Strategy = "overwrite"
)

// Valid reports whether s is one of the four strategies.
func (s Strategy) Valid() bool {
	return s == StrategyAppend || s == StrategySection || s == StrategyUpsert || s == StrategyOverwrite
}

// StrategyError reports that a text cannot be combined with a document. It repeats nothing of either.
type StrategyError struct {
	Strategy Strategy
	Line     int // of the submitted text, from 1; 0 if the error concerns all of it
	Problem  string
}

// Error names the strategy, the line and what to do.
func (e *StrategyError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: line %d: %s", e.Strategy, e.Line, e.Problem)
	}
	return fmt.Sprintf("%s: %s", e.Strategy, e.Problem)
}

// Merge returns existing combined with incoming. It has no side effects and is deterministic, so that it can run under a
// document's lock. The error is a *StrategyError.
//
// Added text takes the line breaks of the first line of existing. StrategyOverwrite, and text added to an empty document,
// keep their own.
//
// Every strategy but append is idempotent: merging the same text again changes nothing. (replace_section with a text
// without headings appends.)
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

// appended joins two texts with exactly one blank line. If one is blank, the other stays verbatim.
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
// A section extends to the next heading of the same or a higher level, so nested sections belong to their outermost one.
// Each outermost section of incoming replaces the first section of existing with the same level and heading; headings are
// compared trimmed, with single spaces, in Unicode form C, with case and emphasis as written. Later sections with that name
// stay. A section that is missing, or exists only inside of another replaced one, is added to the end.
//
// An unchanged section stays as it is, blank lines included. A replaced one is followed by exactly one blank line, or ends
// the document with a line break. Nothing else of existing changes.
//
// A text without headings is appended. It refuses: text before the first heading, which belongs to no section; a repeated
// heading; blocks that never end (code, comments) and would swallow later headings; and sections of a lower level before
// those of a higher level, which would be nested in them and change places each time.
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
			return "", &StrategyError{StrategySection, within.line, "this section would be nested in another one of the text: " +
				"put sections of higher levels first"}
		}
	}
	return document, nil
}

// withSections returns existing with the sections in place, and its headings.
func withSections(existing, end string, parts []*incomingSection) (document string, found []titled, err error) {
	before := titles(existing)
	s := sectionWork{existing: existing, end: end, titles: before, spans: spans(existing, before)}
	s.place(parts)
	document, err = s.written(parts)
	return document, s.want, err
}

// incomingSection is an outermost section of the submitted text.
type incomingSection struct {
	titled

	text   string   // with its heading, without trailing blank lines
	titles []titled // its own and nested headings
	line   int      // of incoming, from 1
	place  int      // index of the section that it replaces; -1 for none
	stands int      // offset in the resulting document
}

// appendTitles appends the section's headings at their offsets in the resulting document.
func (p *incomingSection) appendTitles(to []titled) []titled {
	for _, h := range p.titles {
		to = append(to, h.moved(p.stands-p.at))
	}
	return to
}

// incomingSections returns the outermost sections of incoming.
func incomingSections(incoming string) ([]*incomingSection, error) {
	found := titles(incoming)
	if len(found) == 0 {
		return nil, nil
	}
	if !isBlank(incoming[:found[0].at]) {
		return nil, &StrategyError{StrategySection, 1, "put the text before the first heading under a heading"}
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
			return nil, &StrategyError{StrategySection, line, fmt.Sprintf("join this section with the one of the same heading in line "+
				"%d", first)}
		}
		lines[found[i].name] = line
		out = append(out, &incomingSection{
			titled: found[i], text: withoutBlankEnd(incoming[span[0]:span[1]]), titles: found[i : i+1 : i+1], line: line,
		})
	}
	return out, nil
}

// sectionWork is the state of replacing sections of a document.
type sectionWork struct {
	existing string
	end      string // line break for added text
	titles   []titled
	spans    [][2]int

	out  strings.Builder
	at   int      // offset in existing up to which text is written or replaced
	next int      // first of titles at or after at
	want []titled // expected headings of out, with offsets
}

// place finds the section that each part replaces. Higher levels choose first: a section inside of a replaced one cannot be
// replaced itself.
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

// keep copies existing up to an offset.
func (s *sectionWork) keep(to int) {
	moved := s.out.Len() - s.at
	s.out.WriteString(s.existing[s.at:to])
	for ; s.next < len(s.titles) && s.titles[s.next].at < to; s.next++ {
		s.want = append(s.want, s.titles[s.next].moved(moved))
	}
	s.at = to
}

// replace writes a section in place of the next one.
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

// written assembles the document and checks its headings.
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
		return "", &StrategyError{Strategy: StrategySection, Problem: "an unclosed code block, comment or list would swallow a heading: " +
			"close it, in the text or in the document"}
	}
	return document, nil
}

// nesting returns the first added section that became nested in another one; nil for none.
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
