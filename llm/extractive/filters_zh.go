package extractive

import (
	"regexp"
	"strings"
)

// supposedZH make a sentence a supposition or an example.
var supposedZH = []string{
	"如果我", "如果我们", "假如", "假设", "要是我", "要是能", "倘若", "若是我", "比如说我", "比如我", "例如我", "打个比方", "想象", "幻想", "做梦", "梦见", "扮演",
	"假装", "装作", "剧本", "小说里", "故事里", "就好了", "开玩笑", "没说过", "没有说", "要不是",
}

// doubtfulZH make a clause uncertain.
var doubtfulZH = []string{
	"可能", "也许", "大概", "或许", "说不定", "不确定", "没想好", "还没定", "没决定", "还没决定", "考虑", "估计", "好像", "似乎", "应该会", "不一定", "看情况",
	"犹豫", "再说", "我觉得", "感觉", "希望能", "但愿", "万一", "纠结", "想想", "有机会", "以后想", "将来",
}

// reportedZH matches reported speech.
var reportedZH = regexp.MustCompile(`(?:他|她|他们|她们|有人|人家|别人|网上|医生|老师|领导|老板|同事|朋友|客户|房东|老婆|老公|妈妈?|爸爸?|小[\p{Han}]|老[\p{Han}]|女儿|儿子|姐姐|哥哥|弟弟|` +
	`妹妹|邻居|室友)(?:跟我|对我|和我|曾|总|都|还|也|又|经常)*(?:说过?|讲过?|认为|觉得|表示|写道|声称|告诉我|问我)`)

// isReportedZH reports whether a sentence is reported speech, except for the user's own words and relayed orders.
func isReportedZH(s string) bool {
	if strings.Contains(s, "据说") || strings.Contains(s, "据报道") || strings.Contains(s, "据悉") || strings.Contains(s, "听说") {
		return true
	}
	m := reportedZH.FindStringIndex(s)
	if m == nil {
		return false
	}
	return !strings.HasPrefix(s[m[0]:], "老实说")
}

// isQuestionZH reports whether a sentence asks. A closing 好吗 after an order does not make it a question.
func isQuestionZH(s string) bool {
	end := strings.TrimRight(s, " \t\"”’）)~～")
	if strings.HasSuffix(end, "？") || strings.HasSuffix(end, "?") {
		body := strings.TrimRight(end, "？?")
		for _, tag := range []string{"好吗", "可以吗", "行吗", "好不好", "行不行", "ok", "OK"} {
			if b, ok := strings.CutSuffix(body, tag); ok && strings.HasSuffix(strings.TrimSpace(b), "，") {
				return false
			}
		}
		return true
	}
	end = strings.TrimRight(end, "。.!！…")
	for _, tail := range []string{"吗", "呢", "么"} {
		if strings.HasSuffix(end, tail) && !strings.HasSuffix(end, "什么的") && !strings.HasSuffix(end, "那么") {
			return true
		}
	}
	for _, w := range []string{"什么时候", "为什么", "怎么样", "怎么", "哪个", "哪里", "哪些", "多少钱", "是不是", "能不能", "有没有", "要不要", "会不会", "可不可以", "请问", "如何"} {
		if strings.Contains(s, w) && !strings.Contains(s, "不管") && !strings.Contains(s, "无论") {
			return true
		}
	}
	return false
}

var (
	startsRoleZH = []string{
		"扮演", "角色扮演", "假装你", "假装我", "假装自己", "我们来编", "一起写个故事", "写一个故事", "编个故事", "讲个故事，", "我演", "你演", "我饰", "你现在是一", "想象我是",
		"想象你是", "玩个游戏", "设定：", "人设",
	}
	endsRoleZH = []string{
		"不演了", "不玩了", "故事结束", "结束扮演", "说正经的", "说真的", "回到现实", "言归正传", "停止扮演", "退出角色", "游戏结束", "先到这", "现实中", "好了不",
		"说回正事", "出戏",
	}
)

// requestZH are requests for the task at hand; a clause that begins like one is not about the user.
var requestZH = regexp.MustCompile(`^(?:请|麻烦|能|可以|可否|你|您|再|先|那|就)*(?:帮我|给我|帮忙|替我|为我|教我|告诉我|推荐|介绍|解释|翻译|写|生成|查|搜|找|列|总结|分析|讲|说说|看看|画|` +
	`算[^了]|改[^到成为用]|优化|检查|想想|举)`)
