package extractive

import (
	"regexp"
	"slices"
	"strings"
)

// standing says how a line relates to a new statement.
type standing int

const (
	unrelated standing = iota
	same
	contradicts
)

// standing looks for the line that the claims repeat or contradict. Of several the last one counts that no person wrote.
func (n *notebook) standing(claims []claim) (*page, int, standing) {
	claims = n.named(claims)
	var page *page
	at, verdict := 0, unrelated
	for _, p := range []*pageRef{{n.profile}, {n.memory}} {
		for i := range p.lines {
			l := p.at(i, n.owner)
			v := relate(l.claims, claims)
			if v == same && len(claims) == 1 {
				return p.page, i, same
			}
			if v == same && l.terms.covers(termsOf(claims[len(claims)-1].value)) {
				return p.page, i, same
			}
			if v == contradicts && (verdict != contradicts || !l.protected || page.lines[at].protected) {
				page, at, verdict = p.page, i, contradicts
			}
		}
	}
	return page, at, verdict
}

// named leaves out claims about "sister" where the files know several sisters by name: nobody can tell which one is meant.
func (n *notebook) named(claims []claim) []claim {
	var out []claim
	for _, c := range claims {
		if isRelation(c.subject) && n.namesakes(c.subject) > 1 {
			c.single = false
		}
		out = append(out, c)
	}
	return out
}

func (n *notebook) namesakes(relation string) int {
	known := map[string]bool{}
	for i := range n.profile.lines {
		for _, o := range n.profile.at(i, n.owner).claims {
			if strings.HasPrefix(o.subject, relation+" ") {
				known[o.subject] = true
			}
		}
	}
	return len(known)
}

type pageRef struct{ *page }

// settle leaves out what the user takes back later in the same conversation: of two contradicting statements only the last
// stands. Statements with further claims that still hold stay; the files sort them out.
func (n *notebook) settle(said []statement) []statement {
	claims := make([][]claim, len(said))
	for i, s := range said {
		if s.place != noteOnly && s.replaces == "" {
			claims[i] = claimsOf(s.told(), n.owner)
		}
	}
	var out []statement
	for i, s := range said {
		later := i + 1
		for later < len(said) && said[later].sentence == s.sentence {
			later++ // "a data engineer by day and a DJ by night" is no correction
		}
		if len(claims[i]) == 0 || !takenBack(claims[i], claims[later:]) {
			out = append(out, s)
		}
	}
	return out
}

// takenBack reports whether later statements contradict every claim.
func takenBack(claims []claim, later [][]claim) bool {
	for _, c := range claims {
		contradicted := false
		for _, l := range later {
			switch relate([]claim{c}, l) {
			case contradicts:
				contradicted = true
			case same:
				contradicted = false // said again after that
			}
		}
		if !contradicted {
			return false
		}
	}
	return true
}

// relate compares the claims of a line with new ones: any that contradicts decides, then any that is the same.
func relate(old, claims []claim) standing {
	verdict := unrelated
	for _, c := range claims {
		for _, o := range old {
			if !sameKey(o, c) || !c.single {
				continue
			}
			switch {
			case o.negative == c.negative && (sameTerms(o.terms, c.terms) || within(c.terms, o.terms)):
				if verdict == unrelated {
					verdict = same
				}
			case o.negative && !c.negative && !sameTerms(o.terms, c.terms):
			default:
				return contradicts
			}
		}
	}
	return verdict
}

// sameKey reports whether two claims are about the same attribute of the same subject. "Sister" and "sister Anna" are taken
// for one; where a file knows two sisters, standing tells them apart.
func sameKey(o, c claim) bool {
	if o.attribute != c.attribute {
		return false
	}
	return o.subject == c.subject || c.subject != "" && o.subject != "" && isRelation(firstWord(c.subject)) && (strings.HasPrefix(o.subject, c.subject+" ") || strings.HasPrefix(c.subject, o.subject+" "))
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

// correct replaces line i of p by what was said anew. A line that a person wrote stays; the new statement stands under it.
func (n *notebook) correct(p *page, i int, claims []claim, s statement, t terms) {
	e := n.enter(s, t)
	if n.closed(p) {
		return
	}
	if p.lines[i].protected {
		n.kept = true
		if !p.under(i, strings.TrimSuffix(strings.TrimSuffix(s.text, "."), "。")+n.saidNote(s.text), e) {
			n.full = true
			return
		}
		n.corrected++
		return
	}
	text := s.text
	if old, ok := oneSentence(p.lines[i], claims, s.text, n.owner); ok {
		text = old
	} else if old, ok := spliced(p.lines[i], claims); ok {
		text = old
	}
	if !p.replace(i, text, e) {
		n.full = true
		return
	}
	n.corrected++
}

// saidNote marks a line that stands beside a person's own.
func (n *notebook) saidNote(text string) string {
	date := n.in.Today.Format("2006-01-02")
	if hasHan(text) {
		return "（对话中提到于 " + date + "）。"
	}
	return " (said in conversation on " + date + ")."
}

// oneSentence replaces in a line of several sentences the one that is contradicted.
func oneSentence(l pageLine, claims []claim, text string, owner []string) (string, bool) {
	parts := splitSentences(bareLine(l.text))
	if len(parts) < 2 {
		return "", false
	}
	for i, part := range parts {
		if relate(claimsOf(part, owner), claims) == contradicts {
			parts[i] = text
			return strings.Join(parts, " "), true
		}
	}
	return "", false
}

// spliced puts a new value into a line that states more than it: "Works as a nurse at Charité." keeps the nurse.
func spliced(l pageLine, claims []claim) (string, bool) {
	if len(claims) == 1 && len(l.claims) == 1 && isoDate.MatchString(claims[0].value) {
		body := bareLine(l.text)
		if all := isoDate.FindAllString(body, -1); len(all) == 1 && strings.Trim(isoDate.ReplaceAllString(claims[0].value, ""), " .") == "" {
			return strings.Replace(body, all[0], isoDate.FindString(claims[0].value), 1), true // the time and the room stay
		}
	}
	if len(claims) != 1 || len(l.claims) < 2 {
		return "", false
	}
	for _, o := range l.claims {
		if hasHan(o.value) != hasHan(claims[0].value) {
			continue
		}
		if o.key() != claims[0].key() || o.value == "" || o.negative != claims[0].negative {
			continue
		}
		body := strings.TrimSpace(l.text)
		body = body[markerLen(body):]
		if strings.Count(body, o.value) == 1 {
			return strings.Replace(body, o.value, claims[0].value, 1), true
		}
	}
	return "", false
}

var isoDate = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

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

// wordIndex finds w in s where it stands by itself; -1 when it does not. Case does not count for Latin letters.
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
		if (hasHan(w) || !isWordRune(before) || isHan(before)) && (hasHan(w) || !isWordRune(after) || isHan(after)) {
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
