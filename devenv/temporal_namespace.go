package devenv

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"
)

// retention is how long closed workflows can be looked at and reset. The dev server's own value is a day; two weeks let a
// person look into a dream of last week.
const retention = 14 * 24 * time.Hour

// silent discards the SDK's messages about a server that is still starting.
var silent = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

// callPatience bounds each call while waiting for the server.
const callPatience = 5 * time.Second

// prepareNamespace connects, sets the namespace's retention and registers the search attributes that it lacks: those of
// a new database are there by the server's flags, but the flags do nothing for an existing one.
func (t *Temporal) prepareNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address, Namespace: t.options.Namespace, Logger: silent})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		return err
	}
	described, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: t.options.Namespace})
	if err != nil {
		return err
	}
	if described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() != retention {
		_, err := c.WorkflowService().UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
			Namespace: t.options.Namespace,
			Config:    &namespace.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(retention)},
		})
		if err != nil {
			return err
		}
	}
	return t.registerSearchAttributes(ctx, c)
}

// SearchAttributeError says that a search attribute is registered already, with another type than asked for.
type SearchAttributeError struct{ Name, Registered, Wanted string }

func (e *SearchAttributeError) Error() string {
	return fmt.Sprintf("the search attribute %s is registered as %s, not as %s; remove Temporal's folder to begin anew", e.Name, e.Registered, e.Wanted)
}

func (t *Temporal) registerSearchAttributes(ctx context.Context, c client.Client) error {
	if len(t.options.SearchAttributes) == 0 {
		return nil
	}
	listed, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: t.options.Namespace})
	if err != nil {
		return err
	}
	missing := map[string]enums.IndexedValueType{}
	for name, kind := range t.options.SearchAttributes {
		wanted, err := enums.IndexedValueTypeFromString(kind)
		if err != nil {
			return &SearchAttributeError{Name: name, Registered: "nothing", Wanted: kind}
		}
		registered, ok := listed.GetCustomAttributes()[name]
		switch {
		case !ok:
			missing[name] = wanted
		case registered != wanted:
			return &SearchAttributeError{Name: name, Registered: registered.String(), Wanted: wanted.String()}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: t.options.Namespace, SearchAttributes: missing,
	})
	if err != nil && strings.Contains(err.Error(), "already exist") {
		return nil // another process that uses the server registered them meanwhile
	}
	return err
}
