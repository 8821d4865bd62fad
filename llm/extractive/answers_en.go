package extractive

import (
	"regexp"
	"strings"

	sentences "reverie/language/sentence"
)

// maxAnswer is the longest message, in words, that is read as the answer to a question.
const maxAnswer = 10

// lastQuestion returns the last question of an assistant's message.
func lastQuestion(text string) string {
	sentences := sentences.Split(text)
	for k := len(sentences) - 1; k >= 0 && k >= len(sentences)-3; k-- {
		if strings.HasSuffix(sentences[k], "?") || strings.HasSuffix(sentences[k], "？") {
			return sentences[k]
		}
	}
	return ""
}

// asking maps a question to the statement that its answer makes; %s is the answer.
var asking = []struct {
	question *regexp.Regexp
	answer   string
}{
	{regexp.MustCompile(`(?i)\b(?:what(?:'s| is) your (?:full |first )?name|who am i (?:talking|speaking) (?:to|with)|may i (?:have|know|` +
		`ask) your name|can i (?:have|get) your name|your name\?|how should i (?:address|call) you)`), "my name is %s"},
	{regexp.MustCompile(`(?i)\bwhat (?:should|can|may|do) i call you`), "call me %s"},
	{regexp.MustCompile(`(?i)\bwhere (?:do you live|are you (?:based|located|living)|is home)|\bwhich (?:city|country|town)` +
		` (?:do you live|are you)|\bwhat city`), "I live in %s"},
	{regexp.MustCompile(`(?i)\bwhere (?:are you|do you come) from|\bwhere were you born`), "I am from %s"},
	{regexp.MustCompile(`(?i)\b(?:what do you do(?: for (?:a living|work))?|what(?:'s| is) your (?:job|occupation|profession|role|` +
		`line of work)|what kind of work)`), "my job is %s"},
	{
		regexp.MustCompile(`(?i)\b(?:where do you work|which company|who do you work for|what(?:'s| is) your (?:company|employer))`),
		"I work at %s",
	},
	{regexp.MustCompile(`(?i)\bhow old are you|\bwhat(?:'s| is) your age`), "I am %s"},
	{regexp.MustCompile(`(?i)\bwhen(?:'s| is) your birthday`), "my birthday is %s"},
	{regexp.MustCompile(`(?i)\b(?:what|which) (?:time ?zone)|\bwhat(?:'s| is) your time ?zone`), "my timezone is %s"},
	{
		regexp.MustCompile(`(?i)\bany (?:food )?(?:allergies|intolerances)|allergic to anything|what are you allergic to`),
		"I am allergic to %s",
	},
	{regexp.MustCompile(`(?i)\bdietary (?:restrictions|requirements|preferences)|\bwhat(?:'s| is) your diet`), "my diet is %s"},
	{regexp.MustCompile(`(?i)\b(?:what|which) languages? do you speak`), "I speak %s"},
	{regexp.MustCompile(`(?i)\b(?:what|which) (?:programming )?languages? do you (?:use|prefer|like)`), "I prefer %s"},
	{regexp.MustCompile(`(?i)\b(?:what|which) language (?:should|shall|would you like|do you want)`), "please always answer in %s"},
	{regexp.MustCompile(`(?i)\bwhat are your hobbies|what do you (?:like|enjoy) (?:to do|doing)|\bwhat do you do (?:for fun|` +
		`in your (?:free|spare) time)`), "my hobbies are %s"},
	{regexp.MustCompile(`(?i)\bwhat(?:'s| is) your favou?rite ([\w -]{2,30})\?`), "my favorite $1 is %s"},
	{regexp.MustCompile(`(?i)\bwhat(?:'s| is) your (pet|dog|cat|wife|husband|partner|son|daughter|sister|brother|boss|manager)(?:'s)? name|` +
		`\bwhat is (?:his|her) name`), "my $1's name is %s"},
	{regexp.MustCompile(`(?i)\bwhat(?:'s| are| is) your ((?:phone |e-?mail |home |postal |shipping |shoe |blood |clothing |shirt )?` +
		`(?:number|e-?mail|e-?mail address|address|pronouns|size|type|role|title|budget|goal|nationality|hometown))\b`), "my $1 is %s"},
	{regexp.MustCompile(`(?i)\bmay i have your ((?:phone |e-?mail )?(?:number|e-?mail|address))`), "my $1 is %s"},
	{regexp.MustCompile(`(?i)\bwhen(?:'s| is) (?:your|the) ((?:[\w-]+ ){0,3}(?:deadline|release|launch|meeting|appointment|interview|exam|` +
		`flight|wedding|demo|party|trip|due date|presentation|kickoff|move|surgery))`), "the $1 is on %s"},
	{regexp.MustCompile(`(?i)\bwh(?:at|ich)(?:'s| is)? (?:the |your )?((?:[\w-]+ ){0,4}(?:port|endpoint|url|host|hostname|region|version|` +
		`branch|budget|deadline|limit|address|database|framework|stack))(?: is it| number)?\?`), "the $1 is %s"},
	{regexp.MustCompile(`(?i)\bwhat port (?:does|is) (?:the |your )?([\w-]+(?: [\w-]+){0,3}?) (?:listen|listening|run|running|use)` +
		`(?:ning|ing)?(?: on)?\?`), "the $1 port is %s"},
	{
		regexp.MustCompile(`(?i)\b(?:which|what) (database|broker|framework|library|queue|language|cloud|provider|tool|name|option|font|color|` +
			`colour|editor|stack|cache)\b.{0,40}\b(?:should|shall|do|will|did) (?:we|you|i) (?:use|go with|choose|pick|take|want|prefer|settle on)`),
		"let us go with %s",
	},
}

var (
	affirmative = buildPhrases(`yes;yep;yeah;yup;sure;ok;okay;sounds good;sounds great;agreed;perfect;great;absolutely;definitely;exactly;
		correct;right;of course;go ahead;let us do that;let us do it;do it;do that;yes please;please do;good idea;great idea;works for me;
		that works;fine;fine by me;deal;i agree;i am in;lgtm;ship it;go for it;make it so;love it;that is right;that is correct;indeed;
		let us go with it;let us go with that;go with that;go with it;approved;confirmed;i do;i am;we do;we are;k;cool;good;yes i do;yes i am;
		that sounds good;that sounds great;sgtm;+1;good choice;nice`)
	negative = buildPhrases(`no;nope;nah;not really;no thanks;neither;none;not yet;never;i do not;i am not;not at all;no way;nothing`)
)

// suggestions match questions and suggestions of the assistant that a "yes" turns into a decision; the group is the proposal.
var suggestions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:shall|should|can|could|do you want (?:me )?to|would you like to) (?:we )?` +
		`((?:use|go with|choose|pick|adopt|stick with|settle on|switch to|migrate to|keep|move to|drop|name it|call it|schedule|meet|postpone|` +
		`launch|release|deploy) [^?.!]{2,80})\?`),
	regexp.MustCompile(`(?i)\b(?:how about|what about) (?:we )?((?:using|going with|choosing|switching to|sticking with|meeting|moving to|` +
		`use|go with|switch to|meet) [^?.!]{2,80})\?`),
	regexp.MustCompile(`(?i)\b(?:let's|let us) ((?:use|go with|choose|pick|adopt|stick with|settle on|switch to|keep|move to|meet)` +
		` [^?.!]{2,80})[.?!]`),
	regexp.MustCompile(`(?i)\bi(?:'d| would)? (?:suggest|recommend|propose)(?: that we)? ((?:using|going with|choosing|switching to|` +
		`sticking with|use|go with) [^?.!;]{2,80})[.?!;]`),
	regexp.MustCompile(`(?i)\bso we(?:'re| are| will|'ll)? ((?:use|using|go with|going with|stick with) [^?.!]{2,80})` +
		`,? (?:then|right|correct|yes)?\?`),
}

var toInfinitive = map[string]string{
	"using": "use", "going": "go", "choosing": "choose", "switching": "switch", "sticking": "stick",
	"meeting": "meet", "moving": "move",
}

// aboutYou are yes-no questions about the user; the groups make the statement.
var aboutYou = []struct {
	question *regexp.Regexp
	yes      string
}{
	{regexp.MustCompile(`(?i)\b(?:are you|so you(?:'re| are)) (?:still |also )?((?:a|an|from|based|vegetarian|vegan|married|allergic|` +
		`left-handed|diabetic|pregnant|lactose|gluten|fluent|into|fond|afraid)\b[^?,]{0,60})\?`), "I am $1"},
	{regexp.MustCompile(`(?i)\bdo you (?:still |also |usually )?((?:live|work|speak|play|like|love|enjoy|prefer|eat|drink|own|drive|have|` +
		`smoke|study|use|hate) [^?,]{2,60})\?`), "I $1"},
}

// answered reads a short message as the answer to the assistant's question. It reports whether the message is used up.
func (r *reader) answered(passages []string) bool {
	if len(passages) != 1 || r.offered == "" {
		return false
	}
	text := strings.TrimSpace(passages[0])
	if languageOf(text) == chinese || languageOf(r.question) == chinese {
		return r.answeredZH(text)
	}
	sentences := sentences.Split(text)
	if len(sentences) == 0 {
		return false
	}
	ws := englishWords(sentences[0])
	if len(ws) == 0 || isQuestion(sentences[0], ws) {
		return false
	}
	if n := consumed(affirmative, ws); n > 0 {
		rest := ws[n:]
		if len(rest) == 0 || len(rest) < 4 && ws[n-1].endsClause() && affirmative.at(rest) > 0 {
			r.agreed()
			return false // more sentences may follow and say more
		}
		if !ws[n-1].endsClause() {
			return false
		}
		r.agreed()
		return false
	}
	if len(ws) > maxAnswer || r.question == "" || negative.at(ws) > 0 || isOwnClause(ws) {
		return false
	}
	for _, a := range asking {
		m := a.question.FindStringSubmatchIndex(r.question)
		if m == nil {
			continue
		}
		answer := joinWords(trimmed(ws))
		if strings.HasPrefix(a.answer, "my name") || strings.HasPrefix(a.answer, "call me") || strings.HasPrefix(a.answer, "I live in") {
			answer = capitalise(answer)
		}
		template := string(a.question.ExpandString(nil, a.answer, r.question, m))
		r.source = answer
		r.readAnswer(strings.Replace(template, "%s", withoutPreposition(template, answer), 1), a.answer, answer)
		return len(sentences) == 1
	}
	return false
}

// readAnswer reads the statement made of question and answer; where the rules want more than it has, it is taken as it is.
func (r *reader) readAnswer(full, template, answer string) {
	before := len(r.out)
	r.source = full
	r.english(full)
	if len(r.out) > before {
		return
	}
	switch template {
	case "my name is %s", "call me %s":
		if len(strings.Fields(answer)) <= 3 {
			r.say(statement{place: identity, text: sentence("Name is " + answer), strength: stated})
		}
	case "I live in %s", "I am from %s", "I work at %s", "my job is %s":
		c := parseClause(englishWords(full))
		text := c.thirdPerson()
		if c.subject == thing {
			text = factText(c)
		}
		r.say(statement{place: identity, text: sentence(text), strength: stated})
	}
}

// consumed returns the number of words at the beginning of ws that are phrases of p.
func consumed(p phrases, ws []word) int {
	n := 0
	for n < len(ws) {
		k := p.at(ws[n:])
		if k == 0 {
			break
		}
		n += k
	}
	return n
}

// isOwnClause reports whether an answer is a complete sentence, which the rules read unchanged.
func isOwnClause(ws []word) bool {
	ws, _ = withoutFillers(ws)
	if len(ws) == 0 {
		return true
	}
	switch ws[0].low {
	case "i", "we", "my", "our", "it", "he", "she", "they", "let", "please", "you", "there", "call", "do", "not", "that", "this":
		return ws[0].low != "it" || len(ws) < 3
	}
	return anyAuxiliary(ws)
}

// withoutPreposition drops "in" of the answer when the statement has it already.
func withoutPreposition(template, answer string) string {
	low := strings.ToLower(answer)
	for _, p := range []string{"in ", "on ", "at ", "from ", "to ", "it is ", "it's "} {
		if strings.HasPrefix(low, p) && strings.Contains(template, p+"%s") || strings.HasPrefix(p, "it") && strings.HasPrefix(low, p) {
			return answer[len(p):]
		}
	}
	if strings.HasPrefix(low, "as ") {
		return answer[3:]
	}
	return answer
}

// agreed turns a question that the user affirmed into a decision or a statement.
func (r *reader) agreed() {
	for _, p := range suggestions {
		m := p.FindStringSubmatch(r.offered)
		if m == nil || strings.Contains(m[1], " or ") {
			continue
		}
		body := strings.Fields(m[1])
		if base, ok := toInfinitive[strings.ToLower(body[0])]; ok {
			body[0] = base
		}
		body[0] = strings.ToLower(body[0])
		ws := cutReason(absoluteDates(englishWords("let us "+strings.Join(body, " ")), r.base))
		c := parseClause(ws)
		r.source = m[1]
		if p, text, ok := proposed(c, r.now); ok {
			r.say(statement{place: p, text: sentence(text), strength: stated})
		}
		return
	}
	for _, q := range aboutYou {
		if m := q.question.FindStringSubmatchIndex(r.question); m != nil {
			full := string(q.question.ExpandString(nil, q.yes, r.question, m))
			r.source = full
			r.english(impersonalAnswer(full))
			return
		}
	}
}

// impersonalAnswer turns the "your" of a question into the "my" of its answer.
func impersonalAnswer(s string) string {
	return strings.NewReplacer(" your ", " my ", " you ", " I ").Replace(s)
}

// cutReason drops "because …" from a proposal.
func cutReason(ws []word) []word {
	for k, w := range ws {
		if k > 3 && (w.low == "because" || w.low == "since" || w.low == "instead" || w.low == "then") {
			return trimmed(ws[:k])
		}
	}
	return ws
}
