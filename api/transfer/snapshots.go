package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/scan"
	"reverie/snapshot"
	"reverie/store"
	"reverie/store/indexes"
	"reverie/store/transfer"
	"reverie/workflows"
)

const (
	snapshotPath  = rest.WorkspacePath + "/memory"
	snapshotsPath = snapshotPath + "/imports"
)

func (s *Handlers) snapshotRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "export-snapshot", Method: http.MethodGet, Path: snapshotPath + "/export", Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "Export documents as one ZIP archive", Also: []int{http.StatusNotModified}, Errors: []int{http.StatusConflict},
		Doc: "manifest.json first, then the documents by name; the same documents are the same bytes. At most 499 documents and 16 MiB: " +
			"export a part with prefix when there are more. The header Reverie-Left-Out counts documents that a snapshot does not carry. With " +
			"If-None-Match it answers 304 when nothing has changed.",
	}, s.exportSnapshot)
	s.snapshotImportRoutes()
	rest.Register(s.Server, rest.Route{
		ID: "list-snapshot-imports", Method: http.MethodGet, Path: snapshotsPath, Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "List imports of archives, newest first", Doc: "Those of shared documents, and those of the owner that is named or that the " +
			"key is pinned to; an admin key that names no owner sees those of all.",
	}, s.listSnapshotImports)
	rest.Register(s.Server, rest.Route{
		ID: "get-snapshot-import", Method: http.MethodGet, Path: snapshotsPath + "/{import}", Tag: "snapshots", Need: memory.RoleViewer,
		Summary: "Read an import of an archive",
		Doc:     "Lists the result for every entry of the archive: names and hashes, never contents. An admin key finds it without naming the owner.",
	}, s.getSnapshotImport)
}

// SnapshotParams select the documents of an archive.
type SnapshotParams struct {
	rest.AgentParam
	rest.PersonParams
	Scope snapshot.Choice `query:"scope" enum:"personal,team,all" doc:"Which documents: PERSONAL ones of the owner, the agent's TEAM ones, or both. Missing: all that the request may be about."`
}

// choice returns the requested choice of documents, for reading.
func (p SnapshotParams) choice(id memory.Identity) (snapshot.Choice, error) {
	isPerson := id.Owner != memory.NoOwner && id.Owner != memory.SystemOwner
	switch {
	case p.Scope.Has(memory.ScopePersonal) && !isPerson:
		return "", fault.New(
			fault.OwnerRequired,
			"Owner required for PERSONAL documents: send owner, or channel and sender, or endUserId (in the query)",
		)
	case p.Scope != "":
		return p.Scope, nil
	case isPerson:
		return snapshot.ChooseAll, nil
	}
	return snapshot.ChooseTeam, nil
}

type exportSnapshotInput struct {
	SnapshotParams
	Prefix      string `query:"prefix" maxLength:"255" doc:"Only documents whose paths begin with it." example:"memory/2026-"`
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000"`
}

// archiveReply is an archive.
type archiveReply struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	ETag               string `header:"ETag" doc:"Names exactly these bytes."`
	CacheControl       string `header:"Cache-Control"`
	LeftOut            string `header:"Reverie-Left-Out" doc:"How many documents a snapshot does not carry."`
	Body               []byte
}

func (s *Handlers) exportSnapshot(ctx context.Context, in *exportSnapshotInput) (*archiveReply, error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	choice, err := in.choice(id)
	if err != nil {
		return nil, err
	}
	archive, left, err := s.Export(ctx, id, choice, in.Prefix)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(archive)
	tag := fmt.Sprintf(`"%x"`, sum[:16])
	if in.IfNoneMatch != "" && rest.MatchesAny(in.IfNoneMatch, tag) {
		return nil, fault.NotModified(tag)
	}
	return &archiveReply{
		ContentType: zipType, ContentDisposition: fmt.Sprintf(`attachment; filename="%s-memory.zip"`, id.Agent), // a slug
		ETag: tag, CacheControl: fault.Revalidate, LeftOut: strconv.Itoa(left), Body: archive,
	}, nil
}

// Export returns an archive of documents whose paths begin with a prefix, and how many documents it does not carry.
func (s *Handlers) Export(ctx context.Context, id memory.Identity, choice snapshot.Choice, prefix string) (archive []byte, left int, err error) {
	export, err := s.Store.ExportSnapshot(ctx, id, choice, prefix)
	if err != nil {
		return nil, 0, cannotExport(err)
	}
	if archive, err = snapshot.Write(export.Origin, export.Files); err != nil {
		return nil, 0, cannotExport(err)
	}
	return archive, export.Left, nil
}

// cannotExport returns the problem for documents that do not fit into one archive.
func cannotExport(err error) error {
	refused, is := errors.AsType[*snapshot.RefusedError](err)
	if !is {
		return err
	}
	p := fault.New(fault.Conflict, "%s (with prefix, such as memory/2026-01)", refused.Error())
	p.Data = refusedArchive{Code: refused.Code, Entry: refused.Entry}
	return p
}

// snapshotImportView is the record of an import.
type snapshotImportView struct {
	ID         uuid.UUID               `json:"id"`
	Owner      memory.Owner            `json:"owner,omitempty" doc:"Whose PERSONAL documents it brings; missing: shared documents only."`
	Archive    string                  `json:"archive" doc:"SHA-256 of the archive, in hex."`
	Bytes      int64                   `json:"bytes" doc:"Size of the archive."`
	Scope      snapshot.Choice         `json:"scope" enum:"personal,team,all"`
	Outcome    memory.Outcome          `json:"outcome" enum:"running,written,nothing,refused"`
	ReasonCode memory.ReasonCode       `json:"reasonCode,omitempty" doc:"Why nothing was written."`
	Created    int                     `json:"created" doc:"Number of documents created."`
	Updated    int                     `json:"updated" doc:"Number of documents updated."`
	Skipped    int                     `json:"skipped" doc:"Entries, those that are as they were among them."`
	Files      []transfer.SnapshotFile `json:"files" nullable:"false" doc:"Result for each entry; empty while the import is running, and in lists."`
	WorkflowID string                  `json:"workflowId,omitempty"`
	RunID      string                  `json:"runId,omitempty"`
	Link       string                  `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
	Requested  time.Time               `json:"requestedAt"`
	Finished   *time.Time              `json:"finishedAt,omitempty"`
}

func (s *Handlers) viewSnapshotImport(i transfer.SnapshotImport) snapshotImportView {
	files := i.Files
	if files == nil {
		files = []transfer.SnapshotFile{}
	}
	return snapshotImportView{
		ID: i.ID, Owner: i.Owner, Archive: hex.EncodeToString(i.Archive[:]), Bytes: i.ArchiveBytes, Scope: i.Choice,
		Outcome: i.Outcome, ReasonCode: i.ReasonCode, Created: i.Created, Updated: i.Updated, Skipped: i.Skipped, Files: files,
		WorkflowID: i.WorkflowID, RunID: i.RunID, Link: s.Workflows.Link(i.WorkflowID), Requested: i.RequestedAt, Finished: i.FinishedAt,
	}
}

type snapshotImportsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams
}

// onImports returns the identity that reads the records of imports.
func (s *Handlers) onImports(ctx context.Context, agent string, p rest.Person) (memory.Identity, error) {
	id, _, err := s.Enter(ctx, agent, p)
	if id.Owner == memory.NoOwner && id.Role.Includes(memory.RoleAdmin) {
		id.AnyOwner = true // an import's id, as Temporal's Web UI shows it, does not reveal its owner
	}
	return id, err
}

func (s *Handlers) listSnapshotImports(
	ctx context.Context,
	in *snapshotImportsInput,
) (*rest.Reply[rest.Page[snapshotImportView]], error) {
	id, err := s.onImports(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshots(ctx, id, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	out := rest.Page[snapshotImportView]{Items: rest.Views(found.Items, s.viewSnapshotImport), Next: found.Next}
	for i := range out.Items {
		out.Items[i].Files = []transfer.SnapshotFile{}
	}
	return rest.OK(out), nil
}

type snapshotImportInput struct {
	rest.AgentParam
	rest.PersonParams
	Import uuid.UUID `path:"import" doc:"Id of the import."`
}

func (s *Handlers) getSnapshotImport(ctx context.Context, in *snapshotImportInput) (*rest.Reply[snapshotImportView], error) {
	id, err := s.onImports(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Snapshot(ctx, id, in.Import)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewSnapshotImport(found)), nil
}

const (
	zipType       = "application/zip"
	multipartType = "multipart/form-data"
	// maxSnapshotBody is an archive with what a form puts around it.
	maxSnapshotBody = snapshot.MaxArchiveBytes + 64<<10
	// archiveField is the name of the archive in a form.
	archiveField = "file"
	// previewTime bounds a preview, which takes everything through the gate as the import does: 26 seconds for the largest archive on two
	// busy CPUs (BenchmarkCommitSnapshot in store).
	previewTime = rest.MaxWait
)

func (s *Handlers) snapshotImportRoutes() {
	const body = " The body is the archive itself (application/zip), or a form with the archive as file (multipart/form-data); at most 16 MiB."
	preview := rest.Route{
		ID: "preview-snapshot", Method: http.MethodPost, Path: snapshotPath + "/import/preview", Tag: "snapshots", Need: memory.RoleMember,
		Act:     rest.Reads,
		Summary: "Preview an import of an archive", Body: maxSnapshotBody, Timeout: previewTime, Errors: []int{http.StatusConflict},
		Doc: "Nothing is written. The token names the archive and every version that the import would change: send it with the import, which " +
			"then refuses when anything has changed since." + body,
	}
	rest.Register(s.Server, preview, s.previewSnapshot)
	run := rest.Route{
		ID: "import-snapshot", Method: http.MethodPost, Path: snapshotPath + "/import", Tag: "snapshots", Need: memory.RoleMember,
		Act: rest.Changes, Summary: "Import an archive of documents", Body: maxSnapshotBody, Timeout: rest.MaxWait + rest.RequestTimeout,
		Also: []int{http.StatusAccepted}, Errors: []int{http.StatusConflict},
		Doc: "All documents in one transaction, or none; documents that the archive does not have stay. Answers 200 with the outcome for each " +
			"file, or 202 if it is not done within wait: it continues. " +
			"The same archive is imported once at a time; imported again, it changes only what differs from it." + body,
	}
	rest.Register(s.Server, run, s.importSnapshot)
	for _, r := range []rest.Route{preview, run} {
		content := s.API.OpenAPI().Paths[r.Path].Post.RequestBody.Content
		content[multipartType] = &huma.MediaType{Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{archiveField},
			Properties: map[string]*huma.Schema{archiveField: {Type: huma.TypeString, Format: "binary"}},
		}}
	}
}

// SnapshotUpload is an uploaded archive.
type SnapshotUpload struct {
	SnapshotParams
	ContentType string `header:"Content-Type" maxLength:"200"`
	RawBody     []byte `contentType:"application/zip"`
}

// upload is an uploaded archive with its options.
type upload struct {
	id      memory.Identity
	data    []byte
	archive snapshot.Archive
	choice  snapshot.Choice
	taken   snapshot.Taken
	refused []snapshot.Refused
}

// receive reads an archive. Nothing of it has reached the database when it is refused.
func (s *Handlers) receive(ctx context.Context, in *SnapshotUpload) (u upload, err error) {
	if u.id, _, err = s.Enter(ctx, in.Agent, in.Person()); err != nil {
		return upload{}, err
	}
	if u.choice, err = in.choice(u.id); err != nil {
		return upload{}, err
	}
	if u.id.Pinned {
		if in.Scope.Has(memory.ScopeTeam) {
			return upload{}, fault.New(fault.Forbidden, "This key is pinned to one owner: import with scope=personal")
		}
		u.choice = snapshot.ChoosePersonal
	}
	if u.data, err = archiveOf(in.ContentType, in.RawBody); err != nil {
		return upload{}, err
	}
	if u.archive, err = snapshot.Read(u.data); err != nil {
		return upload{}, refusedSnapshot(err)
	}
	if u.choice == snapshot.ChooseAll && !u.archive.Has(memory.ScopePersonal) {
		u.choice = snapshot.ChooseTeam
	}
	u.taken, u.refused = u.archive.Choose(snapshot.Rights{
		Choice: u.choice, Owner: u.choice.Has(memory.ScopePersonal), Team: !u.id.Pinned,
	})
	u.id.Author.Kind = memory.AuthorImport
	return u, nil
}

// receiveUnchanged reads an archive to import. It refuses one whose preview no longer holds: that needs no workflow to find out.
func (s *Handlers) receiveUnchanged(ctx context.Context, in *importSnapshotInput) (upload, error) {
	release, err := s.archives.take(ctx, archivePatience)
	if err != nil {
		return upload{}, err
	}
	defer release()
	u, err := s.receive(ctx, &in.SnapshotUpload)
	if err != nil || in.Token == "" {
		return u, err
	}
	found, err := s.Store.PreviewSnapshot(ctx, u.id, u.archive, u.choice, u.taken)
	if err == nil && found.Token != in.Token {
		err = changedSincePreview()
	}
	return u, err
}

// archiveOf returns the archive in a body: the body itself, or the file of a form.
func archiveOf(contentType string, body []byte) ([]byte, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	switch {
	case contentType == "", err == nil && (kind == zipType || kind == "application/octet-stream" || kind == "application/x-zip-compressed"):
		return body, nil
	case err != nil || kind != multipartType:
		return nil, fault.New(fault.UnsupportedMediaType, "send the archive as application/zip, or as file of a form (multipart/form-data)")
	}
	var archive []byte
	found := false
	form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF) && found:
			return archive, nil
		case errors.Is(err, io.EOF):
			return nil, fault.New(fault.InvalidBody, "the form has no %s: send the archive as %[1]s", archiveField)
		case err != nil:
			return nil, fault.New(fault.InvalidBody, "The form cannot be read")
		case part.FormName() != archiveField:
			continue
		case found:
			return nil, fault.New(fault.InvalidBody, "the form has more than one %s: send one archive", archiveField)
		}
		found = true
		if archive, err = io.ReadAll(part); err != nil { // no more than the body, which is bounded
			return nil, fault.New(fault.InvalidBody, "The form cannot be read")
		}
	}
}

// refusedArchive are the details of an archive that is refused.
type refusedArchive struct {
	Code  snapshot.Code `json:"code"`
	Entry string        `json:"entry,omitempty"`
}

// refusedSnapshot returns the answer to an archive that was refused as a whole.
func refusedSnapshot(err error) error {
	refused, is := errors.AsType[*snapshot.RefusedError](err)
	if !is {
		return err
	}
	name := fault.SnapshotRefused
	if refused.Code == snapshot.CodeTooLarge {
		name = fault.BodyTooLarge
	}
	p := fault.New(name, "the archive is refused: %s", refused.Error())
	p.Data = refusedArchive{Code: refused.Code, Entry: refused.Entry}
	return p
}

// SkipView is an entry that is left out.
type SkipView struct {
	Filename string          `json:"filename"`
	Reason   snapshot.Reason `json:"reason"`
	Findings []scan.Finding  `json:"findings,omitempty" doc:"Findings in a quarantined text: class, rule and line."`
}

// CreateView is a document that would be new.
type CreateView struct {
	Filename string       `json:"filename"`
	Scope    memory.Scope `json:"scope"`
	Size     int          `json:"size"`
	Hash     string       `json:"hash" doc:"SHA-256 in hex, of what would be written."`
	ChangeNotes
}

// UpdateView is a document that would be changed.
type UpdateView struct {
	Filename string       `json:"filename"`
	Scope    memory.Scope `json:"scope"`
	OldSize  int          `json:"oldSize"`
	NewSize  int          `json:"newSize"`
	OldHash  string       `json:"oldHash"`
	NewHash  string       `json:"newHash"`
	Diff     string       `json:"diff" doc:"Unified; empty when only its place in the system prompt would change."`
	ChangeNotes
}

// ChangeNotes list what is not written as in the archive.
type ChangeNotes struct {
	Redacted bool           `json:"redacted,omitempty" doc:"Secrets are removed."`
	Findings []scan.Finding `json:"findings,omitempty" doc:"Why: class, rule and line, never the text."`
	Withheld bool           `json:"withheld,omitempty" doc:"Statements are left out that a person had forgotten."`
	Edited   bool           `json:"edited,omitempty" doc:"The content differs from the manifest: it was edited in the archive."`
	Prompt   bool           `json:"prompt,omitempty" doc:"The position in the system prompt changes."`
}

// PreviewView lists what an import would do.
type PreviewView struct {
	Archive    string          `json:"archive" doc:"SHA-256 of the archive, in hex."`
	Scope      snapshot.Choice `json:"scope" enum:"personal,team,all" doc:"Which documents are taken."`
	WillCreate []CreateView    `json:"willCreate" nullable:"false"`
	WillUpdate []UpdateView    `json:"willUpdate" nullable:"false"`
	WillSkip   []SkipView      `json:"willSkip" nullable:"false"`
	Token      string          `json:"token" doc:"Send it with the import."`
}

func (s *Handlers) previewSnapshot(ctx context.Context, in *SnapshotUpload) (*rest.Reply[PreviewView], error) {
	release, err := s.archives.take(ctx, archivePatience)
	if err != nil {
		return nil, err
	}
	defer release()
	u, err := s.receive(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.PreviewSnapshot(ctx, u.id, u.archive, u.choice, u.taken)
	if err != nil {
		return nil, err
	}
	return rest.OK(viewPreview(u, found)), nil
}

func viewPreview(u upload, found transfer.SnapshotPreview) PreviewView {
	v := PreviewView{
		Archive: hex.EncodeToString(u.archive.SHA256[:]), Scope: u.choice, Token: found.Token,
		WillCreate: []CreateView{}, WillUpdate: []UpdateView{}, WillSkip: []SkipView{},
	}
	for _, c := range found.Changes {
		notes := ChangeNotes{c.Redacted, c.Findings, c.Withheld, c.Edited, c.Prompt}
		switch c.Outcome {
		case transfer.FileCreated:
			v.WillCreate = append(
				v.WillCreate,
				CreateView{Filename: c.Filename, Scope: c.Scope, Size: c.Bytes, Hash: c.SHA256, ChangeNotes: notes},
			)
		case transfer.FileUpdated:
			v.WillUpdate = append(v.WillUpdate, UpdateView{
				Filename: c.Filename, Scope: c.Scope, OldSize: len(c.Before), NewSize: c.Bytes, OldHash: hashOf(c.Before), NewHash: c.SHA256,
				Diff: markdown.UnifiedDiff(c.Filename, c.Filename, c.Before, c.After), ChangeNotes: notes,
			})
		default:
			v.WillSkip = append(v.WillSkip, SkipView{Filename: c.Filename, Reason: c.Reason})
		}
	}
	findings := map[string][]scan.Finding{}
	for _, r := range u.refused {
		findings[snapshot.Name(r.Ref)] = r.Findings
	}
	for _, skipped := range u.taken.Skipped {
		v.WillSkip = append(v.WillSkip, SkipView{skipped.Filename, skipped.Reason, findings[skipped.Filename]})
	}
	return v
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

type importSnapshotInput struct {
	SnapshotUpload
	rest.WaitParam
	Token string `query:"token" maxLength:"128" doc:"Token of a preview: the import is refused if anything has changed since."`
}

// ImportedView is the outcome of an import, or where it will be.
type ImportedView struct {
	Status  string             `json:"status" enum:"completed,running"`
	Applied []string           `json:"applied" nullable:"false" doc:"Entries whose documents were written."`
	Skipped []SkipView         `json:"skipped" nullable:"false"`
	Import  snapshotImportView `json:"import"`
	Record  string             `json:"record" doc:"Where the record of the import is."`
}

func (s *Handlers) importSnapshot(ctx context.Context, in *importSnapshotInput) (*rest.Reply[ImportedView], error) {
	wait, err := in.Duration()
	if err != nil {
		return nil, err
	}
	if in.Token != "" && !snapshot.IsToken(in.Token) {
		return nil, fault.InvalidAt("query.token", "it is the token of no preview: make a preview first and send its token")
	}
	u, err := s.receiveUnchanged(ctx, in)
	if err != nil {
		return nil, err
	}
	staged, err := s.Store.StageSnapshot(ctx, u.id, transfer.SnapshotRequest{
		Archive: u.archive.SHA256, Data: u.data, Choice: u.choice, Token: in.Token, Shared: u.choice == snapshot.ChooseTeam,
	})
	if err != nil {
		return nil, err
	}
	input := workflows.ImportSnapshotInput{
		AgentRef: indexes.AgentRef{Workspace: u.id.Workspace, Agent: u.id.Agent},
		Import:   staged.ID, Archive: hex.EncodeToString(u.archive.SHA256[:]), Particular: staged.Owner != memory.NoOwner || staged.Token != "",
	}
	done, err := s.runImport(ctx, input, wait)
	if err != nil {
		return nil, err
	}
	record, err := s.Store.Snapshot(ctx, u.id, staged.ID)
	if err != nil {
		return nil, err
	}
	return s.imported(record, input, done)
}

// imported answers with the record of an import.
func (s *Handlers) imported(
	record transfer.SnapshotImport,
	in workflows.ImportSnapshotInput,
	done bool,
) (*rest.Reply[ImportedView], error) {
	record.WorkflowID = in.ID()
	v := ImportedView{
		Status: "running", Applied: []string{}, Skipped: []SkipView{}, Import: s.viewSnapshotImport(record),
		Record: rest.Link("/agents/%s/workspace/memory/imports/%s", in.Agent, record.ID),
	}
	if record.Owner != memory.NoOwner {
		v.Record += "?owner=" + url.QueryEscape(string(record.Owner))
	}
	if !done || record.FinishedAt == nil {
		return rest.Accepted(v), nil
	}
	if record.Outcome == transfer.OutcomeRefused {
		return nil, refusedImport(record.ReasonCode)
	}
	v.Status = "completed"
	for _, f := range record.Files {
		if f.Outcome == transfer.FileCreated || f.Outcome == transfer.FileUpdated {
			v.Applied = append(v.Applied, f.Filename)
		} else {
			v.Skipped = append(v.Skipped, SkipView{f.Filename, f.Reason, f.Findings})
		}
	}
	return rest.OK(v), nil
}

// runImport starts an import whose archive is staged, and waits for its end, at most for wait; done reports whether it has ended. When
// workflows cannot be reached it waits for the worker's sweep.
func (s *Handlers) runImport(ctx context.Context, in workflows.ImportSnapshotInput, wait time.Duration) (done bool, err error) {
	var run client.WorkflowRun
	_, err = s.Workflows.Breaker.Execute(func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest.SignalTimeout) // also if the client hangs up
		defer cancel()
		run, err = workflows.StartImportSnapshot(ctx, s.Temporal, in)
		return struct{}{}, err
	})
	if err != nil {
		s.Workflows.LogAway(ctx, "the import is left to the sweep", err)
		return false, nil
	}
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.Stopping, cancel)()
	switch err := run.Get(waited, nil); {
	case err == nil, temporal.IsCanceledError(err):
		return true, nil // its record says how
	case waited.Err() != nil, rest.TemporalAway(err):
		return false, nil
	default:
		s.Log.WarnContext(ctx, "An import of a snapshot failed", "error", err, "workflow", in.ID(), "request", rest.RequestID(ctx))
		return false, fault.New(
			fault.WorkflowFailed,
			"the import failed and wrote nothing; it is being retried; see the history of workflow %s",
			in.ID(),
		)
	}
}

func changedSincePreview() *fault.Problem {
	return fault.New(fault.ChangedSincePreview, "Documents changed since the preview: make a new preview and send its token")
}

// refusedImport returns the answer to an import that was refused for a reason.
func refusedImport(reason memory.ReasonCode) *fault.Problem {
	switch reason {
	case workflows.ReasonChangedSincePreview:
		return changedSincePreview()
	case memory.GateTeamMember:
		return fault.New(fault.TeamMember, "Memory is read-only for team members: nothing was imported")
	case memory.GateMemoryOff:
		return fault.New(
			fault.MemoryOff,
			"memory is switched off for this agent: nothing was imported; switch it on with memoryEnabled in the agent's settings",
		)
	case workflows.ReasonForbidden:
		return fault.New(fault.Forbidden, "this key may not write the documents of the archive: nothing was imported")
	case workflows.ReasonKeyRevoked:
		return fault.New(fault.Forbidden, "the key that asked for the import was revoked or has expired: nothing was imported")
	case workflows.ReasonCancelled:
		return fault.New(fault.Conflict, "the import was cancelled: nothing was imported; send the archive again when it is wanted")
	}
	return fault.New(fault.SnapshotRefused, "nothing was imported: %s", reason)
}

// uploaded is an archive that a page was sent for an owner it knows already.
func uploaded(agent string, owner memory.Owner, choice snapshot.Choice, data []byte) SnapshotUpload {
	return SnapshotUpload{
		SnapshotParams: SnapshotParams{
			AgentParam: rest.AgentParam{Agent: agent}, PersonParams: rest.PersonParams{Owner: string(owner)}, Scope: choice,
		},
		ContentType: zipType, RawBody: data,
	}
}

// Preview returns what an import of an archive would do, as the operation preview-snapshot does.
func (s *Handlers) Preview(
	ctx context.Context, agent string, owner memory.Owner, choice snapshot.Choice, data []byte,
) (PreviewView, error) {
	in := uploaded(agent, owner, choice, data)
	out, err := s.previewSnapshot(ctx, &in)
	if err != nil {
		return PreviewView{}, err
	}
	return out.Body.Data, nil
}

// Import imports an archive if nothing has changed since the preview with a token, as the operation import-snapshot does.
func (s *Handlers) Import(
	ctx context.Context, agent string, owner memory.Owner, choice snapshot.Choice, data []byte, token string,
) (ImportedView, error) {
	out, err := s.importSnapshot(ctx, &importSnapshotInput{
		SnapshotUpload: uploaded(agent, owner, choice, data), WaitParam: rest.WaitParam{Wait: rest.ActionWait}, Token: token,
	})
	if err != nil {
		return ImportedView{}, err
	}
	return out.Body.Data, nil
}
