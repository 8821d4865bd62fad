package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// InvalidError means that an argument cannot be used. Problem describes how to fix it.
type InvalidError struct {
	Field   string // as the API names it, such as messages[3].content
	Problem string
	Cause   error
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap returns the typed error that caused it, or nil.
func (e *InvalidError) Unwrap() error { return e.Cause }

// Plural formats a number with the form that fits it: "1 source waits", "2 sources wait".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// MaxName is the longest name, in bytes.
const MaxName = 255

// ValidName checks a display name.
func ValidName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return &InvalidError{Field: field, Problem: "give a name"}
	}
	return ValidText(field, name, MaxName)
}

// ValidText checks a text that is stored: UTF-8 without NUL, at most limit bytes. It returns an *InvalidError.
func ValidText(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return &InvalidError{Field: field, Problem: fmt.Sprintf("%d bytes, at most %d allowed", len(s), limit)}
	case !utf8.ValidString(s):
		return &InvalidError{Field: field, Problem: "must be valid UTF-8"}
	case strings.ContainsRune(s, 0):
		return &InvalidError{Field: field, Problem: "must not contain NUL characters"}
	}
	return nil
}
