package extractive

import (
	"regexp"
	"strings"
)

// aboutSelfZH reads statements of the user about themselves or their household.
func (r *reader) aboutSelfZH(predicate string, when moment, who whoZH) (place, string, bool) {
	predicate = strings.TrimPrefix(strings.TrimSpace(predicate), "，")
	if predicate == "" || len([]rune(predicate)) > 80 {
		return noteOnly, "", false
	}
	if p, line, ok := taskZH(predicate, when, r); ok {
		return p, line, true
	}
	if m := tasteZH.FindStringSubmatch(predicate); m != nil && (strings.HasPrefix(m[2], "你") || strings.HasPrefix(m[2], "您")) &&
		len([]rune(m[2])) > 4 {
		return preferences, predicate, true
	}
	if m := tasteZH.FindStringSubmatch(predicate); m != nil && !vagueZH.MatchString(m[2]) && when.span == noSpan {
		return preferences, predicate, true
	}
	if line, ok := r.hasZH(predicate); ok {
		return people, line, true
	}
	if m := jobAndName.FindStringSubmatch(predicate); m != nil && notRole([]string{"", m[2]}) {
		r.say(statement{place: identity, text: sentenceZH("名叫" + m[2]), strength: stated, ofUser: true})
		return identity, "是" + m[1], true
	}
	rule, line, g, ok := readRules(selfZH, predicate)
	if !ok && (when.span != noSpan && when.before(r.now) || startsYear.MatchString(predicate)) {
		rule, line, g, ok = readRules(selfZH, leadingDate.ReplaceAllString(predicate, "")) // "上周搬到上海了" says where one lives
		if ok && rule.place == background {
			line = predicate
		}
	}
	if !ok && who == weZH {
		if m := weUseZH.FindStringSubmatch(predicate); m != nil && !vagueZH.MatchString(m[1]) && isChoice(m[1]) {
			return facts, "团队" + predicate, true
		}
	}
	if ok {
		if rule.ends && g[1] != "" {
			r.say(statement{place: rule.place, text: sentenceZH(toldZH(line)), strength: stated, ofUser: true, ends: true, topic: g[1]})
			return noteOnly, "", false
		}
		if when.span == spanDay && !when.before(r.now) && rule.place == preferences {
			return dates, line, true
		}
		return rule.place, line, true
	}
	if when.span != noSpan {
		return r.datedZH(predicate, when, who)
	}
	return noteOnly, "", false
}

// weUseZH reads the tools and methods of a team: 我们用主干开发模式.
var weUseZH = regexp.MustCompile(`^(?:都|一直|目前|现在|主要)*(?:用|使用|采用)(?:的是)?(.{2,30})$`)

// jobAndName reads 我是新来的测试工程师王欣.
var jobAndName = regexp.MustCompile(`^是(?:新来的|刚来的|公司的|你们的|负责.{1,8}的)?(.{0,10}(?:` + alternatives(occupationsZH) + `))(` + surname +
	han + `{1,2})$`)

var startsYear = regexp.MustCompile(`^\d{4}年`)

var leadingDate = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d(?:那周|前后)?|\d{4}年(?:\d{1,2}月)?)(?:早上|上午|中午|下午|晚上)?`)

// datedZH reads predicates with a date: appointments to come, and what happened.
func (r *reader) datedZH(predicate string, when moment, who whoZH) (place, string, bool) {
	switch {
	case !when.before(r.now) && hasOneOf(predicate, strings.Join(strings.Fields(eventsZH), " ")):
		return dates, predicate, true
	case !when.before(r.now) && (strings.Contains(predicate, "要") || strings.Contains(predicate, "会") || strings.Contains(predicate, "准备") ||
		strings.Contains(predicate, "打算")) && taskVerb.MatchString(predicate):
		return tasks, predicate, true
	case when.before(r.now) || strings.Contains(predicate, "了"):
		return noteOnly, predicate, len([]rune(predicate)) > 12
	}
	return noteOnly, "", false
}
