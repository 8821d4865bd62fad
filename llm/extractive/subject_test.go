package extractive

import (
	"strings"
	"testing"

	"reverie/test/corpus"
)

// subjects are conversations whose last message has a value like one of the first message. Of another subject it corrects nothing: the first
// message stays as it was said, and no line is marked as a later one. Of the same subject, or with the old value, it replaces it.
var subjects = []struct {
	says  []string
	right string // what the files say instead of gone; empty if the first message stays
	gone  string
}{
	// A correction of something else does not reach the next message.
	{[]string{"My mother is 82 years old and lives alone.", "actually, let me ask about the car instead", "the car is 12 years old"}, "", ""},
	{[]string{"I weigh 70 kg and I take 20 mg of citalopram.", "actually pilates instead of yoga", "my suitcase weighs 23 kg"}, "", ""},
	{[]string{"My rent is 900 euros a month.", "actually, I prefer the blue sofa", "the sofa costs 650 euros"}, "", ""},
	{[]string{"I drive 2 hours a day to work.", "actually, tell me about Lisbon", "the flight takes 6 hours"}, "", ""},
	{[]string{"Trabalho 40 horas por semana.", "na verdade prefiro o azul", "o filme dura 2 horas"}, "", ""},
	{[]string{"Meine Miete beträgt 900 Euro im Monat.", "ach nee, lieber das blaue Sofa", "das Sofa kostet 650 Euro"}, "", ""},
	{[]string{"Mon loyer est de 900 euros par mois.", "non, en fait je préfère le canapé bleu", "le canapé coûte 650 euros"}, "", ""},
	{[]string{"Il mio affitto è di 900 euro al mese.", "anzi, preferisco il divano blu", "il divano costa 650 euro"}, "", ""},
	{[]string{"Моей маме 82 года, она живёт одна.", "вообще-то давай лучше про машину", "машине 12 лет"}, "", ""},
	{[]string{"Я плачу за квартиру 30000 рублей в месяц.", "вообще-то мне больше нравится синий диван", "диван стоит 65000 рублей"}, "", ""},
	{[]string{"我的房租每月3000元。", "不对，我还是喜欢蓝色的沙发", "沙发要6500元"}, "", ""},
	{[]string{"저는 하루에 10시간은 앉아 있어요.", "아 맞다 요가 말고 필라테스", "저녁 7시 반에 가요"}, "", ""},
	{[]string{"家賃は9万円です。", "やっぱり青いソファがいいです", "ソファは6万円でした"}, "", ""},
	// Nor does a cue in the message itself.
	{[]string{"My rent is 900 euros a month.", "actually the sofa costs 650 euros"}, "", ""},
	{[]string{"My mother is 82 years old and lives alone.", "actually my bike is 12 years old"}, "", ""},
	{[]string{"Meine Miete beträgt 900 Euro im Monat.", "Moment, da lag ich falsch, das Sofa kostet 650 Euro"}, "", ""},
	{[]string{"Mon loyer est de 900 euros par mois.", "je me suis trompé, le canapé coûte 650 euros"}, "", ""},
	{[]string{"Ich arbeite 30 Stunden pro Woche im Krankenhaus.", "ach nee, der Flug dauert 6 Stunden"}, "", ""},
	{[]string{"저는 비타민 C 20mg을 먹어요.", "아 맞다 비타민 D 10mg도 샀어요"}, "", ""},
	{[]string{"返事は短めでお願いします。", "敬語じゃなくてタメ口でお願いします"}, "", ""},
	{[]string{"My rent is 900 euros a month.", "actually my gym is 40 euros a month"}, "", marked},
	// Nor does a bare value with numbers of other things between.
	{[]string{"I work 40 hours a week at the bakery.", "My cat weighs 4 kg and sleeps all day.", "The cat gets 60 grams a day.", "actually 30 hours"}, "", ""},
	// What is about the same, names the old value, or is nothing but the value, corrects.
	{[]string{"My rent is 900 euros a month.", "actually the rent is 950 euros"}, "[950]", "900"},
	{[]string{"Our budget for the wedding is 4200 euros.", "sorry, 4800"}, "[4800]", "4200"},
	{[]string{"Our budget for the wedding is 4200 euros.", "oops, 4800 euros"}, "[4800]", "4200"},
	{[]string{"The flat costs 1,140 quid a month.", "sorry, I said 1,140, it's 1,410"}, "[1,410]", "1,140"},
	{[]string{"El alquiler son 1.200 euros al mes.", "perdona, el alquiler son 1.350, que los 1.200 eran sin IVA"}, "[1.350]", "1.200"},
	{[]string{"Die Miete ist 900 Euro im Monat.", "Entschuldigung, die Miete ist 950, die 900 waren ohne Strom"}, "[950]", "900"},
	{[]string{"Mon loyer est de 900 euros par mois.", "pardon, j'ai dit 900, c'est 950"}, "[950]", "900"},
	{[]string{"L'affitto è di 900 euro al mese.", "scusa, ho detto 900, sono 950"}, "[950]", "900"},
	{[]string{"Я плачу за квартиру 30000 рублей в месяц.", "извини, я сказал 30000, там 35000"}, "[35000]", "30000"},
	{[]string{"我的房租每月3000元。", "抱歉，我说3000，是3400"}, "[3400]", "3000元"},
	{[]string{"家賃は9万円です。", "やっぱり家賃は10万5千円まで"}, "[10万5千]円", "9万"},
	{[]string{"월세는 50만원이에요.", "아 잠깐, 월세는 55만원이에요"}, "[55만]원", "50만"},
	{[]string{"Tengo clase de guitarra los martes y jueves.", "lo de los jueves no, solo los martes"}, "solo los martes", "martes y jueves"},
	{[]string{"I train with the team on Tuesdays and Thursdays.", "not Thursdays, only Tuesdays"}, "only Tuesdays", "Tuesdays and"},
	{[]string{"Die Hochzeit kostet 4200 Euro.", "ach nein, 4800 Euro"}, "[4800]", "4200"},
	{[]string{"Le mariage de ma sœur coûte 4200 euros à mes parents.", "oups, non, 4800 euros"}, "[4800]", "4200"},
	{[]string{"Il matrimonio di mia sorella costa 4200 euro ai miei genitori.", "ops, 4800 euro"}, "[4800]", "4200"},
	{[]string{"Свадьба стоит 42000 рублей.", "ой, извини, 48000 рублей"}, "[48000]", "42000"},
	{[]string{"婚礼预算是4200元。", "不对，4800元"}, "[4800]", "4200"},
	{[]string{"My cat weighs 4 kg and sleeps all day.", "I was wrong about the dog. It's 14 kg."}, "", ""},
	{[]string{"I like two films a week.", "My wedding costs 4200 euros.", "What do you know about me?", "My boss Karen hates Fridays.", "actually make that 4800"}, "[4800]", "4200"},
	// The old value in another statement, beside a new one, is not a correction.
	{[]string{"My rent is 900 euros a month.", "sorry for the delay, I looked at flats for 900 and for 950 euros"}, "", ""},
	{[]string{"I train with the team on Tuesdays and Thursdays.", "I can't cook on Thursdays, I eat out"}, "", ""},
}

// marked is set for what may be marked as later, because it shares a word.
const marked = "(later"

// TestSubjects expects values to be replaced by those of the same subject only.
func TestSubjects(t *testing.T) {
	for _, c := range subjects {
		var talk []string
		for _, says := range c.says {
			talk = append(talk, "u: "+says, "a: OK.")
		}
		in := said(talk...)
		conversation := listen(in.Transcript, in.Today)
		all := conversation.passages()
		settle(all)
		var stands []string
		for i := range all {
			if p := &all[i]; !p.withdrawn {
				stands = append(stands, p.lastingLine())
			}
		}
		for name, lines := range map[string][]string{
			"statements": stands, "at once": corpus.KeptOf(in, propose(in)).Files, "by exchange": byExchange(in).Files,
		} {
			text := strings.Join(lines, "\n")
			switch {
			case c.right == "" && (strings.Contains(text, "[") || c.gone != marked && strings.Contains(text, "(later") || name == "statements" && !strings.Contains(text, c.says[0])):
				t.Errorf("%q, %s: the first message should stay as it is:\n%s", c.says, name, text)
			case c.right != "" && (strings.Contains(text, c.gone) || name == "statements" && !strings.Contains(text, c.right)):
				t.Errorf("%q, %s: %q should stand instead of %q:\n%s", c.says, name, c.right, c.gone, text)
			}
		}
	}
}
