package extractive

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/date"
	"reverie/language/lazyregexp"
	"reverie/memory"
	"reverie/scan"
)

// passage holds one to three sentences of a message in the speaker's own words.
type passage struct {
	text     string // as written, without leading fillers
	question string // of the assistant, when the words mean nothing without it
	speaker  string // in groups
	seqs     []int64
	message  int
	start    int
	end      int
	at       time.Time
	lang     string
	words    string // language of the conversation, in which words are compared
	set      cue.Set
	kind     kind
	terms    words
	heard    words // of the assistant's message before it
	asked    words // of the question in it
	first    bool  // in its message
	amends   bool  // it corrects something, or the sentence before it says so
	apart    bool  // there are numbers between it and the passage with which it is compared
	admits   words // subject of the sentence before it, if that says that something is wrong: "I got the rent wrong."
	requests bool  // its message asks for something
	opens    bool  // the message begins with a cue of negation, correction or change
	sentence int
	keep     float64 // score for the daily note; kept above 0
	lasting  float64 // score for PROFILE.md and MEMORY.md; kept above 0
	doubtful bool    // said with doubt
	passing  bool    // for the day only, with the sentences that it is quoted with
	asks     bool    // a question
	renews   bool    // it says what holds instead of something to forget
	facts    []fact  // proved by templates
	proved   bool    // they say all of it
	parts    []window
	denials  []contrast                // see contrasts
	said     []statement               // see clauses
	complete struct{ of, text string } // the text, and with its dates completed
	// month is set when the conversation named a month before: "the 14th" is of that one, or of the next.
	month bool
	// withdrawn is set when a later message takes the passage back or corrects it.
	withdrawn bool
	takenBack int64 // the message that does
	// forgotten is set when a later message asks to forget the passage.
	forgotten bool
	// corrected is the text of an earlier passage with the value that this one gives, in brackets.
	corrected string
	wrong     string // the value that it replaces
	adds      bool   // it says more than the value
	denied    string // a number that it says is wrong
	// later is set when the passage probably corrects an earlier one, but it is not sure which.
	later bool
}

// passages returns what is kept of a conversation, in order.
func (c *conversation) passages() []passage {
	var out []passage
	opens, month := false, false
	var admission *unit        // the sentence before, when it says that something is wrong and gives no value: "I got that wrong."
	requests := map[int]bool{} // by message
	w := c.weights()
	for i := range c.units {
		u := &c.units[i]
		before := month
		month = month || date.NamesMonth(u.text, u.lang)
		v := c.vectorOf(i)
		keep, lasting := v.score(w.keep, w.keepBias), v.score(w.lasting, w.lastingBias)
		remember := u.set.Has(cue.Remember) && !u.question
		orders := !u.question && u.set.Has(cue.Always) && scan.Instruction(u.text) != "" // the write gate lets a person decide
		denied := deniedValue(u.text, u.marks)
		restates := denied != "" && slices.ContainsFunc(out, func(p passage) bool { // "2022, not 2023", of what was said before
			return p.speaker == u.speaker && slices.ContainsFunc(valuesOf(p.text, cue.Find(p.text, p.lang)), func(v value) bool { return v.text == denied })
		})
		requests[u.message] = requests[u.message] || u.question || u.set.Has(cue.Request)
		if apologizes(u) {
			u.set |= 1 << cue.Correct
		}
		amends := u.set.Has(cue.Correct)
		var admits words
		if admission != nil && admission.speaker == u.speaker {
			subject := subjectOf(u.text, c.lang, u.marks)
			if u.seq <= admission.seq+1 || len(subject) == 0 { // what has a subject of its own after an answer is another matter
				amends, admits = true, subjectOf(admission.text, c.lang, admission.marks)
			}
		}
		if admission = nil; u.first && u.set.Has(cue.Correct) && len(valuesOf(u.text, u.marks)) == 0 {
			admission = u
		}
		facts, proved := factsOf(u)
		lasts := c.lasts(u)
		if u.around != nil && !remember && !orders && !restates && !(u.set.Has(cue.Correct) && c.repairs(u, out)) {
			if u.trap = c.settingOf(i, v).trap(); u.trap > sureTrap || u.trap > 0 && len(facts) == 0 && !lasts {
				continue
			}
		}
		if c.answers(u, v) || u.wantsStyle() {
			keep = max(keep, slight)
		}
		if c.isPlain(u) {
			keep = max(keep, slight)
			if u.set.Has(cue.Self) && u.set.Any(cue.Health, cue.Home, cue.Work, cue.Decide, cue.Style) {
				lasting = max(lasting, slight)
			}
		}
		if orders || lasts {
			keep, lasting = max(keep, slight), max(lasting, slight)
		}
		if len(facts) > 0 || remember {
			keep, lasting = max(keep, certain), max(lasting, certain)
		}
		if c.group { // a line such as "Home: Lyon" would not say whose
			facts = slices.DeleteFunc(facts, func(f fact) bool { return f.attribute != attributeStyle })
			proved = proved && len(facts) > 0
		}
		renews := c.renews(i)
		if renews {
			keep = max(keep, slight)
		}
		passing := c.isPassing(u) && len(facts) == 0
		if passing {
			lasting = min(lasting, 0)
		}
		corrects := u.set.Any(cue.Correct, cue.Forget, cue.Over, cue.Change) || denied != "" || c.renames(u, out)
		if u.first {
			opens = slices.ContainsFunc([]cue.Kind{cue.Not, cue.Correct, cue.Over, cue.Change}, func(k cue.Kind) bool { return c.leads(u, k) })
		}
		if keep <= 0 && !corrects || substitute.MatchString(u.text) {
			continue
		}
		if isUnfit(u.text) {
			c.unfit[u.seq] = true
			continue
		}
		p := passage{
			speaker: u.speaker, seqs: []int64{u.seq}, message: u.message, start: u.start, end: u.end, at: u.at, lang: u.lang, set: u.set,
			kind: u.kindOf(), terms: u.terms, sentence: u.sentences, keep: keep, lasting: lasting, doubtful: u.doubts() || u.isHearsay(),
			passing: passing, renews: renews,
			words: c.lang, asks: u.question, facts: facts, proved: proved, text: u.text, denied: denied,
			amends: amends, admits: admits, heard: u.heard, asked: wordsOf(u.asked, c.lang), opens: opens, first: u.first, month: before,
		}
		if u.asked != "" && leansOnQuestion(u) && utf8.RuneCountInString(u.asked) <= maxQuestion && !isUnfit(u.asked) {
			p.question = u.asked
			if next := i + 1; next < len(c.units) && c.units[next].seq == u.seq && c.units[next].set.Has(cue.Remember) {
				p.lasting = max(p.lasting, p.keep, slight) // what is to be remembered may be all of the message
			}
		}
		p.text = c.withContext(i, &out, &p)
		p.text = trimmed(p.text, p.lang)
		if p.text != "" {
			if p.text != u.text {
				p.terms = wordsOf(p.text, c.lang)
			}
			out = append(out, p)
		}
	}
	for i := range out {
		out[i].requests = requests[out[i].message]
	}
	return out
}

// substitute matches what a client posts in place of something that is not text: "[attachment: plan.pdf]".
var substitute = lazyregexp.New(`^\[[^\[\]]*\]$`)

// repairs reports whether a unit gives another value for one that the speaker has just said.
func (c *conversation) repairs(u *unit, said []passage) bool {
	w := window{text: u.text, words: c.lang, marks: u.marks, set: u.set, terms: u.terms, values: valuesOf(u.text, u.marks)}
	return slices.ContainsFunc(said, func(p passage) bool {
		if p.speaker != u.speaker || u.message-p.message > lookBehind ||
			subjectOf(u.text, c.lang, u.marks).shared(subjectOf(p.text, c.lang, cue.Find(p.text, p.lang))) == 0 {
			return false
		}
		_, ok := replacedValue(valuesOf(p.text, cue.Find(p.text, p.lang)), &w)
		return ok
	})
}

// renames reports whether a unit denies a name that the speaker or the assistant has just said, and gives another one instead.
func (c *conversation) renames(u *unit, said []passage) bool {
	return u.set.Any(cue.Not, cue.Correct) && slices.ContainsFunc(contrasts(u.text, u.lang, c.lang), func(x contrast) bool {
		denied := wordsOf(x.denied, c.lang)
		return denied.within(u.heard) == 1 || slices.ContainsFunc(said, func(p passage) bool {
			return p.speaker == u.speaker && denied.within(p.terms) == 1 && x.others.shared(p.terms) == len(x.others)
		})
	})
}

// Scores of passages that are kept whatever their features.
const (
	certain = 1
	slight  = .05
)

// isPassing reports whether a unit is kept for the day only, whatever its score: a preference with a number or a time is often
// ironic ("I love meetings at 8"), as is praise in strong words or with laughter, a wish for this time is not a standing one, and what
// begins with another person or answers a question about them is about them.
func (c *conversation) isPassing(u *unit) bool {
	s := u.set
	switch {
	case s.Has(cue.Remember):
		return false
	case u.theirs, s.Has(cue.Once) && s.Any(cue.Style, cue.Request, cue.Like) && !s.Has(cue.Always):
		return true
	case s.Any(cue.Praise, cue.Laugh) && !s.Any(cue.Health, cue.Kin, cue.Home, cue.Always):
		return true
	case s.Has(cue.Like) && !s.Any(cue.Health, cue.Kin, cue.Style, cue.Always):
		return s.Any(cue.Number, cue.Time) || hasDigit(u.text) || trails(u.text)
	}
	return c.leads(u, cue.Other) || u.ofAcquaintance()
}

// ofAcquaintance reports whether a unit begins with an acquaintance of the speaker without a name ("my neighbour earns …") and says nothing
// else about the speaker or the family, or of anybody's health.
func (u *unit) ofAcquaintance() bool {
	mine := slices.IndexFunc(u.marks, func(m cue.Mark) bool { return m.Kind == cue.Self })
	if mine < 0 || mine+1 >= len(u.marks) || u.set.Any(cue.Kin, cue.Health, cue.Name) {
		return false
	}
	self, other := u.marks[mine], u.marks[mine+1]
	if other.Kind != cue.Other || other.Start < self.End || lengthOf(u.text[:self.Start])+lengthOf(u.text[self.End:other.Start]) > 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(u.text[other.End:]))
	return !unicode.IsUpper(next) && !slices.ContainsFunc(u.marks[mine+2:], func(m cue.Mark) bool { return m.Kind == cue.Self })
}

// isPlain reports whether a unit is one short sentence that says something about the speaker, or a number, and nothing else, such
// as "I'm allergic to peanuts." It is kept on its own, too.
func (c *conversation) isPlain(u *unit) bool {
	const notPlain cue.Set = 1<<cue.Doubt | 1<<cue.Suppose | 1<<cue.If | 1<<cue.Would | 1<<cue.Other | 1<<cue.Lean | 1<<cue.Ask | 1<<cue.Request |
		1<<cue.Irony | 1<<cue.Laugh | 1<<cue.Fiction | 1<<cue.Paste | 1<<cue.You | 1<<cue.Kin | 1<<cue.Text
	if u.question || u.sentences > 1 || u.asked != "" || lengthOf(u.text) > plainWords || u.set&notPlain != 0 {
		return false
	}
	if !u.set.Has(cue.Self) {
		return hasDigit(u.text) && len(u.terms) > 2 && u.set&contentCues == 0 && !isTechnical(u.text)
	}
	return (c.leads(u, cue.Self) || c.leads(u, cue.Decide) || c.leads(u, cue.Have)) &&
		u.set.Any(cue.Health, cue.Home, cue.Work, cue.Decide, cue.Like, cue.Name, cue.Over, cue.Number, cue.Time) || hasDigit(u.text)
}

const plainWords = 14

// diet matches words for people by what they eat.
var diet = lazyregexp.New(`(?i)\b(?:vegan|veg[eé]tari|v[eé]g[eé]t|pescat|pescet|halal|kosher|koscher|casher)|вегетариан|веган|吃素|素食|清真|ベジタリアン|` +
	`[ヴビ]ィ?ーガン|채식|비건|ăn chay|thuần chay|نباتي`)

// lasts reports whether a unit is one short sentence that says, without any reserve, what stays as it is: the health, the diet, the family,
// the birthday, the job, the home or the name of the speaker.
func (c *conversation) lasts(u *unit) bool {
	const reserved cue.Set = 1<<cue.Doubt | 1<<cue.Suppose | 1<<cue.If | 1<<cue.Would | 1<<cue.Other | 1<<cue.Lean | 1<<cue.Ask | 1<<cue.Request |
		1<<cue.Irony | 1<<cue.Laugh | 1<<cue.Fiction | 1<<cue.Paste | 1<<cue.You | 1<<cue.Text | 1<<cue.Game | 1<<cue.Scene | 1<<cue.Over |
		1<<cue.Forget | 1<<cue.Once | 1<<cue.Told | 1<<cue.Task | 1<<cue.Praise
	s := u.set
	if u.question || u.sentences > 1 || u.theirs || lengthOf(u.text) > plainWords || s&reserved != 0 || isTechnical(u.text) ||
		s.Any(cue.Time, cue.Plan) && !s.Has(cue.Age) {
		return false
	}
	sparing := diet.MatchString(u.text) || u.overlap(cue.Like, cue.Not) // "I don't eat"
	if !s.Has(cue.Self) {
		pro := u.lang == "ja" || u.lang == "ko" // which leave the speaker out
		return pro && (sparing || s.Has(cue.Kin) && s.Any(cue.Name, cue.Number, cue.Have, cue.Health) && !s.Has(cue.Not))
	}
	if s.Has(cue.Kin) {
		return !s.Has(cue.Not) && (s.Any(cue.Age, cue.Number, cue.Home, cue.Health) || u.says(cue.Work) || u.says(cue.Name) ||
			s.Has(cue.Have) && namesIn(u.text) > 0)
	}
	return sparing || s.Any(cue.Health, cue.Home, cue.Age) || u.says(cue.Work) || u.says(cue.Name)
}

// doubts reports whether a unit has a cue of doubt. What is "不可能" is impossible.
func (u *unit) doubts() bool {
	return slices.ContainsFunc(u.marks, func(m cue.Mark) bool { return m.Kind == cue.Doubt && !strings.HasSuffix(u.text[:m.Start], "不") })
}

// overlap reports whether cues of two kinds overlap.
func (u *unit) overlap(a, b cue.Kind) bool {
	return slices.ContainsFunc(u.marks, func(m cue.Mark) bool {
		return m.Kind == a && slices.ContainsFunc(u.marks, func(o cue.Mark) bool { return o.Kind == b && o.Start < m.End && m.Start < o.End })
	})
}

// says reports whether a cue of a kind has a word of content: "nurse", and not only "I'm a".
func (u *unit) says(k cue.Kind) bool {
	return slices.ContainsFunc(u.marks, func(m cue.Mark) bool {
		return m.Kind == k && (k == cue.Name && !u.overlap(k, cue.Self) || len(wordsOf(u.text[m.Start:m.End], u.lang)) > 0)
	})
}

// answers reports whether a unit is a short answer with a value to a question of the assistant about the user.
func (c *conversation) answers(u *unit, v vector) bool {
	return u.first && !u.question && slices.Contains(v, featAskedYou) && slices.Contains(v, featShortOf) &&
		(u.set.Has(cue.Number) || hasDigit(u.text) || namesIn(u.text) > 0)
}

// wantsStyle reports whether the user says which answers they like: "I prefer answers without tables."
func (u *unit) wantsStyle() bool {
	return !u.question && u.set.Has(cue.Self) && u.set.Has(cue.Style) && u.set.Any(cue.Like, cue.Always)
}

// withContext returns the text of unit i with the sentences before it on which it leans. It takes over the passage of those
// sentences, if there is one.
func (c *conversation) withContext(i int, before *[]passage, p *passage) string {
	u := &c.units[i]
	if p.question != "" || u.question || !leans(u) || !u.follows || i == 0 || c.units[i-1].seq != u.seq {
		return u.text
	}
	first := i - 1
	if last := len(*before) - 1; last >= 0 && (*before)[last].message == u.message && (*before)[last].end == c.units[i-1].end {
		old := (*before)[last]
		text := u.between(old.start)
		if old.sentence+u.sentences <= maxSentences && utf8.RuneCountInString(text) <= maxPassage {
			p.start, p.sentence = old.start, old.sentence+u.sentences
			p.set |= old.set
			p.keep, p.lasting = max(p.keep, old.keep), max(p.lasting, old.lasting)
			if p.passing = p.passing || old.passing; p.passing {
				p.lasting = min(p.lasting, 0)
			}
			p.facts, p.proved = slices.Concat(old.facts, p.facts), old.proved && p.proved
			p.question = old.question
			if old.kind != kindNone {
				p.kind = old.kind
			}
			*before = (*before)[:last]
			return text
		}
		return u.text
	}
	context := c.units[first]
	text := u.between(context.start)
	if context.sentences+u.sentences > maxSentences || utf8.RuneCountInString(text) > maxPassage || isUnfit(context.text) || context.trap > 0 {
		return u.text
	}
	p.start, p.sentence = context.start, context.sentences+u.sentences
	if c.isPassing(&context) {
		p.lasting = min(p.lasting, 0)
	}
	if p.kind == kindNone || context.set.Has(cue.Kin) {
		p.kind = context.kindOf()
	}
	return text
}

// between returns the message of a unit from an offset to the unit's end, on one line.
func (u *unit) between(start int) string {
	return itemMark.ReplaceAllString(u.source[start:u.end], " ")
}

// itemMark matches a line break with the marker of a list item.
var itemMark = lazyregexp.New(`\s*\n\s*(?:(?:[-*+•·]|\d{1,3}[.)])\s+)?`)

// leans reports whether a unit needs the sentence before it: a word that points back comes before any noun that it could mean.
// A word that begins what is to be remembered does not point back: "remember that the key is at the bakery".
func leans(u *unit) bool {
	remember := -2 // where a request to remember ends
	for _, m := range u.marks {
		switch m.Kind {
		case cue.Remember:
			remember = max(remember, m.End)
		case cue.Lean:
			if m.Start > remember+1 || !strings.HasPrefix(u.text[m.End:], " ") {
				return true
			}
		case cue.Kin:
			return false
		}
	}
	return false
}

// firstOf returns the first character of a text.
func firstOf(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// trimmed removes the fillers that begin a text, with the punctuation after them.
func trimmed(text, lang string) string {
	text = strings.Join(strings.Fields(text), " ")
	for {
		cut := 0
		for _, m := range cue.Opening(head(text, 64), lang) {
			if m.Kind != cue.Filler && m.Kind != cue.Chat {
				continue
			}
			rest := text[m.End:]
			if after := strings.TrimLeft(rest, " ,.!;:，。！、…-–—"); after != "" && strings.ContainsAny(firstOf(rest), ",，.!！。、…") {
				cut = max(cut, len(text)-len(after))
			}
		}
		if cut == 0 {
			return strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:，、。؛،", r) })
		}
		text = text[cut:]
	}
}

// line returns the passage as a list item without its marker: "Jonas: [Which city?] "Bonn.""
func (p *passage) line() string {
	var b strings.Builder
	if p.speaker != "" {
		b.WriteString(memory.QuotedName(p.speaker) + ": ")
	}
	if p.later {
		b.WriteString("(later: " + p.at.Format("2006-01-02") + ") ")
	}
	if p.question != "" {
		b.WriteString("[" + p.question + "] ")
	}
	b.WriteString(quote(p.dated()))
	return b.String()
}

// lastingLine returns the passage as a list item of a file: with the corrected text instead of the correction.
func (p *passage) lastingLine() string {
	if p.corrected == "" {
		return p.line()
	}
	corrected := *p
	corrected.text, corrected.question, corrected.later = p.corrected, "", false
	return corrected.line()
}

// dated returns the words of the passage with absolute dates in brackets after relative ones. The day of a month that was named before
// stays as it was said.
func (p *passage) dated() string {
	if p.complete.of != p.text || p.complete.text == "" {
		all := date.Insertions(p.text, p.lang, p.at)
		if p.month {
			all = slices.DeleteFunc(all, func(in date.Insertion) bool { return in.DayOnly })
		}
		p.complete.of, p.complete.text = p.text, date.Insert(p.text, all)
	}
	return p.complete.text
}

// quote puts a text in quotation marks.
func quote(text string) string {
	if strings.Contains(text, `"`) {
		return "“" + text + "”"
	}
	return `"` + text + `"`
}
