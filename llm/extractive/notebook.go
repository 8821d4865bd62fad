package extractive

import (
	"regexp"
	"slices"
	"strings"

	"reverie/language/script"
	"reverie/memory/proposals"
)

// notebook applies statements in order and holds the resulting files.
type notebook struct {
	profile, memory *page
	shared, note    []terms
	owner           []string // names of the user, in lower case
	entries         []*entry // what goes into the daily entry, in order
	objected        objections
	in              proposals.ExtractionInput
	counts          [remembered + 1]int
	corrected       int
	finished        int  // tasks that were done
	full            bool // a ceiling kept a line out of a file
	kept            bool // a person's line kept a correction out
}

// entry is one line of the daily entry, and the lines of the files that came with it.
type entry struct {
	text  string
	seqs  []int64
	lines []string
	gone  bool // taken back later in the same conversation
	place place
	terms terms
	// sentence is the source sentence.
	sentence int
}

func newNotebook(in proposals.ExtractionInput, objected objections) *notebook {
	protected := map[string]bool{}
	for _, l := range in.Protected {
		protected[strings.TrimSpace(l)], protected[bareLine(l)] = true, true
	}
	delete(protected, "")
	n := &notebook{
		profile: newPage(in.Profile, protected, in.ProfileMaxChars), memory: newPage(in.Memory, protected, in.MemoryMaxChars),
		shared: allTerms(in.Shared), note: allTerms(in.Note), objected: objected, in: in,
	}
	for _, l := range n.profile.lines {
		if l.code || !strings.Contains(l.text, "ame") && !strings.Contains(l.text, "called") && !script.HasHan(l.text) {
			continue
		}
		for _, c := range claimsOf(strings.TrimSpace(l.text), nil) {
			if c.subject == "" && (c.attribute == "name" || c.attribute == "nickname") {
				n.owner = append(n.owner, strings.ToLower(c.value)) // lines that begin with it are about the user
				if first, _, ok := strings.Cut(strings.ToLower(c.value), " "); ok {
					n.owner = append(n.owner, first)
				}
			}
		}
	}
	return n
}

func allTerms(text string) []terms {
	var out []terms
	for line := range strings.Lines(text) {
		if t := plainLine(line); t != "" && !strings.HasPrefix(t, "#") {
			out = append(out, termsOf(t))
		}
	}
	return out
}

// take applies one statement: a known one changes nothing, a correction replaces its line, others are added.
func (n *notebook) take(s statement) {
	if s.speaker != "" && s.text == "Name is "+s.speaker+"." {
		return
	}
	s.text = s.told()
	if s.replaces != "" {
		n.repair(s)
		return
	}
	t := termsOf(s.text)
	if s.place != noteOnly && s.ends {
		n.end(s, t)
		return
	}
	if s.supersedes != "" && s.place != noteOnly && n.supersede(s, t) {
		return
	}
	claims := claimsOf(s.text, n.owner)
	if len(claims) == 0 || s.place == noteOnly {
		if n.known(s, t) {
			return
		}
	} else if page, i, verdict := n.standing(claims); verdict == same {
		n.again(page, i, s)
		return
	} else if verdict == contradicts && !n.sameBreath(page, i, s) {
		n.correct(page, i, claims, s, t)
		return
	} else if n.known(s, t) {
		return
	}
	if s.place == noteOnly && s.strength >= stated {
		if done := n.done(t); s.ifDone && !done {
			return
		}
	}
	e := n.enter(s, t)
	if s.place != noteOnly {
		n.write(s, e)
	}
}

// todoLine matches the beginning of a line about an open task.
var todoLine = regexp.MustCompile(`^(?:\S+ )?(?i:needs to\b|has to\b|must\b|to do:|wants to be reminded to\b|plans to\b|wants to\b|` +
	`will\b)|^(?:待办|需要提醒|得|要|需要|必须|打算|还得|还要)`)

// done removes the line of a task that the user reports as done; the note has the date.
func (n *notebook) done(t terms) bool {
	p := n.memory
	for i := range p.lines {
		l := p.at(i, n.owner)
		said := plainLine(l.text)
		if !todoLine.MatchString(said) || n.closed(p) {
			continue
		}
		task := termsOf(todoLine.ReplaceAllString(undated.ReplaceAllString(said, ""), ""))
		if len(task.set) >= 2 && within(task.set, t.set) && task.negated == t.negated && p.remove(i) {
			n.finished++
			return true
		}
	}
	return false
}

var undated = regexp.MustCompile(`(?:\b(?:by|on|before|until|in|around)\s+)?(?:the week of )?\d{4}-\d{2}-\d{2}(?:那周|之前|前)?|` +
	`\b(?:by|in|before|until) (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}`)

// sameBreath reports whether a line came from the sentence that s is part of: then s adds to it.
func (n *notebook) sameBreath(p *page, i int, s statement) bool {
	e := p.lines[i].fresh
	return e != nil && e.sentence == s.sentence
}

// known reports whether a file says it already; a line of this very conversation then stands on this message as well.
func (n *notebook) known(s statement, t terms) bool {
	for _, p := range []*page{n.profile, n.memory} {
		for i := range p.lines {
			if l := p.at(i, n.owner); len(l.terms.set) > 0 && l.terms.covers(t) {
				n.again(p, i, s)
				return true
			}
		}
	}
	if s.place != noteOnly && covered(n.shared, t) {
		return true
	}
	for _, e := range n.entries {
		if !e.gone && e.terms.covers(t) && (s.place == noteOnly || e.place != noteOnly) {
			e.seqs = withSeqs(e.seqs, s.seqs)
			return true
		}
	}
	return s.place == noteOnly && (covered(n.note, t) || covered(n.shared, t))
}

func covered(lines []terms, t terms) bool {
	return slices.ContainsFunc(lines, func(l terms) bool { return len(l.set) > 0 && l.covers(t) })
}

func (n *notebook) again(p *page, i int, s statement) {
	if e := p.lines[i].fresh; e != nil {
		e.seqs = withSeqs(e.seqs, s.seqs)
	}
}

func withSeqs(seqs, more []int64) []int64 {
	for _, q := range more {
		if !slices.Contains(seqs, q) {
			seqs = append(seqs, q)
		}
	}
	return seqs
}

// enter puts a statement into the daily entry. It is there even when the note has it already, as the carrier of its
// evidence; render leaves out what the note says.
func (n *notebook) enter(s statement, t terms) *entry {
	e := &entry{text: s.text, seqs: slices.Clone(s.seqs), place: s.place, terms: t, sentence: s.sentence}
	n.entries = append(n.entries, e)
	return e
}

// write adds a statement to its section.
func (n *notebook) write(s statement, e *entry) {
	p, title := n.memory, "Memory"
	if s.place.inProfile() {
		p, title = n.profile, "Profile"
	}
	if n.closed(p) {
		return
	}
	if !p.add(sectionNames[s.place], title, s.text, sectionRank, e) {
		n.full = true
		return
	}
	n.counts[s.place]++
}

func (n *notebook) closed(p *page) bool {
	return p == n.profile && n.objected.profile || p == n.memory && n.objected.memory
}

// told returns the statement as a line, with the name of the speaker if several people spoke.
func (s statement) told() string {
	if s.speaker == "" || s.place == noteOnly && s.replaces != "" {
		return s.text
	}
	switch {
	case script.HasHan(s.text):
		if s.ofUser {
			return s.speaker + s.text
		}
		if s.place.inProfile() || s.ofPerson {
			return s.speaker + "的" + s.text
		}
	case s.ofUser:
		return s.speaker + " " + lowerFirst(s.text)
	case s.place.inProfile() || s.ofPerson:
		return s.speaker + "'s " + lowerFirst(s.text)
	}
	return s.text
}
