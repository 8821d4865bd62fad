package main

import (
	"fmt"
	"slices"
	"strings"
)

// python writes the schemas as TypedDicts. It takes the functional form where a field has the name of a keyword.
func python(d document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", notice)
	b.WriteString("\"\"\"The values of the HTTP API.\"\"\"\n\nfrom __future__ import annotations\n\n" +
		"from typing import Any, Literal, NotRequired, TypedDict\n")
	for _, s := range d.schemas {
		if slices.ContainsFunc(s.fields, func(f field) bool { return keywords[f.name] }) {
			fmt.Fprintf(&b, "\n%s = TypedDict(\n    %q,\n    {\n", s.name, s.name)
			for _, f := range s.fields {
				fmt.Fprintf(&b, "%s        %q: %q,\n", remark("        ", f.doc), f.name, f.python())
			}
			b.WriteString("    },\n)\n")
			if s.doc != "" {
				fmt.Fprintf(&b, "%s.__doc__ = %q\n", s.name, s.doc)
			}
			continue
		}
		fmt.Fprintf(&b, "\n\nclass %s(TypedDict):\n", s.name)
		if s.doc != "" {
			b.WriteString("    \"\"\"\n" + wrapped("   ", s.doc) + "    \"\"\"\n\n")
		}
		for _, f := range s.fields {
			fmt.Fprintf(&b, "%s    %s: %s\n", remark("    ", f.doc), f.name, f.python())
		}
		if len(s.fields) == 0 {
			b.WriteString("    pass\n")
		}
	}
	return b.String()
}

// keywords of Python, which cannot name the attributes of a class.
var keywords = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq("False None True and as assert async await break class continue def del elif else except finally for " +
		"from global if import in is lambda nonlocal not or pass raise return try while with yield") {
		out[word] = true
	}
	return out
}()

func remark(indent, doc string) string {
	if doc == "" {
		return ""
	}
	return wrapped(indent+"#", doc)
}

func (f field) python() string {
	if f.required {
		return f.kind.python()
	}
	return "NotRequired[" + f.kind.python() + "]"
}

func (k kind) python() string {
	t := "Any"
	switch {
	case k.name != "":
		t = k.name
	case k.scalar != "":
		t = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[k.scalar]
	case k.literal != nil:
		t = "Literal[" + quoted(k.literal, ", ") + "]"
	case k.list != nil:
		t = "list[" + k.list.python() + "]"
	case k.values != nil:
		t = "dict[str, " + k.values.python() + "]"
	}
	if k.null {
		t += " | None"
	}
	return t
}
