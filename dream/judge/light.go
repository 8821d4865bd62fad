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

// Light stages the input of a dream: each fact that was noted or said becomes one candidate, however often and in however
// many words it was said, with its signals. The same material gives the same candidates in the same order, newest first.
//
//   - Statements with the same identity, and those that are Alike, are one fact. It has the identity of the earlier state, and
//     for a new fact that of its newest wording. Other wordings are its aliases. Its text is one that a source still has: that
//     of a note that quotes somebody if possible, then that of the state, then the newest.
//   - A longer statement that repeats a fact (claim.Words.RestatedIn), as a whole or in one clause, is a mention of it too.
//   - A passing statement is staged when it came up on two days.
//   - A known fact that was not said again is staged when it is open and was recalled since it was last staged. It has places
//     only if a recalled note still has it.
//   - The results of one search are one recall.
//   - Statements and recalls after AsOf do not count, nor does machine text.
//   - There are at most MaxCandidates: first those about the topic, then those with more signals, then the newest. The
//     others lose nothing by waiting.
func Light(m dream.Material, s setting.DreamSettings) []dream.Candidate {
	g := gather(m)
	g.attachRecalls(m)
	var out []dream.Candidate
	for _, t := range g.things {
		t.restated = g.index.restatedOn(t)
		if t.staged(m.From) {
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

// bounded keeps the candidates with the highest priority.
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

// newestFirst orders candidates by the time at which they were last noted or said.
func newestFirst(a, b dream.Candidate) int {
	return cmp.Or(b.Signals.LastSeen.Compare(a.Signals.LastSeen), cmp.Compare(a.ID, b.ID))
}

// thing is one fact, with all statements, recalls and the earlier state of it.
type thing struct {
	id         markdown.EntryID
	text       string
	words      claim.Words
	state      dream.State // zero for a new one
	statements []*dream.Statement
	recalls    []*dream.Recall
	aliases    []markdown.EntryID // other identities, in the order in which they were found
	restated   []dream.Day        // days of longer statements that repeat it
	clauses    []claim.Words      // of its text, once split is set
	split      bool
}

// gathering groups statements and states by fact.
type gathering struct {
	things    []*thing
	byID      map[markdown.EntryID]*thing
	byMessage map[message][]*thing // facts read from a message, in a note or in the conversation
	index     wordIndex
}

// message identifies one message of a conversation.
type message struct {
	conversation string
	number       int64
}

// gather groups the material by fact. States come first, so that statements join known facts; then statements from the newest
// day to the oldest, so that a new fact gets its newest wording. The result does not depend on the order of the input, nor on
// the position of a statement in its note.
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
		texts = append(texts, undated(s.Text, s.MentionDays...))
	}
	for _, s := range statements {
		if _, ok := known[s.ID]; !ok {
			known[s.ID] = len(texts)
			texts = append(texts, undated(s.Text, s.Place.Day))
		}
	}
	g.index = newWordIndex(texts)
	for _, s := range states {
		if g.byID[s.ID] == nil {
			g.add(&thing{id: s.ID, text: s.Text, words: texts[known[s.ID]], state: s})
		}
	}
	for _, t := range g.things { // a state's own identity takes precedence over an alias of another one
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

// undated reads a statement without the dates in brackets on which it was said: "my back hurts today [2026-03-02]" says the same
// on every day.
func undated(text string, days ...dream.Day) claim.Words {
	for _, day := range days {
		text = strings.ReplaceAll(text, "["+string(day)+"]", "")
	}
	return claim.WordsOf(text)
}

// statementsOf returns the statements that count, newest day first.
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

// find returns the fact of a statement, and adds a new one when there is none yet.
func (g *gathering) find(s *dream.Statement, said claim.Words) *thing {
	t := g.byID[s.ID]
	if t != nil {
		return t
	}
	plainID := s.ID
	if q, quoted := claim.QuoteOf(s.Text); quoted && q == (claim.Quote{Words: q.Words}) { // a search finds its message without marks
		plainID = markdown.EntryIDOf(q.Words)
	} else if strings.ContainsAny(s.Text, ":：") { // a nested item or a row, which may occur without its parent elsewhere
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

// retold returns the fact that was read from the same message as s and says the same with fewer or more words: a note may
// name the person whom the conversation leaves out. It returns nil when there is none.
func (g *gathering) retold(s *dream.Statement, said claim.Words) *thing {
	what := claim.ContentOf(s.Text)
	for _, n := range s.Place.Messages {
		for _, t := range g.byMessage[message{s.Place.Conversation, n}] {
			if sameQuote(t.text, s.Text) {
				return t
			}
			if other := claim.ContentOf(t.text); t.words.Turns == said.Turns && len(what) > 1 && len(other) > 1 &&
				(what.Within(other) || other.Within(what)) {
				return t
			}
		}
	}
	return nil
}

// sameQuote reports whether two lines quote the same words, with or without the question that they answer and the speaker.
func sameQuote(a, b string) bool {
	one, ok := claim.QuoteOf(a)
	two, also := claim.QuoteOf(b)
	return ok && also && markdown.EntryIDOf(claim.Quote{Words: one.Words}.Plain()) == markdown.EntryIDOf(claim.Quote{Words: two.Words}.Plain())
}

func (g *gathering) add(t *thing) {
	g.things = append(g.things, t)
	g.byID[t.id] = t
	g.index.add(t)
}

// alias adds an identity to t unless it is taken.
func (g *gathering) alias(t *thing, id markdown.EntryID) {
	if g.byID[id] == nil {
		g.byID[id] = t
		t.aliases = append(t.aliases, id)
	}
}

// attachRecalls assigns each recall to the facts that it found. The order of the recalls has no effect, not even on sums.
func (g *gathering) attachRecalls(m dream.Material) {
	recalls := make([]*dream.Recall, 0, len(m.Recalls))
	for i := range m.Recalls {
		if r := &m.Recalls[i]; m.AsOf.IsZero() || !r.At.After(m.AsOf) {
			recalls = append(recalls, r)
		}
	}
	slices.SortFunc(recalls, func(a, b *dream.Recall) int { // of one search, the best result first
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Query, b.Query), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Day, b.Day))
	})
	for _, r := range recalls {
		for _, id := range r.Entries {
			t := g.byID[id]
			if t == nil {
				continue
			}
			if n := len(t.recalls); n == 0 || !t.recalls[n-1].At.Equal(r.At) || t.recalls[n-1].Query != r.Query {
				t.recalls = append(t.recalls, r)
			}
		}
	}
}

const (
	// probes is the number of rarest units by which a statement is looked up. Of two alike statements, the longer one has all
	// units of the shorter one, so that one unit would do, except for units that most statements have.
	probes = 2
	// maxPosting bounds the facts that are compared for one unit. Statements that share their rarest units by the hundred
	// (rows of a log) are not worth more.
	maxPosting = 64
)

// wordIndex finds alike statements without comparing all pairs.
type wordIndex struct {
	frequency map[string]int      // number of texts with a unit
	byUnit    map[string][]*thing // facts with a unit
	byRarest  map[string][]*thing // facts that have a unit among their rarest
	order     map[*thing]int
}

// newWordIndex returns an empty index with the frequencies of the units of texts.
func newWordIndex(texts []claim.Words) wordIndex {
	x := wordIndex{
		frequency: map[string]int{}, byUnit: map[string][]*thing{}, byRarest: map[string][]*thing{}, order: map[*thing]int{},
	}
	for _, w := range texts {
		for _, key := range w.Stems() {
			x.frequency[key]++
		}
	}
	return x
}

// rarest returns the units by which a text is looked up.
func (x *wordIndex) rarest(w claim.Words) []string {
	keys := w.Stems()
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.frequency[a], x.frequency[b]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), probes)]
}

func (x *wordIndex) add(t *thing) {
	x.order[t] = len(x.order)
	for _, key := range t.words.Stems() {
		x.byUnit[key] = append(x.byUnit[key], t)
	}
	for _, key := range x.rarest(t.words) {
		x.byRarest[key] = append(x.byRarest[key], t)
	}
}

// alike returns the fact that says the same as w: the one with the largest overlap, then the one that was added first. It
// returns nil when there is none.
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
	for _, key := range w.Stems() {
		consider(x.byRarest[key])
	}
	return best
}

// restatedOn returns the days on which other facts repeat t.
func (x *wordIndex) restatedOn(t *thing) []dream.Day {
	var out []dream.Day
	keys := x.rarest(t.words)
	if len(t.statements) == 0 || len(keys) == 0 {
		return nil
	}
	posting := x.byUnit[keys[0]]
	for _, o := range posting[:min(len(posting), maxPosting)] {
		if o == t {
			continue
		}
		whole := t.words.RestatedIn(o.words)
		if !whole && !o.repeats(t) {
			continue
		}
		for _, s := range o.statements {
			if whole || !s.Ends && s.Corrects == "" {
				out = append(out, s.Place.Day)
			}
		}
	}
	return out
}

// repeats reports whether a clause of t says what other says.
func (t *thing) repeats(other *thing) bool {
	if !t.split {
		t.clauses, t.split = claim.ClausesOf(t.text), true
	}
	return slices.ContainsFunc(t.clauses, other.words.RestatedIn)
}

// MaxAliases bounds the other identities stored for a statement.
const MaxAliases = 64

// minPassingDays is the number of days on which a passing statement must come up.
const minPassingDays = 2

// staged reports whether a fact becomes a candidate: it was said in the window that begins with from, or it is open and was
// recalled since it was last staged.
func (t *thing) staged(from dream.Day) bool {
	passing := true
	said := slices.ContainsFunc(t.statements, func(s *dream.Statement) bool {
		passing = passing && s.Passing
		return s.Place.Day >= from
	})
	if said && (!passing || t.state.ID != "" || len(t.signals().MentionDays) >= minPassingDays) {
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

// candidate returns the fact as a candidate, without tags.
func (t *thing) candidate() dream.Candidate {
	c := dream.Candidate{
		ID: t.id, Text: t.liveText(), Before: t.state, Aliases: t.otherIDs(), Signals: t.signals(), Places: t.places(),
	}
	for _, s := range t.statements { // newest first
		c.Heading = cmp.Or(c.Heading, s.Heading)
		c.Corrects = cmp.Or(c.Corrects, s.Corrects)
		c.Person = c.Person || s.Person
		c.Ends = c.Ends || s.Ends
	}
	return c
}

// liveText returns the wording of the candidate, see Light. A fact without a source keeps the wording of its state.
func (t *thing) liveText() string {
	own, best, text := markdown.EntryIDOf(t.text), -1, t.text
	for _, s := range t.statements { // newest first
		rank, said := 0, s.Text
		if _, quoted := claim.QuoteOf(said); quoted && s.Place.Origin == dream.FromNote {
			rank = 2
		}
		if s.ID == own {
			rank, said = rank+1, t.text
		}
		if rank > best {
			best, text = rank, said
		}
	}
	return text
}

// otherIDs returns the aliases, at most MaxAliases, sorted; those of the earlier state take precedence.
func (t *thing) otherIDs() []markdown.EntryID {
	ids := t.aliases[:min(len(t.aliases), MaxAliases)]
	return slices.Sorted(slices.Values(ids))
}

// signals returns the evidence for the fact.
func (t *thing) signals() dream.Signals {
	s := dream.Signals{Asked: t.state.Asked, LastSeen: t.state.LastSeen}
	mentions := slices.Concat(t.state.MentionDays, t.restated)
	for _, said := range t.statements {
		mentions = append(mentions, said.Place.Day)
		s.Asked = s.Asked || said.Asked
		if said.At.After(s.LastSeen) {
			s.LastSeen = said.At
		}
	}
	s.MentionDays = lastDays(mentions)
	if len(s.MentionDays) == 0 { // a question that finds something is not evidence that anybody said it
		return s
	}
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

// lastDays returns the last MaxDays distinct days, ascending.
func lastDays(days []dream.Day) []dream.Day {
	if len(days) == 0 {
		return nil
	}
	slices.Sort(days)
	days = slices.Compact(days)
	return days[max(0, len(days)-dream.MaxDays):]
}

// places returns the places of the fact, newest first.
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

// Known holds statements of a document, to compare texts with. The zero value holds none.
type Known struct{ lines }

// KnownOf returns the statements of a document that only selects.
func KnownOf(content string, only func(markdown.Entry) bool) Known {
	k := Known{lines{ids: map[markdown.EntryID]*line{}}}
	k.add(content, "", true, only)
	return k
}

// Says reports whether a statement makes one of them, in the same or in other words. Dreams reject such candidates as known.
func (k Known) Says(e markdown.Entry) bool {
	if len(k.all) == 0 {
		return false
	}
	text := claim.Comment.ReplaceAllString(e.Text, "")
	_, found := k.find(dream.Candidate{ID: e.ID, Text: text}, claim.WordsOf(text))
	return found
}

// Live returns staged candidates with the places that notes still have; said are the statements of the notes as they are now.
// Messages never change. A candidate gets the wording of a source that it still has; one without places is not promoted.
func Live(candidates []dream.Candidate, said []dream.Statement) []dream.Candidate {
	type key struct {
		path string
		id   markdown.EntryID
	}
	live := make(map[key]dream.Statement, len(said))
	for _, s := range said {
		live[key{s.Place.Path, s.ID}] = s
	}
	out := slices.Clone(candidates)
	for i := range out {
		c := &out[i]
		own, text, standing := markdown.EntryIDOf(c.Text), "", false
		var places []dream.Place
		for _, p := range c.Places {
			if p.Origin != dream.FromNote {
				places, standing = append(places, p), true
				continue
			}
			for _, id := range append([]markdown.EntryID{own, c.ID}, c.Aliases...) {
				s, found := live[key{p.Path, id}]
				if !found {
					continue
				}
				p.Version, p.FromLine, p.ToLine = s.Place.Version, s.Place.FromLine, s.Place.ToLine
				places, standing = append(places, p), standing || id == own
				if text == "" {
					text = s.Text
				}
				break
			}
		}
		if c.Places = places; !standing && text != "" {
			c.Text = text
		}
	}
	return out
}
