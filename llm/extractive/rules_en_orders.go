package extractive

import "strings"

// toAssistant reports whether a preference is about what the assistant does.
func toAssistant(r []word) bool {
	switch r[0].low {
	case "you":
		return len(r) > 1 && (r[1].low == "to" || r[1].low == "not" || r[1].low == "be" || verbForms[r[1].low].form != 0)
	case "that", "when", "if", "it":
		return len(r) > 2 && (r[1].low == "you" || r[1].low == "when" && r[2].low == "you" || r[1].low == "if" && r[2].low == "you")
	}
	return false
}

// evermore marks an order that holds beyond the current request.
var evermore = set(`always never`)

// standingPhrases mark it as well, anywhere in the sentence.
var standingPhrases = []string{
	" from now on ", " going forward ", " in the future ", " in future ", " by default ", " every time ", " each time ", " whenever ",
	" from here on ", " for all future ", " at all times ", " in all your ", " in every ", " in each ", " until further notice ",
	" as a rule ", " henceforth ", " for the rest of ", " next time ", " in general ", " every answer ", " every reply ", " with me ",
	" for all ", " in all ", " all our ", " all my ",
}

// manner lists words about the style of answers; an order with one of them is a standing order.
var manner = set(`answers replies responses emails messages emoji emojis bullet bullets bullet-points jargon slang tone language concise
	brief short terse formal informal casual polite markdown tables metric imperial celsius fahrenheit kilometers kilometres pronouns pronoun
	abbreviations filler fluff apologize apologise apologies sugarcoat sugar-coat exclamation disclaimers honest direct blunt verbose lengthy
	long paragraphs 24-hour 24h units comments citations sources charts colors colours spoilers acronyms spelling grammar`)

// orderVerbs lists verbs of standing instructions to the assistant.
var orderVerbs = set(`treat call answer reply respond write use keep speak talk address refer avoid stop remind ask give be make send start
	include format explain assume say show suggest recommend stick cite schedule book translate sign end begin quote mention treat consider
	provide limit skip wait check test run add put read set name remember offer type type-hint indent return wrap document prefix round
	convert sort list confirm do let share order notify contact email text message disturb`)

// manneredVerbs lists verbs that form a standing order with a manner word: "keep answers short", "answer in German".
var manneredVerbs = set(`call answer reply respond write keep speak talk address use avoid stop be refer skip treat`)

// order reads what the user tells the assistant to do from now on; stands says that another part of the sentence makes it a
// standing one. The line is what the assistant is wanted to do.
func order(ws []word, stands bool) (string, bool) {
	ws, _ = withoutFillers(ws)
	l := " " + lows(ws) + " "
	stands = stands || hasAny(l, standingPhrases) || isHabit(ws) || hasAny(l, []string{" when i ", " if i ask "}) || hasWhenYou(ws)
	if len(ws) > 1 && len(ws) < 5 && ws[0].low == "no" && manner[ws[1].low] {
		return "Wants no " + joinWords(trimmed(cutFillers(ws[1:]))), true
	}
	polite := strings.Contains(l, " please ")
	body, always, negated := orderBody(ws)
	if len(body) == 0 || len(body) > 30 || len(body) > 1 && auxiliaries[body[1].low] {
		return "", false
	}
	v := body[0].low
	if !orderVerbs[v] && !(stands && (verbForms[v].form == formBase || polite) && len(body) > 2) || v == "give" &&
		(second(body) == "up" || second(body) == "in") || v == "stop" && always != "" || v == "be" && always != "" && !isManner(v, body) ||
		v == "let" || v == "forget" || v == "worry" || v == "remember" || v == "hesitate" || hasLow(body, "yourself") {
		return "", false
	}
	if second(body) == "nothing" && len(body) > 3 && (v == "book" || v == "schedule" || v == "plan") {
		return "Wants the assistant to " + joinWords(impersonalOrder(cutFillers(append([]word{{text: v, low: v}}, body[1:]...)))), true
	}
	if (v == "keep" || v == "make") && (second(body) == "it" || second(body) == "them") && len(body) > 2 && len(body) < 6 &&
		manner[body[2].low] {
		return "Wants the assistant to keep answers " + joinWords(cutFillers(body[2:])), stands || always != ""
	}
	if stopObjects[second(body)] && v != "call" && second(body) != "me" && second(body) != "your" && second(body) != "any" {
		if !(stands || always != "") || second(body) == "it" || second(body) == "this" || second(body) == "that" {
			return "", false
		}
	}
	if !stands && always == "" && !negated && !isManner(v, body) {
		return "", false
	}
	if !stands && always == "" && negated && !isManner(v, body) && !neverMind(body) {
		return "", false
	}
	if v == "call" && second(body) == "me" && !negated && len(body) >= 3 && len(body) <= 5 && (body[2].isName() || len(body) == 3) &&
		always == "" {
		name := joinWords(trimmed(cutFillers(body[2:])))
		switch strings.ToLower(name) {
		case "back", "later", "tomorrow", "crazy", "now", "":
			return "", false
		}
		return "Wants to be called " + name, true
	}
	body = cutFillers(body)
	body = append([]word{{text: lowerFirst(body[0].text), low: body[0].low}}, body[1:]...)
	text := joinWords(impersonalOrder(body))
	switch {
	case negated:
		return "Wants the assistant not to " + text, true
	case always != "":
		return "Wants the assistant to " + always + " " + text, true
	}
	return "Wants the assistant to " + text, true
}

// hasWhenYou reads "when you write code"; "when you can" makes nothing a standing order.
func hasWhenYou(ws []word) bool {
	for k := 0; k+2 < len(ws); k++ {
		if ws[k].low == "when" && ws[k+1].low == "you" {
			f := verbForms[ws[k+2].low]
			return f.form == formBase && f.lemma != "have" && f.lemma != "get" && f.lemma != "need" && f.lemma != "want"
		}
	}
	return false
}

// orderBody strips "please", "always", "could you", "I want you to" and similar words, and returns their meaning.
func orderBody(ws []word) (body []word, always string, negated bool) {
	i := 0
	for i < len(ws) {
		w := ws[i].low
		two := ""
		if i+1 < len(ws) {
			two = w + " " + ws[i+1].low
		}
		switch {
		case w == "please" || w == "just" || w == "also" || w == "then" || w == "kindly" || w == "so" || w == "and" || w == "but" || w == "ok" ||
			w == "only" && i == 0:
			i++
		case two == "from now" || two == "from here":
			i += 3
		case two == "going forward" || two == "next time":
			i += 2
		case two == "in future":
			i += 2
		case two == "in the" && i+2 < len(ws) && ws[i+2].low == "future":
			i += 3
		case two == "by default" || two == "in general":
			i += 2
		case two == "make sure" || two == "be sure":
			i += 2
			if i < len(ws) && (ws[i].low == "to" || ws[i].low == "you" || ws[i].low == "that") {
				i++
			}
			if i < len(ws) && ws[i].low == "you" {
				i++
			}
		case two == "you should" || two == "you must" || two == "you can" || two == "could you" || two == "can you" || two == "would you" ||
			two == "will you":
			i += 2
		case (two == "i want" || two == "i need" || two == "i would" || two == "i expect") && hasSeq(ws[i:], "you", "to") >= 0 &&
			hasSeq(ws[i:], "you", "to") <= 3:
			i += hasSeq(ws[i:], "you", "to") + 2
		case two == "do not" || two == "try not" || two == "not to":
			negated = true
			i += 2
			if i < len(ws) && (ws[i].low == "ever" || ws[i].low == "to") {
				i++
			}
		case w == "not":
			negated = true
			i++
		case w == "stop" && i+1 < len(ws) && verbForms[ws[i+1].low].form == formIng:
			out := append([]word{{text: "stop", low: "stop"}}, ws[i+1:]...)
			return out, always, negated
		case evermore[w]:
			always = w
			i++
		case w == "refrain" && i+1 < len(ws) && ws[i+1].low == "from":
			negated = true
			i += 2
			if i < len(ws) {
				if f := verbForms[ws[i].low]; f.form == formIng {
					out := append([]word{{text: f.lemma, low: f.lemma}}, ws[i+1:]...)
					return out, always, negated
				}
			}
		default:
			return ws[i:], always, negated
		}
	}
	return nil, always, negated
}

// isManner reports whether an order is about how to answer or to address the user.
func isManner(v string, body []word) bool {
	if !manneredVerbs[v] {
		return false
	}
	if v == "call" || v == "treat" {
		return second(body) == "me" && len(body) > 2
	}
	for k, w := range body[1:] {
		if manner[w.low] || manner[verbForms[w.low].lemma] || w.low == "apologizing" || w.low == "apologising" {
			return true
		}
		if languages[w.low] && k > 0 && k < 6 && (body[k].low == "in" || v == "speak" || v == "use") {
			return !hasLow(body, "this") && !hasLow(body, "it") && v != "write" || second(body) == "in" || second(body) == "to"
		}
	}
	return v == "be" && len(body) < 5 && len(body) > 1 && manner[body[1].low]
}

// neverMind reports whether a "do not" order needs no manner word: how and when to reach the user.
func neverMind(body []word) bool {
	switch body[0].low {
	case "call", "contact", "email", "text", "message", "disturb", "schedule", "book", "notify":
		return len(body) > 1 && !pointsBack(body[min(2, len(body)-1):]) || second(body) == "me"
	}
	return false
}

func hasSeq(ws []word, a, b string) int {
	for k := 0; k+1 < len(ws) && k < 6; k++ {
		if ws[k].low == a && ws[k+1].low == b {
			return k
		}
	}
	return -1
}

// cutFillers drops closing fillers and the phrases that made the order a standing one.
func cutFillers(ws []word) []word {
	c := clause{rest: ws}
	c.trimEnd()
	ws = c.rest
	for _, tail := range []string{"from now on", "going forward", "in the future", "in future", "by default", "next time"} {
		n := len(strings.Fields(tail))
		if len(ws) > n && lows(ws[len(ws)-n:]) == tail {
			ws = trimmed(ws[:len(ws)-n])
		}
	}
	return ws
}

// impersonalOrder puts an order into the third person: "call me Ada" → "call them Ada", "your answers" → "its answers".
func impersonalOrder(ws []word) []word {
	out := impersonal(ws)
	for i := range out {
		switch ws[i].low {
		case "your":
			out[i].text = "its" + punctuationOf(ws[i].text)
		case "you":
			out[i].text = "it" + punctuationOf(ws[i].text)
		}
	}
	return out
}
