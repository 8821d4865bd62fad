package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/exaring/otelpgx"
	"go.temporal.io/sdk/client"

	"reverie/activities"
	"reverie/backend"
	"reverie/chat"
	"reverie/config"
	"reverie/engine"
	"reverie/hooks"
	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/extractive"
	"reverie/memory"
	"reverie/memory/setting"
	"reverie/providers"
	"reverie/providers/configured"
	"reverie/providers/process"
	"reverie/recall"
	"reverie/store"
	"reverie/toolbox"
	"reverie/worker"
	"reverie/workflows"
)

// parts are the connections of every process of a deployment.
type parts struct {
	telemetry *engine.Telemetry
	store     *store.Store
	temporal  client.Client
	namespace *engine.Namespace
}

// openParts connects to the configured database, and to Temporal on first use. Logs go to standard error.
func openParts(ctx context.Context, c config.Config, service string) (*parts, error) {
	p, err := startParts(ctx, c, service)
	if err != nil {
		return nil, err
	}
	if p.store, err = openWorkspace(ctx, c, p.telemetry, 0); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// startParts is openParts without the store.
func startParts(ctx context.Context, c config.Config, service string) (*parts, error) {
	t, err := engine.NewTelemetry(ctx, c, service, os.Stderr)
	if err != nil {
		return nil, err
	}
	return newParts(c, t)
}

// newParts returns parts without a store.
func newParts(c config.Config, t *engine.Telemetry) (*parts, error) {
	temporal, err := engine.NewClient(c, t)
	if err != nil {
		return nil, err
	}
	namespace := engine.NewNamespace(temporal, c.TemporalNamespace, workflows.SearchAttributes(), t.Log)
	return &parts{telemetry: t, temporal: temporal, namespace: namespace}, nil
}

// close closes the connections and sends the last telemetry.
func (p *parts) close() {
	p.disconnect()
	closeAll(p.telemetry.Log, p.telemetry.Shutdown)
}

func (p *parts) disconnect() {
	p.temporal.Close()
	if p.store != nil {
		p.store.Close()
	}
}

// shutdownTimeout bounds the time that all parts together may take to stop.
const shutdownTimeout = 45 * time.Second

// closeAll runs the given stops in order within shutdownTimeout and logs what fails.
func closeAll(log *slog.Logger, stops ...func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, stop := range stops {
		if err := stop(ctx); err != nil {
			log.Warn("while stopping", "error", err)
		}
	}
}

// maxWaiting bounds the transactions of an API that wait, for each connection to the database. The last one waits a few seconds.
const maxWaiting = 64

// openStore connects to the configured database, with a span for every statement. waiting bounds the transactions that wait for a
// connection; 0: no limit.
func openStore(ctx context.Context, c config.Config, t *engine.Telemetry, waiting int32) (*store.Store, error) {
	if c.DatabaseURL.Empty() {
		return nil, fmt.Errorf("%s_DATABASE_URL is not set: point it at a PostgreSQL with pgvector, or run `reverie dev`, which starts one",
			config.Prefix)
	}
	sealer, err := engine.NewSealer(c.EncryptionKeys.Reveal())
	if err != nil {
		return nil, fmt.Errorf("%s_ENCRYPTION_KEYS: %w", config.Prefix, err)
	}
	return store.Open(ctx, c.DatabaseURL.Reveal(), store.Options{
		Sealer:   sealer,
		MaxConns: c.DatabaseConns, MaxWaiting: waiting,
		// Statements are recorded without their parameters, which hold contents.
		Tracer:      otelpgx.NewTracer(otelpgx.WithTracerProvider(t.Tracers), otelpgx.WithMeterProvider(t.Meters)),
		MemoryOff:   !c.MemoryEnabled,
		Approvals:   c.Settings.Approval(),
		FactsOff:    !c.FactsEnabled,
		PairsJudged: c.LLMProvider != "",
	})
}

// ensureWorkspace creates the configured workspace and its admin key, unless they exist.
func ensureWorkspace(ctx context.Context, s *store.Store, c config.Config) error {
	if err := s.EnsureWorkspace(ctx, c.Workspace, c.Workspace); err != nil {
		return err
	}
	if c.AdminKey.Empty() {
		return nil
	}
	return s.EnsureKey(ctx, c.Workspace, "admin", c.AdminKey.Reveal(), memory.RoleAdmin)
}

// dreamSettings returns the server's settings of dreams; paid: a model writes MEMORY.md.
func dreamSettings(c config.Config, paid bool) setting.DreamSettings {
	s := c.Settings.Dream()
	s.Paid = paid
	return s
}

// windowSettings returns the server's settings of context windows; paid: a model answers, summarises and flushes.
func windowSettings(c config.Config, paid bool) setting.WindowSettings {
	s := c.Settings.Window()
	s.Paid = paid
	return s
}

// dreamSchedule returns the default schedule of agents.
func dreamSchedule(c config.Config) setting.DreamSchedule {
	keyID, _, _ := strings.Cut(strings.TrimSpace(c.EncryptionKeys.Reveal()), ":") // the first encrypts
	s := c.Settings.DreamSchedule()
	s.KeyID = keyID
	return s
}

// budget returns the daily budget of a workspace.
func budget(c config.Config) memory.Budget {
	return memory.Budget{Tokens: c.BudgetTokens, CostMicros: int64(c.BudgetCost * 1e6)}
}

// openModel opens the configured model.
func openModel(c config.Config, t *engine.Telemetry) (llm.Chatter, error) {
	return llm.Open(llm.Config{
		Provider: c.LLMProvider, Model: c.LLMModel, APIKey: c.LLMAPIKey.Reveal(), BaseURL: c.LLMBaseURL,
		InputPrice: c.LLMInputPrice, OutputPrice: c.LLMOutputPrice, Timeout: c.LLMTimeout, Tracers: t.Tracers,
	})
}

// modelName names the model in use.
func modelName(c config.Config) string {
	if c.LLMProvider == "" {
		return "built-in extractive engine"
	}
	return c.LLMProvider + "/" + c.LLMModel
}

// chatOptions configures chats. Without a model they answer from memory alone.
func chatOptions(c config.Config, t *engine.Telemetry) (chat.Options, error) {
	o := chat.Options{
		MaxTokens: c.ChatMaxTokens, Settings: windowSettings(c, c.LLMProvider != ""), Extract: c.Settings.Extract(), Budget: budget(c),
		Models: c.Settings.Models(),
	}
	var err error
	if o.Observe, err = observeTurns(t); err != nil || c.LLMProvider == "" {
		return o, err
	}
	o.Model, err = openModel(c, t)
	return o, err
}

// openBackend opens the configured MCP servers that keep memory, and tries them in the background; nil: there are none.
func openBackend(c config.Config, t *engine.Telemetry) (*backend.Backend, error) {
	if c.MCPConfig == "" {
		return nil, nil
	}
	servers, err := backend.Load(c.MCPConfig, c.Workspace, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("%s_MCP_CONFIG: %w", config.Prefix, err)
	}
	b := backend.Open(servers, backend.Options{Log: t.Log})
	go b.Probe(context.Background())
	return b, nil
}

// newWorker wires the activities and the worker that runs them.
func newWorker(c config.Config, p *parts) (*worker.Worker, error) {
	s, t := p.store, p.telemetry
	paid := c.LLMProvider != ""
	rules := extractive.New()
	o := activities.Options{
		Store: s, Proposer: rules, Paid: paid, Rules: rules, Budget: budget(c), Models: c.Settings.Models(),
		Defaults: c.Settings.Extract(), DreamDefaults: dreamSettings(c, paid), DreamSchedule: dreamSchedule(c),
		Timing: c.Settings.Timing(), Now: time.Now, Log: t.Log,
		Hooks:    hooks.NewSender(version, c.WebhookTimeout, c.WebhookNetworks, nil, time.Now),
		Webhooks: activities.WebhookSettings{Retries: c.WebhookRetries, PauseAfter: c.WebhookPauseAfter, Rate: c.WebhookRate},
	}
	if paid { // without a model, rules extract, dream, flush and summarise
		model, err := openModel(c, t)
		if err != nil {
			return nil, err
		}
		prompted := activities.Prompted{Model: model, MaxTokens: c.LLMMaxTokens}
		o.Proposer, o.Consolidator, o.Flusher, o.Summariser, o.SoulWriter, o.PairJudge, o.Merger = prompted, prompted, prompted, prompted, prompted, prompted, prompted
	}
	var err error
	if o.Embedders, err = embedders(c, t, 0); err != nil {
		return nil, err
	}
	if err := observeActivities(&o, t); err != nil {
		return nil, err
	}
	if o.Providers, err = followers(c, s, t); err != nil {
		return nil, err
	}
	steps, err := activities.New(o)
	if err != nil {
		return nil, err
	}
	build, err := buildOf(c)
	if err != nil {
		return nil, err
	}
	return worker.New(p.temporal, steps, worker.Options{
		Build:         build,
		DatabaseConns: int(c.DatabaseConns), ModelConcurrency: c.LLMConcurrency, ModelRate: c.LLMRate,
		EmbedConcurrency: c.EmbeddingConcurrency, EmbedRate: c.EmbeddingRate, SweepInterval: c.SweepInterval,
		WebhookConcurrency: c.WebhookConcurrency, Namespace: c.TemporalNamespace, IdleTurn: c.IdleTurn, AuditRetention: c.AuditRetention, InjectionKeep: c.InjectionRetention, Log: t.Log,
	}), nil
}

// followers wires the providers that follow what happens to memory, with the memory backend, which gets what is learned. The search backend
// is the API's: it is not started here.
func followers(c config.Config, s *store.Store, t *engine.Telemetry) (*providers.Set, error) {
	external, err := openBackend(c, t)
	if err != nil {
		return nil, err
	}
	var statements []providers.Outside
	if external != nil {
		statements = append(statements, providers.Statements(&toolbox.Box{
			Store: s, Extract: c.Settings.Extract(), Approvals: c.Settings.Approval(), Backend: external,
		}))
	}
	set, _, err := newProviders(c, s, t, statements...)
	return set, err
}

// embedders opens the configured embedding models: the current one, then the next one during a change. None: search is
// lexical. queryTimeout bounds the embedding of a question; 0: the timeout of every request applies.
func embedders(c config.Config, t *engine.Telemetry, queryTimeout time.Duration) ([]embed.Embedder, error) {
	if c.EmbeddingProvider == "" {
		return nil, nil
	}
	all := []embed.Config{{
		Provider: c.EmbeddingProvider, Model: c.EmbeddingModel, APIKey: c.EmbeddingAPIKey.Reveal(), BaseURL: c.EmbeddingBaseURL,
		Dimensions: c.EmbeddingDimensions,
	}}
	if c.EmbeddingNextProvider != "" {
		all = append(all, embed.Config{
			Provider: c.EmbeddingNextProvider, Model: c.EmbeddingNextModel, APIKey: c.EmbeddingNextAPIKey.Reveal(), BaseURL: c.EmbeddingNextBaseURL,
			Dimensions: c.EmbeddingNextDimensions,
		})
	}
	opened := make([]embed.Embedder, len(all))
	for i, model := range all {
		model.BatchSize, model.Concurrency, model.Price = c.EmbeddingBatch, c.EmbeddingConcurrency, c.EmbeddingPrice
		model.Timeout, model.QueryTimeout, model.Tracers = c.EmbeddingTimeout, queryTimeout, t.Tracers
		var err error
		if opened[i], err = embed.Open(model); err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// newSearcher wires the search of memory. The caller closes its Recorder and its Reputations.
func newSearcher(c config.Config, s *store.Store, t *engine.Telemetry) (*recall.Searcher, error) {
	models, err := embedders(c, t, c.EmbeddingQueryTimeout)
	if err != nil {
		return nil, err
	}
	searcher := &recall.Searcher{
		Store: s, QueryTimeout: c.EmbeddingQueryTimeout, Defaults: recall.SettingsOf(c.Settings), Recorder: recall.NewRecorder(s, t.Log),
		Reputations: recall.NewReputations(s, t.Log), Now: time.Now, Log: t.Log,
	}
	if err := observeSearches(searcher, t); err != nil {
		return nil, err
	}
	cache := embed.NewQueryCache(embed.DefaultQueryCacheSize)
	for _, model := range models {
		searcher.Embedders = append(searcher.Embedders, questions{model, cache})
	}
	return searcher, nil
}

// newProviders wires the programs that provide memory, and the search backend; nil: none are configured. The caller closes the backend.
// statements is that of the memory backend, if this process brings it what is learned.
func newProviders(
	c config.Config, s *store.Store, t *engine.Telemetry, statements ...providers.Outside,
) (*providers.Set, *process.Backend, error) {
	if c.Providers == "" && len(statements) == 0 {
		return nil, nil, nil
	}
	var file configured.File
	var err error
	if c.Providers != "" {
		if file, err = configured.Load(c.Providers); err != nil {
			return nil, nil, fmt.Errorf("%s_PROVIDERS: %w", config.Prefix, err)
		}
	}
	outside, err := file.Outside(version)
	if err != nil {
		return nil, nil, fmt.Errorf("%s_PROVIDERS: %w", config.Prefix, err)
	}
	i := newInstruments(t)
	set := providers.NewSet(providers.Options{Outside: append(outside, statements...), Owner: s.OwnerID, Observe: i.providers(), Log: t.Log})
	backend := file.Process(process.Config{Observe: i.backends(), Log: t.Log})
	set.Warm(context.Background())
	return set, backend, i.failed
}

// questions embeds questions and caches the vectors of the latest ones.
type questions struct {
	model embed.Embedder
	cache *embed.QueryCache
}

// Identity returns the identity of the model.
func (q questions) Identity() memory.EmbeddingIdentity { return q.model.Identity() }

// EmbedQuery returns the vector of a question.
func (q questions) EmbedQuery(ctx context.Context, workspace, text string) ([]float32, error) {
	vector, _, err := q.cache.Embed(ctx, workspace, q.model, text)
	return vector, err
}
