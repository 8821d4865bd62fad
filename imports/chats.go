package imports

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

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

// locomoSample is one long conversation, in sessions: session_1, session_1_date_time and so on beside the speakers' names.
type locomoSample struct {
	ID           word                       `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

// locomoTurn is what one speaker said; of a picture there is a caption.
type locomoTurn struct {
	Speaker word `json:"speaker"`
	ID      word `json:"dia_id"`
	Text    word `json:"text"`
	Caption word `json:"blip_caption"`
}

// locomoLayouts are how sessions write their dates: "1:56 pm on 8 May, 2023".
var locomoLayouts = []string{"3:04 pm on 2 January, 2006", "3:04 pm on 2 January 2006", "15:04 on 2 January, 2006"}

// readLoCoMo reads each session as a conversation. Both speakers are people, so that both are users with a name; the
// owner is the sample, unless an owner map says who it is.
func readLoCoMo(r *reading) error {
	return r.records(nil, isJSON, func(f file, found record) (string, error) {
		var s locomoSample
		if !decoded(found.raw, &s) {
			return reasonUnread, nil
		}
		if s.Conversation == nil && !decoded(found.raw, &s.Conversation) || !hasSessions(s.Conversation) {
			return reasonUnread, nil
		}
		if s.ID == "" {
			s.ID = word(fmt.Sprintf("sample-%d", found.number))
		}
		owner, known := r.options.Owners.of("api", string(s.ID))
		if !known {
			return reasonOwner, nil
		}
		for _, number := range sessionsOf(s.Conversation) {
			if err := r.locomo(f, s, number, owner); err != nil {
				return "", err
			}
		}
		return "", nil
	})
}

func (r *reading) locomo(f file, s locomoSample, number int, owner memory.Owner) error {
	name := fmt.Sprintf("session_%d", number)
	t := talk{id: string(s.ID) + "/" + name, source: string(s.ID) + " " + name, owner: owner, title: string(s.ID) + ", session " + strconv.Itoa(number)}
	var turns list[locomoTurn]
	var date word
	_ = turns.UnmarshalJSON(s.Conversation[name])             // what is no list is empty
	_ = date.UnmarshalJSON(s.Conversation[name+"_date_time"]) // and what is no text as well
	t.began = locomoTime(string(date), r.options.Zone)
	for _, turn := range turns {
		text := strings.TrimSpace(string(turn.Text))
		if turn.Caption != "" {
			text = strings.TrimSpace(text + "\n\n[image: " + strings.Join(strings.Fields(string(turn.Caption)), " ") + "]")
		}
		t.messages = append(t.messages, memory.Message{ID: string(turn.ID), Role: memory.RoleOfUser, Name: string(turn.Speaker), Content: text, CreatedAt: t.began})
	}
	return r.talk(t, f)
}

// locomoTime reads the date of a session; zero when it is none.
func locomoTime(text string, zone *time.Location) time.Time {
	text = strings.Join(strings.Fields(text), " ")
	for _, layout := range locomoLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return plausible(at)
		}
	}
	return timeOf(text)
}

func hasSessions(conversation map[string]json.RawMessage) bool {
	return len(sessionsOf(conversation)) > 0
}

// sessionsOf are the numbers of the sessions, in order.
func sessionsOf(conversation map[string]json.RawMessage) []int {
	var out []int
	for name, raw := range conversation {
		digits, is := strings.CutPrefix(name, "session_")
		number, err := strconv.Atoi(digits)
		if is && err == nil && number >= 0 && strconv.Itoa(number) == digits && isArray(raw) {
			out = append(out, number)
		}
	}
	slices.Sort(out)
	return out
}
