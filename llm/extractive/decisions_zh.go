package extractive

import (
	"regexp"
	"strings"
)

var (
	decideZH = regexp.MustCompile(`^(?:我们|咱们|我|团队|大家|会上|双方|公司|领导)?(?:和.{1,6})?(?:最后|最终|终于|已经|刚刚|刚|昨天|今天|都|一致|讨论后|讨论之后|商量好|商量后|也|就|还是|后来|` +
		`\d{4}-\d\d-\d\d)*(?:一致)?(?:决定|敲定|确定|选定|选了|选择了|选用了?|采用了|商定|说好|约好|约定|谈好|达成一致|拍板|同意)(?:了|下来)?(?:[:：])?(.{2,60})$`)
	settleZH = regexp.MustCompile(`^(?:那|那么|好|行|最后|最终|最后还是|还是|我们|咱们|以后|我)*(.{0,16}?)(?:就|还是|改|换成|统一|都|先)(用|选|走|采用|上|定|叫|按|去)(?:了)?(.{1,30}?)` +
		`(?:来.{1,10}?)?(?:吧|了|好了|就行|就好)*$`)
	changeZH = regexp.MustCompile(`^(?:我们|咱们|我|已经|都|.{0,12}?)(?:从|由)(.{1,20}?)(换成|切换到|切到|迁移到|迁到|改成|改用|换到|升级到)(?:了)?(.{1,30}?)(?:了|吧)*$`)
	replaced = regexp.MustCompile(`^(?:我们|咱们|已经|.{0,16}?)(?:改用|换成|改成用|换用|弃用|放弃|不用|别用)(?:了)?(.{1,30}?)(?:了|吧)*$`)
	fixedZH  = regexp.MustCompile(`^([^我]{1,12}?)(?:定了|定为|定在|定下来?用|选定)([^，。]{1,20}?)$`)
	decided3 = regexp.MustCompile(`^(?:就|那就)?(?:这么|这样)?(?:定了|说定了|决定了|定下来了)[。！!]*$`)
)

// decisionZH reads decisions of the user or their team.
func decisionZH(text, predicate string, who whoZH) (string, bool) {
	if hasAny(text, doubtfulZH) || strings.Contains(text, "没决定") || strings.Contains(text, "未决定") || strings.Contains(text, "没定") ||
		strings.Contains(text, "不决定") || strings.Contains(text, "没确定") || strings.Contains(text, "不确定") || decided3.MatchString(text) {
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
	if m := settleZH.FindStringSubmatch(text); m != nil &&
		(strings.HasSuffix(text, "吧") || strings.HasPrefix(text, "那就") || strings.HasPrefix(text, "就用") || strings.HasPrefix(text, "就按") ||
			strings.HasSuffix(text, "了") || strings.Contains(text, "统一") || who == weZH) && isChoice(m[3]) && !strings.Contains(m[1], "平时") &&
		!strings.Contains(m[1], "不") && !strings.Contains(m[1], "一直") {
		return "决定" + strings.TrimSpace(trimParticles(chosen(m))), true
	}
	if m := replaced.FindStringSubmatch(text); m != nil && !factPattern.MatchString(text) && isChoice(m[1]) &&
		(who == weZH || who == nobodyZH) && strings.ContainsFunc(m[1], func(r rune) bool { return r < 0x80 && isWordRune(r) }) {
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

// isChoice reports whether s can be chosen: a name or a noun, without references to the conversation.
func isChoice(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !vagueZH.MatchString(s) && !strings.HasPrefix(s, "行") && !strings.HasPrefix(s, "好") && !strings.HasPrefix(s, "是") &&
		!strings.HasPrefix(s, "完") && !strings.HasPrefix(s, "了") && !strings.HasPrefix(s, "班") && !strings.HasPrefix(s, "来") &&
		!strings.HasPrefix(s, "学") && !strings.HasPrefix(s, "时")
}

// decidedText formats a decision without its subject.
func decidedText(s string) string {
	for _, p := range []string{"我们", "咱们", "我", "最后", "最终", "终于", "已经", "刚刚", "一致", "都"} {
		s = strings.TrimPrefix(s, p)
	}
	return strings.TrimSpace(s)
}

func decisionPlace(line string, when moment, r *reader) place {
	if when.span != noSpan && !when.before(r.now) &&
		(strings.Contains(line, "约好") || strings.Contains(line, "说好") || strings.Contains(line, "约定")) {
		return dates
	}
	return decisions
}
