package dreams

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/judge"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/proposals"
	"reverie/store/erase"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Reasons of versions from which revoked statements were removed.
const (
	RevokedReason = "the conversation that it was learned from was deleted"
	SourceReason  = "what it was learned from was revoked"
)

// Origin selects what came from a source: all of some conversations, what some workflows wrote, and what was written and said with a key
// in a period.
type Origin struct {
	Conversations map[string]bool // the client's ids
	Workflows     map[string]bool
	Key           string    // empty: none
	Since, Until  time.Time // of the key, from Since to before Until; zero: unbounded
}

func (o Origin) isKey(key string, at time.Time) bool {
	return o.Key != "" && key == o.Key && !at.Before(o.Since) && (o.Until.IsZero() || at.Before(o.Until))
}

// wrote reports whether a line was written by a workflow, or with the key, of the origin.
func (o Origin) wrote(l memory.BlameLine) bool {
	direct := l.Author.Kind == memory.AuthorUser || l.Author.Kind == memory.AuthorWorkflow
	return o.Workflows[l.Author.WorkflowID] || direct && o.isKey(l.Author.ID, l.At) || o.isKey(l.Key, l.At)
}

// Why is a reason why a statement of a source stays.
type Why string

// Reasons, and that of a statement that is removed.
const (
	WhyGoes      Why = ""
	WhyPerson    Why = "person"    // a person wrote it
	WhyElsewhere Why = "elsewhere" // a document has it from elsewhere
	WhySaid      Why = "said"      // it was said elsewhere
	WhyMixed     Why = "mixed"     // a part of it came from elsewhere
)

// Weighed is a statement of a source that is removed or kept.
type Weighed struct {
	memory.Ref
	markdown.Entry

	Why Why
	In  string // path of the document that has it from elsewhere
}

// RevokeRequest says what is revoked for one owner.
type RevokeRequest struct {
	Origin
	// Revocation and Deletion say whose record counts the result; one of them is set, or Preview.
	Revocation, Deletion uuid.UUID
	// Again undoes the dreams based on what is removed, so that they can be repeated (UndoneDreams).
	Again   bool
	Preview bool // changes nothing
}

// Revoked is the result of taking back what rests only on a source.
type Revoked struct {
	Weighed    []Weighed
	Statements int // that are removed
	Kept       int // that stay
	Documents  int // that change
	Dreams     int // that are dreamed again
	Receipt    memory.Receipt
}

const (
	// The histories of the documents of an owner, or of shared ones.
	sqlLearnedHistories = `
select d.path, v.version, v.deleted, v.content, v.sources, v.author_kind, v.author_id, v.workflow_id, v.created_at
from documents d
cross join lateral (
    select *
    from document_versions v
    where v.workspace_id = @workspace and v.agent_id = @agent and v.document_id = d.document_id
    offset 0) v
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = @scope and d.owner_key = @whose and not d.deleted
order by d.path collate "C", v.version`

	// What the owner said.
	sqlOwnersWords = `
select c.conversation_id, m.seq, m.author_id, m.stored_at, case when @contents then m.content else '' end
from messages m
join conversations c on c.workspace_id = @workspace and c.agent_id = @agent and c.conversation_uid = m.conversation_uid
    and c.owner_key = m.owner_key
where m.workspace_id = @workspace and m.agent_id = @agent and m.owner_key = @owner and m.role = 'user'`

	sqlHeldTexts = gate.StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.status = 'held' and e.text <> ''`

	// Refused proposals of a conversation are not retried.
	sqlProposalsDropped = `
update extractions set draft = null, raw = '', violations = '[]'
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and conversation_id = any (@conversations::text[])
    and outcome = 'quarantined' and finished_at is not null`

	// Conversations with messages of the source, locked as extractions and flushes lock them.
	sqlRevokedTalks = `
select c.conversation_uid, c.conversation_id = any (@conversations::text[])
from conversations c
where c.workspace_id = @workspace and c.agent_id = @agent and c.owner_key = @owner
    and (c.conversation_id = any (@conversations::text[]) or @key <> '' and exists (
        select
        from messages m
        where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = c.conversation_uid and m.owner_key = @owner
            and m.author_id = @key and m.stored_at >= @since and m.stored_at < @until))
order by c.conversation_uid
for no key update of c`

	// Nothing is learned from its messages any more, in whatever step they are. A run that works on them starts over.
	sqlMessagesRevoked = `
update messages m set revoked_at = @now
where m.workspace_id = @workspace and m.agent_id = @agent and m.conversation_uid = any (@uids::uuid[]) and m.owner_key = @owner
    and m.revoked_at is null
    and (m.conversation_uid = any (@whole::uuid[]) or m.author_id = @key and m.stored_at >= @since and m.stored_at < @until)`

	sqlRunsRevoked = `
update extractions set draft = null, raw = '', run_id = ''
where workspace_id = @workspace and agent_id = @agent and conversation_uid = any (@uids::uuid[]) and outcome in ('running', 'waiting')
    and owner_key = @owner`

	// What was refused of the source, and what waits for its commit.
	sqlRefusedRaw = `
select raw
from extractions
where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and conversation_uid = any (@whole::uuid[])
    and outcome = 'quarantined' and raw <> ''`

	sqlRestedDreams = `
select c.dream_id, c.entry_id, c.body
from dreams x
join dream_candidates c on c.workspace_id = @workspace and c.agent_id = @agent and c.dream_id = x.dream_id and c.owner_key = @owner
where x.workspace_id = @workspace and x.agent_id = @agent and x.owner_key = @owner and x.outcome = 'written' and x.reverted_at is null
    and x.again_as is null and not x.dry_run and x.replay_of is null and c.verdict = 'promoted'
order by c.dream_id desc`

	sqlRevokedCount = `
update deletions set revoked = revoked + @revoked
where workspace_id = @workspace and agent_id = @agent and deletion_id = @deletion and started_at is not null and finished_at is null`

	sqlRevokedDone = `
update revocations set state = 'done', statements = @revoked, kept = @stay, documents = @documents, dreams = @dreams, finished_at = @now
where workspace_id = @workspace and agent_id = @agent and revocation_id = @revocation and owner_key = @owner and state = 'waiting'`
)

// UndoneBy returns the author of reverts by a revocation or a deletion.
func UndoneBy(record uuid.UUID) string { return "revoked:" + record.String() }

// Revoke removes the statements of an owner whose only source is an origin, in one transaction: from documents, and the words
// from all that was made of them, as Forget does. A statement stays when a person wrote it, when another document has it from elsewhere, or
// when it was said elsewhere. Of a deletion, it is removed from earlier versions as well, and nothing is kept to recognise it.
func (s *Dreaming) Revoke(ctx context.Context, id memory.Identity, p RevokeRequest) (Revoked, error) {
	if err := pg.RequireOwner(id); err != nil {
		return Revoked{}, err
	}
	id.AnyOwner = false
	scope := DreamScope(id.Owner)
	if err := gate.MayWrite(id, scope); err != nil {
		return Revoked{}, err
	}
	run := func(t *pg.Tx) (Revoked, error) {
		r := &revoking{p: p, forgetting: forgetting{t: t, kept: map[markdown.EntryID]bool{}, traceless: p.Deletion != uuid.Nil}}
		r.passage = ForgetRequest{
			Ref: memory.Ref{Scope: scope}, Reason: SourceReason, Erase: r.traceless, Preview: p.Preview,
		}
		if r.traceless {
			r.passage.Reason = RevokedReason
		}
		return r.run(ctx)
	}
	if p.Preview {
		return pg.Read(ctx, s.db, id, run)
	}
	return gate.Contended(ctx, s.db, id, run)
}

// learnedDocument is a document with its history.
type learnedDocument struct {
	path    string
	history []memory.Version
}

// revoking is the revocation of one owner in progress.
type revoking struct {
	forgetting

	p         RevokeRequest
	histories []*learnedDocument
	held      []dream.State
	refused   []string                  // answers of engines
	said      map[string]map[int64]bool // numbers of messages by conversation, and whether they are of the origin; with a key only
	others    []placed
	out       Revoked
}

// placed is a statement that does not rest on the origin.
type placed struct {
	markdown.Entry

	path   string
	person bool
}

func (r *revoking) run(ctx context.Context) (Revoked, error) {
	if !r.p.Preview && !r.traceless {
		if err := r.silence(ctx); err != nil {
			return Revoked{}, err
		}
	}
	look := &pgx.Batch{}
	if !r.p.Preview {
		look.Queue(sqlForgetLocked, r.args(nil))
	}
	look.Queue(sqlLearnedHistories, r.args(nil)).Query(r.scanHistories)
	pg.All(look.Queue(sqlForgetDocuments, r.args(nil)), &r.documents, gate.ScanContent)
	pg.All(look.Queue(sqlForgottenPlain, r.args(nil)), &r.plain, gate.ScanState)
	pg.All(look.Queue(sqlHeldTexts, r.args(nil)), &r.held, gate.ScanState)
	if r.p.Key != "" {
		r.said = map[string]map[int64]bool{}
		r.queueSaid(look, false, func(conversation string, seq int64, ours bool, _ string) {
			if r.said[conversation] == nil {
				r.said[conversation] = map[int64]bool{}
			}
			r.said[conversation][seq] = ours
		})
	}
	if err := r.t.Send(ctx, look); err != nil {
		return Revoked{}, err
	}
	r.weigh()
	if err := r.keepSaidElsewhere(ctx); err != nil {
		return Revoked{}, err
	}
	r.follow()
	for _, o := range r.others {
		r.kept[o.ID] = true
	}
	if err := r.identify(ctx); err != nil {
		return Revoked{}, err
	}
	if err := r.undo(ctx); err != nil {
		return Revoked{}, err
	}
	changes := r.changes()
	r.out.Statements, r.out.Documents = len(r.states()), len(changes)
	for _, w := range r.out.Weighed {
		if w.Why != WhyGoes {
			r.out.Kept++
		}
	}
	return r.settle(ctx, changes)
}

// silence marks the messages of the origin, so that nothing is learned from them any more, and reads what was refused of them. Conversations
// are locked before documents, as by those who learn.
func (r *revoking) silence(ctx context.Context) error {
	conversations := make([]string, 0, len(r.p.Conversations))
	for c := range r.p.Conversations {
		conversations = append(conversations, c)
	}
	until := any(r.p.Until)
	if r.p.Until.IsZero() {
		until = "infinity"
	}
	uids, whole := []uuid.UUID{}, []uuid.UUID{}
	args := r.args(pgx.NamedArgs{"conversations": conversations, "key": r.p.Key, "since": r.p.Since, "until": until})
	b := &pgx.Batch{}
	b.Queue(sqlRevokedTalks, args).Query(func(rows pgx.Rows) error {
		var uid uuid.UUID
		var all bool
		_, err := pgx.ForEachRow(rows, []any{&uid, &all}, func() error {
			if uids = append(uids, uid); all {
				whole = append(whole, uid)
			}
			return nil
		})
		return err
	})
	if err := r.t.Send(ctx, b); err != nil || len(uids) == 0 {
		return err
	}
	args["uids"], args["whole"] = uids, whole
	b = &pgx.Batch{}
	pg.All(b.Queue(sqlRefusedRaw, args), &r.refused, pgx.RowTo[string])
	b.Queue(sqlMessagesRevoked, args)
	b.Queue(sqlRunsRevoked, args)
	return r.t.Send(ctx, b)
}

// refusedStatements returns the statements of refused proposals that no document has.
func (r *revoking) refusedStatements() (out []markdown.Entry) {
	had := map[markdown.EntryID]bool{}
	for _, d := range r.histories {
		for _, e := range markdown.EntriesOf(d.history[len(d.history)-1].Content) {
			had[e.ID] = true
		}
	}
	for _, raw := range r.refused {
		p, err := proposals.ParseProposal(raw)
		if err != nil {
			continue
		}
		for _, text := range []string{p.DailyEntry, p.MemoryUpdate, p.ProfileUpdate} {
			for _, e := range markdown.EntriesOf(text) {
				if !had[e.ID] {
					had[e.ID] = true
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// settle writes what was decided, with the record.
func (r *revoking) settle(ctx context.Context, changes []memory.Change) (Revoked, error) {
	if r.p.Preview {
		return r.out, nil
	}
	r.last = func(b *pgx.Batch) {
		conversations := make([]string, 0, len(r.p.Conversations))
		for c := range r.p.Conversations {
			conversations = append(conversations, c)
		}
		args := r.args(pgx.NamedArgs{
			"revoked": r.out.Statements, "stay": r.out.Kept, "documents": r.out.Documents, "dreams": r.out.Dreams,
			"deletion": r.p.Deletion, "revocation": r.p.Revocation, "conversations": conversations,
		})
		if r.traceless {
			b.Queue(sqlRevokedCount, args)
			return
		}
		b.Queue(sqlProposalsDropped, args)
		b.Queue(sqlRevokedDone, args)
	}
	if len(r.statements) == 0 {
		b := &pgx.Batch{}
		r.last(b)
		return r.out, r.t.Finish(ctx, b)
	}
	done, err := r.commit(ctx, changes)
	r.out.Receipt = done.Receipt
	return r.out, err
}

func (r *revoking) scanHistories(rows pgx.Rows) error {
	for rows.Next() {
		var v memory.Version
		var path string
		if err := rows.Scan(&path, &v.Number, &v.Deleted, &v.Content, &v.Sources, &v.Author.Kind, &v.Author.ID, &v.Author.WorkflowID,
			&v.CreatedAt); err != nil {
			return err
		}
		if n := len(r.histories); n == 0 || r.histories[n-1].path != path {
			r.histories = append(r.histories, &learnedDocument{path: path})
		}
		d := r.histories[len(r.histories)-1]
		d.history = append(d.history, v)
	}
	return rows.Err()
}

// queueSaid queues reading the owner's messages, and whether the origin covers them.
func (r *revoking) queueSaid(b *pgx.Batch, contents bool, each func(conversation string, seq int64, ours bool, content string)) {
	b.Queue(sqlOwnersWords, r.args(pgx.NamedArgs{"contents": contents})).Query(func(rows pgx.Rows) error {
		var conversation, key, content string
		var seq int64
		var at time.Time
		_, err := pgx.ForEachRow(rows, []any{&conversation, &seq, &key, &at, &content}, func() error {
			each(conversation, seq, r.p.Conversations[conversation] || r.p.isKey(key, at), content)
			return nil
		})
		return err
	})
}

// rests reports whether a line came from the origin and from nothing else.
func (r *revoking) rests(l memory.BlameLine) bool {
	if r.p.Conversations[l.Conversation] || r.p.wrote(l) {
		return true
	}
	ours := false
	for seq, of := range r.said[l.Conversation] {
		covered := seq >= l.From && seq <= l.To
		if len(l.Messages) > 0 {
			covered = slices.Contains(l.Messages, seq)
		}
		if covered && !of {
			return false
		}
		ours = ours || covered
	}
	return ours
}

// weigh finds the statements that came from the origin, and those of them that documents have from elsewhere.
func (r *revoking) weigh() {
	var learned []Weighed
	for _, d := range r.histories {
		lines := memory.Blame(d.history)
		for _, e := range statementsOf(d.path, d.history[len(d.history)-1].Content) {
			from := lines[max(0, e.FromLine-1):min(len(lines), e.ToLine)]
			from = slices.DeleteFunc(slices.Clone(from), func(l memory.BlameLine) bool { return strings.TrimSpace(l.Line) == "" })
			isOther := func(l memory.BlameLine) bool { return !r.rests(l) }
			isPerson := func(l memory.BlameLine) bool { return isOther(l) && l.Author.Kind == memory.AuthorUser }
			isDream := func(l memory.BlameLine) bool { return l.Author.Kind == memory.AuthorDream }
			other, person := slices.ContainsFunc(from, isOther), slices.ContainsFunc(from, isPerson)
			w := Weighed{Ref: memory.Ref{Scope: r.passage.Scope, Path: d.path}, Entry: e}
			switch {
			case slices.ContainsFunc(from, r.rests):
				if other {
					w.Why = WhyMixed
				}
				if person {
					w.Why = WhyPerson
				}
				learned = append(learned, w)
			// Text that a dream or a phase derived from other text is not a source.
			case !isReport(d.path) && !slices.ContainsFunc(from, isDream):
				r.others = append(r.others, placed{e, d.path, person})
			}
		}
	}
	for _, w := range learned {
		if w.Why != WhyGoes {
			r.others = append(r.others, placed{w.Entry, w.Path, w.Why == WhyPerson})
		}
	}
	for i, w := range learned {
		if w.Why == WhyGoes {
			if o, found := r.elsewhere(w.Entry); found {
				learned[i].Why, learned[i].In = WhyElsewhere, o.path
				if o.person {
					learned[i].Why = WhyPerson
				}
			}
		}
	}
	r.out.Weighed = learned
}

// elsewhere returns a statement that says the same and does not rest on the origin, one of a person first.
func (r *revoking) elsewhere(e markdown.Entry) (found placed, is bool) {
	words := erase.WordsOf(nil, []string{e.Text})
	for _, o := range r.others {
		if !found.person && (!is || o.person) && (same(e, o.Entry) || words.In(o.Text)) {
			found, is = o, true
		}
	}
	return found, is
}

// same reports whether two statements say the same.
func same(a, b markdown.Entry) bool {
	return a.ID == b.ID || judge.Alike(rewrite.WithoutComments(a.Text), rewrite.WithoutComments(b.Text))
}

// keepSaidElsewhere keeps the statements that were said elsewhere, and adds those that wait for a person and were said in the origin only.
func (r *revoking) keepSaidElsewhere(ctx context.Context) error {
	type heard struct{ here, elsewhere bool }
	texts := make([]string, 0, len(r.out.Weighed)+len(r.held))
	for _, w := range r.out.Weighed {
		texts = append(texts, w.Text)
	}
	for _, s := range r.held {
		texts = append(texts, s.Text)
	}
	refused := r.refusedStatements()
	for _, e := range refused {
		texts = append(texts, e.Text)
	}
	if len(texts) == 0 {
		return nil
	}
	words, of := make([]erase.Words, len(texts)), make([]heard, len(texts))
	for i, text := range texts {
		words[i] = erase.WordsOf(nil, []string{text})
	}
	b := &pgx.Batch{}
	r.queueSaid(b, true, func(_ string, _ int64, ours bool, content string) {
		for i, w := range words {
			if ours && of[i].here || !ours && of[i].elsewhere {
				continue
			}
			if _, n := w.Erase(content); n > 0 {
				of[i].here, of[i].elsewhere = of[i].here || ours, of[i].elsewhere || !ours
			}
		}
	})
	if err := r.t.Send(ctx, b); err != nil {
		return err
	}
	n := len(r.out.Weighed)
	for i := range r.out.Weighed {
		w := &r.out.Weighed[i]
		if w.Why == WhyGoes && of[i].elsewhere {
			w.Why = WhySaid
			r.others = append(r.others, placed{w.Entry, w.Path, false})
		}
		if w.Why == WhyGoes {
			r.statements = append(r.statements, w.Entry)
		}
	}
	for i, s := range r.held {
		e := markdown.Entry{ID: s.ID, Text: s.Text}
		if _, found := r.elsewhere(e); of[n+i].here && !of[n+i].elsewhere && !found {
			r.statements = append(r.statements, e)
			r.out.Weighed = append(r.out.Weighed, Weighed{Ref: memory.Ref{Scope: r.passage.Scope}, Entry: e})
		}
	}
	n += len(r.held)
	for i, e := range refused { // only a sketch is kept: no document has them
		if _, found := r.elsewhere(e); !of[n+i].elsewhere && !found {
			r.statements = append(r.statements, e)
		}
	}
	return nil
}

// follow adds what dreams have made of the statements that are removed: a dream may have noted no messages with a line.
func (r *revoking) follow() {
	gone := slices.Clone(r.statements)
	for _, d := range r.histories {
		lines := memory.Blame(d.history)
		for _, e := range markdown.EntriesOf(d.history[len(d.history)-1].Content) {
			dreamt := isReport(d.path) || lines[min(max(0, e.FromLine-1), len(lines)-1)].Author.Kind == memory.AuthorDream
			known := slices.ContainsFunc(r.out.Weighed, func(w Weighed) bool { return w.Path == d.path && w.FromLine == e.FromLine })
			if !dreamt || known || !slices.ContainsFunc(gone, func(g markdown.Entry) bool { return same(e, g) }) {
				continue
			}
			if _, found := r.elsewhere(e); !found {
				r.statements = append(r.statements, e)
				r.out.Weighed = append(r.out.Weighed, Weighed{Ref: memory.Ref{Scope: r.passage.Scope, Path: d.path}, Entry: e})
			}
		}
	}
}

// undo undoes the dreams that promoted the statements, the last one first, and reads the documents again. Dreams whose lines were changed
// since stay as they are; so do all when they cannot be dreamed again.
func (r *revoking) undo(ctx context.Context) error {
	if !r.p.Again || len(r.statements) == 0 {
		return nil
	}
	var rested []uuid.UUID
	b := &pgx.Batch{}
	b.Queue(sqlRestedDreams, r.args(nil)).Query(func(rows pgx.Rows) error {
		var of uuid.UUID
		var entry markdown.EntryID
		var c dream.Candidate
		_, err := pgx.ForEachRow(rows, []any{&of, &entry, &c}, func() error {
			made := markdown.Entry{ID: entry, Text: c.Text}
			if slices.ContainsFunc(r.statements, func(e markdown.Entry) bool {
				return same(made, e) || slices.Contains(c.Aliases, e.ID)
			}) && !slices.Contains(rested, of) {
				rested = append(rested, of)
			}
			c = dream.Candidate{} // not shared with the next row
			return nil
		})
		return err
	})
	if err := r.t.Send(ctx, b); err != nil {
		return err
	}
	if r.p.Preview || len(rested) == 0 {
		r.out.Dreams = len(rested)
		return nil
	}
	for _, of := range rested {
		done, err := undoWithin(ctx, r.t, of, UndoneBy(r.record()))
		if err != nil {
			return fmt.Errorf("undo dream %s: %w", of, err)
		}
		if done {
			r.out.Dreams++
		}
	}
	r.documents = nil
	b = &pgx.Batch{}
	pg.All(b.Queue(sqlForgetDocuments, r.args(nil)), &r.documents, gate.ScanContent)
	return r.t.Send(ctx, b)
}

func (r *revoking) record() uuid.UUID {
	if r.traceless {
		return r.p.Deletion
	}
	return r.p.Revocation
}

// undoWithin undoes a dream as a part of a transaction. It reports false for one whose lines were changed since.
func undoWithin(ctx context.Context, t *pg.Tx, of uuid.UUID, by string) (bool, error) {
	u := &undoing{t: t}
	found := false
	b := &pgx.Batch{}
	queueReport(b, t, of, &u.dream, &found)
	if err := t.Send(ctx, b); err != nil || !found {
		return false, err
	}
	if _, already, err := u.look(ctx); err != nil || already {
		return false, err
	}
	changes, conflicts := u.changes()
	if len(conflicts) > 0 {
		return false, nil
	}
	set := gate.ChangeSet{
		Key: u.ledgerKey(), Author: memory.Author{Kind: memory.AuthorDream, ID: by}, Changes: append(changes, u.note()), OwnStates: true, Approved: true,
	}
	if _, err := gate.ApplyChanges(ctx, t, set); err != nil {
		return false, err
	}
	args := t.Args(pgx.NamedArgs{"dream": of, "by": by})
	t.Queued.Queue(sqlDreamReverted, args)
	t.Queued.Queue(sqlEntriesUndoneLock, args)
	t.Queued.Queue(sqlEntriesUndone, args)
	return true, nil
}

// UndoneDream is a dream that a revocation has undone.
type UndoneDream struct {
	Owner uuid.UUID // opaque
	Dream uuid.UUID
	Mode  memory.DreamMode
}

const sqlDreamsUndone = `
select o.owner_id, x.dream_id, x.mode
from dreams x
join owners o on o.workspace_id = x.workspace_id and o.agent_id = x.agent_id and o.owner_key = x.owner_key
where x.workspace_id = @workspace and x.agent_id = @agent and x.reverted_by = @by and x.again_as is null
order by x.owner_key, x.dream_id`

// UndoneDreams lists the dreams that a revocation or a deletion has undone and that were not dreamed again, those of an owner in the order
// of time.
func (s *Dreaming) UndoneDreams(ctx context.Context, id memory.Identity, record uuid.UUID) ([]UndoneDream, error) {
	if err := pg.RequireTender(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlDreamsUndone, pgx.NamedArgs{"by": UndoneBy(record)}, pgx.RowToStructByPos[UndoneDream])
}
