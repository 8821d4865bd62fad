package extractive

import (
	"strings"
	"testing"

	"reverie/test/corpus"
)

// swaps are messages of which the last withdraws a value or a name of an earlier one and gives another one: the words that no line of the files
// may have as they were said, and those that one of them must have.
var swaps = []struct {
	says        []string
	gone, stays string
}{
	// It says which number was before and which one holds now, in the same message.
	{[]string{"Tomo levotiroxina 75 microgramos todas las mañanas en ayunas, me la recetó el endocrino. No aspetti, 75 era prima, ahora 88."}, "75", "[88]"},
	{[]string{"Tomo levotiroxina 75 microgramos todas las mañanas en ayunas, me la recetó el médico. No, espera, 75 era antes, ahora 88."}, "75", "[88]"},
	{[]string{"Prendo anche la levotiroxina 75 la mattina a digiuno, me l'ha data il medico di base. No aspetti, 75 era prima, adesso 88."}, "75", "[88]"},
	{[]string{"Ich nehme jeden Morgen L-Thyroxin 75 auf nüchternen Magen, schon lange. Ne warte, 75 war früher, jetzt 88."}, "75", "[88]"},
	{[]string{"Здравствуйте, нужен лёгкий рецепт. Я принимаю эутирокс 75 каждое утро натощак. Нет, подождите, 75 было раньше, сейчас 88."}, "75", "[88]"},
	{[]string{"I'm on lithium 600, twice a day, since last year.", "No, 600 was before, it's 900 now."}, "600", "[900]"},
	// It denies a name and gives another one.
	{[]string{"We use freezegun for freezing the clock in all of our tests.", "we use time-machine not freezegun, sorry"}, `"We use freezegun`, "[time-machine]"},
	{[]string{"Our package manager is npm and we deploy with GitHub Actions.", "oh and it is pnpm, not npm"}, "is npm", "[pnpm]"},
	{[]string{"Nutzen tun wir npm als Paketmanager und GitHub Actions für die Auslieferung.", "es ist pnpm, nicht npm"}, "wir npm", "[pnpm]"},
	{[]string{"我们项目用npm管理依赖，用GitHub Actions部署。", "不是npm，是pnpm"}, "用npm", "[pnpm]"},
	{[]string{"No time usamos npm como gerenciador de pacotes e GitHub Actions.", "na verdade é pnpm, não npm"}, "usamos npm", "[pnpm]"},
	// It says the same words the other way round.
	{[]string{"妹は看護師で、弟は会社員です。二人とも大阪に住んでいて、よく会います。", "あ、逆だった。弟が看護師で妹が会社員です。"}, "妹は看護師", "弟が看護師"},
	{
		[]string{"My sister Ida is a nurse and my brother Tom is a lawyer in Cork.", "No wait, my brother Tom is the nurse and my sister Ida the lawyer."},
		"Ida is a nurse", "Tom is the nurse",
	},
	// A denial of something else takes nothing back.
	{[]string{"I like tea, and my dog is called Rex.", "I drink coffee, not tea, at work."}, "[coffee]", "I like tea"},
	{[]string{"I like tea, and my sister Ida likes it, too.", "Ok.", "Fine.", "It's milk, not tea."}, "[milk]", "I like tea"},
	// What a fact says is taken back in the same message.
	{[]string{"I live in Leeds. Wait no, Leeds was before, now York."}, "Home: Leeds", "now York"},
	{[]string{"Ich wohne in Kassel. Ne warte, Kassel war früher, jetzt Fulda."}, "Home: Kassel", "jetzt Fulda"},
}

// TestSwaps expects the files to have the later value, once or with what it was before.
func TestSwaps(t *testing.T) {
	for _, c := range swaps {
		var talk []string
		for _, says := range c.says {
			talk = append(talk, "u: "+says, "a: OK.")
		}
		in := said(talk...)
		all := strings.Join(corpus.KeptOf(in, propose(in)).Files, "\n")
		if strings.Contains(all, c.gone) || !strings.Contains(all, c.stays) {
			t.Errorf("%q: the files should have %q and not %q:\n%s", c.says, c.stays, c.gone, all)
		}
	}
}

// A name that is denied in a later conversation leaves the files; the line with it is no other than the one that it is about.
func TestSwapInFiles(t *testing.T) {
	for _, c := range []struct {
		talk     []string
		replaced bool
	}{
		{[]string{"u: we use time-machine not freezegun in our tests", "a: OK."}, true},
		{[]string{"u: How do I freeze the time?", "a: With freezegun's freeze_time.", "u: it's time-machine, not freezegun, btw.", "a: OK."}, true},
		{[]string{"u: For my own site I prefer sinon, not freezegun.", "a: OK."}, false},
	} {
		in := said(c.talk...)
		in.Memory = "# Memory\n\n## Decisions\n\n- \"We use freezegun in all our tests.\"\n- \"We ship on Fridays.\"\n"
		p := propose(in)
		kept := corpus.KeptOf(in, p)
		if stands := strings.Contains(strings.Join(kept.Files, "\n"), "We use freezegun"); stands == c.replaced {
			t.Errorf("%q: the line should be replaced (%v):\n%s", c.talk, c.replaced, kept.Files)
		}
		checkAgain(t, in, p)
	}
}
