// Package config reads the configuration of every Reverie process from REVERIE_* environment variables.
//
// The tags of Config, and of memory.Settings in it, are the one table of all settings: names, defaults, bounds and
// descriptions. docs/configuration.md is generated from them (go generate ./config).
package config

//go:generate go run ./gen

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"

	"reverie/memory/setting"
)

// Prefix is the prefix of every environment variable.
const Prefix = "REVERIE"

// Config holds every setting. memory.Settings explains the tags.
type Config struct {
	DatabaseURL   Secret `envconfig:"DATABASE_URL" desc:"PostgreSQL with pgvector, as postgres://user:password@host/database. Empty: the dev command starts a private one."`
	DatabaseConns int32  `envconfig:"DATABASE_CONNS" default:"16" minimum:"1" desc:"Connections of one process to PostgreSQL."`

	TemporalAddress   string `envconfig:"TEMPORAL_ADDRESS" desc:"host:port of the Temporal frontend. Empty: the dev command starts a private one."`
	TemporalNamespace string `envconfig:"TEMPORAL_NAMESPACE" default:"default" desc:"Temporal namespace; created if it does not exist."`
	TemporalAPIKey    Secret `envconfig:"TEMPORAL_API_KEY" desc:"API key for a managed Temporal; it implies TLS."`
	TemporalTLS       bool   `envconfig:"TEMPORAL_TLS" default:"false" desc:"Connect to Temporal with TLS."`
	TemporalUIURL     string `envconfig:"TEMPORAL_UI_URL" desc:"Address of Temporal's Web UI, for links in answers, such as http://127.0.0.1:8233. Empty: no links."`
	EncryptionKeys    Secret `envconfig:"ENCRYPTION_KEYS" desc:"Keys for workflow payloads, as id:base64[,id:base64…], 32 bytes each. The first encrypts, all decrypt. Empty: payloads (references only) are not encrypted."`
	CodecAddr         string `envconfig:"CODEC_ADDR" default:"127.0.0.1:8234" desc:"Address on which the codec command, and the dev command with encryption keys, decrypt payloads for Temporal's Web UI at REVERIE_TEMPORAL_UI_URL."`
	CodecKey          Secret `envconfig:"CODEC_KEY" desc:"Key that the codec server asks for, at least 24 characters. Empty: the dev command uses the admin key."`

	Addr      string `envconfig:"ADDR" default:"127.0.0.1:8080" desc:"Address on which the API listens. Any address beyond loopback requires REVERIE_ADMIN_KEY."`
	AdminKey  Secret `envconfig:"ADMIN_KEY" desc:"Admin key of the workspace, at least 24 characters. The dev command creates one in its data folder."`
	Workspace string `envconfig:"WORKSPACE" default:"default" desc:"Workspace that the admin key belongs to; created on start."`

	WorkerMetricsAddr string `envconfig:"WORKER_METRICS_ADDR" default:"127.0.0.1:9090" desc:"Address on which a separate worker process serves /metrics, /healthz and /readyz; off: nowhere."`

	BuildID string `envconfig:"BUILD_ID" desc:"Id of this build, which Temporal's Web UI and the status show for each worker. Empty: version and commit, or a hash of the program."`

	LLMProvider    string  `envconfig:"LLM_PROVIDER" desc:"Model provider: openai, anthropic, ollama, googleai, mistral, bedrock and others, or openai-compatible with REVERIE_LLM_BASE_URL. Empty: the built-in extractive engine."`
	LLMAPIKey      Secret  `envconfig:"LLM_API_KEY" desc:"API key of the provider."`
	LLMBaseURL     string  `envconfig:"LLM_BASE_URL" desc:"Base URL of an OpenAI-compatible server, or of the provider behind a proxy."`
	LLMMaxTokens   int     `envconfig:"LLM_MAX_TOKENS" default:"16384" minimum:"1" desc:"Longest answer of the model, in tokens; lower it for a model that allows less. PROFILE.md and MEMORY.md at their maximum sizes must fit."`
	LLMConcurrency int     `envconfig:"LLM_CONCURRENCY" default:"8" minimum:"1" desc:"Concurrent model calls of one worker process."`
	LLMRate        float64 `envconfig:"LLM_RATE" default:"0" minimum:"0" desc:"Steps that call the model which all workers together start per second, a step being one call or two; more wait in Temporal's queue, ordered by priority. 0: no limit."`
	LLMInputPrice  float64 `envconfig:"LLM_INPUT_PRICE" default:"0" minimum:"0" desc:"US dollars per million input tokens, for cost estimates and the cost budget."`
	LLMOutputPrice float64 `envconfig:"LLM_OUTPUT_PRICE" default:"0" minimum:"0" desc:"US dollars per million output tokens."`

	EmbeddingProvider     string        `envconfig:"EMBEDDING_PROVIDER" desc:"Provider of vectors for search: openai, voyage, cohere, jina, googleai, mistral, ollama, tei, bedrock and others, or openai-compatible with REVERIE_EMBEDDING_BASE_URL. Empty: search is lexical, which works without vectors."`
	EmbeddingModel        string        `envconfig:"EMBEDDING_MODEL" desc:"Embedding model at the provider."`
	EmbeddingAPIKey       Secret        `envconfig:"EMBEDDING_API_KEY" desc:"API key of the embedding provider; REVERIE_LLM_API_KEY is not used for it."`
	EmbeddingBaseURL      string        `envconfig:"EMBEDDING_BASE_URL" desc:"Base URL of an OpenAI-compatible embedding server, or of the provider behind a proxy, without /embeddings."`
	EmbeddingDimensions   int           `envconfig:"EMBEDDING_DIMENSIONS" default:"0" minimum:"0" desc:"Dimensions of a vector, requested where the model has a choice and always checked; 0: the model's own."`
	EmbeddingBatch        int           `envconfig:"EMBEDDING_BATCH" default:"64" minimum:"1" maximum:"2048" desc:"Maximum texts of one embedding request, up to 2048. Lower limits of a provider apply, and are learned."`
	EmbeddingTimeout      time.Duration `envconfig:"EMBEDDING_TIMEOUT" default:"30s" minimum:"1ms" desc:"Longest embedding request; a longer one is cut off and repeated."`
	EmbeddingQueryTimeout time.Duration `envconfig:"EMBEDDING_QUERY_TIMEOUT" default:"1500ms" minimum:"1ms" desc:"How long a search waits for the vector of its question; then it answers lexically."`
	EmbeddingConcurrency  int           `envconfig:"EMBEDDING_CONCURRENCY" default:"4" minimum:"1" desc:"Concurrent embedding requests for documents of one process; questions do not wait for them."`
	EmbeddingRate         float64       `envconfig:"EMBEDDING_RATE" default:"0" minimum:"0" desc:"Steps that embed documents which all workers together start per second. 0: no limit."`
	EmbeddingPrice        float64       `envconfig:"EMBEDDING_PRICE" default:"0" minimum:"0" desc:"US dollars per million embedded tokens, for cost estimates and the cost budget."`

	EmbeddingNextProvider   string `envconfig:"EMBEDDING_NEXT_PROVIDER" desc:"Provider of the next embedding model, to change models: its vectors are built beside the live ones, which serve searches until the switch. Empty: no change."`
	EmbeddingNextModel      string `envconfig:"EMBEDDING_NEXT_MODEL" desc:"The next embedding model at its provider."`
	EmbeddingNextAPIKey     Secret `envconfig:"EMBEDDING_NEXT_API_KEY" desc:"API key of the next embedding provider."`
	EmbeddingNextBaseURL    string `envconfig:"EMBEDDING_NEXT_BASE_URL" desc:"Base URL of the next embedding provider."`
	EmbeddingNextDimensions int    `envconfig:"EMBEDDING_NEXT_DIMENSIONS" default:"0" minimum:"0" desc:"Dimensions of a vector of the next model; 0: the model's own."`

	BudgetTokens int64   `envconfig:"BUDGET_TOKENS" default:"0" minimum:"0" desc:"Model tokens (in and out) that a workspace may spend in a day (UTC); 0: no limit. Above it, extractions wait for the next day or a higher limit, and chats answer 429."`
	BudgetCost   float64 `envconfig:"BUDGET_COST" default:"0" minimum:"0" desc:"US dollars that a workspace may spend in a day (UTC); 0: no limit. It needs prices: without REVERIE_LLM_INPUT_PRICE and REVERIE_LLM_OUTPUT_PRICE calls of the model cost nothing."`

	setting.Settings

	MorningCard bool `envconfig:"MORNING_CARD" default:"true" desc:"Show what the latest dream changed: in reverie chat, with the first context of the day, and by the API. Off: requests for it answer 410."`

	FactsEnabled bool `envconfig:"FACTS_ENABLED" default:"true" desc:"Keep single statements of documents as facts, with trust. Off: requests about facts answer 410; facts catch up when it is switched on again."`

	ChatMaxTokens int           `envconfig:"CHAT_MAX_TOKENS" default:"4096" minimum:"1" maximum:"1000000" desc:"Longest answer of a chat's model call, in tokens."`
	SweepInterval time.Duration `envconfig:"SWEEP_INTERVAL" default:"30s" minimum:"1ms" desc:"How often the worker looks for completed turns that Temporal has not accepted, and for indexes with pending work."`

	Providers string `envconfig:"PROVIDERS" desc:"File (JSON) with the programs that provide memory besides this server, and the search backend; docs/providers.md describes it. Empty: there are none."`

	RateLimit      float64  `envconfig:"RATE_LIMIT" default:"500" minimum:"0" desc:"Requests per second of one key, with bursts of twice as many; 0: no limit."`
	TrustedProxies Networks `envconfig:"TRUSTED_PROXIES" desc:"Networks of proxies in front of the API, such as 10.0.0.0/8,127.0.0.1/32. Their X-Forwarded-For names the client whose wrong keys are counted."`

	PublicURL   string `envconfig:"PUBLIC_URL" desc:"Address at which clients reach the API, such as https://memory.example.com; needed with REVERIE_OAUTH_ISSUER."`
	OAuthIssuer string `envconfig:"OAUTH_ISSUER" desc:"URL of an authorization server whose access tokens are API keys of this server. MCP clients are told to sign in there. Empty: they need an API key in their configuration."`

	MCPConfig string `envconfig:"MCP_CONFIG" desc:"File of MCP servers that keep memory, such as /etc/reverie/mcp.json; files in the folder mcp.d beside it are read too. Empty: the dev command reads mcp.json of its data folder, if there is one."`

	MetricsNetworks Networks `envconfig:"METRICS_NETWORKS" desc:"Networks that read /metrics without a key, such as 10.0.0.7/32 for a Prometheus server: connections from there that came through no proxy. Empty: this machine only."`

	Audit          string        `envconfig:"AUDIT" default:"admins" enum:"all,admins" desc:"Whose requests the audit log has: those of every key that is not pinned to an owner, or of administrators only."`
	AuditRetention time.Duration `envconfig:"AUDIT_RETENTION" default:"2160h" minimum:"0s" desc:"Age at which the worker deletes entries of the audit log, at least a day; 0: never."`

	InjectionRetention time.Duration `envconfig:"INJECTION_RETENTION" default:"720h" minimum:"0s" desc:"Age at which the worker deletes the records of what was put into contexts, at least a day; 0: never."`

	DeletionGrace time.Duration `envconfig:"DELETION_GRACE" default:"24h" minimum:"0s" desc:"Time between the request to delete a conversation, an owner or an agent and its start, in which it can be cancelled."`

	WebhookNetworks    Networks        `envconfig:"WEBHOOK_NETWORKS" desc:"Networks besides the public internet to which webhooks are sent, with or without TLS, such as 10.1.0.0/16 for receivers of your own. Empty: to public addresses by https only."`
	WebhookTimeout     time.Duration   `envconfig:"WEBHOOK_TIMEOUT" default:"15s" minimum:"100ms" maximum:"1m" desc:"How long an attempt to deliver an event to a webhook may take."`
	WebhookRetries     []time.Duration `envconfig:"WEBHOOK_RETRIES" default:"5s,30s,2m,10m,30m,1h,2h,4h" desc:"Pauses between the attempts to deliver one event to a webhook. After the last one it is given up: it is listed and can be delivered again."`
	WebhookPauseAfter  time.Duration   `envconfig:"WEBHOOK_PAUSE_AFTER" default:"72h" minimum:"1s" desc:"How long a webhook fails until it is paused. What it has not got waits until it is resumed."`
	WebhookRate        float64         `envconfig:"WEBHOOK_RATE" default:"20" minimum:"0.01" maximum:"1000" desc:"Events per second that one webhook gets at most."`
	WebhookConcurrency int             `envconfig:"WEBHOOK_CONCURRENCY" default:"50" minimum:"1" desc:"Webhooks to which one worker process delivers at once."`

	OTLPEndpoint string `envconfig:"OTLP_ENDPOINT" desc:"OTLP/HTTP endpoint for traces, such as http://127.0.0.1:4318. Empty: no traces are exported."`
	LogLevel     string `envconfig:"LOG_LEVEL" default:"info" desc:"debug, info, warn or error."`
}

// Load reads the environment. Its error names every variable with an invalid value.
func Load() (Config, error) {
	var c Config
	if err := envconfig.Process(Prefix, &c); err != nil {
		if parse, ok := errors.AsType[*envconfig.ParseError](err); ok {
			if network, ok := errors.AsType[networkError](parse.Err); ok {
				return Config{}, fmt.Errorf("%s: %w", parse.KeyName, network)
			}
			return Config{}, fmt.Errorf("%s: %q: %s", parse.KeyName, parse.Value, Wanted(parse.TypeName))
		}
		return Config{}, err
	}
	return c, c.Validate()
}

// Secret is a setting that must never be printed: formatting and logging show "[secret]".
type Secret string

const shown = "[secret]"

// Reveal returns the value, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// Empty reports whether nothing is set.
func (s Secret) Empty() bool { return s == "" }

// String hides the value from fmt.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return shown
}

// GoString hides the value from %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the value from JSON and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Networks are address ranges, written as CIDR prefixes with commas between them.
type Networks []netip.Prefix

// Decode reads the networks of a setting. A single address is a network of one.
func (n *Networks) Decode(value string) error {
	*n = nil
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if address, single := netip.ParseAddr(part); single == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return networkError(part)
		}
		*n = append(*n, prefix)
	}
	return nil
}

// networkError is a text that is not a network.
type networkError string

func (e networkError) Error() string {
	return fmt.Sprintf("%q is not a network: write addresses or CIDR prefixes, such as 10.0.0.0/8", string(e))
}

// Markdown returns the table of docs/configuration.md: one row for each setting, in the order of their declaration.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| variable | default | range | per agent | what it does |\n|---|---|---|---|---|\n")
	for _, r := range rows(Config{}) {
		fmt.Fprintf(&b, "| `%s_%s` | %s | %s | %s | %s |\n",
			Prefix, r.key(), code(r.Tag.Get("default")), r.accepted(), code(r.Tag.Get("agent")), r.Tag.Get("desc"))
	}
	return b.String()
}

// accepted formats the range of a setting; empty when there is none.
func (r row) accepted() string {
	least, most := r.Tag.Get("minimum"), r.Tag.Get("maximum")
	switch {
	case r.Tag.Get("enum") != "":
		return strings.ReplaceAll(r.Tag.Get("enum"), ",", ", ")
	case most != "":
		return least + " to " + most
	case least != "":
		return "from " + least
	}
	return ""
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// TableBegin and TableEnd are the lines between which the generated table is in a document.
const (
	TableBegin = "<!-- configuration table: generated, do not edit -->"
	TableEnd   = "<!-- end of configuration table -->"
)

// Splice returns document with the table between its markers replaced by the current one.
func Splice(document string) (string, error) {
	head, rest, ok := strings.Cut(document, TableBegin)
	if !ok {
		return "", fmt.Errorf("the line %q is missing", TableBegin)
	}
	_, tail, ok := strings.Cut(rest, TableEnd)
	if !ok {
		return "", fmt.Errorf("the line %q is missing", TableEnd)
	}
	return head + TableBegin + "\n\n" + Markdown() + "\n" + TableEnd + tail, nil
}
