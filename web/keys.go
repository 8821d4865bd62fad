package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"reverie/api"
	"reverie/api/fault"
	"reverie/api/rest"
	"reverie/memory"
	"reverie/store/admin"
	"reverie/web/view"
)

func (b *Browser) keyRoutes() {
	b.page(rest.Route{ID: "page-keys", Path: "/keys", Summary: "API keys", Need: memory.RoleAdmin}, (*request).keys)
	b.page(rest.Route{
		ID: "page-new-key", Method: http.MethodPost, Path: "/keys", Summary: "Create a key", Need: memory.RoleAdmin, Act: rest.Changes, Body: maxForm,
	}, (*request).newKey)
	b.page(rest.Route{
		ID: "page-rotate-key", Method: http.MethodPost, Path: "/keys/{key}/rotate", Summary: "Replace a key by a new one", Need: memory.RoleAdmin,
		Act: rest.Changes, Body: maxForm,
	}, (*request).rotateKey)
	b.page(rest.Route{
		ID: "page-revoke-key", Method: http.MethodPost, Path: "/keys/{key}/revoke", Summary: "Revoke a key", Need: memory.RoleAdmin, Body: maxForm,
	}, (*request).revokeKey)
}

func (q *request) keys() (templ.Component, error) { return q.keysWith(view.Keys{}) }

// keysWith shows all keys, with the result of a form.
func (q *request) keysWith(page view.Keys) (templ.Component, error) {
	keys, err := q.ListKeys(q.Context)
	if err != nil {
		return nil, err
	}
	now := q.Now()
	for _, k := range keys {
		v := view.Key{
			ID: k.ID.String(), Name: k.Name, Role: string(k.Role), Agents: k.Agents, Owner: string(k.Owner), Created: k.CreatedAt,
			Own: k.ID == q.key.ID, Replaced: k.ReplacedBy != nil,
		}
		if k.LastUsedAt != nil {
			v.Used = *k.LastUsedAt
		}
		if k.ExpiresAt != nil {
			v.Expires = *k.ExpiresAt
		}
		v.Ended = k.RevokedAt != nil || k.ExpiresAt != nil && !k.ExpiresAt.After(now)
		if v.Ended {
			page.Ended = append(page.Ended, v)
		} else {
			page.Items = append(page.Items, v)
		}
	}
	return view.KeysPage(q.frame("keys", "API keys"), page), nil
}

// newKey creates a key and shows its secret, once.
func (q *request) newKey() (templ.Component, error) {
	page := view.Keys{Form: view.KeyForm{
		Name: q.text("name"), Role: q.text("role"), Agents: strings.TrimSpace(q.text("agents")), Owner: strings.TrimSpace(q.text("owner")),
		Days: strings.TrimSpace(q.text("days")),
	}}
	made, problem := keyOfForm(page.Form, q.Now())
	if problem != "" {
		page.Problem = problem
		return q.keysWith(page)
	}
	secret, key, err := q.CreateKey(q.Context, made)
	if invalid, is := asInvalid(err); is {
		page.Problem = invalid
		return q.keysWith(page)
	}
	if err != nil {
		return nil, err
	}
	return q.keysWith(view.Keys{Secret: secret, SecretOf: key.Name})
}

// keyOfForm reads the form of a new key; problem says what is wrong with it.
func keyOfForm(f view.KeyForm, now time.Time) (k admin.NewKey, problem string) {
	k = admin.NewKey{Name: strings.TrimSpace(f.Name), Role: memory.Role(f.Role)}
	if k.Name == "" {
		return k, "Give the key a name, such as the program that will use it."
	}
	if k.Role != memory.RoleViewer && k.Role != memory.RoleMember && k.Role != memory.RoleAdmin {
		return k, "Choose a role."
	}
	if f.Agents != "" {
		k.Agents = strings.Fields(strings.ReplaceAll(f.Agents, ",", " "))
	}
	if f.Owner != "" {
		owner, err := memory.ParseOwner(f.Owner)
		if err != nil {
			return k, "Write an owner key such as api:42, or none."
		}
		if k.Role == memory.RoleAdmin {
			return k, "A key for one owner is a viewer or a member key."
		}
		k.Owner = owner
	}
	if f.Days != "" {
		days, err := strconv.Atoi(f.Days)
		if err != nil || days < 1 || days > maxKeyDays {
			return k, "Write after how many days the key expires: 1 to 3650, or nothing for never."
		}
		expires := now.AddDate(0, 0, days)
		k.ExpiresAt = &expires
	}
	return k, ""
}

// maxKeyDays is the longest life of a key that a form can set.
const maxKeyDays = 3650

// keyID returns the key in the address.
func (q *request) keyID() (uuid.UUID, error) {
	id, err := uuid.Parse(q.r.PathValue("key"))
	if err != nil {
		return id, fault.New(fault.NotFound, "There is no such key")
	}
	return id, nil
}

func (q *request) rotateKey() (templ.Component, error) {
	id, err := q.keyID()
	if err != nil {
		return nil, err
	}
	rotated, err := q.RotateKey(q.Context, id, api.DefaultOverlap, nil)
	if err != nil {
		return nil, err
	}
	return q.keysWith(view.Keys{Secret: rotated.Secret, SecretOf: rotated.New.Name})
}

func (q *request) revokeKey() (templ.Component, error) {
	id, err := q.keyID()
	if err != nil {
		return nil, err
	}
	if err := q.RevokeKey(q.Context, id); err != nil {
		return nil, err
	}
	return q.redirect("/keys?done=revoked")
}
