package extractive

import "strings"

// fillers lists phrases without content at the beginning of a clause; correctionFillers are separate.
var fillers = buildPhrases(`well;so;ok;okay;oh;ah;yes;yeah;yep;yup;hi;hey;hello;thanks;thank you;btw;also;anyway;anyways;honestly;basically;
	um;uh;hmm;fyi;and;but;then;now;plus;by the way;in fact;to be honest;for the record;quick update;update;on another note;as for me;
	personally;good morning;morning;good evening;good afternoon;good question;sure;great;cool;nice;perfect;right;alright;haha;lol;hehe;
	great question;good point;of course;as i said;as mentioned;like i said;for context;context;for reference;note;side note;one more thing;
	another thing;just so you know;you know;i mean;in addition;additionally;besides;however;furthermore;moreover;finally;lastly;first;firstly;
	second;secondly;third;first of all;to start;for starters;about me;a bit about me;for what it's worth;
	in general;generally speaking;turns out;good news;bad news;big news;guess what;guess so;exactly;absolutely;definitely;true;indeed;awesome;
	wow;yay;omg;hm;mm;since;because;although;though;even though;as;given that;plus;hence;therefore;that said;speaking of which;still;
	in that case;from my side;on my side;recap;just to recap;to recap;to summarise;to summarize;summary;long story short;for real;in real life;
	seriously;oh and;ok so;ok then;fun fact;intro;hi there;hey there;hello there;hi everyone;hi all;hello everyone;hello all;hey everyone;
	hey all;hi folks;hi team;hey team;hello team;please note;please note that;note that;dear assistant;as a reminder;confirmed;in reality;
	in truth;truth is;good;works;fine;agreed;meanwhile;unfortunately;luckily;sadly;fortunately;hopefully not;as you know;as always;as usual;
	at the moment;these days;right now;at present;currently;nowadays;lately;so far;in the meantime;my bad;oops;either way;in short;tbh;imo;ps;
	p.s;to clarify;for clarity;to be clear;that is why;which is why;thats why;long time no see;whoa;woah;gosh;ha;aw;aww`)

var correctionFillers = buildPhrases(`actually;no;nope;sorry;wait;correction;scratch that;i meant;i misspoke;my mistake;hold on;oh wait;
	small correction;to correct myself;rather;not quite;change of plans;changed my mind;i changed my mind;we changed our minds;never mind;
	nevermind`)

// phrases are word sequences, by their first word.
type phrases map[string][][]string

func buildPhrases(list string) phrases {
	p := phrases{}
	for _, s := range splitTrim(list, ";") {
		words := strings.Fields(s)
		p[words[0]] = append(p[words[0]], words)
	}
	return p
}

// maxPhrase is the longest phrase, in words, that is looked for at the end of a clause.
const maxPhrase = 4

// at returns the number of words of the longest phrase at the beginning of ws, or 0.
func (p phrases) at(ws []word) int {
	best := 0
	if len(ws) == 0 {
		return 0
	}
	for _, words := range p[ws[0].low] {
		if len(words) > best && len(words) <= len(ws) && begins(ws, words) {
			best = len(words)
		}
	}
	return best
}

// is reports whether ws is one of the phrases.
func (p phrases) is(ws []word) bool { return len(ws) > 0 && p.at(ws) == len(ws) }

// one reports whether a single word is one of the phrases.
func (p phrases) one(low string) bool {
	for _, words := range p[low] {
		if len(words) == 1 {
			return true
		}
	}
	return false
}

func begins(ws []word, words []string) bool {
	for i, w := range words {
		if ws[i].low != w {
			return false
		}
	}
	return true
}

// withoutFillers drops leading fillers and reports whether one of them announced a correction.
func withoutFillers(ws []word) ([]word, bool) {
	fixes := false
	for len(ws) > 0 {
		if n := correctionFillers.at(ws); n > 0 && !(ws[0].low == "no" && n == 1 && !ws[0].endsClause() && len(ws) > 1 && ws[1].low != "it" &&
			ws[1].low != "i" && ws[1].low != "we") {
			ws, fixes = ws[n:], true
			continue
		}
		n := fillers.at(ws)
		if n == 0 && len(ws) > 1 && vocatives[ws[0].low] && ws[0].endsClause() {
			n = 1
		}
		if n == 0 && isDrawnOut(ws[0].low) {
			n = 1
		}
		if n == 0 {
			break
		}
		ws = ws[n:]
	}
	return ws, fixes
}

// vocatives address the listener when a comma follows.
var vocatives = set(`everyone all folks team guys there man dude mate buddy bro friend ada assistant claude gpt chatgpt bot`)

// isDrawnOut reports whether a word is a greeting with letters repeated: heyyy, hiiii, soooo.
func isDrawnOut(w string) bool {
	if len(w) < 3 || w[len(w)-1] != w[len(w)-2] {
		return false
	}
	switch strings.TrimRight(w, w[len(w)-1:]) {
	case "he", "hey", "h", "hi", "hell", "so", "s", "well", "ok", "yea", "hm", "ah", "oh", "yo":
		return true
	}
	return false
}

// dateLast moves a date that begins a clause to its end: "On 2026-03-11 I have …" → "I have … on 2026-03-11".
func dateLast(ws []word) []word {
	if len(ws) < 4 || !datePrepositions[ws[0].low] {
		return ws
	}
	// "For feedback I'd rather …", "At work we use …"
	for k := 2; k < min(6, len(ws)-2) && ws[k-1].when.span == noSpan; k++ {
		if ws[k].low == "i" || ws[k].low == "we" {
			head := lowerWords(ws[:k])
			out := append([]word(nil), ws[k:]...)
			out[len(out)-1].text = trimStop(out[len(out)-1].text)
			return append(out, head...)
		}
		if verbForms[ws[k].low].form == formThird || auxiliaries[ws[k].low] {
			break
		}
	}
	for k := 1; k < min(7, len(ws)-1); k++ {
		if ws[k].when.span == noSpan {
			continue
		}
		head := append([]word(nil), ws[:k+1]...)
		rest := ws[k+1:]
		if len(rest) > 0 && rest[0].low == "at" && len(rest) > 2 { // "On Friday at 3 I have"
			if rest[1].low != "" && rest[1].low[0] >= '0' && rest[1].low[0] <= '9' {
				head = append(head, rest[:2]...)
				rest = rest[2:]
			}
		}
		if len(rest) == 0 {
			return ws
		}
		head[0] = word{text: lowerFirst(head[0].text), low: head[0].low, when: head[0].when}
		head[len(head)-1].text = trimComma(head[len(head)-1].text)
		out := append([]word(nil), rest...)
		last := &out[len(out)-1]
		last.text = trimStop(last.text)
		return append(out, head...)
	}
	return ws
}
