package memory

import (
	"regexp"
	"strings"
	"unicode"
)

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
