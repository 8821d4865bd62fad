package toolbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// param is one argument of a tool: its JSON schema and its checks.
type param struct {
	name     string
	kind     kind
	required bool
	doc      string
	min, max float64  // of numbers, or of a text's length in characters; 0: unbounded
	values   []string // allowed texts; nil: any
	models   detail
}

// detail bounds what models are shown of an argument: every turn pays for it.
type detail int

const (
	whole    detail = iota
	nameOnly        // it says enough
	nothing         // it is rarely of use
)

// rarely returns a parameter that models are not shown.
func rarely(p param) param {
	p.models = nothing
	return p
}

type kind string

const (
	text    kind = "string"
	integer kind = "integer"
	number  kind = "number"
	boolean kind = "boolean"
)

// schema returns the JSON schema of the arguments, with properties in order.
func schema(params []param) json.RawMessage {
	return schemaOf(params, param.schema, `,"additionalProperties":false`)
}

// shortSchema returns the schema for models: without limits, which a refused call explains, and without what is rare.
func shortSchema(params []param) json.RawMessage {
	shown := slices.DeleteFunc(slices.Clone(params), func(p param) bool { return p.models == nothing })
	return schemaOf(shown, param.shortSchema, "")
}

func schemaOf(params []param, property func(param) string, end string) json.RawMessage {
	var b bytes.Buffer
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s:%s`, quote(p.name), property(p))
		if p.required {
			required = append(required, quote(p.name))
		}
	}
	b.WriteByte('}')
	if len(required) > 0 || end != "" {
		fmt.Fprintf(&b, `,"required":[%s]`, strings.Join(required, ","))
	}
	b.WriteString(end + "}")
	return b.Bytes()
}

func (p param) shortSchema() string {
	p.min, p.max = 0, 0
	if p.models == nameOnly {
		p.doc = ""
	}
	return p.schema()
}

func (p param) schema() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":%s`, quote(string(p.kind)))
	if p.doc != "" {
		fmt.Fprintf(&b, `,"description":%s`, quote(p.doc))
	}
	if p.values != nil {
		values := make([]string, len(p.values))
		for i, v := range p.values {
			values[i] = quote(v)
		}
		fmt.Fprintf(&b, `,"enum":[%s]`, strings.Join(values, ","))
	}
	least, most := "minimum", "maximum"
	if p.kind == text {
		least, most = "minLength", "maxLength"
	}
	if p.min > 0 {
		fmt.Fprintf(&b, `,%q:%s`, least, plainNumber(p.min))
	}
	if p.max > 0 {
		fmt.Fprintf(&b, `,%q:%s`, most, plainNumber(p.max))
	}
	b.WriteByte('}')
	return b.String()
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// quote encodes a string as JSON and escapes only what JSON requires.
func quote(s string) string {
	out, err := encode(s)
	if err != nil { // a string can always be encoded
		return `""`
	}
	return out
}

// encode encodes a value as JSON. < and & are not escaped: results are data, and JSON escapes them once.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("result: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// fault is a call that cannot be executed as made. It is a result for the model to read, not an error of the program.
type fault struct {
	message string
	more    map[string]any
}

func (f *fault) Error() string { return f.message }

func faultf(format string, args ...any) error { return &fault{message: fmt.Sprintf(format, args...)} }

// maxArguments bounds the arguments of a call, in bytes: a document of maximum size, escaped.
const maxArguments = 4 << 20

// whose lists arguments by which models try to name the owner of the memory. They are always refused.
var whose = []string{
	"agentId", "agent", "agent_id", "owner", "ownerKey", "owner_key", "user", "userId", "user_id", "endUserId",
	"chat_id", "workspace",
}

// arguments are the checked arguments of a call by name: string, int, float64 or bool.
type arguments map[string]any

// read parses and checks the arguments of a call.
func read(raw json.RawMessage, params []param) (arguments, error) {
	if len(raw) > maxArguments {
		return nil, faultf("the arguments have %d bytes, at most %d are allowed", len(raw), maxArguments)
	}
	given := map[string]json.RawMessage{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("null")) {
		if !utf8.Valid(trimmed) {
			return nil, faultf("the arguments are not UTF-8")
		}
		if err := json.Unmarshal(trimmed, &given); err != nil {
			return nil, faultf("the arguments are not a JSON object (%s): write %s", shortly(err), example(params))
		}
	}
	args := arguments{}
	for _, p := range params {
		value, found := given[p.name]
		delete(given, p.name)
		if !found || bytes.Equal(value, []byte("null")) {
			if p.required {
				return nil, faultf("%s is missing: write %s", p.name, example(params))
			}
			continue
		}
		read, err := p.read(value)
		if err != nil {
			return nil, err
		}
		args[p.name] = read
	}
	for name := range given {
		if slices.Contains(whose, name) {
			return nil, faultf("%s: leave it out. The conversation determines whose memory is used", clip(name, maxNamed))
		}
		return nil, faultf("unknown argument %q: write %s", clip(name, maxNamed), example(params))
	}
	return args, nil
}

// maxNamed bounds what an answer repeats of a call, in characters.
const maxNamed = 60

// read parses and checks one argument.
func (p param) read(raw json.RawMessage) (any, error) {
	var value any
	if !bytes.ContainsAny(raw[:1], "[{") { // no argument is a list or an object, which would take many times its length
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, faultf("%s: %s", p.name, shortly(err))
		}
	}
	switch p.kind {
	case text:
		s, ok := value.(string)
		n := float64(utf8.RuneCountInString(s))
		switch {
		case !ok:
			return nil, faultf("%s must be a string", p.name)
		case strings.ContainsRune(s, 0): // which PostgreSQL cannot hold
			return nil, faultf("%s contains the character U+0000: remove it", p.name)
		case p.values != nil && !slices.Contains(p.values, s):
			return nil, faultf("%s must be one of %s", p.name, strings.Join(p.values, ", "))
		case p.min > 0 && float64(utf8.RuneCountInString(strings.TrimSpace(s))) < p.min:
			if n == 0 || p.min == 1 {
				return nil, faultf("%s must not be empty", p.name)
			}
			return nil, faultf("%s has %v characters, at least %v are required", p.name, n, p.min)
		case p.max > 0 && n > p.max:
			return nil, faultf("%s has %v characters, at most %v are allowed", p.name, n, p.max)
		}
		return s, nil
	case boolean:
		if b, ok := value.(bool); ok {
			return b, nil
		}
		return nil, faultf("%s must be true or false, without quotes", p.name)
	}
	x, ok := value.(float64)
	switch {
	case !ok:
		return nil, faultf("%s must be a number, without quotes", p.name)
	case p.kind == integer && x != math.Trunc(x):
		return nil, faultf("%s must be a whole number", p.name)
	case x < p.min || p.max > 0 && x > p.max:
		return nil, faultf("%s must be from %s to %s", p.name, plainNumber(p.min), plainNumber(p.max))
	}
	if p.kind == integer {
		return int(x), nil
	}
	return x, nil
}

// example returns example arguments.
func example(params []param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = quote(p.name) + ": " + map[kind]string{text: `"…"`, integer: "1", number: "0.5", boolean: "true"}[p.kind]
		if !p.required {
			parts[i] += " (optional)"
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func shortly(err error) string { return clip(err.Error(), 2*maxNamed) }

// clip shortens a text for a message.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// given returns an argument, or otherwise if it is missing.
func given[T any](a arguments, name string, otherwise T) T {
	if value, ok := a[name].(T); ok {
		return value
	}
	return otherwise
}
