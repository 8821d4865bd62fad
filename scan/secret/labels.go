package secret

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reverie/language/lazyregexp"
	"reverie/language/script"
	"reverie/scan/match"
)

// labelClass is the kind of secret after a label, which decides the form of its value.
type labelClass int

const (
	labelPassword labelClass = iota // chosen by people: short, sometimes words
	labelKey                        // generated: long, letters and digits
	labelBearer                     // header of a request
	labelPIN                        // digits only, short
)

type label struct {
	kind  string
	class labelClass
	// whole is set for labels that must be separate words: letters before them make another word.
	whole bool
	// common is set for labels that are common words with other meanings: "pass: 12 of 12".
	common bool
	// short is set for the digits on the back of a card.
	short bool
	// capital is set by labelled for a label in capital letters.
	capital bool
}

// labelWords are the words that announce a secret, in lower case.
var labelWords = []struct {
	words string // separated by "|"
	label
}{
	{
		"password|passwd|passphrase|passwort|kennwort|contraseña|contrasena|mot de passe|senha|palavra-passe|parola d'ordine|" +
			"mật khẩu|Mật khẩu|пароль|Пароль|كلمة المرور|كلمة السر|كلمة مرور|كلمة سر|密码|密碼|口令|パスワード|비밀번호|암호|" +
			"clave de acceso|clave del wifi|clave wifi|clave del banco|clave del correo|clave de la cuenta|" +
			"clave del router|passcode|zugangscode",
		label{kind: "password", class: labelPassword},
	},
	{"pwd|mdp|mi clave|nuestra clave", label{kind: "password", class: labelPassword, whole: true}},
	{"pass", label{kind: "password", class: labelPassword, whole: true, common: true}},
	{"pin|geheimzahl|passcode", label{kind: "pin", class: labelPIN, whole: true}},
	{"ПИН|пин|暗証番号|핀번호|핀 번호|الرقم السري|密码|密碼|비밀번호", label{kind: "pin", class: labelPIN}},
	{"cvv|cvv2|cvc|cvc2", label{kind: "pin", class: labelPIN, whole: true, short: true}},
	{"api_key|api-key|apikey|api key|密钥|密鑰|秘钥", label{kind: "api-key", class: labelKey}},
	{"access_key|access-key|accesskey|account_key|accountkey|private_key|private-key|privatekey", label{kind: "api-key", class: labelKey}},
	{"auth_key|encryption_key|signing_key|master_key", label{kind: "api-key", class: labelKey}},
	{"secret", label{kind: "secret", class: labelKey, whole: true}},
	{"token", label{kind: "token", class: labelKey, whole: true}},
	{"令牌", label{kind: "token", class: labelKey}},
	{"bearer|authorization", label{kind: "token", class: labelBearer, whole: true}},
}

var labels = sync.OnceValue(func() *match.Literals[label] {
	l := &match.Literals[label]{}
	for _, row := range labelWords {
		for word := range strings.SplitSeq(row.words, "|") {
			l.Add(word, row.label)
			if parts := norm.NFD.String(word); parts != word {
				l.Add(parts, row.label)
			}
		}
	}
	return l
})

// strength is the confidence that the text between a label and a value announces a secret.
type strength int

const (
	strengthNone   strength = iota
	strengthBare            // only a space
	strengthSpoken          // a verb: "is"
	strengthColon           // a colon, or an equals sign between spaces, as in forms and types
	strengthEquals          // an equals sign without spaces, or a quoted value
)

// labelWindow bounds the bytes checked after a label: its object, and the value.
const labelWindow = 320

// longValue is the length in bytes from which a value is not searched for further labels.
const longValue = 40

var (
	// labelRest matches the rest of a label's name, and the end of its quotes or emphasis.
	labelRest = lazyregexp.New(`^(?:[_-]?(?:access[_-]?)?(?:key|value|secret|token))?` +
		`(?:[_-](?:prod|production|dev|test|staging|stage|live|main|old|new|local|admin|root|user|db|\d+))?["'` + "`" + `\\\])*_]{0,4}`)
	// pinRest matches the rest of the name of a PIN.
	pinRest = lazyregexp.New(`^(?:[ _-]?(?:code|kod|код|nummer|number)|码|碼)?["'` + "`" + `\\\])*_]{0,4}`)
	// labelObject and labelObjectRest match the object of a label, "password for the server", in the language of the label.
	labelObject = lazyregexp.New(`^ (?:(?:for|of|to|on|at|in|from|für|von|vom|zum|zur|zu|beim|bei|im|am|an|auf|der|des|meiner|` +
		`meines|unserer|unseres|de|del|para|en|do|da|dos|das|no|na|pour|du|des|au|sur|della|dello|del|dei|di|per|al|alla|` +
		`от|для|на|в|к|карты|wi-?fi|wlan|netflix|bank) ?|(?:d|l|dell|all)['’]|[\p{Arabic}]|[đăâêôơưàáảãạèéẻẽẹìíỉĩịòóỏõọùúủũụ]|` +
		`(?:ngân|wifi|facebook|của|cho|thẻ|email))[\pL\pM\pN.@'’-]*`)
	labelObjectRest = lazyregexp.New(`^ [\pL\pM\pN.@'’-]+`)

	// Between label and value.
	announceSign = lazyregexp.New(`^[ \t\x{3000}]{0,4}(?::=|=>|->|=|:|：|＝)[ \t\x{3000}]{0,4}`)
	announceVerb = lazyregexp.New(`^,? {1,3}(?:` + nowWords + ` {1,2})?(?:is|was|ist|lautet|war|es|est|c'est|c’est|era|é|è|là|هي|هو)` +
		`(?: (?:still|` + nowWords + `))?[ :]{1,3}`)
	// announceLater matches what announces a value in languages without such a verb.
	announceLater  = lazyregexp.New(`^ {1,3}(?:теперь|сейчас|такой|это|الآن|[—–])[ :]{1,3}`)
	announceChange = lazyregexp.New(`^ {1,2}(?:to|is|auf|in|por|a|para|en|na|на) {1,2}`)
	announceHan    = lazyregexp.New(`^(?:现在|目前|如今|已经|已|就|被|暂时|还|都|今は?|現在)*(?:是|为|為|改成了?|改为了?|设为了?|设成了?|设置为|` +
		`换成了?|は、?|を|が)(?:今は?|現在|新しく)?[ ]?[:：]?[ ]?`)
	announceHangul = lazyregexp.New(`^(?:는|은|가|이|를|을) ?(?:지금 |이제 |현재 )?[:：]?[ ]?`)

	// valueBelow matches the break before a value that is the next line or item; wholeLine matches after such a value.
	valueBelow = lazyregexp.New(`^[ \t]*\r?\n[ \t]*(?:(?:[-*+>]|\d{1,2}[.)])[ \t]+)?`)
	wholeLine  = lazyregexp.New(`^["'` + "`" + `.]?[ \t\r]*(?:\n|$)`)

	// element matches the end of an XML element's name, and its value.
	element = lazyregexp.New(`^>[^\s<]+</`)

	// Before a label.
	changed = lazyregexp.New(`\b(?:chang|set|reset|updat|switch|cambi|mud|alter|troqu|сменил|поменял)\pL*[^.\n]{0,40}$`)
	// changedAfter matches a verb after the value.
	changedAfter = lazyregexp.New(`^ (?:geändert|gesetzt|umgestellt|gewechselt|cambiat[oa]|mudad[oa])`)
	possessed    = lazyregexp.New(`(?i)\b(?:my|our|his|her|their|wi-?fi|wlan|root|admin|login|\w+['’]s) (?:[\w-]+ ){0,2}$`)
	// possessedNoun precedes a label whose value may be a German noun; other words after it are adjectives.
	possessedNoun = lazyregexp.New(`(?i)\b(?:mein|unser) (?:[\pL-]+ ){0,2}$`)
	// opensField matches before a label at the beginning of a line or field, or after the name of a user.
	opensField = lazyregexp.New(`(?i)(?:^|[\n,;:|/(*>-])[ \t]*$|\b(?:user|usr|login|log-in|account|name|mail|nutzer|usuario|` +
		`wi-?fi)[^\n]{0,50}$`)
	// pinned precedes numbers of pins of other kinds; postal follows in India's postal codes.
	postal = lazyregexp.New(`^[ -]?code(?: (?:of|for) [\w ]{1,40}?)?(?: is|:)? ?[1-9]\d{5}\b`)
	pinned = lazyregexp.New(`(?i)(?:[_.]|\b(?:gpio|led|connector|header|safety|bowling) ?)$`)
)

// nowWords say that a value is a new one.
const nowWords = `(?:now|jetzt|nun|seit heute|ab heute|ab jetzt|ahora|desde hoy|maintenant|désormais|agora|ora|adesso|bây giờ|hiện|` +
	`hiện tại|giờ|الآن|теперь|сейчас)`

// longestObject is the number of words between a label and the announcement of its value.
const longestObject = 8

// labelled finds values after a label: "password: …", "my password is …", "密码是…".
func labelled(text, lower string) []Found {
	var found []Found
	examined := 0
	labels().Each(lower, func(from, to int, l label) {
		if from < examined || !startsLabel(text, from, l) {
			return
		}
		before, rest := text[max(0, from-60):from], match.Window(text, to, labelWindow)
		isPlaceholder := strings.HasSuffix(before, PlaceholderOpen)
		isQualified := strings.HasSuffix(before, ":") && strings.HasPrefix(rest, ":") // part of a longer name
		isOther := l.class == labelPIN && (pinned.MatchString(before) || postal.MatchString(rest) && !possessed.MatchString(before))
		if isPlaceholder || isQualified || isOther {
			return
		}
		l.capital = text[from:to] == strings.ToUpper(text[from:to])
		var v value
		var ok bool
		if l.class == labelBearer {
			v, ok = bearerValue(rest)
		} else {
			v, ok = announced(l, before, rest, match.Window(lower, to, labelWindow))
			if len(v.text) > longValue {
				examined = to + v.to
			}
			ok = ok && v.isSecret(l, before)
		}
		if !ok {
			return
		}
		end := to + v.to
		if v.to == len(rest) { // it extends beyond the window
			if end = strings.IndexFunc(text[to+v.to:], endsValue); end < 0 {
				end = len(text) - to - v.to
			}
			end += to + v.to
		}
		examined = end
		found = append(found, Found{to + v.from, end, l.kind})
	})
	return found
}

// startsLabel reports whether a label is not the end of another word. A capital letter begins one in "dbPassword".
func startsLabel(text string, at int, l label) bool {
	if at == 0 || !l.whole {
		return true
	}
	before := text[at-1]
	if !match.IsWordByte(before) {
		return true
	}
	isUpper := 'A' <= text[at] && text[at] <= 'Z'
	return isUpper && 'a' <= before && before <= 'z'
}

// announced returns the value after a label if it is announced, directly or after the label's object.
func announced(l label, before, rest, lower string) (v value, ok bool) {
	name := labelRest
	if l.class == labelPIN {
		name = pinRest
	}
	at := len(name.FindString(lower))
	places := []int{at}
	for words := labelObject.FindString(lower[at:]); words != "" && len(places) <= longestObject; words = labelObjectRest.FindString(lower[at:]) {
		at += len(words)
		places = append(places, at)
	}
	for _, at := range places {
		sign, how := announcement(before, rest[at:], lower[at:])
		if how == strengthNone || how == strengthBare && len(places) > 1 {
			continue
		}
		below := ""
		if how >= strengthSpoken {
			below = valueBelow.FindString(rest[at+sign:])
		}
		v = valueAt(rest, at+sign+len(below))
		if c := countClasses(v.text); below != "" && (c.digits == 0 || c.lower+c.upper == 0 || !wholeLine.MatchString(v.after)) {
			return value{}, false
		}
		if v.strength = how; v.quoted && how == strengthColon {
			v.strength = strengthEquals
		}
		return v, v.text != ""
	}
	return value{}, false
}

// announcement returns the length and strength of the text between a label and a value.
func announcement(before, rest, lower string) (length int, how strength) {
	if sign := announceSign.FindString(rest); sign != "" {
		if next := rest[len(sign):]; strings.HasPrefix(next, "=") || strings.HasPrefix(next, "~") {
			return 0, strengthNone // a comparison
		}
		if sign == "=" {
			return 1, strengthEquals
		}
		return len(sign), strengthColon
	}
	if verb := announceVerb.FindString(lower); verb != "" {
		return len(verb), strengthSpoken
	}
	for _, pattern := range []*lazyregexp.Regexp{announceHan, announceHangul, announceLater} {
		if verb := pattern.FindString(lower); verb != "" {
			return len(verb), strengthSpoken
		}
	}
	if verb := announceChange.FindString(lower); verb != "" {
		_, after, _ := strings.Cut(lower[len(verb):], " ")
		if changed.MatchString(strings.ToLower(before)) || changedAfter.MatchString(" "+after) {
			return len(verb), strengthSpoken
		}
	}
	if element.MatchString(rest) && strings.HasSuffix(before, "<") {
		return 1, strengthColon
	}
	if strings.HasPrefix(rest, " ") {
		return 1, strengthBare
	}
	return 0, strengthNone
}

// value is the text after a label.
type value struct {
	from, to int    // relative to the end of the label
	text     string // without quotes
	quoted   bool
	strength strength
	after    string // text after it
}

// closing maps opening quotes to closing ones.
var closing = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '「': '」', '『': '』', '«': '»'}

// valueAt returns the value at an offset: up to the closing quote, to white space or to a delimiter of code.
func valueAt(rest string, at int) value {
	escape := strings.HasPrefix(rest[at:], `\"`) // within another string
	if escape {
		at++
	}
	quote, size := utf8.DecodeRuneInString(rest[at:])
	if end, isQuote := closing[quote]; isQuote {
		at += size
		inner := rest[at:]
		if i := closingQuote(inner, end, escape); i >= 0 && !strings.Contains(inner[:i], "\n") {
			return value{from: at, to: at + i, text: inner[:i], quoted: true, after: inner[i+utf8.RuneLen(end):]}
		}
	}
	end := strings.IndexFunc(rest[at:], endsValue)
	if end < 0 {
		end = len(rest) - at
	}
	if next := parameter.FindStringIndex(rest[at : at+end]); next != nil {
		end = next[0]
	}
	text := strings.TrimRight(rest[at:at+end], ".,;:?*_")
	return value{from: at, to: at + len(text), text: text, after: rest[at+len(text):]}
}

// closingQuote returns the end of a quoted value; -1 if it is not closed. Within another string its quotes are escaped;
// otherwise an escaped quote belongs to it.
func closingQuote(inner string, quote rune, escape bool) int {
	if escape {
		return strings.Index(inner, `\"`)
	}
	escaped := false
	for i, r := range inner {
		if r == quote && !escaped {
			return i
		}
		escaped = r == '\\' && !escaped
	}
	return -1
}

// parameter matches the beginning of the next URL parameter.
var parameter = lazyregexp.New(`&[A-Za-z_][\w.-]*=`)

func endsValue(r rune) bool {
	isWideMark := 0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFFEF || script.IsHangul(r)
	return unicode.IsSpace(r) || match.IsWide(r) || isWideMark || strings.ContainsRune("\"'`,;<>(){}[]|\\“”‘’«»", r)
}

var (
	headerSign  = lazyregexp.New(`^["']?\s?[:=]\s?["']?(?:bearer|basic|token|apikey)\s+`)
	bearerToken = lazyregexp.New(`^[A-Za-z0-9._~+/=-]+`)
)

// bearerValue returns the credential after "Authorization: Bearer", or after the word "bearer".
func bearerValue(rest string) (v value, ok bool) {
	shortest := 20
	at := 1
	if sign := headerSign.FindString(strings.ToLower(match.Window(rest, 0, 40))); sign != "" {
		at, shortest = len(sign), 8
	} else if !strings.HasPrefix(rest, " ") {
		return value{}, false
	}
	text := bearerToken.FindString(rest[min(at, len(rest)):])
	text = strings.TrimRight(text, ".")
	if len(text) < shortest || !isRandom(text) || isPlaceholder(text) || nameLike.MatchString(text) {
		return value{}, false
	}
	return value{from: at, to: at + len(text), text: text}, true
}

// Values that are not secrets.
var (
	// reference matches a variable, file, address or template field.
	reference = lazyregexp.New(`^(?:\$[A-Za-z_{(]|#\{|[<{&=:]|\+[A-Za-z ]|%[A-Za-z(]|@[A-Za-z]+$|!(?:secret|vault|env|ref|sub)\b|` +
		`\*[A-Za-z]|[~.]{0,2}/|https?:|[A-Za-z]:\\|` +
		`(?:env|vault|op|secret|file|process|os|config|self|this|req|ctx|request|settings)[.:])`)
	// member matches a field of a structure in code.
	member = lazyregexp.New(`^[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$`)
	// constant matches a name in capitals.
	constant = lazyregexp.New(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$`)
	// named matches an identifier that describes its content.
	named = lazyregexp.New(`^[A-Za-z_]*(?:Password|Passwd|Passphrase|Secret|Token|Key|Credentials?)[A-Za-z_]*$|^[a-z_]+_(?:password|` +
		`passwd|secret|token|key)$`)
	// nameLike matches names of things: lower-case words and numbers between hyphens.
	nameLike = lazyregexp.New(`^[a-z]+(?:[-_./](?:[a-z]+|\d{1,4}|v\d+))*$`)
	// measured matches a date, time, range, version or number with a unit.
	measured = lazyregexp.New(`(?i)^(?:\d{4}-\d{2}-\d{2}.*|\d{1,2}[.:/]\d{1,2}.*|\d+\s*[-–]\s*\d+|v?\d+(?:\.\d+)+\S*|\d+-[a-z]+|` +
		`\d+(?:\.\d+)?(?:ms|s|m|h|d|kb|mb|gb|k|px|%|bits?|bytes?|min|chars?|x|th|st|nd|rd))$`)
	algorithm = lazyregexp.New(`(?i)^(?:md5|sha-?\d+|argon2(?:id?|d)?|pbkdf2|bcrypt|scrypt|base64|utf-?8|oauth2?|totp|hmac|aes-?\d*|` +
		`rsa-?\d*|2fa|x509|1password|ed25519|rot13|blake2b?|blake3)(?:$|[-_.,/])`)
	eMail     = lazyregexp.New(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
	uuidShape = lazyregexp.New(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// After a value: the end of a clause, or more words.
var (
	clauseEnd = lazyregexp.New(`^["')\]]?\s*(?:$|[\n.,;!?。，；、)#|]|//|\band\b|\(|&)`)
	wordNext  = lazyregexp.New(`^ [a-z\p{Han}]`)
)

// isSecret reports whether a value is a secret of the label's kind, and not a placeholder, type, expression or remark.
func (v value) isSecret(l label, before string) bool {
	text := v.text
	switch {
	case l.class == labelPIN:
		return v.isPIN(l, before)
	case l.class == labelKey && !v.isKey(), l.class == labelPassword && !v.isPassword(before),
		l.common && !v.isUncommon(l, before):
		return false
	}
	for _, harmless := range []*lazyregexp.Regexp{reference, constant, named, measured, algorithm, eMail} {
		if harmless.MatchString(text) {
			return false
		}
	}
	isMember := member.MatchString(text) && !strings.ContainsAny(text, "0123456789")
	isExpression := strings.HasPrefix(v.after, "(") || strings.HasPrefix(v.after, "[")
	if !v.quoted && (isMember || isExpression) {
		return false
	}
	// A UUID called a token identifies a page or a change.
	return !isPlaceholder(text) && (l.kind != "token" || !uuidShape.MatchString(text))
}

// isKey reports whether a value looks generated.
func (v value) isKey() bool {
	shortest := 8
	switch v.strength {
	case strengthBare:
		return false
	case strengthSpoken:
		shortest = 12
	}
	c := countClasses(v.text)
	if len(v.text) < shortest || c.spaces > 0 || c.other > 0 || nameLike.MatchString(v.text) {
		return false
	}
	return c.digits >= 2 && c.lower+c.upper >= 2 || c.lower > 0 && c.upper > 3 && len(v.text) >= 20
}

// isPassword reports whether a value looks like a password, depending on how it is announced.
func (v value) isPassword(before string) bool {
	c, length := countClasses(v.text), utf8.RuneCountInString(v.text)
	wordy := c.digits == 0 && c.symbols == 0
	if c.spaces > 0 {
		return v.strength >= strengthEquals && length >= 12 && c.symbols == 0 && !isProse(v.text)
	}
	switch v.strength {
	case strengthEquals:
		if v.quoted || !wordy {
			return length >= 4 && (length >= 6 || c.digits > 0)
		}
		return length >= 6 && (c.dashes == 0 || c.dashes > 2)
	case strengthColon:
		if !wordy {
			return length >= 4 && (c.digits < length || !wordNext.MatchString(v.after))
		}
		return length >= 6 && c.upper == 0 && c.dashes == 0 && c.other == 0 && clauseEnd.MatchString(v.after) || isMixed(c, length)
	case strengthSpoken:
		if v.quoted || c.digits > 0 || c.symbols > 0 {
			isWord := c.other == 0 || c.digits >= 2 && c.digits < length && c.dashes == 0
			return length >= 6 && isWord || v.quoted && length >= 4
		}
		if c.other > 0 || c.dashes > 0 {
			return false
		}
		return length >= 6 && clauseEnd.MatchString(v.after) && (possessed.MatchString(before) || isMixed(c, length) ||
			c.upper == 1 && possessedNoun.MatchString(before))
	case strengthBare:
		return length >= 8 && c.other == 0 && c.lower > 0 && c.upper > 0 && c.digits > 0 && c.symbols > 0
	}
	return false
}

// isUncommon reports whether a value after a common word looks like a password: "pass: Kj8mmQ2x", but not "pass: 12 of 12".
func (v value) isUncommon(l label, before string) bool {
	c := countClasses(v.text)
	switch v.strength {
	case strengthEquals:
		return true
	case strengthColon:
		mixed := c.digits > 0 && c.lower+c.upper > 0 && c.dashes == 0
		return !l.capital && opensField.MatchString(before) && mixed && len(v.text) >= 6 && clauseEnd.MatchString(v.after)
	case strengthSpoken:
		return c.digits > 0 && c.lower+c.upper > 0 && possessed.MatchString(before)
	}
	return false
}

// Of PINs.
var (
	pinShape = lazyregexp.New(`^\p{Nd}{4,8}$`)
	cvvShape = lazyregexp.New(`^\p{Nd}{3,4}$`)
	// unitNext matches the unit of a number that is not a PIN.
	unitNext = lazyregexp.New(`^ ?(?:[年月日位桁文個个件%:/]|자|년|개|symbol|zeichen|digit|cifra|caract|chiffre|ký tự|символ)`)
)

// isPIN reports whether a value is a PIN, a number of 4 to 8 digits, or the 3 or 4 digits on the back of a card.
func (v value) isPIN(l label, before string) bool {
	if unitNext.MatchString(v.after) || v.strength == strengthBare && !(l.capital && clauseEnd.MatchString(v.after)) {
		return false
	}
	return l.short && cvvShape.MatchString(v.text) || !l.short && pinShape.MatchString(v.text)
}

// isMixed reports whether letters alone look like a password: with capitals inside.
func isMixed(c classes, length int) bool {
	return length >= 8 && c.lower > 0 && c.upper > 1 && c.dashes == 0
}

// classes counts the characters of a value by kind.
type classes struct{ lower, upper, digits, symbols, dashes, spaces, other int }

func countClasses(text string) (c classes) {
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z':
			c.lower++
		case 'A' <= r && r <= 'Z':
			c.upper++
		case '0' <= r && r <= '9':
			c.digits++
		case strings.ContainsRune("-_./':=", r):
			c.dashes++
		case r == ' ':
			c.spaces++
		case r < utf8.RuneSelf:
			c.symbols++
		default:
			c.other++
		}
	}
	return c
}

// placeholderWords are common values that are not secrets: examples, types, and remarks about passwords.
var placeholderWords = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		password passwd passphrase secret token apikey api_key pass pwd passwort kennwort contraseña credentials username user login
		key value changeme change-me change_me example sample demo dummy placeholder test testing foobar foo bar baz todo tbd none
		null nil undefined true false yes no postgres mysql root admin guest redis mongo default string str text varchar bytes byte
		int integer number bool boolean object array any optional required secretstr securestring hidden masked redacted empty missing
		blank unset unknown invalid incorrect correct wrong expired changed reset forgotten lost found hashed encrypted salted stored
		saved generated random strong weak secure insecure safe short long visible shared public private protected unique rotated
		revoked leaked compromised exposed enabled disabled needed wanted accepted rejected denied granted updated removed deleted
		created mandatory written printed entered typed prompted provided given available unavailable here there below above attached
		following inside somewhere abgelaufen geändert falsch richtig nötig erforderlich vergessen gespeichert verschlüsselt
		obligatoria obligatorio incorrecta incorrecto caducada obligatoire incorrect incorrecte expiré oublié requis manager policy
		field prompt hash length reset allowed forbidden supported unsupported temporary permanent identical different always never
		still already again sometimes usually currently something anything nothing everything simple complex obvious trivial obsolete
		outdated pending active inactive valid verified plaintext guessable memorable important confidential sensitive interactive
		environment keychain keyring bitwarden lastpass keepass keepassxc dashlane vault`) {
		words[word] = true
	}
	return words
}()

var (
	placeholderShape = lazyregexp.New(`(?i)your|example|placeholder|change.?me|redacted|dummy|\.\.\.|…|^(?:my|the|some|a|an|new|old|` +
		`db|user|test)[-_]?(?:secret|password|passwd|pass|token|key|api[-_]?key)s?$|^x{3,}|^\*+$|^•+$|^[.\-_#]+$|^(?:foo|bar|baz)+$`)
	proseWord = lazyregexp.New(`(?i)\b(?:a|the|is|are|be|was|not|must|should|can|cannot|may|will|enter|your|please|password|` +
		`passwort|passe|contraseña|required|least|characters|forgot|confirm|invalid|wrong|field|missing|empty|with|from|for|to|of|in|on|` +
		`or)\b`)
)

// isPlaceholder reports whether a value is a placeholder for a secret.
func isPlaceholder(text string) bool {
	lower := strings.ToLower(strings.Trim(text, ".,;:!?*_"))
	if lower == "" || placeholderWords[lower] || placeholderShape.MatchString(text) {
		return true
	}
	first, size := utf8.DecodeRuneInString(text)
	return strings.Trim(text[size:], string(first)) == "" && !unicode.IsDigit(first)
}

// isProse reports whether several words are a sentence about a password rather than a passphrase.
func isProse(text string) bool {
	return strings.Count(text, " ") < 2 || text[0] == ' ' || proseWord.MatchString(text) || strings.Contains(text, PlaceholderOpen)
}
