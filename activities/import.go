package activities

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"reverie/memory"
	"reverie/store"
)

// ImportPage moves in the next items of an import: its documents, then its conversations, those of one owner one after the other
// and owners side by side. What is settled is recorded at once and never done again, so that the next attempt goes on behind it.
// One item that cannot be moved in stops no other; what may end better later, such as a database that is away, is tried again.
func (a *Activities) ImportPage(ctx context.Context, in ImportPageInput) (ImportPageResult, error) {
	p := importPage{Activities: a, in: in, id: importIdentity(ctx, in.AgentRef)}
	imported, items, err := a.Store.NextImportItems(ctx, p.id, in.Import, ImportPageItems)
	if err != nil {
		return ImportPageResult{}, storeError(err)
	}
	if imported.State != store.ImportRunning {
		return ImportPageResult{Cancelled: imported.State == store.ImportCancelled}, nil
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

// importIdentity sees the items of every owner.
func importIdentity(ctx context.Context, ref AgentRef) memory.Identity {
	by := author(ctx, "")
	by.Kind = memory.AuthorImport
	return memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleMember, Author: by}
}

// importPage is a page of items on its way.
type importPage struct {
	*Activities
	in     ImportPageInput
	id     memory.Identity
	of     store.Import
	timing memory.Timing
	items  int

	mu      sync.Mutex
	settled int
	problem error // the last one
}

// run moves the items in: all documents before the first conversation, which may be read with them in mind.
func (p *importPage) run(ctx context.Context, items []store.ImportItem) error {
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

// byOwner are the items of one kind, those of each owner in order, the owner of the first item first.
func byOwner(items []store.ImportItem, conversations bool) [][]store.ImportItem {
	var out [][]store.ImportItem
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

// side goes through owners side by side, and returns when all are done or stuck, or ctx is.
func (p *importPage) side(ctx context.Context, owners [][]store.ImportItem) {
	places := make(chan struct{}, max(1, p.in.Parallel))
	var working sync.WaitGroup
	defer working.Wait()
	for _, items := range owners {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		working.Go(func() {
			defer func() { <-places }()
			if err := p.owner(ctx, items); err != nil && ctx.Err() == nil {
				p.Log.Warn("Items of an owner are not moved in", "import", p.in.Import, "error", err)
				p.mu.Lock()
				p.problem = err
				p.mu.Unlock()
			}
		})
	}
}

// owner moves the items of one owner in. One that has to wait is tried again here, as what follows comes later: other owners may
// wait for a model for days, and hold up another attempt at the page as long.
func (p *importPage) owner(ctx context.Context, items []store.ImportItem) error {
	for _, item := range items {
		for wait := importPause; ; wait = min(2*wait, importPatience) {
			err := p.settle(ctx, item)
			if err == nil {
				break
			}
			if permanent, found := errors.AsType[*temporal.ApplicationError](err); ctx.Err() != nil || found && permanent.NonRetryable() {
				return cmp.Or(ctx.Err(), err)
			}
			p.Log.Warn("An item waits to be moved in", "import", p.in.Import, "error", err)
			if err := rest(ctx, wait); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle moves one item in, and records what became of it.
func (p *importPage) settle(ctx context.Context, item store.ImportItem) error {
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
	if err := p.Store.SettleImport(ctx, settling, p.in.Import, []store.ImportSettled{end}); err != nil {
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

// writer is on whose behalf an item is moved in: with the rights of the key that asked for it.
func (p *importPage) writer(item store.ImportItem) memory.Identity {
	id := p.id.For(p.in.Agent, item.Whose)
	id.AnyOwner, id.Pinned = false, p.of.Pinned
	id.Author.ID = p.of.Format
	return id
}

// beat tells Temporal that the step is alive and how far it is, until the returned function is called.
func (p *importPage) beat(ctx context.Context) (stop func()) {
	return repeat(ctx, HeartbeatTimeout/heartbeatsInTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		activity.RecordHeartbeat(ctx, ImportBeat{Settled: p.settled, Of: p.items})
	})
}

// result says how far the import is.
func (p *importPage) result(ctx context.Context) (ImportPageResult, error) {
	now, err := p.Store.ImportOf(ctx, p.id, p.in.Import)
	if err != nil {
		return ImportPageResult{}, storeError(err)
	}
	return ImportPageResult{
		ImportProgress: progressOf(now), More: now.Outcomes[""] > 0, Cancelled: now.State == store.ImportCancelled,
	}, nil
}

func progressOf(i store.Import) ImportProgress {
	out := ImportProgress{Items: i.Items, Outcomes: map[memory.Outcome]int{}}
	for outcome, n := range i.Outcomes {
		if outcome != "" {
			out.Outcomes[outcome] = n
		}
	}
	return out
}

// EndImport ends an import of which nothing is under way: with what waits left out when it was cancelled, else as done.
func (a *Activities) EndImport(ctx context.Context, in EndImportInput) (EndImportResult, error) {
	id := importIdentity(ctx, in.AgentRef)
	imported, err := a.Store.ImportOf(ctx, id, in.Import)
	if err != nil {
		return EndImportResult{}, storeError(err)
	}
	id.Owner = imported.Owner
	end := a.Store.EndImport
	if in.Cancelled || imported.State == store.ImportCancelled {
		end = a.Store.LeaveImport
	}
	if imported, err = end(ctx, id, in.Import); err != nil {
		return EndImportResult{}, storeError(err)
	}
	return EndImportResult{ImportProgress: progressOf(imported), Cancelled: imported.State == store.ImportCancelled}, nil
}
