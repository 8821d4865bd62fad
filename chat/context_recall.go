package chat

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/width"

	"reverie/language/analysis"
	"reverie/memory"
	"reverie/recall"
	"reverie/window"
)

// Why nothing was recalled.
const (
	skippedTrivial     = "trivial"     // a greeting and the like
	skippedOff         = "off"         // the agent's memory is off
	skippedDisabled    = "disabled"    // memory is not to be recalled by itself
	skippedNothing     = "nothing"     // nothing fits, or what does is in the context anyway
	skippedUnavailable = "unavailable" // the search failed or was too slow
)

const (
	// recallPatience bounds a search where nothing else is said: a turn does not wait for memory.
	recallPatience = time.Second
	// recallResults is how many passages are looked for; what is in the context anyway leaves.
	recallResults = 12
	// maxQueryHalf bounds what of a long message is asked, from its beginning and from its end, in characters.
	maxQueryHalf = 1000
	// leastQuery is how wide a message must be to be asked by itself, in columns, in which an ideograph takes two, and
	// leastTerms how many words it must have that say something.
	leastQuery = 12
	leastTerms = 2
	// maxBefore bounds the turn before that is added to a shorter one, in characters.
	maxBefore = 220
)

// finding is what a search found.
type finding struct {
	request  recall.Request
	passages []passage
	skipped  string
}

// query is what to ask for the current message, and whether it is enough by itself.
func (a *assembly) query() (query string, whole bool) {
	query = strings.TrimSpace(a.current.Content)
	if n := utf8.RuneCountInString(query); n > 2*maxQueryHalf {
		runes := []rune(query)
		query = string(runes[:maxQueryHalf]) + "\n" + string(runes[n-maxQueryHalf:])
	}
	query = strings.ToValidUTF8(query, "\uFFFD")
	if a.skip(query) != "" {
		return query, true
	}
	return query, columns(query) >= leastQuery && terms(query) >= leastTerms
}

// terms is how many words of a text say something: "and when is it?" has none.
func terms(text string) (n int) {
	for _, token := range analysis.Analyse(text) {
		if !token.Stop {
			n++
		}
	}
	return n
}

// columns is how wide a text is.
func columns(text string) (n int) {
	for _, r := range text {
		n++
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

// queryInContext adds the turn before to a short message: "and on Sunday?" says little by itself.
func (a *assembly) queryInContext(query string) string {
	for _, m := range slices.Backward(a.history()) {
		if m.Role != memory.RoleOfUser {
			continue
		}
		before := []rune(strings.ToValidUTF8(m.Content, "\uFFFD"))
		return query + "\n" + string(before[:min(len(before), maxBefore)])
	}
	return query
}

// skip says why a message is not searched for; empty: it is.
func (a *assembly) skip(query string) string {
	switch {
	case !a.settings.MemoryEnabled:
		return skippedOff
	case !a.settings.AutoInject || a.settings.AutoInjectMaxTokens <= 0:
		return skippedDisabled
	case window.Trivial(query):
		return skippedTrivial
	}
	return ""
}

// search finds what fits the message. It takes no longer than its patience, and its failure is none of the turn's.
func (a *assembly) search(ctx context.Context, query string) finding {
	if skipped := a.skip(query); skipped != "" {
		return finding{skipped: skipped}
	}
	if terms(query) == 0 { // what shares such words with a message has nothing to do with it
		return finding{skipped: skippedNothing}
	}
	limit, least := recallResults, a.settings.AutoInjectThreshold
	r := recall.Request{
		Query: query, MaxResults: &limit, MinScore: &least, Unrecorded: true, Synthetic: a.synthetic, Agent: a.agent.Settings, Zone: a.now.Location(),
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.RecallPatience, recallPatience))
	defer cancel()
	found, err := a.Search.Search(ctx, a.id, r)
	switch {
	case err != nil:
		a.Log.WarnContext(ctx, "Memory is not recalled in a turn", "error", err, "agent", a.agent.ID)
		return finding{skipped: skippedUnavailable}
	case found.Disabled:
		return finding{skipped: skippedOff}
	}
	hits := a.useful(ctx, slices.DeleteFunc(found.Results, func(h recall.Hit) bool { return h.Score < least }))
	people := sections{}
	if a.request.Speaker != memory.NoOwner {
		if people, err = a.sectionsOf(ctx, hits); err != nil {
			a.Log.WarnContext(ctx, "What people of a group said is recalled without their names", "error", err, "agent", a.agent.ID)
		}
	}
	return finding{request: r, passages: readable(analysis.NewQuery(query, a.now), hits, people)}
}

// record keeps which passages were used, once.
func (a *assembly) record(ctx context.Context) {
	if a.recorded || len(a.shown) == 0 {
		return
	}
	a.recorded = true
	hits := make([]recall.Hit, len(a.shown))
	for i, p := range a.shown {
		hits[i] = p.hit
	}
	a.Search.Used(ctx, a.id, a.found.request, hits)
}
