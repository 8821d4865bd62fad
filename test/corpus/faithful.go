package corpus

import (
	"regexp"
	"strings"

	"reverie/language/fold"
	"reverie/memory"
	"reverie/memory/proposals"
)

var (
	// inserted matches what an editor adds to a quotation: a date, a corrected value.
	inserted = regexp.MustCompile(`\s?\[[^\[\]]*\]`)
	quoted   = regexp.MustCompile(`(?s)^(?:[^"“\[]{0,60}: )?(?:\(later: [0-9-]+\) )?(?:\[(.*?)\] )?(?:"(.*)"|“(.*)”)$`)
)

// IsFaithful reports whether a kept line says nothing that the conversation does not: the words of a quotation occur in one
// message of a person, apart from insertions in square brackets, whose words occur in some message or are a date; a question
// in brackets in front occurs in a message of the assistant. The words of any other line occur in messages of persons.
func IsFaithful(line string, in proposals.ExtractionInput) bool {
	m := quoted.FindStringSubmatch(line)
	if m == nil {
		for _, add := range inserted.FindAllString(line, -1) {
			if !isInsertion(add, in) {
				return false
			}
		}
		_, value, _ := strings.Cut(asOf.ReplaceAllString(line, ""), ": ")
		return occurs(strings.Trim(value, ". "), memory.RoleOfUser, in) || inText(inserted.Split(line, -1), in.Profile+"\n"+in.Memory)
	}
	if m[1] != "" && !occurs(m[1], memory.RoleOfAssistant, in) {
		return false
	}
	text := m[2] + m[3]
	for _, add := range inserted.FindAllString(text, -1) {
		if !isInsertion(add, in) {
			return false
		}
	}
	return inOneMessage(inserted.Split(text, -1), in)
}

func isInsertion(text string, in proposals.ExtractionInput) bool {
	value := strings.Trim(text, " []")
	return isDate.MatchString(value) || occurs(value, memory.RoleOfUser, in)
}

// asOf matches the day after a value that changes, such as an age.
var asOf = regexp.MustCompile(` \(\d{4}-\d{2}-\d{2}\)$`)

// isDate matches an absolute date, week, month or range of them.
var isDate = regexp.MustCompile(`^(?:week of )?\d{4}(?:-\d{2}){0,2}(?: to \d{4}(?:-\d{2}){0,2})?$`)

func occurs(text, role string, in proposals.ExtractionInput) bool {
	text = plain(text)
	for _, l := range in.Transcript {
		if l.Role == role && strings.Contains(plain(l.Text), text) {
			return true
		}
	}
	return false
}

// inOneMessage reports whether the parts of a text occur in order in one message.
func inOneMessage(parts []string, in proposals.ExtractionInput) bool {
	for _, l := range in.Transcript {
		if l.Role != memory.RoleOfUser {
			continue
		}
		if inText(parts, l.Text) {
			return true
		}
	}
	return false
}

// inText reports whether parts occur in order in a text.
func inText(parts []string, text string) bool {
	rest := plain(text)
	for _, part := range parts {
		part = plain(part)
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return true
}

// plain returns a text for comparison: folded, without list markers and with single spaces.
func plain(s string) string {
	var words []string
	for w := range strings.FieldsSeq(fold.Text(s)) {
		if w != "-" && w != "*" && w != "•" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
