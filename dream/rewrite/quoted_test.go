package rewrite_test

import (
	"testing"

	"reverie/dream"
	"reverie/dream/dreamtest"
	"reverie/dream/rewrite"
	"reverie/memory/setting"
)

// TestQuotesInTheThirdPerson checks lines by which a model rewrites quoted candidates.
func TestQuotesInTheThirdPerson(t *testing.T) {
	passing := dreamtest.Passing
	waiting := passing(`"I plan to sell the car in May."`, .5)
	waiting.Verdict, waiting.ReasonCode = dream.VerdictKept, dream.ReasonOneOff
	ranking := ranked(
		passing(`"I'm allergic to nuts."`, .9), passing(`"My son Max is 12 and plays handball."`, .9),
		passing(`[Which city do you live in?] "Bonn, since March."`, .9), passing(`Jonas: "I don't eat fish."`, .9),
		passing(`"Our budget is [4800]"`, .9), passing(`"We fly to Oslo next Friday [2026-02-06]."`, .9), waiting,
	)
	note := "# 2026-01-30\n\n## 10:00 I don't eat fish\n\n- \"I'm allergic to nuts.\"\n- \"My son Max is 12 and plays handball.\"\n"
	for line, want := range map[string]bool{
		`"I'm allergic to nuts."`:                             true,
		"Is allergic to nuts.":                                true,
		"The user is allergic to nuts.":                       true,
		"The son Max is 12 and plays handball.":               true,
		"Lives in the city Bonn since March.":                 true,
		`[Which city do you live in?] "Bonn, since March."`:   true,
		"Jonas doesn't eat fish.":                             true,
		"The budget is 4800.":                                 true,
		"Flies to Oslo on 2026-02-06.":                        true,
		"I'm allergic to nuts. Our budget is 4800.":           true,
		"Is not allergic to nuts.":                            false,
		"Is allergic to eggs.":                                false,
		"The son Moritz is 12 and plays handball.":            false,
		"The son Max is 13 and plays handball.":               false,
		"Jonas eats fish.":                                    false,
		"Mia doesn't eat fish.":                               false,
		"The budget is 5800.":                                 false,
		`"I'm allergic to eggs."`:                             false,
		"Plans to sell the car in May.":                       false,
		`"I plan to sell the car in May."`:                    false,
		`[Which city does your son live in?] "Köln, in May."`: false,
	} {
		v := rewrite.Check(rewrite.CheckInput{
			Before: "# Memory\n\n- Name: Grace\n", After: "# Memory\n\n- Name: Grace\n- " + line + "\n", Sources: []string{note}, Ranking: ranking,
		}, setting.DefaultDreamSettings())
		if (len(v) == 0) != want {
			t.Errorf("%s: %v", line, v)
		}
	}
}
