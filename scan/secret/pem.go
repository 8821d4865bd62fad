package secret

import (
	"strings"

	"reverie/language/lazyregexp"
	"reverie/scan/match"
)

// privateKey is the kind of a private key.
const privateKey = "private-key"

const (
	pemOpen = "begin "
	// longestPEM exceeds the length of any key, including OpenPGP keys with signatures and pictures.
	longestPEM = 64 << 10
	// pemWindow exceeds the length of the first line of any key.
	pemWindow = 80
	// pemForeign is the number of adjacent lines inside a key that are not part of it: remarks between quoted lines.
	pemForeign = 2
)

// Patterns of the lines of a key. Heads and feet are matched in lower case and without dashes, because a list removes them.
var (
	pemHead = lazyregexp.New(`^begin (?:[a-z0-9]+ ){0,3}private key(?: block)?[-–—]*`)
	pemFoot = lazyregexp.New(`(?:^|[\s-])end (?:[a-z0-9]+ ){0,3}private key(?: block)?[-–—]*`)
	// pemMarks matches marks of lists, quotes and tables before a line.
	pemMarks  = lazyregexp.New("^(?:[\\s>|*+•·–—\"'`#-]+|(?:\\d{1,3}|[A-Za-z])[.)][ \\t]|\\[.?\\][ \\t])*")
	pemHeader = lazyregexp.New(`^[A-Z][A-Za-z-]*: `)
)

// pemTrail are the marks after a line.
const pemTrail = " \t\r\n\"'`,;.\\|*_-–—"

// privateKeys finds blocks of private keys, complete or cut off, also where each line is an item of a list, quoted, or
// separated by blank lines and remarks. Certificates and public keys are ordinary.
func privateKeys(text, lower string) []Found {
	var found []Found
	for at := 0; ; {
		i := strings.Index(lower[at:], pemOpen)
		if i < 0 {
			return found
		}
		at += i
		head := pemHead.FindString(match.Window(lower, at, pemWindow))
		if head == "" {
			at += len(pemOpen)
			continue
		}
		body := at + len(head)
		end := min(body+longestPEM, len(text))
		if next := strings.Index(lower[body:end], pemOpen); next >= 0 {
			end = body + next
		}
		if length := pemLength(text[body:end], lower[body:end]); length > 0 {
			found = append(found, Found{len(strings.TrimRight(text[:at], "-–—")), body + length, privateKey})
			at = body + length
		} else {
			at = body
		}
	}
}

// pemLength returns how much of the text after a block's first line belongs to the block; 0 if there is no key. In a key
// written as a string, lines end with the two characters "\n".
func pemLength(rest, lower string) int {
	length, isKey, foreign := 0, false, 0
	for at := 0; at < len(rest) && foreign <= pemForeign; {
		end, next := len(rest), len(rest)
		for _, lineBreak := range []string{"\n", `\n`} {
			if i := strings.Index(rest[at:end], lineBreak); i >= 0 {
				end, next = at+i, at+i+len(lineBreak)
			}
		}
		foot := pemFoot.FindStringIndex(lower[at:end])
		content := end
		if foot != nil {
			content = at + foot[0]
		}
		from := at + len(pemMarks.FindString(rest[at:content]))
		line := strings.TrimRight(rest[from:content], pemTrail)
		switch {
		case line == "" || !isKey && pemHeader.MatchString(line):
		case isPEMBody(line, foreign > 0):
			isKey, foreign, length = true, 0, from+len(line)
		default:
			foreign++
		}
		if foot != nil {
			if isKey {
				return at + foot[1]
			}
			return 0
		}
		at = next
	}
	return length
}

// isPEMBody reports whether a line is Base64 of a key. After other lines it must be a whole line of one.
func isPEMBody(line string, strict bool) bool {
	longest, c := 0, countClasses(line)
	for word := range strings.FieldsSeq(line) {
		if strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != "" {
			return false
		}
		longest = max(longest, len(word))
	}
	if strict || c.spaces > 0 {
		return longest >= 32 && c.lower > 0 && c.upper > 0 && c.digits > 0
	}
	return longest >= 10 || c.upper+c.digits+c.symbols+c.dashes > 0
}

const (
	// keyPartLine is the shortest line within a private key: keys are wrapped after 64 characters, OpenSSH's after 70.
	keyPartLine = 60
	// keyPartLines is the number of such lines that are not there by accident.
	keyPartLines = 2
)

// KeyParts finds successive lines of Base64 as within a private key.
func KeyParts(text string) []Found {
	if !strings.Contains(text, "\n") {
		return nil
	}
	var found []Found
	from, to, lines := 0, 0, 0
	end := func() {
		if lines >= keyPartLines {
			found = append(found, Found{from, to, privateKey})
		}
		lines = 0
	}
	for start := 0; start <= len(text); {
		until := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			until = start + i
		}
		line := text[start:until]
		body := strings.TrimRight(line[len(pemMarks.FindString(line)):], pemTrail)
		switch {
		case len(body) >= keyPartLine && !strings.Contains(body, " ") && isPEMBody(body, true):
			if lines == 0 {
				from = start
			}
			to, lines = until, lines+1
		case lines > 0 && body != "" && !strings.Contains(body, " ") && isPEMBody(body, true): // the last line is shorter
			to = until
			end()
		default:
			end()
		}
		start = until + 1
	}
	end()
	return found
}
