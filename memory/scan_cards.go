package memory

import (
	"regexp"
	"strconv"
	"strings"
)

// cardRule is how the numbers of one kind of payment card look.
type cardRule struct {
	prefix *regexp.Regexp
	length []int
}

var cardRules = []cardRule{
	{regexp.MustCompile(`^4`), []int{16}},                                              // Visa
	{regexp.MustCompile(`^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)`), []int{16}}, // Mastercard
	{regexp.MustCompile(`^3[47]`), []int{15}},                                          // American Express
	{regexp.MustCompile(`^(?:6011|64[4-9]|65)`), []int{16}},                            // Discover
	{regexp.MustCompile(`^(?:30[0-5]|36|38)`), []int{14}},                              // Diners Club
	{regexp.MustCompile(`^35(?:2[89]|[3-8])`), []int{16}},                              // JCB
	{regexp.MustCompile(`^62`), []int{16, 17, 18, 19}},                                 // UnionPay
}

const (
	shortestCard = 14
	longestCard  = 19
)

var (
	// cardGroups are how many digits stand together.
	cardGroups = regexp.MustCompile(`^(?:\d+|4-4-4-4|4-4-4-4-[1-3]|4-6-5|4-6-4|6-13)$`)
	// otherNumber names numbers that happen to look like a card's; cardNumber says that it is one after all.
	otherNumber = regexp.MustCompile(`\b(?:orders?|invoices?|tracking|shipment|parcel|ticket|ref(?:erence)?|id|ids|uuid|isbn|ean|imei|serial|sku|timestamp|phone|case|build|commit)\b[^.\n]{0,16}$|(?:订单|单号|运单|发票|编号|流水)[^。\n]{0,12}$`)
	cardNumber  = regexp.MustCompile(`\b(?:card|visa|mastercard|amex|credit|debit|kreditkarte|tarjeta|carte)\b|卡`)
)

// cards finds the numbers of payment cards: of a known kind, with a correct check digit, and not said to be another number.
func cards(text, lower string) []secret {
	var found []secret
	for at := 0; at < len(text); at++ {
		if !isDigit(text[at]) || at > 0 && (isKeyByte(text[at-1]) || text[at-1] == '+') {
			continue
		}
		if end := cardEnd(text, at); end > 0 && !isOtherNumber(lower, at) {
			found = append(found, secret{span{at, end}, "card"})
			at = end
		}
		for at+1 < len(text) && isDigit(text[at+1]) {
			at++
		}
	}
	return found
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// cardEnd is where the card number that begins at an offset ends, 0 when none does. Its digits may be divided by single
// spaces or hyphens. What is part of a longer number or word is none, but other digits may follow it after a space.
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

// sticks reports whether a number goes on at an offset, as part of a longer word or number.
func sticks(text string, at int) bool {
	b := text[at]
	return isWordByte(b) || b == '_' || (b == '-' || b == '.') && at+1 < len(text) && isKeyByte(text[at+1])
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

// hasCheckDigit reports whether the last digit is the one that Luhn's formula gives for the others.
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

// isOtherNumber reports whether what stands before a number says that it is not a card's.
func isOtherNumber(lower string, at int) bool {
	before := lower[max(0, at-40):at]
	return otherNumber.MatchString(before) && !cardNumber.MatchString(before)
}
