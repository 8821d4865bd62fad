package extractive

import (
	"strings"

	"reverie/language/script"
)

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
		case c == ' ' && i > 0 && i+1 < len(runes) && script.IsHan(runes[i-1]) && script.IsHan(runes[i+1]):
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

var leadFillers = []string{
	"hi", "Hi", "hello", "Hello", "hey", "Hey", "ok", "OK", "对了", "其实", "另外", "还有", "顺便说一下", "顺便说一句", "顺便", "说一下", "那个", "话说", "哈哈", "你好呀",
	"你好", "您好", "大家好", "嗨", "好的", "好", "嗯嗯", "嗯", "哦", "啊", "不错", "谢谢", "然后", "而且", "所以", "因为", "由于", "不过", "但是", "但", "可是",
	"另", "首先", "其次", "最后说", "补充一下", "补充", "更新一下", "更新", "更正", "纠正一下", "说实话", "老实说", "总之", "反正", "毕竟", "简单介绍一下", "自我介绍一下", "介绍一下", "先说一下",
	"跟你说", "告诉你", "是这样的", "是的", "对", "不对", "不是", "没错", "行", "可以", "没问题", "那么", "那", "哎", "唉", "诶", "呃", "额",
	"现在", "目前", "最近", "以前", "平时", "就是", "虽然", "既然", "同时", "此外", "并且", "除此之外", "同意", "早上好", "晚上好", "下午好", "早", "这样", "确实", "再说", "比较", "说真的",
	"具体来说", "上次说的", "刚才说错了", "说错了", "我说错了", "我刚才说错了", "搞错了", "我搞错了", "我记错了", "记错了", "抱歉", "不好意思", "改一下",
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
				if keepLead[f] && rest != "" && !strings.HasPrefix(rest, "我") && !strings.HasPrefix(rest, "，") && !strings.HasPrefix(rest, ",") &&
					!strings.HasPrefix(rest, "咱") {
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
