package api

import (
	"context"
	"errors"

	"reverie/memory"
	"reverie/store"
)

// PersonParams name whose memory a request is about, in one of three ways.
type PersonParams struct {
	Owner     string `query:"owner" maxLength:"128" doc:"Owner key, such as user:7, feishu:ou_1 or api:42." example:"api:42"`
	Channel   string `query:"channel" maxLength:"128" doc:"Channel of sender; give both."`
	Sender    string `query:"sender" maxLength:"128" doc:"Who writes in channel; give both."`
	EndUserID string `query:"endUserId" maxLength:"128" doc:"End user of an API integration: the owner api: with this behind it."`
}

func (p PersonParams) person() person {
	return person{p.Owner, p.Channel, p.Sender, p.EndUserID, "query"}
}

// person is whom a request names, and where it does.
type person struct {
	owner, channel, sender, endUserID string
	location                          string // query or body
}

// AgentParam is the agent that a request is about.
type AgentParam struct {
	Agent string `path:"agent" maxLength:"63" doc:"Id of the agent." example:"ada"`
}

// enter establishes on whose behalf a request about an agent is made, and returns the agent.
//
// The owner is the one that the key is pinned to, else whom the request names, else nobody. An agent that the key is not
// allowed to use looks as if it did not exist.
func (s *Server) enter(ctx context.Context, agent string, p person) (memory.Identity, store.Agent, error) {
	id := callerOf(ctx).Identity()
	if !id.MayUseAgent(agent) {
		return memory.Identity{}, store.Agent{}, noSuchAgent(agent)
	}
	owner, err := chooseOwner(id, p)
	if err != nil {
		return memory.Identity{}, store.Agent{}, err
	}
	id = id.For(agent, owner)
	found, err := s.Store.Agent(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return memory.Identity{}, store.Agent{}, noSuchAgent(agent)
	}
	return id, found, err
}

func noSuchAgent(agent string) *Problem {
	return problem(nameNotFound, "there is no agent %q that this key may use", agent)
}

// chooseOwner decides whose memory it is.
func chooseOwner(id memory.Identity, p person) (memory.Owner, error) {
	named, err := memory.OwnerOf(p.owner, p.channel, p.sender, p.endUserID)
	switch {
	case err != nil:
		return memory.NoOwner, invalidAt(p.location+".owner", "%s", err)
	case id.Pinned && named != memory.NoOwner && named != id.Owner:
		return memory.NoOwner, problem(nameOwnerNotAllowed, "this key speaks for one owner only: name that one, or nobody")
	case id.Pinned:
		return id.Owner, nil
	case named == memory.NoOwner:
		return memory.NoOwner, nil
	case !id.Role.Includes(memory.RoleMember):
		return memory.NoOwner, problem(nameOwnerNotAllowed, "a viewer key names no owner: use one that is pinned to the owner, or a member key")
	case named == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin):
		return memory.NoOwner, problem(nameOwnerNotAllowed, "only an admin key speaks for the system")
	}
	return named, nil
}

// needOwner is enter for requests that are about one person.
func (s *Server) needOwner(ctx context.Context, agent string, p person) (memory.Identity, store.Agent, error) {
	id, found, err := s.enter(ctx, agent, p)
	if err == nil && id.Owner == memory.NoOwner {
		err = problem(nameOwnerRequired, "say whose it is: owner, or channel and sender, or endUserId (in the %s)", p.location)
	}
	return id, found, err
}

// acrossOwners widens an identity that names nobody to every owner of the agent, for reading. It reports whether the
// caller may then see what was said and why: of everybody only an admin may; others see ids, times, counts and outcomes.
func acrossOwners(id memory.Identity) (_ memory.Identity, full bool) {
	if id.Owner != memory.NoOwner {
		return id, true
	}
	id.AnyOwner = true
	return id, id.Role.Includes(memory.RoleAdmin)
}
