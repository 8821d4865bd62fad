package rewrite

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"reverie/dream"
	"reverie/dream/notes"
	"reverie/memory"
)

// promotedLine is the line of MEMORY.md for a candidate, "- Text. <!-- memory/2026-01-28.md:4 score 0.81 -->"; empty when it
// says nothing. The comment is no part of what the line says: it keeps the identity of the statement.
func promotedLine(c dream.Candidate) string {
	said := ListItem(c.Text)
	if !memory.SaysSomething(said) {
		return ""
	}
	return fmt.Sprintf("- %s <!-- %sscore %.2f -->", said, sourceOf(c.Places), c.Score)
}

// sourceOf names the newest note that says it, with its line, or else the newest message; it ends with a space. Empty when no
// place is known.
func sourceOf(places []dream.Place) string {
	said := ""
	for _, p := range places {
		switch {
		case p.Path != "" && p.FromLine > 0:
			return fmt.Sprintf("%s:%d ", commented(p.Path), p.FromLine)
		case p.Path != "":
			return commented(p.Path) + " "
		case said == "" && p.Conversation != "" && len(p.Messages) > 0:
			said = fmt.Sprintf("sessions/%s:%d ", commented(p.Conversation), p.Messages[0])
		}
	}
	return said
}

// commented writes a name so that it can stand in a comment of HTML, which two dashes may end.
func commented(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, name)
	return commentMarks.Replace(name)
}

var commentMarks = strings.NewReplacer("--", "-%2D", "<", "%3C", ">", "%3E")

// ListItem writes a text so that it is one list item of Markdown and nothing else: on one line, without comments, and with a
// backslash in front of what would begin a heading, a list, a quotation, code, a rule or HTML. Backslashes change no identity.
func ListItem(text string) string {
	text = notes.HtmlComment.ReplaceAllString(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.In(r, unicode.Cf) && r != '\u200c' && r != '\u200d': // joiners make other letters and emoji
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.NewReplacer("<!--", `\<!--`, "-->", `--\>`).Replace(text)
	text = openTag.ReplaceAllString(text, `$1\$2`)
	switch at := blockStart.FindStringSubmatchIndex(text); {
	case at == nil:
	case at[2] >= 0: // a numbered item
		text = text[:at[2]] + `\` + text[at[2]:]
	default:
		text = `\` + text
	}
	if at := speakerLabel.FindStringSubmatchIndex(text); at != nil {
		text = text[:at[2]] + `\:` + text[at[3]:]
	}
	return strings.TrimRight(text, `\ `)
}

var (
	// openTag finds what begins HTML.
	openTag = regexp.MustCompile(`(^|[^\\])(<[a-zA-Z/!?])`)
	// blockStart finds that a line begins another block than a paragraph. Its group is the mark behind a number.
	blockStart = regexp.MustCompile("^(?:#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|```|~~~|(?:[-_*][ \t]*){3,}$|\\d{1,9}([.)])(?:[ \t]|$))")
	// speakerLabel finds a line that looks like a transcript.
	speakerLabel = regexp.MustCompile(`(?i)^[*_ ]*(?:user|human|assistant|ai|用户|助手)[*_ ]*([:：])`)
)
