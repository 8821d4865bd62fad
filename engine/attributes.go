package engine

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// RegisterSearchAttributes makes sure that the namespace has the given attributes, name to type ("Keyword", "Int", …).
// Those that exist stay as they are; one that exists with another type is an error.
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
		return nil // another process was quicker
	}
	if err != nil {
		return fmt.Errorf("register search attributes in namespace %s: %w", namespace, err)
	}
	return nil
}
