package dream

import (
	"regexp"
	"slices"
	"strings"

	"reverie/memory"
)

// claim is a statement of a text as far as it is compared with those of other texts.
type claim struct {
	id    memory.EntryID
	text  string   // without comments
	line  string   // of its document, the first one when it has several
	lines []string // all of them
	says  words
	keys  map[string]bool // of what it says and of what it stands under
	under turns           // how that turns its sense
	group claimGroup
	parts []claim // its clauses, when it has more than one
}

// claimGroup is what stands under one heading of one text.
type claimGroup struct {
	text    int // from 1; 0: by itself
	heading string
}

// claimOf reads one statement that stands by itself.
func claimOf(text string) claim { return claimUnder("", text) }

// claimUnder reads one statement that stands under a heading.
func claimUnder(heading, text string) claim {
	c := claim{id: memory.EntryIDOf(text), text: strings.TrimSpace(htmlComment.ReplaceAllString(text, " "))}
	c.read(heading)
	return c
}

// claimsOf reads the statements of a document.
func claimsOf(doc string) []claim {
	lines := strings.Split(doc, "\n")
	entries := memory.EntriesOf(doc)
	out := make([]claim, 0, len(entries))
	for _, e := range entries {
		c := claim{
			id: e.ID, text: strings.TrimSpace(htmlComment.ReplaceAllString(e.Text, " ")), line: strings.TrimSuffix(lines[e.FromLine-1], "\r"),
			lines: lines[e.FromLine-1 : e.ToLine], group: claimGroup{heading: e.Heading},
		}
		over := []string{e.Heading}
		for p := e.Parent; p >= 0; p = entries[p].Parent {
			over = append(over, entries[p].Text)
		}
		c.read(strings.Join(over, "\n"))
		out = append(out, c)
	}
	return out
}

// newIn are the claims of after that before does not have: neither the statement, nor all lines of it.
func newIn(before, after []claim) (fresh, stood []claim) {
	ids, lines := map[memory.EntryID]bool{}, map[string]bool{}
	for _, b := range before {
		ids[b.id] = true
		for _, line := range b.lines {
			lines[memory.SameLine(line)] = true
		}
	}
	for _, a := range after {
		if ids[a.id] || !slices.ContainsFunc(a.lines, func(line string) bool { return memory.SaysSomething(line) && !lines[memory.SameLine(line)] }) {
			stood = append(stood, a)
		} else {
			fresh = append(fresh, a)
		}
	}
	return fresh, stood
}

// clauseEnd is where a statement may end within a line. Commas of numbers have a digit behind them.
var clauseEnd = regexp.MustCompile(`[;；。，、]\s*|[.!?,]\s+|\s+(?:and|but|und|aber|et|mais|y|pero)\s+`)

// minClause is the fewest units of a clause that is looked at by itself; a shorter one belongs to the next.
const minClause = 2

// read finds what the claim says; over is what it stands under.
func (c *claim) read(over string) {
	c.says = wordsOf(c.text)
	c.keys = keysOf(c.says)
	if strings.TrimSpace(over) != "" {
		context := wordsOf(over)
		c.under = context.turns & (negated | former)
		for _, u := range context.units {
			c.keys[u.key] = true
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
		if len(wordsOf(piece).units) < minClause && at[0] < len(c.text) {
			continue
		}
		pieces = append(pieces, piece)
		from = at[1]
	}
	if n := len(pieces); n > 1 && len(wordsOf(pieces[n-1]).units) < minClause {
		pieces = append(pieces[:n-2], c.text[strings.LastIndex(c.text, pieces[n-2]):])
	}
	if len(pieces) < 2 {
		return
	}
	for _, piece := range pieces {
		says := wordsOf(piece)
		part := claim{text: piece, line: c.line, says: says, keys: keysOf(says), under: c.under}
		for key := range c.keys {
			if !slices.Contains(c.says.sorted, key) {
				part.keys[key] = true
			}
		}
		c.parts = append(c.parts, part)
	}
}

func keysOf(w words) map[string]bool {
	out := make(map[string]bool, len(w.units))
	for _, u := range w.units {
		out[u.key] = true
	}
	return out
}

// own are the words of the claim itself.
func (c claim) own() map[string]bool { return keysOf(c.says) }

// sense is how its words and what it stands under turn it.
func (c claim) sense() turns { return c.says.turns | c.under }

// without leaves out units.
func (c claim) without(out func(meaning) bool) claim {
	if !slices.ContainsFunc(c.says.units, out) {
		return c
	}
	c.says.units = slices.DeleteFunc(slices.Clone(c.says.units), out)
	c.says.sorted = nil
	for _, u := range c.says.units {
		c.says.sorted = append(c.says.sorted, u.key)
	}
	slices.Sort(c.says.sorted)
	return c
}

// glue are words that a line may have although its source puts it differently: they hold it together and add nothing.
var glue = keysOf(wordsOf("a owns uses used using called named has works working speaks based located currently regularly always concerning regarding"))

// exactIn reports whether keys has all numbers, names, identifiers and people of the claim, and all words that have synonyms
// (whose keys begin with a mark): there is no other word for them. A word at its beginning has a capital letter whatever it is.
func (c claim) exactIn(keys map[string]bool) bool {
	for i, u := range c.says.units {
		if (u.exact || strings.HasPrefix(u.key, "=")) && !keys[u.key] && (i > 0 || !glue[u.key]) {
			return false
		}
	}
	return true
}

// substitutes reports whether the claim has another word in the place of one of s: "window seats" for "aisle seats". Words that
// are only added, or stand elsewhere, are no substitutes.
func (c claim) substitutes(s claim) bool {
	own := c.own()
	next := map[string]string{} // what stands in s behind a unit and in front of one; "" is an end
	last := map[string]string{}
	before := ""
	for _, u := range s.says.units {
		next[before], last[u.key] = u.key, before
		before = u.key
	}
	next[before], last[""] = "", before
	units := c.says.units
	for i, u := range units {
		if s.keys[u.key] || i == 0 && glue[u.key] {
			continue
		}
		var left, right string
		if i > 0 {
			left = units[i-1].key
		}
		if i+1 < len(units) {
			right = units[i+1].key
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

// shareIn is the share of the claim's units that keys has; 1 for one without units.
func (c claim) shareIn(keys map[string]bool) float64 {
	if len(c.says.units) == 0 {
		return 1
	}
	n := 0
	for _, u := range c.says.units {
		if keys[u.key] {
			n++
		}
	}
	return float64(n) / float64(len(c.says.units))
}

// addsTo reports whether the claim has a word, glue aside, that keys has not. Of scripts without spaces a few characters do not
// count.
func (c claim) addsTo(keys map[string]bool) bool {
	return !c.says.spaceless && slices.ContainsFunc(c.says.units, func(u meaning) bool { return !keys[u.key] && !glue[u.key] })
}

// mostlyIn reports whether a statement, or a clause of it, says the claim and perhaps more: it has most of its words, all that
// is exact, no other word in the place of one, and its sense is turned the same way.
func (c claim) mostlyIn(s claim) bool {
	if len(c.says.units) == 0 {
		return false
	}
	share := supportShare
	if c.says.spaceless {
		share = characterShare
	}
	if c.sense() == s.sense() && !opposed(c.says.opposites, s.says.opposites) && c.exactIn(s.keys) && c.shareIn(s.keys) >= share && !c.substitutes(s) {
		return true
	}
	return slices.ContainsFunc(s.parts, c.mostlyIn)
}

// coveredBy reports whether a statement, or a clause of it, says all of the claim: it adds nothing of its own.
func (c claim) coveredBy(s claim) bool {
	return !c.addsTo(s.keys) && c.mostlyIn(s)
}

// abridgedShare is the share of the words of a statement that a shorter one must keep to stand for it.
const abridgedShare = 1. / 2

// abridges reports whether the claim says the essence of s, and nothing else.
func (c claim) abridges(s claim) bool {
	return len(c.says.units) > 1 && c.coveredBy(s) && s.shareIn(c.keys) >= abridgedShare
}

// statedIn finds the line of a text that says a claim.
func (c claim) statedIn(text []claim) (line string, found bool) {
	for _, t := range text {
		if t.id == c.id || len(c.says.units) > 0 && c.says.within(t.says) && c.says.turns == t.says.turns {
			return t.line, true
		}
	}
	for _, t := range text {
		if sameStatement(c.says, t.says) || c.mostlyIn(t) || t.abridges(c) {
			return t.line, true
		}
	}
	return "", false
}
