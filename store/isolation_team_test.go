package store

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"reverie/memory"
)

func init() { maps.Copy(calls, teamCalls) }

// worldMember is the agent of every workspace of the world that reads behind its leader, the first agent.
const worldMember = "cleo"

// addMember makes the member of a workspace's team.
func (w *world) addMember(t *testing.T, workspace string) {
	t.Helper()
	name := tag{workspace, worldMember, "AGENT"}.String()
	settings := memory.AgentSettings{Leader: worldAgents[0]}
	must[Agent](t)(w.CreateAgent(t.Context(), admin(workspace), NewAgent{ID: worldMember, Name: name, TimeZone: "UTC", Settings: settings}))
}

// asMember makes a caller one of the member of a team, now and then with a credential that names the member and not the leader, and
// says what it may be shown. That is written without a look at the policies.
func asMember(t *rapid.T, id memory.Identity) (member memory.Identity, shown func(tag) bool) {
	member = id.For(worldMember, id.Owner)
	if slices.Contains(member.Agents, worldAgents[0]) && rapid.Bool().Draw(t, "names the member") {
		member.Agents = []string{worldMember}
	}
	leader := member
	leader.Agent, leader.Agents, leader.AnyOwner = worldAgents[0], nil, false
	return member, func(of tag) bool {
		return sees(member, of) || member.MayUseAgent(worldMember) && of.agent == worldAgents[0] && of.owner != "AGENT" && sees(leader, of)
	}
}

// readBy is a call that reads as a member: what it shows is held against what a member may see.
func readBy(read func(*rapid.T, *world, memory.Identity) (any, error)) call {
	return func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		member, shown := asMember(t, id)
		answer, err := read(t, w, member)
		if err != nil {
			return nil, nil, err
		}
		for _, of := range tagsIn(answer) {
			if !shown(of) {
				t.Fatalf("a member shows %v to %+v", of, member)
			}
		}
		return nil, nil, nil
	}
}

// teamCalls are the calls of who reads behind a leader.
var teamCalls = map[string]call{
	"Leader": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		leader, member, err := w.Leader(t.Context(), id)
		if member && (leader.Owner != id.Owner || leader.AnyOwner || leader.Workspace != id.Workspace || leader.Role != memory.RoleViewer || !id.MayUseAgent(id.Agent)) {
			t.Fatalf("%+v reads as %+v", id, leader)
		}
		return nil, err
	}),
	"ReadableDocument": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		return w.ReadableDocument(t.Context(), id, anyRef(t).Path)
	}),
	"ReadableDocuments": readBy(func(t *rapid.T, w *world, id memory.Identity) (any, error) {
		list, err := w.ReadableDocuments(t.Context(), id, DocumentFilter{IncludeDeleted: true})
		var tags []tag
		for _, d := range list {
			tags = append(tags, w.tagOfDocument(t, d.ID))
		}
		return tags, err
	}),
}
