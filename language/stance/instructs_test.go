package stance

import "testing"

func TestInstructs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Always include error codes when I ask about the API.":  true,
		"Thanks! From now on answer in metric units.":           true,
		"Please always answer in German.":                       true,
		"Never use emojis.":                                     true,
		"Antworte bitte immer auf Deutsch.":                     true,
		"以后回答都用中文。":                                             true,
		"I always take the bus.":                                false,
		"Ich fahre immer mit dem Rad.":                          false,
		"The centroid is always inside the triangle, isn't it?": false,
		"Why does it always fail?":                              false,
		"It always rains here.":                                 false,
		`"semi": ["error", "always"]`:                           false,
		"Whenever I run the tests, they fail.":                  false,
		"Could you show me how to implement a login feature?":   false,
		"": false,
	} {
		if got := Instructs(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
