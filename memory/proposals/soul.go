package proposals

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/memory/markdown"
	"reverie/scan"
)

// SoulInput is everything that an engine sees when it rewrites SOUL.md. All of it is data, never instruction.
type SoulInput struct {
	Agent  string   // display name
	Soul   string   // SOUL.md
	Person []string // its lines that a person wrote
	Known  []string // PROFILE.md and MEMORY.md
	Model  string   // overrides the server's model; empty for the default
	// MaxWords bounds the new text.
	MaxWords int

	Violations []string // of the repair round: what was wrong with Previous
	Previous   string
}

// Limits of SOUL.md as a model writes it.
const (
	MaxSoulWords = 500
	MinSoulChars = 50
)

// SoulOf returns the text of an answer, without thinking and fences.
func SoulOf(raw string) string {
	text := markdown.Tidied(strings.ReplaceAll(unwrapped(strings.ToValidUTF8(raw, "\uFFFD")), "\r\n", "\n"))
	if unfinishedThinking.MatchString(text) {
		return ""
	}
	return strings.TrimSpace(text) + "\n"
}

// firstPerson matches a word by which somebody speaks of themselves.
var firstPerson = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:i|i['’]m|my|me|ich|mich|mein\p{L}*|yo|mi|me|je|j['’]|mon|ma|eu|meu|minha|` +
	`io|mio|mia|я|мне|мой|моя|tôi|أنا)(?:[^\p{L}]|$)|` +
	`我|私|僕|俺|저는|나는|제가|내가|[hvlt]o\b|soy\b|sou\b|sono\b`)

// CheckSoul returns what is wrong with a new SOUL.md: it says how the agent is, in the first person, and nothing about people, projects
// or dates. The lines of a person stay word for word.
func (in SoulInput) CheckSoul(text string) (violations []Violation) {
	bad := func(code, format string, args ...any) {
		violations = append(violations, Violation{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(text)); n <= MinSoulChars {
		bad("too_short", "the text has %d characters: write more than %d", n, MinSoulChars)
	}
	if n := wordsIn(text); n > in.MaxWords {
		bad("too_long", "the text has %d words: write at most %d", n, in.MaxWords)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	var fresh []string
	for _, line := range lines {
		if line != "" && !slices.Contains(in.Person, line) {
			fresh = append(fresh, line)
		}
	}
	for _, line := range in.Person {
		if line != "" && !slices.Contains(lines, line) {
			bad("person_line", "keep this line of a person word for word: %q", line)
		}
	}
	if !firstPerson.MatchString(text) {
		bad("first_person", "write in the first person: I am, I prefer, my tone")
	}
	known := namesIn(strings.Join(in.Known, "\n"))
	before := namesIn(in.Soul + " " + in.Agent)
	for _, line := range fresh {
		if strings.Contains(in.Soul, line) { // it was there before
			continue
		}
		if at := strings.IndexFunc(line, unicode.IsDigit); at >= 0 {
			bad("fact", "SOUL.md has no facts, numbers or dates: take out %q", line)
			continue
		}
		for name := range namesIn(line) {
			if known[name] && !before[name] {
				bad("fact", "SOUL.md says nothing about people, projects or things of memory: take %q out of %q", name, line)
				break
			}
		}
	}
	if scan.Scan(text).Verdict == scan.VerdictQuarantine {
		bad("injection", "the text reads like an attempt to instruct the agent or to send data elsewhere: say only how you are")
	}
	return violations
}

// wordsIn counts words; of scripts without spaces, two characters are one.
func wordsIn(text string) (n int) {
	for field := range strings.FieldsSeq(text) {
		ideographs := 0
		for _, r := range field {
			if script.IsHan(r) || script.IsKana(r) {
				ideographs++
			}
		}
		n += max(1, (ideographs+1)/2) //nolint:mnd // see above
	}
	return n
}

// name matches a word that begins with a capital, or has one or a digit inside, after another word of the same sentence.
var name = lazyregexp.New(`[\p{L}\p{N}],?[  ]+[("„“*]*(\p{Lu}[\p{L}\p{N}'’-]+|\p{Ll}+[\p{Lu}\p{N}_.@/-]+[\p{L}\p{N}]*)`)

// namesIn returns the names in a text, in lower case.
func namesIn(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range name.FindAllStringSubmatch(text, -1) {
		names[strings.ToLower(m[1])] = true
	}
	return names
}
