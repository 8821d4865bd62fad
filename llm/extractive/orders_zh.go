package extractive

import (
	"regexp"
	"strings"
)

const mannerZH = `解释|回答|回复|答复|说话|语气|表情|emoji|Emoji|表格|列表|要点|废话|套话|中文|英文|英语|法语|德语|日语|日文|繁体|简体|markdown|Markdown|称呼|敬语|客套|道歉|要点|简短|简洁|简单点|` +
	`详细|啰嗦|术语|口语|注释|字数|链接|来源|公制|摄氏|缩写|感叹号`

var (
	standingZH = regexp.MustCompile(`^(?:从现在起|从现在开始|从今以后|从今往后|以后|今后|之后|下次|每次|往后|默认|永远|始终|一律|总是)(?:都|就|请|你|的话|，)*`)
	orderVerb  = regexp.MustCompile(`^(?:请|麻烦|拜托|你|您|尽量|都|就|要|也|可以|希望你|我希望你|能|直接|只|别再|不要再|再|回答我?时|回复我?时|跟我|和我|对我|给我)*(?:回答|回复|答复|用|使用|不要|别|` +
		`叫|称呼|说|讲|推荐|给|写|发|加|少|多|保持|避免|直接|提醒|考虑|按|把|称|输出|解释|翻译|只|先)`)
	manneredZH = regexp.MustCompile(`^(?:请|麻烦|你|您|能|希望你|我希望你|最好)*(?:不要|别|请勿|少|尽量|直接|一律|都|只|回答|回复|说话|用|叫我|称呼我).{0,24}(?:` + mannerZH + `)`)
	asZH       = regexp.MustCompile(`^(?:请|你|可以)*把我当(?:成|作|做)?.{2,16}$`)
	timeZH     = regexp.MustCompile(`^(?:周.|每周.|周末|工作日|节假日|早上|上午|中午|下午|晚上|午休|.{1,4}点(?:之)?[前后])(?:的时候|时|都|请|也)*(?:不要|别|请勿)` +
		`(?:给我|帮我|跟我|再)?.{2,16}$`)
	unitsZH    = regexp.MustCompile(`^(?:.{1,8})(?:请|都|一律)?用(?:摄氏度?|华氏度?|公制|英制|24小时制|12小时制|人民币|美元|北京时间)(?:表示|显示|就行|吧)?$`)
	askFirstZH = regexp.MustCompile(`^[^我].{1,16}(?:之前|以前|前|时候|时)(?:，)?(?:请|你|都|一定|必须|务必|要|先)*(?:给我|让我|问我|告诉我|跟我|通知我)` +
		`(?:看|确认|过目|说|一下|一声)?.{0,6}$`)
	whenZH   = regexp.MustCompile(`^([^我].{1,14})(?:的时候|时)(?:，)?(?:请|都|就|尽量|要)*(?:不要|别|用|使用|加|写|给|只|默认|保持|推荐|避免).{2,24}$`)
	callMeZH = regexp.MustCompile(`^(?:请|你|您|可以|以后|大家都?|直接|就)*(?:叫|称呼)我(?:为|做)?(.{1,10}?)(?:就行了?|就好了?|即可|吧|就可以了?|好了)*$`)
	langZH   = regexp.MustCompile(`^(.{0,10}?)(?:请)?用(中文|英文|英语|法语|德语|日语|日文|繁体中文|简体中文|粤语)(?:回答|回复|交流|跟我说|沟通|写|就行|就好|吧)*(?:我)?$`)
)

// orderZH reads standing instructions to the assistant; follows is set when the clause before was such an order.
func orderZH(s string, follows bool) (string, bool) {
	s = strings.TrimSpace(trimParticles(strings.TrimPrefix(s, "但")))
	if len([]rune(s)) > 60 || strings.HasPrefix(s, "我不") || strings.HasPrefix(s, "我喜欢") {
		return "", false
	}
	if m := callMeZH.FindStringSubmatch(s); m != nil && !strings.ContainsAny(m[1], "去来怎什么回帮做给写说") && !strings.HasPrefix(m[1], "不") {
		return "希望被称为" + m[1], true
	}
	if m := langZH.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], "我") && !strings.Contains(m[1], "怎么") &&
		!strings.Contains(s, "这") {
		return "希望助手" + toldZH(strings.TrimPrefix(s, "请")), true
	}
	if asZH.MatchString(s) || timeZH.MatchString(s) {
		return "希望助手" + toldZH(s), true
	}
	if unitsZH.MatchString(s) || askFirstZH.MatchString(s) || whenZH.MatchString(s) &&
		(!strings.Contains(s, "我") || strings.HasPrefix(s, "给我") || strings.HasPrefix(s, "帮我") || strings.HasPrefix(s, "跟我")) {
		return "希望助手" + toldZH(s), true
	}
	if loc := standingZH.FindStringIndex(s); loc != nil {
		rest := strings.TrimSpace(s[loc[1]:])
		if !strings.Contains(rest, "关照") && !strings.Contains(rest, "指教") && orderVerb.MatchString(rest) && !strings.HasPrefix(rest, "我") &&
			len([]rune(rest)) >= 3 && !strings.HasPrefix(rest, "再说") {
			return "希望助手" + s[:loc[1]] + toldZH(strings.TrimPrefix(strings.TrimPrefix(rest, "请"), "你")), true
		}
		return "", false
	}
	if (manneredZH.MatchString(s) || follows && orderVerb.MatchString(s) &&
		(strings.HasPrefix(s, "不") || strings.HasPrefix(s, "别") || strings.HasPrefix(s, "也"))) && !strings.Contains(s, "这") &&
		!strings.Contains(s, "帮我") && !strings.HasPrefix(s, "用户") {
		for _, p := range []string{"请", "麻烦", "希望你", "我希望你", "你", "您"} {
			s = strings.TrimPrefix(s, p)
		}
		return "希望助手" + toldZH(s), true
	}
	return "", false
}

var endPatterns = []*regexp.Regexp{
	regexp.MustCompile(`^(?:现在|已经|早就|早|也|都|后来|最近|从.{1,8}起|以后)*(?:不再|再也不|不)(.{1,16}?)了$`),
	regexp.MustCompile(`^(?:现在|已经|早就)*(?:不再|再也不)(.{1,16}?)$`),
	regexp.MustCompile(`^(?:已经|早就)+不(.{1,16}?)$`),
	regexp.MustCompile(`^(.{1,8}?)(?:我)?也?(?:已经|早就)?不(吃|喝|用|玩|学|练|做|看|抽)了$`),
}

// endedZH reads 不吃素了, 不再喝酒 and returns the ended topic.
func endedZH(predicate string) (string, bool) {
	p := strings.TrimRight(predicate, "。！!.～~ ")
	for _, e := range endPatterns {
		m := e.FindStringSubmatch(p)
		if m == nil {
			continue
		}
		topic := m[1]
		if len(m) > 2 {
			topic += m[2]
		}
		switch {
		case strings.HasPrefix(topic, "知道"), strings.HasPrefix(topic, "行"), strings.HasPrefix(topic, "说"), strings.HasPrefix(topic, "用谢"),
			strings.HasPrefix(topic, "好意思"), strings.HasPrefix(topic, "聊"), strings.HasPrefix(topic, "是"), strings.HasPrefix(topic, "打扰"),
			strings.HasPrefix(topic, "去"), strings.HasPrefix(topic, "需要"), strings.HasPrefix(topic, "要"), strings.HasPrefix(topic, "用了"),
			topic == "用", topic == "能", strings.HasPrefix(topic, "动"), strings.HasPrefix(topic, "演"), strings.HasPrefix(topic, "玩"):
			return "", false
		}
		return topic, true
	}
	return "", false
}

var (
	repairNotIs = regexp.MustCompile(`不是\s*([^，,。；是]{1,24}?)\s*[，,；]?\s*(?:而)?(?:应该)?是\s*([^，,。；]{1,24})`)
	repairIsNot = regexp.MustCompile(`(?:应该是|是)\s*([^，,。；不是]{1,24}?)\s*[，,]?\s*(?:而)?不是\s*([^，,。；]{1,24})`)
	repairTo    = regexp.MustCompile(`(?:从|把)?\s*([A-Za-z0-9:./_-]{2,40})\s*(?:改成|换成|改为|变成)(?:了)?\s*([A-Za-z0-9:./_-]{2,40})`)
)

// repairZH reads 不是3307，是3317 and 应该是3317，不是3307.
func (r *reader) repairZH(s string) bool {
	s, _ = datesZH(s, r.base)
	wrong, right := "", ""
	if m := repairTo.FindStringSubmatch(s); m != nil {
		wrong, right = m[1], m[2]
	} else if m := repairNotIs.FindStringSubmatch(s); m != nil {
		wrong, right = m[1], m[2]
	} else if m := repairIsNot.FindStringSubmatch(s); m != nil {
		wrong, right = m[2], m[1]
	}
	wrong, right = strings.TrimSpace(trimParticles(wrong)), strings.TrimSpace(trimParticles(right))
	if wrong == "" || right == "" || wrong == right || len([]rune(wrong)) < 2 {
		return false
	}
	r.say(statement{place: noteOnly, text: sentenceZH("更正：" + right + "，不是" + wrong), strength: stated, replaces: wrong, with: right})
	return true
}
