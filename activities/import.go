package activities

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"reverie/imports"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
	"reverie/scan"
	"reverie/store"
	"reverie/store/facts"
	"reverie/store/talk"
	"reverie/store/transfer"
)

// ImportPage imports the next items of an import: documents first, then conversations, sequentially per owner and
// concurrently across owners. A settled item is recorded at once and never repeated, so the next attempt continues
// after it. An item that cannot be imported does not stop the others; errors that may pass, such as an unavailable
// database, are retried.
func (a *Activities) ImportPage(ctx context.Context, in ImportPageInput) (ImportPageResult, error) {
	p := importPage{Activities: a, in: in, id: agentIdentity(ctx, in.AgentRef, memory.AuthorImport)}
	imported, items, err := a.Store.NextImportItems(ctx, p.id, in.Import, ImportPageItems)
	if err != nil {
		return ImportPageResult{}, storeError(err)
	}
	if imported.State != transfer.ImportRunning {
		return ImportPageResult{Cancelled: imported.State == transfer.ImportCancelled}, nil
	}
	agent, err := a.Store.Agent(ctx, p.id)
	if err != nil {
		return ImportPageResult{}, storeError(err)
	}
	p.of, p.timing, p.items = imported, a.Timing.With(agent.Settings), len(items)
	defer p.beat(ctx)()
	if err := p.run(ctx, items); err != nil {
		return ImportPageResult{}, err
	}
	return p.result(ctx)
}

// importPage is a page of items being imported.
type importPage struct {
	*Activities
	in     ImportPageInput
	id     memory.Identity
	of     transfer.Import
	timing setting.Timing
	items  int

	mu      sync.Mutex
	settled int
	problem error // the last one
}

// run imports the items: all documents before the first conversation, whose extraction may read them.
func (p *importPage) run(ctx context.Context, items []transfer.ImportItem) error {
	ctx, cancel := untilStopped(ctx)
	defer cancel()
	for _, conversations := range []bool{false, true} {
		p.side(ctx, byOwner(items, conversations))
		if err := cmp.Or(ctx.Err(), p.problem); err != nil {
			return err
		}
	}
	return nil
}

// byOwner returns the items of one kind grouped by owner, in order of first appearance.
func byOwner(items []transfer.ImportItem, conversations bool) [][]transfer.ImportItem {
	var out [][]transfer.ImportItem
	place := map[memory.Owner]int{}
	for _, item := range items {
		if item.Conversation != conversations {
			continue
		}
		at, known := place[item.Whose]
		if !known {
			at = len(out)
			place[item.Whose] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], item)
	}
	return out
}

// side processes owners concurrently, and returns when all are done or stuck, or ctx is done.
func (p *importPage) side(ctx context.Context, owners [][]transfer.ImportItem) {
	inParallel(ctx, p.in.Parallel, owners, func(items []transfer.ImportItem) {
		if err := p.owner(ctx, items); err != nil && ctx.Err() == nil {
			p.Log.Warn("Could not import an owner's items", "import", p.in.Import, "error", err)
			p.mu.Lock()
			p.problem = err
			p.mu.Unlock()
		}
	})
}

// owner imports the items of one owner. An item that has to wait is retried here, because later items depend on it:
// another attempt at the page would have to wait for owners whose model is unavailable for days.
func (p *importPage) owner(ctx context.Context, items []transfer.ImportItem) error {
	for _, item := range items {
		for wait := importPause; ; wait = min(2*wait, importPatience) {
			err := p.settle(ctx, item)
			if err == nil {
				break
			}
			if permanent, found := errors.AsType[*temporal.ApplicationError](err); ctx.Err() != nil || found && permanent.NonRetryable() {
				return cmp.Or(ctx.Err(), err)
			}
			p.Log.Warn("Import of an item postponed", "import", p.in.Import, "error", err)
			if err := rest(ctx, wait); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle imports one item and records the result.
func (p *importPage) settle(ctx context.Context, item transfer.ImportItem) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	end, err := p.item(ctx, item)
	if err != nil {
		return err
	}
	end.Key = item.Key
	settling := p.id
	settling.Owner = p.of.Owner
	if err := p.Store.SettleImport(ctx, settling, p.in.Import, []transfer.ImportSettled{end}); err != nil {
		return storeError(err)
	}
	if p.ObserveImport != nil {
		p.ObserveImport(ImportedItem{Conversation: item.Conversation, Outcome: end.Outcome, ReasonCode: end.ReasonCode})
	}
	p.mu.Lock()
	p.settled++
	p.mu.Unlock()
	return nil
}

// writer returns the identity that an item is imported with: it has the permissions of the key that uploaded the item.
func (p *importPage) writer(item transfer.ImportItem) memory.Identity {
	id := p.id.For(p.in.Agent, item.Whose)
	id.AnyOwner, id.Pinned = false, item.Pinned
	id.Author.ID = p.of.Format
	return id
}

// beat sends heartbeats with the progress until the returned function is called.
func (p *importPage) beat(ctx context.Context) (stop func()) {
	return repeat(ctx, HeartbeatTimeout/heartbeatsInTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		activity.RecordHeartbeat(ctx, ImportBeat{Settled: p.settled, Of: p.items})
	})
}

// result returns the progress of the import.
func (p *importPage) result(ctx context.Context) (ImportPageResult, error) {
	now, err := p.Store.ImportOf(ctx, p.id, p.in.Import)
	if err != nil {
		return ImportPageResult{}, storeError(err)
	}
	return ImportPageResult{
		ImportProgress: progressOf(now), More: now.Outcomes[""] > 0, Cancelled: now.State == transfer.ImportCancelled,
	}, nil
}

func progressOf(i transfer.Import) ImportProgress {
	out := ImportProgress{Items: i.Items, Outcomes: map[memory.Outcome]int{}}
	for outcome, n := range i.Outcomes {
		if outcome != "" {
			out.Outcomes[outcome] = n
		}
	}
	return out
}

// EndImport ends an import that is not running: if it was cancelled, waiting items are left out; otherwise it is
// done.
func (a *Activities) EndImport(ctx context.Context, in EndImportInput) (EndImportResult, error) {
	id := agentIdentity(ctx, in.AgentRef, memory.AuthorImport)
	imported, err := a.Store.ImportOf(ctx, id, in.Import)
	if err != nil {
		return EndImportResult{}, storeError(err)
	}
	id.Owner = imported.Owner
	end := a.Store.EndImport
	if in.Cancelled || imported.State == transfer.ImportCancelled {
		end = a.Store.LeaveImport
	}
	if imported, err = end(ctx, id, in.Import); err != nil {
		return EndImportResult{}, storeError(err)
	}
	return EndImportResult{ImportProgress: progressOf(imported), Cancelled: imported.State == transfer.ImportCancelled}, nil
}

// ImportPageItems is the number of items in one step of an import: enough for owners to proceed concurrently, and for
// an operator to see progress.
const ImportPageItems = 200

// ImportPageInput asks for the next items of an import.
type ImportPageInput struct {
	AgentRef
	Import   uuid.UUID `json:"import"`
	Parallel int       `json:"parallel"` // owners at once
}

// ImportProgress is the progress of an import.
type ImportProgress struct {
	Items    int                    `json:"items"`
	Outcomes map[memory.Outcome]int `json:"outcomes,omitempty"` // of settled items
}

// ImportPageResult determines the next step.
type ImportPageResult struct {
	ImportProgress
	More      bool `json:"more,omitempty"`      // items are waiting
	Cancelled bool `json:"cancelled,omitempty"` // the import was cancelled
}

// ImportBeat is the heartbeat of a page.
type ImportBeat struct {
	Settled int `json:"settled"` // items of the page settled by this attempt
	Of      int `json:"of"`
}

// EndImportInput ends an import.
type EndImportInput struct {
	AgentRef
	Import    uuid.UUID `json:"import"`
	Cancelled bool      `json:"cancelled,omitempty"` // leave waiting items out
}

// EndImportResult is the final state of an import.
type EndImportResult struct {
	ImportProgress
	Cancelled bool `json:"cancelled,omitempty"`
}

// ExtractOrder asks for the extraction of a conversation's pending messages.
type ExtractOrder struct {
	memory.OwnerRef
	Conversation uuid.UUID
	Timing       setting.Timing
	Request      string // the same for a repeated request
}

// Extracted is the result of an ExtractOrder.
type Extracted struct {
	Outcome    memory.Outcome
	ReasonCode memory.ReasonCode
	// Again means that repeating may succeed later: the model was unavailable for long.
	Again bool
}

// Extractor runs extractions as separate workflows.
type Extractor interface {
	// Extract waits until the conversation's pending messages are extracted, or ctx is done.
	Extract(ctx context.Context, o ExtractOrder) (Extracted, error)
}

// ReasonStored is the reason for a conversation that was imported without extraction.
const ReasonStored memory.ReasonCode = "stored"

// ImportedItem is a settled item, for metrics.
type ImportedItem struct {
	Conversation bool
	Outcome      memory.Outcome
	ReasonCode   memory.ReasonCode
}

// item imports one item. An error means that it has to wait.
func (p *importPage) item(ctx context.Context, staged transfer.ImportItem) (transfer.ImportSettled, error) {
	var item imports.Item
	if err := json.Unmarshal(staged.Payload, &item); err != nil || (item.Document == nil) == (item.Conversation == nil) {
		end := transfer.ImportSettled{Outcome: memory.OutcomeFailed, ReasonCode: ReasonUnreadable}
		return end, nil //nolint:nilerr // the item records the reason
	}
	var end transfer.ImportSettled
	err := p.Store.KeyHolds(ctx, staged.By)
	switch {
	case err != nil:
	case item.Document != nil:
		end, err = p.document(ctx, staged, *item.Document)
	default:
		end, err = p.conversation(ctx, staged, *item.Conversation)
	}
	if err == nil {
		return end, nil
	}
	return refusedItem(err)
}

// refusedItem returns the result of an item that the store refuses. Any other error is returned.
func refusedItem(err error) (transfer.ImportSettled, error) {
	var (
		invalid     *store.InvalidError
		conflict    *store.ConflictError
		quarantined *store.QuarantineError
	)
	end := transfer.ImportSettled{Outcome: memory.OutcomeFailed}
	switch {
	case errors.As(err, &quarantined):
		end.Outcome, end.ReasonCode = memory.OutcomeQuarantined, ReasonScan
	case refusedByGate(err) != "":
		end.Outcome, end.ReasonCode = memory.OutcomeSkipped, refusedByGate(err)
	case errors.As(err, &invalid):
		end.ReasonCode = transfer.ReasonImportInvalid
	case errors.As(err, &conflict):
		end.ReasonCode = memory.ReasonCode(conflict.Code)
	case errors.Is(err, store.ErrForbidden):
		end.ReasonCode = ReasonForbidden
	case errors.Is(err, store.ErrUnauthorized):
		end.ReasonCode = ReasonKeyRevoked
	default:
		return end, storeError(err)
	}
	return end, nil
}

// document passes a document to the gate, once.
func (p *importPage) document(ctx context.Context, staged transfer.ImportItem, d imports.Document) (transfer.ImportSettled, error) {
	id := p.writer(staged)
	var k known
	if p.of.OnConflict == memory.ImportMerge {
		of, err := p.knownOf(ctx, id, p.Now(), d.Scope, d.Path)
		if err != nil {
			return transfer.ImportSettled{}, err
		}
		k = *of
		same := map[markdown.EntryID]bool{} // the gate merges them; an earlier attempt may have written them
		for _, e := range markdown.EntriesOf(d.Content) {
			same[e.ID] = true
		}
		if d.Content = k.without(d.Content, "", func(f facts.Fact) bool { return !same[f.Entry] }); d.Content == "" {
			return transfer.ImportSettled{Outcome: memory.OutcomeUnchanged}, p.recordRepeat(ctx, id, k.heard, p.Now())
		}
	}
	receipt, err := p.Store.Apply(ctx, id, fmt.Sprintf("import/%s/%s", p.in.Import, staged.Key), []memory.Change{{
		Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Op: memory.OpImport, Content: d.Content, Import: p.of.OnConflict, From: p.of.Format,
		Reason: "imported from " + p.of.Format,
	}})
	if err != nil {
		return transfer.ImportSettled{}, err
	}
	if err := p.recordRepeat(ctx, id, k.heard, p.Now()); err != nil {
		return transfer.ImportSettled{}, err
	}
	change := receipt.Changes[0]
	var end transfer.ImportSettled
	if change.Withheld {
		end.ReasonCode = ReasonForgotten // for a part, or for all that is new
	}
	switch {
	case change.Merged:
		p.indexChanged(p.in.AgentRef)
		end.Outcome = memory.OutcomeMerged
		return end, nil
	case change.Changed:
		p.indexChanged(p.in.AgentRef)
		end.Outcome = memory.OutcomeWritten
		return end, nil
	case p.of.OnConflict == memory.ImportKeep && change.SHA256 != hashOf(scan.Scan(d.Content).Text):
		return transfer.ImportSettled{Outcome: memory.OutcomeSkipped, ReasonCode: transfer.ReasonImportConflict}, nil
	}
	end.Outcome = memory.OutcomeUnchanged
	return end, nil
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// conversation stores a conversation with its original dates, and has it extracted.
func (p *importPage) conversation(ctx context.Context, staged transfer.ImportItem, c imports.Conversation) (transfer.ImportSettled, error) {
	var stored talk.Stored
	id := p.writer(staged)
	batches := slices.Collect(slices.Chunk(c.Messages, memory.MaxBatchMessages))
	for i, messages := range batches {
		var err error
		stored, err = p.Store.AppendMessages(ctx, id, talk.Batch{
			Conversation: c.ID, Trigger: memory.TriggerImport, Messages: messages,
			TurnComplete: p.of.Extract && i == len(batches)-1,
		})
		if err != nil {
			return transfer.ImportSettled{}, err
		}
		if stored.Token != "" {
			p.indexChanged(p.in.AgentRef)
		}
	}
	if !p.of.Extract {
		return transfer.ImportSettled{Outcome: memory.OutcomeWritten, ReasonCode: ReasonStored}, nil
	}
	return p.extract(ctx, staged, id, stored)
}

// extract waits until nothing is pending in a conversation, even if the model is unavailable or the budget is spent.
// It takes the outcome from the records of the extractions, which an earlier attempt may have made.
func (p *importPage) extract(ctx context.Context, staged transfer.ImportItem, id memory.Identity,
	stored talk.Stored,
) (transfer.ImportSettled, error) {
	order := ExtractOrder{
		OwnerRef:     memory.OwnerRef{Workspace: p.in.Workspace, Agent: p.in.Agent, Owner: stored.OwnerID},
		Conversation: stored.ConversationUID, Timing: p.timing,
	}
	for round, waits := 0, 0; ; round++ {
		order.Request = uuid.NewSHA1(p.in.Import,
			fmt.Appendf(nil, "%s/%d/%s", activity.GetInfo(ctx).WorkflowExecution.RunID, round, staged.Key)).String()
		out, err := p.Extractor.Extract(ctx, order)
		if err != nil {
			return transfer.ImportSettled{}, err
		}
		now, err := p.Store.ImportedConversation(ctx, id, stored.ConversationUID)
		if err != nil {
			return transfer.ImportSettled{}, err
		}
		switch {
		case !now.Pending, out.Outcome == memory.OutcomeSkipped, out.Outcome == memory.OutcomeFailed && !out.Again:
			if stored.Turn > 0 {
				err = p.Store.Signalled(ctx, id, stored.Turn)
			}
			return transfer.ImportSettled{Outcome: now.Outcome, ReasonCode: now.ReasonCode}, err
		}
		if out.Outcome == memory.OutcomeWritten { // the rest of a long conversation follows at once
			waits = 0
			continue
		}
		if err := rest(ctx, min(time.Duration(waits)*importPause, maxRetryAfter)); err != nil {
			return transfer.ImportSettled{}, err
		}
		waits++
	}
}

const (
	// importPause is the increment of the delay before asking for the same extraction again, and the delay before
	// retrying an item after the database or Temporal was unavailable.
	importPause = time.Second
	// importPatience is the longest such delay.
	importPatience = time.Minute
)

// rest waits for d, or until ctx is done.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
