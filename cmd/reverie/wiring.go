package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/exaring/otelpgx"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/chat"
	"reverie/config"
	"reverie/engine"
	"reverie/llm"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/store"
	"reverie/worker"
)

// openStore connects to the configured database, with a span for every statement.
func openStore(ctx context.Context, c config.Config, t *engine.Telemetry) (*store.Store, error) {
	if c.DatabaseURL.Empty() {
		return nil, fmt.Errorf("%s_DATABASE_URL is not set: point it at a PostgreSQL with pgvector, or run `reverie dev`, which starts one", config.Prefix)
	}
	return store.Open(ctx, c.DatabaseURL.Reveal(), store.Options{
		MaxConns: c.DatabaseConns,
		// Statements are recorded without their parameters, which hold contents.
		Tracer:    otelpgx.NewTracer(otelpgx.WithTracerProvider(t.Tracers), otelpgx.WithMeterProvider(t.Meters)),
		MemoryOff: !c.MemoryEnabled,
	})
}

// ensureWorkspace makes the configured workspace and its admin key known.
func ensureWorkspace(ctx context.Context, s *store.Store, c config.Config) error {
	if err := s.EnsureWorkspace(ctx, c.Workspace, c.Workspace); err != nil {
		return err
	}
	if c.AdminKey.Empty() {
		return nil
	}
	return s.EnsureKey(ctx, c.Workspace, "admin", c.AdminKey.Reveal(), memory.RoleAdmin)
}

// extractSettings are the server's defaults, which an agent's own settings override.
func extractSettings(c config.Config) memory.ExtractSettings {
	s := memory.DefaultExtractSettings()
	s.MemoryEnabled = c.MemoryEnabled
	s.OwnerIsolation = c.OwnerIsolation
	s.MinMessages = c.MinMessages
	s.MinUserChars = c.MinUserChars
	s.MaxTranscript = c.MaxTranscript
	s.MaxMessageChars = c.MaxMessageChars
	s.ProfileMaxChars = c.ProfileMaxChars
	s.MemoryMaxChars = c.MemoryMaxChars
	s.MaxDropShare = c.MaxDropShare
	s.Model = c.LLMModel
	s.ModelTimeout = c.LLMTimeout
	s.ModelHeartbeat = c.LLMHeartbeat
	return s
}

// dreamSettings are the server's defaults of a dream, which an agent's own settings override; paid: a model writes MEMORY.md.
func dreamSettings(c config.Config, paid bool) memory.DreamSettings {
	s := memory.DefaultDreamSettings()
	s.Enabled, s.MemoryEnabled, s.OwnerIsolation = c.DreamingEnabled, c.MemoryEnabled, c.OwnerIsolation
	s.Days = c.DreamDays
	s.Weights = memory.DreamWeights{
		Frequency: c.DreamWeightFrequency, Relevance: c.DreamWeightRelevance, Diversity: c.DreamWeightDiversity,
		Recency: c.DreamWeightRecency, Consolidation: c.DreamWeightConsolidation, Conceptual: c.DreamWeightConceptual,
	}
	s.LightBoost, s.REMBoost, s.HalfLifeDays = c.DreamLightBoost, c.DreamREMBoost, c.DreamHalfLifeDays
	s.MinScore, s.MinSignals, s.MinDiversity = c.DreamMinScore, c.DreamMinSignals, c.DreamMinDiversity
	s.MaxPromotions, s.MaxCandidates = c.DreamMaxPromotions, c.DreamMaxCandidates
	s.MemoryMaxChars, s.MaxRetiredShare = c.MemoryMaxChars, c.DreamMaxRetiredShare
	s.DiaryMaxChars, s.NotesMaxChars = c.DreamDiaryMaxChars, c.DreamNotesMaxChars
	s.Paid, s.Model, s.ModelTimeout, s.ModelHeartbeat = paid, c.LLMModel, c.LLMTimeout, c.LLMHeartbeat
	return s
}

// windowSettings are the server's defaults of a context window, which an agent's own settings override; paid: a model answers,
// summarises and flushes.
func windowSettings(c config.Config, paid bool) memory.WindowSettings {
	return memory.WindowSettings{
		MemoryEnabled: c.MemoryEnabled, OwnerIsolation: c.OwnerIsolation,
		MaxTokens: c.WindowMaxTokens, CompactShare: c.WindowCompactShare, KeepTurns: c.WindowKeepTurns,
		SummaryMaxTokens: c.WindowSummaryMaxTokens, GoalMaxTokens: c.WindowGoalMaxTokens,
		AutoInject: c.AutoInject, AutoInjectThreshold: c.AutoInjectThreshold, AutoInjectMaxTokens: c.AutoInjectMaxTokens,
		FlushSoftTokens: c.FlushSoftTokens, FlushShare: c.FlushShare, FlushMessages: c.FlushMessages, FlushBytes: c.FlushBytes,
		FlushDeadline: c.FlushDeadline, FlushPolicy: memory.FlushPolicy(c.FlushPolicy),
		SummaryDeadline: c.WindowSummaryDeadline, MaxToolRounds: c.ChatMaxToolRounds,
		Paid: paid, Model: c.LLMModel, ModelTimeout: c.LLMTimeout, ModelHeartbeat: c.LLMHeartbeat,
	}
}

// dreamSchedule says when agents dream that do not say so themselves.
func dreamSchedule(c config.Config) memory.DreamSchedule {
	keyID, _, _ := strings.Cut(strings.TrimSpace(c.EncryptionKeys.Reveal()), ":") // the first encrypts
	return memory.DreamSchedule{
		MemoryEnabled: c.MemoryEnabled, DreamingEnabled: c.DreamingEnabled,
		Cron: c.DreamCron, Jitter: c.DreamJitter, Parallel: c.DreamParallel, KeyID: keyID,
	}
}

func timing(c config.Config) memory.Timing {
	return memory.Timing{Quiet: c.QuietPeriod, Cooldown: c.Cooldown}
}

// proposer is the configured model with its prompts, or the built-in engine; paid tells them apart.
func proposer(c config.Config, t *engine.Telemetry) (p activities.Proposer, paid bool, err error) {
	if c.LLMProvider == "" {
		return extractive.New(), false, nil
	}
	model, err := openModel(c, t)
	if err != nil {
		return nil, false, err
	}
	return activities.Prompted{Model: model, MaxTokens: c.LLMMaxTokens}, true, nil
}

// openModel is the configured model.
func openModel(c config.Config, t *engine.Telemetry) (llm.Chatter, error) {
	return llm.Open(llm.Config{
		Provider: c.LLMProvider, Model: c.LLMModel, APIKey: c.LLMAPIKey.Reveal(), BaseURL: c.LLMBaseURL,
		InputPrice: c.LLMInputPrice, OutputPrice: c.LLMOutputPrice, Timeout: c.LLMTimeout, Tracers: t.Tracers,
	})
}

// chats are how turns are answered: by the configured model, or from memory alone when there is none.
func chats(c config.Config, t *engine.Telemetry) (chat.Options, error) {
	o := chat.Options{
		MaxTokens: c.ChatMaxTokens, Settings: windowSettings(c, c.LLMProvider != ""), Extract: extractSettings(c), Budget: budget(c),
	}
	var err error
	if o.Observe, err = chatMetrics(t); err != nil || c.LLMProvider == "" {
		return o, err
	}
	o.Model, err = openModel(c, t)
	return o, err
}

// budget is what a workspace may spend in a day.
func budget(c config.Config) memory.Budget {
	return memory.Budget{Tokens: c.BudgetTokens, CostMicros: int64(c.BudgetCost * 1e6)}
}

// modelName is what people are told about the model in use.
func modelName(c config.Config) string {
	if c.LLMProvider == "" {
		return "built-in extractive engine"
	}
	return c.LLMProvider + "/" + c.LLMModel
}

// newWorker wires the steps and the worker that runs them.
func newWorker(c config.Config, s *store.Store, temporal client.Client, t *engine.Telemetry) (*worker.Worker, error) {
	p, paid, err := proposer(c, t)
	if err != nil {
		return nil, err
	}
	observe, err := extractionMetrics(t)
	if err != nil {
		return nil, err
	}
	models, err := embedders(c, t, 0)
	if err != nil {
		return nil, err
	}
	observeEmbedding, err := embeddingMetrics(t)
	if err != nil {
		return nil, err
	}
	observeDream, err := dreamMetrics(t)
	if err != nil {
		return nil, err
	}
	observeFlush, observeCompaction, err := windowMetrics(t)
	if err != nil {
		return nil, err
	}
	observeImport, err := importMetrics(t)
	if err != nil {
		return nil, err
	}
	options := activities.Options{
		ObserveImport: observeImport,
		ObserveFlush:  observeFlush, ObserveCompaction: observeCompaction,
		DreamDefaults: dreamSettings(c, paid), ObserveDream: observeDream,
		Store: s, Proposer: p, Paid: paid, Rules: extractive.New(), Embedders: models, ObserveEmbedding: observeEmbedding,
		Budget:        budget(c),
		DreamSchedule: dreamSchedule(c),
		Defaults:      extractSettings(c), Timing: timing(c), Now: time.Now, Log: t.Log, Observe: observe,
	}
	if model, isModel := p.(activities.Prompted); isModel { // without one dreams, flushes and summaries are made by rules
		options.Consolidator, options.Flusher, options.Summariser = model, model, model
	}
	steps, err := activities.New(options)
	if err != nil {
		return nil, err
	}
	return worker.New(temporal, steps, worker.Options{
		ModelConcurrency: c.LLMConcurrency, EmbedConcurrency: c.EmbeddingConcurrency, SweepInterval: c.SweepInterval, Log: t.Log,
	}), nil
}

// extractionMetrics counts extractions by outcome and what they cost.
func extractionMetrics(t *engine.Telemetry) (func(memory.Outcome, memory.ReasonCode, memory.Usage, time.Duration), error) {
	meter := t.Meters.Meter("reverie")
	outcomes, err := meter.Int64Counter("reverie_extractions", metric.WithDescription("Extractions that ended, by outcome and reason."))
	if err != nil {
		return nil, err
	}
	took, err := meter.Float64Histogram("reverie_extraction_duration", metric.WithUnit("s"), metric.WithDescription("From the first step to the committed outcome."))
	if err != nil {
		return nil, err
	}
	tokens, err := meter.Int64Counter("reverie_model_tokens", metric.WithDescription("Model tokens of extractions, by direction."))
	if err != nil {
		return nil, err
	}
	return func(outcome memory.Outcome, reason memory.ReasonCode, usage memory.Usage, d time.Duration) {
		ctx := context.Background()
		outcomes.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", string(outcome)), attribute.String("reason", string(reason))))
		took.Record(ctx, d.Seconds(), metric.WithAttributes(attribute.String("outcome", string(outcome))))
		tokens.Add(ctx, int64(usage.InputTokens), metric.WithAttributes(attribute.String("direction", "input")))
		tokens.Add(ctx, int64(usage.OutputTokens), metric.WithAttributes(attribute.String("direction", "output")))
	}, nil
}

// closeAll runs the given stops in order within a bounded time and logs what fails.
func closeAll(log *slog.Logger, stops ...func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, stop := range stops {
		if err := stop(ctx); err != nil {
			log.Warn("while stopping", "error", err)
		}
	}
}

// shutdownTimeout is how long all parts together may take to stop.
const shutdownTimeout = 45 * time.Second
