package date

import (
	"testing"
	"time"
)

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, from, to string }{
		{"Stays in Rome from 3 March 2026 until 10 April 2026.", "2026-03-03", "2026-04-10"},
		{"The contract holds until 2026-05-01.", "", "2026-05-01"},
		{"The parking permit is valid from 2026-05-01.", "2026-05-01", ""},
		{"Works at Bosch since March 2026.", "2026-03-01", ""},
		{"Rents a van until the 3rd of May 2026.", "", "2026-05-03"},
		{"Is on leave from March 3, 2026 to April 10, 2026.", "2026-03-03", "2026-04-10"},
		{"Wohnt vom 3. März 2026 bis zum 10. April 2026 in Rom.", "2026-03-03", "2026-04-10"},
		{"Ist bis 1. Mai 2026 in Elternzeit.", "", "2026-05-01"},
		{"Arbeitet ab dem 1. Mai 2026 bei Bosch.", "2026-05-01", ""},
		{"Il habite à Rome du 3 mars 2026 au 10 avril 2026.", "2026-03-03", "2026-04-10"},
		{"Le contrat est valable jusqu'au 1er mai 2026.", "", "2026-05-01"},
		{"Vive en Roma desde el 3 de marzo de 2026 hasta el 10 de abril de 2026.", "2026-03-03", "2026-04-10"},
		{"Il contratto vale fino al 1 maggio 2026.", "", "2026-05-01"},
		{"O contrato vale até 1 de maio de 2026.", "", "2026-05-01"},
		{"Живёт в Риме с 3 марта 2026 до 10 апреля 2026 года.", "2026-03-03", "2026-04-10"},
		{"从2026年3月3日到2026年4月10日住在上海。", "2026-03-03", "2026-04-10"},
		{"2026年3月3日から2026年4月10日まで東京にいる。", "2026-03-03", "2026-04-10"},
		{"2026년 3월 3일부터 2026년 5월 1일까지 서울에 산다.", "2026-03-03", "2026-05-01"},
		{"Ở Huế từ ngày 3 tháng 3 năm 2026 đến ngày 1 tháng 5 năm 2026.", "2026-03-03", "2026-05-01"},
		{"العقد ساري حتى 1 مايو 2026", "", "2026-05-01"},
		{"Works at Bosch since March [2026-03]", "2026-03-01", ""},

		{"Met Anna on 3 March 2026.", "", ""},
		{"The letter from 3 March 2026 is on the desk.", "", ""},
		{"Photos from 3 March 2026 are in the album.", "", ""},
		{"The deadline is 2026-05-01.", "", ""},
		{"The report is due by 1 May 2026.", "", ""},
		{"The deadline was moved from 3 March 2026 to 10 April 2026.", "", ""},
		{"The trip is postponed until 1 May 2026.", "", ""},
		{"Der Termin wurde bis 1. Mai 2026 verschoben.", "", ""},
		{"Der Brief vom 3. März 2026 liegt auf dem Tisch.", "", ""},
		{"Der Termin wurde vom 3. März 2026 auf den 10. April 2026 verschoben.", "", ""},
		{"La lettre du 3 mars 2026 est perdue.", "", ""},
		{"会议推迟到2026年5月1日。", "", ""},

		// "bis" and "до" say until, or by which day something is done.
		{"Wohnt bis Freitag [2026-12-04] in Bremen.", "", "2026-12-04"},
		{"Bericht bis Freitag [2026-12-04] abgeben.", "", ""},
		{"Muss den Bericht bis zum 4. Dezember 2026 abgeben.", "", ""},
		{"Gibt den Bericht bis Freitag [2026-12-04] ab.", "", ""},
		{"Muss bis zum 4. Dezember 2026 im Krankenhaus bleiben.", "", "2026-12-04"},
		{"Ist bis 1. Mai 2026 in Elternzeit, danach will sie den Antrag einreichen.", "", "2026-05-01"},
		{"Der Vertrag wurde bis 1. Mai 2026 verlängert.", "", "2026-05-01"},
		{"Die Rechnung ist spätestens bis 1. Mai 2026 zu zahlen.", "", ""},
		{"Живёт в Риме до 4 декабря 2026 года.", "", "2026-12-04"},
		{"Договор действует до пятницы [2026-12-04].", "", "2026-12-04"},
		{"Нужно сдать отчёт до пятницы [2026-12-04].", "", ""},
		{"Сдать отчёт до 4 декабря 2026 года.", "", ""},
		{"2026年5月1日までにレポートを出す。", "", ""},
		{"Since we met, 3 March 2026 is a holiday.", "", ""},
		{"Spends up to 2026 euros.", "", ""},
	} {
		from, to := Holds(c.said)
		text := func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return at.Format(time.DateOnly)
		}
		if text(from) != c.from || text(to) != c.to {
			t.Errorf("%s: %q to %q, want %q to %q", c.said, text(from), text(to), c.from, c.to)
		}
	}
}
