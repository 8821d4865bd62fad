package extractive

import (
	"slices"
	"strings"
)

// repairEN reads corrections that only name the right value: "it's 5434, not 5433", "no, it's 5434 now".
func (r *reader) repairEN(ws []word) (rest []word, done bool) {
	said := ws
	ws = absoluteDates(ws, r.base)
	body, fixes := withoutFillers(ws)
	body = trimmed(body)
	if len(body) == 0 || len(body) > 14 {
		return said, false
	}
	wrong, right := "", ""
	for k := 1; k < len(body); k++ {
		if body[k].low != "not" || k+1 >= len(body) {
			continue
		}
		if k+2 <= len(body) && len(body)-k-1 <= 3 && k >= 1 &&
			(body[k-1].endsClause() || k == 1 || body[k-1].low == "and" || isHardValue(body[k-1:k]) ||
				isHardValue(body[k+1:k+2])) { // "… 5434, not 5433"
			wrong, right = joinWords(trimmed(body[k+1:])), bareValue(body[:k])
			said = trimmed(body[:k])
		}
	}
	if body[0].low == "not" && wrong == "" { // "not 5433 but 5434"
		for k := 2; k+1 < len(body); k++ {
			if body[k].low == "but" || body[k-1].endsClause() {
				wrong, right = joinWords(trimmed(body[1:k])), bareValue(body[k:])
				break
			}
		}
	}
	if wrong != "" && right != "" && !strings.EqualFold(wrong, right) && len(strings.Fields(right)) <= 5 {
		r.say(statement{
			place: noteOnly, text: sentence("Corrected: " + right + ", not " + wrong), strength: stated, replaces: wrong,
			with: right,
		})
		return said, false // the sentence may still state the whole thing: "the port is 5434, not 5433"
	}
	if right = itIs(body); right == "" || !fixes && !strings.HasSuffix(lows(body), " now") {
		return said, false
	}
	right = strings.TrimSuffix(right, " now")
	right = strings.TrimPrefix(right, "on ")
	if wrong = sameKind(right, r.offered); wrong == "" && fixes {
		for i := len(r.out) - 1; i >= 0 && i >= len(r.out)-3 && wrong == ""; i-- {
			wrong = sameKind(right, r.out[i].text)
			if r.out[i].with != "" {
				wrong = r.out[i].with
			}
		}
	}
	if wrong == "" || wrong == right || kindOf(right) != kindOf(wrong) {
		return said, false
	}
	r.say(statement{place: noteOnly, text: sentence("Corrected: " + right + ", not " + wrong), strength: stated, replaces: wrong, with: right})
	return nil, true
}

// itIs returns X of "it is X", "it should be X", "make that X".
func itIs(ws []word) string {
	l := lows(ws)
	for _, lead := range []string{
		"it is now", "it is actually", "it is on", "it is at", "it is", "that is", "it should be", "it must be",
		"should be", "make it", "make that", "it was", "i meant", "i mean", "the correct one is", "the right one is", "it has to be",
		"it moved to", "it changed to",
	} {
		n := len(strings.Fields(lead))
		if strings.HasPrefix(l, lead+" ") && len(ws)-n <= 4 {
			return joinWords(trimmed(ws[n:]))
		}
	}
	if len(ws) == 1 || len(ws) == 2 && ws[0].low == "on" && ws[1].when.span != noSpan {
		return joinWords(trimmed(ws))
	}
	return ""
}

// bareValue strips the frame off the right value: "it is 5434", "the port is 5434" → "5434".
func bareValue(ws []word) string {
	if v := itIs(trimmed(ws)); v != "" {
		return v
	}
	ws = trimCoordinators(trimmed(ws))
	for k, w := range slices.Backward(ws) {
		switch w.low {
		case "is", "to", "be", "are", "was", "at", "on", "with", "called", "named", "in":
			if k+1 < len(ws) {
				return joinWords(ws[k+1:])
			}
		}
	}
	return joinWords(ws)
}

// sameKind finds in text the value that right replaces: the last one of the same kind (number, address, date, name).
func sameKind(right, text string) string {
	kind := kindOf(right)
	found := ""
	for _, f := range strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == '\n' || r == ',' || r == '?' || r == '!' || r == '(' || r == ')' || r == '`' || r == '"'
	}) {
		f = strings.Trim(f, ".:;'")
		if f != "" && f != right && kindOf(f) == kind && kind != 0 {
			found = f
		}
	}
	return found
}

// kindOf sorts values: 1 number, 2 address, 3 date, 4 name, 0 anything else.
func kindOf(v string) int {
	switch {
	case isDigits(v):
		return 1
	case strings.Contains(v, "://") || strings.Contains(v, "@"):
		return 2
	case len(v) == 10 && v[4] == '-' && v[7] == '-':
		return 3
	case strings.ContainsAny(v, "0123456789"):
		return 5
	case len(v) > 0 && v[0] >= 'A' && v[0] <= 'Z' && !strings.Contains(v, " ") && !isClosedClass[strings.ToLower(v)]:
		return 4
	}
	return 0
}
