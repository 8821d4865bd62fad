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
func (s *kernel) enter(ctx context.Context, agent string, p person) (memory.Identity, store.Agent, error) {
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
func (s *kernel) needOwner(ctx context.Context, agent string, p person) (memory.Identity, store.Agent, error) {
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

// mayReadMessages is the identity that reads what was said: that of an owner, or of all for an admin who names nobody.
func mayReadMessages(id memory.Identity) (memory.Identity, error) {
	id, full := acrossOwners(id)
	switch {
	case full:
		return id, nil
	case !id.Role.Includes(memory.RoleMember):
		return id, problem(nameOwnerNotAllowed, "a viewer key reads conversations only when it is pinned to their owner")
	}
	return id, problem(nameOwnerRequired, "say whose conversation it is: owner, or channel and sender, or endUserId (in the query)")
}

// conversation finds a conversation and whose it is. One of an owner for whom the caller may not speak looks as if it
// did not exist.
func (s *kernel) conversation(ctx context.Context, id memory.Identity, name string) (store.Conversation, error) {
	id.AnyOwner = id.Owner == memory.NoOwner
	found, err := s.Store.Conversation(ctx, id, name)
	if errors.Is(err, store.ErrNotFound) {
		err = problem(nameNotFound, "there is no conversation %q of this owner", name)
	}
	return found, err
}

// document is the one that a path means, or that of a scope.
func (s *kernel) document(ctx context.Context, id memory.Identity, path string, scope memory.Scope) (memory.Document, error) {
	var (
		d   memory.Document
		err error
	)
	if scope == "" {
		d, err = s.Store.ReadableDocument(ctx, id, path)
	} else if err = canHave(id, scope); err == nil {
		d, err = s.Store.Document(ctx, id, memory.Ref{Scope: scope, Path: path})
	}
	if errors.Is(err, store.ErrNotFound) {
		err = noSuchDocument(path, scope)
	}
	return d, err
}

// canHave refuses PERSONAL for a request that is about nobody.
func canHave(id memory.Identity, scope memory.Scope) error {
	if scope == memory.ScopePersonal && id.Owner == memory.NoOwner {
		return problem(nameOwnerRequired, "say whose PERSONAL document it is: owner, or channel and sender, or endUserId (in the query)")
	}
	return nil
}

func noSuchDocument(path string, scope memory.Scope) *Problem {
	if scope == "" {
		return problem(nameNotFound, "there is no document %s: GET …/workspace/files lists what there is", path)
	}
	return problem(nameNotFound, "there is no %s document %s: GET …/workspace/files lists what there is", scope, path)
}

// ScopeParam chooses between documents of one path.
type ScopeParam struct {
	Scope memory.Scope `query:"scope" enum:"PERSONAL,TEAM,GLOBAL" doc:"Whose document: the owner's, the agent's or the workspace's."`
}
