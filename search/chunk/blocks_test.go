package chunk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// block draws a block of Markdown of about n lines, of any kind that is kept whole.
func block(n int) *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{
		"Anna likes green tea", "db_port is 5432", "安娜的生日是五月十二日",
		"Rua do Raimundo 14, Évora", "the smoke tests are green", "🎉 party",
	})
	lines := func(form string) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(words, 1, n), func(said []string) string {
			for i := range said {
				said[i] = fmt.Sprintf(form, said[i])
			}
			return strings.Join(said, "\n")
		})
	}
	wrap := func(before, after string, inner *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.Map(inner, func(s string) string { return before + s + after })
	}
	return rapid.OneOf(
		lines("%s"),
		lines("- %s"),
		lines("- %s\n  - nested\n\n  more of it\n"),
		lines("1. %s\n   ```sh\n   # no heading\n\n   make\n   ```"),
		lines("> %s"),
		lines("    %s"),
		wrap("| who | what |\n|-----|:---:|\n", "", lines("| %s | 1 |")),
		wrap("```go\n", "\n```", lines("# %s\n\n- no item")),
		wrap("~~~~\n", "\n~~~~", lines("%s\n~~~")),
		wrap("<!-- \n", "\n-->", lines("# %s\n")),
		wrap("Intro:\n", "", lines("* %s")),
	)
}

// TestBlocksStayWhole checks that a block that fits into a piece is not cut, wherever it is.
func TestBlocksStayWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Tokens: 120, Overlap: rapid.IntRange(0, 60).Draw(t, "overlap")}
		blocks := rapid.SliceOfN(block(12), 1, 30).Draw(t, "blocks")
		heads := rapid.SliceOfN(rapid.SampledFrom([]string{
			"", "", "", "# Title\n\n", "## 09:05 Morning\n", "### Sub\n\n", "Setext\n---\n",
		}), len(blocks), len(blocks)).Draw(t, "headings")
		var doc strings.Builder
		for i, block := range blocks {
			// A paragraph separates neighbours that would be read as one block.
			doc.WriteString(heads[i] + strings.TrimSpace(block) + "\n\nend.\n\n")
		}
		path := rapid.SampledFrom([]string{"MEMORY.md", "memory/2026-01-31.md"}).Draw(t, "path")
		pieces := Document(path, doc.String(), o)
		checkPieces(t, doc.String(), pieces, o)
		for _, block := range blocks {
			if block = strings.TrimSpace(block); EstimateTokens(block) > o.Tokens {
				continue
			}
			whole := false
			for _, p := range pieces {
				whole = whole || strings.Contains(p.Text, block)
			}
			if !whole {
				t.Fatalf("cut: %q\nof %q", block, doc.String())
			}
		}
	})
}

// TestLongBlocksAreCutAtTheirBorders checks that long blocks are cut between items, rows and lines, and that the
// context of a middle piece names the block it is part of.
func TestLongBlocksAreCutAtTheirBorders(t *testing.T) {
	o := Options{Tokens: 40, Overlap: -1}
	long := "word and word and word and word and word and word and word and word and words"
	for _, c := range []struct {
		name, doc string
		want      []brief
	}{
		{
			"a list between its items, with the items around it",
			"## Tea\n\n- Anna\n  - green, " + long + "\n  - black, " + long + "\n    and more\n- Ben\n  - none\n",
			[]brief{
				{"a.md > Tea", "## Tea\n\n- Anna\n  - green, " + long, 1, 4},
				{"a.md > Tea > Anna", "  - black, " + long + "\n    and more\n- Ben\n  - none", 5, 8},
			},
		},
		{
			"a table between its rows, with its head",
			"| who | tea |\n|---|---|\n| Anna | " + long + " |\n| Ben | " + long + " |\n| Inês | none |",
			[]brief{
				{"a.md", "| who | tea |\n|---|---|\n| Anna | " + long + " |", 1, 3},
				{"a.md > | who | tea |", "| Ben | " + long + " |\n| Inês | none |", 4, 5},
			},
		},
		{
			"a table never behind its head",
			long + "\n\n| who | tea |\n|---|---|\n| Anna | " + long + " |\n| Ben | " + long[:60] + " |\n",
			[]brief{
				{"a.md", long, 1, 1},
				{"a.md", "| who | tea |\n|---|---|\n| Anna | " + long + " |", 3, 5},
				{"a.md > | who | tea |", "| Ben | " + long[:60] + " |", 6, 6},
			},
		},
		{
			"code at its blank lines",
			"```go\n" + long + "\n" + long[:30] + "\n\n" + long[:30] + "\n" + long + "\n```\n",
			[]brief{
				{"a.md", "```go\n" + long + "\n" + long[:30], 1, 3},
				{"a.md", long[:30] + "\n" + long + "\n```", 5, 7},
			},
		},
		{
			"a line between its sentences",
			"Anna flew to Lisbon on the first Monday of May, with Dr. Inês and the dog. \"Never again!\" she said. Ben took the " +
				"train, which was late, full and cold. He was happy, all the same.",
			[]brief{
				{"a.md", "Anna flew to Lisbon on the first Monday of May, with Dr. Inês and the dog. \"Never again!\" she said.", 1, 1},
				{"a.md", "Ben took the train, which was late, full and cold. He was happy, all the same.", 1, 1},
			},
		},
		{
			"a line of a script without spaces",
			"安娜星期一飞往里斯本，带着狗。「再也不去了！」她说。本坐火车去，火车晚点，又冷又挤。他很高兴。外婆打来电话，问他们什么时候回来吃饭。",
			[]brief{
				{"a.md", "安娜星期一飞往里斯本，带着狗。「再也不去了！」她说。", 1, 1},
				{"a.md", "本坐火车去，火车晚点，又冷又挤。他很高兴。外婆打来电话，问他们什么时候回来吃饭。", 1, 1},
			},
		},
		{
			"a paragraph between its lines",
			long + "\n" + long + "!\n" + long + ".\n",
			[]brief{{"a.md", long + "\n" + long + "!", 1, 2}, {"a.md", long + ".", 3, 3}},
		},
	} {
		if diff := cmp.Diff(c.want, briefs(Document("a.md", c.doc, o))); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestOverlap checks that a piece begins with the end of the previous one, in whole items, and that the last one has
// new text.
func TestOverlap(t *testing.T) {
	var doc strings.Builder
	for i := range 60 {
		fmt.Fprintf(&doc, "- fact number %d, which takes about twenty tokens of the budget of a piece, and then some\n", i)
	}
	o := DefaultOptions()
	pieces := Document("MEMORY.md", doc.String(), o)
	if len(pieces) != 5 {
		t.Errorf("%d pieces of %d tokens", len(pieces), EstimateTokens(doc.String()))
	}
	for i, p := range pieces {
		if !strings.HasPrefix(p.Text, "- fact") || strings.HasSuffix(p.Text, "\n") {
			t.Errorf("piece %d is not made of whole items: %q", i, p.Text)
		}
		if i == 0 {
			continue
		}
		again := EstimateTokens(doc.String()[p.Start:pieces[i-1].End])
		if again < o.Overlap || again > 2*o.Overlap || p.End-pieces[i-1].End < o.Overlap {
			t.Errorf("piece %d says %d tokens again and %d bytes that are new", i, again, p.End-pieces[i-1].End)
		}
	}
}

// TestOverlapKeepsItemsWhole checks that the overlap is whole items, and shorter where the next block leaves no room.
func TestOverlapKeepsItemsWhole(t *testing.T) {
	items := strings.Repeat("- one line of an item\n  and another line of it\n", 60)
	code := "```\n" + strings.Repeat("make another thing\n", 70) + "```\n"
	o := DefaultOptions()
	pieces := Document("a.md", items+"\n"+code, o)
	checkPieces(t, items+"\n"+code, pieces, o)
	for i, p := range pieces {
		if EstimateTokens(p.Text) > o.Tokens || !strings.HasPrefix(p.Text, "- one") {
			t.Errorf("piece %d has %d tokens: %q", i, EstimateTokens(p.Text), p.Text)
		}
	}
	if last := pieces[len(pieces)-1]; !strings.HasSuffix(last.Text, strings.TrimSpace(code)) {
		t.Errorf("the code is cut: %q", last.Text)
	}
}

// TestChunkDocumentHeadings covers lines that look like headings but are not, and vice versa.
func TestChunkDocumentHeadings(t *testing.T) {
	for doc, want := range map[string]string{
		"# A #\ntext":           "a.md > A",
		"   ### A\ntext":        "a.md > A",
		"A\n===\ntext":          "a.md > A",
		"\ufeff# A\r\ntext\r\n": "a.md > A",
		"#A\ntext":              "a.md",
		"    # A\ntext":         "a.md",
		"```\n# A\n```":         "a.md",
		"- item\n  # A\n":       "a.md",
		"- item\n  ```\n  code\n# A\n" + strings.Repeat("text ", 60): "a.md > A",
		"> # A\n> text":        "a.md",
		"<!--\n# A\n-->\ntext": "a.md",
		"---\n# A\n---\ntext":  "a.md",
		"text\nmore\n---\n":    "a.md",
	} {
		pieces := Document("a.md", doc, DefaultOptions())
		if got := pieces[len(pieces)-1].Context; got != want {
			t.Errorf("%q is in %q, want %q", doc, got, want)
		}
	}
}

// TestChunkTurnParts checks that a message that would need more than MaxParts parts is cut into longer ones.
func TestChunkTurnParts(t *testing.T) {
	content := strings.Repeat("One more sentence of a very long message. ", 12_000)
	parts := Turn(Message{Seq: 3, Speaker: "Ann", Text: content}, DefaultOptions())
	checkPieces(t, content, parts, Options{Tokens: 800, Overlap: 80})
	if len(parts) < MaxParts/2 || len(parts) > MaxParts {
		t.Errorf("%d parts", len(parts))
	}
	short := "see\n```\n# code\n```\n"
	if got := Turn(Message{Seq: 3, Speaker: "Ann", Text: short, At: 5}, Options{}); len(got) != 1 || got[0].Text != short || got[0].ToLine != 4 {
		t.Errorf("%+v", got)
	}
}

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "你好": 2, "こんにちは": 5, "한국어": 3, "，。": 2, "é": 1, "ééé": 2, "😀": 2, "\U00020000": 2,
		"hello 世界 café": 6, "\xff": 1,
	} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}
