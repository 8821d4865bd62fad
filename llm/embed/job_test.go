package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"reverie/llm"
	"reverie/llm/embed"
	"reverie/llm/llmtest"
)

// numberedTexts are n texts that differ.
func numberedTexts(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("Note %d of Anna", i)
	}
	return texts
}

// wantVectors fails unless the texts have their vectors, but those at the given places, which have none.
func wantVectors(tb testing.TB, got embed.Embeddings, texts []string, but ...int) {
	tb.Helper()
	if len(got.Vectors) != len(texts) {
		tb.Fatalf("%d vectors for %d texts", len(got.Vectors), len(texts))
	}
	for i, text := range texts {
		if slices.Contains(but, i) {
			if got.Vectors[i] != nil {
				tb.Errorf("text %d has a vector", i)
			}
			continue
		}
		if !isVectorOf(got.Vectors[i], text) {
			tb.Errorf("vector %d is not that of its text", i)
		}
	}
}

// refusedOf returns the indexes of the refused texts of an error that is about nothing else.
func refusedOf(tb testing.TB, err error) []int {
	tb.Helper()
	refused := new(embed.RefusedTexts)
	if !errors.As(err, &refused) {
		tb.Fatalf("no refused texts: %v", err)
	}
	var at []int
	for _, text := range refused.Texts {
		at = append(at, text.Index)
	}
	return at
}

// refuses declines every request with one of the texts.
func refuses(reply llmtest.Reply, bad ...string) llmtest.Script {
	return func(r llmtest.Request) llmtest.Reply {
		for _, text := range r.Texts {
			if slices.Contains(bad, text) {
				return reply
			}
		}
		return llmtest.Honest()
	}
}

func TestTextsAreSentInBatches(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	texts := numberedTexts(23)
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize = 10 })
	got, err := e.Embed(t.Context(), embed.Document, texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
	var sizes []int
	for _, r := range server.Requests() {
		sizes = append(sizes, len(r.Texts))
	}
	slices.Sort(sizes)
	if diff := cmp.Diff([]int{3, 10, 10}, sizes); diff != "" {
		t.Error(diff)
	}
	if got.Usage.Calls != 3 || got.Usage.InputTokens != server.Stats().InputTokens {
		t.Errorf("usage %+v", got.Usage)
	}
}

// A request has at most 128 KiB of text, or one text.
func TestLargeTextsAreSentInSmallerBatches(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	var texts []string
	for i, size := range []int{60 << 10, 60 << 10, 60 << 10, 200 << 10, 10, 10} {
		texts = append(texts, strings.Repeat("ab ", size/3)+fmt.Sprint(i))
	}
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
	var sizes []int
	for _, r := range server.Requests() {
		sizes = append(sizes, len(r.Texts))
	}
	slices.Sort(sizes)
	if diff := cmp.Diff([]int{1, 1, 2, 2}, sizes); diff != "" {
		t.Error(diff)
	}
}

func TestRequestsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Slow(20 * time.Millisecond))})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize, c.Concurrency = 1, 3 })
	failures := make(chan error, 2)
	for range 2 { // two jobs share the bound
		go func() {
			_, err := e.Embed(t.Context(), embed.Document, numberedTexts(9))
			failures <- err
		}()
	}
	for range 2 {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	if most := server.Stats().MaxInFlight; most != 3 {
		t.Errorf("%d requests at once, want 3", most)
	}
}

// A text that the provider does not take is found, named, and does not stop the others.
func TestRefusedTextsAreFound(t *testing.T) {
	t.Parallel()
	texts := numberedTexts(40)
	for _, test := range []struct {
		reply llmtest.Reply
		kind  llm.Kind
	}{
		{llmtest.Invalid("The request was invalid."), llm.BadRequest},
		{llmtest.StatusWith(422, "Validation error"), llm.BadRequest},
		{llmtest.Invalid("The response was filtered due to the prompt triggering our content management policy."), llm.Refused},
	} {
		server := llmtest.New(t, llmtest.Options{Script: refuses(test.reply, texts[7], texts[8], texts[39])})
		got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
		if diff := cmp.Diff([]int{7, 8, 39}, refusedOf(t, err)); diff != "" {
			t.Errorf("%s: %s", test.kind, diff)
		}
		wantVectors(t, got, texts, 7, 8, 39)
		if e := failureOf(t, err); e.Kind != test.kind || e.Kind.Retryable() {
			t.Errorf("%v", err)
		}
		if n := server.Count(); n > 40 {
			t.Errorf("%d requests to find three texts of 40", n)
		}
	}
}

// Whichever texts are refused, the others get their vectors and exactly those are named.
func TestWhateverIsRefused(t *testing.T) {
	t.Parallel()
	const bad = "unacceptable"
	server := llmtest.New(t, llmtest.Options{Dimensions: 16, Script: func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.User, bad) {
			return llmtest.Invalid("no")
		}
		return llmtest.Honest()
	}})
	embedders := map[int]embed.Embedder{}
	for _, size := range []int{1, 2, 7, 40} {
		embedders[size] = embedderAt(t, server, func(c *embed.Config) { c.BatchSize = size })
	}
	rapid.Check(t, func(rt *rapid.T) {
		texts := numberedTexts(rapid.IntRange(0, 20).Draw(rt, "texts"))
		var at []int
		for i := range texts {
			if rapid.IntRange(0, 3).Draw(rt, "bad") == 0 {
				texts[i], at = bad, append(at, i)
			}
		}
		e := embedders[rapid.SampledFrom([]int{1, 2, 7, 40}).Draw(rt, "batch")]
		got, err := e.Embed(t.Context(), embed.Document, texts)
		var refused []int
		if only := new(embed.RefusedTexts); errors.As(err, &only) {
			for _, text := range only.Texts {
				refused = append(refused, text.Index)
			}
		} else if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(at, refused); diff != "" {
			rt.Fatal(diff)
		}
		for i, text := range texts {
			if isBad := text == bad; isBad != (got.Vectors[i] == nil) || !isBad && !isVectorOf(got.Vectors[i], text) {
				rt.Fatalf("vector %d", i)
			}
		}
	})
}

// Some providers take one batch less than others: the limit is met once, not with every batch.
func TestALimitOfTextsIsLearned(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{MaxTexts: 10})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize, c.Concurrency = 40, 1 })
	texts := numberedTexts(40)
	for range 2 {
		got, err := e.Embed(t.Context(), embed.Document, texts)
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, texts)
	}
	if declined := server.Stats().Replies["declined"]; declined != 3 {
		t.Errorf("%d requests were too large, want 3: one of 40 and two of 20", declined)
	}
}

// So is a limit on all texts of a request together, which is not a reason to send short texts one by one.
func TestALimitOfBytesIsLearned(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Dimensions: 8, Script: func(r llmtest.Request) llmtest.Reply {
		if len(r.User) > 70<<10 {
			return llmtest.Invalid("Too many tokens overall, split into more batches.")
		}
		return llmtest.Honest()
	}})
	e := embedderAt(t, server, func(c *embed.Config) { c.Concurrency = 1 })
	long := []string{strings.Repeat("Anna ", 12<<10), strings.Repeat("Bello ", 10<<10)}
	for _, texts := range [][]string{long, long, numberedTexts(64)} {
		before := server.Count()
		got, err := e.Embed(t.Context(), embed.Document, texts)
		if err != nil || len(got.Shortened) != 0 {
			t.Fatal(err, got.Shortened)
		}
		wantVectors(t, got, texts)
		if requests := server.Count() - before; len(texts) == 64 && requests != 1 {
			t.Errorf("%d requests for short texts", requests)
		}
	}
	if refused := server.Stats().Replies["400"]; refused != 1 {
		t.Errorf("%d requests were too large, want 1", refused)
	}
}

// A wrong model name is not the texts' fault, and one request finds that out.
func TestARefusalOfEverythingIsNotBlamedOnTheTexts(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Invalid("Model 'embed-test' not found"))})
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, numberedTexts(40))
	if refused := new(embed.RefusedTexts); errors.As(err, &refused) {
		t.Errorf("texts were blamed: %v", err)
	}
	if e := failureOf(t, err); e.Kind != llm.BadRequest || !strings.Contains(e.Message, "not found") || server.Count() != 2 {
		t.Errorf("%v after %d requests", err, server.Count())
	}
	if got.Usage.Calls != 0 {
		t.Errorf("%+v", got.Usage)
	}
}

func TestATextThatIsTooLongIsShortened(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{ContextWindow: 100})
	long := strings.TrimSpace(strings.Repeat("Anna ", 120)) // 150 tokens
	longest := strings.Repeat("記憶", 300)                    // 450 tokens: its half is too long as well
	texts := []string{"Bello", long, "Köln", longest, "Anna"}
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
	if diff := cmp.Diff([]int{3}, refusedOf(t, err)); diff != "" {
		t.Error(diff)
	}
	if e := failureOf(t, err); e.Kind != llm.ContextTooLong {
		t.Error(err)
	}
	if diff := cmp.Diff([]int{1}, got.Shortened); diff != "" {
		t.Error(diff)
	}
	shortened := slices.Clone(texts)
	shortened[1] = strings.TrimSpace(long[:len(long)/2])
	wantVectors(t, got, shortened, 3)
	for _, r := range server.Requests() {
		for _, text := range r.Texts {
			if strings.ContainsRune(text, '\uFFFD') {
				t.Errorf("a character was cut in two: %q", text)
			}
		}
	}
}

func TestBlankTextsAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	texts := []string{"Anna", "", " \n\t", "Köln"}
	got, err := embedderAt(t, server).Embed(t.Context(), embed.Document, texts)
	if diff := cmp.Diff([]int{1, 2}, refusedOf(t, err)); diff != "" {
		t.Error(diff)
	}
	wantVectors(t, got, texts, 1, 2)
	if server.Count() != 1 {
		t.Errorf("%d requests", server.Count())
	}
}

// Vectors made before the provider failed are kept, and it gets no further requests.
func TestWhatWasMadeBeforeAFailureIsKept(t *testing.T) {
	t.Parallel()
	texts := numberedTexts(50)
	texts[3] = " "
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Sequence(llmtest.Honest(), llmtest.Honest(), llmtest.Status(429, 9*time.Second))})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize, c.Concurrency = 10, 1 })
	got, err := e.Embed(t.Context(), embed.Document, texts)
	if failure := failureOf(t, err); failure.Kind != llm.RateLimited || failure.RetryAfter != 9*time.Second {
		t.Error(err)
	}
	if diff := cmp.Diff([]int{3}, refusedOf(t, err)); diff != "" {
		t.Error(diff)
	}
	made := 0
	for _, v := range got.Vectors {
		if v != nil {
			made++
		}
	}
	if made != 20 || got.Usage.Calls != 2 || server.Count() != 3 {
		t.Errorf("%d vectors, usage %+v, %d requests", made, got.Usage, server.Count())
	}
}

// Every fault: its kind, its delay, and that it is not retried here.
func TestEmbedFailures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reply    llmtest.Reply
		kind     llm.Kind
		status   int // 0: none
		after    time.Duration
		requests int
	}{
		{llmtest.Status(429), llm.RateLimited, 429, 0, 1},
		{llmtest.Status(429, 7*time.Second), llm.RateLimited, 429, 7 * time.Second, 1},
		{llmtest.Quota(), llm.Quota, 429, 0, 1},
		{llmtest.Unauthorized(), llm.Unauthorized, 401, 0, 1},
		{llmtest.Status(403), llm.Unauthorized, 403, 0, 1},
		{llmtest.Status(402), llm.Quota, 402, 0, 1},
		{llmtest.Status(404), llm.BadRequest, 404, 0, 1},
		{llmtest.Status(408), llm.Timeout, 408, 0, 1},
		{llmtest.Status(500), llm.Unavailable, 500, 0, 1},
		{llmtest.Status(502), llm.Unavailable, 502, 0, 1},
		{llmtest.Status(503, 3*time.Second), llm.Overloaded, 503, 3 * time.Second, 1},
		{llmtest.Status(504), llm.Timeout, 504, 0, 1},
		{llmtest.Status(307), llm.BadRequest, 307, 0, 1},
		{llmtest.HangUpBeforeAnswer(), llm.Unavailable, 0, 0, 1},
		{llmtest.HangUpMidBody(), llm.Unavailable, 0, 0, 1},
		{llmtest.ContextTooLong(), llm.ContextTooLong, 400, 0, 2}, // once more with its first half
		{llmtest.Status(413), llm.ContextTooLong, 413, 0, 2},
		{llmtest.Status(400), llm.BadRequest, 400, 0, 2}, // once more with a harmless word
	} {
		for _, kind := range []embed.Kind{embed.Document, embed.Query} {
			server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(test.reply)})
			got, err := embedderAt(t, server).Embed(t.Context(), kind, []string{"Where does Anna live?"})
			e := failureOf(t, err)
			if e.Kind != test.kind || e.Status != test.status || e.RetryAfter != test.after || server.Count() != test.requests {
				t.Errorf("%s %s: %v, retry after %s, %d requests", kind, test.reply.Name, err, e.RetryAfter, server.Count())
			}
			if len(got.Vectors) != 1 || got.Vectors[0] != nil {
				t.Errorf("%s %s: %v", kind, test.reply.Name, got.Vectors)
			}
		}
	}
}

func TestEmbedDeadlinesAndCancellation(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: llmtest.Always(llmtest.Slow(time.Minute))})
	e := embedderAt(t, server, func(c *embed.Config) { c.Timeout, c.Concurrency = 50*time.Millisecond, 1 })
	_, err := e.Embed(t.Context(), embed.Document, []string{"Anna"})
	if failure := failureOf(t, err); failure.Kind != llm.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}

	patient := embedderAt(t, server)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = patient.Embed(ctx, embed.Document, []string{"Anna"})
	if failure := failureOf(t, err); failure.Kind != llm.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}

	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	_, err = patient.Embed(ctx, embed.Document, numberedTexts(3))
	if !errors.Is(err, context.Canceled) || errors.As(err, new(*llm.Error)) {
		t.Error(err)
	}
}

// Many callers at once get their own vectors.
func TestEmbeddersAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Script: func(r llmtest.Request) llmtest.Reply {
		if r.Number%3 == 0 {
			return llmtest.OutOfOrder().After(time.Millisecond)
		}
		return llmtest.Honest()
	}, MaxTexts: 7})
	e := embedderAt(t, server, func(c *embed.Config) { c.BatchSize = 16 })
	done := make(chan error, 16)
	for caller := range cap(done) {
		go func() {
			texts := numberedTexts(1 + rand.IntN(30))
			for i := range texts {
				texts[i] += fmt.Sprintf(" by caller %d", caller)
			}
			kind := []embed.Kind{embed.Document, embed.Query}[caller%2]
			got, err := e.Embed(t.Context(), kind, texts)
			for i := range texts {
				if err == nil && !isVectorOf(got.Vectors[i], texts[i]) {
					err = fmt.Errorf("caller %d: vector %d is another text's", caller, i)
				}
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
