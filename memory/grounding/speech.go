package grounding

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language"
	"reverie/language/analysis"
	"reverie/language/fold"
)

// Distances between words, so that what stands in one clause is nearer than what is divided by a sign.
const (
	perWord     = 2 // a character of a script without spaces counts half
	perComma    = 2
	perJoin     = 8
	perSentence = 20
)

// speech is text divided into passages, sentences and clauses, with the words and values in them.
type speech struct {
	passages  []passage
	sentences []sentence
	clauses   []clause
	terms     []term
	numbers   []mention
	names     []mention
	index     map[string][]int // terms by form
	byNumber  map[string][]int
	stems     map[string]bool // the first letters of words
	squeezed  string
	isLatin   bool              // most of the messages are in Latin letters
	negates   bool              // a negation occurs anywhere
	in        language.Language // of the text that is read
	persons   map[string]bool   // names used for persons
	runs      map[*regexp.Regexp][][]int
	places    []kinPlace
	counts    []int            // for compare
	units     []*string        // of numbers, once needed
	found     map[string][]int // terms by all forms of a word, as they are asked for
}

// passage is one message, or one line of a document.
type passage struct {
	at       time.Time
	speaker  string // light
	lead     string // what an answer takes over from the message before it
	lang     string // tag of its language
	squeezed string // without the lead
	document bool
}

type sentence struct {
	passage  int
	text     string // light
	dates    []day
	numbers  []number
	calendar *calendar // once needed
	isLead   bool
}

// clause is a part of a sentence between commas and conjunctions.
type clause struct {
	sentence   int
	start, end int // terms
	negated    bool
	adverse    bool // a word that may express a negation
	either     bool // not clearly negated or not
	self       bool // the speaker is the subject
	third      bool // somebody else is
	subject    bool // a relation stands where the subject does
	explicit   bool // the line names the user
	byLead     bool // the question before it asks about somebody else
	kin        []kin
	isLead     bool
}

// kin is a relation, with the wider one that it belongs to.
type kin struct{ is, wider string }

func (k kin) matches(o kin) bool {
	return k.is == o.is || k.wider == o.is && o.is != "" || k.is == o.wider
}

// term is a word, or a pair of characters of a script without spaces.
type term struct {
	forms   []string
	at      int
	clause  int
	weight  int
	content bool // no function word
}

// mention is a number or a name at its place.
type mention struct {
	text    string
	keys    []string
	at      int
	clause  int
	initial bool // the first word of a sentence
	unsure  bool
	start   int // bytes of the sentence's light text, for numbers
	capital bool
}

func newSpeech() *speech {
	return &speech{index: map[string][]int{}, byNumber: map[string][]int{}, stems: map[string]bool{}, found: map[string][]int{}, persons: map[string]bool{}}
}

// messages returns the text of the messages or, without any, of the documents.
func (s *speech) messages() string {
	var all, documents strings.Builder
	for _, p := range s.passages {
		if p.document {
			documents.WriteString(p.squeezed)
		} else {
			all.WriteString(p.squeezed)
		}
	}
	if all.Len() == 0 {
		return documents.String()
	}
	return all.String()
}

// add reads a text as one passage.
func (s *speech) add(text string, p passage) {
	p.squeezed = squeezed(text)
	s.passages = append(s.passages, p)
	s.squeezed += squeezed(p.lead) + p.squeezed + "\n"
	if p.lead != "" {
		s.read(p.lead, true)
	}
	s.read(text, false)
}

func (s *speech) read(text string, isLead bool) {
	tokens := analysis.Analyse(text)
	s.in = languageOf(text, s.in)
	next := 0
	at := 0
	if n := len(s.terms); n > 0 {
		at = s.terms[n-1].at + perSentence
	}
	offset := 0
	for _, part := range sentencesOf(text) {
		from := offset
		offset += len(part)
		first := next
		for next < len(tokens) && tokens[next].Start < offset {
			next++
		}
		if first == next {
			if strings.TrimSpace(part) == "" {
				continue
			}
		}
		at = s.sentence(text[from:offset], from, tokens[first:next], at+perSentence, isLead)
	}
}

// pairKind are characters that are analysed in pairs.
func isPaired(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isRun(r)
}

// languageOf returns the likeliest language of a text in Latin script; without evidence, the one before.
func languageOf(text string, before language.Language) language.Language {
	return language.Likeliest(text, before, language.English, language.German, language.French, language.Spanish, language.Italian,
		language.Portuguese, language.Vietnamese)
}

// sentence reads one sentence. from is its position in the text of the tokens.
func (s *speech) sentence(text string, from int, tokens []analysis.Token, at int, isLead bool) int {
	folded := fold.Fold(text)
	plain := variants.Replace(folded.Text)
	sent := sentence{passage: len(s.passages) - 1, text: plain, isLead: isLead}
	if hasTime(plain) {
		sent.dates = datesOf(plain)
		sent.numbers = numbersOf(plain)
	}
	number := len(s.sentences)
	s.sentences = append(s.sentences, sent)
	var starts []int // of clauses, in bytes of the text
	inClause := 0
	begin := func(byteAt int) {
		inClause = 0
		s.clauses = append(s.clauses, clause{sentence: number, start: len(s.terms), isLead: isLead})
		starts = append(starts, byteAt)
	}
	begin(0)
	end, position := 0, -1
	var places []place
	isFirst, named := true, 0
	for _, t := range tokens {
		start := t.Start - from
		if start > end {
			switch gap := text[end:start]; {
			case strings.ContainsAny(gap, ",;:()–—،、，；：（）|") || strings.Contains(gap, " - "):
				at += perComma
				if inClause > 0 {
					begin(start)
				}
			}
		}
		if t.Position != position {
			position = t.Position
			at += perWord
			if isPaired(t.Text) {
				at -= perWord / 2
			}
		}
		if (joins[variants.Replace(t.Forms[0])] || joinsRun(text[:start], text[start:])) && inClause > 0 {
			at += perJoin
			begin(start)
		}
		end = max(end, t.End-from)
		places = append(places, place{start, at, len(s.clauses) - 1})
		inClause++
		s.term(t, at)
		if isName(t) && start >= named {
			s.name(t, at, isFirst)
			named = t.End - from
		}
		isFirst = false
	}
	asks := strings.ContainsAny(text, "?？؟")
	for i, byteAt := range starts {
		c := &s.clauses[len(s.clauses)-len(starts)+i]
		until := len(text)
		c.end = len(s.terms)
		if i+1 < len(starts) {
			until = starts[i+1]
			c.end = s.clauses[len(s.clauses)-len(starts)+i+1].start
		}
		c.read(light(text[byteAt:until]), i == 0, asks, s.in)
		if at := len(s.clauses) - len(starts) + i - 1; i == 0 && at >= 0 && !c.self && !isLead {
			last := s.sentences[s.clauses[at].sentence]
			c.byLead = last.isLead && last.passage == sent.passage && s.clauses[at].third && len(second.in(last.text)) == 0
		}
		if at := len(s.clauses) - len(starts) + i - 1; i > 0 || at >= 0 && s.continues(s.clauses[at], number) {
			c.inherit(s.clauses[at])
		}
		s.negates = s.negates || c.negated || c.adverse || c.either
	}
	s.place(sent.numbers, sent.dates, folded, places)
	return at
}

// isName reports whether a word may be a name: it begins with a capital letter, or has digits and capital letters, as in 2B.
func isName(t analysis.Token) bool {
	if isWord := !strings.ContainsFunc(t.Text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) &&
			!strings.ContainsRune("'’-&.", r)
	}); !isWord || utf8.RuneCountInString(t.Text) < 2 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t.Text)
	return unicode.IsUpper(r) || unicode.IsDigit(r) && strings.ContainsFunc(t.Text, unicode.IsUpper) && !strings.ContainsAny(t.Text, "-.")
}

// Endings and beginnings of clauses in scripts that mark them without a sign.
var (
	runEnds   = strings.Fields("ので けど から のに って 라서 니까 지만 는데 은데 ㄴ데 데 고 서 라 며 면")
	runBegins = strings.Fields("但是 但 不过 所以 因为 而且 然后 就是")
)

// joinsRun reports whether a clause ends between two texts of a script without conjunctions between spaces.
func joinsRun(before, after string) bool {
	r, _ := firstRune(after)
	if !isRun(r) {
		return false
	}
	for _, b := range runBegins {
		if strings.HasPrefix(after, b) {
			return true
		}
	}
	spaced := strings.HasSuffix(before, " ")
	before = strings.TrimRight(before, " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	if unicode.Is(unicode.Hangul, last) && !spaced {
		return false
	}
	for _, e := range runEnds {
		if strings.HasSuffix(before, e) {
			return true
		}
	}
	return false
}

// fragment is the length in bytes of a sentence that has no predicate: "My father.", "父が。"
const fragment = 16

// continues reports whether a sentence may leave out the subject of the clause before it: that is a fragment, or the question.
func (s *speech) continues(before clause, number int) bool {
	last := s.sentences[before.sentence]
	if last.passage != s.sentences[number].passage || len(before.kin) == 0 {
		return false
	}
	return last.isLead && !s.sentences[number].isLead && len(second.in(last.text)) == 0 || len(last.text) <= fragment
}

// place is the position of a byte of a sentence.
type place struct{ start, at, clause int }

// place adds the numbers that are no part of a date.
func (s *speech) place(numbers []number, dates []day, folded fold.Folded, places []place) {
	for _, n := range numbers {
		if len(places) == 0 {
			return
		}
		start, _ := folded.Origin(n.start, n.end)
		i := max(0, sort.Search(len(places), func(i int) bool { return places[i].start > start })-1)
		m := mention{
			text: folded.Text[n.start:n.end], keys: n.keys, at: places[i].at, clause: places[i].clause, unsure: n.unsure, start: n.start,
		}
		if n.isWord {
			m.unsure = m.unsure || slices.ContainsFunc(dates, func(d day) bool { return d.start <= n.start && n.end <= d.end })
		}
		for _, k := range m.keys {
			s.byNumber[k] = append(s.byNumber[k], len(s.numbers))
		}
		s.numbers = append(s.numbers, m)
	}
}

// hasTime reports whether a text may name a number or a date: most sentences do not, and reading both is costly.
func hasTime(string) bool { return true }

func (s *speech) term(t analysis.Token, at int) {
	if t.Kind == analysis.Number {
		return
	}
	m := term{at: at, clause: len(s.clauses) - 1, weight: 2, content: !t.Stop}
	if isPaired(t.Text) {
		if utf8.RuneCountInString(t.Text) != 2 {
			return
		}
		m.weight = 1
		m.content = isTelling(t.Text)
		m.forms = []string{bare(t.Text)}
	} else {
		for _, form := range t.Forms {
			if b := bare(form); !slices.Contains(m.forms, b) {
				m.forms = append(m.forms, b)
			}
		}
		if rest, found := withoutPossessive(m.forms[0]); found {
			m.forms = append(m.forms, rest)
		}
		if inner := circumfix.FindStringSubmatch(m.forms[0]); inner != nil {
			m.forms = append(m.forms, inner[1])
		}
		m.content = m.content && !generic[m.forms[0]]
	}
	if runes := []rune(m.forms[0]); len(runes) >= stem {
		s.stems[string(runes[:stem])] = true
	}
	for _, form := range m.forms {
		s.index[form] = append(s.index[form], len(s.terms))
	}
	s.terms = append(s.terms, m)
}

// weak characters make no telling pair.
var weak = runesOf(`的是了在和与有也都把被吗呢吧着过就还很不我你他她它们这那个些么没说要会能可以对给让从到为但如果因为所以好`)

// isTelling reports whether a pair of characters carries content.
func isTelling(pair string) bool {
	a, size := utf8.DecodeRuneInString(pair)
	b, _ := utf8.DecodeRuneInString(pair[size:])
	if weak[a] || weak[b] || unicode.Is(unicode.Hiragana, a) || unicode.Is(unicode.Hiragana, b) {
		return false
	}
	return true
}

// generic are words of lines that say nothing about their subject.
var generic = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`user users user's users' nutzer nutzerin nutzers utilisateur utilisatrice usuario usuaria utente
		пользователь пользователя المستخدم person wants want likes like has have named called uses use works work lives live also using since
		plans plan said says gets get going goes go new about around currently`) {
		out[bare(word)] = true
	}
	return out
}()

func withoutPossessive(word string) (string, bool) {
	if rest, found := strings.CutSuffix(word, "'s"); found {
		return rest, true
	}
	return strings.CutSuffix(word, "'")
}

func (s *speech) name(t analysis.Token, at int, initial bool) {
	m := mention{text: t.Text, at: at, clause: len(s.clauses) - 1, initial: initial, capital: true}
	for _, form := range t.Forms {
		m.keys = append(m.keys, bare(form))
	}
	if rest, found := withoutPossessive(m.keys[0]); found {
		m.keys[0] = rest
	}
	s.names = append(s.names, m)
}

// stem is the number of letters in which two spellings of a name agree: Florence and Florenz.
const stem = 4

// subjectWords is the number of words at the beginning of a clause among which its subject is.
const subjectWords = 4

// read finds out what kind of clause it is. in is the language of the text.
func (c *clause) read(text string, opens, asks bool, in language.Language) {
	words := wordsOf(text)
	c.explicit = len(selfWords.among(words, text)) > 0
	c.self = len(first.among(words, text)) > 0 || c.explicit
	c.adverse = len(adverse.among(words, text)) > 0
	for _, f := range third.among(words, text) {
		if other, ok := otherwise[text[f.start:f.end]]; ok && other.Has(in) {
			continue
		}
		c.third = c.third || leads(text, f.start)
	}
	for _, f := range people.among(words, text) {
		is, wider, _ := strings.Cut(f.value, "/")
		c.kin = append(c.kin, kin{is, wider})
		c.subject = c.subject || leads(text, f.start)
	}
	for _, f := range negators.among(words, text) {
		if other, ok := otherwise[text[f.start:f.end]]; ok && other.Has(in) {
			continue
		}
		if rest := strings.TrimLeft(text[f.end:], " "); opens && denies.words[text[f.start:f.end]] != "" && f.start <= 1 && startsWith(first, rest) {
			continue // "no I live in Leeds"
		}
		c.negated = true
		if opens && denies.words[text[f.start:f.end]] != "" && strings.IndexFunc(text, unicode.IsLetter) == f.start {
			c.either = true // "no, I live in Leeds", "no cinnamon for me"
		}
	}
	if strings.Contains(text, "n't") || circumfix.MatchString(text) {
		c.negated = true
	}
	if c.isLead || asks {
		c.either = true
	}
}

// startsWith reports whether a text begins with one of the expressions.
func startsWith(p phrases, text string) bool {
	found := p.in(text)
	return len(found) > 0 && found[0].start == 0
}

// circumfix matches a verb that is negated in spoken Arabic: مبتحبش.
var circumfix = regexp.MustCompile(`(?:^|[^\p{Arabic}])[وف]?مب?(\p{Arabic}{2,})ش(?:[^\p{Arabic}]|$)`)

// otherwise are negations that mean something else in other languages.
var otherwise = map[string]language.Set{
	"no": 1 << language.Portuguese, "mai": 1<<language.German | 1<<language.French, "ne": 1 << language.Italian, "net": 1 << language.English,
	"ned": 1 << language.English, "nee": 1 << language.French, "ko": 1<<language.German | 1<<language.English, "sin": 1 << language.English,
	"il": 1 << language.Italian, "her": 1 << language.German, "hier": 1 << language.German, "lui": 1 << language.Vietnamese,
	"non": 1 << language.English, "nada": 1 << language.English, "sem": 1 << language.German, "ni": 1 << language.English,
}

// leads reports whether a position is where a clause has its subject: near its beginning, and after no preposition.
func leads(text string, at int) bool {
	before := strings.TrimLeft(text[:at], " ,")
	words := strings.Fields(before)
	if r, _ := firstRune(text[at:]); isRun(r) {
		return utf8.RuneCountInString(before) <= 2*subjectWords && !strings.HasSuffix(before, "和") && !strings.HasSuffix(before, "跟") &&
			!strings.HasSuffix(before, "给") && !strings.HasSuffix(before, "帮")
	}
	if len(words) > subjectWords {
		return false
	}
	for _, w := range words {
		if prepositions[w] {
			return false
		}
	}
	return true
}

var prepositions = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`with to for of from at visit see call mit zu von bei für nach avec pour chez de à con para a de com per da di del della
		với cho của cùng с к для от у о مع عند من إلى`) {
		out[light(word)] = true
	}
	delete(out, "у")
	return out
}()

// inherit takes the subject from the clause before it.
func (c *clause) inherit(before clause) {
	if !c.self && !c.third && len(c.kin) == 0 {
		c.self, c.third, c.kin, c.subject = before.self, before.third, before.kin, before.subject
	}
}

func (s *speech) finish() {
	for i := range s.clauses {
		c := &s.clauses[i]
		if c.end > c.start || !c.negated {
			continue
		}
		for _, j := range []int{i - 1, i + 1} { // "Vegan? No."
			if j >= 0 && j < len(s.clauses) && s.sentences[s.clauses[j].sentence].passage == s.sentences[c.sentence].passage {
				s.clauses[j].either = true
			}
		}
	}
	defer s.subjects()
	for _, n := range s.names {
		if !s.persons[n.keys[0]] && s.usedForPerson(n) {
			s.persons[n.keys[0]] = true
		}
	}
}

// subjects marks the clauses whose subject is a person's name.
func (s *speech) subjects() {
	for _, n := range s.names {
		c := &s.clauses[n.clause]
		if !s.persons[n.keys[0]] || c.self || c.isLead || n.at-s.terms[min(c.start, len(s.terms)-1)].at > subjectWords*perWord {
			continue
		}
		if text := s.sentences[c.sentence].text; leads(text, max(0, strings.Index(text, light(n.text)))) {
			c.third = true
		}
	}
}

// usedForPerson reports whether a name stands next to a relation, or where a person's name does.
func (s *speech) usedForPerson(n mention) bool {
	c := s.clauses[n.clause]
	text := s.sentences[c.sentence].text
	name := light(n.text)
	before, after, _ := strings.Cut(text, name)
	words := strings.Fields(before)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	next := strings.TrimRight(firstWord(strings.TrimLeft(after, ",")), ",.;:!?")
	if determiners[last] {
		return false
	}
	if len(people.in(last)) > 0 || naming[strings.TrimRight(last, ":,")] || len(words) > 1 && len(people.in(words[len(words)-2])) > 0 && !predicates[bare(last)] {
		return true
	}
	return strings.HasSuffix(name, "'s") || strings.HasPrefix(after, "'s") || !n.initial && predicates[bare(next)] || n.initial && predicates[bare(next)] && s.in != language.German
}

// naming words stand before a name.
var naming = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`called named heißt namens s'appelle appelle llama llamo chama chiama tên зовут اسمها اسمه اسمي mr mrs ms dr frau herr
		monsieur madame señor señora dottor dottoressa doctor prof`) {
		out[light(word)] = true
	}
	return out
}()

// calendarOf returns the dates of a sentence.
func (s *speech) calendarOf(i int) *calendar {
	sent := &s.sentences[i]
	if sent.calendar == nil {
		sent.calendar = newCalendar()
		sent.calendar.reach(sent.text, s.passages[sent.passage].at, sent.dates, sent.numbers)
	}
	return sent.calendar
}
