package main

import (
	"fmt"
	"strconv"
	"strings"
)

// typeScript writes the schemas as interfaces, and a map of operations by method and path.
func typeScript(d document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", notice)
	for _, s := range d.schemas {
		b.WriteString("\n" + comment("", s.doc))
		fmt.Fprintf(&b, "export interface %s {\n", s.name)
		for _, f := range s.fields {
			b.WriteString(comment("  ", f.doc) + "  " + property(f) + ";\n")
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n/** Every operation that takes and returns JSON, by method and path. */\nexport interface Operations {\n")
	for _, o := range d.operations {
		if o.data.isUnknown() {
			continue // a stream, a file or a page
		}
		b.WriteString(comment("  ", o.doc))
		fmt.Fprintf(&b, "  %q: {\n", o.call)
		for _, group := range []struct {
			name   string
			fields []field
		}{{"path", o.path}, {"query", o.query}} {
			if len(group.fields) > 0 {
				fmt.Fprintf(&b, "    %s: {\n", group.name)
				for _, f := range group.fields {
					b.WriteString(comment("      ", f.doc) + "      " + property(f) + ";\n")
				}
				b.WriteString("    };\n")
			}
		}
		if !o.body.isUnknown() {
			fmt.Fprintf(&b, "    body: %s;\n", o.body.typeScript())
		}
		fmt.Fprintf(&b, "    data: %s;\n  };\n", o.data.typeScript())
	}
	b.WriteString("}\n")
	return b.String()
}

func property(f field) string {
	name := f.name
	if strings.Contains(name, "-") {
		name = strconv.Quote(name)
	}
	if !f.required {
		name += "?"
	}
	return name + ": " + f.kind.typeScript()
}

func comment(indent, doc string) string {
	if doc == "" {
		return ""
	}
	doc = strings.ReplaceAll(doc, "*/", "*\\/")
	if len(indent)+len(doc) < 110 {
		return indent + "/** " + doc + " */\n"
	}
	return indent + "/**\n" + wrapped(indent+" *", doc) + indent + " */\n"
}

func (k kind) isUnknown() bool {
	return k.name == "" && k.scalar == "" && k.literal == nil && k.list == nil && k.values == nil
}

func (k kind) typeScript() string {
	t := "unknown"
	switch {
	case k.name != "":
		t = k.name
	case k.scalar == "integer":
		t = "number"
	case k.scalar != "":
		t = k.scalar
	case k.literal != nil:
		t = quoted(k.literal, " | ")
	case k.list != nil && (k.list.literal != nil || k.list.null):
		t = "(" + k.list.typeScript() + ")[]"
	case k.list != nil:
		t = k.list.typeScript() + "[]"
	case k.values != nil:
		t = "Record<string, " + k.values.typeScript() + ">"
	}
	if k.null {
		t += " | null"
	}
	return t
}

func quoted(values []string, separator string) string {
	var out []string
	for _, value := range values {
		out = append(out, strconv.Quote(value))
	}
	return strings.Join(out, separator)
}
