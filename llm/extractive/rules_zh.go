package extractive

import (
	"regexp"
	"strings"
)

// rule reads the predicate of a Chinese clause about the user, the words after 我. The first rule that matches counts.
type rule struct {
	need  string // the clause must hold one of these words; empty: no condition
	match *regexp.Regexp
	place place
	line  string // what is written, with the groups of match; empty: the predicate as it was said
	// check looks at the groups; nil: any.
	check func(g []string) bool
	ends  bool // something no longer holds; the topic is group 1
}

// lead matches adverbs before a predicate that have no lasting meaning.
const lead = `(?:白天|晚上|周末|工作日|下班后|业余|兼职|\d{4}年(?:开始|起)?|全家人?|一家人?|一家[三四五]口|现在|目前|如今|其实|本人|平时|一直|已经|已|刚刚|刚|最近|也|还|就|都|真的|确实|今年|本来|原来|主要|` +
	`暂时|终于|又|是|家里|个人|自己|从小|仍然|仍|还是|一向|向来|的话|这边|这人|人)*`

func compile(pattern string) *regexp.Regexp { return regexp.MustCompile(`^` + lead + pattern) }

const (
	han     = `\p{Han}`
	tailZH  = `(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`
	degree  = `(?:现在|如今|目前|最近|最|很|特别|非常|超级|超|比较|更加|更|蛮|挺|还是|也|都|一直|真的|真|十分|相当|有点|有点儿|不太|尤其|其实|还|从小就|从小|就|向来|一向|最近|平时)*`
	surname = `(?:欧阳|司马|上官|诸葛|赵|钱|孙|李|周|吴|郑|王|冯|陈|褚|卫|蒋|沈|韩|杨|朱|秦|尤|许|何|吕|施|张|孔|曹|严|华|金|魏|陶|姜|戚|谢|邹|喻|柏|水|窦|章|云|苏|潘|葛|奚|范|彭|郎|鲁|韦|昌|马|苗|凤|花|` +
		`方|俞|任|袁|柳|鲍|史|唐|费|廉|岑|薛|雷|贺|倪|汤|滕|殷|罗|毕|郝|邬|安|常|乐|于|时|傅|皮|卞|齐|康|伍|余|元|卜|顾|孟|平|黄|和|穆|萧|肖|尹|姚|邵|湛|汪|祁|毛|禹|狄|米|贝|明|臧|计|伏|成|戴|谈|宋|茅|庞|熊|纪|` +
		`舒|屈|项|祝|董|梁|杜|阮|蓝|闵|席|季|麻|强|贾|路|娄|危|江|童|颜|郭|梅|盛|林|刁|钟|徐|邱|骆|高|夏|蔡|田|樊|胡|凌|霍|虞|万|支|柯|管|卢|莫|经|房|裘|缪|干|解|应|宗|丁|宣|邓|郁|单|杭|洪|包|左|石|崔|吉|龚|程|` +
		`邢|裴|陆|荣|翁|荀|于|惠|甄|曲|家|封|储|靳|段|焦|侯|宓|蓬|全|班|仰|秋|仲|伊|宫|宁|仇|栾|甘|厉|祖|武|符|刘|景|詹|束|龙|叶|幸|司|黎|白|蒲|赖|卓|池|乔|温|庄|晏|柴|瞿|阎|连|习|艾|容|向|古|易|廖|终|耿|匡|文|` +
		`广|欧|利|蔚|越|师|巩|聂|晁|关|查|游|权|盖|桓|公|覃|涂|谭|岳|帅|缑|冉|郦|佘|佟|谷|车)`
)

// selfZH lists the rules for statements of the user about themselves.
var selfZH = []rule{
	// 身份
	{
		"叫", compile(`(?:的?名字)?(?:就)?(?:叫做|名叫|叫|叫作)(` + surname + han + `{1,2}|[A-Z][A-Za-z .]{0,24}|[阿小老]` + han + `{1,2})` + tailZH), identity,
		"名叫$1", nil, false,
	},
	{"名字 姓名 全名", compile(`的?(?:全名|姓名|名字|中文名|英文名|大名)(?:就)?(?:是|叫)(.{1,24}?)` + tailZH), identity, "名叫$1", nil, false},
	{
		"是", regexp.MustCompile(`^(?:就)?是\s?([A-Z][a-z]{1,14})$`), identity, "名叫$1",
		func(g []string) bool { return !technologies[strings.ToLower(g[1])] }, false,
	},
	{"是", regexp.MustCompile(`^(?:就)?是(` + surname + han + `{1,2})$`), identity, "名叫$1", notRole, false},
	{"姓", compile(`姓(` + han + `{1,2})` + tailZH), identity, "姓$1", nil, false},
	{"岁", compile(`(?:满)?(` + zhNumber + `)岁(?:半)?` + tailZH), identity, "$1岁", nil, false},
	{"后", compile(`个?((?:[5-9]0|[05]0|八零|九零|零零)后)` + tailZH), identity, "$1", nil, false},
	{"搬", compile(`(?:从.{1,8})?(?:搬家|搬|迁居|移居|移民)(?:到|去|来|至|回)(?:了)?(.{2,20}?)(?:住|定居|生活|来|去)?` + tailZH), identity, "搬到$1", isPlaceZH, false},
	{
		"住 居 生活", compile(`(?:是)?(?:[和跟].{1,8}一起|一个人|独自|租)?(?:常住|住|定居|长居|居住|常驻)(?:在|于)?([^的].{1,23}?)` + tailZH), identity, "住在$1",
		isPlaceZH, false,
	},
	{"住 居 生活 租房", compile(`在(.{2,12}?)(?:生活|居住|定居|租房|租房住|住)(?:了.{1,6}年?)?` + tailZH), identity, "", isPlaceZH, false},
	{"长大 出生", compile(`(?:\d{4}年)?(?:在|于)?(?:.{0,10}?)(?:出生在|生在|出生于|出生|长大)(.{0,12}?)` + tailZH), background, "", nil, false},
	{"时区 区 UTC GMT", compile(`在((?:东|西)[一二三四五六七八九十]{1,2}区|UTC.{0,4}|GMT.{0,4})` + tailZH), identity, "时区是$1", nil, false},
	{
		"办公 上班 坐班 夜班 轮休 休息", compile(`(.{0,16}(?:周.|每周|平时|一般|每天).{0,10}(?:在家办公|居家办公|远程办公|坐班|上夜班|上班|轮休|休息))` + tailZH), identity, "",
		notThis, false,
	},
	{"上班 上学 通勤", compile(`((?:坐|骑|开车|走路|步行|搭|乘).{0,8}(?:上班|上学|通勤))` + tailZH), background, "", nil, false},
	{"家", compile(`的?家(?:就)?(?:住)?在(.{2,24}?)` + tailZH), identity, "家在$1", isPlaceZH, false},
	{"人", compile(`(?:土生土长的)?(?:来自)?(.{2,6}人)` + tailZH), identity, "是$1", isNative, false},
	{"来自 老家 籍贯", compile(`的?(?:来自|老家(?:是|在)|籍贯(?:是)?|出生于|出生在|生于|生在)(.{2,16}?)` + tailZH), identity, "", nil, false},
	{"离职 辞职 跳槽 退休 失业 被裁", compile(`(?:从(.{2,14}?))?(?:离职|辞职|跳槽|退休|失业|被裁|裸辞)` + tailZH), identity, "", nil, true},
	{"入职 加入 跳槽", compile(`(?:要|准备|即将)?(?:入职|加入|跳槽到|跳槽去)(?:了)?(.{2,16}?)(?:做(.{2,10}?))?` + tailZH), identity, "", nil, false},
	{"在 上班 工作", compile(`在(.{2,20}?)(?:上班|工作|任职|就职|实习|供职|打工)` + tailZH), identity, "", isPlaceZH, false},
	{"在", compile(`在(.{2,20}?)(?:从事|担任|做|当|教|搞)(.{2,14}?)(?:的?工作)?` + tailZH), identity, "", isJobAt, false},
	{"在 读 上", compile(`在(.{2,16}?)(?:读|上)(.{1,8}?)` + tailZH), identity, "", nil, false},
	{"职业 工作 岗位 职位 行业", compile(`的?(?:职业|工作|岗位|职位|本职工作|专职|行业)是(.{2,20}?)` + tailZH), identity, "职业是$1", nil, false},
	{"从事 负责 主管 带领 管理", compile(`(?:从事|负责|主管|带领|主要做|专门做|管理)(.{2,24}?)` + tailZH), identity, "", notThis, false},
	{"做 当", compile(`(?:做|当)((?:[^，。我你他她这那不]{0,12})(?:` + alternatives(occupationsZH) + `))` + tailZH), identity, "", isJob, false},
	{
		"", compile(`(?:一名|一个|一位|名|个|位)?((?:[^，。我你他她这那不]{0,12})(?:` + alternatives(occupationsZH) + `))` + tailZH), identity, "是$1",
		isJob, false,
	},
	{"开 经营 创办", compile(`(?:开|经营|创办)了?(?:一)?(?:家|个|间)(.{1,16}?)` + tailZH), identity, "", nil, false},
	{"时区", compile(`的?时区(?:是|在)?(.{2,16}?)` + tailZH), identity, "时区是$1", nil, false},
	{"座", compile(`(?:个)?(` + han + `{2}座)(?:的)?` + tailZH), background, "是$1", nil, false},
	// 背景
	{"以前 曾 过去", compile(`((?:以前|曾经|曾|过去)(?:住|在|是|当|做|学|养|喜欢|吃|喝|抽).{1,24}?)` + tailZH), background, "", nil, false},
	{"过", compile(`((?:当|做|学|练|教|开|创)过.{1,20}?)` + tailZH), background, "", isStudied, false},
	{"排行 老大 老二 老三 老幺", compile(`((?:在家)?(?:里)?(?:排行)?(?:老大|老二|老三|老四|老幺|第.))` + tailZH), people, "", nil, false},
	{"教", compile(`((?:在.{2,12})?教(?:小学|初中|高中|大学|幼儿园|.{0,6}(?:课|语文|数学|英语|物理|化学|历史|音乐|美术|体育|年级)).{0,10}?)` + tailZH), identity, "", nil, false},
	{"收集 收藏", compile(`(?:收集|收藏)([^了].{1,14}?)` + tailZH), background, "", notThis, false},
	{"戴 穿", compile(`((?:戴|穿)(?:眼镜|隐形|助听器|牙套|假牙|.{1,4}码).{0,6}?)` + tailZH), background, "", nil, false},
	{"信", compile(`信(佛|教|基督教?|天主教?|伊斯兰教?|道教?|.{0,4}教)` + tailZH), background, "", nil, false},
	{"型", compile(`是?([ABO]{1,2}型(?:血)?(?:的)?)` + tailZH), background, "是$1", nil, false},
	{"记不住 听不 看不清 睡不着 晕 怕", compile(`(.{0,12}(?:记不住|听不见|听不清|看不清|睡不着|晕车|晕船|晕机|怕黑|怕冷|怕热).{0,8}?)` + tailZH), background, "", notThis, false},
	{"梦想 目标 理想 愿望", compile(`的?((?:梦想|目标|理想|愿望)是.{2,30}?)` + tailZH), background, "", nil, false},
	{"欠", compile(`(欠.{1,8}(?:块|元|万|钱|百|千))` + tailZH), facts, "", nil, false},
	{"", compile(`(?:一个|个|名)?((?:` + alternatives(traitsZH) + `))` + tailZH), background, "是$1", nil, false},
	{"过敏", compile(`(?:对)(.{1,16}?)(?:都|会|严重|有点)?过敏` + tailZH), background, "对$1过敏", notThis, false},
	{"过敏", compile(`(?:会)?(.{1,8}?)过敏` + tailZH), background, "$1过敏", notThis, false},
	{"不耐受 不耐", compile(`(.{1,8}不耐受?)` + tailZH), background, "$1", nil, false},
	{
		"", compile(`(?:有|患有|得了|患)?(?:点|轻度|重度|严重的?|一点)?((?:妊娠|遗传性?|先天性?|慢性|过敏性|轻微)?(?:` + alternatives(diseasesZH) + `)[^，。]{0,6}?)` + tailZH),
		background, "有$1", nil, false,
	},
	{"吃素 素食", compile(`((?:开始|改)?(?:吃素|吃全素|只吃素))` + tailZH), background, "", nil, false},
	{"不 忌", compile(`(?:平时|从来|一点|完全|基本|晚上|早上|中午|都|就|也|还)*(?:不吃|不能吃|吃不了|不沾|不碰|忌口|忌|不喝|不能喝|喝不了|不抽|不抽烟|不喝酒)(.{0,16}?)(?:的)?` +
		`(?:呢|啊|哦|吧|啦|呀|嘛|哈)*$`), background, "", notThis, false},
	{"手术 骨折 受过伤 拉伤", compile(`(.{0,14}?(?:做过|动过|有过).{0,8}手术|.{0,10}(?:骨折|受过伤|拉伤)过?.{0,6}?)` + tailZH), background, "", notThis, false},
	{"不", compile(`(?:从来|从|一般|基本|平时|都|就|也)*(?:不看|不听|不玩|不穿|不坐|不打|不碰|不逛)(.{1,12}?)` + tailZH), preferences, "", notThis, false},
	{"在 正在", compile(`(?:在|正在)((?:减肥|备孕|备考|备战|健身|戒糖|控糖|控制饮食|准备考|复习)[^，。]{0,14}?)` + tailZH), background, "", nil, false},
	{
		"弹 拉 吹 打", compile(`(?:在.{1,8}里?)?(?:弹|拉|吹|打)(吉他|钢琴|贝斯|架子鼓|鼓|小提琴|大提琴|二胡|古筝|琵琶|口琴|笛子|萨克斯)[^，。]{0,8}?` + tailZH), background, "",
		nil, false,
	},
	{"粉 迷 控 爱好者 发烧友", compile(`(?:是)?(?:一个|个|一名)?(.{1,12}(?:粉丝|铁粉|球迷|歌迷|影迷|控|爱好者|发烧友))` + tailZH), preferences, "是$1", notThis, false},
	{"写", compile(`(?:工作上|平时|主要|一般|日常)+写([A-Z][A-Za-z+#/ ]{0,16}[^，。]{0,8}?)` + tailZH), background, "", nil, false},
	{"买", compile(`(?:在.{1,8})?买了?((?:一套|套|一辆|辆)?(?:房|车|房子|新房|新车|二手车|二手房)[^，。]{0,8}?)` + tailZH), background, "", nil, false},
	{
		"开", compile(`开(?:着)?(?:一辆)?((?:特斯拉|比亚迪|宝马|奔驰|奥迪|大众|丰田|本田|蔚来|理想|小鹏|问界|五菱|沃尔沃|保时捷|[A-Z])[^，。]{1,16}?)` + tailZH), background, "",
		nil, false,
	},
	{"戒", compile(`(?:在|正在|打算)?戒(烟|酒|糖|咖啡|奶茶|辣)` + tailZH), background, "", nil, false},
	{"怀孕", compile(`怀孕.{0,10}` + tailZH), background, "", nil, false},
	{"母语", compile(`的?母语是(.{1,8}?)` + tailZH), background, "母语是$1", nil, false},
	{"会", compile(`会(?:说|讲)?((?:一点|点)?(?:英语|英文|日语|日文|法语|德语|韩语|俄语|粤语|广东话|闽南话|西班牙语|葡萄牙语|阿拉伯语|意大利语|泰语|手语|上海话|四川话|普通话|弹|拉|吹|游泳|开车|编程|写代码|做饭|烘焙|` +
		`下围棋|下象棋|打篮球|打羽毛球|打网球|打乒乓球|滑雪|滑冰|画画|书法|摄影|跳舞|唱歌|骑马|冲浪|潜水)[^，。]{0,14}?)` + tailZH), background, "", nil, false},
	{"不会", compile(`(?:还|都)?不会(游泳|开车|做饭|骑车|骑自行车|说.{1,4}|讲.{1,4}|喝酒|编程|写代码|英语|普通话|打字)` + tailZH), background, "", nil, false},
	{"学", compile(`(?:在|正在|想|开始)?(?:自学|学习|学)(?:了)?([^校生期历位会到着过不得怎].{0,14}?)` + tailZH), background, "", isStudied, false},
	{"毕业 专业 主修", compile(`的?(?:本科|硕士|博士|研究生)?(?:毕业于|毕业自|专业是|主修|学的是|读的是|学历是)(.{2,20}?)` + tailZH), background, "", nil, false},
	{"结婚 离婚 订婚", compile(`((?:结婚|离婚|订婚)(?:了)?(?:.{1,4}年)?)` + tailZH), background, "已$1", nil, false},
	{"结婚 离婚 单身 已婚 未婚 订婚", compile(`((?:还)?(?:已婚|未婚|单身|离婚|离异|结婚|订婚|没结婚|没对象)(?:了)?(?:.{1,4}年)?)` + tailZH), background, "", nil, false},
	{
		"用", compile(`(?:电脑|手机|编辑器|系统|工作|写代码|开发|主力|日常)?(?:上|时)?(?:用的是|使用的是|在用|用着|用|使用|习惯用|只用)(.{2,20}?)` + tailZH), background, "",
		isToolZH, false,
	},
	{"开 骑", compile(`(?:平时|上下班)?(?:开的是|骑的是|开一辆|开着一辆|骑一辆)(.{2,16}?)` + tailZH), background, "", nil, false},
	{"爱好 兴趣 特长 擅长", compile(`的?(?:爱好|兴趣|兴趣爱好|业余爱好|特长|擅长)(?:是|有|包括)?(.{1,24}?)` + tailZH), background, "", nil, false},
	{"身高 体重 血型 鞋码 星座 属 尺码", compile(`的?((?:身高|体重|血型|鞋码|星座|属相|生肖|尺码)(?:是)?.{1,12}?)` + tailZH), background, "$1", nil, false},
	{"生日", compile(`的?(?:阳历|阴历|农历)?生日(?:是|在)?(.{2,14}?)` + tailZH), identity, "生日是$1", hasDigitZH, false},
	{"邮箱 电话 手机 微信 地址", compile(`的?((?:邮箱|电话|手机号?码?|微信号?|收货地址|家庭地址|地址)(?:是|：|:).{3,60}?)` + tailZH), identity, "$1", nil, false},
	{"在 做 开发 写 准备 筹备", compile(`(?:正在|在)(?:做|开发|写|搞|筹备|运营|维护)(?:一个|一款|一本|一套|个|本|款)(.{2,40}?)` + tailZH), facts, "", isProjectZH, false},
	{
		"习惯 总是 从不 从来 一般 通常 每天 每周 每年 平时 经常 只", compile(`(?:习惯|总是|从不|从来不|从来没|一般都?|通常|每天|每周.?|每年|每晚|每早|经常|常常|很少|只)(.{2,24}?)` + tailZH), preferences,
		"", isHabitZH, false,
	},
}

// tasteZH reads likes and dislikes; group 1 is the verb, group 2 the object.
var tasteZH = regexp.MustCompile(`^` + degree + `(宁愿|宁可|更愿意|不喜欢|不爱|不习惯|不想要|不太喜欢|接受不了|受不了|看不惯|喜欢|喜爱|热爱|偏好|偏爱|偏向|倾向于|倾向|钟爱|酷爱|爱吃|爱喝|爱看|爱听|` +
	`爱玩|爱打|爱逛|爱做|迷上了?|沉迷|讨厌|反感|厌恶|痛恨|最烦|很烦|害怕|最怕|怕)(.{1,40}?)(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`)

var notRole = func(g []string) bool { return !strings.HasSuffix(g[1], "人") && !endsInOccupation(g[1]) }

func endsInOccupation(s string) bool {
	for o := range strings.FieldsSeq(occupationsZH) {
		if strings.HasSuffix(s, o) {
			return true
		}
	}
	return false
}

var vagueZH = regexp.MustCompile(`^(?:这|那|它|他|她|你|其|哪|什么|一下|一点|啥|谁|怎么|多少|上面|下面|以上|以下|前面|刚才|刚刚)`)

// notThis wants a value that does not point into the conversation.
func notThis(g []string) bool { return !vagueZH.MatchString(g[len(g)-1]) }

func isPlaceZH(g []string) bool {
	v := g[1]
	return !vagueZH.MatchString(v) && !strings.ContainsAny(v, "吗呢？?") && !strings.HasPrefix(v, "一起") && !strings.HasPrefix(v, "得") &&
		!strings.HasPrefix(v, "海边就") && !strings.HasPrefix(v, "院") && !strings.HasPrefix(v, "了")
}

func isNative(g []string) bool {
	place := strings.TrimSuffix(g[1], "人")
	for _, not := range []string{
		"个", "一", "这", "那", "好", "坏", "什么", "某", "本", "客", "负责", "联系", "主持", "合伙", "创始", "当事", "成年", "年轻", "普通", "正常",
		"老实", "中间", "早起的", "新", "对接", "经纪", "的", "怕", "喜欢", "爱", "有", "百", "十", "千", "万", "几", "两",
	} {
		if strings.HasPrefix(place, not) || strings.HasSuffix(place, not) {
			return false
		}
	}
	return true
}

func isJobAt(g []string) bool {
	v := strings.TrimSuffix(g[2], "的")
	if vagueZH.MatchString(g[1]) || vagueZH.MatchString(v) || strings.ContainsAny(v, "吗呢") || strings.HasPrefix(v, "一个") ||
		strings.HasPrefix(v, "一款") || strings.HasSuffix(g[1], "家里") {
		return false
	}
	for _, activity := range []string{"作业", "饭", "菜", "梦", "运动", "准备", "测试一下", "什么"} {
		if strings.HasPrefix(v, activity) {
			return false
		}
	}
	return true
}

func isJob(g []string) bool {
	return len([]rune(g[1])) >= 2 && !strings.ContainsAny(g[1], "吗呢？?说问找跟和对给让叫请去见要想写再跑遍用看改修把做当") && !vagueZH.MatchString(g[1])
}

func isStudied(g []string) bool {
	return !vagueZH.MatchString(g[1]) && !strings.HasPrefix(g[1], "了")
}

// isToolZH reports whether s is something in lasting use: Latin names, systems, phones.
func isToolZH(g []string) bool {
	v := g[1]
	if vagueZH.MatchString(v) || strings.ContainsAny(v, "吗呢？?来") {
		return false
	}
	return strings.ContainsFunc(v, func(r rune) bool { return r >= 'A' && r <= 'Z' }) || strings.Contains(v, "手机") ||
		strings.Contains(v, "苹果") || strings.Contains(v, "安卓") || strings.Contains(v, "输入法") || strings.Contains(v, "华为") ||
		strings.Contains(v, "小米") || strings.Contains(v, "五笔")
}

func isProjectZH(g []string) bool {
	for _, w := range []string{
		"项目", "应用", "小程序", "网站", "游戏", "公众号", "App", "app", "APP", "平台", "系统", "工具", "插件", "小说", "书", "论文", "店", "机器人",
		"模型", "课程", "播客", "频道", "产品", "框架", "库", "叫",
	} {
		if strings.Contains(g[1], w) {
			return true
		}
	}
	return false
}

func isHabitZH(g []string) bool {
	return !vagueZH.MatchString(g[1]) && !strings.ContainsAny(g[1], "吗呢？?") && !strings.Contains(g[1], "报错") &&
		!strings.Contains(g[1], "失败") && !strings.HasPrefix(g[1], "是")
}

func hasDigitZH(g []string) bool {
	return strings.ContainsAny(g[1], "0123456789一二三四五六七八九十")
}

// hasOneOf reports whether s holds one of the space-separated words; no words are no condition.
func hasOneOf(s, words string) bool {
	if words == "" {
		return true
	}
	for w := range strings.SplitSeq(words, " ") {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// readRules applies the rules to a predicate.
func readRules(rules []rule, predicate string) (rule, string, []string, bool) {
	for _, r := range rules {
		if !hasOneOf(predicate, r.need) {
			continue
		}
		m := r.match.FindStringSubmatchIndex(predicate)
		if m == nil {
			continue
		}
		g := make([]string, len(m)/2)
		for i := range g {
			if m[2*i] >= 0 {
				g[i] = predicate[m[2*i]:m[2*i+1]]
			}
		}
		if r.check != nil && !r.check(g) {
			continue
		}
		line := predicate
		if r.line != "" {
			line = string(r.match.ExpandString(nil, strings.ReplaceAll(strings.ReplaceAll(r.line, "$1", "${1}"), "$2", "${2}"), predicate, m))
		}
		return r, line, g, true
	}
	return rule{}, "", nil, false
}
