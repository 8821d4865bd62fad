package extractive

import "strings"

// trimStop drops closing punctuation; a closing bracket stays with its opening one.
func trimStop(s string) string {
	s = strings.TrimRight(s, ".,;:!?…—- ")
	if strings.HasSuffix(s, ")") && !strings.Contains(s, "(") {
		s = strings.TrimRight(s, ").,")
	}
	return s
}

func trimComma(s string) string { return strings.TrimRight(s, ",;— ") }

// endFillers close a clause without saying anything.
var endFillers = buildPhrases(`please;thanks;thank you;haha;lol;btw;by the way;though;too;as well;anyway;you know;actually;xd;tbh;honestly;
	right;ok;okay;for now;either;hehe;if that helps;just so you know;fyi;of course;again;so far;already;now;right now;these days;at the moment;
	currently;from now on;in general;obviously;if possible;in case that matters;in case it matters;if that matters;as you know;as usual;
	and so on;etc;then;yet;so;sadly;unfortunately;luckily;yay;and all;or something;or so;as of now;nowadays;at last;finally;indeed;a lot;
	so much;very much;the most;really;man;dude;mate;guys;everyone;folks;and;but`)

// afterthought counts the words of a remark behind the last comma: "I like cilantro now, weird huh".
func afterthought(r []word) int {
	for n := 1; n <= 2 && n < len(r); n++ {
		tail := r[len(r)-n:]
		if !strings.HasSuffix(r[len(r)-n-1].text, ",") {
			continue
		}
		for _, w := range tail {
			if w.isName() || strings.ContainsAny(w.low, "0123456789") || !asides[w.low] {
				return 0
			}
		}
		return n
	}
	return 0
}

// asides are words of such afterthoughts.
var asides = set(`weird huh funny right eh lol haha sadly luckily thankfully finally sorry oops whatever honestly obviously yay yikes ugh
	hooray crazy go figure believe though you know kinda sort of phew`)

// needsComma lists closing words that belong to the content without a comma: "the margin on the right".
var needsComma = set(`right so man mate dude really and but guys everyone folks all honestly good`)

// trimEnd drops what closes the clause without saying anything, and "anymore", which ends something that was so.
func (c *clause) trimEnd() {
	for {
		n := 0
		for k := min(maxPhrase, len(c.rest)); k > 0; k-- {
			tail := c.rest[len(c.rest)-k:]
			if s := lows(tail); s == "anymore" || s == "any more" || s == "any longer" {
				c.ended = c.ended || c.negated
				n = k
				break
			} else if endFillers.is(tail) && !(k == 1 && needsComma[s] && (len(c.rest) < 2 || !c.rest[len(c.rest)-2].endsClause())) {
				n = k
				break
			}
		}
		if n == 0 {
			n = afterthought(c.rest)
		}
		if n == 0 {
			break
		}
		c.rest = c.rest[:len(c.rest)-n]
	}
	for k := 2; k+2 < len(c.rest); k++ { // "… so rye it is"
		if c.rest[k].low == "so" && c.rest[k+1].low != "that" && c.rest[k+1].low != "much" && c.rest[k+1].low != "far" &&
			anyAuxiliary(c.rest[k+1:]) {
			c.rest = c.rest[:k]
		}
	}
	c.rest = trimmed(c.rest)
}
