package memory

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// keyLine is a line that sets a key.
type keyLine struct {
	at     int    // number of the line in its document, from 0
	prefix string // up to the value, without the white space in front of it
	space  string // between prefix and value
	value  string
	key    string // as it is compared: without emphasis, each run of white space one space, Unicode form C
}

// with is the line with another value.
func (l keyLine) with(value string) string {
	if value == "" {
		return l.prefix
	}
	if l.space == "" && !strings.HasSuffix(l.prefix, wideColon) && (l.value == "" || strings.ContainsRune(noValue, rune(value[0]))) {
		return l.prefix + " " + value
	}
	return l.prefix + l.space + value
}

// bullet is the kind of list item that the line is: "-", "*", "+", "." or ")" behind a number, or empty for none.
func (l keyLine) bullet() string {
	mark := strings.TrimSpace(listItem.FindStringSubmatch(l.prefix)[1])
	if mark == "" {
		return ""
	}
	return mark[len(mark)-1:]
}

const (
	// wideColon separates keys from values in Chinese and Japanese, without a space.
	wideColon = "："
	// maxKey is the longest key, in characters: what is longer is a sentence with a colon in it.
	maxKey = 100
	// noValue begins no value without a space in front of it.
	noValue = `/\:`
)

var (
	// listItem is what may stand in front of a key: indentation, and the mark of a list item, with its box if it is a task.
	listItem = regexp.MustCompile(`^[ \t]*((?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?`)
	// plainKey is a key that needs no space behind its colon.
	plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	// emphasis are the marks that a key may stand in.
	emphasis = []string{"**", "__", "*", "_", "`"}
)

// keyLineOf reads a line "key: value".
//
// The key may be indented, an item of a list or a task, and emphasised, with the colon inside or outside of the emphasis:
// "  - **Birth day:** 1990-05-01" has the key "Birth day". It may have spaces and any script, up to 100 characters, but begins with none
// of the marks of Markdown. The first colon of the line ends it: ":" before white space or the end of the line, or the wide
// colon "：". A key of ASCII letters, digits, "_", "." and "-" that begins with no digit needs no space, unless a slash or backslash follows:
// "a:b" and "url: https://x" are keys, "https://x", "C:\x" and "12:30" are none.
func keyLineOf(line string) (keyLine, bool) {
	head := listItem.FindString(line)
	rest := line[len(head):]
	mark := ""
	for _, m := range emphasis {
		if strings.HasPrefix(rest, m) {
			mark = m
			break
		}
	}
	colon := strings.IndexAny(rest, ":"+wideColon)
	if colon < 0 {
		return keyLine{}, false
	}
	_, size := utf8.DecodeRuneInString(rest[colon:])
	name, end := rest[len(mark):max(colon, len(mark))], colon+size
	if mark != "" {
		switch {
		case strings.HasSuffix(name, mark):
			name = strings.TrimSuffix(name, mark)
		case strings.HasPrefix(rest[end:], mark):
			end += len(mark)
		default:
			return keyLine{}, false // what is emphasised is not the key
		}
	}
	value := strings.TrimSpace(rest[end:])
	space := rest[end:]
	space = space[:len(space)-len(strings.TrimLeftFunc(space, unicode.IsSpace))]
	if value == "" {
		space = ""
	}
	key := norm.NFC.String(strings.Join(strings.Fields(name), " "))
	if !isKey(key) || size == 1 && space == "" && value != "" && (!plainKey.MatchString(key) || strings.ContainsRune(noValue, rune(value[0]))) {
		return keyLine{}, false
	}
	return keyLine{prefix: head + rest[:end], space: space, value: value, key: key}, true
}

// isKey reports whether a text can be a key.
func isKey(key string) bool {
	first, _ := utf8.DecodeRuneInString(key)
	return key != "" && utf8.RuneCountInString(key) <= maxKey && !strings.ContainsRune("#>|[]<`~!\"'(*:\\", first) &&
		!strings.ContainsAny(key, "|`") && strings.ContainsFunc(key, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r) })
}
