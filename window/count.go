package window

import (
	"reverie/memory"
)

const (
	messageTokens = 4  // what a message costs beside its texts
	toolTokens    = 12 // what a tool's definition costs beside its texts
)

// counter counts each text once.
type counter struct {
	of   func(string) int
	seen map[string]int
}

func newCounter(of func(string) int, texts int) *counter {
	if of == nil {
		of = memory.EstimateTokens
	}
	return &counter{of: of, seen: make(map[string]int, texts)}
}

func (c *counter) count(text string) int {
	if text == "" {
		return 0
	}
	n, ok := c.seen[text]
	if !ok {
		n = c.of(text)
		c.seen[text] = n
	}
	return n
}

// message is what a message costs.
func (c *counter) message(m Message) int {
	n := c.count(m.Content) + messageTokens
	for _, call := range m.ToolCalls {
		n += c.count(call.Name) + c.count(call.Arguments)
	}
	return n
}

func (c *counter) tools(tools []Tool) int {
	n := 0
	for _, t := range tools {
		n += c.count(t.Name+t.Description+string(t.Parameters)) + toolTokens
	}
	return n
}
