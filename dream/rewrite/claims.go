package rewrite

import (
	"slices"
	"strings"

	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
)

// Claim is a statement of a text, prepared for comparison with those of other texts.
type Claim struct {
	ID    markdown.EntryID
	text  string   // without comments
	line  string   // line in its document, the first one when it has several
	lines []string // all of them
	Says  claim.Words
	keys  map[string]bool // of the statement, its parents and its heading
	under claim.Turns     // how its parents and its heading change its sense
	group claimGroup
	parts []Claim // its clauses, when it has more than one
}

// claimGroup identifies the statements under one heading of one text.
type claimGroup struct {
	text    int // counted from 1; 0 for a single statement
	heading string
}

// ClaimOf reads one statement without a heading.
func ClaimOf(text string) Claim { return claimUnder("", text) }

// claimUnder reads one statement under a heading.
func claimUnder(heading, text string) Claim {
	c := Claim{ID: markdown.EntryIDOf(text), text: strings.TrimSpace(notes.HTMLComment.ReplaceAllString(text, " "))}
	c.read(heading)
	return c
}

// claimsOf reads the statements of a document.
func claimsOf(doc string) []Claim {
	lines := strings.Split(doc, "\n")
	entries := markdown.EntriesOf(doc)
	out := make([]Claim, 0, len(entries))
	for _, e := range entries {
		c := Claim{
			ID: e.ID, text: strings.TrimSpace(notes.HTMLComment.ReplaceAllString(e.Text, " ")),
			line:  strings.TrimSuffix(lines[e.FromLine-1], "\r"),
			lines: lines[e.FromLine-1 : e.ToLine], group: claimGroup{heading: e.Heading},
		}
		over := []string{e.Heading}
		if _, quoted := claim.QuoteOf(c.text); quoted && noteHeading.MatchString(e.Heading) { // the topic of a note quotes another line
			over[0] = ""
		}
		for p := e.Parent; p >= 0; p = entries[p].Parent {
			over = append(over, entries[p].Text)
		}
		c.read(strings.Join(over, "\n"))
		out = append(out, c)
	}
	return out
}

// newIn splits the claims of after into those that are new and those that before already had: the same statement, or all its
// lines.
func newIn(before, after []Claim) (fresh, stood []Claim) {
	ids, lines := map[markdown.EntryID]bool{}, map[string]bool{}
	for _, b := range before {
		ids[b.ID] = true
		for _, line := range b.lines {
			lines[markdown.LineKey(line)] = true
		}
	}
	for _, a := range after {
		if ids[a.ID] || !slices.ContainsFunc(a.lines, func(line string) bool {
			return markdown.HasText(line) && !lines[markdown.LineKey(line)]
		}) {
			stood = append(stood, a)
		} else {
			fresh = append(fresh, a)
		}
	}
	return fresh, stood
}

// clauseEnd matches the possible end of a statement within a line. It does not match commas in numbers.
var clauseEnd = lazyregexp.New(`[;；。，、]\s*|[.!?,]\s+|\s+(?:and|but|und|aber|et|mais|y|pero)\s+`)

// minClause is the minimum number of units of a separate clause; a shorter one belongs to the next.
const minClause = 2

// read parses the claim; over is the text of its parents and its heading.
func (c *Claim) read(over string) {
	c.Says = claim.WordsOf(c.text)
	c.keys = keysOf(c.Says)
	if strings.TrimSpace(over) != "" {
		context := claim.WordsOf(over)
		c.under = context.Turns & (claim.Negated | claim.Former)
		for _, u := range context.Units {
			c.keys[u.Key] = true
		}
	}
	ends := clauseEnd.FindAllStringIndex(c.text, -1)
	if len(ends) == 0 {
		return
	}
	var pieces []string
	from := 0
	for _, at := range append(ends, []int{len(c.text), len(c.text)}) {
		piece := c.text[from:at[0]]
		if len(claim.WordsOf(piece).Units) < minClause && at[0] < len(c.text) {
			continue
		}
		pieces = append(pieces, piece)
		from = at[1]
	}
	if n := len(pieces); n > 1 && len(claim.WordsOf(pieces[n-1]).Units) < minClause {
		pieces = append(pieces[:n-2], c.text[strings.LastIndex(c.text, pieces[n-2]):])
	}
	if len(pieces) < 2 {
		return
	}
	for _, piece := range pieces {
		says := claim.WordsOf(piece)
		part := Claim{text: piece, line: c.line, Says: says, keys: keysOf(says), under: c.under}
		for key := range c.keys {
			if !slices.Contains(c.Says.Sorted, key) {
				part.keys[key] = true
			}
		}
		c.parts = append(c.parts, part)
	}
}

func keysOf(w claim.Words) map[string]bool {
	out := make(map[string]bool, len(w.Units))
	for _, u := range w.Units {
		out[u.Key] = true
	}
	return out
}

// own returns the words of the claim, without those of its parents.
func (c Claim) own() map[string]bool { return keysOf(c.Says) }

// sense returns how the words of the claim, its parents and its heading change its sense.
func (c Claim) sense() claim.Turns { return c.Says.Turns | c.under }

// without returns the claim without the units for which out is true.
func (c Claim) without(out func(claim.Meaning) bool) Claim {
	if !slices.ContainsFunc(c.Says.Units, out) {
		return c
	}
	c.Says.Units = slices.DeleteFunc(slices.Clone(c.Says.Units), out)
	c.Says.Sorted = nil
	for _, u := range c.Says.Units {
		c.Says.Sorted = append(c.Says.Sorted, u.Key)
	}
	slices.Sort(c.Says.Sorted)
	return c
}

// glue holds words that a line may contain although its source does not: they connect and add nothing.
var glue = keysOf(claim.WordsOf("a owns uses used using called named has works working speaks based located currently regularly " +
	"always concerning regarding"))

// exactIn reports whether keys has all numbers, names, identifiers and people of the claim, and all words with synonyms
// (whose keys begin with a mark), which no other word can replace. The first word may be glue, as its capital letter does not
// make it a name.
func (c Claim) exactIn(keys map[string]bool) bool {
	for i, u := range c.Says.Units {
		if (u.Exact || strings.HasPrefix(u.Key, "=")) && !keys[u.Key] && (i > 0 || !glue[u.Key]) {
			return false
		}
	}
	return true
}

// substitutes reports whether the claim replaces a word of s by another: "window seats" for "aisle seats". Words that are
// only added, or are in another position, do not count.
func (c Claim) substitutes(s Claim) bool {
	own := c.own()
	next := map[string]string{} // units of s after a unit and in front of one; "" is an end
	last := map[string]string{}
	before := ""
	for _, u := range s.Says.Units {
		next[before], last[u.Key] = u.Key, before
		before = u.Key
	}
	next[before], last[""] = "", before
	units := c.Says.Units
	for i, u := range units {
		if s.keys[u.Key] || i == 0 && glue[u.Key] {
			continue
		}
		var left, right string
		if i > 0 {
			left = units[i-1].Key
		}
		if i+1 < len(units) {
			right = units[i+1].Key
		}
		behind, known := next[left]
		if known && behind != "" && !own[behind] {
			return true
		}
		if ahead, known := last[right]; known && ahead != "" && !own[ahead] {
			return true
		}
	}
	return false
}

// shareIn returns the share of the claim's units that keys has; 1 for a claim without units.
func (c Claim) shareIn(keys map[string]bool) float64 {
	if len(c.Says.Units) == 0 {
		return 1
	}
	n := 0
	for _, u := range c.Says.Units {
		if keys[u.Key] {
			n++
		}
	}
	return float64(n) / float64(len(c.Says.Units))
}

// addsTo reports whether the claim has a word that keys lacks, apart from glue. Scripts without spaces never add words.
func (c Claim) addsTo(keys map[string]bool) bool {
	return !c.Says.Spaceless && slices.ContainsFunc(c.Says.Units, func(u claim.Meaning) bool { return !keys[u.Key] && !glue[u.Key] })
}

// MostlyIn reports whether a statement, or a clause of it, says the claim and perhaps more: it has most of the words of the
// claim and everything that is exact, replaces no word, and has the same sense.
func (c Claim) MostlyIn(s Claim) bool {
	if len(c.Says.Units) == 0 {
		return false
	}
	share := supportShare
	if c.Says.Spaceless {
		share = claim.CharacterShare
	}
	if c.sense() == s.sense() && !claim.Opposed(c.Says.Opposites, s.Says.Opposites) && c.exactIn(s.keys) && c.shareIn(s.keys) >= share &&
		!c.substitutes(s) {
		return true
	}
	return slices.ContainsFunc(s.parts, c.MostlyIn)
}

// coveredBy reports whether a statement, or a clause of it, says all of the claim, so that the claim adds nothing.
func (c Claim) coveredBy(s Claim) bool {
	return !c.addsTo(s.keys) && c.MostlyIn(s)
}

// abridgedShare is the minimum share of the words of a statement that a shorter form must keep.
const abridgedShare = 1. / 2

// abridges reports whether the claim is a shorter form of s.
func (c Claim) abridges(s Claim) bool {
	return len(c.Says.Units) > 1 && c.coveredBy(s) && s.shareIn(c.keys) >= abridgedShare
}

// statedIn returns the line of a text that says a claim.
func (c Claim) statedIn(text []Claim) (line string, found bool) {
	for _, t := range text {
		if t.ID == c.ID || len(c.Says.Units) > 0 && c.Says.Within(t.Says) && c.Says.Turns == t.Says.Turns {
			return t.line, true
		}
	}
	for _, t := range text {
		if claim.SameStatement(c.Says, t.Says) || c.MostlyIn(t) || t.abridges(c) {
			return t.line, true
		}
	}
	return "", false
}
