package conversations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// element is a JSON value within a larger one, and its first line.
type element struct {
	raw  json.RawMessage
	line int
}

// elements returns the values of a JSON array that begins on the given line. raw must be valid.
func elements(raw []byte, line int) []element {
	w := newWalker(raw, line)
	var out []element
	for w.d.More() {
		out = append(out, w.next())
	}
	return out
}

// members returns the values of a JSON object that begins on the given line, by name. raw must be valid.
func members(raw []byte, line int) map[string]element {
	w := newWalker(raw, line)
	out := map[string]element{}
	for w.d.More() {
		name, err := w.d.Token()
		if err != nil {
			return out
		}
		out[fmt.Sprint(name)] = w.next()
	}
	return out
}

// walker reads the values of an array or object and counts lines.
type walker struct {
	d    *json.Decoder
	raw  []byte
	at   int // lines are counted up to here
	line int // of at
}

func newWalker(raw []byte, line int) *walker {
	w := &walker{d: json.NewDecoder(bytes.NewReader(raw)), raw: raw, line: line}
	_, _ = w.d.Token() // the bracket: raw is valid
	return w
}

// next reads the next value.
func (w *walker) next() element {
	begin := int(w.d.InputOffset())
	for begin < len(w.raw) && bytes.IndexByte([]byte(" \t\r\n,:"), w.raw[begin]) >= 0 {
		begin++
	}
	w.line += bytes.Count(w.raw[w.at:begin], []byte("\n"))
	w.at = begin
	e := element{line: w.line}
	if err := w.d.Decode(&e.raw); err != nil {
		e.raw = json.RawMessage("null") // impossible: raw is valid
	}
	return e
}

// notJSON returns the reason why content is not a JSON value in UTF-8, or an empty string.
func notJSON(content []byte) string {
	if !utf8.Valid(content) {
		return "not UTF-8: save the file in that encoding"
	}
	if err := json.Unmarshal(content, new(json.RawMessage)); err != nil {
		return fmt.Sprintf("not JSON: %v", err)
	}
	return ""
}

// faultAt returns the offset at which content stops being JSON in UTF-8.
func faultAt(content []byte) int {
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	if syntax, found := errors.AsType[*json.SyntaxError](json.Unmarshal(content, new(json.RawMessage))); found {
		return int(syntax.Offset)
	}
	return 0
}

// lineOf returns the line, from 1, of the byte at offset.
func lineOf(content []byte, offset int) int {
	return 1 + bytes.Count(content[:min(offset, len(content))], []byte("\n"))
}

// readableType explains an error of json.Unmarshal: which field has the wrong type.
func readableType(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("%q is a %s and must be a %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return err.Error()
}
