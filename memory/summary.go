package memory

import (
	"strings"
	"time"
)

// TidySummary makes what an engine wrote fit to stand in a context window: without thinking and fences around it, without the
// lines that the scan would quarantine, with its secrets taken out, and at most maxTokens long by count, cut at a line. cut says
// that the engine's answer ended where its token limit was: its last line is no whole one then. What is empty says nothing.
func TidySummary(raw string, cut bool, maxTokens int, count func(string) int) string {
	text := Tidied(strings.ReplaceAll(unwrapped(strings.ToValidUTF8(raw, "\uFFFD")), "\r\n", "\n"))
	if unfinishedThinking.MatchString(text) {
		return ""
	}
	if text = strings.TrimSpace(text); cut {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return fitted(harmless(text), maxTokens, count)
}

// harmless is a text without the lines that the scan would quarantine, and without secrets.
func harmless(text string) string {
	for {
		found := Scan(text)
		if found.Verdict != VerdictQuarantine {
			return strings.TrimSpace(found.Text)
		}
		kept := withoutFound(text, found.Findings)
		if kept == text { // the finding is in no single line of it
			return ""
		}
		text = kept
	}
}

// withoutFound is a text without the lines that have a finding other than a secret, which is redacted and not taken out.
func withoutFound(text string, found []Finding) string {
	lines := strings.Split(text, "\n")
	gone := map[int]bool{}
	for _, f := range found {
		if !f.IsSecret() {
			gone[f.Line-1] = true
		}
	}
	if len(gone) == 0 { // secrets that cannot be taken out
		for _, f := range found {
			gone[f.Line-1] = true
		}
	}
	kept := lines[:0:0]
	for i, line := range lines {
		if !gone[i] {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// fitted cuts a text to a number of tokens: at a line, or within the first line when that alone is too long. A heading that
// nothing follows any more goes as well.
func fitted(text string, maxTokens int, count func(string) int) string {
	if maxTokens <= 0 || count(text) <= maxTokens {
		return text
	}
	lines := strings.Split(text, "\n")
	// Whether n lines fit is true up to some n and false from there on.
	n := 0
	for low, high := 0, len(lines); low < high; {
		middle := (low + high + 1) / 2
		if count(strings.Join(lines[:middle], "\n")) <= maxTokens {
			low = middle
		} else {
			high = middle - 1
		}
		n = low
	}
	for n > 0 && (strings.TrimSpace(lines[n-1]) == "" || strings.HasPrefix(lines[n-1], "#")) {
		n--
	}
	if n > 0 {
		return strings.TrimSpace(strings.Join(lines[:n], "\n"))
	}
	return CutTokens(text, maxTokens, count)
}

// SummaryInput is all that an engine sees that summarises earlier turns. Everything in it is data, never instruction.
type SummaryInput struct {
	Agent     string    // display name
	Previous  string    // the summary so far, which is brought up to date; may be empty
	Goal      string    // the first thing that the user asked for; may be empty
	Messages  []Message // what is new since Previous, oldest first, in every role, tool calls included
	MaxTokens int       // of the summary
	Zone      *time.Location
	Model     string // overrides the server's model; empty for the default
}
