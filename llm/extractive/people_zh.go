package extractive

import (
	"regexp"
	"strings"
)

var namedPetZH = regexp.MustCompile(`^(?:一|两|二|三)(?:只|条|个|匹)(.{0,6}(?:` + alternatives(petsZH) + `|` + alternatives(familyZH) +
	`))，?(?:名字)?叫(.{1,10})$`)

var haveZH = regexp.MustCompile(`^` + lead + `(?:家里?|还)*(?:有|养了|养着|养|生了|领养了|收养了)(?:一|两|二|三|四|五|\d)?(?:只|条|个|位|头|匹|对)?(.{0,12}?(?:` +
	alternatives(petsZH) + `|` + alternatives(familyZH) + `).{0,16}?)(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`)

// hasZH reads 我有一个女儿, 家里养了一只橘猫.
func (r *reader) hasZH(predicate string) (string, bool) {
	m := haveZH.FindStringSubmatch(predicate)
	if m == nil {
		if m = namedPetZH.FindStringSubmatch(predicate); m != nil {
			predicate = "有" + predicate
		}
	}
	if m == nil || strings.Contains(predicate, "问题") || strings.Contains(predicate, "朋友圈") || strings.Contains(predicate, "没有") {
		return "", false
	}
	for _, list := range []string{petsZH, familyZH} {
		for w := range strings.FieldsSeq(list) {
			if strings.Contains(m[1], w) {
				r.personZH = w
				return predicate, true
			}
		}
	}
	return predicate, true
}

var personPredicate = regexp.MustCompile(`^(?:的?名字(?:是|叫)|叫|今年|\d{1,3}岁|[一二三四五六七八九十两]{1,3}岁|刚满|是|在|住|喜欢|特别喜欢|很喜欢|最喜欢|超喜欢|爱|不喜欢|讨厌|怕|不吃|` +
	`不能吃|吃素|对|有|会|从事|做|当|负责|刚上|上|读|学|在学|开始|的生日|生日|属|姓|怀孕|毕业|考上|结婚|离婚|退休|去世|搬|移民|出生|养|开了|经常|每|不会|不懂|过敏|工作|血压|血糖|身体|腿脚|耳朵|眼睛|膝盖|心脏|也|都|更|比较|最|` +
	`特别|很|超|非常|从小)`)

var passingZH = regexp.MustCompile(`^(?:在(?:家|睡|哭|旁边|这|那|看|吃|玩|外面|等|忙|干|洗)|是(?:不是|这样|谁|说|因为|为了)|会(?:来|去|不会|说什么)|很(?:好|累|忙|开心|高兴|生气|烦)|` +
	`最近(?:很|有点|比较)|都(?:好|很好)|上(?:来|去|班去|车|次)|做(?:饭|梦|了|作业|完)|有(?:点|事|时|时候|问题|没有)|对(?:我|你|此|这|的)|每(?:次|当))`)

// aboutPersonZH reads clauses about a person in the user's life.
func (r *reader) aboutPersonZH(who, predicate string, when moment, say func(place, string, bool)) {
	predicate = strings.TrimSpace(predicate)
	if who == "" || predicate == "" || len([]rune(predicate)) > 50 {
		return
	}
	if strings.HasPrefix(predicate, "让我") || strings.HasPrefix(predicate, "要我") || strings.HasPrefix(predicate, "叫我") {
		what := predicate[len("让我"):]
		if when.span != noSpan && !when.before(r.now) {
			say(tasks, "要"+what, true)
		}
		return
	}
	trimmedPredicate := strings.TrimPrefix(predicate, "的")
	switch {
	case passingZH.MatchString(trimmedPredicate) || vagueZH.MatchString(trimmedPredicate):
		return
	case when.span != noSpan && !when.before(r.now):
		say(dates, who+predicate, false)
	case personPredicate.MatchString(predicate):
		if strings.HasPrefix(predicate, "叫") && (strings.HasPrefix(predicate, "叫了") || strings.HasPrefix(predicate, "叫外")) {
			return
		}
		say(people, who+predicate, false)
	case when.span != noSpan && len([]rune(predicate)) > 12:
		say(noteOnly, who+predicate, false)
	}
}
