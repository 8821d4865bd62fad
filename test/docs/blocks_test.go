package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// example is a block of commands in a document, with the output that the document shows for it.
type example struct {
	line     int // of the commands
	commands string
	shown    string
	from, to int // lines of the output, without its fences
}

// Marks in the documents.
const (
	tested     = "<!-- tested -->"        // the next sh block is run, and its output is the text block behind it
	shownByDev = "<!-- shown by: dev -->" // the next text block is what dev prints
)

// examplesOf finds the examples of a document behind a mark. An example that is shown by something else has no commands.
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

// fenced finds the block of the given language that begins at the first line which is not blank.
func fenced(lines []string, at int, language string) (from, to int, err error) {
	for at < len(lines) && strings.TrimSpace(lines[at]) == "" {
		at++
	}
	if at == len(lines) || lines[at] != "```"+language {
		return 0, 0, fmt.Errorf("line %d: a block ```%s is expected", at+1, language)
	}
	for end := at + 1; end < len(lines); end++ {
		if lines[end] == "```" {
			return at + 1, end, nil
		}
	}
	return 0, 0, fmt.Errorf("line %d: the block has no end", at+1)
}

// replaced is the document with other outputs of its examples.
func replaced(document string, examples []example, outputs []string) string {
	lines := strings.Split(document, "\n")
	for i, e := range slices.Backward(examples) {
		lines = append(lines[:e.from:e.from], append(strings.Split(strings.TrimRight(outputs[i], "\n"), "\n"), lines[e.to:]...)...)
	}
	return strings.Join(lines, "\n")
}

// What differs between two runs that show the same, in the order of replacing.
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
	{regexp.MustCompile(`(?m)^ *… .*\n`), ""}, // progress of what takes long the first time
	{regexp.MustCompile(`[ \t]+`), " "},
	{regexp.MustCompile(`(?m) +$`), ""},
}

// normalised is an output without what differs between runs.
func normalised(output string) string {
	output += "\n"
	for _, d := range differing {
		output = d.pattern.ReplaceAllString(output, d.by)
	}
	return strings.TrimSpace(output)
}
