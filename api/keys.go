package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store"
	"reverie/store/admin"
	"reverie/store/gate"
)

func (s *Server) keyRoutes() {
	rest.Register(s.Server, rest.Route{
		ID: "create-key", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/keys", Tag: "keys", Need: memory.RoleAdmin,
		Summary: "Create a key", Status: http.StatusCreated, Body: rest.MaxSmallBody,
		Doc: "Only this answer contains the secret. Needs an admin key that is not limited to some agents.",
	}, s.createKey)
	rest.Register(s.Server, rest.Route{
		ID: "rotate-key", Method: http.MethodPost, Act: rest.Changes, Path: "/api/v1/keys/{key}/rotate", Tag: "keys", Need: memory.RoleAdmin,
		Summary: "Replace a key by a new one", Status: http.StatusCreated, Body: rest.MaxSmallBody, Errors: []int{http.StatusConflict},
		Doc: "The new key has the name and the rights of the old one, which stays valid for the overlap. Only this answer contains the new " +
			"secret: if it is lost, rotate the new key. A key of the configuration is changed there.",
	}, s.rotateKey)
	rest.Register(s.Server, rest.Route{
		ID: "list-keys", Method: http.MethodGet, Path: "/api/v1/keys", Tag: "keys", Need: memory.RoleAdmin,
		Summary: "List keys, newest first, revoked ones included",
	}, s.listKeys)
	rest.Register(s.Server, rest.Route{
		ID: "revoke-key", Method: http.MethodDelete, Path: "/api/v1/keys/{key}", Tag: "keys", Need: memory.RoleAdmin,
		Summary: "Revoke a key", Errors: []int{http.StatusConflict},
		Doc: "It stops working at once on this server, and within 5 seconds on others. A key of the configuration is changed there.",
	}, s.revokeKey)
}

// KeyView is a key without its secret.
type KeyView struct {
	ID        uuid.UUID    `json:"id"`
	Name      string       `json:"name"`
	Role      memory.Role  `json:"role" enum:"viewer,member,admin"`
	Agents    []string     `json:"agents" nullable:"true" doc:"Only these agents; null: every agent of the workspace."`
	Owner     memory.Owner `json:"owner,omitempty" doc:"Pinned to this owner; missing: not pinned."`
	CreatedAt time.Time    `json:"createdAt"`
	RevokedAt *time.Time   `json:"revokedAt,omitempty"`
	ExpiresAt *time.Time   `json:"expiresAt,omitempty" doc:"From then on it is refused; missing: never."`
	// LastUsedAt is exact to some minutes, so that requests write nothing.
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty" doc:"Exact to five minutes; missing: not used yet."`
	ReplacedBy *uuid.UUID `json:"replacedBy,omitempty" doc:"The key to which it was rotated."`
}

func viewKey(k gate.Key) KeyView {
	return KeyView{k.ID, k.Name, k.Role, k.Agents, k.Owner, k.CreatedAt, k.RevokedAt, k.ExpiresAt, k.LastUsedAt, k.ReplacedBy}
}

// NewKeyView is the only answer that contains a secret.
type NewKeyView struct {
	KeyView
	Secret string `json:"secret" doc:"Send it as Authorization: Bearer and this. It is not shown again."`
}

type newKeyInput struct {
	Body struct {
		Name   string      `json:"name" minLength:"1" maxLength:"200" example:"chat backend"`
		Role   memory.Role `json:"role" enum:"viewer,member,admin"`
		Agents []string    `json:"agents,omitempty" minItems:"1" maxItems:"1000" pattern:"^[a-z0-9][a-z0-9_-]{0,62}$" nullable:"true" doc:"Only these agents; missing or null: every agent."`
		Owner  string      `json:"owner,omitempty" maxLength:"128" doc:"Pin the key to this owner." example:"api:42"`
		// ExpiresAt ends the key.
		ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"From then on the key is refused; missing: never." example:"2027-06-30T00:00:00Z"`
	}
}

func (s *Server) createKey(ctx context.Context, in *newKeyInput) (*rest.Reply[NewKeyView], error) {
	owner := memory.NoOwner
	if in.Body.Owner != "" {
		var err error
		if owner, err = memory.ParseOwner(in.Body.Owner); err != nil {
			return nil, fault.InvalidAt("body.owner", "%s", err)
		}
		if in.Body.Role == memory.RoleAdmin {
			return nil, fault.InvalidAt("body.role", "a key that is pinned to an owner is a viewer or a member key")
		}
	}
	secret, key, err := s.CreateKey(ctx, admin.NewKey{
		Name: in.Body.Name, Role: in.Body.Role, Agents: in.Body.Agents, Owner: owner, ExpiresAt: in.Body.ExpiresAt,
	})
	if err != nil {
		return nil, err
	}
	return rest.Created(NewKeyView{viewKey(key), secret}), nil
}

// CreateKey creates a key for the caller in ctx and returns its secret, which is not shown again. Only a caller who could not give more
// rights than they have may manage keys.
func (s *Server) CreateKey(ctx context.Context, k admin.NewKey) (secret string, _ gate.Key, _ error) {
	id, err := keyManager(ctx)
	if err != nil {
		return "", gate.Key{}, err
	}
	secret, key, err := s.Store.CreateKey(ctx, id, k)
	if err == nil {
		s.keyEvent(ctx, "Key created", key.ID, "role", key.Role)
	}
	return secret, key, err
}

// keyEvent logs a change of a key and records it: which one, by whom and from where.
func (s *Server) keyEvent(ctx context.Context, event string, key uuid.UUID, more ...any) {
	rest.Touch(ctx, "key", key.String())
	s.Log.InfoContext(ctx, event, append( //nolint:sloglint // one of three constants
		[]any{
			"key", key, "by", rest.CallerOf(ctx).ID, "address", rest.AddressOf(ctx), "request", rest.RequestID(ctx),
		}, more...)...)
}

type rotateKeyInput struct {
	KeyInput
	Body struct {
		OverlapSeconds *int       `json:"overlapSeconds,omitempty" minimum:"0" maximum:"2592000" doc:"How long the old key stays valid, at most 30 days; 0: not at all; missing: a day."`
		ExpiresAt      *time.Time `json:"expiresAt,omitempty" doc:"When the new key expires; missing: as long from now as the old one was valid, never if that had no end."`
	}
}

// DefaultOverlap is the time for which a rotated key stays valid by default.
const DefaultOverlap = 24 * time.Hour

type rotatedView struct {
	NewKeyView
	Replaces KeyView `json:"replaces" doc:"The old key, with its new end."`
}

func (s *Server) rotateKey(ctx context.Context, in *rotateKeyInput) (*rest.Reply[rotatedView], error) {
	key, err := in.parse()
	if err != nil {
		return nil, err
	}
	overlap := DefaultOverlap
	if in.Body.OverlapSeconds != nil {
		overlap = time.Duration(*in.Body.OverlapSeconds) * time.Second
	}
	rotated, err := s.RotateKey(ctx, key, overlap, in.Body.ExpiresAt)
	if invalid, is := errors.AsType[*store.InvalidError](err); is {
		return nil, fault.InvalidAt("body."+invalid.Field, "%s", invalid.Problem)
	}
	if err != nil {
		return nil, err
	}
	return rest.Created(rotatedView{NewKeyView{viewKey(rotated.New), rotated.Secret}, viewKey(rotated.Old)}), nil
}

// RotateKey replaces a key for the caller in ctx by a new one with the same rights. The old one stays valid for the overlap.
func (s *Server) RotateKey(ctx context.Context, key uuid.UUID, overlap time.Duration, expires *time.Time) (admin.RotatedKey, error) {
	id, err := keyManager(ctx)
	if err != nil {
		return admin.RotatedKey{}, err
	}
	rotated, err := s.Store.RotateKey(ctx, id, key, overlap, expires)
	if err != nil {
		return rotated, err
	}
	s.Keys.Forget(key) // it may have been remembered for longer than it is valid now
	s.keyEvent(ctx, "Key rotated", key, "to", rotated.New.ID, "until", rotated.Old.ExpiresAt)
	rest.Touch(ctx, "newKey", rotated.New.ID.String())
	return rotated, nil
}

func (s *Server) listKeys(ctx context.Context, in *rest.ListParams) (*rest.Reply[rest.Page[KeyView]], error) {
	keys, err := s.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	return rest.Part(keys, *in, viewKey)
}

// ListKeys lists all keys for the caller in ctx, who must be able to manage them.
func (s *Server) ListKeys(ctx context.Context) ([]gate.Key, error) {
	id, err := keyManager(ctx)
	if err != nil {
		return nil, err
	}
	return s.Store.Keys(ctx, id)
}

// KeyInput names a key in the path.
type KeyInput struct {
	Key string `path:"key" format:"uuid" doc:"Id of the key."`
}

func (in KeyInput) parse() (uuid.UUID, error) {
	key, err := uuid.Parse(in.Key)
	if err != nil {
		return key, fault.InvalidAt("path.key", "it is not a UUID")
	}
	return key, nil
}

func (s *Server) revokeKey(ctx context.Context, in *KeyInput) (*rest.Reply[revokedView], error) {
	key, err := in.parse()
	if err != nil {
		return nil, err
	}
	if err := s.RevokeKey(ctx, key); err != nil {
		return nil, err
	}
	return rest.OK(revokedView{key, true}), nil
}

// RevokeKey revokes a key for the caller in ctx, who must be able to manage keys.
func (s *Server) RevokeKey(ctx context.Context, key uuid.UUID) error {
	id, err := keyManager(ctx)
	if err != nil {
		return err
	}
	if err := s.Store.RevokeKey(ctx, id, key); err != nil {
		return err
	}
	s.Keys.Forget(key)
	s.keyEvent(ctx, "Key revoked", key)
	return nil
}

type revokedView struct {
	ID      uuid.UUID `json:"id"`
	Revoked bool      `json:"revoked"`
}

// keyManager returns the identity of a caller who may manage keys: one who could not give more than they have.
func keyManager(ctx context.Context) (memory.Identity, error) {
	id := rest.CallerOf(ctx).Identity()
	if id.Agents != nil || id.Pinned {
		return id, fault.New(fault.Forbidden, "Managing keys needs an admin key that is not limited to agents or an owner")
	}
	return id, nil
}
