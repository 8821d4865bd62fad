// Package transcripts selects, cuts and renders messages for models, and decides whether they are extracted.
package transcripts

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reverie/language/script"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/setting"
)

// Line is one message of a transcript: text of the user or the assistant, cut to the limit.
type Line struct {
	Seq  int64
	Role string // user or assistant
	Name string
	At   time.Time
	Text string
	Cut  bool // Text was longer
}

// roleNames are the labels of speakers in rendered messages.
var roleNames = map[string]string{
	memory.RoleOfUser: "User", memory.RoleOfAssistant: "Assistant", memory.RoleOfTool: "Tool",
	memory.RoleOfSystem: "System",
}

// roleLike matches a line of a message that looks like the beginning of another message.
var roleLike = regexp.MustCompile(`(?m)^(?:User|Assistant|Tool|System)(?: \([^)\n]*\))?(?:, \d{4}-\d{2}-\d{2} \d{2}:\d{2})?:`)

// RenderMessages renders messages of every role as text: "User (Ada), 2026-01-31 10:05: …", with the tool calls of the
// assistant and the results of tools.
//
// Texts of people and of the agent are shortened to maxSaid characters, tool calls and results to maxTool (see
// HeadAndTail). Lines that look like the beginning of another message are indented, as in RenderTranscript. The time, in
// zone, is given if its minute differs from the previous message.
func RenderMessages(messages []memory.Message, zone *time.Location, maxSaid, maxTool int) string {
	var out []string
	minute := ""
	for _, m := range messages {
		speaker, known := roleNames[m.Role]
		if !known {
			speaker = roleNames[memory.RoleOfSystem]
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
		if m.Role == memory.RoleOfTool {
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
func spoken(m memory.Message) bool {
	return (m.Role == memory.RoleOfUser || m.Role == memory.RoleOfAssistant) && strings.TrimSpace(m.Content) != ""
}

// ContextMessages is the number of messages before a step of an extraction or a flush that show how it is meant. With 12 and with 30 the
// built-in engine keeps the same of the corpora.
const ContextMessages = 20

// Transcript returns the messages of user and assistant, each cut to MaxMessageChars.
func Transcript(msgs []memory.Message, s setting.ExtractSettings) []Line {
	var out []Line
	for _, m := range msgs {
		if !spoken(m) {
			continue
		}
		text, cut := markdown.Head(strings.TrimSpace(m.Content), s.MaxMessageChars)
		if cut {
			text += cutMark
		}
		out = append(out, Line{Seq: m.Seq, Role: m.Role, Name: m.Name, At: m.CreatedAt, Text: text, Cut: cut})
	}
	return out
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
		if l.Role == memory.RoleOfAssistant {
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
func Steps(msgs []memory.Message, s setting.ExtractSettings) [][2]int64 {
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

// GateInput is the input of Gate for a range of messages.
type GateInput struct {
	Settings             setting.ExtractSettings
	Trigger              memory.Trigger
	ConversationMessages int // user and assistant messages of the conversation, up to the end of the range
	// Pending are messages of the range, oldest first: the last one of the assistant, and of the user one that is long enough, if any is.
	Pending []memory.Message
}

// normalFinish lists the finish reasons of complete answers, as providers and agent frameworks report them, without case
// and separators. A turn that ends with a tool result ends with a tool call; it counts as complete, because the client that
// reported it expects nothing more. After any other reason (length, max_tokens, content_filter, safety, refusal, error,
// cancelled, …) the turn waits ahead of the cursor for a better answer.
var normalFinish = map[string]bool{
	"": true, "stop": true, "endturn": true, "stopsequence": true, "eos": true, "eostoken": true, "complete": true, "completed": true,
	"normal": true, "returndirect": true, "toolcalls": true, "tooluse": true, "functioncall": true,
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func endedNormally(finish string) bool {
	return normalFinish[separators.Replace(strings.ToLower(finish))]
}

// Length counts the characters of a text without surrounding white space. One of script.EastAsian counts as three, as it says about as
// much as three letters.
func Length(text string) (n int) {
	for _, r := range strings.TrimSpace(text) {
		n++
		if unicode.In(r, script.EastAsian...) {
			n += 2
		}
	}
	return n
}

// Gate checks whether a range of messages may be extracted. It returns the reason of the first closed gate, or true if all
// are open. The length of the user's longest message decides (see Length); a range without a user message is too short.
func Gate(in GateInput) (memory.ReasonCode, bool) {
	longest, lastFinish := 0, ""
	for _, m := range in.Pending {
		switch m.Role {
		case memory.RoleOfUser:
			longest = max(longest, Length(m.Content))
		case memory.RoleOfAssistant:
			lastFinish = m.FinishReason
		}
	}
	switch {
	case in.Settings.Stopped() != "":
		return in.Settings.Stopped(), false
	case in.Trigger == memory.TriggerCron || in.Trigger == memory.TriggerDream:
		return memory.GateSource, false
	case in.ConversationMessages < in.Settings.MinMessages:
		return memory.GateFewMessages, false
	case longest < in.Settings.MinUserChars:
		return memory.GateShortMessage, false
	case !endedNormally(lastFinish):
		return memory.GateAbnormalFinish, false
	}
	return "", true
}
