package imports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// DamagedError means that an export is not valid JSON of the expected form, or ends too early; nothing after Offset
// can be read.
type DamagedError struct {
	File    string
	Offset  int64  // in bytes
	Problem string // what to do about it
}

// Error locates the damage and names the next step, and repeats nothing of the export.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s", e.File, e.Offset, e.Problem)
}

const (
	problemShort    = "the export is incomplete: request or download it again"
	problemBrackets = "brackets do not match"
	problemDepth    = "it is nested too deeply"
	problemNoRecord = "an object or an array was expected"
	problemMember   = "a name and a colon were expected"
)

// maxDepth bounds the nesting of one record; the deepest exports have some twenty levels.
const maxDepth = 500

// record is one element of an export.
type record struct {
	in     string // name of the array that contains it; empty at the top level
	number int    // from 1, in the order of the file
	offset int64  // where it begins
	raw    []byte // nil if larger than MaxRecordBytes; valid until the next record
}

// records reads JSON element by element, with only one of them in memory: the elements of an array, the values of
// JSON Lines, or the elements of those arrays of an object that containers names. The other members of such an object
// are passed last, as an object.
func records(name string, r io.Reader, containers []string, do func(record) error) error {
	s := &scanner{r: bufio.NewReaderSize(r, 64<<10), name: name, limit: MaxRecordBytes}
	if bom, err := s.r.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" {
		s.discard(3)
	}
	for {
		b, err := s.peek()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case b == '[':
			err = s.array("", do)
		case b == '{':
			err = s.object(containers, do)
		default:
			err = s.damaged(problemNoRecord)
		}
		if err != nil {
			return err
		}
	}
}

// scanner finds where JSON values begin and end. json.Unmarshal checks their syntax.
type scanner struct {
	r      *bufio.Reader
	name   string
	limit  int
	offset int64
	number int
	buffer []byte
}

func (s *scanner) damaged(problem string) error {
	return &DamagedError{File: s.name, Offset: s.offset, Problem: problem}
}

func (s *scanner) discard(n int) {
	skipped, _ := s.r.Discard(n) // just peeked at
	s.offset += int64(skipped)
}

// peek returns the first byte that is not a space, without consuming it; io.EOF at the end of the file.
func (s *scanner) peek() (byte, error) {
	for {
		b, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b, s.r.UnreadByte()
		}
		s.offset++
	}
}

// within is peek where the file must not end.
func (s *scanner) within() (byte, error) {
	b, err := s.peek()
	if errors.Is(err, io.EOF) {
		return 0, s.damaged(problemShort)
	}
	return b, err
}

// array passes on the elements of an array.
func (s *scanner) array(in string, do func(record) error) error {
	s.discard(1)
	for first := true; ; first = false {
		b, err := s.within()
		if err != nil {
			return err
		}
		if b == ']' {
			s.discard(1)
			return nil
		}
		if !first {
			if b != ',' {
				return s.damaged("a comma was expected")
			}
			s.discard(1)
			if _, err := s.within(); err != nil {
				return err
			}
		}
		if err := s.hand(in, do); err != nil {
			return err
		}
	}
}

// hand reads a value and passes it to the caller.
func (s *scanner) hand(in string, do func(record) error) error {
	s.number++
	found := record{in: in, number: s.number, offset: s.offset}
	s.buffer = s.buffer[:0]
	fits, err := s.value()
	if err != nil {
		return err
	}
	if fits {
		found.raw = s.buffer
	}
	return do(found)
}

// object passes on the elements of its containers, and then its other members.
func (s *scanner) object(containers []string, do func(record) error) error {
	if len(containers) == 0 {
		return s.hand("", do)
	}
	start, fits := s.offset, true
	rest := []byte{'{'}
	s.discard(1)
	for first := true; ; first = false {
		b, err := s.within()
		if err != nil {
			return err
		}
		if b == '}' {
			s.discard(1)
			break
		}
		if !first {
			if b != ',' {
				return s.damaged("a comma was expected")
			}
			s.discard(1)
		}
		name, err := s.member()
		if err != nil {
			return err
		}
		if b, err = s.within(); err != nil {
			return err
		}
		if plain := string(bytes.Trim(name, `"`)); b == '[' && slices.Contains(containers, plain) {
			if err := s.array(plain, do); err != nil {
				return err
			}
			continue
		}
		s.buffer = append(s.buffer[:0], name...)
		s.buffer = append(s.buffer, ':')
		whole, err := s.value()
		if err != nil {
			return err
		}
		if fits = fits && whole && len(rest)+len(s.buffer) < s.limit; fits {
			if len(rest) > 1 {
				rest = append(rest, ',')
			}
			rest = append(rest, s.buffer...)
		}
	}
	s.number++
	found := record{number: s.number, offset: start}
	if fits {
		found.raw = append(rest, '}')
		if len(rest) == 1 {
			return nil // only containers
		}
	}
	return do(found)
}

// member reads a name and its colon, and returns the name with its quotes.
func (s *scanner) member() ([]byte, error) {
	b, err := s.within()
	if err != nil {
		return nil, err
	}
	if b != '"' {
		return nil, s.damaged(problemMember)
	}
	s.buffer = s.buffer[:0]
	fits, err := s.value()
	if err != nil {
		return nil, err
	}
	name := bytes.Clone(s.buffer)
	if b, err = s.within(); err != nil {
		return nil, err
	}
	if b != ':' || !fits {
		return nil, s.damaged(problemMember)
	}
	s.discard(1)
	return name, nil
}

// value reads one value into the buffer. fits is false if the value is larger than the limit; the buffer then has its
// beginning.
func (s *scanner) value() (fits bool, err error) {
	var open []byte // closing brackets still expected
	fits = true
	for inString, escaped := false, false; ; {
		b, err := s.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return false, s.damaged(problemShort)
			}
			return false, err
		}
		s.offset++
		if len(s.buffer) < s.limit {
			s.buffer = append(s.buffer, b)
		} else {
			fits = false
		}
		switch {
		case inString:
			switch {
			case escaped:
				escaped = false
			case b == '\\':
				escaped = true
			case b == '"':
				if inString = false; len(open) == 0 {
					return fits, nil
				}
			}
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			if len(open) == maxDepth {
				return false, s.damaged(problemDepth)
			}
			open = append(open, b+2) // { and } are two apart, like [ and ]
		case b == '}' || b == ']':
			if len(open) == 0 || open[len(open)-1] != b {
				return false, s.damaged(problemBrackets)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return fits, nil
			}
		case len(open) == 0: // a number or a word
			if ends, err := s.wordEnds(); ends || err != nil {
				return fits, err
			}
		}
	}
}

// wordEnds reports whether a number or a word at the top level ends here.
func (s *scanner) wordEnds() (bool, error) {
	next, err := s.r.Peek(1)
	if len(next) == 0 {
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		return false, err
	}
	return bytes.IndexByte([]byte(" \t\r\n,]}:"), next[0]) >= 0, nil
}

// decoded decodes JSON and reports whether it has the wanted type. The error is dropped because it could quote
// private content.
func decoded(raw []byte, into any) bool { return json.Unmarshal(raw, into) == nil }

// word is a string of an export. Null is empty; a number or a boolean is its literal, since ids are written either
// way; anything else is empty.
type word string

// UnmarshalJSON never fails on valid JSON.
func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null" || raw[0] == '{' || raw[0] == '[':
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
	default:
		s = string(raw)
	}
	*w = word(s)
	return nil
}

// loose is an optional part of an export: if it is invalid, the rest can still be read.
type loose[T any] struct {
	value T
	ok    bool // present and valid
}

// UnmarshalJSON never fails.
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var value T
	if l.ok = string(raw) != "null" && decoded(raw, &value); l.ok {
		l.value = value
	}
	return nil
}

// list is an array of an export; anything else is empty.
type list[T any] []T

// UnmarshalJSON never fails because of types; an invalid element becomes the zero T.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var elements []json.RawMessage
	if !decoded(raw, &elements) {
		*l = nil
		return nil
	}
	out := make([]T, 0, len(elements))
	for _, raw := range elements {
		var element loose[T]
		_ = element.UnmarshalJSON(raw) // it never fails
		out = append(out, element.value)
	}
	*l = out
	return nil
}

// moment is a point in time of an export: seconds or milliseconds since 1970, or a text. Invalid times, and years
// before chatbots existed or far in the future, are zero.
type moment struct{ time.Time }

// Years outside of which a date is considered wrong.
const (
	firstYear = 1990
	lastYear  = 2199
)

// timeLayouts are the time formats of exports. Without a zone, UTC is assumed.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999-0700", time.DateOnly,
}

// UnmarshalJSON never fails on valid JSON.
func (m *moment) UnmarshalJSON(raw []byte) error {
	var text word
	if err := text.UnmarshalJSON(raw); err != nil {
		return err
	}
	m.Time = timeOf(string(text))
	return nil
}

// timeOf parses a time; zero if invalid.
func timeOf(text string) time.Time {
	text = strings.TrimSpace(text)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return plausible(unix(number))
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return plausible(at)
		}
	}
	return time.Time{}
}

// unix converts seconds, or milliseconds if seconds would be in the far future, with microsecond precision.
func unix(number float64) time.Time {
	const farFuture = 1e11
	if math.IsNaN(number) || math.Abs(number) > 1e15 {
		return time.Time{}
	}
	if math.Abs(number) > farFuture {
		number /= 1000
	}
	whole, part := math.Modf(number)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000)
}

func plausible(at time.Time) time.Time {
	if at = at.UTC(); at.Year() < firstYear || at.Year() > lastYear {
		return time.Time{}
	}
	return at.Truncate(time.Microsecond) // precision of the database
}

// textOf returns storable text: UTF-8 without NUL.
func textOf(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cutTo cuts s to at most limit bytes, between characters.
func cutTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
