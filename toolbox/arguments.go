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

// param is one argument of a tool: what its JSON schema says, and what is checked.
type param struct {
	name     string
	kind     kind
	required bool
	doc      string
	min, max float64  // of numbers, and the length of texts in characters; 0: not bounded
	values   []string // of a text; nil: any
}

type kind string

const (
	text    kind = "string"
	integer kind = "integer"
	number  kind = "number"
	boolean kind = "boolean"
)

// schema is the JSON schema of the arguments, with its properties in order.
func schema(params []param) json.RawMessage {
	var b bytes.Buffer
	var required []string
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s:%s`, quote(p.name), p.schema())
		if p.required {
			required = append(required, quote(p.name))
		}
	}
	fmt.Fprintf(&b, `},"required":[%s],"additionalProperties":false}`, strings.Join(required, ","))
	return b.Bytes()
}

func (p param) schema() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":%s,"description":%s`, quote(string(p.kind)), quote(p.doc))
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

// quote is a string as JSON, with nothing escaped that JSON does not ask for.
func quote(s string) string {
	out, err := encode(s)
	if err != nil { // a string is always JSON
		return `""`
	}
	return out
}

// encode is a value as JSON. < and & stay as they are: results are data, and escaped once, by JSON.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("result: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// fault is a call that cannot be done as it was made. It is a result, not an error of the program: the model reads it.
type fault struct {
	message string
	more    map[string]any
}

func (f *fault) Error() string { return f.message }

func faultf(format string, args ...any) error { return &fault{message: fmt.Sprintf(format, args...)} }

// maxArguments bounds the arguments of a call, in bytes: a document of the greatest size, escaped.
const maxArguments = 4 << 20

// whose are arguments by which models name whose memory is meant. Nobody may.
var whose = []string{"agentId", "agent", "agent_id", "owner", "ownerKey", "owner_key", "user", "userId", "user_id", "endUserId", "chat_id", "workspace"}

// arguments are those of one call, checked: string, int, float64 or bool by name.
type arguments map[string]any

// read checks the arguments of a call.
func read(raw json.RawMessage, params []param) (arguments, error) {
	if len(raw) > maxArguments {
		return nil, faultf("the arguments have %d bytes, at most %d are possible", len(raw), maxArguments)
	}
	given := map[string]json.RawMessage{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("null")) {
		if !utf8.Valid(trimmed) {
			return nil, faultf("the arguments are not UTF-8")
		}
		if err := json.Unmarshal(trimmed, &given); err != nil {
			return nil, faultf("the arguments are no JSON object (%s): write %s", shortly(err), example(params))
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
			return nil, faultf("%s: leave it out. Whose memory it is comes from the conversation, not from an argument", clip(name, maxNamed))
		}
		return nil, faultf("%q is no argument of this tool: write %s", clip(name, maxNamed), example(params))
	}
	return args, nil
}

// maxNamed bounds what an answer repeats of a call, in characters.
const maxNamed = 60

// read reads one argument.
func (p param) read(raw json.RawMessage) (any, error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, faultf("%s: %s", p.name, shortly(err))
	}
	switch p.kind {
	case text:
		s, ok := value.(string)
		n := float64(utf8.RuneCountInString(s))
		switch {
		case !ok:
			return nil, faultf("%s has to be a string", p.name)
		case p.values != nil && !slices.Contains(p.values, s):
			return nil, faultf("%s has to be one of %s", p.name, strings.Join(p.values, ", "))
		case p.min > 0 && float64(utf8.RuneCountInString(strings.TrimSpace(s))) < p.min:
			if n == 0 || p.min == 1 {
				return nil, faultf("%s must not be empty", p.name)
			}
			return nil, faultf("%s has %v characters, at least %v are needed", p.name, n, p.min)
		case p.max > 0 && n > p.max:
			return nil, faultf("%s has %v characters, at most %v are possible", p.name, n, p.max)
		}
		return s, nil
	case boolean:
		if b, ok := value.(bool); ok {
			return b, nil
		}
		return nil, faultf("%s has to be true or false, without quotes", p.name)
	}
	x, ok := value.(float64)
	switch {
	case !ok:
		return nil, faultf("%s has to be a number, without quotes", p.name)
	case p.kind == integer && x != math.Trunc(x):
		return nil, faultf("%s has to be a whole number", p.name)
	case x < p.min || p.max > 0 && x > p.max:
		return nil, faultf("%s has to be from %s to %s", p.name, plainNumber(p.min), plainNumber(p.max))
	}
	if p.kind == integer {
		return int(x), nil
	}
	return x, nil
}

// example shows how arguments are written.
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

// clip cuts a text for a message.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// given returns an argument, or a default.
func given[T any](a arguments, name string, otherwise T) T {
	if value, ok := a[name].(T); ok {
		return value
	}
	return otherwise
}
