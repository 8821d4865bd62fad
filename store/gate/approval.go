package gate

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/pg"
)

// An agent can require that a person approves automatic changes (setting approvals). The gate then leaves out of a change what waits, and
// keeps it line by line in the table approvals, in the transaction of the write: writers go on, and package approvals applies what people
// decide. People, seeds, and imports that a person requests with an archive never wait.

// Decision is the decision about a line that waited.
type Decision string

// Decisions on a line.
const (
	Undecided Decision = ""
	Approve   Decision = "approve"
	EditLine  Decision = "edit" // a person has written other words
	Refuse    Decision = "refuse"
	// Known marks a line that waits in an earlier proposal, or was refused there. Nobody is asked again.
	Known Decision = "known"
)

// ApprovalLine is a line that a change adds, removes or replaces, with what was decided about it.
type ApprovalLine struct {
	markdown.Edit

	Decision  Decision   `json:"decision,omitempty"`
	Text      string     `json:"text,omitempty"` // of EditLine
	Note      string     `json:"note,omitempty"` // why it was refused
	By        string     `json:"by,omitempty"`   // key; empty: it has expired
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
}

// waiting is a change, or what is left of it, that a person must approve.
type waiting struct {
	id     uuid.UUID
	d      *document
	base   int
	lines  []ApprovalLine
	count  int
	reason string
	from   memory.Sources
}

const (
	sqlProposed = `
select lines
from approvals
where workspace_id = @workspace and agent_id = @acting and scope = @scope and owner_key = @owner and path = @path
order by approval_id desc
limit @limit`

	sqlApprovalInsert = `
insert into approvals (workspace_id, agent_id, approval_id, scope, owner_key, path, base_version, lines, waiting, reason, sources,
    author_kind, author_id, workflow_id, run_id, staged_by, conversation_uid, expiry, created_at, expires_at)
select @workspace, @agent, @approval, @scope, @whose, @path, @base, @lines, @waiting, @reason, @sources,
    @author_kind, @author_id, @workflow, @run, @staged_by, (
        select conversation_uid
        from conversations
        where workspace_id = @workspace and agent_id = @agent and owner_key = @owner and conversation_id = @conversation),
    @expiry, @now, @expires`
)

// maxProposed is the number of earlier proposals for a document that a change is compared with, the latest ones.
const maxProposed = 50

// needsApproval reports whether changes of an author can wait for a person. Imports are a person's request, who can preview them; so
// is what a person asks an assistant to remember or to forget.
func needsApproval(a memory.Author) bool {
	asked := a.Kind == memory.AuthorTool && (a.ID == byRequest || strings.Contains(a.ID, "forget"))
	return machinery[a.Kind] && a.Kind != memory.AuthorImport && !asked
}

// mayWait reports whether changes of the set wait for a person if the agent's rule says so.
func (w *Writes) mayWait(t *pg.Tx) bool {
	return t.Agent != "" && !w.Approved && needsApproval(w.Author)
}

// rulesThatHold returns the rules by which all of a change waits.
func (w *Writes) rulesThatHold(ref memory.Ref, t *pg.Tx) []string {
	rules := []string{}
	if !w.mayWait(t) {
		return rules
	}
	for _, rule := range []setting.ApprovalRule{setting.ApprovalAll, setting.ApprovalShared} {
		if all, _ := (setting.ApprovalSettings{Rule: rule}).Holds(ref); all {
			rules = append(rules, string(rule))
		}
	}
	return rules
}

// queueProposed queues reading earlier proposals for the documents, so that nothing is proposed twice.
func (w *Writes) queueProposed(b *pgx.Batch, t *pg.Tx) {
	if !w.mayWait(t) {
		return
	}
	w.proposed = map[*document]map[string]bool{}
	for _, d := range w.order {
		known := map[string]bool{}
		w.proposed[d] = known
		args := d.args(t)
		args["acting"], args["limit"] = t.Agent, maxProposed
		b.Queue(sqlProposed, args).Query(func(rows pgx.Rows) error {
			var lines []ApprovalLine
			_, err := pgx.ForEachRow(rows, []any{&lines}, func() error {
				for _, line := range lines {
					if line.Decision == Undecided || line.Decision == Refuse && line.By != "" {
						known[proposalKey(line.Edit)] = true
					}
				}
				lines = nil
				return nil
			})
			return err
		})
	}
}

// proposalKey identifies what an edit does, whatever its position.
func proposalKey(e markdown.Edit) string {
	var b strings.Builder
	for _, lines := range [][]string{e.Removed, e.Added} {
		for _, line := range lines {
			b.WriteString(markdown.LineKey(line) + "\n")
		}
		b.WriteString("\x00")
	}
	return b.String()
}

// await removes from a change what a person must approve, and returns it; nil: nothing new waits.
func (w *Writes) await(d *document, c *checked, next *state, receipt *memory.ChangeReceipt) *waiting {
	if w.Approved || w.proposed == nil {
		return nil
	}
	all, removals := w.standing.approvals.Holds(d.ref)
	if d.version == 0 { // the rule in force when its row would have been made
		all, removals = d.waits, d.waits
	}
	if !removals {
		return nil
	}
	before, proposed := d.content(), next.content
	if next.deleted {
		proposed = ""
	}
	edits := markdown.Edits(before, proposed)
	now := markdown.ApplyEdits(before, edits, func(i int) bool { return !all && len(edits[i].Removed) == 0 && !edits[i].IsFrame() })
	if d.waits {
		next.content = "" // also white space, which is not a line to decide
	}
	if len(edits) == 0 && !next.deleted || now == proposed && !next.deleted {
		return nil
	}
	next.content, next.deleted, next.merged = now, d.deleted, next.merged && now != before
	out := waiting{id: pg.NewID(), d: d, reason: c.Reason, from: c.Sources}
	known := w.proposed[d]
	for _, e := range markdown.Edits(now, proposed) {
		line := ApprovalLine{Edit: e}
		if !e.IsFrame() {
			receipt.Waiting++
			if key := proposalKey(e); known[key] {
				line.Decision = Known
			} else {
				known[key] = true
				out.count++
			}
		}
		out.lines = append(out.lines, line)
	}
	if out.count == 0 {
		return nil
	}
	receipt.Approval = out.id
	return &out
}

// ApprovalDetail is the event detail of a proposal: its id and numbers of lines.
type ApprovalDetail struct {
	Approval uuid.UUID `json:"approval"`
	Waiting  int       `json:"waiting"`
	Approved int       `json:"approved,omitempty"`
	Edited   int       `json:"edited,omitempty"`
	Refused  int       `json:"refused,omitempty"`
}

func (a *waiting) event(t *pg.Tx) JournalEvent {
	return JournalEvent{
		Kind: EventApprovalRequested, Agent: t.Agent, Scope: a.d.ref.Scope, Owner: a.d.owner, Path: a.d.ref.Path,
		Document: uuid.NullUUID{UUID: a.d.id, Valid: a.base > 0}, Detail: ApprovalDetail{Approval: a.id, Waiting: a.count},
	}
}

// queueWaiting queues what a person must approve.
func (w *Writes) queueWaiting(b *pgx.Batch, t *pg.Tx) error {
	settings := w.standing.approvals
	for _, a := range w.waiting {
		args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{
			"approval": a.id, "scope": a.d.ref.Scope, "whose": a.d.owner, "path": a.d.ref.Path, "base": a.base, "waiting": a.count,
			"reason": a.reason, "author_kind": w.Author.Kind, "author_id": w.Author.ID, "workflow": w.Author.WorkflowID,
			"run": w.Author.RunID, "staged_by": t.ID.Key, "conversation": a.from.Conversation, "expiry": settings.Expiry,
			"expires": settings.Expires(t.Now),
		}), map[string]any{"lines": a.lines, "sources": a.from})
		if err != nil {
			return err
		}
		b.Queue(sqlApprovalInsert, args)
	}
	return nil
}

// ApprovalEvent returns the event of what became of a proposal.
func ApprovalEvent(t *pg.Tx, kind EventKind, ref memory.Ref, owner memory.Owner, detail ApprovalDetail) JournalEvent {
	return JournalEvent{Kind: kind, Agent: t.Agent, Scope: ref.Scope, Owner: owner, Path: ref.Path, Detail: detail}
}
