package dreams

import (
	"context"
	"errors"
	"net/http"

	"reverie/api/files"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
)

// diaryMonthsPath is where older entries of the diary are, in a file for each month.
const diaryMonthsPath = "memory/dreaming/diary/"

func (s *Room) dreamDiaryRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "dream-diary", Method: http.MethodGet, Path: dreamsPath + "/diary", Original: originalDreaming + "/dreams", Tag: "dreams", Need: memory.RoleViewer,
		Summary: "Read the diary of dreams", Doc: "DREAMS.md, and where its older entries are. Naming nobody, that of the shared memory.",
	}, s.dreamDiary)
}

type dreamDiaryInput struct {
	rest.AgentParam
	rest.PersonParams
}

type dreamDiaryView struct {
	Scope   memory.Scope      `json:"scope"`
	Path    string            `json:"path"`
	Version int               `json:"version" doc:"0: nothing was dreamed yet."`
	ETag    string            `json:"etag,omitempty"`
	Content string            `json:"content"`
	Months  []files.FileEntry `json:"months" doc:"Files of older entries, one for each month: read them as documents."`
}

func (s *Room) dreamDiary(ctx context.Context, in *dreamDiaryInput) (*rest.Reply[dreamDiaryView], error) {
	id, _, err := s.Enter(ctx, in.Agent, in.Person())
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
	view.Months = rest.Views(months, func(e store.DocumentEntry) files.FileEntry { return files.ViewEntry(e.Document, e.Bytes) })
	d, err := s.Store.Document(ctx, id, memory.Ref{Scope: view.Scope, Path: memory.DreamsPath})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return rest.OK(view), nil
	case err != nil:
		return nil, err
	}
	view.Version, view.ETag, view.Content = d.Version, rest.ETag(d.Scope, d.Version, d.SHA256), d.Content
	return rest.OK(view), nil
}
