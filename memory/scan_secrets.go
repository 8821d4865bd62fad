package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// secret is a range of a text that must not be kept, and what kind of secret it is.
type secret struct {
	span
	kind string
}

const (
	placeholderOpen  = "[redacted: "
	placeholderClose = "]"
)

// secrets finds keys, passwords and card numbers, and returns how to replace them. What stands around them is kept, so
// that memory still says what there was.
//
// Identifiers are no secrets: UUIDs, hashes of commits, phone numbers, addresses, numbers of books and orders.
func (s *scanner) secrets() []edit {
	var found []secret
	found = append(found, privateKeys(s.text)...)
	found = append(found, keys(s.text)...)
	found = append(found, hooks(s.text)...)
	found = append(found, credentials(s.text)...)
	found = append(found, labelled(s.text, s.lower)...)
	found = append(found, cards(s.text, s.lower)...)
	slices.SortStableFunc(found, func(a, b secret) int { return cmp.Compare(a.from, b.from) })
	var edits []edit
	for _, f := range found {
		if last := len(edits) - 1; last >= 0 && f.from < edits[last].to {
			edits[last].to = max(edits[last].to, f.to) // two rules see parts of one secret
			continue
		}
		s.find(classSecret, f.kind, s.line(f.from))
		edits = append(edits, edit{from: f.from, to: f.to, with: placeholderOpen + f.kind + placeholderClose})
	}
	return edits
}

// keyRule finds keys that are known by how they begin.
type keyRule struct {
	kind    string
	begins  string
	pattern *regexp.Regexp // the whole key, anchored
}

var keyRules = []keyRule{
	{"anthropic-key", "sk-ant-", regexp.MustCompile(`^sk-ant-[\w-]{20,}`)},
	{"openai-key", "sk-", regexp.MustCompile(`^sk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9][\w-]{19,}`)},
	{"aws-key", "AKIA", regexp.MustCompile(`^AKIA[A-Z0-9]{16}\b`)},
	{"aws-key", "ASIA", regexp.MustCompile(`^ASIA[A-Z0-9]{16}\b`)},
	{"github-token", "gh", regexp.MustCompile(`^gh[pousr]_[A-Za-z0-9]{30,}`)},
	{"github-token", "github_pat_", regexp.MustCompile(`^github_pat_\w{22,}`)},
	{"gitlab-token", "gl", regexp.MustCompile(`^gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas|ffct)-[\w-]{20,}`)},
	{"slack-token", "xox", regexp.MustCompile(`^xox[abceoprs]-[\w-]{10,}`)},
	{"slack-token", "xapp-", regexp.MustCompile(`^xapp-\d-[\w-]{10,}`)},
	{"google-key", "AIza", regexp.MustCompile(`^AIza[\w-]{33,}`)},
	{"google-key", "ya29.", regexp.MustCompile(`^ya29\.[\w-]{20,}`)},
	{"google-key", "GOCSPX-", regexp.MustCompile(`^GOCSPX-[\w-]{24,}`)},
	{"stripe-key", "sk_", regexp.MustCompile(`^sk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "rk_", regexp.MustCompile(`^rk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "whsec_", regexp.MustCompile(`^whsec_[A-Za-z0-9+/=]{24,}`)},
	{"reverie-key", "rv_", regexp.MustCompile(`^rv_[\w-]{43}`)},
	{"jwt", "eyJ", regexp.MustCompile(`^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`)},
	{"npm-token", "npm_", regexp.MustCompile(`^npm_[A-Za-z0-9]{36,}`)},
	{"pypi-token", "pypi-", regexp.MustCompile(`^pypi-[\w-]{50,}`)},
	{"huggingface-token", "hf_", regexp.MustCompile(`^hf_[A-Za-z0-9]{30,}`)},
	{"sendgrid-key", "SG.", regexp.MustCompile(`^SG\.[\w-]{16,}\.[\w-]{16,}`)},
	{"digitalocean-token", "do", regexp.MustCompile(`^do[opr]_v1_[a-f0-9]{64}`)},
	{"shopify-token", "shp", regexp.MustCompile(`^shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`)},
	{"groq-key", "gsk_", regexp.MustCompile(`^gsk_[A-Za-z0-9]{40,}`)},
	{"xai-key", "xai-", regexp.MustCompile(`^xai-[A-Za-z0-9]{60,}`)},
	{"replicate-token", "r8_", regexp.MustCompile(`^r8_[A-Za-z0-9]{36,}`)},
	{"perplexity-key", "pplx-", regexp.MustCompile(`^pplx-[A-Za-z0-9]{40,}`)},
	{"databricks-token", "dapi", regexp.MustCompile(`^dapi[a-f0-9]{32}`)},
	{"vault-token", "hv", regexp.MustCompile(`^hv[sbr]\.[\w-]{20,}`)},
	{"linear-key", "lin_api_", regexp.MustCompile(`^lin_api_[A-Za-z0-9]{32,}`)},
	{"notion-token", "ntn_", regexp.MustCompile(`^ntn_[A-Za-z0-9]{40,}`)},
	{"twilio-key", "SK", regexp.MustCompile(`^SK[0-9a-f]{32}\b`)},
	{"tailscale-key", "tskey-", regexp.MustCompile(`^tskey-[\w-]{20,}`)},
	{"supabase-key", "sb", regexp.MustCompile(`^sbp_[a-f0-9]{40}`)},
	{"atlassian-token", "ATATT3", regexp.MustCompile(`^ATATT3[\w-]{50,}`)},
	{"age-key", "AGE-SECRET-KEY-1", regexp.MustCompile(`^AGE-SECRET-KEY-1[A-Z0-9]{50,}`)},
}

// keys finds keys that are known by how they begin, each in a word of its own.
func keys(text string) []secret {
	var found []secret
	for at := 0; at < len(text); at++ {
		if !isKeyByte(text[at]) {
			continue
		}
		end := at + 1
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		if word := text[at:end]; len(word) >= 20 {
			if kind, length := keyIn(word); length > 0 {
				found = append(found, secret{span{at, at + length}, kind})
			}
		}
		at = end
	}
	return found
}

func isKeyByte(b byte) bool { return isWordByte(b) || b == '_' || b == '-' || b == '.' }

// keyIn is the kind and length of the key that a word begins with, 0 when it does not.
func keyIn(word string) (kind string, length int) {
	for _, rule := range keyRules {
		if strings.HasPrefix(word, rule.begins) {
			if key := rule.pattern.FindString(word); key != "" && isRandom(key[len(rule.begins):]) {
				return rule.kind, len(key)
			}
		}
	}
	return "", 0
}

// isRandom tells a key from an example such as "your-key-goes-here" or "xxxxxxxx".
func isRandom(key string) bool {
	var lower, upper, digit int
	for i := range len(key) {
		switch b := key[i]; {
		case 'a' <= b && b <= 'z':
			lower = 1
		case 'A' <= b && b <= 'Z':
			upper = 1
		case '0' <= b && b <= '9':
			digit = 1
		}
		if i >= 4 && strings.Count(key[i-4:i+1], key[i:i+1]) == 5 {
			return false
		}
	}
	return lower+upper+digit >= 2 && !strings.Contains(strings.ToLower(key), "your")
}

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

// hookRule finds addresses that are secrets: whoever knows them may use them.
type hookRule struct {
	begins string
	rest   *regexp.Regexp // what must not be kept, anchored
}

var hookRules = []hookRule{
	{"hooks.slack.com/services/", regexp.MustCompile(`^T\w{6,}/B\w{6,}/\w{16,}`)},
	{"discord.com/api/webhooks/", regexp.MustCompile(`^\d{15,}/[\w-]{40,}`)},
	{"discordapp.com/api/webhooks/", regexp.MustCompile(`^\d{15,}/[\w-]{40,}`)},
	{"api.telegram.org/bot", regexp.MustCompile(`^\d{6,}:[\w-]{30,}`)},
}

func hooks(text string) []secret {
	var found []secret
	for _, rule := range hookRules {
		for at := 0; ; {
			i := strings.Index(text[at:], rule.begins)
			if i < 0 {
				break
			}
			at += i + len(rule.begins)
			if rest := rule.rest.FindString(window(text, at, 200)); rest != "" {
				found = append(found, secret{span{at, at + len(rest)}, "webhook"})
			}
		}
	}
	return found
}
