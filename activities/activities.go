// Package activities holds the steps of every workflow: what touches the store, a model or the clock.
//
// A step runs at least once, so each write carries an idempotency key and each outcome is recorded in the transaction of
// what it accounts for. Inputs and results carry references, counts and reason codes, never contents.
package activities

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.temporal.io/sdk/activity"

	"reverie/llm/embed"
	"reverie/memory"
	"reverie/store"
)

// Proposer turns a transcript into a proposal: a model with its prompts, or the built-in extractive engine.
type Proposer interface {
	Propose(ctx context.Context, in memory.ExtractionInput) (memory.Answer, error)
}

// Rules are an engine that needs nobody else: it always answers.
type Rules interface {
	Flusher
	Summariser
}

// Options are what the steps work with. Embedders, Budget, Consolidator, Flusher, Summariser and the observers may be left out.
type Options struct {
	Store    *store.Store
	Proposer Proposer
	// Paid is true when the proposer costs money or tokens: budgets are checked and spending is recorded.
	Paid bool
	// Embedders are the configured embedding models: the current one, and after it the one that it is being changed to.
	// None: search is lexical.
	Embedders []embed.Embedder
	Budget    memory.Budget
	Defaults  memory.ExtractSettings // the zero value stands for the documented ones
	Timing    memory.Timing
	Now       func() time.Time
	Log       *slog.Logger
	// Observe is told the outcome of every extraction, for metrics.
	Observe func(outcome memory.Outcome, reason memory.ReasonCode, usage memory.Usage, took time.Duration)
	// Consolidator has a model rewrite MEMORY.md in dreams; nil: they promote by rules.
	Consolidator Consolidator
	// DreamDefaults hold for agents that set nothing else.
	DreamDefaults memory.DreamSettings
	// DreamSchedule says when agents dream that set nothing else; without a Cron the worker leaves schedules alone.
	DreamSchedule memory.DreamSchedule
	// Dreamer starts the dreams of a night; a worker brings it (worker.New).
	Dreamer Dreamer
	// Extractor extracts conversations that are moved in; a worker brings it (worker.New).
	Extractor Extractor
	// ObserveImport is told every item of an import that was settled, for metrics.
	ObserveImport func(ImportedItem)
	// Writer has what business workflows ask for written; a worker brings it (worker.New).
	Writer Writer
	// Flusher has a model note what leaves a context window, and Summariser one summarise it; nil: rules do.
	Flusher    Flusher
	Summariser Summariser
	// Rules are the built-in engine, which flushes and summarises without a model, or in place of one that did not in time.
	Rules Rules
	// ObserveDream is told every dream that ended, for metrics.
	ObserveDream func(Dreamt)
	// ObserveFlush is told every flush that was acknowledged or broken off, and ObserveCompaction every compaction that ended.
	ObserveFlush      func(Flushed)
	ObserveCompaction func(Compacted)
	// ObserveEmbedding is told every batch of units that was embedded, for metrics.
	ObserveEmbedding func(Embedded)
}

// Activities are the steps. They are referenced through a nil *Activities in workflow code.
type Activities struct {
	Options

	model, embeddings, nextEmbeddings lastState
	rest                              modelRest

	owners  *ownerKeys
	changed chan AgentRef
}

// New returns steps that are ready to run.
func New(o Options) (*Activities, error) {
	if o.Defaults == (memory.ExtractSettings{}) {
		o.Defaults = memory.DefaultExtractSettings()
	}
	owners, err := lru.New[memory.OwnerRef, memory.Owner](knownOwners)
	if err != nil {
		return nil, err
	}
	return &Activities{Options: o, owners: owners, changed: make(chan AgentRef, changesKept)}, nil
}

// author names the workflow as the author of what it writes.
func author(ctx context.Context, engine string) memory.Author {
	info := activity.GetInfo(ctx)
	return memory.Author{
		Kind: memory.AuthorWorkflow, ID: engine,
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
	}
}

// idempotencyKey is the same over all attempts of this step in this run, and another one after a reset, which may write again.
func idempotencyKey(ctx context.Context) string {
	info := activity.GetInfo(ctx)
	return fmt.Sprintf("%s/%s/%s", info.WorkflowExecution.ID, info.WorkflowExecution.RunID, info.ActivityID)
}

// identify finds whose memory ref is about and returns the identity to work with: the owner's, allowed to write what
// a member writes.
func (a *Activities) identify(ctx context.Context, ref memory.OwnerRef, by memory.Author) (memory.Identity, error) {
	id := memory.Identity{
		Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleMember, Author: by,
	}
	owner, err := a.ownerOf(ctx, id, ref)
	if err != nil {
		return memory.Identity{}, storeError(err)
	}
	id.AnyOwner = false
	id.Owner = owner
	return id, nil
}

// untilStopped is ctx, done as well when the worker stops: for steps that wait for others and would hold it up.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
