package facts

import (
	"slices"
	"strings"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
)

// Archive returns a document with statements moved into its archive: list items and paragraphs with what is nested under them, of a
// structured document whole entries. Statements in the section of a person of a group stay, because the archive does not say whose they
// are. The error is a *markdown.SectionError for a document that cannot get an archive.
func Archive(path, content string, entries memory.EntrySet) (string, error) {
	if _, is := structured.TypeOf(path); is {
		for _, s := range entriesOf(path, content) {
			if !entries[s.Entry] || s.Archived {
				continue
			}
			next, found, err := structured.Archive(content, markdown.TopHeadingAt(content, s.FromLine))
			if err != nil {
				return "", err
			}
			if found {
				next, err = Archive(path, next, entries) // lines have moved
				return next, err
			}
		}
		return content, nil
	}
	current, archive := markdown.CutArchive(content)
	_, _, spans := entries.Find(current)
	spans = slices.DeleteFunc(spans, func(s memory.LineSpan) bool {
		return strings.HasPrefix(markdown.TopHeadingAt(current, s.From+1), memory.PersonHeading)
	})
	if len(spans) == 0 {
		return content, nil
	}
	lines := slices.Collect(strings.Lines(current))
	for _, s := range spans {
		archive = added(archive, lines[s.From:min(s.To, len(lines))])
	}
	return markdown.WithArchive(memory.WithoutLines(current, spans), archive)
}

// added returns a text with lines behind it, without the indentation of the first one.
func added(text string, lines []string) string {
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimPrefix(line, indent))
	}
	next := strings.TrimSpace(b.String())
	last := text[strings.LastIndexByte(text, '\n')+1:]
	between := "\n\n"
	if memory.ListPrefix(strings.TrimLeft(last, " \t")) != "" && memory.ListPrefix(next) != "" {
		between = "\n"
	}
	return strings.TrimSpace(text + between + next)
}
