package remember

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/memory/markdown"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const memo = "# Memory\n\n## Facts\n\n- Lives in Hamburg. <!-- memory/2026-11-01.md:3 score 0.81 -->\n- The staging port is " +
		"5433.\n\n## Remembered\n\n- I like Rust.\n- My daughter's name is Anna.\n\n## Dates\n\n- Standup is at 9:30\n"
	for name, c := range map[string]struct {
		text, content string
		want          Decision
		from, to      string // expected content: from is replaced by to
	}{
		"new": {
			"I like Python.", memo,
			Decision{Kind: KindNew, Line: "I like Python."},
			"- My daughter's name is Anna.\n", "- My daughter's name is Anna.\n- I like Python.\n",
		},
		"another daughter": {
			"My daughter's name is Mia.", memo,
			Decision{Kind: KindNew, Line: "My daughter's name is Mia."},
			"- My daughter's name is Anna.\n", "- My daughter's name is Anna.\n- My daughter's name is Mia.\n",
		},
		"another port": {
			"The production port is 5432", memo,
			Decision{Kind: KindNew, Line: "The production port is 5432"},
			"- My daughter's name is Anna.\n", "- My daughter's name is Anna.\n- The production port is 5432\n",
		},
		"exact repeat":               {"I like Rust.", memo, Decision{Kind: KindKnown, Line: "I like Rust."}, "", ""},
		"repeat in another spelling": {"  i LIKE  rust", memo, Decision{Kind: KindKnown, Line: "I like Rust."}, "", ""},
		"repeat of a dream's line":   {"lives in Hamburg", memo, Decision{Kind: KindKnown, Line: "Lives in Hamburg."}, "", ""},
		"correction": {
			"the staging port is 5434", memo,
			Decision{Kind: KindCorrected, Line: "The staging port is 5434", Old: "The staging port is 5433."},
			"- The staging port is 5433.\n", "- The staging port is 5434\n",
		},
		"correction of a dream's line": {
			"I live in Lisbon", memo,
			Decision{Kind: KindCorrected, Line: "I live in Lisbon.", Old: "Lives in Hamburg."},
			"- Lives in Hamburg. <!-- memory/2026-11-01.md:3 score 0.81 -->\n", "- I live in Lisbon.\n",
		},
		"several statements": {
			"I like Rust\nStandup is at 10:00\nI like tea", memo,
			Decision{Kind: KindCorrected, Line: "I like Rust.\nStandup is at 10:00\nI like tea.", Old: "Standup is at 9:30"},
			"- My daughter's name is Anna.\n\n## Dates\n\n- Standup is at 9:30\n",
			"- My daughter's name is Anna.\n- I like tea.\n\n## Dates\n\n- Standup is at 10:00\n",
		},
		"nothing": {"- ", memo, Decision{Kind: KindUnclear}, "", ""},
		"no document": {
			"I like tea", "", Decision{Kind: KindNew, Line: "I like tea."}, "", "# Memory\n\n## Remembered\n\n- I like tea.\n",
		},
		"no section": {
			"I like tea", "# Memory\n\n- a",
			Decision{Kind: KindNew, Line: "I like tea."},
			"- a",
			"- a\n\n## Remembered\n\n- I like tea.\n",
		},
		"an empty section": {
			"I like tea", "# M\n\n## Remembered\n",
			Decision{Kind: KindNew, Line: "I like tea."},
			"## Remembered\n",
			"## Remembered\n\n- I like tea.\n",
		},
		"an empty section in front of another": {
			"I like tea", "## Remembered\n## Dates\n",
			Decision{Kind: KindNew, Line: "I like tea."},
			"## Remembered\n",
			"## Remembered\n\n- I like tea.\n\n",
		},
		"line breaks of Windows": {
			"I like tea", "# M\r\n\r\n## Remembered\r\n\r\n- a",
			Decision{Kind: KindNew, Line: "I like tea."},
			"- a",
			"- a\r\n- I like tea.\r\n",
		},
		"open code": {
			"I like tea", "# M\n\n```\ncode\n",
			Decision{Kind: KindNew, Line: "I like tea."},
			"# M",
			"## Remembered\n\n- I like tea.\n\n# M",
		},
		"a line that says more": {
			"I live in Lisbon", "- I live in Hamburg with two cats.\n",
			Decision{Kind: KindNew, Line: "I live in Lisbon."},
			"cats.\n", "cats.\n\n## Remembered\n\n- I live in Lisbon.\n",
		},
		"a line with others under it": {
			"My budget is $20", "- My budget is $10\n  - for books\n",
			Decision{Kind: KindNew, Line: "My budget is $20"},
			"books\n",
			"books\n\n## Remembered\n\n- My budget is $20\n",
		},
		"a nested line": {
			"My budget is $20", "- Anna\n  - My budget is $10\n",
			Decision{Kind: KindNew, Line: "My budget is $20"},
			"$10\n", "$10\n\n## Remembered\n\n- My budget is $20\n",
		},
		"a quotation": {
			"My budget is $20", "> My budget is $10\n",
			Decision{Kind: KindNew, Line: "My budget is $20"},
			"$10\n",
			"$10\n\n## Remembered\n\n- My budget is $20\n",
		},
		"code": {
			"My budget is $20", "```\nMy budget is $10\n```\n",
			Decision{Kind: KindNew, Line: "My budget is $20"},
			"```\nMy budget is $10\n```\n", "```\nMy budget is $10\n```\n\n## Remembered\n\n- My budget is $20\n",
		},
		"two lines that differ": {
			"My budget is $30", "- My budget is $10\n- My budget is $20\n",
			Decision{Kind: KindNew, Line: "My budget is $30"},
			"$20\n", "$20\n\n## Remembered\n\n- My budget is $30\n",
		},
		"numbered": {
			"My budget is $30", "1. My budget is $10\n2. b\n",
			Decision{Kind: KindCorrected, Line: "My budget is $30", Old: "My budget is $10"},
			"1. My budget is $10", "1. My budget is $30",
		},
		"Vietnamese": {
			"Cổng cơ sở dữ liệu là 5434", "- Cổng cơ sở dữ liệu là 5433\n",
			Decision{Kind: KindCorrected, Line: "Cổng cơ sở dữ liệu là 5434", Old: "Cổng cơ sở dữ liệu là 5433"},
			"5433", "5434",
		},
		"Vietnamese, daughters": {
			"Con gái tôi tên là Lan", "- Con gái tôi tên là Mai.\n",
			Decision{Kind: KindNew, Line: "Con gái tôi tên là Lan."},
			"Mai.\n", "Mai.\n\n## Remembered\n\n- Con gái tôi tên là Lan.\n",
		},
		"Vietnamese, home": {
			"Tôi sống ở Huế", "- Tôi sống ở Đà Nẵng.\n",
			Decision{Kind: KindCorrected, Line: "Tôi sống ở Huế.", Old: "Tôi sống ở Đà Nẵng."},
			"Đà Nẵng", "Huế",
		},
		"Spanish": {
			"Mi color favorito es el verde", "- Mi color favorito es el azul.\n",
			Decision{Kind: KindCorrected, Line: "Mi color favorito es el verde.", Old: "Mi color favorito es el azul."},
			"azul", "verde",
		},
		"Spanish, home": {
			"Vivo en Bilbao", "- Vivo en Lisboa.\n",
			Decision{Kind: KindCorrected, Line: "Vivo en Bilbao.", Old: "Vivo en Lisboa."},
			"Lisboa", "Bilbao",
		},
		"Spanish, daughters": {
			"Mi hija se llama Mia", "- Mi hija se llama Ana.\n",
			Decision{Kind: KindNew, Line: "Mi hija se llama Mia."},
			"Ana.\n", "Ana.\n\n## Remembered\n\n- Mi hija se llama Mia.\n",
		},
		"German": {
			"Mein Geburtstag ist am 6. Mai", "- Mein Geburtstag ist am 5. Mai.\n",
			Decision{Kind: KindCorrected, Line: "Mein Geburtstag ist am 6. Mai.", Old: "Mein Geburtstag ist am 5. Mai."},
			"5. Mai", "6. Mai",
		},
		"German, ports": {
			"Der Staging-Port ist 5433", "- Der Prod-Port ist 5432\n",
			Decision{Kind: KindNew, Line: "Der Staging-Port ist 5433"},
			"5432\n", "5432\n\n## Remembered\n\n- Der Staging-Port ist 5433\n",
		},
		"Japanese": {
			"私の誕生日は5月6日です。", "- 私の誕生日は5月5日です。\n",
			Decision{Kind: KindCorrected, Line: "私の誕生日は5月6日です。", Old: "私の誕生日は5月5日です。"},
			"5日", "6日",
		},
		"Chinese": {"我住在上海", "- 我住在北京。\n", Decision{Kind: KindCorrected, Line: "我住在上海。", Old: "我住在北京。"}, "北京", "上海"},
	} {
		got := Decide(Request{Text: c.text}, c.content)
		content := got.Content
		got.Items, got.Content = nil, ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
		want := ""
		if c.to != "" {
			want = strings.Replace(c.content, c.from, c.to, 1)
		}
		if diff := cmp.Diff(want, content); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
}

// said lists statements, of which some correct others.
var said = rapid.SampledFrom([]string{
	"I like tea", "i like TEA.", "I hate tea", "My budget is $10", "My budget is $20", "my budget is $30", "The prod port is 5432",
	"The staging port is 5433", "The staging port is 5434",
	"My daughter's name is Anna", "My daughter's name is Mia", "I live in Lisbon", "I live in Hamburg", "我住在上海", "我住在北京", "我喜欢喝茶",
	"Mi cumpleaños es el 5 de mayo", "Mi cumpleaños es el 6 de mayo",
	"# heading", "| a | b |", "```", "<!-- x -->", "1. one thing", "- [ ] a task", "x", "> somebody said so", "",
})

// For any document: applied again, every statement is known; no line is lost except corrected ones; and old lines keep their
// order.
func TestDecideKeepsEveryOtherLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(
			rapid.Map(said, func(s string) string { return "- " + s }),
			rapid.Map(said, func(s string) string { return "  - " + s }), said,
			rapid.SampledFrom([]string{
				"", "", "# Memory", "## Remembered", "## Facts", "```", "---", "<!--", "-->", "    code",
				"| a | b |", "|---|---|", "* My budget is $10", "+ I like tea <!-- n -->",
			}),
		)
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		content := strings.Join(rapid.SliceOfN(line, 0, 16).Draw(t, "lines"), end) + rapid.SampledFrom([]string{"", end}).Draw(t, "last")
		r := Request{Text: strings.Join(rapid.SliceOfN(said, 1, 4).Draw(t, "said"), "\n")}
		got := Decide(r, content)
		after := got.Content
		if after == "" {
			after = content
		}
		again := Decide(r, after)
		if again.Content != "" || again.Kind == KindNew || again.Kind == KindCorrected {
			t.Fatalf("%q into %q gives %q, and again %+v", r.Text, content, after, again)
		}
		corrected := 0
		for _, item := range got.Items {
			if item.Kind == KindCorrected {
				corrected++
			}
		}
		if _, removed := markdown.DiffStat(wholeLines(content), wholeLines(after)); removed > corrected {
			t.Fatalf("%q into\n%q loses lines:\n%q", r.Text, content, after)
		}
		for _, item := range got.Items {
			if item.Kind != KindUnclear && !slices.Contains(ids(after), markdown.EntryIDOf("- "+item.Line)) {
				t.Fatalf("%q is not in %q", item.Line, after)
			}
		}
	})
}

// wholeLines returns a text whose lines all end in the same way, without trailing space.
func wholeLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, " \t\r\n")) {
		out.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
	}
	return out.String()
}

func ids(content string) (out []markdown.EntryID) {
	for _, e := range markdown.EntriesOf(content) {
		out = append(out, e.ID)
	}
	return out
}

// A value that people have one of is replaced in other words and other languages; a line that says more stays.
func TestDecideAcrossLanguages(t *testing.T) {
	for _, c := range []struct {
		line, said string
		want       Kind
	}{
		{"J'habite à Lyon.", "J'habite à Paris.", KindCorrected},
		{"Je m'appelle Anna.", "Je m'appelle Marie.", KindCorrected},
		{"Me llamo Ana.", "Me llamo Eva.", KindCorrected},
		{"Tengo 30 años.", "Tengo 31 años.", KindCorrected},
		{"I live in Munich.", "Ich wohne in Hamburg.", KindCorrected},
		{"我住在上海。", "I live in Leeds.", KindCorrected},
		{"I live in Munich.", "Ich wohne in München.", KindNew},
		{"My sister lives in Munich.", "Ich wohne in Hamburg.", KindNew},
		{"I live in Munich with my wife Anna.", "Ich wohne in Hamburg.", KindNew},
		{"J'habite à Lyon.", "Mon frère habite à Paris.", KindNew},
		{"Me llamo Ana.", "Mi hermana se llama Eva.", KindNew},
	} {
		d := Decide(Request{Text: c.said}, "# Memory\n\n## Remembered\n\n- "+c.line+"\n")
		if d.Kind != c.want || (c.want == KindCorrected) != !strings.Contains(d.Content, c.line) {
			t.Errorf("%q after %q: %s\n%s", c.said, c.line, d.Kind, d.Content)
		}
	}
}
