// Package engine connects to Temporal. Every client is created here, with the same payload encryption, tracing,
// metrics and logging.
package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
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

// RegisterSearchAttributes creates the missing search attributes of a namespace, name to type ("Keyword", "Int", …).
// An existing one with another type is an error.
func RegisterSearchAttributes(ctx context.Context, c client.Client, namespace string, attributes map[string]string) error {
	operator := c.OperatorService()
	known, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("list the search attributes of namespace %s: %w", namespace, err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, typeName := range attributes {
		kind, err := enumspb.IndexedValueTypeFromString(typeName)
		if err != nil {
			return fmt.Errorf("search attribute %s: %w", name, err)
		}
		switch have, found := known.GetCustomAttributes()[name]; {
		case !found:
			missing[name] = kind
		case have != kind:
			return fmt.Errorf("search attribute %s of namespace %s is of type %s and must be %s: rename or remove it", name, namespace, have, kind)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing})
	if exists := (*serviceerror.AlreadyExists)(nil); errors.As(err, &exists) {
		return nil // another process has registered it
	}
	if err != nil {
		return fmt.Errorf("register search attributes in namespace %s: %w", namespace, err)
	}
	return nil
}
