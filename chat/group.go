package chat

import (
	"strings"

	"reverie/memory"
)

// spoken are messages as the model is sent them: where several people talk, each of theirs begins with who said it.
func (a *assembly) spoken(messages []memory.Message) []memory.Message {
	if a.request.Speaker == memory.NoOwner {
		return messages
	}
	out := make([]memory.Message, len(messages))
	for i, m := range messages {
		out[i] = a.named(m)
	}
	return out
}

func (a *assembly) named(m memory.Message) memory.Message {
	if a.request.Speaker != memory.NoOwner && m.Role == memory.RoleOfUser && m.Name != "" && strings.TrimSpace(m.Content) != "" {
		m.Content = strings.Join(strings.Fields(m.Name), " ") + ": " + m.Content
	}
	return m
}
