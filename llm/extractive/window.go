package extractive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/cue"
	"reverie/language/lazyregexp"
)

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

// pairs are the languages whose words are pairs of characters; about half of the pairs of a text are not words.
var pairs = []string{"zh", "ja", "ko"}

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

// behind returns the text after the first cue of a kind.
func (p *passage) behind(k cue.Kind) string {
	for _, m := range cue.Find(p.text, p.lang) {
		if m.Kind == k {
			return p.text[m.End:]
		}
	}
	return p.text
}
