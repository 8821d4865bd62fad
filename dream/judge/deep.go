// Package judge decides which statements to promote: Light gathers them, REM relates them, and Deep scores and gates them.
package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
)

// Deep scores, gates and filters candidates and gives each a verdict with its reason.
//
// A candidate is rejected or kept for the first of these that applies: it is unfit for memory; a person removed it, or it was
// undone or corrected before and not said again since; it is already in MEMORY.md or the shared one; a later statement
// corrects it; it contradicts another statement, and neither is known to hold; it fails a gate; no live source says it. Of those
// that pass, the best
// are promoted, up to the limit of one dream, and no list crowds out others that wait. A focused dream takes candidates about
// its topic first, and at most two others for three of them.
func Deep(in dream.DeepInput, s setting.DreamSettings) dream.Ranking {
	d := deep{in: in, settings: s, candidates: weighed(in, s)}
	open := d.filter()
	var passed []*dream.Candidate
	for _, c := range open {
		if failed := failing(c.Gates); len(failed) > 0 {
			c.Judge(dream.VerdictKept, reasonOf(failed), sentenceOfLacks(failed))
			continue
		}
		if len(c.Places) == 0 {
			c.Judge(dream.VerdictKept, dream.ReasonSourceGone, "It would pass, but no note or message says it any more.")
			continue
		}
		passed = append(passed, c)
	}
	chosen := d.promote(passed)
	slices.SortStableFunc(d.candidates, func(a, b dream.Candidate) int {
		return cmp.Or(cmp.Compare(verdictOrder[a.Verdict], verdictOrder[b.Verdict]), cmp.Compare(chosen[a.ID], chosen[b.ID]))
	})
	return dream.Ranking{Candidates: d.candidates, Contradictions: d.disputes}
}

// deep is the state of one Deep call.
type deep struct {
	in         dream.DeepInput
	settings   setting.DreamSettings
	candidates []dream.Candidate // best first
	disputes   []dream.Contradiction
}

var verdictOrder = map[dream.Verdict]int{dream.VerdictPromoted: 0, dream.VerdictKept: 1, dream.VerdictRejected: 2}

// weighed returns the candidates with their scores and gates, best first.
func weighed(in dream.DeepInput, s setting.DreamSettings) []dream.Candidate {
	truths := make(map[markdown.EntryID]float64, len(in.Reflection.Truths))
	for _, t := range in.Reflection.Truths {
		truths[t.Candidate] = t.Confidence
	}
	out := slices.Clone(in.Candidates)
	for i := range out {
		c := &out[i]
		c.Truth = cmp.Or(c.Truth, truths[c.ID])
		c.Components, c.Score = score(*c, in.Material.AsOf, s)
		c.Gates = gates(*c, s)
		c.Judge("", "", "")
		c.With = ""
	}
	slices.SortStableFunc(out, better)
	return out
}

// better orders candidates by score, then by number of signals, then newest first.
func better(a, b dream.Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)), newestFirst(a, b))
}

// promote sets the verdicts of candidates that passed. It returns the rank of each promoted one, from 1.
func (d *deep) promote(passed []*dream.Candidate) map[markdown.EntryID]int {
	if d.in.Mode == memory.DreamREM {
		for _, c := range passed {
			c.Judge(dream.VerdictKept, dream.ReasonModeREM, "It would pass; a dream of this kind promotes nothing.")
		}
		return nil
	}
	about, others := passed, []*dream.Candidate(nil)
	if d.in.Mode == memory.DreamFocused && d.in.Material.Topic != "" {
		about, others = d.split(passed)
	}
	limit := max(d.settings.MaxPromotions, 0)
	chosen := fair(about, limit, limit)
	rest := min(limit-len(chosen), len(chosen)*othersPerTopic/topicShare)
	full := limit-len(chosen) < len(others) && rest == limit-len(chosen)
	chosen = append(chosen, fair(others, rest, limit)...)
	taken := make(map[markdown.EntryID]int, len(chosen))
	for i, c := range chosen {
		taken[c.ID] = i + 1
		c.Judge(dream.VerdictPromoted, dream.ReasonPassed, "Passed with "+passedWith(c.Gates)+".")
	}
	night := fmt.Sprintf("It passed, but this dream may promote no more than %d; it waits for the next one.", limit)
	for _, c := range about {
		if taken[c.ID] == 0 {
			c.Judge(dream.VerdictKept, dream.ReasonNightFull, night)
		}
	}
	for _, c := range others {
		switch {
		case taken[c.ID] > 0:
		case full:
			c.Judge(dream.VerdictKept, dream.ReasonNightFull, night)
		default:
			c.Judge(dream.VerdictKept, dream.ReasonOffTopic,
				"It would pass, but this dream looked at its topic first; it waits for the next one.")
		}
	}
	return taken
}

// A focused dream promotes at most two other candidates for three about its topic.
const (
	topicShare     = 3
	othersPerTopic = 2
)

// split separates candidates about the topic from the others, both best first.
func (d *deep) split(all []*dream.Candidate) (about, others []*dream.Candidate) {
	topic := claim.ContentOf(d.in.Material.Topic)
	for _, c := range all {
		if onTopic(topic, *c) {
			about = append(about, c)
		} else {
			others = append(others, c)
		}
	}
	return about, others
}

// fair selects at most n candidates, best first. One list gets at most a third of limit while candidates of other lists wait.
func fair(all []*dream.Candidate, n, limit int) []*dream.Candidate {
	if len(all) <= n {
		return all
	}
	share := max(limit/sourceShare, 1)
	var (
		chosen, waiting []*dream.Candidate
		of              = map[string]int{}
	)
	for _, c := range all {
		if key := sourceOfCandidate(*c); of[key] < share {
			of[key]++
			chosen = append(chosen, c)
		} else {
			waiting = append(waiting, c)
		}
	}
	chosen = append(chosen, waiting...)[:max(n, 0)]
	slices.SortStableFunc(chosen, func(a, b *dream.Candidate) int { return better(*a, *b) })
	return chosen
}

// sourceShare is the divisor of the share of promotions that one list may take while others wait: 1/sourceShare.
const sourceShare = 3

// sourceOfCandidate identifies the list or conversation of the newest place of a candidate.
func sourceOfCandidate(c dream.Candidate) string {
	if len(c.Places) == 0 {
		return ""
	}
	p := c.Places[0]
	if p.Origin == dream.FromSession {
		return p.Conversation + "\x00" + p.ConversationUID.String()
	}
	return p.Path + "\x00" + c.Heading
}

// onTopic reports whether a candidate contains at least half of the words of the topic.
func onTopic(topic claim.Content, c dream.Candidate) bool {
	said := claim.ContentOf(c.Heading + "\n" + c.Text)
	common := 0
	for w := range topic {
		if said[w] {
			common++
		}
	}
	return common > 0 && 2*common >= len(topic)
}

// barred holds statements of earlier dreams that do not return on their own.
type barred struct {
	states []barredState
	zone   *time.Location
}

// barredState is such a statement with its words.
type barredState struct {
	dream.State
	ids []markdown.EntryID
	claim.Original
}

// barredBy selects the states that bar candidates: forgotten, rejected and edited statements, and promoted ones that have
// left MEMORY.md since.
func barredBy(m dream.Material, candidates []dream.Candidate) barred {
	b := barred{zone: m.AsOf.Location()}
	states := slices.Clone(m.States)
	for _, c := range candidates {
		states = append(states, c.Before)
	}
	seen := make(map[markdown.EntryID]bool, len(states))
	for _, s := range states {
		if s.Status == dream.Open || s.Status == "" || seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		b.states = append(b.states, barredState{s, append([]markdown.EntryID{s.ID}, s.Aliases...), claim.OriginalOf(s.Text, s.Sketch)})
	}
	return b
}

// bars reports whether a candidate must not return, with the reason.
//
// A forgotten statement never returns: not in other words, not with more text around it, and not as the larger part of it. A
// corrected, undone or edited statement returns when the person says it again on a later day.
func (b barred) bars(c dream.Candidate, said *claim.Compared) (code, why string, ok bool) {
	for _, s := range b.states {
		same := s.is(c, said)
		switch {
		case s.Status == dream.Forgotten:
			if same || s.ToldBy(said) {
				return dream.ReasonForgotten, "A person wanted it gone.", true
			}
		case s.Status == dream.Held:
			if same || s.ToldBy(said) {
				return dream.ReasonHeld, "It instructs the assistant: a person decides about it.", true
			}
		case !same || b.saidAnew(c, s.State):
		case s.Status == dream.Rejected && s.ReasonCode == dream.ReasonCorrected:
			return dream.ReasonCorrected, "It was corrected before, and nobody has said it again.", true
		case s.Status == dream.Rejected && s.ReasonCode == dream.ReasonRemoved:
			return dream.ReasonRemoved, "Somebody took it out of the documents, and nobody has said it again.", true
		case s.Status == dream.Rejected:
			return dream.ReasonUndone, "Its promotion was undone, and nobody has said it again.", true
		case s.Status == dream.Edited:
			return dream.ReasonKnown, "A person put other words in its place.", true
		}
	}
	return "", "", false
}

// left reports whether a candidate was promoted before and has left MEMORY.md since: somebody deleted it, reworded it or
// moved it to an archive. It returns under the same conditions as other statements.
func (b barred) left(c dream.Candidate, said *claim.Compared) bool {
	return slices.ContainsFunc(b.states, func(s barredState) bool {
		return (s.Status == dream.Promoted || s.Status == dream.Confirmed) && s.is(c, said) && !b.saidAnew(c, s.State)
	})
}

// is reports whether a candidate says the same as a state.
func (s barredState) is(c dream.Candidate, said *claim.Compared) bool {
	known := func(id markdown.EntryID) bool { return slices.Contains(s.ids, id) }
	return known(c.ID) || slices.ContainsFunc(c.Aliases, known) || s.Same(said)
}

// saidAnew reports whether the person said a candidate again on a later day than the state records.
func (b barred) saidAnew(c dream.Candidate, s dream.State) bool {
	if s.LastSeen.IsZero() {
		return false
	}
	before := dream.DayOf(s.LastSeen.In(b.zone))
	return slices.ContainsFunc(c.Places, func(p dream.Place) bool {
		return p.Day > before && (p.Origin == dream.FromSession || c.Person)
	})
}

// filter sets the verdicts of candidates that need no score and returns the others, best first.
func (d *deep) filter() []*dream.Candidate {
	var (
		barred = barredBy(d.in.Material, d.candidates)
		known  = knownIn(d.in.Memory, d.in.Shared)
		open   []*dream.Candidate
		heard  []sentence // of candidates that may correct others
	)
	for i := range d.candidates {
		c := &d.candidates[i]
		if unfit(c.Text) {
			c.Judge(dream.VerdictRejected, dream.ReasonUnfit,
				"It is not fit for memory: it reads like an order, a secret or text of a machine.")
			continue
		}
		said, compared := claim.WordsOf(c.Text), claim.Compare(c.Text)
		if code, why, ok := barred.bars(*c, compared); ok {
			c.Judge(dream.VerdictRejected, code, why)
			continue
		}
		spoken := sentenceOf(*c, -i)
		if at, ok := known.find(*c, said); ok {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, at.why)
			c.With = at.id
			at.said(spoken)
			continue
		}
		heard = append(heard, spoken)
		if barred.left(*c, compared) {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown,
				"It was promoted before and is in MEMORY.md no more, and nobody has said it again.")
			continue
		}
		open = append(open, c)
	}
	return d.undisputed(open, known.sentences(), heard)
}

// unfit reports whether a text must not be stored.
func unfit(text string) bool {
	return text == "" || notes.MachineText(text) || scan.Scan(text).Verdict != scan.VerdictAllow
}

// undisputed finds contradictions, sets the verdicts of corrected and unclear candidates, and returns the others.
func (d *deep) undisputed(open []*dream.Candidate, known, heard []sentence) []*dream.Candidate {
	inMemory := make(map[markdown.EntryID]bool, len(known))
	for _, s := range known {
		inMemory[s.id] = true
	}
	d.disputes = slices.DeleteFunc(disputes(append(known, heard...)), func(c dream.Contradiction) bool {
		return inMemory[c.Older] && inMemory[c.Newer]
	})
	corrected := map[markdown.EntryID]dream.Contradiction{}
	unclear := map[markdown.EntryID]dream.Contradiction{}
	for _, pair := range d.disputes {
		if pair.Settled {
			corrected[pair.Older] = pair
			continue
		}
		unclear[pair.Older] = cmp.Or(unclear[pair.Older], pair)
		unclear[pair.Newer] = pair
	}
	return slices.DeleteFunc(open, func(c *dream.Candidate) bool {
		if pair, ok := corrected[c.ID]; ok {
			c.Judge(dream.VerdictRejected, dream.ReasonCorrected, "A later statement corrects it: "+pair.Why+".")
			c.With = pair.Newer
			return true
		}
		pair, ok := unclear[c.ID]
		if !ok {
			return false
		}
		with := pair.Older
		if with == c.ID {
			with = pair.Newer
		}
		where := "another statement"
		if inMemory[with] {
			where = "MEMORY.md"
		}
		c.Judge(dream.VerdictKept, dream.ReasonContradiction,
			"It and "+where+" cannot both hold ("+pair.Why+"), and neither says that the other is over.")
		c.With = with
		return true
	})
}

// line is a line of MEMORY.md that a statement may repeat.
type line struct {
	id     markdown.EntryID
	text   string
	words  claim.Words
	why    string
	own    bool      // of the MEMORY.md that the dream updates
	spoken *sentence // the latest statement that says the same, or nil
}

// lines holds the lines of MEMORY.md and of the shared one.
type lines struct {
	all []*line
	ids map[markdown.EntryID]*line
}

func knownIn(own, shared string) lines {
	k := lines{ids: map[markdown.EntryID]*line{}}
	all := func(markdown.Entry) bool { return true }
	k.add(own, "MEMORY.md says it already.", true, all)
	k.add(shared, "The shared MEMORY.md says it already.", false, all)
	return k
}

// add adds the statements of a text that only selects.
func (k *lines) add(text, why string, own bool, only func(markdown.Entry) bool) {
	entries := markdown.EntriesOf(text)
	for _, e := range entries {
		if !only(e) {
			continue
		}
		said := notes.HTMLComment.ReplaceAllString(e.Text, " ")
		k.put(&line{id: e.ID, text: said, words: claim.WordsOf(said), why: why, own: own})
		if e.Parent >= 0 { // statements of notes are prefixed with their parents
			nested := notes.HTMLComment.ReplaceAllString(entries[e.Parent].Text, " ") + ": " + said
			k.put(&line{id: e.ID, words: claim.WordsOf(nested), why: why})
		}
	}
}

func (k *lines) put(l *line) {
	if k.ids[l.id] == nil {
		k.ids[l.id] = l
	}
	k.all = append(k.all, l)
}

// find returns the line that says the same as a candidate.
func (k *lines) find(c dream.Candidate, said claim.Words) (*line, bool) {
	for _, id := range append([]markdown.EntryID{c.ID}, c.Aliases...) {
		if l := k.ids[id]; l != nil {
			return l, true
		}
	}
	at := slices.IndexFunc(k.all, func(l *line) bool { return claim.SameStatement(l.words, said) })
	if at < 0 {
		return nil, false
	}
	return k.all[at], true
}

// said records the latest statement that says the same as the line.
func (l *line) said(s sentence) {
	if l.spoken == nil || s.laterThan(*l.spoken) {
		s.id = l.id
		l.spoken = &s
	}
}

// sentences returns the lines of the MEMORY.md that the dream updates. The time of a line is that of the last statement that
// says the same; without one in the window the line is older than everything else.
func (k *lines) sentences() []sentence {
	var out []sentence
	for i, l := range k.all {
		switch {
		case !l.own:
		case l.spoken != nil:
			out = append(out, *l.spoken)
		default:
			out = append(out, sentence{id: l.id, order: i - len(k.all), Reading: claim.Read(l.text)})
		}
	}
	return out
}

// Gone holds forgotten statements, to compare texts with. The zero value is empty.
type Gone struct{ barred }

// GoneOf selects the states that are Forgotten and ignores all others.
func GoneOf(states []dream.State) Gone {
	forgotten := slices.DeleteFunc(slices.Clone(states), func(s dream.State) bool { return s.Status != dream.Forgotten })
	return Gone{barredBy(dream.Material{AsOf: time.Unix(0, 0).UTC(), States: forgotten}, nil)}
}

// Said returns the forgotten statements that a text repeats: in the same or in other words, with more text around them, or
// the larger part of them. Dreams use it so that nothing forgotten returns. A text that was erased repeats all of them.
func (g Gone) Said(id markdown.EntryID, text string) []dream.State {
	same, told := g.Repeats(id, text)
	return append(same, told...)
}

// SaidBy returns the forgotten statements that a statement of a document repeats, as Said. What names no subject has that of its place.
func (g Gone) SaidBy(e markdown.Entry) []dream.State {
	same, told := g.repeats(e.ID, e.Text, Dependent(e))
	return append(same, told...)
}

// Dependent reports whether the subject of a statement that names none may be named by what is above it.
func Dependent(e markdown.Entry) bool { return e.Parent >= 0 || claim.WordsOf(e.Heading).NamesPerson() }

// Repeats separates the statements that a text makes from those that it only contains, or is a part of.
func (g Gone) Repeats(id markdown.EntryID, text string) (same, told []dream.State) {
	return g.repeats(id, text, false)
}

func (g Gone) repeats(id markdown.EntryID, text string, dependent bool) (same, told []dream.State) {
	if len(g.states) == 0 {
		return nil, nil
	}
	text = claim.Comment.ReplaceAllString(text, "")
	c, said, erased := dream.Candidate{ID: id, Text: text}, claim.Compare(text).Dependent(dependent), strings.TrimSpace(text) == memory.Erased
	for _, s := range g.states {
		switch {
		case erased || s.is(c, said):
			same = append(same, s.State)
		case s.ToldBy(said):
			told = append(told, s.State)
		}
	}
	return same, told
}

// Empty reports whether there are no forgotten statements.
func (g Gone) Empty() bool { return len(g.states) == 0 }
