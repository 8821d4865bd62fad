package memory

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortestEncoded is how many Base64 characters the shortest order takes.
const shortestEncoded = 24

// encoded finds orders to the model that are written in Base64.
func (s *scanner) encoded() {
	for at := 0; at < len(s.text); {
		end := at
		for end < len(s.text) && isBase64(s.text[end]) {
			end++
		}
		if end-at >= shortestEncoded {
			if decoded, ok := decodeText(s.text[at:end]); ok {
				overridesIn(fold(decoded), func(string, int) { s.block(classOverride, "encoded", s.line(at)) })
			}
		}
		at = end + 1
	}
}

func isBase64(b byte) bool {
	return isWordByte(b) || b == '+' || b == '/' || b == '-' || b == '_'
}

// decodeText decodes Base64 in either alphabet, without padding, to a text that can be read.
func decodeText(code string) (text string, ok bool) {
	code = strings.NewReplacer("-", "+", "_", "/").Replace(code)
	if len(code)%4 == 1 { // one character too many: a word that follows without a gap, or no Base64
		code = code[:len(code)-1]
	}
	decoded, err := base64.RawStdEncoding.DecodeString(code)
	if err != nil || !utf8.Valid(decoded) {
		return "", false
	}
	for _, r := range string(decoded) {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return "", false
		}
	}
	return string(decoded), true
}
