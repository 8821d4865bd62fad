package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	promexporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"reverie/config"
)

// scope names the program's spans and metrics.
const scope = "reverie"

// Telemetry holds a process's structured logs, traces and metrics. None of them contains memory contents.
type Telemetry struct {
	Log     *slog.Logger
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
	// Metrics serves everything that Meters collect, in Prometheus format.
	Metrics http.Handler

	shutdown []func(context.Context) error
}

// NewTelemetry configures telemetry: logs as JSON to w, metrics for Prometheus to scrape, traces to the OTLP endpoint
// if one is set. service is the process ("api", "worker", "dev").
func NewTelemetry(ctx context.Context, c config.Config, service string, w io.Writer) (*Telemetry, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, fmt.Errorf("%s_LOG_LEVEL: %q is not debug, info, warn or error", config.Prefix, c.LogLevel)
	}
	t := &Telemetry{
		Log:     slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})).With("service", service),
		Tracers: noop.NewTracerProvider(),
	}
	res := resource.NewSchemaless(attribute.String("service.name", "reverie"), attribute.String("service.role", service))

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	exporter, err := promexporter.New(promexporter.WithRegisterer(registry), promexporter.WithoutScopeInfo())
	if err != nil {
		return nil, err
	}
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(exporter), sdkmetric.WithResource(res))
	t.Meters, t.shutdown = meters, append(t.shutdown, meters.Shutdown)
	t.Metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	if c.OTLPEndpoint != "" {
		spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.OTLPEndpoint))
		if err != nil {
			return nil, fmt.Errorf("%s_OTLP_ENDPOINT: %w", config.Prefix, err)
		}
		tracers := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(res))
		t.Tracers, t.shutdown = tracers, append(t.shutdown, tracers.Shutdown)
	}
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return t, nil
}

// Shutdown sends what has not been sent.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.shutdown {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}
