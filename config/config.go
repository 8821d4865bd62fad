// Package config is the configuration of every Reverie process, read from REVERIE_* environment variables.
//
// The struct is the one truth: the tables in README.md and docs/configuration.md are generated from its tags (go generate ./config).
package config

//go:generate go run ./gen

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// Prefix is the prefix of every environment variable.
const Prefix = "REVERIE"

// Config holds every setting. An empty value means what its description says.
type Config struct {
	DatabaseURL   Secret `envconfig:"DATABASE_URL" desc:"PostgreSQL with pgvector, as postgres://user:password@host/database. The dev command starts a private one when it is empty."`
	DatabaseConns int32  `envconfig:"DATABASE_CONNS" default:"16" desc:"Connections that one process keeps to PostgreSQL."`

	TemporalAddress   string `envconfig:"TEMPORAL_ADDRESS" desc:"host:port of the Temporal frontend. The dev command starts a private one when it is empty."`
	TemporalNamespace string `envconfig:"TEMPORAL_NAMESPACE" default:"default" desc:"Temporal namespace; it must exist."`
	TemporalAPIKey    Secret `envconfig:"TEMPORAL_API_KEY" desc:"API key for a managed Temporal; TLS is used when it is set."`
	TemporalTLS       bool   `envconfig:"TEMPORAL_TLS" default:"false" desc:"Connect to Temporal with TLS."`
	TemporalUIURL     string `envconfig:"TEMPORAL_UI_URL" desc:"Address of Temporal's Web UI, for links in answers, such as http://127.0.0.1:8233. Empty: no links."`
	EncryptionKeys    Secret `envconfig:"ENCRYPTION_KEYS" desc:"Keys for workflow payloads, as id:base64[,id:base64…], 32 bytes each. The first encrypts, all decrypt. Empty: payloads (references only) are not encrypted."`

	Addr      string `envconfig:"ADDR" default:"127.0.0.1:8080" desc:"Where the API listens. Beyond loopback nothing starts without REVERIE_ADMIN_KEY."`
	AdminKey  Secret `envconfig:"ADMIN_KEY" desc:"Admin key of the workspace, at least 24 characters. The dev command makes one and keeps it in its data folder."`
	Workspace string `envconfig:"WORKSPACE" default:"default" desc:"Workspace that the admin key belongs to; made on start."`

	WorkerMetricsAddr string `envconfig:"WORKER_METRICS_ADDR" default:"127.0.0.1:9090" desc:"Where a separate worker process serves /metrics, /healthz and /readyz; off: nowhere."`

	LLMProvider    string        `envconfig:"LLM_PROVIDER" desc:"Model provider: openai, anthropic, ollama, googleai, mistral, bedrock and others, or openai-compatible with REVERIE_LLM_BASE_URL. Empty: the built-in extractive engine."`
	LLMModel       string        `envconfig:"LLM_MODEL" desc:"Model name at the provider."`
	LLMAPIKey      Secret        `envconfig:"LLM_API_KEY" desc:"Key for the provider."`
	LLMBaseURL     string        `envconfig:"LLM_BASE_URL" desc:"Base URL of an OpenAI-compatible server, or of the provider behind a proxy."`
	LLMTimeout     time.Duration `envconfig:"LLM_TIMEOUT" default:"3m" desc:"Longest model call; a longer one is cut and tried again."`
	LLMHeartbeat   time.Duration `envconfig:"LLM_HEARTBEAT" default:"30s" desc:"How long a worker may be silent during a model call before another one makes the call."`
	LLMMaxTokens   int           `envconfig:"LLM_MAX_TOKENS" default:"16384" desc:"Longest answer of the model, in tokens; lower it for a model that allows less. Both documents at their ceilings must fit."`
	LLMConcurrency int           `envconfig:"LLM_CONCURRENCY" default:"8" desc:"Model calls at once in one worker process."`
	LLMInputPrice  float64       `envconfig:"LLM_INPUT_PRICE" default:"0" desc:"US dollars per million input tokens, for cost estimates and the cost budget."`
	LLMOutputPrice float64       `envconfig:"LLM_OUTPUT_PRICE" default:"0" desc:"US dollars per million output tokens."`

	EmbeddingProvider     string        `envconfig:"EMBEDDING_PROVIDER" desc:"Provider of vectors for search: openai, voyage, cohere, jina, googleai, mistral, ollama, tei, bedrock and others, or openai-compatible with REVERIE_EMBEDDING_BASE_URL. Empty: search is lexical, which is complete by itself."`
	EmbeddingModel        string        `envconfig:"EMBEDDING_MODEL" desc:"Embedding model at the provider."`
	EmbeddingAPIKey       Secret        `envconfig:"EMBEDDING_API_KEY" desc:"Key for the embedding provider; REVERIE_LLM_API_KEY is not used for it."`
	EmbeddingBaseURL      string        `envconfig:"EMBEDDING_BASE_URL" desc:"Base URL of an OpenAI-compatible embedding server, or of the provider behind a proxy; it ends before /embeddings."`
	EmbeddingDimensions   int           `envconfig:"EMBEDDING_DIMENSIONS" default:"0" desc:"Numbers in a vector, asked for where the model can choose and checked in any case; 0: as many as the model makes by itself."`
	EmbeddingBatch        int           `envconfig:"EMBEDDING_BATCH" default:"64" desc:"Most texts in one embedding request, up to 2048. A provider's own limit holds as well, and one that is met is learned."`
	EmbeddingTimeout      time.Duration `envconfig:"EMBEDDING_TIMEOUT" default:"30s" desc:"Longest embedding request; a longer one is cut and tried again."`
	EmbeddingQueryTimeout time.Duration `envconfig:"EMBEDDING_QUERY_TIMEOUT" default:"1500ms" desc:"How long a search waits for the vector of its question; after that it answers lexically."`
	EmbeddingConcurrency  int           `envconfig:"EMBEDDING_CONCURRENCY" default:"4" desc:"Embedding requests for documents at once in one process; questions do not wait for them."`
	EmbeddingPrice        float64       `envconfig:"EMBEDDING_PRICE" default:"0" desc:"US dollars per million embedded tokens, for cost estimates and the cost budget."`

	EmbeddingNextProvider   string `envconfig:"EMBEDDING_NEXT_PROVIDER" desc:"To change the embedding model: the next one's provider. Its vectors are built beside the live ones, which go on answering until it is switched to. Empty: no change is under way."`
	EmbeddingNextModel      string `envconfig:"EMBEDDING_NEXT_MODEL" desc:"The next embedding model at its provider."`
	EmbeddingNextAPIKey     Secret `envconfig:"EMBEDDING_NEXT_API_KEY" desc:"Key for the next embedding provider."`
	EmbeddingNextBaseURL    string `envconfig:"EMBEDDING_NEXT_BASE_URL" desc:"Base URL of the next embedding provider."`
	EmbeddingNextDimensions int    `envconfig:"EMBEDDING_NEXT_DIMENSIONS" default:"0" desc:"Numbers in a vector of the next model; 0: its own."`

	RecallMaxResults        int     `envconfig:"RECALL_MAX_RESULTS" default:"6" desc:"Results of a search that does not say how many, 1 to 50. This and the other settings of searches hold for agents and requests that set none of their own."`
	RecallMinScore          float64 `envconfig:"RECALL_MIN_SCORE" default:"0.35" desc:"Least score of a search result, 0 to 1."`
	RecallVectorWeight      float64 `envconfig:"RECALL_VECTOR_WEIGHT" default:"0.7" desc:"Weight of vectors against words in a search, 0 to 1; only the relation to REVERIE_RECALL_TEXT_WEIGHT counts."`
	RecallTextWeight        float64 `envconfig:"RECALL_TEXT_WEIGHT" default:"0.3" desc:"Weight of words against vectors in a search, 0 to 1."`
	RecallMMR               bool    `envconfig:"RECALL_MMR" default:"false" desc:"Let results of a search wait that repeat others (maximal marginal relevance)."`
	RecallMMRLambda         float64 `envconfig:"RECALL_MMR_LAMBDA" default:"0.7" desc:"Weight of relevance against novelty, 0 to 1."`
	RecallDecay             bool    `envconfig:"RECALL_DECAY" default:"false" desc:"Let older passages count less in a search, except documents that do not age."`
	RecallDecayHalfLifeDays float64 `envconfig:"RECALL_DECAY_HALF_LIFE_DAYS" default:"30" desc:"Age at which a passage counts half, in days."`

	BudgetTokens int64   `envconfig:"BUDGET_TOKENS" default:"0" desc:"Model tokens (in and out) that a workspace may spend in a day (UTC); 0: no limit. Reached, extractions wait until the next day or until it is raised, and chats answer 429."`
	BudgetCost   float64 `envconfig:"BUDGET_COST" default:"0" desc:"US dollars that a workspace may spend in a day (UTC); 0: no limit."`

	MemoryEnabled   bool          `envconfig:"MEMORY_ENABLED" default:"true" desc:"Extract memory from conversations, and find it again, unless an agent's settings say otherwise."`
	OwnerIsolation  bool          `envconfig:"OWNER_ISOLATION" default:"true" desc:"Keep what is learned from a person in that person's own documents. Off: in the agent's shared ones."`
	QuietPeriod     time.Duration `envconfig:"QUIET_PERIOD" default:"20s" desc:"How long nothing new must have come in before an extraction starts."`
	Cooldown        time.Duration `envconfig:"COOLDOWN" default:"5m" desc:"Least time between two extractions of one agent and owner."`
	MinMessages     int           `envconfig:"MIN_MESSAGES" default:"4" desc:"User and assistant messages that a conversation must have before anything is extracted."`
	MinUserChars    int           `envconfig:"MIN_USER_CHARS" default:"10" desc:"Characters that the last user message must have."`
	MaxTranscript   int           `envconfig:"MAX_TRANSCRIPT" default:"30" desc:"Messages of one transcript; a longer conversation is taken in several steps."`
	MaxMessageChars int           `envconfig:"MAX_MESSAGE_CHARS" default:"2000" desc:"Characters of one message that a transcript keeps."`
	ProfileMaxChars int           `envconfig:"PROFILE_MAX_CHARS" default:"4000" desc:"Ceiling of an extracted PROFILE.md, in characters."`
	MemoryMaxChars  int           `envconfig:"MEMORY_MAX_CHARS" default:"8000" desc:"Ceiling of an extracted MEMORY.md, in characters."`
	MaxDropShare    float64       `envconfig:"MAX_DROP_SHARE" default:"0.3" desc:"Share of a document's lines that one replacement may drop."`
	SweepInterval   time.Duration `envconfig:"SWEEP_INTERVAL" default:"30s" desc:"How often the worker looks for completed turns that Temporal has not accepted, and for indexes with work to do."`

	DreamingEnabled          bool          `envconfig:"DREAMING_ENABLED" default:"true" desc:"Let agents whose memory is enabled dream at night, unless an agent's settings say otherwise. This and the other settings of dreams hold for agents that set none of their own."`
	DreamCron                string        `envconfig:"DREAM_CRON" default:"0 2 * * *" desc:"When agents dream, each in its own time zone: minute, hour, day of the month, month, day of the week (0 to 6, Sunday is 0)."`
	DreamJitter              time.Duration `envconfig:"DREAM_JITTER" default:"10m" desc:"Most by which a night begins later, so that not all agents dream at once."`
	DreamParallel            int           `envconfig:"DREAM_PARALLEL" default:"4" desc:"Owners of one agent that dream at once."`
	DreamDays                int           `envconfig:"DREAM_DAYS" default:"7" desc:"Days of notes and sessions that a dream looks at."`
	DreamMinScore            float64       `envconfig:"DREAM_MIN_SCORE" default:"0.75" desc:"Least score of what a dream promotes, 0 to 1."`
	DreamMinSignals          int           `envconfig:"DREAM_MIN_SIGNALS" default:"3" desc:"Least signals of what a dream promotes: recalls, and days on which it was said."`
	DreamMinDiversity        int           `envconfig:"DREAM_MIN_DIVERSITY" default:"2" desc:"Least distinct questions or days of what a dream promotes."`
	DreamMaxPromotions       int           `envconfig:"DREAM_MAX_PROMOTIONS" default:"10" desc:"Most statements that one dream promotes."`
	DreamMaxCandidates       int           `envconfig:"DREAM_MAX_CANDIDATES" default:"400" desc:"Most statements that one dream weighs; the rest waits for the next one."`
	DreamMaxRetiredShare     float64       `envconfig:"DREAM_MAX_RETIRED_SHARE" default:"0.2" desc:"Share of the lines of MEMORY.md that one dream may retire."`
	DreamDiaryMaxChars       int           `envconfig:"DREAM_DIARY_MAX_CHARS" default:"20000" desc:"Characters of DREAMS.md, before old entries are folded into monthly files."`
	DreamNotesMaxChars       int           `envconfig:"DREAM_NOTES_MAX_CHARS" default:"24000" desc:"Characters of notes that a dream shows a model."`
	DreamWeightFrequency     float64       `envconfig:"DREAM_WEIGHT_FREQUENCY" default:"0.24" desc:"Weight of how often something came up in a candidate's score; only the relation of the six weights counts."`
	DreamWeightRelevance     float64       `envconfig:"DREAM_WEIGHT_RELEVANCE" default:"0.30" desc:"Weight of how well it answered when it came up."`
	DreamWeightDiversity     float64       `envconfig:"DREAM_WEIGHT_DIVERSITY" default:"0.15" desc:"Weight of how many distinct questions or days it came up in."`
	DreamWeightRecency       float64       `envconfig:"DREAM_WEIGHT_RECENCY" default:"0.15" desc:"Weight of how lately it came up."`
	DreamWeightConsolidation float64       `envconfig:"DREAM_WEIGHT_CONSOLIDATION" default:"0.10" desc:"Weight of how it is spread over days."`
	DreamWeightConceptual    float64       `envconfig:"DREAM_WEIGHT_CONCEPTUAL" default:"0.06" desc:"Weight of how much it speaks of."`
	DreamLightBoost          float64       `envconfig:"DREAM_LIGHT_BOOST" default:"0.06" desc:"Most that earlier light phases add to a score."`
	DreamREMBoost            float64       `envconfig:"DREAM_REM_BOOST" default:"0.09" desc:"Most that earlier REM phases add to a score."`
	DreamHalfLifeDays        float64       `envconfig:"DREAM_HALF_LIFE_DAYS" default:"14" desc:"Age at which recency and these boosts count half, in days."`

	WindowMaxTokens        int           `envconfig:"WINDOW_MAX_TOKENS" default:"128000" desc:"Tokens of everything that a model is sent in a turn. This and the other settings of the context window hold for agents that set none of their own."`
	WindowCompactShare     float64       `envconfig:"WINDOW_COMPACT_SHARE" default:"0.75" desc:"Share of the window above which earlier turns are summarised, 0.1 to 1. Left at 0.75, windows below 32,768 tokens use 0.85."`
	WindowKeepTurns        int           `envconfig:"WINDOW_KEEP_TURNS" default:"2" desc:"Last turns that stay word by word."`
	WindowSummaryMaxTokens int           `envconfig:"WINDOW_SUMMARY_MAX_TOKENS" default:"300" desc:"Tokens of the summary of earlier turns."`
	WindowSummaryDeadline  time.Duration `envconfig:"WINDOW_SUMMARY_DEADLINE" default:"60s" desc:"How long the model has for a summary; after that rules write it."`
	WindowGoalMaxTokens    int           `envconfig:"WINDOW_GOAL_MAX_TOKENS" default:"400" desc:"Tokens up to which the first thing that the user asked for stays word by word when its turn is summarised."`

	AutoInject          bool    `envconfig:"AUTO_INJECT" default:"true" desc:"Let recalled memory go into the context by itself."`
	AutoInjectThreshold float64 `envconfig:"AUTO_INJECT_THRESHOLD" default:"0.3" desc:"Least score of what is recalled by itself, 0 to 1."`
	AutoInjectMaxTokens int     `envconfig:"AUTO_INJECT_MAX_TOKENS" default:"200" desc:"Tokens of recalled memory in a context."`

	FlushSoftTokens int           `envconfig:"FLUSH_SOFT_TOKENS" default:"4000" desc:"Room in a window, in tokens, below which older messages are flushed: what is durable in them is saved before they leave the window."`
	FlushShare      float64       `envconfig:"FLUSH_SHARE" default:"0.85" desc:"Share of the window above which older messages are flushed, 0.1 to 1."`
	FlushMessages   int           `envconfig:"FLUSH_MESSAGES" default:"50" desc:"Messages without a flush or an extraction, beyond which they are flushed."`
	FlushBytes      int           `envconfig:"FLUSH_BYTES" default:"2097152" desc:"Bytes of such messages, beyond which they are flushed."`
	FlushDeadline   time.Duration `envconfig:"FLUSH_DEADLINE" default:"90s" desc:"How long the model has for a flush."`
	FlushPolicy     string        `envconfig:"FLUSH_POLICY" default:"fallback" desc:"After that: fallback, the built-in engine flushes and the model's version follows; wait, the messages stay in the window until the model has answered."`

	ChatMaxTokens     int `envconfig:"CHAT_MAX_TOKENS" default:"4096" desc:"Longest answer of a chat's model call, in tokens."`
	ChatMaxToolRounds int `envconfig:"CHAT_MAX_TOOL_ROUNDS" default:"8" desc:"Calls of the model in one turn that may use tools; after that it answers without."`

	RateLimit    float64 `envconfig:"RATE_LIMIT" default:"0" desc:"Requests per second that one key may make; 0: no limit."`
	OTLPEndpoint string  `envconfig:"OTLP_ENDPOINT" desc:"OTLP/HTTP endpoint for traces, such as http://127.0.0.1:4318. Empty: no traces are exported."`
	LogLevel     string  `envconfig:"LOG_LEVEL" default:"info" desc:"debug, info, warn or error."`
}

// Load reads the environment. It returns an error that names every setting it cannot use.
func Load() (Config, error) {
	var c Config
	if err := envconfig.Process(Prefix, &c); err != nil {
		if parse, ok := errors.AsType[*envconfig.ParseError](err); ok {
			return Config{}, fmt.Errorf("%s: not a valid %s", parse.KeyName, parse.TypeName)
		}
		return Config{}, err
	}
	return c, c.Validate()
}

// MinAdminKey is the least length of an admin key, in characters.
const MinAdminKey = 24

// Validate checks what can be checked without reaching anything.
func (c Config) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s_%s: %s", Prefix, key, fmt.Sprintf(format, args...)))
	}
	if key := c.AdminKey.Reveal(); key != "" && len(key) < MinAdminKey {
		bad("ADMIN_KEY", "it has %d characters, at least %d are needed", len(key), MinAdminKey)
	}
	for key, n := range map[string]int{
		"MIN_MESSAGES": c.MinMessages, "MAX_TRANSCRIPT": c.MaxTranscript, "MAX_MESSAGE_CHARS": c.MaxMessageChars,
		"PROFILE_MAX_CHARS": c.ProfileMaxChars, "MEMORY_MAX_CHARS": c.MemoryMaxChars,
		"LLM_CONCURRENCY": c.LLMConcurrency, "LLM_MAX_TOKENS": c.LLMMaxTokens, "DATABASE_CONNS": int(c.DatabaseConns),
	} {
		if n < 1 {
			bad(key, "%d must be at least 1", n)
		}
	}
	for key, d := range map[string]time.Duration{"QUIET_PERIOD": c.QuietPeriod, "COOLDOWN": c.Cooldown} {
		if d < 0 {
			bad(key, "%s must not be negative", d)
		}
	}
	for key, d := range map[string]time.Duration{"LLM_TIMEOUT": c.LLMTimeout, "LLM_HEARTBEAT": c.LLMHeartbeat, "SWEEP_INTERVAL": c.SweepInterval} {
		if d <= 0 {
			bad(key, "%s must be longer than nothing", d)
		}
	}
	if c.MaxDropShare < 0 || c.MaxDropShare > 1 {
		bad("MAX_DROP_SHARE", "%v must be between 0 and 1", c.MaxDropShare)
	}
	if c.LLMProvider == "" && (c.LLMModel != "" || !c.LLMAPIKey.Empty() || c.LLMBaseURL != "") {
		bad("LLM_PROVIDER", "name the provider (for an OpenAI-compatible server: openai-compatible), or unset the other REVERIE_LLM_ variables to use the built-in engine")
	}
	c.checkEmbedding(bad)
	c.checkRecall(bad)
	c.checkDream(bad)
	c.checkWindow(bad)
	return errors.Join(errs...)
}

// Off in place of an address means that nothing listens.
const Off = "off"

// CheckExposure refuses an address beyond loopback when there is no admin key.
func (c Config) CheckExposure(addrs ...string) error {
	for _, addr := range addrs {
		if addr == "" || addr == Off || IsLoopback(addr) || !c.AdminKey.Empty() {
			continue
		}
		return fmt.Errorf("%s is reachable from other machines: set %s_ADMIN_KEY first (at least %d random characters), or listen on 127.0.0.1", addr, Prefix, MinAdminKey)
	}
	return nil
}

// IsLoopback reports whether host:port can only be reached from this machine.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
