package llmtest

import (
	"encoding/json"
	"strings"

	"reverie/memory"
)

// Turn is what a model says: a text, calls of tools, or both.
type Turn struct {
	Text  string
	Calls []memory.ToolCall // those without an id get one, those without arguments get {}
	// Cached is how many tokens of the input are said to have come from a cache; 0: none.
	Cached int
}

// Call is a call of a tool with arguments that are written as JSON.
func Call(name string, arguments any) memory.ToolCall {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // the test's own value
	}
	return memory.ToolCall{Name: name, Arguments: string(b)}
}

// Say is a turn that only says something.
func Say(text string) Turn { return Turn{Text: text} }

// Use is a turn that calls tools.
func Use(calls ...memory.ToolCall) Turn { return Turn{Calls: calls} }

// tokens is what a turn counts for.
func (t Turn) tokens() int {
	var said strings.Builder
	said.WriteString(t.Text)
	for _, c := range t.Calls {
		said.WriteString(c.Name + c.Arguments)
	}
	return Tokens(said.String())
}

// named is the turn as the server of a request says it, each call with an id of its own.
func (t Turn) named(prefix string, r Request) Turn {
	calls := make([]memory.ToolCall, len(t.Calls))
	for i, c := range t.Calls {
		if c.ID == "" {
			c.ID = prefix + itoa(r.Number) + "_" + itoa(i+1)
		}
		if c.Arguments == "" {
			c.Arguments = "{}"
		}
		calls[i] = c
	}
	t.Calls = calls
	return t
}

// pieceRunes is about how many characters of a token are streamed at once.
const pieceRunes = 4

// pieces cuts a text as a model says it, token by token: each has at most pieceRunes characters and ends behind a space.
func pieces(text string) []string {
	var out []string
	var piece strings.Builder
	n := 0
	for _, r := range text {
		piece.WriteRune(r)
		if n++; n == pieceRunes || r == ' ' {
			out = append(out, piece.String())
			piece.Reset()
			n = 0
		}
	}
	if piece.Len() > 0 {
		out = append(out, piece.String())
	}
	return out
}
