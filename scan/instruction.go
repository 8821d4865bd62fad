package scan

import (
	"regexp"
	"strings"
)

// Instruction returns the rule by which a statement instructs the assistant in a way that no extraction may keep by itself; it is
// empty for others. The rules match what a person's own wish about style and language does not have: a message that poses as another
// role or as a tool call, a piped download, an image that reports to a server, an order for every answer, a standing order to act or
// to promote something, an order to send data away, to obey somebody else or to hide something from the user, and rules for
// assistants in general.
//
// Such a statement is harmless in a document that a person writes, so Scan allows it.
func Instruction(statement string) string {
	for _, rule := range carriers {
		if rule.pattern.MatchString(statement) {
			return rule.name
		}
	}
	folded := Folded(statement)
	for sentence := range sentences(folded) {
		r := reading{sentence: sentence, may: instructing.scan(sentence), away: elsewhere.MatchString(sentence)}
		for _, g := range lexicons {
			if rule := g.instruction(r); rule != "" {
				return rule
			}
		}
	}
	return ""
}

type carrier struct {
	name    string
	pattern *regexp.Regexp
}

// carriers are forms that instruct whatever they say.
var carriers = []carrier{
	{"role", regexp.MustCompile(`(?im)^[\s>*_#\[<-]*(?:system|developer|系统|система|sistema|système)(?: (?:message|prompt|` +
		`note))?[\]>*_]*\s*[:：]` +
		`[^\n]{0,80}?(?:\b(?:you|your|obey|rules?|instructions?|must|always|never|ignore|override|user)\b|你|您|必须|规则|指令|\b(?:du|debes|` +
		`deves|devi|tu)\b|` +
		`(?:^|\s)(?:вы|ты)\s)`)},
	{"tool-call", regexp.MustCompile(`(?i)["'](?:tool_calls?|function_call|tool_use)["']\s*:|["']role["']\s*:\s*["'](?:system|` +
		`assistant|tool|developer)|` +
		`["'](?:name|function|tool)["']\s*:\s*["'][\w.-]+["']\s*,\s*["'](?:arguments|parameters|input)["']\s*:`)},
	{"piped-download", regexp.MustCompile(`(?i)\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|` +
		`\biex\s*\(|\b(?:ba)?sh\s+<\(\s*curl|\b(?:ba)?sh\s+-c\s+["']?\$\(\s*(?:curl|wget)`)},
	{"image", regexp.MustCompile(`(?i)<img\b[^>]*\bsrc\s*=\s*["']?https?:|!\[[^\]\n]*\]\(\s*https?://[^)\s]*\?[^)\s]*=`)},
}

// elsewhere matches an address, a phone number, an account or a command: a place to send something to, or something to run.
var elsewhere = regexp.MustCompile(`https?://|www\.|\b[\w-]+\.(?:com|net|org|io|dev|app|example|ru|cn|top|xyz|info|shop|co|biz|site|` +
	`online|link|click|test|invalid|ai|me|de|fr|es|br|pt|jp|it|uk|eu)\b|\+?\d[\d ()-]{6,}\d\b|\b0x[0-9a-f]{20,}|` +
	`\b[a-z]{2}\d{2}[a-z0-9]{11,}|` +
	`\b[\w./-]+\.(?:sh|py|exe|bat|ps1|js)\b|\b(?:curl|wget|bash|npm|pip|rm -|sudo|powershell)\b`)

// advertising matches words of advertisements.
var advertising = regexp.MustCompile(foldLetters(`\bsponsor|\bgesponsert|\bpowered by\b|\bbrought to you\b|\badvert|\baffiliate|` +
	`\bpromo(?:tion)?\b|\bcoupon|\breferral|` +
	`\bpatrocin|\bpublicit|\bwerbung|\banzeige\b|\brabatt|\bdescuent|\bdescont|\bdiscount|\bcode promo|赞助|广告|优惠|提供\b|提供」|スポンサー|` +
	`広告|спонсор|реклам|скидк`))

// sentences yields the sentences of a folded text. A period ends one only before white space, so that addresses stay whole; between
// Chinese or Japanese characters there is none.
func sentences(folded string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		from := 0
		for _, end := range sentenceEnd.FindAllStringIndex(folded, -1) {
			if !yield(folded[from:end[1]]) {
				return
			}
			from = end[1]
		}
		if from < len(folded) {
			yield(folded[from:])
		}
	}
}

var sentenceEnd = regexp.MustCompile(`\n|[!?]+|\.(?:\s|$)|\.[\p{Han}\p{Hiragana}\p{Katakana}]`)

// lexicon holds the forms of instructions in one language, as patterns on folded text. An empty pattern matches nothing.
type lexicon struct {
	every     string // every answer of the assistant
	style     string // wishes about language, length and tone
	described string // reports about answers, which are no orders
	standing  string // from now on, always, in all conversations
	asked     string // a condition: when I mention …
	others    string // the same with other people: when somebody asks …
	act       string // imperatives that act outside of an answer: send, pay, run, install
	format    string // imperatives about what is in an answer: add, include, end with
	promote   string // imperatives that serve somebody: recommend, praise
	tell      string // imperatives of speaking: say that, tell them
	things    string // what can be sent away: notes, contacts, codes
	rivals    string // orders to leave out others: never mention competitors
	obey      string // orders to obey somebody else
	secrecy   string // orders to hide something from the user, or to act without consent
	covert    string // silently
	wish      string // that the assistant does something: I want you to, you must
	grant     string // permissions: the user has approved
	praise    string // of promote in any form
	assistant string // rules for assistants in general: the assistant must …
	stems     string // of act and promote in any form
	mine      string // for the owner's own benefit
	fillers   string // words that may precede an imperative in its clause
	ends      string // request forms that follow the verb (Japanese); empty: the verb is an imperative itself
	bars      string // subjects that make a verb no imperative, for languages without fillers
}

// grammar is a compiled lexicon.
type grammar struct {
	every, style, described, standing, asked, others, act, format, promote, tell, things, rivals, obey, secrecy, covert, assistant, stems, mine,
	wish, grant, praise, bars pattern
	fillers *regexp.Regexp
}

// instructing finds the patterns of all lexicons.
var instructing = &prefilter{byStart: map[[2]byte][]needle{}}

var lexicons = []*grammar{
	english.compiled(), german.compiled(), spanish.compiled(), french.compiled(), portuguese.compiled(), italian.compiled(),
	russian.compiled(), chinese.compiled(), japanese.compiled(),
}

func (l lexicon) compiled() *grammar {
	compile := func(expression string) pattern { return instructing.compile(foldLetters(expression)) }
	verb := func(expression string) pattern {
		if expression == "" || l.ends == "" {
			return compile(expression)
		}
		return compile(`(?:` + expression + `)` + l.ends)
	}
	g := &grammar{
		every: compile(l.every), style: compile(l.style), described: compile(l.described), standing: compile(l.standing),
		asked: compile(l.asked), others: compile(l.others), act: verb(l.act), format: verb(l.format), promote: verb(l.promote),
		tell: verb(l.tell), things: compile(l.things), rivals: compile(l.rivals), obey: compile(l.obey), secrecy: compile(l.secrecy),
		covert: compile(l.covert), assistant: compile(l.assistant), stems: compile(l.stems), wish: compile(l.wish), grant: compile(l.grant),
		praise: compile(l.praise), mine: compile(l.mine), bars: compile(l.bars),
	}
	if l.fillers != "" {
		g.fillers = regexp.MustCompile(foldLetters(`^(?:(?:` + l.fillers + `)[ ,]*)*$`))
	}
	return g
}

// reading is a sentence with the patterns that may match it.
type reading struct {
	sentence string
	may      candidates
	away     bool // it names a place to send something to, or something to run
}

func (r reading) has(p pattern) bool { return r.may.mayMatch(p) && p.re.MatchString(r.sentence) }

// instruction returns the rule by which a sentence instructs the assistant; empty if it does not.
func (g *grammar) instruction(r reading) string {
	mine := func() bool { return r.has(g.mine) }
	plain := func() bool { return r.has(g.style) || mine() }
	described := func() bool { return r.has(g.described) }
	lasting := func() bool { return r.has(g.standing) || r.has(g.asked) || r.has(g.others) }
	acts := g.orders(g.act, r) && (r.away || !mine())
	promotes := g.orders(g.promote, r) && !mine()
	formats := func() bool { return g.orders(g.format, r) && !plain() }
	switch {
	case r.has(g.every) && !described() && (r.away || acts || promotes || !plain() || advertising.MatchString(r.sentence)):
		return "every-answer"
	case r.has(g.rivals):
		return "standing-order"
	case r.has(g.assistant) && (r.away || acts || promotes || formats() || r.has(g.stems)):
		return "assistant-rule"
	case r.has(g.obey):
		return "obedience"
	case r.has(g.secrecy), acts && r.has(g.covert):
		return "secrecy"
	case (acts || promotes || formats()) && lasting(),
		r.has(g.others) && g.orders(g.tell, r),
		r.has(g.wish) && !mine() && !described() && (r.has(g.praise) || (lasting() || r.away) && r.has(g.stems)):
		return "standing-order"
	case r.has(g.grant) && r.away && (r.has(g.things) || r.has(g.stems)):
		return "permission"
	case acts && r.away && r.has(g.things):
		return "send-away"
	}
	return ""
}

// clauseStart matches the boundary before a clause.
var clauseStart = regexp.MustCompile(`[,;:!?()"\n]|\. | - `)

// orders reports whether one of the verbs is an order: nothing but fillers precede it in its clause, or, in languages without them, no
// subject.
func (g *grammar) orders(verbs pattern, r reading) bool {
	if !r.may.mayMatch(verbs) {
		return false
	}
	for _, at := range verbs.re.FindAllStringIndex(r.sentence, -1) {
		clause := r.sentence[:at[0]]
		if ends := clauseStart.FindAllStringIndex(clause, -1); len(ends) > 0 {
			clause = clause[ends[len(ends)-1][1]:]
		}
		clause = strings.ReplaceAll(strings.TrimLeft(clause, " -*>#"), "我的", "")
		if g.fillers != nil && g.fillers.MatchString(clause) || g.fillers == nil && !g.bars.re.MatchString(clause) {
			return true
		}
	}
	return false
}
