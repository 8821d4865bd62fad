package proposals

import (
	"testing"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"

	"github.com/google/go-cmp/cmp"
)

func spokenLines(texts ...string) []transcripts.Line {
	var out []transcripts.Line
	for i, text := range texts {
		role := memory.RoleOfUser
		if i%2 == 1 {
			role = memory.RoleOfAssistant
		}
		out = append(out, transcripts.Line{Seq: int64(i + 1), Role: role, Text: text})
	}
	return out
}

func TestAttribute(t *testing.T) {
	english := spokenLines(
		"Hi, I moved to Lisbon last month and I work as a nurse now.",
		"Welcome to Lisbon! How do you like it there?",
		"Very much. By the way, I'm vegetarian, so no more steak recipes please.",
		"Noted: vegetarian recipes from now on.",
		"We decided to use PostgreSQL for the Alpha project because the team knows it.",
		"Good choice. PostgreSQL has the extensions that you need.",
		"And the Alpha report is due next Friday.",
		"I will remind you about the report.",
	)
	chinese := spokenLines(
		"你好，我上个月搬到了里斯本，现在在医院当护士。",
		"里斯本很漂亮！",
		"对了，我吃素，以后不要给我推荐牛排。",
		"好的，记住了。",
		"我们决定用 PostgreSQL 做阿尔法项目，因为团队熟悉它。",
	)
	german := spokenLines(
		"Ich habe letztes Jahr zwei Häuser in Bremen gekauft.",
		"Das klingt gut.",
		"Die Katzen sind bei meiner Schwester und das Auto auch.",
	)
	for _, c := range []struct {
		name          string
		before, after string
		transcript    []transcripts.Line
		want          []memory.LineSource
	}{
		{"a fact", "", "- Lives in Lisbon\n", english, []memory.LineSource{{Line: "- Lives in Lisbon", Messages: []int64{1}}}},
		{"a word that only one message has", "", "- Vegetarian\n", english, []memory.LineSource{{Line: "- Vegetarian", Messages: []int64{3}}}},
		{
			"another form of the words", "", "- Alpha reports are due on 2026-11-27\n", english,
			[]memory.LineSource{{Line: "- Alpha reports are due on 2026-11-27", Messages: []int64{7}}},
		},
		{
			"another form of German words", "", "- Kaufte ein Haus\n- Hat eine Katze\n", german,
			[]memory.LineSource{
				{Line: "- Kaufte ein Haus", Messages: []int64{1}},
				{Line: "- Hat eine Katze", Messages: []int64{3}},
			},
		},
		{
			"two messages", "", "- Moved to Lisbon and works as a nurse; is vegetarian and wants no steak recipes\n", english,
			[]memory.LineSource{{Line: "- Moved to Lisbon and works as a nurse; is vegetarian and wants no steak recipes", Messages: []int64{1, 3}}},
		},
		{
			"the user, not the echo", "", "- PostgreSQL for Alpha\n", english,
			[]memory.LineSource{{Line: "- PostgreSQL for Alpha", Messages: []int64{5}}},
		},
		{
			"known lines", "- Lives in Lisbon\n", "* Lives in  Lisbon\n- Vegetarian\n", english,
			[]memory.LineSource{{Line: "- Vegetarian", Messages: []int64{3}}},
		},
		{"headings and nothing alike", "", "# Memory\n\n## Lisbon\n\n- Plays the cello in an orchestra\n", english, nil},
		{"only words that everybody uses", "", "- The user is very good and likes it\n", english, nil},
		{"one common word of many", "", "- Project Gamma moved its servers to Frankfurt for compliance\n", english, nil},
		{"a line twice", "", "- Vegetarian\n- Vegetarian\n", english, []memory.LineSource{{Line: "- Vegetarian", Messages: []int64{3}}}},
		{"no transcript", "", "- Vegetarian\n", nil, nil},
		{
			"Chinese", "", "- 住在里斯本\n- 职业是护士\n- 吃素，不吃牛排\n- 阿尔法项目决定用 PostgreSQL\n- 喜欢大提琴\n", chinese,
			[]memory.LineSource{
				{Line: "- 住在里斯本", Messages: []int64{1}},
				{Line: "- 职业是护士", Messages: []int64{1}},
				{Line: "- 吃素，不吃牛排", Messages: []int64{3}},
				{Line: "- 阿尔法项目决定用 PostgreSQL", Messages: []int64{5}},
			},
		},
		{"full-width and case", "", "- ＶＥＧＥＴＡＲＩＡＮ\n", english, []memory.LineSource{{Line: "- ＶＥＧＥＴＡＲＩＡＮ", Messages: []int64{3}}}},
	} {
		if diff := cmp.Diff(c.want, Attribute(c.before, c.after, c.transcript)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Go 1.26, naïve": {"go", "1", "26", "naïve"},
		"数据库 PostgreSQL": {"数据", "据库", "postgresql"},
		"用API吧":          {"用", "api", "吧"},
		"ＡＢＣ":            {"abc"},
		"한국어 문장":         {"한국", "국어", "문장"},
		"...":            {},
	} {
		set := map[string]bool{}
		for _, w := range want {
			set[w] = true
		}
		if diff := cmp.Diff(set, markdown.Words(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestBare(t *testing.T) {
	for line, want := range map[string]string{
		"- a b":       "a b",
		"  *  a   b ": "a b",
		"12. a":       "a",
		"3) a":        "a",
		"- [ ] a":     "[ ] a",
		"-":           "-",
		"---":         "---",
		"## H":        "## H",
		"2026. a":     "a",
		"-a":          "-a",
		"":            "",
		"a\r":         "a",
	} {
		if got := markdown.LineKey(line); got != want {
			t.Errorf("SameLine(%q) is %q, want %q", line, got, want)
		}
	}
}
