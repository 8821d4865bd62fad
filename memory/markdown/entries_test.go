package markdown

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEntryIDSurvives has one statement per row, written in different ways.
func TestEntryIDSurvives(t *testing.T) {
	for _, same := range [][]string{
		{
			"- Anna's birthday is on 12 May.", "* Anna's birthday is on 12 May", "+ **Anna's** birthday is on _12 May_",
			"3) Anna’s birthday is on 12\u00a0May.",
			"  - Anna's   birthday\r\n    is on 12 May!", "> Anna's birthday\n> is on `12 May`", "ANNA'S BIRTHDAY IS ON 12 MAY",
			"- [ ] Anna's birthday is on 12 May",
			"- ***Anna's birthday*** is on 12 May <!-- promoted: 81 -->", "Anna\\'s birthday is on 12 May;",
			"1. Ａnna's birthday is on １２ May…", "\ufeffAnna's birth\u00adday is on 12 May",
		},
		{"- 安娜的生日是五月十二日。", "安娜的生日\n是五月十二日", "* **安娜**的生日是五月十二日", "安娜 的生日是五月十二日．"},
		{"用Go写的服务", "- 用 Go 写的服务", "用 `Go` 写的服务。"},
		{"- Café in Évora", "- Cafe\u0301 in E\u0301vora"},
		{"- reads db_port and MAX_SIZE", "- reads `db_port` and `MAX_SIZE`"},
		{"- **Straße** 5", "- STRASSE 5"},
		{"2 \\* 3", "2 * 3"},
		{"- [x] call Priya", "- [X]  **call** Priya"},
	} {
		for _, text := range same[1:] {
			if EntryIDOf(text) != EntryIDOf(same[0]) {
				t.Errorf("%q and %q differ: %q, %q", same[0], text, entryWords(unmarked(same[0])), entryWords(unmarked(text)))
			}
		}
	}
}

// TestEntryIDDiffers has statements of which no two are the same.
func TestEntryIDDiffers(t *testing.T) {
	texts := []string{
		"Anna likes tea", "Anna likes teas", "Anna like stea", "Ben likes tea", "Anna likes tea?", "~~Anna likes tea~~",
		"[x] Anna likes tea", "Anna likes “tea”",
		"db_port", "dbport", "db port", "2*3*4", "234", "2 * 3", "2 3", "C", "C#", "C++", "-5 degrees", "5 degrees", "5", "5 %",
		"- 12. May", "- 13. May", "安娜喜欢茶", "安娜喜欢咖啡", "👍", "👎", "👩‍👦", "👩👦", "e", "é",
	}
	ids := map[EntryID]string{}
	for _, text := range texts {
		id := EntryIDOf(text)
		if other, found := ids[id]; found {
			t.Errorf("%q and %q have the same identity", other, text)
		}
		ids[id] = text
	}
	if EntryIDUnder(EntryIDOf("Anna"), "likes tea") == EntryIDUnder(EntryIDOf("Ben"), "likes tea") {
		t.Error("the parent makes no difference")
	}
}

func TestEntriesOf(t *testing.T) {
	doc := strings.ReplaceAll(`---
title: Memory
---
# Long-Term Memory

Written by Anna,
kept by all.

## Family

- **Anna**
  - birthday on 12 May;
    likes lilies
    1. white ones

  A second paragraph.
- Ben
<!-- openclaw-memory-promotion:abc -->
- [x] 学校 in Porto
-
  Late text

---

> A quotation
goes on
>
> and another

| Name | Tea |
|------|:---:|
| Anna |  green|
| Ben  | none |

1. run:
   ~~~sh
   make # no heading

   - no item
   ~~~
2. done
`+"```\n{}\n```\n\nThe year was\n2019. It rained.\n\n- end\n  - of it\n    ```\n    code\n- all\n", "\n", "\r\n")
	type entry struct {
		Text     string
		From, To int
		Heading  string
		Parent   int
	}
	top, family := "Long-Term Memory", "Family"
	want := []entry{
		{"Written by Anna, kept by all.", 6, 7, top, -1},
		{"**Anna**", 11, 11, family, -1},
		{"birthday on 12 May; likes lilies", 12, 13, family, 1},
		{"white ones", 14, 14, family, 2},
		{"A second paragraph.", 16, 16, family, 1},
		{"Ben", 17, 17, family, -1},
		{"[x] 学校 in Porto", 19, 19, family, -1},
		{"Late text", 21, 21, family, -1},
		{"A quotation goes on", 25, 26, family, -1},
		{"and another", 28, 28, family, -1},
		{"Name | Tea", 30, 30, family, -1},
		{"Anna | green", 32, 32, family, 10},
		{"Ben | none", 33, 33, family, 10},
		{"run:", 35, 35, family, -1},
		{"   make # no heading\n   - no item", 36, 40, family, 13},
		{"done", 41, 41, family, -1},
		{"The year was 2019. It rained.", 46, 47, family, -1},
		{"end", 49, 49, family, -1},
		{"of it", 50, 50, family, 17},
		{"    code", 51, 52, family, 18},
		{"all", 53, 53, family, -1},
	}
	var got []entry
	for _, e := range EntriesOf(doc) {
		got = append(got, entry{e.Text, e.FromLine, e.ToLine, e.Heading, e.Parent})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEntriesOfSurviveReformatting checks that a reformatted and reordered list has the same statements.
func TestEntriesOfSurviveReformatting(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{
		"Anna", "likes", "green", "tea", "db_port", "on", "12th", "May", "里斯本", "生日", "Évora",
		"C++", "in", "🎉",
	}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		statements := rapid.SliceOfN(words, 1, 8).Draw(t, "statements")
		var before, after []string
		for _, statement := range statements {
			before = append(before, "- "+strings.Join(statement, " "))
		}
		order := rapid.Permutation(statements).Draw(t, "order")
		for _, statement := range order {
			marker := rapid.SampledFrom([]string{"- ", "* ", "7. ", "", " - ", "- **"}).Draw(t, "marker")
			text := marker + strings.Join(statement, rapid.SampledFrom([]string{" ", "  ", "\n  "}).Draw(t, "blank"))
			if strings.HasSuffix(marker, "**") {
				text += "**"
			}
			after = append(after, text+rapid.SampledFrom([]string{"", ".", " "}).Draw(t, "end"), "")
		}
		was, is := idsOf(strings.Join(before, "\n")), idsOf(strings.Join(after, "\r\n"))
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatalf("%q and %q:\n%s", before, after, diff)
		}
	})
}

// idsOf returns the ids of a document's statements, sorted.
func idsOf(doc string) []EntryID {
	var ids []EntryID
	for _, e := range EntriesOf(doc) {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return ids
}

// checkEntries checks what holds for the statements of any document.
func checkEntries(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc string,
) {
	t.Helper()
	lines := Lines(doc)
	last := 0
	for i, e := range EntriesOf(doc) {
		if e.FromLine <= last || e.ToLine < e.FromLine || e.ToLine > len(lines) {
			t.Fatalf("statement %d is in lines %d to %d of %d, the one before ends in %d", i, e.FromLine, e.ToLine, len(lines), last)
		}
		last = e.ToLine
		if e.Parent >= i || e.Parent < -1 {
			t.Fatalf("statement %d stands under %d", i, e.Parent)
		}
		source := strings.Join(lines[e.FromLine-1:e.ToLine], "\n")
		for word := range strings.FieldsSeq(e.Text) {
			if word != "|" && !strings.Contains(source, word) {
				t.Fatalf("statement %d has %q, lines %d to %d are %q", i, word, e.FromLine, e.ToLine, source)
			}
		}
		if !HasText(e.Text) || e.ID == "" {
			t.Fatalf("statement %d is %q", i, e.Text)
		}
	}
}

func TestEntriesOfProperties(t *testing.T) {
	line := rapid.OneOf(rapid.SampledFrom([]string{
		"", "", " ", "# Title", "## 09:05 Morning", "---", "```", "~~~~", "    code", "- item", "  - nested", "    - deeper", "1. first",
		"2. second", "-", "- ```", "- > quoted", "| a | b |", "|---|:-:|", "| 1 | 2 |", "> quoted", ">", "> - item", "<!-- note", "-->",
		"<!-- a --> b", "\t- tabbed", "text", "安娜的生日", "- [x] done",
	}), rapid.StringN(0, 20, -1))
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 40).Draw(t, "lines")
		checkEntries(t, strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break")))
	})
}

func FuzzEntriesOf(f *testing.F) {
	f.Add("# A\n\n- b\n  - c\n\n| d | e |\n|---|---|\n| f | g |\n\n```\nh\n```\n")
	f.Fuzz(func(t *testing.T, doc string) { checkEntries(t, doc) })
}

func FuzzEntryIDOf(f *testing.F) {
	f.Add("- **Anna** likes `tea`")
	f.Fuzz(func(t *testing.T, text string) {
		if EntryIDOf(text) != EntryIDOf("\r\n "+text+"\t") {
			t.Fatalf("%q depends on the blanks around it", text)
		}
	})
}

// TestEntriesOfIsLinear parses a megabyte, which takes well below a second. The limit allows for a busy machine; quadratic
// time would be minutes.
func TestEntriesOfIsLinear(t *testing.T) {
	const size = 1 << 20
	var deep strings.Builder
	for i := 0; deep.Len() < size; i++ {
		deep.WriteString(strings.Repeat(" ", 2*i) + "- a\n")
	}
	for name, doc := range map[string]string{
		"items": strings.Repeat("- a b c\n", size/8), "lines": strings.Repeat("a\n", size/2), "one line": strings.Repeat("a ", size/2),
		"markers": strings.Repeat("- ", size/2), "deep": deep.String(), "stars": strings.Repeat("*", size),
		"bold": strings.Repeat("**a** ", size/6), "comments": strings.Repeat("<!-- ", size/5),
		"quotes": strings.Repeat("> ", size/2), "bars": strings.Repeat("a|\n", size/3), "table": "a|b\n-|-\n" + strings.Repeat("a|\n", size/3),
		"ticks": strings.Repeat("`a", size/2), "text with comments": "a " + strings.Repeat("<!-- ", size/5),
		"fences": strings.Repeat("```\na\n", size/6),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			entries := EntriesOf(doc)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%d statements took %s", len(entries), took)
			}
		})
	}
}

func BenchmarkEntriesOf(b *testing.B) {
	doc := strings.Repeat("- Anna's birthday is on **12 May**; she likes lilies\n", 1<<20/53)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		EntriesOf(doc)
	}
}
