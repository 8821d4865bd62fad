package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/search/searchtest"
)

func TestExcerptOf(t *testing.T) {
	numbered := "one\ntwo\r\nthree\n\nfive"
	for _, c := range []struct {
		name, content string
		options       Options
		want          Excerpt
	}{
		{"all", numbered, Options{}, Excerpt{Text: numbered, From: 1, Lines: 5, Total: 5}},
		{"a final line break", "one\ntwo\n", Options{}, Excerpt{Text: "one\ntwo", From: 1, Lines: 2, Total: 2}},
		{
			"a Windows line break", "one\r\ntwo\r\n",
			Options{Lines: 1},
			Excerpt{Text: "one", From: 1, Lines: 1, Total: 2, Truncated: true, NextFrom: 2},
		},
		{
			"some lines", numbered,
			Options{From: 2, Lines: 2},
			Excerpt{Text: "two\r\nthree", From: 2, Lines: 2, Total: 5, Truncated: true, NextFrom: 4},
		},
		{"the last lines", numbered, Options{From: 4, Lines: 9}, Excerpt{Text: "\nfive", From: 4, Lines: 2, Total: 5}},
		{"a blank line", numbered, Options{From: 4, Lines: 1}, Excerpt{From: 4, Lines: 1, Total: 5, Truncated: true, NextFrom: 5}},
		{"behind the end", numbered, Options{From: 6}, Excerpt{From: 6, Total: 5}},
		{"in front of the beginning", "one", Options{From: -3, Skip: -1}, Excerpt{Text: "one", From: 1, Lines: 1, Total: 1}},
		{"nothing", "", Options{}, Excerpt{From: 1}},
		{
			"as many characters as fit", "four\nfour\nfour",
			Options{Characters: 9},
			Excerpt{Text: "four\nfour", From: 1, Lines: 2, Total: 3, Truncated: true, NextFrom: 3},
		},
		{
			"one character less", "four\nfour\nfour",
			Options{Characters: 8},
			Excerpt{Text: "four", From: 1, Lines: 1, Total: 3, Truncated: true, NextFrom: 2},
		},
		{
			"a long line", "里斯本\nfour",
			Options{Characters: 2},
			Excerpt{Text: "里斯", From: 1, Lines: 1, Total: 2, Truncated: true, NextFrom: 1, NextSkip: 2},
		},
		{"its rest", "里斯本\nfour", Options{Skip: 2, Characters: 6}, Excerpt{Text: "本\nfour", From: 1, Lines: 2, Total: 2}},
		{
			"a long line of a family", "👨‍👩‍👧👨‍👩‍👧",
			Options{Characters: 7},
			Excerpt{Text: "👨‍👩‍👧", From: 1, Lines: 1, Total: 1, Truncated: true, NextFrom: 1, NextSkip: 5},
		},
		{
			"less than a cluster", "👨‍👩‍👧",
			Options{Characters: 1},
			Excerpt{Text: "👨", From: 1, Lines: 1, Total: 1, Truncated: true, NextFrom: 1, NextSkip: 1},
		},
	} {
		if diff := cmp.Diff(c.want, Of(c.content, c.options)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestExcerptBehind reads messages 41 to 43 of a conversation, two of which fit.
func TestExcerptBehind(t *testing.T) {
	want := Excerpt{Text: "one\ntwo", From: 41, Lines: 2, Total: 43, Truncated: true, NextFrom: 43}
	if diff := cmp.Diff(want, Of("one\ntwo\nthree\n", Options{Lines: 2}).Behind(40)); diff != "" {
		t.Error(diff)
	}
	if e := Of("one", Options{}).Behind(40); e.NextFrom != 0 {
		t.Errorf("%+v", e)
	}
}

// TestExcerptOfDefaults checks the defaults of 120 lines and 12,000 characters.
func TestExcerptOfDefaults(t *testing.T) {
	if e := Of(strings.Repeat("a\n", 121), Options{}); e.Lines != 120 || e.NextFrom != 121 {
		t.Errorf("%d lines, then %d", e.Lines, e.NextFrom)
	}
	if e := Of(strings.Repeat("é", 12_001), Options{}); utf8.RuneCountInString(e.Text) != 12_000 || e.NextSkip != 12_000 {
		t.Errorf("%d characters, then %d", utf8.RuneCountInString(e.Text), e.NextSkip)
	}
}

// TestExcerptsAreTheDocument checks that following NextFrom and NextSkip reads everything exactly once.
func TestExcerptsAreTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := searchtest.Markdown().Draw(t, "content")
		o := Options{Lines: rapid.IntRange(1, 9).Draw(t, "lines"), Characters: rapid.IntRange(1, 300).Draw(t, "characters")}
		var read strings.Builder
		for round := 0; ; round++ {
			e := Of(content, o)
			if utf8.RuneCountInString(e.Text) > o.Characters || e.Lines > o.Lines {
				t.Fatalf("more than was asked for: %+v", e)
			}
			if e.Truncated != (e.NextFrom > 0) {
				t.Fatalf("says that more follows, and where: %+v", e)
			}
			read.WriteString(strings.ReplaceAll(e.Text, "\r\n", "\n"))
			if !e.Truncated {
				break
			}
			if e.NextSkip == 0 {
				read.WriteString("\n")
			}
			if e.NextFrom < e.From || e.NextFrom == e.From && e.NextSkip <= o.Skip || round > len(content) {
				t.Fatalf("does not go on: %+v", e)
			}
			o.From, o.Skip = e.NextFrom, e.NextSkip
		}
		var said []string
		for line := range strings.Lines(content) {
			text, _ := strings.CutSuffix(line, "\n")
			if text != line {
				text = strings.TrimSuffix(text, "\r")
			}
			said = append(said, text)
		}
		if got, want := read.String(), strings.Join(said, "\n"); got != want {
			t.Fatalf("read %q, want %q", got, want)
		}
	})
}

func FuzzExcerptOf(f *testing.F) {
	f.Add("one\r\ntwo\n", 1, 0, 1, 2)
	f.Fuzz(func(t *testing.T, content string, from, skipped, lines, characters int) {
		e := Of(content, Options{From: from, Skip: skipped, Lines: lines, Characters: characters})
		if !strings.Contains(content, e.Text) || e.Lines > e.Total || e.Truncated != (e.NextFrom > 0) || e.NextFrom > e.Total {
			t.Fatalf("%+v", e)
		}
	})
}
