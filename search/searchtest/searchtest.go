// Package searchtest provides texts for tests of search.
package searchtest

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"
)

// Note is a memory file of 28 lines with front matter, nested headings and lists.
const Note = `---
title: Memory
tags: [anna, travel]
---

# Long-Term Memory

## Family

- Anna's birthday is on 12 May; she likes white lilies and hates surprises.
- Ben started school in Porto in September 2025 and walks there with Rosa.
- Grandmother Inês lives in Évora, Rua do Raimundo 14, and calls on Sundays.
- The dog is called Pastel, is afraid of thunder, and eats at seven and at six.

## Work

### Billing service

The service reads db_port from the environment, default 5432. Deployments go out on Tuesdays and Thursdays, never on Fridays,
after the smoke tests of staging are green. Ask Priya before touching the ledger tables.

### Oncall

One week in six.

### Travel

Seat on the aisle.
`

// Markdown draws documents that look like notes, and some that do not.
func Markdown() *rapid.Generator[string] {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "", "", " ", "# Title", "## 09:05 Morning", "## 14:05", "### Sub", "###### Deep", "---", "===", "***", "```",
			"```go", "~~~~", "    code",
			"- item", "  - nested item with a few more words", "    - deeper", "1. first", "2. second", "10) tenth", "* star", "-", "- [ ] open",
			"| a | b |", "|---|:-:|", "| 1 | 2 |", "> quoted", ">", "> ```", "<!-- note", "-->", "<pre>", "</pre>", "\t- tabbed", "func main() {",
			"Plain words that say something about db_port and RFC-7231.", "安娜的生日是五月十二日。她喜欢百合花！", "👨‍👩‍👧‍👦 at home 🇵🇹",
			"e\u0301te\u0301 à Évora", "ずっと東京に住んでいる。",
			"สวัสดีครับ ยินดีต้อนรับ", "привет, мир. Как дела?", "\u00a0", "\ufeff", "a\rb", "\x00",
		}),
		rapid.StringN(0, 60, -1),
		rapid.Map(rapid.IntRange(1, 120), func(n int) string { return strings.Repeat("word and ", n) }),
		rapid.Map(rapid.IntRange(1, 90), func(n int) string { return strings.Repeat("他们去了里斯本。", n) }),
		rapid.Map(rapid.IntRange(1, 200), func(n int) string { return strings.Repeat("x", 4*n) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(line, 0, 60).Draw(t, "lines")
		return strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break")) +
			rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
}

// Borders returns the offsets between grapheme clusters.
func Borders(s string) map[int]bool {
	borders := map[int]bool{0: true, len(s): true}
	for c := graphemes.FromString(s); c.Next(); {
		borders[c.End()] = true
	}
	return borders
}
