// Package remember handles explicit requests to remember, without a model and free of I/O: it parses them from messages and
// decides how they change MEMORY.md.
package remember

import (
	"slices"
	"strings"

	"reverie/facts"
	"reverie/language/cue"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
	"reverie/scan"
)

// Request is the content of an explicit request to remember.
type Request struct {
	Text     string // text to keep, in the user's words: one statement per line
	Language string // en, zh, vi, es, de, ja, fr, pt, ko, it, ru, ar
	// Secrets are the secrets that the scan of the whole text has replaced in Text.
	Secrets []scan.Finding
	// Refused is set when the scan quarantines the whole text; Text is the text as given then.
	Refused bool
}

// Scanned returns the request to keep a text. The whole text is scanned, because the lines of a private key, a password below its
// label or an order over several lines are not recognised one by one.
func Scanned(text string) Request {
	result := scan.Scan(text)
	if result.Verdict == scan.VerdictQuarantine {
		return Request{Text: text, Refused: true}
	}
	secrets := slices.DeleteFunc(result.Findings, func(f scan.Finding) bool { return !f.IsSecret() })
	if len(secrets) == 0 {
		return Request{Text: text}
	}
	return Request{Text: result.Text, Secrets: secrets}
}

// Kind is the outcome of a request.
type Kind string

// Kinds.
const (
	KindNew       Kind = "saved"
	KindKnown     Kind = "known"     // already in MEMORY.md
	KindCorrected Kind = "corrected" // replaces a line with another value
	KindUnclear   Kind = "unclear"   // contains nothing to keep
	KindHeld      Kind = "held"      // instructs the assistant: waits for a person
	KindNoted     Kind = "noted"     // may instruct the assistant: only in the day's note
)

// Decision is the effect of a request on MEMORY.md. With several statements its Kind is KindCorrected when one of them
// corrects a line, else KindNew when one is new.
type Decision struct {
	Kind    Kind
	Line    string // the line in MEMORY.md, new or existing; one per statement
	Old     string // the replaced line of a correction
	Content string // the full new text; empty when nothing changes
	Items   []Item // one for each statement, in order
}

// Item is the outcome of one statement.
type Item struct {
	Kind Kind
	Line string
	Old  string
}

// MarkAsked marks the lines that say what a person asked to remember in one of the messages that they come from. In a conversation of
// several persons none is marked, because a line may be about another one.
func MarkAsked(lines []memory.LineSource, transcript []transcripts.Line) []memory.LineSource {
	person, several := "", false
	said := map[int64]transcripts.Line{}
	for _, l := range transcript {
		if l.Role != memory.RoleOfUser {
			continue
		}
		several = several || len(said) > 0 && l.Name != person
		person, said[l.Seq] = l.Name, l
	}
	if several {
		return lines
	}
	requests := map[int64][]string{} // by message
	for i, l := range lines {
		lines[i].Asked = slices.ContainsFunc(l.Messages, func(seq int64) bool {
			m, known := said[seq]
			if !known {
				return false
			}
			if _, read := requests[seq]; !read {
				requests[seq] = requestsIn(m.Text)
			}
			return slices.ContainsFunc(requests[seq], func(kept string) bool { return facts.Alike(kept, markdown.LineKey(l.Line)) })
		})
	}
	return lines
}

// requestsIn returns what a message asks to remember, in the speaker's own words.
func requestsIn(message string) (kept []string) {
	reader := stance.Reader{Lang: cue.LanguageByCues(message)}
	for _, s := range reader.Read(message) {
		if s.Stance != stance.Own {
			continue
		}
		if r, is := Parse(s.Text); is && !r.Refused {
			kept = append(kept, strings.Split(r.Text, "\n")...)
		}
	}
	return kept
}
