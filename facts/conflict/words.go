package conflict

import (
	"strings"

	"reverie/language/lazyregexp"
	"reverie/language/script"
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// smallNumbers are numbers in words.
var smallNumbers = func() map[string]int {
	out := map[string]int{}
	for _, list := range []string{
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
		"ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
	} {
		for i, w := range strings.Fields(list) {
			out[w] = i + 1
		}
	}
	for i, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		out[w] = (i + 2) * 10
	}
	for i, w := range strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig") {
		out[w] = (i + 2) * 10
	}
	out["eins"] = 1
	return out
}()

// broadPlaces contain other places: a person lives in a country and in one of its cities.
var broadPlaces = set(`germany deutschland austria österreich switzerland schweiz france frankreich spain spanien italy italien portugal england britain uk
	scotland wales ireland usa us america amerika canada kanada mexico brazil china japan korea india indien australia australien europe
	europa asia asien
	bavaria bayern hessen sachsen saxony california kalifornien texas florida ontario bavarian poland polen netherlands niederlande
	belgium belgien denmark
	dänemark sweden schweden norway norwegen finland
	españa francia alemania italia portugal inglaterra suiza méxico argentina chile perú colombia allemagne espagne italie
	suisse belgique angleterre europe 中国 德国 美国 法国 英国 日本 韩国 欧洲 亚洲 加拿大 澳大利亚 新加坡 广东 浙江 江苏 四川 山东 湖北 河南 加州 广东省 浙江省 江苏省`)

// canonical maps expressions to the word that names their attribute, in the order in which they are replaced.
var canonical = func() []replacement {
	var out []replacement
	for _, line := range []string{
		`deadline=(?:have|has|need|needs) to (?:deliver|submit|hand in|finish|file|send)|deadlines?|due dates?|cut-?off(?: date)?|` +
			`submission date|(?:is |are |falls )?due(?: date)?|(?:must|has to|have to|needs to|should) be (?:done|finished|submitted|` +
			`handed in|delivered|ready|filed|in) by|abgabetermin|abgabefrist|abgabedatum|abgabeschluss|einsendeschluss|abgabe|frist|stichtag|` +
			`fällig(?:keit)?|` +
			`muss (?=bis )|截止日期|截止时间|截止日|最后期限|交付日期|提交期限|必须|务必|之?前(?:提交|完成|交付?|上交)|截止|期限|ddl`,
		`price=prices?|costs?|(?:is )?priced|sells for|goes for|kostet|kosten|preis|价格|售价|定价|价钱|卖价|费用`,
		`rent=rents?|miete|房租|租金|月租`,
		`salary=年薪|salary|salaries|earns?|wages?|paycheck|gehalt|verdien(?:e|t|st|en)|lohn|工资|月薪|薪水|薪资|收入`,
		`licence=licen[sc]es?|führerschein|驾照|驾驶证`,
		`launch=launch(?:es)?(?: date)?|release date|released|go(?:es)?[ -]live(?: date)?|going live|ships?|shipping date|roll-?out|` +
			`veröffentlichung|erscheint|` +
			`live ?gang|livegang|上线时间|上线日期|上线|发布日期|发布时间|发布|上市`,
		`weight=weighs?|weight|wieg(?:e|t|en)|gewicht|körpergewicht|体重|重量`,
		`height=(?:is )?tall|height|groß|größe|körpergröße|身高|高`,
		`wake=(?:wakes?|gets?) up|getting up|rises?|alarm(?: clock)? (?:rings|goes off)|wecker klingelt|steh(?:e|t|en)\b.*\bauf$|aufsteh(?:e|` +
			`t|en)|起床|闹钟`,
		`sleep=goes? to (?:bed|sleep)|bedtime|geh(?:e|t) (?:\S+ )*(?:ins bett|schlafen)|睡觉|上床|入睡|就寝`,
		`depart=departs?|departure(?: time)?|leaves?|takes? off|abflug|abfahrt|起飞时间|出发时间|发车时间|起飞|出发|发车`,
		`arrive=arriv(?:es?|al)|lands?|ankunft|到达|抵达`,
		`open=opens?|öffnet|开门|开始营业`,
		`close=close[sd]?|closing time|schließt|关门|打烊`,
		`end=ends?|finish(?:es)?|endet|结束`,
		`standup=stand-?ups?|daily scrum|daily stand-?up|站会|早会`,
		`appointment=appointments?|termin|预约`,
		`meeting=meetings?|besprechung|sitzung|会议|开会`,
		`version=versions?|release(?= \d)|版本号|版本`,
		`port=listens? (?:on|at)(?: port)?|lauscht auf(?: port)?|监听|ports?|端口号|端口`,
		`budget=budgets?|预算`,
		`password=passwords?|passphrase|passwort|kennwort|密码|口令`,
		`member=members?|people|persons?|headcount|mitglieder?|mitarbeiter(?:in|innen)?|employees|leute|personen|人数|成员|员工`,
		`child=children|kids?|child|kinder?|孩子|小孩|子女`,
		`like=(?:really |absolutely )?(?:likes?|loves?|enjoys?|adores?)|(?:is )?(?:a )?(?:big )?fan of|(?:is )?fond of|mag|mögen|liebt?e?|` +
			`gern(?:e)?|喜欢|爱(?=[吃喝看听玩])|热爱`,
		`car=cars?|auto|wagen|汽车|车`,
		`phone=(?:cell ?|mobile |tele)?phone(?: number)?|(?:handy|telefon|mobil)nummer|telefon|handy|电话号码|手机号码|手机号|电话|手机`,
		`email=e-?mail(?: address)?|mail(?:adresse)?|邮箱地址|邮箱|邮件地址|电子邮件`,
		`url=website|homepage|url|hostname|host|endpoint|网址|域名|主机`,
		`lead=project lead(?:er)?|team lead(?:er)?|leads?|leader|heads|headed|projektleit(?:er|erin|ung)|teamleit(?:er|erin|ung)|leit(?:et|er|` +
			`erin|ung)|负责人|组长|主管|带队`,
		`boss=boss|line manager|manager|supervisor|chefin|chef|vorgesetzter?|老板|上司|经理`,
		`favourite=favou?rite|lieblings|最喜欢的|最爱的|最喜欢|最爱`,
		`colour=colou?r|farbe|颜色`,
		`database=databases?|db|datenbank|数据库`,
		`flat=apartment|flat|wohnung|公寓|房子`,
		`doctor=doctor|gp|physician|hausarzt|hausärztin|家庭医生|医生`,
		`dentist=dentist|zahnarzt|zahnärztin|牙医`,
	} {
		word, pattern, _ := strings.Cut(line, "=")
		r := expression(pattern)
		r.word = word
		out = append(out, r)
	}
	return out
}()

// replacement replaces an expression with a word.
type replacement struct {
	word       string
	han, latin *lazyregexp.Regexp // in Chinese, and in other languages; nil: none
}

// lookahead matches conditions after an expression, which this package's expressions do not have.
var lookahead = lazyregexp.New(`\(\?=[^)]*\)`)

// expression compiles alternatives: those of letters match whole words, those of Chinese characters match anywhere.
func expression(pattern string) replacement {
	var words, han []string
	depth, from := 0, 0
	pattern = lookahead.ReplaceAllString(pattern, "")
	for i, r := range pattern + "|" {
		switch {
		case r == '(', r == '[':
			depth++
		case r == ')', r == ']':
			depth--
		case r == '|' && depth == 0:
			if p := pattern[from:i]; script.HasHan(p) {
				han = append(han, p)
			} else {
				words = append(words, p)
			}
			from = i + 1
		}
	}
	r := replacement{}
	if len(words) > 0 {
		r.latin = lazyregexp.New(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
	}
	if len(han) > 0 {
		r.han = lazyregexp.New(strings.Join(han, "|"))
	}
	return r
}

// find returns the first place of the expression in a text, Chinese or not; nil: none.
func (r replacement) find(text string, han bool) []int {
	if han && r.han != nil {
		if at := r.han.FindStringIndex(text); at != nil {
			return at
		}
	}
	if r.latin != nil && (!han || latinWord.MatchString(text)) {
		return r.latin.FindStringIndex(text)
	}
	return nil
}

// replace puts the word in the place of the expression.
func (r replacement) replace(text string, han bool) string {
	if han && r.han != nil {
		text = r.han.ReplaceAllString(text, " "+r.word+" ")
	}
	if r.latin != nil && !han {
		text = r.latin.ReplaceAllString(text, " "+r.word+" ")
	}
	return text
}

// writings reports whether an expression reads Chinese, and whether it reads anything else.
func writings(pattern string) (han, latin bool) {
	return script.HasHan(pattern), latinWord.MatchString(escapes.ReplaceAllString(pattern, ""))
}

var (
	latinWord = lazyregexp.New(`[A-Za-z]{3}`)
	escapes   = lazyregexp.New(`\\[A-Za-z](?:\{\w+\})?|\\p\{\w+\}`)
)

// idle are words that name neither a thing nor an attribute.
var idle = set(`fertig sein eingereicht exposed unter under erreichbar stored kept must muss can du you told tells said a an the this that these those its it my mine our ours your his her their i i'm i've we we're we've me us you he she they user user's users there here
	is are am be been being was were 's has have had got get gets having do does did will now currently actually still already just again
	also officially finally
	nowadays today meanwhile in on at of for to from by with about around as per per-se into onto via up down out over until till since
	and but so
	new latest current updated correct actual set scheduled planned fixed changed change moved move pushed back postponed rescheduled
	raised lowered increased decreased
	reduced upgraded downgraded bumped extended shortened brought forward switched shifted listen listens listening running run runs
	running reachable available reached
	use uses using take takes place happen happens held meet meets start starts started begin begins beginning pay pays paying paid amount
	amounts total totals comes come
	need needs lasts last total make makes consist consists number value time date day every each always usually normally generally daily
	weekly regularly roughly about
	exactly only whole located sits stands strong old amounts equals found value please note correction fact turns recently stands works
	work call
	ich mein meine meiner meinem meinen unser unsere unserem unseren unserer dein sein seine ihr ihre der die das dem den des ein eine
	einen einem einer ist sind bin war
	hat habe haben hatte wird wurde werden im am um in an auf für von vom zu zum zur bei mit bis ab seit aus nach und aber jetzt nun
	aktuell derzeit momentan eigentlich
	noch schon bereits doch immer neu neue neuer neues neuen neuerdings mittlerweile inzwischen heute verschoben geändert erhöht gesenkt
	verlegt angehoben verkürzt
	verlängert vorverlegt vorgezogen läuft lauscht hört erreichbar findet statt beginnt startet fängt beträgt liegt lautet steht zahle
	zahlt zahlen bezahle pro je
	jeden jede jedes nutzer nutzerin benutzer benutzerin gibt es wir er sie man uns mir mich dich laut stets genau insgesamt besteht alt
	auch nutzt nutzen verwendet
	geworden worden gestiegen gesunken gelegt wurden uhr wert zeit datum tag tatsächlich`)

// idleHan are the same in Chinese, longest first.
var idleHan = strings.NewReplacer(func() (pairs []string) {
	for w := range strings.FieldsSeq(`重新安排到 已经改为 运行于 运行在 运行 推迟到 延期到 提前到 调整到 调整为 安排在 更新为 更新到 升级到 升级为 修改为 变更为 增加到 减少到 提高到 降低到 设置为 设为
		推迟至 改成 改为 改到 改在 换成 换到 变成 涨到 降到 定在 定为 定于 放在 设在 目前 现在 如今 已经 最近 其实 实际上 事实上 更正 我们的 我们 咱们 我的 用户的 用户 本人 自己 已 还 正在 正 每个 这个 那个 那里 一共 总共 大概
		每次 每天 每周 每月 每年 一般 通常 开始 举行 进行 需要 使用 左右 时间 日期 时候 正好 固定 跑在 部署在 目前是 的是 是 的 了 在 为 有 到 被 把 从 我 也 就 都 要 用 于 由 于 每 号 钟 约 共 个 只 条 名 位 块 点 ， 。
	、 ： ： “ ”`) {
		pairs = append(pairs, w, "")
	}
	return pairs
}()...)

// several are things and people of which one can have more than one: two names, ages or dates of them do not exclude one another.
var several = lazyregexp.New(`(?i)\b(?:` + severalWords + `)\b|儿子|女儿|孩子|哥哥|弟弟|姐姐|妹妹|表[哥弟姐妹]|堂[哥弟姐妹]|朋友|同事|邻居|室友|舅舅|叔叔|阿姨|侄|客户|爱好`)

// additive are words that add a statement to others.
var additive = lazyregexp.New(`(?i)\b(?:also|too|as well|another|a second|a third|other|besides|additionally|in addition|one of|` +
	`either|both|some|sometimes|occasionally|` +
	`auch|außerdem|zusätzlich|weitere[rsn]?|eine? zweite[rsnm]?|andere[rsnm]?|noch ein\w*|eine[rs]? (?:der|meiner|unserer|ihrer|seiner|` +
	`von)|manchmal|` +
	`gelegentlich|ebenfalls)\b|` +
	`另一|另外|此外|还有|还会|还养|第二|第三|其中|之一|有时|偶尔|也(?:是|在|有|叫|喜欢|会|用|养)`)

// unreal are words that make a clause a wish, a plan, a doubt, a report or the past.
var unreal = lazyregexp.New(`(?i)\b(?:would|could|might|may (?:be|have|move|change|become)|maybe|perhaps|possibly|probably|if|` +
	`unless|in case|suppose|imagine|plan(?:s|ned|ning)? to|` +
	`want(?:s|ed)? to|wish(?:es)?|hop(?:es?|ing) to|consider(?:s|ing)|think(?:s|ing) (?:about|of)|dream(?:s|ing)? of|would-be|going to|` +
	`will|shall|should|used to|formerly|` +
	`previous(?:ly)?|former|back then|at the time|years? ago|months? ago|weeks? ago|last (?:year|month|week|summer|winter|spring|autumn|` +
	`fall|time|night)|yesterday|originally|` +
	`initially|in the past|as a (?:child|kid|student|teenager)|grew up|once|until (?:last|recently)|ex-\w+|before (?:that|moving|then)|` +
	`next (?:year|month)|` +
	`hypothetically|for example|e\.g\.|pretend\w*|fiction\w*|novel|joked?|asked|wonders?|says|claims?|thinks|believes|guess(?:es)?|` +
	`rumou?r\w*|allegedly|in (?:the|my) dream|` +
	`würde\w*|könnte\w*|vielleicht|möglicherweise|eventuell|wahrscheinlich|falls|wenn|wäre\w*|hätte\w*|möchte\w*|will|wollte\w*|plan(?:e|t|` +
	`en)|überleg(?:e|t|en)|hoff(?:e|t|en)|` +
	`träum(?:e|t)|wünsch(?:e|t)\w*|früher\w*|damals|ehemalig\w*|vorher|zuvor|ursprünglich|gestern|letzte[snrm]? (?:jahr|monat|woche|sommer|` +
	`winter)|vor \S+ (?:jahren|monaten|wochen)|` +
	`bis \d{4}|bis vor kurzem|als kind|aufgewachsen|einmal|einst|nächste[snr]? (?:jahr|monat)|angeblich|gerücht\w*|beispielsweise|` +
	`zum beispiel|sagt|meint|glaubt|behauptet|fragt|` +
	`gewohnt|gelebt|gearbeitet|studiert hat|wohnte\w*|lebte\w*|arbeitete\w*|hieß|kostete|ex-\w+)\b|` +
	`如果|要是|假如|假设|可能|也许|或许|大概会|打算|计划(?:去|在|搬|换|买|要)|想(?:要|去|搬|换|在|买|养|学|当)|希望|考虑|准备(?:去|搬|换|买)|将(?:要|会|来)|以后想|以前|曾经?|之前|过去|原来|原本|最初|当时|那时|` +
	`小时候|去年|前年|上周|上个?月|昨天|前天|年前|月前|[住待工作养用过]过|据说|听说|传言|认为|觉得|以为|梦见|小说|假装|明年|下个月|下半年|前任|前妻|前夫|前公司|前雇主|前同事|说过|问我|问起`)

// changing are words that say that a value has changed, or correct one.
var changing = lazyregexp.New(`(?i)\b(?:actually|correction|to correct|in fact|i was wrong|i meant|as it turns out|turns out|now|` +
	`nowadays|these days|from now on|as of (?:now|today)|` +
	`instead(?: of)?|no longer|not any ?more|any ?more|moved|relocated|switched|changed|rescheduled|postponed|pushed|shifted|` +
	`brought forward|raised|lowered|increased|decreased|reduced|` +
	`renamed|extended|upgraded|downgraded|bumped|updated|became|got (?:married|divorced|engaged)|joined|promoted|recently|just (?:started|` +
	`moved|switched|turned|got)|new|quit|left|stopped|gave up|` +
	`tatsächlich|eigentlich|korrektur|genau genommen|jetzt|nun|neuerdings|inzwischen|mittlerweile|ab sofort|statt|anstatt|nicht mehr|` +
	`umgezogen|gezogen|gewechselt|geändert|verschoben|` +
	`verlegt|vorverlegt|vorgezogen|erhöht|gesenkt|gestiegen|gesunken|angehoben|umbenannt|verlängert|aktualisiert|geworden|wurde auf|` +
	`gekündigt|aufgehört|neue[rsnm]?)\b|` +
	`其实|实际上|更正|纠正|说错了|搞错了|记错了|现在|如今|目前|改成|改为|改到|改在|换成|换到|变成|搬到|搬去|搬家|跳槽|推迟|提前|延期|调整|涨到|降到|升级到|更新为|不再|不是|最近|已经|新的?`)

// negating are negations; limited ones, such as "not always", deny nothing.
var (
	negating = lazyregexp.New(`(?i)\b(?:not|never|no|cannot|without|non-?|(?:do|does|did|is|are|was|were|ca|wo|has|have|had)n't|don't|` +
		`doesn't|isn't|can't|nobody|none|` +
		`no longer|not any ?more|any ?more|stopped|quit|gave up|has given up|nicht(?: mehr)?|kein(?:e|en|er|em|es)?(?: mehr)?|nie(?:mals)?|` +
		`aufgehört)\b|不再|不是|没有|从不|从来不|不|没|戒了|戒掉了?|戒`)
	limiting = lazyregexp.New(`(?i)(?:\bnot|n't|\bnicht) (?:always|every|only|just|all|too|very|often|really|necessarily|yet|immer|` +
		`jeden|nur|alle|sehr|oft|so|unbedingt|noch)\b|` +
		`\b(?:rarely|seldom|hardly|sometimes|except|unless|only|selten|kaum|manchmal|außer|nur)\b|不(?:总|常|太|一定|只|仅|怎么|都)|很少|偶尔|除了|只`)
	// notNegation are words in which a negation means something else.
	notNegation = strings.NewReplacer("不错", "", "不过敏", "没过敏", "不过", "", "不仅", "", "不但", "", "不少", "", "不久", "", "不锈钢", "", "没问题", "", "特别",
		"", "戒指", "", "No.", "", "no.", "")
	disliking = lazyregexp.New(`(?i)\b(?:hates?|dislikes?|detests?|loathes?|can't stand|cannot stand|hasst?e?|verabscheu\w*)\b|讨厌|反感`)
)

// events are verbs in the past: what happened once is not a lasting state.
var events = lazyregexp.New(`(?i)\b(?:ran|bought|spent|ate|drank|visited|met|saw|drove|watched|read a|finished|took|won|lost|scored|` +
	`slept|flew|went|paid|cost|ordered|booked|attended|walked|cycled|` +
	`cooked|signed up|had|sold|found|celebrated|played|studied|lived|worked|stayed|called (?:me|him|her|us)|was|were)\b|` +
	`\b(?:habe|hat|haben|bin|ist|sind|waren|war)\b.*\b(?:gekauft|gegessen|getrunken|gelaufen|gerannt|besucht|getroffen|gesehen|ausgegeben|` +
	`bezahlt|gefahren|geflogen|geschlafen|gebucht|` +
	`gewonnen|verloren|gefeiert|gegangen|gespielt|gelesen|bestellt|teilgenommen|gekostet|verkauft|gewandert)\b|\b(?:war|waren|hatte|hatten|` +
	`lief|kaufte|zahlte|traf|ging)\b|` +
	`\b(?:bezahlt|gekauft|gegessen|getrunken|gelaufen|besucht|getroffen|gesehen|ausgegeben|gebucht|bestellt|gegangen|gefahren)$|` +
	`[花买跑走吃喝看读写去见睡打骑飞订参加拜访卖赢输]了|昨晚|今早|刚才|那天`)

// passives are clauses in the past that say how things are now.
var passives = lazyregexp.New(`(?i)\b(?:was|were|been|is|are|got|has|have|wurde|wurden|ist|sind)\b.{0,40}\b(?:moved|changed|` +
	`rescheduled|postponed|pushed|shifted|brought forward|raised|lowered|increased|decreased|` +
	`reduced|renamed|set|extended|upgraded|downgraded|bumped|updated|switched|born|cancell?ed|finished|completed?|approved|accepted|` +
	`rejected|declined|denied|granted|launched|shipped|paused|suspended|called off|discontinued|scrapped|resolved|fixed|closed|merged|` +
	`paid|disabled|enabled|turned o(?:n|ff)|switched o(?:n|ff)|put on hold|eingestellt|abgeschlossen|abgebrochen|beendet|pausiert|` +
	`unterbrochen|genehmigt|abgelehnt|bewilligt|aktiviert|deaktiviert|bezahlt|behoben|gelöst|geschlossen|abgesagt|storniert|ausverkauft|` +
	`auf eis gelegt|verschoben|geändert|verlegt|vorverlegt|vorgezogen|erhöht|gesenkt|angehoben|umbenannt|festgelegt|verlängert|` +
	`aktualisiert|geboren|gewechselt|gestiegen|gesunken|gezogen|umgezogen|gelegt)\b`)

const severalWords = `sons?|daughters?|child(?:ren)?|kids?|sisters?|brothers?|siblings?|cousins?|nieces?|nephews?|uncles?|aunts?|` +
	`friends?|colleagues?|` +
	`co-?workers?|neighbou?rs?|flatmates?|roommates?|teammates?|twins?|grand(?:son|daughter|child)\w*|clients?|customers?|hobby|hobbies|` +
	`goals?|languages spoken|allergy|` +
	`tochter|töchter|sohn|söhne|kind(?:er)?|schwester|bruder|geschwister|cousine?|nichte|neffe|onkel|tante|freundin|freunde?|kolleg(?:e|in|` +
	`en)|nachbar(?:in)?|enkel\w*|hobbys?|` +
	`kunde|kundin|hij[oa]s?|hermanas?|hermanos?|frères?|s?œurs?|soeurs?|amis?|amies?|amig[oa]s?|tí[oa]s|(?:mi|su) (?:tía|prim[oa])|oncle|` +
	`collègues?|compañer[oa]s?|voisine?s?|vecin[oa]s?|enfants?|fils|filles?|neveux?|nièces?|sobrin[oa]s?|niet[oa]s?|copains?|copines?`

// stems returns a set of words as wordsOf returns them.
func stems(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[stemOf(w)] = true
	}
	return out
}

// isSeveral reports whether words name somebody or something of which one may have several.
func isSeveral(text string) bool { return several.MatchString(oneFriend.Replace(text)) }

var oneFriend = strings.NewReplacer("女朋友", "", "男朋友", "")
