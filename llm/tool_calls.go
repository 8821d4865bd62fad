package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"

	"reverie/memory"
)

// arguments are a call's arguments as servers write them: JSON in a string, the object itself, null or nothing.
type arguments string

// UnmarshalJSON reads the arguments.
func (a *arguments) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '"' || string(b) == "null") {
		return json.Unmarshal(b, (*string)(a))
	}
	*a = arguments(b)
	return nil
}

// noArguments are those of a call that has none.
const noArguments = "{}"

// newCallID is the id of a call whose server gave it none.
func newCallID() string { return "call_" + rand.Text()[:20] }

// finished makes calls as they came fit for use: each has arguments and an id of its own.
func finished(calls []memory.ToolCall) []memory.ToolCall {
	seen := map[string]bool{"": true}
	for i := range calls {
		if seen[calls[i].ID] {
			calls[i].ID = newCallID()
		}
		seen[calls[i].ID] = true
		if len(bytes.TrimSpace([]byte(calls[i].Arguments))) == 0 {
			calls[i].Arguments = noArguments
		}
	}
	return calls
}

// object are a call's arguments as an object, which is what protocols and servers take. Those that are none are told apart
// from any that a tool knows.
func object(arguments string) json.RawMessage {
	trimmed := bytes.TrimSpace([]byte(arguments))
	switch {
	case len(trimmed) == 0:
		return json.RawMessage(noArguments)
	case trimmed[0] == '{' && json.Valid(trimmed):
		return trimmed
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": arguments})
	if err != nil { // a string can always be written
		return json.RawMessage(noArguments)
	}
	return wrapped
}
