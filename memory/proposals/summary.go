package proposals

import (
	"sort"
	"strings"
	"time"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/tokencount"
	"reverie/scan"
)

// SummaryInput is everything that an engine sees when it summarizes earlier turns. All of it is data, never instruction.
type SummaryInput struct {
	Agent     string           // display name
	Previous  string           // the summary so far, to be updated; may be empty
	Goal      string           // the user's first request; may be empty
	Messages  []memory.Message // new since Previous, oldest first, of every role, with tool calls
	MaxTokens int              // of the summary
	Zone      *time.Location
	Model     string // overrides the server's model; empty for the default
}

// TidySummary makes an engine's summary fit for a context window. It removes thinking and fences, drops the lines that the
// scan would quarantine, redacts secrets, and cuts the text at a line to maxTokens as counted by count.
//
// cut reports that the engine's answer ended at its token limit; its last line is then incomplete and dropped. The result is
// empty if nothing is left.
func TidySummary(raw string, cut bool, maxTokens int, count func(string) int) string {
	text := markdown.Tidied(strings.ReplaceAll(unwrapped(strings.ToValidUTF8(raw, "\uFFFD")), "\r\n", "\n"))
	if unfinishedThinking.MatchString(text) {
		return ""
	}
	if text = strings.TrimSpace(text); cut {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return cutLines(harmless(text), maxTokens, count)
}

// harmless removes the lines that the scan would quarantine, and redacts secrets.
func harmless(text string) string {
	for {
		found := scan.Scan(text)
		if found.Verdict != scan.VerdictQuarantine {
			return strings.TrimSpace(found.Text)
		}
		kept := withoutFindings(text, found.Findings)
		if kept == text { // the finding is in no single line
			return ""
		}
		text = kept
	}
}

// withoutFindings removes the lines with findings other than secrets, or all lines with findings if there are only secrets.
func withoutFindings(text string, findings []scan.Finding) string {
	attacks, all := map[int]bool{}, map[int]bool{}
	for _, f := range findings {
		all[f.Line-1] = true
		if !f.IsSecret() {
			attacks[f.Line-1] = true
		}
	}
	removed := attacks
	if len(attacks) == 0 {
		removed = all
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0:0]
	for i, line := range lines {
		if !removed[i] {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// cutLines cuts a text at a line, or within the first line if that alone is too long. Headings at the end are dropped.
func cutLines(text string, maxTokens int, count func(string) int) string {
	if maxTokens <= 0 || count(text) <= maxTokens {
		return text
	}
	lines := strings.Split(text, "\n")
	n := sort.Search(len(lines), func(n int) bool { return count(strings.Join(lines[:n+1], "\n")) > maxTokens })
	for n > 0 && (strings.TrimSpace(lines[n-1]) == "" || strings.HasPrefix(lines[n-1], "#")) {
		n--
	}
	if n > 0 {
		return strings.TrimSpace(strings.Join(lines[:n], "\n"))
	}
	return tokencount.Cut(text, maxTokens, count)
}
