package extractive

import (
	"regexp"
	"strings"
)

// aboutSelfZH reads what the user says about themselves or their household.
func (r *reader) aboutSelfZH(predicate string, when moment, who whoZH) (place, string, bool) {
	predicate = strings.TrimPrefix(strings.TrimSpace(predicate), "，")
	if predicate == "" || len([]rune(predicate)) > 80 {
		return noteOnly, "", false
	}
	if p, line, ok := taskZH(predicate, when, r); ok {
		return p, line, true
	}
	if m := tasteZH.FindStringSubmatch(predicate); m != nil && (strings.HasPrefix(m[2], "你") || strings.HasPrefix(m[2], "您")) && len([]rune(m[2])) > 4 {
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

// weUseZH reads what a team works with: 我们用主干开发模式.
var weUseZH = regexp.MustCompile(`^(?:都|一直|目前|现在|主要)*(?:用|使用|采用)(?:的是)?(.{2,30})$`)

// jobAndName reads 我是新来的测试工程师王欣.
var jobAndName = regexp.MustCompile(`^是(?:新来的|刚来的|公司的|你们的|负责.{1,8}的)?(.{0,10}(?:` + alternatives(occupationsZH) + `))(` + surname + han + `{1,2})$`)

var startsYear = regexp.MustCompile(`^\d{4}年`)

var leadingDate = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d(?:那周|前后)?|\d{4}年(?:\d{1,2}月)?)(?:早上|上午|中午|下午|晚上)?`)

// datedZH reads predicates with a date: appointments to come, and what happened.
func (r *reader) datedZH(predicate string, when moment, who whoZH) (place, string, bool) {
	switch {
	case !when.before(r.now) && hasOneOf(predicate, strings.Join(strings.Fields(eventsZH), " ")):
		return dates, predicate, true
	case !when.before(r.now) && (strings.Contains(predicate, "要") || strings.Contains(predicate, "会") || strings.Contains(predicate, "准备") || strings.Contains(predicate, "打算")) && taskVerb.MatchString(predicate):
		return tasks, predicate, true
	case when.before(r.now) || strings.Contains(predicate, "了"):
		return noteOnly, predicate, len([]rune(predicate)) > 12
	}
	return noteOnly, "", false
}

var (
	mustZH   = regexp.MustCompile(`^(.{0,26}?)(?:还得|还要|得|要|必须|需要|应该|该|打算|计划|准备|想要|想|记得)(?:在)?(.{2,40}?)(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`)
	notTask  = regexp.MustCompile(`^(?:问|说|吃饭|吃点|睡|走|去忙|忙|一个|一份|查|知道|了解|看看|看一下|找|写一个|写一篇|写个|做一个|做个|的是|求|不|是|有|你|买什么|怎么|什么|一下|说明|确认一下|先|再问|请教|学一下|跑|么)`)
	wishZH   = regexp.MustCompile(`(?:提高|提升|改善|锻炼|练|找工作|找对象|学|考|读|去[\p{Han}]{0,6}(?:旅游|旅行|玩|留学|工作|滑雪|爬山|看海|演唱会|露营)|减肥|减|瘦|攒|存|买|换|开|成为|当|读完|戒|参加|跑|出国|创业|转行|搬|养|结婚|写完|辞职)`)
	planWord = regexp.MustCompile(`打算|计划|准备|想要|想`)
)

// taskZH reads 我得…, 我要…, 我打算….
func taskZH(predicate string, when moment, r *reader) (place, string, bool) {
	if strings.Contains(predicate, "不要") || strings.Contains(predicate, "不需要") || strings.Contains(predicate, "不得") || strings.Contains(predicate, "不想") || strings.Contains(predicate, "不用") || strings.Contains(predicate, "只要") || strings.Contains(predicate, "需要的") || strings.Contains(predicate, "主要") || strings.Contains(predicate, "觉得") || strings.Contains(predicate, "想法") || strings.Contains(predicate, "重要") || strings.Contains(predicate, "懂得") || strings.Contains(predicate, "想到") {
		return noteOnly, "", false
	}
	m := mustZH.FindStringSubmatch(predicate)
	if m == nil || strings.Contains(m[1], "住") || strings.Contains(m[1], "喜欢") {
		return noteOnly, "", false
	}
	what := m[2]
	future := when.span != noSpan && !when.before(r.now)
	if notTask.MatchString(what) && !future || vagueZH.MatchString(what) || hasOneOf(what, "这个 那个 bug Bug BUG 代码 函数 报错") {
		return noteOnly, "", false
	}
	switch {
	case future && hasOneOf(what, "开会 面试 考试 体检 复诊 手术 出差 飞 去 参加 回老家 休假 旅行 旅游 上课 上钢琴课 婚礼 约会 见"):
		return dates, predicate, true
	case future:
		return tasks, predicate, true
	case planWord.MatchString(predicate):
		return tasks, predicate, wishZH.MatchString(what) && !strings.HasPrefix(what, "去问")
	}
	return tasks, predicate, startsTask(what) && !strings.HasPrefix(what, "做") && !strings.HasPrefix(what, "写") && !strings.HasPrefix(what, "改") && !strings.HasPrefix(what, "发") && !strings.HasPrefix(what, "更新")
}

var namedPetZH = regexp.MustCompile(`^(?:一|两|二|三)(?:只|条|个|匹)(.{0,6}(?:` + alternatives(petsZH) + `|` + alternatives(familyZH) + `))，?(?:名字)?叫(.{1,10})$`)

var haveZH = regexp.MustCompile(`^` + lead + `(?:家里?|还)*(?:有|养了|养着|养|生了|领养了|收养了)(?:一|两|二|三|四|五|\d)?(?:只|条|个|位|头|匹|对)?(.{0,12}?(?:` + alternatives(petsZH) + `|` + alternatives(familyZH) + `).{0,16}?)(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`)

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

var personPredicate = regexp.MustCompile(`^(?:的?名字(?:是|叫)|叫|今年|\d{1,3}岁|[一二三四五六七八九十两]{1,3}岁|刚满|是|在|住|喜欢|特别喜欢|很喜欢|最喜欢|超喜欢|爱|不喜欢|讨厌|怕|不吃|不能吃|吃素|对|有|会|从事|做|当|负责|刚上|上|读|学|在学|开始|的生日|生日|属|姓|怀孕|毕业|考上|结婚|离婚|退休|去世|搬|移民|出生|养|开了|经常|每|不会|不懂|过敏|工作|血压|血糖|身体|腿脚|耳朵|眼睛|膝盖|心脏|也|都|更|比较|最|特别|很|超|非常|从小)`)

var passingZH = regexp.MustCompile(`^(?:在(?:家|睡|哭|旁边|这|那|看|吃|玩|外面|等|忙|干|洗)|是(?:不是|这样|谁|说|因为|为了)|会(?:来|去|不会|说什么)|很(?:好|累|忙|开心|高兴|生气|烦)|最近(?:很|有点|比较)|都(?:好|很好)|上(?:来|去|班去|车|次)|做(?:饭|梦|了|作业|完)|有(?:点|事|时|时候|问题|没有)|对(?:我|你|此|这|的)|每(?:次|当))`)

// aboutPersonZH reads what is said about somebody of the user's life.
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

var (
	decideZH = regexp.MustCompile(`^(?:我们|咱们|我|团队|大家|会上|双方|公司|领导)?(?:和.{1,6})?(?:最后|最终|终于|已经|刚刚|刚|昨天|今天|都|一致|讨论后|讨论之后|商量好|商量后|也|就|还是|后来|\d{4}-\d\d-\d\d)*(?:一致)?(?:决定|敲定|确定|选定|选了|选择了|选用了?|采用了|商定|说好|约好|约定|谈好|达成一致|拍板|同意)(?:了|下来)?(?:[:：])?(.{2,60})$`)
	settleZH = regexp.MustCompile(`^(?:那|那么|好|行|最后|最终|最后还是|还是|我们|咱们|以后|我)*(.{0,16}?)(?:就|还是|改|换成|统一|都|先)(用|选|走|采用|上|定|叫|按|去)(?:了)?(.{1,30}?)(?:来.{1,10}?)?(?:吧|了|好了|就行|就好)*$`)
	changeZH = regexp.MustCompile(`^(?:我们|咱们|我|已经|都|.{0,12}?)(?:从|由)(.{1,20}?)(换成|切换到|切到|迁移到|迁到|改成|改用|换到|升级到)(?:了)?(.{1,30}?)(?:了|吧)*$`)
	replaced = regexp.MustCompile(`^(?:我们|咱们|已经|.{0,16}?)(?:改用|换成|改成用|换用|弃用|放弃|不用|别用)(?:了)?(.{1,30}?)(?:了|吧)*$`)
	fixedZH  = regexp.MustCompile(`^([^我]{1,12}?)(?:定了|定为|定在|定下来?用|选定)([^，。]{1,20}?)$`)
	decided3 = regexp.MustCompile(`^(?:就|那就)?(?:这么|这样)?(?:定了|说定了|决定了|定下来了)[。！!]*$`)
)

// decisionZH reads decisions of the user or their team.
func decisionZH(text, predicate string, who whoZH) (string, bool) {
	if hasAny(text, doubtfulZH) || strings.Contains(text, "没决定") || strings.Contains(text, "未决定") || strings.Contains(text, "没定") || strings.Contains(text, "不决定") || strings.Contains(text, "没确定") || strings.Contains(text, "不确定") || decided3.MatchString(text) {
		return "", false
	}
	if m := decideZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[1]) {
		return decidedText(text), true
	}
	if i := strings.Index(text, "决定"); i > 0 && len([]rune(text[i:])) >= 4 && len([]rune(text[:i])) < 16 && !strings.Contains(text[:i], "你") {
		return decidedText(text), true
	}
	if m := fixedZH.FindStringSubmatch(text); m != nil && !isoDate.MatchString(text) && isChoice(m[2]) && !vagueZH.MatchString(m[1]) {
		return decidedText(text), true
	}
	if m := changeZH.FindStringSubmatch(text); m != nil && !strings.HasPrefix(m[3], "这") {
		return decidedText(text), true
	}
	if m := settleZH.FindStringSubmatch(text); m != nil && (strings.HasSuffix(text, "吧") || strings.HasPrefix(text, "那就") || strings.HasPrefix(text, "就用") || strings.HasPrefix(text, "就按") || strings.HasSuffix(text, "了") || strings.Contains(text, "统一") || who == weZH) && isChoice(m[3]) && !strings.Contains(m[1], "平时") && !strings.Contains(m[1], "不") && !strings.Contains(m[1], "一直") {
		return "决定" + strings.TrimSpace(trimParticles(chosen(m))), true
	}
	if m := replaced.FindStringSubmatch(text); m != nil && !factPattern.MatchString(text) && isChoice(m[1]) && (who == weZH || who == nobodyZH) && strings.ContainsFunc(m[1], func(r rune) bool { return r < 0x80 && isWordRune(r) }) {
		return decidedText(text), true
	}
	return "", false
}

func chosen(m []string) string {
	subject := strings.TrimSpace(strings.TrimRight(m[1], "，, "))
	verb := m[2]
	if verb == "上" || verb == "走" || verb == "按" || verb == "定" || verb == "选" || verb == "叫" || verb == "去" {
		return subject + verb + m[3]
	}
	return subject + "用" + strings.TrimSpace(m[3])
}

// isChoice wants something that can be chosen: a name or a noun, nothing that points into the conversation.
func isChoice(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !vagueZH.MatchString(s) && !strings.HasPrefix(s, "行") && !strings.HasPrefix(s, "好") && !strings.HasPrefix(s, "是") && !strings.HasPrefix(s, "完") && !strings.HasPrefix(s, "了") && !strings.HasPrefix(s, "班") && !strings.HasPrefix(s, "来") && !strings.HasPrefix(s, "学") && !strings.HasPrefix(s, "时")
}

// decidedText writes a decision without who decided.
func decidedText(s string) string {
	for _, p := range []string{"我们", "咱们", "我", "最后", "最终", "终于", "已经", "刚刚", "一致", "都"} {
		s = strings.TrimPrefix(s, p)
	}
	return strings.TrimSpace(s)
}

func decisionPlace(line string, when moment, r *reader) place {
	if when.span != noSpan && !when.before(r.now) && (strings.Contains(line, "约好") || strings.Contains(line, "说好") || strings.Contains(line, "约定")) {
		return dates
	}
	return decisions
}

var (
	factPattern = regexp.MustCompile(`^(.{0,30}?(?:` + alternatives(factWordsZH) + `))(?:号|码)?\s?(?:现在|目前|已经|就|应该)*(?:是|为|叫|定在|定于|定为|定的是|改成了?|改为|换成了?|变成了?|推迟到|提前到|延期到|延到|改到|改在|在|：|:|=)\s*(.{1,80}?)$`)
	runPattern  = regexp.MustCompile(`^(.{2,24}?)(部署在|跑在|运行在|托管在|放在|监听|装在)\s*(.{2,50}?)$`)
	runsZH      = regexp.MustCompile(`^(部署在|跑在|运行在|托管在|放在|监听|装在)\s*(.{2,50}?)$`)
	companyZH   = regexp.MustCompile(`^(公司|团队|项目|产品|店|品牌|工作室|小程序|应用)(?:的?名字?)?(?:就)?叫(?:做)?(.{2,20}?)$`)
	countZH     = regexp.MustCompile(`^(.{0,12}(?:团队|公司|部门|项目组|集群|Kafka|服务器|节点|生产环境|线上|系统|小组).{0,10}?)(?:一共|总共|共)(?:有)?(.{1,12})$`)
	demandZH    = regexp.MustCompile(`^(?:甲方|客户|老板|领导|公司|学校|对方|团队|产品)(?:要求|规定|约定)(.{3,40})$`)
	liesInZH    = regexp.MustCompile(`^(.{0,10}(?:库|办公室|服务器|会议室|仓库|文档|代码|资料|合同|文件|模板|备份|学校|健身房|钥匙|宿舍|工位))(?:现在|目前)?(?:在|放在)(.{2,30}?)$`)
	recurringZH = regexp.MustCompile(`^(?:我们)?(?:每.{1,10}|.{1,3}(?:周|天|个月))(?:的.{1,12})?(?:上午|下午|晚上|早上|凌晨)?(?:.{0,4}点半?)?(?:开|发布?|更新|上线|进行|举行|做|提交|交|备份|巡检|同步|发)(?:一次|一个)?.{1,14}$`)
	everyZH     = regexp.MustCompile(`^([\p{Han}A-Za-z]{2,12}?)每(?:天|晚|周.?|个?月|年|小时|季度|两周).{0,14}(?:执行|运行|跑|备份|同步|更新|开|发|提交|交|结算|清理|上线|发布|重启|换)(?:一次)?.{0,8}$`)
	priceZH     = regexp.MustCompile(`^(?:房租|租金|工资|月薪|年薪|学费|会费|物业费|预算|停车费|.{1,4}费)(?:是)?(?:大概|大约)?(?:一个月|每月|每年|一年|每天|一天|一学期|每个月)(?:是)?.{1,10}$`)
	holdsZH     = regexp.MustCompile(`^[\p{Han}A-Za-z]{0,8}(?:数据库|集群|服务|系统|公司|团队|部门|组)(?:里)?有.{1,4}(?:个|台|家|名|人|副本|节点|分店).{0,8}$`)
	absentZH    = regexp.MustCompile(`^((?:小|老|阿)[\p{Han}]|[\p{Han}]{2,3}|[A-Z][a-z]+).{0,14}?(?:休.{0,4}假|请假|出差|值班|离职|入职|回国|调休|不在)(.{0,20})$`)
	setOnZH     = regexp.MustCompile(`^(?:时间|日期)?(?:就)?(?:定在|定于|安排在|约在|改到|推迟到|提前到)(.{8,40})$`)
	stackZH     = regexp.MustCompile(`^(.{1,20}?)(?:用的是|使用的是|是用|用|采用|基于)\s*(.{2,40}?)(?:写的|做的|实现的|开发的|搭的)?$`)
	dateFactZH  = regexp.MustCompile(`^(.{2,30}?)(?:是|在|定在|安排在|改到|推迟到|提前到|延期到|延到|改在)(.{0,4}\d{4}-\d\d-\d\d.{0,12})$`)
	whoIsZH     = regexp.MustCompile(`^([\p{Han}A-Za-z]{1,8})(?:是|负责)(.{2,20}?)(?:的)?$`)
)

var movedZH = strings.NewReplacer("改成了", "是", "改成", "是", "改为", "是", "换成了", "是", "换成", "是", "变成了", "是", "变成", "是", "推迟到", "是", "提前到", "是", "延期到", "是", "延到", "是", "改到", "是", "改在", "是")

// storyZH begins clauses that are of the moment, of people in general or of a story.
var storyZH = regexp.MustCompile(`^(?:问题|如果|人们|有人|大家|文章|主角|角色|故事|小说|电影|剧里|书里|把|该|答案|输出|标题|这|那)`)

// movedFrom is the old date in 从5月20号改到5月27号.
var movedFrom = regexp.MustCompile(`从[^，。]{1,20}?(改到|推迟到|提前到|延期到|延到|改成|换成)`)

// factZH reads facts about things: 测试库端口是3317, 上线时间定在2026-06-18.
func factZH(text string, when moment, r *reader) (place, string, bool) {
	text = strings.TrimSpace(trimParticles(text))
	for _, p := range []string{"我们的", "咱们的", "我的", "我们", "咱们", "我"} {
		text = strings.TrimPrefix(text, p)
	}
	if len([]rune(text)) > 90 || vagueZH.MatchString(text) || storyZH.MatchString(text) {
		return noteOnly, "", false
	}
	text = movedFrom.ReplaceAllString(text, "$1")
	if m := factPattern.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[2]) && !strings.HasPrefix(m[2], "不") && !strings.HasPrefix(m[2], "对的") && isValueZH(m[2]) {
		if when.span != noSpan && !when.before(r.now) {
			return dates, movedZH.Replace(text), true
		}
		return facts, movedZH.Replace(text), true
	}
	if m := dateFactZH.FindStringSubmatch(text); m != nil && when.span != noSpan && !when.before(r.now) {
		return dates, movedZH.Replace(text), true
	}
	if m := runPattern.FindStringSubmatch(text); m != nil && isValueZH(m[3]) && !vagueZH.MatchString(m[1]) {
		r.topicZH = m[1]
		return facts, text, true
	}
	if m := runsZH.FindStringSubmatch(text); m != nil && r.topicZH != "" && isValueZH(m[2]) {
		return facts, r.topicZH + text, true
	}
	if m := demandZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[1]) {
		return facts, text, true
	}
	if m := liesInZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[2]) && len([]rune(m[2])) < 24 {
		return facts, text, true
	}
	if strings.HasSuffix(text, "见") && len([]rune(text)) > len("2026-01-01见")-2 && when.span == spanDay && !when.before(r.now) {
		return dates, text, true
	}
	if m := everyZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[1]) && !strings.HasPrefix(m[1], "用户") {
		return facts, text, true
	}
	if priceZH.MatchString(text) || holdsZH.MatchString(text) {
		return facts, text, true
	}
	if recurringZH.MatchString(text) && when.span == noSpan {
		return facts, text, true
	}
	if m := absentZH.FindStringSubmatch(text); m != nil && when.span != noSpan && !when.before(r.now) {
		return dates, text, true
	}
	if m := countZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[1]) {
		return facts, text, true
	}
	if m := companyZH.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[2]) {
		r.topicZH = m[1]
		return facts, text, true
	}
	if m := setOnZH.FindStringSubmatch(text); m != nil && when.span != noSpan && !when.before(r.now) {
		return dates, text, true
	}
	if m := stackZH.FindStringSubmatch(text); m != nil && hasOneOf(m[1], "后端 前端 数据库 缓存 队列 服务 系统 项目 框架 backend frontend 团队 部署 监控 网关 平台 库 语言 客户端 服务端 App 网站 日志 搜索") && strings.ContainsFunc(m[2], func(r rune) bool { return r >= 'A' && r <= 'z' }) && !strings.Contains(m[1], "决定") {
		r.topicZH = m[1]
		return facts, text, true
	}
	if when.span != noSpan && !when.before(r.now) && hasOneOf(text, strings.Join(strings.Fields(eventsZH), " ")) && len([]rune(text)) >= 12 && !requestZH.MatchString(text) {
		return dates, text, true
	}
	if m := whoIsZH.FindStringSubmatch(text); m != nil && strings.Contains(text, "负责") && hasOneOf(m[2], "前端 后端 测试 产品 设计 运维 项目 对接 市场 销售 财务 采购 客户端 服务端 架构 接口 部署") {
		return facts, text, true
	}
	return noteOnly, "", false
}

// isValueZH wants a value: digits, Latin letters, a date, or a short noun.
func isValueZH(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x80 && isWordRune(r) }) {
		return true
	}
	return len([]rune(s)) <= 12 && !strings.HasPrefix(s, "错") && !strings.HasPrefix(s, "空") && !strings.HasPrefix(s, "好") && !strings.HasPrefix(s, "满") && !strings.Contains(s, "问题") && !strings.HasPrefix(s, "被") && !strings.HasPrefix(s, "没") && !strings.HasPrefix(s, "哪") && !strings.HasPrefix(s, "多")
}
