package extractive

import (
	"regexp"
	"strings"
)

// whoZH is who a Chinese clause is about; a clause without subject goes on with the one before it.
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

// beforeQuestionZH gives the clauses that introduce a question: 我对海鲜过敏，有什么推荐？ → 我对海鲜过敏.
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
var width = strings.NewReplacer("　", " ", "０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")

var (
	rememberPattern = regexp.MustCompile(`^(?:好的?|嗯+|那|对了|另外|还有|顺便|以后|也|再|哦|啊|嘿|[，,、\s]|请|麻烦|拜托|帮我|帮忙|帮|你|要|一定|务必|先|能不能|可以|给我|替我|您)*(别让我忘了|别让我忘记|记住|记一下|记下来|记下|记着|记好|记录一下|别忘了|别忘记|不要忘记|不要忘了|牢记|备忘|备注|记得|提醒一下|记个)(?:了)?(?:一下)?(?:这一点|这点|这件事|这个|以下(?:内容|几点|信息|事项)?|下面(?:这些|几点|的内容)?)?\s*([:：，,]?)\s*(.*)$`)
	remindPattern   = regexp.MustCompile(`^(.{0,40}?)提醒我(?:一下)?(?:要|去)?\s*[:：，,]?\s*(.+)$`)
	todoPattern     = regexp.MustCompile(`^(?:我的)?(?:待办|代办|TODO|todo|Todo|To-do|任务)(?:事项)?\s*[:：]\s*(.+)$`)
	remindAfter     = regexp.MustCompile(`^(.{4,}?)[，,]?(?:请|麻烦|你|到时候|到时|记得|提前|再)*提醒(?:我|一下我)(?:一下|一声)?(?:哦|啊|吧|哈)*$`)
	rememberAfter   = regexp.MustCompile(`^(.{4,}?)[，,]\s*(?:请|麻烦|你|要|帮我|一定)*(?:记住|记一下|记下来|记下|别忘了|记着|记好)(?:了|这个|这一点|哦|啊|吧|它)*[。！!]*$`)
)

// requestZH reads requests to remember, to be reminded and to-dos.
func (r *reader) requestZH(s string, question bool) bool {
	s = strings.TrimRight(s, "。.！!～~ ")
	if m := todoPattern.FindStringSubmatch(s); m != nil {
		text, _ := datesZH(m[1], r.base)
		r.say(statement{place: tasks, text: sentenceZH("待办：" + toldZH(text)), strength: asked})
		return true
	}
	if m := remindPattern.FindStringSubmatch(s); m != nil && !strings.HasPrefix(s, "谢谢") && !(question && !hasOneOf(s, "能 可以 好吗 行吗 好不好 可否 麻烦 请")) {
		text, _ := datesZH(trimParticles(stripTags(m[2])), r.base)
		if at := strings.LastIndexAny(m[1], "，,"); at >= 0 { // what stands before the request is said by itself
			r.clausesZH(m[1][:at], stated)
			m[1] = strings.TrimLeft(m[1][at:], "，,")
		}
		if before := stripLead(m[1]); before != "" {
			if at, when := datesZH(before, r.base); when.span != noSpan && !strings.Contains(text, when.iso()) {
				for _, p := range []string{"请", "麻烦", "记得", "你", "到时候", "，", ","} {
					at = strings.ReplaceAll(at, p, "")
				}
				text = at + text
			}
		}
		r.say(statement{place: tasks, text: sentenceZH("需要提醒：" + toldZH(text)), strength: asked})
		return true
	}
	if m := remindAfter.FindStringSubmatch(s); m != nil && !question {
		text, _ := datesZH(trimParticles(strings.TrimRight(stripLead(m[1]), "，,")), r.base)
		r.say(statement{place: tasks, text: sentenceZH("需要提醒：" + toldZH(text)), strength: asked})
		return true
	}
	if question {
		s = stripTags(s)
	}
	m := rememberPattern.FindStringSubmatch(s)
	if m == nil {
		if m := rememberAfter.FindStringSubmatch(s); m != nil {
			r.rememberZH(m[1], asked)
			return true
		}
		return false
	}
	rest := strings.TrimSpace(m[3])
	switch {
	case m[1] == "记得" && (question || strings.HasPrefix(rest, "吗") || strings.HasPrefix(rest, "上次") || strings.HasPrefix(rest, "之前") || strings.HasPrefix(rest, "小时候")):
		return false
	case question && rest != "" && !strings.Contains(s, "帮") && !strings.Contains(s, "能"):
		return false
	case strings.HasPrefix(rest, "我说") && rest != "", strings.HasPrefix(m[1], "记住") && (strings.HasPrefix(rest, "了吗") || rest == "吗"):
		return false
	case rest == "" && (m[2] == ":" || m[2] == "："):
		r.list = true
	case rest == "" || rest == "了" || rest == "吧" || rest == "哦" || rest == "啊":
		r.rememberPreviousZH()
	case (strings.HasPrefix(m[1], "别让我") || m[1] == "别忘了" || m[1] == "记得" || strings.HasPrefix(m[1], "不要忘") || m[1] == "别忘记") && !strings.HasPrefix(rest, "我") && (startsTask(rest) || strings.HasPrefix(m[1], "别让我")):
		text, _ := datesZH(trimParticles(rest), r.base)
		r.say(statement{place: tasks, text: sentenceZH("待办：" + toldZH(text)), strength: asked})
	default:
		r.rememberZH(rest, asked)
	}
	return true
}

// stripTags cuts 好吗 and the like off the end of a request.
func stripTags(s string) string {
	s = strings.TrimRight(s, "？?。.！! ")
	for _, tag := range []string{"，好吗", "，可以吗", "，行吗", "，好不好", "好吗", "可以吗", "吗"} {
		s = strings.TrimSuffix(s, tag)
	}
	return s
}

var taskVerb = regexp.MustCompile(`^(?:[^，。]{0,14}?)(?:` + alternatives(taskVerbsZH) + `)`)

func startsTask(s string) bool { return taskVerb.MatchString(s) && !strings.Contains(s, "是") }

// rememberZH keeps what the user asked to be remembered.
func (r *reader) rememberZH(s string, firmly strength) {
	s = strings.Trim(s, "。.！!：:，, “”\"")
	if len([]rune(s)) < 2 {
		return
	}
	from := len(r.out)
	parts := r.clausesZH(s, firmly)
	if len(r.out)-from >= parts && parts > 0 && r.allPlaced(from) {
		return
	}
	r.out = r.out[:from]
	text, _ := datesZH(s, r.base)
	r.say(statement{place: remembered, text: sentenceZH(toldZH(trimParticles(text))), strength: firmly})
}

func (r *reader) allPlaced(from int) bool {
	for _, s := range r.out[from:] {
		if s.place == noteOnly {
			return false
		}
	}
	return true
}

// rememberPreviousZH makes what was said just before a thing to remember.
func (r *reader) rememberPreviousZH() {
	if len(r.out) > r.previous.from {
		for i := r.previous.from; i < len(r.out); i++ {
			r.out[i].strength = asked
		}
		return
	}
	if s := r.previous.sentence; s != "" && hasHan(s) && !isQuestionZH(s) {
		r.rememberZH(s, asked)
	}
}

// splitZH cuts a sentence at commas, and at spaces between Chinese words.
func splitZH(s string) []string {
	runes := []rune(s)
	var out []string
	start := 0
	cut := func(i int) {
		if t := strings.TrimSpace(string(runes[start:i])); t != "" {
			out = append(out, t)
		}
		start = i + 1
	}
	for i, c := range runes {
		switch {
		case c == '，' || c == ',' || c == '；' || c == ';' || c == '。' || c == '！' || c == '…':
			cut(i)
		case c == ' ' && i > 0 && i+1 < len(runes) && isHan(runes[i-1]) && isHan(runes[i+1]):
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

var leadFillers = []string{
	"hi", "Hi", "hello", "Hello", "hey", "Hey", "ok", "OK", "对了", "其实", "另外", "还有", "顺便说一下", "顺便说一句", "顺便", "说一下", "那个", "话说", "哈哈", "你好呀", "你好", "您好", "大家好", "嗨", "好的", "好", "嗯嗯", "嗯", "哦", "啊", "不错", "谢谢", "然后", "而且", "所以", "因为", "由于", "不过", "但是", "但", "可是",
	"另", "首先", "其次", "最后说", "补充一下", "补充", "更新一下", "更新", "更正", "纠正一下", "说实话", "老实说", "总之", "反正", "毕竟", "简单介绍一下", "自我介绍一下", "介绍一下", "先说一下", "跟你说", "告诉你", "是这样的", "是的", "对", "不对", "不是", "没错", "行", "可以", "没问题", "那么", "那", "哎", "唉", "诶", "呃", "额",
	"现在", "目前", "最近", "以前", "平时", "就是", "虽然", "既然", "同时", "此外", "并且", "除此之外", "同意", "早上好", "晚上好", "下午好", "早", "这样", "确实", "再说", "比较", "说真的", "具体来说", "上次说的", "刚才说错了", "说错了", "我说错了", "我刚才说错了", "搞错了", "我搞错了", "我记错了", "记错了", "抱歉", "不好意思", "改一下",
}

// keepLead are fillers that are cut only when a comma or subject follows, because a predicate may begin with them.
var keepLead = set(`最近 现在 目前 平时 以前 就是 那 对 好 行 可以 早 不是 这样 比较 是的 同时 更新 补充 另 不错 虽然 既然 那个 确实`)

func stripLead(s string) string {
	for {
		s = strings.TrimLeft(s, "，,、。.！!～~：: ")
		cut := ""
		for _, f := range leadFillers {
			if len(f) > len(cut) && strings.HasPrefix(s, f) {
				rest := strings.TrimLeft(s[len(f):], " ")
				if keepLead[f] && rest != "" && !strings.HasPrefix(rest, "我") && !strings.HasPrefix(rest, "，") && !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "咱") {
					continue
				}
				cut = f
			}
		}
		if cut == "" {
			return s
		}
		s = s[len(cut):]
	}
}

// clausesZH reads the clauses of a sentence and tells how many there were.
func (r *reader) clausesZH(s string, firmly strength) int {
	who := nobodyZH
	ordering := false
	corrects := strings.Contains(s, "不是") || strings.Contains(s, "更正") || strings.Contains(s, "说错") || strings.Contains(s, "改成") || strings.Contains(s, "应该是")
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

// clauseZH reads one clause and tells who the next one goes on about.
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

var (
	weLead     = regexp.MustCompile(`^(?:我们|咱们|咱|我俩)(?:家|团队|公司|组|部门|这边|项目组|小组)?(?:里)?`)
	relationZH = regexp.MustCompile(`^(?:我|我们|我们家|咱们?|咱家|我家)?(?:的)?(?:直属|顶头|新|现任)?(?:另一个|还有一个|一个)?(` + alternatives(familyZH) + `|` + alternatives(acquaintancesZH) + `|` + alternatives(petsZH) + `)(们)?(.*)$`)
	pronounZH  = regexp.MustCompile(`^(他们|她们|他|她|它)(.*)$`)
)

// kinship writes short forms in full.
var kinship = map[string]string{"妈": "妈妈", "爸": "爸爸", "哥": "哥哥", "弟": "弟弟", "姐": "姐姐", "妹": "妹妹", "老妈": "妈妈", "老爸": "爸爸", "母亲": "妈妈", "父亲": "爸爸"}

// subjectZH finds who a clause is about, what it says of them, and for a person by which word.
func subjectZH(s string, before whoZH) (who whoZH, predicate, subject string) {
	if m := relationZH.FindStringSubmatch(s); m != nil && !strings.HasPrefix(m[3], "节") && (strings.HasPrefix(s, "我") || strings.HasPrefix(s, "咱") || before == personZHWho || len([]rune(m[1])) > 1) && !strings.HasPrefix(m[3], "的手") {
		name := m[1]
		if full, ok := kinship[name]; ok {
			name = full
		}
		rest := strings.TrimPrefix(m[3], "也")
		if strings.HasPrefix(rest, "和我") || strings.HasPrefix(rest, "跟我") {
			return selfZHWho, rest[len("和我"):], ""
		}
		return personZHWho, rest, name + m[2]
	}
	if m := pronounZH.FindStringSubmatch(s); m != nil {
		if strings.HasSuffix(m[1], "们") {
			return assistantZH, m[2], "" // several people, of whom one was named last
		}
		return personZHWho, m[2], ""
	}
	if m := weLead.FindString(s); m != "" {
		return weZH, strings.TrimSpace(s[len(m):]), ""
	}
	if rest, ok := strings.CutPrefix(s, "我"); ok {
		return selfZHWho, strings.TrimPrefix(strings.TrimSpace(rest), "自己"), ""
	}
	if strings.HasPrefix(s, "你") || strings.HasPrefix(s, "您") || strings.HasPrefix(s, "这") || strings.HasPrefix(s, "那") {
		return nobodyZH, s, ""
	}
	return before, s, ""
}

var impliedSelf = regexp.MustCompile(`^(?:平时|一直|从小|目前|现在|最近|刚|已经|还|也|本人|一般|通常|周末|偶尔)*(?:喜欢|不喜欢|讨厌|爱吃|爱喝|不吃|不喝|住在|搬到|搬去|来自|对.{1,10}过敏|从事|毕业于|养了|从来不|从不|在.{2,12}(?:上班|工作|做|当|读|上大学)|名叫|更喜欢|最喜欢|最讨厌|特别喜欢|今年\d{1,2}岁|需要|得|打算|要|用的是|会(?:一点|说|讲|弹|拉|用|游泳|开车|编程|做饭)|正在(?:学|自学|做|写|准备|开发)|自学|在学|养着|开了|已婚|单身|离婚了?$|结婚了?$|怀孕|对.{1,8}不耐|有.{0,4}(?:糖尿病|高血压|哮喘)|右.{0,8}做过|左.{0,8}做过|从.{2,14}(?:离职|辞职)|老家在|母语是|生日是|现在(?:在|住|用)|.{2}座$|属.$|\d{4}年出生|不看|不玩|不听|\d{4}-\d\d-\d\d.{0,8}(?:要|得|去|有|会|见|飞|回|到|参加|出发|开|考|看|跟|和|不在)|和.{1,8}一起住|在.{2,8}长大|主要写|晚上不吃|做.{2,8}(?:好几|\d+|[一二两三四五六七八九十]+)年)`)

func impliesSelf(s string) bool { return impliedSelf.MatchString(s) }

// toldZH tells first- and second-person words in the third person.
func toldZH(s string) string { return personsZH.Replace(s) }

var personsZH = strings.NewReplacer("我们的", "", "咱们的", "", "我们家", "家里", "我家", "家里", "我们", "", "咱们", "", "我的", "自己的", "我妈妈", "妈妈", "我爸爸", "爸爸", "我妈", "妈妈", "我爸", "爸爸", "我老婆", "老婆", "我老公", "老公", "我女儿", "女儿", "我儿子", "儿子", "我自己", "自己",
	"我哥哥", "哥哥", "我姐姐", "姐姐", "我弟弟", "弟弟", "我妹妹", "妹妹", "我哥", "哥哥", "我姐", "姐姐", "我弟", "弟弟", "我妹", "妹妹", "自我", "自我", "我", "用户", "你们", "助手", "您", "助手", "你的", "助手的", "你好", "你好", "你", "助手")

// trimParticles cuts closing particles off.
func trimParticles(s string) string {
	s = strings.TrimRight(s, "。.！!～~，,；; ）)")
	for {
		t := s
		for _, p := range []string{"啊", "呀", "哦", "啦", "哈", "吧", "呢", "嘛", "噢", "喔", "哟", "了", "的说"} {
			t = strings.TrimSuffix(t, p)
		}
		if t == s {
			return s
		}
		s = t
	}
}

// sentenceZH closes a Chinese line.
func sentenceZH(s string) string {
	s = strings.TrimSpace(strings.TrimLeft(trimParticles(strings.Join(strings.Fields(s), " ")), "，,、的 "))
	if s == "" || !hasHan(s) && len(s) < 4 {
		return ""
	}
	return s + "。"
}
