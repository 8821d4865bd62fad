package claim

import (
	"regexp"
	"strings"

	"reverie/language/analysis"
	"reverie/language/script"
)

// Reading is what a sentence says that another one can contradict.
type Reading struct {
	content Content
	object  Content // without what says that somebody likes or dislikes it
	slots   []slot
	Text    string    // as it is said, without comments and marks
	over    []Content // what it says to be over
	overHan []string  // and in Chinese as it is written
	wrong   []Content // values that it says to be wrong or replaced
	isRow   bool      // it is a row of a table, or another list of labels: none of them says what it is of
	cue     bool      // it speaks of a change or a correction
	negated bool
	taste   int // 1: likes, -1: dislikes
}

// Content are the words of a text that carry meaning, by their stems.
type Content map[string]bool

// ContentOf returns the words of a text that carry meaning.
func ContentOf(text string) Content {
	c := Content{}
	for _, t := range analysed(text) {
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

// stateWords are verbs that say that something is so, and nothing about what it is.
var stateWords = ContentOf("uses use using lives works working is has have chose choose chosen prefers decided called named runs goes went")

// objectOf is what somebody likes or dislikes.
func objectOf(text string) Content {
	for _, p := range []*regexp.Regexp{dislikesEN, likesEN, likesZH} {
		text = p.ReplaceAllString(text, " ")
	}
	return ContentOf(text)
}

var (
	marks = strings.NewReplacer("**", "", "__", "", "`", "", "’", "'", "“", `"`, "”", `"`)
	// Comment matches an HTML comment within one line.
	Comment = regexp.MustCompile(`<!--.*?-->`)
	clauses = regexp.MustCompile(`[.;!?](?:\s+|$)|[。；！？]|,\s+(?:and|but|so)\s+|，(?:但|而且|所以)`)
)

// Read reads a statement of English or Chinese. Of other languages it has the words only.
func Read(text string) Reading {
	said := strings.TrimSpace(marks.Replace(Comment.ReplaceAllString(text, " ")))
	r := Reading{Text: said}
	parts := clauses.Split(said, -1)
	r.isRow = isRow(parts)
	for _, clause := range parts {
		clause = strings.TrimSpace(clause)
		switch {
		case clause == "":
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

// labelled begins with what it is of: "Day: Monday".
var labelled = regexp.MustCompile(`^\s*[^:：]{1,40}[:：]\s*\S`)

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

// plainWords is a text without what only says that something has changed.
func plainWords(text string) string {
	for _, p := range cueWords {
		text = p.ReplaceAllString(text, " ")
	}
	return text
}

// cueWords are taken out of what a sentence is about.
var cueWords = []*regexp.Regexp{cueEN, endEN, negationEN, cueZH, endZH, negationZH}
