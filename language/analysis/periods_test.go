package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reverie/language"
	"reverie/language/date"
)

// askedAt is a Wednesday afternoon.
var askedAt = time.Date(2023, time.June, 14, 15, 30, 0, 0, time.FixedZone("CEST", 2*60*60))

func periodTexts(q Query) []string {
	var found []string
	for _, p := range q.Periods {
		found = append(found, p.Text+": "+p.From.Format(time.DateOnly)+" "+p.To.Format(time.DateOnly))
	}
	return found
}

func TestPeriods(t *testing.T) {
	for question, want := range map[string]string{
		"What did she paint in May 2023?":         "in May 2023: 2023-05-01 2023-06-01",
		"What happened on 8 May 2023?":            "8 May 2023: 2023-05-08 2023-05-09",
		"What happened on 8 May, 2023?":           "8 May, 2023: 2023-05-08 2023-05-09",
		"on May 8th, 2023 we met":                 "May 8th, 2023: 2023-05-08 2023-05-09",
		"on the 8th of May":                       "8th of May: 2023-05-08 2023-05-09",
		"On May 8 we met":                         "May 8: 2023-05-08 2023-05-09",
		"what about 3 July?":                      "3 July: 2022-07-03 2022-07-04",
		"notes of 2023-05-08":                     "2023-05-08: 2023-05-08 2023-05-09",
		"notes of 2023/5/8":                       "2023/5/8: 2023-05-08 2023-05-09",
		"notes of 2023-05":                        "2023-05: 2023-05-01 2023-06-01",
		"who came last week?":                     "last week: 2023-06-05 2023-06-12",
		"LAST WEEK":                               "LAST WEEK: 2023-06-05 2023-06-12",
		"who came last month?":                    "last month: 2023-05-01 2023-06-01",
		"who came last year?":                     "last year: 2022-01-01 2023-01-01",
		"what did I say yesterday":                "yesterday: 2023-06-13 2023-06-14",
		"what did I say the day before yesterday": "the day before yesterday: 2023-06-12 2023-06-13",
		"what is planned today":                   "today: 2023-06-14 2023-06-15",
		"what did I say 3 days ago":               "3 days ago: 2023-06-11 2023-06-12",
		"what did I say three days ago":           "three days ago: 2023-06-11 2023-06-12",
		"two weeks ago":                           "two weeks ago: 2023-05-29 2023-06-05",
		"a month ago":                             "a month ago: 2023-05-01 2023-06-01",
		"a couple of years ago":                   "a couple of years ago: 2021-01-01 2022-01-01",
		"in the last 3 days":                      "last 3 days: 2023-06-11 2023-06-15",
		"the past two months":                     "past two months: 2023-04-14 2023-06-15",
		"where did he live in 2022?":              "in 2022: 2022-01-01 2023-01-01",
		"in the 1990s":                            "in the 1990s: 1990-01-01 2000-01-01",
		"plans of this year":                      "this year: 2023-01-01 2024-01-01",
		"between May and June 2023":               "between May and June 2023: 2023-05-01 2023-07-01",
		"from December to January 2023":           "from December to January 2023: 2022-12-01 2023-02-01",
		"between 2019 and 2021":                   "between 2019 and 2021: 2019-01-01 2022-01-01",
		"from May 8 to May 10":                    "from May 8 to May 10: 2023-05-08 2023-05-11",
		"May 8-10, 2023":                          "May 8-10, 2023: 2023-05-08 2023-05-11",
		"in May":                                  "in May: 2023-05-01 2023-06-01",
		"during july":                             "during july: 2022-07-01 2022-08-01",
		"in June":                                 "in June: 2023-06-01 2023-07-01",
		"last Monday":                             "last Monday: 2023-06-12 2023-06-13",
		"last Wednesday":                          "last Wednesday: 2023-06-07 2023-06-08",
		"since May":                               "since May: 2023-05-01 2023-06-15",
		"after 8 May 2023":                        "after 8 May 2023: 2023-05-09 2023-06-15",
		"last weekend":                            "last weekend: 2023-06-10 2023-06-12",
		"in May 2022 and in June 2022":            "in May 2022: 2022-05-01 2022-06-01|in June 2022: 2022-06-01 2022-07-01",
		"on 29 February":                          "29 February: 2020-02-29 2020-03-01",
		"ｉｎ　Ｍａｙ　２０２３":                             "ｉｎ　Ｍａｙ　２０２３: 2023-05-01 2023-06-01",
		"上周我们说了什么":                                "上周: 2023-06-05 2023-06-12",
		"昨天谁来了":                                   "昨天: 2023-06-13 2023-06-14",
		"去年的计划":                                   "去年: 2022-01-01 2023-01-01",
		"2023年5月发生了什么":                            "2023年5月: 2023-05-01 2023-06-01",
		"2023年5月8日":                               "2023年5月8日: 2023-05-08 2023-05-09",
		"5月8日":                                    "5月8日: 2023-05-08 2023-05-09",
		"５月８號":                                    "５月８號: 2023-05-08 2023-05-09",
		"三天前":                                     "三天前: 2023-06-11 2023-06-12",
		"两个月前":                                    "两个月前: 2023-04-01 2023-05-01",
		"十二天前":                                    "十二天前: 2023-06-02 2023-06-03",
		"上个月":                                     "上个月: 2023-05-01 2023-06-01",
		"前天":                                      "前天: 2023-06-12 2023-06-13",
		"最近三天":                                    "最近三天: 2023-06-11 2023-06-15",
		"先週何を話しましたか":                              "先週: 2023-06-05 2023-06-12",
		"3日前":                                     "3日前: 2023-06-11 2023-06-12",
		"2週間前":                                    "2週間前: 2023-05-29 2023-06-05",
		"2023년 5월 8일에":                            "2023년 5월 8일에: 2023-05-08 2023-05-09",
		"지난주 회의":                                  "지난주: 2023-06-05 2023-06-12",
		"Was war letzte Woche?":                   "letzte Woche: 2023-06-05 2023-06-12",
		"Was war im Mai 2023?":                    "im Mai 2023: 2023-05-01 2023-06-01",
		"am 8. Mai 2023":                          "8. Mai 2023: 2023-05-08 2023-05-09",
		"am 8.5.2023":                             "8.5.2023: 2023-05-08 2023-05-09",
		"vor drei Tagen":                          "vor drei Tagen: 2023-06-11 2023-06-12",
		"gestern":                                 "gestern: 2023-06-13 2023-06-14",
		"im Jahr 2022":                            "im Jahr 2022: 2022-01-01 2023-01-01",
		"¿Qué pasó la semana pasada?":             "semana pasada: 2023-06-05 2023-06-12",
		"el 8 de mayo de 2023":                    "8 de mayo de 2023: 2023-05-08 2023-05-09",
		"hace tres días":                          "hace tres días: 2023-06-11 2023-06-12",
		"en mayo":                                 "en mayo: 2023-05-01 2023-06-01",
		"le mois dernier":                         "mois dernier: 2023-05-01 2023-06-01",
		"il y a 3 jours":                          "il y a 3 jours: 2023-06-11 2023-06-12",
		"avant-hier":                              "avant-hier: 2023-06-12 2023-06-13",
		"aujourd’hui":                             "aujourd’hui: 2023-06-14 2023-06-15",
		"le 8 mai 2023":                           "8 mai 2023: 2023-05-08 2023-05-09",
		"tuần trước":                              "tuần trước: 2023-06-05 2023-06-12",
		"tháng 5 năm 2023":                        "tháng 5 năm 2023: 2023-05-01 2023-06-01",
		"ngày 8 tháng 5 năm 2023":                 "ngày 8 tháng 5 năm 2023: 2023-05-08 2023-05-09",
		"3 ngày trước":                            "3 ngày trước: 2023-06-11 2023-06-12",
		"в мае 2023":                              "в мае 2023: 2023-05-01 2023-06-01",
		"May last year":                           "May last year: 2022-05-01 2022-06-01",
		"last May":                                "last May: 2023-05-01 2023-06-01",
		"last June":                               "last June: 2022-06-01 2022-07-01",
		"this May":                                "this May: 2023-05-01 2023-06-01",
		"the past week":                           "the past week: 2023-06-07 2023-06-15",
		"the last year":                           "the last year: 2022-06-14 2023-06-15",
		"summer of 2022":                          "summer of 2022: 2022-01-01 2023-01-01",
		"on Sept. 5":                              "Sept. 5: 2022-09-05 2022-09-06",
		"Qu'est-ce que tu as fait hier ?":         "hier: 2023-06-13 2023-06-14",
		"Was ist hier passiert?":                  "",
		"去年5月":                                    "去年5月: 2022-05-01 2022-06-01",
		"去年5月8日":                                  "去年5月8日: 2022-05-08 2022-05-09",
		"上个月8号":                                   "上个月8号: 2023-05-08 2023-05-09",
		"上周三":                                     "上周三: 2023-06-07 2023-06-08",
		"上周三个人来了":                                 "上周: 2023-06-05 2023-06-12",
		"I may be late":                           "",
		"a March to remember":                     "",
		"our last march":                          "",
		"3 days earlier":                          "",
		"what may he have said":                   "",
		"How many miles did they march?":          "",
		"May I ask you something?":                "",
		"May 2 people come along?":                "",
		"the second of three":                     "",
		"give me a second":                        "",
		"I scored 2023 points":                    "",
		"version 2023.5.1.7":                      "",
		"on 5/8/2023":                             "",
		"what was there before May 2023?":         "",
		"last summer":                             "",
		"RFC-2023":                                "",
		"8 may be enough":                         "",
		"March on!":                               "",
		"in Mayfair":                              "",
		"in march order we went":                  "in march: 2023-03-01 2023-04-01",
		"31 February 2023":                        "February 2023: 2023-02-01 2023-03-01",
		"5天的旅行":                                   "",
		"guten Morgen":                            "",
		"":                                        "",
	} {
		got := strings.Join(periodTexts(NewQuery(question, askedAt)), "|")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", question, diff)
		}
	}
}

func TestPeriodsAreInTheLocation(t *testing.T) {
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("west", -8*60*60), time.FixedZone("east", 13*60*60)} {
		now := time.Date(2023, time.January, 1, 0, 30, 0, 0, zone) // a Sunday
		for question, want := range map[string]string{
			"yesterday": "yesterday: 2022-12-31 2023-01-01", "last week": "last week: 2022-12-19 2022-12-26",
			"this week": "this week: 2022-12-26 2023-01-02", "last month": "last month: 2022-12-01 2023-01-01",
		} {
			q := NewQuery(question, now)
			if diff := cmp.Diff([]string{want}, periodTexts(q)); diff != "" {
				t.Errorf("%s, %s: %s", question, zone, diff)
				continue
			}
			if p := q.Periods[0]; p.From.Location() != zone || p.From.Hour() != 0 || p.To.Hour() != 0 {
				t.Errorf("%s, %s: %v to %v", question, zone, p.From, p.To)
			}
		}
	}
}

func FuzzPeriods(f *testing.F) {
	for _, question := range []string{
		"between May and June 2023", "from 2020 to 2022-05", "since 8.5.2023", "三天前和2023年5月8日", "May 8-10, 2023",
		"99999 years ago", "in the 1990s",
		"on 31 February", "last 1000 years", "2100年12月31日", "ngày 99 tháng 13", "il y a 3 jours avant-hier",
	} {
		f.Add(question)
	}
	f.Fuzz(func(t *testing.T, question string) {
		at := 0
		for _, p := range date.Periods(question, 1<<language.English, askedAt) {
			if !p.From.Before(p.To) {
				t.Errorf("%q is from %v to %v", p.Text, p.From, p.To)
			}
			i := strings.Index(question[at:], p.Text)
			if p.Text == "" || i < 0 {
				t.Fatalf("%q is not in %q", p.Text, question[at:])
			}
			at += i + len(p.Text)
		}
	})
}
