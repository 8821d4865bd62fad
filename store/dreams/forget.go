package dreams

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/dream/rewrite"
	"reverie/facts"
	"reverie/language/claim"
	"reverie/language/sentence"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/store/erase"
	storefacts "reverie/store/facts"
	"reverie/store/gate"
	"reverie/store/pg"
)

// ForgetRequest names what a person wants forgotten: a passage of a document, or everything with some words.
type ForgetRequest struct {
	memory.Ref // without a path: what Pattern or Shown say, wherever it is

	FromLine, ToLine int              // of the document, 1-based, inclusive; 0: anywhere
	Entry            markdown.EntryID // one statement; empty: all on the lines
	Shown            string           // the text that was shown; empty: unknown. Only statements in it are forgotten.
	// Said are wordings of a statement, without the other fields: it is forgotten in any wording, in any document.
	Said []string
	// Heard are wordings of the statement in conversations. They are forgotten even if no document has them.
	Heard   []string
	Instead string // takes the place of the statement in the document that was shown; empty: nothing
	Reason  string // of the new versions; empty: forgotten on request
	// Pattern are words, in any case: every statement of every document that contains them is forgotten.
	Pattern string
	// Speaker is the person of a group who asks, named as in messages (memory.SpeakerName). With Said or Pattern, what documents quote of
	// other persons or have in their sections stays. Empty: it is anyone's.
	Speaker string
	// Erase also removes the words from earlier versions and messages, permanently.
	Erase bool
	// Preview changes nothing.
	Preview bool
	Key     string // idempotency key
}

// Limits of a pattern, in characters: a shorter one would be in everything.
const (
	MinPattern = 3
	MaxPattern = 200
)

// ForgetReceipt is the result of forgetting.
type ForgetReceipt struct {
	States  []dream.State // of the statements, with their texts; on a replay empty
	Found   []Found       // where they are; on a replay empty
	Words   erase.Redacted
	Receipt memory.Receipt
}

// Found is a statement of a document that is forgotten.
type Found struct {
	memory.Ref
	markdown.Entry

	Left string // what stays of its line, when it is one sentence or clause of it; the text is that of the sentence or clause
}

const (
	// Locks all documents that may contain the statements, in the order of all writers, so that none brings them back concurrently.
	sqlForgetLocked = `
select d.path
from documents d` + forgettable + `
for no key update`

	sqlForgetDocuments = gate.DocumentColumns + `octet_length(v.content), v.content
from documents d ` + gate.CurrentVersion + forgettable

	// The documents of an owner, or shared ones, in the order of all writers.
	forgettable = `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and not d.deleted
order by d.path collate "C"`

	sqlForgetStates = gate.StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner
    and (e.entry_id = any (@entries::text[]) or e.aliases && @entries::text[])`

	// A statement that waited for a person needs no decision any more.
	sqlHeldErased = `
update dream_entries set status = 'forgotten', reason_code = '', text = '', changed_at = @now
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and status = 'held' and text = @erased`

	// What an earlier release has kept the words of.
	sqlForgottenPlain = gate.StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.status = 'forgotten' and e.status <> 'open'
    and e.text <> ''`
)

// Forget removes statements from every document of the scope that contains them, in the same or similar words, with everything nested
// under them: from MEMORY.md, notes, structured files, the diary and reports. It erases them in what was made of documents and messages
// (drafts, summaries, refused proposals, records of dreams), and with Erase in earlier versions and messages too. Dreams, extractions,
// flushes, imports and tools do not bring the statements back; a person who says them again does. What is kept of them is a sketch.
//
// It returns *InvalidError for a request that cannot name a statement, ErrNotFound when the document does not exist or does not
// contain it (any more), and ErrForbidden when the identity may not write documents of that scope.
func (s *Dreaming) Forget(ctx context.Context, id memory.Identity, p ForgetRequest) (ForgetReceipt, error) {
	if err := p.check(&id); err != nil {
		return ForgetReceipt{}, err
	}
	if p.Scope == memory.ScopeTeam { // states of shared memory belong to owner system
		id = id.For(id.Agent, memory.SystemOwner)
	} else {
		id.AnyOwner = false
	}
	run := func(t *pg.Tx) (ForgetReceipt, error) {
		f := forgetting{t: t, passage: p}
		return f.run(ctx)
	}
	if p.Preview {
		return pg.Read(ctx, s.db, id, run)
	}
	return gate.Contended(ctx, s.db, id, run)
}

func (p *ForgetRequest) check(id *memory.Identity) error {
	ref := p.Ref
	if ref.Path == "" && (p.Pattern != "" || len(p.Said) > 0 || p.Erase && p.Shown != "") {
		ref.Path = memory.MemoryPath
	}
	path, err := gate.CheckRef(*id, "", ref)
	if err != nil {
		return err
	}
	if p.Path != "" {
		p.Path = path
	}
	p.Pattern = strings.Join(strings.Fields(p.Pattern), " ")
	n := utf8.RuneCountInString(p.Pattern)
	switch {
	case p.Scope == memory.ScopeGlobal:
		return &pg.InvalidError{Field: "scope", Problem: "change GLOBAL documents by writing them"}
	case p.Pattern != "" && (n < MinPattern || n > MaxPattern):
		return &pg.InvalidError{Field: "pattern", Problem: fmt.Sprintf("give %d to %d characters", MinPattern, MaxPattern)}
	case p.Pattern != "" && (p.Path != "" || p.Entry != "" || p.FromLine > 0 || p.Shown != ""):
		return &pg.InvalidError{Field: "pattern", Problem: "name either words or a passage of a document"}
	case len(p.Said) > 0 && (p.Path != "" || p.Pattern != "" || p.Entry != "" || p.FromLine > 0 || p.Shown != ""):
		return &pg.InvalidError{Field: "said", Problem: "name either a statement or a passage of a document"}
	case p.Pattern == "" && len(p.Said) == 0 && p.Entry == "" && p.FromLine < 1 && strings.TrimSpace(p.Shown) == "":
		return &pg.InvalidError{Field: "fromLine", Problem: "name the lines, or the statement"}
	case p.ToLine < p.FromLine:
		return &pg.InvalidError{Field: "toLine", Problem: "must not be before fromLine"}
	}
	if err := memory.ValidText("idempotency key", p.Key, gate.MaxKey); err != nil {
		return err
	}
	return gate.MayWrite(*id, p.Scope)
}

// forgetting is the forgetting of one request in progress.
type forgetting struct {
	t       *pg.Tx
	passage ForgetRequest

	recorded   *memory.Receipt
	documents  []memory.Document
	statements []markdown.Entry
	known      []dream.State // of them and of their other wordings
	plain      []dream.State // forgotten before, with their words
	names      memory.EntrySet
	words      erase.Words
	found      []Found
	unsaid     []unsaid

	kept      map[markdown.EntryID]bool // statements that stay, whatever else is a wording of theirs
	traceless bool                      // nothing recognises the statements later
	last      func(*pgx.Batch)          // queues what is committed with it
}

func (f *forgetting) args(more pgx.NamedArgs) pgx.NamedArgs {
	args := pgx.NamedArgs{"scope": f.passage.Scope, "whose": gate.RowOwner(f.t.ID, f.passage.Scope)}
	maps.Copy(args, more)
	return f.t.Args(args)
}

func (f *forgetting) run(ctx context.Context) (ForgetReceipt, error) {
	look := &pgx.Batch{}
	if !f.passage.Preview {
		look.Queue(sqlForgetLocked, f.args(nil))
	}
	if f.passage.Key != "" && !f.passage.Preview {
		gate.QueueLedger(look, f.t, f.passage.Key, &f.recorded)
	}
	pg.All(look.Queue(sqlForgetDocuments, f.args(nil)), &f.documents, gate.ScanContent)
	pg.All(look.Queue(sqlForgottenPlain, f.args(nil)), &f.plain, gate.ScanState)
	if err := f.t.Send(ctx, look); err != nil {
		return ForgetReceipt{}, err
	}
	if f.recorded != nil {
		return ForgetReceipt{Receipt: *f.recorded}, nil
	}
	if err := f.find(); err != nil {
		return ForgetReceipt{}, err
	}
	if err := f.identify(ctx); err != nil {
		return ForgetReceipt{}, err
	}
	return f.commit(ctx, f.changes())
}

// identify finds the known wordings of the statements.
func (f *forgetting) identify(ctx context.Context) error {
	f.names = memory.EntrySet{}
	for _, e := range f.statements {
		f.names.Add(e.ID, nil, e.Text)
	}
	look := &pgx.Batch{}
	entries := make([]string, 0, len(f.names))
	for entry := range f.names {
		entries = append(entries, string(entry))
	}
	pg.All(look.Queue(sqlForgetStates, f.args(pgx.NamedArgs{"entries": entries})), &f.known, gate.ScanState)
	if err := f.t.Send(ctx, look); err != nil {
		return err
	}
	f.known = slices.DeleteFunc(f.known, func(s dream.State) bool {
		return f.kept[s.ID] || slices.ContainsFunc(s.Aliases, func(id markdown.EntryID) bool { return f.kept[id] })
	})
	var said []string
	for _, e := range f.statements {
		said = append(said, e.Text)
	}
	for _, state := range f.known {
		f.names.Add(state.ID, state.Aliases, state.Text)
		said = append(said, state.Text)
	}
	f.words = erase.WordsOf([]string{f.passage.Pattern}, said).Claiming(f.wordings().claims)
	return nil
}

// find finds the statements of the request.
func (f *forgetting) find() error {
	p := f.passage
	if p.Pattern != "" {
		phrase, claims := erase.WordsOf([]string{p.Pattern}, nil), claim.Claimed{}.With(p.Pattern, false)
		for _, d := range f.documents {
			f.statements = append(f.statements, clausesWith(phrase, matching(statementsOf(d.Path, d.Content), func(e markdown.Entry) bool {
				return !f.isOfOther(d, e) && (phrase.In(e.Text) || claims.MadeBy(rewrite.WithoutComments(e.Text), judge.Dependent(e)))
			}))...)
		}
		return nil
	}
	if len(p.Said) > 0 {
		meant := wordingsOf(p.Said...)
		for _, d := range f.documents {
			if isReport(d.Path) { // which quotes statements
				continue
			}
			entries := slices.DeleteFunc(markdown.EntriesOf(d.Content), func(e markdown.Entry) bool { return f.isOfOther(d, e) })
			f.statements = append(f.statements, matching(entries, meant.has)...)
			f.statements = append(f.statements, meant.parts(entries)...)
		}
		for _, heard := range p.Heard {
			if !slices.ContainsFunc(f.statements, func(e markdown.Entry) bool { return judge.Alike(heard, rewrite.WithoutComments(e.Text)) }) {
				f.statements = append(f.statements, markdown.EntriesOf("- "+joinedWords(heard))...)
			}
		}
		if len(f.statements) == 0 {
			return fmt.Errorf("statement: %w", pg.ErrNotFound)
		}
		return nil
	}
	var entries []markdown.Entry
	at := slices.IndexFunc(f.documents, func(d memory.Document) bool { return d.Path == p.Path })
	if at >= 0 {
		entries = statementsOf(p.Path, f.documents[at].Content)
	}
	shown, lines := joinedWords(p.Shown), idsOf(p.Shown)
	meant := func(e markdown.Entry) bool {
		says := shown == "" || strings.Contains(shown, joinedWords(e.Text)) || lines[memory.ItemID(rewrite.WithoutComments(e.Text))]
		return says && (p.Entry == "" || e.ID == p.Entry)
	}
	on := func(e markdown.Entry) bool {
		return p.FromLine < 1 || e.FromLine <= p.ToLine && e.ToLine >= p.FromLine
	}
	f.statements = matching(entries, func(e markdown.Entry) bool { return on(e) && meant(e) })
	if len(f.statements) == 0 && shown != "" { // they have moved
		f.statements = matching(entries, meant)
	}
	if len(f.statements) == 0 && shown != "" && p.Entry == "" { // one sentence of a line
		f.statements = wordingsOf(shown).parts(matching(entries, on))
	}
	if len(f.statements) == 0 && p.Erase && shown != "" { // they were removed, and are to be erased where they were
		f.statements = statementsOf(p.Path, p.Shown)
	}
	switch {
	case len(f.statements) > 0:
		return nil
	case at < 0:
		return fmt.Errorf("document %s: %w", p.Path, pg.ErrNotFound)
	}
	return fmt.Errorf("statement in document %s: %w", p.Path, pg.ErrNotFound)
}

// idsOf returns the ids of a text and of each of its lines, as statements at the top level. An id has no regard to case, white space and
// the full stop, by which a text often differs from the statement that was made of it.
func idsOf(shown string) memory.EntrySet {
	ids := memory.EntrySet{}
	for _, text := range append(strings.Split(shown, "\n"), shown) {
		if text = strings.TrimSpace(text); text != "" {
			ids[markdown.EntryIDOf(text)], ids[memory.ItemID(text)] = true, true
		}
	}
	return ids
}

// isOfOther reports whether a statement is of another person of the group than the one who asks: in that person's section, or quoted with
// that person's name.
func (f *forgetting) isOfOther(d memory.Document, e markdown.Entry) bool {
	if f.passage.Speaker == "" || isReport(d.Path) {
		return false
	}
	person, name := memory.SpeakerOf(f.passage.Speaker), memory.QuotedName(f.passage.Speaker)
	if of := memory.PersonAt(d.Content, e.FromLine); of != memory.NoOwner {
		return of != person
	}
	q, quoted := claim.QuoteOf(strings.TrimSpace(rewrite.WithoutComments(e.Text)))
	return quoted && q.Speaker != "" && name != "" && name != memory.QuotedName(string(person)) && q.Speaker != name
}

// clausesWith returns statements, and in place of those that can lose every main clause with a phrase these clauses.
func clausesWith(phrase erase.Words, entries []markdown.Entry) (out []markdown.Entry) {
	for _, e := range entries {
		text := strings.TrimSpace(rewrite.WithoutComments(e.Text))
		if q, quoted := claim.QuoteOf(text); quoted {
			text = q.Words
		}
		var gone []markdown.Entry
		for _, said := range sentence.Split(text) {
			for _, clause := range sentence.Clauses(said) {
				if shorter, ok := sentence.WithoutClause(said, clause); ok && phrase.In(clause) {
					gone, text = append(gone, passage{said: clause}.entry(e)), strings.Replace(text, said, shorter, 1)
					said = shorter
				}
			}
		}
		if len(gone) == 0 || phrase.In(text) {
			gone = []markdown.Entry{e}
		}
		out = append(out, gone...)
	}
	return out
}

// statementsOf returns the statements of a document. The line below a structured entry that names its source says nothing: it is removed
// with its entry, and as a forgotten statement it would be missing below every entry that is written later on the same day.
func statementsOf(path, content string) []markdown.Entry {
	entries := markdown.EntriesOf(content)
	if strings.HasPrefix(path, structured.Folder) {
		entries = slices.DeleteFunc(entries, func(e markdown.Entry) bool { return structured.IsSourceLine(e.Text) })
	}
	return entries
}

func matching(entries []markdown.Entry, is func(markdown.Entry) bool) (out []markdown.Entry) {
	for _, e := range entries {
		if is(e) {
			out = append(out, e)
		}
	}
	return out
}

// joinedWords collapses white space.
func joinedWords(s string) string { return strings.Join(strings.Fields(s), " ") }

// isReport reports whether a document quotes statements among other words: the diary and the reports of phases.
func isReport(path string) bool {
	return path == memory.DreamsPath || strings.HasPrefix(path, "memory/dreaming/")
}

// wordings returns the statements to find their other wordings. What another source claims stays when a source is revoked.
func (f *forgetting) wordings() (w wordings) {
	for _, s := range f.statements {
		w.add(rewrite.WithoutComments(s.Text), judge.Dependent(s))
	}
	if f.kept != nil {
		w.claims, w.whole = nil, true
	}
	w.stays = f.isOfOther
	return w
}

// changes removes the statements from every document that contains them.
func (f *forgetting) changes() []memory.Change {
	var changes []memory.Change
	gone := f.wordings()
	for _, d := range f.documents {
		anywhere := f.passage.Erase || f.passage.Pattern != "" || isReport(d.Path)
		was := d.Content
		var cut []Found
		if f.kept == nil && !isReport(d.Path) {
			cut = gone.cut(&d, f.names)
			f.found = append(f.found, cut...)
		}
		found, lines := linesOf(d, func(e markdown.Entry) bool {
			if f.isOfOther(d, e) {
				return false
			}
			return f.names[e.ID] || anywhere && f.words.Dependent(judge.Dependent(e)).In(rewrite.WithoutComments(e.Text)) || gone.has(e)
		})
		for _, e := range found {
			f.names[e.ID] = true
			f.found = append(f.found, Found{Ref: memory.Ref{Scope: f.passage.Scope, Path: d.Path}, Entry: e})
		}
		content := d.Content
		switch {
		case len(lines) > 0 && f.passage.Instead != "" && d.Path == f.passage.Path:
			content = rewrite.WithoutEmptySections(memory.WithLineAt(d.Content, lines, f.passage.Instead))
		case len(lines) > 0:
			content = rewrite.WithoutEmptySections(withoutStatements(d, lines))
		}
		if _, isNote := facts.DayOf(d.Path); isNote && (len(found) > 0 || content != was) {
			said := slices.Concat(f.statements, found)
			for _, c := range cut {
				said = append(said, c.Entry)
			}
			content = untitled(content, said)
		}
		if anywhere && (f.passage.Speaker == "" || isReport(d.Path)) { // headings, code, and other sentences of long statements
			content, _ = f.words.Erase(content)
		}
		if content == was {
			continue
		}
		d.Content = was
		f.unsaid = append(f.unsaid, unsaidOf(d, content))
		changes = append(changes, memory.Change{
			Ref: memory.Ref{Scope: f.passage.Scope, Path: d.Path}, Op: memory.OpReplace, Base: d.Version,
			Reason: cmp.Or(f.passage.Reason, "forgotten on request"), Content: content,
		})
	}
	return changes
}

// linesOf returns the statements of a document that are to be removed, and the lines that are removed with them.
func linesOf(d memory.Document, goes func(markdown.Entry) bool) (found []markdown.Entry, gone []memory.LineSpan) {
	here := map[markdown.Entry]bool{}
	entries := markdown.EntriesOf(d.Content)
	for _, e := range entries {
		if goes(e) {
			here[e] = true
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	_, _, gone = memory.FindEntries(d.Content, func(e markdown.Entry) bool { return here[e] })
	if strings.HasPrefix(d.Path, structured.Folder) {
		gone = wholeSections(d.Content, entries, here, gone)
	}
	return found, gone
}

// withoutStatements removes statements from a document. A heading of a daily note, or of an import, is removed with the last of its lines.
func withoutStatements(d memory.Document, gone []memory.LineSpan) string {
	_, isNote := facts.DayOf(d.Path)
	gone = memory.WithEmptied(d.Content, gone, func(_ int, heading string) bool {
		return isNote && markdown.HeadingLevel(heading) > 1 || strings.HasPrefix(heading, memory.ImportedHeading)
	})
	return memory.WithoutLines(d.Content, gone)
}

// untitled returns a daily note in which headings that repeat one of the removed statements have lost their words. A
// heading repeats the beginning of what was below it.
func untitled(note string, statements []markdown.Entry) string {
	lines := slices.Collect(strings.Lines(note))
	for at := range markdown.HeadingLines(note) {
		if level := markdown.HeadingLevel(lines[at]); level > 1 && titlesOne(lines[at], statements) {
			hour := gate.ClockHeading.FindString(lines[at])
			lines[at] = strings.TrimRight(cmp.Or(hour, strings.Repeat("#", level)+" "+memory.Erased), " ") + "\n"
		}
	}
	return strings.Join(lines, "")
}

// minTitle is the number of words from which a heading repeats a statement.
const minTitle = 2

// titlesOne reports whether a heading has no other words than one of the statements, or all of its words.
func titlesOne(heading string, statements []markdown.Entry) bool {
	said := strings.TrimLeft(strings.TrimPrefix(heading, gate.ClockHeading.FindString(heading)), "# ")
	title := claim.WordsOf(strings.TrimRight(said, "….\r\n ")).Stems()
	return slices.ContainsFunc(statements, func(e markdown.Entry) bool {
		stems := claim.WordsOf(rewrite.WithoutComments(e.Text)).Stems()
		within := func(a, b []string) bool {
			return len(a) >= minTitle && !slices.ContainsFunc(a, func(stem string) bool { return !slices.Contains(b, stem) })
		}
		return within(title, stems) || within(stems, title)
	})
}

// wholeSections returns the lines to remove from a structured file: sections that lose all but the line about their source are removed
// whole.
func wholeSections(content string, entries []markdown.Entry, here map[markdown.Entry]bool, gone []memory.LineSpan) []memory.LineSpan {
	lines := strings.Split(content, "\n")
	var out []memory.LineSpan
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && !memory.IsHeading(lines[to]) {
			to++
		}
		loses, stays := false, !memory.IsHeading(lines[from])
		for _, e := range entries {
			if e.FromLine > from && e.FromLine <= to {
				loses = loses || here[e]
				stays = stays || !here[e] && !strings.HasPrefix(e.Text, "Source: ")
			}
		}
		if loses && !stays {
			out = append(out, memory.LineSpan{From: from, To: to})
		} else {
			out = append(out, slices.DeleteFunc(slices.Clone(gone), func(s memory.LineSpan) bool { return s.From < from || s.From >= to })...)
		}
		from = to
	}
	return out
}

// commit sends the changes through the gate, erases the words elsewhere, and stores the new states.
func (f *forgetting) commit(ctx context.Context, changes []memory.Change) (r ForgetReceipt, err error) {
	r.Found = f.found
	request := erase.Request{Words: f.words, Scope: f.passage.Scope, Sources: f.passage.Erase, Preview: f.passage.Preview}
	if f.passage.Preview {
		r.Words, err = erase.Redact(ctx, f.t, request)
		r.States = f.states()
		return r, err
	}
	w, err := gate.ApplyChanges(ctx, f.t, gate.ChangeSet{Key: f.passage.Key, Changes: changes, OwnStates: true, Approved: true})
	if err != nil {
		return r, err
	}
	act := &pgx.Batch{}
	if !f.traceless {
		r.States = f.queueStates(act)
	}
	if err := f.t.Send(ctx, act); err != nil {
		return r, err
	}
	if r.Words, err = erase.Redact(ctx, f.t, request); err != nil {
		return r, err
	}
	end := &pgx.Batch{}
	for _, u := range f.unsaid {
		u.queue(end, f.t)
	}
	end.Queue(sqlHeldErased, f.args(pgx.NamedArgs{"erased": memory.Erased}))
	if f.last != nil {
		f.last(end)
	}
	err = f.t.Finish(ctx, end)
	r.Receipt = w.Receipt
	return r, err
}

// unsaid are the statements that a document loses, with all that is nested under them.
type unsaid struct {
	storefacts.Document

	entries []string
}

func unsaidOf(d memory.Document, content string) unsaid {
	u := unsaid{Document: storefacts.Document{ID: d.ID, Agent: d.Agent, Scope: d.Scope, Owner: d.Owner, Path: d.Path}}
	for _, e := range memory.AddedEntries(content, d.Content) {
		u.entries = append(u.entries, string(e.ID))
	}
	return u
}

// queue queues taking their values out of the facts.
func (u unsaid) queue(b *pgx.Batch, t *pg.Tx) {
	if len(u.entries) > 0 {
		u.QueueUnsay(b, t, u.entries)
	}
}

// states returns the states of the forgotten statements, with their texts.
func (f *forgetting) states() (states []dream.State) {
	byID := slices.SortedFunc(slices.Values(f.statements), func(a, b markdown.Entry) int {
		return strings.Compare(string(a.ID), string(b.ID))
	})
	for _, e := range slices.CompactFunc(byID, func(a, b markdown.Entry) bool { return a.ID == b.ID }) {
		text := pg.Storable(strings.TrimSpace(rewrite.WithoutComments(e.Text)))
		states = append(states, dream.State{ID: e.ID, Text: text, Status: dream.Forgotten, LastSeen: f.t.Now})
	}
	return states
}

// queueStates queues the states of the forgotten statements, in all their wordings. They keep no words.
func (f *forgetting) queueStates(b *pgx.Batch) []dream.State {
	b.Queue(gate.SQLOwnerEnsure, f.t.Args(pgx.NamedArgs{"owner_id": pg.NewID()}))
	aliases := make([]string, 0, len(f.names))
	for entry := range f.names {
		aliases = append(aliases, string(entry))
	}
	slices.Sort(aliases)
	states := f.states()
	entries := slices.Clone(aliases)
	for _, s := range f.plain {
		entries = append(entries, string(s.ID))
	}
	pattern := markdown.EntryIDOf("- " + f.passage.Pattern)
	entries = append(entries, string(pattern))
	b.Queue(gate.SQLDreamEntriesLock, f.t.Args(pgx.NamedArgs{"entries": entries}))
	dependent := memory.EntrySet{}
	for _, e := range f.statements {
		dependent[e.ID] = judge.Dependent(e)
	}
	done := map[markdown.EntryID]bool{}
	settle := func(entry markdown.EntryID, text string, sketch *claim.Sketch, aliases []string) {
		if done[entry] {
			return
		}
		done[entry] = true
		b.Queue(sqlEntrySettle, f.t.Args(pgx.NamedArgs{
			"entry": entry, "status": dream.Forgotten, "text": text, "sketch": sketch, "aliases": aliases, "mention_days": []string{},
			"asked": false, "last_seen": f.t.Now,
		}))
	}
	for _, s := range states {
		others := []string{}
		if len(states) == 1 { // with several, it is unknown which wording belongs to which
			others = slices.DeleteFunc(slices.Clone(aliases), func(id string) bool { return id == string(s.ID) })
		} else if id := memory.ItemID(s.Text); id != s.ID {
			others = append(others, string(id))
		}
		text, sketch := settled(f.t, dream.Forgotten, s.Text, dependent[s.ID])
		settle(s.ID, text, sketch, others)
	}
	for _, s := range slices.Concat(f.known, f.plain) {
		text, sketch := settled(f.t, dream.Forgotten, s.Text, dependent[s.ID])
		settle(s.ID, text, sketch, []string{})
	}
	if f.passage.Pattern != "" {
		sketch := claim.SketchOf(saltOf(f.t), f.passage.Pattern).Claiming(claim.Claimed{}.With(f.passage.Pattern, false))
		sketch.Anywhere = true
		settle(pattern, "", &sketch, []string{})
	}
	b.Queue(sqlEntrySettleOthers, f.t.Args(pgx.NamedArgs{"status": dream.Forgotten, "sketch": nil, "others": aliases}))
	return states
}
