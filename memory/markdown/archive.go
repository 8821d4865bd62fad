package markdown

import "strings"

// ArchiveHeading is the heading of the level-2 section with the statements that a document keeps although they no longer hold.
const ArchiveHeading = "Archived"

// ArchivedLines returns the lines of a document's archive, from 1, heading included and to inclusive; 0 and 0 if it has none.
func ArchivedLines(document string) (from, to int) {
	_, from, to, _ = archived(document)
	return from, to
}

// archived is TopSection for the archive. It parses only documents that have the word of its heading.
func archived(document string) (text string, from, to int, found bool) {
	if !strings.Contains(document, ArchiveHeading) {
		return "", 0, 0, false
	}
	return TopSection(document, ArchiveHeading)
}

// CutArchive returns a document without its archive, and the text of the archive without the heading.
func CutArchive(document string) (current, archive string) {
	text, _, _, found := archived(document)
	if !found {
		return document, ""
	}
	return WithoutTopSection(document, ArchiveHeading), text
}

// BlankArchive returns a document with empty lines in place of its archive, so that all others keep their numbers.
func BlankArchive(document string) string {
	from, to := ArchivedLines(document)
	if from == 0 {
		return document
	}
	lines := strings.SplitAfter(document, "\n")
	return strings.Join(lines[:from-1], "") + strings.Repeat("\n", to-from+1) + strings.Join(lines[to:], "")
}

// WithArchive returns a document with the text as its archive, which is its last section. An empty text removes it.
func WithArchive(document, text string) (string, error) {
	if _, _, found := topSpan(document, ArchiveHeading); found {
		document = WithoutTopSection(document, ArchiveHeading)
	}
	if isBlank(text) {
		return document, nil
	}
	return WithTopSection(document, ArchiveHeading, text)
}

// WithoutTopSection removes the first level-2 section with the given heading; every other line of text stays.
func WithoutTopSection(document, heading string) string {
	start, end, found := topSpan(document, heading)
	if !found {
		return document
	}
	before, behind := document[:start], document[end:]
	if isBlank(behind) && !isBlank(before) {
		return strings.TrimRight(before, "\r\n") + "\n"
	}
	return before + behind
}
