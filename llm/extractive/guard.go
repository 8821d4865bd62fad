package extractive

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// secretWords name things that are never copied, whoever asks for it.
var secretWords = regexp.MustCompile(`(?i)\b(?:pass ?words?|passwd|pwd|pass ?codes?|passphrases?|api[ _-]?keys?|secret[ _-]?keys?|access[ _-]?keys?|access[ _-]?tokens?|auth[ _-]?tokens?|bearer|private[ _-]?keys?|client[ _-]?secrets?|secrets?(?: is|:)|tokens?(?: is|:)|seed phrases?|recovery (?:codes?|phrases?)|credentials?|cvv|cvc|pin(?: code| number)?(?: is|:)|ssn|social security|credit card|card number|iban|2fa|otp|one-time code|verification codes?|security codes?)\b|密码|口令|密钥|私钥|令牌|验证码|助记词|银行卡号|信用卡号|身份证号|支付密码|安全码`)

// secretShapes are values that look like a key whatever they are called.
var secretShapes = regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{12,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{20,}|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}|-----BEGIN|\bBearer [A-Za-z0-9._-]{16,}|://[^/\s:@]+:[^/\s@]+@|\b(?:\d[ -]?){15,19}\b|\b[0-9a-fA-F]{40,}\b|\b\d{3}-\d{2}-\d{4}\b`)

// isSecret reports whether a sentence carries a secret or talks about one.
func isSecret(s string) bool { return secretWords.MatchString(s) || secretShapes.MatchString(s) }

// orders to the model that no memory may carry, after NFKC and in lower case.
var override = regexp.MustCompile(`\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,24}\b(?:previous|prior|above|earlier|all|your|any|these|those|system)\b.{0,16}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|constraints?|safety|messages?|context)\b` +
	`|\byou are (?:now|no longer) (?:a|an|bound|in|free|my|the|dan|jailbroken|un)|\bact as if\b|\bpretend (?:you are|to be|that you)|\b(?:jailbreak|developer mode|dan mode|god mode)\b` +
	`|\b(?:system|hidden|initial) prompt\b|\b(?:reveal|print|show|leak|repeat|output|expose|send)\b.{0,30}\b(?:instructions|prompts?|secrets?|credentials|memory files?|conversation history)\b` +
	`|\bfrom now on,? (?:you (?:are|will be|must obey|have no|can do anything)|obey|do anything)|\bunrestricted\b|\bwithout (?:any )?(?:restrictions|filters?|limits)\b|\bdo not tell (?:the user|anyone)\b|<\/?(?:system|assistant|user|instructions?|script|img|iframe|object|embed)\b` +
	`|忽略.{0,12}(?:指令|提示|规则|要求|设定|内容)|无视.{0,12}(?:指令|提示|规则|要求|限制)|忘(?:记|掉).{0,10}(?:指令|提示词|规则|设定)|(?:系统提示|提示词|系统指令)|从现在(?:起|开始)，?你(?:是|就是|不再|必须服从|没有)|你现在是|越狱|开发者模式|不受(?:任何)?限制`)

var exfiltration = regexp.MustCompile(`https?://.*\b(?:curl|wget|fetch\(|xmlhttprequest|invoke-webrequest|iwr)\b|\b(?:curl|wget|fetch\(|xmlhttprequest|invoke-webrequest|iwr)\b.*https?://|!\[[^\]]*\]\(https?://`)

var invisible = func(r rune) bool {
	return r == 0x200B || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x2064 || r == 0xFEFF || r >= 0xE0000 && r <= 0xE007F
}

// isHostile reports whether a sentence reads like an attack on whoever reads the memory later.
func isHostile(s string) bool {
	if strings.IndexFunc(s, invisible) >= 0 {
		return true
	}
	low := strings.ToLower(norm.NFKC.String(s))
	return override.MatchString(low) || exfiltration.MatchString(low)
}
