package embed_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"reverie/llm/embed"
	"reverie/llm/llmtest"
)

func TestOpenEmbedderRefusesWhatCannotWork(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	good := embed.Config{Provider: "openai", Model: "embed-test", APIKey: "sk-correct-horse-battery"}
	with := func(change func(*embed.Config)) embed.Config {
		c := good
		change(&c)
		return c
	}
	for _, test := range []struct {
		name   string
		config embed.Config
		says   []string
	}{
		{"unknown provider", with(func(c *embed.Config) { c.Provider = "opneai" }), append([]string{`"opneai"`}, embed.Providers()...)},
		{"no embeddings there", with(func(c *embed.Config) { c.Provider = "claude" }), []string{"anthropic offers no embeddings", "voyage"}},
		{"no provider", with(func(c *embed.Config) { c.Provider = "" }), []string{"openai-compatible"}},
		{"no model", with(func(c *embed.Config) { c.Model = " " }), []string{"embedding provider openai", "name the model"}},
		{"no key", with(func(c *embed.Config) { c.APIKey = "" }), []string{"needs an API key", "ollama", "tei", "openai-compatible"}},
		{"no key for one that only embeds", with(func(c *embed.Config) { c.Provider, c.APIKey = "voyage", "" }), []string{
			"voyage needs an API key",
		}},
		{"key with a line break", with(func(c *embed.Config) { c.APIKey = "sk-correct\nhorse" }), []string{"line breaks"}},
		{"ftp", with(func(c *embed.Config) { c.BaseURL = "ftp://host/v1" }), []string{"http://", "https://"}},
		{"password in URL", with(func(c *embed.Config) { c.BaseURL = "https://me:sk-correct-horse-battery@host/v1" }), []string{
			"no user, password",
		}},
		{"query", with(func(c *embed.Config) { c.BaseURL = "https://host/v1?key=sk-correct-horse-battery" }), []string{"query"}},
		{"whole endpoint", with(func(c *embed.Config) { c.BaseURL = "https://host/v1/embeddings/" }), []string{"before /embeddings"}},
		{
			"whole endpoint at cohere", with(func(c *embed.Config) { c.Provider, c.BaseURL = "cohere", "https://host/v2/embed" }),
			[]string{"before /embeddings or /embed"},
		},
		{"compatible without URL", with(func(c *embed.Config) { c.Provider = "openai-compatible" }), []string{"needs a base URL"}},
		{"azure without URL", with(func(c *embed.Config) { c.Provider = "azure" }), []string{"needs a base URL", "/openai/v1"}},
		{"negative dimensions", with(func(c *embed.Config) { c.Dimensions = -1 }), []string{"negative"}},
		{"negative batch size", with(func(c *embed.Config) { c.BatchSize = -1 }), []string{"negative"}},
		{"large batch size", with(func(c *embed.Config) { c.BatchSize = 2049 }), []string{"2049", "2048"}},
		{"negative concurrency", with(func(c *embed.Config) { c.Concurrency = -1 }), []string{"negative"}},
		{"negative price", with(func(c *embed.Config) { c.Price = -1 }), []string{"negative"}},
		{"negative timeout", with(func(c *embed.Config) { c.Timeout = -time.Second }), []string{"negative"}},
		{"negative query timeout", with(func(c *embed.Config) { c.QueryTimeout = -time.Second }), []string{"negative"}},
		{
			"unknown family at bedrock", with(func(c *embed.Config) { c.Provider, c.Model = "bedrock", "amazon.nova-pro-v1:0" }),
			[]string{"amazon.titan-embed", "cohere.embed"},
		},
	} {
		_, err := embed.Open(test.config)
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

func TestOpenEmbedderKnowsEveryProvider(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	want := map[string]string{
		"Gemini": "googleai", " HuggingFace": "tei", "OpenAI_Compatible": "openai-compatible", "text_embeddings_inference": "tei",
		"VoyageAI": "voyage", "qwen": "dashscope", "aws": "bedrock",
	}
	for _, name := range embed.Providers() {
		want[name] = name
	}
	for name, provider := range want {
		c := embed.Config{Provider: name, Model: "cohere.embed-v4:0", APIKey: "key"}
		if provider == "azure" || provider == "openai-compatible" {
			c.BaseURL = "https://Host.example"
		}
		e, err := embed.Open(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		identity := e.Identity()
		if identity.Provider != provider || identity.Model != c.Model || identity.Dimensions != 0 {
			t.Errorf("%s: %+v", name, identity)
		}
		isPlace := strings.HasPrefix(identity.Endpoint, "http") && strings.ToLower(identity.Endpoint) == identity.Endpoint
		if isPlace == (provider == "bedrock") {
			t.Errorf("%s: endpoint %q", name, identity.Endpoint)
		}
	}
}

// The same place has one identity, however it is written; vectors of two places are not mixed.
func TestIdentityOfAPlace(t *testing.T) {
	t.Parallel()
	identity := func(baseURL string) string {
		e, err := embed.Open(embed.Config{Provider: "tei", Model: "m", BaseURL: baseURL, Dimensions: 3})
		if err != nil {
			t.Fatal(err)
		}
		return e.Identity().Key()
	}
	one := identity("https://vectors.example/v1")
	for _, same := range []string{"https://vectors.example", "HTTPS://Vectors.Example/v1/", " https://vectors.example/v1 "} {
		if identity(same) != one {
			t.Errorf("%q is another place", same)
		}
	}
	for _, other := range []string{"http://vectors.example/v1", "https://vectors.example/v2", "https://vectors.example:8443/v1", ""} {
		if identity(other) == one {
			t.Errorf("%q is the same place", other)
		}
	}
}

// Whatever a server answers and however long the texts are, no error, log or trace has the key or a text in it.
func TestNeitherKeyNorTextsGetIntoErrorsLogsOrTraces(t *testing.T) {
	t.Parallel()
	const short, long = "PIN: quokka", "Anna's therapist is Dr. Weber, and she told him about the divorce."
	bodies := map[string]string{
		"openai":   `{"error":{"message":"Incorrect API key provided: KEY. Input was: TEXTS","type":"invalid_request_error"}}`,
		"fastapi":  `{"detail":[{"loc":["body","input",0],"msg":"Input should be valid: TEXTS","input":"TEXTS KEY"}]}`,
		"ollama":   `{"error":"cannot embed TEXTS with Bearer KEY"}`,
		"plain":    `cannot embed 'TEXTS' (Authorization: Bearer KEY)`,
		"cut JSON": `{"error":{"message":"TEXTS KEY`,
		"page":     `<html>TEXTS KEY</html>`,
		"cohere":   `{"id":"1","message":"invalid request: TEXTS, KEY"}`,
		"vectors":  `{"data":[{"index":0,"embedding":["TEXTS"]},{"index":"KEY","embedding":[1]}]}`,
		"model":    `{"model":"KEY TEXTS","data":[{"index":0,"embedding":[1]}]}`,
	}
	for _, provider := range []string{"openai", "cohere", "voyage"} {
		for name, body := range bodies {
			for _, status := range []int{200, 400, 413, 422, 500} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					var sent struct{ Input, Texts []string }
					_ = json.NewDecoder(r.Body).Decode(&sent)
					w.WriteHeader(status)
					fmt.Fprint(w, strings.NewReplacer("KEY", testKey, "TEXTS", strings.Join(append(sent.Input, sent.Texts...), " / ")).Replace(body))
				}))
				spans := tracetest.NewInMemoryExporter()
				tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
				c := embed.Config{Provider: provider, Model: "m", APIKey: testKey, BaseURL: server.URL, Tracers: tracers}
				e, err := embed.Open(c)
				if err != nil {
					t.Fatal(err)
				}
				var printed bytes.Buffer
				log := slog.New(slog.NewJSONHandler(&printed, nil))
				for _, texts := range [][]string{{long, short}, {short}} {
					for _, kind := range []embed.Kind{embed.Document, embed.Query} {
						got, err := e.Embed(t.Context(), kind, texts)
						if err == nil && name != "model" {
							t.Errorf("%s %s %d: no error", provider, name, status)
						}
						log.Error("embed", "error", err, "embedder", e, "config", c, "usage", got.Usage)
						for _, v := range []any{err, e, c, &c, struct{ C embed.Config }{c}, []any{e}} {
							fmt.Fprintf(&printed, "%v %+v %#v %s", v, v, v, v)
						}
					}
				}
				b, err := json.Marshal(map[string]any{"config": c, "embedder": e, "identity": e.Identity()})
				if err != nil {
					t.Fatal(err)
				}
				printed.Write(b)
				for _, span := range spans.GetSpans() {
					fmt.Fprintf(&printed, "%s %v %v %v", span.Name, span.Attributes, span.Events, span.Status)
				}
				for _, leak := range []string{testKey, "quokka", "therapist", "divorce"} {
					if before, _, ok := strings.Cut(printed.String(), leak); ok {
						t.Errorf("%s %s %d: %q stands after %q", provider, name, status, leak, before[max(0, len(before)-200):])
					}
				}
				server.Close()
			}
		}
	}
}

func TestSpansOfEmbeddings(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Sequence(llmtest.Honest(), llmtest.Status(429))})
	e := embedderAt(t, server, func(c *embed.Config) {
		c.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	})
	for range 2 {
		_, _ = e.Embed(t.Context(), embed.Document, []string{"Anna", "Bello"})
	}
	got := spans.GetSpans()
	if len(got) != 2 || got[0].Name != "embeddings embed-test" || got[1].Status.Code != codes.Error {
		t.Fatalf("%+v", got)
	}
	attributes := map[string]string{}
	for _, a := range got[1].Attributes {
		attributes[string(a.Key)] = a.Value.String()
	}
	for key, want := range map[string]string{
		"gen_ai.operation.name": "embeddings", "gen_ai.provider.name": "openai", "reverie.texts": "2",
		"error.type": "rate_limited", "http.response.status_code": "429",
	} {
		if attributes[key] != want {
			t.Errorf("%s is %q, want %q", key, attributes[key], want)
		}
	}
}
