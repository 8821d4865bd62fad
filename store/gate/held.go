package gate

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
	"reverie/store/pg"
)

// Instructions to the assistant do not become memory by an automatic write: whoever can put words into a conversation, a document or
// an import could steer the assistant for good. The gate removes them from such writes, and keeps them as statements that wait for a
// person (dream.Held): ConfirmEntry accepts one, ForgetEntry refuses it for good. What a person writes stays.

const (
	// maxHeld is the number of statements that one write may add to those that wait. Further ones are removed all the same.
	maxHeld = 100
	// maxHeldText bounds the text of a statement that waits, in bytes.
	maxHeldText = 2000
)

// A statement that a person has decided about keeps its status.
const sqlHold = `
insert into dream_entries (workspace_id, agent_id, owner_key, entry_id, status, reason_code, text, first_seen, last_seen, changed_at)
select @workspace, @agent, @owner, s.entry_id, 'held', s.reason_code, s.text, @now, @now, @now
from unnest(@entries::text[], @reason_codes::text[], @texts::text[]) s (entry_id, reason_code, text)
order by s.entry_id
on conflict (workspace_id, agent_id, owner_key, entry_id) do update set
    status = 'held',
    reason_code = excluded.reason_code,
    last_seen = excluded.last_seen,
    changed_at = excluded.changed_at
where dream_entries.status in ('open', 'rejected', 'held')`

// heldStatement is a statement that waits for a person, with the rule of its scan.
type heldStatement struct {
	id         markdown.EntryID
	text, rule string
}

// byRequest is the id of the author of what somebody asked an assistant to remember. It came through a conversation, whatever the kind
// of its author.
const byRequest = "remember"

// holdsInstructions reports whether instructions in writes of an author wait for a person.
func holdsInstructions(a memory.Author) bool {
	switch a.Kind {
	case memory.AuthorWorkflow, memory.AuthorImport, memory.AuthorTool, memory.AuthorDream:
		return true
	case memory.AuthorUser:
		return a.ID == byRequest
	}
	return false
}

// steers reports whether a document steers the assistant by what it says: the profile, the memory, and the notes from which dreams
// promote. Others are fenced wherever they are shown.
func steers(ref memory.Ref) bool {
	return ref.Path == memory.MemoryPath || ref.Path == memory.ProfilePath || strings.HasPrefix(ref.Path, "memory/")
}

// hold removes the instructions that a change adds to a document, and returns their number.
func (w *Writes) hold(d *document, c *checked, next *state) int {
	owner := forgetterOf(d.ref.Scope, d.owner)
	added := c.Op == memory.OpReplace || c.Op == memory.OpAppend || c.Op == memory.OpMerge || c.Op == memory.OpImport
	if !added || owner == "" || next.deleted || !steers(d.ref) || !holdsInstructions(w.Author) {
		return 0
	}
	content, held := withoutInstructions(d.content(), next.content)
	if len(held) == 0 {
		return 0
	}
	if d.version > 0 && !d.deleted && !hasStatements(d.content(), content) {
		content = d.content() // nothing else is new
	}
	if content == d.content() {
		next.merged = false
	}
	next.content = content
	if w.held == nil {
		w.held = map[memory.Owner][]heldStatement{}
	}
	w.held[owner] = append(w.held[owner], held...)
	return len(held)
}

// hasStatements reports whether after has other statements than before.
func hasStatements(before, after string) bool {
	return len(memory.AddedEntries(before, after)) > 0 || len(memory.AddedEntries(after, before)) > 0
}

// withoutInstructions removes the statements and headings that after adds to before and that instruct the assistant.
func withoutInstructions(before, after string) (string, []heldStatement) {
	had := map[string]bool{}
	for _, line := range markdown.Lines(before) {
		had[markdown.LineKey(line)] = true
	}
	var held []heldStatement
	add := func(id markdown.EntryID, text, rule string) {
		text = strings.TrimSpace(text)
		if len(text) > maxHeldText {
			text = strings.ToValidUTF8(text[:maxHeldText], "")
		}
		held = append(held, heldStatement{id, text, rule})
	}
	gone := memory.EntrySet{}
	for _, e := range memory.AddedEntries(before, after) {
		text := markdown.WithoutComments(e.Text)
		if rule := scan.Instruction(text); rule != "" && !gone[e.ID] {
			gone[e.ID] = true
			add(e.ID, text, rule)
		}
	}
	if len(gone) > 0 {
		_, _, lines := gone.Find(after)
		after = memory.WithoutLines(after, lines)
	}
	var rest []memory.LineSpan // headings and what else is no statement
	for i, line := range markdown.Lines(after) {
		said := markdown.LineKey(line)
		if said == "" || had[said] {
			continue
		}
		if rule := scan.Instruction(said); rule != "" {
			rest = append(rest, memory.LineSpan{From: i, To: i + 1})
			add(memory.ItemID(strings.TrimLeft(said, "# ")), strings.TrimLeft(said, "# "), rule)
		}
	}
	return memory.WithoutLines(after, rest), held
}

// queueHeld queues the statements that wait for a person.
func (w *Writes) queueHeld(b *pgx.Batch, t *pg.Tx) {
	for owner, held := range w.held {
		slices.SortFunc(held, func(a, b heldStatement) int { return strings.Compare(string(a.id), string(b.id)) })
		held = slices.CompactFunc(held, func(a, b heldStatement) bool { return a.id == b.id })
		held = held[:min(len(held), maxHeld)]
		var entries, rules, texts []string
		for _, h := range held {
			entries, rules, texts = append(entries, string(h.id)), append(rules, h.rule), append(texts, h.text)
		}
		b.Queue(SQLOwnerEnsure, t.Args(pgx.NamedArgs{"owner": owner, "owner_id": pg.NewID()}))
		b.Queue(sqlHold, t.Args(pgx.NamedArgs{"owner": owner, "entries": entries, "reason_codes": rules, "texts": texts}))
	}
}

// MaxHeldList is the number of statements that a list of those that wait has at most.
const MaxHeldList = 500

const sqlHeld = StateColumns + `
from dream_entries e
where e.workspace_id = @workspace and e.agent_id = @agent and e.owner_key = @owner and e.status = 'held' and e.status <> 'open'
order by e.last_seen desc, e.entry_id collate "C"
limit @limit`

// Held lists the statements of the identity's owner that wait for a person, latest first, at most MaxHeldList. ReasonCode is the rule
// by which a statement instructs the assistant.
func (s *Gate) Held(ctx context.Context, id memory.Identity) ([]dream.State, error) {
	if err := pg.RequireOwner(id); err != nil {
		return nil, err
	}
	return pg.ReadAll(ctx, s.db, id, sqlHeld, pgx.NamedArgs{"limit": MaxHeldList}, ScanState)
}
