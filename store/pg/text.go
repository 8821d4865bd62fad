package pg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"reverie/memory/proposals"
)

// ValidTimeZone checks an IANA time zone name. Local is refused because it differs between machines.
func ValidTimeZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return &InvalidError{Field: "timeZone", Problem: fmt.Sprintf("%q is not an IANA time zone such as Europe/Berlin", name)}
	}
	return nil
}

// Storable makes text of a model or provider fit for a text column: valid UTF-8 without NUL.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// StorableViolations returns violations whose messages PostgreSQL can store.
func StorableViolations(violations []proposals.Violation) []proposals.Violation {
	kept := make([]proposals.Violation, len(violations))
	for i, v := range violations {
		kept[i] = proposals.Violation{Code: v.Code, Message: Storable(v.Message)}
	}
	return kept
}

// JSONOf encodes a value for a jsonb column, without NUL characters.
func JSONOf(what string, value any) (string, error) {
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

// withoutNUL makes all strings in a JSON value storable.
func withoutNUL(value any) any {
	switch v := value.(type) {
	case string:
		return Storable(v)
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

// JSONArgs adds values to args, encoded for jsonb columns.
func JSONArgs(args pgx.NamedArgs, values map[string]any) (pgx.NamedArgs, error) {
	for name, value := range values {
		text, err := JSONOf(name, value)
		if err != nil {
			return nil, err
		}
		args[name] = text
	}
	return args, nil
}

// OrEmpty returns list, or an empty one for nil, which would be null in JSON.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
