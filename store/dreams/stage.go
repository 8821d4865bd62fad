package dreams

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"reverie/dream"
	"reverie/dream/rewrite"
	"reverie/memory"
	"reverie/store/gate"
	"reverie/store/pg"
)

const (
	// In the order in which light sleep staged them.
	sqlDreamStagedCandidates = `
select body
from dream_candidates
where workspace_id = @workspace and agent_id = @agent and dream_id = @dream and owner_key = @owner
order by place`

	// The documents that a dream writes, deleted or not, and the newest monthly files.
	sqlDreamFiles = gate.DocumentColumns + `octet_length(v.content), v.content, d.person_lines
from (
    (select *
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose
        and path = any (@paths::text[]))
    union all
    (select *
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose
        and starts_with(path, @archive) and not deleted
    order by path desc
    limit @months)
    union all
    (select *
    from documents
    where workspace_id = @workspace and agent_id = @agent and scope = @scope and owner_key = @whose
        and starts_with(path, @diary) and not deleted
    order by path desc
    limit @months)
) d ` + gate.CurrentVersion

	// The shared MEMORY.md.
	sqlDreamShared = `
select v.content
from documents d ` + gate.CurrentVersion + `
where d.workspace_id = @workspace and d.agent_id = @agent and d.scope = 'TEAM' and d.owner_key = '' and d.path = 'MEMORY.md'
    and not d.deleted`
)

const (
	// diaryMonths is the folder of old diary entries, one file for each month.
	diaryMonths = memory.DreamingFolder + "diary/"
	// dreamMonths bounds the monthly files of one kind that a dream reads. It writes to the newest.
	dreamMonths = 24
)

// DreamStage reads the input of REM and deep sleep: the candidates as staged, and the notes, documents and states as they are
// now. A replay gets the notes, MEMORY.md, the shared one and the states as its original did. It reads one snapshot, in two round
// trips.
func (s *Dreaming) DreamStage(ctx context.Context, id memory.Identity, dreamID uuid.UUID) (DreamStage, error) {
	if err := pg.RequireOwner(id); err != nil {
		return DreamStage{}, err
	}
	return pg.Snapshot(ctx, s.db, id, func(t *pg.Tx) (DreamStage, error) {
		l := dreamBase{t: t}
		if err := l.first(ctx, dreamID); err != nil {
			return DreamStage{}, err
		}
		return l.stage(ctx, t.Finish)
	})
}

// stage reads the input of the steps after light sleep, with one call of send.
func (l *dreamBase) stage(ctx context.Context, send func(context.Context, *pgx.Batch) error) (DreamStage, error) {
	stage := DreamStage{Dream: l.Dream, Agent: l.Agent, Now: l.now, AsOf: l.asOf()}
	var notes, then []noteVersion
	var files []gate.WrittenDocument
	var recalls []Recalled
	var shared bool
	documents, versions := pinnedNotes(l.Dream.Pins)
	args := l.t.Args(pgx.NamedArgs{
		"dream": l.Dream.ID, "scope": l.Dream.Scope, "whose": gate.RowOwner(l.t.ID, l.Dream.Scope),
		"paths": []string{memory.MemoryPath, memory.DreamsPath}, "archive": rewrite.ArchiveFolder, "diary": diaryMonths,
		"months":    dreamMonths,
		"documents": documents, "document_versions": versions, "versions": 1, "bytes": dreamHistoryBytes,
	})
	b := &pgx.Batch{}
	pg.All(b.Queue(sqlDreamStagedCandidates, args), &stage.Candidates, pgx.RowTo[dream.Candidate])
	pg.All(b.Queue(sqlDreamFiles, args), &files, gate.ScanWritten)
	if l.original == nil {
		pg.All(b.Queue(sqlDreamLive, args), &notes, scanNoteVersion)
		l.queueStates(b, &stage.States)
		pg.Columns(b.Queue(sqlDreamShared, args), &shared, &stage.Shared)
	} else {
		stage.States = l.saved
		pg.All(b.Queue(sqlDreamPinned, args), &notes, scanNoteVersion)
		pg.All(b.Queue(sqlDreamPinned, l.t.Args(l.thenArgs())), &then, scanNoteVersion)
	}
	l.queueRecalls(b, &recalls)
	if err := send(ctx, b); err != nil {
		return DreamStage{}, err
	}
	for i := range stage.Candidates {
		unweigh(&stage.Candidates[i])
	}
	stage.Recalls = oldestFirst(recalls)
	stage.Notes = notesOf(notes)
	for i := range stage.Notes {
		stage.Notes[i].Lines = nil
	}
	slices.SortStableFunc(stage.Notes, func(a, b DreamNote) int {
		return cmp.Or(strings.Compare(string(b.Day), string(a.Day)), strings.Compare(a.Path, b.Path))
	})
	l.place(&stage, files)
	if l.original != nil {
		l.placeThen(&stage, then)
	}
	if l.Dream.Scope == memory.ScopeTeam {
		stage.Shared = ""
	}
	return stage, nil
}

// unweigh removes the results of deep sleep: after a draft that could not be committed, candidates are weighed again.
func unweigh(c *dream.Candidate) {
	c.Components, c.Score, c.Gates = dream.Components{}, 0, nil
	c.Verdict, c.ReasonCode, c.Reason, c.With, c.Line = "", "", "", "", ""
}

// place assigns the documents to the fields of stage.
func (l *dreamBase) place(stage *DreamStage, files []gate.WrittenDocument) {
	stage.Files.Months = map[string]memory.Document{}
	stage.Files.Memory = memory.Document{Scope: l.Dream.Scope, Owner: gate.RowOwner(l.t.ID, l.Dream.Scope), Path: memory.MemoryPath}
	stage.Files.Diary = memory.Document{Scope: l.Dream.Scope, Owner: gate.RowOwner(l.t.ID, l.Dream.Scope), Path: memory.DreamsPath}
	var lines []string
	for _, f := range files {
		switch f.Path {
		case memory.MemoryPath:
			stage.Files.Memory, lines = f.Document, f.Person
		case memory.DreamsPath:
			stage.Files.Diary = f.Document
		default:
			stage.Files.Months[f.Path] = f.Document
		}
	}
	stage.Protected = rewrite.Protected(stage.Files.Memory.Content, lines, stage.States)
}

// thenArgs returns the arguments for reading the MEMORY.md that the original of a replay saw.
func (l *dreamBase) thenArgs() pgx.NamedArgs {
	documents, versions := pinnedAt(l.pins(), func(path string) bool { return path == memory.MemoryPath })
	return pgx.NamedArgs{"documents": documents, "document_versions": versions, "versions": DreamVersions, "bytes": dreamHistoryBytes}
}

// placeThen replaces MEMORY.md by its earlier version.
func (l *dreamBase) placeThen(stage *DreamStage, then []noteVersion) {
	stage.Files.Memory = memory.Document{Scope: l.Dream.Scope, Owner: gate.RowOwner(l.t.ID, l.Dream.Scope), Path: memory.MemoryPath}
	stage.Protected = nil
	for _, h := range historiesOf(then) {
		if h.Scope != l.Dream.Scope {
			stage.Shared = h.Content
			continue
		}
		stage.Files.Memory = h.Document
		stage.Protected = rewrite.Protected(h.Content, linesOfPeople(h.blame()), stage.States)
	}
}

// linesOfPeople returns the lines that people wrote, without blank ones.
func linesOfPeople(lines []memory.BlameLine) []string {
	var out []string
	for _, b := range lines {
		if b.Author.Kind == memory.AuthorUser && strings.TrimSpace(b.Line) != "" {
			out = append(out, b.Line)
		}
	}
	return out
}
