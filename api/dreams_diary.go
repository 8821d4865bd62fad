package api

import (
	"context"
	"errors"
	"net/http"

	"reverie/memory"
	"reverie/store"
)

// diaryMonthsPath is where older entries of the diary are, in a file for each month.
const diaryMonthsPath = "memory/dreaming/diary/"

func (s *dreamRoom) dreamDiaryRoutes() {
	register(s.kernel, route{
		id: "dream-diary", method: http.MethodGet, path: dreamsPath + "/diary", original: originalDreaming + "/dreams", tag: "dreams", need: memory.RoleViewer,
		summary: "Read the diary of dreams", doc: "DREAMS.md, and where its older entries are. Naming nobody, that of the shared memory.",
	}, s.dreamDiary)
}

type dreamDiaryInput struct {
	AgentParam
	PersonParams
}

type dreamDiaryView struct {
	Scope   memory.Scope `json:"scope"`
	Path    string       `json:"path"`
	Version int          `json:"version" doc:"0: nothing was dreamed yet."`
	ETag    string       `json:"etag,omitempty"`
	Content string       `json:"content"`
	Months  []FileEntry  `json:"months" doc:"Files of older entries, one for each month: read them as documents."`
}

func (s *dreamRoom) dreamDiary(ctx context.Context, in *dreamDiaryInput) (*reply[dreamDiaryView], error) {
	id, _, err := s.enter(ctx, in.Agent, in.person())
	if err != nil {
		return nil, err
	}
	view := dreamDiaryView{Scope: memory.ScopePersonal, Path: memory.DreamsPath}
	if id.Owner == memory.NoOwner || id.Owner == memory.SystemOwner {
		view.Scope = memory.ScopeTeam
	}
	months, err := s.Store.Documents(ctx, id, store.DocumentFilter{Prefix: diaryMonthsPath, Scope: view.Scope})
	if err != nil {
		return nil, err
	}
	view.Months = views(months, func(e store.DocumentEntry) FileEntry { return viewEntry(e.Document, e.Bytes) })
	d, err := s.Store.Document(ctx, id, memory.Ref{Scope: view.Scope, Path: memory.DreamsPath})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ok(view), nil
	case err != nil:
		return nil, err
	}
	view.Version, view.ETag, view.Content = d.Version, etag(d.Scope, d.Version, d.SHA256), d.Content
	return ok(view), nil
}
