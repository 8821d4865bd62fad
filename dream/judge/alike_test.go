package judge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reverie/language/claim"
)

func TestAlike(t *testing.T) {
	same := [][2]string{
		{"Allergic to peanuts.", "allergic to **peanuts**"},
		{"Allergic to peanuts.", "The user is allergic to peanuts"},
		{"Allergies: peanuts", "Allergic to peanuts."},
		{"Remember: the gate code is 4711", "The gate code is 4711."},
		{"User likes green tea.", "Prefers green tea"},
		{"Works from home on Mondays.", "On Mondays works from home"},
		{"Has two cats.", "Has 2 cats"},
		{"Has a peanut allergy.", "Is allergic to peanuts."},
		{"Flies from Berlin to Oslo.", "Flies to Oslo from Berlin."},
		{"Weekly standup at 9:30 on Mondays.", "Has a weekly standup on Mondays at 9:30."},
		{"Lives in Lisbon, near the river.", "Resides in Lisbon near the river"},
		{"Drinks green tea every single morning at work.", "Really drinks green tea every single morning at work."},
		{"The staging database listens on port 5433.", "Staging database listens on port 5433"},
		{"Arbeitet als Krankenschwester in Köln.", "Arbeitet als Krankenschwester in Köln"},
		{"对花生过敏。", "我对花生过敏"},
		{"用户住在上海。", "居住在上海"},
		{"女儿在北京读小学", "我女儿在北京读小学。"},
	}
	for _, pair := range same {
		if !Alike(pair[0], pair[1]) {
			t.Errorf("not alike: %q and %q", pair[0], pair[1])
		}
	}
	other := [][2]string{
		{"Allergic to peanuts.", "Not allergic to peanuts."},
		{"Allergic to peanuts.", "No longer allergic to peanuts."},
		{"Allergic to peanuts.", "Sister is allergic to peanuts."},
		{"Lives in Berlin.", "Used to live in Berlin."},
		{"Lives in Berlin.", "Wants to live in Berlin."},
		{"Lives in Berlin.", "Lives in Lisbon."},
		{"Works at Charité as a nurse on the night shift.", "Works at Charité as a nurse."},
		{"Lives in Lisbon.", "~~Lives in Lisbon.~~"},
		{"Pay the rent for March.", "Done: Pay the rent for March."},
		{"Is from Berlin.", "Is in Berlin."},
		{"Is vegetarian.", "Is she vegetarian?"},
		{"Has a lovely flat.", "Has a preference for flats."},
		{"Flies from Berlin to Oslo.", "Flies from Oslo to Berlin."},
		{"Uses tabs for Go and spaces for YAML.", "Uses spaces for Go and tabs for YAML."},
		{"Likes Anna.", "Anna likes it."},
		{"Has two cats.", "Has three cats."},
		{"Has two cats.", "Has two dogs."},
		{"The staging database listens on port 5433.", "The staging database listens on port 5434."},
		{"The staging database listens on port 5433.", "The production database listens on port 5433."},
		{
			"The database of the shop listens on port 5433 by default.",
			"The database of the shop listens on port 5433 by default and never restarts on 2026-01-02.",
		},
		{"Prefers tea over coffee.", "Prefers coffee over tea."},
		{"Anna manages Bob.", "Bob manages Anna."},
		{"Takes the tablets before breakfast.", "Takes the tablets after breakfast."},
		{"Flies from Berlin on Friday.", "Flies to Berlin on Friday."},
		{"He is allergic to peanuts.", "She is allergic to peanuts."},
		{"Team standup is on Monday at 9:30.", "Team standup is on Tuesday at 9:30."},
		{"Deploys on Fridays only after two reviews.", "Deploys on Fridays after two reviews."},
		{"Likes tea.", "Likes tea with milk and honey."},
		{"Likes coriander in salads and soups.", "Dislikes coriander in salads and soups."},
		{"Meets Anna for lunch at the old harbour every week.", "Meets Maria for lunch at the old harbour every week."},
		{"对花生过敏", "对花生不过敏"},
		{"喜欢喝茶", "喜欢喝咖啡"},
		{"女儿在北京读小学", "儿子在北京读小学"},
		{"每周三下午开会讨论预算", "每周四下午开会讨论预算"},
		{"张三打李四", "李四打张三"},
		{"저는 매일 아침 커피를 마신다", "저는 매일 아침 커피를 안 마신다"},
		{"毎朝コーヒーを飲むことにしています", "毎朝コーヒーを飲まないことにしています"},
		{"Ест мясо по воскресеньям с семьёй в ресторане", "Не ест мясо по воскресеньям с семьёй в ресторане"},
		{"Come carne los domingos con la familia en casa", "No come carne los domingos con la familia en casa"},
		{"以前住在上海浦东新区", "住在上海浦东新区"},
	}
	for _, pair := range other {
		if Alike(pair[0], pair[1]) {
			t.Errorf("alike: %q and %q", pair[0], pair[1])
		}
	}
}

// vocabulary lists the words from which statements are drawn.
var vocabulary = strings.Fields(`allergic peanuts Berlin Anna lives works not no two 3 5433 before after tea coffee likes prefers user
	sister used to from over the a in on database staging every morning db_port 2026-01-02 never 花生 过敏 不 喜欢 北京 三 女儿`)

func drawStatement(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 8).Draw(t, name), " ")
}

func TestAlikeIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawStatement(t, "a"), drawStatement(t, "b")
		if Alike(a, b) != Alike(b, a) {
			t.Fatalf("Alike(%q, %q) is %v, the other way round %v", a, b, Alike(a, b), Alike(b, a))
		}
		if !Alike(a, a) {
			t.Fatalf("%q is not like itself", a)
		}
	})
}

func TestAlikeKeepsNumbersAndNegations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := drawStatement(t, "said")
		for _, other := range []string{said + " 99", said + " Zoltan", "7 " + said} {
			if Alike(said, other) {
				t.Fatalf("%q is like %q", said, other)
			}
		}
		if claim.WordsOf(said).Turns&claim.Negated == 0 && Alike(said, "never "+said) {
			t.Fatalf("%q is like its negation", said)
		}
	})
}

// TestIndexFindsWhatIsAlike compares the index with a comparison of all pairs.
func TestIndexFindsWhatIsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []claim.Words
		for range rapid.IntRange(1, 30).Draw(t, "texts") {
			if w := claim.WordsOf(drawStatement(t, "text")); len(w.Units) > 0 {
				texts = append(texts, w)
			}
		}
		x := newWordIndex(texts)
		var added []*thing
		for _, w := range texts {
			plain := slices.ContainsFunc(added, func(o *thing) bool { return claim.SameStatement(o.words, w) })
			if (x.alike(w) != nil) != plain {
				t.Fatalf("the index finds something: %v, comparing with each: %v: %v", x.alike(w) != nil, plain, w.Sorted)
			}
			next := &thing{words: w}
			added = append(added, next)
			x.add(next)
		}
	})
}
