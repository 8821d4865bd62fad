package grounding_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/grounding"
	"reverie/memory/proposals"
	"reverie/memory/transcripts"
)

// A supposition that continues in a sentence without any cue is read.
func TestSuppositionsContinue(t *testing.T) {
	for _, text := range []string{
		"Thought experiment: gravity stops. Oceans float away. What happens next?", "Assume rates rise. Bonds fall. What happens to gold?",
		"Angenommen die Zinsen steigen. Anleihen fallen. Was passiert mit Gold?", "Supongamos que suben los tipos. Los bonos caen. ¿Qué pasa con el oro?",
		"Imaginons que les taux montent. Les obligations baissent. Que devient l'or ?",
		"Immaginiamo che i tassi salgano. Le obbligazioni calano. Cosa succede all'oro?", "假设利率上升。债券下跌。黄金会怎么样？",
	} {
		g := groundOf(text)
		if faults := g.Check("- Gold was sold in 1987"); len(faults) == 0 {
			t.Errorf("%s: an invented line passes", text)
		}
	}
}

// Every conversation of the corpus can be read, whatever set it is from.
func TestTheCorpusIsRead(t *testing.T) {
	for _, set := range sets {
		if n := len(talksOf(t, set)); n == 0 {
			t.Errorf("%s: no conversations", set)
		}
	}
}

// Whatever sentences a message has, in whatever order, the guard and the built-in engine read it.
func TestAnyMessagesAreRead(t *testing.T) {
	var sentences []string
	var lines []string
	for _, c := range talks(t) {
		for _, m := range c.Messages {
			sentences = append(sentences, strings.FieldsFunc(m.Text, func(r rune) bool { return strings.ContainsRune(".!?\n。！？", r) })...)
		}
		for _, k := range c.Keep {
			lines = append(lines, k.Says)
		}
	}
	ends := rapid.SampledFrom([]string{". ", "? ", "! ", "\n", "", ": ", "。", "？", " \"", "\n> ", "```\n"})
	cut := rapid.Custom(func(t *rapid.T) string { // between any two characters
		s := []rune(rapid.SampledFrom(sentences).Draw(t, "sentence"))
		if len(s) > 0 && rapid.IntRange(0, 3).Draw(t, "cuts") == 0 {
			s = s[rapid.IntRange(0, len(s)-1).Draw(t, "from"):]
		}
		return string(s) + ends.Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		in := proposals.ExtractionInput{Agent: "Ada", Today: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), ProfileMaxChars: 4000, MemoryMaxChars: 8000}
		for i := range rapid.IntRange(1, 5).Draw(t, "messages") {
			in.Transcript = append(in.Transcript, transcripts.Line{
				Seq: int64(i + 1), Role: rapid.SampledFrom([]string{memory.RoleOfUser, memory.RoleOfUser, memory.RoleOfAssistant}).Draw(t, "role"),
				Name: rapid.SampledFrom([]string{"", "", "Bo", "安娜"}).Draw(t, "name"), Text: strings.Join(rapid.SliceOfN(cut, 0, 6).Draw(t, "text"), ""), At: in.Today,
			})
		}
		in.Memory = "# Memory\n\n- " + rapid.SampledFrom(lines).Draw(t, "known") + "\n"
		g := proposals.GroundOf(in)
		for range 3 {
			g.Check("- " + rapid.SampledFrom(lines).Draw(t, "line"))
		}
		g.Check("- "+cut.Draw(t, "proposed"), "## "+cut.Draw(t, "heading"))
		if _, err := extractive.New().Propose(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	})
}

// evidenceOf returns the evidence of what a user says.
func evidenceOf(texts ...string) grounding.Evidence {
	e := grounding.Evidence{Day: noon}
	for _, text := range texts {
		e.Transcript = append(e.Transcript, line(memory.RoleOfUser, text))
	}
	return e
}

func groundOf(texts ...string) *grounding.Ground { return grounding.New(evidenceOf(texts...)) }

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func line(role, text string) transcripts.Line {
	return transcripts.Line{Role: role, Text: text, At: noon}
}
