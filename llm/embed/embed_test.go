package embed_test

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
	"reverie/memory"
)

// embedderAt opens a server's embedder by OpenAI's protocol.
func embedderAt(tb testing.TB, server *llmtest.Server, change ...func(*embed.Config)) embed.Embedder {
	tb.Helper()
	c := embed.Config{Provider: "openai", Model: "embed-test", APIKey: testKey, BaseURL: server.URL}
	for _, f := range change {
		f(&c)
	}
	e, err := embed.Open(c)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// isVectorOf reports whether v is the server's honest vector of a text.
func isVectorOf(v []float32, text string) bool {
	want := llmtest.HashVector(text, len(v))
	for i := range v {
		if math.Abs(float64(v[i]-want[i])) > 1e-6 {
			return false
		}
	}
	return len(v) > 0
}

func TestEmbedReturnsAVectorForEachTextInOrder(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{APIKey: testKey})
	e := embedderAt(t, server, func(c *embed.Config) { c.Price = 3 })
	texts := []string{"Anna lives in Köln.\nShe has a dog.", "記憶", "The backup runs at night.", "Anna's dog is called Bello."}
	before := slices.Clone(texts)
	got, err := e.Embed(t.Context(), embed.Document, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, texts); diff != "" {
		t.Errorf("the caller's texts were changed: %s", diff)
	}
	tokens := 0
	for i, text := range texts {
		tokens += llmtest.Tokens(text)
		if !isVectorOf(got.Vectors[i], text) {
			t.Errorf("vector %d is not that of its text", i)
		}
		if length := dot(got.Vectors[i], got.Vectors[i]); math.Abs(length-1) > 1e-5 {
			t.Errorf("vector %d has the squared length %v", i, length)
		}
	}
	if near, far := dot(got.Vectors[0], got.Vectors[3]), dot(got.Vectors[0], got.Vectors[2]); near < far+0.1 {
		t.Errorf("texts about Anna's dog are at %.2f, strangers at %.2f", near, far)
	}
	if want := (memory.Usage{Calls: 1, InputTokens: tokens, CostMicros: int64(3 * tokens)}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
	if server.Stats().Texts != len(texts) {
		t.Errorf("%d texts were sent", server.Stats().Texts)
	}
}

func TestNoTextsAreNoRequest(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, nil)
	if err != nil || len(got.Vectors) != 0 || server.Count() != 0 {
		t.Errorf("%+v, %v after %d requests", got, err, server.Count())
	}
}

// A vector that a server writes longer or shorter than 1 is made 1 long.
func TestVectorsAreOfUnitLength(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Vector: func(string, int) []float32 { return []float32{3, 0, -4} }})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{0.6, 0, -0.8}}, got.Vectors); diff != "" {
		t.Error(diff)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Dimensions: 48})
	own := embedderAt(t, server)
	want := memory.EmbeddingIdentity{Provider: "openai", Model: "embed-test", Endpoint: server.URL + "/v1"}
	if own.Identity() != want {
		t.Errorf("before an answer: %+v", own.Identity())
	}
	for range 2 { // the second time it is known
		got, err := own.Probe(t.Context())
		if want.Dimensions = 48; err != nil || got != want || own.Identity() != want {
			t.Errorf("%+v, %+v, %v", got, own.Identity(), err)
		}
	}
	if server.Count() != 1 {
		t.Errorf("%d requests to learn the dimensions", server.Count())
	}

	chosen := embedderAt(t, server, func(c *embed.Config) {
		c.Dimensions = 32
		c.BaseURL = strings.ToUpper(server.URL[:4]) + server.URL[4:] + "/v1/"
	})
	want.Dimensions = 32
	if got, err := chosen.Probe(t.Context()); err != nil || got != want || server.Count() != 1 {
		t.Errorf("%+v, %v after %d requests", got, err, server.Count())
	}
}

func TestProbeFailsAsTheProviderDoes(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Unauthorized())})
	_, err := embedderAt(t, server).Probe(t.Context())
	if e := failureOf(t, err); e.Kind != llm.Unauthorized {
		t.Error(err)
	}
}

// The numbers of an answer decide which text a vector belongs to.
func TestAnswersOutOfOrder(t *testing.T) {
	t.Parallel()
	texts := []string{"Anna", "Bello", "Köln"}
	for _, reply := range []llmtest.Reply{llmtest.OutOfOrder(), llmtest.NoZeroIndex()} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(reply)})
		got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
		if err != nil {
			t.Errorf("%s: %v", reply.Name, err)
			continue
		}
		for i, text := range texts {
			if !isVectorOf(got.Vectors[i], text) {
				t.Errorf("%s: vector %d is another text's", reply.Name, i)
			}
		}
	}
}

func TestAnswersThatCannotBeMatchedToTheirTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reply llmtest.Reply
		kind  llm.Kind
		says  string
	}{
		{llmtest.WrongCount(), llm.Unavailable, "2 vectors came for 3 texts"},
		{llmtest.SameIndex(), llm.Unavailable, "two vectors with number 0"},
		{llmtest.IndexBeyond(), llm.Unavailable, "3 vectors and among them number 3"},
		{llmtest.NoIndex(), llm.BadRequest, "REVERIE_EMBEDDING_BATCH"},
		{llmtest.EmptyChoices(), llm.Unavailable, "0 vectors came for 3 texts"},
		{llmtest.TruncatedJSON(), llm.Unavailable, "not the protocol's JSON"},
		{llmtest.GarbageBody(), llm.Unavailable, "not the protocol's JSON"},
		{llmtest.Answer(`{"data":[{"index":0,"embedding":[[1,2],[3,4]]}]}`), llm.Unavailable, "not the protocol's JSON"},
		{llmtest.Answer(`{"data":[{"index":0,"embedding":"AACAPw=="}]}`), llm.Unavailable, "not the protocol's JSON"},
		{llmtest.Answer(`{"error":{"message":"upstream is busy","code":429}}`), llm.RateLimited, "upstream is busy"},
	} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply)})
		got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna", "Bello", "Köln"})
		e := failureOf(t, err)
		if e.Kind != test.kind || !strings.Contains(e.Message, test.says) || server.Count() != 1 {
			t.Errorf("%s: %v after %d requests", test.reply.Name, err, server.Count())
		}
		if diff := cmp.Diff(make([][]float32, 3), got.Vectors); diff != "" {
			t.Errorf("%s: vectors %s", test.reply.Name, diff)
		}
	}
}

// One vector without a number can only be the one that was asked for.
func TestASingleVectorNeedsNoNumber(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.NoIndex())})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize = 1 })
	got, err := e.Embed(t.Context(), embed.Document, []string{"Anna", "Bello"})
	if err != nil || !isVectorOf(got.Vectors[0], "Anna") || !isVectorOf(got.Vectors[1], "Bello") || server.Count() != 2 {
		t.Errorf("%v after %d requests", err, server.Count())
	}
}

func TestVectorsOfAnotherLengthSayWhatToSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config int
		server llmtest.Options
		says   []string
	}{
		{"the server ignores the dimensions", 64, llmtest.Options{
			Script: llmtest.Always(llmtest.WrongDimensions(48)),
		}, []string{"have 48 dimensions, 64 are configured", "REVERIE_EMBEDDING_DIMENSIONS) to 48", "0"}},
		{"the server declines the dimensions", 64, llmtest.Options{
			Declines: []string{"dimensions"}, Dimensions: 48,
		}, []string{"have 48 dimensions, 64 are configured", "declines to make others", "to 48"}},
		{"more than the server makes", 5000, llmtest.Options{Dimensions: 48}, []string{"have 48 dimensions, 5000 are configured", "declines"}},
		{"an empty vector", 64, llmtest.Options{Script: llmtest.Always(llmtest.WrongDimensions(0))}, []string{"empty"}},
		{
			"the model behind the name has changed", 0,
			llmtest.Options{Script: llmtest.Sequence(llmtest.Honest(), llmtest.WrongDimensions(48))},
			[]string{"a vector has 48 dimensions", "before it have 256"},
		},
	} {
		e := embedderAt(t, llmtest.New(t, test.server), func(c *embed.Config) { c.Dimensions = test.config })
		if test.config == 0 {
			if _, err := e.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := e.Embed(t.Context(), embed.Document, []string{"Anna", "Bello"})
		failure := failureOf(t, err)
		if failure.Kind != llm.BadVector || failure.Kind.Retryable() {
			t.Errorf("%s: %v", test.name, err)
		}
		for _, words := range test.says {
			if !strings.Contains(failure.Message, words) {
				t.Errorf("%s: %q does not say %q", test.name, failure.Message, words)
			}
		}
		if diff := cmp.Diff(make([][]float32, 2), got.Vectors); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// A model with one size declines to be asked for it: then it is not asked, and its answer still has to fit.
func TestADeclinedFieldIsLeftOut(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Declines: []string{"dimensions"}, Dimensions: 64})
	e := embedderAt(t, server, func(c *embed.Config) { c.Dimensions = 64 })
	for range 2 {
		got, err := e.Embed(t.Context(), embed.Document, []string{"Anna"})
		if err != nil || !isVectorOf(got.Vectors[0], "Anna") {
			t.Fatal(err)
		}
	}
	if server.Count() != 3 {
		t.Errorf("%d requests, want a declined one and two", server.Count())
	}
}

// A complaint that only sounds like a declined field changes nothing for the texts that follow.
func TestWordsAboutDimensionsAreNotAlwaysADecline(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if slices.Contains(r.Texts, "tall") {
			return llmtest.Invalid("the dimension of the text is odd")
		}
		return llmtest.Honest()
	}})
	e := embedderAt(t, server, func(c *embed.Config) { c.Dimensions = 64 })
	_, err := e.Embed(t.Context(), embed.Document, []string{"tall"})
	if refused := new(embed.RefusedTexts); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), embed.Document, []string{"Anna"}); err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	if last := requests[len(requests)-1]; last.Dimensions != 64 {
		t.Errorf("the dimensions were left out afterwards: %s", last.Body)
	}
}

// An unusable vector is never returned, and does not affect the others.
func TestUnusableVectors(t *testing.T) {
	t.Parallel()
	null := llmtest.Reply{Name: "null", Text: func(body string) string {
		return regexp.MustCompile(`"index":1,"embedding":[^}]*`).ReplaceAllString(body, `"index":1,"embedding":null`)
	}}
	missing := llmtest.Reply{Name: "missing", Text: func(body string) string {
		return regexp.MustCompile(`"index":1,"embedding":[^}]*`).ReplaceAllString(body, `"index":1`)
	}}
	for _, reply := range []llmtest.Reply{llmtest.NaNs(1), llmtest.Infinities(1), llmtest.Zeros(1), null, missing} {
		server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(reply)})
		got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna", "Bello", "Köln"})
		refused := new(embed.RefusedTexts)
		if !errors.As(err, &refused) || len(refused.Texts) != 1 || refused.Texts[0].Index != 1 || refused.Texts[0].Err.Kind != llm.BadVector {
			t.Errorf("%s: %v", reply.Name, err)
			continue
		}
		if got.Vectors[1] != nil || !isVectorOf(got.Vectors[0], "Anna") || !isVectorOf(got.Vectors[2], "Köln") {
			t.Errorf("%s: %v", reply.Name, got.Vectors)
		}
		if e := failureOf(t, err); e.Kind.Retryable() {
			t.Errorf("%s: worth another try", reply.Name)
		}
	}
}

// A model that makes no usable vector of anything is broken: no text is blamed for it.
func TestAModelWithoutUsableVectors(t *testing.T) {
	t.Parallel()
	for _, reply := range []llmtest.Reply{llmtest.NaNs(), llmtest.Zeros(), llmtest.WrongDimensions(0)} {
		for _, texts := range [][]string{{"Anna"}, {"Anna", "Bello", "Köln"}} {
			server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(reply)})
			_, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
			if errors.As(err, new(*embed.RefusedTexts)) || failureOf(t, err).Kind != llm.BadVector || server.Count() != 2 {
				t.Errorf("%s, %d texts: %v after %d requests", reply.Name, len(texts), err, server.Count())
			}
		}
	}
}

// Ollama fails as a whole when one vector is not a number.
func TestAServerThatCannotWriteItsVector(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if slices.Contains(r.Texts, "odd") {
			return llmtest.StatusWith(500, "failed to encode response: json: unsupported value: NaN")
		}
		return llmtest.Honest()
	}})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, []string{"Anna", "Bello", "odd", "Köln"})
	refused := new(embed.RefusedTexts)
	if !errors.As(err, &refused) || len(refused.Texts) != 1 || refused.Texts[0].Index != 2 || refused.Texts[0].Err.Kind != llm.BadVector {
		t.Fatal(err)
	}
	for i, text := range []string{"Anna", "Bello", "", "Köln"} {
		if text != "" && !isVectorOf(got.Vectors[i], text) {
			t.Errorf("no vector of %q", text)
		}
	}
}
