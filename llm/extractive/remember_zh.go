package extractive

import (
	"regexp"
	"strings"

	"reverie/language/script"
)

var (
	rememberPattern = regexp.MustCompile(`^(?:好的?|嗯+|那|对了|另外|还有|顺便|以后|也|再|哦|啊|嘿|[，,、\s]|请|麻烦|拜托|帮我|帮忙|帮|你|要|一定|务必|先|能不能|可以|给我|替我|您)*` +
		`(别让我忘了|别让我忘记|记住|记一下|记下来|记下|记着|记好|记录一下|别忘了|别忘记|不要忘记|不要忘了|牢记|备忘|备注|记得|提醒一下|记个)(?:了)?(?:一下)?(?:这一点|这点|这件事|这个|以下(?:内容|几点|信息|事项)?|` +
		`下面(?:这些|几点|的内容)?)?\s*([:：，,]?)\s*(.*)$`)
	remindPattern = regexp.MustCompile(`^(.{0,40}?)提醒我(?:一下)?(?:要|去)?\s*[:：，,]?\s*(.+)$`)
	todoPattern   = regexp.MustCompile(`^(?:我的)?(?:待办|代办|TODO|todo|Todo|To-do|任务)(?:事项)?\s*[:：]\s*(.+)$`)
	remindAfter   = regexp.MustCompile(`^(.{4,}?)[，,]?(?:请|麻烦|你|到时候|到时|记得|提前|再)*提醒(?:我|一下我)(?:一下|一声)?(?:哦|啊|吧|哈)*$`)
	rememberAfter = regexp.MustCompile(`^(.{4,}?)[，,]\s*(?:请|麻烦|你|要|帮我|一定)*(?:记住|记一下|记下来|记下|别忘了|记着|记好)(?:了|这个|这一点|哦|啊|吧|它)*[。！!]*$`)
)

// requestZH reads requests to remember, to be reminded and to-dos.
func (r *reader) requestZH(s string, question bool) bool {
	s = strings.TrimRight(s, "。.！!～~ ")
	if m := todoPattern.FindStringSubmatch(s); m != nil {
		text, _ := datesZH(m[1], r.base)
		r.say(statement{place: tasks, text: sentenceZH("待办：" + toldZH(text)), strength: asked})
		return true
	}
	if m := remindPattern.FindStringSubmatch(s); m != nil && !strings.HasPrefix(s, "谢谢") &&
		!(question && !hasOneOf(s, "能 可以 好吗 行吗 好不好 可否 麻烦 请")) {
		text, _ := datesZH(trimParticles(stripTags(m[2])), r.base)
		if at := strings.LastIndexAny(m[1], "，,"); at >= 0 { // what stands before the request is said by itself
			r.clausesZH(m[1][:at], stated)
			m[1] = strings.TrimLeft(m[1][at:], "，,")
		}
		if before := stripLead(m[1]); before != "" {
			if at, when := datesZH(before, r.base); when.span != noSpan && !strings.Contains(text, when.iso()) {
				for _, p := range []string{"请", "麻烦", "记得", "你", "到时候", "，", ","} {
					at = strings.ReplaceAll(at, p, "")
				}
				text = at + text
			}
		}
		r.say(statement{place: tasks, text: sentenceZH("需要提醒：" + toldZH(text)), strength: asked})
		return true
	}
	if m := remindAfter.FindStringSubmatch(s); m != nil && !question {
		text, _ := datesZH(trimParticles(strings.TrimRight(stripLead(m[1]), "，,")), r.base)
		r.say(statement{place: tasks, text: sentenceZH("需要提醒：" + toldZH(text)), strength: asked})
		return true
	}
	if question {
		s = stripTags(s)
	}
	m := rememberPattern.FindStringSubmatch(s)
	if m == nil {
		if m := rememberAfter.FindStringSubmatch(s); m != nil {
			r.rememberZH(m[1], asked)
			return true
		}
		return false
	}
	rest := strings.TrimSpace(m[3])
	switch {
	case m[1] == "记得" && (question || strings.HasPrefix(rest, "吗") || strings.HasPrefix(rest, "上次") || strings.HasPrefix(rest, "之前") ||
		strings.HasPrefix(rest, "小时候")):
		return false
	case question && rest != "" && !strings.Contains(s, "帮") && !strings.Contains(s, "能"):
		return false
	case strings.HasPrefix(rest, "我说") && rest != "", strings.HasPrefix(m[1], "记住") && (strings.HasPrefix(rest, "了吗") || rest == "吗"):
		return false
	case rest == "" && (m[2] == ":" || m[2] == "："):
		r.list = true
	case rest == "" || rest == "了" || rest == "吧" || rest == "哦" || rest == "啊":
		r.rememberPreviousZH()
	case (strings.HasPrefix(m[1], "别让我") || m[1] == "别忘了" || m[1] == "记得" || strings.HasPrefix(m[1], "不要忘") || m[1] == "别忘记") &&
		!strings.HasPrefix(rest, "我") && (startsTask(rest) || strings.HasPrefix(m[1], "别让我")):
		text, _ := datesZH(trimParticles(rest), r.base)
		r.say(statement{place: tasks, text: sentenceZH("待办：" + toldZH(text)), strength: asked})
	default:
		r.rememberZH(rest, asked)
	}
	return true
}

// stripTags cuts 好吗 and the like off the end of a request.
func stripTags(s string) string {
	s = strings.TrimRight(s, "？?。.！! ")
	for _, tag := range []string{"，好吗", "，可以吗", "，行吗", "，好不好", "好吗", "可以吗", "吗"} {
		s = strings.TrimSuffix(s, tag)
	}
	return s
}

var taskVerb = regexp.MustCompile(`^(?:[^，。]{0,14}?)(?:` + alternatives(taskVerbsZH) + `)`)

func startsTask(s string) bool { return taskVerb.MatchString(s) && !strings.Contains(s, "是") }

// rememberZH records a request to remember something.
func (r *reader) rememberZH(s string, firmly strength) {
	s = strings.Trim(s, "。.！!：:，, “”\"")
	if len([]rune(s)) < 2 {
		return
	}
	from := len(r.out)
	parts := r.clausesZH(s, firmly)
	if len(r.out)-from >= parts && parts > 0 && r.allPlaced(from) {
		return
	}
	r.out = r.out[:from]
	text, _ := datesZH(s, r.base)
	r.say(statement{place: remembered, text: sentenceZH(toldZH(trimParticles(text))), strength: firmly})
}

func (r *reader) allPlaced(from int) bool {
	for _, s := range r.out[from:] {
		if s.place == noteOnly {
			return false
		}
	}
	return true
}

// rememberPreviousZH records the previous sentence as a thing to remember.
func (r *reader) rememberPreviousZH() {
	if len(r.out) > r.previous.from {
		for i := r.previous.from; i < len(r.out); i++ {
			r.out[i].strength = asked
		}
		return
	}
	if s := r.previous.sentence; s != "" && script.HasHan(s) && !isQuestionZH(s) {
		r.rememberZH(s, asked)
	}
}
