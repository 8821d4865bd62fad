// Command golang generates package client/wire from the OpenAPI document.
//
// It reduces the document to what a client needs (one answer for each operation, without the envelope), then runs oapi-codegen
// on it with the template client.tmpl.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "golang:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: %s <openapi.yaml> <output.go>", args[0])
	}
	raw, err := os.ReadFile(args[1]) //nolint:gosec // the arguments are those of the go:generate directive
	if err != nil {
		return err
	}
	var d document
	if err := yaml.Unmarshal(raw, &d.root); err != nil {
		return err
	}
	if err := d.reduce(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "reverie-gen-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	source := filepath.Join(work, "openapi.json")
	reduced, err := json.Marshal(d.root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(source, reduced, 0o600); err != nil {
		return err
	}
	//nolint:gosec // the arguments are those of the go:generate directive
	cmd := exec.CommandContext(
		context.Background(), "go", "tool", "-modfile=../tools/go.mod", "oapi-codegen", "-config", "gen/golang/config.yaml", "-o", args[2], source,
	)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

type object = map[string]any

// document is an OpenAPI document.
type document struct{ root object }

func (d document) schemas() object { return at(d.root, "components", "schemas") }

// objectOf returns a value that the OpenAPI schema defines as an object; nil if it is none.
func objectOf(value any) object {
	o, _ := value.(object)
	return o
}

// at returns the object below the keys; nil if there is none.
func at(o object, keys ...string) object {
	for _, key := range keys {
		o, _ = o[key].(object)
	}
	return o
}

// reduce rewrites the document for the template.
func (d document) reduce() error {
	pages := map[string]string{} // schema of a page: its Go type
	for name, schema := range d.schemas() {
		properties := at(objectOf(schema), "properties")
		element, _ := at(properties, "items", "items")["$ref"].(string)
		if len(properties) == 2 && element != "" && at(properties, "next")["type"] == "string" {
			pages[name] = "Page[" + typeOf(element) + "]"
		}
	}
	for path, operations := range at(d.root, "paths") {
		for method, value := range objectOf(operations) {
			operation, ok := value.(object)
			if !ok {
				return fmt.Errorf("%s %s is not an operation", method, path)
			}
			if operation["x-reverie-same-as"] != nil {
				delete(objectOf(operations), method)
				continue
			}
			if err := d.reduceOperation(path, operation, pages); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	for name, schema := range d.schemas() {
		if strings.HasSuffix(name, "Answer") || pages[name] != "" {
			delete(d.schemas(), name)
			continue
		}
		reduceSchema(objectOf(schema), name == "SettingsChanges")
	}
	return nil
}

// person are the query parameters that name the owner of a memory; they become one embedded struct.
var person = []string{"owner", "channel", "sender", "endUserId"}

// reduceOperation replaces the responses by extensions that the template reads:
//
//	x-answer  Go type of a success's data; missing: the body is returned as it is
//	x-stream  the answer is a stream of server-sent events
//	x-body    Go type of the JSON body
//	x-file    media type of a body that is a file
//	x-rest    the last path parameter keeps its slashes
//	x-params  fields of the parameters' struct; x-person: it embeds Person
func (d document) reduceOperation(path string, operation object, pages map[string]string) error {
	for status, value := range at(operation, "responses") {
		content := at(objectOf(value), "content")
		if status[0] != '2' || content == nil {
			continue
		}
		if content["text/event-stream"] != nil {
			operation["x-stream"] = true
		}
		reference, _ := at(content, "application/json", "schema")["$ref"].(string)
		if reference == "" {
			continue
		}
		data, _ := at(d.schemas(), typeOf(reference), "properties", "data")["$ref"].(string)
		if data == "" {
			return fmt.Errorf("%s has no data of a named type", reference)
		}
		operation["x-answer"] = cmp.Or(pages[typeOf(data)], typeOf(data))
	}
	operation["responses"] = object{"default": object{"description": "An answer."}}
	operation["x-rest"] = strings.HasSuffix(path, "{path}")
	if content := at(operation, "requestBody", "content"); content != nil {
		schema := at(content, "application/json", "schema")
		reference, _ := schema["$ref"].(string)
		switch {
		case reference != "":
			operation["x-body"] = typeOf(reference)
		case schema != nil:
			operation["x-body"] = "json.RawMessage"
		default:
			operation["x-file"] = "application/zip"
		}
		delete(operation, "requestBody")
	}
	parameters, _ := operation["parameters"].([]any)
	var kept, fields []any
	named := 0
	for _, value := range parameters {
		p := objectOf(value)
		name, _ := p["name"].(string)
		schema := at(p, "schema")
		switch {
		case p["in"] == "path":
			// Names that Go or the template has for something else.
			goName := map[string]string{"import": "importID", "request": "requestID"}
			kept = append(kept, object{
				"name": name, "in": "path", "required": true, "schema": object{"type": kindOf(schema)}, "x-go-name": cmp.Or(goName[name], name),
			})
		case p["in"] == "query" && slices.Contains(person, name):
			named++
		case name == "Accept" || name == "Content-Type":
		default:
			fields = append(fields, fieldOf(p))
		}
	}
	if named != 0 && named != len(person) {
		return fmt.Errorf("it has %d of the parameters %v", named, person)
	}
	operation["parameters"] = kept
	operation["x-params"], operation["x-person"] = fields, named > 0
	return nil
}

func typeOf(reference string) string { return reference[strings.LastIndex(reference, "/")+1:] }

// fieldOf describes a parameter as a field of a struct.
func fieldOf(p object) object {
	schema := at(p, "schema")
	name, _ := p["name"].(string)
	in, _ := p["in"].(string)
	types := map[any]string{"string": "string", "integer": "int", "boolean": "bool", "number": "float64"}
	kind := kindOf(schema)
	goType := types[kind]
	switch {
	case kind == "array":
		goType = "[]string"
	case kind == "boolean" && schema["default"] != nil, kind == "integer" && schema["minimum"] == 0:
		goType = "*" + goType // zero and missing differ
	}
	return object{"name": name, "in": in, "field": fieldName(name), "type": goType, "doc": comment(docOf(p, schema))}
}

func kindOf(schema object) any {
	if both, is := schema["type"].([]any); is {
		return both[0]
	}
	return schema["type"]
}

// fieldName returns a parameter's name as a Go name.
func fieldName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	name = b.String()
	if base, is := strings.CutSuffix(name, "Id"); is {
		return base + "ID"
	}
	return name
}

// docOf returns a description on one line, with the values that are allowed.
func docOf(p, schema object) string {
	text, _ := p["description"].(string)
	if text == "" {
		text, _ = schema["description"].(string)
	}
	var allowed []string
	values, _ := schema["enum"].([]any)
	for _, value := range values {
		allowed = append(allowed, fmt.Sprint(value))
	}
	if p["deprecated"] == true {
		p["x-deprecated-reason"] = text
		if p["in"] != nil {
			text = "Deprecated: " + text
		}
	}
	if allowed != nil {
		text = strings.TrimSpace(text + " One of: " + strings.Join(allowed, ", ") + ".")
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// comment breaks a text into lines of a comment in a struct.
func comment(text string) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 120 {
			lines, line = append(lines, line), ""
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n//")
}

// isOpen reports whether a property takes any JSON value, or an object with any.
func isOpen(property object) bool {
	values, limited := property["additionalProperties"].(object)
	return !limited || len(values) == 0
}

// reduceSchema makes plain Go types of a schema: lists and strings instead of unions with null and enumerations. Optional
// numbers and booleans that a request may set to zero are pointers, all other optional values are left out when they are zero.
func reduceSchema(schema object, settings bool) {
	for _, name := range slices.Sorted(maps.Keys(at(schema, "properties"))) {
		property := at(schema, "properties", name)
		if both, is := property["type"].([]any); is {
			if !settings || both[0] == "array" {
				property["type"] = both[0]
			}
		}
		if property["$ref"] == nil && (property["type"] == nil || property["type"] == "object") && isOpen(property) {
			property["x-go-type"] = "json.RawMessage"
		}
		if reference, is := property["$ref"].(string); is && len(property) > 1 {
			// oapi-codegen refuses siblings of a reference.
			at(schema, "properties")[name] = object{"$ref": reference}
			continue
		}
		if doc := docOf(property, property); doc != "" {
			property["description"] = strings.ReplaceAll(strings.TrimSpace(comment(doc)), "\n// ", "\n")
		}
		for _, key := range []string{"enum", "format", "pattern", "default", "examples"} {
			if key != "format" || property[key] == "int64" || property[key] == "double" {
				delete(property, key)
			}
		}
		if items := at(property, "items"); items != nil {
			delete(items, "enum")
			if items["format"] == "int64" || items["format"] == "double" {
				delete(items, "format")
			}
		}
	}
	if schema["additionalProperties"] == false {
		delete(schema, "additionalProperties")
		for _, property := range at(schema, "properties") {
			if p := objectOf(property); p["type"] == "boolean" || p["type"] == "integer" || p["type"] == "number" {
				p["x-go-type-skip-optional-pointer"] = false
			}
		}
	}
}
