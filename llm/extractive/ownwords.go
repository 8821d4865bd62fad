package extractive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
	sentences "reverie/language/sentence"
)

// Limits of text that counts as the author's own words.
const (
	maxOwnWords   = 1500 // characters of a message; a longer one is a paste unless its author speaks of themselves in it
	maxParagraph  = 700  // characters of a paragraph of a paste that still counts as a remark around it
	maxSentence   = 400  // characters; nobody says a longer one in a conversation
	maxSentences  = 200  // of one message
	quoteMinWords = 3    // words in quotation marks from which on they are somebody else's
)

// ownWords returns the passages of a message that its author wrote about the world: not quoted lines, code, logs, tables,
// pasted documents, or the material of a request ("translate this: …"). Each list item is a separate passage.
func ownWords(text string, cut bool) []string {
	var out []string
	var para []string
	flush := func() {
		if len(para) > 0 {
			out = append(out, strings.Join(para, "\n"))
			para = nil
		}
	}
	fence := ""
	text = strings.ReplaceAll(text, "\r\n", "\n")
	paste := cut || isPaste(text)
	text = withoutMaterial(text)
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if mark := fenceMark(trimmed); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			flush()
			continue
		}
		switch {
		case fence != "":
		case strings.Contains(line, "___"): // a form to fill in
		case trimmed == "":
			flush()
		case strings.HasPrefix(trimmed, ">"), strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "#"), isMachineLine(line):
			flush()
		default:
			own, material := beforeMaterial(trimmed)
			if item, ok := listItem(own); ok {
				flush()
				out = append(out, item)
			} else if own != "" {
				para = append(para, own)
			}
			if material {
				flush()
				return remarks(out, paste)
			}
		}
	}
	flush()
	return remarks(out, paste)
}

// remarks leaves out the body of a paste: what remains is the remark before and after it.
func remarks(passages []string, paste bool) []string {
	if !paste {
		return passages
	}
	var out []string
	for i, p := range passages {
		if (i == 0 || i == len(passages)-1) && utf8.RuneCountInString(p) <= maxParagraph {
			out = append(out, p)
		}
	}
	return out
}

// isPaste reports whether a long message is a pasted document and not the user's own words.
func isPaste(text string) bool {
	if utf8.RuneCountInString(text) <= maxOwnWords {
		return false
	}
	sentences := sentences.Split(text)
	own := 0
	for _, s := range sentences {
		if firstPerson.MatchString(s) {
			own++
		}
	}
	return own*3 < len(sentences)
}

var firstPerson = regexp.MustCompile(`(?i)\b(?:i|i'm|i’m|my|me|we|our|i've|i’ve)\b|[我咱]`)

func fenceMark(line string) string {
	for _, m := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, m) && !strings.Contains(line[3:], m) {
			return m
		}
	}
	return ""
}

var listMarker = regexp.MustCompile(`^(?:[-*+•·]|\d{1,2}[.)、]|[(（]\d{1,2}[)）])\s*(?:\[[ xX]\]\s+)?`)

func listItem(line string) (string, bool) {
	m := listMarker.FindString(line)
	if rest := line[len(m):]; strings.HasSuffix(m, ".") && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return line, false // "3.2版本"
	}
	if m == "" || (!strings.HasSuffix(m, " ") && !strings.HasSuffix(m, "、") && !strings.HasSuffix(m, "•") && !strings.HasSuffix(m, "·") &&
		!script.HasHan(line)) {
		return line, false
	}
	return strings.TrimSpace(line[len(m):]), true
}

// material announces text that is not the author's own or not about them: what stands after it is to be worked on.
// The first group of each is what remains of the line.
var material = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(.*?)\b(?:please |can you |could you |pls )?(?:translate|proofread|proof-read|rewrite|rephrase|paraphrase|` +
		`summari[sz]e|shorten|correct|review|polish|improve|edit|fix|check|analy[sz]e|explain|format|convert|reply to|respond to|comment on|` +
		`classify|parse|read)\b[^:：]{0,60}[:：](?:\s|$|["“])`),
	regexp.MustCompile(`(?i)^(.*?)\b(?:here(?:'s| is| are)|this is|below is|see|i (?:got|received|wrote|have) (?:this|the following)|` +
		`(?:he|she|they|it|who|support|landlord|boss) (?:wrote|sent|emailed|texted|replied|answered|posted)(?: me)?(?: this| the following|` +
		` that)?)\b[^:：.!?]{0,60}[:：]\s*$`),
	regexp.MustCompile(`(?i)^(.*?)\b(?:here(?:'s| is)) (?:my|the|an?|our) (?:[\w-]+ ){0,3}(?:draft|letter|essay|article|text|e?-?mail|` +
		`message|post|story|poem|bio|cv|resume|résumé|script|document|transcript|log|logs|output|error|code|paragraph|speech|review|` +
		`abstract)\b[^:：]{0,30}[:：]`),
	regexp.MustCompile(`(?i)^(.*?)\b(?:write|draft|compose|create|generate|make up)\b[^:：]{0,60}\b(?:e?-?mail|letter|message|story|poem|` +
		`song|essay|post|tweet|bio|speech|dialog(?:ue)?|script|text|note|reply|review)\b[^:：]{0,60}[:：]`),
	regexp.MustCompile(`^(.*?)(?:帮我|请|麻烦|你|能不能|可以)?(?:把|将)?(?:翻译|润色|批改|改作文|改写|总结|概括|摘要|校对|修改|检查|分析|解释|归纳|扩写|缩写|点评|回复|看看|看一下)(?:一下|下)?` +
		`(?:这|下面|以下|如下|成|为|到)?[^:：，。]{0,16}[:：]`),
	regexp.MustCompile(`^(.*?)(?:如下|以下是[^:：]{0,16}|原文|内容|全文|日志|报错|文章|邮件)(?:如下|是)?[:：]\s*$`),
	regexp.MustCompile(`^(.*?)(?:写|编|拟|生成)(?:一|个|封|篇|段|首)[^:：，。]{0,20}[:：]`),
}

// beforeMaterial returns the part of line before the material of a request, and whether such material follows.
func beforeMaterial(line string) (string, bool) {
	if !strings.ContainsAny(line, ":：") {
		return line, false
	}
	for _, m := range material {
		if g := m.FindStringSubmatch(line); g != nil && !asksToRemember(line) {
			return strings.TrimSpace(g[1]), true
		}
	}
	return line, false
}

var (
	machineStart = regexp.MustCompile(`^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[\d|at [\w.$<>]+\(|File "|Traceback|` +
		`Exception in|Caused by|goroutine \d|panic:|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|npm ERR|error(?:\[|:)|warning:|fatal:|` +
		`[\w.]+(?:Error|Exception)\b:?|[$%] \S|[\w.-]+@[\w.-]+[:~]|(?:import|from) [\w."/]+( import|;|$)|(?:def|func|fn|function) \w+\(|` +
		`class \w+[:({ ]|(?:const|let|var) \w+ ?[:=]|#include|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE)\b|return\b.*;|` +
		`</?\w+|//|/\*|--\w)`)
	machineEnd = regexp.MustCompile(`(?:[{};]|\);?|\],?|=>)\s*$`)
	webAddress = regexp.MustCompile(`https?://\S+`)
)

// isMachineLine reports whether a line was written by a program or for one: logs, stack traces, code, shell sessions, data.
func isMachineLine(line string) bool {
	if machineStart.MatchString(line) {
		return true
	}
	bare := webAddress.ReplaceAllString(line, "")
	var symbols, letters int
	for _, r := range bare {
		switch {
		case strings.ContainsRune(`{}[]()<>=;$|\_"*&^%/`, r):
			symbols++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if symbols >= 3 && machineEnd.MatchString(bare) {
		return true
	}
	return symbols >= 4 && symbols*4 > letters
}

var quotation = regexp.MustCompile(`"[^"]*"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』`)

// withoutQuotations removes longer passages in quotation marks: they are somebody else's words. Short ones are names and terms.
func withoutQuotations(s string) string {
	if !strings.ContainsAny(s, "\"“「『") {
		return s
	}
	return quotation.ReplaceAllStringFunc(s, func(q string) string {
		inner := strings.Trim(q, "\"“”「」『』")
		if len(strings.Fields(inner)) > quoteMinWords || hanCount(inner) > 2*quoteMinWords {
			return "…"
		}
		return q
	})
}

func hanCount(s string) int {
	n := 0
	for _, r := range s {
		if script.IsHan(r) {
			n++
		}
	}
	return n
}
