package extractive

import "strings"

// tenses in which a rule applies.
type tenses int

const (
	inHabit   tenses = 1 << iota // I work
	inCourse                     // I am working, I have been working
	inPast                       // I worked, I have worked
	inPerfect                    // I have worked
)

const (
	ongoing = inHabit | inCourse
	anytime = inHabit | inCourse | inPast
)

func (c clause) tenses() tenses {
	switch c.tense {
	case present:
		return inHabit
	case progressive, perfectProgressive:
		return inCourse
	case past:
		return inPast
	case perfect:
		return inPast | inPerfect
	}
	return 0
}

// verbRule maps the verb of an I-clause to a statement.
type verbRule struct {
	verbs  string              // lemmas
	with   string              // first word after the verb, one of these; empty: any
	when   tenses              // in which tenses
	place  place               // where the line goes
	object func(r []word) bool // what follows the verb must satisfy it; nil: anything that does not point into the conversation
}

// selfVerbs are the rules for "I …" and "we …", tried in order.
var selfVerbs = byVerb([]verbRule{
	// Where and who.
	{"live reside dwell", "in at near outside on around by between off abroad downtown upstairs across here-in", ongoing, identity, atPlace},
	{"live", "with alone", ongoing, people, nil},
	{"live work", "in at near with for as", inPerfect, identity, isStill},
	{"live", "in at near with", inPast, background, atPlace},
	{"move relocate emigrate immigrate", "to into from back in out here abroad", inPast, identity, toPlace},
	{"come hail", "from", inHabit, identity, hasName},
	{"grow", "up", inPast, background, nil},
	{
		"work", "as at for in from with nights days shifts part-time full-time remotely freelance weekends mostly near", ongoing,
		identity, isWork,
	},
	{"work", "on", ongoing, facts, isWork},
	{"work", "as at for in with", inPast, background, isWork},
	{"join", "", inPast, identity, beginsWithName},
	{"start", "as at working", inPast, identity, isWork},
	{"handle", "", inHabit, identity, notNow},
	{"promise", "", inPast, tasks, isDated},
	{"teach lead manage head direct supervise coach oversee", "", ongoing, identity, nil},
	{"run own", "", ongoing, identity, isBusiness},
	{"found cofound co-found", "", inPast, identity, nil},
	{"start open launch", "", inPast, identity, isBusiness},
	{"freelance", "", ongoing, identity, anything},
	{"represent", "", inHabit, identity, nil},
	// What one does, can and has.
	{"study", "", ongoing, background, notNow},
	{"major minor specialize specialise", "in", anytime, background, nil},
	{"study graduate attend train qualify serve intern", "", inPast, background, notNow},
	{"research", "", inHabit, background, notNow},
	{"volunteer", "", ongoing, background, anything},
	{"speak know learn", "", ongoing | inPast, background, isLanguageOrSkill},
	{"learn practice practise", "", ongoing, background, notNow},
	{"play", "", ongoing, background, isPlayed},
	{"train", "for", ongoing, background, nil},
	{"sing dance paint draw bake cook swim hike ski surf cycle climb knit sew garden fish box meditate jog camp skate snowboard row sail " +
		"kayak commute roast brew sculpt photograph crochet quilt juggle fence journal", "", inHabit, background, anything},
	{"run", "", inHabit, background, isHabit},
	{"collect drive ride own breed grow raise foster restore play", "", inHabit, background, nil},
	{"use", "", ongoing, background, isUsed},
	{"code program write develop", "in", ongoing, background, nil},
	{"write", "", ongoing, background, isWriting},
	{"build develop create make launch start design", "", inCourse, facts, isProject},
	{"maintain", "", ongoing, facts, nil},
	{"smoke drink eat", "", ongoing, background, notNow},
	{"take", "", inHabit, background, isMedicine},
	{"wear", "", inHabit, background, isWorn},
	{"suffer", "from", ongoing, background, nil},
	{"tend", "to", inHabit, preferences, nil},
	{"avoid skip", "", inHabit, preferences, notNow},
	{"take", "", inHabit, background, isCommute},
	{"weigh", "", inHabit, background, hasNumber},
	{"wake get", "up", inHabit, background, hasNumber},
	{"sleep", "", inHabit, background, hasNumber},
	{"save", "for up", inCourse, tasks, nil},
	{"follow", "", inHabit, background, isDiet},
	{"support", "", inHabit, preferences, hasName},
	{"belong", "to", inHabit, background, nil},
	{"identify", "as", inHabit, identity, nil},
	{"go", "by", inHabit, identity, hasName},
	{"do", "", ongoing, background, isPractice},
	{"go", "to", inHabit, background, isHabit},
	{"report", "to", inHabit, facts, hasName},
	{"rely depend", "on", inHabit, background, notNow},
	{"owe", "", inHabit, facts, hasNumber},
	{"earn make", "", inHabit, background, hasNumber},
	{"marry", "", inPast, people, nil},
	{"get", "married engaged divorced", inPast, people, anything},
	{"get land accept start", "", inPast, identity, isNewJob},
	{"get", "promoted hired", inPast, identity, anything},
	{"turn", "", inPast, identity, isAge},
	{"adopt foster", "", inPast, people, isAnimalOrPerson},
	{"get rescue", "a an another our two three", inPast, people, isAnimalOrPerson},
	{"buy", "", inPast, background, isHaving},
	{"quit stop", "", inPast, background, isGivenUp},
	{"quit leave", "my", inPast, identity, isJobLeft},
	{"lose", "my", inPast, identity, isJobLeft},
	{"leave", "", inPast, identity, beginsWithName},
	{"get", "", inHabit, background, isAilment},
	{"have undergo", "", inPast, background, isHealthEvent},
	{"retire", "", inPast, background, anything},
	{"divorce separate", "", inPast, background, anything},
	{"injure break tear sprain fracture", "", inPast, background, isBody},
	{"publish", "", inPast, background, isWriting},
	{"receive earn complete finish", "", inPast, background, isDegree},
})

// byVerb indexes rules by lemma.
func byVerb(rules []verbRule) map[string][]verbRule {
	m := map[string][]verbRule{}
	for _, r := range rules {
		for v := range strings.FieldsSeq(r.verbs) {
			m[v] = append(m[v], r)
		}
	}
	return m
}

// match reports whether the rule reads the clause.
func (r verbRule) match(c clause) bool {
	if c.tenses()&r.when == 0 {
		return false
	}
	if r.with != "" {
		first := ""
		if len(c.rest) > 0 {
			first = c.rest[0].low
		}
		if !strings.Contains(" "+r.with+" ", " "+first+" ") {
			return false
		}
	}
	if r.object != nil {
		return r.object(c.rest)
	}
	return hasObject(c.rest)
}
