package llm

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"reverie/llm/bedrock"
	"reverie/llm/provider"
	"reverie/llm/wire"
)

// Config selects a model.
type Config struct {
	Provider string // one of Providers, or an alias
	Model    string // its name at the provider; for azure the deployment's
	APIKey   string // empty if none is needed; for bedrock empty means AWS's own credential chain
	// BaseURL replaces the provider's default: http or https, up to but without "/chat/completions" or "/messages". A URL without a
	// path gets the provider's usual one, mostly "/v1".
	BaseURL     string
	InputPrice  float64              // US dollars per million input tokens
	OutputPrice float64              // US dollars per million output tokens
	Timeout     time.Duration        // of a call; 0: only the caller's context bounds it
	Tracers     trace.TracerProvider // nil: the global one
}

// String returns provider and model, and never the key.
func (c Config) String() string { return c.Provider + "/" + c.Model }

// GoString implements fmt.GoStringer as String does.
func (c Config) GoString() string { return c.String() }

// LogValue implements slog.LogValuer as String does.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText implements encoding.TextMarshaler as String does.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Providers returns the names that Open knows, sorted.
func Providers() []string { return provider.Names() }

// Open returns the model that c names. There is no network traffic yet: a wrong key shows in the first call. Its errors name the
// wrong setting and never show the key.
func Open(c Config) (Chatter, error) {
	name, p, ok := provider.Lookup(c.Provider)
	if !ok {
		return nil, fmt.Errorf("unknown model provider %q: choose one of %s", c.Provider, strings.Join(Providers(), ", "))
	}
	who := "model provider " + name
	c.Model, c.APIKey = strings.TrimSpace(c.Model), strings.TrimSpace(c.APIKey)
	if err := p.CheckAccess(who, c.Model, c.APIKey, provider.Keyless()); err != nil {
		return nil, err
	}
	if c.InputPrice < 0 || c.OutputPrice < 0 || c.Timeout < 0 {
		return nil, fmt.Errorf("%s: prices and timeout must not be negative", who)
	}
	base, err := p.BaseURL(who, c.BaseURL, "/chat/completions", "/messages")
	if err != nil {
		return nil, err
	}
	tracers := c.Tracers
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	m := &chat{config: c, provider: p, name: name, tracer: tracers.Tracer(wire.Tracer), declined: map[string]wire.Feature{}}
	m.forwarder = newForwarder(c, p, base)
	m.backend, err = connect(c, p, base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", who, err)
	}
	return m, nil
}

// connect returns the client of the provider's protocol.
func connect(c Config, p provider.Provider, base string) (llms.Model, error) {
	switch p.Protocol {
	case provider.Messages:
		return wire.NewMessages(base, c.APIKey), nil
	case provider.AWSRuntime:
		return bedrock.New(c.Model, c.APIKey, base)
	default:
		return wire.NewCompletions(base, c.APIKey), nil
	}
}
