package extractive

import (
	"strings"
	"testing"
)

// unrelatedEnds lists facts about people with what ends for them later, which takes nothing of the facts back.
var unrelatedEnds = map[string][][2]string{
	"en": {
		{"My wife Anna has asthma.", "Anna sold her car."},
		{"My wife Anna has asthma.", "Anna no longer drives."},
		{"My wife Anna has asthma.", "My wife quit her job."},
		{"my daughter Ivy is 4 and she's allergic to eggs", "Ivy is coming over on Sunday."},
		{"my daughter Ivy is 4 and she's allergic to eggs", "Ivy quit ballet."},
		{"My son Max is diabetic.", "Max left for school."},
		{"My son Max is diabetic.", "Max stopped smoking."},
		{"my brother Sam, he's allergic to peanuts", "sam left today"},
		{"I'm allergic to peanuts.", "I no longer eat peanuts."},
		{"I'm allergic to peanuts.", "I quit my job."},
		{"Anna has epilepsy.", "Anna gave up the flat."},
		{"My mum can't have gluten.", "Mum cancelled her trip."},
		{"My sister Ruth works at the library.", "Ruth sold her bike."},
	},
	"de": {
		{"Meine Tochter Ida ist gegen Eier allergisch.", "Ida hat mit Ballett aufgehört."},
		{"Meine Tochter Ida ist gegen Eier allergisch.", "Ida isst keine Eier mehr."},
		{"Mein Sohn Max hat Diabetes.", "Max raucht nicht mehr."},
		{"Mein Sohn Max hat Diabetes.", "Max hat sein Fahrrad verkauft."},
		{"Meine Frau Anna hat Asthma.", "Anna hat ihren Job gekündigt."},
		{"Meine Frau Anna hat Asthma.", "Meine Frau fährt nicht mehr Auto."},
		{"Mein Bruder Tim ist gegen Erdnüsse allergisch.", "Tim ist nicht mehr in Köln."},
		{"Mein Vater verträgt keine Laktose.", "Mein Vater hat das Boot verkauft."},
	},
	"es": {
		{"Mi hija Lucía es alérgica al huevo.", "Lucía dejó el ballet."},
		{"Mi hija Lucía es alérgica al huevo.", "Lucía ya no viene el domingo."},
		{"Mi hijo Pablo es diabético.", "Pablo dejó de fumar."},
		{"Mi hijo Pablo es diabético.", "Pablo vendió la moto."},
		{"Mi mujer Ana tiene asma.", "Ana ya no conduce."},
		{"Mi mujer Ana tiene asma.", "Ana vendió su coche."},
		{"Mi hermano Luis no puede comer gluten.", "Luis ya no trabaja en Correos."},
		{"Soy alérgico a los cacahuetes.", "Ya no trabajo en el banco."},
	},
	"fr": {
		{"Ma fille Léa est allergique aux œufs.", "Léa a arrêté la danse."},
		{"Ma fille Léa est allergique aux œufs.", "Léa ne vient plus dimanche."},
		{"Mon fils Max est diabétique.", "Max a arrêté de fumer."},
		{"Mon fils Max est diabétique.", "Max a vendu son vélo."},
		{"Ma femme Anna a de l'asthme.", "Anna ne conduit plus."},
		{"Ma femme Anna a de l'asthme.", "Anna a vendu sa voiture."},
		{"Mon frère Paul est allergique aux arachides.", "Paul n'est plus à Lyon."},
		{"Je suis allergique aux noix.", "Je ne travaille plus le lundi."},
	},
	"pt": {
		{"Minha filha Bia é alérgica a ovo.", "A Bia parou o balé."},
		{"Minha filha Bia é alérgica a ovo.", "A Bia não vem mais no domingo."},
		{"Meu filho Davi é diabético.", "O Davi parou de fumar."},
		{"Meu filho Davi é diabético.", "O Davi vendeu a bicicleta."},
		{"Minha esposa Ana tem asma.", "A Ana vendeu o carro."},
		{"Minha esposa Ana tem asma.", "A Ana não dirige mais."},
		{"Meu irmão Rui não pode comer glúten.", "O Rui saiu do banco."},
		{"Sou alérgico a amendoim.", "Não trabalho mais no banco."},
	},
	"it": {
		{"Mia figlia Giulia è allergica alle uova.", "Giulia ha smesso con la danza."},
		{"Mia figlia Giulia è allergica alle uova.", "Giulia non viene più domenica."},
		{"Mio figlio Luca è diabetico.", "Luca ha smesso di fumare."},
		{"Mio figlio Luca è diabetico.", "Luca ha venduto la moto."},
		{"Mia moglie Anna ha l'asma.", "Anna ha venduto la macchina."},
		{"Mia moglie Anna ha l'asma.", "Anna non guida più."},
		{"Mio fratello Marco è celiaco.", "Marco non abita più a Roma."},
		{"Sono allergico alle noci.", "Non lavoro più in banca."},
	},
	"ru": {
		{"У моей дочери Маши аллергия на яйца.", "Маша бросила балет."},
		{"Моя дочь Маша не переносит яйца.", "Маша больше не придёт в воскресенье."},
		{"Мой сын Макс диабетик.", "Макс бросил курить."},
		{"Мой сын Макс диабетик.", "Макс продал велосипед."},
		{"Моя жена Анна болеет астмой.", "Анна продала машину."},
		{"Моя жена Анна болеет астмой.", "Анна больше не водит."},
		{"У меня аллергия на орехи.", "Я больше не работаю в банке."},
		{"Мой брат Игорь аллергик.", "Игорь уволился с завода."},
	},
	"zh": {
		{"我女儿豆豆对鸡蛋过敏。", "豆豆的课取消了。"},
		{"我女儿豆豆对鸡蛋过敏。", "豆豆不学芭蕾了。"},
		{"我儿子小明有糖尿病。", "小明的自行车卖了。"},
		{"我儿子小明有糖尿病。", "小明已经不住校了。"},
		{"我老婆小丽有哮喘。", "小丽把车卖了。"},
		{"我老婆小丽有哮喘。", "小丽辞职了。"},
		{"我弟弟阿强对花生过敏。", "阿强戒烟了。"},
		{"我对花生过敏。", "我辞职了。"},
	},
	"ja": {
		{"娘のさくらは卵アレルギーです。", "さくらはバレエをやめました。"},
		{"娘のさくらは卵アレルギーです。", "さくらの予定はキャンセルになりました。"},
		{"息子のけんたは糖尿病です。", "けんたはもうタバコをやめました。"},
		{"息子のけんたは糖尿病です。", "けんたは自転車を売りました。"},
		{"妻のあんなは喘息です。", "あんなは車を売りました。"},
		{"妻のあんなは喘息です。", "あんなは会社を辞めました。"},
		{"弟の太郎はピーナッツアレルギーです。", "太郎はもう東京に住んでいません。"},
		{"私はそばアレルギーです。", "先月会社を辞めました。"},
	},
	"ko": {
		{"우리 딸 지우는 계란 알레르기가 있어요.", "지우는 발레를 그만뒀어요."},
		{"우리 딸 지우는 계란 알레르기가 있어요.", "지우는 이제 안 와요."},
		{"우리 아들 민준이는 당뇨가 있어요.", "민준이는 담배를 끊었어요."},
		{"우리 아들 민준이는 당뇨가 있어요.", "민준이는 자전거를 팔았어요."},
		{"제 아내 지영은 천식이 있어요.", "지영은 차를 팔았어요."},
		{"제 아내 지영은 천식이 있어요.", "지영은 더 이상 운전을 안 해요."},
		{"제 동생 현우는 땅콩 알레르기가 있어요.", "현우는 회사를 그만뒀어요."},
		{"저는 땅콩 알레르기가 있어요.", "저는 회사를 그만뒀어요."},
	},
	"vi": {
		{"Con gái mình tên Bống bị dị ứng trứng.", "Bống bỏ học múa rồi."},
		{"Con gái mình tên Bống bị dị ứng trứng.", "Bống không đến chủ nhật nữa."},
		{"Con trai tôi tên Minh bị tiểu đường.", "Minh bỏ thuốc lá rồi."},
		{"Con trai tôi tên Minh bị tiểu đường.", "Minh bán xe đạp rồi."},
		{"Vợ mình là Lan bị hen suyễn.", "Lan bán xe rồi."},
		{"Vợ mình là Lan bị hen suyễn.", "Lan không lái xe nữa."},
		{"Em trai mình tên Huy dị ứng đậu phộng.", "Huy nghỉ việc rồi."},
		{"Mình bị dị ứng đậu phộng.", "Mình nghỉ việc rồi."},
	},
	"ar": {
		{"ابنتي سارة عندها حساسية من البيض.", "سارة تركت الباليه."},
		{"ابنتي سارة عندها حساسية من البيض.", "سارة لم تعد تأتي يوم الأحد."},
		{"ابني كريم مصاب بالسكري.", "كريم ترك التدخين."},
		{"ابني كريم مصاب بالسكري.", "كريم باع دراجته."},
		{"زوجتي هند عندها ربو.", "هند باعت سيارتها."},
		{"زوجتي هند عندها ربو.", "هند لم تعد تقود السيارة."},
		{"أخي سامي عنده حساسية من الفول السوداني.", "سامي ترك الشركة."},
		{"عندي حساسية من المكسرات.", "لم أعد أعمل في البنك."},
	},
}

// realEnds lists facts with what takes them back.
var realEnds = map[string][][2]string{
	"en": {
		{"My son Max is allergic to eggs.", "Good news: Max is no longer allergic to eggs."},
		{"I take metformin every morning.", "I don't take metformin anymore."},
		{"My wife Anna works at Lidl.", "Anna no longer works at Lidl."},
		{"My brother Sam has a boat.", "Sam sold the boat."},
	},
	"de": {
		{"Mein Sohn Max ist gegen Eier allergisch.", "Max ist nicht mehr gegen Eier allergisch."},
		{"Meine Frau Anna arbeitet bei Lidl.", "Anna arbeitet nicht mehr bei Lidl."},
		{"Mein Bruder Tim hat ein Boot.", "Tim hat das Boot verkauft."},
	},
	"es": {
		{"Mi hijo Pablo es alérgico al huevo.", "Pablo ya no es alérgico al huevo."},
		{"Mi hermano Luis trabaja en Correos.", "Luis ya no trabaja en Correos."},
	},
	"fr": {
		{"Mon fils Max est allergique aux œufs.", "Max n'est plus allergique aux œufs."},
		{"Mon frère Paul a un bateau.", "Paul a vendu le bateau."},
	},
	"pt": {{"Meu irmão Rui trabalha no banco.", "O Rui não trabalha mais no banco."}},
	"it": {{"Mio fratello Marco lavora in banca.", "Marco non lavora più in banca."}},
	"ru": {{"Мой брат Игорь работает на заводе.", "Игорь больше не работает на заводе."}},
	"zh": {{"我女儿豆豆对鸡蛋过敏。", "豆豆已经不再对鸡蛋过敏了。"}},
	"ja": {{"弟の太郎は銀行で働いています。", "太郎はもう銀行で働いていません。"}},
	"ko": {{"제 동생 현우는 은행에서 일해요.", "현우는 은행을 그만뒀어요."}},
	"vi": {{"Em trai mình tên Huy làm ở ngân hàng.", "Huy không làm ở ngân hàng nữa."}},
	"ar": {{"أخي سامي يعمل في البنك.", "سامي لم يعد يعمل في البنك."}},
}

// standsAfter reports whether a fact is kept after a later statement, in the same conversation and in the files.
func standsAfter(fact, later string) (inTalk, inFiles bool) {
	passages := spoken(said("u: "+fact, "a: Noted.", "u: "+later).Transcript, said().Today)
	inTalk = true
	for i := range passages {
		if p := &passages[i]; p.message == 0 && p.withdrawn {
			inTalk = false
		}
	}
	in := said("u: " + later)
	in.Memory = "# Memory\n\n## Facts\n\n- " + quote(fact) + "\n"
	p := propose(in)
	return inTalk, p.MemoryUpdate == "" || strings.Contains(p.MemoryUpdate, quote(fact))
}

// TestEnds expects that what ends for a person takes back what is said of it, and nothing else: least of all what is said of their health.
func TestEnds(t *testing.T) {
	n := 0
	for lang, pairs := range unrelatedEnds {
		for _, c := range pairs {
			n++
			if said, filed := standsAfter(c[0], c[1]); !said || !filed {
				t.Errorf("%s: %q is taken back by %q: conversation %v, files %v", lang, c[0], c[1], !said, !filed)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d pairs; at least 100 are needed", n)
	}
	stand, all := 0, 0
	for lang, pairs := range realEnds {
		for _, c := range pairs {
			all += 2
			said, filed := standsAfter(c[0], c[1])
			for _, stands := range []bool{said, filed} {
				if stands {
					stand++
				}
			}
			if said || filed {
				t.Logf("%s: %q stands after %q: conversation %v, files %v", lang, c[0], c[1], said, filed)
			}
		}
	}
	t.Logf("%d pairs that have nothing to do with each other; %d of %d ends are missed", n, stand, all)
	if stand > maxMissedEnds {
		t.Errorf("%d of %d ends are missed; at most %d may be", stand, all, maxMissedEnds)
	}
}

const maxMissedEnds = 8
