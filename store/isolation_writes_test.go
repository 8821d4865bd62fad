package store

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"reverie/memory"
)

func init() { maps.Copy(calls, writeCalls) }

// mayWriteScope says whether an identity may write what is of a scope, in a group of its own agent.
func mayWriteScope(id memory.Identity, g group) bool {
	switch memory.Scope(g.scope) {
	case memory.ScopePersonal:
		return g.owner == string(id.Owner) && id.Owner != memory.NoOwner
	case memory.ScopeTeam:
		return !id.Pinned
	default:
		return id.Role == memory.RoleAdmin && !id.Pinned && id.Agents == nil
	}
}

// writeTag is whose a write is.
func writeTag(id memory.Identity, w MemoryWrite) tag {
	of := id
	of.Owner = w.Owner
	return scopeTag(of, w.Scope)
}

// taggedWrite is a request in an identity's words.
func taggedWrite(t *rapid.T, id memory.Identity) memory.WriteRequest {
	ref := anyRef(t)
	return memory.WriteRequest{
		RequestID: rapid.SampledFrom([]string{"r1", "r2", newID().String()}).Draw(t, "request"), Scope: ref.Scope, Target: ref.Path,
		Strategy: memory.StrategyAppend, Content: scopeTag(id, ref.Scope).String(), Reason: scopeTag(id, ref.Scope).String(),
	}
}

// keyOf is a key of the identity's workspace, or of any one if there is none.
func (w *world) keyOf(t *rapid.T, id memory.Identity) uuid.UUID {
	all := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.DeleteFunc(slices.Clone(all), func(key uuid.UUID) bool { return w.keyIDs[key].workspace != id.Workspace })
	if len(own) == 0 {
		own = all
	}
	return rapid.SampledFrom(own).Draw(t, "key")
}

// addWrite gives a place a write that waits.
func (w *world) addWrite(t *testing.T, id memory.Identity) {
	t.Helper()
	keys := sortedKeys(w.keyIDs, uuid.UUID.String)
	own := slices.IndexFunc(keys, func(key uuid.UUID) bool { return w.keyIDs[key].workspace == id.Workspace })
	for _, scope := range []memory.Scope{memory.ScopePersonal, memory.ScopeTeam} {
		says := scopeTag(id, scope).String()
		must[MemoryWrite](t)(w.StageWrite(t.Context(), id, keys[own], memory.WriteRequest{
			RequestID: string(scope) + string(id.Owner), Scope: scope, Target: "shared.md", Strategy: memory.StrategyAppend, Content: says, Reason: says,
		}))
	}
}

// writeCalls are the calls about what business processes write.
var writeCalls = map[string]call{
	"StageWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), taggedWrite(t, id))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, staged), nil, nil
	},
	// It takes no identity: what it writes is what the credential may that asked. Here it gets what the caller has asked for.
	"CommitWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		ref := memory.Ref{Scope: memory.ScopePersonal, Path: "MEMORY.md"}
		staged, err := w.StageWrite(t.Context(), id, w.keyOf(t, id), memory.WriteRequest{
			RequestID: newID().String(), Scope: ref.Scope, Target: ref.Path, Strategy: memory.StrategyAppend, Content: scopeTag(id, ref.Scope).String(),
		})
		if err != nil {
			return nil, nil, err
		}
		done, err := w.CommitWrite(t.Context(), WriteRef{Workspace: id.Workspace, Agent: id.Agent, Write: staged.ID}, memory.Author{WorkflowID: "write"})
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, done), nil, nil
	},
	"MemoryWrite": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		found, err := w.MemoryWrite(t.Context(), id, rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "request"))
		if err != nil {
			return nil, nil, err
		}
		return writeTag(id, found), nil, nil
	},
	"MemoryWrites": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		list, err := w.MemoryWrites(t.Context(), id, "", Page{Limit: MaxPage})
		var tags []tag
		for _, one := range list.Items {
			tags = append(tags, writeTag(id, one))
		}
		return tags, nil, err
	},
	// It takes no identity and shows references only.
	"DueWrites": func(t *rapid.T, w *world, _ memory.Identity) (any, *tag, error) {
		due, err := w.DueWrites(t.Context(), MaxPage)
		for _, ref := range due {
			if ref.Workspace == "" || ref.Agent == "" || ref.Write == uuid.Nil || ref.RequestID == "" {
				t.Fatalf("not a reference: %+v", ref)
			}
		}
		return nil, nil, err
	},
	// A key is shown to whoever proves to know its secret.
	"AuthenticateProof": func(t *rapid.T, w *world, id memory.Identity) (any, *tag, error) {
		secret := rapid.SampledFrom(sortedKeys(w.keys, func(s string) string { return s })).Draw(t, "secret")
		key, err := w.Authenticate(t.Context(), secret)
		if err != nil {
			return nil, nil, err
		}
		message := []byte("message")
		if !sees(id, w.keys[secret]) { // it is not theirs: they cannot know the secret
			secret = "guessed"
		}
		found, err := w.AuthenticateProof(t.Context(), key.ID, message, proofOf(secret, message))
		return found, nil, err
	},
}
