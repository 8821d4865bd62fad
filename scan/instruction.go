package scan

import (
	"slices"

	"reverie/language/lazyregexp"
)

// Instruction returns the rule by which a statement certainly instructs the assistant, so that no automatic write may keep it: it waits
// for a person. It is empty for others. The rule is the name of a form that instructs whatever it says, or "steering" for a statement
// whose signs weigh enough. A sign is a phrase that shows, in any language, who is addressed, what is to be done, for how long and for
// whom; see signs and weights.txt. What a statement quotes does not count.
//
// Such a statement is harmless in a document that a person writes, so Scan allows it.
func Instruction(statement string) string {
	for _, rule := range carriers {
		if rule.pattern.MatchString(statement) {
			return rule.name
		}
	}
	if sentences := readings(statement); weights().weigh(sentences) > certain && weights().weigh(readings(unquoted(statement))) > certain {
		return "steering"
	}
	return ""
}

// Steers reports whether a statement may steer the assistant: no automatic write may put it where it counts as the owner's wish, only
// where it is read as data. Of what addresses the assistant, plain wishes about style, language, length and names do not steer. A
// statement that is disguised does.
func Steers(statement string) bool {
	return Disguised(statement) || image.MatchString(statement) ||
		slices.ContainsFunc(carriers, func(c carrier) bool { return c.pattern.MatchString(statement) }) ||
		weights().weigh(saying(readings(statement))) > doubtful
}

// Scores from which a statement waits for a person, and from which it is only data. Between the two, about every fourth statement that
// looks like an instruction is not one, and nothing is lost when it is only data.
const (
	certain  = 100
	doubtful = -100
)

// saying returns the sentences with at least two signs of what is said. A single one, such as "prefers", is weak evidence.
func saying(sentences []signs) []signs {
	return slices.DeleteFunc(slices.Clone(sentences), func(s signs) bool {
		n := 0
		for _, sign := range s.list() {
			if sign < nSigns && sign != signOpens && sign != signQuote {
				n++
			}
		}
		return n < 2
	})
}

// unquoted returns a statement without what it quotes, unless that is most of it: then the quotation is kept.
func unquoted(statement string) string {
	if rest := quoted.ReplaceAllString(statement, `""`); 2*len(rest) > len(statement) {
		return rest
	}
	return statement
}

// quoted matches the text within quotation marks.
var quoted = lazyregexp.New(`"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|»[^«\n]*«|「[^」\n]*」|『[^』\n]*』`)

// RuleSection is the rule of a line that poses as the head of another document, such as "--- SOUL.md ---".
const RuleSection = "section"

type carrier struct {
	name    string
	pattern *lazyregexp.Regexp
}

// carriers are forms that instruct whatever they say.
var carriers = []carrier{
	{"tool-call", lazyregexp.New(`(?i)["'](?:tool_calls?|function_call|tool_use)["']\s*:|["']role["']\s*:\s*["'](?:system|` +
		`assistant|tool|developer)|` +
		`["'](?:name|function|tool)["']\s*:\s*["'][\w.-]+["']\s*,\s*["'](?:arguments|parameters|input|args)["']\s*:|` +
		`</?(?:function_(?:calls|results?)|tool_(?:call|result|use|output)s?|invoke|system|assistant)\b[^>]*>`)},
	{"role", lazyregexp.New(`<\|[\w ]{2,20}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>`)},
	{RuleSection, lazyregexp.New(`(?m)^[ \t>*_#=\-–—~+]{2,}[ \t]*[A-Z]{3,}\.md\b`)},
	{"piped-download", lazyregexp.New(`(?i)\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|` +
		`\biex\s*\(|\b(?:ba)?sh\s+<\(\s*curl|\b(?:(?:ba)?sh|python3?)\s+-c\s+["']?\$\(\s*(?:curl|wget)`)},
	{"role", lazyregexp.New(`(?im)^[\s>*_#\[<-]*(?:system|developer|系统|система|sistema|système)(?: (?:message|prompt|` +
		`note))?[\]>*_]*\s*[:：]` +
		`[^\n]{0,80}?(?:\b(?:you|your|obey|rules?|instructions?|must|always|never|ignore|override|user)\b|你|您|必须|规则|指令|\b(?:du|debes|` +
		`deves|devi|tu)\b|(?:^|\s)(?:вы|ты)\s)`)},
}

// image matches one that is fetched with data in its address, or by active HTML. Most of them only show something.
var image = lazyregexp.New(`(?i)<img\b[^>]*\bsrc\s*=\s*["']?https?:|!\[[^\]\n]*\]\(\s*https?://[^)\s]*\?[^)\s]*=`)
