package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// example is a block of commands in a document with the output shown for it.
type example struct {
	line     int // first line of the commands, from 1
	commands string
	shown    string
	from, to int // lines of the output without its fences, from 0, to excluded
}

// Marks in the documents.
const (
	tested     = "<!-- tested -->"        // the next sh block is run; the text block after it is its output
	shownByDev = "<!-- shown by: dev -->" // the next text block is the output of dev
)

// examplesOf returns the examples that follow a mark. Examples of shownByDev have no commands.
func examplesOf(document, mark string) ([]example, error) {
	lines := strings.Split(document, "\n")
	var found []example
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != mark {
			continue
		}
		var e example
		next := i + 1
		if mark == tested {
			from, to, err := fenced(lines, next, "sh")
			if err != nil {
				return nil, err
			}
			e.line, e.commands = from+1, strings.Join(lines[from:to], "\n")+"\n"
			next = to + 1
		}
		from, to, err := fenced(lines, next, "text")
		if err != nil {
			return nil, err
		}
		e.from, e.to, e.shown = from, to, strings.Join(lines[from:to], "\n")
		found = append(found, e)
		i = to
	}
	return found, nil
}

// fenced returns the lines of the block of the given language that starts at the first non-blank line from at.
func fenced(lines []string, at int, language string) (from, to int, err error) {
	for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	if at == len(lines) || lines[at] != "```"+language {
		return 0, 0, fmt.Errorf("line %d: expected a ```%s block", at+1, language)
	}
	for end := at + 1; end < len(lines); end++ {
		if lines[end] == "```" {
			return at + 1, end, nil
		}
	}
	return 0, 0, fmt.Errorf("line %d: unclosed block", at+1)
}

// replaced returns the document with the given outputs of its examples.
func replaced(document string, examples []example, outputs []string) string {
	lines := strings.Split(document, "\n")
	for i, e := range slices.Backward(examples) {
		lines = append(lines[:e.from:e.from], append(strings.Split(strings.TrimRight(outputs[i], "\n"), "\n"), lines[e.to:]...)...)
	}
	return strings.Join(lines, "\n")
}

// differing lists what may differ between two equivalent runs, in the order of replacement.
var differing = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "DATE"},
	{regexp.MustCompile(`\b\d\d:\d\d\b`), "CLOCK"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "SHA256"},
	{regexp.MustCompile(`([PTG]\d+)\.[0-9a-f]{16}`), "$1.HASH"},
	{regexp.MustCompile(`"token": ?"\d+"`), `"token":"N"`},
	{regexp.MustCompile(`\breceipt \d+`), "receipt N"},
	{regexp.MustCompile(`rv_[A-Za-z0-9_-]{10,}|rv_…`), "KEY"},
	{regexp.MustCompile(`\b\d+(\.\d+)?m?s\b`), "DURATION"},
	{regexp.MustCompile(`\b\d+ migrations applied`), "N migrations applied"},
	{regexp.MustCompile(`(?m)^ *… .*\n`), ""}, // progress of slow steps of a first run
	{regexp.MustCompile(`[ \t]+`), " "},
	{regexp.MustCompile(`(?m) +$`), ""},
}

// normalised replaces what may differ between runs.
func normalised(output string) string {
	output += "\n"
	for _, d := range differing {
		output = d.pattern.ReplaceAllString(output, d.by)
	}
	return strings.TrimSpace(output)
}
