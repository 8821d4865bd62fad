package remember

import "testing"

func TestParseForget(t *testing.T) {
	for _, c := range []struct{ message, text, language string }{
		{"Forget that I live in Bremen.", "I live in Bremen.", "en"},
		{"Please forget that I live in Bremen, thanks!", "I live in Bremen", "en"},
		{"Can you please forget that I live in Bremen?", "I live in Bremen", "en"},
		{"I'd like you to forget that my dog is called Rex.", "my dog is called Rex.", "en"},
		{"Delete from your memory that I am allergic to nuts.", "I am allergic to nuts.", "en"},
		{"Forget: My locker is number 12", "My locker is number 12", "en"},
		{"Vergiss, dass ich in Bremen wohne.", "ich wohne in Bremen.", "de"},
		{"Kannst du bitte vergessen, dass ich in Bremen wohne?", "ich wohne in Bremen", "de"},
		{"Bitte vergiss: Mein Schließfach ist Nummer 12", "Mein Schließfach ist Nummer 12", "de"},
		{"请忘记我住在不来梅。", "我住在不来梅", "zh"},
		{"忘掉：我的柜子是12号", "我的柜子是12号", "zh"},
		{"Olvida que vivo en Bremen.", "vivo en Bremen.", "es"},
		{"Oublie que j'habite à Brême.", "j'habite à Brême.", "fr"},
		{"Esqueça que moro em Bremen.", "moro em Bremen.", "pt"},
		{"Dimentica che abito a Brema.", "abito a Brema.", "it"},
		{"ブレーメンに住んでいることは忘れてください。", "ブレーメンに住んでいる", "ja"},
		{"忘れて：ロッカーは12番です", "ロッカーは12番です", "ja"},
		{"내가 브레멘에 산다는 것을 잊어줘", "내가 브레멘에 산", "ko"},
		{"잊어줘: 내 사물함은 12번이야", "내 사물함은 12번이야", "ko"},
		{"Hãy quên rằng tôi sống ở Bremen.", "tôi sống ở Bremen.", "vi"},
		{"Забудь, что я живу в Бремене.", "я живу в Бремене.", "ru"},
		{"انسَ أنني أسكن في بريمن", "أسكن في بريمن", "ar"},
	} {
		if got, ok := ParseForget(c.message); !ok || got.Text != c.text || got.Language != c.language || got.Topic {
			t.Errorf("%s: %+v %v, want %q in %s", c.message, got, ok, c.text, c.language)
		}
	}
	for message, topic := range map[string]string{
		"Forget everything about the Nightjar project.":       "the Nightjar project",
		"Please forget all that I told you about my divorce!": "my divorce",
		"forget what I told you about the marathon":           "the marathon",
		"Forget what I just said about my job.":               "my job",
		"Vergiss, was ich dir über Anna erzählt habe.":        "Anna",
		"Olvida lo que te dije sobre mi trabajo.":             "mi trabajo",
		"Esqueça o que eu disse sobre a viagem.":              "a viagem",
		"Oublie ce que je t'ai dit sur mon divorce.":          "mon divorce",
		"Dimentica quello che ti ho detto su Marco.":          "Marco",
		"Vergiss alles über meine Scheidung.":                 "meine Scheidung",
		"Vergiss alles, was du über Rex weißt.":               "Rex",
		"忘记关于夜鹰项目的一切":                                         "夜鹰项目",
		"Olvida todo sobre mi divorcio.":                      "mi divorcio",
		"Oublie tout ce que tu sais sur Rex.":                 "Rex",
		"Esqueça tudo sobre o projeto.":                       "o projeto",
		"Dimentica tutto su Rex.":                             "Rex",
		"離婚についてはすべて忘れてください":                                   "離婚",
		"렉스에 대한 모든 것을 잊어줘":                                    "렉스",
		"Quên hết về Rex.":                                    "Rex",
		"Забудь всё о Рексе.":                                 "Рексе",
		"انسَ كل شيء عن ركس":                                  "ركس",
	} {
		if got, ok := ParseForget(message); !ok || !got.Topic || got.Text != topic {
			t.Errorf("%s: %+v %v, want everything about %q", message, got, ok, topic)
		}
	}
	for message, thing := range map[string]string{
		"Forget my dentist appointment.":          "dentist appointment",
		"Can you please forget my address?":       "address",
		"Please forget about our trip to Rome.":   "trip to Rome",
		"Vergiss bitte meinen Zahnarzttermin.":    "Zahnarzttermin",
		"Olvida mi cita con el dentista.":         "cita con el dentista",
		"Oublie mon rendez-vous chez le dentiste": "rendez-vous chez le dentiste",
		"Esqueça a minha consulta.":               "consulta",
		"Dimentica il mio appuntamento.":          "appuntamento",
		"请忘掉我的牙医预约。":                              "牙医预约",
		"私の歯医者の予約を忘れてください":                        "歯医者の予約",
		"내 치과 예약을 잊어줘":                            "치과 예약",
		"Забудь про мою запись.":                  "запись",
		"Quên lịch hẹn nha sĩ của tôi đi.":        "lịch hẹn nha sĩ",
		"انسَ موعدي مع طبيب الأسنان":              "موعدي مع طبيب الأسنان",
	} {
		if got, ok := ParseForget(message); !ok || !got.Thing || got.Topic || got.Text != thing {
			t.Errorf("%s: %+v %v, want the thing %q", message, got, ok, thing)
		}
	}
	for message, language := range map[string]string{
		"Forget everything about me.": "en", "Please forget everything you know about me!": "en", "Delete all my data": "en",
		"Can you delete everything you have stored about me?": "en",
		"Vergiss alles über mich.":                            "de", "Lösche bitte alle meine Daten.": "de",
		"Olvida todo lo que sabes de mí.": "es", "Borra todos mis datos.": "es", "Esqueça tudo sobre mim.": "pt", "Apague todos os meus dados.": "pt",
		"Oublie tout sur moi.": "fr", "Efface toutes mes données.": "fr", "Dimentica tutto su di me.": "it", "Cancella tutti i miei dati.": "it",
		"忘记关于我的一切": "zh", "删除我的所有数据": "zh", "私についてすべて忘れてください": "ja", "私のデータをすべて削除してください": "ja",
		"나에 대한 모든 것을 잊어줘": "ko", "내 데이터를 모두 삭제해 줘": "ko", "Quên hết về tôi.": "vi", "Xóa toàn bộ dữ liệu của tôi": "vi",
		"Забудь всё обо мне.": "ru", "Удали все мои данные.": "ru", "انسَ كل شيء عني": "ar", "احذف جميع بياناتي": "ar",
	} {
		if got, ok := ParseForget(message); !ok || !got.All || got.Text != "" || got.Language != language {
			t.Errorf("%s: %+v %v, want everything in %s", message, got, ok, language)
		}
	}
	for _, message := range []string{
		"Forget everything.", "Delete all my photos from the phone.", "I deleted all my data.",
		"Should I delete all my data before I sell the laptop?", "Delete all my data in table users.",
		"Forget my last question.", "Forget my question about Bremen", "Vergiss meine letzte Frage.", "忘掉我的问题", "Olvida mi pregunta.",
		"I always forget my umbrella.", "Don't forget my umbrella.", "Did you forget my name?", "Vergiss nicht meinen Schirm.",
		"Forget my budget, just show me the best one.", "Forget my idea. What about Rome?", "忘记我的密码了", "N'oublie pas mon anniversaire.",
		"Не забудь про мой день рождения.", "Đừng quên sinh nhật của tôi.", "Forget the salad.", "How could I forget my keys?",
		"", "Forget it.", "Forget about it", "Forget that!", "Forget what I said.", "Don't forget that I live in Bremen.",
		"Never forget that I live in Bremen", "I forget that all the time.", "Why do you forget that I live in Bremen?",
		"Did you forget that I live in Bremen?", "Forget that I said so and write me a poem about Bremen.",
		"Forget that idea. Please write a summary of the meeting.", "Vergiss nicht, dass ich in Bremen wohne.", "Vergiss es.",
		"Ich vergesse oft, dass ich in Bremen wohne.", "我忘记我的密码了", "忘记带钥匙了", "你忘记我住在哪里了吗？", "别忘记我住在不来梅", "忘れないでください：鍵",
		"鍵を忘れてしまった", "No olvides que vivo en Bremen.", "N'oublie pas que j'habite à Brême.", "Não esqueça que moro em Bremen.",
		"Non dimenticare che abito a Brema.",
		"Đừng quên rằng tôi sống ở Bremen.", "Не забудь, что я живу в Бремене.", "لا تنسَ أنني أسكن في بريمن",
		"> Forget that I live in Bremen.", "“Forget that I live in Bremen.”", "Forget that I live here.\nAnd what is the time?",
		"Forget everything about it.", "Forget everything about him.",
	} {
		if got, ok := ParseForget(message); ok {
			t.Errorf("%q: %+v", message, got)
		}
	}
}
