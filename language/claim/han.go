package claim

import (
	"slices"
	"strings"
)

// hanFillers removes words of Chinese statements that do not change the meaning, and unifies a few synonyms.
var hanFillers = strings.NewReplacer(
	"请记住", "", "记住", "", "用户", "", "我们", "", "咱们", "", "我的", "", "我", "", "自己", "", "现在", "", "目前", "", "已经", "", "一个", "",
	"一名", "", "一位", "", "特别", "", "非常", "",
	"的", "", "了", "", "是", "", "在", "", "也", "", "都", "", "就", "", "很", "", "对", "", "吧", "", "呢", "", "啊", "",
	"居住", "住", "热爱", "喜欢", "偏好", "喜欢", "爱吃", "喜欢吃", "爱喝", "喜欢喝", "讨厌", "不喜欢", "母亲", "妈妈", "父亲", "爸爸",
)

// hanNumerals are the characters of numbers. 一 and 十 are excluded because they are parts of too many other words.
const hanNumerals = "二三四五六七八九百千万两零〇半几"

// hanInnocent removes words in which a character of hanTurns means something else.
var hanInnocent = strings.NewReplacer("不错", "", "不过", "", "不仅", "", "不但", "", "不同", "", "不少", "", "不久", "", "特别", "",
	"分别", "", "别人", "", "别墅", "", "性别", "", "级别", "", "区别", "", "没关系", "", "非常", "", "原来如此", "", "计划生育", "",
	"停车", "", "非洲", "", "除非", "除", "未来", "", "未婚", "", "无锡", "", "无线", "", "戒指", "")

var hanTurns = map[Turns][]string{
	Negated:  {"不", "没", "沒", "無", "无", "别", "別", "未", "讨厌", "戒", "非", "停"},
	Former:   {"以前", "曾经", "曾經", "原来", "从前", "之前是"},
	intended: {"打算", "计划", "計畫", "想要", "希望", "准备", "考虑"},
	doubtful: {"可能", "也许", "或许", "大概", "好像"},
	limited:  {"只有", "只在", "只能", "只吃", "只喝", "只用", "只要", "除", "如果", "差不多", "几乎"},
}

// turnsOfHan returns the turns of a Chinese statement.
func turnsOfHan(text string) Turns {
	text = hanInnocent.Replace(text)
	var found Turns
	for turn, words := range hanTurns {
		for _, word := range words {
			if strings.Contains(text, word) {
				found |= turn
				break
			}
		}
	}
	return found
}

// negationsUnspaced are negations in Japanese, Thai and Korean that count anywhere in a text; two of the Korean ones
// are separate words.
var (
	negationsUnspaced = []string{"ない", "なく", "なかっ", "ません", "ไม่", "않", "없", "아니", "못하", "못한"}
	negationsKorean   = map[string]bool{"안": true, "못": true}
)

// negatedUnspaced reports whether a text in one of these languages contains a negation.
func negatedUnspaced(text string) bool {
	return slices.ContainsFunc(negationsUnspaced, func(n string) bool { return strings.Contains(text, n) }) ||
		slices.ContainsFunc(strings.Fields(text), func(word string) bool { return negationsKorean[word] })
}
