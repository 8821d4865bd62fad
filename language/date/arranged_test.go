package date

import (
	"testing"
	"time"
)

// arranged are sentences said on a Monday whose verb in the past tells when something was arranged, with the dates for which it was.
var arranged = map[string][]string{
	"en": {
		"Signed up for Tuesday [2026-12-01]",
		"I bought tickets for May 3 [2027-05-03]",
		"We booked the hotel for the 5th of May [2027-05-05]",
		"I've booked it for Friday, December 11 [2026-12-11]",
		"Booked a table on Friday [2026-12-04] at 7",
	},
	"de": {
		"Ich habe für den 3. April [2027-04-03] einen Flug gebucht",
		"Ich habe für Freitag, den 11. Dezember [2026-12-11], gebucht",
		"Wir haben uns auf Freitag [2026-12-04] geeinigt",
		"Wir ziehen bis Ende März [2027-03] aus, weil der Mietvertrag zum 31.3. [2027-03-31] gekündigt wurde",
	},
	"fr": {
		"J'ai réservé pour le 5 mai [2027-05-05]",
		"J'ai acheté des billets pour samedi [2026-12-05]",
		"J'ai donné mon préavis pour le 31 mars [2027-03-31]",
		"En fait on part le 6 avril [2027-04-06]",
	},
	"es": {
		"He reservado el hotel para el 5 de mayo [2027-05-05]",
		"Reservé una mesa para el sábado [2026-12-05]",
		"Reservé una mesa el viernes [2026-12-04] a las 9",
	},
	"it": {
		"Ho prenotato il volo per il 3 aprile [2027-04-03]",
		"Abbiamo comprato i biglietti per sabato [2026-12-05]",
		"Ho prenotato per venerdì 11 dicembre [2026-12-11]",
	},
	"pt": {
		"Reservei o hotel para 5 de maio [2027-05-05]",
		"Comprei bilhetes para o dia 5 de maio [2027-05-05]",
		"Reservei a mesa no sábado [2026-12-05] às 20h",
	},
	"ru": {
		"Я купил билеты на 10 мая [2027-05-10]",
		"Записалась к врачу на среду [2026-12-02]",
	},
	"zh": {
		"我订了周五[2026-12-04]晚上七点的餐厅",
		"我买了3月5号[2027-03-05]的机票",
		"周五[2026-12-04]的会议取消了",
	},
	"ja": {
		"土曜[2026-12-05]の14時に会うことにした",
		"6月[2027-06]は出張が入った",
		"5月3日[2027-05-03]の便を予約した",
	},
	"ko": {
		"토요일[2026-12-05] 6시로 식당 예약했어",
		"4월 3일[2027-04-03] 비행기를 예약했어",
	},
	"vi": {
		"Tôi đã đặt bàn vào thứ Sáu [2026-12-04]",
		"Tôi đã mua vé máy bay cho ngày 10 tháng 5 [2027-05-10]",
	},
	"ar": {
		"حجزت الطاولة ليوم الجمعة [2026-12-04]",
		"اشتريت تذاكر ليوم 10 مايو [2027-05-10]",
		"حجزت الفندق ل 5 مايو [2027-05-05]",
	},
}

// past are sentences with the dates of what was done; the first of each language is about the day on which something was booked.
var past = map[string][]string{
	"en": {"I booked it on Friday [2026-11-27]", "I bought a car on May 3 [2026-05-03]", "I paid rent for October [2026-10]"},
	"de": {"Am Freitag [2026-11-27] habe ich den Flug gebucht", "Ich habe das Auto am 3. April [2026-04-03] gekauft", "Zum 1. April [2026-04-01] bin ich umgezogen"},
	"fr": {"J'ai réservé l'hôtel mardi [2026-11-24]", "J'ai acheté la voiture le 5 mai [2026-05-05]", "J'ai vu Paul samedi [2026-11-28]"},
	"es": {"Reservé el hotel el viernes [2026-11-27]", "Compré el coche el 5 de mayo [2026-05-05]", "Vi a Ana el sábado [2026-11-28]"},
	"it": {"Ho prenotato giovedì [2026-11-26]", "Ho visto Marco il 3 aprile [2026-04-03]", "Ho pagato l'affitto per ottobre [2026-10]"},
	"pt": {"Reservei o hotel na quinta [2026-11-26]", "Comprei o carro em 5 de maio [2026-05-05]", "Vi a Ana no sábado [2026-11-28]"},
	"ru": {"Забронировал отель в среду [2026-11-25]", "Я купил машину 10 мая [2026-05-10]", "Мы ездили на дачу в субботу [2026-11-28]"},
	"zh": {"我周五[2026-11-27]订了餐厅", "我3月5号[2026-03-05]买了车", "3月[2026-03]的时候我订了酒店"},
	"ja": {"金曜日[2026-11-27]に予約しました", "5月3日[2026-05-03]に車を買った", "土曜[2026-11-28]に電話で予約した"},
	"ko": {"금요일[2026-11-27]에 예약했어", "5월 3일[2026-05-03]에 차를 샀어", "토요일[2026-11-28]에 티켓을 샀어"},
	"vi": {"Tôi đã đặt bàn hôm thứ Tư [2026-11-25]", "Tôi đã mua xe vào tháng 5 [2026-05]", "Tôi đã đi khám vào thứ Sáu [2026-11-27]"},
	"ar": {"حجزت الفندق يوم الجمعة [2026-11-27]", "اشتريت السيارة في 10 مايو [2026-05-10]", "سافرت في 3 مايو [2026-05-03]"},
}

// expectCompleted completes each sentence without its brackets.
func expectCompleted(t *testing.T, lang string, want []string) {
	t.Helper()
	monday := time.Date(2026, time.November, 30, 10, 0, 0, 0, time.UTC)
	for _, completed := range want {
		text := brackets.ReplaceAllString(completed, "")
		if got := Complete(text, lang, monday); got != completed {
			t.Errorf("%s\n got %s\nwant %s", lang, got, completed)
		}
	}
}

func TestArrangedDatesAreAhead(t *testing.T) {
	t.Parallel()
	for lang := range lexicons {
		if len(arranged[lang]) < 2 || len(past[lang]) < 3 {
			t.Errorf("%s: %d arranged and %d past dates, want at least 2 and 3", lang, len(arranged[lang]), len(past[lang]))
		}
		expectCompleted(t, lang, arranged[lang])
		expectCompleted(t, lang, past[lang])
	}
}

func TestDaysAndAges(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][]string{
		"ar": {"الموعد 17 كانون الأول [2026-12-17]", "نسافر في كانون الثاني [2027-01]", "وصلنا في تشرين الأول [2026-10]", "الامتحان 3 شباط [2027-02-03]", "سافرنا في آب [2026-08]", "ولدت لينا 17 كانون الأول 2020"},
		"pt": {"Reunião quinta [2026-12-03] às 11", "Toda quinta às 11 tenho aula", "A quinta sinfonia é linda"},
		"es": {"La reunión es el lunes 7 [2026-12-07]", "Quedamos el viernes 11 [2026-12-11] a las ocho", "La boda es el lunes 7 de diciembre [2026-12-07]", "La boda es el sábado 3", "El lunes 23 [2026-11-23] fui al médico"},
		"zh": {"她今年63了", "她今年63岁", "今年[2026]搬家"},
		"ja": {"父は今年63歳です"},
		"ko": {"아버지는 올해 63세예요"},
		"vi": {"Bà ấy năm nay 63 tuổi"},
	} {
		expectCompleted(t, lang, want)
	}
}
