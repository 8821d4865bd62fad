package facts

import "testing"

// An edit of a number, a name or a negation makes another statement, in each language. Another order of words or spelling does not.
func TestEditsKeepValues(t *testing.T) {
	for _, c := range [][2]string{
		{"My dentist is Dr. Weber", "My dentist is Dr. Brandt"},
		{"I have two cats", "I have three cats"},
		{"I eat meat", "I do not eat meat"},
		{"I do not eat meat on Fridays", "I eat meat on Fridays"},
		{"Anna is allergic to nuts", "Mia is allergic to nuts"},
		{"Ich habe zwei Katzen", "Ich habe drei Katzen"},
		{"Ich esse kein Fleisch", "Ich esse Fleisch"},
		{"Ich esse gern Fleisch", "Ich esse nicht gern Fleisch"},
		{"Mein Zahnarzt ist Dr. Weber", "Mein Zahnarzt ist Dr. Brandt"},
		{"J'ai deux chats à la maison", "J'ai trois chats à la maison"},
		{"Je mange de la viande", "Je ne mange pas de viande"},
		{"Tengo dos gatos en casa", "Tengo tres gatos en casa"},
		{"Como carne los domingos", "No como carne los domingos"},
		{"Mi dentista es el Dr. García", "Mi dentista es el Dr. López"},
		{"Ho due gatti in casa", "Ho tre gatti in casa"},
		{"Mangio carne la domenica", "Non mangio carne la domenica"},
		{"Tenho dois gatos em casa", "Tenho três gatos em casa"},
		{"Eu como carne", "Eu não como carne"},
		{"У меня два кота дома", "У меня три кота дома"},
		{"Я ем мясо по пятницам", "Я не ем мясо по пятницам"},
		{"Мой врач доктор Иванов", "Мой врач доктор Петров"},
		{"我吃肉和鱼", "我不吃肉和鱼"},
		{"我的牙医是王医生", "我的牙医是李医生"},
		{"我妹妹叫小红", "我妹妹叫小明"},
		{"猫を二匹飼っている", "猫を三匹飼っている"},
		{"肉を食べます", "肉を食べません"},
		{"歯医者は田中先生です", "歯医者は佐藤先生です"},
		{"고양이 두 마리를 키운다", "고양이 세 마리를 키운다"},
		{"나는 고기를 먹는다", "나는 고기를 안 먹는다"},
		{"내 치과 의사는 김 선생님", "내 치과 의사는 박 선생님"},
		{"Tôi có hai con mèo", "Tôi có ba con mèo"},
		{"Tôi ăn thịt", "Tôi không ăn thịt"},
		{"عندي قطتان وثلاثة كلاب", "عندي قطتان وأربعة كلاب"},
		{"أنا آكل اللحم", "أنا لا آكل اللحم"},
		{"The port of the test server is eight thousand", "The port of the test server is nine thousand"},
		{"Meeting with Anna Weber on Monday", "Meeting with Anna Brandt on Monday"},
		{"Meets Tom on Monday mornings", "Meets Tom on Tuesday mornings"},
		{"Works at Siemens in Munich", "Works at Bosch in Munich"},
		{"Doesn't drink coffee in the evening", "Drinks coffee in the evening"},
		{"Never drinks coffee in the evening", "Drinks coffee in the evening"},
	} {
		if editedOf(c[0]).keepsValues(editedOf(c[1])) {
			t.Errorf("%q is taken for an edit of %q", c[1], c[0])
		}
	}
	for _, c := range [][2]string{
		{"My dentist is Dr. Weber", "Dr. Weber is my dentist"},
		{"My dentist is Dr. Weber", "My dentist is Dr. Webber"},
		{"My dentst is Dr. Weber", "My dentist is Dr. Weber"},
		{"Plays tennis on Mondays", "On Mondays, plays tennis"},
		{"Drinks green tea in the morning", "Drinks strong green tea in the morning"},
		{"I do not eat meat", "I don't eat meat"},
		{"Prefers window seats on trains", "Likes window seats on trains"},
		{"Drinks coffee black", "Takes coffee black"},
		{"Ich trinke morgens gern Kaffee", "Morgens trinke ich gern Kaffee"},
		{"Mein Fahrad ist rot", "Mein Fahrrad ist rot"},
		{"I have two cats", "I have two lovely cats"},
		{"我有两只猫", "我家有两只猫"},
		{"I live in Berlin with Anna", "I live with Anna in Berlin"},
		{"Use short answers in chat", "Give short answers in chat"},
		{"The boat lies at pier four", "The boat is at pier four"},
		{"Deploys on Friday evenings", "Deployments happen on Friday evenings"},
		{"Is allergic to peanuts", "Allergic to peanuts"},
		{"Likes red wine from Spain", "Likes red wines from Spain"},
		{"Her deadline is Friday", "The deadline of hers is Friday"},
		{"Je bois du café le matin", "Le matin, je bois du café"},
	} {
		if !editedOf(c[0]).keepsValues(editedOf(c[1])) {
			t.Errorf("%q is not taken for an edit of %q", c[1], c[0])
		}
	}
}

// A new value ends the statement; an edit of its words does not.
func TestEditsAreFollowed(t *testing.T) {
	d := NewHistory("MEMORY.md", "- My dentist is Dr. Weber.\n- I have two cats at home.\n- I eat meat.\n- Plays tennis on Mondays.\n").Next(
		"- My dentist is Dr. Brandt.\n- I have three cats at home.\n- I do not eat meat.\n- On Mondays, plays tennis.\n")
	if len(d.Added) != 3 || len(d.Gone) != 3 || len(d.Edited) != 1 {
		t.Errorf("%+v", d)
	}
}
