package web

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/a-h/templ"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/api/transfer"
	"reverie/memory"
	"reverie/snapshot"
	"reverie/web/view"
)

func (b *Browser) transferRoutes() {
	b.page(rest.Route{ID: "page-transfer", Path: base + "/transfer", Summary: "Export and import", Need: memory.RoleViewer}, (*request).transfer)
	b.page(rest.Route{
		ID: "page-export", Path: base + "/export", Summary: "Export documents as one archive", Need: memory.RoleViewer,
	}, (*request).export)
	b.page(rest.Route{
		ID: "page-preview", Method: http.MethodPost, Path: base + "/import/preview", Summary: "Preview an import", Need: memory.RoleMember,
		Act: rest.Reads, Body: snapshot.MaxArchiveBytes + maxForm, Timeout: rest.MaxWait,
	}, (*request).preview)
	b.page(rest.Route{
		ID: "page-import", Method: http.MethodPost, Path: base + "/import", Summary: "Import an archive as it was previewed", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxEncodedArchive + maxForm, Timeout: rest.MaxWait,
	}, (*request).importArchive)
}

// maxEncodedArchive bounds an archive in a field of a form: the preview's page carries it, so that the import cannot differ from the preview.
const maxEncodedArchive = (snapshot.MaxArchiveBytes + 2) / 3 * 4

var archiveText = base64.RawURLEncoding

func (q *request) transfer() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	return q.transferPage(view.Transfer{})
}

func (q *request) transferPage(page view.Transfer) (templ.Component, error) {
	for _, choice := range q.choices() {
		page.Choices = append(page.Choices, string(choice))
	}
	page.Writable = q.mayWrite()
	return view.TransferPage(q.frame("memory", "Export and import"), page), nil
}

// choices returns which documents an archive may have here.
func (q *request) choices() []snapshot.Choice {
	switch {
	case q.id.Owner == memory.NoOwner:
		return []snapshot.Choice{snapshot.ChooseTeam}
	case q.id.Pinned:
		return []snapshot.Choice{snapshot.ChoosePersonal}
	}
	return []snapshot.Choice{snapshot.ChoosePersonal, snapshot.ChooseAll}
}

// choice returns the choice with a name; the first one that is possible for another name.
func (q *request) choice(name string) snapshot.Choice {
	possible := q.choices()
	for _, c := range possible {
		if string(c) == name {
			return c
		}
	}
	return possible[0]
}

func (q *request) export() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	archive, _, err := q.Transfers.Export(q.Context, q.id, q.choice(q.r.URL.Query().Get("documents")), "")
	if err != nil {
		return nil, err
	}
	q.w.Header().Set("Content-Type", "application/zip")
	q.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-memory.zip"`, q.agent.ID)) // a slug
	_, err = q.w.Write(archive)
	if err != nil {
		q.Log.DebugContext(q.Context, "The client did not take the archive", "error", rest.Loggable(err))
	}
	return nil, nil
}

// preview shows what an import of the archive in a form would do.
func (q *request) preview() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	file, _, err := q.r.FormFile("archive")
	if err != nil {
		return q.transferPage(view.Transfer{Problem: "Choose an archive first."})
	}
	defer func() { _ = file.Close() }() // it was read
	data, err := io.ReadAll(file)       // no more than the body, which is bounded
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "The archive cannot be read")
	}
	return q.previewed(data, q.choice(q.r.PostFormValue("documents")), "")
}

// previewed shows the preview of an import, and the reason if the import was refused.
func (q *request) previewed(data []byte, choice snapshot.Choice, problem string) (templ.Component, error) {
	found, err := q.Transfers.Preview(q.Context, q.agent.ID, q.id.Owner, choice, data)
	if p, is := errors.AsType[*fault.Problem](err); is && (p.Name == fault.SnapshotRefused || p.Name == fault.BodyTooLarge) {
		return q.transferPage(view.Transfer{Problem: p.Msg})
	}
	if err != nil {
		return nil, err
	}
	page := view.Preview{Archive: archiveText.EncodeToString(data), Documents: string(choice), Token: found.Token, Problem: problem}
	for _, c := range found.WillCreate {
		page.Entries = append(page.Entries, view.Imported{Name: c.Filename, Outcome: "new", Notes: notesOf(c.ChangeNotes), Bytes: c.Size})
	}
	for _, u := range found.WillUpdate {
		page.Entries = append(page.Entries, view.Imported{
			Name: u.Filename, Outcome: "changed", Notes: notesOf(u.ChangeNotes), Bytes: u.NewSize, Diff: view.SideBySide(u.Diff),
		})
	}
	page.Changes = len(page.Entries)
	for _, s := range found.WillSkip {
		page.Entries = append(page.Entries, view.Imported{Name: s.Filename, Outcome: "left out", Notes: []string{string(s.Reason)}})
	}
	return view.PreviewPage(q.frame("memory", "Preview of an import"), page), nil
}

func notesOf(n transfer.ChangeNotes) (notes []string) {
	for _, x := range []struct {
		is   bool
		name string
	}{
		{n.Redacted, "secrets are removed"},
		{n.Withheld, "what a person had forgotten is left out"},
		{n.Edited, "it was edited in the archive"},
		{n.Prompt, "its place in the prompt changes"},
	} {
		if x.is {
			notes = append(notes, x.name)
		}
	}
	return notes
}

func (q *request) importArchive() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	data, err := archiveText.DecodeString(q.r.PostFormValue("archive"))
	token := q.r.PostFormValue("token")
	if err != nil || len(data) == 0 || token == "" {
		return nil, fault.New(fault.InvalidRequest, "The form is incomplete: preview the archive again")
	}
	choice := q.choice(q.r.PostFormValue("documents"))
	done, err := q.Transfers.Import(q.Context, q.agent.ID, q.id.Owner, choice, data, token)
	if p, is := errors.AsType[*fault.Problem](err); is && p.Name == fault.ChangedSincePreview {
		return q.previewed(data, choice, "Documents have changed since the preview, and nothing was imported. This is what it would do now.")
	}
	if err != nil {
		return nil, err
	}
	page := view.Transfer{Done: true, Running: done.Status != "completed", Link: done.Import.Link, Applied: done.Applied}
	for _, s := range done.Skipped {
		page.Skipped = append(page.Skipped, view.Imported{Name: s.Filename, Notes: []string{string(s.Reason)}})
	}
	return q.transferPage(page)
}
