package dreams

import (
	"context"

	"github.com/jackc/pgx/v5"

	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

// Redraft drafts a dream again whose draft is stale, or refuses. It must be deterministic and quick: documents are locked while it runs.
type Redraft func(StaleDraft) (DreamDraft, bool)

// StaleDraft is a draft that does not fit the documents any more.
type StaleDraft struct {
	Stage DreamStage // with the documents as they are
	Raw   string     // the model's output; empty: rules made the draft
	Base  string     // MEMORY.md as the draft has it as its base
}

// redraftRounds bounds the attempts to draft a dream again. A draft that is made under locks is stale only when a document is created,
// or a statement forgotten, in that moment.
const redraftRounds = 5

const (
	// In the order in which the gate locks them.
	sqlDreamFilesLock = `
select path
from documents
where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose
    and (path = any (@paths::text[]) or starts_with(path, @archive) or starts_with(path, @diary))
order by path collate "C"
for no key update`

	sqlDreamBase = `
select content
from document_versions
where workspace_id = @workspace and agent_id = @agent and version = @base and document_id = (
    select document_id
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose and path = 'MEMORY.md')`
)

// redraft replaces the draft by one that fits the documents, which stay locked.
func (o *OpenDream) redraft(ctx context.Context, again Redraft) error {
	stale := StaleDraft{Raw: o.Raw}
	args := o.T.Args(pgx.NamedArgs{
		"scope": o.Scope, "whose": gate.RowOwner(o.T.ID, o.Scope), "paths": []string{memory.MemoryPath, memory.DreamsPath},
		"archive": rewrite.ArchiveFolder, "diary": diaryMonths, "base": 0,
	})
	for _, change := range o.draft.Changes {
		if change.Path == memory.MemoryPath {
			args["base"] = change.Base
		}
	}
	found := false
	b := &pgx.Batch{}
	b.Queue(sqlDreamFilesLock, args)
	pg.Columns(b.Queue(sqlDreamBase, args), &found, &stale.Base)
	if err := o.T.Send(ctx, b); err != nil {
		return err
	}
	l := dreamBase{t: o.T}
	if err := l.first(ctx, o.ID); err != nil {
		return err
	}
	var err error
	if stale.Stage, err = l.stage(ctx, o.T.Send); err != nil {
		return err
	}
	draft, ok := again(stale)
	if !ok {
		return o.stale(0, stale.Stage.Files.Memory.Version)
	}
	b = &pgx.Batch{}
	if err := o.queueDraft(b, draft); err != nil {
		return err
	}
	return o.T.Send(ctx, b)
}
