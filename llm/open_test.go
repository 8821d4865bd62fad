package llm_test

import (
	"strings"
	"testing"
	"time"

	"reverie/llm"
)

func TestOpenRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	good := llm.Config{Provider: "openai", Model: "gpt-test", APIKey: "sk-correct-horse-battery"}
	with := func(change func(*llm.Config)) llm.Config {
		c := good
		change(&c)
		return c
	}
	tests := []struct {
		name   string
		config llm.Config
		says   []string
	}{
		{"unknown provider", with(func(c *llm.Config) { c.Provider = "opneai" }), append([]string{`"opneai"`}, llm.Providers()...)},
		{"no provider", with(func(c *llm.Config) { c.Provider = "" }), []string{"openai-compatible"}},
		{"no model", with(func(c *llm.Config) { c.Model = " " }), []string{"openai", "name the model"}},
		{"no key", with(func(c *llm.Config) { c.APIKey = "" }), []string{"needs an API key", "ollama", "openai-compatible", "bedrock"}},
		{"blank key", with(func(c *llm.Config) { c.APIKey = "  " }), []string{"needs an API key"}},
		{"key with a line break", with(func(c *llm.Config) { c.APIKey = "sk-correct\nhorse" }), []string{"line breaks"}},
		{"ftp", with(func(c *llm.Config) { c.BaseURL = "ftp://host/v1" }), []string{"http://", "https://"}},
		{"no scheme", with(func(c *llm.Config) { c.BaseURL = "localhost:11434/v1" }), []string{"http://", "https://"}},
		{"no URL", with(func(c *llm.Config) { c.BaseURL = "http://ho st:x/%zz" }), []string{"not a URL"}},
		{"password in URL", with(func(c *llm.Config) { c.BaseURL = "https://me:sk-correct-horse-battery@host/v1" }), []string{
			"no user, password",
		}},
		{"query", with(func(c *llm.Config) { c.BaseURL = "https://host/v1?key=sk-correct-horse-battery" }), []string{"query"}},
		{"whole endpoint", with(func(c *llm.Config) { c.BaseURL = "https://host/v1/chat/completions" }), []string{"before /chat/completions"}},
		{"compatible without URL", with(func(c *llm.Config) { c.Provider = "openai-compatible" }), []string{"needs a base URL"}},
		{"azure without URL", with(func(c *llm.Config) { c.Provider = "azure" }), []string{"needs a base URL", "/openai/v1"}},
		{"negative price", with(func(c *llm.Config) { c.InputPrice = -1 }), []string{"negative"}},
		{"negative timeout", with(func(c *llm.Config) { c.Timeout = -time.Second }), []string{"negative"}},
		{"unknown family at bedrock", with(func(c *llm.Config) { c.Provider, c.Model = "bedrock", "mistral.large" }), []string{
			"anthropic.", "openai-compatible", "bedrock-runtime",
		}},
	}
	for _, test := range tests {
		_, err := llm.Open(test.config)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, words := range test.says {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %q does not say %q", test.name, err, words)
			}
		}
		if strings.Contains(err.Error(), "correct") {
			t.Errorf("%s: the key stands in %q", test.name, err)
		}
	}
}

func TestOpenKnowsEveryProvider(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	for _, name := range append(llm.Providers(), "Gemini", "GOOGLE", "OpenAI_Compatible", " claude ", "aws", "azure-openai",
		"lm-studio", "qwen") {
		c := llm.Config{Provider: name, Model: "anthropic.claude", APIKey: "key"}
		switch strings.ToLower(name) {
		case "azure", "azure-openai", "openai-compatible", "openai_compatible":
			c.BaseURL = "https://host.example"
		}
		model, err := llm.Open(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasSuffix(model.Name(), "/anthropic.claude") || strings.ToLower(model.Name()) != model.Name() {
			t.Errorf("%s: name %q", name, model.Name())
		}
	}
}
