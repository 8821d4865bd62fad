package template

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	var data map[string]any
	err := json.Unmarshal([]byte(`{
		"case": {"id": 12345678, "title": "A & B <c>", "price": 1.5, "open": false, "tags": ["x", "y"]},
		"steps": [{"name": "one"}, {"name": "two", "note": "n"}], "none": [], "empty": "", "note": "outer", "yes": true, "客户": "王"
	}`), &data)
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"":                                   "",
		"plain } text":                       "plain } text",
		"Case {{case.id}}: {{ case.title }}": "Case 12345678: A & B <c>",
		"{{{case.title}}} {{&case.title}}":   "A & B <c> A & B <c>",
		"{{missing}}{{case.missing.deep}}.":  ".",
		"{{case.price}} {{case.open}} {{yes}} {{case.tags}}": `1.5  true ["x","y"]`,
		"{{客户}}":                                                    "王",
		"{{#case.tags}}<{{.}}>{{/case.tags}}":                       "<x><y>",
		"{{#none}}a{{/none}}{{^none}}b{{/none}}":                    "b",
		"{{#empty}}a{{/empty}}{{^empty}}b{{/empty}}":                "b",
		"{{#case}}{{id}}{{/case}}":                                  "12345678",
		"{{#steps}}{{name}}:{{note}};{{/steps}}":                    "one:outer;two:n;",
		"a{{! nothing\nat all }}b":                                  "ab",
		"# T\n{{#steps}}\n- {{name}}\n{{/steps}}\nend\n":            "# T\n- one\n- two\nend\n",
		"# T\r\n  {{#steps}}\r\n- {{name}}\r\n  {{/steps}}\r\n":     "# T\r\n- one\r\n- two\r\n",
		"x {{#yes}}\ny\n{{/yes}}":                                   "x \ny\n",
		"{{#case.tags}}{{#steps}}{{name}}{{/steps}} {{/case.tags}}": "onetwo onetwo ",
	} {
		got, err := Render(template, data)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v; want %q", template, got, err, want)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	long := make([]any, 1000)
	data := map[string]any{"l": long, "big": strings.Repeat("x", 1<<19)}
	deep := func(n int) string { return strings.Repeat("{{#a}}", n) + strings.Repeat("{{/a}}", n) }
	for name, c := range map[string]struct {
		template string
		line     int
	}{
		"not closed":         {"a\n{{#b}}\nc", 2},
		"closed twice":       {"a\n\n{{/b}}", 3},
		"crossed":            {"{{#a}}\n{{#b}}\n{{/a}}\n{{/b}}", 3},
		"an open tag":        {"a\n{{b", 2},
		"an open raw tag":    {"{{{b}}", 1},
		"a partial":          {"{{> file}}", 1},
		"delimiters":         {"{{=<% %>=}}", 1},
		"a call":             {"{{ include \"/etc/passwd\" }}", 1},
		"a pipe":             {"{{a|exec}}", 1},
		"no name":            {"{{}}", 1},
		"too long":           {strings.Repeat("x", MaxBytes+1), 1},
		"not UTF-8":          {"\xff", 1},
		"too deep":           {deep(maxDepth + 1), 1},
		"too much comes out": {"{{big}}\n{{big}}", 2},
		"too much work":      {"{{#l}}{{#l}}{{#l}}{{#l}}{{/l}}{{/l}}{{/l}}{{/l}}", 1},
	} {
		got, err := Render(c.template, data)
		var refused *Error
		if !errors.As(err, &refused) || got != "" || refused.Line != c.line {
			t.Errorf("%s: %.20q, %v; want an error in line %d", name, got, err, c.line)
		}
	}
	// At the limits it goes through.
	for name, template := range map[string]string{
		"as long":   strings.Repeat("x", MaxBytes),
		"as deep":   deep(maxDepth),
		"as much":   "{{big}}{{big}}",
		"much work": "{{#l}}{{x}}{{x}}{{/l}}",
	} {
		if _, err := Render(template, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"", "{{a}}", "{{#a}}\n- {{.}}\n{{/a}}\n", "{{^b}}x{{/b}}", "{{{a}}}", "{{!x}}", "{{#a}}{{/b}}", "{{=",
		"  {{#c}}\r\n{{d.e}}{{/c}}",
	} {
		f.Add(seed)
	}
	data := map[string]any{"a": []any{"x", "y", map[string]any{"b": 1.0}}, "c": map[string]any{"d": map[string]any{"e": "z"}}}
	f.Fuzz(func(t *testing.T, template string) {
		out, err := Render(template, data)
		var refused *Error
		switch {
		case err != nil && !errors.As(err, &refused):
			t.Fatalf("%T", err)
		case err != nil && (refused.Line < 1 || refused.Line > strings.Count(template, "\n")+1):
			t.Fatalf("line %d of %q", refused.Line, template)
		case len(out) > MaxRenderedBytes:
			t.Fatal("longer than it may be")
		case err == nil && !strings.Contains(template, "{{") && out != template:
			t.Fatalf("%q became %q", template, out)
		}
	})
}
