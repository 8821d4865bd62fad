package llm

import (
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
)

// Config says which model to ask, and where.
type Config struct {
	Provider string // one of Providers, or an alias
	Model    string // its name at the provider; at azure the deployment's
	APIKey   string // empty where none is needed; at bedrock empty means AWS's own credential chain
	// BaseURL is where the provider is, when it is not where it usually is: http or https, up to and without
	// "/chat/completions" or "/messages". Without a path it gets the provider's usual one, mostly "/v1".
	BaseURL     string
	InputPrice  float64              // US dollars per million input tokens
	OutputPrice float64              // US dollars per million output tokens
	Timeout     time.Duration        // longest call; 0: only the caller's context bounds it
	Tracers     trace.TracerProvider // nil: the global one
}

// String names provider and model; a key is not for printing.
func (c Config) String() string { return c.Provider + "/" + c.Model }

// GoString is String.
func (c Config) GoString() string { return c.String() }

// LogValue is String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText is String.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// noKey stands in for a key where none is configured, because langchaingo refuses to work without one. It is not sent.
const noKey = "none"

// Open returns the model that c names, which is a Chatter too. It reaches nothing: a wrong key shows in the first call. Its errors say which
// setting is wrong, and never show the key.
func Open(c Config) (Chatter, error) {
	name, p, ok := lookup(c.Provider)
	if !ok {
		return nil, fmt.Errorf("model provider %q is not known; known are %s", c.Provider, strings.Join(Providers(), ", "))
	}
	who := "model provider " + name
	c.Model, c.APIKey = strings.TrimSpace(c.Model), strings.TrimSpace(c.APIKey)
	if err := checkAccess(who, p, c.Model, c.APIKey, keyless()); err != nil {
		return nil, err
	}
	if c.InputPrice < 0 || c.OutputPrice < 0 || c.Timeout < 0 {
		return nil, fmt.Errorf("%s: prices and timeout must not be negative", who)
	}
	base, err := baseURL(who, p, p.protocol != awsRuntime, c.BaseURL, "/chat/completions", "/messages")
	if err != nil {
		return nil, err
	}
	tracers := c.Tracers
	if tracers == nil {
		tracers = otel.GetTracerProvider()
	}
	m := &chat{config: c, provider: p, name: name, tracer: tracers.Tracer("reverie/llm"), declined: map[string]feature{}}
	m.backend, err = connect(c, p, base)
	if err != nil {
		return nil, fmt.Errorf("model provider %s: %w", name, err)
	}
	return m, nil
}

// connect makes the langchaingo client. Every option that it would else read from the environment is set.
func connect(c Config, p provider, base string) (llms.Model, error) {
	key := c.APIKey
	if key == "" {
		key = noKey
	}
	switch p.protocol {
	case messages:
		return anthropic.New(anthropic.WithToken(key), anthropic.WithModel(c.Model), anthropic.WithBaseURL(base),
			anthropic.WithHTTPClient(newStreamingDoer(c.APIKey, readMessages, newMessageStream)))
	case awsRuntime:
		return connectBedrock(c, base)
	default:
		return openai.New(openai.WithToken(key), openai.WithModel(c.Model), openai.WithBaseURL(base),
			openai.WithOrganization(""), openai.WithHTTPClient(newStreamingDoer(c.APIKey, readCompletion, newCompletionStream)))
	}
}

// checkAccess checks a model's name and a key, for the provider that who names. keyless are providers that need no key.
func checkAccess(who string, p provider, model, key string, keyless []string) error {
	switch {
	case model == "":
		return fmt.Errorf("%s: name the model", who)
	case key == "" && p.needsKey:
		return fmt.Errorf("%s needs an API key (without one: %s)", who, strings.Join(keyless, ", "))
	case strings.ContainsFunc(key, unprintable):
		return fmt.Errorf("%s: the API key contains spaces, line breaks or characters that are not ASCII", who)
	}
	return nil
}

// baseURL checks the configured base URL, or returns the provider's own; one that has none and needs one is an error. A base
// URL ends before the endpoints.
func baseURL(who string, p provider, needed bool, configured string, endpoints ...string) (string, error) {
	configured = strings.TrimRight(strings.TrimSpace(configured), "/")
	if configured == "" {
		if p.baseURL == "" && needed {
			return "", fmt.Errorf("%s needs a base URL, such as https://host%s", who, p.path)
		}
		return p.baseURL, nil
	}
	u, err := url.Parse(configured)
	switch {
	case err != nil: // its text would repeat the URL, which may hold a password
		return "", fmt.Errorf("%s: the base URL is not a URL; it looks like https://host%s", who, p.path)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", fmt.Errorf("%s: the base URL must start with http:// or https:// and a host, such as https://host%s", who, p.path)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", fmt.Errorf("%s: the base URL must have no user, password, query or fragment; the key is a setting of its own", who)
	case slices.ContainsFunc(endpoints, func(endpoint string) bool { return strings.HasSuffix(u.Path, endpoint) }):
		return "", fmt.Errorf("%s: the base URL must end before %s, such as https://host%s", who, strings.Join(endpoints, " or "), p.path)
	case u.Path == "":
		return configured + p.path, nil
	}
	return configured, nil
}

// keyless are the providers that work without a key.
func keyless() []string {
	var names []string
	for _, name := range Providers() {
		if !providers[name].needsKey {
			names = append(names, name)
		}
	}
	return names
}

// unprintable reports characters that cannot stand in an HTTP header.
func unprintable(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsGraphic(r) || unicode.IsSpace(r)
}
