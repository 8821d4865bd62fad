package claim

import (
	"strings"

	"reverie/language/analysis"
	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/language/sentence"
)

// Reading is the content of a sentence that another one can contradict.
type Reading struct {
	content Content
	object  Content // without the words for liking or disliking
	slots   []slot
	Text    string    // original text, without comments and marks
	over    []Content // content declared to be over
	overHan []string  // the same in Chinese, verbatim
	wrong   []Content // values called wrong or replaced
	isRow   bool      // it is a row of a table, or another list of labels, without a subject
	cue     bool      // it mentions a change or a correction
	negated bool
	taste   int // 1: likes, -1: dislikes
}

// Content is the set of stems of the words of a text that carry meaning.
type Content map[string]bool

// ContentOf returns the content of a text.
func ContentOf(text string) Content {
	c := Content{}
	for _, t := range analysed(unquoted(text)) {
		folded := t.Forms[0]
		if t.Stop || fillers[folded] || folded == "user" || t.Kind == analysis.Ideographs && len([]rune(folded)) == 1 {
			continue
		}
		key := inflectionKey(t)
		if same, ok := synonyms[folded]; ok {
			key = same
		}
		c[key] = true
	}
	return c
}

// Within reports whether o has all words of c.
func (c Content) Within(o Content) bool {
	for w := range c {
		if !o[w] {
			return false
		}
	}
	return true
}

func (c Content) equal(o Content) bool { return len(c) == len(o) && c.Within(o) }

func (c Content) meets(o Content) bool {
	for w := range c {
		if o[w] {
			return true
		}
	}
	return false
}

func (c Content) without(o Content) Content {
	rest := make(Content, len(c))
	for w := range c {
		if !o[w] {
			rest[w] = true
		}
	}
	return rest
}

// stateWords are verbs of state without content.
var stateWords = ContentOf("uses use using lives works working is has have chose choose chosen prefers decided called named runs goes went")

// objectOf returns the content of what somebody likes or dislikes.
func objectOf(text string) Content {
	for _, p := range []*lazyregexp.Regexp{dislikesEN, likesEN, likesZH} {
		text = p.ReplaceAllString(text, " ")
	}
	return ContentOf(text)
}

var (
	marks = strings.NewReplacer("**", "", "__", "", "`", "", "’", "'", "“", `"`, "”", `"`)
	// Comment matches an HTML comment within one line.
	Comment = lazyregexp.New(`<!--.*?-->`)
	clauses = lazyregexp.New(`[.;!?](?:\s+|$)|[。；！？]|,\s+(?:and|but|so)\s+|，(?:但|而且|所以)`)
)

// Read reads a statement in English or Chinese. For other languages it returns only the words.
func Read(text string) Reading {
	said := strings.TrimSpace(Comment.ReplaceAllString(text, " "))
	quote, quoted := QuoteOf(said)
	if quoted {
		said = quote.Plain()
	}
	said = strings.TrimSpace(marks.Replace(said))
	r := Reading{Text: said, cue: quote.Later != ""}
	parts := clauses.Split(said, -1)
	r.isRow = isRow(parts)
	attribute, value := KeyOf(said)
	isKey := attribute != "" && attribute != Place
	if isKey {
		s := slotOf("", attribute, value)
		s.single = true
		r.add(s)
	}
	for _, clause := range parts {
		clause = sentence.WithoutLead(strings.TrimSpace(clause))
		switch {
		case clause == "" || isKey:
		case script.HasHan(clause):
			r.chinese(clause)
		default:
			r.english(clause)
		}
	}
	said = plainWords(said)
	r.content, r.object = ContentOf(said), objectOf(said)
	return r
}

// labelled matches a text that begins with a label: "Day: Monday".
var labelled = lazyregexp.New(`^\s*[^:：]{1,40}[:：]\s*\S`)

// isRow reports whether several parts of a text are labelled.
func isRow(parts []string) bool {
	n := 0
	for _, p := range parts {
		if labelled.MatchString(p) {
			n++
		}
	}
	return n > 1
}

// plainWords returns a text without the words that only mark a change.
func plainWords(text string) string {
	for _, p := range cueWords {
		text = p.ReplaceAllString(text, " ")
	}
	return text
}

// cueWords are removed before a sentence's subject is compared.
var cueWords = []*lazyregexp.Regexp{cueEN, endEN, negationEN, cueZH, endZH, negationZH}
