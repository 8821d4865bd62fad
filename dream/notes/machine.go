package notes

import (
	"regexp"
	"slices"
	"strings"
)

// comment is what Markdown does not show.
var HtmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// PromotedHeading begins the headings under which dreams without a model write what they promote; the date follows.
const PromotedHeading = "Promoted From Short-Term Memory"

var (
	// machineMarks are what dreams put into what they write.
	machineMarks = regexp.MustCompile(`(?i)<!--\s*(?:reverie\b|[^>]*\bscore [01]?\.\d+|openclaw-memory-promotion)`)
	// machineHeading are headings of what dreams write: promotions, entries of the diary, reports of the phases. A person may well
	// have a heading "Dreams".
	machineHeading = regexp.MustCompile(`(?i)^(?:` + PromotedHeading + `|dreams of \d{4}-\d{2}$|(?:light|rem|deep) sleep\b|\d{4}-\d{2}-\d{2} \d{2}:\d{2} dream(?:$| \[))`)
	// machineLines are lines of the diary and the reports.
	machineLines = regexp.MustCompile(`^(?:One entry for each dream, the newest last|Entries of DREAMS\.md, shortened|Looked at \d+ notes?, \d+ conversations?\b|(?:Came into|Went out of) MEMORY\.md\b|MEMORY\.md stays as it was|Report [0-9a-f]{8}-[0-9a-f-]{27}\.)|` +
		`\((?:score [01]\.\d\d, (?:promoted|kept|rejected)|confidence [01]\.\d\d\)$)|: strength [01]\.\d\d, \d+ days?$`)
	// machineWords are those of which machineLines has one in each line: most texts have none, and need no closer look.
	machineWords = []string{"MEMORY.md", "DREAMS.md", "Looked at", "Report ", "One entry", "promoted", "kept", "rejected", "confidence", "strength"}
	// machineReports are the parts of a line of a report; a line with three of them was not written by a person.
	machineReports = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:candidate|reflection|theme|likely truth|promoted|kept|rejected)s?\b\s*[:(]`),
		regexp.MustCompile(`(?i)\b(?:confidence|score|strength)\b\W{0,3}[01]\.\d+`),
		regexp.MustCompile(`(?i)\bmemory/\d{4}-\d{2}-\d{2}[\w-]*\.md\b`),
		regexp.MustCompile(`(?i)\b(?:recalls|signals|status|evidence)\b\W{0,3}\w`),
	}
)

// reportParts is how many parts of a report make a line of one.
const reportParts = 3

// MachineText reports whether a text was written by a dream, or is a transcript of what one wrote: it is never a statement, so
// that a dream does not feed on itself.
func MachineText(text string) bool {
	if strings.Contains(text, PromotedHeading) || strings.Contains(text, "<!--") && machineMarks.MatchString(text) {
		return true
	}
	if slices.ContainsFunc(machineWords, func(word string) bool { return strings.Contains(text, word) }) && machineLines.MatchString(text) {
		return true
	}
	if !strings.Contains(text, "memory/") && !strings.Contains(text, "0.") && !strings.Contains(text, "1.") {
		return false // the other two parts do not suffice
	}
	parts := 0
	for _, p := range machineReports {
		if p.MatchString(text) {
			parts++
		}
	}
	return parts >= reportParts
}
