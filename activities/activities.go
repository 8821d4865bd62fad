// Package activities implements the steps of every workflow: everything that touches the store, a model or the clock.
//
// A step runs at least once, so each write carries an idempotency key and each outcome is recorded in the transaction
// of what it accounts for. Inputs and results carry references, counts and reason codes, never contents.
package activities

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.temporal.io/sdk/activity"

	"reverie/hooks"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/memory/proposals"
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/store"
)

// Proposer turns a transcript into a proposal: a model with its prompts, or the built-in extractive engine.
type Proposer interface {
	Propose(ctx context.Context, in proposals.ExtractionInput) (proposals.Answer, error)
}

// Rules is an engine without external dependencies: it always answers.
type Rules interface {
	Flusher
	Summariser
}

// Options configures the steps. Embedders, Budget, Consolidator, Flusher, Summariser and the observers are optional.
type Options struct {
	Store    *store.Store
	Proposer Proposer
	// Paid means that the proposer costs money or tokens: budgets are checked and spending is recorded.
	Paid bool
	// Embedders are the configured embedding models: the current one, and after it the one that it is being changed to.
	// None: search is lexical.
	Embedders []embed.Embedder
	Budget    memory.Budget
	Models    setting.ModelSettings   // of agents without their own settings
	Defaults  setting.ExtractSettings // the zero value means the documented defaults
	Timing    setting.Timing
	Now       func() time.Time
	Log       *slog.Logger
	// Observe is called with the outcome of every extraction, for metrics.
	Observe func(outcome memory.Outcome, reason memory.ReasonCode, usage memory.Usage, took time.Duration)
	// Consolidator rewrites MEMORY.md in dreams with a model; nil: dreams promote by rules.
	Consolidator Consolidator
	// SoulWriter rewrites SOUL.md with a model; nil: nobody does.
	SoulWriter SoulWriter
	// Merger merges like entries of structured documents with a model; nil: rules remove those that another one repeats.
	Merger Merger
	// DreamDefaults apply to agents without their own settings.
	DreamDefaults setting.DreamSettings
	// DreamSchedule applies to agents without their own schedule. Without a Cron the worker leaves schedules
	// alone.
	DreamSchedule setting.DreamSchedule
	// Dreamer starts the dreams of a night; worker.New provides it.
	Dreamer Dreamer
	// ResetReason returns why a person reset an execution, and whether one did; worker.New provides it. nil: nobody did.
	ResetReason func(ctx context.Context, workflowID, runID string) (reason string, isReset bool, err error)
	// Extractor extracts imported conversations; worker.New provides it.
	Extractor Extractor
	// Changed receives agents whose documents an activity has changed, unless it is full; worker.New provides it. The
	// index sweep finds those that are not read in time.
	Changed chan<- AgentRef
	// ObserveImport is called with every settled item of an import, for metrics.
	ObserveImport func(ImportedItem)
	// Writer performs the writes that business workflows request; worker.New provides it.
	Writer Writer
	// Flusher notes messages that leave a context window with a model, and Summariser summarises them; nil: rules do.
	Flusher    Flusher
	Summariser Summariser
	// PairJudge decides contradictions about which rules are in doubt; nil: they stay undecided.
	PairJudge PairJudge
	// Rules is the built-in engine. It flushes and summarises when there is no model, or when the model did not
	// answer in time.
	Rules Rules
	// Histories deletes executions of workflows; worker.New provides it.
	Histories Histories
	// Hooks sends to webhooks, as Webhooks says. nil: nothing is delivered.
	Hooks    *hooks.Sender
	Webhooks WebhookSettings
	// Providers are the programs of the operator that follow what happens to memory; nil: none do.
	Providers *providers.Set
	// ObserveDream is called with every dream that ended, for metrics.
	ObserveDream func(Dreamt)
	// ObserveFlush is called with every flush that was acknowledged or interrupted, and ObserveCompaction with every
	// compaction that ended.
	ObserveFlush      func(Flushed)
	ObserveCompaction func(Compacted)
	// ObserveEmbedding is called with every batch of embedded units, for metrics.
	ObserveEmbedding func(Embedded)
}

// Activities implements the steps. Workflow code refers to them through a nil *Activities.
type Activities struct {
	Options

	model, embeddings, nextEmbeddings lastState
	rest                              modelRest

	owners *ownerKeys
}

// New returns the steps, ready to run.
func New(o Options) (*Activities, error) {
	if o.Defaults == (setting.ExtractSettings{}) {
		o.Defaults = setting.DefaultExtractSettings()
	}
	owners, err := lru.New[memory.OwnerRef, memory.Owner](knownOwners)
	if err != nil {
		return nil, err
	}
	return &Activities{Options: o, owners: owners}, nil
}

// author returns the workflow as the author of what it writes.
func author(ctx context.Context, engine string) memory.Author {
	info := activity.GetInfo(ctx)
	return memory.Author{
		Kind: memory.AuthorWorkflow, ID: engine,
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
	}
}

// identify returns the identity of the owner that ref names, with the permissions of a member.
func (a *Activities) identify(ctx context.Context, ref memory.OwnerRef, by memory.Author) (memory.Identity, error) {
	id := memory.Identity{
		Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleMember, Author: by,
	}
	owner, err := a.ownerOf(ctx, id, ref)
	if err != nil {
		return memory.Identity{}, storeError(err)
	}
	id.AnyOwner = false
	id.Owner, id.OwnerID = owner, ref.Owner
	return id, nil
}

// agentIdentity returns an identity that sees all owners of an agent.
func agentIdentity(ctx context.Context, ref AgentRef, kind memory.AuthorKind) memory.Identity {
	by := author(ctx, "")
	by.Kind = kind
	return memory.Identity{Workspace: ref.Workspace, Agent: ref.Agent, AnyOwner: true, Role: memory.RoleMember, Author: by}
}

// inParallel calls do with every item, with at most so many at once. It returns when all calls have; when ctx is done, it makes no
// more.
func inParallel[T any](ctx context.Context, most int, items []T, do func(T)) {
	places := make(chan struct{}, max(1, most))
	var working sync.WaitGroup
	defer working.Wait()
	for _, item := range items {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		working.Go(func() {
			defer func() { <-places }()
			do(item)
		})
	}
}

// untilStopped returns a context that also ends when the worker stops, for steps that wait for others and would delay
// the stop.
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

// knownOwners is the number of owners whose keys a worker caches: a few megabytes at most.
const knownOwners = 10_000

// ownerKeys maps opaque owner ids to owners. A pair never changes, so a cached one is always right; without the cache
// every third transaction of an extraction would look up an owner.
type ownerKeys = lru.Cache[memory.OwnerRef, memory.Owner]

// ownerOf returns the owner that ref names.
func (a *Activities) ownerOf(ctx context.Context, id memory.Identity, ref memory.OwnerRef) (memory.Owner, error) {
	if owner, known := a.owners.Get(ref); known {
		return owner, nil
	}
	owner, err := a.Store.ResolveOwner(ctx, id, ref.Owner)
	if err != nil {
		return "", err
	}
	a.owners.Add(ref, owner)
	return owner, nil
}
