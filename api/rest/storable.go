package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"reverie/api/fault"
)

// unstorable returns what PostgreSQL cannot hold in a request: strings with U+0000 or with bytes that are not UTF-8, and values of type
// int beyond its integer. It looks at every parameter and every field of the body, except fields tagged characters:"any", which their
// handler checks.
func unstorable(in any) []fault.Fault {
	c := characters{}
	c.visit(reflect.ValueOf(in), "")
	return c.faults
}

// unstorableQuery is unstorable for a query that no struct describes.
func unstorableQuery(query url.Values) []fault.Fault {
	c := characters{}
	for name, values := range query {
		for _, value := range values {
			c.visit(reflect.ValueOf(value), "query."+name)
		}
	}
	return c.faults
}

type characters struct{ faults []fault.Fault }

func (c *characters) complain(at, problem string) {
	if len(c.faults) <= fault.MaxFaults {
		c.faults = append(c.faults, fault.Fault{Location: at, Message: problem})
	}
}

const hasNUL = "it contains the character U+0000: remove it"

func (c *characters) visit(v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.visit(v.Elem(), at)
		}
	case reflect.String:
		switch s := v.String(); {
		case !utf8.ValidString(s):
			c.complain(at, "it is not valid UTF-8")
		case strings.ContainsRune(s, 0):
			c.complain(at, hasNUL)
		}
	case reflect.Int:
		if n := v.Int(); n != int64(int32(n)) {
			c.complain(at, fmt.Sprintf("it is not between %d and %d", math.MinInt32, math.MaxInt32))
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() && field.Tag.Get("characters") != "any" {
				c.visit(value, join(at, locationOf(field)))
			}
		}
	case reflect.Slice, reflect.Array:
		if raw, is := reflect.TypeAssert[json.RawMessage](v); is && escapesNUL(raw) {
			c.complain(at, hasNUL)
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			c.visit(v.Index(i), fmt.Sprintf("%s[%d]", at, i))
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			c.visit(key, at)
			c.visit(value, join(at, key.String()))
		}
	}
}

// locationOf names a field as huma does in faults; empty for an embedded struct, and for the value of a type with its own JSON.
func locationOf(f reflect.StructField) string {
	for _, in := range []string{"path", "query", "header"} {
		if name, is := f.Tag.Lookup(in); is {
			name, _, _ = strings.Cut(name, ",")
			return in + "." + name
		}
	}
	switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
	case name == "-", name == "" && f.Anonymous:
		return ""
	case name != "":
		return name
	}
	return strings.ToLower(f.Name)
}

func join(at, name string) string {
	if at == "" || name == "" {
		return at + name
	}
	return at + "." + name
}

// escapesNUL reports whether a string in JSON has the character U+0000, which only an escape can write.
func escapesNUL(raw []byte) bool {
	for {
		i := bytes.Index(raw, []byte(`\u0000`))
		if i < 0 {
			return false
		}
		before := len(raw[:i]) - len(bytes.TrimRight(raw[:i], `\`))
		if before%2 == 0 { // otherwise the backslash is escaped
			return true
		}
		raw = raw[i+1:]
	}
}
