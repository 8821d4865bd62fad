package extractive

import (
	"slices"
	"strings"

	"reverie/language/script"
)

// repair applies "5434, not 5433": the newest line that has the wrong value gets the right one.
func (n *notebook) repair(s statement) {
	for _, p := range []*page{n.memory, n.profile} {
		for i := range slices.Backward(p.lines) {
			l := p.at(i, n.owner)
			body := strings.TrimSpace(l.text)
			at := wordIndex(body, s.replaces)
			if l.code || at < 0 || wordIndex(body, s.with) >= 0 {
				continue
			}
			if m := markerLen(body); at >= m {
				body, at = body[m:], at-m
			}
			s.text = body[:at] + s.with + body[at+len(s.replaces):]
			s.replaces = ""
			t := termsOf(s.text)
			e := n.enter(s, t)
			switch {
			case n.closed(p):
			case l.protected:
				n.kept = true
				if p.under(i, strings.TrimRight(s.text, ".。")+n.saidNote(s.text), e) {
					n.corrected++
				}
			case p.replace(i, s.text, e):
				n.corrected++
			default:
				n.full = true
			}
			return
		}
	}
}

// wordIndex returns the index of w in s as a whole word, or -1. It ignores the case of Latin letters.
func wordIndex(s, w string) int {
	if w == "" {
		return -1
	}
	low, want := strings.ToLower(s), strings.ToLower(w)
	if len(low) != len(s) || len(want) != len(w) {
		low, want = s, w
	}
	for from := 0; ; {
		k := strings.Index(low[from:], want)
		if k < 0 {
			return -1
		}
		k += from
		before, after := lastRune(low[:k]), firstRune(low[k+len(want):])
		if (script.HasHan(w) || !isWordRune(before) || script.IsHan(before)) && (script.HasHan(w) || !isWordRune(after) || script.IsHan(after)) {
			return k
		}
		from = k + len(want)
	}
}

func lastRune(s string) rune {
	var last rune
	for _, r := range s[max(0, len(s)-4):] {
		last = r
	}
	return last
}

// end takes in that something no longer holds: the lines that said it make room for the new statement.
func (n *notebook) end(s statement, t terms) {
	topic := termsOf(s.topic)
	for _, p := range []*page{n.profile, n.memory} {
		for i := range p.lines {
			l := p.at(i, n.owner)
			if len(l.terms.set) == 0 || !concerns(l.terms, topic) {
				continue
			}
			if l.terms.negated || l.terms.former {
				n.again(p, i, s) // it says so already
				return
			}
			e := n.enter(s, t)
			switch {
			case n.closed(p):
			case l.protected:
				n.kept = true
				if p.under(i, strings.TrimRight(s.text, ".。")+n.saidNote(s.text), e) {
					n.corrected++
				}
			case p.replace(i, s.text, e):
				n.corrected++
			default:
				n.full = true
			}
			return
		}
	}
	if !n.known(s, t) {
		n.write(s, n.enter(s, t))
	}
}

// concerns reports whether a line is about the topic that ended: it has all of the topic's words, and most of its own are among them.
func concerns(line, topic terms) bool {
	return within(topic.set, line.set) && len(line.set) <= 2*len(topic.set)+3
}
