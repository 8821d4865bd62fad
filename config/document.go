package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Markdown is the configuration table of README.md and docs/configuration.md: one row for each setting, in the struct's order.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| variable | default | what it does |\n|---|---|---|\n")
	t := reflect.TypeFor[Config]()
	for f := range t.Fields() {
		tag := f.Tag
		byDefault := tag.Get("default")
		if byDefault != "" {
			byDefault = "`" + byDefault + "`"
		}
		fmt.Fprintf(&b, "| `%s_%s` | %s | %s |\n", Prefix, tag.Get("envconfig"), byDefault, tag.Get("desc"))
	}
	return b.String()
}

// Markers between which the generated table stands in a document.
const (
	TableBegin = "<!-- configuration table: generated, do not edit -->"
	TableEnd   = "<!-- end of configuration table -->"
)

// Splice returns document with the table between its markers replaced by the current one.
func Splice(document string) (string, error) {
	head, rest, ok := strings.Cut(document, TableBegin)
	if !ok {
		return "", fmt.Errorf("the line %q is missing", TableBegin)
	}
	_, tail, ok := strings.Cut(rest, TableEnd)
	if !ok {
		return "", fmt.Errorf("the line %q is missing", TableEnd)
	}
	return head + TableBegin + "\n\n" + Markdown() + "\n" + TableEnd + tail, nil
}
