package remember

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/lazyregexp"
	"reverie/language/script"
)

// Limits of a request. Longer text is material to work with, and a model has to decide which parts of it to keep.
const (
	maxRequest   = 8000 // characters of a message
	maxItems     = 40
	maxStatement = 500 // characters of one statement, the limit of the store for lines of a person
	minAlphabet  = 2   // minimum words of a statement in a script with spaces
	minHan       = 3   // minimum characters in a script without spaces
)

// grammar describes the requests of one language. Its patterns are anchored; a request has one of two forms.
type grammar struct {
	language string
	// lead matches a message that begins with the request. Groups: ask, a polite question ("can you"), which alone may end in
	// a question mark; verb; link, the words between the request and the text to keep ("that", ":"); kept.
	lead *lazyregexp.Regexp
	// tail matches a message that ends with the request. Groups: kept, and ask as above.
	tail *lazyregexp.Regexp
	// never matches text that is not kept, whatever the link: "the time when …".
	never *lazyregexp.Regexp
	// bare matches further text that is not kept without a link: "remember to …", "remember when …".
	bare *lazyregexp.Regexp
	// says matches a sign that the text to keep states something: a verb, a number. It is required without a link and for
	// tail, and not where loose matches the link.
	says  *lazyregexp.Regexp
	loose *lazyregexp.Regexp
	// further matches the beginning of a sentence with another request, which a receipt would not answer.
	further *lazyregexp.Regexp
	// thanks matches thanks at the end of a message.
	thanks *lazyregexp.Regexp
	// clause turns the text after a link into a sentence; nil when it already is one.
	clause func(link, kept string) string
}

// grammars lists the languages in the order in which they are tried. Grammars whose words do not occur in other languages
// come first.
var grammars = []*grammar{
	chinese, japanese, korean, russian, arabic, vietnamese, english, german, spanish, portuguese, french, italian,
}

// Parse parses a message. It reports false for everything that is not clearly such a request and nothing else: a question
// whether something is remembered, a quotation, a story, code, or a request followed by another one, since the only answer is
// a receipt.
//
// "Remember to …" does not count either. It is a task of the user, which needs a time and not a line in MEMORY.md, or an
// order to the assistant. A table of words cannot distinguish these; a model or the extraction of the conversation can.
//
// The whole message is scanned before it is split into statements.
func Parse(message string) (Request, bool) {
	asked, ok := parse(message)
	if !ok {
		return Request{}, false
	}
	whole := Scanned(message)
	switch {
	case whole.Refused:
		whole.Language = asked.Language
		return whole, true
	case len(whole.Secrets) > 0:
		asked, ok = parse(whole.Text)
		asked.Secrets = whole.Secrets
	}
	return asked, ok
}

func parse(message string) (Request, bool) {
	text := strings.TrimSpace(invisible.Replace(norm.NFC.String(message)))
	if text == "" || utf8.RuneCountInString(text) > maxRequest || strings.Contains(text, "```") || quoted.MatchString(text) {
		return Request{}, false
	}
	for _, g := range grammars {
		if kept, ok := g.kept(text); ok {
			if items := itemsOf(kept); len(items) > 0 && len(items) <= maxItems && allFit(items) {
				return Request{Text: strings.Join(items, "\n"), Language: g.language}, true
			}
			return Request{}, false
		}
	}
	return Request{}, false
}

// invisible removes characters of pasted text that separate nothing, and normalizes line breaks and spaces.
var invisible = strings.NewReplacer("\u200b", "", "\ufeff", "", "\u2060", "", "\r\n", "\n", "\u00a0", " ")

// quoted matches the beginning of a quotation.
var quoted = lazyregexp.New(`^(?:>|["“”„«»「『《‘'])`)

// kept returns the text that a message asks to keep, in this language.
func (g *grammar) kept(text string) (string, bool) {
	text = strings.TrimSpace(g.thanks.ReplaceAllString(text, ""))
	if m := g.lead.FindStringSubmatch(text); m != nil {
		kept, asked := g.answered(m[g.lead.SubexpIndex("kept")], m[g.lead.SubexpIndex("ask")])
		link := m[g.lead.SubexpIndex("link")]
		asked = asked && g.leads(m[g.lead.SubexpIndex("verb")], link, kept)
		if g.clause != nil {
			kept = g.clause(link, kept)
		}
		return kept, asked
	}
	if m := g.tail.FindStringSubmatch(text); m != nil {
		ask := m[g.tail.SubexpIndex("ask")]
		kept, asked := g.answered(m[g.tail.SubexpIndex("kept")], ask)
		asked = asked && (ask != "" || !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "？"))
		return kept, asked && g.whole(kept) && g.says.MatchString(kept) && !g.never.MatchString(kept) && !strings.Contains(kept, "\n\n")
	}
	return "", false
}

// answered removes the question mark of a polite question. It reports false for other questions.
func (g *grammar) answered(kept, ask string) (string, bool) {
	kept = strings.TrimSpace(kept)
	if ask != "" {
		kept = strings.TrimSpace(strings.TrimRight(kept, "?？؟ "))
	}
	return kept, !strings.ContainsAny(kept, "?？؟")
}

// leads reports whether the text after a request is the text to keep.
func (g *grammar) leads(verb, link, kept string) bool {
	if !g.whole(kept) || g.never.MatchString(kept) {
		return false
	}
	if g.loose.MatchString(link) {
		return true
	}
	return !g.bare.MatchString(verb+" "+kept) && g.says.MatchString(kept)
}

// whole reports whether the text to keep is long enough and contains no other request.
func (g *grammar) whole(kept string) bool {
	words, ideographs := 0, 0
	for field := range strings.FieldsSeq(kept) {
		words++
		for _, r := range field {
			if script.IsHanOrKana(r) {
				ideographs++
			}
		}
	}
	if words < minAlphabet && ideographs < minHan {
		return false
	}
	return !g.further.MatchString(kept)
}

func allFit(items []string) bool {
	for _, item := range items {
		if utf8.RuneCountInString(item) > maxStatement {
			return false
		}
	}
	return true
}
