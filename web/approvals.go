package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/approvals"
	"reverie/store/gate"
	"reverie/web/view"
)

func (b *Browser) approvalRoutes() {
	b.page(rest.Route{ID: "page-approvals", Path: base + "/approvals", Summary: "Changes that wait for approval", Need: memory.RoleMember}, (*request).approvals)
	b.page(rest.Route{
		ID: "page-approve", Method: http.MethodPost, Path: base + "/approvals", Summary: "Approve, edit or refuse lines that wait", Need: memory.RoleMember,
		Act: rest.Changes, Body: maxForm,
	}, (*request).approve)
}

// approver enters, and returns the identity that sees what waits: on the pages of the shared memory, what waits for anybody.
func (q *request) approver() (memory.Identity, error) {
	if err := q.enterLive(); err != nil {
		return q.id, err
	}
	if err := approvals.MayApprove(q.id); err != nil {
		return q.id, fault.New(fault.Forbidden, "Changes are approved by an administrator, or by the person whose memory it is with a key of theirs")
	}
	id, _ := rest.AcrossOwners(q.id)
	return id, nil
}

func (q *request) approvals() (templ.Component, error) {
	id, err := q.approver()
	if err != nil {
		return nil, err
	}
	all := q.r.URL.Query().Get("show") == "all"
	frame := q.follow(q.frame("held", "Waiting for approval"))
	listed, err := q.Store.Approvals(q.Context, id, approvals.Filter{
		Open: !all, Page: store.Page{Limit: maxApprovals, Cursor: q.r.URL.Query().Get("cursor")},
	})
	if err != nil {
		return nil, err
	}
	page := view.Approvals{All: all, Across: id.AnyOwner, Next: listed.Next}
	var talks []string
	for _, a := range listed.Items {
		talks = append(talks, a.Sources.Conversation)
		for _, line := range a.Sources.Lines {
			talks = append(talks, line.Conversation)
		}
	}
	where, err := q.conversationIDs(talks)
	if err != nil {
		return nil, err
	}
	names := q.authors()
	for _, a := range listed.Items {
		page.Items = append(page.Items, viewApproval(a, names, where))
	}
	return view.ApprovalsPage(frame, page), nil
}

// maxApprovals bounds the proposals of a page.
const maxApprovals = 20

// viewApproval shows a proposal. where has our ids of conversations by the client's names.
func viewApproval(a approvals.Approval, names authors, where map[string]string) view.Approval {
	v := view.Approval{
		ID: a.ID.String(), Path: a.Ref.Path, Scope: string(a.Ref.Scope), Owner: string(a.Owner), Reason: a.Reason, By: names.of(a.Author),
		Conversation: where[a.Sources.Conversation], From: a.Sources.From, To: a.Sources.To, At: a.CreatedAt, Expires: a.ExpiresAt,
		Waiting: a.Waiting, Applies: a.Expiry == approvals.Applies, Expired: a.Expired, Made: a.Made(),
	}
	for i, line := range a.Lines {
		if line.IsFrame() || line.Decision == gate.Known {
			continue
		}
		l := view.ApprovalLine{
			Line: i, Removed: unlisted(line.Removed), Added: unlisted(line.Added), Decision: string(line.Decision),
			Text: line.Text, Note: line.Note, Headings: a.HeadingsOf(i),
		}
		if line.Decision != gate.Undecided && line.By != "" {
			l.By = names.of(memory.Author{Kind: memory.AuthorUser, ID: line.By})
		}
		for _, from := range a.SourcesOf(line) {
			conversation := where[cmp.Or(from.Conversation, a.Sources.Conversation)]
			for _, message := range from.Messages {
				l.Sources = append(l.Sources, view.LineSource{Conversation: conversation, Message: message})
			}
		}
		v.Lines = append(v.Lines, l)
	}
	return v
}

// unlisted joins lines without the list marker of the first.
func unlisted(lines []string) string { return strings.TrimPrefix(strings.Join(lines, "\n"), "- ") }

func (q *request) approve() (templ.Component, error) {
	id, err := q.approver()
	if err != nil {
		return nil, err
	}
	approval, err := uuid.Parse(q.r.PostFormValue("approval"))
	decision := gate.Decision(q.r.PostFormValue("decision"))
	if err != nil || decision == gate.Undecided {
		return nil, fault.New(fault.InvalidRequest, "Choose a line, and approve, edit or refuse it")
	}
	done := map[gate.Decision]string{gate.Approve: "approved", gate.EditLine: "changed", gate.Refuse: "declined"}[decision]
	if q.r.PostFormValue("line") == "all" {
		_, err = q.Approve(q.Context, id, approval, nil, approvals.LineDecision{Decision: decision})
	} else {
		line, bad := strconv.Atoi(q.r.PostFormValue("line"))
		if bad != nil {
			return nil, fault.New(fault.InvalidRequest, "Choose a line")
		}
		d := approvals.LineDecision{Line: line, Decision: decision}
		switch decision {
		case gate.EditLine:
			d.Text = q.text("text")
		case gate.Refuse:
			d.Note = q.text("note")
		}
		_, err = q.Approve(q.Context, id, approval, []approvals.LineDecision{d}, approvals.LineDecision{})
	}
	if err != nil {
		return nil, err
	}
	return q.redirect(view.URL(q.frame("", ""), "approvals") + "?done=" + done)
}
