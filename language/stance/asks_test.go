package stance

import "testing"

func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"At which pier does my boat lie?":            true,
		"Where is it? And since when?":               true,
		"what is my boat called":                     true,
		"My boat is new. Where does it lie?":         false,
		"Where does my boat lie? I forgot.":          false,
		"My boat lies at pier 4.":                    false,
		"我的船在哪里？":                                    true,
		"我的船在四号码头。":                                  false,
		"أين قاربي؟":                                 true,
		"Wo liegt mein Boot?":                        true,
		"Mein Boot liegt am Steg 4, gleich am Turm.": false,
	} {
		if got := OnlyAsks(text); got != want {
			t.Errorf("%q only asks: %t, want %t", text, got, want)
		}
	}
}
