package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// decisionLine matches the beginning of a line about a decision.
var decisionLine = regexp.MustCompile(`(?i)^(?:\S+ )?(?:decided|agreed|chose|settled|switched|migrated|moved|decision|will use|opted|` +
	`selected|picked|adopted|(?:the )?team uses|uses)\b|^(?:决定|选|改用|换成|敲定|确定|统一用|约定)|决定|换成|迁移?到`)

// supersede replaces an earlier decision with the one that revokes it. It reports whether it found one.
func (n *notebook) supersede(s statement, t terms) bool {
	old := termsOf(s.supersedes)
	p := n.memory
	for i := range slices.Backward(p.lines) {
		l := p.at(i, n.owner)
		said := plainLine(l.text)
		if len(l.terms.set) == 0 || !decisionLine.MatchString(said) || l.terms.covers(t) {
			continue
		}
		if s.supersedes == sameVerb {
			if verb := decidedVerb(s.text); verb == "" || verb != decidedVerb(said) {
				continue
			}
		} else if !within(old.set, l.terms.set) {
			continue
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
		return true
	}
	return false
}

// sameVerb marks "… instead" without an object: it refers to the last decision with the same verb.
const sameVerb = "\x00"

// decidedVerb returns the verb of a decision: "Decided to release monthly." → release.
func decidedVerb(line string) string {
	_, after, ok := strings.Cut(line, " to ")
	if !ok {
		return ""
	}
	verb, _, _ := strings.Cut(after, " ")
	return strings.ToLower(verb)
}

// supersededBy returns the choice that a decision replaces, from its words.
func supersededBy(ws []word) string {
	for k, w := range ws {
		rest := ws[k+1:]
		switch {
		case w.low == "instead" && len(rest) == 0:
			return sameVerb
		case w.low == "instead" && len(rest) > 1 && rest[0].low == "of", w.low == "rather" && len(rest) > 1 && rest[0].low == "than":
			return joinWords(upTo(rest[1:], "for"))
		case w.low == "from" && indexLow(rest, "to") > 0:
			return joinWords(rest[:indexLow(rest, "to")])
		case w.low == "with" && k > 0 && ws[0].low == "replace":
			return joinWords(ws[1:k])
		}
	}
	return ""
}

// upTo returns the words before stop.
func upTo(ws []word, stop string) []word {
	if k := indexLow(ws, stop); k > 0 {
		return ws[:k]
	}
	return ws
}

var (
	fromToZH  = regexp.MustCompile(`(?:从|由|把)(.{1,20}?)(?:换成|切换到|切到|迁移到|迁到|改成|改用|换到)`)
	noMoreZH  = regexp.MustCompile(`(?:不用|放弃|弃用|替换掉?|代替)\s*([A-Za-z][A-Za-z0-9 .+-]{1,20})`)
	insteadZH = regexp.MustCompile(`^.{0,12}?([A-Za-z][A-Za-z0-9.+-]{1,20})\s*换成`)
)

func supersededByZH(s string) string {
	for _, p := range []*regexp.Regexp{fromToZH, noMoreZH, insteadZH} {
		if m := p.FindStringSubmatch(s); m != nil {
			old := strings.TrimSpace(m[1])
			if at := strings.LastIndexAny(old, "从由"); at >= 0 {
				old = old[at+len("从"):]
			}
			return old
		}
	}
	return ""
}
