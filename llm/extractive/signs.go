package extractive

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

// claim is a line of a file that a passage may withdraw.
type claim struct {
	text    string
	terms   words
	rare    words // of no other claim
	heading words // of its section
	subject words
	lead    words  // the first ones
	names   words  // names and numbers
	person  words  // those that say whom it is about
	speaker string // of a group, whom it quotes
	set     cue.Set
	values  []value
	isName  bool // it is the user's name
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

// namesSelf reports whether a clause says what the speaker is called: "my name is Lara".
func (w *window) namesSelf() bool {
	return slices.ContainsFunc(w.marks, func(n cue.Mark) bool {
		return n.Kind == cue.Name && slices.ContainsFunc(w.marks, func(m cue.Mark) bool { return m.Kind == cue.Self && m.Start < n.End && n.Start < m.End })
	})
}

// signsOf returns the signs that clause w of a passage takes a claim back. ok is false without any that they are about the same.
func (p *passage) signsOf(w *window, c *claim) (v vector, ok bool) {
	if c.isName && !p.states(attributeName) && !w.set.Any(cue.Forget, cue.Not, cue.Over, cue.Correct) && !w.namesSelf() {
		return nil, false // a pet has another name
	}
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
	ofPerson := c.set.Has(cue.Health) || len(c.person) > 0 && !number && !moves && !parts
	answers := len(w.about) == 0 && (restated || asked)
	if !on && !value && ofPerson && !answers {
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
	amount := slices.ContainsFunc(w.values, func(v value) bool { // "the rent is 1,845 now"
		return v.class == 'n' && digits(v.text) > 2
	})
	theirs := w.set.Has(cue.Lean) && !w.set.Has(cue.Self) // "she lives in Rome now"
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

// Scores up to which a claim is kept. Keeping a withdrawn line leaves two lines; a line that is withdrawn by mistake is lost.
const (
	unsure       = -.65
	unsureOfLong = -.2
)

// minScore returns the score that signs must exceed for a claim to be withdrawn.
func minScore(v vector) float64 {
	if slices.Contains(v, signLong) {
		return unsureOfLong
	}
	return unsure
}

// hasAll reports whether all of some features are present.
func (v vector) hasAll(features ...int) bool {
	return !slices.ContainsFunc(features, func(f int) bool { return !slices.Contains(v, f) })
}

// hasNone reports whether none of some features is present.
func (v vector) hasNone(features ...int) bool {
	return !slices.ContainsFunc(features, func(f int) bool { return slices.Contains(v, f) })
}

// proofs are rules of which the first that applies decides. Of a long line a clause may repeat a word by chance.
var proofs = []struct {
	all, none []int // signs
	proof     bool
}{
	{all: []int{signMoves}, proof: true},
	{all: []int{signForgets}, none: []int{signFewLong}, proof: true},
	{all: []int{signDoubtful}},
	{all: []int{signOthers}},
	{all: []int{signEnds, signExact}, none: []int{signFewLong}, proof: true},
	{all: []int{signEnds, signSome}, none: []int{signLong}, proof: true},
	{all: []int{signOtherwise, signShares, signSome}, none: []int{signLong}, proof: true},
	{all: []int{signRestated, signOver, signExact, signOpens}, none: []int{signLong}, proof: true},
}

// isProof reports whether the signs leave no doubt, whatever their weights.
func isProof(v vector) bool {
	for _, rule := range proofs {
		if v.hasAll(rule.all...) && v.hasNone(rule.none...) {
			return rule.proof
		}
	}
	return false
}

// isOfAnother reports whether a clause gives a value with the same unit as one of a claim, of another subject.
func isOfAnother(v vector, w *window, c *claim) bool {
	return v.hasAll(signUnit) && v.hasNone(signRestated, signAsked, signMoves) && !w.set.Any(cue.Over, cue.Forget, cue.Change) &&
		!w.isAbout(c.subject)
}

// isEmpty reports whether a clause names nothing ("Back to it.") and what it shares with a claim are words of its cues: it is about the claim
// only if the assistant has just spoken of it.
func isEmpty(v vector, w *window) bool {
	return len(w.about) == 0 && len(w.values) == 0 && v.hasAll(signShares) && v.hasNone(signRestated, signAsked, signAnswers)
}

// deniesElsewhere reports whether a clause only denies a name of a claim, and its sentence gives another one for something else: "for my own
// site I prefer sinon, not freezegun".
func (p *passage) deniesElsewhere(w *window, c *claim) bool {
	return w.set.Has(cue.Not) && !w.set.Any(cue.Over, cue.Change, cue.Correct, cue.Forget) && !p.renames(c) &&
		slices.ContainsFunc(p.contrasts(), func(x contrast) bool {
			denied := wordsOf(x.denied, p.words)
			return len(x.others) > 0 && denied.shared(w.terms) > 0 && denied.shared(c.terms) > 0
		})
}

// takesBack returns the clause of a passage that withdraws a claim; nil if there is none.
func (p *passage) takesBack(c *claim) (by *window) {
	if p.isOfAnother(c.speaker) {
		return nil
	}
	best := 0.
	windows := p.windows()
	for i := range windows {
		if p.renumbers(&windows[i], c) || windows[i].text == p.text && p.renames(c) {
			return &windows[i]
		}
		if !p.proved && windows[i].isNotNow(p.lang) && windows[i].terms.shared(c.valued(p.words)) == 0 { // "I used to live in Oslo" is no other home
			continue
		}
		v, ok := p.signsOf(&windows[i], c)
		if !ok || c.set&aboutSelf != 0 && !c.set.Has(cue.Kin) && slices.Contains(v, signOthers) { // where others live and work
			continue
		}
		score := v.score(signWeights, signBias)
		if isProof(v) {
			score = max(score, certain)
		}
		if score <= minScore(v) || isOfAnother(v, &windows[i], c) || isEmpty(v, &windows[i]) ||
			p.deniesElsewhere(&windows[i], c) {
			continue
		}
		if by == nil || score > best {
			best, by = score, &windows[i]
		}
	}
	return by
}

// valued returns the words of the value of a claim, without a label before it ("Work: …"): its names and numbers, or else its rare words.
func (c *claim) valued(lang string) words {
	labels := words{}
	if label, _, labelled := strings.Cut(c.text, ": "); labelled {
		labels = wordsOf(label, lang)
	}
	for _, all := range []words{c.names, c.rare} {
		values := maps.Clone(all)
		maps.DeleteFunc(values, func(w string, _ bool) bool { return labels[w] })
		if len(values) > 0 {
			return values
		}
	}
	return words{}
}

// notNow matches words by which a clause is about an earlier time, or about what has not come about after all.
var notNow = map[string]*lazyregexp.Regexp{
	"en": wholeWords(`used to|formerly|previously|back then|(?:almost|nearly) (?:moved|bought|got|took|joined|married|quit|switched)`),
	"de": wholeWords(`früher|damals|ehemals|(?:fast|beinahe) (?:wäre|hätte)|(?:wäre|hätte) (?:ich )?(?:fast|beinahe)`),
	"es": wholeWords(`antes (?:vivía|trabajaba|tenía|era)|(?:vivía|trabajaba|tenía) antes|solía|casi me|por poco`),
	"fr": wholeWords(`autrefois|jadis|avant[, ]+(?:j['’]|je )|(?:habitais|vivais|travaillais|avais)|failli|presque`),
	"pt": wholeWords(`antes (?:eu )?(?:morava|trabalhava|vivia)|(?:morava|trabalhava|vivia)|costumava|quase`),
	"it": wholeWords(`prima (?:vivevo|abitavo|lavoravo)|(?:vivevo|abitavo|lavoravo)|una volta|per poco|stavo per`),
	"ru": wholeWords(`раньше|когда-то|чуть не|едва не`),
	"ar": wholeWords(`سابقا|سابقاً|كنت|كدت`),
	"zh": lazyregexp.New(`以前|曾经|曾經|差点|差點|原来住|过去住`),
	"ja": lazyregexp.New(`以前|昔は|かつて|ところだった|そうになった`),
	"ko": lazyregexp.New(`예전에|옛날에|[ㄹ할될살갈] 뻔`),
	"vi": wholeWords(`trước đây|hồi trước|từng|suýt|suýt nữa`),
}

// isNotNow reports whether a clause in a language is about an earlier time, or about what has not come about.
func (w *window) isNotNow(lang string) bool {
	words := notNow[lang]
	return words != nil && words.MatchString(w.text)
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
		if count[w] <= 1 && utf8.RuneCountInString(w) > 1 && !hasDigit(w) && !common[w] && !strings.ContainsAny(w, particles) &&
			(lang != "vi" || !isSyllable(w)) {
			rare[w] = true
		}
	}
	return rare
}

// isSyllable reports whether a word of a Vietnamese text is a part of one.
func isSyllable(w string) bool {
	return !strings.Contains(w, " ") && (utf8.RuneCountInString(w) <= shortSyllable || !isASCII(w))
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
