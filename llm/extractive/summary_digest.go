package extractive

import (
	"slices"
	"strings"

	sentences "reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/transcripts"
	"reverie/scan"
)

// Headings of a summary. They are the same in every language, so that engines can continue each other's summaries.
const (
	goalHeading       = "Goal"
	latestHeading     = "Latest"
	constraintHeading = "Constraints"
	decisionHeading   = "Decisions"
	factHeading       = "Facts"
	nextHeading       = "Next"
	filesHeading      = "Files"
)

// leadHeadings come first in this order; those of other engines follow as they came.
var leadHeadings = []string{goalHeading, latestHeading, constraintHeading, decisionHeading, factHeading, nextHeading, filesHeading}

// headingOfPlace maps places to the headings of a summary.
var headingOfPlace = [...]string{
	noteOnly: factHeading, identity: factHeading, background: factHeading, people: factHeading, preferences: constraintHeading,
	decisions: decisionHeading, facts: factHeading, tasks: nextHeading, dates: nextHeading, remembered: constraintHeading,
}

// digest is a summary, item by item.
type digest struct {
	order []string // of the headings
	items map[string][]item
}

// item is one line of a summary. Newer ones have a larger age number.
type item struct {
	text  string
	born  int
	terms terms
}

// readDigest reads a summary of any engine. Lines without a heading count as facts.
func readDigest(text string) *digest {
	d := &digest{order: slices.Clone(leadHeadings), items: map[string][]item{}}
	heading := factHeading
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, isHeading := strings.CutPrefix(line, "#"); isHeading {
			heading = strings.TrimSpace(strings.TrimLeft(title, "#"))
			continue
		}
		if line = plainLine(line); line != "" {
			d.add(heading, line)
		}
	}
	return d
}

// add adds an item behind the others.
func (d *digest) add(heading, text string) {
	if !slices.Contains(d.order, heading) {
		d.order = append(d.order, heading)
	}
	d.items[heading] = append(d.items[heading], item{text: text, born: d.count(), terms: termsOf(text)})
}

// count returns a lower bound of the number of items ever added. It never decreases.
func (d *digest) count() int {
	newest := 0
	for _, list := range d.items {
		for _, it := range list {
			newest = max(newest, it.born)
		}
	}
	return newest + 1
}

// again adds an item, or makes an equal item the newest.
func (d *digest) again(heading, text string) {
	d.items[heading] = slices.DeleteFunc(d.items[heading], func(it item) bool { return it.text == text })
	d.add(heading, text)
}

// take adds a statement unless the summary has it already. It applies corrections and removes what the statement ends.
func (d *digest) take(s statement, wrong string) {
	text := s.told()
	t := termsOf(text)
	if isUnfit(text) || s.replaces != "" && d.correct(s.replaces, s.with) {
		return
	}
	topic := termsOf(s.topic)
	d.removeStated(func(it item) bool {
		return wrong != "" && wordIndex(it.text, wrong) >= 0 && len(it.terms.set) <= 2*len(t.set)+3 ||
			s.ends && len(topic.set) > 0 && concerns(it.terms, topic) && !it.terms.negated && !it.terms.former
	})
	for heading, list := range d.items {
		if isStated(heading) && slices.ContainsFunc(list, func(it item) bool { return len(it.terms.set) > 0 && it.terms.covers(t) }) {
			return
		}
	}
	d.add(headingOfPlace[s.place], text)
}

// isStated reports whether the items of a heading are statements, and not quotations of the user.
func isStated(heading string) bool { return heading != goalHeading && heading != latestHeading }

func (d *digest) removeStated(gone func(item) bool) {
	for heading, list := range d.items {
		if isStated(heading) {
			d.items[heading] = slices.DeleteFunc(list, gone)
		}
	}
}

// correct puts the right value into the newest item that has the wrong one, and reports whether there is one.
func (d *digest) correct(wrong, right string) bool {
	var newest *item
	for heading, list := range d.items {
		for i := range list {
			it := &list[i]
			if isStated(heading) && wordIndex(it.text, wrong) >= 0 && wordIndex(it.text, right) < 0 && (newest == nil || it.born > newest.born) {
				newest = it
			}
		}
	}
	if newest == nil {
		return false
	}
	at := wordIndex(newest.text, wrong)
	newest.text = newest.text[:at] + right + newest.text[at+len(wrong):]
	newest.terms = termsOf(newest.text)
	return true
}

// latest replaces the last topics of the conversation.
func (d *digest) latest(transcript []transcripts.Line) {
	var asked, answered string
	for _, l := range transcript {
		if said := quoted(l.Text); said != "" && l.Role == memory.RoleOfUser {
			asked, answered = said, ""
		} else if said != "" {
			answered = said
		}
	}
	if asked == "" && answered == "" {
		return
	}
	if asked != "" {
		d.items[latestHeading] = nil
		d.add(latestHeading, label(asked, "The user said: ", "用户说：")+asked)
	}
	if answered != "" {
		d.add(latestHeading, label(answered, "The assistant answered: ", "助手答：")+answered)
	}
	if list := d.items[latestHeading]; len(list) > 2 { // of several parts without a word of the user
		d.items[latestHeading] = append(list[:1], list[len(list)-1])
	}
}

// label is the label in the language of a text.
func label(text, en, zh string) string {
	if languageOf(text) == chinese {
		return zh
	}
	return en
}

// quoted returns a message on one line, without sentences about secrets; empty if it is an attack or has no content.
func quoted(message string) string {
	if isHostile(message) {
		return ""
	}
	var kept []string
	for _, s := range sentences.Split(printable(message)) {
		if !namesSecret(s) {
			kept = append(kept, s)
		}
	}
	text := scan.Scan(strings.Join(strings.Fields(strings.Join(kept, " ")), " "))
	if text.Verdict == scan.VerdictQuarantine {
		return ""
	}
	return text.Text
}
