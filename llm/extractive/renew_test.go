package extractive

import (
	"strings"
	"testing"
)

// What holds instead of something to forget is kept, and the forgotten is not. A reason to forget is not news.
func TestNewsAfterForgetting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, says, kept, gone string }{
		{"У меня завтра собеседование.", "Забудь про собеседование завтра, его перенесли на четверг", "его перенесли на четверг", "У меня"},
		{"Ich habe morgen ein Gespräch.", "Vergiss das Gespräch morgen, es wurde auf Donnerstag verschoben", "es wurde auf Donnerstag verschoben", "Ich habe"},
		{"Ich habe eine Stelle in Bonn angenommen.", "Vergiss das mit der Stelle in Bonn, wir bleiben in Jena.", "wir bleiben in Jena", "Bonn"},
		{"We are moving to Bonn in May.", "Forget the move to Bonn, we're staying in Jena.", "we're staying in Jena", "Bonn"},
		{"I see the dentist tomorrow.", "Forget the dentist tomorrow, it was moved to Friday.", "it was moved to Friday", "I see"},
		{"I want to learn the cello.", "Forget the cello, I'm not doing it.", "", "cello"},
		{"Ich habe am Freitag um 10 Uhr einen Zahnarzttermin.", "Vergiss, dass ich einen Zahnarzttermin habe.", "", "Zahnarzttermin"},
		{"The wedding is in Graz.", "Forget the wedding, we're keeping it secret for now.", "", "wedding"},
		{"Ich will Geige lernen.", "Vergiss das mit der Geige, das wird nichts.", "", "Geige"},
	} {
		p := propose(said("u: "+c.before, "a: OK.", "u: "+c.says, "a: Done."))
		all := p.DailyEntry + p.ProfileUpdate + p.MemoryUpdate
		if !strings.Contains(all, c.kept) || strings.Contains(all, c.gone) || c.kept == "" && all != "" {
			t.Errorf("%q: %s", c.says, all)
		}
	}
}
