package claim

import (
	"slices"
	"strings"

	"reverie/language/lazyregexp"
)

var (
	cueZH      = lazyregexp.New(`其实|实际上|更正|说错了|搞错了|现在|如今|目前|以后|从此|最近|刚刚|刚|改成|改为|改到|改用|换成|换到|变成|已经`)
	endZH      = lazyregexp.New(`不再|再也不|戒了|戒掉|戒|取消了?|放弃了?|辞去|辞掉|离开了?|停止|停了|以前|曾经|之前|原来`)
	negationZH = lazyregexp.New(`不是|没有|不|没|别`)

	endsZH    = lazyregexp.New(`^(.*?)(?:不再|再也不|戒了|戒掉了?|取消了?|放弃了?|停止|以前|曾经|之前|原来)(.+?)了?$`)
	noMoreZH  = lazyregexp.New(`^(.*?)(?:已经)?不(?:在)?(.{2,12}?)了$`)
	leftZH    = lazyregexp.New(`(?:离开了?|辞去了?|辞掉了?|从)([\p{L}\p{N}]{2,16}?)(?:的工作)?(?:离职|辞职|公司)?了?$`)
	notButZH  = lazyregexp.New(`不是([^，,。]{1,16}?)[，,]?\s*(?:而是|是)(.+)$`)
	butNotZH  = lazyregexp.New(`[，,]\s*(?:而)?不是([^，,。]{1,16})$`)
	fromToZH  = lazyregexp.New(`(?:从|由|把)([^，,。]{1,16}?)(?:搬到了?|搬去了?|换成了?|换到了?|改成了?|改为了?|改到了?|改用了?|变成了?|迁移?到了?|切换到了?)`)
	insteadZH = lazyregexp.New(`(?:代替|取代|替换)了?([^，,。]{1,16})$`)
)

// rulesZH are attributes of persons and things in Chinese.
var rulesZH = []rule{
	{attributeHome, lazyregexp.New(`^(.*?)(?:居住在|住在|定居在?)([^，,。]+?)(?:了)?(?:[，,].*)?$`), true, false, nil},
	{attributeHome, lazyregexp.New(`^(.*?)(?:搬家?到了?|搬去了?|搬回了?)([^，,。]+?)(?:去|住|来)?(?:了)?(?:[，,].*)?$`), true, true, nil},
	{attributeEmployer, lazyregexp.New(`^(.*?)(?:就职于|任职于|供职于)([^，,。]+?)(?:[，,].*)?$`), true, false, nil},
	{attributeEmployer, lazyregexp.New(`^(.*?)在([^，,。]{2,16}?)(?:工作|上班|任职)(?:了)?(?:[，,].*)?$`), true, false, nil},
	{attributeEmployer, lazyregexp.New(`^(.*?)(?:加入了?|跳槽到了?|跳槽去了?|入职了?)([^，,。]{2,16}?)(?:了)?(?:[，,].*)?$`), true, true, nil},
	{attributeBirthday, lazyregexp.New(`^(.*?)(?:的)?(?:生日是?|出生于|生于)` +
		`(?:在)?([^，,。]+?)(?:出生)?(?:[，,].*)?$`), true, false, func(k kind, _ string) bool { return k == kindDate }},
	{attributeAge, lazyregexp.New(`^(.*?)(?:今年|年龄是?|满)?\s*(\d{1,3})\s*岁(?:了)?$`), true, false, nil},
	{attributeName, lazyregexp.New(`^(.*?)(?:的)?(?:名字是|名字叫|名叫|名为|叫做|叫)([^，,。]{1,12})$`), true, false, nil},
	{"wakes", lazyregexp.New(`^(.*?)(?:每天)?((?:早上|上午|凌晨)?[\d一二两三四五六七八九十]{1,3}(?:点|[:：]\d{2})[半\d]*)(?:钟)?起床$`), true, false, nil},
	{attributeIs, lazyregexp.New(`^([^，,。]{1,16}?)(?:已经|已|又|被)?(?:改成|改为|改到|推迟到|提前到|延期到|换成|换到|调整为|涨到|降到|` +
		`变成)了?([^，,。]+?)(?:了)?(?:[，,].*)?$`), true, true, nil},
}

var isZH = lazyregexp.New(`^([^，,。]{2,20}?)(?:是在|定在|定为|是|为|：|:)([^，,。]{1,24}?)(?:[，,].*)?$`)

// chinese reads one clause.
func (r *Reading) chinese(clause string) {
	cue := cueZH.MatchString(clause)
	r.cue = r.cue || cue
	for _, p := range []*lazyregexp.Regexp{notButZH, butNotZH, insteadZH} {
		if m := p.FindStringSubmatch(clause); m != nil {
			r.wrong = append(r.wrong, ContentOf(m[1]))
			r.cue = true
			rest := ""
			if p == notButZH {
				rest = "是" + m[2]
			}
			clause = strings.Replace(clause, m[0], rest, 1)
			break
		}
	}
	if m := fromToZH.FindStringSubmatch(clause); m != nil {
		r.wrong = append(r.wrong, ContentOf(m[1]))
		r.cue = true
		clause = strings.Replace(clause, m[0], strings.Replace(strings.TrimLeft(m[0], "从由把"), m[1], "", 1), 1)
	}
	over := r.endsChinese(clause)
	if !over && negationZH.MatchString(hanInnocent.Replace(clause)) {
		r.negated = true
	}
	r.taste = tasteZH(clause, r.taste)
	if !over && !r.negated && !intendsZH.MatchString(clause) {
		r.slotsChinese(clause, cue)
	}
}

var intendsZH = lazyregexp.New(`打算|计划|想要?|希望|准备|考虑|可能|也许|如果`)

// endsChinese reads the things that a clause declares to be over, and reports whether there are any.
func (r *Reading) endsChinese(clause string) bool {
	var said string
	switch {
	case endsZH.MatchString(clause):
		m := endsZH.FindStringSubmatch(clause)
		said = m[2]
	case noMoreZH.MatchString(clause):
		m := noMoreZH.FindStringSubmatch(clause)
		said = m[2]
	case leftZH.MatchString(clause) && strings.ContainsAny(clause, "离辞"):
		said = leftZH.FindStringSubmatch(clause)[1]
	default:
		return false
	}
	if over := ContentOf(said); len(over) > 0 {
		r.over, r.overHan = append(r.over, over), append(r.overHan, said)
		r.cue = true
		return true
	}
	return false
}

// likesZH matches the words of tasteZH.
var likesZH = lazyregexp.New(`不喜欢|喜欢|热爱|讨厌|不爱`)

func tasteZH(clause string, before int) int {
	switch {
	case strings.Contains(clause, "不喜欢"), strings.Contains(clause, "讨厌"), strings.Contains(clause, "不爱"):
		return -1
	case strings.Contains(clause, "喜欢"), strings.Contains(clause, "热爱"):
		return 1
	}
	return before
}

// subjectZH returns the key of a clause's subject: "" for the user.
func subjectZH(before string) string { return nounKey(hanSubject.Replace(before)) }

// hanSubject removes words for the user and for the time.
var hanSubject = strings.NewReplacer(
	"用户", "", "我们", "", "我的", "", "我", "", "其实", "", "实际上", "", "更正", "", "现在", "", "目前", "", "如今", "", "已经", "", "最近", "", "刚刚", "",
	"刚", "", "以后", "", "的", "", "新", "", "：", "", ":", "", "今年", "", "，", "", ",", "",
)

// slotsChinese reads the attributes that a clause states.
func (r *Reading) slotsChinese(clause string, changed bool) {
	clause = strings.TrimLeft(hanCue.Replace(clause), "，, ")
	for _, rule := range rulesZH {
		m := rule.pattern.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		value := strings.TrimSpace(m[2])
		if rule.accept != nil && !rule.accept(kindOf(value), value) {
			continue
		}
		s := slotOf(subjectZH(m[1]), rule.attribute, value)
		s.single, s.changed = rule.single, rule.changed || changed
		r.add(s)
		return
	}
	m := isZH.FindStringSubmatch(clause)
	if m == nil {
		return
	}
	s := slotOf(subjectZH(m[1]), attributeIs, m[2])
	if s.key[0] == 0 || s.kind == kindWord && !strings.Contains(m[1], "最喜欢") && !changed && !oneValueZH.MatchString(m[1]) {
		return
	}
	s.single, s.changed = true, changed
	r.add(s)
}

// hanCue removes cues, which may be anywhere in a clause.
var hanCue = strings.NewReplacer("其实", "", "实际上", "", "更正：", "", "更正", "", "现在", "", "如今", "", "目前", "", "已经", "", "最近", "", "刚刚", "")

// oneValueZH matches things that have one value at a time.
var oneValueZH = lazyregexp.New(`(?:密码|时区|语言|编辑器|框架|预算|截止日期|截止时间|版本|端口|数据库|负责人|地址|邮箱|电话|手机号|号码|专业|家乡|国籍|身高|体重|价格|房租|` +
	`工资|目标|地点|日期|时间|经理|老板|部门|团队)$`)

// maxApart is the maximum number of characters between two that belong together: 喝咖啡, 喝两杯咖啡.
const maxApart = 3

// inOrderHan reports whether the characters of a phrase occur in a text in order and close together.
func inOrderHan(phrase, text string) bool {
	want, said := []rune(phrase), []rune(text)
	if len(want) < 2 {
		return false
	}
	for start, r := range said {
		if r == want[0] && follows(want[1:], said[start+1:]) {
			return true
		}
	}
	return false
}

func follows(want, said []rune) bool {
	for _, r := range want {
		at := slices.Index(said[:min(len(said), maxApart+1)], r)
		if at < 0 {
			return false
		}
		said = said[at+1:]
	}
	return true
}

// hanFillers removes words of Chinese statements that do not change the meaning, and unifies a few synonyms.
var hanFillers = strings.NewReplacer(
	"请记住", "", "记住", "", "用户", "", "我们", "", "咱们", "", "我的", "", "我", "", "自己", "", "现在", "", "目前", "", "已经", "", "一个", "",
	"一名", "", "一位", "", "特别", "", "非常", "",
	"的", "", "了", "", "是", "", "在", "", "也", "", "都", "", "就", "", "很", "", "对", "", "吧", "", "呢", "", "啊", "",
	"居住", "住", "热爱", "喜欢", "偏好", "喜欢", "爱吃", "喜欢吃", "爱喝", "喜欢喝", "讨厌", "不喜欢", "母亲", "妈妈", "父亲", "爸爸",
)

// hanNumerals are the characters of numbers. 一 and 十 are excluded because they are parts of too many other words.
const hanNumerals = "二三四五六七八九百千万两零〇半几"

// hanInnocent removes words in which a character of hanTurns means something else.
var hanInnocent = strings.NewReplacer("不错", "", "不过", "", "不仅", "", "不但", "", "不同", "", "不少", "", "不久", "", "特别", "",
	"分别", "", "别人", "", "别墅", "", "性别", "", "级别", "", "区别", "", "没关系", "", "非常", "", "原来如此", "", "计划生育", "",
	"停车", "", "非洲", "", "除非", "除", "未来", "", "未婚", "", "无锡", "", "无线", "", "戒指", "")

var hanTurns = map[Turns][]string{
	Negated:  {"不", "没", "沒", "無", "无", "别", "別", "未", "讨厌", "戒", "非", "停"},
	Former:   {"以前", "曾经", "曾經", "原来", "从前", "之前是"},
	intended: {"打算", "计划", "計畫", "想要", "希望", "准备", "考虑"},
	doubtful: {"可能", "也许", "或许", "大概", "好像"},
	limited:  {"只有", "只在", "只能", "只吃", "只喝", "只用", "只要", "除", "如果", "差不多", "几乎"},
}

// turnsOfHan returns the turns of a Chinese statement.
func turnsOfHan(text string) Turns {
	text = hanInnocent.Replace(text)
	var found Turns
	for turn, words := range hanTurns {
		for _, word := range words {
			if strings.Contains(text, word) {
				found |= turn
				break
			}
		}
	}
	return found
}

// negationsUnspaced are negations in Japanese, Thai and Korean that count anywhere in a text; two of the Korean ones
// are separate words.
var (
	negationsUnspaced = []string{"ない", "なく", "なかっ", "ません", "ไม่", "않", "없", "아니", "못하", "못한"}
	negationsKorean   = map[string]bool{"안": true, "못": true}
)

// negatedUnspaced reports whether a text in one of these languages contains a negation.
func negatedUnspaced(text string) bool {
	return slices.ContainsFunc(negationsUnspaced, func(n string) bool { return strings.Contains(text, n) }) ||
		slices.ContainsFunc(strings.Fields(text), func(word string) bool { return negationsKorean[word] })
}
