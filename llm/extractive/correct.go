package extractive

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// claim is a line of a file that a passage may take back.
type claim struct {
	text    string
	terms   words
	rare    words // of no other claim
	heading words // of its section
	subject words
	lead    words // the first ones
	names   words // names and numbers
	person  words // those that say whom it is about
	set     cue.Set
	values  []value
}

// A sign is a feature of a claim and a clause that was said later.
const (
	signShares     = iota // a rare word of the claim
	signSharesTwo         //
	signSharesHalf        // half of its words
	signBeside            // its words are in another clause of the passage
	signRestated          // the assistant has just said the claim
	signAsked             // the assistant has just asked about it
	signHeading           // a word of its heading
	signOver              // cues of the clause
	signForget
	signCorrect
	signChange
	signNot
	signOpens    // the message begins with a cue of negation, correction or change
	signNames    // the clause names a value of the claim and gives another
	signUnit     // it gives another value with the same unit
	signNumber   // it gives another number
	signDenies   // it denies a value of the claim
	signExact    // it has no words of content but those of the claim
	signBrief    // at most two others
	signWordy    // more than five others
	signDoubtful // it doubts, supposes or asks
	signOthers   // it is about a relative, and the claim is not
	signSharesOver
	signSharesForget
	signSharesCorrect
	signSharesChange
	signSharesValue
	signTwoChange
	signRestatedOpens
	signRestatedChange
	signRestatedValue
	signEnds      // a cue of an end is next to a rare word of the claim
	signTurns     // a cue of change does
	signMoves     // the user lives elsewhere now
	signKind      // both are about the user's home, work or age, and there is a cue of change
	signAnswers   // a clause without its own topic answers with a change to what the assistant has just said
	signForgets   // what is to be forgotten is the claim
	signCorrects  // a number of the claim is repeated, another one given, and there is a cue of correction
	signOtherwise // a value of the claim is denied, and another one given
	signFew       // it has at most a sixth of the claim's words
	signSome      // a quarter of them
	signMost      // three quarters of them
	signTopical   // the claim has half of its words of content
	signLong      // the claim is long
	signFewLong
	signSubject // it has one of the first words of the claim
	signName    // a name or a number of the claim
	signRare    // three rare words of the claim
	signs
)

// signsOf returns the signs that clause w of a passage takes a claim back. ok is false without any that they are about the same.
func (p *passage) signsOf(w *window, c *claim) (v vector, ok bool) {
	on := w.isOn(c.text, c.terms, c.person, c.set.Has(cue.Health))
	shared := w.terms.shared(c.rare)
	restated, asked := c.isIn(p.heard), c.isIn(p.asked)
	mentioned := c.rare.shared(p.asked) > 0
	beside := p.terms.shared(c.rare) > shared
	heading := p.terms.shared(c.heading) > 0
	named, unit, number, denied := p.conflict(c, w)
	repeated := named && number
	other := len(w.about) - w.about.shared(c.terms)
	change := w.set.Any(cue.Over, cue.Correct, cue.Change)
	moves := c.set.Has(cue.Home) && !c.set.Has(cue.Kin) && !hasDigit(c.text) && p.moves(w)
	value := named || unit
	parts := w.set.Has(cue.Self) && w.set.Has(cue.Over) && other <= 1 && c.terms.within(c.person) == 1 // "Renzo and I are divorced"
	if !on && !value && (c.set.Has(cue.Health) || len(c.person) > 0 && !number && !moves && !parts) && !(len(w.about) == 0 && (restated || asked)) {
		return nil, false // what ends or changes is something else about the person
	}
	if shared == 0 && !restated && !mentioned && !beside && !heading && !named && !denied && !moves {
		return nil, false
	}
	if !value && !number && !denied && !moves && !p.opens && !w.set.Any(cue.Over, cue.Forget, cue.Correct, cue.Change, cue.Not) {
		return nil, false // it neither ends nor changes anything, and gives no other value
	}
	covers, long := c.terms.within(w.terms), c.isLong(w.words)
	few := covers <= 1./6
	for s, present := range [signs]bool{
		signFew: few, signSome: covers >= .25, signMost: covers >= .75, signTopical: w.about.within(c.terms) >= .5, signLong: long,
		signFewLong: few && long, signSubject: w.terms.shared(c.lead) > 0, signName: w.terms.shared(c.names) > 0, signRare: shared > 2,
		signShares: shared > 0, signSharesTwo: shared > 1, signSharesHalf: w.terms.shared(c.terms)*2 >= len(c.terms), signBeside: beside,
		signRestated: restated, signAsked: asked, signHeading: heading, signOver: w.set.Has(cue.Over), signForget: w.set.Has(cue.Forget),
		signCorrect: w.set.Has(cue.Correct), signChange: w.set.Has(cue.Change), signNot: w.set.Has(cue.Not), signOpens: p.opens,
		signNames: named, signUnit: unit, signNumber: number, signDenies: denied, signExact: other == 0, signBrief: other <= 2,
		signWordy: other > 5, signDoubtful: w.set.Any(cue.Doubt, cue.If, cue.Suppose, cue.Would) || strings.HasSuffix(w.text, "?"),
		signOthers: w.isAboutOthers(c), signSharesOver: shared > 0 && w.set.Has(cue.Over),
		signSharesForget:  (shared > 0 || beside) && w.set.Has(cue.Forget),
		signSharesCorrect: shared > 0 && w.set.Has(cue.Correct), signSharesChange: shared > 0 && w.set.Has(cue.Change),
		signSharesValue: shared > 0 && value, signTwoChange: shared > 1 && change, signRestatedOpens: restated && p.opens,
		signRestatedChange: restated && change, signRestatedValue: restated && (value || number),
		signEnds: w.ends(c, shared, other), signTurns: shared > 0 && w.isAt(c.rare, cue.Change, cue.Correct),
		signMoves:     moves,
		signKind:      change && w.set&c.set&aboutSelf != 0 && !w.set.Has(cue.Kin) && !c.set.Has(cue.Kin),
		signAnswers:   len(w.about) == 0 && w.leads && change && (mentioned || asked),
		signForgets:   w.set.Has(cue.Forget) && p.topic(w).within(c.terms) >= sameTopic,
		signCorrects:  repeated && p.set.Has(cue.Correct),
		signOtherwise: denied && value && (shared > 0 || beside || restated || heading),
	} {
		if present {
			v = append(v, s)
		}
	}
	return v, true
}

// denies reports whether a negation is next to a value.
func (w *window) denies(v value) bool {
	return slices.ContainsFunc(w.marks, func(m cue.Mark) bool {
		if m.Kind != cue.Not && m.Kind != cue.Correct && m.Kind != cue.Over {
			return false
		}
		from, to := min(m.End, v.End), max(m.Start, v.Start)
		return from >= to || utf8.RuneCountInString(w.text[from:to]) <= besides && !strings.ContainsAny(w.text[from:to], ",，、،")
	})
}

// besides is the maximum number of characters between a negation and the denied words.
const besides = 6

// pairs are the languages whose words are pairs of characters; about half of the pairs of a text are no words.
var pairs = []string{"zh", "ja", "ko"}

// closeBy is the number of words that may separate a cue from the word that it is about.
const closeBy = 2

// isAt reports whether a cue of one of the kinds is close to one of the words.
func (w *window) isAt(these words, kinds ...cue.Kind) bool {
	if !w.set.Any(kinds...) {
		return false
	}
	gap := closeBy + 1
	if slices.Contains(pairs, w.words) { // characters
		gap *= 3
	}
	tokens := tokensOf(w.text, w.words)
	for _, m := range w.marks {
		if !slices.Contains(kinds, m.Kind) {
			continue
		}
		first, last := -1, -1 // positions of the cue
		for _, t := range tokens {
			if t.End > m.Start && first < 0 {
				first = t.Position
			}
			if t.Start < m.End {
				last = t.Position
			}
		}
		for _, t := range tokens {
			if these[t.Forms[len(t.Forms)-1]] && t.Position >= first-gap && t.Position <= last+gap {
				return true
			}
		}
	}
	return false
}

// aboutSelf are the kinds of claims with one value at a time: a new value replaces the old one.
const aboutSelf cue.Set = 1<<cue.Home | 1<<cue.Work | 1<<cue.Age

// moves reports whether a clause says that the user lives elsewhere now.
func (p *passage) moves(w *window) bool {
	if p.states(attributeHome) {
		return true
	}
	named := slices.ContainsFunc(w.values, func(v value) bool { return v.class == 'c' }) || !slices.Contains(latin, p.lang) && p.lang != "ru"
	place := wordsOf(without(w.text, w.marks, cue.Home, cue.Change, cue.Correct, cue.Over, cue.Time, cue.Number, cue.Filler), w.words)
	amount := slices.ContainsFunc(w.values, func(v value) bool { return v.class == 'n' && digits(v.text) > 2 }) // "the rent is 1,845 now"
	theirs := w.set.Has(cue.Lean) && !w.set.Has(cue.Self)                                                       // "she lives in Rome now"
	return named && len(place) > 0 && !amount && !theirs && w.set.Has(cue.Home) && w.set.Any(cue.Change, cue.Correct, cue.Over) &&
		!w.set.Any(cue.Kin, cue.Other, cue.Doubt, cue.If, cue.Suppose) &&
		!slices.ContainsFunc(w.marks, func(m cue.Mark) bool { // "moved my appointment"
			return m.Kind == cue.Plan && !slices.ContainsFunc(w.marks, func(o cue.Mark) bool {
				return o.Kind == cue.Home && o.Start < m.End && m.Start < o.End
			})
		})
}

// ends reports whether a clause says that the subject of a claim, with which it shares rare words, is over: it names nothing else, or
// the words are adjacent.
func (w *window) ends(c *claim, shared, other int) bool {
	return shared > 0 && w.set.Has(cue.Over) && (other == 0 || w.isAt(c.rare, cue.Over))
}

// isAboutOthers reports whether a clause names a relative whom the claim does not name, before
// it says what changes.
func (w *window) isAboutOthers(c *claim) bool {
	for _, m := range w.marks {
		switch m.Kind {
		case cue.Over, cue.Correct, cue.Change: // "sold it to my cousin"
			return false
		case cue.Kin:
			if wordsOf(w.text[m.Start:m.End], w.words).shared(c.terms) == 0 {
				return true
			}
		}
	}
	return false
}

// topic returns the words of what clause w wants forgotten: its own, or those of the clause before it.
func (p *passage) topic(w *window) words {
	if len(w.about) > 0 {
		return w.about
	}
	windows := p.windows()
	for i := range windows[:len(windows)-1] {
		if i > 0 && windows[i].text == w.text {
			return windows[i-1].about
		}
	}
	return nil
}

// isLong reports whether a claim has so many words that a clause may repeat one of them by chance.
func (c *claim) isLong(lang string) bool {
	n := len(c.terms)
	if lang == "vi" || slices.Contains(pairs, lang) { // which have pairs of characters or syllables as well
		n /= 2
	}
	return n > shortClaim
}

// shortClaim is the number of words of content up to which a line says one thing.
const shortClaim = 8

// isIn reports whether a text has the words of a claim: half of them, a quarter and two rare ones, or its number and another one.
func (c *claim) isIn(text words) bool {
	covered := c.terms.within(text)
	if covered >= .5 || covered >= .25 && c.rare.shared(text) > 1 {
		return true
	}
	number := slices.ContainsFunc(c.values, func(v value) bool { return v.class == 'n' && text[v.text] })
	return number && c.terms.shared(text) > 1
}

// correctedValue matches a value that a correction put into a line.
var correctedValue = lazyregexp.New(`\[[^\[\]]{1,40}\]`)

// gave reports whether a passage on the subject of a claim gives the value that a correction put into it, and no other one instead.
func (p *passage) gave(c *claim) bool {
	if p.withdrawn || c.rare.shared(p.terms) == 0 && c.rare.shared(p.heard) == 0 {
		return false
	}
	windows := p.windows()
	for i := range windows {
		w := &windows[i]
		if r, ok := replacedValue(c.values, w); ok && r.named && (p.set.Has(cue.Correct) || w.denies(r.said)) {
			return false
		}
	}
	for _, at := range correctedValue.FindAllStringIndex(c.text, -1) {
		given := foldedText(c.text[at[0]+1 : at[1]-1])
		for _, w := range windows {
			if slices.ContainsFunc(w.values, func(v value) bool { return v.text == given }) {
				return true
			}
		}
		if slices.ContainsFunc(p.contrasts(), func(x contrast) bool { return foldedText(x.given) == given }) {
			return true
		}
	}
	return false
}

// conflict compares the values of a claim with those of a clause.
func (p *passage) conflict(c *claim, w *window) (named, unit, number, denied bool) {
	if r, ok := replacedValue(c.values, w); ok && !r.guessed && !p.separates(w, r, c.subject) {
		named, unit = r.named && (w.denies(r.said) || p.set.Has(cue.Correct)), !r.named
	}
	if len(w.values) == 0 {
		return named, unit, false, false
	}
	for _, old := range c.values {
		for _, v := range w.values {
			number = number || old.class == 'n' && v.class == 'n' && old.text != v.text
			denied = denied || old.text == v.text && w.denies(v)
		}
	}
	return named, unit, number, denied
}

// Scores up to which a claim is kept. To keep a line that was taken back leaves two lines; a line that is taken back by mistake is lost.
const (
	unsure       = -.65
	unsureOfLong = -.2
)

// isProof reports whether the signs leave no doubt, whatever their weights.
func isProof(v vector) bool {
	has := func(s int) bool { return slices.Contains(v, s) }
	brief := !has(signLong) // of a long line a clause may repeat a word by chance
	switch {
	case has(signMoves), has(signForgets) && !has(signFewLong):
		return true
	case has(signDoubtful), has(signOthers):
		return false
	}
	return has(signEnds) && (has(signExact) && !has(signFewLong) || brief && has(signSome)) ||
		brief && has(signOtherwise) && has(signShares) && has(signSome) ||
		brief && has(signRestated) && has(signOver) && has(signExact) && has(signOpens)
}

// isOfAnother reports whether a clause gives a value with the same unit as one of a claim, of another subject.
func isOfAnother(v vector, w *window, c *claim) bool {
	has := func(s int) bool { return slices.Contains(v, s) }
	return has(signUnit) && !has(signRestated) && !has(signAsked) && !has(signMoves) && !w.set.Any(cue.Over, cue.Forget, cue.Change) &&
		!w.isAbout(c.subject)
}

// isEmpty reports whether a clause names nothing ("Back to it.") and what it shares with a claim are words of its cues: it is about the claim
// only if the assistant has just spoken of it.
func isEmpty(v vector, w *window) bool {
	has := func(s int) bool { return slices.Contains(v, s) }
	return len(w.about) == 0 && len(w.values) == 0 && has(signShares) && !has(signRestated) && !has(signAsked) && !has(signAnswers)
}

// takesBack returns the clause of a passage that takes a claim back; nil if there is none.
func (p *passage) takesBack(c *claim) (by *window) {
	best := unsure
	windows := p.windows()
	for i := range windows {
		if p.renumbers(&windows[i], c) || windows[i].text == p.text && p.renames(c) {
			return &windows[i]
		}
		v, ok := p.signsOf(&windows[i], c)
		if !ok {
			continue
		}
		score := v.score(signWeights, signBias)
		if isProof(v) {
			score = max(score, certain)
		}
		if slices.Contains(v, signLong) && score <= unsureOfLong || isOfAnother(v, &windows[i], c) || isEmpty(v, &windows[i]) {
			continue
		}
		if score > best {
			best, by = score, &windows[i]
		}
	}
	return by
}

// renumbers reports whether a clause corrects the only number of a claim: it says the same with another one.
func (p *passage) renumbers(w *window, c *claim) bool {
	if !w.set.Any(cue.Correct, cue.Change) || w.set.Any(cue.Doubt, cue.If, cue.Suppose, cue.Would, cue.Forget) || p.asks || len(c.subject) == 0 ||
		len(w.subject) != len(c.subject) || w.subject.shared(c.subject) < len(c.subject) {
		return false
	}
	number := func(v value) bool { return v.class != 'n' }
	was, is := slices.DeleteFunc(slices.Clone(c.values), number), slices.DeleteFunc(slices.Clone(w.values), number)
	return len(was) == 1 && len(is) == 1 && was[0].text != is[0].text && change{from: was[0], to: is[0]}.sameUnit()
}

// renames reports whether a passage denies a name of a claim and gives another one instead, on the same subject.
func (p *passage) renames(c *claim) bool {
	from, _, bare, ok := p.swap(c.text, c.terms)
	return ok && (!bare || wordsOf(c.text[from.Start:from.End], p.words).within(p.heard) == 1)
}

// corrects reports whether a passage takes back or corrects something said before.
func (p *passage) corrects() bool {
	return (p.set.Any(cue.Forget, cue.Over) || p.amends || p.denied != "") && !p.asks
}

// states reports whether a passage states a fact with an attribute.
func (p *passage) states(attribute string) bool {
	return slices.ContainsFunc(p.facts, func(f fact) bool { return f.attribute == attribute })
}

// forgets reports whether a passage asks to forget something, without saying anything new.
func (p *passage) forgets() bool { return p.set.Has(cue.Forget) && !p.asks }

// onlyForgets reports whether a passage is a request to forget something, and nothing else but the reason ("we're keeping it secret").
func (p *passage) onlyForgets() bool {
	if !p.forgets() {
		return false
	}
	first := clause(p.text)
	rest := p.text[len(first):]
	says := cue.Find(rest, p.lang).Set()
	if hasDigit(rest) || namesIn("x "+rest) > 0 && p.lang != "de" || says.Any(cue.Kin, cue.Health, cue.Home, cue.Work, cue.Age, cue.Name, cue.Remember) ||
		says&contentCues&^(1<<cue.Task) != 0 && !says.Has(cue.Lean) || says.Has(cue.Task) && says.Has(cue.Self) {
		return false
	}
	for _, m := range cue.Find(first, p.lang) {
		if m.Kind != cue.Filler && m.Kind != cue.Chat && m.Kind != cue.Request && m.Kind != cue.You {
			return m.Kind == cue.Forget
		}
	}
	return false
}

// Shares of words by which a correction and the line that it corrects belong together.
const (
	sameTopic   = .5 // of the words of a correction, or of a topic to forget
	sameSubject = .6 // of the words of a correction that gives another number with the same label
	fewShared   = 2  // words, that suffice with a cue of correction
	lookBehind  = 2  // messages of the user in which a value may be that is corrected by its unit alone
)

// settle applies corrections within the conversation: a passage whose value is corrected gets the right one in brackets or is
// withdrawn. In the daily entry both stay as they were said, except for what is to be forgotten.
func settle(all []passage) {
	for i := range all {
		p := &all[i]
		for k := range i {
			old := &all[k]
			if old.speaker == p.speaker && old.proved && len(old.facts) == 1 && p.states(old.facts[0].attribute) {
				old.withdrawn, old.takenBack = true, p.seqs[len(p.seqs)-1]
			}
			if old.speaker == p.speaker && !old.withdrawn {
				p.amends = p.amends || p.drops(old) || p.swapsIn(old)
				p.denied = cmp.Or(p.denied, p.outdates(old))
			}
		}
		if !p.corrects() {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			old := &all[k]
			p.apart = p.apart || k < i-1 && hasDigit(all[k+1].text)
			if old.speaker != p.speaker && !old.withdrawn && p.amends && p.message-old.message <= lookBehind {
				_, _, sure := p.against(old) // what another person says stays, with the correction marked after it
				p.later = p.later || sure || k == i-1 && p.opens && p.alters(old)
			}
			if old.speaker != p.speaker || old.withdrawn || old.message == p.message && p.forgets() && k < i-1 {
				continue
			}
			text, wrong, sure := p.against(old)
			sure = sure || k == i-1 && p.undoes(old)
			if !sure && k == i-1 && p.message-old.message <= lookBehind && p.amends && p.subject().shared(old.subject()) > 0 &&
				(p.alters(old) || !hasDigit(p.text)) {
				p.later = true
			}
			if !sure {
				continue
			}
			old.withdrawn, old.forgotten, old.takenBack = true, p.forgets(), p.seqs[len(p.seqs)-1]
			if p.corrected, p.wrong = text, wrong; text != "" || p.drops(old) || p.restates(old) {
				p.adds = text != "" && p.lasting > 0 && p.addsTo(old.terms)
				p.keep, p.lasting = max(p.keep, old.keep), max(p.lasting, old.lasting)
				p.kind = old.kind
				p.seqs = withSeqs(slices.Clone(old.seqs), p.seqs)
			}
			break
		}
	}
}

// against compares a passage with an earlier one of the conversation. sure reports that it takes the earlier one back. corrected is
// the earlier text with the right value in brackets, and wrong the value that was replaced; both are empty if it is not certain.
func (p *passage) against(old *passage) (corrected, wrong string, sure bool) {
	if len(old.terms) == 0 || len(p.terms) == 0 {
		return "", "", false
	}
	if p.forgets() {
		topic := p.forgotTopic()
		if len(topic) == 0 { // "Forget it, I'm not buying the van."
			topic = wordsOf(clause(strings.TrimLeft(p.behind(cue.Forget), " ,.;:!，。、،")), p.words)
		}
		return "", "", len(topic) > 0 && topic.within(old.terms) >= sameTopic
	}
	near := p.message-old.message <= lookBehind
	marks := cue.Find(old.text, p.lang)
	windows, values, person := p.windows(), valuesOf(old.text, marks), personIn(old.text, p.lang, p.words, marks)
	for _, guesses := range []bool{false, true} { // what all clauses say comes before what one may mean
		for i := range windows {
			w := &windows[i]
			r, ok := replacedValue(values, w)
			if ok && r.guessed == guesses && p.replaces(old, r, w, near) {
				return withValue(old.text, r.from, w.text[r.to.Start:r.to.End]), old.text[r.from.Start:r.from.End], true
			}
		}
	}
	if p.drops(old) || p.restates(old) {
		return "", "", true
	}
	if p.swapsIn(old) {
		from, to, _, _ := p.swap(old.text, old.terms)
		return withValue(old.text, from, to), old.text[from.Start:from.End], true
	}
	for i := range windows {
		w := &windows[i]
		if w.about.within(old.terms) >= sameTopic && w.isOn(old.text, old.terms, person, marks.Set().Has(cue.Health)) &&
			(w.set.Has(cue.Over) || (!near && p.lasting > 0 || p.amends) && opposes(w.set, old.text, p.lang)) {
			return "", "", true
		}
	}
	return "", "", false
}

// forgotTopic returns the words of what a passage asks to forget: those after the request, else those around it, or in the clause before.
func (p *passage) forgotTopic() words {
	topic := named(wordsOf(clause(p.behind(cue.Forget)), p.words))
	windows := p.windows()
	for i := 0; len(topic) == 0 && i < len(windows); i++ {
		if !windows[i].set.Has(cue.Forget) || i > 0 && windows[i].text == p.text {
			continue
		}
		if topic = named(windows[i].about); len(topic) == 0 && i > 0 {
			topic = named(windows[i-1].about)
		}
	}
	return topic
}

// named returns the words that name something: those in hiragana are endings and particles.
func named(all words) words {
	out := words{}
	for w := range all {
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) }) {
			out[w] = true
		}
	}
	return out
}

// undoes reports whether a passage takes back what its speaker has just said, as a whole: it asks to forget it without naming anything
// ("never mind" after a request means the request), or is the next message, without an answer between, and begins with a correction that
// gives no value.
func (p *passage) undoes(old *passage) bool {
	switch {
	case p.forgets():
		return p.message <= old.message+1 && (p.first || p.message == old.message) && !old.requests && p.windows()[0].set.Has(cue.Forget) &&
			len(p.forgotTopic()) == 0
	case p.message == old.message || !p.first || p.seqs[0] != old.seqs[len(old.seqs)-1]+1 || !p.opens:
		return false
	}
	return p.set.Has(cue.Correct) && !p.alters(old)
}

// alters reports whether a passage gives another number than an earlier one, which may be of the same kind: "Make that 800."
func (p *passage) alters(old *passage) bool {
	values := valuesOf(old.text, cue.Find(old.text, p.lang))
	return slices.ContainsFunc(p.windows(), func(w window) bool {
		_, ok := replacedValue(values, &w)
		return ok
	})
}

// replaces reports whether a value of the passage takes the place of one of an earlier passage: it names that one, or both are about the
// same. In one message it needs a word of correction: two dates there are two dates.
func (p *passage) replaces(old *passage, r change, w *window, near bool) bool {
	shared, corrects := w.subject.shared(old.subject()), p.amends
	follows := p.message-old.message <= 1 || !p.apart && len(p.asked) == 0
	bare := corrects && follows && len(p.subjectUpTo(w)) == 0 // "sorry, 4800"
	switch {
	case r.guessed && shared == 0 && !(bare && r.sameUnit()), r.named && r.from.class != 'n' && !near, p.separates(w, r, old.subject()),
		p.message == old.message && !corrects && p.denied == "":
		return false
	case r.named && p.denied == r.from.text:
		return true
	case r.named && (corrects || near && p.set.Has(cue.Not)):
		return shared > 0 || w.denies(r.said) || near && digits(r.from.text) > 1
	case corrects:
		return bare || w.isAbout(old.subject())
	case near:
		return r.named && shared > 1
	}
	return !r.named && !r.guessed && shared >= fewShared && (!r.labelled || w.terms.within(old.terms) >= sameSubject)
}

// separates reports whether a clause repeats the value of an earlier text on a subject for one thing and gives the new one for another:
// "a hotel for 14 and a hall for 18".
func (p *passage) separates(w *window, r change, subject words) bool {
	from, to := min(r.said.behind, r.to.behind), max(r.said.Start, r.to.Start)
	if !r.named || from > to || w.denies(r.said) {
		return false
	}
	between := w.text[from:to]
	marks := cue.Find(between, p.lang)
	things := subjectOf(between, w.words, marks)
	return !marks.Set().Any(cue.Over, cue.Correct, cue.Change) && len(things) > things.shared(subject)
}

// isAbout reports whether most of what a clause is about is what an earlier text is about.
func (w *window) isAbout(subject words) bool {
	shared := w.subject.within(subject)
	if slices.Contains(pairs, w.words) {
		shared *= 2
	}
	return shared > sameTopic
}

// drops reports whether a passage denies one of several things that an earlier one says and repeats another one, and names hardly
// anything else: "not Thursdays, only Tuesdays".
func (p *passage) drops(old *passage) bool {
	if p.message == old.message || p.message-old.message > lookBehind || p.asks || !p.set.Has(cue.Not) {
		return false
	}
	said := valuesOf(old.text, cue.Find(old.text, p.lang))
	return slices.ContainsFunc(p.windows(), func(w window) bool {
		var denied, repeated int
		for _, v := range w.values {
			switch {
			case !slices.ContainsFunc(said, func(o value) bool { return o.class == v.class && o.text == v.text }):
				return false
			case w.denies(v):
				denied++
			default:
				repeated++
			}
		}
		return denied == 1 && repeated > 0 && len(w.subject)-w.subject.shared(old.subject()) <= 1
	})
}

// subject returns the words that say what a passage is about.
func (p *passage) subject() words { return p.whole().subject }

// whole returns the window of all of a passage.
func (p *passage) whole() *window {
	windows := p.windows()
	return &windows[slices.IndexFunc(windows, func(w window) bool { return w.text == p.text })]
}

// subjectUpTo returns what a passage and the admission before it are about, up to the end of clause w.
func (p *passage) subjectUpTo(w *window) words {
	text := p.text
	if at := strings.Index(text, w.text); at >= 0 {
		text = text[:at+len(w.text)]
	}
	subject := subjectOf(text, p.words, cue.Find(text, p.lang))
	subject.add(p.admits)
	return subject
}

// apology matches an apology at the beginning of a message, with the comma after it. A value after it is a correction.
var apology = lazyregexp.New(`(?i)^(?:oh |ah |oops |ups |ay |ой |あ、?|아 |à )?(?:sorry|pardon|perd[oó]n|perdona|` +
	`disculpa|d[ée]sol[ée]e?|scusa(?:mi)?|entschuldigung|` +
	`desculpe?a?|извини(?:те)?|прости(?:те)?|抱歉|不好意思|对不起|對不起|ごめん(?:なさい)?|すみません|죄송\S*|미안\S*|xin lỗi|آسفة?|عفوا)\s*(?:[,.!，。、！،…-]|$)`)

// apologizes reports whether a unit is an apology with a number.
func apologizes(u *unit) bool {
	return u.first && !u.question && hasDigit(u.text) && apology.MatchString(u.text)
}

// subjectOf returns the words of a text that say what it is about: without its numbers, their units and words that say when, how often
// or that something was wrong.
func subjectOf(text, lang string, marks cue.Marks) words {
	b := []byte(without(text, marks, cue.Over, cue.Not, cue.Time, cue.Correct, cue.Change, cue.Forget, cue.Filler, cue.Chat, cue.Self, cue.Lean,
		cue.Request, cue.Number, cue.Age, cue.Habit))
	for _, v := range valuesOf(text, marks) {
		if v.class == 'n' {
			for i := v.Start; i < max(v.End, v.behind); i++ {
				b[i] = ' '
			}
		}
	}
	if at := apology.FindStringIndex(text); at != nil {
		b = b[at[1]:]
	}
	subject := wordsOf(string(b), lang)
	for w := range subject {
		if isEnding(w) || strings.ContainsAny(w, particles) {
			delete(subject, w)
		}
	}
	return subject
}

// particles are Chinese characters that make a pair a phrase instead of a word.
const particles = "的是了在和与與有也都把被吗嗎呢吧着著过過就还還很不我你他她"

// rareOf returns the words of a text that say what it is about: they occur once in the texts that were counted, and are neither
// numbers, units and particles nor words for times and for where one lives. In Vietnamese two syllables are a word.
func rareOf(text, lang string, marks cue.Marks, values []value, terms words, count map[string]int) words {
	rare := words{}
	common := words{}
	for _, m := range marks {
		if slices.Contains([]cue.Kind{cue.Time, cue.Number, cue.Home, cue.Have, cue.Habit, cue.Age, cue.Over, cue.Not, cue.Correct}, m.Kind) {
			common.add(wordsOf(text[m.Start:m.End], lang))
		}
	}
	for _, v := range values {
		common.add(wordsOf(v.unit, lang))
	}
	for w := range terms {
		n := utf8.RuneCountInString(w)
		if count[w] <= 1 && n > 1 && !hasDigit(w) && !common[w] && !strings.ContainsAny(w, particles) &&
			(lang != "vi" || strings.Contains(w, " ") || n > shortSyllable && isASCII(w)) {
			rare[w] = true
		}
	}
	return rare
}

// shortSyllable is the length up to which a word without diacritics is a Vietnamese syllable.
const shortSyllable = 3

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// right returns the text of a claim with the value that clause by gives instead, in brackets, and the wrong value; both are empty
// if it does not say which value it replaces.
func (p *passage) right(c *claim, by *window) (text, wrong string) {
	if p.forgets() || by.set.Has(cue.Over) {
		return "", ""
	}
	if p.renames(c) {
		from, to, _, _ := p.swap(c.text, c.terms)
		return withValue(c.text, from, to), c.text[from.Start:from.End]
	}
	r, ok := replacedValue(c.values, by)
	if !ok || r.guessed || r.from.class != 'n' || r.named && !by.denies(r.said) && !p.set.Has(cue.Correct) || !r.named && r.from.unit == "" {
		return "", ""
	}
	return withValue(c.text, r.from, by.text[r.to.Start:r.to.End]), c.text[r.from.Start:r.from.End]
}

// without returns a text without the phrases of some kinds.
func without(text string, marks cue.Marks, kinds ...cue.Kind) string {
	b := []byte(text)
	for _, m := range marks {
		if slices.Contains(kinds, m.Kind) {
			for i := m.Start; i < m.End; i++ {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// window is a clause of a passage, or all of it.
type window struct {
	text    string
	words   string // language of the words
	leads   bool   // first of its message
	marks   cue.Marks
	set     cue.Set
	terms   words
	about   words // terms without those of cues such as "no longer" and "now"
	subject words
	values  []value
}

// windows returns the windows of a passage, computed once.
func (p *passage) windows() []window {
	if p.parts == nil {
		for _, text := range windowsOf(p.text) {
			p.parts = append(p.parts, p.window(text))
		}
		p.parts[0].leads = p.first
		for i := len(p.parts) - 3; i >= 0; i-- { // "my iron, I stopped it in April"
			if short := &p.parts[i]; len(short.terms) > 0 && len(short.terms) <= closeBy {
				p.parts = append(p.parts, p.window(short.text+","+p.parts[i+1].text))
			}
		}
	}
	return p.parts
}

func (p *passage) window(text string) window {
	marks := cue.Find(text, p.lang)
	return window{
		text: text, words: p.words, marks: marks, set: marks.Set(), subject: subjectOf(text, p.words, marks), terms: wordsOf(text, p.words),
		values: valuesOf(text, marks),
		about: wordsOf(without(text, marks, cue.Over, cue.Not, cue.Time, cue.Correct, cue.Change, cue.Forget, cue.Filler, cue.Self,
			cue.Have, cue.Lean), p.words),
	}
}

// windowsOf returns the clauses of a text, and the text.
func windowsOf(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		if !strings.ContainsRune(",;:!?，。；：！？、،؛؟", r) && !(r == '.' && i+1 < len(text) && text[i+1] == ' ') {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if unicode.IsDigit(next) {
			continue
		}
		if start < i {
			end := i
			if strings.ContainsRune("?？؟", r) {
				end += utf8.RuneLen(r)
			}
			out = append(out, text[start:end])
		}
		start = i + utf8.RuneLen(r)
	}
	if start > 0 && start < len(text) {
		out = append(out, text[start:])
	}
	return append(out, text)
}

// clause returns a text up to its first comma or full stop.
func clause(text string) string {
	if at := strings.IndexAny(text, ",.;:!?，。；：！？、،؛؟\n"); at >= 0 {
		return text[:at]
	}
	return text
}

// opposes reports whether a correction negates a text or the text negates it.
func opposes(set cue.Set, old, lang string) bool {
	return set.Has(cue.Not) != cue.Find(old, lang).Set().Has(cue.Not)
}

// behind returns the text after the first cue of a kind.
func (p *passage) behind(k cue.Kind) string {
	for _, m := range cue.Find(p.text, p.lang) {
		if m.Kind == k {
			return p.text[m.End:]
		}
	}
	return p.text
}

// leading is the number of words that begin a claim.
const leading = 3

// leadOf returns the first words of content of a text.
func leadOf(text, lang string) words {
	out := words{}
	for f := range strings.FieldsSeq(text) {
		if len(out) >= leading {
			break
		}
		out.add(wordsOf(f, lang))
	}
	return out
}
