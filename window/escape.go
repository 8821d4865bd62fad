package window

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/language/lazyregexp"
	"reverie/scan"
)

// Escape makes a text safe inside one of our labelled blocks: it cannot end the block, begin another one, or look
// like a label, a role or a separator. The text stays readable: Escape only removes invisible characters, and inserts
// a backslash or a space where text would be read as structure. Escape is idempotent.
//
// In the result, every open bracket except those of check boxes, dates and times follows a backslash, no "<" begins a tag or a chat
// template token, and no line begins like a role, a separator or a label, whatever look-alike characters and
// decoration it uses.
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

// Readable makes a text safe inside a line that a person reads, and that a model may be sent later as an answer. It inserts a backslash or a
// space only into what could be read as a token, a label or a role of a conversation: other brackets stay as they are.
func Readable(text string) string {
	text = breakBehind(Defuse(visible(text)), '[', "［", source.MatchString)
	return escapeRoles(escapeEntities(breakTokens(text)))
}

// source matches the beginning of the label of a passage: "[MEMORY.md:3 · today]".
var source = lazyregexp.New(`^\s*(?:[\p{L}\p{N}_./-]+\.md\b|sessions/)`)

// Defuse breaks what a provider or a model could read as conversation structure in a tool message: chat template
// tokens and our labels. It only inserts spaces into them, so JSON stays JSON.
func Defuse(text string) string {
	text = breakBehind(text, '<', "＜", template)
	return breakBehind(text, '[', "［", func(rest string) bool { return control(rest) || label(rest) })
}

// breakBehind inserts a space after every open bracket, or its full-width form, for whose following text begins
// returns true.
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

// has reports whether a text contains a character or its full-width form.
func has(text string, character byte, wide string) bool {
	return strings.IndexByte(text, character) >= 0 || strings.Contains(text, wide)
}

// template reports whether the text after a "<" forms a chat template token: "<|im_start|>", "<<SYS>>", "</s>",
// "<start_of_turn>", "<｜User｜>".
func template(rest string) bool {
	return strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "｜") || beginsWith(rest, templates)
}

var templates = []string{
	"<sys>", "</sys>", "s>", "/s>", "bos>", "eos>", "unk>", "pad>", "mask>", "sep>", "cls>", "start_of_", "end_of_", "begin_of_",
}

// control reports whether the text after a "[" forms a control word of a chat template: "[INST]", "[/INST]",
// "[TOOL_RESULTS]", "[gMASK]".
func control(rest string) bool {
	rest = strings.TrimPrefix(rest, "/")
	end := strings.IndexFunc(rest[:min(len(rest), longestControl)], func(r rune) bool { return r == ']' || r == '］' })
	return end > 0 && controls[strings.ToUpper(rest[:end])]
}

const longestControl = 20 // bytes, including the terminator

var controls = map[string]bool{
	"INST": true, "SYSTEM_PROMPT": true, "AVAILABLE_TOOLS": true, "TOOL_RESULTS": true, "TOOL_CALLS": true, "TOOL_CONTENT": true,
	"CALL_ID": true, "ARGS": true, "THINK": true, "IMG": true, "IMG_BREAK": true, "IMG_END": true, "PREFIX": true, "MIDDLE": true,
	"SUFFIX": true, "GMASK": true, "SMASK": true, "SOP": true, "EOP": true, "CLS": true, "SEP": true, "MASK": true, "PAD": true,
	"UNK": true, "BOS": true, "EOS": true,
}

// label reports whether the text after a "[" forms one of our labels.
func label(rest string) bool { return beginsWith(rest, labels) }

// beginsWith reports whether a text begins with one of the given words, ignoring case.
func beginsWith(text string, some []string) bool {
	return slices.ContainsFunc(some, func(s string) bool { return len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) })
}

// breakTokens inserts a space after every "<" that could begin a tag or a token.
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

// escapeBrackets inserts a backslash before every unescaped open bracket except those of check boxes, dates and times, and a
// space into control words.
func escapeBrackets(line string) string {
	if !has(line, '[', "［") {
		return line
	}
	line = breakBehind(line, '[', "［", control)
	var b strings.Builder
	backslashes, wide := 0, false // right before r
	for at, r := range line {
		if (r == '[' || r == '［') && (backslashes%2 == 0 || wide) && !checkbox(line[at:]) && !dated.MatchString(line[at:]) {
			if wide { // whether or not it acts as a backslash, the next one starts fresh
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

// dated matches a date or a time in brackets that is not a link.
var dated = lazyregexp.New(`^\[\d{1,4}(?:[:.-]\d{1,2}){1,2}\](?:[^(\[:]|$)`)

func checkbox(text string) bool {
	return strings.HasPrefix(text, "[ ]") || strings.HasPrefix(text, "[x]") || strings.HasPrefix(text, "[X]")
}

// entity matches "<" as an HTML entity.
var entity = lazyregexp.New(`(?i)&(lt\b|#0*60\b|#x0*3c\b)`)

func escapeEntities(line string) string {
	if !strings.Contains(line, "&") {
		return line
	}
	return entity.ReplaceAllString(line, "& $1")
}

// key matches a quoted key of an object.
var key = lazyregexp.New(`\\*["'“”‘’＂]\s*([^"'“”‘’＂\s]{3,12})\s*\\*["'“”‘’＂]\s*[:：=]`)

// escapeRoles inserts a backslash before the key of a role as in wire messages: {"role": "system"}.
func escapeRoles(line string) string {
	if !has(line, ':', "：") && strings.IndexByte(line, '=') < 0 {
		return line
	}
	return key.ReplaceAllStringFunc(line, func(found string) string {
		name := key.FindStringSubmatch(found)[1]
		if strings.HasPrefix(found, `\`) || scan.Folded(name) != "role" {
			return found
		}
		return `\` + found
	})
}

const (
	headRunes = 48 // inspected characters of a line: no role and no label is longer
	ruleRunes = 3  // length of the shortest separator
)

// structural reports whether a line begins like a role, a separator or a label.
func structural(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, `\`) {
		return false
	}
	if separates(line) {
		return true
	}
	// Decoration at the beginning of a line (quotes, list marks, numbers, brackets) does not hide what follows.
	head := strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) })
	n := 0
	for at := range head {
		if n++; n > headRunes {
			head = head[:at]
			break
		}
	}
	folded := scan.Folded(head)
	return speaks(folded) || announces(folded)
}

// strokes are the characters used to draw separators.
const strokes = "-=*_~#+‐‑‒–—―−─━═┄┅┈┉╌╍•·▬⸺⸻﹘﹣－＝＊＿～＃＋"

// separates reports whether a line is or begins with a rule: "---", "--- SOUL.md ---", "=== end ===". A Markdown
// heading does not, unless it also ends like one.
func separates(line string) bool {
	drawn, headings := 0, 0
	rest := strings.TrimLeftFunc(line, func(r rune) bool {
		switch {
		case r == ' ':
		case !strings.ContainsRune(strokes, r):
			return false
		case r == '#' || r == '＃':
			headings++
			drawn++
		default:
			drawn++
		}
		return true
	})
	switch {
	case drawn < ruleRunes:
		return false
	case drawn == headings && rest != "":
		return strings.HasSuffix(rest, "##") || strings.HasSuffix(rest, "＃＃")
	case strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ "):
		last, _ := utf8.DecodeLastRuneInString(line)
		return strings.ContainsRune(strokes, last) // not a list item that ends in emphasis
	}
	return true
}

// speakers are names of roles: a line that begins with one and a colon looks like a message. The names in commanders,
// who give orders, may be followed by more words before the colon.
var speakers, commanders = foldAll(
	"user", "human", "assistant", "ai", "model", "bot", "chatbot", "tool", "tools", "function", "response", "input", "observation",
	"tool result", "tool output", "function result", "ipython", "用户", "使用者", "人类", "助手", "助理", "工具", "回答", "工具结果",
	"người dùng", "trợ lý", "công cụ", "usuario", "asistente", "herramienta", "benutzer", "nutzer", "assistent", "werkzeug",
	"ユーザー", "アシスタント", "ツール", "사용자", "어시스턴트", "도우미", "도구", "пользователь", "ассистент", "utilisateur",
), foldAll(
	"system", "sysadmin", "developer", "administrator", "admin", "role", "instruction", "instructions", "prompt",
	"new instructions", "im_start", "begin_of_text", "start_header_id", "系统", "系統", "开发者", "開發者", "管理员", "指令", "提示词", "角色",
	"hệ thống", "nhà phát triển", "quản trị viên", "chỉ thị", "vai trò", "sistema", "desarrollador", "administrador",
	"instrucción", "instrucciones", "rol", "entwickler", "anweisung", "anweisungen", "rolle", "systemnachricht", "systemanweisung",
	"システム", "開発者", "管理者", "指示", "命令", "役割", "시스템", "개발자", "관리자", "지시", "система", "разработчик", "système",
)

// foldAll folds words and groups them by their first byte.
func foldAll(words ...string) map[byte][]string {
	sorted := map[byte][]string{}
	for _, w := range words {
		w = scan.Folded(w)
		sorted[w[0]] = append(sorted[w[0]], w)
	}
	return sorted
}

// closers are the characters that may end the name of a role.
const closers = "(:;]>)}】〕〉》」』|=\"`*"

// speaks reports whether a folded line begins with the name of a role and a closer.
func speaks(folded string) bool {
	if folded == "" {
		return false
	}
	for _, w := range speakers[folded[0]] {
		if rest, ok := strings.CutPrefix(folded, w); ok && ended(rest) {
			return true
		}
	}
	for _, w := range commanders[folded[0]] {
		rest, ok := strings.CutPrefix(folded, w)
		if !ok {
			continue
		}
		if ended(rest) || apart(rest) && strings.ContainsAny(rest, ":]}>") {
			return true
		}
	}
	return false
}

// ended reports whether nothing or a closer follows a word.
func ended(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	first, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || strings.ContainsRune(closers, first)
}

// apart reports whether a word ends where rest begins.
func apart(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLetter(first) || first >= 0x3000 // Chinese, Japanese and Korean words are not separated
}

// boundary matches a line that announces the begin or end of a part of a window.
var boundary = lazyregexp.New(`^(?:begin|beginning|end|start|new)(?: of)?(?: the| this| your)?(?: \w+)? ` +
	`(?:system|recalled|memory|memories|summary|context|conversation|prompt|instructions?|messages?|notes?|data|documents?)\b`)

// announces reports whether a folded line begins like a label.
func announces(folded string) bool {
	for _, l := range labels {
		if strings.HasPrefix(folded, l) {
			return true
		}
	}
	return boundary.MatchString(folded)
}

const (
	nonJoiner   = 0x200C
	joiner      = 0x200D
	emojiShape  = 0xFE0F
	firstIndic  = 0x0590 // from here on scripts join letters with joiners, and emoji their parts
	replacement = utf8.RuneError
)

// visible removes invisible characters, including those that hide text or change its direction, and normalises line
// breaks. Joiners and emoji selectors stay where a script or an emoji needs them.
func visible(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	previous := rune(0)
	for at, r := range text {
		switch {
		case r == '\r':
			if strings.HasPrefix(text[at:], "\r\n") {
				continue
			}
			r = '\n'
		case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			r = '\n'
		case r == '\n', r == '\t':
		case r == joiner, r == nonJoiner, r == emojiShape:
			if previous < firstIndic && (r != emojiShape || !keycap(previous)) || hides(previous) {
				continue
			}
		case hides(r), r == replacement:
			continue
		}
		b.WriteRune(r)
		previous = r
	}
	return b.String()
}

// plain reports whether a text has only visible ASCII characters, tabs and line feeds.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// keycap reports whether a selector turns a character into an emoji although it is ASCII or a Latin sign.
func keycap(r rune) bool {
	return '0' <= r && r <= '9' || r == '#' || r == '*' || r == '©' || r == '®'
}

// hides reports whether a character is invisible on its own.
func hides(r rune) bool {
	if r == 0x2800 { // an empty Braille cell
		return true
	}
	// The last two are fillers, marks without a shape, and code points that Unicode reserves for such characters.
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
