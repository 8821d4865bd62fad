package rest

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/memory"
	"reverie/store"
	"reverie/store/gate"
	"reverie/store/talk"
)

// PersonParams name the owner of the memory that a request is about, in one of three ways.
type PersonParams struct {
	Owner     string `query:"owner" maxLength:"128" doc:"Owner key, such as user:7, feishu:ou_1 or api:42." example:"api:42"`
	Channel   string `query:"channel" maxLength:"128" doc:"Channel of sender; give both."`
	Sender    string `query:"sender" maxLength:"128" doc:"Who writes in channel; give both."`
	EndUserID string `query:"endUserId" maxLength:"128" doc:"End user of an API integration; the owner key is api: and this id."`
}

// Person returns the person that the query names.
func (p PersonParams) Person() Person {
	return Person{p.Owner, p.Channel, p.Sender, p.EndUserID, "query"}
}

// Person holds the owner, or the channel and sender, or the end user, that a request names.
type Person struct {
	Owner, Channel, Sender, EndUserID string
	Location                          string // query or body
}

// AgentParam is the agent that a request is about.
type AgentParam struct {
	Agent string `path:"agent" maxLength:"63" doc:"Id of the agent." example:"ada"`
}

// Enter returns the identity that a request about an agent is made for, and the agent.
//
// The owner is that of a pinned key, else of the request, else nobody. An agent that the key is not
// allowed to use looks as if it did not exist.
func (s *Server) Enter(ctx context.Context, agent string, p Person) (memory.Identity, gate.Agent, error) {
	id := CallerOf(ctx).Identity()
	if !id.MayUseAgent(agent) {
		return memory.Identity{}, gate.Agent{}, noSuchAgent(agent)
	}
	owner, err := chooseOwner(id, p)
	if err != nil {
		return memory.Identity{}, gate.Agent{}, err
	}
	id = id.For(agent, owner)
	found, err := s.Store.Agent(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return memory.Identity{}, gate.Agent{}, noSuchAgent(agent)
	}
	if err == nil {
		trailOf(ctx).enter(agent, owner)
	}
	return id, found, err
}

// EnterMemory is Enter for a page about the memory of the owner with an opaque id; uuid.Nil: of the key's own owner, or nobody's. With
// end it also returns where the journal ends.
func (s *Server) EnterMemory(ctx context.Context, agent string, owner uuid.UUID, end bool) (memory.Identity, gate.Entrance, error) {
	id := CallerOf(ctx).Identity()
	if !id.MayUseAgent(agent) || owner != uuid.Nil && (id.Pinned || !id.Role.Includes(memory.RoleMember)) {
		return id, gate.Entrance{}, noSuchAgent(agent)
	}
	reader := id.For(agent, id.Owner)
	reader.AnyOwner = owner != uuid.Nil
	entrance, err := s.Store.Entrance(ctx, reader, owner, end)
	if errors.Is(err, store.ErrNotFound) {
		return id, entrance, noSuchAgent(agent)
	}
	if err != nil {
		return id, entrance, err
	}
	named, err := chooseOwner(id, Person{Owner: string(entrance.Owner), Location: "path"})
	if err == nil {
		trailOf(ctx).enter(agent, named)
	}
	return id.For(agent, named), entrance, err
}

// EnterGone is Enter for an agent that may have been deleted.
func (s *Server) EnterGone(ctx context.Context, agent string, p Person) (memory.Identity, error) {
	id := CallerOf(ctx).Identity()
	owner, err := chooseOwner(id, p)
	switch {
	case err != nil:
		return memory.Identity{}, err
	case !id.MayUseAgent(agent) || !memory.ValidSlug(agent):
		return memory.Identity{}, noSuchAgent(agent)
	}
	trailOf(ctx).enter(agent, owner)
	return id.For(agent, owner), nil
}

// Agents returns the agents that the caller may use.
func (s *Server) Agents(ctx context.Context) ([]gate.Agent, error) {
	id := CallerOf(ctx).Identity()
	all, err := s.Store.Agents(ctx, id)
	return slices.DeleteFunc(all, func(a gate.Agent) bool { return !id.MayUseAgent(a.ID) }), err
}

func noSuchAgent(agent string) *fault.Problem {
	return fault.New(fault.NotFound, "No agent %q for this key", agent)
}

// chooseOwner decides whose memory it is.
func chooseOwner(id memory.Identity, p Person) (memory.Owner, error) {
	named, err := memory.OwnerOf(p.Owner, p.Channel, p.Sender, p.EndUserID)
	switch {
	case err != nil:
		return memory.NoOwner, fault.InvalidAt(p.Location+".owner", "%s", err)
	case id.Pinned && named != memory.NoOwner && named != id.Owner:
		return memory.NoOwner, fault.New(fault.OwnerNotAllowed, "This key is pinned to one owner: name that owner or none")
	case id.Pinned:
		return id.Owner, nil
	case named == memory.NoOwner:
		return memory.NoOwner, nil
	case !id.Role.Includes(memory.RoleMember):
		return memory.NoOwner, fault.New(
			fault.OwnerNotAllowed,
			"A viewer key cannot name an owner: use a key pinned to the owner, or a member key",
		)
	case named == memory.SystemOwner && !id.Role.Includes(memory.RoleAdmin):
		return memory.NoOwner, fault.New(fault.OwnerNotAllowed, "Only an admin key may act for the system")
	}
	return named, nil
}

// NeedOwner enters a request that is about one person.
func (s *Server) NeedOwner(ctx context.Context, agent string, p Person) (memory.Identity, gate.Agent, error) {
	id, found, err := s.Enter(ctx, agent, p)
	if err == nil {
		err = ownerNeeded(id, p.Location)
	}
	return id, found, err
}

func ownerNeeded(id memory.Identity, location string) error {
	if id.Owner != memory.NoOwner {
		return nil
	}
	return fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the %s)", location)
}

// AcrossOwners widens an identity without an owner to every owner of the agent, for reading. It reports whether the
// caller may see contents and reasons. Only admins may; others see ids, times, counts and outcomes.
func AcrossOwners(id memory.Identity) (_ memory.Identity, full bool) {
	if id.Owner != memory.NoOwner {
		return id, true
	}
	id.AnyOwner = true
	return id, id.Role.Includes(memory.RoleAdmin)
}

// MayReadMessages returns the identity that reads messages: of an owner, or of all owners for an admin who names none.
func MayReadMessages(id memory.Identity) (memory.Identity, error) {
	id, full := AcrossOwners(id)
	switch {
	case full:
		return id, nil
	case !id.Role.Includes(memory.RoleMember):
		return id, fault.New(fault.OwnerNotAllowed, "A viewer key reads conversations only if it is pinned to their owner")
	}
	return id, fault.New(fault.OwnerRequired, "Owner required: send owner, or channel and sender, or endUserId (in the query)")
}

// ReadConversation finds a conversation whose messages the caller may read, and returns the identity with its owner.
func (s *Server) ReadConversation(ctx context.Context, id memory.Identity, name string) (memory.Identity, talk.Conversation, error) {
	id, err := MayReadMessages(id)
	if err != nil {
		return id, talk.Conversation{}, err
	}
	found, err := s.Conversation(ctx, id, name)
	id.Owner = found.Owner
	return id, found, err
}

// Conversation finds a conversation and its owner. One of an owner for whom the caller may not speak looks as if it
// did not exist. Without an owner, it must be the only one of the agent with that id.
func (s *Server) Conversation(ctx context.Context, id memory.Identity, name string) (talk.Conversation, error) {
	id.AnyOwner = id.Owner == memory.NoOwner
	found, err := s.Store.Conversation(ctx, id, name)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.New(fault.NotFound, "No conversation %q of this owner", name)
	}
	if err == nil {
		trailOf(ctx).enter(id.Agent, found.Owner)
	}
	return found, err
}

// Document reads the document at a path: the one of the scope, or the one visible to the owner.
func (s *Server) Document(ctx context.Context, id memory.Identity, path string, scope memory.Scope) (memory.Document, error) {
	var (
		d   memory.Document
		err error
	)
	if scope == "" {
		d, err = s.Store.ReadableDocument(ctx, id, path)
	} else if err = CanHave(id, scope); err == nil {
		d, err = s.Store.Document(ctx, id, memory.Ref{Scope: scope, Path: path})
	}
	if errors.Is(err, store.ErrNotFound) {
		err = NoSuchDocument(path, scope)
	}
	return d, err
}

// CanHave refuses PERSONAL for a request that names no owner.
func CanHave(id memory.Identity, scope memory.Scope) error {
	if scope == memory.ScopePersonal && id.Owner == memory.NoOwner {
		return fault.New(
			fault.OwnerRequired,
			"Owner required for PERSONAL documents: send owner, or channel and sender, or endUserId (in the query)",
		)
	}
	return nil
}

// NoSuchDocument returns the error of a document that does not exist; scope may be empty.
func NoSuchDocument(path string, scope memory.Scope) *fault.Problem {
	if scope == "" {
		return fault.New(fault.NotFound, "No document %s: list the documents to see their paths", path)
	}
	return fault.New(fault.NotFound, "No %s document %s: list the documents to see their paths", scope, path)
}

// ScopeParam chooses between documents of one path.
type ScopeParam struct {
	Scope memory.Scope `query:"scope" enum:"PERSONAL,TEAM,GLOBAL" doc:"Whose document: the owner's, the agent's or the workspace's."`
}
