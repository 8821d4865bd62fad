package extractive

import "strings"

// whoZH is the subject of a Chinese clause. A clause without one has the subject of the clause before it.
type whoZH int

const (
	nobodyZH whoZH = iota
	selfZHWho
	weZH
	personZHWho
	assistantZH
)

// chinese reads one Chinese sentence.
func (r *reader) chinese(s string) {
	s = strings.TrimSpace(width.Replace(s))
	if s == "" {
		return
	}
	question := isQuestionZH(s)
	if r.list && !question {
		r.rememberZH(s, asked)
		return
	}
	if r.requestZH(s, question) {
		return
	}
	if question {
		if s = beforeQuestionZH(s); s == "" {
			return
		}
	}
	if hasAny(s, supposedZH) || isReportedZH(s) && !strings.Contains(s, "让我") {
		return
	}
	r.clausesZH(s, stated)
}

// beforeQuestionZH returns the clauses that introduce a question: 我对海鲜过敏，有什么推荐？ → 我对海鲜过敏.
func beforeQuestionZH(s string) string {
	parts := splitZH(s)
	if len(parts) < 2 || strings.HasPrefix(s, "如果") || strings.HasPrefix(s, "要是") {
		return ""
	}
	var out []string
	for _, p := range parts[:len(parts)-1] {
		if !isQuestionZH(p) {
			out = append(out, p)
		}
	}
	return strings.Join(out, "，")
}

// width makes full-width digits and letters plain; punctuation is told apart by the patterns.
var width = strings.NewReplacer("　", " ", "０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８",
	"8", "９", "9")

// clausesZH reads the clauses of a sentence and returns their number.
func (r *reader) clausesZH(s string, firmly strength) int {
	who := nobodyZH
	ordering := false
	corrects := strings.Contains(s, "不是") || strings.Contains(s, "更正") || strings.Contains(s, "说错") || strings.Contains(s, "改成") ||
		strings.Contains(s, "应该是")
	if corrects && r.repairZH(s) && !strings.Contains(s, "我") {
		return 1
	}
	n := 0
	for _, part := range splitZH(s) {
		text := stripLead(part)
		if text == "" {
			continue
		}
		if who == selfZHWho && strings.HasPrefix(strings.TrimSpace(part), "还有") && !strings.HasPrefix(text, "我") && len([]rune(text)) < 14 {
			text = "有" + text
		}
		n++
		if isPassiveEcho(text) {
			continue
		}
		ordered := text
		text, when := datesZH(text, r.base)
		said := firmly
		if firmly < asked && hasAny(text, doubtfulZH) {
			said = unsure
		}
		if line, ok := orderZH(ordered, ordering); ok {
			ordering = true
			r.say(statement{place: preferences, text: sentenceZH(line), strength: said})
			continue
		}
		ordering = false
		if requestZH.MatchString(text) && firmly < asked {
			who = assistantZH
			continue
		}
		who = r.clauseZH(text, when, who, said)
	}
	return n
}

// isPassiveEcho are clauses that only react.
func isPassiveEcho(s string) bool {
	return len([]rune(s)) < 2 || strings.HasPrefix(s, "谢") || strings.HasPrefix(s, "哈哈")
}

// clauseZH reads one clause and returns the subject for the next one.
func (r *reader) clauseZH(text string, when moment, before whoZH, firmly strength) whoZH {
	who, predicate, subject := subjectZH(text, before)
	if who == nobodyZH && impliesSelf(predicate) {
		who = selfZHWho
	}
	say := func(p place, line string, ofUser bool) {
		r.say(statement{place: p, text: sentenceZH(toldZH(line)), strength: firmly, ofUser: ofUser})
	}
	switch who {
	case personZHWho:
		if subject != "" {
			r.personZH = subject
		}
		r.aboutPersonZH(r.personZH, predicate, when, say)
		return who
	case assistantZH:
		return who
	}
	if line, ok := decisionZH(text, predicate, who); ok {
		r.say(statement{place: decisionPlace(line, when, r), text: sentenceZH(toldZH(line)), strength: firmly, supersedes: supersededByZH(text)})
		return who
	}
	if who == selfZHWho || who == weZH {
		if topic, ok := endedZH(predicate); ok {
			p := background
			if who == weZH {
				p = decisions
			}
			r.say(statement{place: p, text: sentenceZH(toldZH(trimParticles(predicate))), strength: firmly, ofUser: true, ends: true, topic: topic})
			return who
		}
		if p, line, ok := r.aboutSelfZH(predicate, when, who); ok {
			say(p, line, true)
			return who
		}
	}
	if p, line, ok := factZH(text, when, r); ok {
		say(p, line, false)
	}
	return who
}
