package memory

import (
	"regexp"
	"strings"
)

// What stands in front of AWS's secret access key, which says nothing about itself: 40 characters of Base64 without padding. Its name
// is written in shell, INI, YAML, JSON, XML, tables, prompts ("[None]:") and speech.
var (
	awsBefore = regexp.MustCompile(`aws[ _.-]?$`)
	awsName   = regexp.MustCompile(`^secret(?:[ _.-]?(?:access[ _.-]?)?key)?`)
	awsFull   = regexp.MustCompile(`^secret[ _.-]?access[ _.-]?key`)
	awsSign   = regexp.MustCompile(`^(?: (?:id|is|is now|was|ist|lautet|est|es) |\[none\]|[^a-z0-9/+\n]){1,12}`)
)

const (
	awsSecretSize = 40
	// awsWindow is how many bytes are looked at from the name on: the name, what announces the key, and the key.
	awsWindow = 160
)

// awsSecrets finds AWS's secret access keys by their name and their exact shape. As labels alone would have it, one that begins as a
// path or a date does is none, and neither is the one of the vendor's manual.
func awsSecrets(text, lower string) []secret {
	var found []secret
	const begins = "secret"
	for next := 0; ; {
		at := strings.Index(lower[next:], begins)
		if at < 0 {
			return found
		}
		at += next
		next = at + len(begins)
		rest := window(lower, at, awsWindow)
		name := awsName.FindString(rest)
		if !awsBefore.MatchString(lower[max(0, at-4):at]) {
			name = awsFull.FindString(rest)
		}
		if name == "" {
			continue
		}
		from := len(name) + len(awsSign.FindString(rest[len(name):]))
		to := from + awsSecretSize
		if from == len(name) || to > len(rest) || at+to < len(text) && isPlainBase64(text[at+to]) || !isMachineMade(text[at+from:at+to]) {
			continue
		}
		found = append(found, secret{span{at + from, at + to}, "aws-key"})
		next = at + to
	}
}

// isMachineMade reports whether a text is Base64 with letters of both cases and digits, as chance makes it: of a thousand keys of 40
// characters one has no digit.
func isMachineMade(key string) bool {
	for i := range len(key) {
		if !isPlainBase64(key[i]) {
			return false
		}
	}
	c := countClasses(key)
	return c.lower > 0 && c.upper > 0 && c.digits > 0
}

// isPlainBase64 leaves out the letters of the alphabet for addresses.
func isPlainBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/'
}
