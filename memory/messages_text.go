package memory

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

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
