package dreams

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/dream"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/store"
	"reverie/store/dreams"
)

func (s *Handlers) dreamEditRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "revert-dream", Method: http.MethodPost, Path: dreamPath + "/revert", Original: originalReport + "/revert", Tag: "dreams",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Revert a dream", Errors: []int{http.StatusConflict},
		Doc: "Writes new versions: later changes by others stay. If the same lines have been changed since, nothing is reverted, and the answer is 409 " +
			"revert_conflict with the places. What the dream had promoted is not promoted again automatically.",
	}, s.revertDream)
	const entry = dreamPath + "/entries/{entry}"
	rest.Register(s.Server, rest.Route{
		ID: "confirm-entry", Method: http.MethodPost, Path: entry + "/confirm", Original: originalEntry + "/confirm", Tag: "dreams",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Confirm a candidate", Errors: []int{http.StatusConflict},
		Doc: "Adds it to MEMORY.md if it is missing, and protects its line as if a person had written it.",
	}, func(ctx context.Context, in *EntryInput) (*rest.Reply[entryView], error) {
		return s.changeEntry(ctx, in, "confirm", "", s.Store.ConfirmEntry)
	})
	rest.Register(s.Server, rest.Route{
		ID: "edit-entry", Method: http.MethodPost, Act: rest.Changes, Path: entry + "/edit", Original: originalEntry + "/edit", Tag: "dreams",
		Need:    memory.RoleMember,
		Summary: "Edit a candidate", Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "Changes the line in MEMORY.md, as the person's own.",
	}, func(ctx context.Context, in *editEntryInput) (*rest.Reply[entryView], error) {
		return s.changeEntry(ctx, &in.EntryInput, "edit", in.Body.Content, s.Store.EditEntry)
	})
	rest.Register(s.Server, rest.Route{
		ID: "forget-entry", Method: http.MethodPost, Path: entry + "/forget", Original: originalEntry + "/forget", Tag: "dreams",
		Act: rest.Changes, Need: memory.RoleMember,
		Summary: "Forget a candidate permanently", Errors: []int{http.StatusConflict},
		Doc: "Removes it from MEMORY.md, its archives and the daily notes. No dream brings it back, in any words. Versions of documents " +
			"stay.",
	}, func(ctx context.Context, in *EntryInput) (*rest.Reply[entryView], error) {
		return s.changeEntry(ctx, in, "forget", "", s.Store.ForgetEntry)
	})
}

type revertInput struct {
	DreamInput
	rest.RequestKeyParam
}

type revertView struct {
	Dream    dreamView              `json:"dream"`
	Changes  []memory.ChangeReceipt `json:"changes" doc:"Result for each document."`
	Token    string                 `json:"token,omitempty" doc:"Names the write."`
	Replayed bool                   `json:"replayed" doc:"The dream had already been reverted; nothing was written."`
}

// revertConflicts are the details of a revert that could not be done.
type revertConflicts struct {
	Documents []revertConflict `json:"documents"`
}

type revertConflict struct {
	Path      string              `json:"path"`
	Conflicts []markdown.Conflict `json:"conflicts"` // theirs: the current lines, ours: the lines of the request
}

func (s *Handlers) revertDream(ctx context.Context, in *revertInput) (*rest.Reply[revertView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	key := rest.RequestLedgerKey(ctx, in.IdempotencyKey, "revert", found.record.ID.String())
	undone, err := s.Store.RevertDream(ctx, found.owner(), found.record.ID, key)
	if err != nil {
		return nil, err
	}
	if len(undone.Conflicts) > 0 {
		return nil, s.cannotRevert(undone.Conflicts, found.full)
	}
	s.written(found, undone.Receipt)
	view := revertView{
		Dream: s.dreamViewer(
			found.full,
		)(
			undone.Dream,
		), Changes: []memory.ChangeReceipt{}, Token: undone.Receipt.Token, Replayed: undone.Receipt.Replayed,
	}
	if found.full && undone.Receipt.Changes != nil {
		view.Changes = undone.Receipt.Changes
	}
	return rest.OK(view), nil
}

// cannotRevert returns the problem that lists where documents have changed since; with full, it includes the lines.
func (s *Handlers) cannotRevert(conflicts map[string][]markdown.Conflict, full bool) *fault.Problem {
	p := fault.New(
		fault.RevertConflict,
		"%d documents were changed on the same lines since: undo these by hand, nothing was written",
		len(conflicts),
	)
	var data revertConflicts
	for _, path := range slices.Sorted(maps.Keys(conflicts)) {
		c := revertConflict{path, conflicts[path]}
		if !full {
			c.Conflicts = []markdown.Conflict{}
		}
		data.Documents = append(data.Documents, c)
	}
	p.Data = data
	return p
}

// written announces the changes, so that they are embedded soon.
func (s *Handlers) written(found foundDream, receipt memory.Receipt) {
	if receipt.Replayed {
		return
	}
	for _, change := range receipt.Changes {
		if change.Changed {
			s.IndexChanged(found.id, change.Scope)
		}
	}
}

// EntryInput is a request about one candidate of one dream.
type EntryInput struct {
	DreamInput
	EntryParam
	rest.RequestKeyParam
}

type editEntryInput struct {
	EntryInput
	Body struct {
		Content string `json:"content" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"not blank" doc:"The words to put in its place, on one line." example:"Lives in Bern since May."`
	}
}

type entryView struct {
	Entry       markdown.EntryID       `json:"entry"`
	Status      dream.Status           `json:"status" enum:"open,promoted,confirmed,edited,forgotten,rejected,held"`
	State       *dream.State           `json:"state,omitempty" doc:"What is known of the statement over all dreams."`
	Replacement *dream.State           `json:"replacement,omitempty" doc:"What is known of the words that were put in its place; missing when they are the same statement."`
	Changes     []memory.ChangeReceipt `json:"changes" doc:"Result for each document; empty: nothing had to change."`
	Token       string                 `json:"token,omitempty" doc:"Names the write."`
	Replayed    bool                   `json:"replayed" doc:"The idempotency key had been used before; nothing was written."`
}

// changeEntry carries out a person's decision about a candidate.
func (s *Handlers) changeEntry(ctx context.Context, in *EntryInput, what, text string,
	change func(context.Context, memory.Identity, dreams.EntryChange) (dreams.EntryReceipt, error),
) (*rest.Reply[entryView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	entry := in.EntryParam.id()
	done, err := change(ctx, found.owner(), dreams.EntryChange{
		Dream: found.record.ID, Entry: entry, Text: text,
		Key: rest.RequestLedgerKey(ctx, in.IdempotencyKey, what, found.record.ID.String(), string(entry), text),
	})
	if bad, is := errors.AsType[*store.InvalidError](err); is && bad.Field == "text" {
		return nil, fault.InvalidAt("body.content", "%s", bad.Problem)
	}
	if err != nil {
		return nil, err
	}
	s.written(found, done.Receipt)
	view := entryView{
		Entry: entry, Status: done.State.Status, Changes: []memory.ChangeReceipt{}, Token: done.Receipt.Token, Replayed: done.Receipt.Replayed,
	}
	if found.full {
		view.State, view.Replacement = &done.State, done.Replacement
		view.Changes = append(view.Changes, done.Receipt.Changes...)
	}
	return rest.OK(view), nil
}
