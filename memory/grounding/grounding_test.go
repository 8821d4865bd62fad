package grounding_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reverie/language/sentence"
	"reverie/language/stance"
	"reverie/memory/grounding"
	"reverie/memory/transcripts"
	"reverie/test/linear"
)

// thursday is the day of the tables' conversations.
var thursday = time.Date(2026, 3, 12, 18, 0, 0, 0, time.UTC)

// said prepares messages: "u: …", "a: …", "Bob: …".
func said(messages ...string) *grounding.Ground {
	e := grounding.Evidence{Day: thursday, Documents: []string{"# Memory\n\n- Plays chess with Igor, rated 1850\n"}}
	for i, m := range messages {
		who, text, _ := strings.Cut(m, ": ")
		line := transcripts.Line{Seq: int64(i + 1), Role: "user", Text: text, At: thursday}
		switch who {
		case "a":
			line.Role = "assistant"
		case "u":
		default:
			line.Name = who
		}
		e.Transcript = append(e.Transcript, line)
	}
	return grounding.New(e)
}

func codes(faults []grounding.Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Code)
	}
	return strings.Join(out, " ")
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name     string
		messages []string
		lines    map[string]string // line: codes of the faults
	}{
		{"numbers", []string{"u: I pay 1,250.50 a month, and 25k a year for the two cars; a dozen eggs a week; we meet at half past seven"}, map[string]string{
			"- Pays 1250.5 a month": "", "- Pays 1.250,50 a month": "", "- Pays 1251 a month": "number", "- 25,000 a year for 2 cars": "",
			"- 12 eggs a week": "", "- 13 eggs a week": "number", "- Meets at 19:30": "", "- Meets at 19:45": "number",
		}},
		{"number words", []string{
			"u: ich habe fünfundzwanzig Hühner", "u: ho ventidue gatti", "u: tengo treinta y cinco alumnos", "u: мне сорок два года",
			"u: j'ai quatre-vingt-dix ans", "u: 我有十二只猫", "u: 저는 스물다섯 살이에요", "u: nhà tôi có hai mươi lăm con gà", "u: عندي خمسة وعشرين كتاب",
		}, map[string]string{
			"- hat 25 Hühner": "", "- hat 26 Hühner": "number", "- ha 22 gatti": "", "- tiene 35 alumnos": "", "- ей 42 года": "",
			"- a 90 ans": "", "- 有12只猫": "", "- 有13只猫": "number", "- 25살": "", "- có 25 con gà": "", "- عنده 25 كتاب": "", "- عنده 27 كتاب": "number",
		}},
		{"dates", []string{"u: the dentist is next Thursday, and the wedding is on the 5th of June"}, map[string]string{
			"- Dentist on 2026-03-19": "", "- Dentist next Thursday (2026-03-19)": "", "- Dentist on 2026-03-20": "date", "- Wedding on June 5": "",
			"- Wedding on 2026-06-05": "", "- Wedding on July 5": "date", "- Dentist on Monday": "date", "## 2026-03-12": "",
		}},
		{"years of eras", []string{"u: 昭和60年に生まれて、店は令和5年から", "u: 民國113年搬到台北", "u: 平成3人"}, map[string]string{
			"- Born in 1985": "", "- Born in 1986": "number", "- The shop since 2023": "", "- In Taipei since 2024": "", "- Since 1991": "number",
		}},
		{"names", []string{"u: my son Max broke his arm, my sister Anna drove him to Leeds", "a: Is Dr Smith his doctor?", "u: yes"}, map[string]string{
			"- Son Max broke his arm": "", "- Max's arm is broken": "", "- Son Karl broke his arm": "name", "- Sister Max drove him to Leeds": "name",
			"- His doctor is Dr Smith": "", "- Sister Anna drove him to York": "name",
		}},
		{"negations", []string{"u: I'm not vegetarian, my wife is. I no longer drink coffee"}, map[string]string{
			"- The user is vegetarian": "negation", "- The user is not vegetarian": "", "- Drinks coffee": "negation", "- No longer drinks coffee": "",
		}},
		{"negations, German", []string{"u: Ich esse kein Fleisch mehr, aber Fisch mag ich"}, map[string]string{
			"- Isst kein Fleisch mehr": "", "- Isst Fleisch": "negation", "- Mag Fisch": "", "- Mag keinen Fisch": "negation",
		}},
		{"negations, Chinese", []string{"u: 我不喝咖啡，但是喜欢绿茶"}, map[string]string{"- 不喝咖啡": "", "- 喝咖啡": "negation", "- 喜欢绿茶": ""}},
		{"quotations", []string{"u: She said “We'll be fine, Joe”, and then she left the house without her coat"}, map[string]string{
			`- "we'll be fine, Joe"`: "", `- "we'll be great, Joe"`: "quotation",
		}},
		{"persons", []string{"u: my sister is allergic to nuts"}, map[string]string{
			"- Allergic to nuts": "person", "- The user is allergic to nuts": "person", "- The user's sister is allergic to nuts": "",
			"- The user's mother is allergic to nuts": "person",
		}},
		{"only the assistant", []string{"u: I train for a race", "a: Since you live in Duluth, run along the lake for 9 miles."}, map[string]string{
			"- Lives in Duluth": "assistant", "- Runs along the lake for 9 miles": "assistant assistant",
		}},
		{"answers", []string{"a: How many days a week can you run?", "u: four", "a: Do you live in Duluth?", "u: no, in Superior"}, map[string]string{
			"- Can run 4 days a week": "", "- Lives in Superior": "", "- Lives in Duluth": "assistant",
		}},
		{"groups", []string{"Bob: I eat everything except mushrooms", "Eve: I'm vegan since 2019"}, map[string]string{
			"- Bob eats everything except mushrooms": "", "- Eve is vegan since 2019": "", "- Bob is vegan since 2019": "person", "- Bob: vegan since 2019": "person",
		}},
		{"titles", []string{"u: My dentist is Dr. Weber"}, map[string]string{"- My dentist is Dr. Webber": "", "- My dentist is Dr. Brandt": "name"}},
		{"common nouns", []string{"u: Hi, I am Grace, I pay 900 for the flat"}, map[string]string{"- Name is Grace.": "", "- Rent is 900": ""}},
		{"documents", []string{"u: hello there"}, map[string]string{"- Plays chess with Igor, rated 1850": "", "- Plays chess with Igor, rated 1900": "number"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := said(test.messages...)
			for line, want := range test.lines {
				if got := g.Check(line); codes(got) != want {
					t.Errorf("%s: %v, want %q", line, got, want)
				}
			}
		})
	}
}

func TestCheckReadsWhatStandsAbove(t *testing.T) {
	g := said("u: my sister Anna is allergic to nuts")
	if faults := g.Check("  - Allergic to nuts", "- Sister Anna"); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := g.Check("  - Allergic to nuts"); len(faults) == 0 {
		t.Error("it is the sister's allergy")
	}
}

// Every sentence of the users may be quoted, except those that are not their statements.
func TestQuotedSentencesPass(t *testing.T) {
	n := 0
	for id, c := range conversations(t) {
		g := grounding.New(c.evidence(t))
		readers := map[string]*stance.Reader{}
		for _, m := range c.Messages {
			if m.Role != "user" {
				continue
			}
			if readers[m.Name] == nil {
				readers[m.Name] = &stance.Reader{Lang: id[:2]}
			}
			isForeign := map[string]bool{}
			for _, s := range readers[m.Name].Read(strings.TrimSpace(m.Text)) {
				isForeign[s.Text] = s.Stance >= stance.Hypothetical
			}
			for _, s := range sentence.Split(m.Text) {
				n++
				if faults := g.Check(`- "` + s + `"`); len(faults) > 0 && !isForeign[s] {
					t.Errorf("%s: %v: %s", id, faults, s)
				}
			}
		}
	}
	t.Logf("%d sentences", n)
}

func FuzzCheck(f *testing.F) {
	f.Add("my son Max is 12, 三万二千, ٢٨", "- Max is 12 on 2026-03-12 \"x\" (5/8)")
	f.Add("3억 2천 halb acht", "- 1.250,50 年 ngày 11 tháng 2")
	f.Fuzz(func(t *testing.T, message, line string) {
		g := grounding.New(grounding.Evidence{
			Transcript: []transcripts.Line{{Role: "assistant", Text: line}, {Role: "user", Text: message}}, Documents: []string{message}, Day: thursday,
		})
		g.Check(line)
		g.Check(line, message)
	})
}

func BenchmarkCheck(b *testing.B) {
	e := grounding.Evidence{Day: thursday}
	for i := range 30 {
		text := strings.Repeat(fmt.Sprintf("My sister Anna bought %d tickets for the concert on Friday, and I paid 45 for hers. ", i), 26)
		e.Transcript = append(e.Transcript, transcripts.Line{Role: []string{"user", "assistant"}[i%2], Text: text[:2000], At: thursday})
	}
	var proposal []string
	for i := range 100 {
		proposal = append(proposal, fmt.Sprintf("- Sister Anna bought %d tickets for the concert on 2026-03-13", i))
	}
	for b.Loop() {
		g := grounding.New(e)
		for _, line := range proposal {
			g.Check(line)
		}
	}
}

func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	linear.Check(t, 500, []string{
		"My sister Anna bought 12 tickets for Friday. ", "我喜欢喝茶，我住在杭州。", "a ", ", and I ", "\"", "((((", "[1] ", "12 ", "2026-01-01 ", "Anna ", "to ", "```\n",
		"no, ", "Anna's sister ", "三月四号，", "von Dienstag, dem 3. März, ", "two hundred and ", "half past 7 ",
	}, func(text string) {
		g := grounding.New(grounding.Evidence{Transcript: []transcripts.Line{{Role: "user", Text: text, At: thursday}}, Day: thursday})
		g.Check("- Sister Anna bought 12 tickets for tea on 2026-03-13 in 杭州")
	})
}
