package llm

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const redacted = "[secret]"

// secrets are shapes of credentials in a provider's words: their own keys, half masked or whole, and passwords in URLs.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bbearer\s+[\w.~+/=*-]{6,}`),
	regexp.MustCompile(`\b(?:sk|rk|gsk|xai|hf|r8|pplx|nvapi|csk|fw|rv)[-_][\w*.…-]{6,}`),
	regexp.MustCompile(`\bAIza[\w*-]{10,}`),
	regexp.MustCompile(`\b(?:AKIA|ASIA|ABSK)[\w*+/=]{12,}`),
	regexp.MustCompile(`(?i)\b(?:api[-_ ]?key|secret|password|access[-_ ]?token|token)(?: provided)?["']?\s*[:=]\s*["']?[^\s"',;]{6,}`),
	regexp.MustCompile(`://[^/\s@]+@`),
}

// maxRaw bounds the provider's words that are worked on, in bytes.
const maxRaw = 2000

// tidy makes a provider's words fit to be logged: without keys, without what they repeat of the request, on one line
// and at most MaxMessage characters.
func tidy(s, key string, said []string) string {
	s = withoutKey(s, key)
	s = withoutShapes(strings.ToValidUTF8(s[:min(len(s), maxRaw)], ""))
	s = withoutWhole(withoutEcho(s, said), said)
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return cut(withoutShapes(withoutKey(s, key))) // what was taken out may have parted one
}

// withoutShapes takes out what looks like a secret.
func withoutShapes(s string) string {
	for _, shape := range secrets {
		s = shape.ReplaceAllString(s, redacted)
	}
	return s
}

// withoutKey comes before anything is cut off: of a key that is cut, the rest would not be found any more.
func withoutKey(s, key string) string {
	if key == "" {
		return s
	}
	return strings.ReplaceAll(s, key, redacted)
}

// cut shortens s to MaxMessage characters.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= MaxMessage {
		return s
	}
	runes := []rune(s)
	return string(runes[:MaxMessage-1]) + "…"
}

// echoBytes is how much of the request in a row makes an echo. Some providers answer an invalid request by repeating
// it, and a request holds somebody's memory; shorter stretches are the words that any two texts share.
const echoBytes = 24

// withoutEcho takes out of s what it repeats of the texts.
func withoutEcho(s string, texts []string) string {
	s = s[:min(len(s), maxRaw)]
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := echo(s[i:], texts); n > 0 {
			b.WriteString("[…]")
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+size])
		i += size
	}
	return b.String()
}

// wholeBytes is the least length of a text that is an echo as a whole: a question may be that short, and shorter ones are in
// many words.
const wholeBytes = 4

// withoutWhole takes out of s the texts that are too short for withoutEcho.
func withoutWhole(s string, texts []string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); len(text) >= wholeBytes && len(text) < echoBytes {
			s = strings.ReplaceAll(s, text, "[…]")
		}
	}
	return s
}

// echo is how many bytes at the start of s stand in one of the texts too, if they are enough to be an echo.
func echo(s string, texts []string) int {
	if len(s) < echoBytes {
		return 0
	}
	longest := 0
	for _, text := range texts {
		n := echoBytes
		at := strings.Index(text, s[:n])
		if at < 0 {
			continue
		}
		for n < len(s) && at+n < len(text) && s[n] == text[at+n] {
			n++
		}
		longest = max(longest, n)
	}
	for longest > 0 && longest < len(s) && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return longest
}
