package window

import (
	"regexp"
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
	if has(text, '<', "＜") {
		text = breakTemplates(text)
	}
	if has(text, '[', "［") {
		text = breakLabels(breakControls(text))
	}
	return text
}

// has reports whether a text has a character, or its full-width form.
func has(text string, character byte, wide string) bool {
	return strings.IndexByte(text, character) >= 0 || strings.Contains(text, wide)
}

// template is the beginning of a token of a chat template: "<|im_start|>", "<<SYS>>", "</s>", "<start_of_turn>", "<｜User｜>".
var template = regexp.MustCompile(`(?i)[<＜](?:[|｜]|<SYS>|</SYS>|/?s>|/?(?:bos|eos|unk|pad|mask|sep|cls)>|(?:start|end)_of_|begin_of_)`)

// breakTemplates puts a space behind the "<" of template tokens alone.
func breakTemplates(text string) string {
	return template.ReplaceAllStringFunc(text, func(token string) string {
		_, size := utf8.DecodeRuneInString(token)
		return token[:size] + " " + token[size:]
	})
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

// control is a control word in brackets, as some templates have them: "[INST]", "[/INST]", "[TOOL_RESULTS]", "[gMASK]".
var control = regexp.MustCompile(`([\[［])(/?(?:[A-Z][A-Z_]{2,30}|gMASK|sMASK|sop|eop)[\]］])`)

func breakControls(text string) string { return control.ReplaceAllString(text, "$1 $2") }

// forged is one of our labels.
var forged = regexp.MustCompile(`(?i)([\[［])(` + strings.Join(labels, "|") + `)`)

func breakLabels(text string) string { return forged.ReplaceAllString(text, "$1 $2") }

// escapeBrackets puts a backslash before every open bracket that has none, but those of check boxes, and a space into control
// words.
func escapeBrackets(line string) string {
	if !has(line, '[', "［") {
		return line
	}
	line = breakControls(line)
	var b strings.Builder
	backslashes := 0
	for at, r := range line {
		if (r == '[' || r == '［') && backslashes%2 == 0 && !checkbox(line[at:]) {
			b.WriteByte('\\')
		}
		if r == '\\' {
			backslashes++
		} else {
			backslashes = 0
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
