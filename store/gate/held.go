package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/structured"
	"reverie/scan"
	"reverie/store/pg"
)

// Instructions to the assistant do not become memory by an automatic write: anyone who can put words into a conversation, a document or
// an import could steer the assistant permanently. The gate removes them from such writes, and keeps them as statements that wait for a
// person (dream.Held): ConfirmEntry accepts one, ForgetEntry refuses it permanently. What a person writes stays.
//
// Recognition errs. So the gate keeps out of the documents that steer the assistant whatever may be an instruction, and writes what it
// is not certain about to the day's note of the same scope: search finds it there, and models read it as data.

const (
	// maxHeld is the number of statements that one write may add to those that wait. Further ones are still removed.
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

// injected are the documents that a model is given with every request.
var injected = []string{memory.MemoryPath, memory.ProfilePath, memory.AgentsPath, memory.SoulPath}

// steers reports whether a document steers the assistant by what it says: it is part of the system prompt, or GLOBAL. Others are fenced
// wherever they are shown.
func (d *document) steers() bool {
	enabled := d.enabled
	if d.version == 0 { // it gets its place with its first version
		enabled, _ = promptDefaults(d.ref, memory.Author{})
	}
	return enabled || d.ref.Scope == memory.ScopeGlobal || slices.Contains(injected, d.ref.Path)
}

// isNote reports whether a document is a note, which dreams read.
func isNote(ref memory.Ref) bool { return strings.HasPrefix(ref.Path, "memory/") }

// takesDoubtful reports whether an author may write statements that may be instructions into a document. What is imported to define the
// agent consists of them. A dream writes what MEMORY.md said in other words, and statements that were judged when they were promoted.
func (d *document) takesDoubtful(a memory.Author) bool {
	defines := d.ref.Path == memory.AgentsPath || d.ref.Path == memory.SoulPath || d.ref.Scope == memory.ScopeGlobal
	return !d.steers() || a.Kind == memory.AuthorDream || defines && a.Kind == memory.AuthorImport
}

// hold removes the instructions that a change adds to a document, and counts them in the receipt. What only may be one is put aside.
// Where nobody can be asked, as about GLOBAL documents, the write is refused.
func (w *Writes) hold(t *pg.Tx, d *document, c *checked, next *state, receipt *memory.ChangeReceipt) error {
	if !adds(c.Op) || next.deleted || !d.steers() && !isNote(d.ref) || !holdsInstructions(w.Author) {
		return nil
	}
	content, out := withoutInstructions(d.content(), next.content, !d.takesDoubtful(w.Author))
	if len(out.held)+len(out.aside) == 0 {
		return nil
	}
	owner := forgetterOf(d.ref.Scope, d.owner)
	if owner == "" {
		findings := []scan.Finding{{Class: "instruction", Rule: slices.Concat(out.held, out.aside)[0].rule, Line: 1}}
		return &pg.QuarantineError{Ref: d.ref, Findings: findings}
	}
	if d.version > 0 && !d.deleted && !hasStatements(d.content(), content) {
		content = d.content() // nothing else is new
	}
	if content == d.content() {
		next.merged = false
	}
	next.content = content
	if w.held == nil {
		w.held, w.aside = map[memory.Owner][]heldStatement{}, map[memory.Ref][]string{}
	}
	w.held[owner] = append(w.held[owner], out.held...)
	receipt.Held = len(out.held)
	if len(out.aside) > 0 {
		note := w.noteOf(d.ref.Scope, t.Now.UTC())
		for _, s := range out.aside {
			w.aside[note] = append(w.aside[note], s.text)
		}
		receipt.Aside, receipt.AsideIn = len(out.aside), note.Path
	}
	return nil
}

// adds reports whether a change may add statements that are new to a document.
func adds(op memory.Op) bool {
	return op == memory.OpReplace || op == memory.OpAppend || op == memory.OpMerge || op == memory.OpImport
}

// noteOf returns the note to which statements of a scope are put aside: the one of the day when they were said, which the author writes
// in the same change set, the last one of several; otherwise today's.
func (w *Writes) noteOf(scope memory.Scope, today time.Time) memory.Ref {
	var said []string
	for _, c := range w.checked {
		if _, isNote := noteDay(c.Path); isNote && c.Scope == scope && adds(c.Op) {
			said = append(said, c.Path)
		}
	}
	if len(said) == 0 {
		said = []string{memory.DailyNotePath(today)}
	}
	return memory.Ref{Scope: scope, Path: slices.Max(said)}
}

// noteDay returns the day of a daily note.
func noteDay(path string) (day string, ok bool) {
	day = strings.TrimSuffix(strings.TrimPrefix(path, "memory/"), ".md")
	at, err := time.Parse(time.DateOnly, day)
	return day, err == nil && memory.DailyNotePath(at) == path
}

// putAside appends what was put aside to the day's notes, as a second write of the same transaction.
func (w *Writes) putAside(ctx context.Context, t *pg.Tx) error {
	if len(w.aside) == 0 {
		return nil
	}
	var changes []memory.Change
	for note, texts := range w.aside {
		day, _ := noteDay(note.Path)
		changes = append(changes, memory.Change{
			Ref: note, Op: memory.OpAppend, Once: true, Reason: asideReason,
			Create: "# " + day + "\n", Content: "- " + strings.Join(texts, "\n- ") + "\n",
		})
	}
	if _, err := ApplyChanges(ctx, t, ChangeSet{Author: w.Author, Changes: changes, Approved: w.Approved}); err != nil {
		return fmt.Errorf("note what may be an instruction: %w", err)
	}
	return nil
}

const asideReason = "may instruct the assistant: noted only"

// hasStatements reports whether after has other statements than before.
func hasStatements(before, after string) bool {
	return len(memory.AddedEntries(before, after)) > 0 || len(memory.AddedEntries(after, before)) > 0
}

// removed are the statements that were removed from a text.
type removed struct{ held, aside []heldStatement }

// withoutInstructions removes the statements and headings that after adds to before and that instruct the assistant, and, if strict,
// those that may, and what follows the head of a forged document.
func withoutInstructions(before, after string, strict bool) (string, removed) {
	had := map[string]bool{}
	for _, line := range markdown.Lines(before) {
		had[markdown.LineKey(line)] = true
	}
	lines := markdown.Lines(after)
	// A text is judged as a line, as a statement, and wherever else it is repeated.
	instruction, steers := once(scan.Instruction), once(scan.Steers)
	forged := slices.IndexFunc(lines, func(line string) bool {
		return !had[markdown.LineKey(line)] && instruction(line) == scan.RuleSection
	})
	var out removed
	remove := func(id markdown.EntryID, said, broken string, at int) bool {
		text := strings.TrimSpace(said)
		if structured.IsPlainSource(text) || structured.IsPlainSource(strings.TrimSpace(broken)) {
			return false
		}
		if len(text) > maxHeldText {
			text = strings.ToValidUTF8(text[:maxHeldText], "")
		}
		switch rule := instruction(broken); {
		case rule != "":
			out.held = append(out.held, heldStatement{id, text, rule})
		case strict && (forged >= 0 && at > forged || steers(said) || steers(broken)):
			out.aside = append(out.aside, heldStatement{id, strings.ReplaceAll(strings.TrimSpace(broken), "\n", "\n  "), "steering"})
		default:
			return false
		}
		return true
	}
	gone := memory.EntrySet{}
	for _, e := range memory.AddedEntries(before, after) {
		var broken []string // sentences may end where lines do
		for _, line := range lines[e.FromLine-1 : e.ToLine] {
			broken = append(broken, markdown.LineKey(line))
		}
		if !gone[e.ID] && remove(e.ID, markdown.WithoutComments(e.Text), markdown.WithoutComments(strings.Join(broken, "\n")), e.FromLine-1) {
			gone[e.ID] = true
		}
	}
	if len(gone) > 0 {
		_, _, spans := gone.Find(after)
		title := slices.IndexFunc(lines, markdown.HasText) // it stays
		after = memory.WithoutLines(after, memory.WithEmptied(after, spans, func(at int, heading string) bool {
			return !had[markdown.LineKey(heading)] && (at != title || markdown.HeadingLevel(heading) > 1)
		}))
	}
	var rest []memory.LineSpan // headings and what else is not a statement
	for i, line := range markdown.Lines(after) {
		said := markdown.LineKey(line)
		if said == "" || had[said] {
			continue
		}
		if text := strings.TrimLeft(said, "# "); remove(memory.ItemID(text), text, text, 0) {
			rest = append(rest, memory.LineSpan{From: i, To: i + 1})
		} else {
			had[said] = true // it may be repeated
		}
	}
	return memory.WithoutLines(after, rest), out
}

// once returns a function that calls f once for each text.
func once[T any](f func(string) T) func(string) T {
	known := map[string]T{}
	return func(text string) T {
		result, is := known[text]
		if !is {
			result = f(text)
			known[text] = result
		}
		return result
	}
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
