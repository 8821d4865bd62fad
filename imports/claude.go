package imports

import (
	"slices"
	"strings"

	"reverie/memory"
)

// claudeConversation is a conversation of Claude, its messages in order.
type claudeConversation struct {
	UUID     word                `json:"uuid"`
	Name     word                `json:"name"`
	Created  moment              `json:"created_at"`
	Messages list[claudeMessage] `json:"chat_messages"`
	Leaf     word                `json:"current_leaf_message_uuid"`
}

type claudeMessage struct {
	UUID        word             `json:"uuid"`
	Parent      word             `json:"parent_message_uuid"`
	Sender      word             `json:"sender"`
	Text        word             `json:"text"`
	Content     list[claudePart] `json:"content"`
	Created     moment           `json:"created_at"`
	Attachments list[claudeFile] `json:"attachments"`
	Files       list[claudeFile] `json:"files"`
}

// claudePart is a block of a message: text, thinking, tool_use, tool_result and others.
type claudePart struct {
	Type word `json:"type"`
	Text word `json:"text"`
}

// claudeFile is a file that a message came with; of some, the text stands in the export.
type claudeFile struct {
	Name word `json:"file_name"`
}

// claudeMemory is what Claude keeps of a person beside the conversations (memories.json).
type claudeMemory struct {
	Text     word            `json:"conversations_memory"`
	Projects map[string]word `json:"project_memories"`
}

// readClaude reads conversations of Claude, and its own notes about the person.
func readClaude(r *reading) error {
	r.hidden(func(string) string { return reasonHidden })
	isChat := r.chats()
	for _, f := range r.tree.files {
		var err error
		switch {
		case isChat(f.path):
			err = r.recordsOf(f, chatContainers, r.claude)
		case f.path == "memories.json":
			err = r.recordsOf(f, nil, r.claudeMemory)
		default:
			r.skip(f.path, reasonNoExport)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) claude(f file, found record) (string, error) {
	var c claudeConversation
	if !decoded(found.raw, &c) || c.Messages == nil {
		return reasonUnread, nil
	}
	t := talk{id: string(c.UUID), source: "conversation " + string(c.UUID), title: string(c.Name), began: c.Created.Time}
	if t.id == "" && len(c.Messages) > 0 {
		t.id, t.source = string(c.Messages[0].UUID), f.path+", a conversation without an id"
	}
	chain := c.chain()
	others := 0
	for _, m := range chain {
		role := claudeRole(string(m.Sender))
		if role == "" {
			others++
			continue
		}
		t.messages = append(t.messages, memory.Message{ID: string(m.UUID), Role: role, Content: m.said(), CreatedAt: m.Created.Time})
	}
	if others > 0 {
		r.skipped(Skipped{Source: t.source, Reason: reasonMachinery, Count: others})
	}
	if branches := len(c.Messages) - len(chain); branches > 0 {
		r.skipped(Skipped{Source: t.source, Reason: reasonOtherBranch, Count: branches})
	}
	return "", r.talk(t, f)
}

// chain is the branch that was shown last, where the export says it; else all messages, by time.
func (c *claudeConversation) chain() []claudeMessage {
	byID := make(map[word]claudeMessage, len(c.Messages))
	for _, m := range c.Messages {
		byID[m.UUID] = m
	}
	var branch []claudeMessage
	for at := c.Leaf; at != ""; {
		m, known := byID[at]
		if !known {
			break
		}
		delete(byID, at) // a circle is cut where it closes
		branch = append(branch, m)
		at = m.Parent
	}
	if len(branch) > 0 {
		slices.Reverse(branch)
		return branch
	}
	at := c.Created.Time
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Created.IsZero() {
			m.Created.Time = at
		} else {
			at = m.Created.Time
		}
	}
	slices.SortStableFunc(c.Messages, func(a, b claudeMessage) int { return a.Created.Compare(b.Created.Time) })
	return c.Messages
}

func claudeRole(sender string) string {
	switch strings.ToLower(sender) {
	case "human", "user":
		return memory.RoleOfUser
	case "assistant":
		return memory.RoleOfAssistant
	}
	return ""
}

// said is what was said in text blocks, else the message's text; files are named in their place.
func (m claudeMessage) said() string {
	var out []string
	for _, part := range m.Content {
		if part.Type == "text" && strings.TrimSpace(string(part.Text)) != "" {
			out = append(out, string(part.Text))
		}
	}
	if len(out) == 0 && len(m.Content) == 0 {
		out = append(out, string(m.Text))
	}
	for _, file := range append(m.Attachments, m.Files...) {
		out = append(out, strings.TrimSuffix("[attachment: "+oneName(string(file.Name)), ": ")+"]")
	}
	return strings.TrimSpace(strings.Join(out, "\n\n"))
}

// claudeMemory makes a document of what Claude keeps of the person.
func (r *reading) claudeMemory(f file, found record) (string, error) {
	var m claudeMemory
	if !decoded(found.raw, &m) || m.Text == "" {
		return reasonUnread, nil
	}
	if len(m.Projects) > 0 {
		r.skipped(Skipped{Source: f.path, Reason: "memory of projects: it is not about the person", Count: len(m.Projects)})
	}
	return "", r.document(document{Document: Document{
		Path: memory.MemoryPath, Source: f.path, Scope: memory.ScopePersonal, Content: string(m.Text) + "\n", At: plausible(f.at),
	}})
}

// oneName is the name of a file on one line.
func oneName(name string) string {
	return cutRunes(strings.Join(strings.Fields(textOf(name)), " "), 80)
}
