package dream

import (
	"regexp"
	"strings"
)

// comment is what Markdown does not show.
var htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// PromotedHeading begins the headings under which dreams without a model write what they promote; the date follows.
const PromotedHeading = "Promoted From Short-Term Memory"

var (
	// machineMarks are what dreams put into what they write.
	machineMarks = regexp.MustCompile(`(?i)<!--\s*(?:reverie\b|[^>]*\bscore [01]?\.\d+|openclaw-memory-promotion)`)
	// machineHeading are headings of what dreams write.
	machineHeading = regexp.MustCompile(`(?i)^(?:` + PromotedHeading + `|dream diary\b|dreams?$|(?:light|rem|deep) sleep\b|dream report\b|(?:\d{4}-\d{2}-\d{2}\s+)?(?:\d{2}:\d{2}\s+)?dream(?:ing)?\s*(?:\[|\(|of\b|$))`)
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
