package stance_test

import (
	"strings"
	"testing"

	"reverie/language/stance"
)

// stancesOf reads messages in turn; those of the assistant begin with "> ". It returns the stance of each sentence that has one of
// the words.
func stancesOf(lang string, messages []string, words ...string) []stance.Stance {
	r := stance.Reader{Lang: lang, Year: 2026}
	out := make([]stance.Stance, len(words))
	for _, m := range messages {
		if said, isReply := strings.CutPrefix(m, "> "); isReply {
			r.ReadAssistant(said)
			continue
		}
		for _, s := range r.Read(m) {
			for i, w := range words {
				if strings.Contains(s.Text, w) {
					out[i] = s.Stance
				}
			}
		}
	}
	return out
}

// TestRolePlayEndsWithAnotherSubject opens a role-play by giving both their roles, and leaves it by asking about something else.
func TestRolePlayEndsWithAnotherSubject(t *testing.T) {
	for lang, c := range map[string][]string{
		"en": {
			"You play the loan officer and I'll be a farmer.", "> Good morning, sir. How much land do you own?", "Forty acres, and my barn burned down.",
			"How long do I boil eggs for a salad? My daughter Ida hates runny ones.", "barn", "Ida",
		},
		"de": {
			"Du bist der Tierarzt und ich bin eine Bäuerin.", "> Grüss Gott, was fehlt denn der Kuh?", "Sie frisst nicht, und mein Mann ist im Spital.",
			"Wie lange koche ich Eier für einen Salat? Meine Tochter Ida mag sie hart.", "Spital", "Ida",
		},
		"es": {
			"Tú eres el casero y yo soy un inquilino enfadado.", "> Buenas tardes, ¿qué le pasa?", "Llevo tres meses sin agua y mi mujer está embarazada.",
			"¿Cuánto tiempo se cuecen los huevos para ensalada? A mi hija Ida le gustan duros.", "embarazada", "Ida",
		},
		"fr": {
			"Vous êtes le banquier, je suis une cliente ruinée.", "> Bonjour madame, que puis-je pour vous ?", "J'ai perdu ma maison et mon mari boit.",
			"Combien de temps faut-il cuire les œufs pour une salade ? Ma fille Ida les aime durs.", "maison", "Ida",
		},
		"it": {
			"Tu fai il vigile, io faccio l'automobilista.", "> Buongiorno, patente e libretto.", "Non ho la patente e mio figlio guida per me.",
			"Per quanto tempo cuocio le uova per l'insalata? Mia figlia Ida le vuole sode.", "patente e", "Ida",
		},
		"ru": {
			"Вы будете следователем, а я буду свидетелем.", "> Где вы были вечером?", "Я сидел в гараже, у меня трое детей.",
			"Сколько варить яйца для салата? Моя дочь Ида любит вкрутую.", "гараже", "Ида",
		},
		"zh": {
			"你来当房东,我当租客。", "> 您好,想租多久?", "我带着两个孩子,刚离婚。", "煮鸡蛋做沙拉要煮几分钟?我女儿小艾喜欢全熟的。", "离婚", "小艾",
		},
		"ar": {
			"أنت المحامي وأنا الموكل.", "> تفضل، ما قضيتك؟", "سرقوا سيارتي وعندي خمسة أولاد.", "كم دقيقة أسلق البيض للسلطة؟ ابنتي إيدا تحبه قاسيا.", "سيارتي", "إيدا",
		},
	} {
		n := len(c) - 2
		if got := stancesOf(lang, c[:n], c[n:]...); got[0] != stance.Fiction || got[1] == stance.Fiction {
			t.Errorf("%s: inside %d, behind %d", lang, got[0], got[1])
		}
	}
}

// TestRolesNeedBoth leaves sentences alone that only say who somebody is.
func TestRolesNeedBoth(t *testing.T) {
	for lang, text := range map[string]string{
		"en": "You are a great help, and I'm new to Leeds.", "de": "Du bist mir eine Hilfe, ich bin neu in Leeds.", "es": "Eres muy amable, soy nueva en Leeds.",
		"fr": "Vous êtes bien aimable, j'habite à Leeds.", "it": "Sei gentile, io vivo a Leeds.", "ru": "Вы правы, а я живу в Лидсе.",
		"zh": "你说得对,我是老师。", "ar": "أنت محق، وأنا أعيش في ليدز.",
	} {
		if got := stancesOf(lang, []string{text}, text)[0]; got != stance.Own {
			t.Errorf("%s: %q is %d", lang, text, got)
		}
	}
}

// TestSceneGoesOn takes what follows the opening of a scene for supposed, up to the question about it.
func TestSceneGoesOn(t *testing.T) {
	const supposed, own = stance.Hypothetical, stance.Own
	for _, c := range []struct {
		lang, text, word string
		want             stance.Stance
	}{
		{"en", "Let's say I quit. We live in Porto. What would rent be? I pay 900 in Leeds.", "Porto", supposed},
		{"en", "Let's say I quit. We live in Porto. What would rent be? I pay 900 in Leeds.", "Leeds", own},
		{"en", "It is 2031. We live in Porto. What is left?", "Porto", supposed},
		{"en", "It was 2019. We live in Porto. What is left?", "Porto", own},
		{"en", "You know the scenario. We live in Porto.", "Porto", own},
		{"de", "Wir sind im Jahr 2031. Wir wohnen in Porto. Was bleibt übrig?", "Porto", supposed},
		{"fr", "Supposons. J'habite à Porto. Il reste combien ?", "Porto", supposed},
		{"es", "Supongamos lo siguiente. Vivo en Oporto. ¿Cuánto me queda?", "Oporto", supposed},
		{"pt", "Vamos supor. Moro no Porto. Quanto sobra?", "Porto", supposed},
		{"it", "Facciamo finta. Vivo a Porto. Quanto resta?", "Porto", supposed},
		{"ru", "Допустим. Я живу в Порту. Сколько останется?", "Порту", supposed},
		{"zh", "假设一下。我住在大理。一年能剩多少?", "大理", supposed},
		{"ja", "仮にこうします。原村に住んでいる。毎月いくら残りますか?", "原村", supposed},
		{"ko", "상상해 봐. 나는 제주에 살아. 얼마 남을까?", "제주에", supposed},
		{"vi", "Giả sử thế này. Tôi sống ở Đà Lạt. Còn lại bao nhiêu?", "Đà Lạt", supposed},
		{"ar", "لنفترض. أعيش في أبها. كم يبقى؟", "أبها", supposed},
	} {
		if got := stancesOf(c.lang, []string{c.text}, c.word)[0]; got != c.want {
			t.Errorf("%s: %q: %q is %d, want %d", c.lang, c.text, c.word, got, c.want)
		}
	}
}

// TestShownText takes the text below a line that shows it and asks about it for somebody else's.
func TestShownText(t *testing.T) {
	for lang, c := range map[string][2]string{
		"en": {"Saw this in the tenants' group, is it true?", "I run a bakery in Hull and my landlord pays the gas. Had a stroke in 2019 and moved here after."},
		"de": {"Das hier hing im Treppenhaus, was meint ihr?", "Ich bin Bäckerin in Linz und zahle seit Jahren kein Gas. Mein Mann hatte 2019 einen Schlaganfall."},
		"es": {"Mira esto que pusieron en el grupo, ¿será verdad?", "Soy panadera en Burgos y no pago gas desde hace años. Mi marido tuvo un ictus en 2019."},
		"fr": {"J'ai lu ceci sur un forum, c'est vrai ?", "Je suis boulangère à Lens et je ne paie plus le gaz depuis des années. Mon mari a fait un AVC en 2019."},
		"pt": {"Vi isto num grupo, será verdade?", "Sou padeira em Viseu e não pago gás há anos. O meu marido teve um AVC em 2019 e ficou em casa."},
		"it": {"Ho letto questo su un forum, è vero?", "Sono fornaia a Udine e non pago il gas da anni. Mio marito ha avuto un ictus nel 2019."},
		"ru": {"Увидела такое в чате, это правда?", "Я пекарь из Тулы и за газ не плачу много лет. У мужа в 2019 году был инсульт, теперь он дома."},
		"zh": {"群里看到这段,是真的吗?", "我在洛阳开面包店,好多年不交燃气费了。我丈夫二〇一九年中风,现在在家休养,都是我一个人忙。"},
		"ja": {"こんな投稿を見たのですが本当ですか?", "長野でパン屋をしています。ガス代は何年も払っていません。夫は2019年に脳梗塞で倒れました。"},
		"ko": {"이런 글을 봤는데 사실인가요?", "저는 목포에서 빵집을 하는데 가스비를 몇 년째 안 냅니다. 남편은 2019년에 뇌졸중으로 쓰러졌어요."},
		"vi": {"Em thấy bài này trên nhóm, đúng không ạ?", "Mình mở tiệm bánh ở Huế, nhiều năm không đóng tiền gas. Chồng mình bị tai biến năm 2019."},
		"ar": {"قرأت هذا في مجموعة، هل هو صحيح؟", "أنا خبازة من حمص ولا أدفع الغاز منذ سنوات. زوجي أصيب بجلطة سنة 2019 وهو في البيت الآن."},
	} {
		r := stance.Reader{Lang: lang}
		for _, s := range r.Read(c[0] + "\n" + c[1]) {
			if s.Paragraph == 1 && s.Stance != stance.Foreign {
				t.Errorf("%s: %q is %d", lang, s.Text, s.Stance)
			}
		}
	}
	r := stance.Reader{Lang: "en"}
	for _, s := range r.Read("Can you plan a week of dinners?\nI'm a vegetarian and my husband Tom is diabetic. We have an hour in the evening and no oven.") {
		if s.Paragraph == 1 && s.Stance != stance.Own {
			t.Errorf("%q is %d", s.Text, s.Stance)
		}
	}
}

// TestPraiseNextToAComplaint is ironic; praise alone is not.
func TestPraiseNextToAComplaint(t *testing.T) {
	for _, c := range []struct {
		lang, complaint, praise string
	}{
		{"en", "The plumber cancelled for the third time.", "What a hero, my landlord found a genius there."},
		{"de", "Der Zug ist schon wieder ausgefallen.", "Eine Glanzleistung, diese Bahn."},
		{"es", "El casero no contesta y el baño sigue roto.", "Un caballero, de los que ya no quedan."},
		{"fr", "Le train est encore annulé.", "Quelle organisation, chapeau bas à la compagnie."},
		{"pt", "O elevador quebrou outra vez.", "Que eficiência, merecem uma medalha."},
		{"it", "Il treno è stato cancellato di nuovo.", "Che efficienza, un capolavoro di azienda."},
		{"ru", "Лифт опять сломался.", "Гениальная у нас управляющая компания."},
		{"zh", "电梯又坏了,没人修。", "我们物业真是天才,该给他们发锦旗。"},
		{"ja", "エレベーターがまた故障しました。", "うちの管理会社は天才です。"},
		{"ko", "엘리베이터가 또 고장났어.", "우리 관리소는 정말 천재들이야."},
		{"vi", "Thang máy lại hư.", "Ban quản lý nhà mình đúng là thiên tài."},
		{"ar", "المصعد عطلان مرة ثانية.", "إدارة عمارتنا عباقرة والله."},
	} {
		if got := stancesOf(c.lang, []string{c.complaint + " " + c.praise}, c.complaint, c.praise); got[0] != stance.Own || got[1] != stance.Ironic {
			t.Errorf("%s: %q: %v", c.lang, c.praise, got)
		}
		if got := stancesOf(c.lang, []string{c.praise}, c.praise)[0]; got != stance.Own {
			t.Errorf("%s: alone, %q is %d", c.lang, c.praise, got)
		}
	}
}

// TestACharacterIsAnswered reads an answer to a message that begins with a stage direction as part of a role-play, whatever began it.
func TestACharacterIsAnswered(t *testing.T) {
	for reply, c := range map[string]struct {
		lang, answer string
		want         stance.Stance
	}{
		"（敲门）开门，工部局的。":                            {"zh", "我在这货栈管了十九年账。", stance.Fiction},
		"(The door creaks.) Who are you?":         {"en", "I'm a medic and I lost my license.", stance.Fiction},
		"*rings the bell* I want my purse!":       {"en", "I have been a controller for twelve years.", stance.Fiction},
		"**Plan**\n1. Rest. 2. Walk daily.":       {"en", "I have been a controller for twelve years.", stance.Own},
		"* Rest\n* Walk daily":                    {"en", "I have been a controller for twelve years.", stance.Own},
		"(1) Rest, (2) walk daily.":               {"en", "I have been a controller for twelve years.", stance.Own},
		"“Dear Ms Bell, thank you.” Is it right?": {"en", "I have been a controller for twelve years.", stance.Own},
	} {
		if got := stancesOf(c.lang, []string{"Go on.", "> " + reply, c.answer}, c.answer)[0]; got != c.want {
			t.Errorf("behind %q: %d, want %d", reply, got, c.want)
		}
	}
	// So is a message of the speaker that begins with one, whatever it asks.
	if got := stancesOf("zh", []string{"（继续演）我丈母娘上个月住院，您看着办吧，七万行不行？"}, "丈母娘")[0]; got != stance.Fiction {
		t.Errorf("a staged message is %d", got)
	}
	// Words of a character keep a role-play going that has begun.
	talk := []string{"You play the notary and I'll be the countess.", "> “My lady?”"}
	for range 6 {
		talk = append(talk, "I buried two husbands.", "> “And the will, my lady?”")
	}
	if got := stancesOf("en", append(talk, "I burned the will."), "burned")[0]; got != stance.Fiction {
		t.Errorf("the role-play has ended: %d", got)
	}
}
