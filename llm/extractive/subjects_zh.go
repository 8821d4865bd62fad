package extractive

import (
	"regexp"
	"strings"

	"reverie/language/script"
)

var (
	weLead     = regexp.MustCompile(`^(?:我们|咱们|咱|我俩)(?:家|团队|公司|组|部门|这边|项目组|小组)?(?:里)?`)
	relationZH = regexp.MustCompile(`^(?:我|我们|我们家|咱们?|咱家|我家)?(?:的)?(?:直属|顶头|新|现任)?(?:另一个|还有一个|一个)?(` + alternatives(familyZH) + `|` +
		alternatives(acquaintancesZH) + `|` + alternatives(petsZH) + `)(们)?(.*)$`)
	pronounZH = regexp.MustCompile(`^(他们|她们|他|她|它)(.*)$`)
)

// kinship writes short forms in full.
var kinship = map[string]string{
	"妈": "妈妈", "爸": "爸爸", "哥": "哥哥", "弟": "弟弟", "姐": "姐姐", "妹": "妹妹", "老妈": "妈妈", "老爸": "爸爸", "母亲": "妈妈",
	"父亲": "爸爸",
}

// subjectZH returns the subject of a clause, its predicate and, for a person, the word of the relation.
func subjectZH(s string, before whoZH) (who whoZH, predicate, subject string) {
	if m := relationZH.FindStringSubmatch(s); m != nil && !strings.HasPrefix(m[3], "节") &&
		(strings.HasPrefix(s, "我") || strings.HasPrefix(s, "咱") || before == personZHWho || len([]rune(m[1])) > 1) &&
		!strings.HasPrefix(m[3], "的手") {
		name := m[1]
		if full, ok := kinship[name]; ok {
			name = full
		}
		rest := strings.TrimPrefix(m[3], "也")
		if strings.HasPrefix(rest, "和我") || strings.HasPrefix(rest, "跟我") {
			return selfZHWho, rest[len("和我"):], ""
		}
		return personZHWho, rest, name + m[2]
	}
	if m := pronounZH.FindStringSubmatch(s); m != nil {
		if strings.HasSuffix(m[1], "们") {
			return assistantZH, m[2], "" // several people, of whom one was named last
		}
		return personZHWho, m[2], ""
	}
	if m := weLead.FindString(s); m != "" {
		return weZH, strings.TrimSpace(s[len(m):]), ""
	}
	if rest, ok := strings.CutPrefix(s, "我"); ok {
		return selfZHWho, strings.TrimPrefix(strings.TrimSpace(rest), "自己"), ""
	}
	if strings.HasPrefix(s, "你") || strings.HasPrefix(s, "您") || strings.HasPrefix(s, "这") || strings.HasPrefix(s, "那") {
		return nobodyZH, s, ""
	}
	return before, s, ""
}

var impliedSelf = regexp.MustCompile(`^(?:平时|一直|从小|目前|现在|最近|刚|已经|还|也|本人|一般|通常|周末|偶尔)*(?:喜欢|不喜欢|讨厌|爱吃|爱喝|不吃|不喝|住在|搬到|搬去|来自|对.{1,10}过敏|从事|` +
	`毕业于|养了|从来不|从不|在.{2,12}(?:上班|工作|做|当|读|上大学)|名叫|更喜欢|最喜欢|最讨厌|特别喜欢|今年\d{1,2}岁|需要|得|打算|要|用的是|会(?:一点|说|讲|弹|拉|用|游泳|开车|编程|做饭)|` +
	`正在(?:学|自学|做|写|准备|开发)|自学|在学|养着|开了|已婚|单身|离婚了?$|结婚了?$|怀孕|对.{1,8}不耐|有.{0,4}(?:糖尿病|高血压|哮喘)|右.{0,8}做过|左.{0,8}做过|从.{2,14}(?:离职|辞职)|老家在|母语是|` +
	`生日是|现在(?:在|住|用)|.{2}座$|属.$|\d{4}年出生|不看|不玩|不听|\d{4}-\d\d-\d\d.{0,8}(?:要|得|去|有|会|见|飞|回|到|参加|出发|开|考|看|跟|和|不在)|和.{1,8}一起住|在.{2,8}长大|主要写|` +
	`晚上不吃|做.{2,8}(?:好几|\d+|[一二两三四五六七八九十]+)年)`)

func impliesSelf(s string) bool { return impliedSelf.MatchString(s) }

// toldZH puts first- and second-person words into the third person.
func toldZH(s string) string { return personsZH.Replace(s) }

var personsZH = strings.NewReplacer("我们的", "", "咱们的", "", "我们家", "家里", "我家", "家里", "我们", "", "咱们", "", "我的", "自己的", "我妈妈", "妈妈", "我爸爸",
	"爸爸", "我妈", "妈妈", "我爸", "爸爸", "我老婆", "老婆", "我老公", "老公", "我女儿", "女儿", "我儿子", "儿子", "我自己", "自己",
	"我哥哥", "哥哥", "我姐姐", "姐姐", "我弟弟", "弟弟", "我妹妹", "妹妹", "我哥", "哥哥", "我姐", "姐姐", "我弟", "弟弟", "我妹", "妹妹", "自我", "自我", "我", "用户", "你们", "助手", "您",
	"助手", "你的", "助手的", "你好", "你好", "你", "助手")

// trimParticles cuts closing particles off.
func trimParticles(s string) string {
	s = strings.TrimRight(s, "。.！!～~，,；; ）)")
	for {
		t := s
		for _, p := range []string{"啊", "呀", "哦", "啦", "哈", "吧", "呢", "嘛", "噢", "喔", "哟", "了", "的说"} {
			t = strings.TrimSuffix(t, p)
		}
		if t == s {
			return s
		}
		s = t
	}
}

// sentenceZH closes a Chinese line.
func sentenceZH(s string) string {
	s = strings.TrimSpace(strings.TrimLeft(trimParticles(strings.Join(strings.Fields(s), " ")), "，,、的 "))
	if s == "" || !script.HasHan(s) && len(s) < 4 {
		return ""
	}
	return s + "。"
}
