package store

import (
	"maps"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/admin"
	"reverie/store/approvals"
	"reverie/store/gate"
	"reverie/store/pg"
)

func init() { maps.Copy(calls, approvalCalls) }

// addApprovals gives a place changes that wait, of a document of its owner and of a shared one.
func (w *world) addApprovals(t *testing.T, id memory.Identity) (waiting [2]uuid.UUID) {
	t.Helper()
	root := adminOf(id.Workspace).For(id.Agent, memory.NoOwner)
	require := func(own setting.AgentSettings) {
		must[gate.Agent](t)(w.UpdateAgent(t.Context(), root, admin.AgentPatch{Settings: &own}))
	}
	before := must[gate.Agent](t)(w.Agent(t.Context(), root)).Settings
	own := before
	own.Approvals = setting.ApprovalAll
	require(own)
	defer require(before)
	for i, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
		says := scopeTag(id, scope).String()
		waiting[i] = write(t, w.Store, by(id, memory.AuthorWorkflow, "m"), memory.Change{
			Ref: memory.Ref{Scope: scope, Path: "waiting.md"}, Op: memory.OpAppend, Content: "- " + says + " " + uuid.NewString() + "\n", Reason: says,
		}).Approval
	}
	return waiting
}

// anyApproval draws a change that waits, and whose it is.
func (w *world) anyApproval(t *rapid.T) (uuid.UUID, *tag) {
	p := rapid.SampledFrom(w.places).Draw(t, "approval of")
	if rapid.Bool().Draw(t, "shared") {
		return p.approvals[1], &tag{p.workspace, p.agent, "TEAM"}
	}
	return p.approvals[0], &p.tag
}

var approvalCalls = map[string]call{
	"Approval": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, of := w.anyApproval(t)
		a, err := w.Approval(t.Context(), id, x)
		return a, of, err
	},
	"Approvals": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		listed, err := w.Approvals(t.Context(), id, approvals.Filter{Open: rapid.Bool().Draw(t, "open"), Page: pg.Page{Limit: pg.MaxPage}})
		return listed, nil, err
	},
	"WaitingLines": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		_, err := w.WaitingLines(t.Context(), id)
		return nil, nil, err
	},
	"WaitingApproval": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, of := w.anyApproval(t)
		a, err := w.WaitingApproval(t.Context(), id, x)
		return a, of, err
	},
	"Decide": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, of := w.anyApproval(t)
		decision := rapid.SampledFrom([]gate.Decision{gate.Approve, gate.Refuse}).Draw(t, "decision")
		done, err := w.Decide(t.Context(), id, x, []approvals.LineDecision{{Line: 0, Decision: decision}})
		return done, of, err
	},
	"Expire": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, of := w.anyApproval(t)
		a, err := w.Expire(t.Context(), id, x)
		return a, of, err
	},
	"Remind": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		x, _ := w.anyApproval(t)
		return nil, nil, w.Remind(t.Context(), id, x, 0)
	},
	"DueApprovals": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		_, err := w.DueApprovals(t.Context(), pg.Lease{Before: w.db.Now(), Until: w.db.Now(), Limit: 10})
		return nil, nil, err // references only, for the deployment
	},
}
