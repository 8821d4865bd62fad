package rewrite

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"reverie/language/analysis"
	"reverie/language/claim"
	"reverie/language/lazyregexp"
	"reverie/memory/markdown"
)

const (
	// supportShare is the minimum share of the words of a statement that another one needs to say the same. Numbers, names,
	// identifiers and people must all be there. The source of a new line must have all its words, apart from glue.
	supportShare = 3. / 4
	// supportJoined bounds the statements under one heading that may support a line together.
	supportJoined = 3
)

// sourceBook holds the statements that new lines may come from.
type sourceBook struct {
	texts  []string
	claims []Claim
	ids    map[markdown.EntryID]bool
	having map[string][]int // indexes of the claims with a word
	dates  map[string]bool  // dates in any text, as keys; computed on first use
}

// bookOf reads texts, and single statements.
func bookOf(texts, statements []string) *sourceBook {
	b := &sourceBook{texts: texts, ids: map[markdown.EntryID]bool{}, having: map[string][]int{}}
	for n, text := range texts {
		for _, c := range claimsOf(text) {
			c.group.text = n + 1
			b.add(c)
		}
	}
	for _, text := range statements {
		b.add(ClaimOf(text))
	}
	return b
}

func (b *sourceBook) add(c Claim) {
	b.ids[c.ID] = true
	for key := range c.keys {
		b.having[key] = append(b.having[key], len(b.claims))
	}
	b.claims = append(b.claims, c)
}

// supports reports whether a claim has a source: one statement says it, a few under one heading do, or each of its clauses is
// said by one. A claim may add a date that any source names, since relative dates are written out.
func (b *sourceBook) supports(c Claim) bool {
	if len(c.Says.Units) == 0 || b.ids[c.ID] {
		return true
	}
	c = c.without(b.isDate)
	if b.oneSays(c) || b.fewSay(c) {
		return true
	}
	return len(c.parts) > 1 && !slices.ContainsFunc(c.parts, func(p Claim) bool { return !b.oneSays(p.without(b.isDate)) })
}

// oneSays reports whether one statement says all of the claim.
func (b *sourceBook) oneSays(c Claim) bool {
	for _, i := range b.near(c) {
		if c.coveredBy(b.claims[i]) {
			return true
		}
	}
	return false
}

// near returns the claims that share words with c, those with the most first.
func (b *sourceBook) near(c Claim) []int {
	common := map[int]int{}
	for key := range c.own() {
		for _, i := range b.having[key] {
			common[i]++
		}
	}
	var out []int
	for i := range common {
		out = append(out, i)
	}
	slices.SortFunc(out, func(x, y int) int { return cmp.Or(common[y]-common[x], x-y) })
	return out
}

// fewSay reports whether statements under one heading say the claim together: one of them has everything that is exact, and
// all have the same sense.
func (b *sourceBook) fewSay(c Claim) bool {
	groups := map[claimGroup][]int{}
	for _, i := range b.near(c) {
		s := b.claims[i]
		if g := s.group; g.text > 0 && s.sense() == c.sense() && !claim.Opposed(s.Says.Opposites, c.Says.Opposites) && !c.substitutes(s) {
			groups[g] = append(groups[g], i)
		}
	}
	for _, members := range groups {
		together, exact := map[string]bool{}, false
		for _, i := range members[:min(len(members), supportJoined)] {
			for key := range b.claims[i].keys {
				together[key] = true
			}
			exact = exact || c.exactIn(b.claims[i].keys)
		}
		if exact && c.shareIn(together) >= supportShare && !c.addsTo(together) {
			return true
		}
	}
	return false
}

var dateKey = lazyregexp.New(`^\d{8}$`)

// isDate reports whether a unit is a day that some source names, in any form: "2026-01-31", "31 January", or "tomorrow" in
// the note of a day.
func (b *sourceBook) isDate(u claim.Meaning) bool {
	if !dateKey.MatchString(u.Key) {
		return false
	}
	if b.dates == nil {
		b.dates = map[string]bool{}
		for _, text := range b.texts {
			b.datesOf(text)
		}
		for _, c := range b.claims {
			if c.group.text == 0 {
				b.datesOf(c.text)
			}
		}
	}
	return b.dates[u.Key]
}

// sourceDate matches a date; the first one of a source is the day to which "tomorrow" in it is relative.
var sourceDate = lazyregexp.New(`\b\d{4}-\d{2}-\d{2}\b`)

func (b *sourceBook) datesOf(text string) {
	day, err := time.Parse(time.DateOnly, sourceDate.FindString(text))
	if err != nil {
		day = time.Time{}
	}
	for line := range strings.Lines(text) {
		for _, found := range sourceDate.FindAllString(line, -1) {
			b.dates[strings.ReplaceAll(found, "-", "")] = true
		}
		for _, p := range analysis.NewQuery(line, day.Add(12*time.Hour)).Periods {
			if p.To.Sub(p.From) <= 25*time.Hour { // 25 hours when daylight saving time ends
				b.dates[p.From.Format("20060102")] = true
			}
		}
	}
}
