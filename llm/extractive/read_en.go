package extractive

import "strings"

// english reads one English sentence.
func (r *reader) english(s string) {
	ws := englishWords(s)
	if len(ws) == 0 || len(ws) > 90 {
		return
	}
	question := isQuestion(s, ws)
	if r.list && !question {
		r.remember(ws, stated+1)
		return
	}
	if r.requestEN(ws, question) {
		return
	}
	nameLowered(ws)
	ws, done := r.repairEN(ws)
	if done {
		return
	}
	if question {
		if text, ok := order(ws, false); ok && !hasAny(padded(ws), supposed) {
			r.say(statement{place: preferences, text: sentence(text), strength: stated, ofUser: true})
			return
		}
		if ws = beforeQuestion(ws); len(ws) == 0 {
			return
		}
	}
	if body, ok := rememberedBefore(ws); ok {
		r.remember(body, asked)
		return
	}
	l := padded(ws)
	if isConditional(ws) {
		r.conditionalOrder(ws)
		return
	}
	if hasAny(l, supposed) || isReported(ws) {
		return
	}
	if r.appointed(ws, r.question != "") {
		return
	}
	r.clauses(ws, stated)
}

// beforeQuestion gives what a question is introduced with: "I'm vegetarian, what can I cook?" → "I'm vegetarian".
func beforeQuestion(ws []word) []word {
	for k := len(ws) - 2; k >= 2; k-- {
		if !ws[k-1].endsClause() {
			continue
		}
		tail := trimCoordinators(ws[k:])
		if len(tail) > 1 && isQuestion("", tail) && !isQuestion("", ws[:k]) && !hasLow(ws[:min(3, k)], "if") {
			return trimmed(ws[:k])
		}
	}
	return nil
}

// nameLowered gives a name in lower case its capital where what follows tells that it is one: "im tom, 27, living in leeds".
func nameLowered(ws []word) {
	rest, _ := withoutFillers(ws)
	if len(rest) > 3 && rest[0].low == "i" && rest[1].low == "am" && !rest[2].isName() && isPlainName(rest[2:]) {
		rest[2].text = capitalise(rest[2].text)
	}
}

// conditionalOrder reads "If I ask for directions, always assume I'm walking"; other conditions say nothing.
func (r *reader) conditionalOrder(ws []word) {
	ws, _ = withoutFillers(ws)
	for k := 3; k+1 < len(ws); k++ {
		if !ws[k-1].endsClause() || ws[1].low != "i" && ws[1].low != "you" {
			continue
		}
		if text, ok := order(trimmed(ws[k:]), ws[k].low == "always" || ws[k].low == "never" || ws[k].low == "please"); ok {
			r.say(statement{place: preferences, text: sentence(text + " " + joinWords(impersonal(lowerWords(ws[:k])))), strength: stated, ofUser: true})
		}
		return
	}
}

// appointed reads what is no clause but names something with its day: "Dentist on Tuesday at 9", and as an answer also
// "the Pine Ridge half on December 13th".
func (r *reader) appointed(ws []word, answers bool) bool {
	rest := ws[consumed(affirmative, ws):]
	rest, _ = withoutFillers(rest)
	rest = trimmed(absoluteDates(rest, r.base))
	when, ok := lastMoment(rest)
	if !ok || when.before(r.now) || len(rest) < 3 || len(rest) > 12 || anyAuxiliary(rest) || rest[0].when.span != noSpan || looksIng(rest[0].low) && !eventNouns[rest[0].low] || datePrepositions[rest[0].low] || isPersonal[rest[0].low] {
		return false
	}
	head := headNoun(rest)
	if c := parseClause(rest); c.verb != "" && c.subject != imperative || !eventNouns[head] && !(acquaintances[head] && !answers) && !(answers && hasName(rest)) {
		return false
	}
	if rest[0].low == "the" || rest[0].low == "my" || rest[0].low == "our" || rest[0].low == "a" || rest[0].low == "an" {
		rest = rest[1:]
	}
	r.say(statement{place: dates, text: sentence(joinWords(impersonal(rest))), strength: stated})
	return true
}

// requestEN reads requests to remember and to be reminded.
func (r *reader) requestEN(ws []word, question bool) bool {
	kind, rest := requested(ws, question)
	switch kind {
	case noRequest:
		return false
	case rememberWhat:
		r.list = true
	case rememberIt:
		r.rememberPrevious()
	case remember:
		r.remember(rest, asked)
	case remindTo, todo:
		r.toDo(kind, rest)
	}
	return true
}

// toDo writes "remind me to …" and "TODO: …".
func (r *reader) toDo(kind request, rest []word) {
	rest = trimmed(cutFillers(absoluteDates(rest, r.base)))
	for len(rest) > 0 && (rest[0].low == "to" || rest[0].low == "that" || rest[0].low == "about") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	if text, ok := order(rest, false); kind == todo && ok {
		r.say(statement{place: preferences, text: sentence(text), strength: asked})
		return
	}
	rest = reminderDateLast(rest)
	lead := "Wants to be reminded to "
	if kind == todo {
		lead = "To do: "
	} else if f, ok := verbForms[rest[0].low]; !ok || f.form != formBase && f.lemma != rest[0].low {
		lead = "Wants to be reminded: "
	}
	rest[0].text = lowerFirst(rest[0].text)
	r.say(statement{place: tasks, text: sentence(lead + joinWords(impersonal(rest))), strength: asked})
}

// reminderDateLast moves a date before the task behind it: "on 2026-11-22 to water the plants".
func reminderDateLast(ws []word) []word {
	if !datePrepositions[ws[0].low] {
		return ws
	}
	for k := 0; k+1 < len(ws) && k < 6; k++ {
		if ws[k].when.span == noSpan {
			continue
		}
		rest := ws[k+1:]
		for len(rest) > 0 && (rest[0].low == "to" || rest[0].low == "that" || rest[0].low == "about") {
			rest = rest[1:]
		}
		if len(rest) > 0 {
			return append(append([]word(nil), rest...), ws[:k+1]...)
		}
	}
	return ws
}

// remember keeps what the user asked to be remembered: in a more precise place where a rule reads it, else under Remembered.
func (r *reader) remember(ws []word, firmly strength) {
	ws = trimmed(ws)
	for len(ws) > 1 && (ws[0].low == "that" || fillers.at(ws) > 0 || coordinators[ws[0].low]) {
		ws = ws[max(1, fillers.at(ws)):]
	}
	if len(ws) < 2 {
		return
	}
	from := len(r.out)
	if text, ok := order(ws, false); ok {
		r.say(statement{place: preferences, text: sentence(text), strength: firmly, ofUser: true})
		return
	}
	dated := absoluteDates(ws, r.base)
	read := true
	for _, part := range splitClauses(dated) {
		before := len(r.out)
		r.clause(parseClause(part), part, firmly)
		read = read && len(r.out) > before && r.out[len(r.out)-1].place != noteOnly
	}
	if read {
		return
	}
	r.out = r.out[:from]
	p := remembered
	if len(dated) > 2 && (dated[0].low == "my" || dated[0].low == "our" || dated[0].low == "the") && parseClause(dated).verb == "" {
		dated = dated[1:]
		if when, ok := lastMoment(dated); ok && !when.before(r.now) && eventNouns[headNoun(dated)] {
			p = dates // "remember my flight to Oslo on June 12"
		}
	}
	r.say(statement{place: p, text: sentence(toldWords(dated)), strength: firmly})
}

// toldWords tells any words in the third person.
func toldWords(ws []word) string {
	c := parseClause(ws)
	switch {
	case (c.subject == self || c.subject == we) && c.verb != "" && !strings.HasPrefix(c.verb, "?"):
		return c.thirdPerson()
	case c.subject == thing && c.verb != "":
		return factText(c)
	}
	return joinWords(impersonal(ws))
}

// rememberPrevious makes what was said just before a thing to remember.
func (r *reader) rememberPrevious() {
	if len(r.out) > r.previous.from {
		for i := r.previous.from; i < len(r.out); i++ {
			r.out[i].strength = asked
		}
		return
	}
	if s := r.previous.sentence; s != "" && languageOf(s) == english {
		if ws := englishWords(withoutQuotations(s)); !isQuestion(s, ws) && len(ws) > 2 {
			r.remember(ws, asked)
		}
	}
}

// clauses reads the clauses of a sentence.
func (r *reader) clauses(ws []word, firmly strength) {
	if r.label(absoluteDates(ws, r.base), firmly) {
		return
	}
	doubted := false
	stands := hasAny(padded(ws), standingPhrases)
	for i, part := range splitClauses(absoluteDates(withSubject(ws), r.base)) {
		l := padded(part)
		doubt := hasAny(l, doubtful)
		if i == 0 {
			doubted = doubt && hasAny(l, []string{" i think ", " i guess ", " not sure ", " maybe ", " i believe "}) && len(part) < 5
		}
		s := firmly
		if (doubt || doubted) && firmly < asked {
			s = unsure
			part = withoutDoubt(part)
		}
		if text, ok := order(part, stands); ok {
			r.say(statement{place: preferences, text: sentence(text), strength: s, ofUser: true})
			continue
		}
		r.clause(parseClause(part), part, s)
	}
}

// withoutDoubt removes "I think" and the like from the beginning, so that what is doubted can be read.
func withoutDoubt(ws []word) []word {
	for _, lead := range [][2]string{{"i", "think"}, {"i", "guess"}, {"i", "suppose"}, {"i", "believe"}, {"i", "hope"}, {"i", "feel"}} {
		if len(ws) > 3 && ws[0].low == lead[0] && ws[1].low == lead[1] {
			ws = ws[2:]
			if ws[0].low == "that" || ws[0].low == "like" {
				ws = ws[1:]
			}
		}
	}
	if len(ws) > 2 && (ws[0].low == "maybe" || ws[0].low == "perhaps" || ws[0].low == "probably") {
		ws = ws[1:]
	}
	return ws
}

// impliedHeads begin sentences that leave out "I" or "I am": "Just moved here", "Love hiking", "Allergic to nuts".
var impliedVerbs = set(`love prefer hate enjoy live work need have want dislike`)

func withSubject(ws []word) []word {
	rest, _ := withoutFillers(ws)
	k := 0
	for k < len(rest) && (droppedAdverbs[rest[k].low] || rest[k].low == "usually") {
		k++
	}
	if k+1 >= len(rest) {
		return ws
	}
	w := rest[k].low
	f := verbForms[w]
	i := word{text: "I", low: "i"}
	am := word{text: "am", low: "am"}
	next := rest[k+1].low
	switch {
	case w == "going" && next == "to", f.form == formIng && w != "being" && w != "going" && w != "thinking" && !(len(rest) > k+2 && anyFinite(rest[k+1:])):
		return append([]word{i, am}, lowerWords(rest)...)
	case looksIng(w) && !(f.form != 0) && prepositions[next] && !anyFinite(rest[k+1:]):
		return append([]word{i, am}, lowerWords(rest)...)
	case f.form == formPast && f.lemma != w && !isBe[next] && !anyAuxiliary(rest[k+1:]):
		return append([]word{i}, lowerWords(rest)...)
	case impliedVerbs[w] && !(w == "have" && (next == "a" && len(rest) > k+2 && (rest[k+2].low == "nice" || rest[k+2].low == "great" || rest[k+2].low == "good" || rest[k+2].low == "lovely" || rest[k+2].low == "look" || rest[k+2].low == "safe") || next == "fun")) && !stopObjects[next] && !(w == "enjoy" && determiners[next]) && next != "and" && next != "for" && !anyAuxiliary(untilLimit(rest[k+1:])):
		return append([]word{i}, lowerWords(rest)...)
	case w == "not" && (next == "a" && hasLow(rest, "fan") || next == "into" || next == "keen" || next == "fond"), w == "big" && next == "fan":
		if w == "big" {
			return append([]word{i, am, {text: "a", low: "a"}}, lowerWords(rest)...)
		}
		return append([]word{i, am}, lowerWords(rest)...)
	case w == "this" && next == "is" && len(rest) > 2 && len(rest) < 10 && nameOf(rest[2:]) > 0:
		return append([]word{i, am}, rest[2:]...)
	case w == "used" && next == "to" && len(rest) > k+2, w == "cannot" && verbForms[next].form == formBase, w == "do" && next == "not" && len(rest) > k+2 && (likes[rest[k+2].low] || rest[k+2].low == "eat" || rest[k+2].low == "drink"):
		return append([]word{i}, lowerWords(rest)...)
	case (w == "allergic" || w == "based" || w == "originally" || w == "married" || w == "fluent") && (prepositions[next] || next == "from"), w == "from" && rest[k+1].isName() && k == 0 && len(rest) < 5:
		return append([]word{i, am}, lowerWords(rest)...)
	}
	return ws
}

// untilLimit gives the words before a subordinate clause.
func untilLimit(ws []word) []word {
	for k, w := range ws {
		if subordinators[w.low] || w.low == "because" || w.low == "if" || w.low == "that" || w.low == "so" || w.low == "but" || w.low == "and" {
			return ws[:k]
		}
	}
	return ws
}

func anyAuxiliary(ws []word) bool {
	for k, w := range ws {
		if k > 0 && ws[k-1].endsClause() {
			return false
		}
		if auxiliaries[w.low] {
			return true
		}
	}
	return false
}

// anyFinite reports whether the words after an -ing form hold a finite verb, whose subject the form then is.
func anyFinite(ws []word) bool {
	for k, w := range ws {
		if k > 0 && ws[k-1].endsClause() {
			return false
		}
		f := verbForms[w.low]
		if auxiliaries[w.low] || f.form == formThird && k > 0 && !determiners[ws[k-1].low] {
			return true
		}
	}
	return false
}

// clause reads one clause: the first rule that knows it writes the line.
func (r *reader) clause(c clause, part []word, firmly strength) {
	if c.verb == "" {
		return
	}
	add := func(p place, text string) {
		s := statement{
			place: p, text: sentence(text), strength: firmly, ends: c.ended,
			ofUser:   c.subject == self || c.subject == we && !strings.HasPrefix(text, "The team") && p != decisions,
			ofPerson: c.subject == pronoun || c.subject == thing && len(r.person) > 0 && p != facts && p != decisions,
		}
		if c.ended {
			s.topic = lows(c.rest)
		} else if topic := givenUp(c); topic != "" {
			s.ends, s.topic = true, topic
		}
		if p == decisions || p == facts && hasLow(c.rest, "instead") {
			s.supersedes = supersededBy(append([]word{{low: c.verb}}, c.rest...))
		}
		r.say(s)
	}
	if text, ok := settled(c); ok {
		add(decisions, text)
		return
	}
	switch c.subject {
	case self, we:
		if p, text, ok := r.aboutSelf(c); ok {
			add(p, text)
		} else if (c.tense == past || c.tense == perfect) && !c.negated && c.modal == "" && c.verb != "be" && len(c.rest) > 0 && firmly >= stated {
			r.say(statement{text: sentence(c.thirdPerson()), strength: firmly, ofUser: true, ifDone: true})
		}
	case together:
		if p, text, ok := proposed(c, r.now); ok {
			add(p, text)
		}
	case imperative:
		if c.verb == "go" && len(c.rest) > 1 && c.rest[0].low == "with" && isChosen(c.rest[1:]) && !c.negated {
			add(decisions, "Decided to go "+joinWords(impersonal(c.rest)))
		}
	case pronoun:
		if c.noun[0].low == "there" {
			if when, ok := lastMoment(c.rest); ok && !when.before(r.now) && c.verb == "be" && len(c.rest) > 2 && !pointsBack(c.rest) {
				add(dates, joinWords(impersonal(withoutArticle(c.rest))))
			}
			return
		}
		if c.noun[0].low == "it" && len(r.thing) > 0 && (isHardValue(c.rest) || hasDay(c.rest)) {
			c.subject, c.noun = thing, r.thing
			if p, text, ok := r.aboutThing(c, r.now); ok {
				add(p, text)
			}
			return
		}
		if len(r.person) > 0 && r.fits(c.noun[0].low) {
			who := r.person
			c.noun = who
			if p, text, ok := r.aboutPerson(c, 0, r.now); ok {
				add(p, text)
			}
			r.person = who
		}
	case thing:
		if isCouncil(c.noun) && (c.tense == past || c.tense == perfect) {
			if p, text, ok := decidedPast(c, r.now); ok {
				add(p, joinWords(withoutArticle(c.noun))+" "+lowerFirst(text))
				return
			}
		}
		if relationAt(c.noun) < 0 {
			r.thing = c.noun
		}
		if p, text, ok := r.aboutThing(c, r.now); ok {
			add(p, text)
		}
	}
}

// givenUp is what ended with "I quit smoking", "I left my job at Acme" and the like: the words by which its line is found.
func givenUp(c clause) string {
	if c.subject != self || c.tense != past && c.tense != perfect {
		return ""
	}
	switch {
	case (c.verb == "quit" || c.verb == "stop") && isGivenUp(c.rest):
		return lows(upTo(undatedWords(c.rest), "because"))
	case (c.verb == "quit" || c.verb == "leave" || c.verb == "lose") && isJobLeft(c.rest):
		if k := max(indexLow(c.rest, "at"), indexLow(c.rest, "with")); k > 0 {
			return lows(placeWords(c.rest[k+1:]))
		}
	case c.verb == "leave" && beginsWithName(c.rest):
		return lows(placeWords(c.rest))
	}
	return ""
}

// undatedWords gives the words before a date.
func undatedWords(ws []word) []word {
	for k, w := range ws {
		if w.when.span != noSpan {
			for k > 0 && datePrepositions[ws[k-1].low] {
				k--
			}
			return ws[:k]
		}
	}
	return ws
}

// aboutSelf reads "I …" and "we …".
func (r *reader) aboutSelf(c clause) (place, string, bool) {
	r.meet(c)
	if p, text, ok := decided(c, r.now); ok {
		return p, text, true
	}
	if c.verb == "be" && c.modal == "" && (c.tense == present || c.tense == perfect || c.tense == past) {
		if n := nameOf(c.rest); n > 0 && c.subject == self && c.tense == present && !c.negated {
			return r.introduced(c, n)
		}
		if p, ok := appointment(c, r.now); ok {
			return p, c.thirdPerson(), true
		}
		if p, ok := copula(c); ok {
			if c.subject == we && len(c.rest) > 1 && c.rest[0].low == "on" && isChosen(c.rest[1:]) {
				return facts, "The team " + lowerFirst(c.thirdPerson()), true
			}
			return p, c.thirdPerson(), true
		}
		return noteOnly, c.thirdPerson(), event(c) && c.tense == past && hasDay(c.rest)
	}
	if p, ok := obligation(c, r.now); ok {
		return p, c.thirdPerson(), true
	}
	if p, ok := taste(c); ok {
		return p, c.thirdPerson(), true
	}
	if c.modal != "" {
		return noteOnly, "", false
	}
	if p, ok := appointment(c, r.now); ok {
		return p, c.thirdPerson(), true
	}
	if c.verb == "have" {
		if p, ok := r.have(c); ok {
			return p, c.thirdPerson(), true
		}
	}
	if p, text, ok := r.ofTeam(c); ok {
		return p, text, ok
	}
	for _, rule := range selfVerbs[c.verb] {
		if rule.match(c) {
			return rule.place, c.thirdPerson(), true
		}
	}
	if p, ok := habit(c); ok {
		return p, c.thirdPerson(), true
	}
	if event(c) {
		return noteOnly, c.thirdPerson(), true
	}
	return noteOnly, "", false
}

// meet notices people of the user's life in what the user says about themselves, for "he" and "she" after it.
func (r *reader) meet(c clause) {
	for k := 0; k+1 < len(c.rest); k++ {
		if c.rest[k].low != "my" && c.rest[k].low != "our" {
			continue
		}
		for j := k + 1; j < min(k+4, len(c.rest)); j++ {
			if !isRelation(c.rest[j].low) || strings.HasSuffix(c.rest[j].text, "'s") || j+1 < len(c.rest) && eventNouns[c.rest[j+1].low] {
				continue
			}
			end := j + 1
			for end < len(c.rest) && c.rest[end].isName() && !c.rest[end-1].endsClause() {
				end++
			}
			r.person = personOf(plainRelation(c.rest[k:end]))
			r.learnNames(c.rest[j+1 : end])
			return
		}
	}
	if c.verb == "get" && len(c.rest) > 0 && (c.rest[0].low == "engaged" || c.rest[0].low == "married") {
		r.person = []word{{text: "partner", low: "partner"}}
	}
}

// introduced splits "I am Ada from London" into the name and the rest.
func (r *reader) introduced(c clause, n int) (place, string, bool) {
	name := joinWords(trimmed(c.rest[:n]))
	r.say(statement{place: identity, text: sentence("Name is " + name), strength: stated})
	if rest := c.rest[n:]; len(rest) > 0 && (rest[0].low == "from" || rest[0].low == "in" || rest[0].low == "at" || rest[0].low == "with") {
		c.rest = rest
		if p, ok := copula(c); ok && p != noteOnly {
			return p, c.thirdPerson(), true
		}
	}
	return noteOnly, "", false
}

// ofTeam reads what a team does: "we use Postgres for billing", "we deploy on Thursdays".
func (r *reader) ofTeam(c clause) (place, string, bool) {
	if c.subject != we || isBusiness(c.rest) || len(c.rest) == 0 || pointsBack(c.rest) || c.tense != present && c.tense != progressive {
		return noteOnly, "", false
	}
	switch c.verb {
	case "use":
		if len(c.rest) < 6 && !codeNouns[headNoun(c.rest)] {
			return facts, "The team " + lowerFirst(c.thirdPerson()), true
		}
	case "own":
		if !isHaving(c.rest) {
			return facts, "The team " + lowerFirst(c.thirdPerson()), true
		}
		return noteOnly, "", false
	case "run", "host", "store", "deploy", "release", "ship", "write", "build", "maintain", "support", "rely", "depend", "migrate", "test", "?containerize", "rotate", "log", "?log", "track", "charge", "?bill", "?sell", "sell", "?onboard":
	default:
		return noteOnly, "", false
	}
	if c.negated && c.verb != "use" && c.verb != "deploy" && c.verb != "release" && c.verb != "support" || codeNouns[headNoun(c.rest)] || !isValue(c.rest) && !isRecurring(c.rest) && !isProject(c.rest) {
		return noteOnly, "", false
	}
	return facts, "The team " + lowerFirst(c.thirdPerson()), true
}

// habit reads "I always …", "I never …" with any verb.
func habit(c clause) (place, bool) {
	if c.tense != present || len(c.adverbs) == 0 && (!isHabit(c.rest) || strings.HasPrefix(c.verb, "?")) || c.modal != "" || len(c.rest) > 20 || c.verb == "be" {
		return noteOnly, false
	}
	if len(trimUnknown(c.verb)) < 3 && c.verb != "go" {
		return noteOnly, false
	}
	switch v := trimUnknown(c.verb); v {
	case "do", "have", "make", "get", "go":
		return preferences, isHabit(c.rest) && !pointsBack(c.rest) && !hasDay(c.rest)
	case "see", "forget", "think", "know", "say", "feel", "want", "need", "wonder", "remember", "learn", "thank", "mean", "find", "understand", "happen", "fail":
		return noteOnly, false
	}
	if pointsBack(c.rest) && len(c.rest) > 0 {
		return noteOnly, false
	}
	return preferences, len(c.rest) > 0 && !hasDay(c.rest)
}

// label reads "Name: Ada", "Deadline: May 3", "Decision: we use NATS".
func (r *reader) label(part []word, firmly strength) bool {
	cut := -1
	for k := range min(6, len(part)) {
		if strings.HasSuffix(part[k].text, ":") {
			cut = k
			break
		}
	}
	if cut < 0 || cut+1 >= len(part) {
		return false
	}
	key, value := part[:cut+1], part[cut+1:]
	last := key[cut].low
	switch {
	case last == "decision" || last == "decided" || last == "agreed" || last == "conclusion" || last == "resolution":
		r.say(statement{place: decisions, text: sentence("Decision: " + joinWords(impersonal(value))), strength: firmly})
		return true
	case attributes[last] != noteOnly && cut < 3 && len(value) < 16:
		r.say(statement{place: attributes[last], text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " + joinWords(impersonal(value))), strength: firmly})
		return true
	case eventNouns[last] && hasDay(value) && len(value) < 14:
		r.say(statement{place: dates, text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " + joinWords(value)), strength: firmly})
		return true
	case factNouns[last] && len(value) < 14:
		r.say(statement{place: facts, text: sentence(capitalise(strings.TrimSuffix(joinWords(plainKey(key)), ":")) + ": " + joinWords(impersonal(value))), strength: firmly})
		return true
	}
	return false
}

// plainKey drops "my" and "the" from a label.
func plainKey(key []word) []word {
	for len(key) > 1 && (determiners[key[0].low] || fillers.one(key[0].low)) {
		key = key[1:]
	}
	return key
}
