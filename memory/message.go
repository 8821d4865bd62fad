package memory

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Roles of messages.
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

// Message is one message of a conversation.
type Message struct {
	Seq          int64     // position in the conversation, from 1 without gaps; 0 until stored
	ID           string    // the client's id, unique within the conversation
	Role         string    // user, assistant, tool or system
	Name         string    // of the speaker or tool; may be empty
	Content      string    // UTF-8
	FinishReason string    // of an assistant message, as reported by the provider; empty if unknown
	CreatedAt    time.Time // when it was said

	ToolCalls  []ToolCall // of an assistant message
	ToolCallID string     // of a tool message: the call that it answers; empty if unknown
}

// BuiltinPrefix begins the names of messages that Reverie writes itself, without a model.
const BuiltinPrefix = "builtin/"

// Builtin reports whether Reverie wrote the message itself, without a model.
func (m Message) Builtin() bool {
	return m.Role == RoleOfAssistant && strings.HasPrefix(m.Name, BuiltinPrefix)
}

// ToolCall is a model's request to run a tool. A call and the message that answers it are a pair: a context window has both
// or neither.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, as the model wrote it
}

// Trigger is the source of a conversation.
type Trigger string

// Sources of conversations. TriggerCron and TriggerDream are never extracted, so that memory does not feed on itself.
const (
	TriggerWeb     Trigger = "web"
	TriggerChannel Trigger = "channel"
	TriggerAPI     Trigger = "api"
	TriggerCron    Trigger = "cron"
	TriggerDream   Trigger = "dream"
	// TriggerImport is a conversation imported from another system. It keeps its own dates.
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

// roleNames are the labels of speakers in rendered messages.
var roleNames = map[string]string{RoleOfUser: "User", RoleOfAssistant: "Assistant", RoleOfTool: "Tool", RoleOfSystem: "System"}

// roleLike matches a line of a message that looks like the beginning of another message.
var roleLike = regexp.MustCompile(`(?m)^(?:User|Assistant|Tool|System)(?: \([^)\n]*\))?(?:, \d{4}-\d{2}-\d{2} \d{2}:\d{2})?:`)

// RenderMessages renders messages of every role as text: "User (Ada), 2026-01-31 10:05: …", with the tool calls of the
// assistant and the results of tools.
//
// Texts of people and of the agent are shortened to maxSaid characters, tool calls and results to maxTool (see
// HeadAndTail). Lines that look like the beginning of another message are indented, as in RenderTranscript. The time, in
// zone, is given if its minute differs from the previous message.
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

// headShare is the share of a shortened text that is its beginning.
const headShare = .6

// HeadAndTail returns a text of at most limit characters unchanged, and otherwise its beginning and end around a note with
// the number of characters left out. The note is not counted.
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

// cutMark ends a message that was cut.
const cutMark = " … [truncated]"

// spoken reports whether a message belongs in a transcript: text of the user or the assistant.
func spoken(m Message) bool {
	return (m.Role == RoleOfUser || m.Role == RoleOfAssistant) && strings.TrimSpace(m.Content) != ""
}

// Transcript returns the messages of user and assistant, each cut to MaxMessageChars.
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

// cutAfter returns the first limit characters of s, and whether there are more.
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

// speakerLike matches a line of a message that looks like the beginning of another message.
var speakerLike = regexp.MustCompile(`(?m)^(?:User|Assistant)(?: \([^)\n]*\))?:`)

// RenderTranscript renders a transcript as "User: …" and "Assistant: …", with known names ("User (Ada): …"), separated by
// blank lines. Lines that look like the beginning of another message are indented, so that no message can imitate another
// speaker.
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

// notInName reports whether a character would end a name in a transcript.
func notInName(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '(' || r == ')' || r == ':'
}

// Steps divides messages into ranges of sequence numbers, one per transcript. Each range has at most MaxTranscript messages
// that are shown, sizes differ by at most one, and every message is in exactly one range.
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

// MessageOverhead is the cost of a message in addition to its texts, in tokens: its role and separators. OpenAI's chat
// format needs 3 or 4, depending on the model.
const MessageOverhead = 4

// MessageTokens returns the cost of a message in tokens, as counted by count.
func MessageTokens(content string, calls []ToolCall, count func(string) int) int {
	n := count(content) + MessageOverhead
	for _, c := range calls {
		n += count(c.Name) + count(c.Arguments)
	}
	return n
}

// Line is one message of a transcript: text of the user or the assistant, cut to the limit.
type Line struct {
	Seq  int64
	Role string // user or assistant
	Name string
	At   time.Time
	Text string
	Cut  bool // Text was longer
}
