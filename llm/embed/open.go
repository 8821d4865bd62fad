package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"reverie/llm/bedrock"
	"reverie/llm/provider"
	"reverie/llm/wire"
	"reverie/memory"
)

// Config selects an embedding model.
type Config struct {
	Provider string // one of Providers, or an alias
	Model    string // its name at the provider; for azure the deployment's
	APIKey   string // empty if none is needed; for bedrock empty means AWS's own credential chain
	// BaseURL replaces the provider's default: http or https, up to but without "/embeddings". A URL without a path gets the provider's
	// usual one, mostly "/v1".
	BaseURL string
	// Dimensions is the length of a vector; 0: the model's own. A number is requested if the provider can choose it, and the vectors
	// must have it.
	Dimensions int
	// BatchSize bounds the texts of one request; 0: DefaultBatchSize. A provider's own limit holds as well.
	BatchSize    int
	Timeout      time.Duration // of a request; 0: only the caller's context bounds it
	QueryTimeout time.Duration // for a single question; 0: only Timeout bounds it
	Concurrency  int           // concurrent requests, not counting single questions; 0: DefaultConcurrency
	Price        float64       // US dollars per million tokens
	Tracers      trace.TracerProvider
}

const (
	// DefaultBatchSize is the default number of texts in one request: with units of 400 tokens it is about half of what the strictest
	// provider, Mistral, accepts, and a handful of round trips for a conversation.
	DefaultBatchSize = 64
	// DefaultConcurrency is the default number of concurrent requests, not counting single questions.
	DefaultConcurrency = 4
	// MaxBatchSize bounds Config.BatchSize: the most that any provider accepts.
	MaxBatchSize = 2048
)

// String returns provider and model, and never the key.
func (c Config) String() string { return c.Provider + "/" + c.Model }

// GoString implements fmt.GoStringer as String does.
func (c Config) GoString() string { return c.String() }

// LogValue implements slog.LogValuer as String does.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText implements encoding.TextMarshaler as String does.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Providers returns the names that Open knows, sorted.
func Providers() []string { return provider.Embedders() }

// Open returns the embedding model that c names. There is no network traffic yet: a wrong key shows in the first call. Its
// errors name the wrong setting and never show the key.
func Open(c Config) (Embedder, error) {
	name, p, err := provider.LookupEmbedder(c.Provider)
	if err != nil {
		return nil, err
	}
	who := "embedding provider " + name
	c.Model, c.APIKey = strings.TrimSpace(c.Model), strings.TrimSpace(c.APIKey)
	if err := p.CheckAccess(who, c.Model, c.APIKey, provider.KeylessEmbedders()); err != nil {
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
	base, err := p.BaseURL(who, c.BaseURL, "/embeddings", "/embed")
	if err != nil {
		return nil, err
	}
	if p.API == provider.AWSInvoke {
		if p, err = bedrockFormat(c.Model); err != nil {
			return nil, fmt.Errorf("%s: %w", who, err)
		}
	}
	c.Concurrency = cmp.Or(c.Concurrency, DefaultConcurrency)
	tracers := c.Tracers
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	e := &embedder{
		config: c, provider: p, tracer: tracers.Tracer(wire.Tracer),
		identity: memory.EmbeddingIdentity{Provider: name, Model: c.Model, Endpoint: endpointOf(base), Dimensions: c.Dimensions},
		slots:    make(chan struct{}, c.Concurrency), breaker: newBreaker(breakFor),
	}
	e.dimensions.Store(int64(c.Dimensions))
	e.maxTexts.Store(int64(batchSize(c.BatchSize, p)))
	e.maxBytes.Store(maxRequestBytes)
	if e.send, err = connect(c, p, base); err != nil {
		return nil, fmt.Errorf("%s: %w", who, err)
	}
	return e, nil
}

// batchSize returns the initial number of texts in one request.
func batchSize(configured int, p provider.Embedding) int {
	n := cmp.Or(configured, DefaultBatchSize)
	if p.MaxTexts > 0 {
		n = min(n, p.MaxTexts)
	}
	return n
}

// endpointOf normalises a base URL for an identity.
func endpointOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// sender sends the call in ctx: texts, and optional fields, which it may change.
type sender func(ctx context.Context, texts []string, fields map[string]any) error

// connect returns the client of the provider's protocol.
func connect(c Config, p provider.Embedding, base string) (sender, error) {
	switch p.API {
	case provider.AWSInvoke:
		return connectBedrock(c, base)
	case provider.CohereEmbed:
		client := wire.NewClient(base, wire.Bearer(c.APIKey), readInvokedVectors).ForVectors()
		return func(ctx context.Context, texts []string, fields map[string]any) error {
			fields["model"], fields["texts"] = c.Model, texts
			return client.Post(ctx, "/embed", fields)
		}, nil
	default:
		client := wire.NewClient(base, wire.Bearer(c.APIKey), readEmbeddings).ForVectors()
		return func(ctx context.Context, texts []string, fields map[string]any) error {
			fields["model"], fields["input"] = c.Model, texts
			return client.Post(ctx, "/embeddings", fields)
		}, nil
	}
}

// The embedding models at Bedrock whose formats are known, by a part of their ids.
const (
	titan  = "amazon.titan-embed"
	cohere = "cohere.embed"
)

// bedrockFormat returns the format of a model at Bedrock.
func bedrockFormat(model string) (provider.Embedding, error) {
	switch {
	case strings.Contains(model, titan):
		return provider.Embedding{API: provider.AWSInvoke, Dimensions: "dimensions", MaxTexts: 1}, nil
	case strings.Contains(model, cohere):
		_, p, err := provider.LookupEmbedder("cohere")
		p.Provider, p.API = provider.Provider{}, provider.AWSInvoke
		return p, err
	}
	return provider.Embedding{}, fmt.Errorf("models of %s… and %s… are supported, not %q", titan, cohere, model)
}

// connectBedrock returns a sender on AWS's own client: langchaingo's embeddings for Bedrock cannot choose the dimensions or count
// tokens, and reject inference profiles ("eu.cohere.embed-…").
func connectBedrock(c Config, base string) (sender, error) {
	client, err := bedrock.NewClient(c.APIKey, base, readInvokedVectors)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, texts []string, fields map[string]any) error {
		call, err := wire.From(ctx)
		if err != nil {
			return err
		}
		if strings.Contains(c.Model, titan) {
			fields["inputText"] = texts[0]
		} else {
			fields["texts"] = texts
		}
		body, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		_, err = client.InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
			ModelId: aws.String(c.Model), ContentType: aws.String("application/json"), Accept: aws.String("application/json"), Body: body,
		})
		bedrock.FindCredentials(ctx, call, err)
		return err
	}, nil
}
