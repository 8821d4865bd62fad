package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/talk"
	"reverie/web/view"
)

func (b *Browser) conversationRoutes() {
	b.page(rest.Route{ID: "page-conversations", Path: base + "/conversations", Summary: "Conversations", Need: memory.RoleViewer}, (*request).conversations)
	b.page(rest.Route{
		ID: "page-conversation", Path: base + "/conversations/{conversation}", Summary: "A conversation with what was kept", Need: memory.RoleViewer,
	}, (*request).conversation)
	b.page(rest.Route{
		ID: "page-extraction", Path: base + "/extractions/{extraction}", Summary: "An extraction with its outcome", Need: memory.RoleViewer,
	}, (*request).extraction)
	b.page(rest.Route{
		ID: "page-retry", Method: http.MethodPost, Path: base + "/extractions/{extraction}/retry", Summary: "Retry a quarantined extraction",
		Need: memory.RoleMember, Body: maxForm, Timeout: rest.MaxWait,
	}, (*request).retry)
}

func (q *request) conversations() (templ.Component, error) {
	if err := q.enter(); err != nil {
		return nil, err
	}
	page := view.Conversations{}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		page.Closed = true
		return view.ConversationsPage(q.frame("conversations", "Conversations"), page), nil //nolint:nilerr // shown on the page
	}
	listed, err := q.Store.Conversations(q.Context, reader, store.Page{Limit: 100, Cursor: q.r.URL.Query().Get("cursor")})
	if err != nil {
		return nil, err
	}
	page.Next, page.All = listed.Next, reader.AnyOwner
	for _, c := range listed.Items {
		page.Items = append(page.Items, viewConversation(c))
	}
	return view.ConversationsPage(q.frame("conversations", "Conversations"), page), nil
}

func viewConversation(c talk.Conversation) view.Talk {
	at := c.UpdatedAt
	if c.LastAt != nil {
		at = *c.LastAt
	}
	return view.Talk{
		ID: c.UID.String(), Name: c.ID, Owner: string(c.Owner), Source: string(c.Trigger), Messages: c.Last, Kept: c.Cursor,
		Pending: c.Complete - c.Cursor, At: at,
	}
}

// uid parses an id in the address.
func (q *request) uid(name string) (uuid.UUID, error) {
	id, err := uuid.Parse(q.r.PathValue(name))
	if err != nil {
		return id, fault.New(fault.NotFound, "There is no such page")
	}
	return id, nil
}

const (
	// maxMessages is the number of messages on a page, and before the number of messages above the one that a link points at.
	maxMessages, before = 100, 10
	// maxBlamed bounds the documents in which a page looks for what was kept.
	maxBlamed = 12
)

func (q *request) conversation() (templ.Component, error) {
	uid, err := q.uid("conversation")
	if err != nil {
		return nil, err
	}
	if err := q.enter(); err != nil {
		return nil, err
	}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		return nil, err
	}
	c, err := q.Store.ConversationByUID(q.Context, reader, uid)
	if err != nil {
		return nil, err
	}
	rest.Touch(q.Context, "conversation", c.ID)
	if reader, err = q.of(reader, c.Owner); err != nil {
		return nil, err
	}
	after := int64(q.number("after"))
	if at := int64(q.number("at")); at > 0 {
		after = max(0, at-before)
	}
	messages, err := q.Store.Messages(q.Context, reader, c.ID, after, maxMessages)
	if err != nil {
		return nil, err
	}
	runs, err := q.Store.Extractions(q.Context, reader, talk.ExtractionFilter{Conversation: c.ID}, store.Page{Limit: 100})
	if err != nil {
		return nil, err
	}
	kept, err := q.kept(reader, c.ID, runs.Items)
	if err != nil {
		return nil, err
	}
	contexts, err := q.contexts(c.ID)
	if err != nil {
		return nil, err
	}
	page := view.Conversation{Talk: viewConversation(c), After: after, MayRevoke: q.mayRevoke()}
	page.Lines, _ = viewMessages(messages, contexts)
	for i := range page.Lines {
		page.Lines[i].Kept = kept[page.Lines[i].Seq]
	}
	if n := len(messages); n > 0 && messages[n-1].Seq < c.Last {
		page.Next = messages[n-1].Seq
	}
	for _, x := range runs.Items {
		page.Runs = append(page.Runs, viewExtraction(x))
	}
	return view.ConversationPage(q.frame("conversations", "Conversation"), page), nil
}

// contexts returns the records of what was injected into the latest contexts of a conversation, by the message that was to be answered.
// They are shown with the memory of a person only.
func (q *request) contexts(conversation string) (map[int64]string, error) {
	found := map[int64]string{}
	if q.id.Owner == memory.NoOwner {
		return found, nil
	}
	listed, err := q.FactHandlers.Injections(q.Context, q.id, conversation, store.Page{Limit: store.MaxPage})
	for _, in := range listed.Items {
		if _, newer := found[in.Seq]; !newer && in.Seq > 0 {
			found[in.Seq] = in.ID.String()
		}
	}
	return found, err
}

// of narrows a reader of all owners to one, and names that owner in the audit log.
func (q *request) of(id memory.Identity, owner memory.Owner) (memory.Identity, error) {
	if !id.AnyOwner {
		return id, nil
	}
	narrowed, _, err := q.Enter(q.Context, id.Agent, rest.Person{Owner: string(owner), Location: "query"})
	return narrowed, err
}

// kept finds the lines of current documents that came from messages of a conversation, by message. Of a line that came from a whole range
// it takes the last message. Headings and empty lines say nothing.
func (q *request) kept(id memory.Identity, conversation string, runs []talk.Extraction) (map[int64][]view.Kept, error) {
	refs := []memory.Ref{{Scope: memory.ScopePersonal, Path: "MEMORY.md"}, {Scope: memory.ScopePersonal, Path: "PROFILE.md"}}
	for _, x := range runs {
		for _, change := range x.Changes {
			if ref := (memory.Ref{Scope: change.Scope, Path: change.Path}); !slices.Contains(refs, ref) && len(refs) < maxBlamed {
				refs = append(refs, ref)
			}
		}
	}
	found := map[int64][]view.Kept{}
	blames, err := q.Store.Blames(q.Context, id, refs)
	if err != nil {
		return nil, err
	}
	for n, ref := range refs {
		for i, l := range blames[n] {
			if l.Conversation != conversation || l.Line == "" || strings.HasPrefix(l.Line, "#") {
				continue
			}
			messages := l.Messages
			if len(messages) == 0 {
				messages = []int64{l.To}
			}
			for _, seq := range messages {
				found[seq] = append(found[seq], view.Kept{Path: ref.Path, Scope: string(ref.Scope), Line: i + 1, Text: l.Line})
			}
		}
	}
	return found, nil
}

func viewExtraction(x talk.Extraction) view.Run {
	r := view.Run{
		ID: x.ID.String(), Conversation: x.ConversationUID.String(), Owner: string(x.Owner), From: x.From, To: x.To, Outcome: string(x.Outcome),
		Code: string(x.ReasonCode), Reason: x.Reason, Raw: x.Raw, Model: x.Model, At: x.StartedAt, Ended: x.FinishedAt, Until: x.WaitingUntil,
		Tokens: x.Usage.InputTokens + x.Usage.OutputTokens, Cost: x.Usage.CostMicros,
	}
	for _, v := range x.Violations {
		r.Violations = append(r.Violations, v.Message)
	}
	r.Changes = viewChanges(x.Changes)
	return r
}

func viewChanges(changes []memory.ChangeReceipt) []view.Change {
	var out []view.Change
	for _, c := range changes {
		if c.Changed {
			out = append(out, view.Change{Path: c.Path, Scope: string(c.Scope), Version: c.Version, Added: c.Added, Removed: c.Removed})
		}
	}
	return out
}

// extractionOf finds the extraction in the address.
func (q *request) extractionOf() (talk.Extraction, error) {
	record, err := q.uid("extraction")
	if err != nil {
		return talk.Extraction{}, err
	}
	if err := q.enter(); err != nil {
		return talk.Extraction{}, err
	}
	reader, err := rest.MayReadMessages(q.id)
	if err != nil {
		return talk.Extraction{}, err
	}
	return q.Store.Extraction(q.Context, reader, record)
}

func (q *request) extraction() (templ.Component, error) {
	x, err := q.extractionOf()
	if err != nil {
		return nil, err
	}
	return view.ExtractionPage(q.frame("timeline", "Extraction"), viewExtraction(x), q.Workflows.Link(x.WorkflowID)), nil
}

func (q *request) retry() (templ.Component, error) {
	x, err := q.extractionOf()
	if err != nil {
		return nil, err
	}
	if err := q.TalkHandlers.Retry(q.Context, q.agent.ID, x.Owner, x.ID); err != nil {
		return nil, err
	}
	address, message, _ := strings.Cut(view.TalkURL(q.frame("", ""), x.ConversationUID.String(), x.From), "#")
	return q.redirect(address + "&done=retried#" + message)
}
