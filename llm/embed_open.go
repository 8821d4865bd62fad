package llm

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms/openai"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"reverie/memory"
)

// EmbedderConfig says which embedding model to ask, and where.
type EmbedderConfig struct {
	Provider string // one of EmbeddingProviders, or an alias
	Model    string // its name at the provider; at azure the deployment's
	APIKey   string // empty where none is needed; at bedrock empty means AWS's own credential chain
	// BaseURL is where the provider is, when it is not where it usually is: http or https, up to and without "/embeddings".
	// Without a path it gets the provider's usual one, mostly "/v1".
	BaseURL string
	// Dimensions is how many numbers a vector has; 0: as many as the model makes by itself. A number is asked for where the
	// provider can choose it, and must come back.
	Dimensions int
	// BatchSize bounds the texts of one request; 0: DefaultBatchSize. A provider's own bound holds as well.
	BatchSize    int
	Timeout      time.Duration // longest request; 0: only the caller's context bounds it
	QueryTimeout time.Duration // longest wait for a single question; 0: Timeout alone bounds it
	Concurrency  int           // requests at once, but for single questions; 0: DefaultConcurrency
	Price        float64       // US dollars per million tokens
	Tracers      trace.TracerProvider
}

const (
	// DefaultBatchSize is how many texts one request holds unless configured: with units of 400 tokens it is about what the
	// strictest provider, Mistral, takes twice, and a handful of round trips for a conversation.
	DefaultBatchSize = 64
	// DefaultConcurrency is how many requests are under way at once, but for single questions, unless configured.
	DefaultConcurrency = 4
	// MaxBatchSize bounds EmbedderConfig.BatchSize: the most that any provider takes.
	MaxBatchSize = 2048
)

// maxVectorBytes bounds an answer with vectors: 64 MiB are 1,000 vectors of 3,072 numbers of 20 digits.
const maxVectorBytes = 64 << 20

// String names provider and model; a key is not for printing.
func (c EmbedderConfig) String() string { return c.Provider + "/" + c.Model }

// GoString is String.
func (c EmbedderConfig) GoString() string { return c.String() }

// LogValue is String.
func (c EmbedderConfig) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText is String.
func (c EmbedderConfig) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// OpenEmbedder returns the embedding model that c names. It reaches nothing: a wrong key shows in the first call. Its errors
// say which setting is wrong, and never show the key.
func OpenEmbedder(c EmbedderConfig) (Embedder, error) {
	name, p, err := lookupEmbedder(c.Provider)
	if err != nil {
		return nil, err
	}
	who := "embedding provider " + name
	c.Model, c.APIKey = strings.TrimSpace(c.Model), strings.TrimSpace(c.APIKey)
	if err := checkAccess(who, p.provider, c.Model, c.APIKey, keylessEmbedders()); err != nil {
		return nil, err
	}
	switch {
	case c.Dimensions < 0 || c.BatchSize < 0 || c.Concurrency < 0:
		return nil, fmt.Errorf("%s: dimensions, batch size and concurrency must not be negative", who)
	case c.BatchSize > MaxBatchSize:
		return nil, fmt.Errorf("%s: %d texts in a request are too many, at most %d are sent", who, c.BatchSize, MaxBatchSize)
	case c.Price < 0 || c.Timeout < 0 || c.QueryTimeout < 0:
		return nil, fmt.Errorf("%s: price and timeouts must not be negative", who)
	}
	base, err := baseURL(who, p.provider, p.protocol != awsInvoke, c.BaseURL, "/embeddings", "/embed")
	if err != nil {
		return nil, err
	}
	if p.protocol == awsInvoke {
		if p, err = bedrockEmbedding(c.Model); err != nil {
			return nil, fmt.Errorf("%s: %w", who, err)
		}
	}
	c.Concurrency = cmp.Or(c.Concurrency, DefaultConcurrency)
	tracers := c.Tracers
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	e := &embedder{
		config: c, provider: p, tracer: tracers.Tracer("reverie/llm"),
		identity: memory.EmbeddingIdentity{Provider: name, Model: c.Model, Endpoint: endpointOf(base), Dimensions: c.Dimensions},
		slots:    make(chan struct{}, c.Concurrency), breaker: newBreaker(breakFor),
	}
	e.dimensions.Store(int64(c.Dimensions))
	e.maxTexts.Store(int64(batchSize(c.BatchSize, p)))
	e.maxBytes.Store(maxRequestBytes)
	if e.backend, err = connectEmbedder(c, p, base); err != nil {
		return nil, fmt.Errorf("%s: %w", who, err)
	}
	return e, nil
}

// batchSize is how many texts one request holds to begin with.
func batchSize(configured int, p embedding) int {
	n := cmp.Or(configured, DefaultBatchSize)
	if p.maxTexts > 0 {
		n = min(n, p.maxTexts)
	}
	return n
}

// embedBackend sends the texts of the call in ctx in one request.
type embedBackend func(ctx context.Context, texts []string) error

// connectEmbedder makes the client. Every option that it would else read from the environment is set.
func connectEmbedder(c EmbedderConfig, p embedding, base string) (embedBackend, error) {
	if p.protocol == awsInvoke {
		return connectBedrockEmbedder(c, base)
	}
	d := newDoer(c.APIKey, readEmbeddings)
	if p.protocol == cohereEmbed {
		d.read, d.endpoint = readInvokedVectors, "/embed"
	}
	d.limit = maxVectorBytes
	client, err := openai.New(openai.WithToken(cmp.Or(c.APIKey, noKey)), openai.WithModel(c.Model), openai.WithEmbeddingModel(c.Model),
		openai.WithBaseURL(base), openai.WithOrganization(""), openai.WithHTTPClient(d))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, texts []string) error {
		// The vectors are in the call's answer, where langchaingo's doubts about them have no place.
		_, err := client.CreateEmbedding(ctx, texts)
		return err
	}, nil
}

// endpointOf is a base URL as part of an identity: the same place is written in one way.
func endpointOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// keylessEmbedders are the providers that embed without a key.
func keylessEmbedders() []string {
	var names []string
	for _, name := range EmbeddingProviders() {
		if _, p, err := lookupEmbedder(name); err == nil && !p.needsKey {
			names = append(names, name)
		}
	}
	return names
}
