// Package scan decides whether a text may become memory: it quarantines attacks on the model and redacts secrets.
package scan

import (
	"slices"
	"strings"

	"reverie/scan/match"
	"reverie/scan/secret"
)

// Finding is one reason for redacting or quarantining a text. It repeats nothing of the text.
type Finding struct {
	Class string `json:"class"` // invisible, override, exfiltration, html or secret
	Rule  string `json:"rule"`
	Line  int    `json:"line"` // from 1
}

// IsSecret reports whether the finding is a secret, which is redacted, and not an attack.
func (f Finding) IsSecret() bool { return f.Class == classSecret }

// Result is the result of a scan.
type Result struct {
	Verdict  Verdict
	Text     string // may be written: the text itself, or with its secrets replaced
	Findings []Finding
}

// Classes of findings.
const (
	classInvisible    = "invisible"
	classOverride     = "override"
	classExfiltration = "exfiltration"
	classHTML         = "html"
	classSecret       = "secret"
)

const (
	// maxPasses bounds how often a redacted text is scanned again. Ordinary text needs two passes. A text in which each
	// redaction uncovers another secret is quarantined.
	maxPasses = 8
	// maxFindings bounds the findings recorded for one text. Further secrets are still redacted.
	maxFindings = 100
)

// Scan decides whether a text may become memory.
//
// Orders to the model, commands that send data away, active HTML and characters that hide text are quarantined. Secrets and
// harmless invisible characters are removed and the rest may be written; a second scan allows it. A text without findings
// is returned unchanged. Secrets are also removed from the text of a quarantined result, for reviewers; that text must not
// become memory.
//
// The rules match the form of an order rather than single words, to keep false alarms as rare as misses. Lines of findings
// refer to the text as given. There is one finding per rule and line, at most maxFindings.
func Scan(text string) Result {
	s := newScanner(text)
	for range maxPasses {
		if changed := s.pass(); !changed || s.blocked {
			return s.result(text)
		}
	}
	s.block(classSecret, "endless", 0)
	return s.result(text)
}

// scanner is the state of one scan.
type scanner struct {
	text     string // valid UTF-8, as edited so far
	lower    string // text with its ASCII letters in lower case
	starts   []int  // offset of each line
	numbers  []int  // line number in the text as given, from 1, of each line
	findings []Finding
	named    map[Finding]bool
	blocked  bool
	edited   bool
}

func newScanner(text string) *scanner {
	s := &scanner{named: map[Finding]bool{}}
	s.set(strings.ToValidUTF8(text, "\uFFFD"))
	s.numbers = make([]int, len(s.starts))
	for i := range s.numbers {
		s.numbers[i] = i + 1
	}
	return s
}

// set replaces the text to scan.
func (s *scanner) set(text string) {
	s.text, s.lower = text, lowerASCII(text)
	s.starts = append(s.starts[:0], 0)
	for at := range len(text) {
		if text[at] == '\n' {
			s.starts = append(s.starts, at+1)
		}
	}
}

// pass applies every rule once and reports whether it changed the text.
func (s *scanner) pass() bool {
	removed := s.hidden()
	s.apply(removed)
	s.overrides(fold(s.text))
	s.encoded()
	s.disguised()
	s.exfiltration()
	s.html()
	redacted := s.secrets()
	s.apply(redacted)
	return len(removed)+len(redacted) > 0
}

func (s *scanner) result(given string) Result {
	switch {
	case s.blocked:
		return Result{Verdict: VerdictQuarantine, Text: s.text, Findings: s.findings}
	case s.edited:
		return Result{Verdict: VerdictRedact, Text: s.text, Findings: s.findings}
	default:
		return Result{Verdict: VerdictAllow, Text: given}
	}
}

// block quarantines the text for a finding in the line with this index.
func (s *scanner) block(class, rule string, line int) {
	s.blocked = true
	s.find(class, rule, line)
}

// find records a finding.
func (s *scanner) find(class, rule string, line int) {
	f := Finding{Class: class, Rule: rule, Line: s.numbers[line]}
	if s.named[f] || len(s.findings) == maxFindings {
		return
	}
	s.named[f] = true
	s.findings = append(s.findings, f)
}

// line returns the index of the line at an offset.
func (s *scanner) line(at int) int { return lineAt(s.starts, at) }

// lineAt returns the index of the line at an offset, given the offsets of all lines.
func lineAt(starts []int, at int) int {
	i, exact := slices.BinarySearch(starts, at)
	if !exact {
		i--
	}
	return i
}

// secrets finds keys, passwords and card numbers, and returns the edits that redact them. The surrounding text stays, so
// that memory still records what it was.
func (s *scanner) secrets() []edit {
	var edits []edit
	for _, f := range secret.Find(s.text, s.lower) {
		if last := len(edits) - 1; last >= 0 && f.From < edits[last].to {
			edits[last].to = max(edits[last].to, f.To) // two rules match parts of one secret
			continue
		}
		s.find(classSecret, f.Kind, s.line(f.From))
		edits = append(edits, edit{from: f.From, to: f.To, with: secret.Placeholder(f.Kind)})
	}
	return edits
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

// apply makes edits, which are sorted and do not overlap.
func (s *scanner) apply(edits []edit) {
	if len(edits) == 0 {
		return
	}
	s.edited = true
	var text strings.Builder
	text.Grow(len(s.text))
	numbers := make([]int, 0, len(s.numbers))
	kept, line := 0, 0
	for _, e := range edits {
		text.WriteString(s.text[kept:e.from])
		text.WriteString(e.with)
		kept = e.to
		if breaks := strings.Count(s.text[e.from:e.to], "\n"); breaks > 0 {
			last := s.line(e.from)
			numbers = append(numbers, s.numbers[line:last+1]...)
			line = last + 1 + breaks
		}
	}
	text.WriteString(s.text[kept:])
	s.numbers = append(numbers, s.numbers[line:]...)
	s.set(text.String())
}

// Verdict is the decision of a scan.
type Verdict string

const (
	// VerdictAllow means that the text is written unchanged.
	VerdictAllow Verdict = "allow"
	// VerdictRedact means that the text is written with its secrets replaced by placeholders.
	VerdictRedact Verdict = "redact"
	// VerdictQuarantine means that the text is not written.
	VerdictQuarantine Verdict = "quarantine"
)

type literals[T any] = match.Literals[T]

func isWordByte(b byte) bool { return match.IsWordByte(b) }

func isWide(r rune) bool { return match.IsWide(r) }

func window(text string, at, size int) string { return match.Window(text, at, size) }

// lowerASCII returns text with its ASCII letters in lower case. Offsets stay the same.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + ('a' - 'A')
		}
	}
	return string(lower)
}

// Redacted returns a text without its secrets, line by line: the number of its lines stays the same, so that line numbers still fit.
//
// It is for passages that were not scanned when they were stored, such as messages. A passage may begin or end within a private key,
// so lines that can only be a part of one are redacted too.
func Redacted(text string) string {
	s := newScanner(text)
	for range maxPasses {
		edits := s.secrets()
		if len(edits) == 0 {
			for _, f := range secret.KeyParts(s.text) {
				edits = append(edits, edit{from: f.From, to: f.To, with: secret.Placeholder(f.Kind)})
			}
		}
		if len(edits) == 0 {
			break
		}
		for i, e := range edits {
			edits[i].with += strings.Repeat("\n", strings.Count(s.text[e.from:e.to], "\n"))
		}
		s.apply(edits)
	}
	if !s.edited {
		return text
	}
	return s.text
}
