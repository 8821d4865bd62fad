package llm

import (
	"maps"
	"slices"
	"strings"
)

// protocol is the API that a provider speaks.
type protocol int

const (
	chatCompletions protocol = iota // OpenAI's, which most others offer too
	messages                        // Anthropic's
	awsRuntime                      // AWS Bedrock's InvokeModel
)

// jsonSupport is what a provider does to make an answer follow a schema.
type jsonSupport int

const (
	bindsSchema jsonSupport = iota // binds the answer to the schema and shows the schema to the model
	takesSchema                    // takes the schema; whether the model gets to see it differs
	takesJSON                      // binds the answer to JSON only
	takesNone                      // knows of no such thing
)

// provider is what differs between providers.
type provider struct {
	protocol protocol
	baseURL  string // where it is; empty: the configuration must say
	path     string // of a configured base URL that has none
	needsKey bool
	json     jsonSupport
	// modernLimit is true where the limit of an answer is called max_completion_tokens; elsewhere it is max_tokens.
	modernLimit bool
}

// compatible is the provider name for any server that speaks OpenAI's protocol.
const compatible = "openai-compatible"

// providers are all that Open knows, by name. Those of the chatCompletions protocol go through langchaingo's OpenAI client:
// its own packages for them are older than the protocol's JSON mode or bring dozens of modules along.
var providers = map[string]provider{
	"openai":    {baseURL: "https://api.openai.com/v1", path: "/v1", needsKey: true, json: bindsSchema, modernLimit: true},
	"anthropic": {protocol: messages, baseURL: "https://api.anthropic.com/v1", path: "/v1", needsKey: true, json: bindsSchema},
	"bedrock":   {protocol: awsRuntime, json: takesNone},
	"azure":     {path: "/openai/v1", needsKey: true, json: bindsSchema, modernLimit: true},

	"cerebras":   {baseURL: "https://api.cerebras.ai/v1", path: "/v1", needsKey: true, json: takesSchema, modernLimit: true},
	"dashscope":  {baseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", path: "/compatible-mode/v1", needsKey: true, json: takesJSON},
	"deepseek":   {baseURL: "https://api.deepseek.com/v1", path: "/v1", needsKey: true, json: takesJSON},
	"fireworks":  {baseURL: "https://api.fireworks.ai/inference/v1", path: "/inference/v1", needsKey: true, json: takesSchema},
	"googleai":   {baseURL: "https://generativelanguage.googleapis.com/v1beta/openai", path: "/v1beta/openai", needsKey: true, json: takesSchema},
	"groq":       {baseURL: "https://api.groq.com/openai/v1", path: "/openai/v1", needsKey: true, json: takesSchema, modernLimit: true},
	"mistral":    {baseURL: "https://api.mistral.ai/v1", path: "/v1", needsKey: true, json: takesSchema},
	"moonshot":   {baseURL: "https://api.moonshot.ai/v1", path: "/v1", needsKey: true, json: takesJSON},
	"openrouter": {baseURL: "https://openrouter.ai/api/v1", path: "/api/v1", needsKey: true, json: takesSchema},
	"together":   {baseURL: "https://api.together.xyz/v1", path: "/v1", needsKey: true, json: takesSchema},
	"xai":        {baseURL: "https://api.x.ai/v1", path: "/v1", needsKey: true, json: takesSchema, modernLimit: true},
	"zhipu":      {baseURL: "https://open.bigmodel.cn/api/paas/v4", path: "/api/paas/v4", needsKey: true, json: takesJSON},

	"llamacpp": {baseURL: "http://127.0.0.1:8080/v1", path: "/v1", json: takesSchema},
	"lmstudio": {baseURL: "http://127.0.0.1:1234/v1", path: "/v1", json: takesSchema},
	"ollama":   {baseURL: "http://127.0.0.1:11434/v1", path: "/v1", json: takesSchema},
	"vllm":     {baseURL: "http://127.0.0.1:8000/v1", path: "/v1", json: takesSchema},
	compatible: {path: "/v1", json: takesSchema},
}

// aliases are other names that people give to providers.
var aliases = map[string]string{
	"aws": "bedrock", "azure-openai": "azure", "claude": "anthropic", "gemini": "googleai", "google": "googleai",
	"llama.cpp": "llamacpp", "lm-studio": "lmstudio", "qwen": "dashscope", "grok": "xai",
}

// Providers are the names that Open knows, sorted.
func Providers() []string { return slices.Sorted(maps.Keys(providers)) }

// lookup finds a provider by its name or alias, whatever the case.
func lookup(name string) (string, provider, bool) {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	if known, ok := aliases[name]; ok {
		name = known
	}
	p, ok := providers[name]
	return name, p, ok
}
