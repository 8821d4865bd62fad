package claim

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/analysis"
	"reverie/language/script"
)

// MaxTags is the maximum number of tags of one statement.
const MaxTags = 8

// maxTag is the maximum length of a tag in characters; longer identifiers are not tags.
const maxTag = 32

// Tags returns the concepts of a statement in lower case, in order, each once regardless of inflection: names,
// identifiers and words that carry meaning, at most MaxTags. Numbers, dates, function words and generic words are not
// concepts.
func Tags(text string) []string {
	var (
		out   []string
		known = map[string]bool{}
	)
	for _, c := range Concepts(text) {
		if known[c.Key] {
			continue
		}
		known[c.Key] = true
		if out = append(out, c.Word); len(out) == MaxTags {
			break
		}
	}
	return out
}

// Concept is a word that a statement is about: its display form, and the key shared by its inflections.
type Concept struct{ Word, Key string }

// Concepts returns the concepts of a text in order.
func Concepts(text string) []Concept {
	text = unquoted(text)
	out := hanConcepts(text)
	within := 0
	for _, t := range analysed(text) {
		folded := t.Forms[0]
		if t.Kind == analysis.Ideographs || t.Start < within {
			continue
		}
		if t.Kind == analysis.Identifier && isWhole(t) {
			within = t.End
			// Words that begin with a digit, such as 9:30 and 3rd, are not concepts.
			if first, _ := utf8.DecodeRuneInString(folded); unicode.IsLetter(first) && utf8.RuneCountInString(folded) <= maxTag {
				out = append(out, Concept{folded, t.Forms[len(t.Forms)-1]})
			}
			continue
		}
		if t.Kind != analysis.Word || t.Stop || isGeneric(folded) || !isLongEnough(t) {
			continue
		}
		key := inflectionKey(t)
		if same, ok := synonyms[folded]; ok {
			key = same
		}
		if !isGeneric(strings.TrimPrefix(key, englishMark)) {
			out = append(out, Concept{folded, key})
		}
	}
	return out
}

// isLongEnough reports whether a word can be a concept: three characters, or two for a name such as "Go" or "UK".
func isLongEnough(t analysis.Token) bool {
	n := utf8.RuneCountInString(t.Forms[0])
	return n >= 3 && n <= maxTag || n == 2 && startsUpper(t.Text)
}

// isGeneric reports whether a word occurs in statements about anything.
func isGeneric(word string) bool {
	return genericWords[word] || fillers[word] || leads[word] || numberWords[word] != "" || turningWords[word] != 0
}

// genericWords occur in statements about anything. They include words for likes, everyday verbs and times: a statement
// is about the thing that somebody likes or does, not about liking or doing it.
var genericWords = wordSet(`assistant system subagent conversation message messages session chat answer answers question questions
	like likes =like dislike =dislike love enjoy prefer use uses used using work works need needs make makes get gets take takes go goes going
	want wants have has keep keeps put puts set sets give gives know knows think thinks feel feels say see look try start starts started begin
	happen happens become stay stays come comes call called name named move thing things something stuff way lot bit kind sort part case
	instead live lives living =live become near one once twice day days daily week weeks weekly month months monthly year
	years yearly today tomorrow yesterday tonight time times hour
	hours minute minutes morning afternoon evening night weekend weekday weekdays monday tuesday wednesday thursday friday saturday sunday
	mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august september october
	november december new old good bad great nice big small long short right wrong able sure own next last people person around about
	http https www com org net`)

// hanBreaks separates the concepts in a run of Chinese. The text between breaks is a concept if it is short, and pairs
// of neighbouring characters if not: without a dictionary, the word boundaries of a long one are unknown.
var hanBreaks = func() *strings.Replacer {
	var pairs, measured []string
	for word := range strings.FieldsSeq(`请记住 记住 用户 我们 咱们 他们 她们 自己 现在 目前 已经 一个 一名 一位 一些 一次 每天 每周 每月 每年 每次 每个 每 今天 明天 昨天 早上 上午 中午 下午 晚上 周一 周二
		周三 周四 周五 周六 周日 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 喜欢 讨厌 热爱 偏好 需要 觉得 认为 打算 计划 希望 想要 决定 使用 可以 可能 应该 必须 没有 不再 不要 不能
		不吃 不喝 开始 因为 所以 但是 如果 以前 以后 之前 之后 时候 东西 事情 问题 特别 非常 比较 名叫 名字 叫做 居住 通常 一般 经常 总是 大概 左右 大约 还有 以及 或者 并且 而且
		的 了 是 在 和 与 有 也 都 把 被 吗 呢 吧 啊 着 过 就 还 很 我 你 他 她 它 这 那 不 没 别 会 能 要 想 去 来 到 从 对 给 跟 让 用 做 吃 喝 住 叫 说 用于 为 等 个 里 上 下 中
		一 二 三 四 五 六 七 八 九 十 百 千 万 两 写 读 年 月 日 号 点 分 岁 只 条 次`) {
		pairs = append(pairs, word, " ")
	}
	for _, number := range "一两二三四五六七八九十几这那每" {
		for _, measure := range "杯封家本张位名只件次瓶部台条个种份块片顿趟场" {
			measured = append(measured, string(number)+string(measure), " ")
		}
	}
	// Words in which such a character means something else stay whole: the first match in this list wins.
	whole := strings.Fields(`过敏 上海 下载 中国 中文 日本 日语 月经 年假 点心 分支 分析 对象 对比 要求 想法 能力 会议 用例 做饭 吃素 住院 来源 去世 说明 上班 下班 上线 下线 中心 个人 里程 日志 日程 日历
		号码 百度 千问 万科 三明治 四川 八达岭 九寨沟 十堰 十分 不锈钢 别墅 给水 有限 有机 为人 等级 条款 次数 年会 日期 月亮 月饼 叫车 在线 在职 和服 是非 的士 与会 都市 还款 还书 写作 写字楼 读书 读者 阅读 年级`)
	kept := make([]string, 0, 2*len(whole))
	for _, word := range whole {
		kept = append(kept, word, word)
	}
	return strings.NewReplacer(slices.Concat(kept, measured, pairs)...)
}()

// maxHanConcept is the maximum length of a run of characters that is a single concept.
const maxHanConcept = 4

// hanConcepts returns the concepts of the Chinese parts of a text.
func hanConcepts(text string) []Concept {
	if !script.HasHan(text) {
		return nil
	}
	text = strings.Map(func(r rune) rune {
		if script.IsHan(r) {
			return r
		}
		return ' '
	}, text)
	var out []Concept
	for run := range strings.FieldsSeq(hanBreaks.Replace(text)) {
		switch n := utf8.RuneCountInString(run); {
		case n < 2:
		case n <= maxHanConcept:
			out = append(out, Concept{run, run})
		default:
			runes := []rune(run)
			for i := 1; i < len(runes); i++ {
				pair := string(runes[i-1 : i+1])
				out = append(out, Concept{pair, pair})
			}
		}
	}
	return out
}
