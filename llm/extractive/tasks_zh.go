package extractive

import (
	"regexp"
	"strings"
)

var (
	mustZH  = regexp.MustCompile(`^(.{0,26}?)(?:还得|还要|得|要|必须|需要|应该|该|打算|计划|准备|想要|想|记得)(?:在)?(.{2,40}?)(?:了|的|呢|啊|哦|吧|啦|呀|嘛|哈)*$`)
	notTask = regexp.MustCompile(`^(?:问|说|吃饭|吃点|睡|走|去忙|忙|一个|一份|查|知道|了解|看看|看一下|找|写一个|写一篇|写个|做一个|做个|的是|求|不|是|有|你|买什么|怎么|什么|一下|说明|确认一下|先|` +
		`再问|请教|学一下|跑|么)`)
	wishZH = regexp.MustCompile(`(?:提高|提升|改善|锻炼|练|找工作|找对象|学|考|读|去[\p{Han}]{0,6}(?:旅游|旅行|玩|留学|工作|滑雪|爬山|看海|演唱会|露营)|减肥|减|瘦|攒|存|买|换|开|成为|当|读完|` +
		`戒|参加|跑|出国|创业|转行|搬|养|结婚|写完|辞职)`)
	planWord = regexp.MustCompile(`打算|计划|准备|想要|想`)
)

// taskZH reads 我得…, 我要…, 我打算….
func taskZH(predicate string, when moment, r *reader) (place, string, bool) {
	if strings.Contains(predicate, "不要") || strings.Contains(predicate, "不需要") || strings.Contains(predicate, "不得") ||
		strings.Contains(predicate, "不想") || strings.Contains(predicate, "不用") || strings.Contains(predicate, "只要") ||
		strings.Contains(predicate, "需要的") || strings.Contains(predicate, "主要") || strings.Contains(predicate, "觉得") ||
		strings.Contains(predicate, "想法") || strings.Contains(predicate, "重要") || strings.Contains(predicate, "懂得") ||
		strings.Contains(predicate, "想到") {
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
	return tasks, predicate, startsTask(what) && !strings.HasPrefix(what, "做") && !strings.HasPrefix(what, "写") &&
		!strings.HasPrefix(what, "改") && !strings.HasPrefix(what, "发") && !strings.HasPrefix(what, "更新")
}
