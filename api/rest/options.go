package rest

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/client"

	"reverie/chat"
	"reverie/memory"
	"reverie/recall"
	"reverie/store"
)

// Options are what a Server works with. Store, Temporal and Log are needed.
type Options struct {
	Store *store.Store
	// Temporal may be a lazy client: the server starts and stores messages while Temporal is away.
	Temporal client.Client
	// Timing holds for agents that set none of their own.
	Timing memory.Timing
	Model  Model
	// Dreams are the parameters of dreams of agents that set none of their own, DreamSchedule says when they dream. Zero values:
	// as documented.
	Dreams        memory.DreamSettings
	DreamSchedule memory.DreamSchedule
	// Search is how memory is searched; nil: by words alone, with the documented settings. The server closes its Recorder.
	Search *recall.Searcher
	// Chat is how turns are answered: the model, the length of an answer, and the settings of context windows and extractions of
	// agents that set none of their own. The rest of it is the server's. Zero: without a model, as documented.
	Chat chat.Options
	// Workspace is the one whose backlog the metrics show; empty: none is shown.
	Workspace string
	Log       *slog.Logger
	Tracers   trace.TracerProvider // nil: no traces
	Meters    metric.MeterProvider // nil: no metrics
	// Metrics serves what Meters collect, at /metrics; nil: there is no such route.
	Metrics http.Handler
	// RateLimit is how many requests a second one key may make, with bursts of twice as many; 0: as many as it likes.
	RateLimit float64
	Version   string // of this program, shown in the status
	// WorkflowURL is the address of a workflow in Temporal's Web UI without the workflow id, such as
	// http://127.0.0.1:8233/namespaces/default/workflows/; empty: answers have no link to it.
	WorkflowURL string
	Now         func() time.Time // the clock; nil: time.Now
}

// Model describes the engine that extracts, for the status.
type Model struct {
	Name    string // provider/model, or builtin/extractive
	BuiltIn bool   // no model is configured: rules extract
}

// Check names what is missing.
func (o Options) Check() error {
	var errs []error
	if o.Store == nil {
		errs = append(errs, errors.New("api: Options.Store is missing"))
	}
	if o.Temporal == nil {
		errs = append(errs, errors.New("api: Options.Temporal is missing"))
	}
	if o.Log == nil {
		errs = append(errs, errors.New("api: Options.Log is missing"))
	}
	return errors.Join(errs...)
}

// Limits of requests. Limits of single values stand in the OpenAPI document.
const (
	// MaxBodyBytes bounds a request's body. A batch may hold 1,000 messages of 256 KiB each, but not all at once: what a
	// server holds in memory for one request is about four times its body.
	MaxBodyBytes = 32 << 20
	// MaxDocumentBody holds a document of 1 MiB with most of its characters escaped.
	MaxDocumentBody = 8 << 20
	// MaxSearchBody holds a question that is much too long, so that it is refused as one.
	MaxSearchBody = 8 << 20
	// MaxSmallBody is for requests that carry no contents.
	MaxSmallBody = 256 << 10
	// maxHeaderBytes bounds a request's headers.
	maxHeaderBytes = 64 << 10

	// RequestTimeout bounds a request that waits for nothing but the store. Its body has to arrive within bodyTimeout.
	RequestTimeout = 30 * time.Second
	bodyTimeout    = time.Minute
	// MaxWait is the longest ?wait=, and defaultWait what it is by itself.
	MaxWait     = 5 * time.Minute
	defaultWait = time.Minute
)
