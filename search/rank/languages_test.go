package rank

import (
	"slices"
	"testing"
	"time"

	"reverie/language/analysis"
	"reverie/search"
	"reverie/search/chunk"
	"reverie/search/index"
)

// TestRankInManyLanguages asks about a conversation in its own language: the answer must be among the first two turns,
// even if it repeats none of the question's words.
func TestRankInManyLanguages(t *testing.T) {
	type exchange struct{ question, answer string }
	for language, c := range map[string]struct {
		speakers [2]string
		turns    []string // alternating between two speakers, beginning with the first
		asked    []exchange
	}{
		"English": {
			[2]string{"Rosa", "Tim"},
			[]string{
				"Good morning! Did you sleep well?", "Not really, the neighbours had a party.",
				"Oh no. What will you do at the weekend?", "I want to repair the old bicycle in the cellar.",
				"By the way, which instrument did you learn as a child?", "The accordion, for nearly six years.",
				"I flew to Lisbon in spring.", "How was the weather there?", "It rained, but the fado bars were wonderful.", "That sounds lovely.",
				"My sister moved to Oslo because of her new job.", "What does she do?", "She builds wind turbines at sea.",
				"The set of db_port is still wrong, I changed it to 5433.", "Thanks, then the tests will run again.",
			},
			[]exchange{
				{"Which instrument did Tim learn as a child?", "The accordion, for nearly six years."},
				{"Where did Rosa fly in spring?", "I flew to Lisbon in spring."},
				{"Why did Rosa's sister move?", "My sister moved to Oslo because of her new job."},
				{"What is db_port?", "The set of db_port is still wrong, I changed it to 5433."},
			},
		},
		"German": {
			[2]string{"Jonas", "Meike"},
			[]string{
				"Guten Morgen! Hast du gut geschlafen?", "Nicht so richtig, die Nachbarn haben gefeiert.",
				"Ach je. Was machst du am Wochenende?", "Ich möchte das alte Fahrrad im Keller reparieren.",
				"Welches Instrument hast du eigentlich als Kind gelernt?", "Akkordeon, fast sechs Jahre lang.",
				"Im Frühling bin ich nach Lissabon geflogen.", "Wie war das Wetter?",
				"Es hat geregnet, aber die Kneipen waren herrlich.", "Das klingt schön.",
				"Meine Schwester ist wegen ihrer neuen Stelle nach Oslo gezogen.", "Was arbeitet sie?", "Sie baut Windräder auf dem Meer.",
			},
			[]exchange{
				{"Welches Instrument lernte Meike als Kind?", "Akkordeon, fast sechs Jahre lang."},
				{"Wohin flog Jonas im Frühling?", "Im Frühling bin ich nach Lissabon geflogen."},
				{"Welche Fahrräder repariert Meike?", "Ich möchte das alte Fahrrad im Keller reparieren."},
			},
		},
		"Spanish": {
			[2]string{"Lucía", "Andrés"},
			[]string{
				"¡Buenos días! ¿Dormiste bien?", "La verdad es que no, los vecinos tuvieron una fiesta.",
				"Vaya. ¿Qué haces el fin de semana?", "Quiero arreglar la bicicleta vieja del sótano.",
				"¿Qué instrumento aprendiste de niño?", "El acordeón, durante casi seis años.",
				"En primavera volé a Lisboa.", "¿Qué tiempo hacía?", "Llovió, pero los bares eran maravillosos.", "Suena bien.",
				"Mi hermana se mudó a Oslo por su nuevo trabajo.", "¿A qué se dedica?", "Construye molinos de viento en el mar.",
			},
			[]exchange{
				{"¿Qué instrumento aprendió Andrés cuando era niño?", "El acordeón, durante casi seis años."},
				{"¿Qué bicicletas quiere arreglar Andrés?", "Quiero arreglar la bicicleta vieja del sótano."},
				{"¿Adónde se mudó la hermana de Lucía?", "Mi hermana se mudó a Oslo por su nuevo trabajo."},
			},
		},
		"Vietnamese": {
			[2]string{"Lan", "Minh"},
			[]string{
				"Chào buổi sáng! Bạn ngủ ngon không?", "Không ngon lắm, hàng xóm mở tiệc.",
				"Cuối tuần này bạn làm gì?", "Tôi muốn sửa chiếc xe đạp cũ dưới tầng hầm.",
				"Hồi nhỏ bạn học nhạc cụ nào?", "Đàn phong cầm, gần sáu năm.",
				"Mùa xuân tôi đã bay đến Lisbon.", "Thời tiết ở đó thế nào?", "Trời mưa, nhưng các quán rượu rất tuyệt.", "Nghe hay quá.",
				"Chị tôi chuyển đến Oslo vì công việc mới.", "Chị ấy làm nghề gì?", "Chị ấy xây tua-bin gió trên biển.",
			},
			[]exchange{
				{"Hồi nhỏ Minh học nhạc cụ gì?", "Đàn phong cầm, gần sáu năm."},
				{"Minh muốn sửa xe đạp nào?", "Tôi muốn sửa chiếc xe đạp cũ dưới tầng hầm."},
				{"Mùa xuân Lan bay đi đâu?", "Mùa xuân tôi đã bay đến Lisbon."},
			},
		},
		"Chinese": {
			[2]string{"小红", "大卫"},
			[]string{
				"早上好！你睡得好吗？", "不太好，邻居开了派对。",
				"哎呀。你周末做什么？", "我想修理地下室里的旧自行车。",
				"你小时候学过什么乐器？", "手风琴，学了差不多六年。",
				"春天我飞去了里斯本。", "那里天气怎么样？", "下雨了，不过酒馆很棒。", "听起来不错。",
				"我姐姐因为新工作搬到了奥斯陆。", "她做什么工作？", "她在海上建造风力发电机。",
			},
			[]exchange{
				{"大卫小时候学的是什么乐器？", "手风琴，学了差不多六年。"},
				{"大卫想修理什么自行车？", "我想修理地下室里的旧自行车。"},
				{"小红的姐姐搬到哪里去了？", "我姐姐因为新工作搬到了奥斯陆。"},
			},
		},
		"Japanese": {
			[2]string{"健太", "美咲"},
			[]string{
				"おはよう！よく眠れた？", "あまり眠れなかった、隣の人がパーティーをしていたから。",
				"週末は何をするの？", "地下室の古い自転車を修理したい。",
				"子供の頃、どんな楽器を習っていたの？", "アコーディオンを六年近く。",
				"春にリスボンへ飛んだよ。", "天気はどうだった？", "雨だったけど、酒場は素晴らしかった。", "いいね。",
				"姉は新しい仕事のためにオスロへ引っ越した。", "どんな仕事？", "海の上で風車を建てている。",
			},
			[]exchange{
				{"美咲は子供の頃にどの楽器を習いましたか？", "アコーディオンを六年近く。"},
				{"美咲が修理したい自転車は？", "地下室の古い自転車を修理したい。"},
				{"健太の姉はどこへ引っ越しましたか？", "姉は新しい仕事のためにオスロへ引っ越した。"},
			},
		},
		"Russian": {
			[2]string{"Аня", "Борис"},
			[]string{
				"Доброе утро! Ты хорошо спал?", "Не очень, у соседей была вечеринка.",
				"Что будешь делать в выходные?", "Хочу починить старый велосипед в подвале.",
				"На каком инструменте ты учился играть в детстве?", "На аккордеоне, почти шесть лет.",
				"Весной я летала в Лиссабон.", "Какая была погода?", "Шёл дождь, но кабачки были чудесные.", "Звучит чудесно.",
				"Моя сестра переехала в Осло из-за новой работы.", "Чем она занимается?", "Строит ветряки в море.",
			},
			[]exchange{
				{"На каком инструменте Борис играл в детстве?", "На аккордеоне, почти шесть лет."},
				{"Какой велосипед починит Борис?", "Хочу починить старый велосипед в подвале."},
				{"Куда переехала сестра Ани?", "Моя сестра переехала в Осло из-за новой работы."},
			},
		},
	} {
		t.Run(language, func(t *testing.T) {
			var entries []index.Entry
			for i, turn := range c.turns {
				pieces := chunk.Turn(chunk.Message{Seq: int64(i + 1), Speaker: c.speakers[i%2], Text: turn, At: 1_700_000_000}, chunk.DefaultOptions())
				entries = append(entries, index.Entries(1, 0, pieces)...)
			}
			for _, e := range c.asked {
				q := analysis.NewQuery(e.question, time.Unix(1_700_100_000, 0).UTC())
				found := collectEntries(search.Sessions, q, entries)
				o := DefaultOptions()
				ranked := Refine(q, found, Rank(q, found, o), func(unit int) Text { return Text{c.turns[unit], "Ada"} }, o)
				at := slices.IndexFunc(ranked, func(r Ranked) bool { return c.turns[r.Unit] == e.answer })
				if at < 0 || at > 1 {
					t.Errorf("%q: the answer stands at place %d", e.question, at+1)
					for _, r := range ranked[:min(4, len(ranked))] {
						t.Logf("%s: %+v", c.turns[r.Unit], r.Parts)
					}
				}
			}
		})
	}
}

// collectEntries returns the collection of a question's matches in entries.
func collectEntries(corpus search.Corpus, q analysis.Query, entries []index.Entry) *index.Collection {
	terms := q.Searched()
	c := &index.Collection{Corpus: corpus, Body: make([][]index.Posting, len(terms)), Context: make([][]index.Posting, len(terms))}
	for unit, entry := range entries {
		c.Units = append(c.Units, entry.Unit)
		for term := range terms {
			for field, postings := range map[index.Field]*[]index.Posting{index.Body: &c.Body[term], index.Context: &c.Context[term]} {
				most := 0
				for _, form := range terms[term].Forms {
					most = max(most, entry.Terms[field.ID(form)])
				}
				if most > 0 {
					*postings = append(*postings, index.Posting{Unit: int32(unit), TF: int32(most)})
				}
			}
		}
	}
	return c
}
