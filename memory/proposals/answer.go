package proposals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"

	"reverie/language/lazyregexp"
)

const (
	// maxAnswerBytes bounds an engine's answer. Two full documents and a daily entry take a fraction of it.
	maxAnswerBytes = 1 << 20
	// maxRepairBytes bounds what is repaired: the effort grows with its square. Two documents at their limits fit, also with
	// three bytes per character.
	maxRepairBytes = 64 << 10
	// maxObjects bounds how many objects of an answer are tried.
	maxObjects = 64
	// maxNesting bounds the depth of an object. A proposal has three levels.
	maxNesting = 16
)

// Error reports that an answer cannot be read. The problem is worded for the engine that gave the answer and repeats
// nothing of it.
type Error struct{ Problem string }

// Error describes the problem and what to do.
func (e *Error) Error() string { return e.Problem }

func unreadable(format string, args ...any) error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

// Problems of an answer as a whole.
var (
	errNoObject = unreadable("the answer has no JSON object with should_update: answer with exactly one JSON object and nothing else")
	errCut      = unreadable("the JSON cannot be read: it is cut off, or a quote inside a string is not escaped. Answer again with one " +
		`complete JSON object, with quotes inside strings written as \" and line breaks as \n; write less if the answer was too long`)
	errTwo      = unreadable("the answer has several different JSON objects: answer with exactly one")
	errTooBig   = unreadable("the answer is longer than %d bytes: answer with one JSON object and nothing else", maxAnswerBytes)
	errRepeated = unreadable("a field occurs twice in the JSON object: give each field once")
	errTrailing = errors.New("text after the object")
)

// answerForm describes one kind of answer. All kinds have a field should_update.
type answerForm struct {
	fields []string           // names of the known fields
	start  *lazyregexp.Regexp // matches the beginning of an object of this kind
}

func formOf(fields ...string) answerForm {
	return answerForm{fields, lazyregexp.New(`^\{\s*["'“]?(?:` + strings.Join(fields, "|") + `)\b`)}
}

// parse returns the one object of the answer that has a field should_update.
func (f answerForm) parse(raw string) (object, error) {
	if len(raw) > maxAnswerBytes {
		return nil, errTooBig
	}
	text := unwrapped(raw)
	var found object
	tried := 0
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 || tried == maxObjects {
			break
		}
		at += next
		tried++
		length, complete := objectLength(text[at:])
		if !complete {
			if f.start.MatchString(text[at:]) {
				return nil, errCut
			}
			continue
		}
		o, err := f.read(text[at:at+length], text[at+length:])
		switch {
		case err != nil:
			return nil, err
		case o == nil: // another object; it may enclose the answer
			continue
		case found != nil && !maps.EqualFunc(found, o, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }):
			return nil, errTwo
		}
		found = o
		at += length - 1
	}
	if found == nil {
		return nil, errNoObject
	}
	return found, nil
}

var (
	thinking           = lazyregexp.New(`(?is)^\s*<think(?:ing)?>.*?</think(?:ing)?>`)
	unfinishedThinking = lazyregexp.New(`(?i)^\s*<think(?:ing)?>`)
)

// unwrapped removes a model's thinking, and decodes an answer that was written as a JSON string.
func unwrapped(raw string) string {
	raw = thinking.ReplaceAllString(raw, "")
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}

// objectLength returns the length of the object at the beginning of text. complete is false if text ends before the object.
// Single quotes delimit a string where a string can begin, as in Python.
func objectLength(text string) (length int, complete bool) {
	var (
		depth  int
		quote  byte // open quote
		before byte // last character that is not white space
	)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && strings.IndexByte("{[,:", before) >= 0:
			quote = c
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return 0, false
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		if strings.IndexByte(" \t\r\n", c) < 0 {
			before = c
		}
	}
	return 0, false
}

// read decodes one balanced object, after a repair if necessary. rest is the text after it. It returns nil for an object
// without should_update.
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

// repair repairs the syntax of an object. Any doubt that all of the text is present and in its place is an error.
func (f answerForm) repair(text, rest string) (object, error) {
	rest = strings.TrimSpace(rest)
	if rest != "" && !strings.HasPrefix(rest, "```") {
		return nil, errCut // a stray quote and brace inside a string may have ended the object too early
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
		if !slices.Contains(f.fields, name) { // it may be part of a string
			return nil, errCut
		}
	}
	return o, nil
}

// strayQuote matches what the repair of single quotes makes of the apostrophe in 'it's'.
var strayQuote = lazyregexp.New(`\pL\\"\pL`)

// endsAlike reports whether an object and its repair end alike: if the repair ends with a closing quote, so did the object,
// and its double quotes are paired. Otherwise the repair has closed a string that was cut off.
func endsAlike(hidden, repaired string) bool {
	last := func(s string) rune {
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(s), "}"), ", \t\r\n"))
		return r
	}
	return strings.Count(hidden, `"`)%2 == 0 && (last(repaired) != '"' || strings.ContainsRune(`"'“”‘’`, last(hidden)))
}

// substance returns the characters of a JSON text without quotes, white space and punctuation. It is the same for all ways
// to write an object, and shows whether a repair has lost or invented words.
func substance(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\\' { // an escape that the repair has added, for a line break or a quote
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

// While JSON is repaired, its escapes are replaced by private-use characters. The repair would otherwise take backslashes for
// parts of file names, and line breaks for letters.
const (
	firstEscape   = '\uE000' // the escape of byte n is firstEscape+n
	unicodeEscape = '\uE080' // \u; its digits follow
	lastEscape    = unicodeEscape
)

// escapable lists the bytes that may follow a backslash in JSON, and the apostrophe, which Python escapes.
const escapable = `"\/bfnrt'`

// hideEscapes replaces the escapes of a JSON text. A backslash that begins no JSON escape is kept as a character, as in
// Markdown. It reports false if the text cannot be represented this way.
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

// showEscapes reverses hideEscapes.
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

// object is a JSON object with undecoded values.
type object map[string]json.RawMessage

// decodeObject decodes strict JSON. A repeated field is an error, because it is unclear which one is meant.
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
		if _, repeated := o[name]; repeated {
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

// yesNo decodes a boolean, also one written as a string.
func (o object) yesNo(name string) (bool, error) {
	value := string(o[name])
	if text, err := strconv.Unquote(value); err == nil {
		value = strings.ToLower(strings.TrimSpace(text))
	}
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, unreadable("%s must be true or false, it is %s", name, kindOf(o[name]))
}

// texts decodes several strings. Null and missing fields are empty. Of several invalid fields it reports the first by name.
func (o object) texts(fields map[string]*string) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := o[name]
		if len(value) == 0 || string(value) == "null" {
			continue
		}
		if json.Unmarshal(value, fields[name]) != nil {
			return unreadable("%s must be one JSON string, it is %s", name, kindOf(value))
		}
	}
	return nil
}

// list decodes an array. Null and a missing field are empty.
func (o object) list(name string) ([]json.RawMessage, error) {
	value := o[name]
	if len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, unreadable("%s must be an array, it is %s", name, kindOf(value))
	}
	return list, nil
}

// kindOf names the kind of a JSON value, without repeating the value.
func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return "missing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return fmt.Sprintf("%s, a boolean", value)
	case 'n':
		return "null"
	}
	return "a number"
}
