package config

import (
	"fmt"
	"strings"
)

// Markdown returns the table of docs/configuration.md: one row for each setting, in the order of their declaration.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| variable | default | range | per agent | what it does |\n|---|---|---|---|---|\n")
	for _, r := range rows(Config{}) {
		fmt.Fprintf(&b, "| `%s_%s` | %s | %s | %s | %s |\n",
			Prefix, r.key(), code(r.Tag.Get("default")), r.accepted(), code(r.Tag.Get("agent")), r.Tag.Get("desc"))
	}
	return b.String()
}

// accepted formats the range of a setting; empty when there is none.
func (r row) accepted() string {
	least, most := r.Tag.Get("minimum"), r.Tag.Get("maximum")
	switch {
	case r.Tag.Get("enum") != "":
		return strings.ReplaceAll(r.Tag.Get("enum"), ",", ", ")
	case most != "":
		return least + " to " + most
	case least != "":
		return "from " + least
	}
	return ""
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// TableBegin and TableEnd are the lines between which the generated table is in a document.
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
