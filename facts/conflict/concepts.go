package conflict

import (
	"slices"
	"strings"

	"reverie/language/claim"
	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// relation reads an attribute that people and things have one of at a time: the first group of the pattern is the subject, the last one
// the value.
type relation struct {
	attribute string
	pattern   *lazyregexp.Regexp
	value     func(text string) (value, bool)
}

// Attributes of persons. A statement about the user's is about nobody else's.
const (
	home     = "home"
	employer = "employer"
	job      = "job"
	age      = "age"
	name     = "name"
	origin   = "origin"
	phone    = "phone"
	email    = "email"
	school   = "school"
	vehicle  = "vehicle"
	birthday = "birthday"
	height   = "height"
	weight   = "weight"
)

const (
	adverbsEN = `(?:(?:now|currently|together|alone|again|full[- ]time|part[- ]time|remotely|mostly|since \S+(?: \d{4})?|` +
		`with (?:\S+ ){1,3}?|presently|right now|over) )*`
	adverbsDE = `(?:(?:jetzt|nun|aktuell|derzeit|momentan|inzwischen|mittlerweile|wieder|allein|zusammen|fest|seit \S+(?: \d{4})?|` +
		`mit (?:\S+ ){1,3}?|zurzeit|zur Zeit) )*`
)

// relations are in the order in which they are tried. A clause states one of them.
var relations = []relation{
	// Where somebody lives.
	{home, lazyregexp.New(`^(.*?)(?:的)?(?:家庭住址|现住址|住址|现?居住地址?|居住城市|所在城市|所在地|常住地|现居地|现居|居住|城市|地址|住处)\s*[:：]\s*([^，,。]+)$`), place},
	{home, lazyregexp.New(`^(.*?)\b(?i:lives?|living|resides?|residing|settled(?: down)?|based|located|rents? an? (?:flat|apartment|` +
		`house|room|place)) ` + adverbsEN + `(?i:in|at|on) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)\b(?i:moved|relocated) ` + adverbsEN + `(?i:(?:back|over|house|home|` +
		`away) )?(?i:from \S+(?: \S+)? )?(?i:to|into) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?i:\b(?:home address|address|home|residence|place of residence|flat|apartment|house)(?: is|` +
		`:)?(?: now| currently| located)*(?: in| at| on)?) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?i:\b(?:city|town|hometown|location)(?: of residence)?(?: is|:)) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)\b(?i:wohn(?:e|t|en|haft)|leb(?:e|t|en)|zu ?hause(?: ist| bin)?|` +
		`daheim) ` + adverbsDE + `(?i:in der|in|auf der|an der|am|im) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?i:\b(?:bin|ist|sind|zog|zogen) (?:.{0,40}? )?(?:von \S+ )?(?:nach|in die|` +
		`in den)) (.+?)(?i: (?:um)?gezogen)?$`), placeMovedDE},
	{home, lazyregexp.New(`^(.*?)(?i:\b(?:wohnanschrift|anschrift|wohnadresse|adresse|wohnort|wohnsitz|zuhause|wohnung)(?: ist| lautet|` +
		` liegt|:)?(?: jetzt| nun)?(?: in der| in| am| auf der| an der)?) (.+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?:现在|目前|一直|长期)?(?:居住在|居住于|住在|住|定居在?|现居|常住|租住在|租房在)([^，,。]+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?:从\S{2,5}?)?(?:搬家?到了?|搬去了?|搬回了?|搬进了?|搬至)([^，,。]+)$`), place},
	{home, lazyregexp.New(`^(.*?)(?:的)?(?:家庭住址|住址|地址|居住地|住处|现住址|家)(?:是|在|：|:|为|位于)([^，,。]+)$`), place},
	// Who employs somebody.
	{employer, lazyregexp.New(`^(.*?)\b(?i:works?|working|employed|job|position|employee) ` + adverbsEN + `(?i:at|for|by|with|` +
		`of) (.+)$`), company},
	{employer, lazyregexp.New(`^(.*?)\b(?i:joined|(?:started|starts|got|took|accepted)(?: working| a job| a new job| a position|` +
		` the job)? (?:at|with|for)|switched (?:jobs )?(?:from \S+ )?to|(?:hired|recruited) by) (.+)$`), company},
	{employer, lazyregexp.New(`^(.*?)(?i:\b(?:(?:been|is|am|'m|are) (?:now |currently )?with|(?:is|am|'m|are) (?:now|currently) (?:at|` +
		`with))) (\p{Lu}.*)$`), company},
	{employer, lazyregexp.New(`^(.*?)(?i:\b(?:employer|company|workplace)(?: is|:)(?: now)?) (.+)$`), company},
	{employer, lazyregexp.New(`^(.*?)\b(?i:arbeit(?:e|et|en)|angestellt|beschäftigt|jobbe|jobbt|tätig|stelle|` +
		`job) ` + adverbsDE + `(?i:als \S+ )?(?i:bei der|beim|bei|für die|für) (.+?)(?i: angestellt| beschäftigt| tätig)?$`), company},
	{employer, lazyregexp.New(`^(.*?)\b(?i:bin|ist|habe|hat) ` + adverbsDE + `(?i:zu|zur|zum|bei|bei der) (.+?)(?i: gewechselt|` +
		` angefangen| angestellt| beschäftigt)$`), company},
	{employer, lazyregexp.New(`^(.*?)(?i:\b(?:arbeitgeber|firma|arbeitsplatz)(?: ist| heißt|:)(?: jetzt| nun)?) (.+)$`), company},
	{employer, lazyregexp.New(`^(.*?)(?:现在|目前)?(?:就职于|任职于|供职于|受雇于|效力于|入职了?|加入了?|跳槽到了?|跳槽去了?|换到了?)([^，,。]+)$`), company},
	{employer, lazyregexp.New(`^(.*?)(?:现在|目前)?(?:在|给|为)([^，,。]{2,16}?)(?:工作|上班|任职|就职|打工|做事|当\S{2,6}|做[^，,。饭]{2,8})$`), company},
	{employer, lazyregexp.New(`^(.*?)(?:的)?(?:公司|雇主|工作单位|单位)(?:是|叫|：|:|为)([^，,。]+)$`), company},
	// What somebody does.
	{job, lazyregexp.New(`^(.*?)\b(?i:works? as|working as|employed as|job is|profession is|occupation is|job:|occupation:|` +
		`profession:) (?i:an? |the )?([a-z][\p{L} -]{2,30})$`), word},
	{job, lazyregexp.New(`^(.*?)\b(?i:became|promoted to|is|am|'m|are) (?i:now |currently )?(?i:an? |` +
		`the )?((?:\p{L}+ ){0,2}(?i:engineer|developer|teacher|nurse|doctor|lawyer|designer|accountant|chef|architect|journalist|` +
		`pilot|electrician|pharmacist|scientist|analyst|consultant|photographer|librarian|plumber|baker|carpenter|programmer|translator|` +
		`manager|student|nurse|physiotherapist|barista|waiter|firefighter))(?i: by profession)?$`), word},
	{job, lazyregexp.New(`^(.*?)(?i:\barbeit(?:e|et) (?:jetzt |derzeit )?als|\b(?:beruf|job)(?: ist|:)|\bbin von beruf|` +
		`\bist von beruf) (.+)$`), word},
	{job, lazyregexp.New(`^(.*?)(?i:\b(?:bin|ist)) (?i:jetzt |inzwischen )?(?:ein(?:e)? )?(\p{L}+) (?i:von beruf)$`), word},
	{job, lazyregexp.New(`^(.*?)(?:的)?(?:职业是|职业：|工作是|职务是|职位是|岗位是|是一名|是一位|是个|当上了?|担任)([^，,。]+)$`), word},
	// How old somebody is.
	{age, lazyregexp.New(`^(.*?)\b(?i:is|'s|turned|turns|age:?|aged|am|'m|are|just turned|has turned|age is) (?i:now |already |` +
		`currently )?(\d{1,3})(?i:[ -]years?[ -]olds?| years of age| years| yo| now| already)?(?i: now)?(?i: (?:in|on|this|` +
		`last) .{1,20})?$`), years},
	{age, lazyregexp.New(`^(.*?)\b(?i:bin|ist|wird|werde|alter:?|alter ist|sind) (?i:jetzt |schon |inzwischen |gerade |` +
		`nun )?(\d{1,3})(?i: jahre?(?: alt)?| geworden)?(?i: geworden)?$`), years},
	{age, lazyregexp.New(`^(.*?)(?:的)?(?:今年|年龄是|年龄：|年龄|已经|现在|刚满|满|是)?\s*(\d{1,3})\s*岁了?$`), years},
	{age, lazyregexp.New(`^(.*?)(?:的)?年龄(?:是|：|为)?\s*(\d{1,3})$`), years},
	// Names of people and animals.
	{name, lazyregexp.New(`^(.*?)(?:的)?(?:姓名|名字|全名)\s*[:：]\s*([^，,。]{1,12})$`), proper},
	{name, lazyregexp.New(`^(.*?)(?i:(?:'s)? name(?: is|:|'s)(?: now)?|\b(?:is|are|am|'m|was)(?: now)? (?:called|named)|\bgoes by|` +
		`\bresponds to) (.+)$`), proper},
	{name, lazyregexp.New(`^(?i:the )?(?i:name of )(.*?)(?i: is) (.+)$`), proper},
	{name, lazyregexp.New(`^(.*?)\b(?i:heiß(?:e|t|en)|nennt sich|hört auf den namen)(?i: jetzt| nun| eigentlich|` +
		` übrigens)? (.+)$`), proper},
	{name, lazyregexp.New(`^(?i:der |mein |die )?(?i:name)(?i: (?:meine[rs]?|unsere[rs]?|von|der|des))?(.*?)(?i: ist| lautet|` +
		`:) (.+)$`), proper},
	{name, lazyregexp.New(`^(.*?)(?:的)?(?:名字是|名字叫做?|名字：|名叫|名为|叫做|叫|改名为|改名叫|姓名是|姓名：)([^，,。]{1,12})$`), proper},
	{name, lazyregexp.New(`^.*?\b(?i:named|nannten|call) ((?i:our|my|his|her|the|unseren?|meinen?) \p{L}+) (\p{Lu}\p{L}+)$`), proper},
	// Where somebody comes from.
	{origin, lazyregexp.New(`^(.*?)\b(?i:(?:is|am|'m|are|comes?|hails?)(?: originally)? from|hometown is|born in|was born in|` +
		`nationality is|nationality:) (.+)$`), place},
	{origin, lazyregexp.New(`^(.*?)\b(?i:komm(?:e|t)(?: ursprünglich)? aus|stamm(?:e|t)(?: ursprünglich)? aus|geburtsort ist|` +
		`heimatstadt ist|bin in|ist in) (.+?)(?i: geboren)$`), place},
	{origin, lazyregexp.New(`^(.*?)\b(?i:komm(?:e|t)(?: ursprünglich)? aus|stamm(?:e|t)(?: ursprünglich)? aus|geburtsort ist|` +
		`heimatstadt ist) (.+)$`), place},
	{origin, lazyregexp.New(`^(.*?)(?:来自|老家是|老家在|籍贯是|家乡是|家乡在|出生在|国籍是)([^，,。]+)$`), place},
	// How somebody is reached.
	{phone, lazyregexp.New(`^(.*?)(?i:\b(?:(?:cell|mobile|tele|work|home)?\s?-?phone(?: number)?|mobile|cell|number|call (?:me|him|her|` +
		`them)|reach(?:able|ed)?(?: me| him| her| them)?|handynummer|telefonnummer|mobilnummer|` +
		`telefon|handy|nummer|rufnummer|erreichbar|erreichst(?: du)?(?: mich| ihn| sie)?|anrufen)\b|电话号码|手机号码|手机号|电话|手机|` +
		`号码).*?(\+?\d(?:[ \-/()]{0,2}\d){4,}).*$`), digits},
	{phone, lazyregexp.New(`^(?i:you can |you |please )?(?i:call|reach|phone|ring|text) (.+?) (?i:on|at|under|` +
		`via) (\+?\d(?:[ \-/()]{0,2}\d){4,}).*$`), digits},
	{email, lazyregexp.New(`^(.*?)(?i:\b(?:e-?mail(?:s)?(?: address)?|mail(?:adresse)?|e-mail-adresse|write to|write|schreib)\b|邮箱地址|` +
		`邮箱|邮件地址|电子邮件|邮件).*?([\w.+-]+@[\w-]+(?:\.[\w-]+)+).*$`), address},
	{phone, lazyregexp.New(`^()(?i:ruft? mich unter|请?打我的?电话).*?(\+?\d(?:[ \-/()]{0,2}\d){4,}).*$`), digits},
	{"room", lazyregexp.New(`^(.*?)(?i:\b(?:in|im) (?:room|raum|zimmer|saal|hall)) ([\w.-]{1,8})$`), word},
	{"room", lazyregexp.New(`^(.*?)在([\w.-]{1,8})(?:号)?(?:房间|会议室|教室)(?:开会|上课|见面)?$`), word},
	// What else people have one of.
	{school, lazyregexp.New(`^(.*?)\b(?i:stud(?:y|ies|ying) (?:\S+ ){0,3}?at|attends?|goes to school at|studier(?:e|` +
		`t) (?:\S+ ){0,3}?an der|enrolled at) (.+)$`), company},
	{school, lazyregexp.New(`^(.*?)\b(?i:goes to|go to|attends?|school is|geht auf (?:die|das)|besucht (?:die|das)|schule ist (?:die|` +
		`das)) (.*(?i:school|high|elementary|college|university|academy|schule|gymnasium|kindergarten|kita))$`), word},
	{school, lazyregexp.New(`^(.*?)(?:在|就读于|上)([^，,。]{1,8}?(?:中|小学|中学|学校|幼儿园))(?:读书|上学|学习)?$`), word},
	{"subject of study", lazyregexp.New(`^(.*?)\b(?i:stud(?:ies|ying)|study|major(?:s|ing)? (?:in|is)|studiert|studiere|` +
		`studienfach ist) ([\p{L} ]{4,30})$`), word},
	{"subject of study", lazyregexp.New(`^(.*?)(?:的)?(?:专业是|主修|攻读|学的是|读的是)([^，,。]+)$`), word},
	{school, lazyregexp.New(`^(.*?)(?:在|就读于)([^，,。]{2,12}?(?:大学|学院|中学|小学))(?:读书|上学|学习|读研|念书)?$`), word},
	{vehicle, lazyregexp.New(`^(.*?)(?i:\b(?:car|auto|wagen)(?: is| ist|:)|的车是)(?i: now| jetzt)?(?i: an?| eine?)? ?(.+)$`), proper},
	{vehicle, lazyregexp.New(`^(.*?)\b(?i:drives?|fähr(?:t|e)|fahre)(?i: now| jetzt| currently)? (?i:an? |einen? )(.+)$`), proper},
	{vehicle, lazyregexp.New(`^(.*?)(?:现在)?开(?:的是)?(?:一?辆)?((?:特斯拉|比亚迪|宝马|奔驰|丰田|本田|大众|奥迪|蔚来|理想|小鹏|别克|福特)\S{0,6})$`), word},
	{"mother tongue", lazyregexp.New(`^(.*?)(?i:\b(?:native language|mother tongue|first language|muttersprache)(?: is| ist|:)|` +
		`母语是) ?(.+)$`), word},
	{"shoe size", lazyregexp.New(`^(.*?)(?i:\b(?:shoe size|schuhgröße)(?: is| ist|:)?|\bwears? (?:shoe )?size|鞋码是?|` +
		`穿)\s?(\d{2}(?:[.,]5)?)(?:码|号)?(?i:.{0,10}shoes?)?$`), quantity},
	{"blood type", lazyregexp.New(`^(.*?)(?i:\b(?:blood type|blood group|blutgruppe)(?: is| ist|:)?|血型是?) ?(AB|A|B|O|0)\b.*$`), word},
	{height, lazyregexp.New(`^(.*?)\b(?i:is|'m|am|are|'s|bin|ist|measures) (\d[\d.,]* ?(?:m|cm|meters?|metres?|feet|ft|Meter|` +
		`Zentimeter))(?i: tall| high| groß)$`), quantity},
	{height, lazyregexp.New(`^(.*?)(?i:\b(?:height|körpergröße|größe)(?: is| ist|:| beträgt)?|身高(?:是|有)?) ?(\d[\d.,]* ?(?:m\b|cm|米|厘米|` +
		`meters?|Meter)).*$`), quantity},
	{weight, lazyregexp.New(`^(.*?)(?i:\b(?:weighs?|weight(?: is|:)?|wieg(?:e|t)|gewicht(?: ist|:| beträgt)?)|体重(?:是|有)?|重)(?i: now|` +
		` about| jetzt)? ?(\d[\d.,]* ?(?:kg|kilos?|lbs?|pounds|g|gramm|公斤|斤|千克|Kilo)\b?).*$`), quantity},
	{birthday, lazyregexp.New(`^(.*?)(?i:(?:'s)? (?:birthday|date of birth|birth date)(?: is|:)?(?: on)?|\b(?:was |is )?born(?: on|` +
		` in)?|\bgeburtstag\b(?: ist|:| habe ich| hat \S+)?(?: am)?|\bgeboren(?: am| wurde ich am)?|` +
		`(?:的)?生日(?:是|在|：)?|出生于|生于) ?(.+)$`), birthDate},
	{birthday, lazyregexp.New(`^(.*?)(?i:\b(?:habe|hat|bin|ist|wurde) (?:ich |sie |er )?(?:am|im jahr)?) ?(.+?) (?i:geburtstag|` +
		`geboren)$`), birthDate},
}

// written holds the writings that each of relations reads: Chinese, and any other.
var written = func() (out [][2]bool) {
	for _, rel := range relations {
		han, latin := writings(rel.pattern.String())
		out = append(out, [2]bool{han, latin})
	}
	return out
}()

// romance reads an attribute of a person in French or Spanish.
func (r *reader) romance(text string) bool {
	p, ok := claim.Romance(text)
	if !ok {
		return false
	}
	v, known := map[string]func(string) (value, bool){home: place, employer: company, name: proper, age: years}[p.Attribute]
	if !known || isSeveral(p.Subject) || startsIndefinite.MatchString(p.Subject) {
		return known
	}
	read, ok := v(p.Value)
	subject, named := r.who(p.Subject)
	if ok && named {
		r.changed = r.changed || p.Changed
		r.add(p.Attribute, subject, read)
	}
	return true
}

// person reads an attribute of a person. Where one lives or works part of the time excludes nothing.
func (r *reader) person(text string) bool {
	han := script.HasHan(text)
	partly := date.HoldsPartly(text)
	for i, rel := range relations {
		if han && !written[i][0] || !han && !written[i][1] {
			continue
		}
		m := rel.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		v, ok := rel.value(strings.TrimSpace(m[len(m)-1]))
		if !ok {
			continue
		}
		subject, ok := r.who(m[1])
		if !ok {
			if isSeveral(m[1]) {
				return true
			}
			continue
		}
		if rel.attribute == name && startsIndefinite.MatchString(m[1]) {
			return true
		}
		if rel.attribute == age && !aged.MatchString(text) && thing.MatchString(m[1]) {
			continue
		}
		if partly && (rel.attribute == home || rel.attribute == employer) {
			return true
		}
		r.add(rel.attribute, subject, v)
		if last := len(r.claims) - 1; rel.attribute != birthday && last >= 0 {
			r.claims[last].Year = intOf(yearNamed.FindString(text))
		}
		return true
	}
	return !han && r.romance(text)
}

var (
	// aged matches an age with its unit. Without it, only people are aged: anything with an article is a thing.
	aged  = lazyregexp.New(`(?i)years?|jahre|岁|\bage|turned|geworden|alter`)
	thing = lazyregexp.New(`(?i)\b(?:the|our|der|die|das|unser|unsere|version|port|limit|budget|number|size|score|rank|\w+-\w+)\b`)
)

var startsIndefinite = lazyregexp.New(`(?i)(?:^|\b(?:have|has|got|habe|hat|owns?) )(?:an?|ein(?:e|en)?) |有一?[个只条位]|养了?一?[只条]`)

// tails end a name.
var (
	tailEN = lazyregexp.New(`(?i)[,;]|\s(?:and|but|because|since|for|with|where|which|who|when|while|as|after|until|near|so|these|now|` +
		`again|together|full|part|in \d{4}|last|next|every|on|from|by|to|seit|mit|und|aber|als|zusammen|wo|` +
		`angestellt|beschäftigt|tätig|im|umgezogen|gezogen|jetzt|these days|by now|instead|anymore|not|nicht|nowadays|permanently|` +
		`remotely)\b.*$|\s[-–(\[].*$`)
	tailZH = lazyregexp.New(`(?:工作|上班|生活|居住|住了?|去了|来了|去|来|了|吧|呢|啊|做.*|当.*|担任.*)$`)
	titles = lazyregexp.New(`(?i)^(?:the|a|an|der|die|das|den|dem|einer|eine|mr|mrs|ms|dr|prof|herr|frau|der firma|firma|company)\b\.?\s*`)
)

// trimmed returns a value without what follows a name.
func trimmed(text string) string {
	if script.HasHan(text) {
		return strings.Trim(tailZH.ReplaceAllString(strings.TrimSpace(text), ""), " 。，,.：:")
	}
	if at := tailEN.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	return strings.Trim(text, ` .,;:!'"`)
}

func folded(text string) string {
	text = titles.ReplaceAllString(strings.ToLower(text), "")
	return claim.Claim{Value: text}.Town()
}

// startsUpper matches the first word of a name, or a number of a house in front of it.
var startsUpper = lazyregexp.New(`^(?:\d+\w? )?(?:the |der |die |das |den |dem )?\p{Lu}`)

// proper reads a name.
func proper(text string) (value, bool) {
	text = trimmed(text)
	if !script.HasHan(text) && (!startsUpper.MatchString(text) || strings.Count(text, " ") > maxName) || text == "" {
		return value{}, false
	}
	return value{Kind: kindName, Text: folded(text)}, true
}

const maxName = 4

// inCity matches an address with the city after it.
var inCity = lazyregexp.New(`^(.+?)(?:,| in) (\p{Lu}[\p{L} -]+)$`)

// street matches an address within a place.
var street = lazyregexp.New(`(?i)\d|str(?:asse|aße|\.)?\b|\b(?:street|st\.|road|rd\.?|avenue|ave\.?|lane|drive|square|weg|allee|` +
	`platz|gasse)\b|[路街巷弄号]`)

// says matches a clause, which is not a place: "Aurich has 2 windows".
var says = lazyregexp.New(`(?i)\s(?:has|have|had|is|are|was|were|hat|haben|ist|sind|war)\s`)

func place(text string) (value, bool) {
	if says.MatchString(text) {
		return value{}, false
	}
	if m := inCity.FindStringSubmatch(text); m != nil && street.MatchString(m[1]) {
		text = m[2]
	}
	if words := strings.Fields(text); len(words) > 0 && lowerPlace[strings.ToLower(words[0])] {
		return value{}, false
	}
	v, ok := proper(text)
	if values, _ := valuesOf(v.Text); slices.ContainsFunc(values,
		func(v value) bool { return v.Kind != kindNumber && v.Kind != kindDate || v.Date[1] > 0 }) {
		return value{}, false
	}
	if ok && street.MatchString(v.Text) {
		v.Unit = "street"
		v.Kind = "street"
	}
	return v, ok && !tools[v.Text]
}

// placeMovedDE reads where somebody has moved, of clauses that end so in German.
func placeMovedDE(text string) (value, bool) {
	if strings.Contains(text, " ") && !startsUpper.MatchString(text) {
		return value{}, false
	}
	return place(text)
}

var lowerPlace = set(`my our his her the-cloud mein meinem meiner unser unserem office büro`)

// tools are software that teams move to without moving house.
var tools = set(`postgres postgresql mysql sqlite kubernetes docker aws azure gcp linux python rust go java typescript slack notion vim emacs jira linear github gitlab teams zoom`)

// company reads who somebody works for.
func company(text string) (value, bool) {
	if script.HasHan(text) {
		t := trimmed(text)
		if t == "" || cities[t] || broadPlaces[t] || atPlaces.MatchString(t) {
			return value{}, false
		}
		return value{Kind: kindName, Text: strings.TrimSuffix(folded(t), "公司")}, true
	}
	if m := definite.FindString(text); m != "" && !clubs.MatchString(m) && !strings.Contains(m, "office") {
		return value{Kind: kindName, Text: folded(m)}, true
	}
	v, ok := proper(text)
	return v, ok && !cities[v.Text] && !clubs.MatchString(text)
}

var (
	// definite matches who employs somebody without a name: the railway.
	definite = lazyregexp.New(`^the [a-z]+(?: [a-z]+){0,2}$`)
	clubs    = lazyregexp.New(`(?i)\b(?:club|choir|band|team|group|society|association|gym|party|league|orchestra|course|class|verein|` +
		`chor)\b`)
	atPlaces = lazyregexp.New(`家|办公室|远程|咖啡馆|晚上|早上|周|楼`)
	cities   = set(`北京 上海 深圳 广州 杭州 南京 成都 武汉 西安 苏州 天津 重庆 厦门 青岛 长沙 香港 台北 berlin munich hamburg cologne vienna zurich london paris frankfurt beijing shanghai`)
)

// word reads a value in any words.
func word(text string) (value, bool) {
	text = folded(trimmed(text))
	text = regexpArticles.ReplaceAllString(text, "")
	return value{Kind: kindName, Text: text}, text != "" && !freelance[text]
}

var (
	regexpArticles = lazyregexp.New(`^(?i:an?|the|ein(?:e|en)?|der|die|das|一个|一名|一位)\s*`)
	freelance      = set(`remotely hard late full-time part-time together`)
)

func years(text string) (value, bool) {
	n := intOf(text)
	return value{Kind: kindNumber, Number: float64(n), Exact: true, Unit: "years"}, 0 < n && n < 120
}

func digits(text string) (value, bool) {
	d := strings.TrimLeft(notDigits.ReplaceAllString(text, ""), "0")
	return value{Kind: kindPhone, Text: d}, len(d) >= 4
}

func address(text string) (value, bool) {
	return value{Kind: kindAddress, Text: strings.ToLower(text)}, true
}

// only returns the only value of one type in a text.
func only(text string, k kind) (value, bool) {
	values, _ := valuesOf(text)
	if len(values) == 1 && values[0].Kind == k {
		return values[0], true
	}
	return value{}, false
}

func quantity(text string) (value, bool) { return only(text, kindNumber) }

func birthDate(text string) (value, bool) {
	if v, ok := only(text, kindDate); ok {
		return v, true
	}
	if n := intOf(strings.TrimRight(strings.TrimSpace(text), "年 ")); 1900 < n && n < 2100 {
		return value{Kind: kindDate, Date: [3]int{n, 0, 0}}, true
	}
	return value{}, false
}

// group is a set of states that exclude one another: a thing is in one at a time.
type group struct {
	name   string
	person bool // people are in such states
	states []replacement
}

// lookups match one state of a group, as said of a subject.
var groups = []group{
	{"marital status", true, states(
		`single=single|unmarried|ledig|unverheiratet|单身|未婚|没结婚`,
		`married=married|verheiratet|已婚|结婚|成家`, `engaged=engaged|verlobt|订婚`, `divorced=divorced|geschieden|离婚|离异`, `widowed=widowed|`+
			`verwitwet|丧偶`,
		`separated=separated|getrennt|分居`, `partnered=in a (?:committed |long-term )?relationship|vergeben|in einer (?:festen )?beziehung|恋爱中|`+
			`有(?:女|男)朋友`)},
	{"diet", true, states(
		`vegan=vegan|veganer(?:in)?|纯素食?者?|严格素食|吃纯素`, `vegetarian=vegetarian|vegetarier(?:in)?|vegetarisch|素食者|素食主义者|素食|`+
			`吃素`, `pescatarian=pescatarian|pescetarier(?:in)?`,
		`omnivore=omnivore|eats? (?:meat|everything|fish and meat|steak)|meat[- ]eater|fish and meat|fisch und fleisch|ess?e? (?:alles|`+
			`fleisch|gerne fleisch)|isst (?:alles|fleisch|gerne fleisch)|吃肉|吃鱼和肉|什么都吃|肉食|吃荤`)},
	{"smoking", true, states(`yes=smokes?|smoker|rauche?t?|raucher(?:in)?|抽烟|吸烟|烟民`, `no=non-?smoker|(?:do|does)(?:n't| not) smoke|`+
		`nichtraucher(?:in)?|rauche?t? nicht(?: mehr)?|no longer smokes?|(?:quit|stopped|gave up) smoking|不抽烟|不吸烟|戒烟了?`)},
	{"handedness", true, states(`left=left-handed|linkshänder(?:in)?|左撇子|左利手`, `right=right-handed|rechtshänder(?:in)?|右撇子|右利手`)},
	{"rhythm", true, states(`early=(?:a |an )?(?:morning person|early bird|early riser)|frühaufsteher(?:in)?|morgenmensch|早起的人|`+
		`早睡早起`, `late=(?:a )?(?:night owl|late riser|night person)|nachteule|langschläfer(?:in)?|nachtmensch|夜猫子`)},
	{"place of work", true, states(`remote=works? (?:fully )?(?:remotely|from home|remote)|arbeite?t? (?:komplett )?(?:im homeoffice|`+
		`von zu ?hause|remote)|远程办公|在家办公|在家工作`,
		`office=works? (?:\S+ )?(?:in|from) the office|arbeite?t? (?:\S+ )?im büro|在办公室(?:上班|工作|办公)|坐班`)},
	{"working time", true, states(`full=works? full[- ]time|arbeite?t? (?:in )?vollzeit|全职`, `part=works? part[- ]time|`+
		`arbeite?t? (?:in )?teilzeit|兼职`)},
	{"retirement", true, states(`yes=retired|in rente|pensioniert|im ruhestand|退休`)},
	{"status", false, states(
		`planned=(?:still )?(?:being planned|in planning|not (?:yet )?started|planned|in der planung|noch nicht begonnen|noch nicht gestartet|`+
			`geplant)|规划中|筹备中|尚未开始|还没开始|未启动`,
		`active=(?:in progress|under way|underway|in development|in active development|active|ongoing|in arbeit|aktiv|in entwicklung|`+
			`läuft noch|läuft weiter)|进行中|开发中|正在进行|正在开发|推进中`,
		`paused=(?:on hold|paused|suspended|frozen|on ice|auf eis(?: gelegt)?|pausiert|gestoppt|stopped|halted|ruht|ausgesetzt|unterbrochen)|`+
			`暂停|搁置|中止`,
		`cancelled=(?:cancell?ed|called off|scrapped|abandoned|dropped|discontinued|abgebrochen|eingestellt|abgesagt|gestrichen|storniert)|取消|`+
			`终止|放弃`,
		`done=(?:done|finished|complete|completed|wrapped up|shipped|launched|live|abgeschlossen|fertig|beendet|erledigt|fertiggestellt)|已完成|`+
			`完成|结束|已上线`,
		`blocked=(?:blocked|stuck|blockiert)|受阻|卡住`)},
	{"schedule", false, states(`late=(?:delayed|behind schedule|late|verspätet|in verzug|hinter dem zeitplan)|延误|落后于计划|`+
		`滞后`, `on time=(?:on track|on schedule|on time|im zeitplan|im plan|pünktlich)|按计划|进度正常|准时`)},
	{"switch", false, states(`on=(?:enabled|turned on|switched on|activated|on|aktiviert|eingeschaltet|an)|已启用|启用|开启|打开`, `off=(?:disabled|`+
		`turned off|switched off|deactivated|off|deaktiviert|ausgeschaltet|abgeschaltet|aus)|已禁用|禁用|关闭|停用`)},
	{"access", false, states(`public=(?:public|open source|open-source|öffentlich)|公开|开源`, `private=(?:private|internal|closed source|`+
		`privat|intern)|私有|内部|闭源|不公开`)},
	{"result", false, states(`approved=(?:approved|accepted|granted|genehmigt|angenommen|bewilligt)|已批准|批准|通过`, `rejected=(?:rejected|`+
		`declined|denied|turned down|abgelehnt|zurückgewiesen)|被拒绝?|驳回|没通过|未通过|拒绝`,
		`pending=(?:pending|under review|in review|in prüfung|ausstehend)|审核中|待审批|审批中`)},
	{"issue", false, states(`open=(?:open|still open|unresolved|offen|ungelöst)|未解决|还没解决`, `closed=(?:closed|resolved|fixed|merged|solved|`+
		`geschlossen|gelöst|behoben)|已解决|解决了?|已修复|修复了?|已合并`)},
	{"payment", false, states(`paid=(?:paid|settled|bezahlt|beglichen)|已付款?|已支付|付清`, `unpaid=(?:unpaid|outstanding|overdue|unbezahlt|`+
		`überfällig|noch offen)|未付款?|未支付|欠款`)},
	{"availability", false, states(`yes=(?:available|in stock|verfügbar|vorrätig|lieferbar)|有货|现货`, `no=(?:sold out|out of stock|`+
		`unavailable|ausverkauft|vergriffen|nicht verfügbar)|缺货|售罄|卖完`)},
	{"price class", false, states(`free=(?:free|free of charge|for free|kostenlos|gratis|umsonst)|免费`, `paid=(?:paid only|chargeable|`+
		`kostenpflichtig|not free)|收费|付费`)},
}

// copulas connect a subject and its state.
const copulas = `(?i:\b(?:is|are|am|'m|'s|'re|has been|have been|got|became|turned|went|became|follows?|ernährt sich|ernähre mich|liegt|` +
	`steht|remains?|stays?|was|were|been|bin|ist|sind|wurde|wird|bleibt|habe|hat)\b|[:：])`

func states(lines ...string) (out []replacement) {
	for _, line := range lines {
		state, pattern, _ := strings.Cut(line, "=")
		r := expression(pattern)
		r.word = state
		out = append(out, r)
	}
	return out
}

var copulaBefore = lazyregexp.New(copulas)

// innerWords may surround a state.
var innerWords = lazyregexp.New(`(?i)^(?:\s|\b(?:now|currently|still|already|happily|newly|officially|finally|again|just|a|an|` +
	`strict|strictly|fully|completely|mostly|temporarily|put|jetzt|aktuell|derzeit|noch|immer|` +
	`seit|wieder|glücklich|frisch|inzwischen|nun|strikt|streng|strenge?r?|komplett|eine?|gesund|ich|mich|worden|since|by|default|\d{4}|` +
	`gelegt|indefinitely|vorerst|for|until|further|notice|as|of|today|this|week|heute|` +
	`permanently|years|months|yrs|long|time|overall|diet|person|person|in|is|am|on|the|a|all|well|year|weiterhin|gerade|wurde|und|zur|Zeit|` +
	`zurzeit|momentan)\b)*(?:\b(?:in|since|on|im|seit|am|for|last|this|to|with|mit) .{1,20})?$`)

var innerHan = strings.NewReplacer("现在", "", "目前", "", "已经", "", "已", "", "正在", "", "正", "", "仍然", "", "还", "", "是", "", "了", "", "处于",
	"", "状态", "", "被", "", "一个", "", "个", "", "的", "",
	"人", "", "是一名", "", "者", "", "主义", "", "者了", "", "一名", "", "一位", "", "目前处于", "", "刚", "", "都", "", "只", "", "中", "", " ", "", "在", "",
	"我", "", "每天", "", "经常", "", "平时", "", "名", "")

func undenied(text string) string { return denials.ReplaceAllString(text, " ") }

var denials = lazyregexp.New(`(?i)n't\b|\b(?:do|does|did)(?:n't)?\b|\b(?:not|no longer|never|nicht(?: mehr)?|kein(?:e|en|er)?)\b|不是|` +
	`没有|不|没`)

// state reads which state of a group a subject is in.
func (r *reader) state(text string) bool {
	han := script.HasHan(text)
	for _, g := range groups {
		for _, s := range g.states {
			at := s.find(text, han)
			if at == nil {
				continue
			}
			before, behind, state := text[:at[0]], text[at[1]:], s.word
			if negating.MatchString(notNegation.Replace(before + " " + behind)) {
				if limiting.MatchString(text) {
					continue
				}
				state = not + state
				before, behind = undenied(before), undenied(behind)
			}
			if script.HasHan(text) {
				if innerHan.Replace(behind) != "" && len([]rune(innerHan.Replace(behind))) > 1 {
					continue
				}
			} else if c := copulaBefore.FindAllStringIndex(before, -1); len(c) > 0 {
				last := c[0]
				if !innerWords.MatchString(before[last[1]:]) || !innerWords.MatchString(behind) {
					continue
				}
				before = before[:last[0]]
			} else if !startsVerb.MatchString(text[at[0]:at[1]]) || !innerWords.MatchString(behind) {
				continue
			}
			if values, _ := valuesOf(behind); !g.person && len(values) > 0 {
				continue
			}
			subject, ok := r.who(innerStates.ReplaceAllString(before, " "))
			if !ok || !g.person && subject == claim.User || g.person && !personal(subject) {
				continue
			}
			r.add(g.name, subject, value{Kind: kindState, Text: state})
			return true
		}
	}
	return false
}

var (
	innerStates = lazyregexp.New(`目前处于|处于|状态|(?i:\bstatus(?: of| von)?\b)`)
	startsVerb  = lazyregexp.New(`(?i)^(?:eats?|fis[ch]h? |smokes?|works?|isst|esse|rauche?t?|arbeite?t?|läuft|ruht|single|vegan|` +
		`vegetarian)`)
)

// personal reports whether a state of people is said of a subject.
func personal(subject string) bool { return strings.Count(subject, " ") <= 2 }

// heads are things whose value has any words. Everything else needs a name for its value: definite descriptions presuppose that there is
// one such thing, and two names of one thing exclude one another, which two properties of it do not.
var heads = stems(`colour favourite language framework theme editor database plan size room venue location seat gate topic title codename nickname password branch mode format license licence currency timezone
	cuisine meal food drink sport song season lieblingsfarbe sprache farbe hotel destination ziel reiseziel raum ort thema motto titel
	passwort zeitzone währung platz provider anbieter browser host shell os
	betriebssystem hosting cloud tier tarif priority priorität strategy blutgruppe beruf method methode`)

var (
	isEN = lazyregexp.New(`^(?i)((?:the|my|our|his|her|user's|\S+'s)\b.{2,50}?|[\p{L} ]{3,40}) ?(?:\b(?:is|will be|was changed to|` +
		`is now|changed to|switched to|moved to|has changed to)\b|:) (?:now |currently )?(.{1,50})$`)
	inverse = lazyregexp.New(`^(\p{Lu}[\p{L}'.-]+(?: \p{Lu}[\p{L}'.-]+){0,2}) (?i:is|ist|leads|leitet|heads) (?i:(?:now|currently|` +
		`jetzt|the|my|our|his|her|mein|meine|unser|unsere|der|die|das) ){1,2}(.{3,40})$`)
	leadsOf = lazyregexp.New(`^(\p{Lu}[\p{L}'.-]+(?: \p{Lu}[\p{L}'.-]+){0,2}) (?i:leads|leitet|heads|is leading) (?i:(?:now|jetzt|` +
		`the|our|das|die|den) ){0,2}(.{3,40})$`)
	usesEN = lazyregexp.New(`^(.*?)(?i:\b(?:uses?|using|runs on|switched to|nutz(?:e|t|en)|verwende(?:t|n)?|setz(?:t|` +
		`en) (?:jetzt )?auf)) (\p{Lu}[\p{L}\p{N}.+#-]*(?: \p{Lu}[\p{L}\p{N}]*)?) (?i:as|for|als|für) (?i:(?:its|our|my|the|a|unsere?|die|das|` +
		`den) )?(.{3,40})$`)
	reportsTo = lazyregexp.New(`^(.*?)(?i:\b(?:reports? (?:directly )?to|bericht(?:e|et) an)) (\p{Lu}.*)$`)
	isDE      = lazyregexp.New(`^(?i)((?:der|die|das|mein|meine|unser|unsere|dem|\p{L}+s)?\b.{2,50}?) (?:ist|sind|heißt|` +
		`lautet)(?: jetzt| nun| aktuell| nicht mehr)? (.{1,50})$`)
	isZH    = lazyregexp.New(`^([^，,。]{2,20}?)(?:现在|已经|目前)?(?:是|为|：|:|改成了?|改为了?|换成了?|变成了?|换为|叫)([^，,。]{1,16}?)了?$`)
	leadsZH = lazyregexp.New(`^([\p{Han}]{2,4}?)(?:现在|目前)?(?:负责|领导|主管|带领)([^，,。]{2,14})$|^([^，,。]{2,14})(?:现在|` +
		`目前)?由([\p{Han}]{2,4}?)(?:负责|领导|主管|接手|带领)了?$`)
	writtens = lazyregexp.New(`(?i)^(.+?) (?:is|ist|was|are)(?: mostly| mainly| now)? (?:written in|hosted on|hosted at|deployed on|` +
		`hosted with|built with|geschrieben in|in (\S+) geschrieben|gehostet bei)\s?(.*)$`)
)

// named reads the names of things that are one: "Our dentist is Dr. Weber", "The theme colour is green".
func (r *reader) named(text string) bool {
	text = leadIn.ReplaceAllString(text, "")
	if values, _ := valuesOf(text); len(values) > 0 && values[0].Kind != kindNumber {
		return false
	}
	subject, value := "", ""
	inverted := false
	switch {
	case script.HasHan(text):
		if m := leadsZH.FindStringSubmatch(text); m != nil && !strings.Contains(text, "负责人") {
			subject, value, inverted = m[2]+m[3]+"负责人", m[1]+m[4], true
		} else if m := isZH.FindStringSubmatch(text); m != nil {
			subject, value = m[1], m[2]
		}
	default:
		if m := usesEN.FindStringSubmatch(text); m != nil {
			subject, value, inverted = m[1]+" "+m[3], m[2], true
		} else if m := reportsTo.FindStringSubmatch(text); m != nil {
			subject, value, inverted = m[1]+" boss", m[2], true
		} else if m := leadsOf.FindStringSubmatch(text); m != nil {
			subject, value, inverted = m[2]+" lead", m[1], true
		} else if m := inverse.FindStringSubmatch(text); m != nil && roles.MatchString(m[2]) {
			subject, value, inverted = m[2], m[1], true
		} else if m := writtens.FindStringSubmatch(text); m != nil && m[2]+m[3] != "" {
			subject, value, inverted = m[1]+" "+map[bool]string{true: "language", false: "hosting"}[strings.Contains(text,
				"writ") || strings.Contains(text, "schrieb")], m[2]+m[3], true
		} else if m := isEN.FindStringSubmatch(text); m != nil {
			subject, value = m[1], m[2]
		} else if m := isDE.FindStringSubmatch(text); m != nil {
			subject, value = m[1], m[2]
		}
	}
	if subject == "" || isSeveral(subject) || indefiniteNoun.MatchString(subject) {
		return false
	}
	words := wordsOf(subject, true)
	if strings.Trim(value, "0123456789.,:% ") == "" || len(words) == 0 || len(words) > maxWords {
		return false
	}
	single := inverted
	for _, w := range words {
		single = single || heads[w]
	}
	v, ok := proper(value)
	isName := ok && !script.HasHan(value) && !germanNoun(text) || script.HasHan(value) && rolesZH.MatchString(subject)
	if !single && !isName {
		return false
	}
	if !isName {
		if v, ok = word(value); !ok || strings.Count(v.Text, " ") > maxName || !single {
			return false
		}
	}
	r.add("is "+strings.Join(words, " "), "", v)
	return true
}

// germanNoun reports whether a clause is German, whose nouns look like names; then only things in heads and roles are read.
func germanNoun(text string) bool {
	return germanWords.MatchString(text) && !roles.MatchString(text)
}

var (
	germanWords = lazyregexp.New(`(?i)\b(?:ist|der|die|das|mein|meine|unser|unsere|heißt|sind|jetzt)\b`)
	roles       = lazyregexp.New(`(?i)\b(?:boss|manager|dentist|doctor|gp|therapist|landlord|lawyer|accountant|teacher|coach|wife|` +
		`husband|partner|girlfriend|boyfriend|lead|leader|owner|ceo|cto|cfo|head|contact|mentor|supervisor|president|` +
		`capital|tutor|trainer|advisor|chef|chefin|zahnarzt|zahnärztin|hausarzt|hausärztin|vermieter|vermieterin|frau|mann|partnerin|leiter|` +
		`leiterin|projektleiter|projektleiterin|ansprechpartner|ansprechpartnerin|trainerin|lehrer|lehrerin|` +
		`favou?rite \w+|lieblings\w+|anwalt|anwältin|steuerberater|steuerberaterin|friseur|betreuer|betreuerin|geschäftsführer|` +
		`geschäftsführerin)\b`)
	rolesZH        = lazyregexp.New(`首席|官$|负责人|老板|经理|组长|主管|老婆|妻子|老公|丈夫|牙医|医生|房东|律师|教练|老师|班主任|导师|联系人|总监|主任|校长|最喜欢的?|最爱`)
	indefiniteNoun = lazyregexp.New(`(?i)^(?:an?|ein(?:e)?|one|some|this|that|it|what|there|here|es|das|dies)(?: |$)`)
)

// childless reads that somebody has no children, or nothing else that is counted.
func (r *reader) childless(text string) bool {
	m := none.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	m[1], m[2] = m[1]+m[3]+m[5], m[2]+m[4]+m[6]
	subject, ok := r.who(m[1])
	words := wordsOf(m[2], false)
	if !ok || len(words) != 1 || isSeveral(m[1]) {
		return false
	}
	if subject != claim.User {
		words = wordsOf(subject+" "+m[2], false)
	}
	r.add("is "+strings.Join(words, " "), "", value{Kind: kindNumber, Exact: true})
	return true
}

var none = lazyregexp.New(`(?i)^(.*?)\b(?:have|has|got|habe|hat|haben)\s(?:no|kein(?:e|en)?)\s(children|kids|kinder|pets|haustiere|` +
	`siblings|geschwister)$|^(.*?)(?:do|does)(?:n't| not) have (?:any )?(children|kids|pets|siblings)$|^(.*?)没有(孩子|小孩|子女)$`)

// preferred reads which of two things somebody prefers.
func (r *reader) preferred(text string) bool {
	for i, p := range prefers {
		m := p.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		subject, ok := r.who(m[1])
		better := strings.Join(wordsOf(m[2], true), " ")
		pair := strings.Join(wordsOf(m[2]+" "+m[3], true), " ")
		if i == len(prefers)-1 { // the last one names the other first
			better = strings.Join(wordsOf(m[3], true), " ")
		}
		if ok && better != "" && better != pair {
			r.add("prefers "+pair, subject, value{Kind: kindState, Text: better})
		}
		return true
	}
	return false
}

var prefers = []*lazyregexp.Regexp{
	lazyregexp.New(`^(.*?)(?i:\bprefers?) (.+?) (?i:over|to|rather than|instead of) (.+)$`),
	lazyregexp.New(`^(.*?)(?i:\b(?:bevorzug(?:e|t)|(?:mag|trinke|trinkt|esse|isst|nehme|nimmt)? ?lieber)) (.+?) (?i:als|gegenüber|` +
		`statt) (.+)$`),
	lazyregexp.New(`^(.*?)更喜欢(.+?)而不是(.+)$`),
	lazyregexp.New(`^(.*?)比起(.+?)[，,]?更喜欢(.+)$`),
}

// located reads where a thing is, and who does something with it: "The key is at Tom's", "The docs are reviewed by Priya".
func (r *reader) located(text string) bool {
	m := locating.FindStringSubmatch(text)
	var attribute string
	switch {
	case m != nil && m[4] != "":
		m[1], attribute, m[3] = m[4], "at", m[5]
	case m != nil:
		attribute = strings.ToLower(m[2])
	default:
		return false
	}
	words := wordsOf(m[1], true)
	text = strings.ToLower(trimmed(m[3]))
	if len(words) == 0 || len(words) > maxWords || isSeveral(m[1]) || text == "" || strings.Count(text,
		" ") > maxName || personsZH.MatchString(m[1]) {
		return false
	}
	r.add(attribute+" "+strings.Join(words, " "), "", value{
		Kind: kindPlace, Text: regexpArticles.ReplaceAllString(text, ""),
		Exact: startsUpper.MatchString(m[3]) && !germanWords.MatchString(m[0]),
	})
	return true
}

var (
	locating = lazyregexp.New(`^((?i:the|our|my|its|der|die|das|mein|meine|unser|unsere|\p{L}+'?s)\b.{2,40}?) (?i:is|are|ist|sind|` +
		`liegt|liegen|steht|hängt)(?i: now| currently| jetzt| nun| held| kept| stored| reviewed| owned| maintained| written| managed| done)? ` +
		`((?i:in|at|on|by|with|auf|im|am|bei|beim|in der|in dem|unter|hinter)) (.{2,40})$|^([^，,。我你他她]{2,12}?)(?:放在|位于|设在|在)([^，,。]{1,10})$`)
	personsZH = lazyregexp.New(`^[小老阿]\p{Han}$|用户|妈|爸|妻|夫`)
)
