package store

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxName bounds names that people read, in bytes.
const maxName = 255

// validName checks a name that people read.
func validName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return &InvalidError{Field: field, Problem: "give a name"}
	}
	return validText(field, name, maxName)
}

// validText checks a text that is stored beside the contents: UTF-8 without NUL, at most limit bytes.
func validText(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return &InvalidError{Field: field, Problem: fmt.Sprintf("it has %d bytes, at most %d are allowed", len(s), limit)}
	case !utf8.ValidString(s):
		return &InvalidError{Field: field, Problem: "it is not valid UTF-8"}
	case strings.ContainsRune(s, 0):
		return &InvalidError{Field: field, Problem: "it contains a NUL character; remove it"}
	}
	return nil
}

// validTimeZone checks an IANA time zone name. Local would mean another zone on every machine.
func validTimeZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return &InvalidError{Field: "timeZone", Problem: fmt.Sprintf("%q is not an IANA time zone such as Europe/Berlin", name)}
	}
	return nil
}
