package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// element is a JSON value within a larger one, with the line on which it begins.
type element struct {
	raw  json.RawMessage
	line int
}

// elements are the values of a JSON array, which begins on the given line. raw must be valid.
func elements(raw []byte, line int) []element {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var out []element
	for d.More() {
		out = append(out, next(d, raw, line))
	}
	return out
}

// members are the values of a JSON object by name, which begins on the given line. raw must be valid.
func members(raw []byte, line int) map[string]element {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil
	}
	out := map[string]element{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		out[fmt.Sprint(name)] = next(d, raw, line)
	}
	return out
}

// next reads the next value of d, which reads raw.
func next(d *json.Decoder, raw []byte, line int) element {
	begin := int(d.InputOffset())
	for begin < len(raw) && bytes.IndexByte([]byte(" \t\r\n,:"), raw[begin]) >= 0 {
		begin++
	}
	e := element{line: line + bytes.Count(raw[:begin], []byte("\n"))}
	if err := d.Decode(&e.raw); err != nil {
		e.raw = json.RawMessage("null") // cannot be: raw is valid
	}
	return e
}

// notJSON says why content is no JSON value in UTF-8; empty when it is one.
func notJSON(content []byte) string {
	if !utf8.Valid(content) {
		return "not UTF-8: save the file in that encoding"
	}
	if err := json.Unmarshal(content, new(json.RawMessage)); err != nil {
		return fmt.Sprintf("not JSON: %v", err)
	}
	return ""
}

// faultAt is the offset at which content stops being JSON in UTF-8.
func faultAt(content []byte) int {
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(content, new(json.RawMessage)), &syntax) {
		return int(syntax.Offset)
	}
	return 0
}

// lineOf is the line, from 1, of the byte at offset.
func lineOf(content []byte, offset int) int {
	return 1 + bytes.Count(content[:min(offset, len(content))], []byte("\n"))
}

// readableType says which field is of the wrong type.
func readableType(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("%q is a %s and must be a %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return err.Error()
}
