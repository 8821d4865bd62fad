package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"reverie/imports"
	"reverie/memory"
	"reverie/store"
)

// ReasonStored is a conversation that was not to be extracted.
const ReasonStored memory.ReasonCode = "stored"

// ImportedItem is an item that was settled, for metrics.
type ImportedItem struct {
	Conversation bool
	Outcome      memory.Outcome
	ReasonCode   memory.ReasonCode
}

// item moves one item in. An error means that it has to wait.
func (p *importPage) item(ctx context.Context, staged store.ImportItem) (store.ImportSettled, error) {
	var item imports.Item
	if err := json.Unmarshal(staged.Payload, &item); err != nil || (item.Document == nil) == (item.Conversation == nil) {
		return store.ImportSettled{Outcome: memory.OutcomeFailed, ReasonCode: ReasonUnreadable}, nil //nolint:nilerr // the item says so
	}
	var end store.ImportSettled
	var err error
	if item.Document != nil {
		end, err = p.document(ctx, staged, *item.Document)
	} else {
		end, err = p.conversation(ctx, staged, *item.Conversation)
	}
	if err == nil {
		return end, nil
	}
	return refusedItem(err)
}

// refusedItem is how an item ends that the store refuses. Any other error is returned.
func refusedItem(err error) (store.ImportSettled, error) {
	var (
		invalid     *store.InvalidError
		conflict    *store.ConflictError
		quarantined *store.QuarantineError
	)
	end := store.ImportSettled{Outcome: memory.OutcomeFailed}
	switch {
	case errors.As(err, &quarantined):
		end.Outcome, end.ReasonCode = memory.OutcomeQuarantined, ReasonScan
	case errors.Is(err, store.ErrReadOnlyTeam):
		end.Outcome, end.ReasonCode = memory.OutcomeSkipped, memory.GateTeamMember
	case errors.Is(err, store.ErrMemoryOff):
		end.Outcome, end.ReasonCode = memory.OutcomeSkipped, memory.GateMemoryOff
	case errors.As(err, &invalid):
		end.ReasonCode = store.ReasonImportInvalid
	case errors.As(err, &conflict):
		end.ReasonCode = memory.ReasonCode(conflict.Code)
	case errors.Is(err, store.ErrForbidden):
		end.ReasonCode = ReasonForbidden
	default:
		return end, storeError(err)
	}
	return end, nil
}

// document hands a document to the gate, once.
func (p *importPage) document(ctx context.Context, staged store.ImportItem, d imports.Document) (store.ImportSettled, error) {
	receipt, err := p.Store.Apply(ctx, p.writer(staged), fmt.Sprintf("import/%s/%s", p.in.Import, staged.Key), []memory.Change{{
		Ref: memory.Ref{Scope: d.Scope, Path: d.Path}, Op: memory.OpImport, Content: d.Content, Import: p.of.OnConflict, From: p.of.Format,
		Reason: "imported from " + p.of.Format,
	}})
	if err != nil {
		return store.ImportSettled{}, err
	}
	change := receipt.Changes[0]
	var end store.ImportSettled
	if change.Withheld {
		end.ReasonCode = ReasonForgotten // of a part, or of all that is new
	}
	switch {
	case change.Merged:
		p.indexChanged(p.in.AgentRef)
		end.Outcome = memory.OutcomeMerged
		return end, nil
	case change.Changed:
		p.indexChanged(p.in.AgentRef)
		end.Outcome = memory.OutcomeWritten
		return end, nil
	case p.of.OnConflict == memory.ImportKeep && change.SHA256 != hashOf(memory.Scan(d.Content).Text):
		return store.ImportSettled{Outcome: memory.OutcomeSkipped, ReasonCode: store.ReasonImportConflict}, nil
	}
	end.Outcome = memory.OutcomeUnchanged
	return end, nil
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// conversation stores a conversation with its own dates, and has it extracted.
func (p *importPage) conversation(ctx context.Context, staged store.ImportItem, c imports.Conversation) (store.ImportSettled, error) {
	var stored store.Stored
	id := p.writer(staged)
	batches := slices.Collect(slices.Chunk(c.Messages, memory.MaxBatchMessages))
	for i, messages := range batches {
		var err error
		stored, err = p.Store.AppendMessages(ctx, id, store.Batch{
			Conversation: c.ID, Trigger: memory.TriggerImport, Messages: messages,
			TurnComplete: p.of.Extract && i == len(batches)-1,
		})
		if err != nil {
			return store.ImportSettled{}, err
		}
		if stored.Token != "" {
			p.indexChanged(p.in.AgentRef)
		}
	}
	if !p.of.Extract {
		return store.ImportSettled{Outcome: memory.OutcomeWritten, ReasonCode: ReasonStored}, nil
	}
	return p.extract(ctx, staged, id, stored)
}

// extract waits until nothing is pending in a conversation, however long the model is away or the budget is spent. How it ended
// is read from the records of its extractions, which an attempt before this one may have made.
func (p *importPage) extract(ctx context.Context, staged store.ImportItem, id memory.Identity, stored store.Stored) (store.ImportSettled, error) {
	order := ExtractOrder{
		OwnerRef:     memory.OwnerRef{Workspace: p.in.Workspace, Agent: p.in.Agent, Owner: stored.OwnerID},
		Conversation: stored.ConversationUID, Timing: p.timing,
	}
	for round, waits := 0, 0; ; round++ {
		order.Request = uuid.NewSHA1(p.in.Import, fmt.Appendf(nil, "%s/%d/%s", activity.GetInfo(ctx).WorkflowExecution.RunID, round, staged.Key)).String()
		out, err := p.Extractor.Extract(ctx, order)
		if err != nil {
			return store.ImportSettled{}, err
		}
		now, err := p.Store.ImportedConversation(ctx, id, stored.ConversationUID)
		if err != nil {
			return store.ImportSettled{}, err
		}
		switch {
		case !now.Pending, out.Outcome == memory.OutcomeSkipped, out.Outcome == memory.OutcomeFailed && !out.Again:
			if stored.Turn > 0 {
				err = p.Store.Signalled(ctx, id, stored.Turn)
			}
			return store.ImportSettled{Outcome: now.Outcome, ReasonCode: now.ReasonCode}, err
		}
		if out.Outcome == memory.OutcomeWritten { // the rest of a long conversation goes on at once
			waits = 0
			continue
		}
		if err := rest(ctx, min(time.Duration(waits)*importPause, maxRetryAfter)); err != nil {
			return store.ImportSettled{}, err
		}
		waits++
	}
}

const (
	// importPause is how much longer an import waits each time before it asks for the same extraction again, and how long it waits
	// before it tries an item again that met a database or Temporal that was away.
	importPause = time.Second
	// importPatience is the longest such wait for an item.
	importPatience = time.Minute
)

// rest waits, but no longer than ctx.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
