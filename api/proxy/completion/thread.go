package completion

import "reverie/memory"

// Thread identifies the messages of a conversation that a client sends as a whole with every request.
//
// The id of a message is a hash of it and of the two messages before it. So messages that were sent before have the ids that they had then;
// an edited message, another answer and what follows them have other ids; and a client that drops the oldest messages changes the ids of the
// first two that remain only. Instructions do not count: they often contain the time.
type Thread struct {
	// Messages are those of the user, the assistant and the tools, with ids.
	Messages []memory.Message
	// Name is a name for a conversation that begins like this one.
	Name string
	// Beginning means that the user's first message is the last one: there is no answer yet.
	Beginning bool

	scope string
	keys  []string
}

// namePrefix begins the names of conversations that clients do not name.
const namePrefix = "chat-"

// nameDigits is the length of the hash in a name.
const nameDigits = 24

// Thread returns the messages of the conversation. scope names its owner: ids of different people differ.
func (r *Request) Thread(scope string) Thread {
	t := Thread{scope: scope}
	first := -1 // of the user
	for _, m := range r.Messages {
		if m.Role == memory.RoleOfSystem {
			continue
		}
		if m.Role == memory.RoleOfUser && first < 0 {
			first = len(t.keys)
		}
		t.add(m)
	}
	if len(t.keys) > 0 {
		t.Name = namePrefix + hashOf(scope, t.keys[max(0, first)])[:nameDigits]
	}
	t.Beginning = first >= 0 && first == len(t.keys)-1
	return t
}

// add appends a message and gives it its id.
func (t *Thread) add(m Message) memory.Message {
	t.keys = append(t.keys, m.key)
	m.ID = hashOf(append([]string{t.scope}, t.keys[max(0, len(t.keys)-3):]...)...)
	t.Messages = append(t.Messages, m.Message)
	return m.Message
}

// Answered returns an answer with its id.
func (t *Thread) Answered(m memory.Message) memory.Message { return t.add(Reply(m)) }

// NameAfter returns a name for another conversation that begins like an earlier one. It depends on what is known of the earlier one, so that
// the same request, made twice at the same time, gets the same name.
func (t *Thread) NameAfter(earlier string) string { return t.Name + "-" + hashOf(earlier)[:8] }
