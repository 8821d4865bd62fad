package extractive

import (
	"cmp"
	"slices"
	"strings"

	"reverie/language/cue"
	"reverie/language/script"
)

// corrects reports whether a passage withdraws or corrects something said before.
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
	if behind := p.behind(cue.Forget); len(p.text)-len(behind) > len(first) { // "Vergiss, dass ich …"
		first = p.text[:len(p.text)-len(behind)+len(clause(behind))]
	}
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
	sameTopic   = .5  // of the words of a correction, or of a topic to forget
	sameSubject = .6  // of the words of a correction that gives another number with the same label
	sameMatter  = .25 // of the words of a passage that a clause says is over
	fewShared   = 2   // words, that suffice with a cue of correction
	lookBehind  = 2   // messages of the user in which a value may be that is corrected by its unit alone
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
			(w.finishes(old) || p.amends && w.sharesMuch(old, p.message) && opposes(w.set, old.text, p.lang)) {
			return "", "", true
		}
	}
	return "", "", false
}

// finishes reports whether a clause says that an earlier passage is over: it names nothing else, and not only a detail of it.
func (w *window) finishes(old *passage) bool {
	return w.set.Has(cue.Over) && w.about.within(old.terms) == 1 && old.terms.within(w.terms) >= sameMatter
}

// sharesMuch reports whether a clause of a message repeats so many words of an earlier passage that they are not there by chance: several,
// or, within the message, all that it names.
func (w *window) sharesMuch(old *passage, message int) bool {
	least := fewShared
	if slices.Contains(pairs, w.words) {
		least *= 2
	}
	return w.about.shared(old.terms) >= least || message == old.message && w.about.within(old.terms) == 1
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
		if strings.ContainsFunc(w, func(r rune) bool { return !script.IsHiragana(r) }) {
			out[w] = true
		}
	}
	return out
}

// undoes reports whether a passage withdraws what its speaker has just said, as a whole: it asks to forget it without naming anything
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

// opposes reports whether a correction negates a text or the text negates it.
func opposes(set cue.Set, old, lang string) bool {
	return set.Has(cue.Not) != cue.Find(old, lang).Set().Has(cue.Not)
}
