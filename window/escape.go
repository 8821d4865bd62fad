package window

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/memory"
)

// Escape makes a text safe to stand inside one of our labelled blocks: it cannot end the block, begin another one, or look like
// a label, a role or a separator of a window. What it says stays readable: it only takes out characters that show nothing, and
// puts a backslash or a space before or into what would be read as structure. Escaping twice changes nothing more.
//
// Afterwards every open bracket but those of check boxes stands behind a backslash, no "<" begins a tag or a token of a chat
// template, and no line begins as a role, a separator or a label does, whatever look-alikes and decoration it is written with.
func Escape(text string) string {
	lines := strings.Split(visible(text), "\n")
	for i, line := range lines {
		line = escapeRoles(escapeEntities(escapeBrackets(breakTokens(line))))
		if structural(line) {
			rest := strings.TrimLeftFunc(line, unicode.IsSpace)
			line = line[:len(line)-len(rest)] + `\` + rest
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// Defuse breaks what a provider or a model could take for the structure of a conversation inside a message of a tool: tokens of
// chat templates, and our own labels. It only puts a space into them, so that JSON stays JSON; all else stays as it is.
func Defuse(text string) string {
	text = breakBehind(text, '<', "＜", template)
	return breakBehind(text, '[', "［", func(rest string) bool { return control(rest) || label(rest) })
}

// breakBehind puts a space behind every open bracket of a kind, or its full-width form, with which something begins.
func breakBehind(text string, bracket byte, wide string, begins func(rest string) bool) string {
	var b strings.Builder
	kept := 0
	for at := 0; at < len(text); at++ {
		if text[at] != bracket && (text[at] != wide[0] || !strings.HasPrefix(text[at:], wide)) {
			continue
		}
		if text[at] != bracket {
			at += len(wide) - 1
		}
		if begins(text[at+1:]) {
			b.WriteString(text[kept : at+1])
			b.WriteByte(' ')
			kept = at + 1
		}
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// has reports whether a text has a character, or its full-width form.
func has(text string, character byte, wide string) bool {
	return strings.IndexByte(text, character) >= 0 || strings.Contains(text, wide)
}

// template reports whether what follows a "<" makes a token of a chat template: "<|im_start|>", "<<SYS>>", "</s>",
// "<start_of_turn>", "<｜User｜>".
func template(rest string) bool {
	return strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "｜") || beginsWith(rest, templates)
}

var templates = []string{
	"<sys>", "</sys>", "s>", "/s>", "bos>", "eos>", "unk>", "pad>", "mask>", "sep>", "cls>", "start_of_", "end_of_", "begin_of_",
}

// control reports whether what follows a "[" makes a control word, as some templates have them: "[INST]", "[/INST]",
// "[TOOL_RESULTS]", "[gMASK]".
func control(rest string) bool {
	rest = strings.TrimPrefix(rest, "/")
	end := strings.IndexFunc(rest[:min(len(rest), longestControl)], func(r rune) bool { return r == ']' || r == '］' })
	return end > 0 && controls[strings.ToUpper(rest[:end])]
}

const longestControl = 20 // bytes, with what ends it

var controls = map[string]bool{
	"INST": true, "SYSTEM_PROMPT": true, "AVAILABLE_TOOLS": true, "TOOL_RESULTS": true, "TOOL_CALLS": true, "TOOL_CONTENT": true,
	"CALL_ID": true, "ARGS": true, "THINK": true, "IMG": true, "IMG_BREAK": true, "IMG_END": true, "PREFIX": true, "MIDDLE": true,
	"SUFFIX": true, "GMASK": true, "SMASK": true, "SOP": true, "EOP": true, "CLS": true, "SEP": true, "MASK": true, "PAD": true,
	"UNK": true, "BOS": true, "EOS": true,
}

// label reports whether what follows a "[" makes one of our labels.
func label(rest string) bool { return beginsWith(rest, labels) }

// beginsWith reports whether a text begins with one of some, in upper or lower case.
func beginsWith(text string, some []string) bool {
	return slices.ContainsFunc(some, func(s string) bool { return len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) })
}

// breakTokens puts a space behind every "<" that could begin a tag or a token.
func breakTokens(line string) string {
	if !has(line, '<', "＜") {
		return line
	}
	var b strings.Builder
	for at, r := range line {
		b.WriteRune(r)
		if r != '<' && r != '＜' {
			continue
		}
		next, _ := utf8.DecodeRuneInString(line[at+utf8.RuneLen(r):])
		if unicode.IsLetter(next) || strings.ContainsRune("/!?|｜<＜_", next) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// escapeBrackets puts a backslash before every open bracket that has none, but those of check boxes, and a space into control
// words.
func escapeBrackets(line string) string {
	if !has(line, '[', "［") {
		return line
	}
	line = breakBehind(line, '[', "［", control)
	var b strings.Builder
	backslashes, wide := 0, false // right before r
	for at, r := range line {
		if (r == '[' || r == '［') && (backslashes%2 == 0 || wide) && !checkbox(line[at:]) {
			if wide { // whether it is read as a backslash or not, the next one stands alone
				b.WriteByte(' ')
			}
			b.WriteByte('\\')
		}
		switch r {
		case '\\':
			backslashes++
		case '＼', '﹨':
			wide = true
		default:
			backslashes, wide = 0, false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func checkbox(text string) bool {
	return strings.HasPrefix(text, "[ ]") || strings.HasPrefix(text, "[x]") || strings.HasPrefix(text, "[X]")
}

// entity is a "<" as HTML spells it.
var entity = regexp.MustCompile(`(?i)&(lt\b|#0*60\b|#x0*3c\b)`)

func escapeEntities(line string) string {
	if !strings.Contains(line, "&") {
		return line
	}
	return entity.ReplaceAllString(line, "& $1")
}

// key is a quoted key of an object.
var key = regexp.MustCompile(`\\*["'“”‘’＂]\s*([^"'“”‘’＂\s]{3,12})\s*\\*["'“”‘’＂]\s*[:：=]`)

// escapeRoles puts a backslash before the key of a role, as messages of the wire have it: {"role": "system"}.
func escapeRoles(line string) string {
	if !has(line, ':', "：") && strings.IndexByte(line, '=') < 0 {
		return line
	}
	return key.ReplaceAllStringFunc(line, func(found string) string {
		name := key.FindStringSubmatch(found)[1]
		if strings.HasPrefix(found, `\`) || memory.Folded(name) != "role" {
			return found
		}
		return `\` + found
	})
}
