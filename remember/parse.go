package remember

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/script"
)

// Limits of a request. What is longer is a text to work with, and a model has to say what of it is worth keeping.
const (
	maxRequest    = 8000 // characters of a message
	maxItems      = 40
	maxStatement  = 500 // characters of one statement, as the store allows for what a person puts into MEMORY.md
	leastAlphabet = 2   // words of a statement in a script with spaces
	leastHan      = 3   // characters of one in a script without
)

// grammar is how one language asks to remember. Its patterns are anchored; a request has one of two forms.
type grammar struct {
	language string
	// lead begins a message with the request. Groups: ask, a polite question ("can you"), which alone may end in a question
	// mark; verb; link, what joins the request to what is kept ("that", ":"); kept.
	lead *regexp.Regexp
	// tail ends a message with the request. Groups: kept, and ask as above.
	tail *regexp.Regexp
	// never is refused in what is kept, whatever joins it to the request: "the time when …".
	never *regexp.Regexp
	// bare is refused in addition when nothing joins them: "remember to …", "remember when …".
	bare *regexp.Regexp
	// says finds, in what is kept, that something is stated: a verb, a number. Without it, bare requests and those behind a
	// statement are none. Where loose matches the link, it is not asked for.
	says  *regexp.Regexp
	loose *regexp.Regexp
	// further begins a sentence that wants something else besides, which no answer of ours would give.
	further *regexp.Regexp
	// thanks ends a message without belonging to what is kept.
	thanks *regexp.Regexp
	// clause makes a sentence of what stands behind a link; nil: it is one.
	clause func(link, kept string) string
}

// grammars are tried in order. Those whose words are no words of another language come first.
var grammars = []*grammar{
	chinese, japanese, korean, vietnamese, english, german, spanish, portuguese, french,
}

// Parse reads a message. It reports false for everything that is not clearly such a request and nothing else: a question
// whether something is remembered, a quotation, a story, code, or a request with another one behind it, since who asked is
// answered with a receipt alone.
//
// "Remember to …" is none either. It is either a task of the user, which needs a time and not a line in MEMORY.md, or an
// order to the assistant; a model and the extraction of the conversation tell these apart, a table of words cannot.
func Parse(message string) (Request, bool) {
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

// invisible are characters that stand in pasted text and separate nothing.
var invisible = strings.NewReplacer("\u200b", "", "\ufeff", "", "\u2060", "", "\r\n", "\n", "\u00a0", " ")

// quoted begins what somebody else said.
var quoted = regexp.MustCompile(`^(?:>|["“”„«»「『《‘'])`)

// kept is what a message asks to keep, in this language.
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

// answered takes the question mark off a polite question. It reports false for other questions.
func (g *grammar) answered(kept, ask string) (string, bool) {
	kept = strings.TrimSpace(kept)
	if ask != "" {
		kept = strings.TrimSpace(strings.TrimRight(kept, "?？ "))
	}
	return kept, !strings.ContainsAny(kept, "?？")
}

// leads reports whether what follows a request is what it asks to keep.
func (g *grammar) leads(verb, link, kept string) bool {
	if !g.whole(kept) || g.never.MatchString(kept) {
		return false
	}
	if g.loose.MatchString(link) {
		return true
	}
	return !g.bare.MatchString(verb+" "+kept) && g.says.MatchString(kept)
}

// whole reports whether what is kept is long enough to say something, and nothing else is asked for besides.
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
	if words < leastAlphabet && ideographs < leastHan {
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
