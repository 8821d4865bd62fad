package extractive

import "strings"

// label reads "Name: Ada", "Deadline: May 3", "Decision: we use NATS".
func (r *reader) label(part []word, firmly strength) bool {
	cut := -1
	for k := range min(6, len(part)) {
		if strings.HasSuffix(part[k].text, ":") {
			cut = k
			break
		}
	}
	if cut < 0 || cut+1 >= len(part) {
		return false
	}
	key, value := part[:cut+1], part[cut+1:]
	last := key[cut].low
	switch {
	case last == "decision" || last == "decided" || last == "agreed" || last == "conclusion" || last == "resolution":
		r.say(statement{place: decisions, text: sentence("Decision: " + joinWords(impersonal(value))), strength: firmly})
		return true
	case attributes[last] != noteOnly && cut < 3 && len(value) < 16:
		r.say(statement{place: attributes[last], text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " +
			joinWords(impersonal(value))), strength: firmly})
		return true
	case eventNouns[last] && hasDay(value) && len(value) < 14:
		r.say(statement{
			place: dates, text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " + joinWords(value)),
			strength: firmly,
		})
		return true
	case factNouns[last] && len(value) < 14:
		r.say(statement{place: facts, text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " +
			joinWords(impersonal(value))), strength: firmly})
		return true
	}
	return false
}

// plainKey drops "my" and "the" from a label.
func plainKey(key []word) []word {
	for len(key) > 1 && (determiners[key[0].low] || fillers.one(key[0].low)) {
		key = key[1:]
	}
	return key
}
