package chunk

import "strings"

// outdent takes the blanks off the beginning of text, which stands at column from, and tells the column of what follows. A
// tab reaches to the next multiple of four.
func outdent(text string, from int) (column int, rest string) {
	column = from
	for i := range len(text) {
		switch text[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, text[i:]
		}
	}
	return column, ""
}

// atxHeading reads "## Title"; level 0 means that text is no heading.
func atxHeading(text string) (level uint8, title string) {
	marks := len(text) - len(strings.TrimLeft(text, "#"))
	if marks == 0 || marks > 6 {
		return 0, ""
	}
	rest := text[marks:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if open := strings.TrimRight(title, "#"); open == "" || strings.HasSuffix(open, " ") || strings.HasSuffix(open, "\t") {
		title = strings.TrimSpace(open)
	}
	return uint8(marks), title
}

// headingTitle is what the line of a heading says, whether it is marked or underlined.
func headingTitle(text string) string {
	text = strings.TrimSpace(text)
	if level, title := atxHeading(text); level > 0 {
		return title
	}
	return text
}

// underline is the level of the heading that text makes of the line above it; 0: none.
func underline(text string) uint8 {
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
		return 0
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// isRule reports whether text is a thematic break: three or more of the same mark with blanks between them.
func isRule(text string) bool {
	mark := text[0]
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// fenceMark is the mark of fenced code that text opens: three or more ` or ~.
func fenceMark(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && (c == "~" || !strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

// closesFence reports whether text ends the code that mark opened.
func closesFence(mark, text string) bool {
	text = strings.TrimRight(text, " \t")
	return len(text) >= len(mark) && strings.Trim(text, mark[:1]) == ""
}

// listMarker reads "-", "*", "+", "1." or "1)" in front of a blank or the end: its width in bytes, 0 without one, and the
// number.
func listMarker(text string) (width, number int) {
	if text == "" {
		return 0, 0
	}
	if strings.IndexByte("-*+", text[0]) >= 0 {
		width = 1
	} else {
		for width < len(text) && width <= 9 && text[width] >= '0' && text[width] <= '9' {
			number = 10*number + int(text[width]-'0')
			width++
		}
		if width == 0 || width > 9 || width == len(text) || text[width] != '.' && text[width] != ')' {
			return 0, 0
		}
		width++
	}
	if width < len(text) && text[width] != ' ' && text[width] != '\t' {
		return 0, 0
	}
	return width, number
}

// mustContinue reports whether a line that looks like a list item is text where it follows a line of a paragraph: a number that
// a sentence was broken in front of, or a lonely dash.
func mustContinue(text string, width, number int) bool {
	bullet := width == 1
	return strings.TrimSpace(text[width:]) == "" || !bullet && number != 1
}

// isTableRule reports whether text rules the columns of a table: "|---|:--:|".
func isTableRule(text string) bool {
	return strings.Contains(text, "|") && strings.Contains(text, "-") && strings.Trim(text, "|:- \t") == ""
}

// htmlEnd is what ends the HTML block that text begins, in lower case; empty for no such block. A comment is one.
func htmlEnd(text string) string {
	for _, block := range []struct{ open, end string }{
		{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"},
	} {
		if len(text) >= len(block.open) && strings.EqualFold(text[:len(block.open)], block.open) {
			return block.end
		}
	}
	return ""
}

// containsFold reports whether text contains part, which is in lower case, in any case.
func containsFold(text, part string) bool {
	return strings.Contains(text, part) || part != "-->" && strings.Contains(strings.ToLower(text), part)
}
