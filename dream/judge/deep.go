// Package judge decides which statements are worth keeping: light and REM gather and relate them, deep scores and gates them.
package judge

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
)

// Deep scores, gates and filters candidates and gives each its verdict with the reason.
//
// A candidate is refused or waits for the first of these that holds: it is unfit for memory; a person wanted it gone, or what it
// says was undone or corrected before and not said anew since; MEMORY.md or the shared one says it already; a later statement
// corrects it; it contradicts another one, and neither says which holds; it does not pass the gates. Of those that pass, the
// best are promoted, as many as one dream may, and no list crowds out others that wait. A focused dream takes those about
// its topic first, and of others at most two for three of them.
func Deep(in dream.DeepInput, s setting.DreamSettings) dream.Ranking {
	d := deep{in: in, settings: s, candidates: weighed(in, s)}
	open := d.filter()
	var passed []*dream.Candidate
	for _, c := range open {
		if failed := failing(c.Gates); len(failed) > 0 {
			c.Judge(dream.VerdictKept, reasonOf(failed), sentenceOfLacks(failed))
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

// deep is one ranking under way.
type deep struct {
	in         dream.DeepInput
	settings   setting.DreamSettings
	candidates []dream.Candidate // best first
	disputes   []dream.Contradiction
}

var verdictOrder = map[dream.Verdict]int{dream.VerdictPromoted: 0, dream.VerdictKept: 1, dream.VerdictRejected: 2}

// weighed are the candidates with their scores and gates, best first.
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

// better orders candidates by score, then by how much speaks for them, then the newest first.
func better(a, b dream.Candidate) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)), newestFirst(a, b))
}

// promote gives those that passed their verdicts. It returns the promoted ones in their order, counted from 1.
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
	night := fmt.Sprintf("It passed, but this dream's %d promotions were used up; it waits for the next one.", limit)
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
			c.Judge(dream.VerdictKept, dream.ReasonOffTopic, "It would pass, but this dream looked at its topic first; it waits for the next one.")
		}
	}
	return taken
}

// A focused dream gives its topic three parts of its attention and everything else two.
const (
	topicShare     = 3
	othersPerTopic = 2
)

// split parts candidates by whether they are about the topic, both best first.
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

// fair takes at most n candidates, best first, and from one list at most a third of limit while candidates of other lists wait.
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

// sourceShare is the part of a night's promotions that one list may take while others wait: 1/sourceShare.
const sourceShare = 3

// sourceOfCandidate names the list or conversation that a candidate comes from: that of its newest place.
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

// onTopic reports whether a candidate has at least half of the words of the topic.
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

// barred are statements of earlier dreams that do not come back by themselves.
type barred struct {
	states []barredState
	zone   *time.Location
}

// barredState is one of them with its words.
type barredState struct {
	dream.State
	ids  []markdown.EntryID
	said claim.Words
	what claim.Content
}

// barredBy reads the states that bar: what was forgotten or rejected, what a person put other words in place of, and what was
// promoted and has left MEMORY.md since.
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
		state := barredState{State: s, ids: append([]markdown.EntryID{s.ID}, s.Aliases...)}
		if s.Text != "" {
			state.said, state.what = claim.WordsOf(s.Text), claim.ContentOf(s.Text)
		}
		b.states = append(b.states, state)
	}
	return b
}

// bars tells whether a candidate must not come back, and why.
//
// What was forgotten never does, neither in other words nor with more around it, nor the most of it by itself. What was
// corrected, undone or edited does when the person says it anew on a later day than it was said before.
func (b barred) bars(c dream.Candidate, said claim.Words) (code, why string, ok bool) {
	what := claim.ContentOf(c.Text)
	for _, s := range b.states {
		same := s.is(c, said)
		switch {
		case s.Status == dream.Forgotten:
			if same || s.tells(what) {
				return dream.ReasonForgotten, "A person wanted it gone.", true
			}
		case !same || b.saidAnew(c, s.State):
		case s.Status == dream.Rejected && s.ReasonCode == dream.ReasonCorrected:
			return dream.ReasonCorrected, "It was corrected before, and nobody has said it anew.", true
		case s.Status == dream.Rejected:
			return dream.ReasonUndone, "Its promotion was undone, and nobody has said it anew.", true
		case s.Status == dream.Edited:
			return dream.ReasonKnown, "A person put other words in its place.", true
		}
	}
	return "", "", false
}

// left reports whether a candidate was promoted before and has left MEMORY.md since, which does not say it: somebody took it
// out, put it in other words or moved it to an archive. It comes back as other statements do.
func (b barred) left(c dream.Candidate, said claim.Words) bool {
	return slices.ContainsFunc(b.states, func(s barredState) bool {
		return (s.Status == dream.Promoted || s.Status == dream.Confirmed) && s.is(c, said) && !b.saidAnew(c, s.State)
	})
}

// tells reports whether what is said has everything that a state says, or is a part of it, at least half.
func (s barredState) tells(what claim.Content) bool {
	return len(s.what) > 1 && s.what.Within(what) || len(what) > 1 && 2*len(what) >= len(s.what) && what.Within(s.what)
}

// is reports whether a candidate says what a state is of.
func (s barredState) is(c dream.Candidate, said claim.Words) bool {
	known := func(id markdown.EntryID) bool { return slices.Contains(s.ids, id) }
	return known(c.ID) || slices.ContainsFunc(c.Aliases, known) || len(s.what) > 0 && claim.SameStatement(s.said, said)
}

// saidAnew reports whether the person said a candidate on a later day than what is known of it.
func (b barred) saidAnew(c dream.Candidate, s dream.State) bool {
	if s.LastSeen.IsZero() {
		return false
	}
	before := dream.DayOf(s.LastSeen.In(b.zone))
	return slices.ContainsFunc(c.Places, func(p dream.Place) bool {
		return p.Day > before && (p.Origin == dream.FromSession || c.Person)
	})
}

// filter gives candidates that are not weighed their verdicts and returns the others, best first.
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
			c.Judge(dream.VerdictRejected, dream.ReasonUnfit, "It is not fit for memory: it reads like an order, a secret or text of a machine.")
			continue
		}
		said := claim.WordsOf(c.Text)
		if code, why, ok := barred.bars(*c, said); ok {
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
		if barred.left(*c, said) {
			c.Judge(dream.VerdictRejected, dream.ReasonKnown, "It was promoted before and is in MEMORY.md no more, and nobody has said it anew.")
			continue
		}
		open = append(open, c)
	}
	return d.undisputed(open, known.sentences(), heard)
}

// unfit reports whether a text may not become memory.
func unfit(text string) bool {
	return text == "" || notes.MachineText(text) || scan.Scan(text).Verdict != scan.VerdictAllow
}

// undisputed finds what contradicts what, gives what was corrected and what is unclear their verdicts, and returns the others.
func (d *deep) undisputed(open []*dream.Candidate, known, heard []sentence) []*dream.Candidate {
	inMemory := make(map[markdown.EntryID]bool, len(known))
	for _, s := range known {
		inMemory[s.id] = true
	}
	d.disputes = slices.DeleteFunc(disputes(append(known, heard...)), func(c dream.Contradiction) bool { return inMemory[c.Older] && inMemory[c.Newer] })
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
		c.Judge(dream.VerdictKept, dream.ReasonContradiction, "It and "+where+" cannot both hold ("+pair.Why+"), and neither says that the other is over.")
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
	own    bool      // of the MEMORY.md that is dreamed of
	spoken *sentence // the latest statement that says the same; nil: none does
}

// lines are those of MEMORY.md and of the shared one.
type lines struct {
	all []*line
	ids map[markdown.EntryID]*line
}

func knownIn(own, shared string) lines {
	k := lines{ids: map[markdown.EntryID]*line{}}
	k.add(own, "MEMORY.md says it already.", true)
	k.add(shared, "The shared MEMORY.md says it already.", false)
	return k
}

func (k *lines) add(text, why string, own bool) {
	entries := markdown.EntriesOf(text)
	for _, e := range entries {
		said := notes.HTMLComment.ReplaceAllString(e.Text, " ")
		k.put(&line{id: e.ID, text: said, words: claim.WordsOf(said), why: why, own: own})
		if e.Parent >= 0 { // statements of notes begin with what they stand under
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

// find is the line that says what a candidate says.
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

// said keeps what was said last of those that say what the line says.
func (l *line) said(s sentence) {
	if l.spoken == nil || s.laterThan(*l.spoken) {
		s.id = l.id
		l.spoken = &s
	}
}

// sentences are the lines of the MEMORY.md that is dreamed of. They were said when somebody said the same last; what nobody has
// said in the window was said before everything else.
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

// Gone are statements that a person wanted forgotten, to compare texts with. The zero value says nothing.
type Gone struct{ barred }

// GoneOf reads states. Those that are not Forgotten do not count.
func GoneOf(states []dream.State) Gone {
	forgotten := slices.DeleteFunc(slices.Clone(states), func(s dream.State) bool { return s.Status != dream.Forgotten })
	return Gone{barredBy(dream.Material{AsOf: time.Unix(0, 0).UTC(), States: forgotten}, nil)}
}

// Said returns the states of what a text says of it: in the same or in other words, with more around it, or the most of it by
// itself. It is what keeps a dream from bringing something back.
func (g Gone) Said(id markdown.EntryID, text string) []dream.State {
	if len(g.states) == 0 {
		return nil
	}
	text = claim.Comment.ReplaceAllString(text, "")
	c, said, what := dream.Candidate{ID: id, Text: text}, claim.WordsOf(text), claim.ContentOf(text)
	var out []dream.State
	for _, s := range g.states {
		if s.is(c, said) || s.tells(what) {
			out = append(out, s.State)
		}
	}
	return out
}

// Empty reports whether there is nothing to compare with.
func (g Gone) Empty() bool { return len(g.states) == 0 }
