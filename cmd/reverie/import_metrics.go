package main

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"reverie/activities"
	"reverie/engine"
)

// importMetrics count what moves in from other systems, by what it is and what became of it.
func importMetrics(t *engine.Telemetry) (func(activities.ImportedItem), error) {
	i := instruments{Meter: t.Meters.Meter("reverie")}
	items := i.counter("reverie_import_items", "Items of imports that were settled, by kind, outcome and reason.")
	return func(item activities.ImportedItem) {
		kind := "document"
		if item.Conversation {
			kind = "conversation"
		}
		items.Add(context.Background(), 1, metric.WithAttributes(attribute.String("kind", kind),
			attribute.String("outcome", string(item.Outcome)), attribute.String("reason", string(item.ReasonCode))))
	}, i.failed
}
