package proposals

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reverie/language/claim"
	"reverie/memory/grounding"
	"reverie/memory/structured"
	"reverie/scan"
)

// MergeInput are the current entries of a structured document, of which a model merges like ones. All of it is data, never instruction.
type MergeInput struct {
	Entries []MergeEntry
	Today   time.Time
	Model   string // overrides the server's model; empty for the default

	Violations []string // of the repair round: what was wrong with Previous
	Previous   string
}

// MergeEntry is an entry that may be merged with others.
type MergeEntry struct{ Key, Content string }

// Merged is one entry in place of several.
type Merged struct {
	Entries []int  `json:"entries"` // at least two, from 1
	Key     string `json:"key"`     // of one of them
	Content string `json:"content"`
}

// ParseMerged reads an answer; one without merged entries is valid.
func ParseMerged(raw string) ([]Merged, error) {
	if len(raw) > maxAnswerBytes {
		return nil, errTooBig
	}
	text := unwrapped(raw)
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, fmt.Errorf("the answer has no JSON object")
	}
	var answer struct {
		Merged []Merged `json:"merged"`
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), &answer); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return answer.Merged, nil
}

// minMergedKept is the share of the words of an entry that stays in the one that takes its place. All of its names and numbers do.
const minMergedKept = .7

// Check returns what is wrong with merged entries: each says what the entries say that it replaces, in their words, and nothing else.
func (in MergeInput) Check(all []Merged) (violations []Violation) {
	used := map[int]bool{}
	for n, m := range all {
		bad := func(code, format string, args ...any) {
			violations = append(violations, Violation{Code: code, Message: fmt.Sprintf("merged entry %d: ", n+1) + fmt.Sprintf(format, args...)})
		}
		var parts []MergeEntry
		for _, i := range m.Entries {
			if i < 1 || i > len(in.Entries) || used[i] {
				bad("entries", "there is no entry %d, or it is named twice", i)
				continue
			}
			used[i] = true
			parts = append(parts, in.Entries[i-1])
		}
		size := utf8.RuneCountInString(m.Content)
		longest := 0
		for _, p := range parts {
			longest += utf8.RuneCountInString(p.Content) + 1
		}
		switch {
		case len(parts) < 2: //nolint:mnd // one entry is not merged
			bad("entries", "name at least two entries that say the same thing")
			continue
		case !slices.ContainsFunc(parts, func(p MergeEntry) bool { return p.Key == m.Key }):
			bad("key", "the key is that of one of the entries")
		case strings.TrimSpace(m.Content) == "" || size > min(structured.MaxContent, longest):
			bad("content", "the content is not empty, and at most as long as the entries together")
		case strings.Contains(m.Content, "#") || slices.ContainsFunc(strings.Split(m.Content, "\n"), structured.IsSourceLine):
			bad("content", "the content has no headings and no source line")
		case scan.Scan(m.Content).Verdict == scan.VerdictQuarantine:
			bad("injection", "the content reads like an instruction")
		}
		mergedWords(parts, m, bad)
		documents := make([]string, len(parts))
		for i, p := range parts {
			documents[i] = p.Key + "\n" + p.Content
		}
		ground := grounding.New(grounding.Evidence{Documents: documents, Day: in.Today})
		for line := range strings.Lines(m.Content) {
			for _, f := range ground.Check(line, m.Key) {
				bad("ungrounded", "no entry says %q (%s)", f.Value, f.Code)
			}
		}
	}
	return violations
}

// mergedWords compares the words of an entry with those of the entries that it replaces.
func mergedWords(parts []MergeEntry, m Merged, bad func(code, format string, args ...any)) {
	is := claim.WordsOf(m.Content).Stems()
	has := func(all []string, w string) bool { _, found := slices.BinarySearch(all, w); return found }
	var said []string
	for _, p := range parts {
		words := claim.WordsOf(p.Content)
		said = append(append(said, words.Stems()...), claim.WordsOf(p.Key).Stems()...)
		kept := 0
		for _, w := range words.Stems() {
			if has(is, w) {
				kept++
			}
		}
		if float64(kept) < minMergedKept*float64(len(words.Stems())) {
			bad("lost", "it leaves out much of %q", p.Content)
		}
		for _, u := range words.Units[min(1, len(words.Units)):] { // a capital letter at the beginning says nothing
			if u.Exact && !has(is, u.Key[strings.Index(u.Key, "~")+1:]) {
				bad("lost", "it leaves out a name or number of %q", p.Content)
				break
			}
		}
		if words.Turns != claim.WordsOf(m.Content).Turns && words.Turns&claim.Negated != claim.WordsOf(m.Content).Turns&claim.Negated {
			bad("lost", "it contradicts %q", p.Content)
		}
	}
	slices.Sort(said)
	for _, w := range is {
		if !has(said, w) {
			bad("ungrounded", "no entry says %q: use their words only", w)
		}
	}
}
