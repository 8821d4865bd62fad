package memory

import (
	"slices"
	"strings"
)

// ImportPolicy says what becomes of a document that is moved in from another system when another one stands there already.
// One that is absent, deleted, or still as it was seeded is written by all of them.
type ImportPolicy string

const (
	// ImportMerge adds what the document does not say yet to its end, below a heading of its own.
	ImportMerge ImportPolicy = "merge"
	// ImportKeep leaves it as it is.
	ImportKeep ImportPolicy = "keep"
	// ImportOverwrite replaces it; the version before stays in the history.
	ImportOverwrite ImportPolicy = "overwrite"
)

// Valid reports whether p is one of the three policies.
func (p ImportPolicy) Valid() bool {
	return p == ImportMerge || p == ImportKeep || p == ImportOverwrite
}

// Outcomes of what is handed in, besides those of extractions.
const (
	// OutcomeUnchanged means that the document said all of it already.
	OutcomeUnchanged Outcome = "unchanged"
	// OutcomeMerged means that what was missing was added to a document that was there.
	OutcomeMerged Outcome = "merged"
)

// Limits of moving in. A batch has at most as many bytes as a request of the API may have.
const (
	MaxImportItems    = 100_000 // of one import
	MaxImportBatch    = 1000    // items that are uploaded at once
	MaxImportMessages = 10_000  // of one conversation
	MaxImportKey      = 300     // bytes of an item's key
	MaxImportLabel    = 200     // bytes of what a source is called
	MaxImportSource   = 128     // bytes of what identifies a source, such as a hash in hexadecimal
)

// IsSeed reports whether a document is still as it was seeded.
func IsSeed(path, content string) bool {
	return slices.ContainsFunc(Seeds(), func(s Seed) bool { return s.Path == path && s.Content == content })
}

// ImportedHeading is the heading below which statements of another system stand that came to a document that was there.
func ImportedHeading(from string) string { return "## Imported from " + from }

// MergeImported adds to a document what another one says and it does not: each missing statement (see EntriesOf) with the lines
// around it that say what it is about: the statements that enclose it, and its headings, which go below the one of the import.
// What was there stays as it is, to the byte. Nothing is added when nothing is missing.
func MergeImported(current, incoming, from string) string {
	lines := missingLines(current, incoming)
	if len(lines) == 0 {
		return current
	}
	heading := ImportedHeading(from)
	if l := lineTexts(current); len(l) > 0 && l[0] == "---" && frontMatter(l) == 0 {
		unruled(lines)
	}
	body := strings.Join(lines, "\n") + "\n"
	if strings.TrimSpace(current) == "" {
		return current + heading + "\n\n" + body
	}
	return strings.TrimRight(current, "\r\n") + "\n" + openEnd(current) + "\n" + heading + "\n\n" + body
}

// unruled has no line end what would be front matter then: the document begins with a rule that nothing ends. A space behind the
// dashes says the same in Markdown.
func unruled(lines []string) {
	for i, line := range lines {
		if line == "---" {
			lines[i] = line + " "
		}
	}
}

// openEnd ends what a document leaves open, code or a comment, of which everything behind it would be a part.
func openEnd(document string) string {
	lines := lineTexts(document)
	s := entryScan{lines: lines, open: -1}
	for s.at = frontMatter(lines); s.at < len(lines); s.at++ {
		s.line(lines[s.at])
	}
	switch {
	case s.fence != "":
		return s.fence + "\n"
	case s.comment:
		return "-->\n"
	}
	return ""
}

// missingLines are the lines of incoming that say what current does not, with their headings two levels deeper.
func missingLines(current, incoming string) []string {
	known := map[EntryID]bool{}
	for _, e := range EntriesOf(current) {
		known[e.ID] = true
	}
	lines := lineTexts(strings.ReplaceAll(incoming, "\r\n", "\n"))
	asWritten := slices.Clone(lines)
	entries := EntriesOf(incoming)
	keep := make([]bool, len(lines))
	for _, e := range entries {
		if known[e.ID] {
			continue
		}
		root := e
		for root.Parent >= 0 {
			root = entries[root.Parent]
		}
		_, indent := unindented(asWritten[root.FromLine-1], len(asWritten[root.FromLine-1]))
		for at := e; ; at = entries[at.Parent] {
			for n := at.FromLine - 1; n < min(at.ToLine, len(lines)); n++ {
				if !keep[n] { // what begins a list here may have stood below something else
					lines[n], _ = unindented(lines[n], indent)
				}
				keep[n] = true
			}
			if at.Parent < 0 {
				break
			}
		}
	}
	return importedLines(lines, keep)
}

// unindented takes at most limit spaces off the beginning of a line, and says how many.
func unindented(line string, limit int) (rest string, taken int) {
	taken = min(limit, len(line)-len(strings.TrimLeft(line, " ")))
	return line[taken:], taken
}

// importedDeeper is how much deeper the headings of an imported document go: below a heading of the second level.
const importedDeeper = 2

// importedLines are the kept lines with the headings above them, the rules of their tables, and the blank lines in between.
func importedLines(lines []string, keep []bool) []string {
	levels := map[int]heading{}
	for _, h := range headingsFrom(lines, frontMatter(lines)) {
		levels[h.line] = h
	}
	var out []string
	var above []heading // that are not written yet
	gap := false
	for i, line := range lines {
		h, isHeading := levels[i]
		switch {
		case isHeading:
			above = slices.DeleteFunc(above, func(a heading) bool { return a.level >= h.level })
			above, gap = append(above, h), true
			continue
		case !keep[i] && i > 0 && keep[i-1] && isTableRule(line): // the line below a table's head
		case !keep[i]:
			gap = gap || !strings.HasPrefix(line, "|") // a row of a table may be missing between two others
			continue
		}
		for _, a := range above {
			out = separated(out)
			out = append(out, strings.Repeat("#", min(a.level+importedDeeper, 6))+" "+a.text)
		}
		if len(above) > 0 || gap {
			out = separated(out)
		}
		above, gap = above[:0], false
		out = append(out, line)
	}
	return out
}

// separated ends lines with a blank one.
func separated(lines []string) []string {
	if n := len(lines); n == 0 || lines[n-1] == "" {
		return lines
	}
	return append(lines, "")
}

// isTableRule reports whether a line is the one between the head of a table and its rows.
func isTableRule(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|-: \t\r") == ""
}
