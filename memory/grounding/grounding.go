// Package grounding checks that what a proposed line claims was said: its numbers, dates, names, negations, quoted words and
// persons must occur in the user's messages or in the documents that the line's author saw.
//
// It compares values, not meaning: a line without values may still be wrong. Languages: Arabic, Chinese, English, French, German,
// Italian, Japanese, Korean, Portuguese, Russian, Spanish and Vietnamese. A line may be in another language than its source, as
// long as it keeps numbers and the spelling of names.
package grounding

import (
	"maps"
	"slices"
	"strings"
	"time"

	"reverie/language"
	"reverie/language/cue"
	"reverie/language/lazyregexp"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
)

// Codes of faults.
const (
	Number    = "number"    // a number that nobody named
	Date      = "date"      // a date that no message names, absolutely or relatively
	Name      = "name"      // a name that the user did not mention, or in another role
	Negation  = "negation"  // the source says the opposite
	Quotation = "quotation" // quoted words that are not in any message or document
	Person    = "person"    // what is said about one person is claimed of another
	Assistant = "assistant" // only the assistant said it, or a text that the user quoted, invented or supposed
)

// Fault is one reason why a line is not grounded.
type Fault struct {
	Code  string
	Value string // part of the line: the number, the name, the clause
}

// IsValue reports whether the fault is a value that does not occur, and not what is said about it.
func (f Fault) IsValue() bool {
	return f.Code == Number || f.Code == Date || f.Code == Name || f.Code == Quotation
}

// Evidence holds the texts with which lines are compared.
type Evidence struct {
	Transcript []transcripts.Line
	Documents  []string  // texts that the author of the lines saw; their lines are grounded
	Day        time.Time // today in the owner's time zone
}

// Ground holds the evidence, prepared for checks. It is not safe for concurrent use.
type Ground struct {
	day       time.Time
	lang      string          // tag of the language of the users
	tags      map[string]bool // languages of the messages of users
	isLatin   bool            // most of the messages are in Latin letters
	known     map[string]bool // lines of documents, as markdown.LineKey returns them
	said      *speech         // by users, and in documents
	answered  *speech         // by the assistant
	quotable  string          // all messages and documents, squeezed
	sentences map[bool]string // of the sources, true: of messages only; once needed
	speakers  map[string]bool // of a group, bare
	names     map[string]bool // words that somebody writes as names
	named     []site          // names in said, in order
	times     map[string]bool // times of day of the messages
	days      map[string]bool // days of the messages; computed on first use
	held      map[day][]int   // sentences that mean a date, as it is asked for
}

// minorLanguage is the share of the messages, as a divisor, that must be in a language for lines to be compared in it.
const minorLanguage = 5

// New prepares evidence. It takes linear time.
func New(e Evidence) *Ground {
	g := &Ground{
		day: e.Day, known: map[string]bool{}, said: newSpeech(), answered: newSpeech(), speakers: map[string]bool{}, times: map[string]bool{},
		held: map[day][]int{}, tags: map[string]bool{}, sentences: map[bool]string{},
	}
	var quotable, users strings.Builder
	several := false
	for _, line := range e.Transcript {
		if line.Role == memory.RoleOfUser {
			users.WriteString(line.Text + "\n")
			if line.Name != "" {
				name := memory.DisplayName(line.Name)
				if g.speakers[bare(name)] = true; memory.SpeakerOf(name) != memory.NoOwner { // lines begin with it
					e.Documents = append(slices.Clone(e.Documents), name)
				}
				several = several || memory.SpeakerOf(line.Name) != memory.NoOwner // of a group of which one person speaks
			}
		}
	}
	if len(g.speakers) < 2 && !several {
		clear(g.speakers)
	}
	g.answered.wordsOnly = true
	g.said.isGroup = len(g.speakers) > 0
	maps.Copy(g.said.persons, g.speakers)
	if users.Len() == 0 {
		users.WriteString(strings.Join(e.Documents, "\n"))
	}
	g.lang = cue.LanguageOf(users.String())
	g.isLatin = isLatin([]sentence{{text: users.String()}})
	for _, text := range e.Documents {
		on := e.Day
		for _, line := range markdown.Lines(text) {
			said := markdown.LineKey(line)
			if !markdown.HasText(said) {
				continue
			}
			if d, ok := headingDay(said, e.Day.Location()); ok {
				on = d
			}
			g.known[said] = true
			g.said.add(written(line), passage{at: on, lang: g.lang, document: true}, nil)
			quotable.WriteString(squeezed(line) + "\n")
		}
	}
	letters, all := map[string]int{}, 0
	readers := map[string]*stance.Reader{}
	for i, line := range e.Transcript {
		at := e.Day
		if !line.At.IsZero() {
			at = line.At.In(e.Day.Location())
			g.times[clock(at.Hour(), at.Minute())] = true
		}
		quotable.WriteString(squeezed(line.Text) + "\n")
		if line.Role != memory.RoleOfUser {
			g.answered.add(line.Text, passage{at: at, lang: g.lang}, nil)
			continue
		}
		r := readers[line.Name]
		if r == nil {
			r = &stance.Reader{Lang: g.lang}
			readers[line.Name] = r
		}
		p := passage{at: at, lang: r.LanguageOf(line.Text), speaker: light(memory.DisplayName(line.Name))}
		if i > 0 && e.Transcript[i-1].Role != memory.RoleOfUser {
			p.lead = contributed(e.Transcript[i-1].Text, line.Text, p.lang)
		}
		letters[p.lang] += len(line.Text)
		all += len(line.Text)
		parts := r.Read(line.Text)
		if parts == nil {
			parts = []stance.Sentence{}
		}
		g.said.add(line.Text, p, parts)
	}
	g.quotable = quotable.String()
	for tag, n := range letters {
		g.tags[tag] = n*minorLanguage >= all
	}
	g.findNames()
	return g
}

var headingDate = lazyregexp.New(`^#{1,6}\s+(\d{4}-\d{2}-\d{2})\b`)

// headingDay returns the day that a heading of a note names.
func headingDay(line string, zone *time.Location) (time.Time, bool) {
	m := headingDate.FindStringSubmatch(line)
	if m == nil {
		return time.Time{}, false
	}
	d, err := time.ParseInLocation(time.DateOnly, m[1], zone)
	return d, err == nil
}

var (
	markup  = lazyregexp.New("<!--.*?-->|\\*\\*|__|`|~~|\\[[ xX]\\] ")
	heading = lazyregexp.New(`^\s*(?:>\s*)*(#{1,6})\s+`)
)

// written returns the text of a Markdown line.
func written(line string) string {
	line = heading.ReplaceAllString(line, "")
	return strings.TrimSpace(markup.ReplaceAllString(markdown.LineKey(line), " "))
}

// Known reports whether a line was in the documents before, so that it needs no other ground.
func (g *Ground) Known(line string) bool {
	said := markdown.LineKey(line)
	return !markdown.HasText(said) || g.known[said]
}

// Check returns the faults of one line of Markdown; none: it is grounded. over are the headings and list items above it, which
// may name the person that it is about. A line of the documents has none.
func (g *Ground) Check(line string, over ...string) []Fault {
	if g.Known(line) {
		return nil
	}
	c := checking{Ground: g, isHeading: heading.MatchString(line), context: g.contextOf(over)}
	c.run(written(line))
	return c.faults
}

// contextOf reads the lines above a line.
func (g *Ground) contextOf(over []string) *speech {
	s := newSpeech()
	for _, text := range over {
		s.add(written(text), passage{lang: g.lang, document: true}, nil)
	}
	return s
}

// languageOf returns the language of a line. A short one in Latin letters is in that of the messages or in English.
func (g *Ground) languageOf(text string) string {
	in, isLatin := languages[g.lang]
	lang := (&stance.Reader{Lang: g.lang}).LanguageOf(text)
	if isLatin && (in < language.Russian || in == language.Vietnamese) && lang == g.lang && language.Likeliest(text, in, language.English) == language.English {
		return "en"
	}
	return lang
}

// checking is the check of one line.
type checking struct {
	*Ground
	isHeading  bool
	isQuoted   bool     // most of the line is a quotation
	known      *float64 // share of the words that the sources have, once needed
	translated *bool    // the line is in another language than the messages, once needed
	context    *speech
	line       *speech
	faults     []Fault
	asides     []string // values of the line that occur only in what users quote, paste, invent or suppose
	isOwn      bool     // users state another of its values
}

func (c *checking) fault(code, value string) {
	f := Fault{code, value}
	if !slices.Contains(c.faults, f) {
		c.faults = append(c.faults, f)
	}
}

// brackets match what a quoting line adds to its quotation: a resolved date, the question, a later value.
var brackets = lazyregexp.New(`\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）`)

func (c *checking) run(text string) {
	if c.isVerbatim(text) {
		return
	}
	c.altered(text)
	c.line = newSpeech()
	c.line.add(text, passage{at: c.day, lang: c.languageOf(text), document: true}, nil)
	if len(c.line.sentences) == 0 {
		return
	}
	whole := strings.Contains(c.said.squeezed, squeezed(brackets.ReplaceAllString(stripped(text), "")))
	c.quotations(text)
	c.values(whole)
	if c.isHeading {
		return
	}
	c.isQuoted = len(quotes.FindString(text)) > len(text)/2
	c.claims(whole)
}

// quotes match quoted words. An apostrophe is not a quotation mark.
var quotes = lazyregexp.New(`"([^"]+)"|“([^“”]+)”|„([^“”„]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』|《([^《》]+)》`)

// quotations checks quoted words.
func (c *checking) quotations(text string) {
	all := quotes.FindAllString(text, -1)
	if inner := stripped(text); len(all) > 0 && strings.HasPrefix(text, all[0]) && len(inner)+2 <= len(text) && strings.HasSuffix(text, all[len(all)-1]) {
		all = []string{text} // quotations in a quotation
	}
	for _, m := range all {
		if strings.Contains(c.quotable, squeezed(m)) {
			continue
		}
		for _, b := range brackets.FindAllString(m, -1) {
			if !c.isAdded(b) {
				c.fault(Quotation, m)
			}
		}
		for part := range strings.SplitSeq(brackets.ReplaceAllString(strings.Trim(m, `"“”„«»「」『』《》`), "…"), "…") {
			if said := squeezed(part); said != "" && !strings.Contains(c.quotable, said) {
				c.fault(Quotation, m)
			}
		}
	}
}

// isAdded reports whether a bracket in a quotation adds what a quoting line may add: a resolved date, a question that was asked, or
// a later value.
func (c *checking) isAdded(bracket string) bool {
	text := light(bracket)
	return strings.Contains(c.quotable, squeezed(bracket)) || strings.HasPrefix(strings.TrimLeft(text, "("), "later") ||
		slices.ContainsFunc(datesOf(text, wordsOf(text)), func(d day) bool { return d.year > 0 })
}

// stripped removes the quotation marks around a whole text.
func stripped(text string) string { return strings.Trim(text, " \"“”„«»「」『』") }
