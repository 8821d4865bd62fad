package grounding

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/date"
	"reverie/language/fold"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/stance"
)

// Distances between words, so that words of one clause are nearer than words divided by a sign.
const (
	perWord     = 2 // a character of a script without spaces counts half
	perComma    = 2
	perJoin     = 6
	perSentence = 12
	perPassage  = 10 * window
)

// speech is text divided into passages, sentences and clauses, with the words and values in them.
type speech struct {
	passages  []passage
	sentences []sentence
	clauses   []clause
	words     []word
	index     map[string][]int // words by form
	numbers   []site
	names     []site
	kin       []site
	meant     map[string][]int // places of pronouns that may mean a name or a relation, which was mentioned before them
	byNumber  map[string][]int // numbers by key
	capitals  map[string]bool  // words that begin with a capital letter inside of a sentence
	small     map[string]bool  // words that do not
	persons   map[string]bool  // names used for persons
	selves    map[string]bool  // names that speakers call themselves
	relations map[string][]kin // of names that follow a relation: "my brother Max"
	isGroup   bool             // several people speak
	negates   bool             // a negation occurs anywhere
	stems     language.Stems
	squeezed  string
	found     map[string][]int // words by several forms, as they are looked up
	at        int              // end of the last sentence
	recent    []string         // the last names
	repeated  map[string]bool  // sentences of the last passage
	wordsOnly bool             // who a sentence is about, and whether it is negated, does not matter
	recentKin []string         // the last relations
	counts    []float64
}

// passage is one message, or one line of a document.
type passage struct {
	at       time.Time
	speaker  string // light
	lang     string // tag
	lead     string // what an answer takes over from the message before it
	squeezed string // without the lead
	document bool
}

// voice classifies sentences by whose statement they are.
type voice uint8

const (
	own   voice = iota
	lead        // the assistant's question before an answer
	aside       // quoted, pasted, invented or supposed
)

type sentence struct {
	passage  int
	voice    voice
	played   bool   // in a story or a role-play, in which people also speak of their day
	text     string // light
	written  string
	at       int
	dates    []day
	numbers  []number
	calendar *calendar // once needed
}

// clause is a part of a sentence between commas and conjunctions.
type clause struct {
	sentence   int
	voice      voice
	start, end int // words
	from       int // bytes of the original sentence
	negated    bool
	after      int  // the first word after the negation
	unclear    bool // a question or an answer
	adverse    bool // a word that may express a negation
	self       bool // the speaker is the subject, or is named
	i          bool // the speaker is in the place of the subject
	third      bool // somebody else is
	pronoun    bool // somebody else is meant
	subject    bool // a relation is in the place of the subject
	explicit   bool // the line names the user
	kin        []kin
	leading    []string // names and relations in the place of the subject
}

// kin is a relation, with the wider one that it belongs to.
type kin struct{ is, wider string }

func kinOf(value string) kin {
	is, wider, _ := strings.Cut(value, "/")
	return kin{is, wider}
}

func (k kin) matches(o kin) bool {
	return k.is == o.is || k.wider == o.is && o.is != "" || k.is == o.wider
}

// word is a word, or a pair of characters of a script without spaces.
type word struct {
	forms   []string
	at      int
	clause  int
	content bool // no function word
	start   int  // bytes of the sentence's light text
}

// site is a number, name or relation at its place.
type site struct {
	text    string
	keys    []string
	at      int
	clause  int
	start   int  // bytes of the sentence's light text
	initial bool // the first word of a sentence
	unsure  bool // a number word with other meanings
}

func (v site) shares(o site) bool {
	return slices.ContainsFunc(v.keys, func(k string) bool { return slices.Contains(o.keys, k) })
}

// isAside reports whether a clause is quoted, pasted, invented or supposed.
func (s *speech) isAside(clause int) bool { return s.clauses[clause].voice == aside }

func newSpeech() *speech {
	return &speech{
		index: map[string][]int{}, byNumber: map[string][]int{}, capitals: map[string]bool{}, small: map[string]bool{},
		persons: map[string]bool{}, selves: map[string]bool{},
		relations: map[string][]kin{}, stems: language.Stems{}, found: map[string][]int{}, meant: map[string][]int{},
	}
}

// add reads a text as one passage. parts are its sentences; nil: they are found.
func (s *speech) add(text string, p passage, parts []stance.Sentence) {
	p.squeezed = squeezed(text)
	s.passages = append(s.passages, p)
	s.repeated = map[string]bool{}
	s.squeezed += squeezed(p.lead) + p.squeezed + "\n"
	s.at += perPassage
	for _, part := range sentencesOf(p.lead) {
		s.sentence(part, lead, nil, 1<<30)
	}
	if parts == nil {
		for _, part := range sentencesOf(text) {
			var marks cue.Marks
			if !s.wordsOnly {
				marks = cue.Find(part, p.lang)
			}
			s.sentence(part, own, marks, 1<<30)
		}
		return
	}
	end := 0
	for _, part := range parts {
		if part.Start > end { // a mark of a list: "76. Her sugar is high"
			s.sentence(text[end:part.Start], own, nil, 1<<30)
		}
		end = part.End
		v, until := own, 0
		if part.Stance >= stance.Hypothetical {
			v = aside
		}
		if kinds, begins := beginnings[part.Stance]; begins { // the text before a supposition, or before the request for a story, is not part of it
			at := slices.IndexFunc(part.Marks, func(m cue.Mark) bool { return slices.Contains(kinds, m.Kind) })
			if at >= 0 { // none: it continues what is before it
				until = part.Marks[at].Start
			}
		}
		if part.Stance == stance.Foreign && len(part.Quotes) > 0 { // "she said: …"
			until = part.Quotes[0].Start
		}
		first := len(s.sentences)
		s.sentence(part.Text, v, part.Marks, until)
		for i := first; i < len(s.sentences); i++ {
			s.sentences[i].played = part.Stance == stance.Fiction
		}
	}
}

// beginnings are the cues with which a sentence stops being the speaker's own statement.
var beginnings = map[stance.Stance][]cue.Kind{
	stance.Hypothetical: {cue.Suppose, cue.If, cue.Would}, stance.Fiction: {cue.Fiction, cue.Game, cue.Scene, cue.Request, cue.Text},
}

// sentence reads one sentence. The clauses that begin before until are the speaker's own ones.
func (s *speech) sentence(text string, v voice, marks cue.Marks, until int) {
	if s.repeated[text] {
		return // adds nothing
	}
	s.repeated[text] = true
	folded := fold.Fold(raised.Replace(text))
	plain := variants.Replace(folded.Text)
	spans := wordsOf(plain)
	if len(spans) == 0 && len(marks) == 0 {
		return
	}
	isASCII := len(plain) == len(text) && fold.ASCIIPrefix(plain) == len(plain)
	number, first := len(s.sentences), len(s.clauses)
	s.at += perSentence
	sent := sentence{passage: len(s.passages) - 1, voice: v, text: plain, written: text, at: s.at, numbers: numbersOf(plain, spans)}
	if !s.wordsOnly {
		sent.dates = datesOf(plain, spans)
	}
	s.sentences = append(s.sentences, sent)
	lang, end, open := languages[s.passages[len(s.passages)-1].lang], 0, false
	for i, w := range spans {
		from, to := w.start, w.end
		if !isASCII {
			from, to = folded.Origin(w.start, w.end)
		}
		gap := plain[end:w.start]
		s.at += perWord
		divided := strings.ContainsAny(gap, ",;:()–—،、，；：（）|") || strings.Contains(gap, " - ")
		if divided {
			s.at += perComma
		}
		_, joins := lists()["join"].words[plain[w.start:w.end]]
		if !open || open && len(s.words) > s.clauses[len(s.clauses)-1].start && (joins || divided) {
			if joins {
				s.at += perJoin
			}
			s.clauses = append(s.clauses, clause{sentence: number, start: len(s.words), from: from})
			open = true
			if who := s.passages[len(s.passages)-1].speaker; s.isGroup && who != "" && v == own {
				s.names = append(s.names, site{keys: []string{bare(who)}, at: s.at, clause: len(s.clauses) - 1})
			}
		}
		if w.isRun {
			s.run(plain, text, w)
		} else {
			s.word(plain, text[from:to], w, lang, i == 0, i > 0 && (gap == " " || gap == ". "))
		}
		end = w.end
	}
	if !open {
		s.clauses = append(s.clauses, clause{sentence: number, start: len(s.words)})
	}
	s.values(number, first)
	if s.wordsOnly {
		return
	}
	s.read(number, first, marks, until, strings.ContainsAny(text, "?？؟"))
}

// raised are digits that fold to plain ones and are not numbers: m².
var raised = strings.NewReplacer("²", "  ", "³", "  ")

// languages maps tags to languages with stems.
var languages = map[string]language.Language{
	"en": language.English, "de": language.German, "fr": language.French, "es": language.Spanish, "it": language.Italian,
	"pt": language.Portuguese, "ru": language.Russian, "ar": language.Arabic, "vi": language.Vietnamese,
}

// word adds a word of a script with spaces. original is its spelling.
func (s *speech) word(plain, original string, w span, lang language.Language, initial, inside bool) {
	text := plain[w.start:w.end]
	m := word{at: s.at, clause: len(s.clauses) - 1, start: w.start, content: !language.FunctionWords[text].Has(lang)}
	form := bare(text)
	if rest, found := strings.CutSuffix(strings.TrimSuffix(form, "'"), "'s"); found {
		form = rest
	}
	if _, after, found := strings.Cut(form, "'"); found && len(after) > 2 {
		form = after // l'hôpital
	}
	if form == "" {
		return // a mark alone
	}
	m.forms = []string{form}
	if inner := circumfix.FindStringSubmatch(form); inner != nil {
		m.forms[0] = inner[1]
	}
	if lang < language.StemmedCount && len(form) > 2 {
		if stem := language.StemMark + s.stems.Stem(form, lang); stem != language.StemMark+form {
			m.forms = append(m.forms, stem)
		} else {
			m.forms = append(m.forms, language.StemMark+form)
		}
	}
	_, isGeneric := lists()["generic"].words[text]
	m.content = m.content && !isGeneric && !unicode.IsDigit(rune(form[0]))
	s.put(m)
	if parts := strings.Split(form, "-"); len(parts) > 1 {
		for _, part := range parts {
			if len(part) > 2 && !unicode.IsDigit(rune(part[0])) {
				stem := language.StemMark + s.stems.Stem(part, min(lang, language.StemmedCount-1))
				s.put(word{forms: []string{part, stem}, at: m.at, clause: m.clause, start: m.start, content: true})
			}
		}
	}
	if r, _ := utf8.DecodeRuneInString(original); utf8.RuneCountInString(original) < 2 || !unicode.IsUpper(r) &&
		!(unicode.IsDigit(r) && strings.ContainsFunc(original, unicode.IsUpper) && !strings.Contains(original, "-")) {
		s.small[form] = s.small[form] || utf8.RuneCountInString(original) > 1
		return
	}
	n := site{text: original, keys: []string{form}, at: s.at, clause: len(s.clauses) - 1, start: w.start, initial: initial}
	if inside {
		s.capitals[form] = true
	}
	s.names = append(s.names, n)
}

func (s *speech) put(m word) {
	for _, form := range m.forms {
		s.index[form] = append(s.index[form], len(s.words))
	}
	s.words = append(s.words, m)
}

// circumfix matches a verb that is negated in spoken Arabic: مبتحبش.
var circumfix = lazyregexp.New(`(?:^|[^\p{Arabic}])[وف]?مب?(\p{Arabic}{2,})ش(?:[^\p{Arabic}]|$)`)

// weak characters make no pair with content.
var weak = runesOf(`的是了在和与有也都把被吗呢吧着过就还很不我你他她它们这那个些么没说要会能可以对给让从到为但如果因为所以好`)

// run adds the pairs of characters of a run, and its clauses.
func (s *speech) run(plain, original string, w span) {
	last, at := rune(0), w.start
	for i, r := range plain[w.start:w.end] {
		if last != 0 {
			s.at += perWord / 2
			if joins := runJoin(plain[w.start:], i); joins && len(s.words) > s.clauses[len(s.clauses)-1].start {
				s.at += perJoin
				s.clauses = append(s.clauses, clause{
					sentence: len(s.sentences) - 1, start: len(s.words), from: len(original) * (w.start + i) / max(1, len(plain)),
				})
			}
			hiragana := script.IsHiragana(last) || script.IsHiragana(r)
			s.put(word{
				forms: []string{string([]rune{last, r})}, at: s.at, clause: len(s.clauses) - 1, start: at, content: !weak[last] && !weak[r] && !hiragana,
			})
		}
		last, at = r, w.start+i
	}
}

// runJoin reports whether a clause begins at an offset of a text in a script without spaces.
func runJoin(text string, at int) bool {
	for join := range lists()["join"].run {
		r, _ := utf8.DecodeRuneInString(join)
		if script.IsHan(r) && strings.HasPrefix(text[at:], join) || !script.IsHan(r) && strings.HasSuffix(text[:at], join) {
			return true
		}
	}
	return false
}

// values adds the numbers of a sentence that are not part of a date, and the relations.
func (s *speech) values(number, first int) {
	sent := &s.sentences[number]
	words := s.words[s.clauses[first].start:]
	place := func(start int) (at, clause int) {
		i := sort.Search(len(words), func(i int) bool { return words[i].start > start }) - 1
		if len(words) == 0 {
			return s.at, first
		}
		return words[max(0, i)].at, words[max(0, i)].clause
	}
	inDate := covered(sent.text, sent.dates, func(day) bool { return true })
	for _, n := range sent.numbers {
		if lists()["other-meaning"].words[sent.text[n.start:n.end]] == s.passages[sent.passage].lang {
			continue
		}
		m := site{text: sent.text[n.start:n.end], keys: n.keys, start: n.start, unsure: n.unsure}
		m.at, m.clause = place(n.start)
		m.unsure = m.unsure || n.isWord && inDate[n.start] && inDate[n.end-1]
		for _, k := range m.keys {
			s.byNumber[k] = append(s.byNumber[k], len(s.numbers))
		}
		s.numbers = append(s.numbers, m)
	}
	if s.wordsOnly {
		return
	}
	spans := wordsOf(sent.text)
	for _, f := range lists()["person"].among(spans, sent.text) {
		m := site{text: sent.text[f.start:f.end], keys: []string{f.value}, start: f.start}
		m.at, m.clause = place(f.start)
		s.kin = append(s.kin, m)
		s.recentKin = s.mention(s.recentKin, f.value)
		c := &s.clauses[m.clause]
		c.kin = append(c.kin, kinOf(f.value))
		if leads(sent.text[offset(s.words, c):], f.start-offset(s.words, c)) {
			c.subject = true
			c.leading = append(c.leading, f.value)
		}
	}
}

// placeOf returns the position at which a clause begins.
func (s *speech) placeOf(c *clause) int {
	if c.start < len(s.words) {
		return s.words[c.start].at
	}
	return s.at
}

// offset returns the first byte of a clause in its sentence.
func offset(words []word, c *clause) int {
	if c.start < len(words) {
		return words[c.start].start
	}
	return 0
}

// read finds out what kind of clauses a sentence has.
func (s *speech) read(number, first int, marks cue.Marks, until int, asks bool) {
	sent := &s.sentences[number]
	for i := first; i < len(s.clauses); i++ {
		c := &s.clauses[i]
		c.end, c.voice = len(s.words), sent.voice
		if sent.voice == aside && c.from < until {
			c.voice = own
		}
		from, to, next := offset(s.words, c), len(sent.text), 1<<30
		if i == first {
			from = 0
		}
		if i+1 < len(s.clauses) {
			n := &s.clauses[i+1]
			c.end, to, next = n.start, offset(s.words, n), n.from
		}
		text := sent.text[from:max(from, to)]
		words := wordsOf(text)
		c.explicit = len(lists()["user"].among(words, text)) > 0
		speakers := lists()["first"].among(words, text)
		c.self = c.explicit || len(speakers) > 0
		c.i = slices.ContainsFunc(speakers, func(f found) bool { return leads(text, f.start) })
		c.unclear = asks || sent.voice == lead
		c.adverse = len(lists()["adverse"].among(words, text)) > 0
		for _, f := range lists()["third"].among(words, text) {
			c.third = c.third || leads(text, f.start)
			c.pronoun = true
			for _, key := range slices.Concat(s.recent, s.recentKin) {
				s.meant[key] = append(s.meant[key], s.placeOf(c))
			}
		}
		for _, f := range lists()["not"].among(words, text) {
			c.negates(f.end+from, s.words)
		}
		if strings.Contains(text, "n't") || circumfix.MatchString(text) {
			c.negates(from, s.words)
		}
		for _, m := range marks[sort.Search(len(marks), func(k int) bool { return marks[k].Start >= c.from }):] {
			if m.Start >= next {
				break
			}
			switch m.Kind {
			case cue.Not:
				isAnswer := i == first && m.Start <= 1 && startsWith("no", text)
				if !isAnswer || !startsWith("first", text[min(len(text), m.End):]) { // "no I live in Leeds"
					c.negates(m.End, s.words)
				}
				c.unclear = c.unclear || isAnswer && c.negated
			case cue.Over:
				c.adverse = c.adverse || !slices.ContainsFunc(marks, func(o cue.Mark) bool { return o.Kind == cue.Not && o.Start < m.End && m.Start < o.End })
			}
		}
		if i > first || i > 0 && s.continues(s.clauses[i-1], number) {
			c.inherit(s.clauses[i-1])
		}
		if c.start == c.end && c.negated && i > 0 { // "Vegan? No."
			s.clauses[i-1].unclear = true
		}
		s.negates = s.negates || c.negated || c.unclear || c.adverse
	}
	for _, n := range s.names[sort.Search(len(s.names), func(i int) bool { return s.names[i].clause >= first }):] {
		s.name(n)
	}
}

// negates notes a negation that ends at a byte of the sentence.
func (l *clause) negates(end int, words []word) {
	l.negated = true
	of := words[l.start:l.end]
	l.after = l.start + sort.Search(len(of), func(i int) bool { return of[i].start >= end })
}

// recentPersons is the number of names, and of relations, that a pronoun may mean.
const recentPersons = 3

// mention notes that a pronoun may mean somebody from here on.
func (s *speech) mention(recent []string, who string) []string {
	rest := slices.DeleteFunc(slices.Clone(recent), func(r string) bool { return r == who })
	return append([]string{who}, rest[:min(len(rest), recentPersons-1)]...)
}

// name learns what a name is used for.
func (s *speech) name(n site) {
	text := s.sentences[s.clauses[n.clause].sentence].text
	if n.text == "" || isPlainWord(light(n.text)) {
		return
	}
	sentence := s.clauses[n.clause].sentence
	before := sort.Search(len(s.kin), func(i int) bool {
		of := s.clauses[s.kin[i].clause].sentence
		return of > sentence || of == sentence && s.kin[i].start >= n.start
	})
	for _, k := range slices.Backward(s.kin[:before]) {
		end := k.start + len(k.text)
		if k.clause < n.clause-1 || s.clauses[k.clause].sentence != sentence {
			break
		}
		if end > n.start {
			continue
		}
		if strings.Trim(text[end:n.start], " ,:(") != "" { // words are between it, and all before it, and the name
			break
		}
		s.relations[n.keys[0]] = append(s.relations[n.keys[0]], kinOf(k.keys[0]))
		s.persons[n.keys[0]] = true
	}
	words := strings.Fields(strings.ToValidUTF8(text[max(0, n.start-maxSubject):n.start], ""))
	after := strings.TrimLeft(text[min(len(text), n.start+len(light(n.text))):], " ,")
	next, _, _ := strings.Cut(after, " ")
	_, isPredicate := lists()["predicate"].words[strings.TrimRight(next, ",.;:!?")]
	_, isCopula := lists()["copula"].words[strings.TrimRight(next, ",.;:!?")]
	if len(words) > 0 {
		_, isNaming := lists()["naming"].words[strings.TrimRight(words[len(words)-1], ":,.")]
		s.persons[n.keys[0]] = s.persons[n.keys[0]] || isNaming
	}
	if c := s.clauses[n.clause]; len(words) > 0 && c.self && len(c.kin) == 0 {
		_, isNaming := lists()["naming"].words[strings.TrimRight(words[len(words)-1], ":,.")]
		_, isMe := lists()["first"].words[words[len(words)-1]]
		s.selves[n.keys[0]] = s.selves[n.keys[0]] || isNaming || isMe
	}
	if strings.HasSuffix(light(n.text), "'s") || isPredicate && (!n.initial || !isCopula) {
		s.persons[n.keys[0]] = true
	}
	if s.isAside(n.clause) {
		return
	}
	isGerman := s.passages[len(s.passages)-1].lang == "de" // nouns have capital letters too
	if s.persons[n.keys[0]] || !isGerman && (!n.initial || language.FunctionWords[light(n.text)] == 0) {
		s.recent = s.mention(s.recent, n.keys[0])
	}
	c := &s.clauses[n.clause]
	if s.persons[n.keys[0]] && !c.self && leads(text, n.start) {
		c.third = true
	}
	if s.persons[n.keys[0]] && leads(text[offset(s.words, c):], n.start-offset(s.words, c)) {
		c.leading = append(c.leading, n.keys[0])
	}
}

// fragment is the length in bytes of a sentence that has no predicate: "My father.", "父が。"
const fragment = 16

// continues reports whether a sentence may leave out the subject of the clause before it: that is a fragment, or the question.
func (s *speech) continues(before clause, number int) bool {
	last := s.sentences[before.sentence]
	if last.passage != s.sentences[number].passage || len(before.kin) == 0 && !before.third {
		return false
	}
	if last.voice == lead {
		return s.sentences[number].voice != lead && len(lists()["second"].in(last.text)) == 0
	}
	return len(before.kin) > 0 && len(last.text) <= fragment
}

// inherit takes the subject from the clause before it.
func (l *clause) inherit(before clause) {
	if !l.self && !l.third && len(l.kin) == 0 {
		l.self, l.i, l.third, l.kin, l.subject, l.leading = before.self, before.i, before.third, before.kin, before.subject, before.leading
	}
}

// subjectWords is the number of words at the beginning of a clause among which its subject is.
const subjectWords = 4

// maxSubject is the length in bytes of so many words.
const maxSubject = 100

// leads reports whether a position is that of a clause's subject: near its beginning, and after no preposition.
func leads(text string, at int) bool {
	if at > maxSubject {
		return false
	}
	before := strings.TrimLeft(text[:max(0, at)], " ,")
	if r, _ := firstRune(text[max(0, at):]); isRun(r) {
		return utf8.RuneCountInString(before) <= 2*subjectWords && !strings.ContainsAny(before[max(0, len(before)-3):], "和跟给帮")
	}
	words := strings.Fields(before)
	return len(words) <= subjectWords && !slices.ContainsFunc(words, func(w string) bool { _, ok := lists()["preposition"].words[w]; return ok })
}

// having returns the words of a speech that share a form with w. Words that occur too often are left out: they connect nothing.
func (s *speech) having(w word) []int {
	last := w.forms[len(w.forms)-1]
	if len(w.forms) == 1 || len(s.index[w.forms[0]]) == 0 {
		return rare(s.index[last])
	}
	out, known := s.found[last+" "+w.forms[0]]
	if !known {
		out = slices.Concat(s.index[w.forms[0]], s.index[last])
		slices.Sort(out)
		out = slices.Compact(out)
		s.found[last+" "+w.forms[0]] = out
	}
	return rare(out)
}

// maxOccurrences bounds how often a word may occur that connects a line with a source.
const maxOccurrences = 96

func rare(found []int) []int {
	if len(found) > maxOccurrences {
		return nil
	}
	return found
}

// monthHolds is the number of sentences for which a month stays that of days that are named without one.
const monthHolds = 12

// calendarOf returns the dates of a sentence.
func (s *speech) calendarOf(i int) *calendar {
	sent := &s.sentences[i]
	if sent.calendar == nil {
		sent.calendar = newCalendar()
		var before []day
		for _, b := range s.sentences[max(0, i-monthHolds):i] { // "in September", and later "from the 5th to the 12th"
			before = append(before, b.dates...)
		}
		p := s.passages[sent.passage]
		if p.lead == "" && slices.ContainsFunc(sent.dates, func(d day) bool { return d.weekday > 0 }) { // the tense of an answer is the question's
			for _, r := range date.Insertions(sent.written, p.lang, p.at) {
				if d, err := time.Parse(" [2006-01-02]", r.Text); err == nil {
					sent.calendar.resolved[weekdayOf(d)] = d
				}
			}
		}
		sent.calendar.reach(sent.text, p.at, sent.dates, before, sent.numbers)
	}
	return sent.calendar
}
