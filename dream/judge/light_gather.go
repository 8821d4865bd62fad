package judge

import (
	"cmp"
	"slices"
	"strings"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory"
)

// thing is what statements in however many words say, with what is known of it.
type thing struct {
	id         memory.EntryID
	text       string
	words      claim.Words
	state      dream.State // zero when it is new
	statements []*dream.Statement
	recalls    []*dream.Recall
	aliases    []memory.EntryID // other identities, in the order in which they were met
}

// gathering brings statements and states together.
type gathering struct {
	things    []*thing
	byID      map[memory.EntryID]*thing
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
	g := &gathering{byID: make(map[memory.EntryID]*thing, len(m.States)+len(m.Statements)), byMessage: map[message][]*thing{}}
	statements := statementsOf(m)
	states := slices.SortedFunc(slices.Values(m.States), func(a, b dream.State) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	texts := make([]claim.Words, 0, len(states)+len(statements))
	known := map[memory.EntryID]int{} // index in texts
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
		for _, id := range append(slices.Sorted(slices.Values(t.state.Aliases)), memory.EntryIDOf(t.text)) {
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
		plainID = memory.EntryIDOf(s.Text)
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
func (g *gathering) alias(t *thing, id memory.EntryID) {
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
