package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
)

func (s *Server) auditRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "list-audit", Method: http.MethodGet, Path: "/api/v1/audit", Tag: "keys", Need: memory.RoleAdmin,
		Summary: "List what keys read and changed for others, newest first",
		Doc: "Requests of keys that are not pinned to an owner, without contents. An owner selects the records about them. An admin key " +
			"that is limited to some agents sees the records about these.",
	}, s.listAudit)
}

type auditInput struct {
	Agent     string    `query:"agent" maxLength:"63" doc:"Only about this agent."`
	Key       string    `query:"key" format:"uuid" doc:"Only of this key."`
	Operation string    `query:"operation" maxLength:"64" doc:"Only of this operation." example:"list-messages"`
	Kind      rest.Act  `query:"kind" enum:"reads,changes" doc:"Only reads, or only changes."`
	Since     time.Time `query:"since" doc:"Only from this time on."`
	Until     time.Time `query:"until" doc:"Only before this time."`
	rest.PersonParams
	rest.PageParams
}

type auditView struct {
	ID        uuid.UUID         `json:"id"`
	At        time.Time         `json:"at"`
	Key       uuid.UUID         `json:"key" doc:"Id of the key that asked."`
	Role      memory.Role       `json:"role" enum:"viewer,member,admin"`
	Address   string            `json:"address" doc:"Address of the client."`
	Request   string            `json:"request" doc:"Id of the request, as in X-Request-Id and in the server's log."`
	Operation string            `json:"operation" example:"list-messages"`
	Kind      rest.Act          `json:"kind" enum:"reads,changes"`
	Agent     string            `json:"agent,omitempty"`
	Owner     memory.Owner      `json:"owner,omitempty" doc:"Whose memory; missing: nobody's in particular, or everybody's."`
	Targets   map[string]string `json:"targets" doc:"Ids and paths by the name of their parameter."`
	Status    int               `json:"status" doc:"HTTP status of the answer."`
}

func viewAudit(e admin.AuditEntry) auditView {
	v := auditView{
		ID: e.ID, At: e.At, Key: e.Key, Role: e.Role, Address: e.Address, Request: e.Request, Operation: e.Operation, Kind: rest.Reads,
		Agent: e.Agent, Owner: e.Owner, Targets: e.Targets, Status: e.Status,
	}
	if e.Changes {
		v.Kind = rest.Changes
	}
	return v
}

func (s *Server) listAudit(ctx context.Context, in *auditInput) (*rest.Reply[rest.Page[auditView]], error) {
	owner, err := memory.OwnerOf(in.Owner, in.Channel, in.Sender, in.EndUserID)
	if err != nil {
		return nil, fault.InvalidAt("query.owner", "%s", err)
	}
	filter := admin.AuditFilter{
		Agent: in.Agent, Owner: owner, Operation: in.Operation, Kind: in.Kind, Since: in.Since, Until: in.Until,
	}
	if in.Key != "" {
		if filter.Key, err = uuid.Parse(in.Key); err != nil {
			return nil, fault.InvalidAt("query.key", "it is not a UUID")
		}
	}
	listed, err := s.Store.Audit(ctx, rest.CallerOf(ctx).Identity(), filter, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return rest.OK(rest.Page[auditView]{Items: rest.Views(listed.Items, viewAudit), Next: listed.Next}), nil
}
