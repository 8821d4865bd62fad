package extractive

import (
	"cmp"
	"slices"
	"strings"
)

// request is the kind of a request to remember something.
type request int

const (
	noRequest    request = iota
	remember             // "remember that …"
	rememberWhat         // "remember this:" — what follows in the message
	rememberIt           // "please remember that" — what was said just before
	remindTo             // "remind me to …"
	todo                 // "TODO: …"
)

// politeness lists phrases that may precede a request.
var politeness = buildPhrases(`please;can you;could you;would you;will you;can you please;could you please;would you please;kindly;also;
	just;and;so;ok;okay;hey;hi;oh;i want you to;i need you to;i would like you to;you should;make sure you;make sure to;you need to;you must;
	i would like to;let us;but;btw;by the way;one more thing;now;always;thanks;for future reference;for later;for the future;yes;no;well;right;
	great;perfect;sure;then;do`)

// openings maps first words to the openings of requests to remember, longest first. Tails ("that", ":") are read separately.
var openings = openingsByWord(map[request]string{
	remindTo: `do not let me forget to; do not let me forget; help me remember to; make sure i remember to; remind me to; remind me that; ` +
		`remind me about; remind me of; remind me; set a reminder to; set a reminder for; set me a reminder to; set a reminder that; ` +
		`set a reminder; i need a reminder to; add a reminder to; create a reminder to`,
	todo: `reminder for me; reminder to self; reminder; add to my list; put on my list; on my list; add to the list; todo; to-do; ` +
		`to do; action item; action items; my todo; my to-do; add to my todo list; add to my to-do list; note to self`,
	remember: `remember; memorize; memorise; keep in mind; bear in mind; keep in memory; do not forget; never forget; take note; ` +
		`take a note; make a note; make note; note down; note; write down; jot down; save to memory; save this; store this; add to memory; ` +
		`add to your memory; add this to memory; add this to your memory; put this in your memory; commit to memory; commit this to memory; ` +
		`memo; save the following; write this down; for your memory; save in memory`,
	noRequest: `remember me`,
})

// opening is the first words of a request, and its kind.
type opening struct {
	phrase string
	words  int
	kind   request
}

// openingsByWord finds them by their first word.
func openingsByWord(lists map[request]string) map[string][]opening {
	m := map[string][]opening{}
	for kind, list := range lists {
		for _, phrase := range splitTrim(list, ";") {
			words := strings.Fields(phrase)
			m[words[0]] = append(m[words[0]], opening{phrase, len(words), kind})
		}
	}
	for _, list := range m {
		slices.SortFunc(list, func(a, b opening) int { return cmp.Or(b.words-a.words, strings.Compare(a.phrase, b.phrase)) })
	}
	return m
}

// requested reads a request to remember something at the beginning of a sentence: its kind and its content.
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
	for _, o := range openings[ws[0].low] {
		k := o.words
		if len(ws) < k || lows(ws[:k]) != o.phrase {
			continue
		}
		rest := ws[k:]
		colon := strings.HasSuffix(ws[k-1].text, ":") || strings.HasSuffix(ws[k-1].text, "—") || strings.HasSuffix(ws[k-1].text, ",")
		switch o.kind {
		case noRequest:
			return noRequest, nil
		case remindTo:
			return remindTo, rest
		case todo:
			if !colon && o.phrase != "note to self" && !strings.HasPrefix(o.phrase, "add") && ws[0].bare() != "TODO" {
				return noRequest, nil
			}
			return todo, rest
		}
		return whatToRemember(o.phrase, ws[k-1], rest, colon)
	}
	return noRequest, nil
}

// whatToRemember reads the words after "remember", "note" and similar verbs.
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
	if (phrase == "note" || phrase == "memo") && !colon && first != "that" && first != "this" {
		return noRequest, nil // "note the difference"
	}
	pointing := strings.HasSuffix(rest[0].text, ":")
	switch first {
	case "that", "this", "these", "those", "it", "of", "the":
		if pointing || first != "the" && len(rest) > 1 && strings.HasSuffix(rest[1].text, ":") &&
			(rest[1].low == "things" || rest[1].low == "facts" || rest[1].low == "down" || rest[1].low == "please" || rest[1].low == "one") ||
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
	case "when", "how", "what", "who", "where", "why", "me", "last", "correctly", "if", "whether", "right", "us", "him", "her", "them", "you",
		"being", "seeing":
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
		case "please", "for", "me", "later", "too", "ok", "okay", "thanks", "well", "down", "next", "time", "future", "the", "in", "mind",
			"reference", "somewhere", "always":
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
		case "remember", "remember that", "remember this", "remember it", "keep that in mind", "keep this in mind", "keep it in mind",
			"do not forget", "do not forget that", "do not forget it",
			"note that", "note it", "note that down", "note it down", "write that down", "write it down", "make a note", "make a note of that",
			"make a note of it", "take note", "memorize that", "bear that in mind", "remember that for later":
			return trimmed(ws[:k]), true
		}
	}
	return ws, false
}

// asksToRemember looks for a request to remember anywhere in a line, in either language.
func asksToRemember(line string) bool {
	low := strings.ToLower(line)
	for _, cue := range []string{
		"remember", "keep in mind", "take note", "make a note", "note that", "note:", "memo", "don't forget", "记住",
		"记一下", "记下", "别忘", "备忘", "记着", "memory",
	} {
		if strings.Contains(low, cue) {
			return true
		}
	}
	return false
}
