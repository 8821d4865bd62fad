package date

import "time"

// fullDate is a date that a text names with its year.
type fullDate struct {
	Start, End  int // bytes of the text
	First, Last time.Time
}

// findFullDates returns the days and months that a text in a language, given by its tag as for Complete, names with a year, in order. All
// times are midnights in UTC.
func findFullDates(text, lang string) (found []fullDate) {
	s := newStatementReader(text, lang, time.Unix(0, 0)) // any time: it only decides which year is meant
	if s == nil {
		return nil
	}
	for i := 0; i < len(s.words); {
		p, n := stretch{}, 0
		if s.couldBeDate(i) {
			p, n = s.dated(i)
		}
		if n > 0 && s.hasYear(i, n) {
			end := s.words[i+n-1].end
			if last := s.words[i+n-1]; len(s.lexicon.particles) > 0 && last.number < 0 {
				end = last.start + len(firstOf(last.text))
			}
			from, to := s.folded.Origin(s.words[i].start, end)
			found = append(found, fullDate{from, to, p.from, p.to.AddDate(0, 0, -1)})
		}
		i += max(n, 1)
	}
	return found
}
