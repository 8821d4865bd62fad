package embed

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

	"github.com/sony/gobreaker/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"reverie/llm/provider"
	"reverie/llm/wire"
	"reverie/memory"
	"reverie/memory/tokencount"
)

// embedder is an Embedder.
type embedder struct {
	config   Config
	provider provider.Embedding
	identity memory.EmbeddingIdentity // Dimensions only if configured
	send     sender
	tracer   trace.Tracer
	breaker  *breaker
	slots    chan struct{} // one for each concurrent request; single questions need none

	dimensions atomic.Int64  // of the vectors; 0: not known yet
	maxTexts   atomic.Int64  // of one request; it only falls
	maxBytes   atomic.Int64  // of the texts of one request; it only falls
	declined   atomic.Uint32 // features that the model's server has declined and is not sent again

	lastFailure atomic.Pointer[wire.Error] // of a question
}

// String returns provider, model and dimensions, and never the key.
func (e *embedder) String() string { return e.Identity().String() }

// GoString implements fmt.GoStringer as String does.
func (e *embedder) GoString() string { return e.String() }

// LogValue implements slog.LogValuer as String does.
func (e *embedder) LogValue() slog.Value { return slog.StringValue(e.String()) }

// Identity implements Embedder.
func (e *embedder) Identity() memory.EmbeddingIdentity {
	identity := e.identity
	identity.Dimensions = int(e.dimensions.Load())
	return identity
}

// probeText is embedded when any text will do. It is too short to be redacted from an error.
const probeText = "Hi."

// Probe implements Embedder.
func (e *embedder) Probe(ctx context.Context) (memory.EmbeddingIdentity, error) {
	if e.dimensions.Load() == 0 {
		if _, err := e.Embed(ctx, Document, []string{probeText}); err != nil {
			return memory.EmbeddingIdentity{}, err
		}
	}
	return e.Identity(), nil
}

// Embed implements Embedder.
func (e *embedder) Embed(ctx context.Context, kind Kind, texts []string) (Embeddings, error) {
	if !isUrgent(kind, texts) {
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
	if failure := new(wire.Error); errors.As(err, &failure) {
		e.lastFailure.Store(failure)
	}
	return made, err
}

// isUrgent reports whether somebody waits for the vector.
func isUrgent(kind Kind, texts []string) bool { return kind == Query && len(texts) == 1 }

// request embeds texts in one request and returns their vectors as the provider made them. Usage is also set next to an error
// if the provider charged for the call. A part of the request that the provider declines is left out in a second one.
func (e *embedder) request(ctx context.Context, kind Kind, texts []string) ([][]float32, memory.Usage, error) {
	declined := wire.Feature(e.declined.Load())
	call, err := e.ask(ctx, kind, texts, declined)
	usage := e.usage(call)
	for err != nil && call.Declined != 0 {
		declined |= call.Declined
		again, errAgain := e.ask(ctx, kind, texts, declined)
		usage = usage.Add(e.usage(again))
		if failure := new(wire.Error); again.Declined == 0 && errors.As(errAgain, &failure) && failure.Kind == wire.BadRequest {
			return nil, usage, err // so it was about something else
		}
		call, err = again, errAgain
		if err == nil {
			e.declined.Or(uint32(declined))
		}
	}
	return call.Answer.Vectors, usage, err
}

// ask sends one request without the declined features, and checks that as many vectors came as texts were sent.
func (e *embedder) ask(ctx context.Context, kind Kind, texts []string, declined wire.Feature) (*wire.Call, error) {
	ctx, span := wire.StartSpan(ctx, e.tracer, "embeddings", e.identity.Provider, e.config.Model,
		attribute.Int("reverie.texts", len(texts)))
	defer span.End()
	call := &wire.Call{Key: e.config.APIKey, Said: texts}
	fields := e.fields(call, kind, declined)
	err := call.Run(ctx, e.config.Timeout, func(ctx context.Context) error { return e.send(ctx, texts, fields) })
	switch {
	case err == nil && len(call.Answer.Vectors) != len(texts):
		err = &wire.Error{
			Kind: wire.Unavailable, Status: http.StatusOK,
			Message: fmt.Sprintf("%d vectors came for %d texts", len(call.Answer.Vectors), len(texts)),
		}
	case call.Failure != nil && errors.Is(err, call.Failure):
		err = notNumeric(call.Failure)
	}
	wire.DescribeSpan(span, wire.Tidy(call.Answer.Model, call), e.usage(call), false, err)
	return call, err
}

// fields returns the optional fields of a request, and notes in the call which features they are.
func (e *embedder) fields(call *wire.Call, kind Kind, declined wire.Feature) map[string]any {
	fields := map[string]any{}
	maps.Copy(fields, e.provider.Fields)
	if e.config.Dimensions > 0 && declined&wire.ChosenSize == 0 {
		call.Sent |= wire.ChosenSize
		fields[e.provider.Dimensions] = e.config.Dimensions
	}
	if e.provider.KindField != "" && declined&wire.KindOfText == 0 {
		call.Sent |= wire.KindOfText
		fields[e.provider.KindField] = e.provider.Document
		if kind == Query {
			fields[e.provider.KindField] = e.provider.Query
		}
	}
	return fields
}

// nan matches the errors of servers whose model returns a vector with something that is not a number: Ollama ("json: unsupported
// value: NaN") and those written in Python.
var nan = regexp.MustCompile(`(?i)unsupported value: [-+]?(?:nan|inf)|out of range float values`)

// notNumeric changes the kind of a server's error about one text: it is permanent, although the server reports an internal fault.
func notNumeric(failure *wire.Error) *wire.Error {
	if failure.Kind != wire.Unavailable || !nan.MatchString(failure.Message) {
		return failure
	}
	e := *failure
	e.Kind = wire.BadVector
	return &e
}

// usage prices what a call used. Tokens that the provider does not count are estimated, so that budgets hold there too.
func (e *embedder) usage(call *wire.Call) memory.Usage {
	if !call.Answered {
		return memory.Usage{}
	}
	in := call.Answer.InputTokens
	if in == 0 {
		for _, text := range call.Said {
			in += tokencount.Estimate(text)
		}
	}
	// A dollar per million tokens is a millionth of a dollar per token.
	return memory.Usage{Calls: 1, InputTokens: in, CostMicros: int64(math.Round(float64(in) * e.config.Price))}
}

const (
	// breakAfter is the number of consecutive failed questions after which the next ones fail at once: a single failure may be
	// chance, and each costs the searcher the whole query timeout.
	breakAfter = 3
	// breakFor limits how long they fail at once; then a single question tests whether the provider is back.
	breakFor = 10 * time.Second
)

// breaker stops asking a provider that does not answer questions.
type breaker = gobreaker.CircuitBreaker[Embeddings]

func newBreaker(pause time.Duration) *breaker {
	return gobreaker.NewCircuitBreaker[Embeddings](gobreaker.Settings{
		Timeout:     pause,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakAfter },
		// A provider that refuses a text is available.
		IsSuccessful: func(err error) bool { return err == nil || errors.As(err, new(*RefusedTexts)) },
		// A caller that stopped waiting proves nothing about the provider.
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// broken returns the error of a question that was not sent because of earlier failures, the last of them with this error; nil for
// other errors.
func broken(err error, last *wire.Error) *wire.Error {
	if !errors.Is(err, gobreaker.ErrOpenState) && !errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil
	}
	message := "not asked, because the questions before it failed"
	if last != nil {
		message = wire.Cut(message + ": " + last.Error())
	}
	return &wire.Error{Kind: wire.Unavailable, Message: message, RetryAfter: breakFor}
}
