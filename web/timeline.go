package web

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/a-h/templ"

	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/dreams"
	"reverie/store/gate"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) timelineRoutes() {
	b.page(rest.Route{ID: "page-timeline", Path: base + "/timeline", Summary: "What changed the memory", Need: memory.RoleViewer}, (*request).timeline)
}

// maxEvents bounds the entries of a timeline from each of its sources.
const maxEvents = 60

// timeline shows one stream of what changed a memory, newest first. Each source gives its latest entries; the stream ends where the first
// source ends that has more, so that nothing is left out in between.
func (q *request) timeline() (templ.Component, error) {
	if err := q.enterLive(); err != nil {
		return nil, err
	}
	kind := q.r.URL.Query().Get("kind")
	frame := q.follow(q.frame("timeline", "Timeline"))
	from, until := store.Page{Limit: maxEvents}, q.Now().Add(time.Hour)
	if ms := q.number("before"); ms > 0 {
		until = time.UnixMilli(int64(ms))
		from.Cursor = store.Before(until)
		frame.Cursor = ""
	}
	stream, names := stream{from: time.Time{}}, q.authors()
	id, full := rest.AcrossOwners(q.id)
	page := view.Timeline{Kind: kind, All: id.AnyOwner, Older: from.Cursor != ""}
	if !full {
		page.Closed = true
		return view.TimelinePage(frame, page), nil
	}
	if kind == "" || kind == "extraction" {
		listed, err := q.Store.Extractions(q.Context, id, talk.ExtractionFilter{}, from)
		if err != nil {
			return nil, err
		}
		stream.add(views(listed.Items, extractionEvent), listed.Next != "")
	}
	if kind == "" || kind == "flush" {
		events, err := q.Store.Latest(q.Context, id, []gate.EventKind{gate.EventFlushAcknowledged}, allAuthors, until, maxEvents)
		if err != nil {
			return nil, err
		}
		stream.add(views(events, flushEvent), len(events) == maxEvents)
	}
	if kind == "" || kind == "dream" {
		listed, err := q.Store.Dreams(q.Context, id, dreams.DreamFilter{}, from)
		if err != nil {
			return nil, err
		}
		items := slices.DeleteFunc(listed.Items, func(d dreams.Dream) bool { return !id.AnyOwner && d.Owner != id.Owner })
		stream.add(views(items, dreamEvent), listed.Next != "")
	}
	if kind == "" || kind == "import" || kind == "edit" || kind == "forgetting" {
		events, err := q.Store.Latest(q.Context, id, changeKinds, changeAuthors[kind], until, maxEvents)
		if err != nil {
			return nil, err
		}
		items := views(events, func(e gate.Event) view.Event { return changeEvent(e, names) })
		if kind == "edit" || kind == "forgetting" {
			items = slices.DeleteFunc(items, func(e view.Event) bool { return e.Kind != kind })
		}
		stream.add(items, len(events) == maxEvents)
	}
	if kind == "" || kind == "approval" {
		events, err := q.Store.Latest(q.Context, id, approvalKinds, allAuthors, until, maxEvents)
		if err != nil {
			return nil, err
		}
		stream.add(views(events, func(e gate.Event) view.Event { return approvalEvent(e, names) }), len(events) == maxEvents)
	}
	page.Events, page.Until = stream.end()
	return view.TimelinePage(frame, page), nil
}

func views[T, V any](items []T, show func(T) V) []V { return rest.Views(items, show) }

// stream joins entries of several sources.
type stream struct {
	events []view.Event
	from   time.Time // the oldest time for which every source is complete
}

// add adds entries of a source; more: it has older ones.
func (s *stream) add(events []view.Event, more bool) {
	s.events = append(s.events, events...)
	if more && len(events) > 0 {
		if oldest := events[len(events)-1].At.Truncate(time.Millisecond); oldest.After(s.from) {
			s.from = oldest
		}
	}
}

// end returns the entries, newest first, and the time of the oldest if there are older ones.
func (s *stream) end() (events []view.Event, until time.Time) {
	events = slices.DeleteFunc(s.events, func(e view.Event) bool { return e.At.Before(s.from) })
	slices.SortStableFunc(events, func(a, b view.Event) int { return b.At.Compare(a.At) })
	return events, s.from
}

func extractionEvent(x talk.Extraction) view.Event {
	r := viewExtraction(x)
	return view.Event{Kind: "extraction", At: x.StartedAt, Owner: r.Owner, Outcome: r.Outcome, Code: r.Code, Reason: r.Reason, Run: &r, Changes: r.Changes}
}

func flushEvent(e gate.Event) view.Event {
	var detail struct {
		From    int64  `json:"from"`
		To      int64  `json:"to"`
		Outcome string `json:"outcome"`
	}
	_ = json.Unmarshal(e.Detail, &detail) // nothing is shown of what cannot be read
	return view.Event{Kind: "flush", At: e.At, Owner: string(e.Owner), Outcome: detail.Outcome, From: detail.From, To: detail.To}
}

func dreamEvent(d dreams.Dream) view.Event {
	v := viewDream(d)
	return view.Event{Kind: "dream", At: d.StartedAt, Owner: string(d.Owner), Outcome: v.Outcome, Code: v.Code, Reason: v.Reason, Dream: &v, Changes: v.Changes}
}

// approvalKinds are the events of changes that wait for a person.
var approvalKinds = []gate.EventKind{
	gate.EventApprovalRequested, gate.EventApprovalReminded, gate.EventApprovalDecided, gate.EventApprovalExpired,
}

func approvalEvent(e gate.Event, names authors) view.Event {
	var detail gate.ApprovalDetail
	_ = json.Unmarshal(e.Detail, &detail) // nothing is shown of what cannot be read
	return view.Event{
		Kind: "approval", At: e.At, Owner: string(e.Owner), What: string(e.Kind), Path: e.Path, Scope: string(e.Scope), By: names.of(e.Author),
		Waiting: detail.Waiting,
	}
}

// changeKinds are the events that show changes which are not part of an extraction, a flush or a dream, and changeAuthors who makes them.
var (
	changeKinds = []gate.EventKind{
		gate.EventDocumentWritten, gate.EventDocumentDeleted, gate.EventDocumentUndeleted, gate.EventDocumentPrompt, gate.EventDocumentQuarantined,
	}
	changeAuthors = map[string][]memory.AuthorKind{
		"":           {memory.AuthorUser, memory.AuthorTool, memory.AuthorImport, memory.AuthorSeed},
		"edit":       {memory.AuthorUser, memory.AuthorTool},
		"forgetting": {memory.AuthorUser, memory.AuthorTool},
		"import":     {memory.AuthorImport},
	}
)

// changeEvent shows a change of one document. What a person removed without adding anything is a forgetting.
func changeEvent(e gate.Event, names authors) view.Event {
	var detail struct {
		Added   int    `json:"added"`
		Removed int    `json:"removed"`
		Reason  string `json:"reason"`
	}
	_ = json.Unmarshal(e.Detail, &detail) // of other kinds it has other fields
	v := view.Event{
		Kind: "edit", At: e.At, Owner: string(e.Owner), What: string(e.Kind), Path: e.Path, Scope: string(e.Scope), Version: e.Version,
		By: names.of(e.Author), Added: detail.Added, Removed: detail.Removed, Reason: detail.Reason,
	}
	switch {
	case e.Author.Kind == memory.AuthorImport:
		v.Kind = "import"
	case e.Kind == gate.EventDocumentDeleted, e.Kind == gate.EventDocumentWritten && detail.Removed > 0 && detail.Added == 0:
		v.Kind = "forgetting"
	}
	return v
}
