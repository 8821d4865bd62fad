package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"reverie/memory"
)

// storable is text of a model or a provider as the database takes it: without NUL, and valid UTF-8.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// storableReason is the reason of a drafted change as the gate takes it.
func storableReason(reason string) string {
	reason = storable(reason)
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return reason
}

func storableViolations(violations []memory.Violation) []memory.Violation {
	kept := make([]memory.Violation, len(violations))
	for i, v := range violations {
		kept[i] = memory.Violation{Code: v.Code, Message: storable(v.Message)}
	}
	return kept
}

// jsonOf is a value as a column of type jsonb takes it, which holds no NUL.
func jsonOf(what string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if !bytes.Contains(text, []byte(`\u0000`)) {
		return string(text), nil
	}
	var loose any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&loose); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if text, err = json.Marshal(withoutNUL(loose)); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return string(text), nil
}

// withoutNUL makes all texts in a JSON value storable.
func withoutNUL(value any) any {
	switch v := value.(type) {
	case string:
		return storable(v)
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withoutNUL(v[key])
		}
	}
	return value
}

// jsonArgs adds values to args as columns of type jsonb take them.
func jsonArgs(args pgx.NamedArgs, values map[string]any) (pgx.NamedArgs, error) {
	for name, value := range values {
		text, err := jsonOf(name, value)
		if err != nil {
			return nil, err
		}
		args[name] = text
	}
	return args, nil
}

// orEmpty is list, never nil, since null is no list in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
