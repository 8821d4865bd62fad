package sentence

import "testing"

func TestWithoutLead(t *testing.T) {
	for clause, want := range map[string]string{
		"Big news: I moved to Sheffield last weekend":                    "I moved to Sheffield last weekend",
		"Last weekend I moved to Sheffield":                              "I moved to Sheffield",
		"Yesterday, we moved to Leeds":                                   "we moved to Leeds",
		"In March I've moved to Leeds":                                   "I've moved to Leeds",
		"Letztes Wochenende bin ich nach Bonn gezogen":                   "bin ich nach Bonn gezogen",
		"Gestern [2026-03-09] bin ich nach Bonn gezogen":                 "bin ich nach Bonn gezogen",
		"El fin de semana pasado 2026-03-07 to 2026-03-08 me mudé a Vic": "me mudé a Vic",
		"Le week-end dernier j'ai déménagé à Nantes":                     "j'ai déménagé à Nantes",
		"我上周末[2026-03-07 to 2026-03-08]搬到杭州了":                            "我搬到杭州了",
		"好消息：我搬到杭州了":                                                     "我搬到杭州了",
		"Please remember that I live in Leeds":                           "I live in Leeds",
		"Bitte merk dir, dass ich Anna heiße":                            "ich heiße Anna",
		"Merk dir, dass meine Katze Möhre heißt":                         "meine Katze heißt Möhre",
		"Souviens-toi que je m'appelle Anna":                             "je m'appelle Anna",
		"Recuerda que vivo en Cádiz":                                     "vivo en Cádiz",
		"请记住我住在上海":                                                       "我住在上海",
		"Remember that last weekend I moved to Leeds":                    "I moved to Leeds",
	} {
		if got := WithoutLead(clause); got != want {
			t.Errorf("%s: %q, want %q", clause, got, want)
		}
	}
	for _, clause := range []string{
		"I moved to Sheffield last weekend", "Next month I'm moving to Leeds", "Anna: I moved to Graz", "My sister moved to Leeds last weekend",
		"Last weekend my sister moved to Leeds", "Last weekend she told me about Leeds", "My brother said yesterday I moved too fast",
		"News: the office moved to Leeds", "Nächsten Monat ziehe ich nach Bonn", "我妹妹上周末搬到杭州了", "我下个月搬到杭州", "The deadline is Friday", "",
		"Note the deadline is Friday", "I remember that day", "He asked me to remember that I owe him",
	} {
		if got := WithoutLead(clause); got != clause {
			t.Errorf("%s: %q", clause, got)
		}
	}
}

func TestWithoutTime(t *testing.T) {
	for clause, want := range map[string]string{
		"me mudé a Valencia el fin de semana pasado":                           "me mudé a Valencia",
		"j'ai déménagé à Paris le week-end dernier [2026-05-16 to 2026-05-17]": "j'ai déménagé à Paris",
		"me mudé a Valencia":                    "me mudé a Valencia",
		"me mudo a Valencia el mes que viene":   "me mudo a Valencia el mes que viene",
		"el fin de semana pasado me mudé a Vic": "el fin de semana pasado me mudé a Vic",
	} {
		if got := WithoutTime(clause); got != want {
			t.Errorf("%s: %q", clause, got)
		}
	}
}
