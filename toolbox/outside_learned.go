package toolbox

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reverie/backend"
	"reverie/memory"
)

const (
	sourceOfExtraction = "extraction"
	// confidenceOfExtraction is the confidence that MicroClaw gives to statements of its reflector.
	confidenceOfExtraction = .68
)

// Learned inserts statements that were learned from the caller's conversations on the caller's external server, if there is one, except
// those that it has and those about which the gate has to decide. Repeated with the same Key, it inserts the same once. The error is a
// *backend.Failure or one of the store.
func (b *Box) Learned(ctx context.Context, c Caller, texts []string) error {
	o, err := b.outside(ctx, c, true)
	if o == nil || err != nil {
		return err
	}
	known, _, err := o.Query(ctx, o.who, backend.Query{Op: backend.List, Limit: maxOutside})
	if err != nil {
		return err
	}
	for i, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		if !o.plain(text) || slices.ContainsFunc(known, func(k backend.Statement) bool { return k.Content == text }) {
			continue
		}
		if _, _, err := o.Apply(ctx, o.who, backend.Change{
			Op: backend.Insert, Content: text, Category: categoryKnowledge, Source: sourceOfExtraction, Confidence: confidenceOfExtraction,
			Key: keyOf("learned/"+strconv.Itoa(i), c.Key, text),
		}); err != nil {
			return err
		}
	}
	return nil
}

// ArchiveOutside archives every statement of an owner, with this opaque id, on the owner's external server. served is false without one. It
// works also while the owner is being deleted.
func (b *Box) ArchiveOutside(ctx context.Context, id memory.Identity, owner uuid.UUID) (served bool, err error) {
	who := backend.Owner{Workspace: id.Workspace, Agent: id.Agent, Key: string(id.Owner), Number: numberOf(owner)}
	if served, _ = b.Backend.Serves(who); !served {
		return false, nil
	}
	for {
		rows, _, err := b.Backend.Query(ctx, who, backend.Query{Op: backend.List, Limit: maxOutside})
		if err != nil {
			return true, err
		}
		rows = slices.DeleteFunc(rows, func(r backend.Statement) bool { return r.Archived })
		if len(rows) == 0 {
			return true, nil
		}
		for _, r := range rows {
			if _, _, err := b.Backend.Apply(ctx, who, backend.Change{Op: backend.Archive, ID: r.ID}); err != nil {
				return true, err
			}
		}
	}
}
