package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
	"reverie/store/pg"
)

// versionRows are the versions of a document, deleted or not.
const versionRows = `
from document_versions
where workspace_id = @workspace and agent_id = @row_agent and document_id = (
    select document_id
    from documents
    where workspace_id = @workspace and agent_id = @row_agent and scope = @scope and owner_key = @whose and path = @path) `

// versionColumns are the columns of a Version without its content, in the order of ScanVersion.
const versionColumns = `
select version, base_version, merged, deleted, sha256, author_kind, author_id, workflow_id, run_id,
    reason, sources, added, removed, created_at, `

const (
	sqlHistory = versionColumns + `''` + versionRows + `
    and (@before = 0 or version < @before)
order by version desc
limit @limit`

	// SQLVersion selects one version of a document.
	SQLVersion = versionColumns + `content` + versionRows + `
    and version = @version`

	sqlBlame = versionColumns + `content` + versionRows + `
    and (@version = 0 or version <= @version)
order by version`
)

// ScanVersion scans a row of SQLVersion.
func ScanVersion(row pgx.CollectableRow) (v memory.Version, err error) {
	var sha []byte
	err = row.Scan(&v.Number, &v.BaseVersion, &v.Merged, &v.Deleted, &sha,
		&v.Author.Kind, &v.Author.ID, &v.Author.WorkflowID, &v.Author.RunID,
		&v.Reason, &v.Sources, &v.Added, &v.Removed, &v.CreatedAt, &v.Content)
	copy(v.SHA256[:], sha)
	return v, err
}

// History lists versions of a document below before (0: all), newest first, without contents.
func (s *Gate) History(ctx context.Context, id memory.Identity, ref memory.Ref, before, limit int) ([]memory.Version, error) {
	versions, err := s.versions(ctx, id, ref, sqlHistory, pgx.NamedArgs{"before": before, "limit": pg.LimitOf(limit)})
	if err == nil && len(versions) == 0 && before == 0 {
		return nil, fmt.Errorf("document %s: %w", ref.Path, pg.ErrNotFound)
	}
	return versions, err
}

// VersionOf returns one version with its content, which is empty for a version that deleted the document.
func (s *Gate) VersionOf(ctx context.Context, id memory.Identity, ref memory.Ref, number int) (memory.Version, error) {
	versions, err := s.versions(ctx, id, ref, SQLVersion, pgx.NamedArgs{"version": number})
	if err != nil {
		return memory.Version{}, err
	}
	if len(versions) == 0 {
		return memory.Version{}, fmt.Errorf("version %d of document %s: %w", number, ref.Path, pg.ErrNotFound)
	}
	return versions[0], nil
}

// Blame returns the origin of every line of a version (0: the current one). A version that deleted the document has no lines.
func (s *Gate) Blame(ctx context.Context, id memory.Identity, ref memory.Ref, number int) ([]memory.BlameLine, error) {
	versions, err := s.versions(ctx, id, ref, sqlBlame, pgx.NamedArgs{"version": number})
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 || number > versions[len(versions)-1].Number {
		return nil, fmt.Errorf("version %d of document %s: %w", number, ref.Path, pg.ErrNotFound)
	}
	return blameOf(versions), nil
}

// Blames returns what Blame returns of the current versions of documents, in one round trip. Of one that does not exist it returns nil.
func (s *Gate) Blames(ctx context.Context, id memory.Identity, refs []memory.Ref) ([][]memory.BlameLine, error) {
	versions := make([][]memory.Version, len(refs))
	args := make([]pgx.NamedArgs, len(refs))
	for i, ref := range refs {
		of, err := refArgs(id, ref)
		if err != nil {
			return nil, err
		}
		of["version"] = 0
		args[i] = of
	}
	return pg.Read(ctx, s.db, id, func(t *pg.Tx) ([][]memory.BlameLine, error) {
		b := &pgx.Batch{}
		for i := range refs {
			pg.All(b.Queue(sqlBlame, t.Args(args[i])), &versions[i], ScanVersion)
		}
		if err := t.Finish(ctx, b); err != nil {
			return nil, err
		}
		lines := make([][]memory.BlameLine, len(refs))
		for i := range refs {
			lines[i] = blameOf(versions[i])
		}
		return lines, nil
	})
}

// blameOf returns the origins of the lines of the last of versions; nil if it deleted the document.
func blameOf(versions []memory.Version) []memory.BlameLine {
	if len(versions) == 0 || versions[len(versions)-1].Deleted {
		return nil
	}
	// Deletions wrote no lines: lines that return belong to the versions that wrote them.
	return memory.Blame(slices.DeleteFunc(versions, func(v memory.Version) bool { return v.Deleted }))
}

func (s *Gate) versions(ctx context.Context, id memory.Identity, ref memory.Ref, sql string, more pgx.NamedArgs) ([]memory.Version, error) {
	args, err := refArgs(id, ref)
	if err != nil {
		return nil, err
	}
	maps.Copy(args, more)
	return pg.ReadAll(ctx, s.db, id, sql, args, ScanVersion)
}
