package extractive

import (
	"cmp"
	"strings"
	"testing"

	"reverie/test/corpus"
)

// repairs are messages of which a later one corrects or takes back an earlier one: the words that neither file may have afterwards, and those
// that one of them must have, if any.
var repairs = []struct {
	says        []string
	gone, stays string
}{
	// The admission is a sentence, and the value the next one.
	{[]string{"I pay 740 for the flat in Ghent, bills included.", "Hold on, I was wrong about that. I pay 815 for the flat."}, "740", "815"},
	{[]string{"Ich zahle 740 für die Wohnung in Gent, alles inklusive.", "Moment, da lag ich falsch. Ich zahle 815 für die Wohnung."}, "740", "815"},
	{[]string{
		"Плачу 740 за квартиру в Туле, всё включено.",
		"Сорри, перепутал цифры. Плачу 815 за квартиру.",
	}, "740", "815"},
	// It repeats the wrong value in another clause than the right one, beside a value that is right.
	{[]string{
		"Our rent is 620 plus 90 for the heating, since March.",
		"sorry, I was wrong, the heating is 115, the 90 was for the old flat.",
	}, "[115] plus", "620"},
	{[]string{
		"Pagamos 620 de alquiler más 90 de calefacción desde marzo.",
		"me equivoqué, la calefacción son 115, las 90 eran del piso de antes.",
	}, "[115] de alquiler", "620"},
	// It asks to forget what has just been said, without naming it, or names it in the clause before.
	{[]string{
		"I live in Ghent with my sister.",
		"Sometimes I want to quit my job at the bank and move to Lima.",
		"Forget it, I didn't mean that.",
	}, "Lima", "Ghent"},
	{[]string{
		"健太です。金沢に住んでいて、ピーナッツアレルギーがあります。",
		"もう銀行の仕事を辞めて札幌に行こうかな。",
		"さっきのは忘れてください、本気じゃないです。",
	}, "札幌", "金沢"},
	{[]string{
		"Mi chiamo Rita e vivo a Lecce.",
		"Per la cucina abbiamo deciso il verde.",
		"Per la festa ho prenotato il clown, 120 euro per due ore.",
		"il clown l'ho disdetto, quindi toglilo.",
	}, "120", "Lecce"},
	{[]string{"My son Leo is allergic to walnuts. What could he eat at school?", "never mind, I found a list"}, "", "walnuts"},
	// What is only like a correction takes nothing back.
	{[]string{"I live in Ghent with my sister.", "Actually, can you make the list shorter?"}, "", "Ghent"},
	{[]string{"I pay 740 for the flat in Ghent, bills included.", "I was wrong about the train. It takes 55 minutes."}, "[55]", "740"},
	{[]string{"Our wedding is on 16/3 in Cork, I live there.", "I was wrong about the guests, I counted 280 at our wedding."}, "[280]", ""},
	// A clause that ends something else, or is beside the point, shares a word with a long statement.
	{[]string{
		"I need a plan for five dinners, I live in Ghent with my sister, and latex gloves have given me a rash since nursing school.",
		"Well, for Sunday the plan is cancelled. Can you suggest a film?",
	}, "", "latex"},
	{[]string{
		"Ich gebe in Gent einen Kurs für Zimmerleute, habe zwei Töchter und bin seit der Lehre gegen Wespen allergisch.",
		"Am Freitag ist der Kurs abgesagt. Welcher Zug fährt früher?",
	}, "", "Wespen"},
	{[]string{
		"Я уже не в банке, с мая работаю в ветклинике в Туле, один врач и две собаки на приёме.",
		"И я больше не один живу, в июне ко мне переехала сестра.",
	}, "", "ветклинике"},
	{[]string{
		"저는 광주에 살고 고양이가 3마리, 화분이 37개 있어요.",
		"사실 아내가 임신 5개월이라 화분은 팔아요.",
	}, "[5]", "광주"},
	{[]string{
		"저는 9월 15일에 결제팀으로 옮기고 광주에 살아요.",
		"아니 잠깐, 팀장님은 8월에 결제팀에서 퇴사했어요.",
	}, "[8]", ""},
	{[]string{
		"저는 광주에서 살고 월세는 50만원이에요.",
		"사실 9월에 출산 예정이라 이사할 처지가 아니에요.",
	}, "[9]", "50만원"},
}

// TestRepairs expects the files to assert what the speaker last said of a thing.
func TestRepairs(t *testing.T) {
	for _, c := range repairs {
		var talk []string
		for _, says := range c.says {
			talk = append(talk, "u: "+says, "a: OK.")
		}
		in := said(talk...)
		for name, kept := range map[string]corpus.Kept{"at once": corpus.KeptOf(in, propose(in)), "by exchange": byExchange(in)} {
			all := strings.Join(kept.Files, "\n")
			if c.gone != "" && strings.Contains(all, c.gone) || !strings.Contains(all, c.stays) {
				t.Errorf("%q, %s: the files should have %q and not %q:\n%s", c.says, name, c.stays, c.gone, all)
			}
		}
	}
}

// TestRepairWithoutAnAnswer expects a message that follows at once and begins with a correction to take back the one before.
func TestRepairWithoutAnAnswer(t *testing.T) {
	for _, c := range []struct {
		second string
		stands bool
	}{
		{"oops no, wait, that's a colleague of mine", false},
		{"and he is eight years old", true},
	} {
		in := said("u: My brother Leo is allergic to walnuts and lives in Ghent.", "u: "+c.second, "a: OK.")
		all := strings.Join(corpus.KeptOf(in, propose(in)).Files, "\n")
		if strings.Contains(all, "walnuts") != c.stands {
			t.Errorf("%q: his allergy should stand (%v):\n%s", c.second, c.stands, all)
		}
	}
}

// Numbers of other things are not corrections, and a number that is corrected in another conversation replaces the line that has it.
func TestNumbersOfTheSameThing(t *testing.T) {
	for _, says := range [][]string{
		{"u: We booked for 14", "a: Noted.", "u: Actually a hotel for 14 and a hall for 18"},
		{"u: Wir haben für 14 gebucht.", "a: Ok.", "u: Eigentlich ein Hotel für 14 und einen Saal für 18."},
		{"u: Reservamos para 14.", "a: Vale.", "u: En realidad un hotel para 14 y una sala para 18."},
	} {
		if p := propose(said(says...)); strings.Contains(p.MemoryUpdate+p.ProfileUpdate, "[18]") {
			t.Errorf("%s: %s", says, p.MemoryUpdate)
		}
	}
	for _, c := range []struct {
		line, says string
		replaced   bool
	}{
		{`My rent is 900`, "actually my rent is 950", true},
		{`"My rent is 900."`, "My rent is 950 now.", true},
		{`"Meine Miete beträgt 900."`, "Nein, meine Miete beträgt jetzt 950.", true},
		{`"My rent is 900."`, "My mother's rent is 950 now.", false},
		{`"My rent is 900."`, "actually my budget is 950", false},
		{`"My car has 4 doors."`, "actually my car has 2 keys", false},
	} {
		in := said("u: "+c.says, "a: Noted.")
		in.Memory = "# Memory\n\n## Facts\n\n- " + c.line + "\n- I own a bike.\n- My sister lives in Rome.\n"
		if text := cmp.Or(propose(in).MemoryUpdate, in.Memory); strings.Contains(text, c.line) == c.replaced {
			t.Errorf("%s, %s: %s", c.line, c.says, text)
		}
	}
}
