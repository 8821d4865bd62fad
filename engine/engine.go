// Package engine connects to Temporal. Every client is created here, with the same payload encryption, tracing,
// metrics and logging.
package engine

import (
	"crypto/tls"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"reverie/config"
)

// NewClient returns a client that connects on first use, so that a process can start while Temporal is unavailable.
func NewClient(c config.Config, t *Telemetry) (client.Client, error) {
	options, err := Options(c, t)
	if err != nil {
		return nil, err
	}
	return client.NewLazyClient(options)
}

// Options returns the client options for the configuration.
func Options(c config.Config, t *Telemetry) (client.Options, error) {
	o := client.Options{
		HostPort:  c.TemporalAddress,
		Namespace: c.TemporalNamespace,
	}
	if !c.EncryptionKeys.Empty() {
		keys, err := ParseKeys(c.EncryptionKeys.Reveal())
		if err != nil {
			return client.Options{}, err
		}
		data := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), keys)
		o.DataConverter = data
		// Failures contain messages and stack traces, which must be encrypted as well.
		o.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: data, EncodeCommonAttributes: true,
		})
	}
	if !c.TemporalAPIKey.Empty() {
		o.Credentials = client.NewAPIKeyStaticCredentials(c.TemporalAPIKey.Reveal())
	}
	if c.TemporalTLS || !c.TemporalAPIKey.Empty() {
		o.ConnectionOptions.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if t == nil {
		return o, nil
	}
	o.Logger = sdklog.NewStructuredLogger(t.Log)
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{Tracer: t.Tracers.Tracer(scope)})
	if err != nil {
		return client.Options{}, err
	}
	o.Interceptors = []interceptor.ClientInterceptor{tracing}
	o.MetricsHandler = opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{Meter: t.Meters.Meter(scope)})
	return o, nil
}
