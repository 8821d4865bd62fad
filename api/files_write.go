package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"

	"reverie/memory"
	"reverie/store"
)

func (s *fileRoom) fileWriteRoutes() {
	register(s.kernel, route{
		id: "write-file", method: http.MethodPut, path: workspacePath + "/files/{path}", rest: "path", tag: "files", need: memory.RoleMember,
		summary: "Write a document", body: maxDocumentBody,
		also: []int{http.StatusCreated}, errors: []int{http.StatusConflict, http.StatusPreconditionFailed, http.StatusPreconditionRequired},
		doc: "Makes a new version; 201 when the document is new. An existing document needs If-Match with the ETag that was read (or * to overwrite whatever is there). " +
			"When it was changed meanwhile, both sides are merged by line; where both changed the same lines the answer is 409 stale_base with both. " +
			"The text is scanned: secrets are replaced by placeholders, and a text that tries to instruct the agent is refused.",
	}, s.writeFile)
	register(s.kernel, route{
		id: "delete-file", method: http.MethodDelete, path: workspacePath + "/files/{path}", rest: "path", tag: "files", need: memory.RoleMember,
		summary: "Delete a document", errors: []int{http.StatusConflict, http.StatusPreconditionFailed},
		doc: "Its versions stay, and undelete brings it back. With If-Match, only when that is still the current version.",
	}, s.deleteFile)
	register(s.kernel, route{
		id: "undelete-file", method: http.MethodPost, path: workspacePath + "/undelete/{path}", rest: "path", tag: "files", need: memory.RoleMember,
		summary: "Bring a deleted document back", body: maxSmallBody,
	}, s.undeleteFile)
	register(s.kernel, route{
		id: "restore-file", method: http.MethodPost, path: workspacePath + "/restore/{path}", rest: "path", tag: "files", need: memory.RoleMember,
		summary: "Make an earlier version current again, as a new version", body: maxSmallBody,
	}, s.restoreFile)
}

// WriteParams are what all writes of a document have in common.
type WriteParams struct {
	AgentParam
	PathParam
	PersonParams
	Scope memory.Scope `query:"scope" enum:"PERSONAL,TEAM,GLOBAL" doc:"Where to write. Missing: PERSONAL when a person is named or the key is pinned to one, else TEAM."`
	RequestKeyParam
}

// target is the document that a write is about, and on whose behalf.
func (s *fileRoom) target(ctx context.Context, in WriteParams) (memory.Identity, memory.Ref, error) {
	path, err := in.clean()
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return memory.Identity{}, memory.Ref{}, err
	}
	scope, err := writeScope(id, in.Scope)
	return id, memory.Ref{Scope: scope, Path: path}, err
}

// writeScope is where a write goes.
func writeScope(id memory.Identity, asked memory.Scope) (memory.Scope, error) {
	switch {
	case asked == "" && (id.Owner == memory.NoOwner || id.Owner == memory.SystemOwner): // the system has no documents of its own
		return memory.ScopeTeam, nil
	case asked == "":
		return memory.ScopePersonal, nil
	}
	return asked, canHave(id, asked)
}

// ledgerKey is the idempotency key of a write. The client's key counts for the same client and the same request only, so
// that a key used twice by mistake never swallows a write.
func ledgerKey(ctx context.Context, client string, change memory.Change) string {
	if client == "" {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{
		string(change.Op), string(change.Scope), change.Path, change.Content, change.Reason,
		strconv.Itoa(change.Base), strconv.Itoa(change.Restore), strconv.FormatBool(change.Force),
	} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return "http/" + callerOf(ctx).ID.String() + "/" + client + "/" + hex.EncodeToString(h.Sum(nil)[:8])
}

// receiptView is the answer to a write.
type receiptView struct {
	memory.Receipt
	Replayed bool   `json:"replayed" doc:"The idempotency key was known: this is the answer of the first time, and nothing was written now."`
	ETag     string `json:"etag" doc:"Of the version that is current now."`
}

// apply makes one change and answers with its receipt.
func (s *fileRoom) apply(ctx context.Context, id memory.Identity, key string, change memory.Change) (*tagged[receiptView], error) {
	receipt, err := s.Store.Apply(ctx, id, ledgerKey(ctx, key, change), []memory.Change{change})
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = noSuchDocument(change.Path, change.Scope)
		}
		return nil, err
	}
	done := receipt.Changes[0]
	if done.Changed && !receipt.Replayed {
		s.indexChanged(id, done.Scope)
	}
	view := receiptView{Receipt: receipt, Replayed: receipt.Replayed}
	if hash, err := hex.DecodeString(done.SHA256); err == nil && len(hash) == sha256.Size {
		view.ETag = etag(done.Scope, done.Version, [sha256.Size]byte(hash))
	}
	status := http.StatusOK
	if done.Created {
		status = http.StatusCreated
	}
	return tag(status, view.ETag, view), nil
}

type writeFileInput struct {
	WriteParams
	Preconditions
	Body struct {
		Content string `json:"content" maxLength:"1048576" doc:"The whole document: Markdown, UTF-8, at most 1 MiB."`
		Reason  string `json:"reason,omitempty" maxLength:"500" doc:"Why; it stands in the history." example:"corrected the city"`
	}
}

func (s *fileRoom) writeFile(ctx context.Context, in *writeFileInput) (*tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	base, err := s.basis(ctx, id, ref, in.Preconditions)
	if err != nil {
		return nil, err
	}
	out, err := s.apply(ctx, id, in.IdempotencyKey, memory.Change{
		Ref: ref, Op: memory.OpReplace, Content: in.Body.Content, Reason: in.Body.Reason, Base: base.version, Force: base.any,
	})
	return out, in.Preconditions.explain(err)
}

type deleteFileInput struct {
	WriteParams
	IfMatch string `header:"If-Match" maxLength:"2000" doc:"ETag that was read."`
	Reason  string `query:"reason" maxLength:"500" doc:"Why; it stands in the history."`
}

func (s *fileRoom) deleteFile(ctx context.Context, in *deleteFileInput) (*tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	base, err := s.basis(ctx, id, ref, Preconditions{IfMatch: in.IfMatch})
	if err != nil {
		return nil, err
	}
	out, err := s.apply(ctx, id, in.IdempotencyKey, memory.Change{Ref: ref, Op: memory.OpDelete, Base: base.version, Reason: in.Reason})
	if stale, is := errors.AsType[*store.StaleBaseError](err); is {
		current := etag(ref.Scope, stale.Head, sha256.Sum256([]byte(stale.Theirs)))
		err = problem(namePreconditionFailed, "the document was changed meanwhile, its current version is %s", current).with("ETag", current)
	}
	return out, err
}

type undeleteFileInput struct {
	WriteParams
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why; it stands in the history."`
	}
}

func (s *fileRoom) undeleteFile(ctx context.Context, in *undeleteFileInput) (*tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	change := memory.Change{Ref: ref, Op: memory.OpUndelete}
	if in.Body != nil {
		change.Reason = in.Body.Reason
	}
	return s.apply(ctx, id, in.IdempotencyKey, change)
}

type restoreFileInput struct {
	WriteParams
	Body struct {
		Version int    `json:"version" minimum:"1" doc:"The version whose content becomes current again."`
		Reason  string `json:"reason,omitempty" maxLength:"500" doc:"Why; it stands in the history."`
	}
}

func (s *fileRoom) restoreFile(ctx context.Context, in *restoreFileInput) (*tagged[receiptView], error) {
	id, ref, err := s.target(ctx, in.WriteParams)
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, id, in.IdempotencyKey, memory.Change{
		Ref: ref, Op: memory.OpRestore, Restore: in.Body.Version, Reason: in.Body.Reason,
	})
}
