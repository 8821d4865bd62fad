// Package cue finds the words that show what a sentence does: speaks of the speaker, asks, supposes, corrects, quotes.
//
// The words of a language are one file in words/. A section "[kind]" lists phrases, separated by "|". "*" at the end of a word
// matches any ending, and "_" between words up to two others ("non _ più"). In Chinese and Japanese phrases match anywhere; elsewhere
// they match whole words. Arabic words match with the proclitics و ف ب ل ك and Korean words with particles after a final "*".
package cue

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language"
	"reverie/language/fold"
	"reverie/language/script"
)

// Kind classifies phrases by what they show.
type Kind uint8

// Kinds.
const (
	Self      Kind = iota // the speaker: "I", "my", verbs in the first person
	Kin                   // relatives and friends: "my sister", "girlfriend", "dog"
	Other                 // other persons who are not close: "my boss", "someone", "people"
	Lean                  // points back to a sentence before: "she", "there", "that one"
	Ask                   // begins a question: "what", "do you", "is there"
	Request               // asks the assistant for work: "can you", "please write", "help me"
	Suppose               // hypotheses: "if I", "suppose", "imagine", "would be nice"
	Irony                 // irony: "yeah right", "/s"
	Fiction               // work on invented text: "write a story", "role-play", "translate", "pretend"
	Unfiction             // ends a role-play: "stop the game", "out of character"
	Paste                 // announces a foreign text: "here is the email", "he wrote", "the text says"
	Correct               // corrects what was said: "actually", "I meant", "not X but"
	Forget                // withdraws what was said: "forget what I said", "scratch that"
	Over                  // something ended: "no longer", "used to", "quit"
	Not                   // negation
	Like                  // likes and dislikes: "love", "prefer", "can't stand", "favourite"
	Name                  // names of the speaker: "my name is", "call me"
	Age                   // ages: "years old", "turned"
	Home                  // where one lives: "live in", "moved to"
	Work                  // what one does: "work as", "my job", "study"
	Health                // conditions: "allergic", "diabetes", "pregnant", "broke"
	Have                  // possession: "I have", "we own", "bought"
	Decide                // decisions: "decided", "going with", "we'll use"
	Plan                  // plans and dates: "going to", "appointment", "deadline"
	Task                  // duties: "need to", "have to", "must"
	Remember              // requests to remember: "remember that", "keep in mind"
	Always                // standing rules: "always", "from now on", "every time"
	Style                 // style of answers: "answer in", "bullet points", "shorter", "no emojis"
	Habit                 // habits: "usually", "every morning", "since"
	Doubt                 // doubt: "maybe", "thinking about", "not sure"
	Filler                // openings without content: "well", "so", "by the way"
	Chat                  // small talk: "thanks", "great", "good morning"
	Time                  // times of day and days without a date: "tomorrow", "monday", "last week"
	Number                // numbers in words
	You                   // the assistant: "you", "your"
	Game                  // begins a role-play that lasts for several messages: "let's role-play", "act as"
	Would                 // the conditional: "would", "I'd"
	Salute                // opens a letter: "Dear", "Hi all"
	Close                 // closes a letter: "Best regards"
	If                    // begins a condition; with Would, it is a hypothesis: "if I"
	Text                  // kinds of texts: "story", "email", "essay", "paragraph"
	Review                // asks for a look at a text: "check", "proofread", "opinion on"
	Laugh                 // laughter: "haha", "lol", "😂"
	Once                  // for this one time: "this time", "just for now"
	Scene                 // begins a description of what is not: "imagine", "let's say", "thought experiment"
	Praise                // praise in strong words, which is ironic next to Woe: "a genius", "such a treat"
	Woe                   // what people complain about: "delayed", "no reply", "for the third time"
	This                  // announces what comes next: "this", "the following"
	Change                // something is different from before: "now", "moved", "went up to", "postponed"
	Told                  // what the assistant said before: "you suggested", "did you recommend", "your advice"
	kinds
)

// Kinds is the number of kinds.
const Kinds = int(kinds)

var kindNames = [...]string{
	"self", "kin", "other", "lean", "ask", "request", "suppose", "irony", "fiction", "unfiction", "paste", "correct", "forget", "over",
	"not", "like", "name", "age", "home", "work", "health", "have", "decide", "plan", "task", "remember", "always", "style", "habit",
	"doubt", "filler", "chat", "time", "number", "you", "game", "would", "salute", "close", "if", "text", "review", "laugh", "once",
	"scene", "praise", "woe", "this", "change", "told",
}

func (k Kind) String() string { return kindNames[k] }

// Set is a set of kinds.
type Set uint64

// Has reports whether k is in the set.
func (s Set) Has(k Kind) bool { return s&(1<<k) != 0 }

// Any reports whether one of the kinds is in the set.
func (s Set) Any(of ...Kind) bool {
	return slices.ContainsFunc(of, s.Has)
}

// Mark is one phrase found in a text.
type Mark struct {
	Kind       Kind
	Start, End int // bytes of the text
}

// Marks are the phrases found in a text, by position.
type Marks []Mark

// Set returns the kinds that occur.
func (m Marks) Set() Set {
	var s Set
	for _, mark := range m {
		s |= 1 << mark.Kind
	}
	return s
}

// Within returns the marks inside a range of bytes.
func (m Marks) Within(start, end int) Marks {
	var out Marks
	for _, mark := range m {
		if mark.Start >= start && mark.End <= end {
			out = append(out, mark)
		}
	}
	return out
}

// Languages lists the languages with cues.
var Languages = []string{"en", "zh", "de", "es", "fr", "pt", "it", "ja", "ko", "vi", "ru", "ar"}

type latinLanguage struct {
	code string
	lang language.Language
}

// latin maps the languages of Latin script to those of package language.
var latin = []latinLanguage{
	{"en", language.English},
	{"de", language.German},
	{"es", language.Spanish},
	{"fr", language.French},
	{"pt", language.Portuguese},
	{"it", language.Italian},
	{"vi", language.Vietnamese},
}

// LanguageOf returns the code of the language in which most of a text is written, of those with cues. Text without letters is
// "en".
func LanguageOf(text string) string {
	var han, kana, hangul, cyrillic, arabic, rest int
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if unicode.IsLetter(r) {
				rest++
			}
		case script.IsHan(r):
			han += 3 // a character says as much as a few letters
		case script.IsKana(r):
			kana += 3
		case script.IsHangul(r):
			hangul += 3
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Arabic, r):
			arabic++
		case unicode.IsLetter(r):
			rest++
		}
	}
	switch most := max(han+kana, hangul, cyrillic, arabic, rest); {
	case most == 0:
		return "en"
	case most == rest:
		return latinOf(text)
	case most == hangul:
		return "ko"
	case most == cyrillic:
		return "ru"
	case most == arabic:
		return "ar"
	case kana*10 > han:
		return "ja"
	}
	return "zh"
}

func latinOf(text string) string {
	if isBareVietnamese(text) {
		return "vi"
	}
	candidates := make([]language.Language, len(latin))
	for i, l := range latin {
		candidates[i] = l.lang
	}
	best := language.Likeliest(text, candidates...)
	for _, l := range latin {
		if l.lang == best {
			return l.code
		}
	}
	return "en"
}

// LanguageByCues returns LanguageOf a text, except for short ones in Romance languages, which share most of their function words, and of
// one sentence with hardly any function word: of the plausible languages, it is the one whose phrases cover most of the text.
func LanguageByCues(text string) string {
	const romance language.Set = 1<<language.Spanish | 1<<language.French | 1<<language.Portuguese | 1<<language.Italian
	const short, sentence = 240, 80 // bytes
	likeliest := LanguageOf(text)
	at := slices.IndexFunc(latin, func(l latinLanguage) bool { return l.code == likeliest })
	var plausible language.Set
	switch {
	case at < 0:
	case len(text) <= sentence && language.Undecided(text):
		plausible = language.Latin
	case len(text) <= short && romance.Has(latin[at].lang):
		plausible = language.Plausible(text) & romance
	}
	if plausible == 0 {
		return likeliest
	}
	best, most := likeliest, -1
	for _, l := range latin {
		if !plausible.Has(l.lang) {
			continue
		}
		if n := Find(text, l.code).covered(); n > most || n == most && l.code == likeliest {
			best, most = l.code, n
		}
	}
	return best
}

// covered returns the number of bytes that the phrases cover.
func (m Marks) covered() (n int) {
	end := 0
	for _, mark := range m {
		n += max(0, mark.End-max(mark.Start, end))
		end = max(end, mark.End)
	}
	return n
}

// Find returns the phrases of a language that occur in a text, by position. A phrase that continues a longer phrase of the
// same kind at the same place is not repeated.
func Find(text, lang string) Marks { return find(text, lang, math.MaxInt) }

// Opening returns the phrases that begin at the first word of a text.
func Opening(text, lang string) Marks { return find(text, lang, 1) }

// find returns the phrases that begin at one of the first words of a text; in unspaced scripts, the first characters.
func find(text, lang string, limit int) Marks {
	l := lexiconOf(lang)
	if l == nil {
		return nil
	}
	folded := fold.Fold(text)
	if l.bare != nil && isASCII(folded.Text) {
		l = l.bare
	}
	var out Marks
	add := func(k Kind, start, end int) {
		from, to := folded.Origin(start, end)
		out = append(out, Mark{Kind: k, Start: from, End: to})
	}
	if l.unspaced {
		l.findAnywhere(folded.Text, limit, add)
	} else {
		l.findWords(folded.Text, limit, add)
	}
	return withoutOpposites(out)
}

// withoutOpposites removes from overlapping phrases to remember and to forget those that begin later: "don't forget about".
func withoutOpposites(marks Marks) Marks {
	end := [2]int{} // of the last phrases to remember and to forget
	return slices.DeleteFunc(marks, func(m Mark) bool {
		switch {
		case m.Kind == Remember && m.Start >= end[1]:
			end[0] = max(end[0], m.End)
		case m.Kind == Forget && m.Start >= end[0]:
			end[1] = max(end[1], m.End)
		default:
			return m.Kind == Remember || m.Kind == Forget
		}
		return false
	})
}

//go:embed words/*.txt
var files embed.FS

// lexicon holds the phrases of one language.
type lexicon struct {
	unspaced bool
	clitics  bool // words may begin with Arabic proclitics
	elides   bool // an apostrophe separates words: "l'école"
	// bare holds the phrases without diacritics, in languages that people also write wholly without them.
	bare *lexicon
	// first lists phrases by their first word or, in unspaced scripts, by their first two runes; prefixes lists those whose
	// first word is a prefix, by its first two runes. Longer phrases come first.
	first, prefixes map[string]*phrase
	short           bool // a prefix has one rune
}

type phrase struct {
	kind  Kind
	words []word
	text  string // of unspaced scripts
	next  *phrase
}

type word struct {
	text   string
	prefix bool
	gap    bool // up to maxGap other words
}

// maxGap is the maximum number of words between the parts of a phrase: "non _ più".
const maxGap = 2

// lexicons holds the lexicon of each language, read when it is first needed: all of them take 30 ms and 7 MiB.
var lexicons = func() map[string]func() *lexicon {
	all := map[string]func() *lexicon{}
	for _, lang := range Languages {
		all[lang] = sync.OnceValue(func() *lexicon {
			raw, err := files.ReadFile("words/" + lang + ".txt")
			if err != nil {
				panic(err)
			}
			l, err := parse(lang, string(raw))
			if err != nil {
				panic(fmt.Sprintf("words/%s.txt: %v", lang, err))
			}
			return l
		})
	}
	return all
}()

// lexiconOf returns the lexicon of a language; nil if there is none.
func lexiconOf(lang string) *lexicon {
	if read := lexicons[lang]; read != nil {
		return read()
	}
	return nil
}

// parse reads the file of one language.
func parse(lang, text string) (*lexicon, error) {
	l := &lexicon{
		unspaced: lang == "zh" || lang == "ja", clitics: lang == "ar", elides: lang == "fr" || lang == "it",
		first: map[string]*phrase{}, prefixes: map[string]*phrase{},
	}
	if lang == "vi" {
		l.bare = &lexicon{first: map[string]*phrase{}, prefixes: map[string]*phrase{}}
	}
	kind := kinds
	n := 0
	for line := range strings.SplitSeq(fold.Text(text), "\n") {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, isSection := strings.CutPrefix(line, "["); isSection {
			kind = Kind(slices.Index(kindNames[:], strings.TrimSuffix(name, "]")))
			if kind >= kinds {
				return nil, fmt.Errorf("line %d: unknown section %s", n, line)
			}
			continue
		}
		if kind == kinds {
			return nil, fmt.Errorf("line %d: a phrase before the first section", n)
		}
		for phrase := range strings.SplitSeq(line, "|") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				l.add(kind, phrase)
				if l.bare == nil {
					continue
				}
				if bare := withoutMarks(phrase); isASCII(phrase) || len(bare) > shortBare || strings.Contains(bare, " ") {
					l.bare.add(kind, bare)
				}
			}
		}
	}
	return l, nil
}

// size orders phrases by length.
func (p *phrase) size() int { return len(p.words) + len(p.text) }

// add adds a folded phrase.
func (l *lexicon) add(k Kind, line string) {
	p := &phrase{kind: k}
	if l.unspaced {
		p.text = line
		insert(l.first, firstRunes(line, 2), p)
		return
	}
	for _, t := range l.tokenise(make([]token, 0, usualTokens), line) {
		if t.text == "*" && len(p.words) > 0 {
			p.words[len(p.words)-1].prefix = true
			continue
		}
		p.words = append(p.words, word{text: t.text, gap: t.text == "_"})
	}
	if len(p.words) == 0 {
		return
	}
	if first := p.words[0]; first.prefix {
		key := firstRunes(first.text, 2)
		l.short = l.short || utf8.RuneCountInString(key) == 1
		insert(l.prefixes, key, p)
	} else {
		insert(l.first, first.text, p)
	}
}

// insert adds a phrase to a list, after those that are not shorter.
func insert(lists map[string]*phrase, key string, p *phrase) {
	at := lists[key]
	if at == nil || at.size() < p.size() {
		p.next = at
		lists[key] = p
		return
	}
	for at.next != nil && at.next.size() >= p.size() {
		at = at.next
	}
	p.next, at.next = at.next, p
}

// firstRunes returns the first n runes of a word.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

type token struct {
	text       string
	start, end int
}

// loose replaces letters that people write in several ways: Russian ё, and the Arabic letters with hamza, final ى and ة. It
// removes Arabic vowel signs and the stretching stroke.
func loose(r rune) rune {
	switch r {
	case 'ё':
		return 'е'
	case 'أ', 'إ', 'آ', 'ٱ':
		return 'ا'
	case 'ى':
		return 'ي'
	case 'ة':
		return 'ه'
	case 'ـ', 0x64b, 0x64c, 0x64d, 0x64e, 0x64f, 0x650, 0x651, 0x652:
		return -1
	}
	return r
}

// tokenise appends the words of a folded text, with the apostrophes inside them, and single signs and emoji. In a language with
// elision an apostrophe separates words. Hangul after digits begins a word.
func (l *lexicon) tokenise(out []token, text string) []token {
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, token{text[start:end], start, end})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '\'' && start >= 0:
			if start >= 0 && text[i-1] >= '0' && text[i-1] <= '9' && script.IsHangul(r) {
				flush(i) // "12살", "3학년"
			}
			if start < 0 {
				start = i
			}
			if l.elides && r == '\'' {
				flush(i)
			}
		case unicode.IsSpace(r):
			flush(i)
		default:
			flush(i)
			n := utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, n = utf8.DecodeRuneInString(text[i:])
			}
			out = append(out, token{text[i : i+n], i, i + n})
		}
	}
	flush(len(text))
	for i := range out {
		if !isASCII(out[i].text) {
			out[i].text = strings.Map(loose, out[i].text)
		}
		if t := strings.TrimRight(out[i].text, "'"); t != "" && len(t) < len(out[i].text) {
			out[i].end -= len(out[i].text) - len(t)
			out[i].text = t
		}
	}
	return out
}

// usualTokens is the number of tokens of most sentences, for which no memory is allocated.
const usualTokens = 64

func (l *lexicon) findWords(text string, limit int, add func(k Kind, start, end int)) {
	tokens := l.tokenise(make([]token, 0, usualTokens), text)
	for i := range min(limit, len(tokens)) {
		found := l.findAt(tokens[i:], tokens[i].text, add)
		if l.clitics && !found {
			for _, form := range withoutClitics(tokens[i].text) {
				if l.findAt(tokens[i:], form, add) {
					break
				}
			}
		}
	}
}

// findAt adds the phrases that begin at the first token, in a form of it, and reports whether there is one.
func (l *lexicon) findAt(tokens []token, form string, add func(k Kind, start, end int)) bool {
	var seen Set
	lists := [3]*phrase{l.first[form], l.prefixes[firstRunes(form, 2)]}
	if l.short {
		lists[2] = l.prefixes[firstRunes(form, 1)]
	}
	for _, list := range lists {
		for p := list; p != nil; p = p.next {
			if seen.Has(p.kind) || !p.words[0].matches(form) {
				continue
			}
			if n := matchesAll(p.words[1:], tokens[1:]); n >= 0 {
				seen |= 1 << p.kind
				add(p.kind, tokens[0].start, tokens[n].end)
			}
		}
	}
	return seen != 0
}

// matchesAll returns how many tokens the words are, which may have gaps between them; -1 if they do not match.
func matchesAll(words []word, tokens []token) int {
	for i, w := range words {
		if w.gap {
			for skipped := range maxGap + 1 {
				if skipped > 0 && (i+skipped > len(tokens) || !isWordToken(tokens[i+skipped-1].text)) {
					break
				}
				if n := matchesAll(words[i+1:], tokens[i+skipped:]); n >= 0 {
					return i + skipped + n
				}
			}
			return -1
		}
		if i >= len(tokens) || !w.matches(tokens[i].text) {
			return -1
		}
	}
	return len(words)
}

func isWordToken(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (w word) matches(text string) bool {
	return text == w.text || w.prefix && strings.HasPrefix(text, w.text)
}

// withoutClitics returns a word without an Arabic conjunction or preposition that is written together with it.
func withoutClitics(word string) (forms []string) {
	for _, clitic := range []string{"و", "ف", "ب", "ل", "ك"} {
		if rest, ok := strings.CutPrefix(word, clitic); ok && utf8.RuneCountInString(rest) >= 2 {
			forms = append(forms, rest)
			if inner, ok := strings.CutPrefix(rest, "ب"); ok && clitic == "و" && utf8.RuneCountInString(inner) >= 2 {
				forms = append(forms, inner)
			}
		}
	}
	return forms
}

func (l *lexicon) findAnywhere(text string, limit int, add func(k Kind, start, end int)) {
	wordEnd := 0
	for i, r := range text {
		if i >= limit {
			break
		}
		alphabetic := r < utf8.RuneSelf && unicode.IsLetter(r)
		if alphabetic && i < wordEnd {
			continue // inside a Latin word
		}
		if alphabetic {
			wordEnd = i
			for wordEnd < len(text) && text[wordEnd] < utf8.RuneSelf && unicode.IsLetter(rune(text[wordEnd])) {
				wordEnd++
			}
		}
		var seen Set
		for _, list := range [...]*phrase{l.first[firstRunes(text[i:], 2)], l.first[firstRunes(text[i:], 1)]} {
			for p := list; p != nil; p = p.next {
				if seen.Has(p.kind) || !strings.HasPrefix(text[i:], p.text) || alphabetic && i+len(p.text) < wordEnd {
					continue
				}
				seen |= 1 << p.kind
				add(p.kind, i, i+len(p.text))
			}
		}
	}
}

// bareVietnamese are Vietnamese words without diacritics that hardly occur in other languages.
var bareVietnamese = wordSet(`khong toi minh cua nhung duoc nguoi roi voi nhe muon vay cung nhieu giup dang trong ngay lam biet bao thich uong`)

// isBareVietnamese reports whether a text is Vietnamese written without diacritics: a sixth of its words are Vietnamese ones.
func isBareVietnamese(text string) bool {
	if !isASCII(text) {
		return false
	}
	words := strings.Fields(strings.ToLower(text))
	known := map[string]bool{}
	for _, w := range words {
		if w = strings.Trim(w, ",.!?:;()\"'"); bareVietnamese[w] {
			known[w] = true
		}
	}
	return len(known) >= 2 && len(known)*6 >= min(len(words), 60)
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// shortBare is the length up to which a word without its diacritics is too ambiguous, in bytes.
const shortBare = 3

// withoutMarks returns a composed text of Latin script without diacritics.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 'đ' {
			return 'd'
		}
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); r >= utf8.RuneSelf && d != nil {
			r, _ = utf8.DecodeRune(d)
		}
		return r
	}, text)
}

func isASCII(text string) bool { return fold.ASCIIPrefix(text) == len(text) }
