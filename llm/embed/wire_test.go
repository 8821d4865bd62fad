package embed_test

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
)

// The request bodies of each provider for a question and for a document, without the model.
func TestWireFormOfEveryProvider(t *testing.T) {
	t.Parallel()
	list := func(name string) map[string]any { return map[string]any{name: []any{"Anna", "Bello"}} }
	with := func(fields map[string]any, more ...any) map[string]any {
		for i := 0; i < len(more); i += 2 {
			fields[more[i].(string)] = more[i+1]
		}
		return fields
	}
	plain := with(list("input"), "dimensions", 64.0)
	cohere := func(kind string) map[string]any {
		return with(list("texts"), "output_dimension", 64.0, "input_type", kind, "embedding_types", []any{"float"}, "truncate", "NONE")
	}
	forms := map[string]struct{ query, document map[string]any }{
		"cohere": {cohere("search_query"), cohere("search_document")},
		"jina": {
			with(list("input"), "dimensions", 64.0, "task", "retrieval.query"), with(list("input"), "dimensions", 64.0, "task", "retrieval.passage"),
		},
		"mistral": {with(list("input"), "output_dimension", 64.0), with(list("input"), "output_dimension", 64.0)},
		"nvidia": {
			with(list("input"), "dimensions", 64.0, "input_type", "query"), with(list("input"), "dimensions", 64.0, "input_type", "passage"),
		},
		"voyage": {
			with(list("input"), "output_dimension", 64.0, "input_type", "query", "truncation", false),
			with(list("input"), "output_dimension", 64.0, "input_type", "document", "truncation", false),
		},
	}
	for _, provider := range embed.Providers() {
		if provider == "bedrock" { // tested separately
			continue
		}
		form, ok := forms[provider]
		if !ok {
			form.query, form.document = plain, plain
		}
		path := "/v1"
		if provider == "cohere" {
			path = "/v2"
		}
		server := llmtest.New(t, llmtest.Options{APIKey: testKey})
		e := embedderAt(t, server, func(c *embed.Config) {
			c.Provider, c.BaseURL, c.Dimensions = provider, server.URL+path, 64
		})
		for kind, want := range map[embed.Kind]map[string]any{embed.Query: form.query, embed.Document: form.document} {
			got, err := e.Embed(t.Context(), kind, []string{"Anna", "Bello"})
			if err != nil {
				t.Errorf("%s: %v", provider, err)
				continue
			}
			if !isVectorOf(got.Vectors[0], "Anna") || !isVectorOf(got.Vectors[1], "Bello") || len(got.Vectors[0]) != 64 ||
				got.Usage.InputTokens != 3 {
				t.Errorf("%s: %+v", provider, got)
			}
			requests := server.Requests()
			sent := fields(t, requests[len(requests)-1].Body)
			if sent["model"] != "embed-test" {
				t.Errorf("%s: model %v", provider, sent["model"])
			}
			delete(sent, "model")
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("%s, a %s: %s", provider, kind, diff)
			}
		}
	}
}

func TestProvidersOwnLimitsOfTexts(t *testing.T) {
	t.Parallel()
	for provider, limit := range map[string]int{"googleai": 100, "cohere": 96, "dashscope": 10, "tei": 32, "openai": 500} {
		server := llmtest.New(t, llmtest.Options{MaxTexts: limit, Dimensions: 8})
		e := embedderAt(t, server, func(c *embed.Config) {
			c.Provider, c.BaseURL, c.BatchSize = provider, server.URL+"/v1", 500
			if provider == "cohere" {
				c.BaseURL = server.URL + "/v2"
			}
		})
		texts := numberedTexts(200)
		got, err := e.Embed(t.Context(), embed.Document, texts)
		if err != nil || server.Stats().Replies["declined"] != 0 {
			t.Errorf("%s: %v, %v", provider, err, server.Stats().Replies)
			continue
		}
		wantVectors(t, got, texts)
	}
}

func TestCohereFailsLikeTheOthers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reply llmtest.Reply
		kind  llm.Kind
	}{
		{llmtest.Status(429), llm.RateLimited},
		{llmtest.Unauthorized(), llm.Unauthorized},
		{llmtest.ContextTooLong(), llm.ContextTooLong},
		{llmtest.WrongCount(), llm.Unavailable},
		{llmtest.EmptyChoices(), llm.Unavailable},
		{llmtest.GarbageBody(), llm.Unavailable},
		{llmtest.Answer(`{"embeddings":"none"}`), llm.Unavailable},
		{llmtest.Answer(`{}`), llm.Unavailable},
		{llmtest.NaNs(), llm.BadVector},
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply)})
		e := embedderAt(t, server, func(c *embed.Config) { c.Provider, c.BaseURL = "cohere", server.URL })
		_, err := e.Embed(t.Context(), embed.Document, []string{"Anna", "Bello"})
		if failure := failureOf(t, err); failure.Kind != test.kind {
			t.Errorf("%s: %v", test.reply.Name, err)
		}
	}
}

// A provider that rejects the distinction between questions and documents is called without it.
func TestADeclinedKindOfTextIsLeftOut(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Declines: []string{"task", "dimensions"}, Dimensions: 64})
	e := embedderAt(t, server, func(c *embed.Config) { c.Provider, c.Dimensions = "jina", 64 })
	for range 2 {
		if _, err := e.Embed(t.Context(), embed.Query, []string{"Anna"}); err != nil {
			t.Fatal(err)
		}
	}
	requests := server.Requests()
	if len(requests) != 4 || requests[3].InputType != "" || requests[3].Dimensions != 0 {
		t.Errorf("%d requests, the last one %s", len(requests), requests[len(requests)-1].Body)
	}
}

func TestWithoutAKeyNoneIsSentForEmbeddings(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-another-program")
	server := llmtest.New(t, llmtest.Options{})
	e := embedderAt(t, server, func(c *embed.Config) { c.Provider, c.APIKey = "ollama", "" })
	if _, err := e.Embed(t.Context(), embed.Document, []string{"Anna"}); err != nil {
		t.Fatal(err)
	}
	if auth := server.Requests()[0].Header.Get("Authorization"); auth != "" {
		t.Errorf("Authorization: %q", auth)
	}
}

// The tokens of a provider that counts none (Gemini) are estimated.
func TestUncountedTokensAreEstimated(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Reply{Text: func(body string) string {
		return body[:strings.Index(body, `,"usage"`)] + "}"
	}})})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{strings.Repeat("Anna lives in Köln. ", 20)})
	if err != nil || got.Usage.InputTokens < 50 || got.Usage.InputTokens > 200 {
		t.Errorf("%+v, %v", got.Usage, err)
	}
}

const (
	titan     = "amazon.titan-embed-text-v2:0"
	cohereEU  = "eu.cohere.embed-v4:0"
	threeFour = `[3,4]`
)

func TestBedrockEmbeds(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	for _, test := range []struct {
		name, model, answer string
		texts               []string
		requests            int64
		sent                map[string]any
	}{
		{
			"Titan", titan, `{"embedding":` + threeFour + `,"inputTextTokenCount":6}`,
			[]string{"Anna", "Bello"},
			2,
			map[string]any{"dimensions": 2.0, "inputText": "Bello"},
		},
		{
			"Cohere", cohereEU, `{"embeddings":{"float":[` + threeFour + `,` + threeFour + `]}}`,
			[]string{"Anna", "Bello"},
			1,
			map[string]any{
				"texts": []any{"Anna", "Bello"}, "input_type": "search_document", "truncate": "NONE", "embedding_types": []any{"float"},
				"output_dimension": 2.0,
			},
		},
		{
			"Cohere, its third version", "cohere.embed-multilingual-v3", `{"response_type":"embeddings_floats","embeddings":[` + threeFour + `]}`,
			[]string{"Anna"},
			1,
			map[string]any{
				"texts": []any{"Anna"}, "input_type": "search_document", "truncate": "NONE", "embedding_types": []any{"float"}, "output_dimension": 2.0,
			},
		},
	} {
		endpoint := &llmtest.Bedrock{Status: http.StatusOK, Header: map[string]string{"X-Amzn-Bedrock-Input-Token-Count": "6"}, Body: test.answer}
		e := bedrockEmbedder(t, endpoint, test.model, "")
		got, err := e.Embed(t.Context(), embed.Document, test.texts)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for i := range test.texts {
			if diff := cmp.Diff([]float32{0.6, 0.8}, got.Vectors[i]); diff != "" {
				t.Errorf("%s: %s", test.name, diff)
			}
		}
		if endpoint.Count.Load() != test.requests || got.Usage.InputTokens != int(6*test.requests) {
			t.Errorf("%s: %d requests, usage %+v", test.name, endpoint.Count.Load(), got.Usage)
		}
		if diff := cmp.Diff(test.sent, fields(t, []byte(endpoint.Sent.Load().(string)))); diff != "" && test.requests == 1 {
			t.Errorf("%s: %s", test.name, diff)
		}
		if !strings.HasPrefix(endpoint.Auth.Load().(string), "AWS4-HMAC-SHA256 ") {
			t.Errorf("%s: not signed", test.name)
		}
	}
}

func bedrockEmbedder(tb testing.TB, endpoint *llmtest.Bedrock, model, key string) embed.Embedder {
	tb.Helper()
	server := endpoint.Listen(tb)
	e, err := embed.Open(embed.Config{Provider: "bedrock", Model: model, APIKey: key, BaseURL: server, Dimensions: 2})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestBedrockEmbeddingFailures(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	for _, test := range []struct {
		status   int
		kindOf   string
		body     string
		kind     llm.Kind
		requests int64
	}{
		{429, "ThrottlingException", `{"message":"Too many requests, please wait before trying again."}`, llm.RateLimited, 1},
		{
			400, "ValidationException",
			`{"message":"400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000"}`, llm.ContextTooLong, 2,
		},
		{403, "AccessDeniedException", `{"message":"You don't have access to the model with the specified model ID."}`, llm.Unauthorized, 1},
		{200, "", `<html>`, llm.Unavailable, 1},
		{200, "", `{"embedding":[1,2,3]}`, llm.BadVector, 1},
		{200, "", `{"embedding":[0,0]}`, llm.BadVector, 2}, // once more with a harmless word
	} {
		endpoint := &llmtest.Bedrock{Status: test.status, Header: map[string]string{"X-Amzn-Errortype": test.kindOf}, Body: test.body}
		_, err := bedrockEmbedder(t, endpoint, titan, "").Embed(t.Context(), embed.Document, []string{"Anna lives in Köln"})
		if e := failureOf(t, err); e.Kind != test.kind || endpoint.Count.Load() != test.requests {
			t.Errorf("%s %s: %v after %d requests", test.kindOf, test.body, err, endpoint.Count.Load())
		}
	}
}

func TestBedrockEmbedderCredentials(t *testing.T) {
	llmtest.SetAWSCredentials(t)
	endpoint := &llmtest.Bedrock{Status: http.StatusOK, Body: `{"embedding":` + threeFour + `}`}
	if _, err := bedrockEmbedder(t, endpoint, titan, testKey).Embed(t.Context(), embed.Query, []string{"Anna"}); err != nil {
		t.Fatal(err)
	}
	if got := endpoint.Auth.Load(); got != "Bearer "+testKey {
		t.Errorf("Authorization: %q", got)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err := bedrockEmbedder(t, endpoint, titan, "").Embed(t.Context(), embed.Document, []string{"Anna"})
	if e := failureOf(t, err); e.Kind != llm.Unauthorized || endpoint.Count.Load() != 1 {
		t.Errorf("%v after %d requests", err, endpoint.Count.Load())
	}
}

// Values that are not numbers, and not JSON, spoil only their own vectors.
func TestWordsForNoNumber(t *testing.T) {
	t.Parallel()
	for body, bad := range map[string]bool{
		`[NaN,NaN,NaN,1]`:          true,
		`[1, -Infinity ,2]`:        true,
		`[1,null]`:                 true,
		`[1e40,1]`:                 true,
		`[1e-50,1]`:                false,
		`[ 1 , 2 ]`:                false,
		`[5]`:                      false,
		`[0.0,-0.0]`:               true,
		`[1e-45,1e-45]`:            false,
		`[3e38,3e38,3e38,3e38,-1]`: false,
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Answer(`{"data":[{"index":0,"embedding":` + body + `}]}`))})
		got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna"})
		if bad {
			if failureOf(t, err).Kind != llm.BadVector {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if length := dot(got.Vectors[0], got.Vectors[0]); length < 0.999 || length > 1.001 {
			t.Errorf("%s: squared length %v", body, length)
		}
	}
}

// Small and large numbers come back as they were written, but for the length.
func TestNumbersAreReadExactly(t *testing.T) {
	t.Parallel()
	want := []float32{0.1, -0.2, 0.05, 1e-8, 0}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Answer(`{"data":[{"embedding":` + string(b) + `}]}`))})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna"})
	if err != nil {
		t.Fatal(err)
	}
	length := math.Sqrt(dot(want, want))
	for i, x := range want {
		want[i] = float32(float64(x) / length)
	}
	if diff := cmp.Diff([][]float32{want}, got.Vectors); diff != "" {
		t.Error(diff)
	}
}
