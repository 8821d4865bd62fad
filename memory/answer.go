package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"
)

// object is a JSON object with its values undecoded.
type object map[string]json.RawMessage

func (o object) equal(other object) bool {
	if len(o) != len(other) {
		return false
	}
	for name, value := range o {
		if there, ok := other[name]; !ok || !bytes.Equal(value, there) {
			return false
		}
	}
	return true
}

var (
	errRepeated = unreadable("a field stands twice in the JSON object: give each field once")
	errTrailing = errors.New("something follows the object")
)

// read reads one balanced object, repairing it when it must; rest is what follows it. It is nil when this is not what is
// looked for.
func (f answerForm) read(text, rest string) (object, error) {
	o, err := decodeObject(text)
	switch {
	case errors.Is(err, errRepeated) && strings.Contains(text, "should_update"):
		return nil, err
	case err != nil && strings.Contains(text, "should_update"):
		if o, err = f.repair(text, rest); err != nil {
			return nil, err
		}
	}
	if _, ok := o["should_update"]; !ok {
		return nil, nil
	}
	return o, nil
}

// repair repairs how an object is written. Every doubt whether all of the text is there, and where it belongs, is an
// error.
func (f answerForm) repair(text, rest string) (object, error) {
	rest = strings.TrimSpace(rest)
	if rest != "" && !strings.HasPrefix(rest, "```") {
		return nil, errCut // a stray quote and brace in a text may have ended the object too early
	}
	hidden, ok := hideEscapes(text)
	if !ok || len(text) > maxRepairBytes {
		return nil, errCut
	}
	repaired, err := jsonrepair.Repair(hidden)
	if err != nil || substance(hidden) != substance(repaired) || strayQuote.MatchString(repaired) || !endsAlike(hidden, repaired) {
		return nil, errCut
	}
	o, err := decodeObject(showEscapes(repaired))
	if err != nil {
		return nil, errCut
	}
	for name := range o {
		if !slices.Contains(f.fields, name) { // it may be a piece of a text
			return nil, errCut
		}
	}
	return o, nil
}

// maxRepairBytes bounds what is repaired, since the effort grows with the square of it: two documents at their ceilings fit,
// also in three bytes a character.
const maxRepairBytes = 64 << 10

// strayQuote is what becomes of the apostrophe in 'it's' when single quotes are repaired.
var strayQuote = regexp.MustCompile(`\pL\\"\pL`)

// endsAlike reports whether the repaired object ends where the object ended: where a text closes it now, a quote closed it
// before, and double quotes come in pairs. Else the repair has closed a text that was cut off.
func endsAlike(hidden, repaired string) bool {
	last := func(s string) rune {
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(s), "}"), ", \t\r\n"))
		return r
	}
	return strings.Count(hidden, `"`)%2 == 0 && (last(repaired) != '"' || strings.ContainsRune(`"'“”‘’`, last(hidden)))
}

// substance is what a JSON text says: its characters without quotes, white space and the punctuation of JSON, so that two
// ways of writing one object have one substance, and a repair that loses or invents words is seen.
func substance(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\\' { // of the repair: a line break or a quote
			i++
			continue
		}
		if !unicode.IsSpace(r) && !strings.ContainsRune("\"'`“”‘’,:{}[]+", r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return pythonNull.Replace(b.String())
}

var pythonNull = strings.NewReplacer("none", "null", "undefined", "null")

// decodeObject reads strict JSON. A field that stands twice is an error: which one is meant?
func decodeObject(text string) (object, error) {
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	o := object{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, isName := token.(string)
		if !isName {
			return nil, errTrailing
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if _, twice := o[name]; twice {
			return nil, errRepeated
		}
		o[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return o, nil
}

// While JSON is repaired, its escapes stand as characters for private use: the repair takes backslashes for parts of file
// names when it sees fit, and would turn line breaks into words.
const (
	firstEscape   = '\uE000' // the escape of the byte n is firstEscape+n
	unicodeEscape = '\uE080' // \u; its digits follow
	lastEscape    = unicodeEscape
)

// escapable are the bytes that may follow a backslash in JSON, and the apostrophe, which Python escapes.
const escapable = `"\/bfnrt'`

// hideEscapes replaces the escapes of a JSON text. A backslash that begins none stands for itself, as in the escapes of
// Markdown. It reports false when the text cannot be written this way.
func hideEscapes(s string) (string, bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= firstEscape && r <= lastEscape }) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b.WriteByte(s[i])
		case i+1 < len(s) && strings.IndexByte(escapable, s[i+1]) >= 0:
			b.WriteRune(firstEscape + rune(s[i+1]))
			i++
		case i+5 < len(s) && s[i+1] == 'u':
			if strings.Trim(s[i+2:i+6], "0123456789abcdefABCDEF") != "" {
				return "", false
			}
			b.WriteRune(unicodeEscape)
			i++
		default:
			b.WriteRune(firstEscape + '\\')
		}
	}
	return b.String(), true
}

// showEscapes is the inverse of hideEscapes.
func showEscapes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == firstEscape+'\'':
			b.WriteByte('\'')
		case r == unicodeEscape:
			b.WriteString(`\u`)
		case r >= firstEscape && r < unicodeEscape:
			b.WriteByte('\\')
			b.WriteByte(byte(r - firstEscape))
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
