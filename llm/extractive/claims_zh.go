package extractive

import (
	"regexp"
	"strings"
)

// claimPattern reads one attribute of a Chinese line; group 1 is its value.
type claimPattern struct {
	attribute string
	match     *regexp.Regexp
	negative  bool
}

var zhClaims = []claimPattern{
	{"name", regexp.MustCompile(`^(?:名叫|名字是|名字叫|姓名[：:是]|叫)\s*(.{1,20})$`), false},
	{"nickname", regexp.MustCompile(`^(?:希望被称为|昵称[：:是]|希望被叫做)\s*(.{1,16})$`), false},
	{"age", regexp.MustCompile(`^(?:今年|年龄[：:是]?)?\s*(` + zhNumber + `)岁?$`), false},
	{"location", regexp.MustCompile(`^(?:现在|目前|现)?(?:住在|居住在|定居在?|生活在|家在|常住|住址[：:是]|居住地[：:是]?|所在地[：:是]?|城市[：:是]?|搬到了?|搬去|搬来)` +
		`\s*([^，,。（(]{1,24})`), false},
	{"location", regexp.MustCompile(`^(?:现在|目前)?(?:和.{1,8}一起)?(?:住在|在)([^，,。（(]{2,12}?)(?:生活|居住|定居|租房|租房住|住)(?:了.{1,6})?$`), false},
	{"origin", regexp.MustCompile(`^(?:来自|老家是?在?|籍贯[：:是]?)\s*(.{1,16})$`), false},
	{"timezone", regexp.MustCompile(`^时区[：:是在]?\s*(.{2,20})$`), false},
	{"birthday", regexp.MustCompile(`^(?:阳历|阴历|农历)?生日[：:是在]?\s*(.{2,16})$`), false},
	{"job", regexp.MustCompile(`^(?:职业|工作|职位|岗位)[：:是]\s*(.{1,20})$`), false},
	{"employer", regexp.MustCompile(`^(?:在)?(?:公司|单位|雇主)[：:是]\s*(.{1,20})$`), false},
	{"employer", regexp.MustCompile(`^(?:入职|加入|跳槽到|跳槽去)了?(.{2,16})$`), false},
	{"diet", regexp.MustCompile(`^(?:是)?(素食者|吃素|素食主义者|纯素)$`), false},
	{"diet", regexp.MustCompile(`^不(?:再)?(吃素)$`), true},
	{"marital", regexp.MustCompile(`^(?:还)?(已婚|未婚|单身|离婚|离异|结婚)了?$`), false},
}

var (
	zhWorkAt    = regexp.MustCompile(`^在(.{2,20}?)(?:上班|工作|任职|就职|供职|从事(.{1,12})|担任(.{1,12})|做(.{1,12})|当(.{1,12}))$`)
	zhJob       = regexp.MustCompile(`^(?:是|职业是|担任)(?:一名|一个|一位|名|个|位)?(.{1,16})$`)
	zhTaste     = regexp.MustCompile(`^` + degree + `(不喜欢|不爱|不太喜欢|受不了|喜欢|喜爱|热爱|爱|讨厌|反感|厌恶|最烦)(.{1,40})$`)
	zhPersonTop = regexp.MustCompile(`^(` + alternatives(familyZH) + `)(.+)$`)
	zhThingIs   = regexp.MustCompile(`^([^是，,：:]{2,30}?)(?:号|码)?\s?(?:现在|已经)?(?:是|为|定在|：|:|=|改成了?|改为|推迟到|提前到)\s*(.{1,80})$`)
	zhPlaceRuns = regexp.MustCompile(`^(.{2,24}?)(部署在|跑在|运行在|托管在|放在|监听)\s*(.{2,50})$`)
)

// claimsZH reads a line in Chinese.
func claimsZH(s string) []claim {
	s = strings.TrimRight(trimParticles(s), "。 ")
	for _, p := range []string{"用户", "他", "她", "我"} {
		s = strings.TrimPrefix(s, p)
	}
	subject := ""
	if m := zhPersonTop.FindStringSubmatch(s); m != nil {
		subject, s = m[1], strings.TrimPrefix(m[2], "的")
		if strings.HasPrefix(s, "叫") || strings.HasPrefix(s, "名字") || strings.Contains(s, "生日") {
			return nil // two daughters have two names
		}
	}
	return about(subject, s)
}

func about(subject, s string) []claim {
	if m := zhTaste.FindStringSubmatch(s); m != nil {
		negative := strings.Contains(m[1], "不") || m[1] == "讨厌" || m[1] == "反感" || m[1] == "厌恶" || m[1] == "最烦"
		return []claim{{
			subject: subject, attribute: "taste " + strings.Join(sorted(termsOf(m[2]).set), " "), value: m[2], negative: negative,
			single: true,
		}}
	}
	if m := zhWorkAt.FindStringSubmatch(s); m != nil {
		var out []claim
		if !cities[m[1]] && !cities[strings.TrimSuffix(m[1], "市")] {
			out = append(out, claim{subject: subject, attribute: "employer", value: m[1], single: true})
		}
		if job := m[2] + m[3] + m[4] + m[5]; job != "" {
			out = append(out, claim{subject: subject, attribute: "job", value: job, single: true})
		}
		return out
	}
	for _, p := range zhClaims {
		if m := p.match.FindStringSubmatch(s); m != nil {
			return []claim{{subject: subject, attribute: p.attribute, value: m[1], negative: p.negative, single: true}}
		}
	}
	if m := zhJob.FindStringSubmatch(s); m != nil && endsInOccupation(m[1]) {
		return []claim{{subject: subject, attribute: "job", value: m[1], single: true}}
	}
	if subject != "" {
		return nil
	}
	if m := zhPlaceRuns.FindStringSubmatch(s); m != nil {
		return []claim{{subject: keyZH(m[1]), attribute: m[2], value: m[3], single: true}}
	}
	if m := zhThingIs.FindStringSubmatch(s); m != nil && !strings.HasPrefix(s, "待办") && !strings.HasPrefix(s, "需要提醒") &&
		!strings.HasPrefix(s, "决定") && !strings.HasPrefix(s, "更正") && !strings.HasPrefix(m[1], "爱好") && !strings.HasPrefix(m[1], "希望") {
		return []claim{{subject: keyZH(m[1]), attribute: "is", value: m[2], single: true}}
	}
	return nil
}

// keyZH returns the name of a thing without non-distinctive words.
func keyZH(s string) string {
	return strings.ToLower(strings.NewReplacer("的", "", " ", "", "号码", "", "端口号", "端口", "时间", "", "日期", "", "数据库", "库", "DB", "库", "环境", "",
		"我们", "").Replace(s))
}
