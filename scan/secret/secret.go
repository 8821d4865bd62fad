// Package secret finds keys, passwords and card numbers in text.
package secret

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"reverie/language/lazyregexp"
	"reverie/scan/match"
)

// Found is a range of a text that must be redacted.
type Found struct {
	From, To int    // bytes
	Kind     string // such as openai-key or password
}

const (
	// PlaceholderOpen is the beginning of a placeholder.
	PlaceholderOpen  = "[redacted: "
	placeholderClose = "]"
)

// Placeholder returns the text that replaces a secret of a kind.
func Placeholder(kind string) string { return PlaceholderOpen + kind + placeholderClose }

// Find finds keys, passwords and card numbers, by their beginning; they may overlap. lower is text with its ASCII letters in lower
// case.
//
// Identifiers are not secrets: UUIDs, commit hashes, phone numbers, addresses, ISBNs and order numbers.
func Find(text, lower string) []Found {
	found := slices.Concat(privateKeys(text, lower), keys(text), hooks(text), credentials(text), awsSecrets(text, lower),
		labelled(text, lower), botTokens(text), twilioTokens(text), oneTimeSeeds(text, lower), recoveryPhrases(text, lower),
		cards(text, lower))
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.From, b.From) })
	return found
}

// keyRule matches keys with a known prefix.
type keyRule struct {
	kind    string
	begins  string
	pattern *lazyregexp.Regexp // the whole key, anchored
}

var keyRules = []keyRule{
	{"anthropic-key", "sk-ant-", lazyregexp.New(`^sk-ant-[\w-]{20,}`)},
	{"openai-key", "sk-", lazyregexp.New(`^sk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9][\w-]{19,}`)},
	{"aws-key", "AKIA", lazyregexp.New(`^AKIA[A-Z0-9]{16}\b`)},
	{"aws-key", "ASIA", lazyregexp.New(`^ASIA[A-Z0-9]{16}\b`)},
	{"github-token", "gh", lazyregexp.New(`^gh[pousr]_[A-Za-z0-9]{30,}`)},
	{"github-token", "github_pat_", lazyregexp.New(`^github_pat_\w{22,}`)},
	{"gitlab-token", "gl", lazyregexp.New(`^gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas|ffct)-[\w-]{20,}`)},
	{"slack-token", "xox", lazyregexp.New(`^xox[abceoprs]-[\w-]{10,}`)},
	{"slack-token", "xapp-", lazyregexp.New(`^xapp-\d-[\w-]{10,}`)},
	{"google-key", "AIza", lazyregexp.New(`^AIza[\w-]{33,}`)},
	{"google-key", "ya29.", lazyregexp.New(`^ya29\.[\w-]{20,}`)},
	{"google-key", "GOCSPX-", lazyregexp.New(`^GOCSPX-[\w-]{24,}`)},
	{"stripe-key", "sk_", lazyregexp.New(`^sk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "rk_", lazyregexp.New(`^rk_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{"stripe-key", "whsec_", lazyregexp.New(`^whsec_[A-Za-z0-9+/=]{24,}`)},
	{"reverie-key", "rv_", lazyregexp.New(`^rv_[\w-]{43}`)},
	{"jwt", "eyJ", lazyregexp.New(`^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`)},
	{"npm-token", "npm_", lazyregexp.New(`^npm_[A-Za-z0-9]{36,}`)},
	{"pypi-token", "pypi-", lazyregexp.New(`^pypi-[\w-]{50,}`)},
	{"huggingface-token", "hf_", lazyregexp.New(`^hf_[A-Za-z0-9]{30,}`)},
	{"sendgrid-key", "SG.", lazyregexp.New(`^SG\.[\w-]{16,}\.[\w-]{16,}`)},
	{"digitalocean-token", "do", lazyregexp.New(`^do[opr]_v1_[a-f0-9]{64}`)},
	{"shopify-token", "shp", lazyregexp.New(`^shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`)},
	{"groq-key", "gsk_", lazyregexp.New(`^gsk_[A-Za-z0-9]{40,}`)},
	{"xai-key", "xai-", lazyregexp.New(`^xai-[A-Za-z0-9]{60,}`)},
	{"replicate-token", "r8_", lazyregexp.New(`^r8_[A-Za-z0-9]{36,}`)},
	{"perplexity-key", "pplx-", lazyregexp.New(`^pplx-[A-Za-z0-9]{40,}`)},
	{"databricks-token", "dapi", lazyregexp.New(`^dapi[a-f0-9]{32}`)},
	{"vault-token", "hv", lazyregexp.New(`^hv[sbr]\.[\w-]{20,}`)},
	{"linear-key", "lin_api_", lazyregexp.New(`^lin_api_[A-Za-z0-9]{32,}`)},
	{"notion-token", "ntn_", lazyregexp.New(`^ntn_[A-Za-z0-9]{40,}`)},
	{"twilio-key", "SK", lazyregexp.New(`^SK[0-9a-f]{32}\b`)},
	{"tailscale-key", "tskey-", lazyregexp.New(`^tskey-[\w-]{20,}`)},
	{"supabase-key", "sb", lazyregexp.New(`^sbp_[a-f0-9]{40}`)},
	{"atlassian-token", "ATATT3", lazyregexp.New(`^ATATT3[\w-]{50,}`)},
	{"age-key", "AGE-SECRET-KEY-1", lazyregexp.New(`^AGE-SECRET-KEY-1[A-Z0-9]{50,}`)},
}

// keys finds keys with a known prefix at the beginning of a word.
func keys(text string) []Found {
	var found []Found
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
				found = append(found, Found{at, at + length, kind})
			}
		}
		at = end
	}
	return found
}

func isKeyByte(b byte) bool { return match.IsWordByte(b) || b == '_' || b == '-' || b == '.' }

// keyIn returns the kind and length of the key at the beginning of a word; 0 if there is none.
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

// isRandom distinguishes keys from examples such as "your-key-goes-here" or "xxxxxxxx".
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

// hookRule matches addresses that are secrets: they grant access to anyone who knows them.
type hookRule struct {
	begins string
	rest   *lazyregexp.Regexp // the secret part, anchored
}

var hookRules = []hookRule{
	{"hooks.slack.com/services/", lazyregexp.New(`^T\w{6,}/B\w{6,}/\w{16,}`)},
	{"discord.com/api/webhooks/", lazyregexp.New(`^\d{15,}/[\w-]{40,}`)},
	{"discordapp.com/api/webhooks/", lazyregexp.New(`^\d{15,}/[\w-]{40,}`)},
	{"api.telegram.org/bot", lazyregexp.New(`^\d{6,}:[\w-]{30,}`)},
}

func hooks(text string) []Found {
	var found []Found
	for _, rule := range hookRules {
		for at := 0; ; {
			i := strings.Index(text[at:], rule.begins)
			if i < 0 {
				break
			}
			at += i + len(rule.begins)
			if rest := rule.rest.FindString(match.Window(text, at, 200)); rest != "" {
				found = append(found, Found{at, at + len(rest), "webhook"})
			}
		}
	}
	return found
}

var (
	// userInfo matches user and password in an address, after "://".
	userInfo = lazyregexp.New(`^([^\s/:@"'<>` + "`" + `]*):([^\s/@"'<>` + "`" + `]{3,})@`)
	// userOption matches curl's option for user and password.
	userOption = lazyregexp.New(`^(?:-u|--user)[\s=]*["']?([\w.@+-]+):([^\s"']{3,})`)
)

// credentials finds passwords in addresses and in curl's options.
func credentials(text string) []Found {
	var found []Found
	add := func(at int, pattern *lazyregexp.Regexp) {
		match := pattern.FindStringSubmatchIndex(match.Window(text, at, 256))
		if match == nil {
			return
		}
		rest := text[at:]
		user, password := rest[match[2]:match[3]], rest[match[4]:match[5]]
		if password != user && !isPlaceholder(password) && !reference.MatchString(password) {
			found = append(found, Found{at + match[4], at + match[5], "password"})
		}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			break
		}
		at += i + len("://")
		add(at, userInfo)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "curl ")
		if i < 0 {
			return found
		}
		at += i + len("curl ")
		line := match.Command(text, at)
		for _, option := range []string{" -u", " --user"} {
			if i := strings.Index(" "+line, option); i >= 0 {
				add(at+i, userOption)
			}
		}
	}
}

// Patterns before an AWS secret access key. The key has no prefix: it is 40 characters of Base64 without padding. Its name is
// written in shell, INI, YAML, JSON, XML, tables, prompts ("[None]:") and prose.
var (
	awsBefore = lazyregexp.New(`aws[ _.-]?$`)
	awsName   = lazyregexp.New(`^secret(?:[ _.-]?(?:access[ _.-]?)?key)?`)
	awsFull   = lazyregexp.New(`^secret[ _.-]?access[ _.-]?key`)
	awsSign   = lazyregexp.New(`^(?: (?:id|is|is now|was|ist|lautet|est|es) |\[none\]|[^a-z0-9/+\n]){1,12}`)
)

const (
	awsSecretSize = 40
	// awsWindow bounds the bytes checked from the name on: the name, an announcement, and the key.
	awsWindow = 160
)

// awsSecrets finds AWS secret access keys by their name and exact form. Unlike a label's value, a key may begin like a path
// or date, and the example of the vendor's manual counts as well.
func awsSecrets(text, lower string) []Found {
	var found []Found
	const begins = "secret"
	for next := 0; ; {
		at := strings.Index(lower[next:], begins)
		if at < 0 {
			return found
		}
		at += next
		next = at + len(begins)
		rest := match.Window(lower, at, awsWindow)
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
		found = append(found, Found{at + from, at + to, "aws-key"})
		next = at + to
	}
}

// isMachineMade reports whether a text is Base64 with letters of both cases and digits. One random key of 40 characters in
// a thousand has no digit.
func isMachineMade(key string) bool {
	for i := range len(key) {
		if !isPlainBase64(key[i]) {
			return false
		}
	}
	c := countClasses(key)
	return c.lower > 0 && c.upper > 0 && c.digits > 0
}

// isPlainBase64 reports whether b is a character of standard Base64, without the URL alphabet.
func isPlainBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/'
}

// cardRule is the number format of one kind of payment card.
type cardRule struct {
	prefix *lazyregexp.Regexp
	length []int
}

var cardRules = []cardRule{
	{lazyregexp.New(`^4`), []int{16}},                                              // Visa
	{lazyregexp.New(`^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)`), []int{16}}, // Mastercard
	{lazyregexp.New(`^3[47]`), []int{15}},                                          // American Express
	{lazyregexp.New(`^(?:6011|64[4-9]|65)`), []int{16}},                            // Discover
	{lazyregexp.New(`^(?:30[0-5]|36|38)`), []int{14}},                              // Diners Club
	{lazyregexp.New(`^35(?:2[89]|[3-8])`), []int{16}},                              // JCB
	{lazyregexp.New(`^62`), []int{16, 17, 18, 19}},                                 // UnionPay
}

const (
	shortestCard = 14
	longestCard  = 19
)

var (
	// cardGroups matches the sizes of the groups of digits.
	cardGroups = lazyregexp.New(`^(?:\d+|4-4-4-4|4-4-4-4-[1-3]|4-6-5|4-6-4|6-13)$`)
	// otherNumber matches words before numbers that only look like a card's. cardNumber overrides it.
	otherNumber = lazyregexp.New(`\b(?:orders?|invoices?|tracking|shipment|parcel|ticket|ref(?:erence)?|id|ids|uuid|isbn|ean|imei|` +
		`serial|sku|timestamp|phone|case|build|commit)\b[^.\n]{0,16}$|(?:订单|单号|运单|发票|编号|流水)[^。\n]{0,12}$`)
	cardNumber = lazyregexp.New(`\b(?:card|visa|mastercard|amex|credit|debit|kreditkarte|tarjeta|carte)\b|卡`)
)

// cards finds payment card numbers: of a known kind, with a valid check digit, and not announced as another number.
func cards(text, lower string) []Found {
	var found []Found
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) || at > 0 && (isKeyByte(text[at-1]) || text[at-1] == '+') {
			continue
		}
		if end := cardEnd(text, at); end > 0 && !isOtherNumber(lower, at) {
			found = append(found, Found{at, end, "card"})
			at = end
		}
		for at+1 < len(text) && isDigit(text[at+1]) {
			at++
		}
	}
	return found
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// cardEnd returns the end of the card number at an offset; 0 if there is none. Its digits may be separated by single spaces
// or hyphens. It must not be part of a longer number or word, but other digits may follow after a space.
func cardEnd(text string, at int) int {
	var digits, groups []byte
	separator, group, end := byte(0), 0, 0
	for ; at < len(text) && len(digits) <= longestCard; at++ {
		b := text[at]
		if isDigit(b) {
			digits = append(digits, b)
			group++
			continue
		}
		if isCard(string(digits), string(strconv.AppendInt(groups, int64(group), 10))) && !sticks(text, at) {
			end = at
		}
		if b != ' ' && b != '-' || separator != 0 && separator != b || at+1 == len(text) || !isDigit(text[at+1]) {
			return end
		}
		separator = b
		groups = append(strconv.AppendInt(groups, int64(group), 10), '-')
		group = 0
	}
	if at == len(text) && isCard(string(digits), string(strconv.AppendInt(groups, int64(group), 10))) {
		return at
	}
	return end
}

// sticks reports whether a longer word or number continues at an offset.
func sticks(text string, at int) bool {
	b := text[at]
	return match.IsWordByte(b) || b == '_' || (b == '-' || b == '.') && at+1 < len(text) && isKeyByte(text[at+1])
}

func isCard(digits, groups string) bool {
	if len(digits) < shortestCard || !cardGroups.MatchString(groups) || !hasCheckDigit(digits) {
		return false
	}
	for _, rule := range cardRules {
		for _, length := range rule.length {
			if len(digits) == length && rule.prefix.MatchString(digits) {
				return strings.Trim(digits, digits[:1]) != ""
			}
		}
	}
	return false
}

// hasCheckDigit reports whether the last digit satisfies Luhn's formula.
func hasCheckDigit(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d*2%10 + d*2/10
		}
		sum += d
	}
	return sum%10 == 0
}

// isOtherNumber reports whether the text before a number announces something other than a card.
func isOtherNumber(lower string, at int) bool {
	before := lower[max(0, at-40):at]
	return otherNumber.MatchString(before) && !cardNumber.MatchString(before)
}
