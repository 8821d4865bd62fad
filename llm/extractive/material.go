package extractive

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/script"
	sentences "reverie/language/sentence"
)

// People paste into a conversation what the assistant is to work on: letters, essays, articles, logs, chats. What stands in
// such material is not about the user, even if it uses "I". This file finds it by how it is introduced and how it looks.

const textNouns = `e-?mails?|letter|essay|text|article|messages?|paragraphs?|poem|story|chat|conversation|logs?|error|code|` +
	`config(?:uration)?|script|document|doc|readme|report|post|tweet|cv|resume|résumé|` +
	`bio|speech|transcript|meeting|notes|draft|abstract|thesis|chapter|sentences?|passage|contract|ad|listing|description|answer|output|` +
	`json|yaml|csv|table|data|thread|comment|proposal|spec|ticket|diff|query|` +
	`function|snippet|stack ?trace|traceback|job ad|homework|exercise|dialog(?:ue)?|lyrics|song|recipe|review|statement|summary`

const politeLead = `(?:^|[.!?] )(?:hey|hi|hello|ok|okay|so|and|also|now|please|pls|kindly|can you|could you|would you|will you|help me|` +
	`help me to|i need you to|i want you to|i'd like you to|let's|just|quickly|,| )*`

// introductions announce that the rest of a message is material.
var introductions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)` + politeLead + `\b(?:answer|reply to|respond to|summari[sz]e|translate|proofread|grade|review|rate|improve|` +
		`edit|fix|correct|check|rewrite|rephrase|shorten|polish|analy[sz]e|explain|critique|comment on|give (?:me )?feedback on|look at|` +
		`take a look at|read|debug|format|parse|sort|classify|extract|continue|finish|mark|convert|clean up|simplify)\b.{0,40}\b(?:this|these|` +
		`the following|my|the|below|that)\b.{0,30}\b(?:` + textNouns + `)\b`),
	regexp.MustCompile(`(?i)\b(?:make of|think of|think about|opinion on|thoughts on|wrong with|mean by|meaning of|sense of|tone of)` +
		`\b.{0,12}\b(?:this|these|the following|my)\b`),
	regexp.MustCompile(`(?i)^(?:hey|hi|ok|so|and|also|,|\s)*(?:here(?:'s|’s| is| are)|this is|below is|see)\b.{0,60}\b(?:` + textNouns +
		`)\b.{0,20}[:.]?\s*$`),
	regexp.MustCompile(`(?i)\b(?:this|these|following|below|wrote|said|says|told me|sent me|` + textNouns + `)\b.{0,60}[:：]\s*$`),
	regexp.MustCompile(`(?:帮我|请|麻烦|能|可以|你|看看|给我)*(?:回复|回一下|回|看看|看一下|看|改|批改|修改|总结|概括|翻译|分析|解释|检查|评价|点评|打分|润色|校对|读).{0,12}(?:邮件|信|文章|作文|代码|日志|` +
		`群聊|聊天|消息|内容|这段|段落|文案|合同|简历|报告|论文|诗|配置|会议记录|纪要)`),
	regexp.MustCompile(`(?:如下|以下|下面|原文|全文|写道|内容|日志|报错|邮件|消息|群聊)[^，。]{0,16}[:：]\s*$`),
}

// aboutAuthor distinguishes introductions of the author from introductions of a text.
var aboutAuthor = regexp.MustCompile(`(?i)about (?:me|myself)|my (?:profile|preferences|details|info|background|situation|setup|stack|` +
	`requirements|schedule|goals|family|team|to-?do)|who i am|introduce myself|关于我|自我介绍|我的(?:情况|信息|偏好|习惯|背景|要求|资料)`)

// withoutMaterial leaves out the material of a message: what follows its introduction, letters from greeting to signature,
// chats of several people, blocks of configuration, and documents with a question about them at the end.
func withoutMaterial(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines[:len(lines)-1] {
		if isIntroduction(l) && strings.TrimSpace(strings.Join(lines[i+1:], "")) != "" {
			lines = lines[:i+1]
			break
		}
	}
	lines = withoutLetters(withoutPages(lines))
	lines = withoutChats(withoutSettings(lines))
	return withoutDocument(strings.Join(lines, "\n"))
}

func isIntroduction(line string) bool {
	if len(line) > 400 || asksToRemember(line) || aboutAuthor.MatchString(line) {
		return false
	}
	return slices.ContainsFunc(introductions, func(r *regexp.Regexp) bool { return r.MatchString(line) })
}

var pageHeading = regexp.MustCompile(`^#{1,6} \S`)

// withoutPages drops a Markdown document: everything from the first of several headings on.
func withoutPages(lines []string) []string {
	first, count := 0, 0
	for i, l := range lines {
		if pageHeading.MatchString(l) {
			if count++; count == 1 {
				first = i
			}
		}
	}
	if count < 2 {
		return lines
	}
	return lines[:first]
}

var (
	greeting = regexp.MustCompile(`(?i)^\s*(?:dear|hi|hello|hey)\s+[\p{L}. ]{1,30}[,:!]?\s*$|^\s*(?:尊敬的.{1,12}|.{1,8}(?:您好|你好))` +
		`[:：，,。！]?\s*$|^\s*您好[，,。！].{4,}`)
	signature = regexp.MustCompile(`(?i)^\s*(?:best|kind|warm)?\s*(?:regards|wishes|sincerely|cheers|yours|best|love|thanks|thank you|` +
		`respectfully)\b.{0,20}[,.!]?\s*[\p{L} .]{0,30}$|^\s*(?:此致|敬礼|祝好|顺颂商祺|谢谢)[！。]?\s*$`)
)

// withoutLetters drops letters, from a greeting on a separate line to the signature.
func withoutLetters(lines []string) []string {
	for from, l := range lines {
		if !greeting.MatchString(l) {
			continue
		}
		for to := len(lines) - 1; to > from+1; to-- {
			if signature.MatchString(lines[to]) {
				rest := lines[to+1:]
				if len(rest) > 0 && utf8.RuneCountInString(rest[0]) < 40 {
					rest = rest[1:] // the name under it
				}
				return append(slices.Clone(lines[:from]), rest...)
			}
		}
	}
	return lines
}

var spoken = regexp.MustCompile(`^\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?\]?[ -]*)?(?:([A-Z][\p{L}.]*(?: [A-Z][\p{L}.]*)?)|` +
	`([\p{Han}]{2,4}))\s*[:：]\s*\S`)

// withoutChats drops lines of a pasted conversation: at least two speakers, each line beginning with a name.
func withoutChats(lines []string) []string {
	speakers := map[string]bool{}
	count := 0
	isSpoken := func(l string) bool {
		m := spoken.FindStringSubmatch(l)
		return m != nil && !isLabel(m[1]+m[2])
	}
	for _, l := range lines {
		if isSpoken(l) {
			m := spoken.FindStringSubmatch(l)
			speakers[m[1]+m[2]] = true
			count++
		}
	}
	if len(speakers) < 2 || count < 2 {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), isSpoken)
}

// isLabel reports whether the text before a colon names an attribute and not a speaker.
func isLabel(s string) bool {
	low := strings.ToLower(s)
	for w := range strings.FieldsSeq(low) {
		if attributes[w] != noteOnly || factNouns[w] || eventNouns[w] || isRelation(w) {
			return true
		}
	}
	switch low {
	case "decision", "decided", "agreed", "todo", "note", "update", "correction", "reminder", "remember", "task", "tasks", "likes", "dislikes",
		"ps", "fyi", "tldr":
		return true
	}
	return script.HasHan(s) && (hasOneOf(s, strings.Join(strings.Fields(factWordsZH), " ")) ||
		hasOneOf(s, "待办 记住 备注 决定 更正 补充 问题 提醒 备忘 任务 更新 结论 另外 姓名 年龄 喜欢 不喜欢"))
}

var keyValue = regexp.MustCompile(`^\s*(?:- )?["']?([A-Za-z][\w.-]*(?: [a-z]+)?)["']?\s*[:=]\s*\S`)

// withoutSettings drops blocks of "key: value" lines unless at least half of them are about a person.
func withoutSettings(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); {
		end, personal := i, 0
		for end < len(lines) {
			m := keyValue.FindStringSubmatch(lines[end])
			if m == nil {
				break
			}
			words := strings.Fields(strings.ToLower(m[1]))
			if key := words[len(words)-1]; attributes[key] != noteOnly || key == "decision" || key == "likes" || key == "dislikes" ||
				isRelation(key) {
				personal++
			}
			end++
		}
		if n := end - i; n >= 3 && personal*2 < n {
			i = end
			continue
		}
		end = max(end, i+1)
		out = append(out, lines[i:end]...)
		i = end
	}
	return out
}

var (
	singular = regexp.MustCompile(`(?i)\b(?:i|i'm|i’m|my|me|i've|i’ve|i'd|i'll|mine)\b|我`)
	someone  = regexp.MustCompile(`(?i)\b(?:i|i'm|i’m|my|me|we|our|us|i've|we're|we've|let's)\b|[我咱]`)
	asksOfIt = regexp.MustCompile(`(?i)\b(?:this|it|that|these|they|above)\b|这|怎么看|看法|评价|意思|上面`)
)

// withoutDocument drops a document that is followed by a question about it: several sentences that nobody speaks in.
func withoutDocument(text string) string {
	sentences := sentences.Split(withoutQuotations(text))
	n := len(sentences)
	if n < 3 {
		return text
	}
	last := sentences[n-1]
	if !isQuestionZH(last) && !isQuestion(last, englishWords(last)) || !asksOfIt.MatchString(last) {
		return text
	}
	mine, ours := 0, 0
	for _, s := range sentences[:n-1] {
		if singular.MatchString(s) {
			mine++
		}
		if someone.MatchString(s) {
			ours++
		}
	}
	if ours == 0 && n >= 3 || mine == 0 && n >= 5 && strings.Contains(strings.TrimSpace(text), "\n\n") {
		return ""
	}
	return text
}
