package extractive

import (
	"regexp"
	"strings"
)

var (
	factPattern = regexp.MustCompile(`^(.{0,30}?(?:` + alternatives(factWordsZH) + `))(?:号|码)?\s?(?:现在|目前|已经|就|应该)*(?:是|为|叫|定在|定于|定为|定的是|` +
		`改成了?|改为|换成了?|变成了?|推迟到|提前到|延期到|延到|改到|改在|在|：|:|=)\s*(.{1,80}?)$`)
	runPattern  = regexp.MustCompile(`^(.{2,24}?)(部署在|跑在|运行在|托管在|放在|监听|装在)\s*(.{2,50}?)$`)
	runsZH      = regexp.MustCompile(`^(部署在|跑在|运行在|托管在|放在|监听|装在)\s*(.{2,50}?)$`)
	companyZH   = regexp.MustCompile(`^(公司|团队|项目|产品|店|品牌|工作室|小程序|应用)(?:的?名字?)?(?:就)?叫(?:做)?(.{2,20}?)$`)
	countZH     = regexp.MustCompile(`^(.{0,12}(?:团队|公司|部门|项目组|集群|Kafka|服务器|节点|生产环境|线上|系统|小组).{0,10}?)(?:一共|总共|共)(?:有)?(.{1,12})$`)
	demandZH    = regexp.MustCompile(`^(?:甲方|客户|老板|领导|公司|学校|对方|团队|产品)(?:要求|规定|约定)(.{3,40})$`)
	liesInZH    = regexp.MustCompile(`^(.{0,10}(?:库|办公室|服务器|会议室|仓库|文档|代码|资料|合同|文件|模板|备份|学校|健身房|钥匙|宿舍|工位))(?:现在|目前)?(?:在|放在)(.{2,30}?)$`)
	recurringZH = regexp.MustCompile(`^(?:我们)?(?:每.{1,10}|.{1,3}(?:周|天|个月))(?:的.{1,12})?(?:上午|下午|晚上|早上|凌晨)?(?:.{0,4}点半?)?` +
		`(?:开|发布?|更新|上线|进行|举行|做|提交|交|备份|巡检|同步|发)(?:一次|一个)?.{1,14}$`)
	everyZH = regexp.MustCompile(`^([\p{Han}A-Za-z]{2,12}?)每(?:天|晚|周.?|个?月|年|小时|季度|两周).{0,14}(?:执行|运行|跑|备份|同步|更新|开|发|提交|交|结算|清理|上线|发布|重启|` +
		`换)(?:一次)?.{0,8}$`)
	priceZH    = regexp.MustCompile(`^(?:房租|租金|工资|月薪|年薪|学费|会费|物业费|预算|停车费|.{1,4}费)(?:是)?(?:大概|大约)?(?:一个月|每月|每年|一年|每天|一天|一学期|每个月)(?:是)?.{1,10}$`)
	holdsZH    = regexp.MustCompile(`^[\p{Han}A-Za-z]{0,8}(?:数据库|集群|服务|系统|公司|团队|部门|组)(?:里)?有.{1,4}(?:个|台|家|名|人|副本|节点|分店).{0,8}$`)
	absentZH   = regexp.MustCompile(`^((?:小|老|阿)[\p{Han}]|[\p{Han}]{2,3}|[A-Z][a-z]+).{0,14}?(?:休.{0,4}假|请假|出差|值班|离职|入职|回国|调休|不在)(.{0,20})$`)
	setOnZH    = regexp.MustCompile(`^(?:时间|日期)?(?:就)?(?:定在|定于|安排在|约在|改到|推迟到|提前到)(.{8,40})$`)
	stackZH    = regexp.MustCompile(`^(.{1,20}?)(?:用的是|使用的是|是用|用|采用|基于)\s*(.{2,40}?)(?:写的|做的|实现的|开发的|搭的)?$`)
	dateFactZH = regexp.MustCompile(`^(.{2,30}?)(?:是|在|定在|安排在|改到|推迟到|提前到|延期到|延到|改在)(.{0,4}\d{4}-\d\d-\d\d.{0,12})$`)
	whoIsZH    = regexp.MustCompile(`^([\p{Han}A-Za-z]{1,8})(?:是|负责)(.{2,20}?)(?:的)?$`)
)

var movedZH = strings.NewReplacer("改成了", "是", "改成", "是", "改为", "是", "换成了", "是", "换成", "是", "变成了", "是", "变成", "是", "推迟到", "是", "提前到", "是",
	"延期到", "是", "延到", "是", "改到", "是", "改在", "是")

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
	if m := factPattern.FindStringSubmatch(text); m != nil && !vagueZH.MatchString(m[2]) && !strings.HasPrefix(m[2], "不") &&
		!strings.HasPrefix(m[2], "对的") && isValueZH(m[2]) {
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
	if m := stackZH.FindStringSubmatch(text); m != nil &&
		hasOneOf(m[1], "后端 前端 数据库 缓存 队列 服务 系统 项目 框架 backend frontend 团队 部署 监控 网关 平台 库 语言 客户端 服务端 App 网站 日志 搜索") &&
		strings.ContainsFunc(m[2], func(r rune) bool { return r >= 'A' && r <= 'z' }) && !strings.Contains(m[1], "决定") {
		r.topicZH = m[1]
		return facts, text, true
	}
	if when.span != noSpan && !when.before(r.now) && hasOneOf(text, strings.Join(strings.Fields(eventsZH), " ")) && len([]rune(text)) >= 12 &&
		!requestZH.MatchString(text) {
		return dates, text, true
	}
	if m := whoIsZH.FindStringSubmatch(text); m != nil && strings.Contains(text, "负责") &&
		hasOneOf(m[2], "前端 后端 测试 产品 设计 运维 项目 对接 市场 销售 财务 采购 客户端 服务端 架构 接口 部署") {
		return facts, text, true
	}
	return noteOnly, "", false
}

// isValueZH wants a value: digits, Latin letters, a date, or a short noun.
func isValueZH(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x80 && isWordRune(r) }) {
		return true
	}
	return len([]rune(s)) <= 12 && !strings.HasPrefix(s, "错") && !strings.HasPrefix(s, "空") && !strings.HasPrefix(s, "好") &&
		!strings.HasPrefix(s, "满") && !strings.Contains(s, "问题") && !strings.HasPrefix(s, "被") && !strings.HasPrefix(s, "没") &&
		!strings.HasPrefix(s, "哪") && !strings.HasPrefix(s, "多")
}
