package keyword

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for query, want := range map[string][]Word{
		"coffee beans":           {{"coffee"}, {"beans"}},
		"Coffee, COFFEE!":        {{"coffee"}},
		"北京":                     {{"北京"}},
		"项目进展":                   {{"项目", "目进", "进展"}},
		"北京市":                    {{"北京", "京市"}},
		"学习Go语言":                 {{"学习"}, {"go"}, {"语言"}},
		"ラーメン":                   {{"ラー", "ーメ", "メン"}},
		"ﾗｰﾒﾝ":                   {{"ラー", "ーメ", "メン"}},
		"東京タワー":                  {{"東京", "京タ", "タワ", "ワー"}},
		"서울에서 점심":                {{"서울", "울에", "에서"}, {"점심"}},
		"a b c d e f g h":        {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}},
		"db_port":                {{"db"}, {"port"}},
		"ＡＢＣ１２":                  {{"abc12"}},
		"café":                   {{"café"}},
		"cafe\u0301":             {{"café"}},
		"!?":                     nil,
		" ab ":                   {{"ab"}},
		strings.Repeat("天地", 32): {{"天地", "地天"}},
	} {
		got, err := Words(query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	for _, query := range []string{"", "a", "北", "  x  ", strings.Repeat("x", 65)} {
		if _, err := Words(query); !errors.Is(err, ErrQuery) {
			t.Errorf("%q: %v, want ErrQuery", query, err)
		}
	}
}

// TestWordsInUnspacedRuns checks that a keyword inside a run of a script without spaces finds its line, and that lines with more of
// the run rank higher.
func TestWordsInUnspacedRuns(t *testing.T) {
	for query, lines := range map[string][]string{ // best first
		"我想找张伟的电话": {"张伟的电话是12345", "张伟，电话12345", "张伟住在上海"},
		"昨日のラーメン":  {"昨日のラーメンは美味しかった", "好物はラーメン"},
		"서울에서":     {"서울에서 만났다", "서울 출장"},
	} {
		words, err := Words(query)
		if err != nil {
			t.Fatal(err)
		}
		worstFirst := slices.Clone(lines)
		slices.Reverse(worstFirst)
		var got []string
		for _, hit := range Hits(words, []File{{Filename: "MEMORY.md", Content: strings.Join(worstFirst, "\n") + "\n其他\n"}}, 10) {
			got = append(got, strings.NewReplacer("[[", "", "]]", "").Replace(hit.Snippet))
		}
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
}

func TestEveryWordIsRequired(t *testing.T) {
	words := []Word{{"go"}, {"项目", "目进", "进展"}}
	for content, want := range map[string]int{"go 进展": 1, "go\n项目": 2, "go": 0, "项目进展": 0} {
		if hits := Hits(words, []File{{Filename: "MEMORY.md", Content: content}}, 10); len(hits) != want {
			t.Errorf("%q: %d hits, want %d", content, len(hits), want)
		}
	}
}

// TestWeights checks that files of standing knowledge rank above daily notes, and these above other files.
func TestWeights(t *testing.T) {
	var files []File
	for _, name := range []string{"memory/2026-01-02.md", "notes.md", "AGENTS.md", "PROFILE.md", "MEMORY.md"} {
		files = append(files, File{Filename: name, Content: "tea"})
	}
	var got []string
	for _, hit := range Hits(words("tea"), files, 10) {
		got = append(got, hit.Filename)
	}
	if diff := cmp.Diff([]string{"MEMORY.md", "PROFILE.md", "AGENTS.md", "memory/2026-01-02.md", "notes.md"}, got); diff != "" {
		t.Error(diff)
	}
}

// words returns words of one term each.
func words(terms ...string) []Word {
	var words []Word
	for _, term := range terms {
		words = append(words, Word{term})
	}
	return words
}

func TestKeywordHits(t *testing.T) {
	files := []File{
		{Filename: "AGENTS.md", Content: "Coffee is allowed.\nTea too."},
		{Filename: "memory/2026-01-02.md", Content: "nothing\nTea and coffee\n"},
		{Filename: "MEMORY.md", Content: "# Likes\n- coffee\n- tea, and Coffee again\r\n"},
		{Filename: "PROFILE.md", Content: "coffee only"},
		{Filename: "notes.md", Content: "TEA COFFEE"},
	}
	want := []Hit{
		{Filename: "MEMORY.md", LineNumber: 3, Snippet: "- [[tea]], and [[Coffee]] again", Score: 2},
		{Filename: "memory/2026-01-02.md", LineNumber: 2, Snippet: "[[Tea]] and [[coffee]]", Score: 1.4},
		{Filename: "MEMORY.md", LineNumber: 2, Snippet: "- [[coffee]]", Score: 1},
		{Filename: "AGENTS.md", LineNumber: 1, Snippet: "[[Coffee]] is allowed.", Score: .8},
		{Filename: "AGENTS.md", LineNumber: 2, Snippet: "[[Tea]] too.", Score: .8},
		{Filename: "notes.md", LineNumber: 1, Snippet: "[[TEA]] [[COFFEE]]", Score: .4},
	}
	if diff := cmp.Diff(want, Hits(words("tea", "coffee"), files, 10)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:2], Hits(words("tea", "coffee"), files, 2)); diff != "" {
		t.Error(diff)
	}
	if got := Hits(nil, files, 10); got != nil {
		t.Errorf("no terms: %v", got)
	}
}

func TestKeywordHitsPerFile(t *testing.T) {
	file := File{Filename: "MEMORY.md", Content: strings.Repeat("tea\n", 4) + strings.Repeat("tea coffee\n", 4)}
	var lines []int
	for _, hit := range Hits(words("tea", "coffee"), []File{file}, 10) {
		lines = append(lines, hit.LineNumber)
	}
	if diff := cmp.Diff([]int{5, 6, 7, 8, 1}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestKeywordSnippet(t *testing.T) {
	for name, test := range map[string]struct {
		content, want string
		terms         []string
	}{
		"clipped": {
			strings.Repeat("a", 100) + " tea " + strings.Repeat("b", 100),
			"..." + strings.Repeat("a", 79) + " [[tea]] " + strings.Repeat("b", 79) + "...",
			[]string{"tea"},
		},
		"Chinese counts characters": {
			strings.Repeat("天", 100) + "北京" + strings.Repeat("地", 100),
			"..." + strings.Repeat("天", 80) + "[[北京]]" + strings.Repeat("地", 80) + "...",
			[]string{"北京"},
		},
		"longest first":      {"teapot tea", "[[teapot]] [[tea]]", []string{"tea", "teapot"}},
		"overlap":            {"在北京市里", "在[[北京市]]里", []string{"北京", "京市"}},
		"folding grows":      {"STRASSE Straße straßenbahn", "[[STRASSE]] [[Straße]] [[straße]]nbahn", []string{"strasse"}},
		"ligature":           {"ﬁne", "[[ﬁne]]", []string{"ine"}},
		"full width":         {"ＴＥＡ", "[[ＴＥＡ]]", []string{"tea"}},
		"decomposed":         {"cafe\u0301s", "[[cafe\u0301]]s", []string{"café"}},
		"mark stays":         {"x\u0302y", "[[x\u0302]]y", []string{"x"}},
		"soft hyphen":        {"cof\u00adfee", "[[cof\u00adfee]]", []string{"coffee"}},
		"Turkish":            {"İSTANBUL", "[[İSTANBUL]]", []string{"istanbul"}},
		"spaces around":      {"  \ttea  ", "[[tea]]", []string{"tea"}},
		"repeated":           {"aaaa", "[[aa]][[aa]]", []string{"aa"}},
		"other line ignored": {"x\ntea\ny", "[[tea]]", []string{"tea"}},
	} {
		hits := Hits(words(test.terms...), []File{{Filename: "MEMORY.md", Content: test.content}}, 1)
		if len(hits) != 1 {
			t.Errorf("%s: %d hits", name, len(hits))
			continue
		}
		if diff := cmp.Diff(test.want, hits[0].Snippet); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestKeywordScope(t *testing.T) {
	for scope, want := range map[Scope]string{
		All: "MEMORY.md memory/x.md PROFILE.md AGENTS.md SOUL.md", Memory: "MEMORY.md memory/x.md",
		Profile: "PROFILE.md", Persona: "AGENTS.md", "other": "",
	} {
		var got []string
		for name := range strings.FieldsSeq("MEMORY.md memory/x.md PROFILE.md AGENTS.md SOUL.md") {
			if scope.Has(name) {
				got = append(got, name)
			}
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%s: %q, want %q", scope, joined, want)
		}
		if scope.Known() != (scope != "other") {
			t.Errorf("%s: known %v", scope, scope.Known())
		}
	}
}

// FuzzKeyword checks that a snippet without its marks and dots is a part of its line.
func FuzzKeyword(f *testing.F) {
	f.Add("tea coffee", "Tea and COFFEE\nﬁn Straße cafe\u0301 İ")
	f.Add("北京 ﬁ", "天地北京市ﬁ")
	f.Add("ss s", "ßßß\u0301ß")
	f.Fuzz(func(t *testing.T, query, content string) {
		words, err := Words(query)
		if err != nil {
			return
		}
		lines := strings.Split(content, "\n")
		for _, hit := range Hits(words, []File{{Filename: "MEMORY.md", Content: content}}, 30) {
			if hit.LineNumber < 1 || hit.LineNumber > len(lines) {
				t.Fatalf("line %d of %d", hit.LineNumber, len(lines))
			}
			if utf8.ValidString(content) && !utf8.ValidString(hit.Snippet) {
				t.Fatalf("%q splits a character", hit.Snippet)
			}
			if strings.Contains(content, "[[") || strings.Contains(content, "]]") || strings.Contains(content, "...") ||
				strings.ContainsAny(content, "[].") {
				continue
			}
			if !strings.Contains(hit.Snippet, "[[") {
				t.Fatalf("%q marks nothing of %q", hit.Snippet, words)
			}
			plain := strings.NewReplacer("[[", "", "]]", "", "...", "").Replace(hit.Snippet)
			if !strings.Contains(lines[hit.LineNumber-1], plain) {
				t.Fatalf("%q is not in line %q", plain, lines[hit.LineNumber-1])
			}
		}
	})
}
