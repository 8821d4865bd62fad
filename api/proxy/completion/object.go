package completion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object is a JSON object whose values are kept as they were written.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNoObject = errors.New("it is not a JSON object")

// parseObject reads one object. A name that occurs twice is refused: readers differ in which one they take.
func parseObject(raw []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, errNoObject
	}
	var o object
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, is := token.(string)
		if err != nil || !is {
			return nil, errNoObject
		}
		if seen[name] {
			return nil, fmt.Errorf("it has the field %.40q twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errNoObject
		}
		o = append(o, member{name, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	return o, nil
}

// get returns a value; nil: there is none, or it is null.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name && string(m.value) != "null" {
			return m.value
		}
	}
	return nil
}

// read decodes a value into v, which keeps what it holds if there is no value.
func (o object) read(name string, v any) error {
	if value := o.get(name); value != nil {
		return json.Unmarshal(value, v)
	}
	return nil
}

// with returns the object with another value, at its place or at the end; a nil value removes it.
func (o object) with(name string, value json.RawMessage) object {
	out := make(object, 0, len(o)+1)
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		} else if value != nil {
			out, value = append(out, member{name, value}), nil
		}
	}
	if value != nil {
		out = append(out, member{name, value})
	}
	return out
}

// bytes writes the object.
func (o object) bytes() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encoded(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// list writes an array.
func list(values []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// encoded writes a value of our own, which is always valid.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Added returns a JSON object with one more field at its end; anything else unchanged.
func Added(raw []byte, name string, value any) []byte {
	body := bytes.TrimRight(raw, " \t\r\n")
	inner, closes := bytes.CutSuffix(body, []byte("}"))
	if !closes || !bytes.HasPrefix(bytes.TrimLeft(inner, " \t\r\n"), []byte("{")) {
		return raw
	}
	inner = bytes.Clone(bytes.TrimRight(inner, " \t\r\n"))
	if !bytes.HasSuffix(inner, []byte("{")) {
		inner = append(inner, ',')
	}
	inner = append(append(append(inner, encoded(name)...), ':'), encoded(value)...)
	return append(append(inner, '}'), raw[len(body):]...)
}
