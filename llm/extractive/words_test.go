package extractive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory/proposals"
)

// Any words of the lists of cues and dates, in any order, make a proposal: a rule that fails on some words fails wherever people use them.
func TestAnyWords(t *testing.T) {
	paths, err := filepath.Glob("../../language/cue/words/*.txt")
	if err != nil || len(paths) < 12 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		lang := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(lang, func(t *testing.T) {
			phrases := []string{",", ".", "?", ":", "\n", "3", "12", "2027", "9.30", "75 mg", "Anna", "Lima", "5/4", "[", "]", "\"", "(", ")"}
			for _, file := range []string{path, "../../language/date/words/" + lang + ".txt"} {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(raw)) {
					if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
						continue
					}
					for _, phrase := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|,:()<>*_\n", r) }) {
						phrases = append(phrases, strings.TrimSpace(phrase))
					}
				}
			}
			message := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(phrases), 1, 14), func(words []string) string { return strings.Join(words, " ") })
			rapid.Check(t, func(t *rapid.T) {
				in := said("u: "+message.Draw(t, "first"), "a: "+message.Draw(t, "answer"), "u: "+message.Draw(t, "second"), "a: OK.")
				in.Profile, in.Memory = "- "+message.Draw(t, "profile"), "- "+message.Draw(t, "memory")
				a, err := answerOf(propose(in))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := proposals.ParseProposal(a.Raw); err != nil {
					t.Fatalf("%v: %s", err, a.Raw)
				}
			})
		})
	}
}
