package memory

import (
	"slices"
	"strings"
)

// Finding is one reason why a text was redacted or quarantined. It never repeats the text.
type Finding struct {
	Class string `json:"class"` // invisible, override, exfiltration, html or secret
	Rule  string `json:"rule"`
	Line  int    `json:"line"` // from 1
}

// IsSecret reports whether the finding is a secret, which is redacted, and not an attack.
func (f Finding) IsSecret() bool { return f.Class == classSecret }

// ScanResult is what a scan decided.
type ScanResult struct {
	Verdict  Verdict
	Text     string // what may be written: the text itself, or with its secrets replaced
	Findings []Finding
}

// The classes of findings.
const (
	classInvisible    = "invisible"
	classOverride     = "override"
	classExfiltration = "exfiltration"
	classHTML         = "html"
	classSecret       = "secret"
)

const (
	// maxPasses bounds how often a redacted text is scanned again. Two are enough for anything people write; a text made
	// so that each redaction uncovers the next secret is quarantined.
	maxPasses = 8
	// maxFindings bounds what one text adds to the journal. More is redacted all the same.
	maxFindings = 100
)

// Scan decides whether a text may become memory.
//
// Orders to the model, commands that send data away, active HTML and characters that hide text quarantine it. Secrets and
// invisible characters that hide nothing are taken out, and the rest may be written: scanned again, it is allowed. A text
// without findings is returned as it is. The text of a quarantined result has its secrets taken out too, for those who
// review it; it must not become memory.
//
// Each rule at most says that a text looks like an attack, so false alarms are kept as rare as misses: rules ask for the
// shape of an order and not for single words. A finding's line is a line of the text as given. At most maxFindings are
// named, one for each rule and line.
func Scan(text string) ScanResult {
	s := newScanner(text)
	for range maxPasses {
		if changed := s.pass(); !changed || s.blocked {
			return s.result(text)
		}
	}
	s.block(classSecret, "endless", 0)
	return s.result(text)
}

// scanner is one scan under way.
type scanner struct {
	text     string // valid UTF-8, as edited so far
	lower    string // text with its ASCII letters in lower case
	starts   []int  // where each line of text begins
	numbers  []int  // which line of the text as given each line was, from 1
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

// set makes text the one to scan.
func (s *scanner) set(text string) {
	s.text, s.lower = text, lowerASCII(text)
	s.starts = append(s.starts[:0], 0)
	for at := range len(text) {
		if text[at] == '\n' {
			s.starts = append(s.starts, at+1)
		}
	}
}

// pass runs every rule once and reports whether it changed the text.
func (s *scanner) pass() bool {
	removed := s.hidden()
	s.apply(removed)
	s.overrides(fold(s.text))
	s.encoded()
	s.exfiltration()
	s.html()
	redacted := s.secrets()
	s.apply(redacted)
	return len(removed)+len(redacted) > 0
}

func (s *scanner) result(given string) ScanResult {
	switch {
	case s.blocked:
		return ScanResult{Verdict: VerdictQuarantine, Text: s.text, Findings: s.findings}
	case s.edited:
		return ScanResult{Verdict: VerdictRedact, Text: s.text, Findings: s.findings}
	default:
		return ScanResult{Verdict: VerdictAllow, Text: given}
	}
}

// block quarantines the text for what stands on its line with this index.
func (s *scanner) block(class, rule string, line int) {
	s.blocked = true
	s.find(class, rule, line)
}

// find records why the text is not written as it is.
func (s *scanner) find(class, rule string, line int) {
	f := Finding{Class: class, Rule: rule, Line: s.numbers[line]}
	if s.named[f] || len(s.findings) == maxFindings {
		return
	}
	s.named[f] = true
	s.findings = append(s.findings, f)
}

// line is the index of the line that an offset into the text stands on.
func (s *scanner) line(at int) int { return lineAt(s.starts, at) }

// lineAt is the index of the line that an offset stands on, where starts says at which offset each line begins.
func lineAt(starts []int, at int) int {
	i, exact := slices.BinarySearch(starts, at)
	if !exact {
		i--
	}
	return i
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

// apply makes edits, which are in order and do not overlap.
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

// Verdict is what the scan decided about a text.
type Verdict string

const (
	// VerdictAllow writes the text as it is.
	VerdictAllow Verdict = "allow"
	// VerdictRedact writes the text with its secrets replaced by placeholders.
	VerdictRedact Verdict = "redact"
	// VerdictQuarantine does not write the text.
	VerdictQuarantine Verdict = "quarantine"
)

// literals finds where one of many literals begins, in one pass over a text: the cheap question before a costly one.
type literals[T any] struct {
	byFirst   [256][]literal[T]
	wordStart bool // only where no letter or digit stands before, for literals that begin with one
}

type literal[T any] struct {
	text string
	of   T
}

func (l *literals[T]) add(text string, of T) {
	l.byFirst[text[0]] = append(l.byFirst[text[0]], literal[T]{text: text, of: of})
}

// each calls found with the range of every literal in text. Literals that begin at the same place are found each.
func (l *literals[T]) each(text string, found func(from, to int, of T)) {
	for at := range len(text) {
		candidates := l.byFirst[text[at]]
		if len(candidates) == 0 || l.wordStart && at > 0 && isWordByte(text[at]) && isWordByte(text[at-1]) {
			continue
		}
		for _, c := range candidates {
			if strings.HasPrefix(text[at:], c.text) {
				found(at, at+len(c.text), c.of)
			}
		}
	}
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// window is what follows an offset, at most size bytes: enough for an anchored pattern, and what keeps a scan linear.
func window(text string, at, size int) string {
	return text[at:min(at+size, len(text))]
}

// lowerASCII is text with its ASCII letters in lower case; every offset stays the same.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + ('a' - 'A')
		}
	}
	return string(lower)
}
