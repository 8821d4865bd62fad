package approvals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/store/gate"
	"reverie/store/pg"
)

// LineDecision is a person's decision about a line, by its index in Approval.Lines.
type LineDecision struct {
	Line     int
	Decision gate.Decision
	Text     string // of EditLine: what the document is to say instead
	Note     string // of Refuse: why
}

// Decided is the result of decisions.
type Decided struct {
	Approval Approval
	Receipts []memory.Receipt // of the writes: what was approved, then what the person has written
}

// Decide records decisions and applies them in the same transaction: approved lines as what their author proposed, edited ones as the
// person's own. They are merged with what was written since. The first decision about a line holds: a later one that is the same changes
// nothing, and another one is a *ConflictError with CodeDecided, and nothing of the call is applied.
//
// Errors: ErrForbidden for who may not decide (MayApprove), and for a pinned key about what it has proposed; ErrNotFound; *InvalidError;
// *QuarantineError when the scan refuses the words of a person.
func (s *Approving) Decide(ctx context.Context, id memory.Identity, approval uuid.UUID, decisions []LineDecision) (Decided, error) {
	if err := MayApprove(id); err != nil {
		return Decided{}, err
	}
	var out Decided
	err := s.change(ctx, id, approval, func(t *pg.Tx, a *Approval) (gate.EventKind, error) {
		if id.Pinned && a.StagedBy != "" && a.StagedBy == id.Key {
			return "", fmt.Errorf("%w: the key has proposed this change itself: decide with another one", pg.ErrForbidden)
		}
		fresh, err := a.record(decisions, id.Key, t.Now)
		if err != nil || len(fresh) == 0 {
			out = Decided{Approval: *a}
			return "", err
		}
		receipts, err := a.apply(ctx, t, fresh)
		out = Decided{Approval: *a, Receipts: receipts}
		return gate.EventApprovalDecided, err
	})
	return out, gate.Refused(ctx, s.db, id, err)
}

// Expire ends a proposal whose time is over, as its policy says. Earlier it changes nothing.
func (s *Approving) Expire(ctx context.Context, id memory.Identity, approval uuid.UUID) (Approval, error) {
	out, err := s.expire(ctx, id, approval, "")
	var quarantined *pg.QuarantineError
	var invalid *pg.InvalidError
	if errors.As(err, &quarantined) || errors.As(err, &invalid) || errors.Is(err, pg.ErrReadOnlyTeam) {
		return s.expire(ctx, id, approval, "it could not be applied: "+err.Error())
	}
	return out, err
}

// expire ends a proposal whose time is over. It refuses what is left if problem is not empty.
func (s *Approving) expire(ctx context.Context, id memory.Identity, approval uuid.UUID, problem string) (out Approval, err error) {
	err = s.change(ctx, id, approval, func(t *pg.Tx, a *Approval) (gate.EventKind, error) {
		out = *a
		if a.FinishedAt != nil || t.Now.Before(a.ExpiresAt) {
			return "", nil
		}
		decision := gate.Refuse
		if a.Expiry == setting.ApprovalApply && problem == "" {
			decision = gate.Approve
		}
		var all []LineDecision
		for i, line := range a.Lines {
			if !line.IsFrame() && line.Decision == gate.Undecided {
				all = append(all, LineDecision{Line: i, Decision: decision, Note: cmp.Or(problem, noteExpired)})
			}
		}
		fresh, err := a.record(all, "", t.Now)
		if err != nil {
			return "", err
		}
		a.Expired = true
		_, err = a.apply(ctx, t, fresh)
		out = *a
		return gate.EventApprovalExpired, err
	})
	return out, err
}

const noteExpired = "nobody decided in time"

// change locks a proposal, runs fn, and commits with the event that fn returns; empty: none.
func (s *Approving) change(ctx context.Context, id memory.Identity, approval uuid.UUID, fn func(*pg.Tx, *Approval) (gate.EventKind, error)) error {
	_, err := gate.Contended(ctx, s.db, id, func(t *pg.Tx) (none struct{}, err error) {
		var a Approval
		found := false
		b := &pgx.Batch{}
		pg.One(b.Queue(sqlApprovalLock, t.Args(pgx.NamedArgs{"approval": approval})), &found, &a, scan)
		if err := t.Send(ctx, b); err != nil {
			return none, err
		}
		if !found {
			return none, missing(approval)
		}
		kind, err := fn(t, &a)
		if err != nil || kind == "" {
			return none, err
		}
		b = &pgx.Batch{}
		if err := gate.QueueEvent(b, t, gate.ApprovalEvent(t, kind, a.Ref, a.Owner, a.Detail())); err != nil {
			return none, err
		}
		return none, t.Finish(ctx, b)
	})
	return err
}

// maxNote bounds why a line was refused, in bytes.
const maxNote = 500

// record records decisions about lines, and returns the lines that were not decided before.
func (a *Approval) record(decisions []LineDecision, by string, now time.Time) (fresh []int, err error) {
	for i, d := range decisions {
		at := fmt.Sprintf("decisions[%d].", i)
		if d.Line < 0 || d.Line >= len(a.Lines) || a.Lines[d.Line].IsFrame() || a.Lines[d.Line].Decision == gate.Known {
			return nil, &pg.InvalidError{Field: at + "line", Problem: "name a line of the proposal that waits"}
		}
		line := &a.Lines[d.Line]
		if err := d.check(at, line.Edit); err != nil {
			return nil, err
		}
		if line.Decision != gate.Undecided {
			if line.Decision == d.Decision && line.Text == d.Text {
				continue
			}
			return nil, &pg.ConflictError{
				Code: pg.CodeDecided, Message: fmt.Sprintf("line %d was decided by somebody else before: %s", d.Line, past[line.Decision]),
			}
		}
		line.Decision, line.Text, line.Note, line.By, line.DecidedAt = d.Decision, d.Text, d.Note, by, &now
		fresh = append(fresh, d.Line)
	}
	a.Waiting -= len(fresh)
	if a.Waiting == 0 && len(fresh) > 0 {
		a.FinishedAt = &now
	}
	return fresh, nil
}

var past = map[gate.Decision]string{gate.Approve: "approved", gate.EditLine: "edited", gate.Refuse: "refused"}

func (d LineDecision) check(at string, line markdown.Edit) error {
	switch {
	case past[d.Decision] == "":
		return &pg.InvalidError{Field: at + "decision", Problem: "use approve, edit or refuse"}
	case (d.Decision == gate.EditLine) != (d.Text != ""):
		return &pg.InvalidError{Field: at + "text", Problem: "give the new words to edit a line, and only then"}
	case d.Decision == gate.EditLine && len(line.Added) == 0:
		return &pg.InvalidError{Field: at + "decision", Problem: "the proposal removes this line: approve or refuse it"}
	}
	if err := memory.ValidText(at+"note", d.Note, maxNote); err != nil {
		return err
	}
	return gate.ValidContent(at+"text", d.Text)
}

// text is a document while decisions are applied to it.
type text struct {
	version int
	content string
}

// apply queues the decisions about lines, and the changes of the document that follow from them: first what was approved, by the author of
// the proposal, then what a person has written.
func (a *Approval) apply(ctx context.Context, t *pg.Tx, fresh []int) (receipts []memory.Receipt, err error) {
	args, err := pg.JSONArgs(t.Args(pgx.NamedArgs{"approval": a.ID, "waiting": a.Waiting, "expired": a.Expired}), map[string]any{"lines": a.Lines})
	if err != nil {
		return nil, err
	}
	t.Queued.Queue(sqlApprovalDecided, args)
	if !slices.ContainsFunc(fresh, func(i int) bool { return a.Lines[i].Decision != gate.Refuse }) {
		return nil, nil
	}
	base, now, err := a.read(ctx, t)
	if err != nil {
		return nil, err
	}
	edits := make([]markdown.Edit, len(a.Lines))
	before := map[int]bool{} // decided earlier, and applied
	for i, line := range a.Lines {
		edits[i] = line.Edit
		if line.Decision == gate.EditLine {
			edits[i].Added = editedLines(line.Added, line.Text)
		}
		applied := line.Decision == gate.Approve || line.Decision == gate.EditLine
		before[i] = applied && !slices.Contains(fresh, i)
	}
	for _, step := range []struct {
		of     gate.Decision
		author memory.Author
		reason string
	}{
		{gate.Approve, a.Author, a.Reason},
		{gate.EditLine, t.ID.Author, "edited what waited for approval: " + a.Reason},
	} {
		after := map[int]bool{}
		took := false
		for i, done := range before {
			taken := slices.Contains(fresh, i) && a.Lines[i].Decision == step.of
			after[i], took = done || taken, took || taken
		}
		if !took {
			continue
		}
		next := merged(markdown.ApplyEdits(base, edits, func(i int) bool { return before[i] }),
			markdown.ApplyEdits(base, edits, func(i int) bool { return after[i] }), now.content)
		before = after
		w, err := gate.ApplyChanges(ctx, t, gate.ChangeSet{
			Author: step.author, Approved: true,
			Changes: []memory.Change{{
				Ref: a.Ref, Op: memory.OpReplace, Base: now.version, Content: next, Reason: gate.StorableReason(step.reason),
				Sources: a.sourcesOf(edits),
			}},
		})
		if err != nil {
			return nil, err
		}
		d := w.After(a.Ref)
		now = text{d.Version, d.Content}
		receipts = append(receipts, w.Receipt)
	}
	return receipts, nil
}

// read reads the version that the lines were compared with, and locks and reads the current one.
func (a *Approval) read(ctx context.Context, t *pg.Tx) (base string, now text, err error) {
	agent := t.Agent
	if a.Ref.Scope == memory.ScopeGlobal {
		agent = ""
	}
	args := t.Args(pgx.NamedArgs{"row_agent": agent, "scope": a.Ref.Scope, "whose": a.Owner, "path": a.Ref.Path, "base": a.Base})
	found, deleted := false, false
	b := &pgx.Batch{}
	pg.Columns(b.Queue(sqlApprovalBase, args), &found, &base)
	pg.Columns(b.Queue(sqlApprovalDocument, args), &found, &now.version, &deleted)
	pg.Columns(b.Queue(sqlApprovalText, args), &found, &now.content)
	err = t.Send(ctx, b)
	return base, now, err
}

// merged applies the difference between two texts to a document that may have changed since. Where others have changed the same lines,
// theirs stay, and what is added is put beside them.
func merged(from, to, now string) string {
	if from == now {
		return to
	}
	if out, conflicts := markdown.Merge3(from, to, now); len(conflicts) == 0 {
		return out
	}
	return markdown.Patch3(from, to, now)
}

// editedLines returns the words of a person as lines, as list items where the proposal had one.
func editedLines(proposed []string, words string) []string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(words, "\r\n", "\n"), "\n"), "\n")
	first := proposed[0]
	if item := strings.TrimLeft(first, " \t"); strings.HasPrefix(item, "- ") && !strings.HasPrefix(strings.TrimLeft(lines[0], " \t"), "- ") {
		lines[0] = first[:len(first)-len(item)] + "- " + strings.TrimLeft(lines[0], " \t")
	}
	return lines
}

// sourcesOf returns the sources of the proposal. A line that a person has edited keeps those of the proposed one.
func (a *Approval) sourcesOf(edits []markdown.Edit) memory.Sources {
	out := a.Sources
	out.Lines = slices.Clone(a.Sources.Lines)
	for i, line := range a.Lines {
		if line.Decision != gate.EditLine {
			continue
		}
		for _, from := range a.SourcesOf(line) {
			from.Line = edits[i].Added[0]
			out.Lines = append(out.Lines, from)
		}
	}
	return out
}

// SourcesOf returns the messages that a line of the proposal came from, if they are known line by line.
func (a Approval) SourcesOf(line gate.ApprovalLine) (out []memory.LineSource) {
	for _, s := range a.Sources.Lines {
		if slices.ContainsFunc(line.Added, func(added string) bool { return markdown.LineKey(added) == markdown.LineKey(s.Line) }) {
			out = append(out, s)
		}
	}
	return out
}
