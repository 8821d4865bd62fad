package extractive

import (
	"regexp"
	"strings"

	sentences "reverie/language/sentence"
)

// askingZH turns a question into the statement that its answer makes.
var askingZH = []struct {
	question *regexp.Regexp
	answer   string
	place    place
	line     string // what is written when the rules do not read the statement
}{
	{regexp.MustCompile(`怎么称呼|您贵姓|你叫什么|您叫什么|(?:你|您)的(?:名字|姓名)|如何称呼`), "我叫%s", identity, "名叫%s"},
	{regexp.MustCompile(`(?:住在?|你在|您在|你人在|您人在|坐标|常驻)哪(?:个城市|里|儿|座城市)?|(?:你|您).{0,4}哪个城市|所在(?:城市|地)`), "我住在%s", identity, "住在%s"},
	{regexp.MustCompile(`哪里人|来自哪|老家(?:在|是)哪`), "我来自%s", identity, "来自%s"},
	{regexp.MustCompile(`(?:职业|工作)是什么|做什么工作|什么职业|从事什么|做什么的|哪一行`), "我的职业是%s", identity, "职业是%s"},
	{regexp.MustCompile(`在哪(?:家公司|里上班|儿上班|工作)|哪家公司`), "我在%s上班", identity, "在%s上班"},
	{regexp.MustCompile(`多大(?:年纪|岁数|了|年龄)|(?:你|您)(?:今年)?多大|几岁|年龄`), "我今年%s", identity, "%s"},
	{regexp.MustCompile(`生日(?:是)?(?:哪天|什么时候|几号|几月)`), "我的生日是%s", identity, "生日是%s"},
	{regexp.MustCompile(`忌口|不吃什么|饮食(?:禁忌|偏好|限制)`), "我%s", background, "饮食：%s"},
	{regexp.MustCompile(`对什么过敏|过敏(?:源|史)?吗|有(?:什么|没有)过敏`), "我对%s过敏", background, "对%s过敏"},
	{regexp.MustCompile(`(?:什么|哪些)?(?:爱好|兴趣)`), "我的爱好是%s", background, "爱好是%s"},
	{regexp.MustCompile(`喜欢(?:什么|哪些|哪种|吃什么|看什么|听什么|玩什么|喝什么)`), "我喜欢%s", preferences, "喜欢%s"},
	{regexp.MustCompile(`时区`), "我的时区是%s", identity, "时区是%s"},
	{regexp.MustCompile(`(?:用|选)(?:哪个|什么|哪种)(?:数据库|框架|语言|缓存|消息队列|方案|工具|云)`), "那就用%s吧", decisions, "决定用%s"},
	{regexp.MustCompile(`(?:截止日期|截止时间|什么时候(?:截止|上线|交付))`), "截止日期是%s", dates, "截止日期是%s"},
	{regexp.MustCompile(`用(?:什么|哪种)语言(?:回答|回复|交流)`), "以后用%s回答", preferences, "希望助手用%s回答"},
}

var (
	affirmativeZH = regexp.MustCompile(`^(?:好的?|可以|行|没问题|嗯+|是的?|对的?|同意|就这么定|就这样|就这么办|那就这样|赞成|ok|OK|Ok|听你的|没错|好呀|好啊|就按你说的|就它|就用它|定了|说定了|当然|` +
		`要的|确认)(?:吧|了|啊|呀|哦|啦|的|呢)*$`)
	negativeZH = regexp.MustCompile(`^(?:不|没|无|别|不用|算了|都不|还没|不知道|随便|暂时没)`)
	proposalZH = regexp.MustCompile(`(?:要不|不如|那|建议|推荐|我们)+((?:就|改|直接|都|先)?(?:用|采用|选|选择|换成|改成|定在|安排在|改到)[^，。？?！!]{2,40}?)(?:，|,)?` +
		`(?:吧|好吗|可以吗|怎么样|如何|行吗|好不好)?[？?。！!]`)
	aboutYouZH = regexp.MustCompile(`(?:你|您)(是|住在|在|喜欢|不吃|对|会)([^，。？?！!]{2,24}?)(?:吗|么|的吗|是吗|对吗)[？?]`)
)

// bareWeekdayZH may mean every week as well.
var bareWeekdayZH = regexp.MustCompile(`(?:^|[^下上这本个])(?:周|星期|礼拜)[一二三四五六日天]`)

// maxAnswerZH is the longest message, in characters, that is read as the answer to a question.
const maxAnswerZH = 24

// answeredZH reads a short message as the answer to the assistant's question. It reports whether the message is used up.
func (r *reader) answeredZH(text string) bool {
	sentences := sentences.Split(text)
	if len(sentences) == 0 {
		return false
	}
	first := strings.TrimRight(sentences[0], "。.！!～~ ")
	if isQuestionZH(sentences[0]) {
		return false
	}
	lead := first
	if parts := splitZH(first); len(parts) > 0 {
		lead = parts[0]
	}
	if affirmativeZH.MatchString(lead) {
		r.agreedZH()
		return false
	}
	if r.question == "" || len([]rune(first)) > maxAnswerZH || negativeZH.MatchString(first) && !strings.HasPrefix(first, "不吃") &&
		!strings.HasPrefix(first, "不喝") || strings.Contains(first, "我") || strings.Contains(first, "你") {
		return false
	}
	for _, a := range askingZH {
		if !a.question.MatchString(r.question) {
			continue
		}
		answer := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(trimParticles(first), "在"), "是"), "叫")
		before := len(r.out)
		full := strings.Replace(a.answer, "%s", answer, 1)
		r.source = full
		r.chinese(full)
		if len(r.out) == before && len([]rune(answer)) <= 16 {
			r.say(statement{place: a.place, text: sentenceZH(strings.Replace(a.line, "%s", answer, 1)), strength: stated, ofUser: true})
		}
		return len(sentences) == 1
	}
	return false
}

// agreedZH turns a question that the user affirmed into a decision or a statement.
func (r *reader) agreedZH() {
	if m := aboutYouZH.FindStringSubmatch(r.question); m != nil {
		r.source = m[0]
		r.chinese("我" + m[1] + m[2])
		return
	}
	if m := proposalZH.FindStringSubmatch(r.offered); m != nil && !strings.Contains(m[1], "还是") && !vagueZH.MatchString(m[1]) &&
		!strings.Contains(m[1], "什么") && !strings.Contains(m[1], "哪") && !bareWeekdayZH.MatchString(m[1]) {
		text, when := datesZH(m[1], r.base)
		r.source = m[0]
		text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "就"), "直接"), "先")
		p := decisions
		if when.span != noSpan {
			p = dates
		}
		r.say(statement{place: p, text: sentenceZH("决定" + toldZH(text)), strength: stated})
	}
}
