package extractive

import (
	"slices"
	"strings"

	"reverie/language/lazyregexp"
	"reverie/scan"
)

// secretWords name things that are never copied, no matter who asks for it and however harmless the value looks: the scan knows
// keys by their shape and labelled passwords, but not that "correct-horse" is one.
var secretWords = lazyregexp.New(`(?i)\b(?:pass ?words?|passwd|pwd|pass ?codes?|passphrases?|api[ _-]?keys?|secret[ _-]?keys?|` +
	`access[ _-]?keys?|access[ _-]?tokens?|auth[ _-]?tokens?|bearer|private[ _-]?keys?|client[ _-]?secrets?|` +
	`seed phrases?|recovery (?:codes?|phrases?)|credentials?|cvv|cvc|ssn|social security|` +
	`credit card|card number|2fa|otp|one-time code|verification codes?|security codes?|` +
	`pass?wort|kennwort|contraseña|senha|mots? de passe|parola d'ordine|mật khẩu)\b|` +
	`\b(?:secrets?|tokens?|pin(?:[ -]?code| number)?)(?: is\b| ist\b| es\b|` +
	` est\b| é\b| è\b|:|：)|пароль|пароля|كلمة (?:المرور|السر)|パスワード|暗証番号|비밀번호|암호|密码|密碼|` +
	`口令|密钥|私钥|令牌|验证码(?:是|为|：|:)|助记词|银行卡号|` +
	`信用卡号|身份证号|安全码`)

// markup are tags of prompts, which no line of a memory needs.
var markup = lazyregexp.New(`(?i)</?(?:system|assistant|user|human|instructions?|prompt|memory|tool)\b[^>]*>`)

// secretHints are parts of words of which every secretWords match holds one; looking for them first is a hundred times faster.
var secretHints = []string{
	"pass", "pwd", "key", "token", "secret", "credential", "cvv", "cvc", "pin", "ssn", "social", "card", "2fa",
	"otp", "code", "bearer", "phrase", "wort", "contrase", "senha", "parola", "khẩu",
	"парол", "كلمة", "パスワード", "暗証番号", "비밀번호", "암호",
	"密", "口令", "钥", "令牌", "验证码", "助记", "卡号", "身份证", "安全码",
}

// namesSecret reports whether a sentence talks about a secret.
func namesSecret(s string) bool {
	low := strings.ToLower(s)
	return slices.ContainsFunc(secretHints, func(hint string) bool { return strings.Contains(low, hint) }) && secretWords.MatchString(s)
}

// isUnfit reports whether a line may not be proposed: a secret, or an attack on later readers of the memory. The write gate decides
// about instructions to the assistant: they wait for a person.
func isUnfit(line string) bool {
	return namesSecret(line) || hasMarkup(line) || scan.Scan(line).Verdict != scan.VerdictAllow
}

func hasMarkup(s string) bool { return strings.Contains(s, "<") && markup.MatchString(s) }

// isHostile reports whether nothing of a message is taken: it holds an attack, or a secret over several lines, such as a private
// key, that its sentences do not show one by one.
func isHostile(message string) bool {
	if hasMarkup(message) {
		return true
	}
	whole := scan.Scan(message)
	return whole.Verdict == scan.VerdictQuarantine || whole.Verdict == scan.VerdictRedact && whole.Text != scannedByLine(message)
}

// scannedByLine returns a message without the secrets that one line shows.
func scannedByLine(message string) string {
	var text strings.Builder
	for line := range strings.Lines(message) {
		body := strings.TrimRight(line, "\r\n")
		text.WriteString(scan.Scan(body).Text + line[len(body):])
	}
	return text.String()
}
