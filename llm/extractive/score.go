package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// kind is the subject of a unit. It selects the section of a file.
type kind uint8

const (
	kindNone kind = iota
	kindIdentity
	kindPerson
	kindPreference
	kindFact
	kindDecision
	kindPlan
	kindTask
	kindCorrection
	kindRemember
)

var kindNames = [...]string{"none", "identity", "person", "preference", "fact", "decision", "plan or date", "task", "correction", "remember"}

func (k kind) String() string { return kindNames[k] }

// possessive matches the ending of English owners.
var possessive = lazyregexp.New(`['’]s\b`)

// kindOf returns the kind of a unit from its cues, the most specific first.
func (u *unit) kindOf() kind {
	s := u.set
	if owned := possessive.ReplaceAllString(u.text, ""); u.lang == "en" && len(owned) < len(u.text) { // "my wife's name is Anna"
		s |= cue.Find(owned, u.lang).Set() & (1 << cue.Kin)
	}
	switch {
	case s.Has(cue.Remember):
		return kindRemember
	case s.Any(cue.Name, cue.Age, cue.Home) && s.Has(cue.Self) && !s.Has(cue.Kin):
		return kindIdentity
	case s.Has(cue.Style) && s.Any(cue.Always, cue.Request, cue.Not, cue.Like):
		return kindPreference
	case s.Has(cue.Kin):
		return kindPerson
	case s.Has(cue.Health):
		return kindFact
	case s.Has(cue.Like):
		return kindPreference
	case s.Has(cue.Decide):
		return kindDecision
	case s.Has(cue.Work) && s.Has(cue.Self):
		return kindIdentity
	case s.Has(cue.Correct) && s.Any(cue.Number) || s.Has(cue.Over):
		return kindCorrection
	case s.Any(cue.Plan, cue.Time):
		return kindPlan
	case s.Has(cue.Task):
		return kindTask
	case s.Any(cue.Self, cue.Have, cue.Habit):
		return kindFact
	}
	return kindNone
}

// A feature is a signal of a unit. Those up to cue.Kinds are cues.
const (
	featNumber = cue.Kinds + iota
	featUnit   // a number with a unit, currency or percent sign
	featDate
	featName // a capitalised word inside a sentence
	featManyNames
	featQuestion
	featAnswer    // of a question of the assistant
	featShortOf   // a short answer
	featAskedYou  // the question was about the user
	featVeryShort // up to three words
	featShort     // up to eight words
	featMedium    // nine to 25 words
	featLong      // more than 25 words
	featRich      // at least six content words
	featNovel     // most of its words are new in the conversation
	featExclaims
	featYouFirst   // the first cue is one of the assistant
	featOtherFirst // the first cue is one of other persons
	featLikeLaugh  // pairs of cues
	featSelfLaugh  //
	featTrails     // dots at its end
	featFirst      // of its message
	featAlone      // in its message
	featOpening    // of the first message
	featSelfFirst  // the first cue is one of the speaker
	featRequest1   // it begins with a request
	featRepeated   // its words are in other messages of the user
	featEchoed     // the reply repeats its words
	featTechnical  // code, paths, addresses
	featSelfHave   // pairs of cues
	featSelfKin    //
	featSelfHealth //
	featSelfLike   //
	featSelfWork   //
	featSelfHome   //
	featSelfPlan   //
	featKinAge     //
	featKinName    //
	featAlwaysStyle
	featSelfTask
	featSelfHabit
	featSelfOver
	featTheirs   // probably about another person
	featSelfOnly // the speaker and no other cue of content
	featNothing  // no cue of content at all
	features
)

// contentCues are the cues of statements about one's life.
const contentCues cue.Set = 1<<cue.Kin | 1<<cue.Like | 1<<cue.Name | 1<<cue.Age | 1<<cue.Home | 1<<cue.Work | 1<<cue.Health | 1<<cue.Have |
	1<<cue.Decide | 1<<cue.Plan | 1<<cue.Task | 1<<cue.Remember | 1<<cue.Always | 1<<cue.Style | 1<<cue.Habit | 1<<cue.Over

// vector holds the features of a unit that are present, in ascending order.
type vector []int

// vectorOf returns the features of unit i of a conversation.
func (c *conversation) vectorOf(i int) vector {
	u := &c.units[i]
	s := u.set
	length := lengthOf(u.text)
	names := namesIn(u.text)
	self, content := s.Has(cue.Self), s&contentCues != 0
	present := [features]bool{
		featNumber: hasDigit(u.text), featUnit: hasUnit(u.text), featDate: s.Has(cue.Time) && hasDigit(u.text),
		featName: names > 0, featManyNames: names > 2, featQuestion: u.question, featAnswer: u.asked != "",
		featShortOf: u.asked != "" && length <= 12, featAskedYou: u.asked != "" && cue.Find(u.asked, u.lang).Set().Has(cue.You),
		featVeryShort: length <= 3, featShort: length <= 8, featMedium: length > 8 && length <= 25, featLong: length > 25,
		featRich: len(u.terms) >= 6, featNovel: u.novel >= .8, featExclaims: strings.ContainsAny(u.text, "!！"), featYouFirst: c.leads(u, cue.You),
		featOtherFirst: c.leads(u, cue.Other), featLikeLaugh: s.Has(cue.Like) && s.Has(cue.Laugh), featSelfLaugh: self && s.Has(cue.Laugh),
		featTrails: trails(u.text), featFirst: u.first, featAlone: u.alone, featOpening: u.message == 0,
		featSelfFirst: c.leads(u, cue.Self), featRequest1: c.leads(u, cue.Request), featRepeated: c.repeated(i) >= .5,
		featEchoed: u.terms.within(u.reply) >= .5, featTechnical: isTechnical(u.text),
		featSelfHave: self && s.Has(cue.Have), featSelfKin: self && s.Has(cue.Kin),
		featSelfHealth: self && s.Has(cue.Health), featSelfLike: self && s.Has(cue.Like), featSelfWork: self && s.Has(cue.Work),
		featSelfHome: self && s.Has(cue.Home), featSelfPlan: self && s.Has(cue.Plan), featKinAge: s.Has(cue.Kin) && s.Has(cue.Age),
		featKinName: s.Has(cue.Kin) && names > 0, featAlwaysStyle: s.Has(cue.Always) && s.Has(cue.Style), featSelfTask: self && s.Has(cue.Task),
		featSelfHabit: self && s.Has(cue.Habit), featSelfOver: self && s.Has(cue.Over), featTheirs: u.theirs, featSelfOnly: self && !content,
		featNothing: !self && !content,
	}
	for k := range cue.Kinds {
		present[k] = s.Has(cue.Kind(k))
	}
	v := make(vector, 0, cue.Kinds/2)
	for f, is := range present {
		if is {
			v = append(v, f)
		}
	}
	return v
}

// leads reports whether the first cue of a unit that is not a filler is of a kind.
func (c *conversation) leads(u *unit, k cue.Kind) bool {
	for _, m := range u.marks {
		if m.Kind == k {
			return true
		}
		if m.Kind != cue.Filler && m.Kind != cue.Chat && (m.Kind != cue.You || k == cue.Request) && m.Kind != cue.Correct && m.Kind != cue.Not {
			return false
		}
	}
	return false
}

// repeated is the share of the words of a unit that other messages of the user have.
func (c *conversation) repeated(i int) float64 {
	u := &c.units[i]
	if c.messages == nil {
		c.messages = map[string]span{}
		for k := range c.units {
			for word := range c.units[k].terms {
				s, seen := c.messages[word]
				if !seen {
					s.first = c.units[k].message
				}
				s.last = c.units[k].message
				c.messages[word] = s
			}
		}
	}
	n := 0
	for word := range u.terms {
		if s := c.messages[word]; s.first != s.last {
			n++
		}
	}
	return float64(n) / float64(max(1, len(u.terms)))
}

// span is the first and the last message that have a word.
type span struct{ first, last int }

// lengthOf returns the length of a text in words; two characters of a script without spaces count as one.
func lengthOf(text string) int {
	unspaced := 0
	for _, r := range text {
		if script.IsUnspaced(r) {
			unspaced++
		}
	}
	if unspaced*2 > utf8.RuneCountInString(text) {
		return (unspaced + 1) / 2
	}
	return len(strings.Fields(text))
}

// namesIn counts the capitalised words inside the sentences of a text.
func namesIn(text string) int { return len(capitalised(text)) }

// capitalised returns the words with a capital letter that does not begin a sentence.
func capitalised(text string) (out []string) {
	start := true
	for w := range strings.FieldsSeq(text) {
		bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		r, _ := utf8.DecodeRuneInString(bare)
		if !start && unicode.IsUpper(r) && bare != "I" && !strings.HasPrefix(bare, "I'") && !strings.HasPrefix(bare, "I’") {
			out = append(out, bare)
		}
		last, _ := utf8.DecodeLastRuneInString(w)
		start = strings.ContainsRune(".!?:…", last)
	}
	return out
}

// trails reports whether a text ends in dots.
func trails(text string) bool {
	return strings.HasSuffix(text, "...") || strings.HasSuffix(text, "…")
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// hasUnit reports whether a number has a currency, percent sign or unit next to it.
func hasUnit(text string) bool {
	if !hasDigit(text) {
		return false
	}
	if strings.ContainsAny(text, "%€$£¥₽₩₫°") {
		return true
	}
	r := []rune(text)
	for i := 1; i < len(r); i++ {
		if unicode.IsDigit(r[i-1]) && (unicode.IsLetter(r[i]) || r[i] == ' ' && i+1 < len(r) && unicode.IsLetter(r[i+1])) {
			return true
		}
	}
	return false
}

// isTechnical reports whether a text has an address, a path or code in it.
func isTechnical(text string) bool {
	return strings.Contains(text, "://") || strings.ContainsAny(text, "{}`=<>\\|") || strings.Contains(text, "()") || strings.Contains(text, "_")
}

// weights are those of the features of units, in their order, times weightScale.
type weights struct {
	keep, lasting         []int32
	keepBias, lastingBias int32
}

// briefMessages is the number of messages of the users up to which a conversation is weighed as part of one. What is extracted at a time is
// mostly that short, and says more with each sentence than long conversations do.
const briefMessages = 3

// weights returns the weights for the units of a conversation.
func (c *conversation) weights() *weights {
	if c.said <= briefMessages {
		return &briefWeights
	}
	return &wholeWeights
}

// score returns the weighted sum of a unit's features.
func (v vector) score(weights []int32, bias int32) float64 {
	sum := bias
	for _, f := range v {
		sum += weights[f]
	}
	return float64(sum) / weightScale
}

// weightScale is the value of 1 in the tables of weights.
const weightScale = 1000

func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
