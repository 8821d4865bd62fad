package chunk

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/language/sentence"
	"reverie/search/searchtest"
)

// brief holds the fields of a piece that tests compare.
type brief struct {
	Context, Text string
	From, To      int
}

func briefs(pieces []Piece) []brief {
	var out []brief
	for _, p := range pieces {
		out = append(out, brief{p.Context, p.Text, p.FromLine, p.ToLine})
	}
	return out
}

func TestChunkDocumentSections(t *testing.T) {
	got := briefs(Document("MEMORY.md", searchtest.Note, DefaultOptions()))
	lines := strings.Split(searchtest.Note, "\n")
	text := func(from, to int) string { return strings.Join(lines[from-1:to], "\n") }
	want := []brief{
		{"MEMORY.md", text(1, 4), 1, 4},
		{"MEMORY.md > Long-Term Memory > Family", text(6, 13), 6, 13},
		{"MEMORY.md > Long-Term Memory > Work > Billing service", text(15, 20), 15, 20},
		{"MEMORY.md > Long-Term Memory > Work", text(22, 28), 22, 28},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestChunkDocumentDailyNote(t *testing.T) {
	note := "# 2026-01-31\r\n\r\n## 09:05 早餐\r\n\r\n- 和安娜去了新开的咖啡馆。\r\n\r\n## 9:40\r\nCalled Priya.\r\n\r\n" +
		"### Decisions\r\n\r\n- ledger moves in March\r\n\r\n" +
		"## 14：05:30 – New city\r\n\r\nMoved to Lisbon 🎉\r\n\r\n## Later\r\n\r\nSlept well."
	pieces := Document("memory/2026-01-31-lisbon.md", note, DefaultOptions())
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	type entry struct {
		Context, Text    string
		From, To, Number int
		At               string
	}
	var got []entry
	for i, p := range pieces {
		if p.Seq != int64(i+1) || p.Part != 0 {
			t.Errorf("piece %d is numbered %d.%d", i, p.Seq, p.Part)
		}
		got = append(got, entry{p.Context, p.Text, p.FromLine, p.ToLine, p.Section, time.Unix(p.At, 0).UTC().Sub(day).String()})
	}
	path := "memory/2026-01-31-lisbon.md > 2026-01-31 > "
	want := []entry{
		{path + "09:05 早餐", "# 2026-01-31\r\n\r\n## 09:05 早餐\r\n\r\n- 和安娜去了新开的咖啡馆。", 1, 5, 1, "9h5m0s"},
		{path + "9:40", "## 9:40\r\nCalled Priya.\r\n\r\n### Decisions\r\n\r\n- ledger moves in March", 7, 12, 2, "9h40m0s"},
		{path + "14：05:30 – New city", "## 14：05:30 – New city\r\n\r\nMoved to Lisbon 🎉", 14, 16, 3, "14h5m30s"},
		{path + "Later", "## Later\r\n\r\nSlept well.", 18, 20, 4, "0s"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTinySectionsShare checks that sections of one or two sentences share a piece under their common heading, that a
// longer section does not, and that a full piece takes no more.
func TestTinySectionsShare(t *testing.T) {
	long := strings.Repeat("Die Ablage liegt im Keller. ", 12)
	note := "# 长期记忆\n\n## 家庭\n\n- 安娜的生日是五月十二日，喜欢百合花。\n\n## 工作\n\n- 数据库端口 db_port 是 5432。\n\n" +
		"# Erinnerungen\nAus Görlitz.\n\n## Familie\nTante Ilse ruft sonntags an.\n\n## Büro\n" + long + "\n\n" +
		"## Reisen\nПоездка в Лиссабон в мае.\n\n" +
		"# メモ\n\nずっと東京に住んでいる。\n\n# الذاكرة\n\n- تحب الشاي الأخضر.\n\n" + strings.Repeat("# 猫\n\n猫の名前はタマで、魚が好きで、毎朝六時に起きる。\n\n", 4)
	type run struct {
		Context  string
		From, To int
	}
	var got []run
	for _, p := range Document("MEMORY.md", note, DefaultOptions()) {
		got = append(got, run{p.Context, p.FromLine, p.ToLine})
	}
	want := []run{
		{"MEMORY.md > 长期记忆", 1, 9},
		{"MEMORY.md > Erinnerungen", 11, 15},
		{"MEMORY.md > Erinnerungen > Büro", 17, 18},
		{"MEMORY.md > Erinnerungen > Reisen", 20, 21},
		{"MEMORY.md", 23, 37},
		{"MEMORY.md", 39, 45},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestArchiveIsApart checks that no piece has archived and current text, and that archived pieces say so.
func TestArchiveIsApart(t *testing.T) {
	note := "# Memory\n\n## Home\n\n- Lives in Bremen.\n\n## Archived\n\n- Lives in Kiel.\n\n### Rent\n\n- It was 500.\n\n## Work\n\n- At the port.\n"
	type run struct {
		From, To int
		Archived bool
	}
	for name, c := range map[string]struct {
		path, note string
		want       []run
	}{
		"in a document": {"MEMORY.md", note, []run{{1, 5, false}, {7, 13, true}, {15, 17, false}}},
		"alone":         {"MEMORY.md", "# Memory\n\n## Archived\n\n- Lives in Kiel.\n", []run{{1, 5, true}}},
		"in an entry":   {"memory/2026-01-31.md", "# 09:05 Home\n\n- Tea.\n\n## Archived\n\n- Milk.\n", []run{{1, 3, false}, {5, 7, true}}},
		"other levels":  {"a.md", "# Archived\n\n- Lives in Kiel.\n\n### Archived\n\n- Or in Bonn.\n", []run{{1, 7, false}}},
	} {
		var got []run
		for _, p := range Document(c.path, c.note, DefaultOptions()) {
			got = append(got, run{p.FromLine, p.ToLine, Archived(p.Section)})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFrontMatterWithEmptyLines checks that no piece begins or ends with an empty line of front matter.
func TestFrontMatterWithEmptyLines(t *testing.T) {
	matter := "summary: what the team decided about the database in November"
	content := strings.Join([]string{"---", "", matter, " ", matter, "", "---", "Text."}, "\n")
	got := briefs(Document("a.md", content, Options{Tokens: minChunkTokens, Overlap: -1}))
	want := []brief{
		{"a.md", "---", 1, 1}, {"a.md", matter, 3, 3}, {"a.md", matter, 5, 5}, {"a.md", "---\nText.", 7, 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestChunkDocumentBlanks checks that blank text has no pieces.
func TestChunkDocumentBlanks(t *testing.T) {
	for _, text := range []string{"", " ", "\n", "\r\n\t\r\n", "\u3000\n\u00a0", sentence.ByteOrderMark + "\n"} {
		if pieces := Document("a.md", text, DefaultOptions()); len(pieces) > 0 {
			t.Errorf("%q has %d pieces", text, len(pieces))
		}
		if pieces := Turn(Message{Seq: 1, Speaker: "Ann", Text: text}, DefaultOptions()); len(pieces) > 0 {
			t.Errorf("a turn of %q has %d pieces", text, len(pieces))
		}
	}
}
