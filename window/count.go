package window

import (
	"reverie/memory"
)

// toolTokens is what a tool's definition costs beside its texts.
const toolTokens = 12

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
	return memory.MessageTokens(m.Content, m.ToolCalls, c.count)
}

func (c *counter) tools(tools []Tool) int {
	n := 0
	for _, t := range tools {
		n += c.count(t.Name+t.Description+string(t.Parameters)) + toolTokens
	}
	return n
}
