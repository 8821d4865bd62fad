package wire

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const redacted = "[secret]"

// secrets match credentials in a provider's error: API keys, masked or whole, and passwords in URLs.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bbearer\s+[\w.~+/=*-]{6,}`),
	regexp.MustCompile(`\b(?:sk|rk|gsk|xai|hf|r8|pplx|nvapi|csk|fw|rv)[-_][\w*.…-]{6,}`),
	regexp.MustCompile(`\bAIza[\w*-]{10,}`),
	regexp.MustCompile(`\b(?:AKIA|ASIA|ABSK)[\w*+/=]{12,}`),
	regexp.MustCompile(`(?i)\b(?:api[-_ ]?key|secret|password|access[-_ ]?token|token)(?: provided)?["']?\s*[:=]\s*["']?[^\s"',;]{6,}`),
	regexp.MustCompile(`://[^/\s@]+@`),
}

// maxRaw bounds the text that is redacted, in bytes; the rest is dropped.
const maxRaw = 2000

// tidy makes a provider's error safe to log: without keys and text of the request, on one line, and of at most MaxMessage
// characters.
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
	return Cut(withoutShapes(withoutKey(s, key))) // removing something may have joined the halves of another
}

// withoutShapes redacts what looks like a secret.
func withoutShapes(s string) string {
	for _, shape := range secrets {
		s = shape.ReplaceAllString(s, redacted)
	}
	return s
}

// withoutKey redacts the key. It must run before s is cut: half a key would not be found.
func withoutKey(s, key string) string {
	if key == "" {
		return s
	}
	return strings.ReplaceAll(s, key, redacted)
}

// Cut shortens s to MaxMessage characters.
func Cut(s string) string {
	if utf8.RuneCountInString(s) <= MaxMessage {
		return s
	}
	runes := []rune(s)
	return string(runes[:MaxMessage-1]) + "…"
}

// echoBytes is the length from which text shared with the request counts as an echo of it. Some providers repeat an invalid
// request in their error, and a request holds somebody's memory. Shorter runs occur in any two texts.
const echoBytes = 24

// withoutEcho redacts what s repeats of the texts.
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

// wholeBytes is the minimum length of a text that is redacted as a whole: a question may be that short, while shorter texts
// occur inside many words.
const wholeBytes = 4

// withoutWhole redacts the texts that are too short for withoutEcho.
func withoutWhole(s string, texts []string) string {
	for _, text := range texts {
		if text = strings.TrimSpace(text); len(text) >= wholeBytes && len(text) < echoBytes {
			s = strings.ReplaceAll(s, text, "[…]")
		}
	}
	return s
}

// echo returns the length of the longest prefix of s that one of the texts contains; 0 if it is shorter than an echo.
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

// Tidy redacts a provider's text, such as the name of a model, as errors are.
func Tidy(s string, c *Call) string { return tidy(s, c.Key, c.Said) }
