package judge

import (
	"cmp"
	"slices"
	"strings"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// Light stages what a dream looks at: each thing that was noted or said once, in however many words and places, with the
// signals that speak for it. The same material gives the same candidates in the same order, the newest first.
//
//   - Statements with the same identity are one thing, and so are those that are Alike. It bears the identity, and the text, of
//     what is known of it; of a new one those of its newest wording. Other wordings are its aliases.
//   - What is known and was not said anew is staged when it is open and was recalled since it last was.
//   - Statements and recalls after AsOf do not count; machine text is no statement.
//   - There are at most MaxCandidates: those about the topic first, then those with more signals, then the newest. The others
//     lose nothing by waiting.
func Light(m dream.Material, s setting.DreamSettings) []dream.Candidate {
	g := gather(m)
	g.attachRecalls(m)
	var out []dream.Candidate
	for _, t := range g.things {
		if t.staged() {
			out = append(out, t.candidate())
		}
	}
	out = bounded(out, m.Topic, s.MaxCandidates)
	for i := range out {
		out[i].Tags = claim.Tags(out[i].Text)
	}
	slices.SortFunc(out, newestFirst)
	return out
}

// bounded keeps the candidates that matter most.
func bounded(candidates []dream.Candidate, topic string, limit int) []dream.Candidate {
	if limit <= 0 || len(candidates) <= limit {
		return candidates
	}
	about := make(map[markdown.EntryID]bool)
	if topic != "" {
		wanted := claim.ContentOf(topic)
		for _, c := range candidates {
			about[c.ID] = onTopic(wanted, c)
		}
	}
	slices.SortFunc(candidates, func(a, b dream.Candidate) int {
		return cmp.Or(
			boolFirst(about[a.ID], about[b.ID]),
			cmp.Compare(signalsOf(b.Signals), signalsOf(a.Signals)),
			newestFirst(a, b),
		)
	})
	return candidates[:limit]
}

// boolFirst orders true before false.
func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// newestFirst orders candidates by when they were last noted or said.
func newestFirst(a, b dream.Candidate) int {
	return cmp.Or(b.Signals.LastSeen.Compare(a.Signals.LastSeen), cmp.Compare(a.ID, b.ID))
}

// thing is what statements in however many words say, with what is known of it.
type thing struct {
	id         markdown.EntryID
	text       string
	words      claim.Words
	state      dream.State // zero when it is new
	statements []*dream.Statement
	recalls    []*dream.Recall
	aliases    []markdown.EntryID // other identities, in the order in which they were met
}

// gathering brings statements and states together.
type gathering struct {
	things    []*thing
	byID      map[markdown.EntryID]*thing
	byMessage map[message][]*thing // what was read from it, in a note or in the conversation
	index     wordIndex
}

// message is one message of a conversation.
type message struct {
	conversation string
	number       int64
}

// gather finds the things of a material. States come first, so that a statement joins what is known; then statements from the
// newest day to the oldest, so that a new thing has its newest wording. Nothing depends on the order of the input, nor on where
// in its note a statement stands.
func gather(m dream.Material) *gathering {
	g := &gathering{byID: make(map[markdown.EntryID]*thing, len(m.States)+len(m.Statements)), byMessage: map[message][]*thing{}}
	statements := statementsOf(m)
	states := slices.SortedFunc(slices.Values(m.States), func(a, b dream.State) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	texts := make([]claim.Words, 0, len(states)+len(statements))
	known := map[markdown.EntryID]int{} // index in texts
	for _, s := range states {
		known[s.ID] = len(texts)
		texts = append(texts, claim.WordsOf(s.Text))
	}
	for _, s := range statements {
		if _, ok := known[s.ID]; !ok {
			known[s.ID] = len(texts)
			texts = append(texts, claim.WordsOf(s.Text))
		}
	}
	g.index = newWordIndex(texts)
	for _, s := range states {
		if g.byID[s.ID] == nil {
			g.add(&thing{id: s.ID, text: s.Text, words: texts[known[s.ID]], state: s})
		}
	}
	for _, t := range g.things { // a state's own identity counts more than another one's alias
		for _, id := range append(slices.Sorted(slices.Values(t.state.Aliases)), markdown.EntryIDOf(t.text)) {
			g.alias(t, id)
		}
	}
	for _, s := range statements {
		t := g.find(s, texts[known[s.ID]])
		t.statements = append(t.statements, s)
		for _, n := range s.Place.Messages {
			at := message{s.Place.Conversation, n}
			if !slices.Contains(g.byMessage[at], t) {
				g.byMessage[at] = append(g.byMessage[at], t)
			}
		}
	}
	return g
}

// statementsOf are the statements that count, the newest day first.
func statementsOf(m dream.Material) []*dream.Statement {
	out := make([]*dream.Statement, 0, len(m.Statements))
	until := dream.DayOf(m.AsOf)
	for i := range m.Statements {
		if s := &m.Statements[i]; (m.AsOf.IsZero() || s.Place.Day <= until) && !notes.MachineText(s.Text) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *dream.Statement) int {
		return cmp.Or(
			cmp.Compare(b.Place.Day, a.Place.Day), cmp.Compare(a.ID, b.ID), comparePlaces(a.Place, b.Place), b.At.Compare(a.At),
			cmp.Compare(a.Text, b.Text), cmp.Compare(a.Heading, b.Heading),
		)
	})
	return out
}

// comparePlaces orders places of one day.
func comparePlaces(a, b dream.Place) int {
	return cmp.Or(
		cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Path, b.Path), cmp.Compare(a.FromLine, b.FromLine), cmp.Compare(a.ToLine, b.ToLine),
		cmp.Compare(a.Conversation, b.Conversation), slices.Compare(a.Messages, b.Messages), cmp.Compare(a.Version, b.Version),
	)
}

// find is the thing that a statement says; a new one when nothing says it yet.
func (g *gathering) find(s *dream.Statement, said claim.Words) *thing {
	t := g.byID[s.ID]
	if t != nil {
		return t
	}
	plainID := s.ID
	if strings.ContainsAny(s.Text, ":：") { // of a nested item or a row, which may stand by itself elsewhere
		plainID = markdown.EntryIDOf(s.Text)
	}
	if t = g.byID[plainID]; t == nil {
		if t = cmp.Or(g.index.alike(said), g.retold(s, said)); t == nil {
			t = &thing{id: s.ID, text: s.Text, words: said}
			g.add(t)
		}
	}
	g.alias(t, s.ID)
	g.alias(t, plainID)
	return t
}

// retold is the thing that was read from the same message as s and says the same with fewer or more words: a note names the
// person whom the conversation leaves out. Nil when there is none.
func (g *gathering) retold(s *dream.Statement, said claim.Words) *thing {
	what := claim.ContentOf(s.Text)
	for _, n := range s.Place.Messages {
		for _, t := range g.byMessage[message{s.Place.Conversation, n}] {
			if other := claim.ContentOf(t.text); t.words.Turns == said.Turns && len(what) > 1 && len(other) > 1 && (what.Within(other) || other.Within(what)) {
				return t
			}
		}
	}
	return nil
}

func (g *gathering) add(t *thing) {
	g.things = append(g.things, t)
	g.byID[t.id] = t
	g.index.add(t)
}

// alias makes an identity that nothing has yet another one of t.
func (g *gathering) alias(t *thing, id markdown.EntryID) {
	if g.byID[id] == nil {
		g.byID[id] = t
		t.aliases = append(t.aliases, id)
	}
}

// attachRecalls gives each recall to the things that it found. The order of the recalls does not matter, not even to sums.
func (g *gathering) attachRecalls(m dream.Material) {
	recalls := make([]*dream.Recall, 0, len(m.Recalls))
	for i := range m.Recalls {
		if r := &m.Recalls[i]; m.AsOf.IsZero() || !r.At.After(m.AsOf) {
			recalls = append(recalls, r)
		}
	}
	slices.SortFunc(recalls, func(a, b *dream.Recall) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Query, b.Query), cmp.Compare(a.Score, b.Score), cmp.Compare(a.Day, b.Day))
	})
	for _, r := range recalls {
		var found []*thing
		for _, id := range r.Entries {
			if t := g.byID[id]; t != nil && !slices.Contains(found, t) {
				found = append(found, t)
				t.recalls = append(t.recalls, r)
			}
		}
	}
}

const (
	// probes is how many of its rarest units a statement is looked up by. Of two alike statements the longer one has all units of
	// the shorter one, so that one would do, but for units that come in most statements.
	probes = 2
	// maxPosting bounds how many things are compared for one unit: statements that share their rarest units by the hundred (rows of
	// a log) are not worth more.
	maxPosting = 64
)

// wordIndex finds what is alike without comparing everything with everything.
type wordIndex struct {
	frequency map[string]int      // in how many texts a unit is
	byUnit    map[string][]*thing // things that have it
	byRarest  map[string][]*thing // things of whose units it is among the rarest
	order     map[*thing]int
}

// newWordIndex is an empty index that knows how frequent the units of texts are.
func newWordIndex(texts []claim.Words) wordIndex {
	x := wordIndex{
		frequency: map[string]int{}, byUnit: map[string][]*thing{}, byRarest: map[string][]*thing{}, order: map[*thing]int{},
	}
	for _, w := range texts {
		for i, key := range w.Sorted {
			if i == 0 || w.Sorted[i-1] != key {
				x.frequency[key]++
			}
		}
	}
	return x
}

// rarest are the units of a text by which it is looked up.
func (x *wordIndex) rarest(w claim.Words) []string {
	keys := slices.Compact(slices.Clone(w.Sorted))
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.frequency[a], x.frequency[b]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), probes)]
}

func (x *wordIndex) add(t *thing) {
	x.order[t] = len(x.order)
	for i, key := range t.words.Sorted {
		if i == 0 || t.words.Sorted[i-1] != key {
			x.byUnit[key] = append(x.byUnit[key], t)
		}
	}
	for _, key := range x.rarest(t.words) {
		x.byRarest[key] = append(x.byRarest[key], t)
	}
}

// alike is the thing that says the same as w: of several the one that has most in common with it, then the one that was added
// first. Nil when there is none.
func (x *wordIndex) alike(w claim.Words) *thing {
	var best *thing
	share := 0.
	consider := func(posting []*thing) {
		for _, t := range posting[:min(len(posting), maxPosting)] {
			if !claim.SameStatement(t.words, w) {
				continue
			}
			if o := t.words.Overlap(w); best == nil || o > share || o == share && x.order[t] < x.order[best] {
				best, share = t, o
			}
		}
	}
	for _, key := range x.rarest(w) {
		consider(x.byUnit[key])
	}
	for i, key := range w.Sorted {
		if i == 0 || w.Sorted[i-1] != key {
			consider(x.byRarest[key])
		}
	}
	return best
}

// MaxAliases bounds how many other identities are kept of a statement.
const MaxAliases = 64

// staged reports whether a thing is weighed: it was said in the window, or it is open and was recalled since it was last weighed.
func (t *thing) staged() bool {
	if len(t.statements) > 0 {
		return true
	}
	if t.state.Status != dream.Open && t.state.Status != "" {
		return false
	}
	since := t.state.LightAt
	if since.IsZero() {
		since = t.state.LastSeen
	}
	return slices.ContainsFunc(t.recalls, func(r *dream.Recall) bool { return r.At.After(since) })
}

// candidate is the thing as it is weighed, without its tags.
func (t *thing) candidate() dream.Candidate {
	c := dream.Candidate{
		ID: t.id, Text: t.text, Before: t.state, Aliases: t.otherIDs(), Signals: t.signals(), Places: t.places(),
	}
	for _, s := range t.statements { // the newest first
		c.Heading = cmp.Or(c.Heading, s.Heading)
		c.Corrects = cmp.Or(c.Corrects, s.Corrects)
		c.Person = c.Person || s.Person
		c.Ends = c.Ends || s.Ends
	}
	return c
}

// otherIDs are the aliases, what was known of them first.
func (t *thing) otherIDs() []markdown.EntryID {
	ids := t.aliases[:min(len(t.aliases), MaxAliases)]
	return slices.Sorted(slices.Values(ids))
}

// signals are what speaks for the thing.
func (t *thing) signals() dream.Signals {
	s := dream.Signals{Asked: t.state.Asked, LastSeen: t.state.LastSeen}
	mentions := slices.Clone(t.state.MentionDays)
	for _, said := range t.statements {
		mentions = append(mentions, said.Place.Day)
		s.Asked = s.Asked || said.Asked
		if said.At.After(s.LastSeen) {
			s.LastSeen = said.At
		}
	}
	s.MentionDays = lastDays(mentions)
	var (
		queries = map[string]bool{}
		days    []dream.Day
	)
	for _, r := range t.recalls {
		s.Recalls++
		s.RecallScore += r.Score
		queries[r.Query] = true
		days = append(days, r.Day)
		if r.At.After(s.LastRecalled) {
			s.LastRecalled = r.At
		}
	}
	s.Queries = len(queries)
	s.RecallDays = lastDays(days)
	return s
}

// lastDays are the last MaxDays distinct days, ascending.
func lastDays(days []dream.Day) []dream.Day {
	if len(days) == 0 {
		return nil
	}
	slices.Sort(days)
	days = slices.Compact(days)
	return days[max(0, len(days)-dream.MaxDays):]
}

// places are where it was noted or said, the newest first.
func (t *thing) places() []dream.Place {
	sorted := slices.SortedFunc(slices.Values(t.statements), func(a, b *dream.Statement) int {
		return cmp.Or(b.At.Compare(a.At), comparePlaces(a.Place, b.Place))
	})
	out := make([]dream.Place, 0, min(len(sorted), dream.MaxPlaces))
	for _, s := range sorted {
		if len(out) == dream.MaxPlaces {
			break
		}
		if !slices.ContainsFunc(out, func(p dream.Place) bool { return samePlace(p, s.Place) }) {
			out = append(out, s.Place)
		}
	}
	return out
}

// samePlace reports whether two places are the same lines or messages.
func samePlace(a, b dream.Place) bool {
	return a.Day == b.Day && comparePlaces(a, b) == 0
}
