package grounding

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"reverie/language/claim"
	"reverie/language/lazyregexp"
)

// A value of a line must exist in the evidence, and it must be bound to what the line says of it: the words around it in the line
// are compared with the words around each place where a source has it. Where another value of the same kind fits these words
// clearly better, the line has replaced that value.

// Constants of binding, chosen on test/corpus by the shares of faithful lines and of lines with swapped values that are refused.
const (
	window = 80 // positions around a word in which a value belongs to it
	// halfway is the distance in positions at which a word counts half.
	halfway = 10
	// telling is the lead of a rival from which a value does not fit.
	telling = .25
)

// anchor is a word of the line that the sources have too.
type anchor struct {
	at     []int // positions in the sources
	weight float64
}

// decay returns the weight of a word at a distance from a value.
func decay(distance int) float64 { return halfway / (halfway + float64(abs(distance))) }

// anchors returns the words around a position of the line, without those of the value itself.
func (c *checking) anchors(value site) []anchor {
	var out []anchor
	for _, w := range c.line.words {
		if !w.content || slices.Contains(value.keys, w.forms[0]) {
			continue
		}
		found := c.said.having(w)
		if len(found) == 0 {
			continue
		}
		a := anchor{weight: value.near(w.at) / (1 + math.Log2(float64(len(found))))}
		if r, _ := firstRune(w.forms[0]); isRun(r) {
			a.weight /= 2
		}
		for _, i := range found {
			a.at = append(a.at, c.said.words[i].at)
		}
		out = append(out, a)
	}
	add := func(v site, at []int) {
		if len(at) > 0 && len(at) <= maxOccurrences && !v.shares(value) {
			out = append(out, anchor{at, value.near(v.at) / (1 + math.Log2(float64(len(at))))})
		}
	}
	for _, n := range c.line.numbers {
		if !n.unsure {
			add(n, placesOf(c.said.numbers, n.shares))
		}
	}
	for _, n := range c.line.names {
		add(n, c.said.meant[n.keys[0]])
	}
	for _, k := range c.line.kin {
		is := kinOf(k.keys[0])
		at := placesOf(c.said.kin, func(o site) bool { return is.matches(kinOf(o.keys[0])) })
		for value, found := range c.said.meant {
			if strings.Contains(value, "/") && is.matches(kinOf(value)) {
				at = append(at, found...)
			}
		}
		add(k, at)
	}
	return out
}

// near returns the weight of a word at a place of the line for a value. What begins a line is the subject of all of it.
func (v site) near(at int) float64 {
	if v.initial {
		return decay(at - v.at)
	}
	return decay(2 * (at - v.at))
}

// sitesOf returns the sites that fit.
func sitesOf(sites []site, fits func(site) bool) []site {
	return slices.DeleteFunc(slices.Clone(sites), func(o site) bool { return !fits(o) })
}

// placesOf returns the places of the sites that fit.
func placesOf(sites []site, fits func(site) bool) []int {
	var out []int
	for _, o := range sites {
		if fits(o) {
			out = append(out, o.at)
		}
	}
	return out
}

// fit returns how well each place fits the anchors: each counts once, by the nearest of its words. places are in order.
func fit(anchors []anchor, places []int) []float64 {
	total := make([]float64, len(places))
	nearest := make([]float64, len(places))
	var touched []int
	for _, a := range anchors {
		touched = touched[:0]
		for _, p := range a.at {
			for i := sort.SearchInts(places, p-window); i < len(places) && places[i] <= p+window; i++ {
				if v := a.weight * decay(places[i]-p); v > nearest[i] {
					if nearest[i] == 0 {
						touched = append(touched, i)
					}
					total[i] += v - nearest[i]
					nearest[i] = v
				}
			}
		}
		for _, i := range touched {
			nearest[i] = 0
		}
	}
	return total
}

func best(fits []float64) float64 {
	if len(fits) == 0 {
		return 0
	}
	return slices.Max(fits)
}

// bound reports whether no rival fits the words around a value clearly better than the value does: by less than telling, or the value
// by at least the share clearly. Weak evidence, such as a number word with other meanings, counts half. places are where the sources
// have the value, rivals where they have others of its kind.
func (c *checking) bound(v site, places, rivals []int, clearly float64, isWeak bool) bool {
	if len(rivals) == 0 {
		return true
	}
	anchors := c.anchors(v)
	strongest := best(fit(anchors, rivals))
	mine := best(fit(anchors, places))
	if isWeak {
		mine /= 2
	}
	needed := telling
	if c.isTranslated() {
		needed *= 3 // few of the words around the value are in both
	}
	return strongest-mine < needed || mine >= clearly*strongest
}

// rivals returns the places of other values: those of sites that rival accepts and the line has not. A value that a message has
// may bring a document up to date, so that those of documents do not count then.
func (c *checking) rivals(v site, sites, line []site, fresh bool, rival func(site) bool) []int {
	var out []int
	for _, o := range sites {
		if o.unsure && !strings.HasPrefix(o.keys[0], "o:") || v.shares(o) || c.isUnsaid(o.clause) || fresh && c.isDocument(o.clause) || !rival(o) ||
			slices.ContainsFunc(line, o.shares) {
			continue
		}
		out = append(out, o.at)
	}
	return out
}

// isUnsaid reports whether a clause of the sources is not a statement of a user's.
func (c *checking) isUnsaid(clause int) bool {
	return c.said.clauses[clause].voice != own
}

// isDocument reports whether a clause of the sources is in a document.
func (c *checking) isDocument(clause int) bool {
	return c.said.passages[c.said.sentences[c.said.clauses[clause].sentence].passage].document
}

// values checks numbers, dates and names.
func (c *checking) values(whole bool) {
	for i, s := range c.line.sentences {
		for j, d := range s.dates {
			c.date(d, s, whole)
			if j == 0 || d.year == 0 || d.day == 0 {
				continue
			}
			if before := s.dates[j-1]; before.weekday > 0 && d.start-before.end <= 2 && weekdayOf(dateOf(d.year, d.month, d.day)) != before.weekday {
				c.fault(Date, s.text[before.start:d.end])
			}
		}
		c.scripts(i)
	}
	for _, n := range c.line.numbers {
		s := c.line.sentences[c.line.clauses[n.clause].sentence]
		i := slices.IndexFunc(s.dates, func(d day) bool { return d.start <= n.start && n.start < d.end })
		isSeason := season.MatchString(s.text[max(0, n.start-len("2024/")):min(len(s.text), n.start+len(n.text))])
		if !n.unsure && !isSeason && (i < 0 || s.dates[i].year == 0 && s.dates[i].weekday > 0) {
			c.number(n, whole)
		}
	}
	for _, n := range c.line.names {
		c.name(n, whole)
	}
	for _, value := range c.asides {
		if !c.isOwn {
			c.fault(Assistant, value)
		}
	}
	if !whole && !c.isHeading {
		c.relations()
	}
}

// season matches the second year of a winter or a school year.
var season = lazyregexp.New(`^20\d\d/\d\d$`)

// date checks one date of the line.
func (c *checking) date(d day, s sentence, whole bool) {
	text := strings.TrimSpace(s.text[d.start:d.end])
	if text == "may" { // the verb
		return
	}
	if d.month > 0 && d.day > 0 && c.isDayOfMessage(dateKey(cmp.Or(d.year, c.day.Year()), d.month, d.day)) {
		return
	}
	key := d
	key.start, key.end = 0, 0
	held, known := c.held[key]
	if !known {
		for i := range c.said.sentences {
			if c.said.calendarOf(i).has(d) {
				held = append(held, i)
			}
		}
		c.held[key] = held
	}
	if len(held) == 0 {
		c.fault(Date, text)
		return
	}
	if !slices.ContainsFunc(held, func(i int) bool { return c.said.sentences[i].voice != aside || c.said.sentences[i].played }) {
		c.asides = append(c.asides, text)
		return
	}
	c.isOwn = c.isOwn || !slices.Contains(c.asides, text)
	if whole || c.isAbroad() {
		return
	}
	var places, others []int
	for i, o := range c.said.sentences {
		_, isHeld := slices.BinarySearch(held, i)
		switch {
		case isHeld:
			places = append(places, o.at)
		case len(o.dates) > 0 && o.voice == own && !slices.ContainsFunc(s.dates, c.said.calendarOf(i).has):
			others = append(others, o.at)
		}
	}
	anchors := c.anchors(site{at: s.at})
	for i := range anchors {
		anchors[i].weight = 1
	}
	fits, strongest := best(fit(anchors, places)), best(fit(anchors, others))
	if fits == 0 && len(anchors) > 0 || strongest-fits >= 1 && fits < strongest/2 {
		c.fault(Date, text)
	}
}

func dateKey(year, month, day int) string { return dateOf(year, month, day).Format("2006-01-02") }

func (g *Ground) isDayOfMessage(key string) bool {
	if g.days == nil {
		g.days = map[string]bool{g.day.Format("2006-01-02"): true}
		for _, p := range g.said.passages {
			g.days[p.at.Format("2006-01-02")] = true
		}
	}
	return g.days[key]
}

// number checks one number of the line.
func (c *checking) number(n site, whole bool) {
	if strings.Contains(strings.Trim(n.text, " "), " ") && strings.Trim(n.text, "0123456789 ") == "" {
		n.keys = n.keys[:1] // 11 200 is no 11
	}
	var held []int
	for _, k := range n.keys {
		held = append(held, c.said.byNumber[k]...)
	}
	slices.Sort(held)
	held = slices.Compact(held)
	years := c.yearPlaces(n)
	if len(held) == 0 && len(years) == 0 {
		if !c.isImplied(n) {
			code := Number
			if slices.ContainsFunc(n.keys, func(k string) bool { return len(c.answered.byNumber[k]) > 0 }) {
				code = Assistant
			}
			c.fault(code, n.text)
		}
		return
	}
	isSmall := !strings.ContainsAny(n.text, "0123456789") && atoi(n.keys[0]) <= smallNumber // "his two children"
	isMeant := func(h int) bool { return !c.said.isAside(c.said.numbers[h].clause) }
	if !c.isHeading && len(years) == 0 && !isSmall && !slices.ContainsFunc(held, isMeant) {
		c.asides = append(c.asides, n.text)
	}
	c.isOwn = c.isOwn || !isSmall && !slices.Contains(c.asides, n.text)
	if whole || c.isHeading {
		return
	}
	places, fresh := years, false
	isUnsure := !slices.ContainsFunc(held, func(h int) bool { return !c.said.numbers[h].unsure })
	for _, h := range held {
		if o := c.said.numbers[h]; !o.unsure || isUnsure {
			places = append(places, o.at)
			fresh = fresh || !c.isDocument(o.clause)
		}
	}
	slices.Sort(places)
	rivals := c.rivals(n, c.said.numbers, c.line.numbers, fresh, func(o site) bool { return kindOf(o) == kindOf(n) })
	var sites []site
	for _, h := range held {
		sites = append(sites, c.said.numbers[h])
	}
	sameKind := sitesOf(c.said.numbers, func(o site) bool { return kindOf(o) == kindOf(n) && !o.unsure })
	if c.replaces(n, fresh) || !c.bound(n, places, rivals, .8, isUnsure) ||
		len(years) == 0 && c.isOfOtherSubject(n, sites, sameKind) {
		c.fault(Number, n.text)
	}
}

// smallNumber is the greatest number that a line may count without a source, as a word.
const smallNumber = 12

// kindOf distinguishes years from other numbers: they do not replace each other.
func kindOf(n site) bool {
	year := atoi(n.keys[0])
	return year >= 1900 && year <= 2100
}

// isImplied reports whether a number follows from the evidence without being in it: the time of a message, the year of the messages
// in brackets, or a year of two digits.
func (c *checking) isImplied(n site) bool {
	return slices.ContainsFunc(n.keys, func(k string) bool {
		year := atoi(k)
		return c.times[k] || c.isHeading && strings.HasPrefix(k, "t:") || kindOf(n) &&
			(c.isAbroad() && len(c.said.byNumber[strconv.Itoa(year%100)]) > 0 || c.isBracketed(n) && year == c.day.Year())
	})
}

// isBracketed reports whether a value ends a bracket.
func (c *checking) isBracketed(v site) bool {
	text := c.textOf(v)
	return strings.HasPrefix(text[min(len(text), v.start+len(v.text)):], ")")
}

// yearPlaces returns the places of the sentences that mean a year without naming it: "last year".
func (c *checking) yearPlaces(n site) []int {
	if !kindOf(n) {
		return nil
	}
	var places []int
	for i, s := range c.said.sentences {
		if c.said.calendarOf(i).years[atoi(n.keys[0])] {
			places = append(places, s.at)
		}
	}
	return places
}

// name checks one name that is written in capital letters.
func (c *checking) name(n site, whole bool) {
	if base := strings.TrimSuffix(n.keys[0], "s"); !c.names[n.keys[0]] && c.names[base] { // "Annas Bruder"
		n.keys = []string{base}
	}
	if c.isPlain(n) {
		return
	}
	places, found := c.uses(n)
	if !found {
		switch {
		case n.initial && !c.looksLikeName(n):
		case c.isHeading && len(c.answered.index[n.keys[0]]) == 0:
		case len(c.answered.index[n.keys[0]]) > 0:
			c.fault(Assistant, n.text)
		default:
			c.fault(Name, n.text)
		}
		return
	}
	if !c.isHeading && c.isAside(n) {
		c.asides = append(c.asides, n.text)
		return
	}
	c.isOwn = c.isOwn || len(places) > 0 && c.names[n.keys[0]]
	if whole || c.isHeading || places == nil || !c.names[n.keys[0]] && (n.initial || c.tags["de"]) {
		return
	}
	places = append(places, c.said.meant[n.keys[0]]...)
	slices.Sort(places)
	key := ""
	if c.isOfUser(n) {
		key = keyOf(c.textOf(n))
	}
	rivals := c.rivals(n, c.named, c.line.names, false, func(o site) bool {
		if key != "" && c.isDocument(o.clause) && key == keyOf(c.said.sentences[c.said.clauses[o.clause].sentence].text) {
			return false // the line brings it up to date: "Home: Lyon"
		}
		return o.text != "" || n.initial && c.speakers[n.keys[0]]
	})
	if !c.bound(n, places, rivals, .6, false) || !n.initial && c.isOfOtherSubject(n, sitesOf(c.said.names, n.shares), c.said.names) {
		code := Name
		if c.speakers[n.keys[0]] {
			code = Person
		}
		c.fault(code, n.text)
	}
}

// isOfUser reports whether users use a name in a clause about themselves.
func (c *checking) isOfUser(n site) bool {
	return slices.ContainsFunc(c.said.index[n.keys[0]], func(i int) bool {
		at := c.said.words[i].clause
		s := c.said.clauses[at]
		return !c.isDocument(at) && s.voice == own && len(s.kin) == 0 && !s.third && (s.self || len(s.leading) == 0)
	})
}

// keyOf returns the attribute of the user that a key line names; empty: none.
func keyOf(line string) string {
	if attribute, _ := claim.KeyOf(line); attribute != claim.Place {
		return attribute
	}
	return ""
}

// relations checks the relations that the line names: a name must not have another one in the sources, and what is said about one
// must not fit another one better.
func (c *checking) relations() {
	for _, k := range c.line.kin {
		is := kinOf(k.keys[0])
		named := false
		for name, list := range c.line.relations {
			if !slices.Contains(list, is) {
				continue
			}
			named = true
			known := c.said.relations[name]
			isOther := len(known) > 0 && is.wider != "in-law" && !slices.ContainsFunc(known, is.matches)
			if isOther || len(known) == 0 && c.isTaken(is, name) {
				i := slices.IndexFunc(c.line.names, func(n site) bool { return n.keys[0] == name })
				c.fault(Name, c.line.names[i].text)
			}
		}
		if named || is.wider == "" {
			continue
		}
		var places []int
		for _, o := range c.said.kin {
			if is.matches(kinOf(o.keys[0])) {
				places = append(places, o.at)
			}
		}
		for name, list := range c.said.relations {
			if slices.ContainsFunc(list, is.matches) {
				for _, w := range c.said.index[name] {
					places = append(places, c.said.words[w].at)
				}
			}
		}
		for value, found := range c.said.meant {
			if is.matches(kinOf(value)) {
				places = append(places, found...)
			}
		}
		slices.Sort(places)
		rivals := c.rivals(k, c.said.kin, c.line.kin, false, func(o site) bool {
			return !is.matches(kinOf(o.keys[0])) && kinOf(o.keys[0]).wider != "" && c.said.clauses[o.clause].subject
		})
		if !c.bound(k, places, rivals, .6, false) {
			c.fault(Person, k.text)
		}
	}
}

// isTaken reports whether the sources have a relation with other names only.
func (c *checking) isTaken(is kin, name string) bool {
	taken := false
	for _, o := range c.said.kin {
		if !is.matches(kinOf(o.keys[0])) {
			continue
		}
		if slices.ContainsFunc(c.said.index[name], func(w int) bool { return abs(c.said.words[w].at-o.at) <= window/4 }) {
			return false
		}
		words := c.said.words
		i := sort.Search(len(words), func(i int) bool { return words[i].at > o.at })
		taken = taken || i < len(words) && words[i].at-o.at == perWord && c.names[words[i].forms[0]]
	}
	return taken && len(c.said.index[name]) > 0
}

// isAbroad reports whether most words of the line are in no source, as in a line of another language or a free paraphrase. What it
// says cannot be compared then, only its values.
func (c *checking) isAbroad() bool {
	if c.known == nil {
		known, all := 0, 0
		for _, w := range c.line.words {
			if w.content {
				all++
				if len(c.said.having(w)) > 0 || len(c.answered.having(w)) > 0 {
					known++
				}
			}
		}
		share := float64(known) / float64(max(1, all))
		if all == 0 {
			share = 1
		}
		c.known = &share
	}
	return *c.known < sure
}

// isTranslated reports whether the line is in another language than the messages of users.
func (c *checking) isTranslated() bool {
	if c.translated == nil {
		translated := isLatin(c.line.sentences) != c.isLatin || len(c.tags) > 0 && !c.tags[c.line.passages[0].lang]
		c.translated = &translated
	}
	return *c.translated
}

// stated returns the sentences of the sources, or of messages only, squeezed, each between line breaks.
func (g *Ground) stated(messages bool) string {
	if g.sentences[messages] == "" {
		var all strings.Builder
		all.WriteByte('\n')
		for _, s := range g.said.sentences {
			if !messages || !g.said.passages[s.passage].document {
				all.WriteString(squeezed(s.written) + "\n")
			}
		}
		g.sentences[messages] = all.String()
	}
	return g.sentences[messages]
}

// flank is the number of characters compared on each side of a value.
const flank = 6

// replaces reports whether a sentence of the line is one of a source with another value in its place. fresh: a message names the value,
// which then may bring a document up to date.
func (c *checking) replaces(v site, fresh bool) bool {
	text := c.line.sentences[c.line.clauses[v.clause].sentence].text
	left, right := []rune("\n"+squeezed(text[:v.start])), []rune(squeezed(text[min(len(text), v.start+len(light(v.text))):])+"\n")
	left, right = left[max(0, len(left)-flank):], right[:min(len(right), flank)]
	if len(left)+len(right) < flank {
		return false
	}
	said, value, others := c.stated(fresh), squeezed(v.text), false
	for {
		at := strings.Index(said, string(left))
		if at < 0 {
			return others
		}
		said = said[at+max(1, len(string(left))):]
		end := strings.Index(said[:min(len(said), 4*flank)], string(right))
		if end < 0 {
			continue
		}
		middle := strings.Trim(said[:end], ".")
		isDigits := strings.Trim(middle, "0123456789.") == ""
		if isDigits && strings.ReplaceAll(middle, ".", "") == strings.ReplaceAll(value, ".", "") || !isDigits && strings.Contains(middle, value) {
			return false
		}
		others = others || middle != "" && isDigits == unicode.IsDigit(rune(value[0])) && !strings.Contains(middle, "\n")
	}
}
