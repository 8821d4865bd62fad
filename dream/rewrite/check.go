package rewrite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reverie/dream"
	"reverie/language/claim"
	"reverie/memory"
)

// CheckInput is a new MEMORY.md with what it is held to.
type CheckInput struct {
	Before, After string
	Moved         []dream.MovedSection // sections that left for an archive; their lines are not lost
	Protected     []string             // lines that a person wrote or confirmed
	Retired       []memory.Retired     // named by the proposal, each with a reason
	// Sources are the notes. They tell the days that a new line may name, and in which words else something that passed was
	// said. What stands in them only is no source of a new line.
	Sources []string
	Ranking dream.Ranking
	Barred  []dream.State // forgotten and rejected statements: none of them may come back, in no words
}

// Codes of violations, besides those of memory.Guard.
const (
	ViolationMisplaced     = "misplaced"     // a person's line stands where it says something else
	ViolationUnsupported   = "unsupported"   // a new line is in no source
	ViolationGated         = "gated"         // a new line says what has not passed the gates
	ViolationBarred        = "barred"        // something forgotten or rejected came back
	ViolationContradiction = "contradiction" // one of two statements was chosen silently
	ViolationInstruction   = "instruction"   // a line tells an assistant what to do
	ViolationHidden        = "hidden"        // a new line shows nobody what it says
	ViolationCopied        = "copied"        // notes were copied as they are
)

const (
	// maxViolations bounds what one answer is told.
	maxViolations = 30
	// quotedChars is how much of a line a violation quotes, in characters.
	quotedChars = 160
	// hopeless is how many times the ceiling a text is long that is not read any further.
	hopeless = 4
	// checkedField is what violations call the text.
	checkedField = "memory_content"
)

// Check says what is wrong with a new MEMORY.md, in words that its author can act on; nothing: it may be written. See
// memory.Guard for the guards that both share.
//
//   - every line of a person stands as before, under the same heading, unless it is retired by name with a reason;
//   - no more than MaxRetiredShare of the lines are dropped or retired in one night;
//   - every new line is in some source: its words, and all its names, numbers and identifiers. Sources are the candidates
//     that passed, in whatever words they were noted, and MEMORY.md as it is. What waits, and what is in a note only, is not;
//     but for the days that notes name, so that "tomorrow" may become a date;
//   - nothing forgotten or rejected comes back, and no contradiction is settled silently;
//   - the ceiling holds; nothing is elided; no dialogue; nothing that the scan refuses; no instruction out of a note.
//
// At most maxViolations are named.
func Check(in CheckInput, s memory.DreamSettings) []memory.Violation {
	c := checking{CheckInput: in}
	if strings.TrimSpace(in.After) == "" {
		if strings.TrimSpace(in.Before) != "" {
			c.refuse(memory.ViolationDropped, "%s is empty: give the full new text of %s, every line that still holds", checkedField, memory.MemoryPath)
		}
		return c.violations
	}
	if in.After == in.Before {
		return nil
	}
	var moved strings.Builder
	for _, m := range in.Moved {
		moved.WriteString(strings.TrimRight(m.Text, "\n") + "\n")
	}
	_, c.violations = memory.GuardReplacement(memory.Replacement{
		Field: checkedField, Path: memory.MemoryPath, Before: in.Before, After: in.After, Moved: moved.String(), Protected: in.Protected,
		Retired: in.Retired, MaxDropShare: s.MaxRetiredShare, MaxChars: s.MemoryMaxChars, Proof: "the notes",
	})
	if utf8.RuneCountInString(in.After) <= hopeless*max(s.MemoryMaxChars, utf8.RuneCountInString(in.Before)) {
		c.written = []string{in.After, moved.String()}
		c.read()
		c.places()
		c.arrivals()
		c.returns()
		c.contradictions()
	}
	if n := len(c.violations) - maxViolations; n > 0 {
		c.violations = append(c.violations[:maxViolations:maxViolations], memory.Violation{
			Code: c.violations[maxViolations].Code, Message: fmt.Sprintf("%s has %d more faults of these kinds", checkedField, n),
		})
	}
	return c.violations
}

// checking is a check under way.
type checking struct {
	CheckInput
	written    []string // After, and what moved: a comment that is open in one of them hides nothing in the other
	before     []Claim
	after      []Claim // with those that moved
	fresh      []Claim // of after, that were not there before
	violations []memory.Violation
}

func (c *checking) refuse(code, format string, args ...any) {
	c.violations = append(c.violations, memory.Violation{Code: code, Message: fmt.Sprintf(format, args...)})
}

// read finds the statements of both texts, and those of after that are new.
func (c *checking) read() {
	c.before = claimsOf(c.Before)
	for _, text := range c.written {
		c.after = append(c.after, claimsOf(text)...)
	}
	c.fresh, _ = newIn(c.before, c.after)
}

// places checks that each line of a person says what it said: under the same heading, and by itself if it stood by itself.
func (c *checking) places() {
	protected := saidSet(c.Protected)
	stands, where := map[place]bool{}, map[string]bool{}
	for _, p := range placesOf(c.After) {
		stands[p] = true
		where[p.said] = true
	}
	told := map[string]bool{}
	for _, p := range placesOf(c.Before) {
		if !protected[p.said] || told[p.said] || !where[p.said] || stands[p] || p.nested && stands[place{p.said, p.heading, false}] {
			continue
		}
		told[p.said] = true
		over := "in front of the first heading"
		if p.heading != "" {
			over = fmt.Sprintf("under %q", Clip(p.heading, quotedChars))
		}
		c.refuse(ViolationMisplaced, "%s has a line of a person in another place than before; put it back %s, and under no other item: %s", checkedField, over, quote(p.said))
	}
}

// place is where a line says what it says.
type place struct {
	said    string
	heading string
	nested  bool
}

// placesOf are the places of the lines of a text that are statements.
func placesOf(text string) []place {
	lines := strings.Split(text, "\n")
	var out []place
	for _, e := range memory.EntriesOf(text) {
		for _, line := range lines[e.FromLine-1 : e.ToLine] {
			out = append(out, place{memory.SameLine(line), e.Heading, e.Parent >= 0})
		}
	}
	return out
}

// returns checks that nothing comes back that a person wanted gone or that was rejected.
func (c *checking) returns() {
	revived := map[memory.EntryID]bool{}
	var barred, passed []Claim
	var forgotten, unfit []bool
	for _, r := range c.Ranking.Candidates {
		switch {
		case r.Verdict == dream.VerdictPromoted:
			revived[r.ID] = true
			passed = append(passed, ClaimOf(r.Text))
			for _, id := range r.Aliases {
				revived[id] = true
			}
		case r.Verdict == dream.VerdictRejected && r.ReasonCode != dream.ReasonKnown:
			barred = append(barred, ClaimOf(r.Text))
			forgotten, unfit = append(forgotten, r.ReasonCode == dream.ReasonForgotten), append(unfit, r.ReasonCode == dream.ReasonUnfit)
		}
	}
	for _, b := range c.Barred {
		if b.Status == dream.Forgotten || b.Status == dream.Rejected && !revived[b.ID] {
			barred = append(barred, ClaimOf(b.Text))
			forgotten, unfit = append(forgotten, b.Status == dream.Forgotten), append(unfit, false)
		}
	}
	for _, line := range c.fresh {
		weighed := slices.ContainsFunc(passed, func(p Claim) bool { return p.Id == line.Id || line.coveredBy(p) })
		for i, b := range barred {
			if unfit[i] && weighed { // the same was said in a form that passed the scan by itself
				continue
			}
			// What was forgotten is not told in other words either, unless it is what passed tonight and only has something in
			// common with it. What was corrected has much in common with what is right.
			if b.Id == line.Id || claim.SameStatement(b.Says, line.Says) || forgotten[i] && !weighed && (b.MostlyIn(line) || line.MostlyIn(b)) {
				c.refuse(ViolationBarred, "%s brings back something that was taken out or turned out wrong; leave the line out: %s", checkedField, quote(line.text))
				break
			}
		}
	}
}

// contradictions checks that of two statements that cannot both hold none is chosen silently.
func (c *checking) contradictions() {
	texts := map[memory.EntryID]string{}
	for _, r := range c.Ranking.Candidates {
		texts[r.ID] = r.Text
	}
	retired := map[string]bool{}
	for _, r := range c.Retired {
		retired[memory.SameLine(r.Line)] = memory.SaysSomething(r.Reason)
	}
	for _, pair := range c.Ranking.Contradictions {
		older, newer := ClaimOf(cmp.Or(pair.OlderText, texts[pair.Older])), ClaimOf(cmp.Or(pair.NewerText, texts[pair.Newer]))
		if pair.Settled || older.text == "" || newer.text == "" {
			continue
		}
		for _, side := range [][2]Claim{{older, newer}, {newer, older}} {
			line, stated := side[0].statedIn(c.fresh)
			if !stated {
				continue
			}
			if _, both := side[1].statedIn(c.after); both {
				continue
			}
			if was, stood := side[1].statedIn(c.before); stood && retired[memory.SameLine(was)] {
				continue
			}
			c.refuse(ViolationContradiction, "%s chooses one of two statements that contradict each other, and nothing says which holds; leave this line out, and leave what stands as it is: %s", checkedField, quote(line))
		}
	}
}

// quote is a line as a message shows it.
func quote(line string) string {
	return Clip(strings.Join(strings.Fields(line), " "), quotedChars)
}

// Clip cuts a text to a number of characters.
func Clip(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
