package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/files"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store"
	"reverie/store/approvals"
	"reverie/store/gate"
	"reverie/store/indexes"
	"reverie/workflows"
)

const approvalsPath = "/api/v1/agents/{agent}/approvals"

func (s *Server) approvalRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-approvals", Method: http.MethodGet, Path: approvalsPath, Tag: "approvals", Need: memory.RoleMember,
		Summary: "List changes of memory that wait for a person, newest first",
		Doc: "What extractions, dreams, flushes, tools and business processes would have written of an agent whose setting approvals requires " +
			"a person. With a key that is pinned to an owner: about that owner's documents; with an admin key: of the owner named, or of all, " +
			"shared documents included.",
	}, s.listApprovals)
	rest.Register(s.Server, rest.Route{
		ID: "get-approval", Method: http.MethodGet, Path: approvalsPath + "/{approval}", Tag: "approvals", Need: memory.RoleMember,
		Summary: "Read a change that waits, or did: each line, its source, and what was decided",
	}, s.getApproval)
	rest.Register(s.Server, rest.Route{
		ID: "decide-approval", Method: http.MethodPost, Act: rest.Changes, Path: approvalsPath + "/{approval}/decisions", Tag: "approvals",
		Need: memory.RoleMember, Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Summary: "Approve, edit or refuse lines of a change",
		Doc: "Applies what is approved or edited at once, merged with what was written since. The first decision about a line holds: the same one " +
			"again changes nothing, another one answers already_decided, and nothing of the request is applied. A key that is pinned to an " +
			"owner cannot decide about what it has proposed itself.",
	}, s.decideApproval)
}

type approvalLineView struct {
	Line      int                 `json:"line" doc:"Names the line in decisions."`
	Removed   string              `json:"removed,omitempty" doc:"What the change removes."`
	Added     string              `json:"added,omitempty" doc:"What it puts in, or in place of removed."`
	Headings  string              `json:"headings,omitempty" doc:"New headings above the line: they come with the first line under them that is approved."`
	Messages  []memory.LineSource `json:"messages,omitempty" doc:"Messages that the line comes from, if they are known line by line."`
	Decision  gate.Decision       `json:"decision,omitempty" enum:"approve,edit,refuse" doc:"Missing while the line waits."`
	Text      string              `json:"text,omitempty" doc:"Of edit: the words of the person."`
	Note      string              `json:"note,omitempty" doc:"Of refuse: why."`
	By        string              `json:"by,omitempty" doc:"Key of the person; missing for a line that has expired."`
	DecidedAt *time.Time          `json:"decidedAt,omitempty"`
}

type approvalView struct {
	ID           uuid.UUID              `json:"id"`
	Scope        memory.Scope           `json:"scope" enum:"PERSONAL,TEAM,GLOBAL"`
	Owner        memory.Owner           `json:"owner,omitempty" doc:"Of a PERSONAL document."`
	Path         string                 `json:"path"`
	Waiting      int                    `json:"waiting" doc:"Lines that are not decided."`
	Lines        []approvalLineView     `json:"lines"`
	Reason       string                 `json:"reason,omitempty" doc:"Why its author wanted the change."`
	Author       files.AuthorView       `json:"author"`
	Conversation string                 `json:"conversation,omitempty" doc:"That the change was learned from."`
	From         int64                  `json:"from,omitempty" doc:"First message."`
	To           int64                  `json:"to,omitempty" doc:"Last message."`
	Expiry       setting.ApprovalExpiry `json:"expiry" enum:"refuse,apply" doc:"What happens to lines that nobody has decided about in time."`
	Reminders    int                    `json:"reminders" doc:"So far, one a day."`
	CreatedAt    time.Time              `json:"createdAt"`
	ExpiresAt    time.Time              `json:"expiresAt"`
	FinishedAt   *time.Time             `json:"finishedAt,omitempty" doc:"When the last line was decided."`
	Expired      bool                   `json:"expired,omitempty"`
	WorkflowID   string                 `json:"workflowId" doc:"Waits for the decisions."`
	Link         string                 `json:"link,omitempty" doc:"The workflow in Temporal's Web UI."`
}

// approvalRef names the workflow of a proposal.
func approvalRef(id memory.Identity, approval uuid.UUID) workflows.ApproveInput {
	return workflows.ApproveInput{AgentRef: indexes.AgentRef{Workspace: id.Workspace, Agent: id.Agent}, Approval: approval}
}

func (s *Server) viewApproval(id memory.Identity, a approvals.Approval) approvalView {
	ref := approvalRef(id, a.ID)
	v := approvalView{
		ID: a.ID, Scope: a.Ref.Scope, Owner: a.Owner, Path: a.Ref.Path, Waiting: a.Waiting, Lines: []approvalLineView{}, Reason: a.Reason,
		Author: files.ViewAuthor(a.Author), Conversation: a.Sources.Conversation, From: a.Sources.From, To: a.Sources.To, Expiry: a.Expiry,
		Reminders: a.Reminders, CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt, FinishedAt: a.FinishedAt, Expired: a.Expired,
		WorkflowID: workflows.ApprovalID(ref.AgentRef, a.ID),
	}
	v.Link = s.Workflows.Link(v.WorkflowID)
	for i, line := range a.Lines {
		if line.IsFrame() || line.Decision == gate.Known {
			continue
		}
		v.Lines = append(v.Lines, approvalLineView{
			Line: i, Removed: strings.Join(line.Removed, "\n"), Added: strings.Join(line.Added, "\n"), Headings: a.HeadingsOf(i),
			Messages: a.SourcesOf(line), Decision: line.Decision, Text: line.Text, Note: line.Note, By: line.By, DecidedAt: line.DecidedAt,
		})
	}
	return v
}

type listApprovalsInput struct {
	rest.AgentParam
	rest.PersonParams
	rest.PageParams

	Status string `query:"status" enum:"waiting,all" default:"waiting" doc:"waiting: with lines that are not decided."`
}

// approver returns the identity that sees what waits: that of an owner, or of all for an admin who names nobody.
func (s *Server) approver(ctx context.Context, agent string, who rest.Person) (memory.Identity, error) {
	id, _, err := s.Enter(ctx, agent, who)
	if err != nil {
		return id, err
	}
	if err := approvals.MayApprove(id); err != nil {
		return id, err
	}
	id, _ = rest.AcrossOwners(id)
	return id, nil
}

func (s *Server) listApprovals(ctx context.Context, in *listApprovalsInput) (*rest.Reply[rest.Page[approvalView]], error) {
	id, err := s.approver(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	listed, err := s.Store.Approvals(ctx, id, approvals.Filter{Open: in.Status == "waiting", Page: store.Page{Limit: in.Limit, Cursor: in.Cursor}})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[approvalView]{
		Items: rest.Views(listed.Items, func(a approvals.Approval) approvalView { return s.viewApproval(id, a) }), Next: listed.Next,
	}), nil
}

type approvalInput struct {
	rest.AgentParam
	rest.PersonParams

	Approval uuid.UUID `path:"approval" format:"uuid" doc:"Id of the change."`
}

func (s *Server) getApproval(ctx context.Context, in *approvalInput) (*rest.Reply[approvalView], error) {
	id, err := s.approver(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	a, err := s.Store.Approval(ctx, id, in.Approval)
	if err != nil {
		return nil, err
	}
	return rest.OK(s.viewApproval(id, a)), nil
}

type lineDecision struct {
	Line     int           `json:"line" minimum:"0" doc:"Of the change."`
	Decision gate.Decision `json:"decision" enum:"approve,edit,refuse"`
	Text     string        `json:"text,omitempty" maxLength:"20000" doc:"Of edit: what the document is to say instead of added."`
	Note     string        `json:"note,omitempty" maxLength:"500" doc:"Of refuse: why. It is kept with the line."`
}

type decideApprovalInput struct {
	rest.AgentParam
	rest.PersonParams

	Approval uuid.UUID `path:"approval" format:"uuid" doc:"Id of the change."`
	Body     struct {
		Decisions []lineDecision `json:"decisions,omitempty" maxItems:"1000"`
		Others    gate.Decision  `json:"others,omitempty" enum:"approve,refuse" doc:"Decision about all other lines that wait."`
		Note      string         `json:"note,omitempty" maxLength:"500" doc:"Of others, if it is refuse: why. It is kept with each of these lines."`
	}
}

type decidedApproval struct {
	Approval approvalView           `json:"approval"`
	Changes  []memory.ChangeReceipt `json:"changes" doc:"Result of each write: what was approved, then what the person has written."`
}

func (s *Server) decideApproval(ctx context.Context, in *decideApprovalInput) (*rest.Reply[decidedApproval], error) {
	id, err := s.approver(ctx, in.Agent, in.Person())
	if err != nil {
		return nil, err
	}
	var decisions []approvals.LineDecision
	for _, d := range in.Body.Decisions {
		decisions = append(decisions, approvals.LineDecision(d))
	}
	done, err := s.Approve(ctx, id, in.Approval, decisions, approvals.LineDecision{Decision: in.Body.Others, Note: in.Body.Note})
	if err != nil {
		return nil, err
	}
	out := decidedApproval{Approval: s.viewApproval(id, done.Approval), Changes: []memory.ChangeReceipt{}}
	for _, receipt := range done.Receipts {
		out.Changes = append(out.Changes, receipt.Changes...)
	}
	return rest.OK(out), nil
}

// Approve decides about lines of a proposal, and as others says about all others that wait, unless it has no decision.
func (s *Server) Approve(
	ctx context.Context, id memory.Identity, approval uuid.UUID, decisions []approvals.LineDecision, others approvals.LineDecision,
) (approvals.Decided, error) {
	rest.Touch(ctx, "approval", approval.String())
	found, err := s.Store.Approval(ctx, id, approval)
	if err != nil {
		return approvals.Decided{}, err
	}
	switch {
	case others.Decision != gate.Undecided:
		named := map[int]bool{}
		for _, d := range decisions {
			named[d.Line] = true
		}
		for i, line := range found.Lines {
			if !line.IsFrame() && line.Decision == gate.Undecided && !named[i] {
				others.Line = i
				decisions = append(decisions, others)
			}
		}
	case others.Note != "":
		return approvals.Decided{}, fault.InvalidAt("body.note", "it is about others: give the note of a line with its decision")
	case len(decisions) == 0:
		return approvals.Decided{}, fault.InvalidAt("body.decisions", "decide about at least one line, or about others")
	}
	if found.Owner != memory.NoOwner {
		id = id.For(id.Agent, found.Owner)
	}
	id.AnyOwner = false
	done, err := s.Store.Decide(ctx, id, approval, decisions)
	if err != nil {
		return done, err
	}
	for _, receipt := range done.Receipts {
		s.Written(id, receipt)
	}
	s.Workflows.ApprovalDecided(ctx, approvalRef(id, approval))
	return done, nil
}
