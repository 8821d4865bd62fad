package memory

import (
	"regexp"
	"strings"
)

const (
	pemOpen = "-----BEGIN "
	pemEnd  = "-----END "
	// longestPEM is more than a key takes, also with signatures and pictures as OpenPGP has them.
	longestPEM = 64 << 10
)

var (
	pemHead = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	pemFoot = regexp.MustCompile(`^-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	// pemLine is a line of a key: Base64, or a header.
	pemLine = regexp.MustCompile(`^(?:[A-Za-z0-9+/=]*|[A-Z][A-Za-z-]*: .*)$`)
	pemBody = regexp.MustCompile(`^[A-Za-z0-9+/=]{10,}$`)
)

// privateKeys finds blocks of private keys, whole or cut off. Certificates, public keys and the bare words are ordinary.
func privateKeys(text string) []secret {
	var found []secret
	for at := 0; ; {
		i := strings.Index(text[at:], pemOpen)
		if i < 0 {
			return found
		}
		at += i
		head := pemHead.FindString(window(text, at, 80))
		if head == "" {
			at += len(pemOpen)
			continue
		}
		length := pemLength(window(text, at+len(head), longestPEM))
		if length > 0 {
			found = append(found, secret{span{at, at + len(head) + length}, "private-key"})
		}
		at += len(head) + length
	}
}

// pemLength is how much of what follows the first line of a block belongs to it, 0 when there is no key. The lines of a
// key that was written as a string end with "\n" in two characters.
func pemLength(rest string) int {
	length, isKey := 0, false
	for length < len(rest) {
		if foot := pemFoot.FindString(window(rest, length, 80)); foot != "" {
			if isKey {
				return length + len(foot)
			}
			return 0
		}
		end, next := len(rest), len(rest)
		for _, lineBreak := range []string{"\n", `\n`, pemEnd} {
			if i := strings.Index(rest[length:end], lineBreak); i >= 0 {
				end, next = length+i, length+i+len(lineBreak)
				if lineBreak == pemEnd {
					next = end
				}
			}
		}
		line := strings.TrimRight(strings.TrimLeft(rest[length:end], " \t>|"), " \t\r\\")
		if !pemLine.MatchString(line) {
			break
		}
		isKey = isKey || pemBody.MatchString(line)
		if next == end { // the end of another block, or of the text
			length = end
			break
		}
		length = next
	}
	if !isKey {
		return 0
	}
	return len(strings.TrimRight(rest[:length], " \t\r\n"))
}
