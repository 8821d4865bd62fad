package judge

import (
	"slices"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/language/claim"
	"reverie/memory"
)

// line is a line of MEMORY.md that a statement may repeat.
type line struct {
	id     memory.EntryID
	text   string
	words  claim.Words
	why    string
	own    bool      // of the MEMORY.md that is dreamed of
	spoken *sentence // the latest statement that says the same; nil: none does
}

// lines are those of MEMORY.md and of the shared one.
type lines struct {
	all []*line
	ids map[memory.EntryID]*line
}

func knownIn(own, shared string) lines {
	k := lines{ids: map[memory.EntryID]*line{}}
	k.add(own, "MEMORY.md says it already.", true)
	k.add(shared, "The shared MEMORY.md says it already.", false)
	return k
}

func (k *lines) add(text, why string, own bool) {
	entries := memory.EntriesOf(text)
	for _, e := range entries {
		said := notes.HtmlComment.ReplaceAllString(e.Text, " ")
		k.put(&line{id: e.ID, text: said, words: claim.WordsOf(said), why: why, own: own})
		if e.Parent >= 0 { // statements of notes begin with what they stand under
			nested := notes.HtmlComment.ReplaceAllString(entries[e.Parent].Text, " ") + ": " + said
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
	for _, id := range append([]memory.EntryID{c.ID}, c.Aliases...) {
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
