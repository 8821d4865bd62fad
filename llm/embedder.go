package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"reverie/memory"
)

// embedder is an Embedder.
type embedder struct {
	config   EmbedderConfig
	provider embedding
	identity memory.EmbeddingIdentity // without dimensions that are not known from the start
	backend  embedBackend
	tracer   trace.Tracer
	breaker  *breaker
	slots    chan struct{} // one for each request that may be under way, but for single questions

	dimensions atomic.Int64  // of the vectors; 0: not known yet
	maxTexts   atomic.Int64  // of one request; it only falls
	maxBytes   atomic.Int64  // of the texts of one request; it only falls
	declined   atomic.Uint32 // features that the model's server has declined once and is not sent again

	lastFailure atomic.Pointer[Error] // of a question
}

// String names provider, model and dimensions: nothing else of an embedder is for printing.
func (e *embedder) String() string { return e.Identity().String() }

// GoString is String.
func (e *embedder) GoString() string { return e.String() }

// LogValue is String.
func (e *embedder) LogValue() slog.Value { return slog.StringValue(e.String()) }

// Identity implements Embedder.
func (e *embedder) Identity() memory.EmbeddingIdentity {
	identity := e.identity
	identity.Dimensions = int(e.dimensions.Load())
	return identity
}

// probeText is what is embedded when any text will do. It is too short to be taken out of an error's words.
const probeText = "Hi."

// Probe implements Embedder.
func (e *embedder) Probe(ctx context.Context) (memory.EmbeddingIdentity, error) {
	if e.dimensions.Load() == 0 {
		if _, err := e.Embed(ctx, EmbedDocument, []string{probeText}); err != nil {
			return memory.EmbeddingIdentity{}, err
		}
	}
	return e.Identity(), nil
}

// Embed implements Embedder.
func (e *embedder) Embed(ctx context.Context, kind EmbedKind, texts []string) (Embeddings, error) {
	if !isHurried(kind, texts) {
		return e.embed(ctx, kind, texts)
	}
	if e.config.QueryTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.config.QueryTimeout)
		defer cancel()
	}
	made, err := e.breaker.Execute(func() (Embeddings, error) { return e.embed(ctx, kind, texts) })
	if failure := broken(err, e.lastFailure.Load()); failure != nil {
		return Embeddings{Vectors: make([][]float32, len(texts))}, failure
	}
	if failure := new(Error); errors.As(err, &failure) {
		e.lastFailure.Store(failure)
	}
	return made, err
}

// isHurried reports whether somebody waits for the vector.
func isHurried(kind EmbedKind, texts []string) bool { return kind == EmbedQuery && len(texts) == 1 }

// request embeds texts in one request. It returns their vectors as the provider made them; Usage is filled next to an error
// as well when the provider charged for the call. What the provider declines of the request, and not of the texts, is left
// out in a second one.
func (e *embedder) request(ctx context.Context, kind EmbedKind, texts []string) ([][]float32, memory.Usage, error) {
	declined := feature(e.declined.Load())
	call, err := e.ask(ctx, kind, texts, declined)
	usage := e.usage(call)
	for err != nil && call.declined != 0 {
		declined |= call.declined
		again, errAgain := e.ask(ctx, kind, texts, declined)
		usage = usage.Add(e.usage(again))
		if failure := new(Error); again.declined == 0 && errors.As(errAgain, &failure) && failure.Kind == BadRequest {
			return nil, usage, err // so it was about something else
		}
		call, err = again, errAgain
		if err == nil {
			e.declined.Or(uint32(declined))
		}
	}
	return call.answer.vectors, usage, err
}

// ask sends one request, without the features that are declined, and checks that as many vectors came as texts went.
func (e *embedder) ask(ctx context.Context, kind EmbedKind, texts []string, declined feature) (*call, error) {
	ctx, span := e.startSpan(ctx, len(texts))
	defer span.End()
	call := e.shape(kind, texts, declined)
	callCtx := withCall(ctx, call)
	if e.config.Timeout > 0 {
		var cancel context.CancelFunc
		callCtx, cancel = context.WithTimeout(callCtx, e.config.Timeout)
		defer cancel()
	}
	began := time.Now()
	err := e.backend(callCtx, texts)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		err = fmt.Errorf("embedding call: %w", context.Canceled)
	case err != nil && ctx.Err() != nil, err != nil && call.failure == nil && callCtx.Err() != nil:
		err = late(time.Since(began))
	case call.failure != nil:
		err = numberless(call.failure)
	case call.answered && len(call.answer.vectors) != len(texts):
		err = &Error{Kind: Unavailable, Status: http.StatusOK, Message: fmt.Sprintf("%d vectors came for %d texts", len(call.answer.vectors), len(texts))}
	case err != nil: // all that can go wrong on the wire is in call.failure: what is left is the request itself
		err = &Error{Kind: BadRequest, Message: tidy(err.Error(), e.config.APIKey, call.said)}
	}
	describe(span, Response{Model: tidy(call.answer.model, e.config.APIKey, call.said), Usage: e.usage(call)}, err)
	return call, err
}

// shape makes a request's call: what langchaingo cannot say, as a patch of the body.
func (e *embedder) shape(kind EmbedKind, texts []string, declined feature) *call {
	patch := map[string]any{}
	maps.Copy(patch, e.provider.fields)
	var sent feature
	if e.config.Dimensions > 0 && declined&chosenSize == 0 {
		sent |= chosenSize
		patch[e.provider.dimensions] = e.config.Dimensions
	}
	if e.provider.kindField != "" && declined&kindOfText == 0 {
		sent |= kindOfText
		patch[e.provider.kindField] = e.provider.kind(kind)
	}
	if e.provider.protocol == cohereEmbed {
		patch["input"], patch["texts"] = nil, texts
	}
	return &call{sent: sent, said: texts, patch: patch}
}

// noNumber is how servers fail when the model makes a vector of something that is no number: Ollama ("json: unsupported
// value: NaN") and those written in Python.
var noNumber = regexp.MustCompile(`(?i)unsupported value: [-+]?(?:nan|inf)|out of range float values`)

// numberless tells a server's trouble with one text, which stays, from trouble that passes.
func numberless(failure *Error) *Error {
	if failure.Kind != Unavailable || !noNumber.MatchString(failure.Message) {
		return failure
	}
	e := *failure
	e.Kind = BadVector
	return &e
}

// usage prices what a call used. A provider that counts nothing is estimated, so that budgets hold there too.
func (e *embedder) usage(call *call) memory.Usage {
	if !call.answered {
		return memory.Usage{}
	}
	in := call.answer.inputTokens
	if in == 0 {
		for _, text := range call.said {
			in += memory.EstimateTokens(text)
		}
	}
	// a dollar per million tokens is a millionth of a dollar per token
	return memory.Usage{Calls: 1, InputTokens: in, CostMicros: int64(math.Round(float64(in) * e.config.Price))}
}
