package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/store/indexes"
)

const (
	// embedUnits is the number of units that are read, embedded and saved together, in a few concurrent requests. It bounds what is
	// paid for twice when a worker dies.
	embedUnits = 256
	// embedFor bounds one step.
	embedFor = 15 * time.Second
)

// Embedded is a batch of units, for metrics.
type Embedded struct {
	Made    int // vectors made by the model
	Cached  int // vectors reused from equal texts
	Refused int // texts that the model refused
	Usage   memory.Usage
	Took    time.Duration // by the provider
	// Failure is the kind of the error that ended the batch early; empty: none.
	Failure string
}

// Embed adds missing vectors to a space, until none is missing or embedFor has passed. Saved vectors stay: after a step that was
// cut off or failed, the next one continues. It fails with TypeUnavailable when the provider is away or busy, with the delay that
// the provider asks for, and with TypeUnusable when a person has to act.
func (a *Activities) Embed(ctx context.Context, in EmbedInput) (EmbedResult, error) {
	defer beat(ctx, HeartbeatTimeout/heartbeatsInTime)()
	e := embedding{Activities: a, ref: in.AgentRef, id: tender(ctx, in.AgentRef)}
	if why, err := e.halted(ctx); err != nil || why != (setting.Halt{}) {
		return EmbedResult{WaitUntil: why.Until}, err
	}
	open, err := e.open(ctx, in.Space)
	if err != nil || !open {
		return EmbedResult{Gone: err == nil}, err
	}
	for until := time.Now().Add(embedFor); time.Now().Before(until) && !stopping(ctx); {
		done, err := e.batch(ctx)
		if err != nil {
			return EmbedResult{}, err
		}
		if done {
			return e.out, nil
		}
	}
	e.out.More = true
	return e.out, nil
}

// embedding fills one space.
type embedding struct {
	*Activities
	ref   AgentRef
	id    memory.Identity
	space indexes.Space
	model *configured
	out   EmbedResult
}

// halted says why no vectors are made. Budgets of tokens do not apply: tokens of embedding models are many, and cost a hundredth of those
// of chat models. They are not counted either (see account).
func (e *embedding) halted(ctx context.Context) (setting.Halt, error) {
	return e.Activities.halted(ctx, e.id, memory.Budget{CostMicros: e.Budget.CostMicros})
}

// open finds the space and its model. An agent's first space gets the current model. It reports whether the space may be filled.
func (e *embedding) open(ctx context.Context, space int64) (bool, error) {
	due, err := e.Store.DueSpaces(ctx, e.id)
	if err != nil {
		return false, storeError(err)
	}
	at := slices.IndexFunc(due.Spaces, func(s indexes.Space) bool {
		return space == 0 && s.State == indexes.SpaceLive || s.ID == space && s.State == indexes.SpaceBuilding
	})
	switch {
	case at >= 0:
		e.space = due.Spaces[at]
	case space != 0:
		return false, nil
	case len(e.Embedders) == 0:
		return false, errNoEmbedder()
	default:
		identity, err := e.Embedders[0].Probe(ctx)
		if err != nil {
			return false, e.failed(ctx, &configured{Embedder: e.Embedders[0]}, err)
		}
		if e.space, err = e.Store.OpenSpace(ctx, e.id, identity); err != nil {
			return false, storeError(err)
		}
	}
	e.model, err = e.embedderOf(ctx, e.space.Identity)
	return err == nil, err
}

// batch embeds the next units. done means that there are none.
func (e *embedding) batch(ctx context.Context) (done bool, err error) {
	due, err := e.Store.DueUnits(ctx, e.id, e.space.ID, embedUnits)
	if err != nil {
		return false, storeError(err)
	}
	if len(due.Reached) == 0 {
		return true, nil
	}
	vectors, err := e.cached(ctx, due.Units)
	if err != nil {
		return false, storeError(err)
	}
	made, failure := e.ask(ctx, due.Units, vectors)
	saved, err := e.save(ctx, due, vectors)
	if err != nil {
		return false, storeError(err)
	}
	e.out.Embedded += saved
	e.account(ctx, made)
	if failure != nil {
		return false, e.failed(ctx, e.model, failure)
	}
	return false, nil
}

// settled holds the vectors of texts; nil for a text that the model refuses.
type settled map[indexes.TextHash][]float32

// cached returns the vectors of equal texts of the workspace.
func (e *embedding) cached(ctx context.Context, units []indexes.DueUnit) (settled, error) {
	hashes := make([]indexes.TextHash, len(units))
	for i, u := range units {
		hashes[i] = u.Hash
	}
	return e.Store.CachedVectors(ctx, e.id, e.space.Identity, hashes)
}

// ask requests the missing vectors. Those made before an error are kept.
func (e *embedding) ask(ctx context.Context, units []indexes.DueUnit, vectors settled) (Embedded, error) {
	missing := slices.DeleteFunc(slices.Clone(units), func(u indexes.DueUnit) bool { return vectors[u.Hash] != nil })
	made := Embedded{Cached: len(units) - len(missing)}
	var texts []string
	var hashes []indexes.TextHash
	asked := map[indexes.TextHash]bool{}
	for _, u := range missing {
		if !asked[u.Hash] { // an equal text is embedded once
			asked[u.Hash] = true
			texts, hashes = append(texts, u.Text), append(hashes, u.Hash)
		}
	}
	if len(texts) == 0 {
		return made, nil
	}
	began := time.Now()
	answer, err := e.model.Embed(ctx, embed.Document, texts)
	made.Took, made.Usage = time.Since(began), answer.Usage
	for i, v := range answer.Vectors {
		if v != nil {
			vectors[hashes[i]] = v
		}
	}
	if refused, ok := errors.AsType[*embed.RefusedTexts](err); ok {
		for _, text := range refused.Texts {
			vectors[hashes[text.Index]] = nil
		}
		if complete(answer.Vectors, refused) {
			err = nil
		}
	}
	for _, u := range missing {
		switch v, settled := vectors[u.Hash]; {
		case v != nil:
			made.Made++
		case settled:
			made.Refused++
		}
	}
	if err == nil {
		e.embeddingState(ctx, e.model, "ok", "")
		return made, nil
	}
	made.Failure = "cut"
	if failure, ok := errors.AsType[*llm.Error](err); ok {
		made.Failure = string(failure.Kind)
	}
	return made, err
}

// save stores the settled vectors, even while the step is being stopped: they are paid for.
func (e *embedding) save(ctx context.Context, due indexes.DueUnits, vectors settled) (int, error) {
	part := settledPart(due, vectors)
	if len(part.Units) == 0 && len(part.Reached) == 0 {
		return 0, nil
	}
	return e.Store.SaveVectors(context.WithoutCancel(ctx), e.id, e.space.ID, part, inOrder(part.Units, vectors))
}

// complete reports whether every text has a vector or is refused.
func complete(vectors [][]float32, refused *embed.RefusedTexts) bool {
	missing := 0
	for _, v := range vectors {
		if v == nil {
			missing++
		}
	}
	return missing == len(refused.Texts)
}

// settledPart returns what can be saved: units whose text is settled, and how far each source is settled without a gap. Units
// after a gap are saved as well: they come again, and cost nothing then.
func settledPart(due indexes.DueUnits, vectors settled) indexes.DueUnits {
	var part indexes.DueUnits
	gap := map[int64]bool{}   // sources with a gap
	last := map[int64]int64{} // last ordinal before the gap
	for _, u := range due.Units {
		_, ok := vectors[u.Hash]
		if ok {
			part.Units = append(part.Units, u)
		}
		switch {
		case !ok:
			gap[u.Key.Group] = true
		case !gap[u.Key.Group]:
			last[u.Key.Group] = u.Key.Ordinal
		}
	}
	for _, r := range due.Reached {
		if gap[r.Group] {
			if r.Ordinal = last[r.Group]; r.Ordinal == 0 {
				continue
			}
		}
		part.Reached = append(part.Reached, r)
	}
	return part
}

// inOrder returns the vectors of units.
func inOrder(units []indexes.DueUnit, vectors settled) [][]float32 {
	out := make([][]float32, len(units))
	for i, u := range units {
		out[i] = vectors[u.Hash]
	}
	return out
}

// account adds a batch to the result, the workspace's spending and the metrics.
func (e *embedding) account(ctx context.Context, made Embedded) {
	e.out.Cached += made.Cached
	e.out.Refused += made.Refused
	e.out.Usage = e.out.Usage.Add(made.Usage)
	if e.ObserveEmbedding != nil {
		e.ObserveEmbedding(made)
	}
	spent := memory.Usage{Calls: made.Usage.Calls, CostMicros: made.Usage.CostMicros} // see halted
	if spent.CostMicros == 0 || e.ref.Agent == "" {
		return
	}
	if err := e.Store.AddUsage(context.WithoutCancel(ctx), e.id, e.space.Identity.Model, spent); err != nil {
		e.Log.Warn("the cost of vectors could not be recorded", "error", err) // the vectors are still saved
	}
}

// failed returns the step's error for an error of the model.
func (e *embedding) failed(ctx context.Context, model *configured, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failure, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	e.embeddingState(ctx, model, string(failure.Kind), failure.Message)
	return embeddingError(failure)
}

// embeddingError delays the next attempt by as much as the provider asks. An error that only a person can repair is not retried.
func embeddingError(err *llm.Error) error {
	if err.Kind.Retryable() {
		return modelError(err)
	}
	return temporal.NewNonRetryableApplicationError(string(err.Kind), TypeUnusable, nil)
}

// Names of the embedding models on the status page.
const (
	EmbeddingsComponent     = "embeddings"
	NextEmbeddingsComponent = "embeddings-next"
)

// ReasonNoEmbedder means that no configured model makes the vectors of a space.
const ReasonNoEmbedder = "no_embedder"

// errNoEmbedder returns the error of a step whose model is not configured.
func errNoEmbedder() error {
	return temporal.NewNonRetryableApplicationError(ReasonNoEmbedder, TypeUnusable, nil)
}

// configured is an embedding model of the configuration.
type configured struct {
	embed.Embedder
	next bool // the one being changed to
}

// embedderOf finds the configured model with an identity. It may have to ask the model for its dimensions, and then fails as Embed
// does.
func (a *Activities) embedderOf(ctx context.Context, of memory.EmbeddingIdentity) (*configured, error) {
	for i, embedder := range a.Embedders {
		model := &configured{embedder, i > 0}
		identity := embedder.Identity()
		if identity.Dimensions == 0 {
			identity.Dimensions = of.Dimensions
		}
		if identity != of {
			continue
		}
		identity, err := embedder.Probe(ctx)
		if failure, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil {
			a.embeddingState(ctx, model, string(failure.Kind), failure.Message)
			return nil, embeddingError(failure)
		}
		if err != nil {
			return nil, err
		}
		if identity == of {
			return model, nil
		}
	}
	return nil, errNoEmbedder()
}

// embeddingState reports a change of an embedding model's state.
func (a *Activities) embeddingState(ctx context.Context, model *configured, state, detail string) {
	known, name := &a.embeddings, EmbeddingsComponent
	if model.next {
		known, name = &a.nextEmbeddings, NextEmbeddingsComponent
	}
	if !known.changes(state) {
		return
	}
	if err := a.Store.ReportComponent(context.WithoutCancel(ctx), name, state, detail); err != nil {
		known.changes("")
		a.Log.Warn("the embedding model's state could not be reported", "state", state, "error", err)
	}
}
