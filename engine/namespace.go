package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// namespaceInterval is the time between two checks of a namespace.
	namespaceInterval = 15 * time.Second
	// callTimeout bounds a check of a namespace. Servers know a new one within ten seconds.
	callTimeout = 20 * time.Second
	// registerPause is the time between two attempts to register search attributes in a new namespace.
	registerPause = 200 * time.Millisecond
	// retention is the time for which a namespace that is created here keeps closed workflows.
	retention = 14 * 24 * time.Hour
)

// Namespace is the Temporal namespace of a deployment. It is safe for concurrent use.
type Namespace struct {
	client     client.Client
	name       string
	attributes map[string]string
	log        *slog.Logger

	mu       sync.Mutex
	id       string // last seen; a namespace with another one is in another database
	replaced bool   // it had another id before, which Keep has not handled
}

// NewNamespace returns the namespace with a name, which must have search attributes, name to type ("Keyword", "Int", …).
func NewNamespace(c client.Client, name string, attributes map[string]string, log *slog.Logger) *Namespace {
	return &Namespace{client: c, name: name, attributes: attributes, log: log}
}

// Prepare creates the namespace and its search attributes where they are missing. It fails when Temporal does not answer, when the
// credentials do not allow it, and when an attribute exists with another type.
func (n *Namespace) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id, err := n.ensure(ctx)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.replaced = n.replaced || n.id != "" && n.id != id
	n.id = id
	n.mu.Unlock()
	for {
		err := n.register(ctx)
		if _, unknown := errors.AsType[*serviceerror.NamespaceNotFound](err); !unknown {
			return err
		}
		select { // it was just created, and the server's parts learn of it one after the other
		case <-ctx.Done():
			return err
		case <-time.After(registerPause):
		}
	}
}

// Keep prepares the namespace every 15 seconds until ctx ends, so that Temporal works again soon after its database was lost. After
// such a loss it calls lost, once the namespace is complete; nil: nobody is notified.
func (n *Namespace) Keep(ctx context.Context, lost func()) {
	ticker := time.NewTicker(namespaceInterval)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := n.Prepare(ctx)
		if err != nil && ctx.Err() == nil && !failed {
			n.log.Warn("The Temporal namespace is not usable; trying again", "namespace", n.name, "error", err)
		}
		if failed = err != nil; failed || !n.wasReplaced() {
			continue
		}
		n.log.Warn("Temporal's database was replaced; pending work is started again", "namespace", n.name)
		if lost != nil {
			lost()
		}
	}
}

// wasReplaced reports once that the namespace is another one than before.
func (n *Namespace) wasReplaced() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	replaced := n.replaced
	n.replaced = false
	return replaced
}

// ensure returns the id of the namespace. It creates one that does not exist.
func (n *Namespace) ensure(ctx context.Context) (id string, err error) {
	service := n.client.WorkflowService()
	described, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: n.name})
	if err == nil {
		return described.GetNamespaceInfo().GetId(), nil
	}
	if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); !missing {
		return "", fmt.Errorf("describe namespace %s: %w", n.name, err)
	}
	_, err = service.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: n.name, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
	})
	if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err != nil && !exists {
		return "", fmt.Errorf("namespace %s does not exist and cannot be created: %w", n.name, err)
	}
	n.log.Info("Temporal namespace created", "namespace", n.name)
	if described, err = service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: n.name}); err != nil {
		return "", fmt.Errorf("describe namespace %s: %w", n.name, err)
	}
	return described.GetNamespaceInfo().GetId(), nil
}

// register creates the missing search attributes.
func (n *Namespace) register(ctx context.Context) error {
	operator := n.client.OperatorService()
	known, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: n.name})
	if err != nil {
		return fmt.Errorf("list the search attributes of namespace %s: %w", n.name, err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, typeName := range n.attributes {
		kind, err := enumspb.IndexedValueTypeFromString(typeName)
		if err != nil {
			return fmt.Errorf("search attribute %s: %w", name, err)
		}
		switch have, found := known.GetCustomAttributes()[name]; {
		case !found:
			missing[name] = kind
		case have != kind:
			return fmt.Errorf("search attribute %s of namespace %s is of type %s and must be %s: rename or remove it", name, n.name, have, kind)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(missing)), ", ")
	_, err = operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: n.name, SearchAttributes: missing})
	if _, exists := errors.AsType[*serviceerror.AlreadyExists](err); exists {
		return nil // another process has registered them
	}
	if err != nil {
		return fmt.Errorf("namespace %s has no search attributes %s, and they cannot be registered: %w", n.name, names, err)
	}
	n.log.Info("Search attributes registered", "namespace", n.name, "attributes", names)
	return nil
}

// IsAway reports whether err means that Temporal cannot be reached now, has too much to do, or does not know the namespace yet: its
// servers learn of a new one within seconds. Everything else takes a change of the configuration.
func IsAway(err error) bool {
	if _, is := errors.AsType[*serviceerror.NamespaceNotFound](err); is {
		return true
	}
	if _, is := errors.AsType[*serviceerror.Unavailable](err); is {
		return true
	}
	if _, is := errors.AsType[*serviceerror.DeadlineExceeded](err); is {
		return true
	}
	_, busy := errors.AsType[*serviceerror.ResourceExhausted](err)
	return busy || errors.Is(err, context.DeadlineExceeded)
}
