package imports

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"reverie/memory"
)

// chatContainers are the arrays in which conversations stand where the export is no array itself.
var chatContainers = []string{"conversations", "chats"}

// isChats finds the files with conversations: conversations.json, and its parts in exports that are split.
func isChats(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, "conversations") && isJSON(base)
}

// isExport finds single conversations in folders of an export.
func isExport(name string) bool {
	return strings.HasPrefix(name, "conversations/") && isJSON(name)
}

// chats is isChats, or any JSON when the source has no such file.
func (r *reading) chats() func(name string) bool {
	if len(r.tree.named(isChats)) > 0 {
		return isChats
	}
	return isJSON
}

// gptConversation is a conversation of ChatGPT: a tree of messages, of which the branch that ends in current_node was shown last.
type gptConversation struct {
	ID      word                      `json:"conversation_id"`
	OldID   word                      `json:"id"`
	Title   word                      `json:"title"`
	Created moment                    `json:"create_time"`
	Updated moment                    `json:"update_time"`
	Mapping map[string]loose[gptNode] `json:"mapping"`
	Current word                      `json:"current_node"`
}

// gptNode is one node of the tree; the root has no message.
type gptNode struct {
	Message loose[gptMessage] `json:"message"`
	Parent  word              `json:"parent"`
}

type gptMessage struct {
	ID     word `json:"id"`
	Author struct {
		Role word `json:"role"`
		Name word `json:"name"`
	} `json:"author"`
	Created   moment     `json:"create_time"`
	Content   gptContent `json:"content"`
	Recipient word       `json:"recipient"`
	Metadata  struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// gptContent is what was said: text has parts, code has text, and there are a dozen kinds that only machinery sees.
type gptContent struct {
	Kind  word              `json:"content_type"`
	Parts []json.RawMessage `json:"parts"`
	Text  word              `json:"text"`
}

// gptPart is a part that is no text: an image, a recording, or what was said in it.
type gptPart struct {
	Kind word `json:"content_type"`
	Text word `json:"text"`
}

const (
	reasonHiddenWord  = "hidden messages: instructions and machinery that the person has not seen"
	reasonOtherBranch = "messages of other branches: answers that were made anew, and questions that were changed"
)

// readChatGPT reads conversations of ChatGPT: the branch that was shown last, what the person wrote and what was answered.
func readChatGPT(r *reading) error {
	r.hidden(func(string) string { return reasonHidden })
	return r.records(chatContainers, r.chats(), func(f file, found record) (string, error) {
		var c gptConversation
		if !decoded(found.raw, &c) || c.Mapping == nil {
			return reasonUnread, nil
		}
		t := talk{id: string(c.ID), title: string(c.Title), began: c.Created.Time}
		if t.id == "" {
			t.id = string(c.OldID)
		}
		if t.began.IsZero() {
			t.began = c.Updated.Time
		}
		t.source = "conversation " + t.id
		if t.id == "" {
			t.id, t.source = gptRootID(c.Mapping), f.path+", a conversation without an id"
		}
		chain := c.chain()
		skipped := map[string]int{}
		for _, node := range chain {
			m, why := node.said()
			switch {
			case why != "":
				skipped[why]++
			case m.Content != "":
				t.messages = append(t.messages, m)
			}
		}
		if others := len(c.Mapping) - len(chain); others > 0 {
			skipped[reasonOtherBranch] = others
		}
		for _, why := range []string{reasonHiddenWord, reasonMachinery, reasonOtherBranch} {
			if skipped[why] > 0 {
				r.skipped(Skipped{Source: t.source, Reason: why, Count: skipped[why]})
			}
		}
		return "", r.talk(t, f)
	})
}

// gptRootID is a stand-in for a conversation's id: the smallest of its nodes.
func gptRootID(nodes map[string]loose[gptNode]) string {
	least := ""
	for id := range nodes {
		if least == "" || id < least {
			least = id
		}
	}
	return least
}

// chain is the branch that ends in the current node, from its beginning. Without a current node that exists, it is the one
// that ends in the newest message. Circles are cut where they close.
func (c *gptConversation) chain() []gptNode {
	at := string(c.Current)
	if _, known := c.Mapping[at]; !known {
		at = c.newest()
	}
	var out []gptNode
	seen := map[string]bool{}
	for !seen[at] {
		node, known := c.Mapping[at]
		if !known {
			break
		}
		seen[at] = true
		out = append(out, node.value)
		at = string(node.value.Parent)
	}
	slices.Reverse(out)
	return out
}

// newest is the node with the newest message, of several the one with the greatest id.
func (c *gptConversation) newest() string {
	best := ""
	for id, node := range c.Mapping {
		if !node.value.Message.ok {
			continue
		}
		if best == "" {
			best = id
			continue
		}
		switch order := node.value.Message.value.Created.Compare(c.Mapping[best].value.Message.value.Created.Time); {
		case order > 0, order == 0 && id > best:
			best = id
		}
	}
	return best
}

// said is the message of a node as it is moved; why is set when it is not. A node without a message has neither.
func (n gptNode) said() (m memory.Message, why string) {
	said := n.Message.value
	role, text := string(said.Author.Role), said.Content.said()
	switch {
	case said.Metadata.Hidden, said.Content.Kind == "user_editable_context", said.Content.Kind == "model_editable_context":
		return memory.Message{}, reasonHiddenWord
	case text == "":
		return memory.Message{}, "" // the beginning of every conversation has no words
	case role != memory.RoleOfUser && role != memory.RoleOfAssistant, said.Recipient != "" && said.Recipient != "all", !said.Content.spoken():
		return memory.Message{}, reasonMachinery
	}
	return memory.Message{ID: string(said.ID), Role: role, Content: text, CreatedAt: said.Created.Time}, ""
}

// spoken reports whether a person saw it as something that was said. Code to all is an answer; thoughts, searches and
// what tools return are not.
func (c gptContent) spoken() bool {
	switch c.Kind {
	case "", "text", "multimodal_text", "code":
		return true
	}
	return false
}

// said puts the parts together. What is no text is named in its place.
func (c gptContent) said() string {
	var out []string
	for _, raw := range c.Parts {
		var text word
		var part gptPart
		switch {
		case isText(raw):
			_ = text.UnmarshalJSON(raw) // what cannot be read is empty
		case isObject(raw) && decoded(raw, &part):
			text = part.named()
		}
		if strings.TrimSpace(string(text)) != "" {
			out = append(out, string(text))
		}
	}
	if len(out) == 0 && c.Text != "" {
		return string(c.Text)
	}
	return strings.Join(out, "\n\n")
}

func (p gptPart) named() word {
	switch {
	case p.Kind == "audio_transcription" || p.Kind == "text":
		return p.Text
	case strings.Contains(string(p.Kind), "image"):
		return "[image]"
	case strings.Contains(string(p.Kind), "audio_video") || strings.Contains(string(p.Kind), "video"):
		return "[video]"
	case strings.Contains(string(p.Kind), "audio"):
		return "" // the recording of a transcription that stands beside it
	default:
		return "[attachment]"
	}
}
