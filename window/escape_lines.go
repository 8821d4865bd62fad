package window

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reverie/memory"
)

const (
	headRunes = 48 // of a line, that are looked at: no role and no label is longer
	ruleRunes = 3  // the shortest separator
)

// structural reports whether a line begins as a role, a separator or a label does.
func structural(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, `\`) {
		return false
	}
	if separates(line) {
		return true
	}
	// What decorates the beginning of a line, quotes, list marks, numbers, brackets, does not hide what follows.
	head := strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) })
	n := 0
	for at := range head {
		if n++; n > headRunes {
			head = head[:at]
			break
		}
	}
	folded := memory.Folded(head)
	return speaks(folded) || announces(folded)
}

// strokes are the characters that separators are drawn with.
const strokes = "-=*_~#+‐‑‒–—―−─━═┄┅┈┉╌╍•·▬⸺⸻﹘﹣－＝＊＿～＃＋"

// separates reports whether a line is a rule, or begins as one: "---", "--- SOUL.md ---", "=== end ===". A heading of Markdown
// does not, unless it ends like one.
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
		return strings.ContainsRune(strokes, last) // a list item with emphasis is none
	}
	return true
}

// speakers are the names of roles: a line that begins with one and a colon passes for a message. Those of who gives orders
// may have more words before the colon.
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

// foldAll folds words and sorts them by their first byte.
func foldAll(words ...string) map[byte][]string {
	sorted := map[byte][]string{}
	for _, w := range words {
		w = memory.Folded(w)
		sorted[w[0]] = append(sorted[w[0]], w)
	}
	return sorted
}

// closers end the name of a role.
const closers = "(:;]>)}】〕〉》」』|=\"`*"

// speaks reports whether a folded line begins with the name of a role, and then what ends it.
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

// ended reports whether nothing follows a word, or what ends a name.
func ended(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	first, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || strings.ContainsRune(closers, first)
}

// apart reports whether a word ends where rest begins.
func apart(rest string) bool {
	first, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLetter(first) || first >= 0x3000 // words of Chinese, Japanese and Korean run on
}

// boundary is a line that says that something of a window begins or ends.
var boundary = regexp.MustCompile(`^(?:begin|beginning|end|start|new)(?: of)?(?: the| this| your)?(?: \w+)? ` +
	`(?:system|recalled|memory|memories|summary|context|conversation|prompt|instructions?|messages?|notes?|data|documents?)\b`)

// announces reports whether a folded line begins as a label does.
func announces(folded string) bool {
	for _, l := range labels {
		if strings.HasPrefix(folded, l) {
			return true
		}
	}
	return boundary.MatchString(folded)
}
