package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"

	reading "reverie/language/claim"
	"reverie/language/cue"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/proposals"
)

// notebook writes passages into the files and the daily entry.
type notebook struct {
	in              proposals.ExtractionInput
	profile, memory *page
	shared, note    []knownLine
	noted           map[string]bool // lines of the note, folded
	entries         []*entry        // of the daily entry, in order
	lines           map[string]int  // of the files with each word, as they were
	objected        objections
	counts          [kindRemember + 1]int
	corrected       int
	full            bool // a limit kept a line out of a file
	kept            bool // a line written by a person could not be replaced
	unfit           int  // messages that are left out, or part of them
}

// entry is a passage with the lines that were written for it.
type entry struct {
	*passage

	text    string   // line of the daily entry, without its marker
	lines   []string // of the files
	noted   bool     // it becomes a line of the daily entry
	removed bool     // its line in the files was replaced later in the same conversation
	beside  bool     // it withdraws a line that a person wrote, and is added beside it
}

func newNotebook(in proposals.ExtractionInput, objected objections, lang string) *notebook {
	protected, newer := linesOf(in.Protected), linesOf(in.Newer)
	noted := map[string]bool{}
	for line := range strings.Lines(in.Note) {
		noted[foldedText(bareLine(line))] = true
	}
	return &notebook{
		in: in, objected: objected, shared: knownLines(in.Shared, lang), note: knownLines(in.Note, lang), noted: noted,
		profile: newPage("Profile", in.Profile, lang, protected, newer, in.ProfileMaxChars),
		memory:  newPage("Memory", in.Memory, lang, protected, newer, in.MemoryMaxChars),
	}
}

// linesOf returns lines as they are and without their markers.
func linesOf(lines []string) map[string]bool {
	set := map[string]bool{}
	for _, l := range lines {
		set[strings.TrimSpace(l)], set[bareLine(l)] = true, true
	}
	delete(set, "")
	return set
}

// knownLine is a line of another file than those that a proposal changes.
type knownLine struct {
	terms   words
	speaker string // of a group, whom it quotes
}

// knownLines returns the lines of a text that are not headings.
func knownLines(text, lang string) []knownLine {
	var out []knownLine
	for line := range strings.Lines(text) {
		if t := bareLine(line); t != "" && !strings.HasPrefix(t, "#") {
			q, _ := reading.QuoteOf(t)
			out = append(out, knownLine{wordsOf(t, lang), q.Speaker})
		}
	}
	return out
}

// isIn reports whether a line says what a passage says, of the same person.
func (p *passage) isIn(l knownLine) bool { return !p.isOfAnother(l.speaker) && p.says(l.terms) }

// isOfAnother reports whether a line quotes another member of a group than the one who said a passage.
func (p *passage) isOfAnother(speaker string) bool {
	return p.speaker != "" && speaker != "" && speaker != memory.QuotedName(p.speaker)
}

// sameWords is the share of the words of a passage that a line has when both say the same.
const sameWords = .9

// says reports whether a line says what a passage says: most of its words, and all of its numbers.
func (p *passage) says(line words) bool {
	for w := range p.terms {
		if !line[w] && hasDigit(w) {
			return false
		}
	}
	return len(p.terms) > 0 && p.terms.within(line) >= sameWords && line.within(p.terms) >= .5
}

// take writes one passage.
func (n *notebook) take(p *passage) {
	e := &entry{passage: p, text: p.line()}
	e.noted = p.keep > 0 && !p.forgotten && (p.renews || !p.onlyForgets()) && !n.noted[foldedText(bareLine(e.text))] && !n.contains(p) &&
		!slices.ContainsFunc(n.note, p.isIn)
	for _, other := range n.entries {
		if p.speaker == other.speaker && p.set == other.set && p.says(other.terms) {
			other.seqs = withSeqs(other.seqs, p.seqs)
			e.noted = false
			break
		}
	}
	n.entries = append(n.entries, e)
	if p.withdrawn || n.contains(p) || p.doubtful && len(p.facts) == 0 && !p.forgets() {
		return
	}
	for _, f := range p.facts {
		n.state(f, e)
	}
	if !n.correct(e) && !n.gave(p) && !p.proved && !p.asks && (p.lasting > 0 || e.beside) && !n.knows(p) {
		if n.extend(e) {
			return
		}
		n.write(n.pageOf(p.kind), sections[p.kind], p.lastingLine(), e)
		if p.adds {
			n.write(n.pageOf(p.kind), sections[p.kind], p.line(), e)
		}
	}
}

// recognise marks the lines of the files that an earlier reading of the conversation has written or corrected: nothing else that it says
// takes them back.
func (n *notebook) recognise(passages []passage) {
	own := map[string]bool{}
	for i := range passages {
		if p := &passages[i]; !p.withdrawn {
			own[foldedText(bareLine(p.lastingLine()))], own[foldedText(bareLine(p.line()))] = true, true
			for _, f := range p.facts {
				own[foldedText(f.line)] = true
			}
		}
	}
	for _, page := range []*page{n.memory, n.profile} {
		for i := range page.lines {
			l := &page.lines[i]
			if l.code || strings.TrimSpace(l.text) == "" {
				continue
			}
			l.own = own[foldedText(bareLine(l.text))] || strings.Contains(l.text, "[") && slices.ContainsFunc(passages, func(p passage) bool {
				return p.gave(n.claim(page, i))
			})
		}
	}
}

// retract removes the line of a passage that an earlier reading of the conversation has written and one of the new passages withdraws.
func (n *notebook) retract(old *passage, passages []passage) {
	if !old.withdrawn {
		return
	}
	by := slices.IndexFunc(passages, func(p passage) bool { return p.seqs[len(p.seqs)-1] == old.takenBack })
	if by < 0 {
		return
	}
	line := foldedText(bareLine(old.lastingLine()))
	for _, p := range []*page{n.profile, n.memory} {
		i := slices.IndexFunc(p.lines, func(l pageLine) bool { return l.fresh == nil && !l.code && foldedText(bareLine(l.text)) == line })
		if i < 0 || n.closed(p) {
			continue
		}
		if p.lines[i].stale = true; p.remove(i) {
			n.corrected++
		}
		if passages[by].corrected != "" { // it takes the place of the line
			passages[by].lasting = max(passages[by].lasting, slight)
		}
	}
}

// gave reports whether an earlier reading put the value that a passage gives into a line.
func (n *notebook) gave(p *passage) bool {
	for _, page := range []*page{n.memory, n.profile} {
		for i := range page.lines {
			if page.lines[i].own && p.gave(n.claim(page, i)) {
				return true
			}
		}
	}
	return false
}

// contains reports whether a file already contains the line of a passage, from an earlier extraction of the conversation.
func (n *notebook) contains(p *passage) bool {
	line := foldedText(bareLine(p.lastingLine()))
	for _, page := range []*page{n.profile, n.memory} {
		for i := range page.lines {
			if l := &page.lines[i]; !l.code && l.fresh == nil && foldedText(bareLine(l.text)) == line {
				return true
			}
		}
	}
	return false
}

// knows reports whether a file or the shared memory says a passage already.
func (n *notebook) knows(p *passage) bool {
	if slices.ContainsFunc(n.shared, p.isIn) {
		return true
	}
	for _, page := range []*page{n.profile, n.memory} {
		for i := range page.lines {
			l := page.at(i)
			if l.stale || l.code {
				continue
			}
			says := p.says(l.terms) && n.isOfSame(page, i, p) || l.terms.shared(p.terms) > 0 && p.isSaidIn(l)
			if says && !p.isOfAnother(n.claim(page, i).speaker) {
				if fresh := page.lines[i].fresh; fresh != nil {
					fresh.seqs = withSeqs(fresh.seqs, p.seqs)
				}
				return true
			}
		}
	}
	return false
}

// isOfSame reports whether a line with the words of a passage is about a relative if the passage is, and denies what it denies.
func (n *notebook) isOfSame(page *page, i int, p *passage) bool {
	const same cue.Set = 1<<cue.Kin | 1<<cue.Not
	return n.claim(page, i).set&same == p.set&same
}

// extend puts a passage in the place of a line that says a part of it.
func (n *notebook) extend(e *entry) bool {
	for _, page := range []*page{n.profile, n.memory} {
		for i := range page.lines {
			l := page.at(i)
			if !l.code && !l.stale && l.terms.shared(e.terms) > 0 && !n.closed(page) && e.extends(l) && page.replace(i, e.lastingLine(), e) {
				n.counts[e.kind]++
				return true
			}
		}
	}
	return false
}

// state writes a fact in place of the line of the same attribute.
func (n *notebook) state(f fact, e *entry) {
	if n.closed(n.profile) {
		return
	}
	label, _, _ := strings.Cut(f.line, ":")
	for i := range n.profile.lines {
		was := bareLine(n.profile.lines[i].text)
		if n.profile.lines[i].code || !strings.HasPrefix(was, label+":") {
			continue
		}
		if foldedText(was) == foldedText(f.line) || n.profile.lines[i].newer {
			return
		}
		if n.profile.replace(i, f.line, e) {
			n.corrected++
			return
		}
		n.kept = true
	}
	kind := kindIdentity
	if f.attribute == attributeStyle {
		kind = kindPreference
	}
	n.write(n.profile, sections[kind], f.line, e)
}

// write adds a line to a section.
func (n *notebook) write(p *page, s section, line string, e *entry) {
	if n.closed(p) {
		return
	}
	if !p.add(s.names, p.title, line, sectionRank, e) {
		n.full = true
		return
	}
	n.counts[e.kind]++
}

func (n *notebook) closed(p *page) bool {
	return p == n.profile && n.objected.profile || p == n.memory && n.objected.memory
}

func (n *notebook) pageOf(k kind) *page {
	switch k {
	case kindIdentity, kindPerson, kindPreference:
		return n.profile
	default:
		return n.memory
	}
}

// claim returns line i of a file as a claim.
func (n *notebook) claim(p *page, i int) *claim {
	l := p.at(i)
	if l.claim != nil {
		return l.claim
	}
	if n.lines == nil {
		n.lines = map[string]int{}
		for _, p := range []*page{n.profile, n.memory} {
			for i := range p.lines {
				for w := range p.at(i).terms {
					n.lines[w]++
				}
			}
		}
	}
	text := bareLine(l.text)
	marks := cue.Find(text, p.lang)
	values := valuesOf(text, marks)
	names := wordsOf(strings.Join(capitalised(text), " "), p.lang)
	for w := range l.terms {
		if hasDigit(w) {
			names[w] = true
		}
	}
	set := marks.Set()
	attribute, _ := reading.KeyOf(text)
	if attribute == reading.Home || attribute == reading.Place {
		set |= 1 << cue.Home
	}
	q, _ := reading.QuoteOf(text)
	l.claim = &claim{
		speaker: q.Speaker,
		person:  personIn(text, p.lang, p.lang, marks),
		text:    text, terms: l.terms, rare: rareOf(text, p.lang, marks, values, l.terms, n.lines), heading: p.heading(l.section),
		lead: leadOf(text, p.lang), names: names,
		subject: subjectOf(text, p.lang, marks), set: set, values: values, isName: attribute == reading.Name,
	}
	return l.claim
}

// correct withdraws the lines of the files that a passage says have ended or changed, and puts the passage, or the line with the
// right value, in place of the first. It reports whether the passage no longer needs a line: its value is in another one, or a newer line
// has another value.
func (n *notebook) correct(e *entry) bool {
	done := false
	for _, p := range []*page{n.memory, n.profile} {
		if n.closed(p) {
			continue
		}
		for i := 0; i < len(p.lines); i++ {
			l := p.at(i)
			if l.code || len(l.terms) == 0 || l.own || l.fresh != nil { // settle has corrected what this conversation says
				continue
			}
			c := n.claim(p, i)
			by := e.takesBack(c)
			if by == nil {
				continue
			}
			text, _ := e.right(c, by)
			switch {
			case l.newer:
				done = true
				continue
			case l.protected:
				n.kept, e.later, e.beside = true, true, true
			case n.takesBackPart(p, i, e):
				e.lasting = max(e.lasting, slight) // else it would be in no file
			case done || e.forgets() || e.asks || e.proved:
				if p.remove(i) {
					i--
					n.corrected++
				}
			case text != "":
				done = p.replace(i, text, e)
			default:
				done = p.replace(i, e.lastingLine(), e)
			}
			if done {
				n.corrected++
			}
		}
	}
	return done || e.forgets()
}

// takesBackPart removes from a line of several sentences, or of clauses that hold without each other, those that a passage withdraws. It
// reports false if the line says nothing else.
func (n *notebook) takesBackPart(p *page, i int, e *entry) bool {
	l := &p.lines[i]
	body := strings.TrimRight(l.text, "\r\n")
	q, quoted := reading.QuoteOf(bareLine(body))
	if !quoted {
		return false
	}
	rest, found := sentence.Without(q.Words, func(part string) bool {
		one := page{lines: []pageLine{{text: "- " + quote(part), section: l.section}}, lang: p.lang}
		return e.takesBack(n.claim(&one, 0)) != nil
	})
	if !found || rest == "" || p.lost >= p.allowed {
		return false
	}
	was := l.text
	*l = pageLine{text: strings.Replace(l.text, q.Words, rest, 1), section: l.section}
	p.chars += utf8.RuneCountInString(l.text) - utf8.RuneCountInString(was)
	p.lost++
	n.corrected++
	return true
}

func withSeqs(seqs, more []int64) []int64 {
	for _, q := range more {
		if !slices.Contains(seqs, q) {
			seqs = append(seqs, q)
		}
	}
	slices.Sort(seqs)
	return seqs
}

// shorten leaves out lines of the daily entry until it has room, the lowest scores first, and returns their number.
func (n *notebook) shorten() (left int) {
	for {
		size := 0
		var worst *entry
		for _, e := range n.entries {
			if !e.noted {
				continue
			}
			size += utf8.RuneCountInString(e.text) + len("- \n")
			if worst == nil || e.keep < worst.keep {
				worst = e
			}
		}
		if size <= maxDaily {
			return left
		}
		worst.noted = false
		left++
	}
}
