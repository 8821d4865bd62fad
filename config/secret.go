package config

import "log/slog"

// Secret is a setting that must never be printed: formatting and logging show "[secret]".
type Secret string

const shown = "[secret]"

// Reveal returns the value, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// Empty reports whether nothing is set.
func (s Secret) Empty() bool { return s == "" }

// String hides the value from fmt.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return shown
}

// GoString hides the value from %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the value from JSON and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
