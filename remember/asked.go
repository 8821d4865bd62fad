package remember

import (
	"slices"
	"strings"

	"reverie/facts"
	"reverie/language/cue"
	"reverie/language/stance"
	"reverie/memory"
	"reverie/memory/markdown"
	"reverie/memory/transcripts"
)

// MarkAsked marks the lines that say what a person asked to remember in one of the messages that they come from. In a conversation of
// several persons none is marked, because a line may be about another one.
func MarkAsked(lines []memory.LineSource, transcript []transcripts.Line) []memory.LineSource {
	person, several := "", false
	said := map[int64]transcripts.Line{}
	for _, l := range transcript {
		if l.Role != memory.RoleOfUser {
			continue
		}
		several = several || len(said) > 0 && l.Name != person
		person, said[l.Seq] = l.Name, l
	}
	if several {
		return lines
	}
	requests := map[int64][]string{} // by message
	for i, l := range lines {
		lines[i].Asked = slices.ContainsFunc(l.Messages, func(seq int64) bool {
			m, known := said[seq]
			if !known {
				return false
			}
			if _, read := requests[seq]; !read {
				requests[seq] = requestsIn(m.Text)
			}
			return slices.ContainsFunc(requests[seq], func(kept string) bool { return facts.Alike(kept, markdown.LineKey(l.Line)) })
		})
	}
	return lines
}

// requestsIn returns what a message asks to remember, in the speaker's own words.
func requestsIn(message string) (kept []string) {
	reader := stance.Reader{Lang: cue.LanguageByCues(message)}
	for _, s := range reader.Read(message) {
		if s.Stance != stance.Own {
			continue
		}
		if r, is := Parse(s.Text); is && !r.Refused {
			kept = append(kept, strings.Split(r.Text, "\n")...)
		}
	}
	return kept
}
