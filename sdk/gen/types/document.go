package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// document is the part of an OpenAPI document that types are made of.
type document struct {
	schemas    []schema
	operations []operation
}

type schema struct {
	name, doc string
	fields    []field
}

type field struct {
	name, doc string
	required  bool
	kind      kind
}

// kind is a type. Exactly one of its fields is set, besides null.
type kind struct {
	name    string // a schema
	scalar  string // string, integer, number, boolean
	literal []string
	list    *kind
	values  *kind // of a map
	null    bool
}

// operation is a call of the API, without those that only repeat another one under an original path.
type operation struct {
	call, doc   string // such as GET /api/v1/agents/{agent}
	path, query []field
	body, data  kind
}

// read checks that the document has only what the types can express.
func read(root object) (document, error) {
	var d document
	components := at(root, "components", "schemas")
	for _, name := range slices.Sorted(maps.Keys(components)) {
		if strings.HasSuffix(name, "Answer") {
			continue // an envelope
		}
		s := at(components, name)
		if s["type"] != "object" {
			return d, fmt.Errorf("schema %s is not an object", name)
		}
		fields, err := fieldsOf(s)
		if err != nil {
			return d, fmt.Errorf("schema %s: %w", name, err)
		}
		d.schemas = append(d.schemas, schema{name, text(s, "description"), fields})
	}
	for _, path := range slices.Sorted(maps.Keys(at(root, "paths"))) {
		methods := at(root, "paths", path)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			source := at(methods, method)
			if source["x-reverie-same-as"] != nil {
				continue
			}
			o, err := readOperation(components, source)
			if err != nil {
				return d, fmt.Errorf("%s %s: %w", method, path, err)
			}
			o.call = strings.ToUpper(method) + " " + path
			d.operations = append(d.operations, o)
		}
	}
	return d, nil
}

func readOperation(components, source object) (operation, error) {
	o := operation{doc: text(source, "summary")}
	parameters, _ := source["parameters"].([]any)
	for _, value := range parameters {
		p, _ := value.(object)
		k, err := kindOf(at(p, "schema"))
		if err != nil {
			return o, err
		}
		f := field{text(p, "name"), cmp.Or(text(p, "description"), text(at(p, "schema"), "description")), p["required"] == true, k}
		switch p["in"] {
		case "path":
			o.path = append(o.path, f)
		case "query":
			o.query = append(o.query, f)
		}
	}
	var err error
	if body := at(source, "requestBody", "content", "application/json", "schema"); body != nil {
		if o.body, err = kindOf(body); err != nil {
			return o, err
		}
	}
	for status, answer := range at(source, "responses") {
		response, _ := answer.(object)
		name := reference(at(response, "content", "application/json", "schema"))
		if status[0] == '2' && strings.HasSuffix(name, "Answer") {
			o.data, err = kindOf(at(components, name, "properties", "data"))
		}
	}
	return o, err
}

func fieldsOf(s object) ([]field, error) {
	required, _ := s["required"].([]any)
	var fields []field
	for _, name := range slices.Sorted(maps.Keys(at(s, "properties"))) {
		property := at(s, "properties", name)
		k, err := kindOf(property)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields = append(fields, field{name, text(property, "description"), slices.Contains(required, any(name)), k})
	}
	return fields, nil
}

// kindOf returns the type of a schema. Lists are never null in answers, although the document allows it.
func kindOf(s object) (kind, error) {
	if name := reference(s); name != "" {
		return kind{name: name}, nil
	}
	var k kind
	name := text(s, "type")
	if both, is := s["type"].([]any); is {
		name, _ = both[0].(string)
		k.null = len(both) == 2 && name != "array"
	}
	if values, is := s["enum"].([]any); is && name == "string" {
		for _, value := range values {
			k.literal = append(k.literal, fmt.Sprint(value))
		}
		return k, nil
	}
	switch name {
	case "string", "integer", "number", "boolean":
		k.scalar = name
	case "array":
		items, err := kindOf(at(s, "items"))
		k.list = &items
		return k, err
	case "object":
		k.values = &kind{}
		if values := at(s, "additionalProperties"); len(values) > 0 {
			of, err := kindOf(values)
			k.values = &of
			return k, err
		}
	case "":
		k.null = false // any value
	default:
		return k, fmt.Errorf("type %q", name)
	}
	return k, nil
}

func reference(s object) string {
	r := text(s, "$ref")
	return r[strings.LastIndex(r, "/")+1:]
}

func text(o object, key string) string {
	s, _ := o[key].(string)
	return strings.Join(strings.Fields(s), " ")
}

// at returns the object below the keys; nil if there is none.
func at(o object, keys ...string) object {
	for _, key := range keys {
		o, _ = o[key].(object)
	}
	return o
}

// wrapped breaks a text into lines that begin with a prefix.
func wrapped(prefix, words string) string {
	const width = 118
	var lines []string
	line := prefix
	for word := range strings.FieldsSeq(words) {
		if len(line)+len(word) >= width && line != prefix {
			lines, line = append(lines, line), prefix
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n") + "\n"
}
