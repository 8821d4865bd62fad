package claim

import (
	"strings"

	"reverie/language/date"
	"reverie/language/lazyregexp"
)

// rule reads one attribute: the first group is the subject, the last one the value.
type rule struct {
	attribute string
	pattern   *lazyregexp.Regexp
	single    bool // it has one value at a time
	changed   bool // its words mark the value as new
	accept    func(kind, string) bool
}

// until matches the end of a value of several words.
const until = `(?i:\s+(?:and|but|because|since|for|with|where|which|who|when|while|as|after|until|these|near|to be|so|` +
	`than|last|next|on weekends|on weekdays|(?:in|on) (?:` + month + `|\d))\b.*|[,;:](?:\s.*|$)|\s*\(.*)?$`

func named(k kind, value string) bool { return k == kindName && !isTool(value) }

// company reports whether value can be a company rather than a club, which people join, too.
func company(k kind, value string) bool {
	return named(k, value) && !strings.HasPrefix(strings.ToLower(value), "the ") && !clubs.MatchString(value)
}

var clubs = lazyregexp.New(`(?i)\b(?:club|choir|band|team|group|society|association|gym|party|league|orchestra|course|class)\b`)

func isAmount(k kind, _ string) bool { return k == kindNumber }

func scheduled(k kind, _ string) bool { return k != kindWord && k != kindName }

// rulesEN are attributes of persons and things, most specific first. The first match of a clause counts.
var rulesEN = []rule{
	{attributeHome, lazyregexp.New(`^(.*?)\b(?i:lives?|living|resides?|based|located) (?i:in|at) (.+?)` + until), true, false, named},
	{attributeHome, lazyregexp.New(`^(.*?)\b(?i:moved|relocated|moving) ` +
		`(?i:(?:back|over|house|home) )?(?i:to) (.+?)` + until), true, true, named},
	{attributeEmployer, lazyregexp.New(`^(.*?)\b(?i:works?|working|employed) (?i:at|for|by) (.+?)` + until), true, false, named},
	{attributeEmployer, lazyregexp.New(`^(.*?)\b(?i:joined|(?:started|starts|got|took|accepted) ` +
		`(?:working |a |the )?(?:new )?(?:job )?(?:at|with)|started (?:at|with)) (.+?)` + until), true, true, company},
	{attributeStatus, lazyregexp.New(`^(.*?)\b(?i:is|'s|am|'m|are) (?i:(?:happily|newly|officially) )?` +
		`(single|married|divorced|engaged|widowed|separated)\b.*$`), true, false, nil},
	{attributeStatus, lazyregexp.New(`^(.*?)\b(?i:got|became) (?i:(?:happily|newly|officially) )?` +
		`(single|married|divorced|engaged|widowed|separated)\b.*$`), true, true, nil},
	{attributeDiet, lazyregexp.New(`^(.*?)\b(?i:is|'s|am|'m|are) (?i:an? )?(?i:strict |strictly )?` +
		`(vegetarian|vegan|pescatarian|omnivore|flexitarian)\b.*$`), true, false, nil},
	{attributeDiet, lazyregexp.New(`^(.*?)\b(?i:became|turned|went) (?i:an? )?(?i:strict |strictly )?` +
		`(vegetarian|vegan|pescatarian|omnivore|flexitarian)\b.*$`), true, true, nil},
	{attributeJob, lazyregexp.New(`^(.*?)\b(?i:works?|working) (?i:as) (?i:an? |the )?(.+?)` + until), false, false, nil},
	{attributeJob, lazyregexp.New(`^(.*?)\b(?i:promoted to|became|started as) (?i:an? |the )?(.+?)` + until), false, true, nil},
	{attributeAge, lazyregexp.New(`^(.*?)\b(?i:is|'s|turned|age:?|aged|am|'m|are) (\d{1,3})(?i: years? old| years| yo)?$`), true, false, nil},
	{attributeBirthday, lazyregexp.New(`^(.*?)\b(?i:birthday is|birthday:|born|was born|date of birth is|` +
		`date of birth:) (?i:on |in )?(.+?)` + until), true, false, func(k kind, _ string) bool { return k == kindDate }},
	{"wakes", lazyregexp.New(`^(.*?)\b(?i:wakes up|gets up|rises|wake up|get up) ` +
		`(?i:at|around|about) (.+?)` + until), true, false, scheduled},
	{"costs", lazyregexp.New(`^(.+?)\b(?i:costs?) (.+?)` + until), true, false, isAmount},
	{"weighs", lazyregexp.New(`^(.*?)\b(?i:weighs?) (.+?)` + until), true, false, isAmount},
	{attributeName, lazyregexp.New(`^(.*?)\b(?i:(?:is|are) (?:called|named)|goes by) (.+?)` + until), true, false, named},
	{attributeIs, lazyregexp.New(`^(.+?)\b(?i:(?:has |have |had |got |was |were |is |are |been |be |being )*(?:moved|` +
		`changed|rescheduled|postponed|pushed(?: back| out)?|shifted|brought forward|delayed|switched|updated|raised|lowered|` +
		`increased|decreased|reduced|renamed|set|extended)) (?i:to|until|till) (.+?)` + until), true, true, nil},
	{"starts", lazyregexp.New(`^(.+?)\b(?i:starts?|begins?) (?i:at|on|in) (.+?)` + until), false, false, scheduled},
	{"ends", lazyregexp.New(`^(.+?)\b(?i:ends?|closes?|finishes) (?i:at|on|in) (.+?)` + until), false, false, scheduled},
	{"leaves", lazyregexp.New(`^(.+?)\b(?i:leaves?|departs?|arrives?|opens?) (?i:at|on|in) (.+?)` + until), false, false, scheduled},
	{"happens", lazyregexp.New(`^(.+?)\b(?i:happens?|takes? place|runs?|goes? out|goes live|meets?) ` +
		`(?i:at|on|in|every) (.+?)` + until), false, false, scheduled},
}

var (
	isEN = lazyregexp.New(`^(.+?)\s*(?i:\b(?:is|are)\b(?: (?:on|at|in|by|due|due on|due by|set to|set for|` +
		`scheduled for|planned for|around|about|the))*|:) (.+?)` + until)
	preferEN = lazyregexp.New(`(?i)\bprefers? (.+?) (?:over|to|instead of|rather than) (.+?)` + until)
)

// slotsEnglish reads the attributes that a clause states. changed reports that the clause has a cue for a change.
func (r *Reading) slotsEnglish(clause string, changed bool) {
	if m := preferEN.FindStringSubmatch(clause); m != nil {
		r.prefers(m[1], m[2])
		return
	}
	for _, rule := range rulesEN {
		m := rule.pattern.FindStringSubmatch(clause)
		if m == nil {
			continue
		}
		subject, ok := subjectEN(m[1])
		value := strings.TrimSpace(m[2])
		if !ok || rule.accept != nil && !rule.accept(kindOf(value), value) {
			continue
		}
		if rule.attribute == attributeIs && isPerson(subject) {
			continue
		}
		s := slotOf(subject, rule.attribute, value)
		s.single, s.changed = rule.single && !date.HoldsPartly(clause), rule.changed || changed
		r.add(s)
		return
	}
	if m := isEN.FindStringSubmatch(clause); m != nil {
		r.copula(m[1], strings.TrimSpace(m[2]), changed)
	}
}

// copula reads "the deadline is Friday" and "Deadline: Friday". Two values exclude one another if their kind is
// comparable, or if the thing has a single value; "the server is slow" excludes nothing.
func (r *Reading) copula(subject, value string, changed bool) {
	fresh := newThing.MatchString(subject)
	noun := newThing.ReplaceAllString(subject, " ")
	words := strings.Fields(strings.ToLower(noun))
	if len(words) == 0 || len(words) > maxThing || indefinite[words[0]] || wordsIn(words, notNow) {
		return
	}
	noun, attribute := strings.Join(words, " "), attributeIs
	head := strings.Trim(words[len(words)-1], `'":`)
	if before, _, ok := strings.Cut(noun, " for "); ok {
		fields := strings.Fields(before)
		head = fields[len(fields)-1]
	} else if before, _, ok := strings.Cut(noun, " of "); ok {
		fields := strings.Fields(before)
		head = fields[len(fields)-1]
	}
	same := personal[head]
	if same != "" {
		noun, attribute = strings.Join(words[:len(words)-1], " "), same
	}
	s := slotOf(nounKey(noun), attribute, value)
	one := oneValue[head] || same != "" || wordsIn(words, favourites)
	switch {
	case len(words) == 1 && pronouns[words[0]], s.kind == kindName && !one && !changed, s.kind == kindWord && !one:
		return
	}
	s.single, s.changed = true, changed || fresh
	r.add(s)
}

// prefers reads "prefers tea over coffee". The reverse preference later contradicts it.
func (r *Reading) prefers(better, worse string) {
	pair := nounKey(better + " " + worse)
	s := slotOf("", "prefers "+pair, better)
	s.single = true
	r.add(s)
}

// maxThing is the maximum number of words in the name of a thing.
const maxThing = 7

var (
	newThing   = lazyregexp.New(`(?i)\b(?:new|latest|updated|correct|current|actual)\b`)
	indefinite = wordSet(`a an one some another this that these those it there what who which i you many most several each
		every other two both if when he she they we`)
	pronouns   = wordSet(`it this that he she they we there here what all everything everyone user i`)
	favourites = wordSet(`favourite favorite preferred default`)
	// oneValue are things that have one value at a time, of any kind.
	oneValue = wordSet(`colour color password timezone language editor framework plan budget deadline version port host branch
		database owner lead region model theme currency address email number phone hostname url endpoint major diet hometown
		nationality height weight size team shell browser backend provider date time day price rent fee salary limit interval quota
		headcount target goal venue destination capital birthday name codename nickname title job role employer manager boss doctor
		dentist gate seat room floor platform`)
	// personal maps names of attributes to the attributes in rulesEN.
	personal = map[string]string{
		"name": attributeName, "birthday": attributeBirthday, "age": attributeAge, "employer": attributeEmployer, "company": attributeEmployer,
		"job": attributeJob, "profession": attributeJob, "occupation": attributeJob, "role": attributeJob, "location": attributeHome,
		"city": attributeHome, "home": attributeHome, "residence": attributeHome, "diet": attributeDiet, "status": attributeStatus,
	}
	tools = wordSet(`postgres kubernetes docker aws azure gcp linux python rust go java typescript react vue slack notion vim neovim emacs
		jira linear gmail windows macos android ios redis kafka terraform bazel gradle maven zoom teams discord obsidian todoist chrome
		firefox monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
		october november december`)
)

// isTool reports whether value names software or a day: a person can move to these without moving house.
func isTool(value string) bool {
	first, _, _ := strings.Cut(value, " ")
	inner := strings.ContainsFunc(strings.TrimLeft(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
		func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' })
	return inner || tools[strings.ToLower(first)]
}

// isPerson reports whether a subject is the user or another person, for whom moving to Lisbon means moving house.
func isPerson(subject string) bool { return subject == "" || pronouns[subject] || persons[subject] }

func wordsIn(words []string, of map[string]bool) bool {
	for _, w := range words {
		if of[w] {
			return true
		}
	}
	return false
}
