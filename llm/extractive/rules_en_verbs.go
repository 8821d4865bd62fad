package extractive

import "strings"

// tenses in which a rule applies.
type tenses int

const (
	inHabit  tenses = 1 << iota // I work
	inCourse                    // I am working, I have been working
	inPast                      // I worked, I have worked
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
	case past, perfect:
		return inPast
	}
	return 0
}

// verbRule says what a verb of an I-clause makes of it.
type verbRule struct {
	verbs   string              // lemmas
	with    string              // first word after the verb, one of these; empty: any
	when    tenses              // in which tenses
	place   place               // where the line goes
	object  func(r []word) bool // what follows the verb must satisfy it; nil: anything that does not point into the conversation
	perfect bool                // only "I have …", which goes on
}

// selfVerbs are the rules for "I …" and "we …", tried in order.
var selfVerbs = byVerb([]verbRule{
	// Where and who.
	{"live reside dwell", "in at near outside on around by between off abroad downtown upstairs across here-in", ongoing, identity, atPlace, false},
	{"live", "with alone", ongoing, people, nil, false},
	{verbs: "live work", with: "in at near with for as", when: inPast, place: identity, perfect: true, object: isStill},
	{"live", "in at near with", inPast, background, atPlace, false},
	{"move relocate emigrate immigrate", "to into from back in out here abroad", inPast, identity, toPlace, false},
	{"come hail", "from", inHabit, identity, hasName, false},
	{"grow", "up", inPast, background, nil, false},
	{"work", "as at for in from with nights days shifts part-time full-time remotely freelance weekends mostly near", ongoing, identity, isWork, false},
	{"work", "on", ongoing, facts, isWork, false},
	{"work", "as at for in with", inPast, background, isWork, false},
	{"join", "", inPast, identity, beginsWithName, false},
	{"start", "as at working", inPast, identity, isWork, false},
	{"handle", "", inHabit, identity, notNow, false},
	{"promise", "", inPast, tasks, isDated, false},
	{"teach lead manage head direct supervise coach oversee", "", ongoing, identity, nil, false},
	{"run own", "", ongoing, identity, isBusiness, false},
	{"found cofound co-found", "", inPast, identity, nil, false},
	{"start open launch", "", inPast, identity, isBusiness, false},
	{"freelance", "", ongoing, identity, anything, false},
	{"represent", "", inHabit, identity, nil, false},
	// What one does, can and has.
	{"study", "", ongoing, background, notNow, false},
	{"major minor specialize specialise", "in", anytime, background, nil, false},
	{"study graduate attend train qualify serve intern", "", inPast, background, notNow, false},
	{"research", "", inHabit, background, notNow, false},
	{"volunteer", "", ongoing, background, anything, false},
	{"speak know learn", "", ongoing | inPast, background, isLanguageOrSkill, false},
	{"learn practice practise", "", ongoing, background, notNow, false},
	{"play", "", ongoing, background, isPlayed, false},
	{"train", "for", ongoing, background, nil, false},
	{"sing dance paint draw bake cook swim hike ski surf cycle climb knit sew garden fish box meditate jog camp skate snowboard row sail kayak commute roast brew sculpt photograph crochet quilt juggle fence journal", "", inHabit, background, anything, false},
	{"run", "", inHabit, background, isHabit, false},
	{"collect drive ride own breed grow raise foster restore play", "", inHabit, background, nil, false},
	{"use", "", ongoing, background, isUsed, false},
	{"code program write develop", "in", ongoing, background, nil, false},
	{"write", "", ongoing, background, isWriting, false},
	{"build develop create make launch start design", "", inCourse, facts, isProject, false},
	{"maintain", "", ongoing, facts, nil, false},
	{"smoke drink eat", "", ongoing, background, notNow, false},
	{"take", "", inHabit, background, isMedicine, false},
	{"wear", "", inHabit, background, isWorn, false},
	{"suffer", "from", ongoing, background, nil, false},
	{"tend", "to", inHabit, preferences, nil, false},
	{"avoid skip", "", inHabit, preferences, notNow, false},
	{"take", "", inHabit, background, isCommute, false},
	{"weigh", "", inHabit, background, hasNumber, false},
	{"wake get", "up", inHabit, background, hasNumber, false},
	{"sleep", "", inHabit, background, hasNumber, false},
	{"save", "for up", inCourse, tasks, nil, false},
	{"follow", "", inHabit, background, isDiet, false},
	{"support", "", inHabit, preferences, hasName, false},
	{"belong", "to", inHabit, background, nil, false},
	{"identify", "as", inHabit, identity, nil, false},
	{"go", "by", inHabit, identity, hasName, false},
	{"do", "", ongoing, background, isPractice, false},
	{"go", "to", inHabit, background, isHabit, false},
	{"report", "to", inHabit, facts, hasName, false},
	{"rely depend", "on", inHabit, background, notNow, false},
	{"owe", "", inHabit, facts, hasNumber, false},
	{"earn make", "", inHabit, background, hasNumber, false},
	{"marry", "", inPast, people, nil, false},
	{"get", "married engaged divorced", inPast, people, anything, false},
	{"get land accept start", "", inPast, identity, isNewJob, false},
	{"get", "promoted hired", inPast, identity, anything, false},
	{"turn", "", inPast, identity, isAge, false},
	{"adopt foster", "", inPast, people, isAnimalOrPerson, false},
	{"get rescue", "a an another our two three", inPast, people, isAnimalOrPerson, false},
	{"buy", "", inPast, background, isHaving, false},
	{"retire", "", inPast, background, anything, false},
	{"divorce separate", "", inPast, background, anything, false},
	{"injure break tear sprain fracture", "", inPast, background, isBody, false},
	{"publish", "", inPast, background, isWriting, false},
	{"receive earn complete finish", "", inPast, background, isDegree, false},
})

// byVerb indexes rules by lemma.
func byVerb(rules []verbRule) map[string][]verbRule {
	m := map[string][]verbRule{}
	for _, r := range rules {
		for _, v := range strings.Fields(r.verbs) {
			m[v] = append(m[v], r)
		}
	}
	return m
}

// match reports whether the rule reads the clause.
func (r verbRule) match(c clause) bool {
	if c.tenses()&r.when == 0 || r.perfect && c.tense != perfect {
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
