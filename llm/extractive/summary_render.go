package extractive

import (
	"cmp"
	"slices"
	"strings"

	"reverie/memory/proposals"
	"reverie/memory/tokencount"
)

// usualSummary is the default length of a summary in tokens.
const usualSummary = 300

// Shares of a summary: the goal has at most a quarter of it, and each of the two things that were said last a fifth. The rest is
// for what was stated.
const (
	goalShare   = .25
	latestShare = .2
)

// unsaid is the summary of messages from which nothing may be repeated.
const unsaid = "Nothing of it can be repeated here."

// render writes the summary within a number of tokens. Goal and latest are always in it; of the rest the newest.
func (d *digest) render(maxTokens int) string {
	if maxTokens <= 0 {
		maxTokens = usualSummary
	}
	short := func(heading string, share float64) {
		for i := range d.items[heading] {
			it := &d.items[heading][i]
			it.text = tokencount.Cut(it.text, int(share*float64(maxTokens)), tokencount.Estimate)
		}
	}
	if len(d.items[goalHeading]) == 0 && len(d.items[latestHeading]) == 0 {
		d.add(goalHeading, unsaid)
	}
	d.items[goalHeading] = d.items[goalHeading][:min(1, len(d.items[goalHeading]))]
	short(goalHeading, goalShare)
	short(latestHeading, latestShare)

	type choice struct {
		heading string
		item
	}
	var rest []choice
	for _, heading := range d.order {
		for _, it := range d.items[heading] {
			if heading != goalHeading && heading != latestHeading {
				rest = append(rest, choice{heading, it})
			}
		}
	}
	slices.SortFunc(rest, func(a, b choice) int { return cmp.Compare(b.born, a.born) })
	chosen := map[string][]item{goalHeading: d.items[goalHeading], latestHeading: d.items[latestHeading]}
	text := d.text(chosen)
	for _, c := range rest {
		was := chosen[c.heading]
		chosen[c.heading] = append(slices.Clone(was), c.item)
		next := d.text(chosen)
		if tokencount.Estimate(next) > maxTokens {
			chosen[c.heading] = was
			continue
		}
		text = next
	}
	return proposals.TidySummary(text, false, maxTokens, tokencount.Estimate)
}

// text writes items under their headings, the oldest first.
func (d *digest) text(chosen map[string][]item) string {
	var b strings.Builder
	for _, heading := range d.order {
		list := slices.SortedFunc(slices.Values(chosen[heading]), func(a, b item) int { return cmp.Compare(a.born, b.born) })
		if len(list) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("## " + heading + "\n")
		for _, it := range list {
			b.WriteString("- " + it.text + "\n")
		}
	}
	return b.String()
}
