// Package provider lists the providers of models and what differs between them. A provider is added here, as one line of a
// table.
package provider

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Protocol is the API that a provider speaks.
type Protocol int

// The protocols.
const (
	ChatCompletions Protocol = iota // OpenAI's, which most others offer too
	Messages                        // Anthropic's
	AWSRuntime                      // AWS Bedrock's InvokeModel
)

// JSONSupport grades how far a provider makes an answer follow a schema.
type JSONSupport int

// The levels of support, best first.
const (
	BindsSchema JSONSupport = iota // binds the answer to the schema and shows the schema to the model
	TakesSchema                    // accepts the schema, and may or may not show it to the model
	TakesJSON                      // binds the answer to JSON only
	TakesNone                      // supports neither
)

// Provider describes one provider.
type Provider struct {
	Protocol Protocol
	URL      string // default base URL; empty: it must be configured
	Path     string // added to a configured base URL without a path
	NeedsKey bool
	JSON     JSONSupport
	// ModernLimit selects max_completion_tokens for the limit of an answer; otherwise it is max_tokens.
	ModernLimit bool
}

// Compatible is the name for any server that speaks OpenAI's protocol.
const Compatible = "openai-compatible"

// chat are the providers of models that chat, by name.
var chat = map[string]Provider{
	"openai":    {URL: "https://api.openai.com/v1", Path: "/v1", NeedsKey: true, JSON: BindsSchema, ModernLimit: true},
	"anthropic": {Protocol: Messages, URL: "https://api.anthropic.com/v1", Path: "/v1", NeedsKey: true, JSON: BindsSchema},
	"bedrock":   {Protocol: AWSRuntime, JSON: TakesNone},
	"azure":     {Path: "/openai/v1", NeedsKey: true, JSON: BindsSchema, ModernLimit: true},

	"cerebras": {URL: "https://api.cerebras.ai/v1", Path: "/v1", NeedsKey: true, JSON: TakesSchema, ModernLimit: true},
	"dashscope": {
		URL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", Path: "/compatible-mode/v1", NeedsKey: true, JSON: TakesJSON,
	},
	"deepseek":  {URL: "https://api.deepseek.com/v1", Path: "/v1", NeedsKey: true, JSON: TakesJSON},
	"fireworks": {URL: "https://api.fireworks.ai/inference/v1", Path: "/inference/v1", NeedsKey: true, JSON: TakesSchema},
	"googleai": {
		URL: "https://generativelanguage.googleapis.com/v1beta/openai", Path: "/v1beta/openai", NeedsKey: true, JSON: TakesSchema,
	},
	"groq":       {URL: "https://api.groq.com/openai/v1", Path: "/openai/v1", NeedsKey: true, JSON: TakesSchema, ModernLimit: true},
	"mistral":    {URL: "https://api.mistral.ai/v1", Path: "/v1", NeedsKey: true, JSON: TakesSchema},
	"moonshot":   {URL: "https://api.moonshot.ai/v1", Path: "/v1", NeedsKey: true, JSON: TakesJSON},
	"openrouter": {URL: "https://openrouter.ai/api/v1", Path: "/api/v1", NeedsKey: true, JSON: TakesSchema},
	"together":   {URL: "https://api.together.xyz/v1", Path: "/v1", NeedsKey: true, JSON: TakesSchema},
	"xai":        {URL: "https://api.x.ai/v1", Path: "/v1", NeedsKey: true, JSON: TakesSchema, ModernLimit: true},
	"zhipu":      {URL: "https://open.bigmodel.cn/api/paas/v4", Path: "/api/paas/v4", NeedsKey: true, JSON: TakesJSON},

	"llamacpp": {URL: "http://127.0.0.1:8080/v1", Path: "/v1", JSON: TakesSchema},
	"lmstudio": {URL: "http://127.0.0.1:1234/v1", Path: "/v1", JSON: TakesSchema},
	"ollama":   {URL: "http://127.0.0.1:11434/v1", Path: "/v1", JSON: TakesSchema},
	"vllm":     {URL: "http://127.0.0.1:8000/v1", Path: "/v1", JSON: TakesSchema},
	Compatible: {Path: "/v1", JSON: TakesSchema},
}

// aliases are other names of providers.
var aliases = map[string]string{
	"aws": "bedrock", "azure-openai": "azure", "claude": "anthropic", "gemini": "googleai", "google": "googleai",
	"llama.cpp": "llamacpp", "lm-studio": "lmstudio", "qwen": "dashscope", "grok": "xai",
}

// Names returns the providers that chat, sorted.
func Names() []string { return slices.Sorted(maps.Keys(chat)) }

// Lookup finds a provider by name or alias, in any case, and returns its name.
func Lookup(name string) (string, Provider, bool) {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	if known, ok := aliases[name]; ok {
		name = known
	}
	p, ok := chat[name]
	return name, p, ok
}

// CheckAccess checks a model's name and a key. who names the provider in errors, and keyless are those that need no key.
func (p Provider) CheckAccess(who, model, key string, keyless []string) error {
	switch {
	case model == "":
		return fmt.Errorf("%s: name the model", who)
	case key == "" && p.NeedsKey:
		return fmt.Errorf("%s needs an API key (without one: %s)", who, strings.Join(keyless, ", "))
	case strings.ContainsFunc(key, unprintable):
		return fmt.Errorf("%s: the API key contains spaces, line breaks or characters that are not ASCII", who)
	}
	return nil
}

// BaseURL checks a configured base URL, or returns the provider's own. It fails if there is neither, except at AWS, whose
// client finds its own. A base URL ends before the endpoints.
func (p Provider) BaseURL(who, configured string, endpoints ...string) (string, error) {
	configured = strings.TrimRight(strings.TrimSpace(configured), "/")
	if configured == "" {
		if p.URL == "" && p.Protocol != AWSRuntime {
			return "", fmt.Errorf("%s needs a base URL, such as https://host%s", who, p.Path)
		}
		return p.URL, nil
	}
	u, err := url.Parse(configured)
	switch {
	case err != nil: // its text would repeat the URL, which may contain a password
		return "", fmt.Errorf("%s: the base URL is not a URL; it looks like https://host%s", who, p.Path)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", fmt.Errorf("%s: the base URL must start with http:// or https:// and a host, such as https://host%s", who, p.Path)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", fmt.Errorf("%s: the base URL must have no user, password, query or fragment; set the key separately", who)
	case slices.ContainsFunc(endpoints, func(endpoint string) bool { return strings.HasSuffix(u.Path, endpoint) }):
		return "", fmt.Errorf("%s: the base URL must end before %s, such as https://host%s", who, strings.Join(endpoints, " or "), p.Path)
	case u.Path == "":
		return configured + p.Path, nil
	}
	return configured, nil
}

// Keyless returns the providers that chat without a key, sorted.
func Keyless() []string {
	var names []string
	for _, name := range Names() {
		if !chat[name].NeedsKey {
			names = append(names, name)
		}
	}
	return names
}

// unprintable reports characters that an HTTP header cannot hold.
func unprintable(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsGraphic(r) || unicode.IsSpace(r)
}
