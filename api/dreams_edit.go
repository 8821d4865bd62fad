package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"reverie/dream"
	"reverie/memory"
	"reverie/store"
)

func (s *dreamRoom) dreamEditRoutes() {
	register(s.kernel, route{
		id: "revert-dream", method: http.MethodPost, path: dreamPath + "/revert", original: originalReport + "/revert", tag: "dreams", need: memory.RoleMember,
		summary: "Undo what a dream wrote", errors: []int{http.StatusConflict},
		doc: "As new versions: what others wrote since stays. Where somebody changed the same lines, nothing is undone, and the answer is 409 revert_conflict with the places. " +
			"What the dream had promoted does not come back by itself.",
	}, s.revertDream)
	const entry = dreamPath + "/entries/{entry}"
	register(s.kernel, route{
		id: "confirm-entry", method: http.MethodPost, path: entry + "/confirm", original: originalEntry + "/confirm", tag: "dreams", need: memory.RoleMember,
		summary: "Say that a candidate is right", errors: []int{http.StatusConflict},
		doc: "It is put into MEMORY.md if it is not there, and its line is protected as if a person had written it.",
	}, func(ctx context.Context, in *EntryInput) (*reply[entryView], error) {
		return s.changeEntry(ctx, in, "confirm", "", s.Store.ConfirmEntry)
	})
	register(s.kernel, route{
		id: "edit-entry", method: http.MethodPost, path: entry + "/edit", original: originalEntry + "/edit", tag: "dreams", need: memory.RoleMember,
		summary: "Put other words in the place of a candidate", body: maxSmallBody, errors: []int{http.StatusConflict},
		doc: "In MEMORY.md, as the person's own.",
	}, func(ctx context.Context, in *editEntryInput) (*reply[entryView], error) {
		return s.changeEntry(ctx, &in.EntryInput, "edit", in.Body.Content, s.Store.EditEntry)
	})
	register(s.kernel, route{
		id: "forget-entry", method: http.MethodPost, path: entry + "/forget", original: originalEntry + "/forget", tag: "dreams", need: memory.RoleMember,
		summary: "Forget a candidate for good", errors: []int{http.StatusConflict},
		doc: "It is taken out of MEMORY.md, its archives and the daily notes, and no dream brings it back, in no words. Versions of documents stay.",
	}, func(ctx context.Context, in *EntryInput) (*reply[entryView], error) {
		return s.changeEntry(ctx, in, "forget", "", s.Store.ForgetEntry)
	})
}

type revertInput struct {
	DreamInput
	RequestKeyParam
}

type revertView struct {
	Dream    dreamView              `json:"dream"`
	Changes  []memory.ChangeReceipt `json:"changes" doc:"What became of each document."`
	Token    string                 `json:"token,omitempty" doc:"Names the write."`
	Replayed bool                   `json:"replayed" doc:"It was undone before, and nothing was written now."`
}

// revertConflicts are the details of a revert that could not be done.
type revertConflicts struct {
	Documents []revertConflict `json:"documents"`
}

type revertConflict struct {
	Path      string            `json:"path"`
	Conflicts []memory.Conflict `json:"conflicts"` // theirs is what is there now, ours what would be
}

func (s *dreamRoom) revertDream(ctx context.Context, in *revertInput) (*reply[revertView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	key := requestLedgerKey(ctx, in.IdempotencyKey, "revert", found.record.ID.String())
	undone, err := s.Store.RevertDream(ctx, found.owner(), found.record.ID, key)
	if err != nil {
		return nil, err
	}
	if len(undone.Conflicts) > 0 {
		return nil, s.cannotRevert(undone.Conflicts, found.full)
	}
	s.written(found, undone.Receipt)
	view := revertView{
		Dream: s.dreamViewer(found.full)(undone.Dream), Changes: []memory.ChangeReceipt{}, Token: undone.Receipt.Token, Replayed: undone.Receipt.Replayed,
	}
	if found.full && undone.Receipt.Changes != nil {
		view.Changes = undone.Receipt.Changes
	}
	return ok(view), nil
}

// cannotRevert tells where documents were changed since. The lines themselves are for who may see them.
func (s *dreamRoom) cannotRevert(conflicts map[string][]memory.Conflict, full bool) *Problem {
	p := problem(nameRevertConflict, "%d documents were changed on the same lines since: undo these by hand, nothing was written", len(conflicts))
	var data revertConflicts
	for _, path := range slices.Sorted(maps.Keys(conflicts)) {
		c := revertConflict{path, conflicts[path]}
		if !full {
			c.Conflicts = []memory.Conflict{}
		}
		data.Documents = append(data.Documents, c)
	}
	p.Data = data
	return p
}

// written has what was changed embedded soon.
func (s *dreamRoom) written(found foundDream, receipt memory.Receipt) {
	if receipt.Replayed {
		return
	}
	for _, change := range receipt.Changes {
		if change.Changed {
			s.indexChanged(found.id, change.Scope)
		}
	}
}

// EntryInput is a request about one candidate of one dream.
type EntryInput struct {
	DreamInput
	EntryParam
	RequestKeyParam
}

type editEntryInput struct {
	EntryInput
	Body struct {
		Content string `json:"content" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"not blank" doc:"The words to put in its place, on one line." example:"Lives in Bern since May."`
	}
}

type entryView struct {
	Entry       memory.EntryID         `json:"entry"`
	Status      dream.Status           `json:"status" enum:"open,promoted,confirmed,edited,forgotten,rejected"`
	State       *dream.State           `json:"state,omitempty" doc:"What is known of the statement over all dreams."`
	Replacement *dream.State           `json:"replacement,omitempty" doc:"What is known of the words that were put in its place; missing when they are the same statement."`
	Changes     []memory.ChangeReceipt `json:"changes" doc:"What became of each document; none: what was asked for was so already."`
	Token       string                 `json:"token,omitempty" doc:"Names the write."`
	Replayed    bool                   `json:"replayed" doc:"The idempotency key was known: nothing was written now."`
}

// changeEntry does what a person decided about a candidate.
func (s *dreamRoom) changeEntry(ctx context.Context, in *EntryInput, what, text string,
	change func(context.Context, memory.Identity, store.EntryChange) (store.EntryReceipt, error),
) (*reply[entryView], error) {
	found, err := s.dream(ctx, &in.DreamInput)
	if err != nil {
		return nil, err
	}
	entry := in.EntryParam.id()
	done, err := change(ctx, found.owner(), store.EntryChange{
		Dream: found.record.ID, Entry: entry, Text: text,
		Key: requestLedgerKey(ctx, in.IdempotencyKey, what, found.record.ID.String(), string(entry), text),
	})
	if bad, is := errors.AsType[*store.InvalidError](err); is && bad.Field == "text" {
		return nil, invalidAt("body.content", "%s", bad.Problem)
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
	return ok(view), nil
}
