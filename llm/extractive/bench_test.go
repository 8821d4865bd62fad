package extractive

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/memory/proposals"
	"reverie/memory/transcripts"
	"reverie/test/linear"
)

// longTranscript is 30 messages taken from the conversations of the corpus, in one language.
func longTranscript(tb testing.TB, lang string) proposals.ExtractionInput {
	tb.Helper()
	var in proposals.ExtractionInput
	for _, talk := range loadSet(tb, developmentSet) {
		if talk.Lang != lang {
			continue
		}
		one := inputOf(tb, &talk)
		if in.Today.IsZero() {
			in = one
			in.Transcript = nil
		}
		for _, l := range one.Transcript {
			l.Seq = int64(len(in.Transcript) + 1)
			l.Name = ""
			in.Transcript = append(in.Transcript, l)
			if len(in.Transcript) == 30 {
				return in
			}
		}
	}
	tb.Fatalf("no 30 messages in %s", lang)
	return in
}

// BenchmarkPropose reads a transcript of 30 messages, with empty files and with files near their ceilings.
func BenchmarkPropose(b *testing.B) {
	for _, lang := range []string{"en", "zh"} {
		in := longTranscript(b, lang)
		b.Run(lang, func(b *testing.B) {
			for b.Loop() {
				propose(in)
			}
		})
		full := in
		full.Profile = "# Profile\n\n## Background\n\n" + strings.Repeat("- Knows how to repair an old wooden sailing boat.\n", 70)
		full.Memory = "# Memory\n\n## Facts\n\n"
		for i := range 150 {
			full.Memory += fmt.Sprintf("- The port of service number %d in the cluster is %d.\n", i, 8000+i)
		}
		b.Run(lang+"/full files", func(b *testing.B) {
			for b.Loop() {
				propose(full)
			}
		})
	}
}

// TestLinear holds the time for a long message to a small multiple of what its length asks for: no rule backtracks.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	now := time.Date(2026, 3, 10, 10, 0, 0, 0, time.UTC)
	linear.Check(t, 250, []string{
		"I like tea and I live in Leeds. ", "我喜欢喝茶，我住在杭州。", "a ", ", and I ", "\"", "((((", "是不是", "not but ",
		"to to to ", "```\n", "- x\n", "https://a.b/c ", "我我我", "2026-01-01 ",
	}, func(text string) {
		propose(proposals.ExtractionInput{
			Today: now, ProfileMaxChars: 4000, MemoryMaxChars: 8000, Transcript: []transcripts.Line{{Seq: 1, Role: "user", Text: text}},
		})
	})
}
