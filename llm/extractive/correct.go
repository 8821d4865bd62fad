package extractive

import (
	"regexp"
	"strings"

	"reverie/language/script"
	sentences "reverie/language/sentence"
)

// standing is the relation of a line to a new statement.
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

// correct replaces line i of p with the new statement. A line written by a person is kept, and the new statement is added below.
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

// saidNote marks a line that was added next to a line written by a person.
func (n *notebook) saidNote(text string) string {
	date := n.in.Today.Format("2006-01-02")
	if script.HasHan(text) {
		return "（对话中提到于 " + date + "）。"
	}
	return " (said in conversation on " + date + ")."
}

// oneSentence replaces in a line of several sentences the one that is contradicted.
func oneSentence(l pageLine, claims []claim, text string, owner []string) (string, bool) {
	parts := sentences.Split(bareLine(l.text))
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
		if script.HasHan(o.value) != script.HasHan(claims[0].value) {
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
