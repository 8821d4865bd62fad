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

// chatContainers are the arrays that contain the conversations if the export itself is not an array.
var chatContainers = []string{"conversations", "chats"}

// isChats matches files with conversations: conversations.json, or its parts if the export is split.
func isChats(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, "conversations") && isJSON(base)
}

// isExport matches single conversations in folders of an export.
func isExport(name string) bool {
	return strings.HasPrefix(name, "conversations/") && isJSON(name)
}

// chats returns isChats, or a match for any JSON file if the source has no such file.
func (r *reading) chats() func(name string) bool {
	if len(r.tree.named(isChats)) > 0 {
		return isChats
	}
	return isJSON
}

// gptConversation is a conversation of ChatGPT: a tree of messages, in which current_node ends the branch shown last.
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

// gptContent is the content of a message. Kind text has parts and code has text; a dozen other kinds are internal.
type gptContent struct {
	Kind  word              `json:"content_type"`
	Parts []json.RawMessage `json:"parts"`
	Text  word              `json:"text"`
}

// gptPart is a part other than text: an image, a recording, or its transcription.
type gptPart struct {
	Kind word `json:"content_type"`
	Text word `json:"text"`
}

const (
	reasonHiddenWord  = "hidden messages: internal instructions that the person has not seen"
	reasonOtherBranch = "messages of other branches: regenerated answers and edited questions"
)

// readChatGPT reads conversations of ChatGPT: messages of the person and answers, on the branch shown last.
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

// gptRootID returns a replacement for a missing conversation id: the smallest node id.
func gptRootID(nodes map[string]loose[gptNode]) string {
	least := ""
	for id := range nodes {
		if least == "" || id < least {
			least = id
		}
	}
	return least
}

// chain returns the branch that ends in the current node, from its beginning. Without a valid current node it ends in
// the newest message. Cycles are cut.
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

// newest returns the node with the newest message, or of several the one with the greatest id.
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

// said converts the message of a node; if it is not imported, why is set. A node without a message returns neither.
func (n gptNode) said() (m memory.Message, why string) {
	said := n.Message.value
	role, text := string(said.Author.Role), said.Content.said()
	switch {
	case said.Metadata.Hidden, said.Content.Kind == "user_editable_context", said.Content.Kind == "model_editable_context":
		return memory.Message{}, reasonHiddenWord
	case text == "":
		return memory.Message{}, "" // the root of every conversation has no words
	case role != memory.RoleOfUser && role != memory.RoleOfAssistant, said.Recipient != "" && said.Recipient != "all", !said.Content.spoken():
		return memory.Message{}, reasonMachinery
	}
	return memory.Message{ID: string(said.ID), Role: role, Content: text, CreatedAt: said.Created.Time}, ""
}

// spoken reports whether a person saw the content as part of the conversation. Code sent to all is an answer;
// thoughts, searches and tool results are not.
func (c gptContent) spoken() bool {
	switch c.Kind {
	case "", "text", "multimodal_text", "code":
		return true
	}
	return false
}

// said joins the parts. Parts other than text are named instead.
func (c gptContent) said() string {
	var out []string
	for _, raw := range c.Parts {
		var text word
		var part gptPart
		switch {
		case isText(raw):
			_ = text.UnmarshalJSON(raw) // unreadable parts are empty
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
		return "" // the recording of an adjacent transcription
	default:
		return "[attachment]"
	}
}

// claudeConversation is a conversation of Claude, with its messages in order.
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

// claudeFile is an attached file; some exports include its text.
type claudeFile struct {
	Name word `json:"file_name"`
}

// claudeMemory is Claude's own memory of a person outside of conversations (memories.json).
type claudeMemory struct {
	Text     word            `json:"conversations_memory"`
	Projects map[string]word `json:"project_memories"`
}

// readClaude reads conversations of Claude, and its notes about the person.
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

// chain returns the branch shown last if the export identifies it, otherwise all messages by time.
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
		delete(byID, at) // cut a cycle
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

// said returns the text blocks, or if there are none the message's text; files are named.
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

// claudeMemory converts Claude's notes about the person into a document.
func (r *reading) claudeMemory(f file, found record) (string, error) {
	var m claudeMemory
	if !decoded(found.raw, &m) || m.Text == "" {
		return reasonUnread, nil
	}
	if len(m.Projects) > 0 {
		r.skipped(Skipped{Source: f.path, Reason: "memory of projects: not about the person", Count: len(m.Projects)})
	}
	return "", r.document(document{Document: Document{
		Path: memory.MemoryPath, Source: f.path, Scope: memory.ScopePersonal, Content: string(m.Text) + "\n", At: plausible(f.at),
	}})
}

// oneName returns the name of a file on one line.
func oneName(name string) string {
	return cutRunes(strings.Join(strings.Fields(textOf(name)), " "), 80)
}

// locomoSample is one long conversation, in sessions: session_1, session_1_date_time and so on, next to the speakers'
// names.
type locomoSample struct {
	ID           word                       `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

// locomoTurn is a message of one speaker; pictures have a caption.
type locomoTurn struct {
	Speaker word `json:"speaker"`
	ID      word `json:"dia_id"`
	Text    word `json:"text"`
	Caption word `json:"blip_caption"`
}

// locomoLayouts are the date formats of sessions, such as "1:56 pm on 8 May, 2023".
var locomoLayouts = []string{"3:04 pm on 2 January, 2006", "3:04 pm on 2 January 2006", "15:04 on 2 January, 2006"}

// readLoCoMo reads each session as a conversation. Both speakers are people, so both become users with a name; the
// owner is the sample, unless an owner map says otherwise.
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
	t := talk{
		id: string(s.ID) + "/" + name, source: string(s.ID) + " " + name, owner: owner,
		title: string(s.ID) + ", session " + strconv.Itoa(number),
	}
	var turns list[locomoTurn]
	var date word
	_ = turns.UnmarshalJSON(s.Conversation[name])             // anything but a list is empty
	_ = date.UnmarshalJSON(s.Conversation[name+"_date_time"]) // anything but a text is empty
	t.began = locomoTime(string(date), r.options.Zone)
	for _, turn := range turns {
		text := strings.TrimSpace(string(turn.Text))
		if turn.Caption != "" {
			text = strings.TrimSpace(text + "\n\n[image: " + strings.Join(strings.Fields(string(turn.Caption)), " ") + "]")
		}
		t.messages = append(t.messages,
			memory.Message{ID: string(turn.ID), Role: memory.RoleOfUser, Name: string(turn.Speaker), Content: text, CreatedAt: t.began})
	}
	return r.talk(t, f)
}

// locomoTime parses the date of a session; zero if invalid.
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

// sessionsOf returns the numbers of the sessions, in order.
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
