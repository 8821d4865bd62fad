package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// proposal decodes the fields of the contract; others are ignored.
func (o object) proposal() (Proposal, error) {
	var (
		p   Proposal
		err error
	)
	if p.ShouldUpdate, err = o.yesNo("should_update"); err != nil {
		return Proposal{}, err
	}
	for _, field := range []struct {
		name string
		to   *string
	}{
		{"reason", &p.Reason},
		{"daily_entry", &p.DailyEntry},
		{"memory_update", &p.MemoryUpdate},
		{"profile_update", &p.ProfileUpdate},
	} {
		if *field.to, err = o.text(field.name); err != nil {
			return Proposal{}, err
		}
	}
	if p.Retired, err = o.retired(); err != nil {
		return Proposal{}, err
	}
	if p.Evidence, err = o.evidence(); err != nil {
		return Proposal{}, err
	}
	if !p.ShouldUpdate {
		return Proposal{Reason: p.Reason}, nil
	}
	return p, nil
}

// yesNo reads a boolean, also one that was written as a text.
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

// text reads a string; null and a missing field are empty.
func (o object) text(name string) (string, error) {
	value, given := o[name]
	if !given || string(value) == "null" {
		return "", nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", unreadable("%s must be one JSON string, it is %s", name, kindOf(value))
	}
	return text, nil
}

// list reads an array; null and a missing field are empty.
func (o object) list(name string) ([]json.RawMessage, error) {
	value, given := o[name]
	if !given || string(value) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, unreadable("%s must be an array, it is %s", name, kindOf(value))
	}
	return list, nil
}

func (o object) retired() ([]Retired, error) {
	list, err := o.list("retired")
	if err != nil {
		return nil, err
	}
	var out []Retired
	for i, item := range list {
		var fields object
		if json.Unmarshal(item, &fields) != nil || fields == nil {
			return nil, unreadable(`retired[%d] must be an object such as {"line": "…", "reason": "…"}, it is %s`, i, kindOf(item))
		}
		line, err := fields.text("line")
		if err != nil {
			return nil, itemError("retired", i, err)
		}
		reason, err := fields.text("reason")
		if err != nil {
			return nil, itemError("retired", i, err)
		}
		out = append(out, Retired{Line: line, Reason: reason})
	}
	return out, nil
}

func (o object) evidence() ([]LineSource, error) {
	list, err := o.list("evidence")
	if err != nil {
		return nil, err
	}
	var out []LineSource
	for i, item := range list {
		var source LineSource
		if json.Unmarshal(item, &source) != nil {
			return nil, unreadable(`evidence[%d] must be an object such as {"line": "…", "messages": [1, 2]}`, i)
		}
		if source.Line != "" && len(source.Messages) > 0 {
			slices.Sort(source.Messages)
			source.Messages = slices.Compact(source.Messages)
			out = append(out, source)
		}
	}
	return out, nil
}

func itemError(list string, i int, err error) error {
	return unreadable("in %s[%d], %s", list, i, err.Error())
}

// kindOf names the kind of a JSON value, without repeating it.
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
