package extractive

import "strings"

// request is what the user wants kept.
type request int

const (
	noRequest    request = iota
	remember             // "remember that …"
	rememberWhat         // "remember this:" — what follows in the message
	rememberIt           // "please remember that" — what was said just before
	remindTo             // "remind me to …"
	todo                 // "TODO: …"
)

// politeness may stand before a request.
var politeness = buildPhrases(`please;can you;could you;would you;will you;can you please;could you please;would you please;kindly;also;just;and;so;ok;okay;hey;hi;oh;
	i want you to;i need you to;i would like you to;you should;make sure you;make sure to;you need to;you must;i would like to;let us;but;btw;by the way;one more thing;now;always;thanks;
	for future reference;for later;for the future;yes;no;well;right;great;perfect;sure;then;do`)

// openings begin a request to remember; their tails ("that", "this", ":") are read apart.
var openings = []struct {
	phrase string
	kind   request
}{
	{"remind me to", remindTo},
	{"remind me that", remindTo},
	{"remind me about", remindTo},
	{"remind me of", remindTo},
	{"remind me", remindTo},
	{"set a reminder to", remindTo},
	{"set a reminder for", remindTo},
	{"set me a reminder to", remindTo},
	{"set a reminder that", remindTo},
	{"set a reminder", remindTo},
	{"i need a reminder to", remindTo},
	{"add a reminder to", remindTo},
	{"create a reminder to", remindTo},
	{"reminder for me", todo}, {"reminder to self", todo}, {"reminder", todo}, {"add to my list", todo}, {"put on my list", todo}, {"on my list", todo}, {"add to the list", todo},
	{"todo", todo},
	{"to-do", todo},
	{"to do", todo},
	{"action item", todo},
	{"action items", todo},
	{"my todo", todo},
	{"my to-do", todo},
	{"add to my todo list", todo},
	{"add to my to-do list", todo},
	{"remember", remember},
	{"memorize", remember},
	{"memorise", remember},
	{"keep in mind", remember},
	{"bear in mind", remember},
	{"keep in memory", remember},
	{"do not forget", remember},
	{"never forget", remember},
	{"take note", remember},
	{"take a note", remember},
	{"make a note", remember},
	{"make note", remember},
	{"note down", remember},
	{"note", remember},
	{"write down", remember},
	{"jot down", remember},
	{"save to memory", remember},
	{"save this", remember},
	{"store this", remember},
	{"add to memory", remember},
	{"add to your memory", remember},
	{"add this to memory", remember},
	{"add this to your memory", remember},
	{"put this in your memory", remember},
	{"commit to memory", remember},
	{"commit this to memory", remember},
	{"memo", remember},
	{"save the following", remember},
	{"write this down", remember},
	{"note to self", todo},
	{"for your memory", remember},
	{"save in memory", remember},
	{"remember me", noRequest},
}

// requested reads a request to remember something at the beginning of a sentence: its kind and what is to be remembered.
func requested(ws []word, question bool) (request, []word) {
	polite := false
	for len(ws) > 0 {
		n := politeness.at(ws)
		if n == 0 {
			break
		}
		if ws[0].low == "do" && len(ws) > 1 && ws[1].low != "remember" {
			break
		}
		if ws[0].low == "do" && len(ws) > 1 && ws[1].low == "you" {
			return noRequest, nil
		}
		polite = polite || n > 1 || ws[0].low == "please"
		ws = ws[n:]
	}
	if question && !polite || len(ws) == 0 {
		return noRequest, nil
	}
	for _, o := range openings {
		k := len(strings.Fields(o.phrase))
		if len(ws) < k || lows(ws[:k]) != o.phrase {
			continue
		}
		rest := ws[k:]
		colon := strings.HasSuffix(ws[k-1].text, ":") || strings.HasSuffix(ws[k-1].text, "—") || strings.HasSuffix(ws[k-1].text, ",")
		switch {
		case o.kind == noRequest:
			return noRequest, nil
		case o.kind == remindTo:
			return remindTo, rest
		case o.kind == todo:
			if !colon && o.phrase != "note to self" && !strings.HasPrefix(o.phrase, "add") && ws[0].bare() != "TODO" {
				return noRequest, nil
			}
			return todo, rest
		}
		return whatToRemember(o.phrase, ws[k-1], rest, colon)
	}
	return noRequest, nil
}

// whatToRemember reads what follows "remember", "note" and the like.
func whatToRemember(phrase string, last word, rest []word, colon bool) (request, []word) {
	if len(rest) == 0 {
		if colon && strings.HasSuffix(last.text, ":") {
			return rememberWhat, nil
		}
		if phrase == "remember" || phrase == "write this down" || phrase == "save this" || phrase == "take note" {
			return rememberIt, nil
		}
		return noRequest, nil
	}
	first := rest[0].low
	pointing := strings.HasSuffix(rest[0].text, ":")
	switch first {
	case "that", "this", "these", "those", "it", "of", "the":
		if pointing || first != "the" && len(rest) > 1 && strings.HasSuffix(rest[1].text, ":") && (rest[1].low == "things" || rest[1].low == "facts" || rest[1].low == "down" || rest[1].low == "please" || rest[1].low == "one") ||
			first == "the" && len(rest) > 1 && strings.HasSuffix(rest[min(2, len(rest)-1)].text, ":") {
			cut := 1
			for cut < len(rest) && !strings.HasSuffix(rest[cut-1].text, ":") {
				cut++
			}
			if cut == len(rest) && strings.HasSuffix(rest[cut-1].text, ":") || cut == len(rest) {
				return rememberWhat, nil
			}
			return remember, rest[cut:]
		}
		if first == "that" || first == "of" {
			if len(rest) == 1 || len(rest) < 4 && onlyPolite(rest[1:]) {
				return rememberIt, nil
			}
			if first == "of" && len(rest) > 1 && (rest[1].low == "it" || rest[1].low == "that" || rest[1].low == "this") {
				return rememberIt, nil
			}
			return remember, rest[1:]
		}
		if (first == "it" || first == "this" || first == "these" || first == "those") && (len(rest) == 1 || onlyPolite(rest[1:])) {
			return rememberIt, nil
		}
		if first == "this" && len(rest) > 2 {
			return remember, rest[1:]
		}
		return remember, rest
	case "when", "how", "what", "who", "where", "why", "me", "last", "correctly", "if", "whether", "right", "us", "him", "her", "them", "you", "being", "seeing":
		return noRequest, nil
	case "to":
		if hasLow(rest, "you") || hasLow(rest, "your") || hasLow(rest, "yourself") {
			return noRequest, nil
		}
		return todo, rest[1:]
	case "about":
		return remember, rest[1:]
	}
	if last.endsClause() && isAdvice(rest) {
		return noRequest, nil
	}
	if phrase == "note" && !colon {
		return noRequest, nil // "note the difference"
	}
	if phrase == "memo" && !colon {
		return noRequest, nil
	}
	return remember, rest
}

// isAdvice reports whether "remember, …" is encouragement rather than something to keep: it names nothing of the user's.
func isAdvice(ws []word) bool {
	if hasLow(ws, "yourself") || hasLow(ws, "you") && !hasLow(ws, "my") {
		return true
	}
	for _, w := range ws {
		if isPersonalOwn[w.low] || strings.ContainsAny(w.low, "0123456789") || w.isName() {
			return false
		}
	}
	return true
}

var isPersonalOwn = set(`i my we our mine ours me us`)

func onlyPolite(ws []word) bool {
	for _, w := range ws {
		switch w.low {
		case "please", "for", "me", "later", "too", "ok", "okay", "thanks", "well", "down", "next", "time", "future", "the", "in", "mind", "reference", "somewhere", "always":
		default:
			return false
		}
	}
	return true
}

// rememberedBefore reads a request after what it is about: "My locker is 12, please remember that".
func rememberedBefore(ws []word) ([]word, bool) {
	for k := len(ws) - 1; k > 1 && k >= len(ws)-7; k-- {
		if !ws[k-1].endsClause() && ws[k].low != "please" && ws[k].low != "so" {
			continue
		}
		tail := ws[k:]
		for len(tail) > 0 && (tail[0].low == "so" || tail[0].low == "and" || tail[0].low == "please" || tail[0].low == "just") {
			tail = tail[1:]
		}
		l := lows(tail)
		l = strings.TrimSuffix(strings.TrimSuffix(l, " please"), " ok")
		switch l {
		case "remember", "remember that", "remember this", "remember it", "keep that in mind", "keep this in mind", "keep it in mind", "do not forget", "do not forget that", "do not forget it",
			"note that", "note it", "note that down", "note it down", "write that down", "write it down", "make a note", "make a note of that", "make a note of it", "take note", "memorize that", "bear that in mind", "remember that for later":
			return trimmed(ws[:k]), true
		}
	}
	return ws, false
}

// asksToRemember looks for a request to remember anywhere in a line, in either language.
func asksToRemember(line string) bool {
	low := strings.ToLower(line)
	for _, cue := range []string{"remember", "keep in mind", "take note", "make a note", "note that", "note:", "memo", "don't forget", "记住", "记一下", "记下", "别忘", "备忘", "记着", "memory"} {
		if strings.Contains(low, cue) {
			return true
		}
	}
	return false
}
