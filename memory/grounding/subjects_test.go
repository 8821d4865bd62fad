package grounding_test

import "testing"

// What is said of one person or thing is not true of another that the same sentences are about.
func TestValuesHaveASubject(t *testing.T) {
	for _, c := range []struct{ said, right, wrong string }{
		{"My son Max is 12 and Anna is 9.", "Anna is 9.", "Anna is 12."},
		{"My son Max is 12 and Anna is 9. The weather is nice today.", "Anna is 9.", "Anna is 12."},
		{"My son Max is 12. Anna is 9. The weather is nice today.", "Anna is 9.", "Anna is 12."},
		{"My son Max is 12 and Anna is 9. The weather is nice today.", "Son Max is 12.", "Max is 9."},
		{"The rent is 900 and the deposit is 1800. It rains.", "The deposit is 1800.", "The deposit is 900."},
		{"My son Max lives in Rome and Anna lives in Oslo. It rains.", "Anna lives in Oslo.", "Anna lives in Rome."},
		{"My wife works at Siemens and my sister works at Bosch. It rains.", "Sister works at Bosch", "Sister works at Siemens"},
		{"My wife works at Siemens. My sister works at Bosch. It rains.", "The user's sister works at Bosch", "The user's sister works at Siemens"},
		{"Paul paid 300 euros and Lena paid 120 euros for the trip. We had fun.", "Lena paid 120 euros for the trip", "Lena paid 300 euros for the trip"},
		{"Our cat Tom weighs 4 kilos, and the dog Rex weighs 30 kilos. They eat a lot.", "The dog Rex weighs 30 kilos", "The dog Rex weighs 4 kilos"},
		{"Boris is allergic to nuts and Clara is allergic to milk. It rains.", "Clara is allergic to milk", "Clara is allergic to nuts"},
		{"Tim was born in 1990 and my sister Kim was born in 1994. It rains.", "Sister Kim was born in 1994", "Sister Kim was born in 1990"},
		{"I live in Bern and my brother Jan lives in Basel. It rains.", "Brother Jan lives in Basel", "Brother Jan lives in Bern"},
		{"I am 40 and my brother Jan is 35. It rains.", "The user is 40", "The user is 35"},
		{"Mein Sohn Max ist 12 und Anna ist 9. Das Wetter ist schön.", "Anna ist 9", "Anna ist 12"},
		{"Mi hijo Max tiene 12 años y Ana tiene 9 años. Hace buen tiempo.", "Ana tiene 9 años", "Ana tiene 12 años"},
		{"Mon fils Max a 12 ans et Anna a 9 ans. Il fait beau.", "Anna a 9 ans", "Anna a 12 ans"},
		{"我儿子小明12岁，女儿小红9岁。今天天气很好。", "女儿小红9岁", "女儿小红12岁"},
		// What is said of one may hold for another, too.
		{"Max lives in Rome. He wants Anna to come to Rome. Anna lives in Oslo. It rains.", "Anna wants to come to Rome", ""},
		{"Max is 12 and lives with Anna in Rome. Anna works in Ostia.", "Anna lives in Rome", ""},
	} {
		g := groundOf(c.said)
		if faults := g.Check("- " + c.right); len(faults) > 0 {
			t.Errorf("%s\n%s is refused: %v", c.said, c.right, faults)
		}
		if faults := g.Check("- " + c.wrong); c.wrong != "" && len(faults) == 0 {
			t.Errorf("%s\n%s passes", c.said, c.wrong)
		}
	}
}
