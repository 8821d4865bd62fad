package chat

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/fold"
	"reverie/language/script"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/window"
)

// intent classifies a message to an agent without a model.
type intent int

// Intents.
const (
	wantsAnswer   intent = iota // a question about what is remembered, or words to look up
	wantsGreeting               // says hello
	wantsThanks
	wantsBye
	wantsNothing // an acknowledgement, or symbols
	wantsProfile // asks what is known about the user
	wantsName    // asks for the user's name
	wantsSelf    // asks about the assistant, or for its opinions and feelings
	wantsWork    // asks for work that needs a model: to write, translate, calculate
	tellsFact    // states something
)

// intents are the phrases of one language that show an intent: separated by commas. A phrase matches whole words, with a
// full stop only the last ones; in Chinese, Japanese and Korean it matches anywhere.
type intents struct {
	hello, thanks, bye string // somewhere in a message without content
	how                string // the same: "how are you"
	// profile asks about the user on its own; me does together with know, both anywhere in a short question.
	profile, know, me string
	name              string // begins a question
	self              string // anywhere in a short question
	please            string // may come before work or look
	work              string // begins a message, or in Japanese and Korean ends a sentence of it
	look              string // begins a message that asks for what is remembered
}

// shortQuestion bounds the questions about the user and the assistant, in characters.
const shortQuestion = 80

// intentOf returns the intent of a message and the language to answer in. before is the language of the conversation, for
// messages without words of a language.
func intentOf(message, before string) (intent, string) {
	text := words(message)
	lang := languageOf(message, before)
	if window.SmallTalk(message) {
		return smallTalk(text, lang)
	}
	if greets(text, lang) && !strings.ContainsAny(message, questionMarks) {
		return wantsGreeting, lang
	}
	if len([]rune(text)) <= shortQuestion {
		for _, l := range append([]string{lang}, cue.Languages...) { // a few words may not show their language
			switch in := intentBook[l]; {
			case has(text, l, in.profile), has(text, l, in.know) && has(text, l, in.me):
				return wantsProfile, l
			case begins(withoutPrefixes(text, l, in.hello, in.please), l, in.name):
				return wantsName, l
			case has(text, l, in.self):
				return wantsSelf, l
			case l != lang && begins(text, l, several(in.work)):
				return wantsWork, l
			}
		}
	}
	in := intentBook[lang]
	rest := withoutPrefixes(text, lang, in.hello, in.please)
	switch {
	case begins(rest, lang, in.work), verbLast(lang) && has(text, lang, in.work):
		return wantsWork, lang
	case begins(rest, lang, in.look), verbLast(lang) && has(text, lang, in.look):
		return wantsAnswer, lang
	case states(message, lang):
		return tellsFact, lang
	}
	return wantsAnswer, lang
}

const questionMarks = "?？؟"

// smallTalk returns the intent of a message without content. Its language is that of a list with its words, first of all
// of lang.
func smallTalk(text, lang string) (intent, string) {
	for _, l := range append([]string{lang}, cue.Languages...) {
		in := intentBook[l]
		switch {
		case has(text, l, in.bye):
			return wantsBye, l
		case has(text, l, in.hello), has(text, l, in.how):
			return wantsGreeting, l
		case has(text, l, in.thanks):
			return wantsThanks, l
		}
	}
	return wantsNothing, lang
}

// maxAddress is the number of words or ideographs of a name after a greeting: "Hello, dear Ada!"
const maxAddress = 3

// greets reports whether a text is a greeting with a name.
func greets(text, lang string) bool {
	rest := withoutPrefixes(text, lang, intentBook[lang].hello)
	size := len(strings.Fields(rest))
	if script.HasHan(rest) || strings.ContainsFunc(rest, script.IsKana) {
		size = len([]rune(strings.TrimSpace(rest)))
	}
	return rest != text && size <= maxAddress && !begins(rest, lang, intentBook[lang].look)
}

const (
	// shortStatement is the number of letters from which words without a final stop are a statement, not words to look up.
	shortStatement = 24
	// fragment is the number of letters below which words without a final stop state nothing.
	fragment = 12
)

// states reports whether a message states something and neither asks nor requests anything.
func states(message, lang string) bool {
	return !asks(message, lang) && (isEnded(message) || lettersOf(message) >= shortStatement)
}

// mayState reports whether a message is about the user and does not ask: "I live in Bonn".
func mayState(message, lang string) bool {
	text, look := words(message), intentBook[lang].look
	inPlace := anywhere(lang) || lang == "vi" // question words have the place of the answer
	looks := begins(text, lang, look) || inPlace && has(text, lang, look)
	return !looks && !asks(message, lang) && cue.Find(message, lang).Set().Has(cue.Self)
}

// asks reports whether a message has a question or a request, or no sentence.
func asks(message, lang string) bool {
	reader := stance.Reader{Lang: lang}
	sentences := reader.Read(message)
	return len(sentences) == 0 || slices.ContainsFunc(sentences, func(s stance.Sentence) bool {
		return s.Stance == stance.Question ||
			slices.ContainsFunc(s.Marks, func(m cue.Mark) bool { return m.Kind == cue.Request && m.Start == 0 })
	})
}

// isStatement reports whether a sentence of a user states something: it is neither a question, nor a request, nor small talk.
func isStatement(s stance.Sentence, lang string) bool {
	wanted, _ := intentOf(s.Text, lang)
	looks := begins(words(s.Text), lang, intentBook[lang].look)
	return s.Stance != stance.Question && (wanted == tellsFact || wanted == wantsAnswer && !looks)
}

// isEnded reports whether a message has a sentence with a final stop.
func isEnded(message string) bool {
	return strings.HasSuffix(strings.TrimSpace(message), ".") || strings.ContainsAny(message, "!。！")
}

// isFragment reports whether a message is only words to look up, such as "boat name".
func isFragment(message string) bool { return !isEnded(message) && lettersOf(message) < fragment }

// lettersPerIdeograph makes the lengths of texts in different scripts comparable.
const lettersPerIdeograph = 3

func lettersOf(text string) (n int) {
	for _, r := range text {
		switch {
		case script.IsUnspaced(r) || script.IsHangul(r):
			n += lettersPerIdeograph
		case unicode.IsLetter(r):
			n++
		}
	}
	return n
}

// minLetters is the number of letters from which a message shows its language by its letters alone.
const minLetters = 6

// languageOf returns the language for ready-made sentences to the author of a text: the one whose greeting it begins with,
// else the one it is written in, else before.
func languageOf(text, before string) string {
	own := cue.LanguageOf(text)
	switch {
	case before != "" && lettersOf(text) < minLetters && (!isLatin(before) || len(greetingLanguages(text)) == 0):
		return before
	case !isLatin(own):
		return own
	}
	greeting := greetingLanguages(text)
	if own = likeliest(text, before); len(greeting) > 0 && !slices.Contains(greeting, own) && lettersOf(text) < shortStatement {
		return greeting[0]
	}
	return own
}

// greetingLanguages returns the languages of Latin script with a greeting, thanks or farewell that a text begins with.
func greetingLanguages(text string) (languages []string) {
	folded := words(text)
	for _, lang := range cue.Languages {
		in := intentBook[lang]
		if isLatin(lang) && begins(folded, lang, in.hello, in.how, in.thanks, in.bye) {
			languages = append(languages, lang)
		}
	}
	return languages
}

// latin maps the languages of Latin script to those of package language.
var latin = map[string]language.Language{
	"en": language.English, "de": language.German, "es": language.Spanish, "fr": language.French, "pt": language.Portuguese,
	"it": language.Italian, "vi": language.Vietnamese,
}

// likeliest returns the language of a text of Latin script; before, if it is one of those that match best. The function
// words of a short text are few: a language with twice as many cues in it goes first, except before Vietnamese, whose
// letters show it.
func likeliest(text, before string) string {
	var codes []string
	var candidates []language.Language
	for _, code := range append([]string{before}, cue.Languages...) {
		if isLatin(code) {
			codes, candidates = append(codes, code), append(candidates, latin[code])
		}
	}
	best := codes[slices.Index(candidates, language.Likeliest(text, candidates...))]
	if lettersOf(text) >= 2*shortStatement || best == "vi" {
		return best
	}
	most := 2 * covered(text, best)
	for _, code := range codes {
		if n := covered(text, code); n > most {
			best, most = code, n
		}
	}
	return best
}

// covered returns the number of bytes of a text in pronouns, verbs of the first person, questions and requests of a language.
func covered(text, lang string) (n int) {
	end := 0
	for _, m := range cue.Find(text, lang) {
		if m.Kind != cue.Self && m.Kind != cue.You && m.Kind != cue.Ask && m.Kind != cue.Request {
			continue
		}
		n += max(0, m.End-max(m.Start, end))
		end = max(end, m.End)
	}
	return n
}

func isLatin(lang string) bool {
	_, is := latin[lang]
	return is
}

// spokenLanguage returns the language of the conversation before the current message: of the last message of a user that is long
// enough to show it. It is empty if there is none.
func (t *turning) spokenLanguage() string {
	for _, m := range slices.Backward(t.history()) {
		if m.Role == memory.RoleOfUser && lettersOf(m.Content) >= minLetters && !window.SmallTalk(m.Content) {
			return cue.LanguageOf(m.Content)
		}
	}
	return ""
}

// words returns the folded words of a text, each between single spaces.
func words(text string) string {
	return " " + strings.Join(strings.FieldsFunc(fold.Text(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	}), " ") + " "
}

// anywhere reports whether phrases of a language match inside words.
func anywhere(lang string) bool { return lang == "zh" || lang == "ja" || lang == "ko" }

// verbLast reports whether requests of a language end in the verb.
func verbLast(lang string) bool { return lang == "ja" || lang == "ko" }

// has reports whether words contain one of the phrases of a list.
func has(words, lang, list string) bool {
	for _, phrase := range phrasesOf(list) {
		if last, ok := strings.CutSuffix(phrase, "."); ok && strings.HasSuffix(words, " "+last+" ") {
			return true
		}
		if anywhere(lang) && strings.Contains(squeezed(words), squeezed(phrase)) || strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// begins reports whether words begin with one of the phrases of a list.
func begins(words, lang string, lists ...string) bool {
	return withoutPrefixes(words, lang, lists...) != words
}

// withoutPrefixes removes phrases of the lists from the beginning of words, the longest first, as long as there are any.
func withoutPrefixes(words, lang string, lists ...string) string {
	for {
		shortest := words
		for _, list := range lists {
			for _, phrase := range phrasesOf(list) {
				if rest, found := withoutPhrase(words, lang, phrase); found && len(rest) < len(shortest) {
					shortest = rest
				}
			}
		}
		if shortest == words {
			return words
		}
		words = shortest
	}
}

// withoutPhrase removes a phrase from the beginning of words.
func withoutPhrase(words, lang, phrase string) (rest string, found bool) {
	rest, found = strings.CutPrefix(words[1:], phrase)
	if !found || !anywhere(lang) && !strings.HasPrefix(rest, " ") {
		return words, false
	}
	return " " + strings.TrimPrefix(rest, " "), true
}

// phrasesOf returns the folded phrases of a list.
func phrasesOf(list string) []string {
	if cached, ok := foldedLists.Load(list); ok {
		if known, ok := cached.([]string); ok {
			return known
		}
	}
	var phrases []string
	for phrase := range strings.SplitSeq(list, ",") {
		if phrase = fold.Text(strings.TrimSpace(phrase)); phrase != "" {
			phrases = append(phrases, phrase)
		}
	}
	foldedLists.Store(list, phrases)
	return phrases
}

// foldedLists caches the phrases of lists, of which there is a fixed number.
var foldedLists sync.Map

// several returns the phrases of a list that have several words.
func several(list string) string {
	var out []string
	for _, phrase := range phrasesOf(list) {
		if strings.Contains(phrase, " ") {
			out = append(out, phrase)
		}
	}
	return strings.Join(out, ",")
}

func squeezed(text string) string { return strings.ReplaceAll(text, " ", "") }
