package memory

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Message roles.
const (
	RoleOfUser      = "user"
	RoleOfAssistant = "assistant"
	RoleOfTool      = "tool"
	RoleOfSystem    = "system"
)

// Limits of one batch of messages.
const (
	MaxBatchMessages = 1000
	MaxMessageBytes  = 256 << 10
	MaxMessageID     = 128 // bytes of a client's message id
	MaxConversation  = 255 // bytes of a client's conversation id
	MaxToolCalls     = 64  // of one message
	MaxToolCallBytes = 256 << 10
)

// Message is one turn's piece of a conversation.
type Message struct {
	Seq          int64     // position in the conversation, from 1 without gaps; 0 until stored
	ID           string    // the client's id, unique within the conversation
	Role         string    // user, assistant, tool or system
	Name         string    // of the speaker or tool; may be empty
	Content      string    // UTF-8
	FinishReason string    // of an assistant message, as the provider said it; empty when unknown
	CreatedAt    time.Time // when it was said

	ToolCalls  []ToolCall // of an assistant message: what it asks for
	ToolCallID string     // of a tool message: the call that it answers; empty when the client does not say
}

// BuiltinPrefix begins the names of what Reverie itself says in place of a model.
const BuiltinPrefix = "builtin/"

// Builtin reports whether Reverie said it in place of a model.
func (m Message) Builtin() bool {
	return m.Role == RoleOfAssistant && strings.HasPrefix(m.Name, BuiltinPrefix)
}

// ToolCall is one request of a model to run a tool. A call and the message that answers it are a pair: a context window has
// both or neither.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, as the model wrote it
}

// Trigger says where a conversation comes from.
type Trigger string

// Trigger sources. Conversations that the system itself caused are never extracted, so that memory does not feed on itself.
const (
	TriggerWeb     Trigger = "web"
	TriggerChannel Trigger = "channel"
	TriggerAPI     Trigger = "api"
	TriggerCron    Trigger = "cron"
	TriggerDream   Trigger = "dream"
	// TriggerImport is a conversation that was had elsewhere and moved in, with its own dates: it becomes memory as of those.
	TriggerImport Trigger = "import"
)

// Valid reports whether t is a known source.
func (t Trigger) Valid() bool {
	switch t {
	case TriggerWeb, TriggerChannel, TriggerAPI, TriggerCron, TriggerDream, TriggerImport:
		return true
	}
	return false
}

// roleNames are how speakers are called in a text.
var roleNames = map[string]string{RoleOfUser: "User", RoleOfAssistant: "Assistant", RoleOfTool: "Tool", RoleOfSystem: "System"}

// roleLike is a line of a message that could pass for the beginning of another message.
var roleLike = regexp.MustCompile(`(?m)^(?:User|Assistant|Tool|System)(?: \([^)\n]*\))?(?:, \d{4}-\d{2}-\d{2} \d{2}:\d{2})?:`)

// RenderMessages writes messages in every role, one after the other: "User (Ada), 2026-01-31 10:05: …", what the assistant asks of
// tools, and what tools return. Texts of people and of the agent are shortened to maxSaid characters, those of tools to maxTool
// (HeadAndTail). Lines of a message that look like the beginning of another one are indented, as RenderTranscript has it. The
// time, in zone, is given where the minute is another one than that of the message before.
func RenderMessages(messages []Message, zone *time.Location, maxSaid, maxTool int) string {
	var out []string
	minute := ""
	for _, m := range messages {
		speaker, known := roleNames[m.Role]
		if !known {
			speaker = roleNames[RoleOfSystem]
		}
		if name := strings.Join(strings.FieldsFunc(m.Name, notInName), " "); name != "" {
			speaker += " (" + name + ")"
		}
		if !m.CreatedAt.IsZero() {
			if at := m.CreatedAt.In(zone).Format("2006-01-02 15:04"); at != minute {
				minute = at
				speaker += ", " + at
			}
		}
		limit := maxSaid
		if m.Role == RoleOfTool {
			limit = maxTool
		}
		var lines []string
		if text := strings.TrimSpace(m.Content); text != "" {
			lines = append(lines, HeadAndTail(text, limit))
		}
		for _, call := range m.ToolCalls {
			lines = append(lines, fmt.Sprintf("[calls %s with %s]", call.Name, HeadAndTail(strings.TrimSpace(call.Arguments), maxTool)))
		}
		if len(lines) > 0 {
			out = append(out, speaker+": "+roleLike.ReplaceAllString(strings.Join(lines, "\n"), "  $0"))
		}
	}
	return strings.Join(out, "\n\n")
}

// headShare is how much of a shortened text is its head.
const headShare = .6

// HeadAndTail is a text of at most limit characters as it is, and of a longer one its head and tail with a note between them of
// how many characters are left out. The note comes on top of the limit.
func HeadAndTail(text string, limit int) string {
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	runes := []rune(text)
	head := int(headShare * float64(limit))
	tail := limit - head
	return fmt.Sprintf("%s … [%d characters left out] … %s", string(runes[:head]), n-limit, string(runes[n-tail:]))
}

// cutMark ends a message that was longer than a transcript keeps.
const cutMark = " … [truncated]"

// spoken reports whether a message belongs into a transcript: something that the user or the assistant said.
func spoken(m Message) bool {
	return (m.Role == RoleOfUser || m.Role == RoleOfAssistant) && strings.TrimSpace(m.Content) != ""
}

// Transcript is what a model is shown of the messages: what user and assistant said, each cut to MaxMessageChars.
func Transcript(msgs []Message, s ExtractSettings) []Line {
	var out []Line
	for _, m := range msgs {
		if !spoken(m) {
			continue
		}
		text, cut := cutAfter(strings.TrimSpace(m.Content), s.MaxMessageChars)
		if cut {
			text += cutMark
		}
		out = append(out, Line{Seq: m.Seq, Role: m.Role, Name: m.Name, At: m.CreatedAt, Text: text, Cut: cut})
	}
	return out
}

// cutAfter returns the first limit characters of s and whether there are more.
func cutAfter(s string, limit int) (string, bool) {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i], true
		}
		n++
	}
	return s, false
}

// speakerLike is a line of a message that could pass for the beginning of another message.
var speakerLike = regexp.MustCompile(`(?m)^(?:User|Assistant)(?: \([^)\n]*\))?:`)

// RenderTranscript writes a transcript as "User: …" and "Assistant: …", with a name where one is known ("User (Ada): …"), a
// blank line between two messages. Lines of a message that look like the beginning of another one are indented, so that
// nobody can put words into somebody else's mouth.
func RenderTranscript(lines []Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\n\n")
		}
		speaker := "User"
		if l.Role == RoleOfAssistant {
			speaker = "Assistant"
		}
		b.WriteString(speaker)
		if l.Name != "" {
			b.WriteString(" (" + strings.Join(strings.FieldsFunc(l.Name, notInName), " ") + ")")
		}
		b.WriteString(": " + speakerLike.ReplaceAllString(l.Text, "  $0"))
	}
	return b.String()
}

// notInName are characters that would end a name in a transcript.
func notInName(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '(' || r == ')' || r == ':'
}

// Steps cuts messages into ranges of sequence numbers, one for each transcript: none has more than MaxTranscript messages
// that are shown, their sizes differ by one at most, and every message is in exactly one.
func Steps(msgs []Message, s ExtractSettings) [][2]int64 {
	if len(msgs) == 0 {
		return nil
	}
	shown := 0
	for _, m := range msgs {
		if spoken(m) {
			shown++
		}
	}
	limit := max(1, s.MaxTranscript)
	count := max(1, (shown+limit-1)/limit)
	size, larger := shown/count, shown%count // the first `larger` steps show one message more
	var out [][2]int64
	from, taken := msgs[0].Seq, 0
	for i, m := range msgs {
		if spoken(m) {
			taken++
		}
		want := size
		if len(out) < larger {
			want++
		}
		// A step ends before the next message that would be one too many; unspoken messages stay with what they follow.
		last := i == len(msgs)-1
		if last || len(out) < count-1 && taken == want && spoken(msgs[i+1]) {
			out = append(out, [2]int64{from, m.Seq})
			if !last {
				from, taken = msgs[i+1].Seq, 0
			}
		}
	}
	return out
}

// MessageOverhead is what a message costs a model beside its texts, in tokens: its role and the marks around it. OpenAI's chat
// format has 3 or 4, by the model.
const MessageOverhead = 4

// MessageTokens is what a message costs a model, in tokens that count counts.
func MessageTokens(content string, calls []ToolCall, count func(string) int) int {
	n := count(content) + MessageOverhead
	for _, c := range calls {
		n += count(c.Name) + count(c.Arguments)
	}
	return n
}

// Line is one message of a transcript: a user or assistant message, cut to the limit.
type Line struct {
	Seq  int64
	Role string // user or assistant
	Name string
	At   time.Time
	Text string
	Cut  bool // Text was longer
}
